"""Radix sort, least significant digit first, with 8 bits in each pass.

Keys have 32 bits: unsigned (`sort_u32`), signed (`sort_i32`) or floats (`sort_f32`). Floats are in
the order of IEEE 754-2008: -NaN, -infinity, ..., -0, +0, ..., +infinity, NaN. radix_sort_64.py has
keys of 64 bits, and keys with values. From: N. Satish, M. Harris, M. Garland, 2009.

Keys are processed in tiles of 4096 elements. A pass counts the digits of each tile, and scans the
counts, ordered by digit. The result is the index at which the keys of a tile with a digit begin.
The pass also sorts the tile by the digit, at the positions that `rank` computes. So neighbours in
the tile are neighbours in the result, and neighbouring threads write them. No two keys have the
same index, but the compiler cannot prove this, so the fills are `unchecked`. Keys past the end have
the largest digit and are not written. Maps at both ends convert signed numbers and floats to
unsigned numbers in the same order.

There are three kernels for each pass. A block processes a tile.

>>> import numpy as np
>>> sort_i32(np.int32([3, -1, 2]))
array([-1,  2,  3], dtype=int32)
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32, i8, i32, index

Keys = Annotated[Pull, "n", i32]
DIGITS = 256


@obs.function
def one_pass(items, key, shift, size):
    """The items, stably sorted by 8 bits of `key(item)` from `shift` on, in tiles of `size`."""
    n = items.size
    tiles = obs.ceil_div(n, size)

    def digit(item):
        return obs.unsigned.shr(key(item), shift) & 255

    def take(tile):
        # Past the end, the last item again.
        return obs.generate(size)(lambda j: items[obs.unsigned.min(tile * size + j, n - 1)]).force()

    def digits(own, tile):
        return obs.generate(size)(lambda j: obs.where(tile * size + j < n, digit(own[j]), 255))

    def count(tile):
        at = digits(take(tile), tile)
        return obs.scatter(1, at=at, into=DIGITS, init=0, combine="add").force("shared")

    counts = obs.stack((count(t) for t in obs.iota(tiles)), level=block).T.reshape(tiles * DIGITS)
    begins = counts.force(kernel="count").scan(operator.add, 0, exclusive=True, strategy="one_pass")
    begins = begins.force(kernel="scan")

    @obs.fill(n, items.type.element, unchecked=True)
    def moved():
        @obs.par(tiles, level=block)
        def move(tile):
            own = take(tile)
            short = digits(own, tile).map(lambda d: d.to(i8)).force("shared")
            of_tile = obs.generate(DIGITS)(lambda d: begins[d * tiles + tile]).force()
            ranks, counts = obs.force(*short.rank(DIGITS))
            starts = counts.scan(operator.add, 0, exclusive=True).force()
            # Item p of the sorted tile has index p + base of its digit in the result.
            bases = (of_tile - starts).force("shared")

            @obs.fill(size, items.type.element, unchecked=True)
            def sort_tile():
                @obs.par(size)
                def write(j):
                    obs.write(own[j], at=ranks[j].to(index))

            ordered = sort_tile.force("shared")

            @obs.par(size)
            def write(p):
                if tile * size + p < n:
                    obs.write(ordered[p], at=p.to(i32) + bases[digit(ordered[p]).to(index)])

    return moved.force(kernel="scatter")


@obs.function
def sort(items, key, kind=i32, size=4096):
    for shift in obs.range(kind(0), kind.bits, 8):
        items = one_pass(items, key, shift, size)
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
