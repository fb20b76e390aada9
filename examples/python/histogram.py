"""Histogram of bytes: r[v] is how often v occurs. From: the counting sort of the FHPC'13 paper.

Many bytes write to one element, so `combine` says what several writes mean: they are added up. The
compiler gives each block a copy of the 256 numbers in shared memory.

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
