"""A child of fork() releases what its parent allocated, and allocates on its own."""
import os
import sys

import torch

shared = torch.zeros(1000)
own = torch.zeros(10)
child = os.fork()
if child == 0:
    del shared
    mine = torch.zeros(77)
    del mine
    os._exit(0)
_, status = os.waitpid(child, 0)
del shared
print("parent", os.getpid(), "child", child, "status", status)
sys.stdout.flush()
os._exit(0)
