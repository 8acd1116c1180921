"""A program with one operator of its own that takes as many milliseconds as it is told."""
import sys
import time

import torch

pause_s = float(sys.argv[1]) / 1000


def slow(tensor):
    time.sleep(pause_s)
    return tensor.clone()


library = torch.library.Library("flow", "DEF")
library.define("slow(Tensor x) -> Tensor")
library.impl("slow", slow, "CPU")

torch.set_num_threads(1)
x = torch.ones(64, 64)
for _ in range(10):
    x = torch.relu(torch.mm(x, x) / 64)
    x = torch.ops.flow.slow(x)
print(f"sum {x.sum().item():.0f}")
