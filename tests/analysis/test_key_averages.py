#!/usr/bin/env python3
"""Calls, self and total time per operator are those of the profiler's own key_averages().

    test_key_averages.py OPTALLY PYTHON

PYTHON has a PyTorch that records. Both come from one run and are compared to the rounding of the
profiler's floats. Left out are user annotations, which are no operators here. Not recorded are calls
that end on another thread (torch.jit.fork), which the profiler does not nest. Exit 77 without PYTHON.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from support import FOLDER, compare, report

ROUNDING_NS = 0.01


def record(python, folder):
    trace, told = os.path.join(folder, "trace.json"), os.path.join(folder, "told.json")
    subprocess.run([python, FOLDER / "record_key_averages.py", trace, told], check=True, capture_output=True,
                   timeout=120)
    return trace, json.loads(pathlib.Path(told).read_text())


def main():
    command, python = sys.argv[1:]
    if not os.access(python, os.X_OK):
        print(f"SKIPPED: {python}: no interpreter with PyTorch here, so nothing was compared (tools/setup)")
        return compare.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        trace, told = record(python, folder)
        rows = json.loads(report(command, trace, "--limit", "all"))["operators"]["rows"]
    ours = {row["name"]: row for row in rows if row["kind"] == "op"}
    faults = [f"{name}: only one has it" for name in
              ours.keys() ^ {row["name"] for row in told["every_call"] if not row["annotation"]}]
    merged = {row["name"]: row for row in told["merged"] if not row["annotation"]}
    largest, compared = 0, 0
    for row in told["every_call"]:
        mine = ours.get(row["name"])
        if row["annotation"] or mine is None:
            continue
        compared += 1
        deviation = max(abs(mine["self_ns"] - row["self_us"] * 1000),
                        abs(mine["self_ns"] - merged[row["name"]]["self_us"] * 1000),
                        abs(mine["inclusive_ns"] - row["total_us"] * 1000))
        largest = max(largest, deviation)
        if deviation > ROUNDING_NS or mine["calls"] != row["calls"]:
            faults.append(f"{row['name']}: {mine} is not {row}")
    print(f"{compared} operators of {len(ours)}, the largest deviation is {largest:.6f} ns")
    for fault in faults:
        print(fault)
    return bool(faults) or compared == 0


if __name__ == "__main__":
    sys.exit(main())
