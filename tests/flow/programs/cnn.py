"""Trains a tiny convolutional network for three steps: a program whose operators can be counted.

--profile prints what torch.profiler counted, one "COUNT NAME" a line.
"""

import sys

import torch
from torch import nn

STEPS = 3


def train():
    torch.manual_seed(1)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.ReLU(),
        nn.Conv2d(4, 8, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(8 * 4 * 4, 10),
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    images = torch.rand(2, 1, 8, 8)
    labels = torch.tensor([1, 2])
    for _ in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(net(images), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.set_num_threads(1)
    if sys.argv[1:] != ["--profile"]:
        print(f"loss {train():.4f}")
        return
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        train()
    for event in sorted(profiler.key_averages(), key=lambda event: event.key):
        print(event.count, event.key)


main()
