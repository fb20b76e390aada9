"""Runs of equal elements: `encode` computes the element and the length of each run.

`unique` computes the elements only. `decode` is the inverse of `encode`. `filter` keeps the
elements from `low` to `high` - 1. A run starts where an element differs from the element before it.
Its length is the distance to the start of the next run, or to the end of the array. From: the usual
examples of compaction (Accelerate, Thrust).

The host waits for the number of kept elements.

>>> import numpy as np
>>> encode(np.int32([5, 5, 7, 5, 5, 5]))
(array([5, 7, 5], dtype=int32), array([2, 1, 3], dtype=int32))
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i32

Numbers = Annotated[Pull, "n", i32]


def starts(a):
    return obs.generate(a.size)(lambda i: (i == 0) | (a[i] != a[obs.max(i - 1, 0)]))


@obs.jit(threads=256)
def encode(a: Numbers):
    runs, count = obs.force(*obs.zip(a, obs.iota(a.size, i32)).compact(starts(a)), kernel="starts")
    number = count[0]

    @obs.generate(number)
    def encoded(r):
        element, start = runs[r]
        end = runs[r + 1][1] if r + 1 < number.to(obs.index) else a.size.to(i32)
        return element, end - start

    return encoded.unzip()


@obs.jit(threads=256)
def unique(a: Numbers):
    kept, count = obs.force(*a.compact(starts(a)))
    return kept.take(count[0])


@obs.jit(threads=256)
def filter(a: Numbers, low: i32, high: i32):
    return obs.filter(a, lambda x: (x >= low) & (x < high))


@obs.jit(threads=256)
def decode(elements: Annotated[Pull, "r", i32], lengths: Annotated[Pull, "r", i32]):
    total = lengths.sum().force(kernel="total")[0]
    return obs.expand(lengths, total)(lambda i, _: elements[i])[0]
