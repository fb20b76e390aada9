"""Short programs on whole arrays of any length and any element type.

Parameters without an annotation take the type of the argument, so there is one program for each
type: `increment` of floats is another program than `increment` of integers. `total` adds in order,
and `dot` in any order, which matters for floats. `below` returns the elements in an array that is
as long as `a`, and their number, so the host does not wait. `occurrences` counts the occurrences of
each number below `bins`, which is known at run time. In `occurrences_of`, it is static.

>>> import numpy as np
>>> increment(np.float32([1, 2])), total(np.int32([1, 2, 3])), sums(np.int64([1, 2, 3]))
(array([2., 3.], dtype=float32), array([6], dtype=int32), array([1, 3, 6]))
>>> occurrences(np.int32([3, 1, 3]), 4)
array([0, 1, 0, 2], dtype=int32)
"""

import operator

import obsidian as obs
from obsidian import i32, index


@obs.jit
def increment(a):
    return a + 1


@obs.jit
def total(a):
    return a.sum()


@obs.jit
def squares(a):
    return (a * a).sum()


@obs.jit
def dot(a, b):
    return (a * b).sum(commutative=True)


@obs.jit
def sums(a):
    return a.scan(operator.add, 0)


@obs.jit
def mapped_sums(a):
    return (2 * a + 1).scan(operator.add, 0) ^ 0x55


@obs.jit
def below(a, limit: i32):
    return obs.force(*a.compact(a < limit))


@obs.jit
def occurrences(keys, bins: index):
    return obs.scatter(1, at=keys, into=bins, init=0, combine="add")


@obs.jit
def occurrences_of(keys, *, bins=256):
    return obs.scatter(1, at=keys, into=bins, init=0, combine="add")
