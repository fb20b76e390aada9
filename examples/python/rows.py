"""Softmax and layer norm of the rows of a matrix.

`softmax_of(columns)` and `layer_norm_of(columns)` make the programs for rows of that length. A row
is read once. One unit of `level` processes a row and keeps it: a block in shared memory or
registers, and a warp in registers.

>>> import numpy as np
>>> softmax_of(2)(np.float32([[0, 0], [1, 1]]))
array([[0.5, 0.5],
       [0.5, 0.5]], dtype=float32)
>>> layer_norm_of(2)(np.float32([[1, 3]]), np.float32([1, 1]), np.float32([0, 10]), 0.0)
array([[-1., 11.]], dtype=float32)
"""

import functools
from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, f32


@functools.cache
def softmax_of(columns, level=block):
    @obs.jit
    def softmax(x: Annotated[Pull, "rows", columns, f32]):
        def row(r):
            r = r.force()
            e = obs.exp(r - r.max()).force()
            return e / e.sum()

        return obs.stack((row(r) for r in x.rows()), level=level)

    return softmax


@functools.cache
def layer_norm_of(columns, level=block):
    @obs.jit
    def layer_norm(
        x: Annotated[Pull, "rows", columns, f32],
        weights: Annotated[Pull, columns, f32],
        offsets: Annotated[Pull, columns, f32],
        e: f32,
    ):
        def row(r):
            r = r.force()
            d = (r - r.sum() / f32(columns)).force()
            scale = obs.rsqrt((d * d).sum() / f32(columns) + e)
            return d * scale * weights + offsets

        return obs.stack((row(r) for r in x.rows()), level=level)

    return layer_norm
