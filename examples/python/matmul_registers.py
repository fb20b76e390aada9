"""Matrix product c = a b in f32 with tiles in registers: a block computes 64 x 128 numbers.

As in matmul.py, a loop over tiles of a and b, which are forced, carries the sums. Here they are an
array of 2 x 4 x 2 x 4 x 8 x 16 sums. The last two dimensions determine the thread, so each thread
of a block of 128 has 64 sums in registers, those of 8 rows and 8 columns. For these, each step
reads 8 numbers of a and 8 numbers of b from the tiles: a quarter of a read for each product,
instead of two. The 8 rows and the 8 columns are two groups of 4 neighbours, which are one access
each. Tiles of a are stored column by column, so that rows are neighbours. The next tiles are read
from global memory before the sums, and stored in shared memory after them. The order of the
additions is that of matmul.py, so the bits are equal. The first tiles are read before the loop, so
a needs a column. From: V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra, 2008.

`obs.matmul` is this program for all types.

>>> import numpy as np
>>> matmul_registers(np.ones((2, 3), np.float32), np.ones((3, 1), np.float32))
array([[3.],
       [3.]], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32

ROWS, DEPTH, COLUMNS = 64, 16, 128
SUMS = (2, 4, 2, 4, 8, 16)


def place(g, u, i, extent):
    """Row or column u of group g of element i: groups are half of the extent apart."""
    return extent // 2 * g + 4 * i + u


@obs.jit(threads=128)
def matmul_registers(a: Annotated[Pull, "m", "k", f32], b: Annotated[Pull, "k", "n", f32]):
    at, bt = a.split((ROWS, DEPTH), pad=0), b.split((DEPTH, COLUMNS), pad=0)
    steps = at.dim(1)

    @obs.grid_of(at.dim(0), bt.dim(1), level=block)
    def tile(i, j):
        def read(k):
            return obs.force(at[i, k], bt[k, j])

        def store(rows, columns):
            turned = obs.fill((DEPTH, ROWS), f32, over=(ROWS, DEPTH))(
                lambda r, t: {(t, r): rows[r, t]}
            )
            return obs.force(turned, columns, storage="shared")

        acc = obs.zeros(*SUMS)
        x, y = store(*read(0))
        for k in obs.range(steps):
            following = read(obs.min(k + 1, steps - 1))

            @obs.generate(*SUMS)
            def sums(g, u, h, v, r, q):
                row, column = place(g, u, r, ROWS), place(h, v, q, COLUMNS)
                return obs.sum(
                    DEPTH, lambda t: x[t, row] * y[t, column], init=acc[g, u, h, v, r, q]
                )

            acc = sums.force(storage="registers")
            x, y = store(*following)

        return obs.fill((ROWS, COLUMNS), f32, over=SUMS)(
            lambda g, u, h, v, r, q: {
                (place(g, u, r, ROWS), place(h, v, q, COLUMNS)): acc[g, u, h, v, r, q]
            }
        )

    return tile.join(to=(a.dim(0), b.dim(1)))
