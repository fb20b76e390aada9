"""Radix sort as in radix_sort.py, of keys of 64 bits, and of pairs of a key of 32 bits and a value.

The sort is stable: pairs with equal keys keep their order.

>>> import numpy as np
>>> pairs(np.int32([7, 3, 7]), np.int32([0, 1, 2]))
(array([3, 7, 7], dtype=int32), array([1, 0, 2], dtype=int32))
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i32, i64

from radix_sort import identity, sort


@obs.jit(threads=256)
def sort_u64(keys: Annotated[Pull, "n", i64]):
    return sort(keys, identity, i64)


@obs.jit(threads=256)
def pairs(keys: Annotated[Pull, "n", i32], values: Annotated[Pull, "n", i32]):
    return sort(obs.zip(keys, values), lambda pair: pair[0])
