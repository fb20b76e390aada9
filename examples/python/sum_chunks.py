"""Sums of chunks of 512, each by a tree: 512 numbers, 256 sums, 128, ..., 1.

Each stage adds the upper half of an array to its lower half and forces the result, so the next
stage reads it from memory. The length is static, so Python executes the `while` during tracing, and
the program has nine stages. `level` selects the unit that adds a chunk: the threads of a block, the
lanes of a warp, or one thread. From: the Obsidian papers, where this is `pConcat (fmap tree
(splitUp 512 a))`.

>>> import numpy as np
>>> sum_chunks(np.arange(1025, dtype=np.int32))
array([130816, 392960,   1024], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32


def tree(c):
    while len(c) > 1:
        low, high = c.halve()
        c = (low + high).force()
    return c


@obs.jit(threads=128)
def sum_chunks(a: Annotated[Pull, "n", i32], *, size=512, level=block):
    return obs.concat((tree(c) for c in a.split(size, pad=0)), level=level)
