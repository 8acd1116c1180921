#!/usr/bin/env python3
"""`optally diff` against an oracle that knows two analyses and nothing else.

    test_diff.py OPTALLY [TRACE TRACE]...

What `diff --json` says has to follow from `analyze --json --limit all` of each run: sums over categories
and sessions, medians, the split of a change, the order, totals at every limit, and what differs beside.
Without a TRACE, of traces made here. Exit 77 if a TRACE is absent.
"""
import collections
import fractions
import functools
import json
import os
import subprocess
import sys
import tempfile

from generate import generate
from support import report

MEASURES = {"self": "self_ns", "device": "device_self_ns", "inclusive": "inclusive_ns", "calls": "calls",
            "allocated": "allocation_bytes"}
WHOLES = {"self": "host_busy_time", "device": "device_time_sum", "calls": "calls", "allocated": "allocation_bytes"}
UNATTRIBUTED = {"device": "unattributed_device_time", "allocated": "unattributed_allocation_bytes"}
SIDES = ("baseline", "candidate")


def diff(command, baseline, candidate, *options):
    """What it says, or None and why it does not."""
    done = subprocess.run([command, "diff", "--json", *options, "--baseline", *baseline, "--candidate", *candidate],
                          capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    return (told, "") if done.returncode == 0 else (None, told["message"])


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) // 2


class Run:
    """One analysis as a comparison sees it."""

    def __init__(self, analysis):
        self.rows = collections.defaultdict(collections.Counter)
        for row in analysis["operators"]["rows"]:
            sums = self.rows[row["name"], row["kind"]]
            for member in MEASURES.values():
                sums[member] += row[member] or 0
        self.aggregates = {name: value["value"] for name, value in analysis["aggregates"].items()}
        population = analysis["population"]
        known = population["start_ns"] is not None
        self.aggregates["span"] = population["end_ns"] - population["start_ns"] if known else None
        self.aggregates["calls"] = sum(row["calls"] for (_, kind), row in self.rows.items() if kind != "device")
        self.knows = {"device_self_ns": self.aggregates["device_time_sum"] is not None,
                      "allocation_bytes": self.aggregates["allocation_bytes"] is not None}
        self.coverage = analysis["coverage"]


@functools.cache
def run_of(command, path):
    return Run(json.loads(report(command, path, "--limit", "all")))


def split(calls, values):
    """The part of a change that its calls make, and the rest."""
    change = values[1] - values[0]
    if not all(calls):
        return change, 0
    mean = fractions.Fraction(values[0], calls[0]) + fractions.Fraction(values[1], calls[1])
    part = round((calls[1] - calls[0]) * mean / 2)  # half to even
    return part, change - part


class Oracle:
    def __init__(self, runs, measure):
        self.runs = runs
        self.member = MEASURES[measure]
        self.measure = measure

    def side(self, side, key, member):
        """The median, or None if some run cannot know it."""
        kind = key[1]
        applies = kind == "op" if member == "device_self_ns" else member != "allocation_bytes" or kind != "device"
        if not applies or not all(run.knows.get(member, True) for run in self.runs[side]):
            return None
        return median([run.rows[key][member] if key in run.rows else 0 for run in self.runs[side]])

    def pair(self, key, member):
        return [self.side(side, key, member) for side in (0, 1)]

    def row(self, key, member):
        calls, values = self.pair(key, "calls"), self.pair(key, member)
        there = [any(key in run.rows for run in runs) for runs in self.runs]
        change = values[1] - values[0]
        parts = split(calls, values)
        return {"name": key[0], "kind": key[1],
                "presence": "both" if all(there) else "vanished" if there[0] else "new",
                "change": change, "calls_part": parts[0], "value_part": parts[1]} | {
                    name: self.change(self.pair(key, name)) for name in MEASURES.values()}

    @staticmethod
    def change(values):
        known = None not in values
        return dict(zip((*SIDES, "change"), (*values, values[1] - values[0] if known else None)))

    def table(self, kinds, member):
        keys = {key for runs in self.runs for run in runs for key in run.rows if key[1] in kinds}
        rows = [self.row(key, member) for key in keys]
        return sorted(rows, key=lambda row: (-abs(row["change"]), row["name"].encode(errors="surrogateescape"),
                                             row["kind"]))

    def tables(self):
        operators = ("op",) if self.measure == "device" else ("op", "runtime")
        known = all(run.knows["device_self_ns"] for runs in self.runs for run in runs)
        devices = ("device",) if known and self.measure != "allocated" else ()
        return {"operators": self.table(operators, self.member),
                "device_work": self.table(devices, "calls" if self.measure == "calls" else "self_ns")}

    def aggregate(self, name):
        sides = [[run.aggregates[name] for run in runs] for runs in self.runs]
        return self.change([None if None in values else median(values) for values in sides])


class Check:
    def __init__(self):
        self.faults = []

    def same(self, where, ours, theirs):
        if ours != theirs:
            self.faults.append(f"{where}: is {ours!r}, must be {theirs!r}")

    def table(self, name, ours, theirs, limit):
        n = len(theirs) if limit is None else min(limit, len(theirs))
        for member, value in (("total", len(theirs)), ("returned", n), ("truncated", n < len(theirs)), ("limit", limit),
                              ("change", sum(row["change"] for row in theirs)),
                              ("changed", sum(row["change"] != 0 for row in theirs))):
            self.same(f"{name}.{member}", ours[member], value)
        for group, rows in (("new", [r for r in theirs if r["presence"] == "new"]),
                            ("vanished", [r for r in theirs if r["presence"] == "vanished"]),
                            ("not_returned", theirs[n:])):
            self.same(f"{name}.{group}", ours[group],
                      {"operators": len(rows), "change": sum(row["change"] for row in rows)})
        for row, expected in zip(ours["rows"], theirs[:n], strict=True):
            self.same(f"{name} {expected['name']!r}", {key: row[key] for key in expected}, expected)

    def whole(self, told, oracle):
        """With one run a side all changes make the whole's, exactly."""
        if oracle.measure not in WHOLES or any(len(runs) > 1 for runs in oracle.runs):
            return
        rest = told["aggregates"][UNATTRIBUTED[oracle.measure]]["change"] if oracle.measure in UNATTRIBUTED else 0
        self.same("sum of changes", told["operators"]["change"] + rest,
                  told["aggregates"][WHOLES[oracle.measure]]["change"])

    def intervals(self, told, oracle):
        has = all(len(runs) >= 3 for runs in oracle.runs)
        self.same("intervals", told["intervals"] is not None, has)
        rows = told["operators"]["rows"] + told["device_work"]["rows"]
        for row in rows + [value for value in told["aggregates"].values() if value["change"] is not None]:
            interval = row["interval"]
            self.same("interval", interval is not None, has)
            if has and not interval["low"] <= interval["high"]:
                self.faults.append(f"interval: {interval}")
            if has:
                self.same("evident", row["evident"], not interval["low"] <= 0 <= interval["high"])

    def coverage(self, told, oracle):
        names = {"device_time": "device_work", "memory_allocations": "memory_events",
                 "input_shapes": "shapes_recorded", "python_stacks": "python_stacks",
                 "phase_annotations": "phases", "overload_names": "overload_names"}
        codes = {difference["code"] for difference in told["differences"] if difference["status"] == "different"}
        for flag, code in names.items():
            sides = [{run.coverage[flag] for run in runs} for runs in oracle.runs]
            self.same(code, code in codes, sides[0] != sides[1])


def unknown(runs, measure):
    return measure in ("device", "allocated") and not all(
        run.knows[MEASURES[measure]] for side in runs for run in side)


def compare(command, baseline, candidate, measure="self", limit=None):
    """The faults of one comparison. Runs of a side that are one trace count once."""
    runs = [[run_of(command, path) for path in dict.fromkeys(side)]
            for side in (baseline, candidate)]
    told, complaint = diff(command, baseline, candidate, "--measure", measure,
                           "--limit", "all" if limit is None else str(limit))
    if unknown(runs, measure):
        return [] if "was recorded in the" in complaint else [f"a side cannot know {measure}: {complaint!r}"]
    if told is None:
        return [complaint]
    oracle, check = Oracle(runs, measure), Check()
    for name, rows in oracle.tables().items():
        check.table(name, told[name], rows, limit)
    for name in runs[0][0].aggregates:
        ours = told["aggregates"][name]
        check.same(name, {**{side: ours[side]["value"] for side in SIDES}, "change": ours["change"]},
                   oracle.aggregate(name))
    check.whole(told, oracle)
    check.intervals(told, oracle)
    check.coverage(told, oracle)
    return check.faults


def made(folder, seed):
    return generate(seed).write(os.path.join(folder, f"{seed}.json"))


def generated(command):
    with tempfile.TemporaryDirectory() as folder:
        for seed, measure in enumerate(MEASURES):
            yield f"seeds {seed}", compare(command, [made(folder, seed)], [made(folder, seed + 100)], measure,
                                           [None, 0, 1, 5][seed % 4])
        sides = [[made(folder, seed) for seed in seeds] for seeds in (range(3), range(100, 104))]
        yield "several", compare(command, *sides)
        yield "several, calls", compare(command, *sides, "calls")
        yield "two and one", compare(command, sides[0][:2], sides[1][:1])
        yield "given twice", compare(command, sides[0] + sides[0][:1], sides[1])


def main():
    command, paths = sys.argv[1], sys.argv[2:]
    absent = [path for path in paths if not os.path.exists(path)]
    if absent:
        print(f"skipped: {absent[0]} is not here")
        sys.exit(77)
    pairs = zip(paths[::2], paths[1::2])
    results = ([(f"{a} {b}", compare(command, [a], [b], measure)) for a, b in pairs for measure in ("self", "device")]
               if paths else generated(command))
    n_faults = 0
    for name, faults in results:
        n_faults += len(faults)
        for fault in faults[:10]:
            print(f"{name}: {fault}")
    sys.exit(1 if n_faults else 0)


main()
