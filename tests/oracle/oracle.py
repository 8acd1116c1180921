#!/usr/bin/env python3
"""The analysis of profile pytorch/1, computed from its definitions with exact integers and fractions.

    oracle.py TRACE... [--limit N|all] [--small-limit N|all] [--small-below NS]

Prints what `optally analyze --json` should hold for traces of torch.profiler: the population, the
aggregates, the coverage, the operators and the repeated small ones. It shares nothing with the
command but the definitions, and is written for being right at a glance, not for speed.
"""
import argparse
import collections
import itertools
import json
import sys
from fractions import Fraction

import names
from kineto import Session, whole
from nest import covered_per_track, grouped, nests, union

HOST = ("op", "runtime")
POPULATION = ("op", "runtime", "device")
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
                if names.WARM.search(phase):
                    row.warm = True
                    self.warm_time += self_time
                    self.warm_calls += 1

    def phases(self):
        """Per process the annotations that name a phase, each with that name."""
        found = collections.defaultdict(list)
        for s in self.annotations:
            if s.name.startswith("phase:"):
                found[s.process].append((s, s.name[len("phase:"):]))
            elif names.NAMES_PHASE.search(s.name):
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
            graph = launch is not None and bool(names.GRAPH_LAUNCH.search(launch.name))
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

    def aggregates(self):
        lost = any(session.unclosed or session.unmatched for session in self.sessions) or \
            any(self.warnings[code] for code in ("impossible_time", "missing_duration", "bad_memory_event"))
        found = {}
        size = {"operators": len(self.rows), "events": len(self.population)}
        memory_size = {**size, "memory_events": len(self.memory)}
        available = {"device": bool(self.device), "memory": bool(self.memory), "always": True}

        def tell(name, unit, value, of="always", **breakdown):
            kind = "unavailable" if not available[of] else "lower_bound" if lost else "exact"
            found[name] = {"value": value if available[of] else None, "unit": unit, "kind": kind,
                           "population": memory_size if of == "memory" else size,
                           **(breakdown if available[of] else {})}
        tell("host_busy_time", "ns", self.busy)
        tell("synchronization_time", "ns", covered_per_track(s for s in self.host if names.synchronizes(s.name)))
        tell("compilation_time", "ns",
             covered_per_track(s for s in self.host + self.annotations if names.compiles(s.name)))
        tell("warmup_time", "ns", self.warm_time)
        tell("events", "events", len(self.population))
        tell("operators", "operators", len(self.rows))
        tell("tracks", "tracks", len({s.track for s in self.population}))

        devices = grouped(self.device, device_of)
        sums = {device: sum(s.duration for s in group) for device, group in devices.items()}
        unions = {device: union((s.start, s.end) for s in group) for device, group in devices.items()}
        for name, values in (("device_time_sum", sums), ("device_time_union", unions)):
            tell(name, "ns", sum(values.values()), "device",
                 by_device=[{"session": session, "device": device, "events": len(devices[session, device]),
                             "value": value} for (session, device), value in sorted(values.items())])
        for name, unit, member in (("unattributed_device_events", "events", 0), ("unattributed_device_time", "ns", 1)):
            tell(name, unit, sum(told[member] for told in self.unattributed.values()), "device",
                 by_reason=[{"reason": reason, "events": told[0], "value": told[member]}
                            for reason, told in sorted(self.unattributed.items())])

        memories = grouped(sorted(self.memory, key=lambda m: (m.time, m.order)), lambda m: m.device)
        for name, measure, whole in (("allocation_bytes", allocated, sum), ("freed_bytes", freed, sum),
                                     ("peak_allocated_bytes", peak, lambda values: max(values, default=0))):
            values = {device: measure(events) for device, events in memories.items()}
            tell(name, "bytes", whole(values.values()), "memory",
                 by_device=[{"session": device[0], "device_type": device[1], "device_id": device[2],
                             "events": len(memories[device]), "value": value}
                            for device, value in sorted(values.items())])
        tell("unattributed_allocation_bytes", "bytes", self.unattributed_allocated, "memory")
        return found

    def coverage(self):
        return {
            "self_cpu_time": bool(self.host),
            "total_cpu_time": bool(self.host),
            "device_time": bool(self.device),
            "input_shapes": any(row.shapes for row in self.rows.values()),
            "memory_allocations": bool(self.memory),
            "synchronization": any(names.synchronizes(s.name) for s in self.host),
            "phase_annotations": self.argument_phases or any(self.phases().values()),
            "warmup_phases": self.warm_calls > 0,
            "python_stacks": any(s.kind == "python" or s.args.get("Call stack") for s in self.slices),
            "overload_names": any(s.kind == "op" and names.OVERLOADED.match(s.name) is not None for s in self.host),
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
                "synchronization": kind in HOST and names.synchronizes(name),
                "compilation": kind in HOST and names.compiles(name),
                "warmup": row.warm})
        return sorted(found, key=lambda r: (-r["inclusive_ns"], r["name"].encode(), r["kind"], r["category"],
                                            r["session"]))

    def repeated_small(self, below):
        if not self.rows:
            return None, []
        threshold = max(Fraction(1), percentile_25([row.mean for row in self.rows.values()])
                        if below is None else Fraction(below))
        small = [{"name": key[3], "kind": key[1], "category": key[2], "session": key[0],
                  "calls": len(row.durations), "inclusive_ns": sum(row.durations), "mean_ns": number(row.mean)}
                 for key, row in self.rows.items() if len(row.durations) >= 3 and row.mean <= threshold]
        small.sort(key=lambda r: (-r["calls"], r["inclusive_ns"], r["name"].encode(), r["kind"], r["category"],
                                  r["session"]))
        return number(threshold), small

    def span(self):
        """From the first start to the last end; nothing where the sessions have no clock in common."""
        bases = [session.base for session in self.sessions]
        if len(bases) > 1 and None in bases:
            return {"start_ns": None, "end_ns": None}
        return {"start_ns": min((s.start + (bases[s.session] or 0) for s in self.population), default=None),
                "end_ns": max((s.end + (bases[s.session] or 0) for s in self.population), default=None)}

    def report(self, limit, small_limit, below):
        threshold, small = self.repeated_small(below)
        return {
            "schema": "optally.analysis/1", "profile": "pytorch/1",
            "population": {
                "operators": len(self.rows), "events": len(self.population),
                "tracks": len({s.track for s in self.population}),
                "processes": len({s.process for s in self.population}),
                **self.span()},
            "completeness": {
                "read_events": sum(session.read_events for session in self.sessions),
                "unmatched_exits": sum(session.unmatched for session in self.sessions),
                "unclosed_entries": sum(session.unclosed for session in self.sessions),
                "warnings": {code: n for code, n in sorted(self.warnings.items()) if n}},
            "aggregates": self.aggregates(),
            "graph_launches": {"device_events": self.graph_launches[0] if self.device else None,
                               "device_time_ns": self.graph_launches[1] if self.device else None},
            "coverage": self.coverage(),
            "operators": page(self.operators(), limit),
            "repeated_small": {"threshold_ns": threshold, "threshold": "p25" if below is None else "absolute",
                               **page(small, small_limit)}}


def allocated(events):
    return sum(max(0, m.bytes) for m in events)


def freed(events):
    return sum(max(0, -m.bytes) for m in events)


def peak(events):
    """The largest total where totals were recorded, else of the running sum, in order of time."""
    totals = [m.total for m in events if m.total is not None]
    return max(totals or itertools.accumulate((m.bytes for m in events), initial=0))


def count(pair, duration):
    pair[0] += 1
    pair[1] += duration


def correlation_of(s):
    value = whole(s.args.get("correlation"))
    return value if value is not None and value > 0 else None


def device_of(s):
    """A device by its number or name; as text, as everywhere."""
    device = s.args.get("device")
    return s.session, str(s.track[2] if device is None else device)


def phase_at(phases, time):
    """The innermost of the annotations that hold `time`; empty where none does."""
    holding = [(s.start, -s.duration, s.order, phase) for s, phase in phases if s.start <= time < s.end]
    return max(holding, default=("",))[-1]


def percentile_25(values):
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
