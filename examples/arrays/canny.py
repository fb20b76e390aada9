"""Canny: the edges of a grey picture, as a picture and as a list of positions.

Two stencils blur the picture, one computes the slope, and one keeps the largest slopes across each
edge. Slopes above `high` are edges. Slopes above `low` are edges if they are next to an edge: a
loop lets the edges grow until nothing changes. `compact` makes the list. All numbers are integers,
and the slopes are squared. From: J. Canny, A computational approach to edge detection, 1986.

>>> import numpy as np
>>> picture = np.zeros((5, 6), np.int32)
>>> picture[:, 3:] = 200
>>> edges, places = canny(picture, 1000, 100000)
>>> edges[2].astype(int), places
(array([0, 0, 1, 1, 0, 0]), array([ 2,  3,  8,  9, 14, 15, 20, 21, 26, 27], dtype=int32))
"""

import operator
from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, i32

Picture = Annotated[Pull, "h", "w", i32]


def blur(picture):
    """A Gauss filter of five by five, as two stencils."""

    def weigh(a, b, c, d, e):
        return (a + 4 * b + 6 * c + 4 * d + e + 8) // 16

    rows = arrays.stencil(lambda w: weigh(*(w[0, k - 2] for k in range(5))), picture, "clamp")
    return arrays.stencil(lambda w: weigh(*(w[k - 2, 0] for k in range(5))), rows, "clamp")


def slope(w):
    """The square of the slope by the operator of Sobel, and its direction from 0 to 3."""
    x = w[-1, 1] + 2 * w[0, 1] + w[1, 1] - w[-1, -1] - 2 * w[0, -1] - w[1, -1]
    y = w[1, -1] + 2 * w[1, 0] + w[1, 1] - w[-1, -1] - 2 * w[-1, 0] - w[-1, 1]
    is_flat, is_steep = 5 * abs(y) < 2 * abs(x), 2 * abs(y) > 5 * abs(x)
    diagonal = obs.where((x > 0) ^ (y > 0), i32(3), i32(1))
    return x * x + y * y, obs.where(is_flat, i32(0), obs.where(is_steep, i32(2), diagonal))


def largest(w):
    """The slope, or 0 if a neighbour in its direction has a larger one."""
    here, direction = w[0, 0]
    kept = here
    for number, (i, j) in enumerate([(0, 1), (1, 1), (1, 0), (1, -1)]):
        is_lower = (w[i, j][0] > here) | (w[-i, -j][0] > here)
        kept = obs.where((direction == number) & is_lower, i32(0), kept)
    return kept


@obs.jit
def canny(picture: Picture, low: i32, high: i32):
    slopes = arrays.compute(arrays.stencil(slope, blur(picture), "clamp"))
    thin = arrays.stencil(largest, slopes, (0, 0))
    # 0 is no edge, 1 a weak one, 2 an edge.
    levels = arrays.map(lambda s: (s > low).to(i32) + (s > high).to(i32), thin)

    def grow(edges, _):
        def spread(w):
            strongest = obs.max(*(w[i, j] for i in (-1, 0, 1) for j in (-1, 0, 1)))
            return obs.where((w[0, 0] == 1) & (strongest == 2), i32(2), w[0, 0])

        grown = arrays.stencil(spread, edges, 0)
        changes = arrays.zip_with(lambda a, b: (a != b).to(i32), grown, edges)
        return grown, arrays.fold_all(operator.add, 0, changes, commutative=True)

    some = arrays.generate((), lambda: i32(1))
    found, _ = arrays.while_loop(lambda _, n: arrays.map(lambda x: x > 0, n), levels, some)(grow)
    edges = arrays.compute(arrays.map(lambda x: x == 2, found))
    columns = picture.dim(1)
    places = arrays.generate(picture.shape, lambda i, j: (i * columns + j).to(i32))
    return edges, arrays.compact(edges, places)[0]
