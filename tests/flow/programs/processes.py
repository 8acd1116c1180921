"""Every way to a further process. Each prints "KIND PID COUNT" and runs neg COUNT times."""

import multiprocessing
import os
import subprocess
import sys

import torch


def work(kind, count):
    torch.set_num_threads(1)
    x = torch.ones(3)
    for _ in range(count):
        x.neg()
    os.write(1, f"{kind} {os.getpid()} {count}\n".encode())


def main():
    work("parent", 5)

    pid = os.fork()
    if pid == 0:
        work("fork", 7)
        grandchild = os.fork()
        if grandchild == 0:
            work("grandchild", 9)
            os._exit(0)
        os.waitpid(grandchild, 0)
        os._exit(0)
    os.waitpid(pid, 0)

    pid = os.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, __file__, "exec", "11"])
    os.waitpid(pid, 0)

    subprocess.run([sys.executable, __file__, "subprocess", "13"], check=True)

    process = multiprocessing.get_context("spawn").Process(target=work, args=("spawn", 17))
    process.start()
    process.join()
    work("parent", 3)
    sys.exit(process.exitcode)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        work(sys.argv[1], int(sys.argv[2]))
    else:
        main()
