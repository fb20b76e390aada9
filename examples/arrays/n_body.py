"""N bodies: one step of the motion of bodies that attract each other.

The forces are a matrix of all pairs, which is never in memory: a fold along its rows computes each
force where it adds it. All rows read the same bodies, so the threads of a warp have neighbouring
rows, and read each body together. The computation of the new positions and speeds is fused into the
fold. The distance of two bodies is made a little larger, so that a body does not attract itself.

>>> import numpy as np
>>> zero, places = np.zeros(2, np.float32), np.float32([0, 1])
>>> new, speeds = step((places, zero, zero), (zero, zero, zero), np.float32([1, 1]), 0.5)
>>> new[0].round(2), speeds[0].round(3)
(array([0.25, 0.75], dtype=float32), array([ 0.499, -0.499], dtype=float32))
"""

from typing import Annotated, NamedTuple

import obsidian as obs
from obsidian import Pull, arrays, f32

SOFT = 0.001


class Vector(NamedTuple):
    x: f32
    y: f32
    z: f32


Vectors = Annotated[Pull, "n", (f32, f32, f32)]


@obs.jit
def step(places: Vectors, speeds: Vectors, masses: Annotated[Pull, "n", f32], time: f32):
    def force(i, j):
        (x, y, z), (u, v, w) = places[i], places[j]
        dx, dy, dz = u - x, v - y, w - z
        square = dx * dx + dy * dy + dz * dz + SOFT
        f = masses[j] / (square * obs.sqrt(square))
        return Vector(f * dx, f * dy, f * dz)

    def add(a, b):
        return Vector(a.x + b.x, a.y + b.y, a.z + b.z)

    def move(x, y, z, u, v, w, a):
        u, v, w = u + a.x * time, v + a.y * time, w + a.z * time
        return (x + u * time, y + v * time, z + w * time), (u, v, w)

    n = masses.size
    forces = arrays.fold(add, Vector(0, 0, 0), arrays.generate((n, n), force))
    return arrays.zip_with(move, places, speeds, forces)
