"""K-means: centres of groups of points, by the method of Lloyd.

Each step finds the nearest centre of each point, by a fold along the rows of the matrix of all
distances, which is not in memory. There are few centres, so a thread processes a row. A permutation
adds the points of each group, and the mean of a group is its new centre. A group without points
keeps its centre.

>>> import numpy as np
>>> x, y = np.float32([0, 1, 10, 11]), np.float32([0, 0, 5, 5])
>>> centres, groups = k_means((x, y), (x[:2], y[:2]), 5)
>>> np.stack(centres), groups
(array([[ 0.5, 10.5],
       [ 0. ,  5. ]], dtype=float32), array([0, 0, 1, 1], dtype=int32))
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, f32, i32, index, thread

Points = Annotated[Pull, "n", (f32, f32)]


def nearest(points, centres):
    """The number of the nearest centre of each point; the first of several."""

    def distance(i, k):
        (x, y), (u, v) = points[i], centres[k]
        return (x - u) * (x - u) + (y - v) * (y - v), k.to(i32)

    def closer(a, b):
        return obs.where(b[0] < a[0], b, a)

    pairs = arrays.generate((points.size, centres.size), distance)
    return arrays.map(lambda _, k: k, arrays.fold(closer, (f32.inf, 0), pairs, level=thread))


@obs.jit
def k_means(points: Points, centres: Annotated[Pull, "k", (f32, f32)], steps: index):
    def step(_, centres):
        group = nearest(points, centres)
        weighted = arrays.map(lambda x, y: (x, y, f32(1)), points)
        sums = arrays.permute(
            "add", (f32(0), f32(0), f32(0)), lambda i: group[i], weighted, centres.shape
        )

        def mean(x, y, count, u, v):
            return obs.where(count > 0, (x / count, y / count), (u, v))

        return arrays.zip_with(mean, sums, centres)

    found = arrays.loop(steps, centres)(step)
    return found, nearest(points, found)
