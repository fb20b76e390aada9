"""Radix sort, least significant digit first, with 8 bits in each pass.

Keys have 32 bits: unsigned (`sort_u32`), signed (`sort_i32`), floats (`sort_f32`), or unsigned with
values (`pairs`). Floats are in the order of IEEE 754-2008: -NaN, -infinity, ..., -0, +0, ...,
+infinity, NaN. radix_sort_64.py has keys of 64 bits. From: N. Satish, M. Harris, M. Garland, 2009.

A fill counts the digits of all passes, and a scan of the counts of a pass yields the index at which
the keys with each digit begin. `partition` then moves the keys to the ranges of their digits, and
keeps the order of equal digits. It reads and writes each key once: a block counts the digits of a
tile, publishes the counts, sorts the tile in shared memory, and looks back for each digit at the
tiles before. A function converts signed numbers and floats to unsigned numbers in the same order.

There are two kernels, and one for each pass.

>>> import numpy as np
>>> sort_i32(np.int32([3, -1, 2]))
array([-1,  2,  3], dtype=int32)
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32, i32, index

Keys = Annotated[Pull, "n", i32]
DIGITS = 256


def digit(key, shift):
    return obs.unsigned.shr(key, shift) & 255


@obs.function
def sort(items, key, kind=i32):
    """The items, sorted by the unsigned number `key(item)` of the type `kind`."""
    passes = kind.bits // 8

    @obs.fill(passes * DIGITS, i32, over=items.size, init=0, combine="add")
    def counts(i):
        own = key(items[i])
        return {p * DIGITS + digit(own, kind(8 * p)).to(index): 1 for p in range(passes)}

    rows = counts.force(kernel="count").reshape(passes, DIGITS).rows()
    starts = obs.stack((row.scan(operator.add, 0, exclusive=True) for row in rows), level=block)
    starts = starts.force(kernel="scan")
    for shift in obs.range(kind(0), kind.bits, 8):
        own = starts[(shift >> 3).to(index)]
        items = items.partition(lambda item, s=shift: digit(key(item), s), own)
        items = items.force(kernel="partition")
    return items


def identity(x):
    return x


@obs.jit(threads=256)
def sort_u32(keys: Keys):
    return sort(keys, identity)


@obs.jit(threads=256)
def sort_i32(keys: Keys):
    return sort(keys, lambda x: x ^ i32.min)


@obs.jit(threads=256)
def sort_f32(keys: Annotated[Pull, "n", f32]):
    def turn(x):
        bits = x.bitcast(i32)
        return bits ^ obs.where(bits < 0, -1, i32.min)

    return sort(keys, turn)


@obs.jit(threads=256)
def pairs(keys: Keys, values: Keys):
    return sort(obs.zip(keys, values), lambda pair: pair[0])
