"""All states of a generator of random numbers whose parameters change.

x[i] = m[i] * x[i-1] + c[i] modulo 2^32, from x[-1] = 1. A step is a function x -> m * x + c. The
composition of two steps is an associative operator on pairs (m, c), which does not commute. So the
states are a scan of the functions, each applied to 1. From: G. Blelloch, Prefix sums and their
applications, 1990.

One kernel, in one pass. The map that applies the functions is part of it.

>>> import numpy as np
>>> large_scan(np.full(4, 3, np.int32), np.ones(4, np.int32))
array([  4,  13,  40, 121], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i32


def after(f, g):
    """The function f and then the function g."""
    return f[0] * g[0], g[0] * f[1] + g[1]


@obs.jit
def large_scan(m: Annotated[Pull, "n", i32], c: Annotated[Pull, "n", i32]):
    functions = obs.zip(m, c).scan(after, init=(1, 0))
    return functions.map(lambda m, c: m + c)
