"""Reads operator logs as docs/formats/oplog.md describes them, and knows nothing else of them."""
import bisect
import collections
import os
import struct

CHUNK = 65536
ID_BITS = (1 << 20) - 1
NO_NAME = ID_BITS
NO_ANNOTATION = ID_BITS - 1
ENTRY, EXIT, EXIT_OF, SEQUENCE_OF, SHAPES_OF, MEMORY, REBASE, SEGMENT = range(1, 9)
WORDS = {ENTRY: 1, EXIT: 1, EXIT_OF: 3, SEQUENCE_OF: 3, SHAPES_OF: 1, MEMORY: 4, REBASE: 2, SEGMENT: 9}
NANOSECONDS = 3  # the kind of clock whose ticks are such

# kind: "entry" or "exit"; depth_mark: ticks of the entry that an exit names, or None.
Event = collections.namedtuple("Event", "tid kind name is_operator ticks")
Call = collections.namedtuple("Call", "tid name is_operator begin end")
Segment = collections.namedtuple("Segment", "thread number tid events_before open_calls torch_thread records")


def text(data):
    return data.split(b"\0", 1)[0].decode()


class Log:
    """One file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"oplog\r\n\x1a", path
        version, header_bytes, chunk_bytes, self.clock_kind = struct.unpack_from("<IIII", data, 8)
        assert (version, header_bytes, chunk_bytes) == (1, CHUNK, CHUNK), path
        self.pid, = struct.unpack_from("<q", data, 32)
        self.boot = text(data[120:160])
        self.lost_events, = struct.unpack_from("<Q", data, 280)
        self.moments = [struct.unpack_from("<Qqq", data, at) for at in (224, 248, 320)]
        self.names = {}
        self.shapes = {}
        self.segments = collections.defaultdict(list)
        for at in range(header_bytes, len(data), CHUNK):
            kind, = struct.unpack_from("<I", data, at)
            chunk = data[at + 64:at + CHUNK]
            if kind == 1:
                self.read_events(struct.unpack(f"<{len(chunk) // 8}Q", chunk))
            elif kind == 2:
                self.read_names(chunk)

    def read_names(self, chunk):
        at = 0
        while at + 16 <= len(chunk):
            number, kind, _, _, first, second = struct.unpack_from("<IBBHII", chunk, at)
            if number == 0:
                return
            begin = at + 16
            texts = chunk[begin:begin + first].decode(), chunk[begin + first:begin + first + second].decode()
            if kind == 3:
                self.shapes[number] = texts
            else:
                self.names[number] = (*texts, kind == 1)
            at = (begin + first + second + 7) // 8 * 8

    def read_events(self, words):
        at = 0
        base = None
        segment = None
        while at < len(words) and words[at] != 0:
            kind = words[at] >> 60
            more = words[at + 1:at + WORDS[kind]]
            if kind == SEGMENT:
                thread, number = more[0] & 0xffffffff, more[0] >> 32
                base = more[2]
                segment = Segment(thread, number, more[1], more[3], more[4] & 0xffffffff, more[4] >> 32, [])
                self.segments[thread].append(segment)
                if more[7]:
                    self.moments.append((base, more[7], 0))
            elif kind == REBASE:
                base = more[0]
            else:
                ticks = base + (words[at] & (1 << 40) - 1)
                segment.records.append((kind, words[at] >> 40 & ID_BITS, ticks, more))
            at += WORDS[kind]

    def thread(self, number):
        """All records of a thread, which must be there from the first to the last."""
        segments = sorted(self.segments[number], key=lambda segment: segment.number)
        assert [segment.number for segment in segments] == list(range(len(segments)))
        seen = 0
        for segment in segments:
            assert segment.events_before == seen, f"{segment.events_before} events before, {seen} seen"
            yield from segment.records
            seen += sum(record[0] in (ENTRY, EXIT, EXIT_OF) for record in segment.records)

    def tid(self, number):
        return self.segments[number][0].tid

    def name(self, number):
        if number in (NO_NAME, NO_ANNOTATION):
            return "(name not kept)", number == NO_NAME
        name, overload, is_operator = self.names[number]
        name = name or "(no name)"
        return (f"{name}.{overload}" if overload and overload != "default" else name), is_operator

    def events(self):
        """Each entry and exit, an exit on the thread that its call began on."""
        for number in self.segments:
            for kind, name, ticks, more in self.thread(number):
                if kind in (ENTRY, EXIT):
                    yield Event(self.tid(number), "entry" if kind == ENTRY else "exit", *self.name(name), ticks)
                elif kind == EXIT_OF:
                    yield Event(self.tid(more[0]), "exit", *self.name(name), ticks)

    def calls(self):
        """The calls that ended. Which entry an EXIT ends is the newest one that is still open."""
        ended = {}
        for number in self.segments:
            for kind, _, ticks, more in self.thread(number):
                if kind == EXIT_OF:
                    ended[more[0], more[1]] = ticks
        for number in self.segments:
            stack = []
            for kind, name, ticks, more in self.thread(number):
                if kind == ENTRY and (number, ticks) in ended:
                    yield Call(self.tid(number), *self.name(name), ticks, ended[number, ticks])
                elif kind == ENTRY:
                    stack.append((name, ticks))
                elif kind == EXIT:
                    at = max(i for i, entry in enumerate(stack) if entry[0] == name)
                    yield Call(self.tid(number), *self.name(name), stack.pop(at)[1], ticks)

    def memory(self):
        for number in self.segments:
            for kind, _, _, more in self.thread(number):
                if kind == MEMORY:
                    yield struct.unpack("<qqii", struct.pack("<QQQ", *more))


class Clock:
    """From ticks to nanoseconds since the epoch, for the logs of one boot."""

    def __init__(self, moments, kind):
        moments = sorted(moment for moment in set(moments) if any(moment))
        whole = [moment for moment in moments if moment[2]]
        self.offset = whole[0][2] - whole[0][1]
        self.is_ns = kind == NANOSECONDS
        self.knots = moments[:1]
        for moment in moments:
            if moment[1] - self.knots[-1][1] >= 500_000_000:
                self.knots.append(moment)
        if self.knots[-1] != moments[-1]:
            # The last one counts whatever the distance; the one before makes room for it.
            if len(self.knots) > 1:
                self.knots.pop()
            self.knots.append(moments[-1])
        self.ticks = [knot[0] for knot in self.knots]

    def ns(self, ticks):
        if self.is_ns:
            return ticks + self.offset
        at = min(max(bisect.bisect_right(self.ticks, ticks) - 1, 0), len(self.knots) - 2)
        a, b = self.knots[at], self.knots[at + 1]
        if ticks > self.ticks[-1]:
            a, b = self.knots[0], self.knots[-1]
            return b[1] + (ticks - b[0]) * (b[1] - a[1]) // (b[0] - a[0]) + self.offset
        return a[1] + (ticks - a[0]) * (b[1] - a[1]) // (b[0] - a[0]) + self.offset


class Recording:
    """A folder of logs of one boot."""

    def __init__(self, folder):
        names = sorted(name for name in os.listdir(folder) if name.endswith(".oplog"))
        self.logs = [Log(os.path.join(folder, name)) for name in names]
        moments = [moment for log in self.logs for moment in log.moments]
        with open(os.path.join(folder, "optally.clock"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        assert lines[0] == "optally clock 1" and lines[1] == f"boot {self.logs[0].boot}"
        moments += [tuple(map(int, line.split())) for line in lines[3:]]
        self.clock = Clock(moments, self.logs[0].clock_kind)
