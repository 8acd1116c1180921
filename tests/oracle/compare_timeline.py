#!/usr/bin/env python3
"""Holds `optally timeline` against the oracle, with Perfetto's own trace_processor as the reader.

    compare_timeline.py OPTALLY PERFETTO TRACE...               each trace alone; a .tar.gz is a job of ranks
    compare_timeline.py OPTALLY PERFETTO --seeds FIRST LAST     generated traces, alone and as a job
    compare_timeline.py OPTALLY PERFETTO --deep                 more calls in each other than a viewer can show

PERFETTO is the folder that tools/setup unpacked. Of slices that are alike any may be the one. Exit 1 if there is a difference, 77 if something
is absent.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import perfetto
from compare import unpacked
from timeline import Timeline, arrows

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "analysis"))  # which makes traces

SKIPPED = 77
PATIENCE_S = 120
# What was lost is said on a track of its own, which no slice of the trace is on.
REMARKS = "SELECT id FROM track WHERE name = 'what this timeline lacks'"
SLICES = f"""SELECT id, track_id, ts, dur, ifnull(name, ''), depth FROM slice
    WHERE track_id NOT IN ({REMARKS}) ORDER BY track_id, ts, depth, id"""
REMARKED = f"SELECT name FROM slice WHERE track_id IN ({REMARKS})"
FLOWS = "SELECT slice_out, slice_in FROM flow"
NOTES = f"""SELECT s.ts, s.dur, ifnull(s.name, ''), s.depth,
    (SELECT string_value FROM args a WHERE a.arg_set_id = s.arg_set_id AND key = 'debug.shapes'),
    (SELECT int_value FROM args a WHERE a.arg_set_id = s.arg_set_id AND key = 'debug.sequence'),
    (SELECT int_value FROM args a WHERE a.arg_set_id = s.arg_set_id AND key = 'debug.correlation')
    FROM slice s WHERE s.track_id NOT IN ({REMARKS})"""
COUNTERS = "SELECT track_id, ts, CAST(value AS INT) FROM counter ORDER BY track_id, ts, id"
STATS = "SELECT name, idx, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"
NAMES = "SELECT name FROM process UNION SELECT name FROM thread UNION SELECT name FROM track"


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE_S)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.decode()}")
    return done


def compare_remarks(read, warnings):
    """What was lost is said in the picture, in the words that the verb warns with."""
    lost = "warning: not all that ran is there: "
    told = [line.split(lost, 1)[1] for line in warnings.decode().splitlines() if lost in line]
    return [] if told == read.remarks else [f"remarks {read.remarks}, and the warnings say {told}"]


class Read:
    """What trace_processor reads in a file. A track is its slices, sorted by their times, then whatever else."""

    def __init__(self, folder, path):
        slices, self.flows, counters, self.stats, names, notes, remarks = perfetto.query(
            folder, path, SLICES, FLOWS, COUNTERS, STATS, NAMES, NOTES, REMARKED)
        self.remarks = [remark for (remark,) in remarks]
        self.notes = collections.Counter(
            (*drawn, json.dumps(json.loads(shapes or "null", parse_float=str)), *numbers)
            for *drawn, shapes, sequence, correlation in notes for numbers in [(sequence, correlation)])
        self.tracks = collections.defaultdict(list)
        self.ids = collections.defaultdict(list)
        for number, track, *row in slices:
            self.tracks[track].append(tuple(row))
            self.ids[track].append(number)
        for track, rows in self.tracks.items():
            order = sorted(range(len(rows)), key=rows.__getitem__)
            self.tracks[track] = tuple(rows[i] for i in order)
            self.ids[track] = [self.ids[track][i] for i in order]
        self.n_slices = len(slices)
        self.counters = collections.defaultdict(list)
        for track, *row in counters:
            self.counters[track].append(tuple(row))
        self.names = {name for name, in names if name}


def first_difference(ours, theirs):
    """Between the tracks that are only there and the nearest that is expected."""
    for track in ours:
        near = max(theirs, key=lambda other: len(set(track) & set(other)), default=())
        for i, (a, b) in enumerate(zip(track, near)):
            if a != b:
                return f"slice {i} of {len(track)}: drawn {a}, expected {b} (of {len(near)})"
        if len(track) != len(near):
            return f"a track of {len(track)} slices from {track[0]} on, expected {len(near)}"
    return f"not drawn: {len(theirs)} tracks, one of {len(theirs[0])} slices from {theirs[0][0]} on" if theirs else ""


def compare_tracks(read, timeline):
    ours = collections.Counter(read.tracks.values())
    theirs = collections.Counter(rows for rows, _ in timeline.tracks())
    if ours == theirs:
        return []
    found = [f"{read.n_slices} slices on {sum(ours.values())} tracks, expected {timeline.n_slices()} on "
             f"{sum(theirs.values())}"]
    return found + [first_difference(list(ours - theirs), list(theirs - ours))]


def ids_of(read, timeline):
    """The number of each slice in what was read. Of tracks that are alike any may be the one."""
    numbers = collections.defaultdict(list)
    for track, rows in read.tracks.items():
        numbers[rows].append(read.ids[track])
    found = {}
    for rows, slices in timeline.tracks():
        for s, number in zip(slices, numbers[rows].pop()):
            found[id(s)] = number
    return found


class Groups:
    """Things that arrows join, directly or by way of others."""

    def __init__(self, pairs):
        self.up = {}
        for a, b in pairs:
            self.up[self.top(a)] = self.top(b)

    def top(self, thing):
        while self.up.setdefault(thing, thing) != thing:
            self.up[thing] = self.up[self.up[thing]]
            thing = self.up[thing]
        return thing

    def all(self):
        found = collections.defaultdict(set)
        for thing in list(self.up):
            found[self.top(thing)].add(thing)
        return {frozenset(group) for group in found.values()}


def begins_at(timeline, session):
    """The innermost call that begins at a time, by (pid, tid, ns)."""
    found = {}
    for lane, rows in timeline.lanes.items():
        if lane[0] == session and lane[-1] == "calls":
            for row in reversed(rows):
                for s in row.slices:
                    found[lane[2], lane[3], s.start] = s
    return found


def expected_flows(timeline, paths, ids):
    pairs = [(ids[id(a)], ids[id(b)]) for group in timeline.launches() for a, b in zip(group, group[1:])]
    for session, path in enumerate(paths):
        starts = begins_at(timeline, session)
        for out, into in arrows(path):
            joined = [starts[place] for place in out + into if place in starts]
            pairs += [(ids[id(a)], ids[id(b)]) for a, b in zip(joined, joined[1:])]
    return Groups(pairs).all()


def compare_flows(read, timeline, paths):
    theirs = expected_flows(timeline, paths, ids_of(read, timeline))
    ours = Groups(read.flows).all()
    if ours == theirs:
        return []
    return [f"arrows: {len(ours - theirs)} groups of slices that are not expected, {len(theirs - ours)} are missing: "
            f"{[sorted(group)[:9] for group in list(ours - theirs)[:3]]}, "
            f"{[sorted(group)[:9] for group in list(theirs - ours)[:3]]}"]


def compare_notes(read, timeline):
    theirs = collections.Counter(timeline.notes())
    if read.notes == theirs:
        return []
    return [f"arguments of {(read.notes - theirs).total()} slices: drawn {next(iter(read.notes - theirs))}, expected "
            f"{next(iter(theirs - read.notes))}"]


def compare_counters(read, timeline):
    ours = collections.Counter(map(tuple, read.counters.values()))
    theirs = collections.Counter(map(tuple, timeline.counters()))
    if ours == theirs:
        return []
    return [f"counters: {len(read.counters)} of {sum(map(len, read.counters.values()))} values, expected "
            f"{sum(theirs.values())} of {sum(map(len, theirs.elements()))}: "
            f"{first_difference(list(ours - theirs), list(theirs - ours))}"]


def compare_names(read, timeline):
    """What the traces call the processes that something is drawn of is in some name."""
    drawn = {(lane[0], lane[2]) for lane in timeline.lanes}
    wanted = {str(name) for session in timeline.sessions for pid, name in session.process_names.items()
              if name and (session.number, pid) in drawn}
    return [f"no process or track is called {name!r}" for name in sorted(wanted)
            if not any(name in known for known in read.names)]


def compare(optally, folder, paths, scratch):
    drawn = os.path.join(scratch, "drawn.pftrace")
    warnings = run(optally, "timeline", "-o", drawn, *paths).stderr
    read = Read(folder, drawn)
    timeline = Timeline(paths)
    found = [f"trace_processor: {name} {idx}: {value}" for name, idx, value in read.stats]
    tracks = compare_tracks(read, timeline)
    found += tracks or compare_flows(read, timeline, paths) + compare_notes(read, timeline)
    found += compare_counters(read, timeline) + compare_names(read, timeline) + compare_remarks(read, warnings)
    print(f"{' '.join(map(os.path.basename, paths))}: {read.n_slices} slices on {len(read.tracks)} tracks, "
          f"{len(read.flows)} arrows, {sum(map(len, read.counters.values()))} counts, "
          f"{os.path.getsize(drawn)} bytes: {len(found)} differences")
    for difference in found:
        print(f"  {difference}")
    return bool(found)


def compare_deep(optally, folder):
    from support import Trace
    trace = Trace(schemaVersion=1)
    for level in range(1500):
        trace.slice("op", f"level {level}", 1000 + level, 10_000 - 2 * level)
    with tempfile.TemporaryDirectory() as scratch:
        return compare(optally, folder, [trace.write(os.path.join(scratch, "deep.json"))], scratch)


def compare_generated(optally, folder, first, last):
    from generate import generate
    status = False
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, last):
            paths = [generate(number).write(os.path.join(scratch, f"seed{number}.json")) for number in (seed, -1 - seed)]
            status |= compare(optally, folder, paths[:1], scratch)
            status |= compare(optally, folder, paths, scratch)
    return status


def main():
    optally, folder, *paths = sys.argv[1:]
    why = perfetto.absent(folder)
    is_generated = paths[0].startswith("--")
    absent = [path for path in paths if not is_generated and not os.path.exists(path)]
    if why or absent:
        print(f"SKIPPED: {why or ', '.join(absent) + ': not here, so nothing was compared'}")
        return SKIPPED
    status = False
    if paths[0] == "--seeds":
        return compare_generated(optally, folder, int(paths[1]), int(paths[2]))
    if paths[0] == "--deep":
        return compare_deep(optally, folder)
    for path in paths:
        with tempfile.TemporaryDirectory() as scratch:
            traces = unpacked(path, scratch)
            for together in [[trace] for trace in traces] + ([traces] if len(traces) > 1 else []):
                status |= compare(optally, folder, together, scratch)
    return status


if __name__ == "__main__":
    sys.exit(main())
