"""Matrix product c = a b in f32 with tiles in registers: 16 x 16 elements of 4 x 4 numbers each.

As in matmul.py, a loop over tiles of a and b, which are forced, carries the sums. Here an element
of the carried array is a tuple of 16 sums: element (r, q) has the sums of rows r, r + 16, r + 32, r
+ 48 and of columns q, q + 16, q + 32, q + 48. For these sums, each step reads 4 numbers of a and 4
numbers of b from the tiles: half a read for each product, instead of two. The order of the
additions is that of matmul.py, so the bits are equal. From: V. Volkov, J. Demmel, Benchmarking GPUs
to tune dense linear algebra, 2008.

A block of 256 threads computes a tile of c. A thread has one element: 16 sums in registers.

>>> import numpy as np
>>> matmul_registers(np.ones((2, 3), np.float32), np.ones((3, 1), np.float32))
array([[3.],
       [3.]], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32

PLACES = tuple((u, v) for u in range(4) for v in range(4))


@obs.jit(threads=256)
def matmul_registers(a: Annotated[Pull, "m", "k", f32], b: Annotated[Pull, "k", "n", f32]):
    at, bt = a.split((64, 16), pad=0), b.split((16, 64), pad=0)

    @obs.grid_of(at.dim(0), bt.dim(1), level=block)
    def tile(i, j):
        acc = obs.full((16, 16), (0.0,) * 16)
        for k in obs.range(at.dim(1)):
            x, y = obs.force(at[i, k], bt[k, j], storage="shared")

            @obs.generate(16, 16)
            def sums(r, q):
                s = acc[r, q]
                for t in obs.range(16):
                    row, column = (
                        [x[r + 16 * u, t] for u in range(4)],
                        [y[t, q + 16 * v] for v in range(4)],
                    )
                    s = tuple(old + row[u] * column[v] for old, (u, v) in zip(s, PLACES))
                return s

            acc = sums.force()

        @obs.fill((64, 64), f32, over=(16, 16))
        def spread(r, q):
            return {(r + 16 * u, q + 16 * v): s for s, (u, v) in zip(acc[r, q], PLACES)}

        return spread

    return tile.join(to=(a.dim(0), b.dim(1)))
