"""Dot product of two vectors of integers of any length, modulo 2^32. From: BLAS, level 1.

The products are never stored: the map is fused with the reduction. Each block adds a part. One
atomic addition adds its sum to the result.

>>> import numpy as np
>>> dot_product(np.arange(5, dtype=np.int32), np.arange(5, dtype=np.int32))
array([30], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i32


@obs.jit
def dot_product(a: Annotated[Pull, "n", i32], b: Annotated[Pull, "n", i32]):
    return (a * b).sum()
