"""Radix sort as in radix_sort.py, of unsigned keys of 64 bits.

>>> import numpy as np
>>> sort_u64(np.int64([7, 3, 5]))
array([3, 5, 7])
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i64

from radix_sort import identity, sort


@obs.jit(threads=256)
def sort_u64(keys: Annotated[Pull, "n", i64]):
    return sort(keys, identity, i64)
