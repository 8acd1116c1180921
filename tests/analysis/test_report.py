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


def shown_name(name):
    """As a cell has it: what is no text replaced, what is long cut in the middle."""
    name = re.sub("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", "\ufffd", name)
    if len(name) > 300:
        kept = 300 - len("[...]")
        name = name[:kept // 2] + "[...]" + name[len(name) - (kept - kept // 2):]
    return name or "(no name)"


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
        if row["Name"][1] != shown_name(expected["name"]) or row["Kind"][1] != kinds[expected["kind"]]:
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
    report = json.loads(compare.run(command, *inputs, options=("--limit", "all")))
    faults = list(faults_of(page, text)) + list(differences(Page(whole.decode()), report))
    if text != again:
        faults.append("not the same bytes twice")
    if len(text) >= MAX_BYTES:
        faults.append(f"{len(text)} bytes")
    if report["operators"]["total"] and Page(few.decode()).tables["operators-table"]["foot"] != \
            Page(whole.decode()).tables["operators-table"]["foot"]:
        faults.append("totals depend on the limit")
    classes, kinds = badges(report)
    faults += [f"a value is {kind}, and no badge says so" for kind in kinds if classes[kind] not in text]
    if (b"Lower bounds." in text) != (report["completeness"]["kind"] == "lower_bound"):
        faults.append("says something else of completeness")
    return faults, len(text)


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
            [(name, [path]) for name, path in made_here(folder)]
        for name, inputs in named:
            faults, size = check(command, inputs)
            failed |= bool(faults)
            print(f"{name}: {size} bytes", *faults[:20], sep="\n    ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
