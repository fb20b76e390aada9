"""Quicksort: all parts of the array are sorted at the same time.

The first element of a part is the pivot. Smaller elements move to the front of the part, and larger
ones to its end. Each of the three groups is a part of the next step. The steps end when no element
is larger than the next one. Scans find the beginning and the end of each part, and count the
elements of each group before each element. From: G. Blelloch, Vector models for data-parallel
computing, 1990.

>>> import numpy as np
>>> quicksort(np.int32([3, 1, 2, 3, -7]))
array([-7,  1,  2,  3,  3], dtype=int32)
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, i32


def is_unsorted(numbers, _):
    """If an element is larger than the next one."""
    last = numbers.size - 1
    is_larger = arrays.generate(
        numbers.shape, lambda i: numbers[i] > numbers[obs.max(0, obs.min(i + 1, last))]
    )
    return arrays.fold(operator.or_, False, is_larger, commutative=True)


def divide(numbers, heads):
    """Each part becomes three; the new numbers, and the new heads."""
    n = numbers.size
    places = arrays.generate(n, lambda i: i.to(i32))
    begins = arrays.scanl1(
        obs.max, arrays.zip_with(lambda i, head: obs.where(head, i, 0), places, heads)
    )

    def next_head(i):
        return obs.when(i + 1 < n)(
            lambda: obs.where(heads[i + 1], (i + 1).to(i32), n.to(i32)), lambda: n.to(i32)
        )

    ends = arrays.scanr1(obs.min, arrays.generate(n, next_head))
    pivots = arrays.compute(arrays.map(lambda begin: numbers[begin], begins))
    groups = arrays.zip_with(
        lambda x, pivot: ((x < pivot).to(i32), (x == pivot).to(i32)), numbers, pivots
    )
    # The numbers of smaller and equal elements before each position.
    counts = arrays.scanl(lambda a, b: (a[0] + b[0], a[1] + b[1]), (0, 0), groups)

    def element(i):
        begin, end = begins[i], ends[i]
        (small, same), (low, middle), (high, top) = counts[i], counts[begin], counts[end]
        smaller, equal = high - low, top - middle
        small, same = small - low, same - middle
        rest = i.to(i32) - begin - small - same
        is_small, is_same = numbers[i] < pivots[i], numbers[i] == pivots[i]
        offset = obs.where(is_small, 0, obs.where(is_same, smaller, smaller + equal))
        rank = obs.where(is_small, small, obs.where(is_same, same, rest))
        return begin + offset + rank, rank == 0

    moves = arrays.compute(arrays.generate(n, element))
    moved = arrays.zip_with(lambda x, _, head: (x, head), numbers, moves)
    return arrays.unzip(arrays.permute(None, (0, False), lambda i: moves[i][0], moved, n))


@obs.jit
def quicksort(numbers: Annotated[Pull, "n", i32]):
    heads = arrays.generate(numbers.shape, lambda i: i == 0)
    return arrays.while_loop(is_unsorted, numbers, heads)(divide)[0]
