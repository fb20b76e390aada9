"""Sparse product: a matrix of which few elements are stored, times a vector.

The elements of all rows are adjacent, with their columns. `lengths` has the number of elements of
each row. The products are not in memory: the fold of the segments computes them.

>>> import numpy as np
>>> values, columns = np.float32([1, 2, 3]), np.int32([0, 2, 1])
>>> multiply(values, columns, np.int32([2, 0, 1]), np.float32([10, 20, 30]))
array([70.,  0., 60.], dtype=float32)
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, f32, i32


@obs.jit
def multiply(
    values: Annotated[Pull, "n", f32],
    columns: Annotated[Pull, "n", i32],
    lengths: Annotated[Pull, "rows", i32],
    x: Annotated[Pull, "columns", f32],
):
    products = arrays.zip_with(lambda value, column: value * x[column], values, columns)
    return arrays.fold_seg(operator.add, 0.0, products, lengths)
