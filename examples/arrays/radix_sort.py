"""Radix sort: integers in order, one bit after the other.

Each of the 32 steps is a scan and a permutation. The numbers whose bit is 0 are first, in their
order, and then those whose bit is 1. The bit of the last step is the sign, so its order is
reversed.

>>> import numpy as np
>>> radix_sort(np.int32([3, -1, 2, 3, 0]))
array([-1,  0,  2,  3,  3], dtype=int32)
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, i32


@obs.jit
def radix_sort(numbers: Annotated[Pull, "n", i32]):
    def step(k, x):
        def comes_first(y):
            return ((y >> k.to(i32)) & 1) == (k == 31).to(i32)

        before = arrays.scanl(operator.add, 0, arrays.map(lambda y: comes_first(y).to(i32), x))

        def place(i):
            first = before[i]
            return obs.where(comes_first(x[i]), first, before[x.size] + i.to(i32) - first)

        return arrays.permute(None, 0, place, x, x.shape)

    return arrays.loop(32, numbers)(step)
