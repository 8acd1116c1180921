"""One variant of the overhead benchmark: runs chunks of torch.add when told to.

usage: worker.py VARIANT           reads lines, each the number of operators to run, and answers with
                                   the nanoseconds they took; ends with the input
       worker.py threads N         runs operators on N threads at once and prints the KiB that the
                                   program took at most, and the KiB of files that it shares
"""
import contextlib
import os
import re
import sys
import threading
import time

import torch


def run(count, x):
    add = torch.add
    start = time.perf_counter_ns()
    for _ in range(count):
        add(x, x)
    return time.perf_counter_ns() - start


def recording(variant):
    if variant != "profiler":
        return contextlib.nullcontext()
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])


def run_chunks(variant):
    x = torch.ones(1)
    with torch.no_grad():
        for line in sys.stdin:
            with recording(variant):
                taken = run(int(line), x)
            print(taken, flush=True)


def run_threads(count):
    """All threads are there at the same time."""
    barrier = threading.Barrier(count)

    def work():
        with torch.no_grad():
            barrier.wait()
            run(20_000, torch.ones(1))
            barrier.wait()

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open("/proc/self/status", encoding="ascii") as file:
        status = file.read()
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as file:
        maps = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", file.read(), flags=re.M)
    shared = sum(int(re.search(r"^Rss: +([0-9]+)", m, re.M)[1]) for m in maps if ".oplog" in m)
    print(re.search(r"^VmHWM:\s+([0-9]+)", status, re.M)[1], shared, flush=True)
    os._exit(0)


def main():
    torch.set_num_threads(1)
    if sys.argv[1] == "threads":
        run_threads(int(sys.argv[2]))
    else:
        run_chunks(sys.argv[1])


main()
