"""Weighted histogram: r[v] is the sum of the weights of the elements whose key is v.

Elements with a key outside of the bins are ignored. `direct` has any number of bins and writes to
the result. In `blocks`, with at most 1024 bins, each part of 4096 elements first fills a histogram
of its own. `strategies` does the same with a fixed number of bins, and selects the privatised
copies of the bins: for each thread, warp or block. `bits` computes the number of bits of each sum.
From: the histograms of the Obsidian slides and of Accelerate.

>>> import numpy as np
>>> direct(np.array([2, 0, 2], np.int32), np.array([10, 20, 30], np.int32), 3)
array([20,  0, 40], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32, index

Numbers = Annotated[Pull, "n", i32]


@obs.jit(threads=256)
def direct(keys: Numbers, weights: Numbers, bins: index):
    return obs.scatter(weights, at=keys, into=bins, init=0, combine="add")


@obs.jit(threads=256)
def blocks(keys: Numbers, weights: Numbers, bins: index):
    assert bins <= 1024, "there are at most 1024 bins"

    @obs.fill(bins, i32, init=0, combine="add")
    def sums():
        @obs.par(obs.ceil_div(keys.size, 4096), level=block)
        def part(b):
            first = b * 4096
            count = obs.min(keys.size - first, 4096)
            mine, amounts = keys.slice(first, count), weights.slice(first, count)
            size = obs.up_to(bins, 1024)
            own = obs.scatter(amounts, at=mine, into=size, init=0, combine="add").force("shared")
            obs.par(bins)(lambda v: {v: own[v]})

    return sums


@obs.jit(threads=256)
def strategies(keys: Numbers, weights: Numbers, *, bins, strategy=None):
    return obs.scatter(weights, at=keys, into=bins, init=0, combine="add", strategy=strategy)


@obs.jit(threads=256)
def bits(keys: Numbers, weights: Numbers):
    return 32 - obs.ctlz(obs.scatter(weights, at=keys, into=128, init=0, combine="add"))
