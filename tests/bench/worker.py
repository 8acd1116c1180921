"""One variant of the overhead benchmark: runs chunks of torch.add when told to.

Reads lines from standard input, each the number of operators to run; answers with the nanoseconds
they took. Ends with the input.
"""
import contextlib
import sys
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


def main():
    variant = sys.argv[1]
    torch.set_num_threads(1)
    x = torch.ones(1)
    with torch.no_grad():
        for line in sys.stdin:
            with recording(variant):
                taken = run(int(line), x)
            print(taken, flush=True)


main()
