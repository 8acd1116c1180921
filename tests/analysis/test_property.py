#!/usr/bin/env python3
"""No limit changes what was counted, and what was counted is what the definitions say.

    test_property.py OPTALLY --seeds FIRST LAST      on generated traces
    test_property.py OPTALLY --traces TRACE...       limits only, on traces that are there

Exit 77 if the traces are not there.
"""
import collections
import json
import os
import sys
import tempfile

from generate import generate
from support import compare, oracle, report, unlimited


def limits(total):
    """Around every border that a limit can meet."""
    return sorted({1, 2, 10, 100, total - 1, total, total + 1} - {-1, 0})


def limit_faults(command, path):
    whole = report(command, path, "--limit", "all", "--small-limit", "all")
    told = json.loads(whole)
    for limit in limits(told["operators"]["total"]):
        part = report(command, path, "--limit", str(limit), "--small-limit", str(limit))
        for name, text in unlimited(whole).items():
            if unlimited(part)[name] != text:
                yield f"--limit {limit} changes {name}"
        for name in ("operators", "repeated_small"):
            shown = json.loads(part)[name]
            if shown["rows"] != told[name]["rows"][:limit] or shown["total"] != told[name]["total"]:
                yield f"--limit {limit} shows other {name}"


def sums(told):
    """What must add up in the command's report, whatever the trace."""
    value = {name: aggregate["value"] for name, aggregate in told["aggregates"].items()}
    rows = told["operators"]["rows"]
    for total, rest, member in [("device_time_sum", "unattributed_device_time", "device_self_ns"),
                                ("allocation_bytes", "unattributed_allocation_bytes", "allocation_bytes")]:
        if value[total] is not None and sum(row[member] or 0 for row in rows) + value[rest] != value[total]:
            yield f"{member} and {rest} are not {total}"
    host = [row for row in rows if row["kind"] in ("op", "runtime")]
    if sum(row["self_ns"] for row in host) != value["host_busy_time"]:
        yield "self times are not host_busy_time"
    if sum(row["calls"] for row in rows) != value["events"]:
        yield "calls are not events"
    if value["warmup_time"] > 0 and not told["coverage"]["warmup_phases"]:
        yield "warm-up time without a warm-up"


def busy_faults(analysis):
    """No track is busy for longer than from its first start to its last end."""
    for track, nest in analysis.host_nests.items():
        if sum(nest.self_times) > max(s.end for s in nest.slices) - nest.starts[0]:
            yield f"{track} is busy for longer than it ran"


def job_faults(command, seed, folder):
    """Two traces as one job, in which processes, threads and correlations have the same numbers."""
    paths = [generate(seed + rank).write(os.path.join(folder, f"rank{rank}.json")) for rank in (1000, 2000)]
    return compare.compare(command, paths, below=5000)


def seed_faults(command, seed, folder):
    path = generate(seed).write(os.path.join(folder, f"seed{seed}.json"))
    analysis = oracle.analyze([path])
    told = json.loads(report(command, path, "--limit", "all", "--small-limit", "all"))
    yield from compare.differences(told, analysis.report(None, None, None))
    yield from sums(told)
    yield from busy_faults(analysis)
    yield from limit_faults(command, path)
    yield from (f"as a job: {fault}" for fault in job_faults(command, seed, folder))


def with_failures(faults):
    """The faults, of which a failure of the command is one."""
    try:
        yield from faults
    except compare.Failed as failure:
        yield str(failure)


def main():
    command, what, *rest = sys.argv[1:]
    faults = collections.Counter()
    if what == "--traces":
        absent = [path for path in rest if not os.path.exists(path)]
        if absent:
            print(f"SKIPPED: {', '.join(absent)}: not here, so no limit was tried")
            return compare.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        if what == "--traces":
            for path in (trace for path in rest for trace in compare.unpacked(path, folder)):
                faults.update(f"{path}: {fault}" for fault in with_failures(limit_faults(command, path)))
        else:
            for seed in range(int(rest[0]), int(rest[1])):
                faults.update(f"seed {seed}: {fault}" for fault in with_failures(seed_faults(command, seed, folder)))
    for fault in faults:
        print(fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
