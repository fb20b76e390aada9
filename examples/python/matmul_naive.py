"""Matrix product c = a b in f32 without tiles: each element is a sum along a row and a column.

A thread computes an element. Every use of an element of a or b reads global memory. matmul.py
computes the same bits from tiles in shared memory, and matmul_registers.py in registers.

>>> import numpy as np
>>> matmul_naive(np.ones((2, 3), np.float32), np.ones((3, 1), np.float32))
array([[3.],
       [3.]], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, f32


@obs.jit(threads=256)
def matmul_naive(a: Annotated[Pull, "m", "k", f32], b: Annotated[Pull, "k", "n", f32]):
    (m, k), n = a.shape, b.dim(1)
    return obs.generate(m, n)(lambda i, j: obs.sum(k, lambda t: a[i, t] * b[t, j]))
