"""What a timeline of torch.profiler's traces has to show, from the traces and the rules of drawing.

Calls, annotations and Python frames of a thread each nest by themselves; what a device does, waits,
annotations on a device and all the rest lie flat, each kind on its own. What starts together is in
the order of ends, the latest first, and then as the trace has it. A slice goes to the first row of
its lane where it fits: where nothing is open, or in a lane that nests inside what is open, up to as
many levels as Perfetto can show.
"""
import collections
import itertools
import json

from kineto import Session, ns, number_of, whole
from nest import grouped

MAX_LEVELS = 512
LANES = {"op": "calls", "runtime": "calls", "annotation": "annotation", "python": "python"}


class Row:
    def __init__(self):
        self.slices = []
        self.depths = []
        self.open = []

    def fits(self, s, nests):
        while self.open and self.open[-1].end <= s.start:
            self.open.pop()
        return not self.open or (nests and s.end <= self.open[-1].end and len(self.open) < MAX_LEVELS)

    def add(self, s):
        self.slices.append(s)
        self.depths.append(len(self.open))
        self.open.append(s)


def rows_of(slices, nests):
    """The slices of a lane, laid out."""
    rows = []
    for s in sorted(slices, key=lambda s: (s.start, -s.duration, s.order)):
        row = next((row for row in rows if row.fits(s, nests)), None)
        if row is None:
            row = Row()
            rows.append(row)
        row.add(s)
    return rows


def lane_of(s):
    return (*s.track, LANES.get(s.kind, s.kind))


class Timeline:
    """Of one job: each file a session."""

    def __init__(self, paths):
        self.sessions = [Session(path, number) for number, path in enumerate(paths)]
        slices = [s for session in self.sessions for s in session.slices]
        self.lanes = {lane: rows_of(group, lane[-1] in LANES.values())
                      for lane, group in grouped(slices, lane_of).items()}
        self.starts = self.zeros()

    def zeros(self):
        """What is added to the times of each session."""
        if len(self.sessions) == 1 or all(session.base is not None for session in self.sessions):
            return [int(session.base or 0) for session in self.sessions]
        firsts = [min(itertools.chain((s.start for s in session.slices), (m.time for m in session.memory)), default=0)
                  for session in self.sessions]
        return [-first for first in firsts]

    def tracks(self):
        """Each row as its slices' (start, duration, name, depth), sorted, with the slices."""
        for rows in self.lanes.values():
            for row in rows:
                zero = self.starts[row.slices[0].session]
                drawn = [(s.start + zero, s.duration, s.name, depth) for s, depth in zip(row.slices, row.depths)]
                order = sorted(range(len(drawn)), key=drawn.__getitem__)
                yield tuple(drawn[i] for i in order), [row.slices[i] for i in order]

    def n_slices(self):
        return sum(len(row.slices) for rows in self.lanes.values() for row in rows)

    def notes(self):
        """What is said of each slice: (start, duration, name, depth, shapes, sequence number, correlation)."""
        for rows, slices in self.tracks():
            for drawn, s in zip(rows, slices):
                correlation = whole(s.args.get("correlation"))
                yield (*drawn, json.dumps(s.args.get("Input Dims", s.args.get("Input dims"))),
                       whole(s.args.get("Sequence number")),
                       correlation if correlation is not None and correlation > 0 else None)

    def counters(self):
        """Per device the allocated bytes: where they are told the totals, else what the sizes add up to."""
        found = []
        memory = [m for session in self.sessions for m in session.memory]
        for group in grouped(memory, lambda m: (m.track[:3], m.device, m.total is None)).values():
            group.sort(key=lambda m: (m.time, m.order))
            sums = itertools.accumulate(m.bytes for m in group)
            zero = self.starts[group[0].session]
            found.append([(m.time + zero, total if m.total is None else m.total) for m, total in zip(group, sums)])
        return found

    def launches(self):
        """Calls into a runtime and the device work that they launched: whatever shares a correlation."""
        groups = collections.defaultdict(list)
        for rows in self.lanes.values():
            for s in itertools.chain.from_iterable(row.slices for row in rows):
                correlation = whole(s.args.get("correlation"))
                if s.kind in ("runtime", "device") and correlation is not None and correlation > 0:
                    groups[s.session, correlation].append(s)
        return list(groups.values())


def arrows(path):
    """The forward operators and their backward ones, as the trace's own arrows join them: for each
    arrow its ends' (pid, tid, ns)."""
    import gzip
    from kineto import parse
    with open(path, "rb") as file:
        raw = file.read()
    document = parse(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw, collections.Counter())
    events = document["traceEvents"] if isinstance(document, dict) else document
    ends = collections.defaultdict(lambda: ([], []))
    for event in events:
        if event.get("ph") in ("s", "f") and event.get("cat") == "fwdbwd":
            place = number_of(event.get("pid")), number_of(event.get("tid")), ns(event["ts"])
            ends[str(event.get("id"))][event["ph"] == "f"].append(place)
    return [pair for pair in ends.values() if all(pair)]
