"""A DataLoader with two forked workers. Prints "main PID" and "worker PID" lines."""

import os

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, i):
        return torch.full((2,), float(i)).neg()


def tell(_):
    os.write(1, f"worker {os.getpid()}\n".encode())


torch.set_num_threads(1)
os.write(1, f"main {os.getpid()}\n".encode())
total = 0.0
for batch in DataLoader(Numbers(), batch_size=5, num_workers=2, worker_init_fn=tell):
    total += batch.abs().sum().item()
os.write(1, f"total {total}\n".encode())
