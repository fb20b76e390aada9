"""Odd-even transposition sort of n <= 1024 numbers. From: N. Habermann, 1972.

There are n stages. In stage k, element i is compared with a neighbour. The parity of i + k
determines the side of this neighbour. The lower element of the pair becomes the minimum, and the
upper one the maximum. The length is known at run time only, and its bound determines the size of
the buffers.

One block sorts the array. A stage is a loop over its threads.

>>> import numpy as np
>>> odd_even_sort(np.array([5, 1, 4], np.int32))
array([1, 4, 5], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32


@obs.jit(threads=256)
def odd_even_sort(a: Annotated[Pull, "n <= 1024", i32]):
    n = a.size

    @obs.grid_of(1, level=block)
    def sort(_):
        x = a
        for k in obs.range(n):

            @obs.generate(obs.up_to(n, 1024))
            def swapped(i):
                is_left = (i + k) % 2 == 0
                other = i + 1 if is_left else i - 1
                other = other if 0 <= other < n else i
                return obs.min(x[i], x[other]) if is_left else obs.max(x[i], x[other])

            x = swapped.force()
        return x

    return sort.join(to=n)
