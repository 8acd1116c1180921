"""A backward that runs a backward that runs a backward: deeper than the autograd engine goes on one
thread, so that it goes on in threads of its own pool.
"""

import os
import sys
import time

import torch

torch.set_num_threads(1)
DEPTH = 150


class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if ctx.depth > 0:
            with torch.enable_grad():
                x = torch.ones(1, requires_grad=True)
                Deep.apply(x, ctx.depth - 1).sum().backward()
        torch.neg(grad)
        return grad, None


x = torch.ones(1, requires_grad=True)
Deep.apply(x, DEPTH).sum().backward()
print("gradient", x.grad.item())
sys.stdout.flush()
# The gradient is there a moment before the last operator has ended in its thread.
time.sleep(0.3)
# PyTorch 2.13 may abort when it takes its pool of threads down, recorded or not.
os._exit(0)
