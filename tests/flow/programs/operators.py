"""Operators one by one, each a known number of times; operators.bats has the numbers."""

import torch
from torch.profiler import record_function

torch.set_num_threads(1)
real = torch.ones(3)

for _ in range(7):
    real.abs()

# isfinite of complex numbers asks itself for the real and for the imaginary part.
complex_numbers = torch.ones(3, dtype=torch.complex64)
for _ in range(5):
    torch.isfinite(complex_numbers)

raised = 0
for _ in range(3):
    try:
        torch.ones(2).sub(torch.ones(5))
    except RuntimeError:
        raised += 1
# The same, from the depths: matmul calls mv, which raises.
for _ in range(2):
    try:
        torch.ones(2, 3).matmul(torch.ones(2))
    except RuntimeError:
        raised += 1

for _ in range(2):
    with record_function("outer"):
        for _ in range(2):
            with record_function('inner, "quoted" and ünïcode'):
                real.neg()
with record_function(""):
    real.neg()

print("raised", raised)
