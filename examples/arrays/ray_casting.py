"""Ray casting: a picture of balls, seen along the z axis, with light from one side.

An array of rank 3 contains the distance to each ball for each point of the picture. It is not in
memory. A fold along its last dimension finds the nearest ball. There are few balls, so a thread
processes a row. A function of the result, which is fused into the fold, computes the light. The
background is 0.

>>> import numpy as np
>>> balls = tuple(np.float32([x]) for x in (0, 0, 5, 1))
>>> cast(balls, 3, 5).round(2)
array([[0.  , 0.  , 0.  , 0.  , 0.  ],
       [0.  , 0.77, 0.64, 0.2 , 0.  ],
       [0.  , 0.  , 0.  , 0.  , 0.  ]], dtype=float32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, f32, i32, index, thread

LIGHT = (-0.48, 0.6, -0.64)
#: The light of what the lamp does not reach.
AMBIENT = 0.2


@obs.jit
def cast(balls: Annotated[Pull, "k", (f32, f32, f32, f32)], rows: index, columns: index):
    def point(i, j):
        """The place of a point of the picture, which reaches from -2 to 2."""
        x = (2 * j + 1).to(f32) * 2 / columns.to(f32) - 2
        return x, (2 * i + 1).to(f32) * 2 / rows.to(f32) - 2

    def distance(i, j, number):
        (x, y), (u, v, w, radius) = point(i, j), balls[number]
        square = radius * radius - (x - u) * (x - u) - (y - v) * (y - v)
        is_hit = square >= 0
        return obs.where(is_hit, w - obs.sqrt(obs.max(square, 0)), f32.inf), number.to(i32)

    def nearer(a, b):
        return obs.where(b[0] < a[0], b, a)

    def light(i, j, z, number):
        def shade():
            (x, y), (u, v, w, radius) = point(i, j), balls[number]
            normal = (x - u) / radius, (y - v) / radius, (z - w) / radius
            return obs.max(AMBIENT, sum(n * d for n, d in zip(normal, LIGHT)))

        return obs.when(number >= 0)(shade, lambda: f32(0))

    distances = arrays.generate((rows, columns, balls.size), distance)
    hits = arrays.fold(nearer, (f32.inf, -1), distances, level=thread)
    places = arrays.generate((rows, columns), lambda i, j: (i, j))
    return arrays.zip_with(light, places, hits)
