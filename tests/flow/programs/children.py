"""Children that do not care for whoever watches: they close everything, and most only execute.

Prints how many did not end with 0.
"""

import os
import subprocess
import sys

import torch

torch.set_num_threads(1)
x = torch.ones(4)
torch.neg(x)


def in_child(work):
    pid = os.fork()
    if pid == 0:
        work()
    return os.waitpid(pid, 0)[1]


def close_everything():
    os.closerange(3, 256)
    os._exit(0)


def leave_politely():
    sys.exit(0)


def work_in_a_grandchild():
    status = in_child(lambda: (torch.abs(x), sys.exit(0)))
    os._exit(status != 0)


failed = 0
for _ in range(30):
    # A function to run before exec makes Python fork, and close all descriptors in the child.
    failed += subprocess.run(["true"], preexec_fn=lambda: None).returncode != 0
    failed += in_child(close_everything) != 0
for _ in range(5):
    failed += in_child(leave_politely) != 0
    failed += in_child(work_in_a_grandchild) != 0
print("failed", failed)
