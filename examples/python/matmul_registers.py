"""Matrix product c = a b in f32 with tiles in registers: a block computes 64 x 128 numbers.

As in matmul.py, a loop over tiles of a and b, which are forced, carries the sums. Here an element
of the carried array is a tuple of 64 sums, those of 8 rows and 8 columns. For these sums, each step
reads 8 numbers of a and 8 numbers of b from the tiles: a quarter of a read for each product,
instead of two. The 8 rows and the 8 columns are two groups of 4 neighbours, which are one access
each. Tiles of a are stored column by column, so that rows are neighbours. The next tiles are read
from global memory before the sums, and stored in shared memory after them. The order of the
additions is that of matmul.py, so the bits are equal. From: V. Volkov, J. Demmel, Benchmarking GPUs
to tune dense linear algebra, 2008.

A block of 128 threads computes a tile of c. A thread has one element: 64 sums in registers.

>>> import numpy as np
>>> matmul_registers(np.ones((2, 3), np.float32), np.ones((3, 1), np.float32))
array([[3.],
       [3.]], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32

ROWS, DEPTH, COLUMNS = 64, 16, 128
PLACES = tuple((u, v) for u in range(8) for v in range(8))


def place(i, u, extent):
    """Row or column u of element i: one of two groups of 4, half of the extent apart."""
    return 4 * i + u % 4 + extent // 2 * (u // 4)


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

        acc = obs.full((8, 16), (0.0,) * 64)
        x, y = store(*read(0))
        for k in obs.range(steps):
            following = read(obs.min(k + 1, steps - 1))

            @obs.generate(8, 16)
            def sums(r, q):
                s = acc[r, q]
                for t in range(DEPTH):
                    row = [x[t, place(r, u, ROWS)] for u in range(8)]
                    column = [y[t, place(q, v, COLUMNS)] for v in range(8)]
                    s = tuple(old + row[u] * column[v] for old, (u, v) in zip(s, PLACES))
                return s

            acc = sums.force()
            x, y = store(*following)

        @obs.fill((ROWS, COLUMNS), f32, over=(8, 16))
        def spread(r, q):
            return {
                (place(r, u, ROWS), place(q, v, COLUMNS)): s for s, (u, v) in zip(acc[r, q], PLACES)
            }

        return spread

    return tile.join(to=(a.dim(0), b.dim(1)))
