#!/usr/bin/env python3
"""The analysis of profile pytorch/1, computed from its definitions with exact integers and fractions.

    oracle.py TRACE... [--limit N|all] [--small-limit N|all] [--small-below NS]

Prints what `optally analyze --json` should hold for traces of torch.profiler: the population, the
aggregates, the coverage, the operators and the repeated small ones. It shares nothing with the
command but the definitions, and is written for being right at a glance, not for speed.
"""
import argparse
import bisect
import collections
import json
import re
import sys
from fractions import Fraction

from kineto import Session

HOST = ("op", "runtime")
POPULATION = ("op", "runtime", "device")
COMPILES = re.compile("compile|dynamo|inductor|graph_executor", re.IGNORECASE | re.ASCII)
RUNS_COMPILED = re.compile(r"[# ]*(autograd::engine::evaluate_function: )?(Torch-Compiled Region|CompiledFunction"
                           r"|Call CompiledFxGraph|TorchDynamo Cache Lookup|inductor::)")
SYNCHRONIZES = re.compile("synchronize", re.IGNORECASE | re.ASCII)
GRAPH_LAUNCH = re.compile("graphlaunch", re.IGNORECASE | re.ASCII)
NAMES_PHASE = re.compile("warmup|warm-up|warm up", re.IGNORECASE | re.ASCII)
WARM = re.compile("warm", re.IGNORECASE | re.ASCII)
OVERLOADED = re.compile(r"(?=[^.]*::)[A-Za-z0-9_:]+\.[A-Za-z0-9_]+\Z")


def synchronizes(name):
    return bool(SYNCHRONIZES.search(name))


def compiles(name):
    return bool(COMPILES.search(name)) and not RUNS_COMPILED.match(name)


def union(intervals):
    """Length of what at least one interval covers: sweep over their endpoints."""
    covered = depth = since = 0
    for time, step in sorted((edge for start, end in intervals for edge in ((start, 1), (end, -1)))):
        covered += (time - since) if depth else 0
        depth += step
        since = time
    return covered


def unions(slices, key):
    """The union per key, summed."""
    groups = collections.defaultdict(list)
    for s in slices:
        groups[key(s)].append((s.start, s.end))
    return sum(union(group) for group in groups.values())


class Nest:
    """The slices of one track, each with its parent and the end that is left of it."""

    def __init__(self, slices):
        self.slices = sorted(slices, key=lambda s: (s.start, -s.duration, s.order))
        self.starts = [s.start for s in self.slices]
        self.ends = []
        self.parents = []
        self.clamped = 0
        children = [0] * len(self.slices)
        for i, s in enumerate(self.slices):
            parent = self.holding(i - 1, s.start)
            end = s.end if parent is None else min(s.end, self.ends[parent])
            self.clamped += end < s.end
            self.ends.append(end)
            self.parents.append(parent)
            if parent is not None:
                children[parent] += end - s.start
        self.self_times = [max(0, end - start - inside)
                           for start, end, inside in zip(self.starts, self.ends, children)]

    def holding(self, i, time):
        """The innermost slice, from number i outwards, that ends after `time`."""
        while i is not None and i >= 0 and self.ends[i] <= time:
            i = self.parents[i]
        return i if i is not None and i >= 0 else None

    def operators_at(self, time):
        """The operators whose [start, end) holds `time`, innermost first."""
        found = []
        i = self.holding(bisect.bisect_right(self.starts, time) - 1, time)
        while i is not None:
            found += [self.slices[i]] if self.slices[i].kind == "op" else []
            i = self.parents[i]
        return found


def nests(slices, kinds):
    tracks = collections.defaultdict(list)
    for s in slices:
        if s.kind in kinds:
            tracks[s.track].append(s)
    return {track: Nest(group) for track, group in tracks.items()}


def operator_of(s):
    return (s.session, s.kind, s.category, s.name)


class Row:
    def __init__(self):
        self.durations = []
        self.self_time = self.device_self = self.device_inclusive = self.allocated = 0
        self.warm = False
        self.shapes = collections.Counter()

    @property
    def mean(self):
        return Fraction(sum(self.durations), len(self.durations))


class Analysis:
    def __init__(self, sessions):
        self.sessions = sessions
        self.slices = [s for session in sessions for s in session.slices]
        self.memory = [m for session in sessions for m in session.memory]
        self.population = [s for s in self.slices if s.kind in POPULATION]
        self.host = [s for s in self.population if s.kind in HOST]
        self.device = [s for s in self.population if s.kind == "device"]
        self.annotations = [s for s in self.slices if s.kind == "annotation"]
        self.warnings = sum((session.warnings for session in sessions), collections.Counter())
        self.rows = collections.defaultdict(Row)
        self.count_calls()
        self.attribute_device_work()
        self.attribute_memory()

    def count_calls(self):
        self.host_nests = nests(self.slices, HOST)
        self.warnings["clamped"] = sum(nest.clamped for kinds in (HOST, ("annotation",))
                                       for nest in nests(self.slices, kinds).values())
        self.warnings["python_clamped"] = sum(n.clamped for n in nests(self.slices, ("python",)).values())
        phases = self.phases()
        self.busy = self.warm_time = self.warm_calls = 0
        self.argument_phases = False
        for s in self.population:
            row = self.rows[operator_of(s)]
            row.durations.append(s.duration)
            shapes = s.args.get("Input Dims", s.args.get("Input dims"))
            if s.kind == "op" and shapes is not None:
                row.shapes[json.dumps(shapes)] += 1
            if s.kind == "device":
                row.self_time += s.duration
        for nest in self.host_nests.values():
            for s, self_time in zip(nest.slices, nest.self_times):
                row = self.rows[operator_of(s)]
                row.self_time += self_time
                self.busy += self_time
                phase = s.args.get("phase")
                self.argument_phases |= isinstance(phase, str)
                if not isinstance(phase, str):
                    phase = phase_at(phases[s.process], s.start)
                if WARM.search(phase):
                    row.warm = True
                    self.warm_time += self_time
                    self.warm_calls += 1

    def phases(self):
        """Per process the annotations that name a phase, each with that name."""
        found = collections.defaultdict(list)
        for s in self.annotations:
            if s.name.startswith("phase:"):
                found[s.process].append((s, s.name[len("phase:"):]))
            elif NAMES_PHASE.search(s.name):
                found[s.process].append((s, s.name))
        return found

    def attribute_device_work(self):
        launches = {}
        for s in self.host:
            correlation = correlation_of(s)
            if s.kind == "runtime" and correlation:
                key = (s.session, correlation)
                earliest = launches.get(key, s)
                launches[key] = min(earliest, s, key=lambda launch: (launch.start, launch.order))
        self.unattributed = {reason: [0, 0] for reason in
                             ("no_launch_record", "graph_launch", "outside_every_operator")}
        self.graph_launches = [0, 0]
        for s in self.device:
            launch = launches.get((s.session, correlation_of(s)))
            operators = self.host_nests[launch.track].operators_at(launch.start) if launch else []
            graph = launch is not None and bool(GRAPH_LAUNCH.search(launch.name))
            if graph:
                count(self.graph_launches, s.duration)
            if not operators:
                count(self.unattributed["no_launch_record" if launch is None else
                                        "graph_launch" if graph else "outside_every_operator"], s.duration)
            for depth, operator in enumerate(operators):
                row = self.rows[operator_of(operator)]
                row.device_self += s.duration if depth == 0 else 0
                row.device_inclusive += s.duration

    def attribute_memory(self):
        self.unattributed_allocated = 0
        for m in self.memory:
            nest = self.host_nests.get(m.track)
            operators = nest.operators_at(m.time) if nest else []
            if operators:
                self.rows[operator_of(operators[0])].allocated += max(0, m.bytes)
            else:
                self.unattributed_allocated += max(0, m.bytes)

    def peaks(self):
        found = {}
        for device in sorted({m.device for m in self.memory}):
            events = sorted((m for m in self.memory if m.device == device), key=lambda m: (m.time, m.order))
            totals = [m.total for m in events if m.total is not None]
            running = [0]
            for m in events:
                running.append(running[-1] + m.bytes)
            found[device] = max(totals or running)
        return found

    def aggregates(self):
        lost = any(session.unclosed for session in self.sessions) or \
            self.warnings["impossible_time"] + self.warnings["missing_duration"] > 0
        size = {"operators": len(self.rows), "events": len(self.population)}
        found = {}

        def tell(name, value, unit, available=True, population=size):
            kind = "unavailable" if not available else "lower_bound" if lost else "exact"
            found[name] = {"value": value if available else None, "unit": unit, "kind": kind,
                           "population": population}
        has_device = bool(self.device)
        compiling = [s for s in self.host + self.annotations if compiles(s.name)]
        tell("host_busy_time", self.busy, "ns")
        tell("device_time_sum", sum(s.duration for s in self.device), "ns", has_device)
        tell("device_time_union", unions(self.device, device_of), "ns", has_device)
        tell("synchronization_time",
             unions((s for s in self.host if synchronizes(s.name)), lambda s: s.track), "ns")
        tell("compilation_time", unions(compiling, lambda s: s.track), "ns")
        tell("warmup_time", self.warm_time, "ns")
        tell("events", len(self.population), "events")
        tell("operators", len(self.rows), "operators")
        tell("tracks", len({s.track for s in self.population}), "tracks")
        tell("unattributed_device_events", sum(n for n, _ in self.unattributed.values()), "events", has_device)
        tell("unattributed_device_time", sum(time for _, time in self.unattributed.values()), "ns", has_device)
        has_memory = bool(self.memory)
        size = {**size, "memory_events": len(self.memory)}
        tell("allocation_bytes", sum(max(0, m.bytes) for m in self.memory), "bytes", has_memory, size)
        tell("freed_bytes", sum(max(0, -m.bytes) for m in self.memory), "bytes", has_memory, size)
        tell("peak_allocated_bytes", max(self.peaks().values(), default=None), "bytes", has_memory, size)
        tell("unattributed_allocation_bytes", self.unattributed_allocated, "bytes", has_memory, size)
        return found

    def breakdowns(self):
        devices = sorted({m.device for m in self.memory})
        return {
            "memory": [{"device_type": device[1], "device_id": device[2], "peak": peak,
                        "allocated": sum(max(0, m.bytes) for m in self.memory if m.device == device),
                        "freed": sum(max(0, -m.bytes) for m in self.memory if m.device == device)}
                       for device, peak in self.peaks().items()] if devices else [],
            "unattributed": {reason: {"events": n, "ns": time} for reason, (n, time) in self.unattributed.items()},
            "graph_launches": {"events": self.graph_launches[0], "ns": self.graph_launches[1]},
        }

    def coverage(self):
        return {
            "self_cpu_time": bool(self.host),
            "total_cpu_time": bool(self.host),
            "device_time": bool(self.device),
            "input_shapes": any(row.shapes for row in self.rows.values()),
            "memory_allocations": bool(self.memory),
            "synchronization": any(synchronizes(s.name) for s in self.host),
            "phase_annotations": self.argument_phases or any(self.phases().values()),
            "warmup_phases": self.warm_calls > 0,
            "python_stacks": any(s.kind == "python" or s.args.get("Call stack") for s in self.slices),
            "overload_names": any(s.kind == "op" and OVERLOADED.match(s.name) is not None for s in self.host),
        }

    def operators(self):
        has_device, has_memory = bool(self.device), bool(self.memory)
        found = []
        for (session, kind, category, name), row in self.rows.items():
            device = has_device and kind == "op"
            shapes = sorted(row.shapes.items(), key=lambda item: (-item[1], item[0]))
            found.append({
                "name": name, "kind": kind, "category": category, "session": session,
                "calls": len(row.durations), "self_ns": row.self_time, "inclusive_ns": sum(row.durations),
                "mean_ns": number(row.mean), "min_ns": min(row.durations), "max_ns": max(row.durations),
                "device_self_ns": row.device_self if device else None,
                "device_inclusive_ns": row.device_inclusive if device else None,
                "allocation_bytes": row.allocated if has_memory else None,
                "input_shapes": {"total": len(shapes), "returned": min(10, len(shapes)),
                                 "rows": [{"shapes": text, "calls": calls} for text, calls in shapes[:10]]},
                "synchronization": kind in HOST and synchronizes(name),
                "compilation": kind in HOST and compiles(name),
                "warmup": row.warm})
        return sorted(found, key=lambda r: (-r["inclusive_ns"], r["name"].encode(), r["kind"], r["category"],
                                            r["session"]))

    def repeated_small(self, below):
        threshold = max(Fraction(1), percentile_25([row.mean for row in self.rows.values()])
                        if below is None else Fraction(below))
        small = [{"name": key[3], "kind": key[1], "category": key[2], "session": key[0],
                  "calls": len(row.durations), "inclusive_ns": sum(row.durations), "mean_ns": number(row.mean)}
                 for key, row in self.rows.items() if len(row.durations) >= 3 and row.mean <= threshold]
        small.sort(key=lambda r: (-r["calls"], r["inclusive_ns"], r["name"].encode(), r["kind"], r["category"],
                                  r["session"]))
        return number(threshold), small

    def report(self, limit, small_limit, below):
        threshold, small = self.repeated_small(below)
        return {
            "schema": "optally.analysis/1", "profile": "pytorch/1",
            "population": {
                "operators": len(self.rows), "events": len(self.population),
                "tracks": len({s.track for s in self.population}),
                "processes": len({s.process for s in self.population}),
                "start_ns": min((s.start + self.sessions[s.session].base for s in self.population), default=None),
                "end_ns": max((s.end + self.sessions[s.session].base for s in self.population), default=None)},
            "completeness": {
                "read_events": sum(session.read_events for session in self.sessions),
                "unmatched_exits": sum(session.unmatched for session in self.sessions),
                "unclosed_entries": sum(session.unclosed for session in self.sessions),
                "warnings": {code: n for code, n in sorted(self.warnings.items()) if n}},
            "aggregates": self.aggregates(),
            "breakdowns": self.breakdowns(),
            "coverage": self.coverage(),
            "operators": page(self.operators(), limit),
            "repeated_small": {"threshold_ns": threshold, "threshold": "p25" if below is None else "absolute",
                               **page(small, small_limit)}}


def count(pair, duration):
    pair[0] += 1
    pair[1] += duration


def correlation_of(s):
    value = s.args.get("correlation")
    return value if isinstance(value, int) and value > 0 else None


def device_of(s):
    """A device by its number or name; as text, as everywhere."""
    return s.session, str(s.args.get("device", s.track[2]))


def phase_at(phases, time):
    """The innermost of the annotations that hold `time`; empty where none does."""
    holding = [(s.start, -s.duration, s.order, phase) for s, phase in phases if s.start <= time < s.end]
    return max(holding, default=("",))[-1]


def percentile_25(values):
    if not values:
        return Fraction(0)
    values = sorted(values)
    at = Fraction(len(values) - 1, 4)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def number(fraction):
    """For JSON: whole, or three decimals."""
    return int(fraction) if fraction.denominator == 1 else float(round(fraction, 3))


def page(rows, limit):
    shown = rows if limit is None else rows[:limit]
    return {"total": len(rows), "returned": len(shown), "truncated": len(shown) < len(rows), "limit": limit,
            "rows": shown}


def analyze(paths):
    """The analysis of the files together; a file given twice counts once."""
    sessions = {}
    for path in paths:
        session = Session(path, len(sessions))
        sessions.setdefault(session.artifact, session)
    return Analysis(list(sessions.values()))


def limit_of(text):
    return None if text == "all" else int(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--limit", type=limit_of, default=100)
    parser.add_argument("--small-limit", type=limit_of, default=100)
    parser.add_argument("--small-below", type=int)
    args = parser.parse_args()
    json.dump(analyze(args.traces).report(args.limit, args.small_limit, args.small_below), sys.stdout,
              ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
