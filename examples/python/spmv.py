"""Product of a sparse matrix and a vector, y = A x, in CSR form.

Row r has the elements offsets[r] to offsets[r + 1] - 1 of `columns` and `values`. It is a slice of
the products, which are never stored. Its sum is a reduction. `level` selects the unit that adds a
row: a thread, a warp or a block. The best level depends on the length of the rows. `band` is the
product for a matrix whose rows have `width` elements. These elements are functions of the index, so
no matrix is in memory. From: N. Bell, M. Garland, Implementing sparse matrix-vector multiplication,
2009.

>>> import numpy as np
>>> a = np.int32([0, 2, 3]), np.int32([0, 1, 1]), np.float32([1, 2, 3])
>>> spmv(*a, np.float32([10, 1]), level=obs.thread)
array([12.,  3.], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32, i32, index, warp

Floats = Annotated[Pull, "m", f32]


@obs.jit(threads=128)
def spmv(
    offsets: Annotated[Pull, "r", i32],
    columns: Annotated[Pull, "k", i32],
    values: Annotated[Pull, "k", f32],
    x: Floats,
    *,
    level=warp,
):
    assert offsets.size >= 1, "there is at least one offset"
    products = columns.map(lambda c, v: v * x[c], values)

    def row(r):
        begin, end = offsets[r].to(index), offsets[r + 1].to(index)
        return products[begin:end].sum(commutative=True)

    return obs.concat((row(r) for r in obs.iota(offsets.size - 1)), level=level)


@obs.jit(threads=128)
def band(rows: index, width: index, x: Floats):
    offsets = obs.generate(rows + 1)(lambda r: (r * width).to(i32))
    columns = obs.generate(rows * width)(lambda k: ((k // width + k % width) % x.size).to(i32))
    values = obs.generate(rows * width)(lambda k: (k % width).to(f32))
    return spmv(offsets, columns, values, x, level=block)
