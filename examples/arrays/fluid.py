"""A fluid in a box: one step of its speed and of the smoke that it carries.

The speed moves itself and the smoke: each point takes the value upstream, by interpolation. Then a
pressure removes the sources of the speed. A stencil computes the divergence, a loop of stencils
computes the pressure by the method of Jacobi, and a stencil of two arrays subtracts its slope.
From: J. Stam, Stable fluids, 1999.

>>> import numpy as np
>>> zero = np.zeros((4, 4), np.float32)
>>> (x, y), smoke = step((zero + 1, zero), np.eye(4, dtype=np.float32), 0.5, 20)
>>> smoke[1].round(2)
array([0. , 0.5, 0.5, 0. ], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, f32, index


def carry(array, speed, time):
    """Each place takes the value that was upstream."""
    rows, columns = array.shape

    def clamp(x, n):
        return obs.max(f32(0), obs.min(x, n.to(f32) - 1))

    def upstream(i, j):
        u, v = speed[i, j]
        y, x = clamp(i.to(f32) - time * v, rows), clamp(j.to(f32) - time * u, columns)
        low, left = y.to(index), x.to(index)
        high, right = obs.min(low + 1, rows - 1), obs.min(left + 1, columns - 1)
        a, b = y - low.to(f32), x - left.to(f32)
        first = array[low, left] * (1 - b) + array[low, right] * b
        return first * (1 - a) + (array[high, left] * (1 - b) + array[high, right] * b) * a

    return arrays.generate(array.shape, upstream)


def without_sources(speed, iterations):
    """The speed minus the slope of a pressure."""
    sources = arrays.compute(
        arrays.stencil(
            lambda w: 0.5 * (w[0, 1][0] - w[0, -1][0] + w[1, 0][1] - w[-1, 0][1]), speed, "clamp"
        )
    )

    def relax(_, pressure):
        return arrays.stencil2(
            lambda p, s: (p[-1, 0] + p[1, 0] + p[0, -1] + p[0, 1] - s[0, 0]) * 0.25,
            pressure, "clamp", sources, "clamp",
        )  # fmt: skip

    start = arrays.generate(speed.shape, lambda i, j: f32(0))
    pressure = arrays.loop(iterations, start)(relax)

    def subtract(v, p):
        x, y = v[0, 0]
        return x - 0.5 * (p[0, 1] - p[0, -1]), y - 0.5 * (p[1, 0] - p[-1, 0])

    return arrays.stencil2(subtract, speed, "clamp", pressure, "clamp")


@obs.jit
def step(
    speed: Annotated[Pull, "h", "w", (f32, f32)],
    smoke: Annotated[Pull, "h", "w", f32],
    time: f32,
    iterations: index,
):
    x, y = arrays.unzip(speed)
    moved = arrays.compute(arrays.zip(carry(x, speed, time), carry(y, speed, time)))
    settled = without_sources(moved, iterations)
    return settled, carry(smoke, settled, time)
