"""Jacobi iteration for the equation of Laplace on a grid.

In each step every inner point becomes the mean of its four neighbours; points of the border stay.
The number of steps is known to the host only. From: C. G. J. Jacobi, 1845.

One kernel for each step, launched by a loop of the host, which carries the grid.

>>> import numpy as np
>>> jacobi(np.float32([[0, 4, 0], [4, 0, 4], [0, 4, 0]]), 1)
array([[0., 4., 0.],
       [4., 4., 4.],
       [0., 4., 0.]], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, f32, index


@obs.jit(threads=256)
def jacobi(u: Annotated[Pull, "h", "w", f32], steps: index):
    h, w = u.shape
    for _ in obs.range(steps):

        @obs.generate(h, w)
        def mean(i, j):
            if 0 < i < h - 1 and 0 < j < w - 1:
                return ((u[i - 1, j] + u[i + 1, j]) + (u[i, j - 1] + u[i, j + 1])) * 0.25
            return u[i, j]

        u = mean.force()
    return u
