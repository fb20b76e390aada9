"""Sorts each chunk of 32 numbers by one warp: a bitonic sorting network at level warp.

Stage i merges sorted runs of 2^i: a column of comparators between mirror images, then columns at
distances 2^(i-1), ..., 1. From: K. Batcher, Sorting networks and their applications, 1968.

An array that a warp forces belongs to this warp, so there is no barrier of the block between the
columns. `batches` sorts chunks of a power of two, at least 64: the threads of a block share 1024
elements or more, and each executes the columns of five bits of the index in registers.

>>> import numpy as np
>>> warp_sort(np.array([5, 1, 4], np.int32))
array([1, 4, 5], dtype=int32)
>>> batches(np.arange(128, 0, -1, dtype=np.int32), size=64)[[0, 63, 64, 127]]
array([ 65, 128,   1,  64], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32, warp


@obs.function
def sort(s):
    for stage in obs.range(5):
        s = obs.comparators(s, stage, obs.bit.flip_low)
        for k in obs.range(stage):
            s = obs.comparators(s, stage - 1 - k, obs.bit.flip)
    return s


@obs.jit(threads=128)
def warp_sort(a: Annotated[Pull, "n", i32]):
    return obs.concat((sort(c) for c in a.split(32, pad=i32.max)), level=warp, to=a.size)


@obs.jit
def batches(a: Annotated[Pull, "n", i32], *, size=512):
    block_size = max(size, 1024)
    chunks = a.split(block_size, pad=i32.max)
    parts = obs.concat((obs.sort_runs(c, size) for c in chunks), level=block, to=a.size)
    return parts.force(kernel="batches", threads=block_size // 32)
