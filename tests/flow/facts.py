"""Facts about a recording, read with the stock babeltrace2, for the tests to compare.

    facts.py events TRACE               LINE per event: KIND TIME-NS PID TID NAME
    facts.py calls TRACE NAME           how often it was entered and left: "N N"
    facts.py names TRACE                "COUNT NAME" per operator, overloads together
    facts.py processes TRACE            "PID COUNT" of entries of operators
    facts.py in-process TRACE PID NAME  entries of NAME there
    facts.py in-thread TRACE TID NAME   entries of NAME there
    facts.py inside TRACE OUTER INNER   entries of INNER with OUTER open around them
    facts.py stolen TRACE NAME          calls that began on one thread and ended on another
    facts.py longer-inside TRACE        calls that took longer than the one around them
    facts.py unpaired TRACE             exits without entry plus entries without exit
    facts.py spans TRACE                "TID NS" from a thread's first to its last event

    facts.py tally JSON calls NAME      calls of an operator, from `optally tally --json`
    facts.py tally JSON annotations NAME  calls of a user scope
    facts.py tally JSON get NAME KEY    another number of that row
    facts.py tally JSON complete KEY    a number of its completeness
    facts.py tally JSON busy            "TID NS": self time, of --by thread

A name is the operator's and its overload's, joined as PyTorch writes them: aten::abs.out; the
overload without a name is left out.
"""

import collections
import json
import re
import subprocess
import sys

Event = collections.namedtuple("Event", "kind ns pid tid name overload")

LINE = re.compile(
    r"\[(\d+)\.(\d+)\] .*? lttng_ust_pytorch:(\w+): .*?vpid = (\d+), vtid = (\d+) \}, "
    r'\{ name = "((?:[^"\\]|\\.)*)"(?:, overload_name = "((?:[^"\\]|\\.)*)")? \}$'
)


def read(trace):
    run = subprocess.run(
        ["babeltrace2", "--clock-seconds", trace], check=True, stdout=subprocess.PIPE
    )
    for line in run.stdout.decode().splitlines():
        match = LINE.match(line)
        if not match:
            sys.exit(f"facts.py: not understood: {line}")
        seconds, ns, kind, pid, tid, name, overload = match.groups()
        yield Event(
            kind,
            int(seconds) * 10**9 + int(ns),
            int(pid),
            int(tid),
            re.sub(r"\\(.)", r"\1", name),
            "" if overload in (None, "default") else overload,
        )


def joined(event):
    return f"{event.name}.{event.overload}" if event.overload else event.name


def operators(trace):
    return (event for event in read(trace) if event.kind.startswith("op_"))


def entries(trace):
    return (event for event in operators(trace) if event.kind == "op_entry")


def walk(trace):
    """Yields (entry, exit, calls around it), innermost last; None where there is no partner."""
    open_calls = collections.defaultdict(list)
    for event in operators(trace):
        stack = open_calls[event.pid, event.tid]
        if event.kind == "op_entry":
            stack.append(event)
        elif stack and joined(stack[-1]) == joined(event):
            entry = stack.pop()
            yield entry, event, list(stack)
        else:
            yield None, event, list(stack)
    for stack in open_calls.values():
        for entry in stack:
            yield entry, None, []


def print_counts(counter):
    for key in sorted(counter):
        print(counter[key], key)


def events(trace):
    for event in read(trace):
        print(event.kind, event.ns, event.pid, event.tid, joined(event))


def calls(trace, name):
    counter = collections.Counter(e.kind for e in operators(trace) if joined(e) == name)
    print(counter["op_entry"], counter["op_exit"])


def names(trace):
    print_counts(collections.Counter(event.name for event in entries(trace)))


def processes(trace):
    counter = collections.Counter(event.pid for event in entries(trace))
    for pid in sorted(counter):
        print(pid, counter[pid])


def in_process(trace, pid, name):
    print(sum(e.pid == int(pid) and joined(e) == name for e in entries(trace)))


def in_thread(trace, tid, name):
    print(sum(e.tid == int(tid) and joined(e) == name for e in entries(trace)))


def inside(trace, outer, inner):
    print(
        sum(
            joined(entry) == inner and any(joined(e) == outer for e in around)
            for entry, end, around in walk(trace)
            if entry and end
        )
    )


def stolen(trace, name):
    begun = collections.Counter()
    ended = collections.Counter()
    for event in operators(trace):
        if joined(event) == name:
            (begun if event.kind == "op_entry" else ended)[event.tid] += 1
    print(sum((ended - begun).values()))


def longer_inside(trace):
    """Every inner call has to end before the call around it, so its duration is smaller."""
    ends = {}
    wrong = 0
    finished = [(entry, end, around) for entry, end, around in walk(trace) if entry and end]
    for entry, end, _ in finished:
        ends[entry.pid, entry.tid, entry.ns, joined(entry)] = end.ns
    for entry, end, around in finished:
        if around:
            outer = around[-1]
            outer_end = ends.get((outer.pid, outer.tid, outer.ns, joined(outer)))
            wrong += end.ns < entry.ns
            if outer_end is not None:
                wrong += end.ns > outer_end or end.ns - entry.ns > outer_end - outer.ns
    print(wrong)


def unpaired(trace):
    print(sum(not entry or not end for entry, end, _ in walk(trace)))


def spans(trace):
    first = {}
    last = {}
    for event in operators(trace):
        first.setdefault(event.tid, event.ns)
        last[event.tid] = event.ns
    for tid in sorted(first):
        print(tid, last[tid] - first[tid])


def tally(path, question, *args):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    backend = "annotation" if question == "annotations" else "pytorch"
    rows = [
        row
        for section in document["sections"]
        if backend in section["backends"]
        for row in section["rows"]
    ]
    if question in ("calls", "annotations"):
        print(sum(row["calls"] for row in rows if row["name"] == args[0]))
    elif question == "get":
        print(sum(row[args[1]] for row in rows if row["name"] == args[0]))
    elif question == "complete":
        print(document["completeness"][args[0]])
    elif question == "busy":
        for row in sorted(rows, key=lambda row: row["thread"]):
            print(row["thread"], row["self_ns"] or 0)
    else:
        sys.exit(f"facts.py: tally answers no '{question}'")


QUESTIONS = {
    "events": events,
    "calls": calls,
    "names": names,
    "processes": processes,
    "in-process": in_process,
    "in-thread": in_thread,
    "inside": inside,
    "stolen": stolen,
    "longer-inside": longer_inside,
    "unpaired": unpaired,
    "spans": spans,
    "tally": tally,
}

QUESTIONS[sys.argv[1]](*sys.argv[2:])
