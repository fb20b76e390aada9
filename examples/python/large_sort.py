"""Sorts any number of integers by a bitonic network, many columns at a time.

First, each block sorts a chunk of 2^13. Then runs of 2^13 * 2^i are merged, for i = 1, 2, ... A
merge has a column of comparators between each element and its mirror image in the run (a vee), and
columns at strides that are powers of two. From: K. Batcher, Sorting networks and their
applications, 1968.

A column only moves data. So a block loads a tile, the elements whose indices differ in ten bits and
the lowest three, and executes the columns of the ten bits. Its threads have 32 elements each in
registers, for five columns at a time. Another kernel executes the columns of the 13 lowest bits. An
array is padded with the largest integer up to a power of two.

A sort of 2^24 elements has 24 kernels, and at most two arrays. `examples/large-sort.mlir` has
chunks of 512, and a thread in it has one comparator of a column.

>>> import numpy as np
>>> large_sort(np.int32([5, 1, 4]))
array([1, 4, 5], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32, index

#: The binary logarithms of the elements of a chunk or tile, of the columns of a tile, and of the
#: neighbours in a tile.
CHUNK, COLUMNS, LINE = 13, 10, 3
THREADS = (1 << CHUNK) // 32


def columns(x, low, is_vee):
    """The columns at strides 2^(low + 9), ..., 2^low of the whole array, the first as a vee."""
    lines = index(1) << (low - LINE)

    def place(b, e):
        # Bits 0 to 2 of e stay, and the others become bits low to low + 9.
        line = b & (lines - 1)
        if is_vee:
            line = obs.where(e >= (1 << CHUNK) // 2, lines - 1 - line, line)
        begin = (b >> (low - LINE) << (low + COLUMNS)) + (line << LINE)
        return begin + (e >> LINE << low) + (e & ((1 << LINE) - 1))

    def first(own):
        return obs.vee(own) if is_vee else obs.descend(own, 5)

    def program(b):
        tile = obs.generate(1 << CHUNK)(lambda e: x[place(b, e)])
        tile = obs.thread_columns(tile, CHUNK - 5, first, mirrors=is_vee)
        return obs.thread_columns(tile, LINE, lambda own: obs.descend(own, 5), stored=False)

    parts = obs.stack((program(b) for b in obs.iota(x.size >> CHUNK)), level=block)
    return parts.ix_map(place, x.size, unchecked=True)


@obs.jit
def large_sort(a: Annotated[Pull, "n", i32]):
    n, size, rounds = a.size, index(1 << CHUNK), index(0)
    while size < n:
        size, rounds = size << 1, rounds + 1

    def by_chunks(x, program):
        return obs.concat((program(c) for c in x.split(1 << CHUNK)), level=block, to=size)

    x = obs.generate(size)(lambda e: a[e] if e < n else i32.max)
    x = by_chunks(x, lambda c: obs.sort_runs(c, 1 << CHUNK))
    x = x.force(kernel="sort_chunks", threads=THREADS)
    for i in obs.range(1, rounds + 1):
        # The strides of round i are 2^(12 + i) and less. Columns below bit 13 may run twice.
        x = columns(x, CHUNK - COLUMNS + i, True).force(kernel="vees", threads=THREADS)
        for g in obs.range(1, obs.ceil_div(i, COLUMNS)):
            low = obs.max(CHUNK - COLUMNS + i - g * COLUMNS, index(CHUNK))
            x = columns(x, low, False).force(kernel="columns", threads=THREADS)
        x = by_chunks(x, lambda c: obs.merge_runs(c, CHUNK))
        x = x.force(kernel="merge_chunks", threads=THREADS)
    return x.take(n)
