"""Matrix product c = a b in f32, tile by tile. From: CUDA C++ Programming Guide, on shared memory.

A tile of c is a loop over tiles of a row of a and of a column of b. Both tiles are forced, so an
element is loaded once for 16 uses. The loop carries the tile of sums. The order of the additions is
that of the loops, so results have the same bits on all devices.

A block computes a tile of c. Tiles at the edges are padded with zeros, and `to` drops the elements
outside of c.

>>> import numpy as np
>>> matmul(np.ones((2, 3), np.float32), np.ones((3, 1), np.float32))
array([[3.],
       [3.]], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32


@obs.jit(threads=256)
def matmul(a: Annotated[Pull, "m", "k", f32], b: Annotated[Pull, "k", "n", f32], *, T=16):
    at, bt = a.split((T, T), pad=0), b.split((T, T), pad=0)

    @obs.grid_of(at.dim(0), bt.dim(1), level=block)
    def tile(i, j):
        acc = obs.zeros(T, T)
        for k in obs.range(at.dim(1)):
            x, y = obs.force(at[i, k], bt[k, j], storage="shared")
            acc = obs.generate(T, T)(
                lambda r, c: obs.sum(T, lambda t: x[r, t] * y[t, c], init=acc[r, c])
            ).force()
        return acc

    return tile.join(to=(a.dim(0), b.dim(1)))
