"""Mandelbrot: the number of steps z -> z^2 + c in which each point c of a picture leaves a circle.

A picture is an array from an index to a number of steps, so the program is one `generate`. For
points that do not leave the circle within `limit` steps, the number is `limit`.

>>> mandelbrot(3, 5, -2.0, -1.0, 0.75, 1.0, 20)
array([[ 1,  3,  4,  4,  2],
       [20, 20, 20, 20,  3],
       [ 1,  3,  4,  4,  2]], dtype=int32)
"""

import obsidian as obs
from obsidian import arrays, f32, i32, index


@obs.jit
def mandelbrot(rows: index, columns: index, left: f32, low: f32, dx: f32, dy: f32, limit: i32):
    def steps(i, j):
        x, y = left + j.to(f32) * dx, low + i.to(f32) * dy
        u, v, count = f32(0), f32(0), i32(0)
        while count < limit and u * u + v * v <= 4:
            u, v = u * u - v * v + x, 2 * u * v + y
            count = count + 1
        return count

    return arrays.generate((rows, columns), steps)
