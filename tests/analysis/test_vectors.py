#!/usr/bin/env python3
"""The test vectors of the analysis: small traces whose answer is known.

    test_vectors.py OPTALLY MAKE_TRACE

Those that a recording of ours can hold are tried as one, too: MAKE_TRACE turns a description into it.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from support import Trace, analyze, member, report, unlimited

COMMAND, MAKE_TRACE = sys.argv[1:3]
GIB = 1 << 30


def v1():
    trace = Trace(schemaVersion=1)
    trace.slice("op", "aten::matmul", 10_000, 1000)
    trace.slice("op", "cudaDeviceSynchronize", 20_000, 900)
    trace.slice("op", "torch.compile", 30_000, 800)
    return trace


def v2():
    trace = Trace(schemaVersion=1, profile_memory=1)
    trace.slice("op", "aten::longest", 10_000, 1000)
    trace.slice("op", "aten::empty", 20_000, 500)
    trace.memory(20_100, GIB)
    return trace


def v3():
    trace = Trace(schemaVersion=1)
    for i in range(100):
        trace.slice("op", f"aten::op{i}", 10_000 + 2000 * i, 1000 - i)
        trace.slice("op", "tiny_dispatch", 11_500 + 2000 * i, 8)
    return trace


def v4():
    trace = Trace(schemaVersion=1)
    trace.slice("annotation", "phase:warmup", 9_000, 200)
    trace.slice("op", "aten::short", 9_100, 50)
    trace.slice("op", "aten::long", 10_000, 1000)
    trace.slice("op", "aten::longer", 20_000, 2000)
    return trace


def v5():
    trace = Trace(schemaVersion=1)
    trace.slice("op", "torch.compile", 10_000, 800)
    trace.slice("op", "inductor.codegen", 10_100, 300)
    return trace


def v7():
    """Everything in one, so that no aggregate is unavailable; the last event is a whole one."""
    trace = Trace(schemaVersion=1)
    trace.slice("annotation", "warmup", 1_000, 9_000)
    trace.slice("op", "aten::mm", 2_000, 3_000)
    trace.slice("runtime", "cudaLaunchKernel", 3_000, 500, correlation=7)
    trace.slice("device", "gemm", 4_000, 2_000, pid=0, tid=7, device=0, correlation=7)
    trace.memory(2_500, 64, device=(1, 0))
    trace.slice("runtime", "cudaDeviceSynchronize", 6_000, 1_000, correlation=9)
    trace.slice("op", "aten::last", 20_000, 1_000)
    return trace


def as_recording(trace):
    """The same as a description for MAKE_TRACE: entries and exits of our tracer."""
    times = []
    for event in json.loads(trace.text())["traceEvents"]:
        kind = "annotation" if event["cat"] == "user_annotation" else "op"
        start, end = round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)
        for time, edge in ((start, "entry"), (end, "exit")):
            times.append((time, f'lttng_ust_pytorch:{kind}_{edge} name="{event["name"]}" overload_name=""'))
    times.sort(key=lambda t: t[0])
    return "trace . host=node1\nstream\nthread 1 1\n" + "".join(f"{time} {text}\n" for time, text in times)


class Vectors(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def inputs(self, trace):
        """The trace as JSON, and as a recording."""
        yield trace.write(self.folder / "trace.json")
        description = self.folder / "trace.txt"
        description.write_text(as_recording(trace))
        recording = self.folder / "recording"
        subprocess.run([sys.executable, MAKE_TRACE, description, recording], check=True)
        yield str(recording)

    def report(self, path, *options):
        return json.loads(report(COMMAND, path, *options))

    def check(self, path, limit, values, coverage=(), **operators):
        told = self.report(path, "--limit", str(limit))
        self.assertEqual(told["operators"]["limit"], limit)
        for name, value in values.items():
            self.assertEqual((told["aggregates"][name]["value"], told["aggregates"][name]["kind"]),
                             (value, "exact"), (path, limit, name))
        for name in coverage:
            self.assertIs(told["coverage"][name], True, (path, limit, name))
        self.assertEqual({name: told["operators"][name] for name in operators}, operators, (path, limit))

    def test_v1_a_limit_hides_nothing(self):
        values = {"synchronization_time": 900, "compilation_time": 800, "operators": 3, "host_busy_time": 2700}
        for path in self.inputs(v1()):
            self.check(path, 1, values, ["synchronization"], total=3, returned=1, truncated=True)
            self.check(path, 3, values, ["synchronization"], total=3, returned=3, truncated=False)

    def test_v2_memory_below_the_limit(self):
        path = v2().write(self.folder / "trace.json")
        for limit in (1, 2):
            self.check(path, limit, {"allocation_bytes": GIB, "unattributed_allocation_bytes": 0,
                                     "peak_allocated_bytes": GIB, "freed_bytes": 0}, ["memory_allocations"],
                       total=2, returned=limit)
        rows = self.report(path, "--limit", "all")["operators"]["rows"]
        self.assertEqual([row["allocation_bytes"] for row in rows], [0, GIB])

    def test_v3_repeated_small(self):
        for path in self.inputs(v3()):
            for limit in (1, 100, 101):
                small = self.report(path, "--limit", str(limit))["repeated_small"]
                self.assertEqual(small["threshold_ns"], 925)
                self.assertEqual([(r["name"], r["calls"]) for r in small["rows"]], [("tiny_dispatch", 100)])
                self.assertEqual((small["total"], small["returned"], small["truncated"]), (1, 1, False))

    def test_v4_warmup_below_the_limit(self):
        for path in self.inputs(v4()):
            self.check(path, 1, {"warmup_time": 50}, ["warmup_phases", "phase_annotations"], total=3)
            rows = self.report(path)["operators"]["rows"]
            self.assertEqual([row["warmup"] for row in rows], [False, False, True])

    def test_v5_nested_compilation_counts_once(self):
        for path in self.inputs(v5()):
            self.check(path, 1, {"compilation_time": 800, "host_busy_time": 800}, total=2)

    def test_v6_neither_limit_nor_order(self):
        shuffled = random.Random(6)
        for number, make in enumerate((v1, v2, v3, v4, v5)):
            trace = make()
            path = trace.write(self.folder / f"{number}.json")
            whole = report(COMMAND, path, "--limit", "all", "--small-limit", "all")
            total = json.loads(whole)["operators"]["total"]
            for limit in range(1, total + 2):
                told = report(COMMAND, path, "--limit", str(limit), "--small-limit", str(limit))
                self.assertEqual(unlimited(told), unlimited(whole), (make.__name__, limit))
                self.assertEqual(json.loads(told)["operators"]["rows"],
                                 json.loads(whole)["operators"]["rows"][:limit])
            for _ in range(3):
                events = shuffled.sample(trace.events, len(trace.events))
                told = report(COMMAND, trace.write(self.folder / "shuffled.json", events), "--limit", "all",
                              "--small-limit", "all")
                for name in ("aggregates", "coverage", "operators", "repeated_small"):
                    self.assertEqual(member(told, name), member(whole, name), (make.__name__, name))

    def test_v7_damage_is_told(self):
        trace = v7()
        path = self.folder / "cut.json"
        path.write_text(trace.text()[:-10])
        status, out, complaint = analyze(COMMAND, path)
        self.assertEqual(status, 1)
        self.assertEqual(complaint.count("\n"), 1, complaint)
        self.assertEqual({"code", "message", "details", "remediation"} - json.loads(out or complaint).keys(), set())
        told = self.report(path, "--recover")
        self.assertEqual(told["completeness"]["kind"], "lower_bound")
        for name, aggregate in told["aggregates"].items():
            self.assertEqual(aggregate["kind"], "lower_bound", name)
            self.assertNotEqual(aggregate["reasons"], [], name)
        whole = self.report(trace.write(self.folder / "short.json", trace.events[:-1]))
        for name, aggregate in whole["aggregates"].items():
            self.assertEqual(aggregate["kind"], "exact", name)
            self.assertEqual(aggregate["reasons"], [], name)
            self.assertEqual(told["aggregates"][name]["value"], aggregate["value"], name)
        self.assertEqual(told["coverage"], whole["coverage"])

    def test_the_same_trace_twice_counts_once(self):
        path = v7().write(self.folder / "trace.json")
        copy = v7().write(self.folder / "copy.json")
        once = json.loads(report(COMMAND, path))
        twice = json.loads(subprocess.run([COMMAND, "analyze", "--json", path, copy], capture_output=True,
                                          check=True).stdout)
        for name in ("population", "aggregates", "coverage", "operators"):
            self.assertEqual(twice[name], once[name])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
