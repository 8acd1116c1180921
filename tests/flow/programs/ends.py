"""Runs neg 20 times, prints "ready", and ends as the first argument says."""

import os
import signal
import sys
import time

import torch

mode, *rest = sys.argv[1:]
interrupts = 0


def count(*_):
    global interrupts
    interrupts += 1


def leave(*_):
    print("asked to end", flush=True)
    sys.exit(9)


if mode == "handles-term":
    signal.signal(signal.SIGTERM, leave)
if mode == "ignores-term":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "counts-int":
    signal.signal(signal.SIGINT, count)
if mode == "dies-of-int":
    signal.signal(signal.SIGINT, signal.SIG_DFL)

torch.set_num_threads(1)
x = torch.ones(3)
for _ in range(20):
    x.neg()
print("ready", flush=True)

if mode == "exits":
    sys.exit(int(rest[0]))
if mode == "kills-itself":
    os.kill(os.getpid(), int(rest[0]))
if mode == "is-busy":
    deadline = time.monotonic() + float(rest[0])
    while time.monotonic() < deadline:
        x.neg()
    print("not disturbed", flush=True)
    sys.exit(0)

deadline = time.monotonic() + (2 if mode == "ignores-term" else 30)
while time.monotonic() < deadline and not interrupts:
    time.sleep(0.02)
if mode == "counts-int":
    time.sleep(0.5)
    print("interrupts", interrupts, flush=True)
    sys.exit(interrupts)
