#!/usr/bin/env python3
"""Turns a text description into CTF 1.8 trace folders, byte for byte the same every time.

    make_trace.py DESCRIPTION FOLDER

A description is a list of lines; `#` starts a comment:

    trace NAME [KEY=VALUE ...]   a trace folder FOLDER/NAME; `trace .` is FOLDER itself. Keys:
                                 host, vpid (both for the environment), context (the members of
                                 the event context and their types, default
                                 `vpid:i32,vtid:i32`; `none`), clock=none, metadata=none
    stream                       a stream file of the trace
    thread VPID VTID             for the events that follow
    context KEY=VALUE ...        likewise, for other members of the event context
    TIME EVENT [FIELD=VALUE ...] an event; TIME in ns after the trace's origin. A value is "text"
                                 (with \\n, \\xHH), a number (i64), NUMBERu (u64), true or false
                                 (u8), a decimal (double) or [numbers] (array of u64). The first
                                 event of a name fixes the types
    packet                       what follows is in a new packet
    discard N                    the tracer lost N events before the next packet's end
    cut N                        the stream file lacks its last N bytes
    file PATH TEXT               a file FOLDER/PATH that holds TEXT
    folder PATH                  an empty folder FOLDER/PATH
"""
import os
import re
import struct
import sys

ORIGIN_S = 1700000000
INTEGERS = {"i32": ("<i", 32, True), "u32": ("<I", 32, False),
            "i64": ("<q", 64, True), "u64": ("<Q", 64, False), "u16": ("<H", 16, False)}
FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\]|\S+)')


def integer(bits, signed, base=10):
    return f"integer {{ size = {bits}; align = 8; signed = {'true' if signed else 'false'}; base = {base}; }}"


def parse_value(text):
    """The field's TSDL type, with the name in place of %s, and its bytes."""
    if text.startswith('"'):
        raw = text[1:-1].encode("latin-1", "backslashreplace") if text.isascii() else text[1:-1].encode()
        raw = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m.group(1), 16)]), raw)
        return "string %s", raw.replace(b"\\n", b"\n").replace(b'\\"', b'"') + b"\0"
    if text.startswith("["):
        numbers = [int(n) for n in text[1:-1].split(",") if n.strip()]
        return f"{integer(64, False)} %s[{len(numbers)}]", struct.pack(f"<{len(numbers)}Q", *numbers)
    if text in ("true", "false"):
        return integer(8, False) + " %s", bytes([text == "true"])
    if text.endswith("u"):
        return integer(64, False) + " %s", struct.pack("<Q", int(text[:-1]))
    if "." in text:
        real = "floating_point { exp_dig = 11; mant_dig = 53; align = 8; byte_order = le; }"
        return real + " %s", struct.pack("<d", float(text))
    return integer(64, True) + " %s", struct.pack("<q", int(text))


class Trace:
    def __init__(self, folder, keys):
        self.folder = folder
        self.keys = keys
        self.events = {}
        self.streams = []
        context = keys.get("context", "vpid:i32,vtid:i32")
        self.context = [] if context == "none" else [c.split(":") for c in context.split(",")]
        self.values = {}

    def event(self, time, name, fields):
        parsed = [(key, *parse_value(value)) for key, value in fields]
        types = [kind % key for key, kind, _ in parsed]
        number, known = self.events.setdefault(name, (len(self.events), types))
        assert known == types, f"{name}: {types} is not {known}"
        head = struct.pack("<IQ", number, time)
        for key, kind in self.context:
            value = self.values.get(key, 0)
            if kind == "str":
                head += str(value).encode() + b"\0"
            else:
                head += struct.pack(INTEGERS[kind][0], int(value))
        self.streams[-1].add(time, head + b"".join(raw for _, _, raw in parsed))

    def metadata(self):
        clocked = self.keys.get("clock") != "none"
        env = [f'    hostname = "{self.keys["host"]}";'] if "host" in self.keys else []
        env += [f'    vpid = {self.keys["vpid"]};'] if "vpid" in self.keys else []
        stamp = "integer { size = 64; align = 8; signed = false; %s}" % (
            "map = clock.monotonic.value; " if clocked else "")
        context = "".join(
            f"        {'string' if kind == 'str' else integer(*INTEGERS[kind][1:])} {name};\n"
            for name, kind in self.context)
        text = ["/* CTF 1.8 */", "trace {", "    major = 1; minor = 8; byte_order = le;",
                "    packet.header := struct {",
                f"        {integer(32, False, 16)} magic; {integer(32, False)} stream_id;", "    };", "};"]
        text += ["env {"] + env + ["};"]
        if clocked:
            text += ["clock {", "    name = monotonic; freq = 1000000000;",
                     f"    offset_s = {ORIGIN_S};", "};"]
        text += ["stream {", "    id = 0;", "    packet.context := struct {",
                 f"        {stamp} timestamp_begin; {stamp} timestamp_end;",
                 f"        {integer(64, False)} content_size; {integer(64, False)} packet_size;",
                 f"        {integer(64, False)} events_discarded;", "    };",
                 "    event.header := struct {", f"        {integer(32, False)} id; {stamp} timestamp;", "    };"]
        text += ["    event.context := struct {\n" + context + "    };"] if context else []
        text += ["};"]
        for name, (number, types) in self.events.items():
            fields = "".join(f"        {t};\n" for t in types)
            text += ["event {", f'    name = "{name}"; id = {number}; stream_id = 0;',
                     "    fields := struct {\n" + fields + "    };", "};"]
        return "\n".join(text) + "\n"

    def write(self):
        os.makedirs(self.folder, exist_ok=True)
        if self.keys.get("metadata") != "none":
            with open(os.path.join(self.folder, "metadata"), "w") as out:
                out.write(self.metadata())
        for number, stream in enumerate(self.streams):
            with open(os.path.join(self.folder, f"stream_{number}"), "wb") as out:
                out.write(stream.bytes())


class Stream:
    def __init__(self):
        self.packets = []
        self.discarded = 0
        self.lost = 0
        self.begin()

    def begin(self):
        self.packets.append({"times": [], "body": b"", "discarded": self.discarded})

    def add(self, time, body):
        self.packets[-1]["times"].append(time)
        self.packets[-1]["body"] += body

    def discard(self, count):
        self.discarded += count
        self.packets[-1]["discarded"] = self.discarded

    def bytes(self):
        out = b""
        last = 0
        for packet in self.packets:
            first = packet["times"][0] if packet["times"] else last
            last = packet["times"][-1] if packet["times"] else last
            size = 8 * (8 + 40 + len(packet["body"]))
            out += struct.pack("<II", 0xC1FC1FC1, 0)
            out += struct.pack("<QQQQQ", first, last, size, size, packet["discarded"]) + packet["body"]
        return out[:len(out) - self.lost]


def main():
    description, folder = sys.argv[1:]
    traces = []
    for line in open(description, encoding="utf-8"):
        line = line.strip()
        word, _, rest = line.partition(" ")
        if not line or line.startswith("#"):
            continue
        if word == "trace":
            name, _, keys = rest.partition(" ")
            traces.append(Trace(os.path.join(folder, name), dict(k.split("=") for k in keys.split())))
        elif word == "stream":
            traces[-1].streams.append(Stream())
        elif word == "thread":
            traces[-1].values.update(zip(("vpid", "vtid", "pid", "tid"), rest.split() * 2))
        elif word == "context":
            traces[-1].values.update(k.split("=") for k in rest.split())
        elif word == "packet":
            traces[-1].streams[-1].begin()
        elif word == "discard":
            traces[-1].streams[-1].discard(int(rest))
        elif word == "cut":
            traces[-1].streams[-1].lost = int(rest)
        elif word in ("file", "folder"):
            path, _, text = rest.partition(" ")
            path = os.path.join(folder, path)
            os.makedirs(path if word == "folder" else os.path.dirname(path), exist_ok=True)
            if word == "file":
                with open(path, "w") as out:
                    out.write(text)
        else:
            name, _, fields = rest.partition(" ")
            traces[-1].event(int(word), name, FIELD.findall(fields))
    for trace in traces:
        trace.write()


main()
