"""Convolution of an image with 3 x 3 or 5 x 5 weights, with five rules for its border.

A pixel past the border is the nearest pixel ("clamp"), a pixel of the mirror image ("mirror"), a
pixel of the repeated image ("wrap"), a constant, or a function of the index. A rule makes a larger
image of an image. The larger image is a pull array that is never stored, so the convolutions do not
depend on the rules. `direct` reads the larger image where it needs it, for weights of any odd
extents. If `k` is their extent, a thread loads neighbours at once, and does not apply the rule away
from the border. `tiled` forces the tile that 16 x 16 results need. From: the convolutions of
Accelerate and of the Obsidian slides.

>>> import numpy as np
>>> direct(np.ones((2, 2), np.int32), np.ones((3, 3), np.int32), rule=0)
array([[4, 4],
       [4, 4]], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32

Image = Annotated[Pull, "h", "w", i32]
Weights = Annotated[Pull, "kh", "kw", i32]


def by_index(i, j):
    """An image that is a function of the index: 100 times the row, plus the column."""
    return (100 * i + j).to(i32)


def weighted(image, weights, kh, kw):
    """The weighted sum at (i, j), for an image with its border."""
    return lambda i, j: obs.sum(
        kh, lambda u: obs.sum(kw, lambda v: weights[u, v] * image(i + u, j + v))
    )


@obs.jit(threads=128)
def direct(a: Image, weights: Weights, *, k=None, rule="clamp"):
    kh, kw = (k, k) if k else weights.shape
    read = obs.beyond(a, rule)
    border = weighted(lambda y, x: read(y - kh // 2, x - kw // 2), weights, kh, kw)
    return obs.generate(*a.shape)(border)


@obs.jit(threads=128)
def tiled(a: Image, weights: Weights, *, k=3, rule="clamp"):
    def box(tile):
        t = tile.force("shared")
        return obs.generate(16, 16)(weighted(lambda y, x: t[y, x], weights, k, k))

    tiles = obs.tiles(a, 16, border=k // 2, rule=rule)
    return obs.concat((box(t) for t in tiles), level=block, to=a.shape)
