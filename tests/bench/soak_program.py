"""What tests/bench/soak records: soak_program.py SECONDS FILE

Rounds of four threads that run operators and end; every tenth forks a child with threads of its
own. FILE gets "PID ROUNDS".
"""

import os
import sys
import threading
import time

import torch


def work(n):
    x = torch.ones(3)
    with torch.no_grad():
        for _ in range(n):
            x.neg().abs()


def round_of_threads(n_threads, n):
    threads = [threading.Thread(target=work, args=(n,)) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


torch.set_num_threads(1)
deadline = time.monotonic() + float(sys.argv[1])
path = sys.argv[2]
rounds = 0
while time.monotonic() < deadline:
    round_of_threads(4, 2000)
    if rounds % 10 == 0:
        pid = os.fork()
        if pid == 0:
            round_of_threads(2, 500)
            os._exit(0)
        os.waitpid(pid, 0)
    rounds += 1
    with open(path + ".new", "w") as file:
        print(os.getpid(), rounds, file=file)
    os.replace(path + ".new", path)
