"""k-means: the centres of groups of points.

In a `step`, each point goes to the nearest of k centres, and each centre moves to the mean of its
points. A centre without points does not move. `until_stable` executes steps until no centre moves,
at most `limit`, and also returns the number of steps.

From: S. Lloyd, Least squares quantization in PCM, 1982; an example program of Accelerate.
Coordinates are integers, so sums in any order are equal. Means are rounded towards zero.

A step has three kernels: the nearest centre, the sums, and the means. In `until_stable`, a
reduction counts the centres that moved, and the host waits for this number after each step.

>>> import numpy as np
>>> step((np.int32([1, 3, 9]), np.int32([0, 0, 0])), (np.int32([0, 8]), np.int32([0, 0])))[0]
Point(x=array([2, 9], dtype=int32), y=array([0, 0], dtype=int32))
"""

from typing import Annotated, NamedTuple

import obsidian as obs
from obsidian import Pull, i1, i32


class Point(NamedTuple):
    x: i32
    y: i32


Points = Annotated[Pull, "n", Point]
Centres = Annotated[Pull, "k", Point]


@obs.jit(threads=256)
def step(points: Points, centres: Centres):
    assert centres.size >= 1, "there is at least one centre"

    def nearest(p):
        best, least = 0, i32.max
        for c in obs.range(centres.size):
            dx, dy = p.x - centres[c].x, p.y - centres[c].y
            distance = dx * dx + dy * dy
            if obs.unsigned.less(distance, least):
                best, least = c.to(i32), distance
        return best

    def mean(centre, x, y, count):
        if count == 0:
            return centre
        return Point(obs.div(x, count), obs.div(y, count))

    labels = points.map(nearest).force(kernel="nearest")
    counted = points.map(lambda p: (p.x, p.y, 1))
    sums = obs.scatter(counted, at=labels, into=centres.size, init=(0, 0, 0), combine="add")
    return centres.map(mean, sums.force(kernel="sums")), labels


@obs.jit(threads=256)
def until_stable(points: Points, centres: Centres, limit: i32):
    steps, is_moving = i32(0), i1(True)
    while steps < limit and is_moving:
        moved, _ = step(points, centres)
        moved = moved.force(kernel="means")
        moves = centres.map(lambda p, q: (p.x != q.x) | (p.y != q.y), moved)
        centres, steps = moved, steps + 1
        is_moving = moves.to(i32).sum().force(kernel="moved")[0] != 0
    return centres, steps
