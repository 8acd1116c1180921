"""Reads torch.profiler's JSON into slices, by the letter of the format's description.

Times are integers of nanoseconds, parsed from the text of the trace: no float is ever made of one.
Nothing here is fast or forgiving: what is not JSON raises.
"""
import collections
import dataclasses
import gzip
import hashlib
import json
import re
from fractions import Fraction

KINDS = {
    "op": ["cpu_op", "Operator"],
    "runtime": ["cuda_runtime", "cuda_driver", "Runtime", "xpu_runtime", "xpu_driver", "mtia_runtime",
                "privateuse1_runtime", "privateuse1_driver", "glow_runtime"],
    "device": ["kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset", "mtia_ccp_events", "hpu_op",
               "collective_comm", "privateuse1_kernel", "privateuse1_memcpy", "privateuse1_memset"],
    "annotation": ["user_annotation"],
    "device_annotation": ["gpu_user_annotation"],
    "python": ["python_function"],
    "sync": ["cuda_sync", "xpu_sync"],
}
KIND_OF = {category: kind for kind, categories in KINDS.items() for category in categories}
CENTURY_ISH = 315_360_000 * 10**9  # ten years
INTEGER = re.compile(r"-?\d+\Z")
MICROSECONDS = re.compile(r"(-?)(\d+)(?:\.(\d{1,3})0*)?\Z")


@dataclasses.dataclass(slots=True, eq=False)
class Slice:
    session: int
    kind: str
    category: str
    name: str
    track: tuple  # session, host, pid, tid
    start: int
    duration: int
    args: dict
    order: int  # in the file

    @property
    def end(self):
        return self.start + self.duration

    @property
    def process(self):
        return self.track[:3]


@dataclasses.dataclass(slots=True)
class Memory:
    session: int
    track: tuple
    time: int
    bytes: int
    device: tuple  # session, type, id
    total: object  # int or None
    order: int


class Session:
    """What one file holds: `slices` and `memory` that count, and what was odd."""

    def __init__(self, path, number=0):
        with open(path, "rb") as file:
            raw = file.read()
        self.artifact = hashlib.sha256(raw).hexdigest()
        self.number = number
        self.slices = []
        self.memory = []
        self.warnings = collections.Counter()
        self.unclosed = 0
        self.unmatched = 0
        document = parse(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw, self.warnings)
        header = document if isinstance(document, dict) else {}
        events = header["traceEvents"] if header else document
        self.base = header.get("baseTimeNanoseconds")
        self.host = str(header.get("host_name", ""))
        self.read_events = len(events)
        self.process_names = {number_of(e.get("pid")): (e.get("args") or {}).get("name")
                              for e in events if e.get("ph") == "M" and e.get("name") == "process_name"}
        halves = collections.defaultdict(list)
        for order, event in enumerate(events):
            phase = event.get("ph")
            if phase == "X":
                self.add(event, event.get("dur"), order)
            elif phase in ("B", "E"):
                halves[number_of(event.get("pid")), number_of(event.get("tid"))].append((ns(event["ts"]), order, event))
            elif phase in ("i", "I") and event.get("name") == "[memory]":
                self.add_memory(event, order)
        for thread in halves.values():
            self.pair(sorted(thread, key=lambda half: half[:2]))

    def add(self, event, duration, order):
        """A whole slice; `duration` as in the file, or an int of ns behind a tuple."""
        category = event.get("cat")
        name = str(event.get("name", ""))
        pid = number_of(event.get("pid"))
        kind = KIND_OF.get(category, "other")
        if category is None and "CPU functions" in (pid, self.process_names.get(pid)):
            kind = "op"
            self.warnings["legacy_no_category"] += 1
        if category in ("Operator", "cpu_op") and re.match(r"ProfilerStep#\d+\Z", name):
            kind = "annotation"
        start = ns(event["ts"])
        if duration is None:
            self.warnings["missing_duration"] += 1
            return
        duration = duration[0] if isinstance(duration, tuple) else ns(duration)
        if duration < 0 or start < 0 or duration > CENTURY_ISH or (kind == "device" and start == 0):
            self.warnings["impossible_time"] += 1
            return
        track = (self.number, self.host, pid, number_of(event.get("tid")))
        self.slices.append(Slice(self.number, kind, category or "", name, track, start, duration,
                                 event.get("args") or {}, order))

    def pair(self, halves):
        """Entries and exits of a thread, in order of time: an exit closes the innermost entry of its
        name, or the innermost of all where it has none."""
        opened = []
        for time, order, event in halves:
            if event["ph"] == "B":
                opened.append((time, order, event))
                continue
            fits = [i for i, entry in enumerate(opened) if event.get("name") in (None, "", entry[2].get("name"))]
            if not fits:
                self.unmatched += 1
                continue
            start, entry_order, entry = opened[fits[-1]]
            self.unclosed += len(opened) - 1 - fits[-1]
            del opened[fits[-1]:]
            self.add(entry, (time - start,), entry_order)
        self.unclosed += len(opened)

    def add_memory(self, event, order):
        args = event.get("args") or {}
        size = whole(args.get("Bytes"))
        if size is None:
            self.warnings["bad_memory_event"] += 1
            return
        track = (self.number, self.host, number_of(event.get("pid")), number_of(event.get("tid")))
        device = (self.number, whole(args.get("Device Type")) or 0, whole(args.get("Device Id")) or 0)
        self.memory.append(Memory(self.number, track, ns(event["ts"]), size, device,
                                  whole(args.get("Total Allocated")), order))


def whole(value):
    """An integer of 64 bits, or text of one; else nothing."""
    value = number_of(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and -2**63 <= value < 2**63 else None


def number_of(value):
    """A pid or tid: text that holds an integer is that integer."""
    return int(value) if isinstance(value, str) and INTEGER.match(value) else value


def ns(microseconds):
    if isinstance(microseconds, int):
        return microseconds * 1000
    plain = MICROSECONDS.match(microseconds)
    if plain:
        sign, whole_part, decimals = plain.groups()
        value = int(whole_part) * 1000 + int((decimals or "").ljust(3, "0"))
        return -value if sign else value
    return round(Fraction(microseconds) * 1000)


def parse(raw, warnings):
    def members(pairs):
        found = dict(pairs)
        warnings["duplicate_key"] += len(pairs) - len(found)
        return found

    def constant(text):
        raise ValueError(f"{text} is no number")

    return json.loads(raw.decode("utf-8", "replace"), parse_float=str, parse_constant=constant,
                      object_pairs_hook=members, strict=True)
