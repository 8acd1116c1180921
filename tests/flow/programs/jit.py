"""A scripted function that is put aside while it waits and finished by another thread.

`patient` waits for `slow`, which another thread of the pool computes. TorchScript's interpreter
does not block there: the thread that finishes `slow` goes on with `patient`, whose scope so begins
on one thread and ends on another.
"""

import os
import sys
import time

import torch

torch.set_num_threads(1)
torch.set_num_interop_threads(2)


@torch.jit.script
def slow(x: torch.Tensor) -> torch.Tensor:
    for _ in range(2000):
        x = torch.neg(x)
    return x


@torch.jit.script
def patient(x: torch.Tensor) -> torch.Tensor:
    future = torch.jit.fork(slow, x)
    return torch.abs(torch.jit.wait(future))


with torch.no_grad():
    x = torch.ones(1000)
    for _ in range(3):
        result = patient(x)
    for _ in range(11):
        torch.sin(x)
print("result", result.sum().item())
sys.stdout.flush()
# The result is there a moment before the function has ended in its thread.
time.sleep(0.3)
# PyTorch 2.13 aborts when it takes its pool of threads down, recorded or not.
os._exit(0)
