#!/usr/bin/env python3
"""Holds what optally reads of recordings against the oracle.

    compare_oplog.py OPTALLY PYTHON

Records programs with PYTHON's PyTorch, then compares every event and every operator's sums with what
oplog.py reads. Times may differ by two nanoseconds, because the page on the format leaves the rounding open.
Exit 77 without PYTHON.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import json

import oplog

SKIPPED = 77
NS_PER_DAY = 86_400_000_000_000
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flow", "programs")
CASES = [["cnn.py"], ["threads.py"], ["processes.py"], ["jit.py"], ["autograd_threads.py"]]
OPTIONS = ["--seq", "--memory", "--shapes"]

LINE = re.compile(r"(\d\d):(\d\d):(\d\d)\.(\d{9}) - .* - vpid: (\d+), vtid: (\d+) - "
                  r"(?:lttng_ust_pytorch|optally):(\w+): \{ (.*) \}$")
NAME = re.compile(r'name: "((?:[^"\\]|\\.)*)"(?:, overload_name: "((?:[^"\\]|\\.)*)")?')


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def printed_events(optally, folder):
    """{(pid, tid): [(ns of the day, kind, name)]}, and the memory events {(bytes, total)}."""
    threads = collections.defaultdict(list)
    memory = collections.Counter()
    for line in run(optally, "trace", "--utc", folder).splitlines():
        hour, minute, second, ns, pid, tid, event, payload = LINE.match(line).groups()
        if event == "memory":
            memory[tuple(map(int, re.findall(r": (-?\d+)", payload)))] += 1
            continue
        at = ((int(hour) * 60 + int(minute)) * 60 + int(second)) * 1_000_000_000 + int(ns)
        name, overload = NAME.search(payload).groups()
        name = re.sub(r"\\(.)", r"\1", name)
        joined = f"{name}.{overload}" if overload and overload != "default" else name
        threads[int(pid), int(tid)].append((at, event.rsplit("_", 1)[1], joined))
    return threads, memory


def read_events(recording):
    threads = collections.defaultdict(list)
    memory = collections.Counter()
    for log in recording.logs:
        memory.update(log.memory())
        for event in log.events():
            threads[log.pid, event.tid].append((recording.clock.ns(event.ticks), event.kind, event.name))
    return threads, memory


def compare_events(optally, folder, recording):
    ours, our_memory = printed_events(optally, folder)
    theirs, their_memory = read_events(recording)
    assert our_memory == their_memory, (our_memory - their_memory, their_memory - our_memory)
    assert set(ours) == set(theirs), (set(ours), set(theirs))
    for thread, events in theirs.items():
        # An exit from another thread has its place by its time; ours are in that order already.
        events.sort(key=lambda event: event[0])
        assert len(events) == len(ours[thread]), (thread, len(events), len(ours[thread]))
        # Events that tie within the two nanoseconds may have changed places.
        assert collections.Counter(event[1:] for event in events) == \
            collections.Counter(event[1:] for event in ours[thread])
        for (our_ns, *_), (their_ns, *_) in zip(ours[thread], events):
            assert abs(our_ns - their_ns % NS_PER_DAY) <= 2, (thread, our_ns, their_ns)
    return sum(map(len, theirs.values()))


def compare_sums(optally, folder, recording):
    document = json.loads(run(optally, "tally", "--json", folder))
    ours = {}
    for section in document["sections"]:
        for row in section["rows"]:
            ours["annotation" not in section["backends"], row["name"]] = row
    theirs = collections.defaultdict(list)
    for log in recording.logs:
        for call in log.calls():
            ns = recording.clock.ns(call.end) - recording.clock.ns(call.begin)
            theirs[call.is_operator, call.name].append(ns)
    assert set(ours) == set(theirs), set(ours) ^ set(theirs)
    for key, durations in theirs.items():
        row = ours[key]
        assert row["calls"] == len(durations), (key, row["calls"], len(durations))
        assert row["errors"] == 0, (key, row)
        assert abs(row["inclusive_ns"] - sum(durations)) <= 2 * len(durations), (key, row, sum(durations))
        assert abs(row["min_ns"] - min(durations)) <= 2 and abs(row["max_ns"] - max(durations)) <= 2, (key, row)
    return len(theirs)


def main():
    optally, python = sys.argv[1:]
    if not os.access(python, os.X_OK):
        print(f"SKIPPED: no interpreter {python} (tools/setup makes it)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as scratch:
        for program in CASES:
            folder = os.path.join(scratch, program[0])
            command = [python, os.path.join(PROGRAMS, program[0]), *program[1:]]
            run(optally, "record", "--no-tally", *OPTIONS, "-o", folder, "--", *command)
            recording = oplog.Recording(folder)
            n_events = compare_events(optally, folder, recording)
            n_operators = compare_sums(optally, folder, recording)
            print(f"{program[0]}: {len(recording.logs)} logs, {n_events} events, {n_operators} operators: equal")


main()
