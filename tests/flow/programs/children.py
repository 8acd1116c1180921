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


def become_a_daemon():
    """Opens files under the numbers that were closed, works, and looks whether they are whole."""
    os.closerange(3, 256)
    files = [os.open(f"{sys.argv[1]}/{i}", os.O_RDWR | os.O_CREAT | os.O_TRUNC) for i in range(40)]
    for file in files:
        os.write(file, b"0123456789")
    for _ in range(3):
        torch.sin(x)
    whole = all(os.pread(file, 99, 0) == b"0123456789" for file in files)
    sys.exit(0 if whole else 1)


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
failed += in_child(become_a_daemon) != 0
print("failed", failed)
