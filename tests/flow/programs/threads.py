"""Four Python threads with operators of their own; three more run backward.

Prints "THREAD-ID KIND COUNT" for each.
"""

import threading

import torch

torch.set_num_threads(1)
lines = []


def compute(count):
    x = torch.ones(3)
    for _ in range(count):
        x.neg()
    lines.append(f"{threading.get_native_id()} neg {count}")


def differentiate(count):
    x = torch.ones(3, requires_grad=True)
    for _ in range(count):
        x.sum().backward()
    lines.append(f"{threading.get_native_id()} backward {count}")


# All are alive at the same time, so that no two have the same id.
barrier = threading.Barrier(7)


def run(work, count):
    barrier.wait()
    work(count)
    barrier.wait()


threads = [threading.Thread(target=run, args=(compute, 50 * (i + 1))) for i in range(4)]
threads += [threading.Thread(target=run, args=(differentiate, 5 * (i + 1))) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
differentiate(4)
print("\n".join(lines))
