"""Radix sort: integers in order, one digit of 8 bits after the other.

Each of the four steps is a partition by one digit, the lowest one first. It keeps the order of the
numbers whose digits are equal, so the numbers are in order after the step of the highest digit. The
sign is the highest bit of this digit, and a negative number comes first, so the bit is inverted.

>>> import numpy as np
>>> radix_sort(np.int32([3, -1, 2, 3, 0]))
array([-1,  0,  2,  3,  3], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, i32


@obs.jit
def radix_sort(numbers: Annotated[Pull, "n", i32]):
    def step(k, x):
        shift = 8 * k.to(i32)
        return arrays.partition(lambda y: obs.unsigned.shr(y ^ i32.min, shift) & 255, 256, x)

    return arrays.loop(4, numbers)(step)
