#!/usr/bin/env python3
"""Holds `optally analyze` against the oracle.

    compare.py OPTALLY TRACE...          each trace alone
    compare.py --job OPTALLY TRACE...    the traces as the ranks of one job

A TRACE that is a .tar.gz holds the ranks of a job: each is compared alone, then all as the job.
Prints every difference; exit 1 if there is one, 77 if a trace is absent.
"""
import collections
import json
import os
import subprocess
import sys
import tarfile
import tempfile

import oracle

SKIPPED = 77
PATIENCE_S = 120
# Warnings that the oracle counts as well.
WARNINGS = {"bad_memory_event", "clamped", "impossible_time", "legacy_no_category", "missing_duration",
            "python_clamped"}
ROW_FIELDS = ["calls", "self_ns", "inclusive_ns", "mean_ns", "min_ns", "max_ns", "device_self_ns",
              "device_inclusive_ns", "allocation_bytes", "synchronization", "compilation", "warmup"]
SMALL_FIELDS = ["calls", "inclusive_ns", "mean_ns"]


class Failed(Exception):
    """The command's: its exit status and what it said."""


def run(command, *paths, options=()):
    """What the command prints, as text."""
    try:
        done = subprocess.run([command, "analyze", *paths, "--json", *options], capture_output=True, check=False,
                              timeout=PATIENCE_S)
    except subprocess.TimeoutExpired as hanging:
        raise Failed(f"no end: {hanging}") from None
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {done.stderr.decode().strip()}")
    return done.stdout.decode()


def same(ours, theirs):
    """Equal; a fraction is printed to three decimals."""
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        return abs(ours - theirs) < 0.0011
    return ours == theirs and type(ours) is type(theirs)


class Differences:
    def __init__(self):
        self.found = []

    def check(self, where, ours, theirs):
        if not same(ours, theirs):
            self.found.append(f"{where}: optally says {ours!r}, the oracle {theirs!r}")

    def members(self, where, ours, theirs, names=None):
        for name in names or theirs:
            if name not in ours:
                self.found.append(f"{where}: no {name}")
            else:
                self.check(f"{where}.{name}", ours[name], theirs[name])

    def aggregate(self, where, ours, theirs):
        self.members(where, ours, theirs, [name for name in theirs if not name.startswith("by_")])
        for name in filter(lambda name: name.startswith("by_"), theirs):
            self.check(f"{where}.{name}", parts(ours.get(name, []), theirs[name]), parts(theirs[name], theirs[name]))

    def rows(self, where, ours, theirs, fields):
        for name in ("total", "returned", "truncated"):
            self.check(f"{where}.{name}", ours[name], theirs[name])
        order, expected = keys(ours["rows"]), keys(theirs["rows"])
        if list(order) != list(expected):
            first = next((pair for pair in zip(order, expected) if pair[0] != pair[1]), "the number of rows")
            self.found.append(f"{where}: another order of rows, first at {first}")
        for key in order.keys() & expected.keys():
            self.members(f"{where} {key}", order[key], expected[key], fields)
            if "input_shapes" in expected[key]:
                self.shapes(f"{where} {key} input_shapes", order[key]["input_shapes"],
                            expected[key]["input_shapes"])
        for key in order.keys() ^ expected.keys():
            self.found.append(f"{where} {key}: only {'optally' if key in order else 'the oracle'} has it")

    def shapes(self, where, ours, theirs):
        self.members(where, ours, theirs, ["total", "returned"])
        self.check(where, [[json.loads(row["shapes"]), row["calls"]] for row in ours["rows"]],
                   [[json.loads(row["shapes"]), row["calls"]] for row in theirs["rows"]])


def parts(shares, expected):
    """The shares of a breakdown in one order, without what only one side tells."""
    members = sorted(expected[0]) if expected else []
    return sorted([[share.get(member) for member in members] for share in shares], key=str)


def keys(rows):
    """Rows by name, kind, category, and how many of that key came before: ranks have the same."""
    found, seen = {}, collections.Counter()
    for row in rows:
        key = (row["name"], row["kind"], row["category"])
        found[(*key, seen[key])] = row
        seen[key] += 1
    return found


def differences(ours, theirs):
    """Between the command's report, as parsed JSON, and the oracle's."""
    d = Differences()
    d.members("report", ours, theirs, ["schema", "profile"])
    d.members("population", ours["population"], theirs["population"])
    d.members("completeness", ours["completeness"], theirs["completeness"],
              ["read_events", "unmatched_exits", "unclosed_entries"])
    warned = {w["code"]: w["count"] for w in ours["completeness"]["warnings"] if w["code"] in WARNINGS}
    counted = {code: n for code, n in theirs["completeness"]["warnings"].items() if code in WARNINGS}
    for code in warned.keys() | counted.keys():
        d.check(f"warning {code}", warned.get(code, 0), counted.get(code, 0))
    for name in sorted(ours["aggregates"].keys() | theirs["aggregates"].keys()):
        d.aggregate(f"aggregates {name}", ours["aggregates"].get(name, {}), theirs["aggregates"].get(name, {}))
    d.check("graph_launches", ours["graph_launches"], theirs["graph_launches"])
    d.check("coverage", ours["coverage"], theirs["coverage"])
    d.rows("operators", ours["operators"], theirs["operators"], ROW_FIELDS)
    small = ours["repeated_small"]
    d.members("repeated_small", small, theirs["repeated_small"], ["threshold_ns", "threshold"])
    d.rows("repeated_small", small, theirs["repeated_small"], SMALL_FIELDS)
    return d.found


def compare(command, paths, below=None):
    options = ["--limit", "all", "--small-limit", "all"]
    options += [] if below is None else ["--small-below", str(below)]
    ours = json.loads(run(command, *paths, options=options))
    return differences(ours, oracle.analyze(paths).report(None, None, below))


def unpacked(path, folder):
    """The traces in an archive, in order of their names; a path that is none stands for itself."""
    if not path.endswith(".tar.gz"):
        return [path]
    found = []
    with tarfile.open(path) as archive:
        for member in filter(tarfile.TarInfo.isfile, archive):
            found.append(os.path.join(folder, os.path.basename(member.name)))
            with open(found[-1], "wb") as out:
                out.write(archive.extractfile(member).read())
    return sorted(found)


def told(command, paths):
    try:
        found = compare(command, paths)
    except Failed as failure:
        found = [str(failure)]
    print(f"{' '.join(map(os.path.basename, paths))}: {len(found)} differences")
    for difference in found:
        print(f"  {difference}")
    return bool(found)


def main():
    arguments = sys.argv[1:]
    job = arguments[0] == "--job"
    command, *paths = arguments[job:]
    absent = [path for path in paths if not os.path.exists(path)]
    if absent:
        print(f"SKIPPED: {', '.join(absent)}: not here, so nothing was compared")
        return SKIPPED
    if job:
        return told(command, paths)
    status = False
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            traces = unpacked(path, folder)
            for together in [[trace] for trace in traces] + ([traces] if len(traces) > 1 else []):
                status |= told(command, together)
    return status


if __name__ == "__main__":
    sys.exit(main())
