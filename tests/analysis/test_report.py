#!/usr/bin/env python3
"""The page that `optally report` writes, read as HTML.

    test_report.py OPTALLY [TRACE...]

What it shows is what `optally analyze --json` says; it needs nothing beside it; whatever names hold is
text; and it stays small. Without a TRACE, of traces made here. Exit 77 if a TRACE is absent.
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

from support import Trace, compare

VOID = {"meta", "input", "br", "hr", "img", "link"}
CLOSES_ITSELF = {"tr", "td", "th"}
MAX_BYTES = 2_000_000
MARKUP = "</script><img src=x onerror=alert(1)>\"'&"
HOSTILE = [MARKUP, "<!--", "]]>", "-->", "\u2028line\u2029", "tab\there", "\x1b[31mred", "&lt;b&gt;", "", "x" * 5000,
           "\u202eright to left", "{{7*7}}", "javascript:alert(1)"]


class Page(html.parser.HTMLParser):
    """What tables, badges and references there are; `faults` is what is not well-formed."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.faults = []
        self.references = []
        self.handlers = []
        self.tags = {}
        self.tables = {}
        self.cell = None
        self.table = None
        self.texts = []
        self.feed(text)
        self.close()
        self.faults += [f"never closed: {tag}" for tag in self.open if tag not in CLOSES_ITSELF]

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.references += [value for key, value in attrs.items() if key in ("src", "href", "action", "data")]
        self.handlers += [key for key in attrs if key.startswith("on")]
        if tag == "table":
            self.table = self.tables[attrs["id"]] = {"head": [], "body": [], "foot": []}
        if tag in ("thead", "tbody", "tfoot"):
            self.part = tag[1:]
        if tag == "tr" and self.table is not None:
            self.table[self.part].append([])
        if tag in ("td", "th") and self.table is not None:
            self.cell = [attrs.get("data-v"), ""]
            self.table[self.part][-1].append(self.cell)
        if tag not in VOID and not (tag in CLOSES_ITSELF and tag in self.open[-1:]):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID: # as XML has it, inside an SVG
            return
        while self.open and self.open[-1] != tag and self.open[-1] in CLOSES_ITSELF:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")
        if tag == "table":
            self.table = None
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.open[-1:] not in (["script"], ["style"]):
            self.texts.append(data)
        if self.cell is not None:
            self.cell[1] += data


def titles(table):
    return [text for _, text in table["head"][0]]


def rows_of(page, table="operators-table"):
    """Dictionaries by column."""
    found = page.tables.get(table)
    return [dict(zip(titles(found), row)) for row in found["body"]] if found else []


def write(command, inputs, *options):
    with tempfile.NamedTemporaryFile(suffix=".html") as file:
        done = subprocess.run([command, "report", "-o", file.name, *options, *inputs], capture_output=True, text=True,
                              check=False, timeout=120)
        if done.returncode:
            raise SystemExit(f"optally report: exit {done.returncode}: {done.stderr}")
        with open(file.name, "rb") as written:
            return written.read()


def shown_names(name):
    """As a cell may have it: what is no text replaced, and what is longer than 300 whole or cut in the middle."""
    name = re.sub("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", "\ufffd", name) or "(no name)"
    kept = 300 - len("[...]")
    cut = name[:kept // 2] + "[...]" + name[len(name) - (kept - kept // 2):]
    return [name, cut] if len(name) > 300 else [name]


def foot_differences(page, report):
    """Of the lines of totals and the rows, all of which are there: those of hosts, and of devices."""
    table = page.tables["operators-table"]
    for foot, is_device in zip(table["foot"], (False, True)):
        totals = dict(zip(titles(table), foot))
        rows = [row for row in report["operators"]["rows"] if (row["kind"] == "device") == is_device]
        sums = [("Calls", "calls"), ("Self", "self_ns")]
        if not is_device:
            sums += [("Device self", "device_self_ns"), ("Allocated", "allocation_bytes")]
        for column, key in sums:
            value = sum(row[key] or 0 for row in rows)
            if column in totals and totals[column][0] != str(value):
                yield f"{totals['Name'][1]}: {column} is {totals[column][0]}, its rows have {value}"


def differences(page, report):
    """Of a page and the analysis, both with all rows."""
    said = report["operators"]["rows"]
    rows = rows_of(page)
    if len(rows) != len(said):
        yield f"{len(rows)} rows, {len(said)} in the analysis"
    kinds = {"op": "operator", "runtime": "runtime", "device": "device"}
    for row, expected in zip(rows, said):
        for column, value in (
                ("Calls", expected["calls"]), ("Self", expected["self_ns"]), ("Inclusive", expected["inclusive_ns"]),
                ("Mean", expected["inclusive_ns"] * 1000 // expected["calls"]), ("Min", expected["min_ns"]),
                ("Max", expected["max_ns"]), ("Device self", expected["device_self_ns"] or None),
                ("Device incl.", expected["device_inclusive_ns"] or None),
                ("Allocated", expected["allocation_bytes"] or None)):
            found = row.get(column, [None])[0]
            if found != (None if value is None else str(value)):
                yield f"{expected['name'][:60]!r}: {column} is {found}, not {value}"
        if row["Name"][1] not in shown_names(expected["name"]) or row["Kind"][1] != kinds[expected["kind"]]:
            yield f"{row['Name'][1][:60]!r} is not {expected['name'][:60]!r}, or of another kind"


def faults_of(page, text):
    yield from page.faults
    yield from (f"refers to {reference}" for reference in page.references if not reference.startswith("#"))
    yield from (f"has a handler: {handler}" for handler in page.handlers)
    names_only = re.sub(rb"http://www.w3.org/(2000/svg|1999/xhtml)\b", b"", text)
    for word in (b"url(", b"@import", b"http:", b"https:", b"<img", b"localStorage", b"fetch("):
        if word in names_only:
            yield f"has {word.decode()}"
    if b"default-src 'none'" not in text[:1000]:
        yield "allows the network"


def badges(report):
    kinds = {aggregate["kind"] for aggregate in report["aggregates"].values()}
    return {"exact": b"badge exact", "lower_bound": b"badge least", "unavailable": b"badge absent"}, kinds


def check(command, inputs):
    """Everything that holds for any trace."""
    text = write(command, inputs)
    again = write(command, inputs)
    whole = write(command, inputs, "--limit", "all")
    few = write(command, inputs, "--limit", "1")
    page = Page(text.decode())
    whole_page = Page(whole.decode())
    report = json.loads(compare.run(command, *inputs, options=("--limit", "all")))
    faults = list(faults_of(page, text)) + list(differences(whole_page, report))
    if report["operators"]["total"]:
        faults += foot_differences(whole_page, report)
    if text != again:
        faults.append("not the same bytes twice")
    if len(text) >= MAX_BYTES:
        faults.append(f"{len(text)} bytes")
    if report["operators"]["total"] and Page(few.decode()).tables["operators-table"]["foot"] != \
            whole_page.tables["operators-table"]["foot"]:
        faults.append("totals depend on the limit")
    classes, kinds = badges(report)
    faults += [f"a value is {kind}, and no badge says so" for kind in kinds if classes[kind] not in text]
    if (b"Lower bounds." in text) != (report["completeness"]["kind"] == "lower_bound"):
        faults.append("says something else of completeness")
    return faults, len(text)


def threads(n):
    """So many that have one short call each, and then one that is busy all the time."""
    trace = Trace()
    for number in range(n):
        trace.slice("op", "short", 1000 * number, 10, tid=number + 1)
    trace.slice("op", "whole", 0, 1000 * n, tid=n + 1)
    return trace


def ranks(folder, n):
    """Each with 60 threads, a device and memory; the last rank is the busiest."""
    os.mkdir(folder)
    paths = []
    for rank in range(n):
        trace = Trace(distributedInfo={"rank": rank, "world_size": n})
        for number in range(60):
            busy = 100 + rank + number
            trace.slice("op", f"aten::op{number}", 1000 * number, busy, tid=number + 1)
        trace.slice("runtime", "cudaLaunchKernel", 100, 10, tid=1, correlation=1)
        trace.slice("device", "a_kernel", 500, 50000, pid=0, tid=7, correlation=1)
        trace.memory(200, 4096 * (rank + 1), tid=1)
        paths.append(trace.write(f"{folder}/rank{rank}.json"))
    return paths


def memory_only():
    trace = Trace()
    trace.memory(5_000, 100, **{"Total Allocated": 100})
    trace.memory(6_000, 50, **{"Total Allocated": 150})
    return trace


def instant():
    trace = Trace()
    for tid in (1, 2):
        trace.slice("op", "once", 10, 0, tid=tid)
    return trace


def hosts(n):
    """A trace whose threads have negative numbers, and many memories, the last one the largest."""
    trace = Trace()
    trace.slice("op", "aten::add", 0, 100, tid=-1029147072)
    for number in range(n):
        trace.memory(10 + number, 1000 * (number + 1), tid=-1029147072, device=(1, number))
    return trace


def said(folder):
    """What a page says of a trace: its inputs, what is there and what is not."""
    yield threads(5000).write(f"{folder}/threads.json"), \
        ["all 5,001 threads", "thread 5001", "Drawn: 63 of 5,001 threads, the busiest; the others were busy "
         "49.38\u202fµs together", "mean 1.01"], ["found no room"]
    yield memory_only().write(f"{folder}/memory.json"), \
        ["peak 150\u202fB around", "no call ran: time runs from the first allocation or release to the last",
         "No call ran."], []
    yield Trace().write(f"{folder}/none.json"), ["No call ran.", "No operator ran."], []
    yield instant().write(f"{folder}/instant.json"), ["No time passed from the first call"], ["nan", "busy  of"]
    yield hosts(40).write(f"{folder}/negative.json"), \
        ["thread -1029147072", "Drawn: 32 of 40 devices, those with the highest peaks; the highest of the 8 others is "
         "7.81\u202fKiB", "cuda:39 peak", "cuda:8 peak"], ["18446744072680404544", "cuda:7 peak"]
    few = ranks(f"{folder}/few", 3)
    yield few, ["Rank 0, in its own time", "not known", "these ranks have no clock in common",
                "Drawn: 1 of 1 device and 19 of 60 threads, the busiest", "cpu, rank 2 peak", "All device work",
                "#2, torch.profiler trace"], [", </li>"]
    yield few + [few[0].replace("rank0", "copy")], ["rank 0 (#3)"], []
    many = ranks(f"{folder}/many", 100)
    yield many, ["rank 99, its 60 threads", "rank 99, 1 device", "rank 68, its 60 threads",
                 "Drawn: 32 of 100 ranks, the busiest; the 68 others were busy"], ["rank 67, its 60 threads"]


def check_said(command, folder):
    for inputs, there, absent in said(folder):
        inputs = inputs if isinstance(inputs, list) else [inputs]
        for path in inputs:
            if path.endswith("copy.json"): # not byte for byte: that would be dropped
                with open(inputs[0], encoding="utf-8") as file, open(path, "w", encoding="utf-8") as copy:
                    copy.write(file.read() + "\n")
        text = write(command, inputs).decode()
        words = "".join(Page(text).texts)
        yield from (f"{inputs[0]}: does not say {fact!r}" for fact in there if fact not in words)
        yield from (f"{inputs[0]}: says {fact!r}" for fact in absent if fact in words or fact in text)


def made_here(folder):
    """Traces that try what a page has to withstand."""
    trace = Trace(host_name=MARKUP, distributedInfo={"rank": 1, "world_size": 2},
                  deviceProperties=[{"id": 0, "name": MARKUP}, {"id": 1, "name": MARKUP}, {"id": 2, "name": "other"}])
    for number, name in enumerate(HOSTILE):
        trace.slice("op", name, 1000 * number, 900, pid=MARKUP, tid=MARKUP, **{"Input Dims": [[MARKUP]]})
        trace.slice("runtime", name, 1000 * number + 100, 100, pid=MARKUP, tid=MARKUP, correlation=number + 1)
        trace.slice("device", name, 1000 * number + 300, 500, pid=0, tid=7, correlation=number + 1)
        trace.memory(1000 * number + 200, 4096, pid=MARKUP, tid=MARKUP)
    yield "names full of markup", trace.write(f"{folder}/{MARKUP.replace('/', '_')}.json")
    trace = Trace()
    trace.slice("op", "bytes that are no text", 10, 20)
    path = f"{folder}/bytes.json"
    with open(path, "wb") as file:
        file.write(trace.text().encode().replace(b"no text", b"no \xff\xfe\xc0<b>"))
    yield "bytes that are no text", path
    yield "no event at all", Trace().write(f"{folder}/empty.json")
    trace = Trace()
    trace.slice("op", "once", 10, 0)
    yield "no time at all", trace.write(f"{folder}/instant.json")
    trace = Trace()
    for number in range(3000):
        trace.slice("op", f"operator {number} " + 200 * "x", 100 * number, 90,
                    **{"Input Dims": [[number, 64, 3, 3], [2 ** 62]] * 20})
    yield "thousands of operators", trace.write(f"{folder}/many.json")
    trace = Trace()
    trace.slice("op", "older than the hills", 10, 9_000_000_000_000_000)
    trace.slice("op", "older than the hills", 9_000_000_000_000_100, 9_000_000_000_000_000)
    yield "long times", trace.write(f"{folder}/long.json")
    yield "more threads than have a line", threads(5000).write(f"{folder}/threads.json")
    yield "memory and no call", memory_only().write(f"{folder}/memory.json")
    yield "a few ranks", ranks(f"{folder}/few", 3)
    yield "300 ranks", ranks(f"{folder}/many", 300)


def unpack(path, folder):
    if not path.endswith(".tar.gz"):
        return [path]
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
        return sorted(os.path.join(folder, member.name) for member in archive.getmembers() if member.isfile())


def main():
    command, *paths = sys.argv[1:]
    absent = [path for path in paths if not os.path.exists(path)]
    if absent:
        print(f"skipped: {absent[0]} is absent")
        return compare.SKIPPED
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        named = [(path, unpack(path, folder)) for path in paths] or \
            [(name, path if isinstance(path, list) else [path]) for name, path in made_here(folder)]
        for name, inputs in named:
            faults, size = check(command, inputs)
            failed |= bool(faults)
            print(f"{name}: {size} bytes", *faults[:20], sep="\n    ")
    if not paths:
        with tempfile.TemporaryDirectory() as folder:
            faults = list(check_said(command, folder))
            failed |= bool(faults)
            print("what is said:", *faults, sep="\n    ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
