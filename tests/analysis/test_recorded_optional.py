#!/usr/bin/env python3
"""What --seq, --shapes and --memory record is what torch.profiler says of the same run.

    test_recorded_optional.py OPTALLY PYTHON

The program (record_optional.py) runs under torch.profiler and under `optally record` at once, and once
more without optally. Nothing of PyTorch is allocated before the profiler begins, so that its running
totals are ours. Operators are compared by name without overload, since the profiler leaves it out.
Exit 77 without PYTHON.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from support import FOLDER, compare, report

PLUMBED = "autograd::engine::evaluate_function: "  # the profiler gives them what the node inside has


def profiler_events(path):
    """Operators, annotations, and memory events, in the order of time."""
    events = json.loads(pathlib.Path(path).read_text())["traceEvents"]
    kinds = ("cpu_op", "user_annotation", "cpu_instant_event")
    return sorted((event for event in events if event.get("cat") in kinds), key=lambda event: event["ts"])


def without_overload(name):
    """aten::add of aten::add.Tensor"""
    return re.sub(r"^([\w:]+)\.\w+$", r"\1", name)


def by_name(rows, member):
    """The sum of a member over the rows of one name."""
    sums = collections.Counter()
    for row in rows:
        sums[without_overload(row["name"])] += row[member] or 0
    return {name: total for name, total in sums.items() if total}


def shapes_by_name(rows, names):
    calls = collections.Counter()
    for row in rows:
        name = without_overload(row["name"])
        for shapes in row["input_shapes"]["rows"] if name in names else ():
            calls[name, shapes["shapes"]] += shapes["calls"]
    return calls


def differences(what, ours, theirs):
    if ours == theirs:
        return []
    if not isinstance(ours, dict):
        return [f"{what}: {ours} is not {theirs}"]
    return [f"{what} of {key}: {ours.get(key)} is not {theirs.get(key)}" for key in sorted({*ours, *theirs}, key=str)
            if ours.get(key) != theirs.get(key)]


def memory_is_the_same(recording, trace):
    faults = []
    for name in ("allocation_bytes", "freed_bytes", "peak_allocated_bytes"):
        ours, theirs = (side["aggregates"][name] for side in (recording, trace))
        faults += differences(name, (ours["value"], ours["kind"]), (theirs["value"], theirs["kind"]))
        devices = [{device["device"]: device["value"] for device in side["by_device"]} for side in (ours, theirs)]
        faults += differences(f"{name} by device", *devices)
    sides = [by_name(side["operators"]["rows"], "allocation_bytes") for side in (recording, trace)]
    if len(sides[1]) < 10:
        faults.append(f"only {len(sides[1])} operators allocate: nothing was compared")
    return faults + differences("allocation_bytes", *sides)


def shapes_are_the_same(recording, trace):
    """Of operators without so many shapes that the report has only the commonest."""
    rows = [side["operators"]["rows"] for side in (recording, trace)]
    names = {row["name"] for row in rows[1] if not row["input_shapes"]["truncated"]}
    sides = [shapes_by_name(side, names) for side in rows]
    if len(sides[1]) < 100:
        return [f"only {len(sides[1])} combinations of shapes: nothing was compared"]
    return differences("calls with the shapes", *sides)


def recorded_entries(optally, recording):
    """Of each call its name, and the text of what was recorded beside it."""
    text = subprocess.run([optally, "trace", recording], check=True, capture_output=True, text=True).stdout
    return re.findall(r'_entry: { name: "([^"]*)"(.*) }$', text, re.M)


def shapes_and_types_are_the_same(entries, events):
    ours = collections.Counter()
    for name, rest in entries:
        found = re.search(r"shapes: (\[.*\]), types: (\[.*\])", rest)
        ours[name, found and found[1], found and found[2]] += 1
    theirs = collections.Counter()
    for event in events:
        if event["cat"] != "cpu_instant_event":
            members = [json.dumps(event["args"][name]) if name in event["args"] else None
                       for name in ("Input Dims", "Input type")]
            theirs[event["name"], *members] += 1
    return differences("calls with shapes and types", ours, theirs)


def sequence_numbers_are_the_same(entries, events):
    ours = collections.Counter()
    for name, rest in entries:
        found = re.search(r"sequence: (-?\d+), forward_vtid: (\d+)", rest)
        if found and int(found[1]) >= 0 and not name.startswith(PLUMBED):
            ours[name, int(found[1]), found[2] != "0"] += 1
    theirs = collections.Counter(
        (event["name"], event["args"]["Sequence number"], event["args"]["Fwd thread id"] != 0)
        for event in events if event["args"].get("Sequence number", -1) >= 0 and not event["name"].startswith(PLUMBED))
    return differences("calls with the sequence number", ours, theirs)


def forward_operators_are_the_same(optally, recording, trace, at_least):
    """By the profiler's own links: arrows from the beginning of one operator to that of another."""
    done = subprocess.run([optally, "tally", "--json", "--by", "forward", recording], check=True, capture_output=True,
                          text=True)
    ours = collections.Counter()
    for row in [row for section in json.loads(done.stdout)["sections"] for row in section["rows"]]:
        backward, arrow, forward = row["name"].partition(" <- ")
        if arrow:
            ours[backward, without_overload(forward)] += row["calls"]
    events = json.loads(pathlib.Path(trace).read_text())["traceEvents"]
    begun = {(event["tid"], event["ts"]): event["name"] for event in events if event.get("cat") == "cpu_op"}
    arrows = collections.defaultdict(dict)
    for event in events:
        if event.get("cat") == "fwdbwd":
            arrows[event["id"]][event["ph"]] = begun[event["tid"], event["ts"]]
    theirs = collections.Counter((ends["f"], ends["s"]) for ends in arrows.values())
    if len(theirs) < at_least:
        return [f"only {len(theirs)} operators with a forward one: nothing was compared"]
    return differences("calls of a backward operator", ours, theirs)


def profiler_is_undisturbed(recorded, alone):
    """The program's own profiler says the same whether the process is recorded or not."""
    members = ("Input Dims", "Input type", "Concrete Inputs", "Sequence number", "Fwd thread id", "Bytes",
               "Total Allocated", "Device Type", "Device Id")
    sides = [[(event["name"], *(json.dumps(event["args"].get(name)) for name in members)) for event in events]
             for events in (recorded, alone)]
    if len(sides[1]) < 1000:
        return [f"only {len(sides[1])} events of the profiler: nothing was compared"]
    return [f"event {i} of the profiler: {ours} is not {theirs}"
            for i, (ours, theirs) in enumerate(zip(*sides, strict=False)) if ours != theirs] + differences(
                "number of the profiler's events", *map(len, sides))


def record(optally, recording):
    return [optally, "record", "--no-tally", "--seq", "--shapes", "--memory", "-o", recording, "--"]


def run(*command):
    subprocess.run(command, check=True, capture_output=True, timeout=240)


def main():
    optally, python = sys.argv[1:]
    if not os.access(python, os.X_OK):
        print(f"SKIPPED: {python}: no interpreter with PyTorch here, so nothing was compared (tools/setup)")
        return compare.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        recording, trace, alone = (os.path.join(folder, name) for name in ("recording", "trace.json", "alone.json"))
        program = [python, FOLDER / "record_optional.py"]
        run(*record(optally, recording), *program, trace)
        run(*program, alone)
        sides = [json.loads(report(optally, path, "--limit", "all")) for path in (recording, trace)]
        events, entries = profiler_events(trace), recorded_entries(optally, recording)
        checks = {
            "memory": memory_is_the_same(*sides),
            "shapes": shapes_are_the_same(*sides),
            "shapes and types": shapes_and_types_are_the_same(entries, events),
            "sequence numbers": sequence_numbers_are_the_same(entries, events),
            "forward operators": forward_operators_are_the_same(optally, recording, trace, at_least=10),
            "the program's profiler": profiler_is_undisturbed(events, profiler_events(alone)),
        }
        print(f"{len(entries)} calls recorded, {len(events)} events of the profiler")
        recording, trace = recording + "-threads", trace + "-threads"
        run(*record(optally, recording), *program, trace, "threads")
        events, entries = profiler_events(trace), recorded_entries(optally, recording)
        checks |= {
            "sequence numbers across threads": sequence_numbers_are_the_same(entries, events),
            "forward operators across threads": forward_operators_are_the_same(optally, recording, trace, at_least=3),
        }
    for name, faults in checks.items():
        print(f"{name}: {len(faults)} faults")
        for fault in faults[:20]:
            print(f"    {fault}")
    return any(checks.values())


if __name__ == "__main__":
    sys.exit(main())
