"""Sums of chunks of 512, by the collective: the compiler selects the strategy.

A block processes a chunk, and each of its warps adds 32 numbers at a time. From: the Obsidian
papers.

>>> import numpy as np
>>> reduce(np.arange(1025, dtype=np.int32))
array([130816, 392960,   1024], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32


@obs.jit(threads=128)
def reduce(a: Annotated[Pull, "n", i32], *, level=block):
    return obs.concat((c.sum() for c in a.split(512, pad=0)), level=level)
