#!/usr/bin/env python3
"""The oracle itself, on cases small enough to be counted by hand."""
import pathlib
import tempfile
import unittest

from support import Trace, oracle


def analysis_of(*events, **header):
    """Of events as (kind, name, start, duration, arguments of Trace.slice)."""
    trace = Trace(**header)
    for kind, name, start, duration, *more in events:
        trace.slice(kind, name, start, duration, **(more[0] if more else {}))
    return analyzed(trace)


def analyzed(trace):
    with tempfile.TemporaryDirectory() as folder:
        return oracle.analyze([trace.write(pathlib.Path(folder) / "trace.json")]).report(None, None, None)


def row(told, name, *members):
    found = next(r for r in told["operators"]["rows"] if r["name"] == name)
    return [found[member] for member in members]


def value(told, name):
    return told["aggregates"][name]["value"]


DEVICE = {"pid": 0, "tid": 7}


class Oracle(unittest.TestCase):
    def test_a_crossing_call_is_clamped_for_nesting_alone(self):
        told = analysis_of(("op", "a", 100, 100), ("op", "b", 150, 100), ("runtime", "c", 190, 60),
                           ("op", "d", 200, 10))
        self.assertEqual([row(told, name, "self_ns", "inclusive_ns") for name in "abcd"],
                         [[50, 100], [40, 100], [10, 60], [10, 10]])
        self.assertEqual((value(told, "host_busy_time"), told["completeness"]["warnings"]), (110, {"clamped": 2}))

    def test_ties_nest_the_longer_first_then_by_the_file(self):
        told = analysis_of(("op", "inner", 100, 50), ("op", "outer", 100, 100), ("op", "twin", 100, 50),
                           ("op", "nothing", 100, 0), ("op", "nothing", 150, 0))
        self.assertEqual([row(told, name, "self_ns") for name in ("outer", "inner", "twin", "nothing")],
                         [[50], [0], [50], [0]])

    def test_an_operator_holds_its_start_and_not_its_end(self):
        told = analysis_of(
            ("op", "before", 100, 100), ("op", "a", 200, 100), ("op", "a", 200, 50),
            ("runtime", "launch", 200, 10, {"correlation": 5}), ("device", "k", 900, 30, {**DEVICE, "correlation": 5}),
            ("runtime", "launch", 300, 10, {"correlation": 6}), ("device", "k", 910, 7, {**DEVICE, "correlation": 6}),
            ("device", "k", 920, 2, DEVICE), ("device", "k", 950, 1, {**DEVICE, "correlation": 0}))
        self.assertEqual(row(told, "a", "device_self_ns", "device_inclusive_ns"), [30, 60])
        self.assertEqual(row(told, "before", "device_self_ns", "device_inclusive_ns"), [0, 0])
        self.assertEqual((value(told, "device_time_sum"), value(told, "device_time_union")), (40, 31))
        self.assertEqual([(share["reason"], share["events"], share["value"])
                          for share in told["aggregates"]["unattributed_device_time"]["by_reason"]],
                         [("graph_launch", 0, 0), ("no_launch_record", 2, 3), ("outside_every_operator", 1, 7)])

    def test_the_earliest_launch_counts(self):
        told = analysis_of(
            ("op", "late", 500, 100), ("runtime", "l", 510, 1, {"correlation": 5}), ("op", "early", 100, 100),
            ("runtime", "cudaGraphLaunch", 110, 1, {"correlation": 5}), ("device", "k", 900, 30, {"correlation": 5}))
        self.assertEqual([row(told, name, "device_self_ns") for name in ("early", "late")], [[30], [0]])
        self.assertEqual(told["graph_launches"], {"device_events": 1, "device_time_ns": 30})

    def test_memory_goes_to_the_innermost_operator(self):
        trace = Trace()
        trace.slice("op", "outer", 100, 100)
        trace.slice("op", "inner", 120, 30)
        for time, size in ((100, 1), (120, 2), (149, 4), (150, 8), (150, -100), (200, 16)):
            trace.memory(time, size)
        trace.memory(300, 7, device=(1, 0), **{"Total Allocated": 5})
        told = analyzed(trace)
        self.assertEqual([row(told, name, "allocation_bytes") for name in ("outer", "inner")], [[9], [6]])
        self.assertEqual([value(told, name) for name in ("allocation_bytes", "freed_bytes", "peak_allocated_bytes",
                                                         "unattributed_allocation_bytes")], [38, 100, 15, 23])
        self.assertEqual([(share["device_type"], share["value"])
                          for share in told["aggregates"]["peak_allocated_bytes"]["by_device"]], [(0, 15), (1, 5)])

    def test_the_innermost_phase_counts_on_any_thread_of_the_process(self):
        told = analysis_of(
            ("annotation", "Warm-Up", 100, 100, {"tid": 2}), ("annotation", "phase:steady", 150, 20, {"tid": 3}),
            ("op", "a", 100, 10), ("op", "a", 160, 5), ("op", "a", 170, 3), ("op", "a", 200, 1),
            ("op", "b", 100, 2, {"pid": 9}), ("op", "b", 300, 2, {"phase": "lukewarm"}))
        self.assertEqual((value(told, "warmup_time"), row(told, "b", "warmup")), (15, [True]))

    def test_names(self):
        self.assertEqual([name for name in (
            "torch.compile", "Dynamo", "CompiledFunction", "##Call CompiledFxGraph x ##", "inductor::f",
            "x inductor::f",
            "autograd::engine::evaluate_function: CompiledFunctionBackward", "prim::Graph_Executor", "aten::add",
            "TorchDynamo Cache Lookup", "Torch-Compiled Region: 0/0", "backend_compile")
                          if oracle.names.compiles(name)],
            ["torch.compile", "Dynamo", "x inductor::f", "prim::Graph_Executor", "backend_compile"])
        self.assertEqual([name for name in ("aten::add.out", "aten::add", "add.out", "aten::add.a.b", "a::b c.d",
                                            "a::b.") if oracle.names.OVERLOADED.match(name)], ["aten::add.out"])

    def test_what_cannot_be_is_excluded(self):
        told = analysis_of(("op", "a", 100, 10), ("op", "a", 100, -1), ("op", "a", -100, 1), ("device", "k", 0, 5),
                           ("op", "b", 100, 315_360_000 * 10**9 + 1), ("op", "c", 100, 315_360_000 * 10**9))
        self.assertEqual(row(told, "a", "calls") + row(told, "c", "calls"), [1, 1])
        self.assertEqual((told["operators"]["total"], told["completeness"]["warnings"]["impossible_time"]), (2, 4))
        self.assertEqual(told["aggregates"]["events"]["kind"], "lower_bound")

    def test_percentile(self):
        small = analysis_of(*[("op", "a", 10 * i, 1) for i in range(3)], ("op", "b", 500, 2))["repeated_small"]
        self.assertEqual((small["threshold_ns"], [r["name"] for r in small["rows"]]), (1.25, ["a"]))


if __name__ == "__main__":
    unittest.main()
