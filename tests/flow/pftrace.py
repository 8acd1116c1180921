"""What a Perfetto trace holds, read from its bytes as the published protos define them.

usage: pftrace.py tracks FILE    a line for each track with slices: name, slices, depth, unfinished
       pftrace.py slices FILE    a line for each slice: track, begin, duration, depth, name
       pftrace.py count FILE     how many slices, points and values of counters
"""
import collections
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of each field: an int, or the bytes of what has a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert kind == 2, kind
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield tag >> 3, value


class Trace:
    """Tracks by uuid, and the events of each in the order of time."""

    def __init__(self, data):
        self.names = {0: ""}
        self.tracks = {}
        self.parents = {}
        self.events = collections.defaultdict(list)
        self.n_points = self.n_values = self.base = 0
        for number, packet in fields(data):
            assert number == 1
            self.take(packet)

    def take(self, packet):
        parts = dict(fields(packet))
        assert parts[10] == 1
        if 6 in parts:
            clocks = {entry[1]: entry[2] for entry in
                      (dict(fields(value)) for key, value in fields(parts[6]) if key == 1)}
            assert clocks[64] == 0
            self.base = clocks[6]
        for kind, value in fields(parts.get(12, b"")):
            if kind == 2:
                entry = dict(fields(value))
                self.names[entry[1]] = entry[2].decode()
        if 60 in parts:
            track = dict(fields(parts[60]))
            self.tracks[track[1]] = track.get(2, b"").decode()
            if 4 in track:
                tid = dict(fields(track[4]))[2]
                self.tracks[track[1]] = f"{self.tracks[track[1]]} {tid}".strip()
            self.parents[track[1]] = track.get(5, 0)
        if 11 in parts:
            event = dict(fields(parts[11]))
            time = parts[8] + (0 if parts.get(58) == 6 else self.base)
            self.n_points += event[9] == 3
            self.n_values += event[9] == 4
            if event[9] in (1, 2):
                self.events[event[11]].append((time, event[9], self.names[event.get(10, 0)]))

    def title(self, track):
        parent = self.parents[track]
        return (self.title(parent) + "/" if parent else "") + self.tracks[track]

    def slices(self):
        """(track, begin, duration or None, depth, name), track by track."""
        for track, events in self.events.items():
            stack = []
            done = []
            for time, kind, name in sorted(events, key=lambda event: event[0]):
                if kind == 1:
                    stack.append(len(done))
                    done.append([self.title(track), time, None, len(stack) - 1, name])
                else:
                    begun = done[stack.pop()]
                    begun[2] = time - begun[1]
            yield from done


def main():
    question, path = sys.argv[1:]
    with open(path, "rb") as file:
        trace = Trace(file.read())
    slices = list(trace.slices())
    if question == "count":
        print(len(slices), trace.n_points, trace.n_values)
    elif question == "slices":
        for row in sorted(slices, key=lambda row: (row[0], row[1], row[3])):
            print(*row, sep="\t")
    else:
        tracks = collections.defaultdict(list)
        for row in slices:
            tracks[row[0]].append(row)
        for title, rows in sorted(tracks.items()):
            unfinished = sum(row[2] is None for row in rows)
            print(title, len(rows), 1 + max(row[3] for row in rows), unfinished, sep="\t")


main()
