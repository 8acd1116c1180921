#!/usr/bin/env python3
"""A program under torch.profiler: its trace, and what the profiler itself says of each operator.

    record_key_averages.py TRACE TOLD
"""
import json
import sys
import threading

import torch
from torch.autograd.profiler_util import EventList
from torch.profiler import ProfilerActivity, profile


def train(steps):
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
                              torch.nn.Linear(8 * 14 * 14, 10))
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        net(torch.randn(4, 3, 16, 16)).square().mean().backward()
        optimizer.step()


def averages(prof):
    return [{"name": row.key, "calls": row.count, "self_us": row.self_cpu_time_total, "total_us": row.cpu_time_total,
             "annotation": row.is_user_annotation} for row in prof.key_averages()]


def main():
    trace, told = sys.argv[1:]
    everywhere = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
    train(1)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, experimental_config=everywhere) as prof:
        worker = threading.Thread(target=train, args=(3,))
        worker.start()
        train(3)
        worker.join()
    prof.export_chrome_trace(trace)
    # The profiler merges a call with the only one in it where both have the same name. Its numbers
    # from before that are told, too: what it counts then is every call.
    merge, EventList._remove_dup_nodes = EventList._remove_dup_nodes, lambda self: None
    every_call = averages(prof)
    merge(prof.events())
    with open(told, "w") as out:
        json.dump({"every_call": every_call, "merged": averages(prof)}, out)


if __name__ == "__main__":
    main()
