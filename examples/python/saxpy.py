"""Saxpy: r[i] = k * x[i] + y[i], in f32. From: BLAS, level 1.

One kernel, whose iterations are distributed over the threads of the whole grid. Only the result is
stored.

>>> import numpy as np
>>> saxpy(2.0, np.arange(5, dtype=np.float32), np.ones(5, np.float32))
array([1., 3., 5., 7., 9.], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, f32


@obs.jit(threads=256)
def saxpy(k: f32, x: Annotated[Pull, "n", f32], y: Annotated[Pull, "n", f32]):
    return k * x + y
