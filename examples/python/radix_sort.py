"""Radix sort, least significant digit first, with 8 bits in each pass.

Keys have 32 bits: unsigned (`sort_u32`), signed (`sort_i32`) or floats (`sort_f32`). Floats are in
the order of IEEE 754-2008: -NaN, -infinity, ..., -0, +0, ..., +infinity, NaN. radix_sort_64.py has
keys of 64 bits, and keys with values. From: N. Satish, M. Harris, M. Garland, 2009.

Keys are processed in tiles of 1024. A pass counts the digits of each tile, and scans the counts,
ordered by digit. The result is the index at which the keys of a tile with a digit begin. To this
index, the pass adds the position of a key among the keys of its tile with the same digit, which
`rank` computes, and writes the key there. No two keys have the same index, but the compiler cannot
prove this, so the fill is `unchecked`. Keys past the end have the largest digit and are not
written. Maps at both ends convert signed numbers and floats to unsigned numbers in the same order.

There are three kernels for each pass. A block processes a tile.

>>> import numpy as np
>>> sort_i32(np.int32([3, -1, 2]))
array([-1,  2,  3], dtype=int32)
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32, i32, index

Keys = Annotated[Pull, "n", i32]
TILE, DIGITS = 1024, 256


@obs.function
def one_pass(items, key, shift):
    """The items, stably sorted by 8 bits of `key(item)` from `shift` on."""
    n = items.size
    tiles = obs.ceil_div(n, TILE)

    def digits(tile):
        def digit(j):
            i = tile * TILE + j
            return (obs.unsigned.shr(key(items[i]), shift) & 255).to(i32) if i < n else i32(255)

        return obs.generate(TILE)(digit)

    def count(tile):
        return obs.scatter(1, at=digits(tile), into=DIGITS, init=0, combine="add").force("shared")

    counts = obs.stack((count(t) for t in obs.iota(tiles)), level=block).T.reshape(tiles * DIGITS)
    begins = counts.force(kernel="count").scan(operator.add, 0, exclusive=True, strategy="one_pass")
    begins = begins.force(kernel="scan")

    @obs.fill(n, items.type.element, unchecked=True)
    def moved():
        @obs.par(tiles, level=block)
        def move(tile):
            own = digits(tile).force("shared")
            ranks, counts = obs.force(*own.rank(DIGITS))
            starts = counts.scan(operator.add, 0, exclusive=True).force()

            @obs.par(TILE)
            def write(j):
                i = tile * TILE + j
                if i < n:
                    d = own[j].to(index)
                    place = begins[d * tiles + tile] + (ranks[j] - starts[d])
                    obs.write(items[i], at=place)

    return moved.force(kernel="scatter")


@obs.function
def sort(items, key, kind=i32):
    for shift in obs.range(kind(0), kind.bits, 8):
        items = one_pass(items, key, shift)
    return items


def identity(x):
    return x


@obs.jit(threads=256)
def sort_u32(keys: Keys):
    return sort(keys, identity)


@obs.jit(threads=256)
def sort_i32(keys: Keys):
    return sort(keys ^ i32.min, identity) ^ i32.min


@obs.jit(threads=256)
def sort_f32(keys: Annotated[Pull, "n", f32]):
    def turn(x):
        return x ^ obs.where(x < 0, -1, i32.min)

    def turn_back(x):
        return x ^ obs.where(x >= 0, -1, i32.min)

    return sort(keys.bitcast(i32).map(turn), identity).map(turn_back).bitcast(f32)
