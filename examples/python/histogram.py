"""Histogram of bytes: r[v] is the number of occurrences of v. From: the counting sort of FHPC'13.

Many iterations write to one element. `combine` defines the result of these writes: they are added.
The compiler makes a privatised copy of the 256 numbers in the shared memory of each block.

>>> import numpy as np
>>> histogram(np.array([3, 1, 3], np.int8))[:5]
array([0, 1, 0, 2, 0], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i8


@obs.jit
def histogram(data: Annotated[Pull, "n", i8]):
    return obs.scatter(1, at=data.as_unsigned(), into=256, init=0, combine="add")
