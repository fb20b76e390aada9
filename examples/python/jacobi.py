"""Jacobi iteration for the equation of Laplace on a grid.

In each step, every inner point becomes the mean of its four neighbours. Points of the border do not
change. Only the host knows the number of steps. From: C. G. J. Jacobi, 1845.

A loop of the host, which carries the grid, launches one kernel for each step.

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
