"""Intervals: what they cover together, and how calls lie in each other."""
import bisect
import collections


def union(intervals):
    """Length of what at least one interval covers: sweep over their endpoints."""
    covered = depth = since = 0
    for time, step in sorted((edge for start, end in intervals for edge in ((start, 1), (end, -1)))):
        covered += (time - since) if depth else 0
        depth += step
        since = time
    return covered


def grouped(things, key):
    groups = collections.defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return groups


def covered_per_track(slices):
    """The union of intervals of each track, summed."""
    return sum(union((s.start, s.end) for s in group) for group in grouped(slices, lambda s: s.track).values())


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
    tracks = grouped((s for s in slices if s.kind in kinds), lambda s: s.track)
    return {track: Nest(group) for track, group in tracks.items()}
