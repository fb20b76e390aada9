"""Prefix sums of chunks of 1000, by the collective. From: the Obsidian papers.

A block processes a chunk. The last chunk is padded with zeros, and `to` drops the elements past the
end.

>>> import numpy as np
>>> scan(np.arange(6, dtype=np.int32))
array([ 0,  1,  3,  6, 10, 15], dtype=int32)
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32


@obs.jit(threads=256)
def scan(a: Annotated[Pull, "n", i32]):
    chunks = a.split(1000, pad=0)
    return obs.concat((c.scan(operator.add, 0) for c in chunks), level=block, to=a.size)
