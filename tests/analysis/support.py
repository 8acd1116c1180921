"""What the tests of `optally analyze` share: making traces, running the command, its members as text."""
import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent / "oracle"))

import compare  # noqa: E402 (now that it is found)
import oracle  # noqa: E402

__all__ = ["Trace", "analyze", "compare", "member", "oracle", "report", "unlimited"]

CATEGORIES = {"op": "cpu_op", "runtime": "cuda_runtime", "device": "kernel", "annotation": "user_annotation",
              "python": "python_function"}


def microseconds(ns):
    """As the profiler writes them: a decimal with as many digits as needed, or an integer."""
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    whole, rest = divmod(ns, 1000)
    return f"{sign}{whole}.{rest:03}" if rest else f"{sign}{whole}"


def plain(members):
    """An event as the profiler would write it."""
    return "{" + ", ".join(members) + "}"


class Trace:
    """A torch.profiler trace in the making. Events are lists of the texts of their members, the first
    of which is the phase; `write_event` makes a text of that."""

    def __init__(self, write_event=plain, **header):
        self.write_event = write_event
        self.header = header
        self.events = []

    def event(self, ph, ts, *, dur=None, **members):
        event = [f'"ph": "{ph}"', f'"ts": {microseconds(ts)}']
        event += [f'"dur": {microseconds(dur)}'] if dur is not None else []
        self.events.append(event + [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members.items()])

    def slice(self, kind, name, ts, dur, pid=1, tid=1, category=None, **args):
        self.event("X", ts, dur=dur, name=name, cat=category or CATEGORIES[kind], pid=pid, tid=tid, args=args)

    def memory(self, ts, size, pid=1, tid=1, device=(0, -1), **args):
        self.event("i", ts, s="t", name="[memory]", cat="cpu_instant_event", pid=pid, tid=tid,
                   args={"Device Type": device[0], "Device Id": device[1], "Addr": 4096, "Bytes": size, **args})

    def text(self, events=None):
        header = "".join(f"{json.dumps(key)}: {json.dumps(value)}, " for key, value in self.header.items())
        return "{" + header + '"traceEvents": [\n' + ",\n".join(map(self.write_event, events or self.events)) + "]}"

    def write(self, path, events=None):
        pathlib.Path(path).write_text(self.text(events))
        return str(path)


def analyze(command, path, *options):
    """The command's exit status, what it printed, and its complaint."""
    done = subprocess.run([command, "analyze", str(path), "--json", *options], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def report(command, path, *options):
    return compare.run(command, path, options=options)


def member(text, name):
    """The bytes of a member's value, as printed."""
    at = text.index(f'"{name}":') + len(name) + 3
    at += len(text[at:]) - len(text[at:].lstrip())
    _, end = json.JSONDecoder().raw_decode(text, at)
    return text[at:end]


def unlimited(text):
    """What no limit may change."""
    names = ("population", "completeness", "aggregates", "graph_launches", "coverage")
    return {name: member(text, name) for name in names}
