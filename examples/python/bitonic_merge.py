"""Bitonic merge: in each chunk of 512 numbers, two sorted runs of 256 numbers become one of 512.

There are nine columns of 256 comparators. The first column compares each element with its mirror
image. The other columns compare elements at distances 128, 64, ..., 1. A comparator reads two
elements and writes two elements, so a column is a `fill`. No two comparators write the same
element: this follows from `insert_zero` and the flips, and the compiler proves it. From: K.
Batcher, Sorting networks and their applications, 1968.

A block processes a chunk, and a thread executes one comparator of a column. The columns use two
buffers in shared memory alternately.

>>> import numpy as np
>>> bitonic_merge(np.array([1, 4, 9], np.int32))
array([1, 4, 9], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32


def column(s, bit, partner):
    @obs.fill(512, i32, over=256)
    def compare(t):
        i = obs.bit.insert_zero(t, bit)
        j = partner(i, bit)
        return {i: obs.min(s[i], s[j]), j: obs.max(s[i], s[j])}

    return compare.force()


@obs.function
def merge(s):
    s = column(s, 8, obs.bit.flip_low)
    for k in obs.range(8):
        s = column(s, 7 - k, obs.bit.flip)
    return s


@obs.jit(threads=256)
def bitonic_merge(a: Annotated[Pull, "n", i32]):
    return obs.concat((merge(c) for c in a.split(512, pad=i32.max)), level=block, to=a.size)
