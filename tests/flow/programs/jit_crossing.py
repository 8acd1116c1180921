"""Scripted functions that wait for forks on the threads of a pool: such a thread leaves a function
that waits and begins another, so that calls on it end in another order than they began in reverse.
"""

import os
import sys
import time

import torch

torch.set_num_threads(1)
torch.set_num_interop_threads(2)


@torch.jit.script
def slow(x: torch.Tensor) -> torch.Tensor:
    for _ in range(500):
        x = torch.neg(x)
    return x


@torch.jit.script
def patient(x: torch.Tensor) -> torch.Tensor:
    future = torch.jit.fork(slow, x)
    return torch.abs(torch.jit.wait(future))


@torch.jit.script
def crowd(x: torch.Tensor) -> torch.Tensor:
    a = torch.jit.fork(patient, x)
    b = torch.jit.fork(patient, x)
    c = torch.jit.fork(patient, x)
    return torch.jit.wait(a) + torch.jit.wait(b) + torch.jit.wait(c)


with torch.no_grad():
    x = torch.ones(1000)
    for _ in range(5):
        result = crowd(x)
print("result", result.sum().item())
sys.stdout.flush()
time.sleep(0.3)
# PyTorch 2.13 aborts when it takes its pool of threads down, recorded or not.
os._exit(0)
