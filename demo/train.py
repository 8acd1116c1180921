"""Trains a small convolutional network on random images: something to look at with optally.

Runs on a CPU in a few seconds, needs nothing but PyTorch, and works with any version from 1.13 on.
"""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    """Labelled random images. Each is made from its own number, by whatever worker asks for it."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        random = torch.Generator().manual_seed(i)
        image = torch.rand(3, 32, 32, generator=random)
        label = i % 10
        return image + label / 10, label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            self.block(3, 16), nn.MaxPool2d(2), self.block(16, 32), nn.MaxPool2d(2)
        )
        self.classify = nn.Sequential(
            nn.Flatten(), nn.Linear(32 * 8 * 8, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 10)
        )

    @staticmethod
    def block(inputs, outputs):
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()
        )

    def forward(self, x):
        return self.classify(self.features(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--images", type=int, default=512)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()

    torch.manual_seed(1)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    loader = DataLoader(
        Noise(args.images), batch_size=args.batch, shuffle=True, num_workers=args.workers
    )

    for epoch in range(args.epochs):
        total = 0.0
        for images, labels in loader:
            optimizer.zero_grad()
            loss = loss_of(net(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: mean loss {total / len(loader):.3f}")


if __name__ == "__main__":
    main()
