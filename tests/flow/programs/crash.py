"""Forks children one after the other, each with four threads that run operators and count them in
shared memory after each; kills each with SIGKILL at a random moment.

    crash.py CHILDREN

Prints "PID THREAD-ID NEG ABS" per thread: how often each operator had ended for certain.
"""

import ctypes
import mmap
import os
import random
import signal
import sys
import threading
import time

import torch

THREADS = 4
seed = random.randrange(1 << 32)
random.seed(seed)
print(f"seed {seed}", file=sys.stderr)
torch.set_num_threads(1)


def work(slots, at):
    slots[at] = threading.get_native_id()
    x = torch.ones(3)
    with torch.no_grad():
        while True:
            x.neg()
            slots[at + 1] += 1
            x.abs()
            slots[at + 2] += 1


def child(slots):
    for i in range(THREADS - 1):
        threading.Thread(target=work, args=(slots, 3 * i), daemon=True).start()
    work(slots, 3 * (THREADS - 1))


for _ in range(int(sys.argv[1])):
    memory = mmap.mmap(-1, 4096)
    slots = (ctypes.c_uint64 * (3 * THREADS)).from_buffer(memory)
    pid = os.fork()
    if pid == 0:
        try:
            child(slots)
        finally:
            os._exit(1)
    while not all(slots[3 * i + 2] for i in range(THREADS)):
        time.sleep(0.001)
    time.sleep(random.uniform(0, 0.05))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    for i in range(THREADS):
        print(pid, *slots[3 * i : 3 * i + 3], flush=True)
os._exit(0)
