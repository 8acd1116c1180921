#!/usr/bin/env python3
"""Records the traces in kineto/: small programs under torch.profiler, on the CPU.

    make_kineto.py [FOLDER] [NAME...]

Run by an interpreter that has PyTorch 2.13. The traces are committed because times differ from run
to run; running this again makes others of the same kind.
"""
import functools
import gzip
import os
import pathlib
import sys
import threading

import torch
import torch.distributed
import torch.multiprocessing
from torch.profiler import ProfilerActivity, profile, record_function, schedule

PROGRAMS = {}


def program(file):
    def keep(function):
        PROGRAMS[file] = function
        return function
    return keep


def on_cpu(**options):
    return profile(activities=[ProfilerActivity.CPU], **options)


def export(profiler, path):
    """The trace as the profiler writes it, or packed where the name says so."""
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    profiler.export_chrome_trace(str(plain))
    if plain != path:
        path.write_bytes(gzip.compress(plain.read_bytes(), 9, mtime=0))
        plain.unlink()


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))


def training_step(net, optimizer):
    optimizer.zero_grad()
    loss = net(torch.ones(2, 8)).square().mean()
    loss.backward()
    optimizer.step()


@program("plain.json")
def plain(path):
    x = torch.ones(4, 4)
    with on_cpu() as prof:
        torch.abs(x, out=torch.empty(4, 4))
        (x @ x).relu().sum()
    export(prof, path)


@program("training_memory_shapes.json.gz")
def training(path):
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    training_step(net, optimizer)
    with on_cpu(record_shapes=True, profile_memory=True, with_flops=True) as prof:
        for _ in range(3):
            training_step(net, optimizer)
    export(prof, path)


@program("stacks_modules.json.gz")
def stacks(path):
    net = model()
    with on_cpu(record_shapes=True, with_stack=True, with_modules=True) as prof:
        net(torch.ones(2, 8))
    export(prof, path)


@program("schedule_warmup.json.gz")
def scheduled(path):
    net = model()
    with on_cpu(schedule=schedule(wait=1, warmup=1, active=3, repeat=1), profile_memory=True,
                on_trace_ready=functools.partial(export, path=path)) as prof:
        for step in range(5):
            with record_function("warmup" if step < 3 else "phase:steady"):
                net(torch.ones(2, 8))
            with record_function("Warm-Up of the cache" if step == 3 else "rest"):
                torch.sort(torch.ones(64))
            prof.step()


@torch.jit.script
def forked(x):
    future = torch.jit.fork(torch.mm, x, x)
    return torch.relu(x) + torch.jit.wait(future)


@program("threads_fork.json.gz")
def threads(path):
    net = model()
    forked(torch.ones(4, 4))

    def work():
        for _ in range(4):
            net(torch.ones(2, 8)).sum().backward()

    everywhere = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
    with on_cpu(record_shapes=True, experimental_config=everywhere) as prof:
        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        for _ in range(4):
            forked(torch.ones(4, 4))
        for worker in workers:
            worker.join()
    export(prof, path)


@program("compiled.json.gz")
def compiled(path):
    net = model()
    torch.compiler.config.force_disable_caches = True
    step = torch.compile(lambda x: net(x).relu().sum())
    with on_cpu() as prof:
        for _ in range(2):
            step(torch.ones(2, 8)).backward()
    export(prof, path)


def rank(number, path, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.distributed.init_process_group("gloo", rank=number, world_size=2)
    net = torch.nn.parallel.DistributedDataParallel(model())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    training_step(net, optimizer)
    with on_cpu(record_shapes=True) as prof:
        for _ in range(2):
            training_step(net, optimizer)
    export(prof, path.with_name(f"rank{number}of2.json.gz"))
    torch.distributed.destroy_process_group()


@program("rank?of2.json.gz")
def ranks(path):
    torch.multiprocessing.spawn(rank, (path, 29571), nprocs=2)


def main():
    arguments = sys.argv[1:]
    folder = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent / "kineto")
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)  # a trace holds the path that it was written to
    torch.set_num_threads(2)
    for file, record in PROGRAMS.items():
        if len(arguments) < 2 or file in arguments[1:]:
            record(pathlib.Path(file))
            print(file)


if __name__ == "__main__":
    main()
