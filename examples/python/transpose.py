"""Matrix transpose: r[j, i] = a[i, j], for any height and width.

With `a.T` alone, either the loads or the stores of a warp are a row apart. So a tile of 32 x 32 is
forced in between. It is loaded along the rows of `a` and stored along the rows of the result. For
`a.T` without tiles the compiler does the same. From: G. Ruetsch, P. Micikevicius, Optimizing matrix
transpose in CUDA, 2009.

The elements of a column of the tile would be in one bank of shared memory, so the compiler stores
the rows 33 words apart. `swizzled` does not need this: it stores element (i, j) at (i, j ^ i). The
compiler proves that no two elements have the same position.

>>> import numpy as np
>>> transpose(np.arange(6, dtype=np.int32).reshape(2, 3))
array([[0, 3],
       [1, 4],
       [2, 5]], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32

Matrix = Annotated[Pull, "h", "w", i32]


def swizzle(i, j):
    return i, j ^ i


@obs.jit(threads=128)
def transpose(a: Matrix):
    tiles = a.split((32, 32), pad=0).T
    return obs.concat((t.force("shared").T for t in tiles), level=block, to=a.shape[::-1])


@obs.jit(threads=128)
def swizzled(a: Matrix):
    def turned(tile):
        stored = tile.push().ix_map(swizzle).force("shared")
        return stored.ix_map(swizzle).T

    tiles = a.split((32, 32), pad=0).T
    return obs.concat((turned(t) for t in tiles), level=block, to=a.shape[::-1])
