"""The largest sum of neighbouring elements, for each chunk of 4096.

This is one reduction with an operator that does not commute. An element describes a range of the
chunk: its sum, and the largest sums of a beginning, of an end, and of any part of the range. A part
may be empty. From: J. Bentley, Programming pearls, 1984.

>>> import numpy as np
>>> max_segment(np.array([3, -5, 4, -1, 2, -9], np.int16))
array([5], dtype=int32)
"""

from typing import Annotated, NamedTuple

import obsidian as obs
from obsidian import Pull, block, i16, i32


class Stretch(NamedTuple):
    sum: i32
    begin: i32
    end: i32
    best: i32


def stretch(x):
    """One element as a stretch."""
    positive = obs.max(x, 0)
    return Stretch(x, positive, positive, positive)


def join(a, b):
    """Two neighbouring stretches as one."""
    return Stretch(
        a.sum + b.sum,
        obs.max(a.begin, a.sum + b.begin),
        obs.max(b.end, a.end + b.sum),
        obs.max(a.best, b.best, a.end + b.begin),
    )


@obs.jit(threads=128)
def max_segment(a: Annotated[Pull, "n", i16]):
    chunks = a.to(i32).map(stretch).split(4096, pad=0)
    return obs.concat((c.reduce(join, 0).best for c in chunks), level=block)
