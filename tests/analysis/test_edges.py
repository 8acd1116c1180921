#!/usr/bin/env python3
"""Corners of the format, each as a trace of a few events: what the command makes of it is what the
oracle makes of it.

    test_edges.py OPTALLY
"""
import json
import pathlib
import sys
import tempfile

from support import analyze, compare, oracle

LAUNCH = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 11, "dur": 1}
KERNEL = {"cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 20}


def event(**members):
    """An operator, but for the members that are given; `...` leaves one out."""
    whole = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 10, "dur": 5, **members}
    return json.dumps({key: value for key, value in whole.items() if value is not ...})


def number(member, text):
    """An operator with a number that is written just so."""
    return event(**{member: 77777}).replace("77777", text)


def linked(launch, kernel):
    return [event(), event(**LAUNCH, args={"correlation": launch}), event(**KERNEL, args={"correlation": kernel})]


def memory(*args):
    return [event()] + [event(ph="i", cat=..., dur=..., name="[memory]", ts=12, args=a) for a in args]


def half(ph, ts, **members):
    return event(**{"ph": ph, "ts": ts, "dur": ..., **members})


TRACES = {
    "nothing": [],
    "an annotation alone": [event(cat="user_annotation")],
    "legacy process": [event(cat=..., pid="CPU functions"), event(cat=..., name="b")],
    "legacy process name": [event(ph="M", cat=..., name="process_name", args={"name": "CPU functions"}),
                            event(cat=...)],
    "category of another type": [event(cat=3), event(cat=None), event()],
    "times as text": [event(ts="10.5", dur="2.25")],
    "zero times": [event(ts=0, dur=0), event(**{**KERNEL, "ts": 0})],
    "a base": [event(), event(cat="user_annotation", ts=1)],
    "correlations as text": linked("5", 5),
    "correlation zero": linked(0, 0),
    "correlation negative": linked(-5, -5),
    "correlation of other types": linked(5.0, 5.0) + linked(None, None),
    "devices": [event(**{**KERNEL, **more}) for more in (
        {}, {"args": {"device": 0}}, {"args": {"device": "0"}}, {"args": {"device": None}}, {"pid": "GPU 3"},
        {"args": {"device": "xpu:1"}}, {"args": {"device": -1}})],
    "both spellings of shapes": [event(args={"Input dims": [[1]]}), event(args={"Input Dims": [[1]]})],
    "spaces in shapes": [event(args=777).replace("777", text) for text in (
        '{"Input Dims": [[1,2], [ ]]}', '{"Input Dims":[[1, 2],[]]}', '{ "Input Dims" : [\n[ 1, 2 ],[] ] }')],
    "twelve shapes, ten shown": [event(args={"Input Dims": [[n]]}) for n in (9, 10, 100, 2, 1, 30, 4, 5, 6, 7, 8, 20)],
    "long shapes": [event(args={"Input Dims": [[1] * n]}) for n in (5000, 5001)],
    "memory without a device": memory({"Bytes": 5}, {"Bytes": -7}),
    "memory of nothing": memory({"Bytes": 0}),
    "memory unusable": memory({"Bytes": 5.5}, {"Bytes": 1 << 63}, {}, {"Bytes": "q"}, {"Bytes": 4}),
    "memory as text": memory({"Bytes": "5", "Total Allocated": "9"}),
    "memory that is a slice": [event(name="[memory]", args={"Bytes": 5})],
    "a process as text": [event(pid="-5"), event(pid=-5, ts=12, dur=1)],
    "a huge thread": [event(tid=1 << 63), event(tid=str(1 << 63), ts=12, dur=1)],
    "a negative thread": [event(tid=-1), event(tid="-1", ts=12, dur=1)],
    "no name": [event(name=...), event(name="")],
    "a long name": [event(name="n" * 1_000_000)],
    "escapes": [event().replace('"a"', r'"\u0061\n\ud83d\ude00\u0000\\\""')],
    "steps of the profiler": [event(name="ProfilerStep#3"), event(name="ProfilerStep#3", cat="Operator"),
                              event(name="ProfilerStep#3", cat="cuda_runtime"), event(name="ProfilerStep*")],
    "call stacks": [event(args={"Call stack": ""})],
    "call stack of a wait": [event(cat="cuda_sync", args={"Call stack": "f"}), event()],
    "no arguments": [event(args=None), event(args={})],
    "begin and end": [half("B", 1), half("B", 2, name="b"), half("E", 3, name=...), half("E", 4)],
    "begins at once": [half("B", 1), half("B", 1, name="b"), half("E", 4, name="b"), half("E", 4)],
    "an end too many": [half("E", 1), event()],
    "a begin too many": [half("B", 1), event()],
    "legacy begin": [half("B", 1, cat=..., pid="CPU functions"), half("E", 2, cat=..., pid="CPU functions")],
    "a phase that is no text": [event(args={"phase": 3}), event(cat="user_annotation", args={"phase": "warm"})],
    "letters like ours": [event(name="synchroni\u017fe"), event(name="\u212aompile"), event(cat="user_annotation",
                                                                                           name="WARMUP")],
    "duplicate keys": [event().replace('"a"', '"a", "cat": "kernel", "name": "b", "cat": "cpu_op"'),
                       *linked(5, 6)[:2],
                       event(**KERNEL, args=777).replace("777", '{"correlation": 1, "correlation": 5}')],
    **{f"a duration of {text}": [number("dur", text)] for text in (
        "5.0004", "5.0006", "5.0015", "5.0025", "5.9999", "2.5e1", "25E-1", "1e-9", "-0.0001", "5.123456789", "0.000")},
}
ERRORS = {
    "no ts": event(ts=...),
    "ts is no number": event(ts="abc"),
    "ts null": event(ts=None),
    "ts overflows": event(ts=1 << 60),
    "NaN": event(args=float("nan")),
    "a line break in a name": event().replace('"a"', '"\n"'),
    "no object": "5",
    "not JSON": "{",
}


def faults(command, path):
    for name, events in TRACES.items():
        path.write_text('{"baseTimeNanoseconds": 1784000000000000001, "traceEvents": [' + ",".join(events) + "]}")
        status, out, complaint = analyze(command, path, "--limit", "all", "--small-limit", "all")
        if status != 0:
            yield f"{name}: {complaint}"
            continue
        for fault in compare.differences(json.loads(out), oracle.analyze([path]).report(None, None, None)):
            yield f"{name}: {fault}"
    for name, text in ERRORS.items():
        path.write_text(f"[{event()}, {text}]")
        status, out, complaint = analyze(command, path)
        if status != 1 or complaint.count("\n") != 1 or "message" not in json.loads(out):
            yield f"{name}: exit {status}: {out}{complaint}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = list(faults(sys.argv[1], pathlib.Path(folder) / "edge.json"))
    for fault in found:
        print(fault)
    print(f"{len(TRACES) + len(ERRORS)} traces, {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
