"""Prefix sums of chunks of 256: r[i] is the sum of the elements of its chunk up to i.

From: P. Kogge, H. Stone, 1973: eight stages, in each of which an element adds the element at
distance 2^k to its left. A block processes a chunk. The loop carries the array, in two buffers of
shared memory that are used alternately.

>>> import numpy as np
>>> prefix_sum(np.arange(6, dtype=np.int32))
array([ 0,  1,  3,  6, 10, 15], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32, index


@obs.function
def sums(x):
    for k in obs.range(8):
        left = index(1) << k
        x = obs.generate(256)(lambda i: x[i - left] + x[i] if i >= left else x[i]).force()
    return x


@obs.jit(threads=256)
def prefix_sum(a: Annotated[Pull, "n", i32]):
    return obs.concat((sums(c) for c in a.split(256, pad=0)), level=block, to=a.size)
