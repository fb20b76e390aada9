"""Sorts any number of integers: the large sorter of the DAMP'12 paper, with push arrays.

First, each block sorts a chunk of 512 (the periodic network vsort). Then runs of 512 * 2^i are
merged, for i = 1, 2, ... A merge has a column of comparators between each element and its mirror
image in the run, columns at strides 256 * 2^i, ..., 512, and the smaller strides, again by a block
for each chunk. A column over the whole array only moves data, so up to three columns are one
kernel: a network on the 2^k elements that a thread has in registers. An array is padded with the
largest integer up to a power of two. From: K. Claessen, M. Sheeran, J. Svensson, DAMP 2012.

A sort of 2^24 elements has 61 kernels, and at most two arrays.

>>> import numpy as np
>>> large_sort(np.int32([5, 1, 4]))
array([1, 4, 5], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32, index, thread


def stage(s, mask, bit):
    """Comparators in a block between elements that differ in the bits of the mask."""

    @obs.fill(512, i32, over=256, unchecked=True)
    def compare(t):
        i = obs.bit.insert_zero(t, bit)
        j = i ^ mask
        return {i: obs.min(s[i], s[j]), j: obs.max(s[i], s[j])}

    return compare.force()


@obs.function
def sort_chunk(s):
    for i in obs.range(1, 10):
        for wide in obs.range(i):
            s = stage(s, ((index(2) << (i - 1 - wide)) - 1 << (9 - i)), 8 - wide)
    return s


@obs.function
def merge_chunk(s):
    for k in obs.range(9):
        s = stage(s, index(256) >> k, 8 - k)
    return s


def columns(x, low, k, is_vee):
    """K columns over the whole array, at strides 2^(low + k - 1), ..., 2^low.

    The first compares mirror images if `is_vee`. Thread t holds the elements whose index has any
    bits low, ..., low + k - 1 and otherwise the bits of t; of the upper half of a vee the mirror
    images.
    """
    size, tiles, rest = 1 << k, x.size >> k, (index(1) << low) - 1

    def address(t, j):
        r = t & rest
        offset = obs.where((j >= size // 2) & is_vee, rest - r, r)
        return (((t >> low) << k | j) << low) | offset

    def network(t):
        own = obs.generate(size)(lambda j: x[address(t, j)])
        for c in range(k):
            half = index(size >> (c + 1))
            mask = obs.where(is_vee, size - 1, half) if c == 0 else half

            def element(j, own=own, mask=mask):
                mine, theirs = own[j], own[j ^ mask]
                return obs.where(j < j ^ mask, obs.min(mine, theirs), obs.max(mine, theirs))

            own = obs.generate(size)(element).force()
        return own

    parts = obs.stack((network(t) for t in obs.iota(tiles)), level=thread)
    return parts.ix_map(address, x.size, unchecked=True).force(kernel="columns")


@obs.jit
def large_sort(a: Annotated[Pull, "n", i32]):
    n, size, rounds = a.size, index(512), index(0)
    while size < n:
        size, rounds = size << 1, rounds + 1

    def by_chunks(x, program):
        return obs.concat((program(c) for c in x.split(512)), level=block, to=size)

    x = obs.generate(size)(lambda e: a[e] if e < n else i32.max)
    x = by_chunks(x, sort_chunk).force(kernel="sort_chunks", threads=256)
    for i in obs.range(1, rounds + 1):
        # Columns at strides of at least 512, three at a time; the last kernel has what is left.
        for g in obs.range(obs.ceil_div(i, 3)):
            left = i - 3 * g
            if left >= 3:
                x = columns(x, 9 + left - 3, 3, g == 0)
            elif left == 2:
                x = columns(x, index(9), 2, g == 0)
            else:
                x = columns(x, index(9), 1, g == 0)
        x = by_chunks(x, merge_chunk).force(kernel="merge_chunks", threads=256)
    return x.take(n)
