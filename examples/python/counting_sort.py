"""Counting sort and occurrence sort: `counting` sorts keys, and `occurrence` returns each key once.

Keys are 0 to range - 1. A counting sort counts how often each key occurs, and writes each key that
many times. `expand` shares the elements of the result among the threads. An occurrence sort only
marks the keys that occur. Many iterations write the same value, so one of the writes wins. From: J.
Svensson, M. Sheeran, Counting and occurrence sort for GPUs using an embedded language, FHPC 2013.

>>> import numpy as np
>>> counting(np.int32([3, 1, 3]), 5), occurrence(np.int32([3, 1, 3]), 5)
(array([1, 3, 3], dtype=int32), array([1, 3], dtype=int32))
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i1, i32, index

Keys = Annotated[Pull, "n", i32]


def place(keys, i, range):
    """Key i as an index."""
    key = keys[i].to(index)
    obs.assert_((key >= 0) & (key < range), "a key is out of range")
    return key


@obs.jit
def counting(keys: Keys, range: index):
    @obs.fill(range, i32, over=keys.size, init=0, combine="add")
    def counts(i):
        return {place(keys, i, range): 1}

    return obs.expand(counts.force(kernel="count"), keys.size)(lambda key, _: key.to(i32))[0]


@obs.jit
def occurrence(keys: Keys, range: index):
    @obs.fill(range, i1, over=keys.size, init=False, combine="any")
    def marks(i):
        return {place(keys, i, range): True}

    flags = marks.force(kernel="mark")
    kept, count = obs.force(*obs.iota(range, i32).compact(flags))
    return kept.take(count[0])
