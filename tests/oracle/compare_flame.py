#!/usr/bin/env python3
"""Holds the folded stacks of `optally flamegraph` against the oracle's own.

    compare_flame.py OPTALLY TRACE...

Each trace alone, with every weight that it has, line by line; those of a .tar.gz also together, as the
ranks of a job. Sums are held against those of `optally analyze`. Exit 1 if something differs, 77 if a
trace is absent.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import compare
import oracle
from kineto import Session
from nest import nests

PATIENCE_S = 120
AGGREGATES = {"self": "host_busy_time", "alloc": "allocation_bytes", "device": "device_time_sum"}
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
NUMBER_AT_END = re.compile(r" (?=[0-9][0-9.]*\Z)")


def frame_of(name):
    """A name as a line can have it."""
    name = UNPRINTABLE.sub("\ufffd", name or "(no name)").replace(";", ":")
    return NUMBER_AT_END.sub("_", name)


class Stacks:
    """{weight: {path: sum}} of sessions."""

    def __init__(self, paths):
        sessions = [Session(path, number) for number, path in enumerate(paths)]
        self.slices = [s for session in sessions for s in session.slices]
        self.nests = nests(self.slices, oracle.HOST)
        self.folded = {weight: collections.Counter() for weight in ("self", "calls", "alloc", "device")}
        self.paths = {track: self.add_calls(nest) for track, nest in self.nests.items()}
        self.add_memory([m for session in sessions for m in session.memory])
        self.add_device_work()

    def add_calls(self, nest):
        paths = []
        for s, parent, self_time in zip(nest.slices, nest.parents, nest.self_times):
            paths.append((paths[parent] if parent is not None else ()) + (frame_of(s.name),))
            self.folded["self"][paths[-1]] += self_time
            self.folded["calls"][paths[-1]] += 1
        return dict(zip(map(id, nest.slices), paths))

    def owner(self, track, time):
        operators = self.nests[track].operators_at(time) if track in self.nests else []
        return self.paths[track][id(operators[0])] if operators else ("(no operator)",)

    def add_memory(self, events):
        for m in events:
            self.folded["alloc"][self.owner(m.track, m.time)] += max(0, m.bytes)

    def add_device_work(self):
        launches = {}
        for s in self.slices:
            if s.kind == "runtime" and oracle.correlation_of(s):
                key = s.session, oracle.correlation_of(s)
                launches[key] = min(launches.get(key, s), s, key=lambda call: (call.start, call.order))
        for s in self.slices:
            if s.kind == "device":
                launch = launches.get((s.session, oracle.correlation_of(s)))
                owner = self.owner(launch.track, launch.start) if launch else ("(no operator)",)
                self.folded["device"][owner] += s.duration

    def lines(self, weight):
        return {";".join(path): n for path, n in self.folded[weight].items() if n}


def run(command, *arguments):
    return subprocess.run([command, *arguments], capture_output=True, check=False, timeout=PATIENCE_S)


def differences(command, traces):
    stacks = Stacks(traces)
    aggregates = json.loads(compare.run(command, *traces))["aggregates"]
    for weight in stacks.folded:
        done = run(command, "flamegraph", "--weight", weight, "--format", "folded", "-o", "-", *traces)
        theirs = stacks.lines(weight)
        if done.returncode != 0:
            if theirs:
                yield f"{weight}: exit {done.returncode}: {done.stderr.decode().strip()}"
            continue
        lines = [line.rsplit(" ", 1) for line in done.stdout.decode().split("\n")[:-1]]
        ours = {path: int(n) for path, n in lines}
        if len(ours) != len(lines):
            yield f"{weight}: a path has two lines"
        for path in sorted(ours.keys() | theirs.keys()):
            if ours.get(path) != theirs.get(path):
                yield f"{weight} {path}: optally says {ours.get(path)}, the oracle {theirs.get(path)}"
        if weight in AGGREGATES and sum(ours.values()) != aggregates[AGGREGATES[weight]]["value"]:
            yield f"{weight}: {sum(ours.values())} in all, {aggregates[AGGREGATES[weight]]['value']} by analyze"


def main():
    command, *paths = sys.argv[1:]
    absent = [path for path in paths if not os.path.exists(path)]
    if absent:
        print(f"SKIPPED: {', '.join(absent)}: not here, so nothing was compared")
        return compare.SKIPPED
    status = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            traces = compare.unpacked(path, folder)
            for together in [[trace] for trace in traces] + ([traces] if len(traces) > 1 else []):
                found = list(differences(command, together))
                status |= bool(found)
                print(f"{' '.join(map(os.path.basename, together))}: {len(found)} differences")
                for difference in found[:20]:
                    print(f"  {difference}")
    return status


if __name__ == "__main__":
    sys.exit(main())
