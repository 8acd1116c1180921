"""Writes traces that are made to hurt their reader: make_bombs.py FOLDER.

Each begins with one sound event, so that nothing about it looks odd from its start.
"""

import gzip
import os
import sys

MIB = 1 << 20
EVENT = b'{"ph":"X","cat":"cpu_op","name":"sound","pid":1,"tid":1,"ts":1,"dur":1}'
HEAD = b'{"traceEvents":[' + EVENT


def write(folder, name, *parts):
    """A part is bytes, or bytes and how often they are repeated; each time it is a gzip member of its
    own, so that it has to be packed only once."""
    with open(os.path.join(folder, name + ".json.gz"), "wb") as f:
        for part in parts:
            data, times = part if isinstance(part, tuple) else (part, 1)
            member = gzip.compress(data, 9)
            for _ in range(times):
                f.write(member)


def distinct_names(first, n):
    event = b',{"ph":"X","cat":"cpu_op","name":"n%d","pid":1,"tid":1,"ts":%d,"dur":1}'
    return b"".join(event % (i, i) for i in range(first, first + n))


def main():
    folder = sys.argv[1]
    write(folder, "numbers", b'{"x":[0', (b",0" * (8 * MIB), 69), b'],"traceEvents":[]}')
    write(folder, "name", HEAD + b',{"ph":"X","name":"', (b"a" * MIB, 2048), b'"}]}')
    write(folder, "space", HEAD + b",", (b" " * MIB, 2048), EVENT + b"]}")
    write(folder, "deep", HEAD + b',{"ph":"X","args":{"a":' + b"[" * 100000)
    write(folder, "deep-header", b'{"x":' + b'{"y":' * 100000)
    write(folder, "nested", HEAD, ((b"," + EVENT) * 10000, 200), b"]}")
    write(folder, "names", HEAD, *(distinct_names(i, 100000) for i in range(0, 2200000, 100000)))


main()
