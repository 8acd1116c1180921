#!/usr/bin/env python3
"""A program under torch.profiler that feeds operators with inputs of many kinds, trains a little, and
lets memory come and go. Nothing of PyTorch runs outside the profiler, so that who records the whole
process has the same operators.

    record_optional.py TRACE            operators of one thread
    record_optional.py TRACE threads    training that goes from thread to thread
"""
import os
import sys
import threading
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch._dynamo.source import ConstantSource
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, record_function

TYPES = ("uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex32 complex64 complex128 bool uint16 "
         "uint32 uint64 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu").split()
LISTS = torch.library.Library("optional", "DEF")
LISTS.define("take(Tensor x, str[] texts, str text, bool[] flags, float[] reals, int[] integers, Tensor?[] maybe, "
             "Tensor[] tensors, Device device) -> Tensor")
LISTS.impl("take", lambda x, *rest: x.clone(), "CompositeExplicitAutograd")


def plain_inputs():
    matrix, scalar, empty = torch.randn(3, 4), torch.tensor(2.0), torch.empty(0, 3)
    matrix @ torch.randn(4, 5), matrix + 1, matrix.add(matrix, alpha=2), scalar * scalar, empty + 1, scalar.item()
    torch.full((2,), True), torch.full((2,), 1j), torch.clamp(matrix, min=0), torch.arange(5)
    torch.randn(1, 2, 1, 2, 1), torch.randn(1, 2, 1, 2, 1, 2) + 1
    for name in TYPES:
        torch.empty(3, dtype=getattr(torch, name)).clone()
    torch.quantize_per_tensor(torch.randn(3), 0.1, 0, torch.qint8).clone()
    with record_function("with arguments", "text"):
        pass


def lists():
    row = torch.randn(2)
    for count in (1, 29, 30, 31, 40):
        torch.cat([row] * count), torch.empty([1] * count)
    matrix = torch.randn(3, 4)
    torch.cat([matrix, torch.randn(3, 2)], 1), torch.stack([torch.tensor(1.0)] * 2)
    matrix[torch.tensor([0, 1])], torch.ops.aten.index(matrix, [None, torch.tensor([1])])
    torch._foreach_mul([matrix], [2.0]), torch.nn.LSTM(3, 4)(torch.randn(5, 1, 3))
    device = torch.device("cpu")
    torch.ops.optional.take(row, ["a"], "b", [True], [1.0], [], [None, row], [row], device)
    torch.ops.optional.take(row, [], "", [], [], [1, 2], [], [], device)


def tensors_of_other_kinds():
    """Sizes that nobody may ask for, or that are kept elsewhere."""
    mode = FakeTensorMode(shape_env=ShapeEnv())
    dynamic = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * 2)
    symbolic = mode.from_tensor(torch.randn(5, 6), symbolic_context=dynamic, source=ConstantSource("symbolic"))
    with mode:
        (symbolic + 1) @ torch.randn(6, 7), torch.cat([symbolic, symbolic])
    parts = [torch.randn(2, 3), torch.randn(4, 3)]
    for layout in (torch.strided, torch.jagged):
        nested = torch.nested.nested_tensor(parts, layout=layout)
        nested + nested
    torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2)).coalesce() @ torch.eye(2)
    torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2)) @ torch.eye(2)
    torch.vmap(lambda x: (x * x).sum())(torch.randn(3, 4)), torch.func.grad(lambda x: (x * x).sum())(torch.randn(3))
    torch.func.functionalize(lambda x: x.add_(1))(torch.randn(3)), torch.empty(3, device="meta").clone()
    torch.randn(3).to_mkldnn().to_dense()


def train():
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
                              torch.nn.Linear(8 * 6 * 6, 10))
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.randn(4, 3, 8, 8)).square().mean().backward()
        optimizer.step()
    # Of two outputs only one is used, so the other one's gradient is undefined.
    weight = torch.randn(2, 3, requires_grad=True)
    first, _ = (weight * functional.layer_norm(weight, (3,))).unbind()
    first.sum().backward()


def train_across_threads():
    """Forward on one thread, backward on another; the numbers of either's operators are its own."""
    losses = []

    def forward():
        weight = torch.randn(5, 5, requires_grad=True)
        losses.append((weight @ weight).tanh().sum())

    for _ in range(2):
        worker = threading.Thread(target=forward)
        worker.start()
        worker.join()
    forward()
    for loss in losses:
        loss.backward()
    return losses


def memory():
    kept = []
    for size in (10, 1000, 100, 50000):
        large = torch.zeros(size)
        kept.append(large + large)
        del large
    kept[0].resize_(5000)
    kept.pop(1)
    return kept


def everything():
    plain_inputs()
    lists()
    tensors_of_other_kinds()
    train()
    return memory()


def main():
    trace, *threads = sys.argv[1:]
    warnings.simplefilter("ignore")
    # The profiler sees all threads, or memory.
    options = {"experimental_config": torch._C._profiler._ExperimentalConfig(profile_all_threads=True)} \
        if threads else {"profile_memory": True}
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, **options) as prof:
        kept = train_across_threads() if threads else everything()
    prof.export_chrome_trace(trace)
    sys.stdout.flush()
    # The threads of PyTorch need not end in order, and what is kept is not freed.
    os._exit(0 if kept else 1)


if __name__ == "__main__":
    main()
