#!/usr/bin/env python3
"""Holds what optally draws of recordings against the oracle.

    compare_timeline_oplog.py OPTALLY PERFETTO PYTHON

Records programs with PYTHON's PyTorch. Each is drawn by `optally timeline` and read back with Perfetto's
trace_processor (the folder PERFETTO), and has to be what oplog.py reads: the same calls with the same names and
depths on each thread, the same arrows from forward to backward operators. Times may differ by two nanoseconds, as
the page on the format leaves the rounding open. Then the babeltrace2 component has to draw the same of an export,
and the recording as a trace of torch.profiler has to have the same analysis. Exit 77 without one of the three.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

import oplog
import perfetto
from compare_timeline import Groups, Read
from nest import grouped
from timeline import Row

SKIPPED = 77
PATIENCE_S = 240
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flow", "programs")
OPTIONS = ["--seq", "--memory", "--shapes"]

# A call as Row and Groups want it; `order` is that of entries on the thread.
Drawn = collections.namedtuple("Drawn", "pid thread lane name begin end order")
Drawn.start = property(lambda self: self.begin)


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE_S)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def calls_of(log):
    """Every call that ended, by thread of the log; and per call its autograd number, its node's thread, and the
    number that PyTorch gives its own thread."""
    ended = {}
    for number in log.segments:
        for kind, _, ticks, more in log.thread(number):
            if kind == oplog.EXIT_OF:
                ended[more[0], more[1]] = ticks
    for number in log.segments:
        stack = []
        entries = []  # [name, begin, end, sequence]
        for kind, name, ticks, more in log.thread(number):
            if kind == oplog.ENTRY:
                entries.append([name, ticks, ended.get((number, ticks)), None])
                if entries[-1][2] is None:
                    stack.append(entries[-1])
            elif kind == oplog.SEQUENCE_OF:
                entries[-1][3] = more[0] - (1 << 64 if more[0] >> 63 else 0), more[1]
            elif kind == oplog.EXIT:
                at = max(i for i, entry in enumerate(stack) if entry[0] == name)
                stack.pop(at)[2] = ticks
        torch_thread = max(segment.torch_thread for segment in log.segments[number])
        for order, (name, begin, end, sequence) in enumerate(entries):
            if end is not None:
                name, is_operator = log.name(name)
                lane = "calls" if is_operator else "annotation"
                yield Drawn(log.pid, number, lane, name, begin, end, order), sequence, torch_thread


def rows_of(calls):
    rows = []
    for call in sorted(calls, key=lambda call: (call.begin, call.order)):
        row = next((row for row in rows if row.fits(call, True)), None)
        if row is None:
            row = Row()
            rows.append(row)
        row.add(call)
    return rows


def expected_rows(calls):
    lanes = grouped(calls, lambda call: call[:3])
    return [row for lane in lanes.values() for row in rows_of(lane)]


def expected_groups(numbered):
    """What autograd's numbers join: a backward operator has one and the thread of its node; the forward operator
    that made the node is the one that began last of those with the number on that thread."""
    groups = collections.defaultdict(list)
    makers = {}
    for call, sequence, torch_thread in numbered:
        if not sequence or sequence[0] < 0 or call.lane != "calls":
            continue
        number, node_thread = sequence
        if node_thread:
            groups[call.pid, node_thread, number].append(call)
        else:
            key = (call.pid, torch_thread, number)
            makers[key] = max(makers.get(key, call), call, key=lambda call: (call.begin, call.order))
    return {frozenset([makers[key], *group]) for key, group in groups.items() if key in makers}, \
        [group for key, group in groups.items() if key not in makers and len(group) > 1]


def match(read, rows, clock):
    """The number of each call's slice, or what is wrong. A row of another length or with other names is another."""
    tracks = collections.defaultdict(list)
    for track, number in read.ids.items():
        order = sorted(range(len(number)), key=number.__getitem__)
        slices = [(read.ids[track][i], *read.tracks[track][i]) for i in order]
        tracks[tuple((s[3], s[4]) for s in slices)].append(slices)
    ids, faults = {}, []
    for row in rows:
        key = tuple((call.name, depth) for call, depth in zip(row.slices, row.depths))
        begin = clock.ns(row.slices[0].begin)
        found = min(tracks.get(key, []), key=lambda slices: abs(slices[0][1] - begin), default=None)
        if found is None:
            faults.append(f"no track has the {len(key)} calls {key[:3]}...")
            continue
        tracks[key].remove(found)
        for call, (number, ts, duration, *_) in zip(row.slices, found):
            ids[call] = number
            if abs(ts - clock.ns(call.begin)) > 2 or abs(ts + duration - clock.ns(call.end)) > 2:
                faults.append(f"{call}: drawn from {ts} for {duration}, expected {clock.ns(call.begin)} to "
                              f"{clock.ns(call.end)}")
    faults += [f"not expected: a track of {len(slices)} slices, {slices[:3]}" for left in tracks.values()
               for slices in left]
    return ids, faults


def compare_drawn(optally, perfetto_folder, folder, scratch):
    drawn = os.path.join(scratch, "drawn.pftrace")
    run(optally, "timeline", "-o", drawn, folder)
    read = Read(perfetto_folder, drawn)
    recording = oplog.Recording(folder)
    numbered = [numbers for log in recording.logs for numbers in calls_of(log)]
    calls = [call for call, _, _ in numbered]
    ids, faults = match(read, expected_rows(calls), recording.clock)
    faults += [f"trace_processor: {name} {idx}: {value}" for name, idx, value in read.stats]
    theirs, orphans = expected_groups(numbered)
    ours = Groups(read.flows).all()
    if not faults:
        theirs = {frozenset(ids[call] for call in group) for group in theirs if len(group) > 1}
        # Backward operators whose forward one was not recorded may be joined with each other.
        allowed = {frozenset(ids[call] for call in group) for group in orphans}
        if not theirs <= ours <= theirs | allowed:
            faults.append(f"arrows: {len(ours - theirs - allowed)} are not expected, {len(theirs - ours)} are missing")
    print(f"  {len(calls)} calls on {len(read.tracks)} tracks, {len(theirs)} joined, {len(read.counters)} counters")
    counted = sum(map(len, read.counters.values()))
    expected = sum(len(list(log.memory())) for log in recording.logs)
    if counted != expected:
        faults.append(f"{counted} values of counters, {expected} memory events")
    return faults


def compare_components(optally, perfetto_folder, folder, scratch):
    """`optally timeline` and sink.optally.timeline draw an export alike, but for calls without an exit: intervals
    do not say how long these were open, and what ran inside one lies a level higher."""
    exported = os.path.join(scratch, "exported")
    run(optally, "export", "--ctf", exported, folder)
    plugins = os.path.join(os.path.dirname(optally), "..", "lib", "optally", "babeltrace2")
    by_verb, by_sink = (os.path.join(scratch, name) for name in ("verb.pftrace", "sink.pftrace"))
    run(optally, "timeline", "-o", by_verb, exported)
    run("babeltrace2", f"--plugin-path={plugins}", exported, "-c", "filter.optally.interval",
        "-c", "sink.optally.timeline", "-p", f'path="{by_sink}"')
    verb, sink = Read(perfetto_folder, by_verb), Read(perfetto_folder, by_sink)
    unclosed = json.loads(run(optally, "tally", "--json", exported))["completeness"]["unclosed_entries"]
    if unclosed == 0:
        same = collections.Counter(verb.tracks.values()) == collections.Counter(sink.tracks.values())
    else:
        ours, theirs = (collections.Counter(row[:3] for rows in read.tracks.values() for row in rows)
                        for read in (sink, verb))
        same = not ours - theirs and (theirs - ours).total() == unclosed
    if not same or sink.stats or not sink.n_slices:
        return [f"the component draws {sink.n_slices} slices on {len(sink.tracks)} tracks, the verb {verb.n_slices} on "
                f"{len(verb.tracks)}, {unclosed} of them without an exit; {sink.stats}"]
    return []


def analysis(optally, path):
    report = json.loads(run(optally, "analyze", "--json", "--limit", "all", path))
    for row in report["operators"]["rows"]:
        del row["category"]
    return {name: report[name] for name in ("population", "aggregates", "operators", "coverage")}


def compare_chrome(optally, perfetto_folder, folder, scratch):
    path = os.path.join(scratch, "recording.json")
    run(optally, "timeline", "-o", path, folder)
    ours, theirs = analysis(optally, path), analysis(optally, folder)
    faults = [f"as JSON: another {name}" for name in theirs if ours[name] != theirs[name]]
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    # Of slices that cross each other trace_processor drops one, where the format has no other row for it.
    [[n_slices, n_dropped]], = perfetto.query(
        perfetto_folder, path, "SELECT (SELECT COUNT(*) FROM slice WHERE dur >= 0 AND name != '[memory]'), (SELECT "
        "ifnull(sum(value), 0) FROM stats WHERE name = 'slice_drop_overlapping_complete_event')")
    whole = sum(event["ph"] == "X" for event in events)
    if n_slices + n_dropped == whole > 0:
        return faults
    return faults + [f"as JSON: {whole} slices, trace_processor reads {n_slices} and drops {n_dropped}"]


# Crossing calls, forks and calls without an exit go every way; one way is enough for the others.
CASES = {
    "cnn.py": [compare_drawn, compare_chrome],
    "threads.py": [compare_drawn, compare_components],
    "processes.py": [compare_drawn, compare_components],
    "jit.py": [compare_drawn, compare_components, compare_chrome],
    "autograd_threads.py": [compare_drawn],
}


def main():
    optally, perfetto_folder, python = sys.argv[1:]
    why = perfetto.absent(perfetto_folder)
    if why or not os.access(python, os.X_OK):
        print(f"SKIPPED: {why or f'no interpreter {python} (tools/setup makes it)'}")
        return SKIPPED
    status = False
    for program in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(scratch, program)
            run(optally, "record", "--no-tally", *OPTIONS, "-o", folder, "--", python, os.path.join(PROGRAMS, program))
            print(f"{program}:")
            for compare in CASES[program]:
                faults = compare(optally, perfetto_folder, folder, scratch)
                status |= bool(faults)
                for fault in faults:
                    print(f"  {fault[:500]}")
    return status


if __name__ == "__main__":
    sys.exit(main())
