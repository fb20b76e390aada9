"""Reductions of whole arrays of any length, which differ in the operator only.

`minimum`; `first_largest`, a largest element and its first position (-1 if there is none); and
`largest_segment`, the largest sum of a range of elements, which may be empty. From: the
reductions of the Obsidian papers, which were written by hand as two kernels; J. Bentley,
Programming pearls.

Each reduction is one kernel. Blocks combine parts, and the block that finishes last combines their
results.

>>> import numpy as np
>>> first_largest(np.array([3, 9, 2, 9], np.int32))
(array([9], dtype=int32), array([1], dtype=int32))
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i16, i32, i64

from max_segment import join, stretch


@obs.jit
def minimum(a: Annotated[Pull, "n", i32]):
    return a.min()


@obs.jit
def first_largest(a: Annotated[Pull, "n", i32]):
    def larger(x, y):
        is_right = (x[1] < 0) | (y[0] > x[0])  # Position -1 is not selected.
        return obs.where(is_right, y, x)

    return obs.zip(a, obs.iota(a.size, i32)).reduce(larger, init=(i32.min, -1))


@obs.jit
def largest_segment(a: Annotated[Pull, "n", i16]):
    stretches = a.to(i64).map(stretch)
    return stretches.reduce(join, 0).map(lambda s: s.best)
