"""Pictures of the Mandelbrot set and of Julia sets: the number of steps for each pixel.

A step is z -> z^2 + c, until |z| > 2, at most `steps`. In `mandelbrot`, z starts from 0, and c is
the pixel. In `julia`, z starts from the pixel, and c is a parameter. Pixels are points of a grid
around (x, y), at distance d. From: the examples of Obsidian and of Accelerate.

One kernel. A thread processes a pixel, and its loop has as many iterations as the pixel needs.

>>> mandelbrot(1, 8, -0.75, 0.0, 0.5, 9)
array([[1, 1, 9, 9, 9, 9, 9, 3]], dtype=int32)
"""

import obsidian as obs
from obsidian import f32, i32, index


@obs.function
def escape(zx, zy, cx, cy, steps):
    """The number of steps from (zx, zy) for (cx, cy)."""
    n = 0
    while zx * zx + zy * zy <= 4 and n < steps:
        zx, zy = zx * zx - zy * zy + cx, (zx + zx) * zy + cy
        n += 1
    return n


def point(i, n, middle, d):
    """The place of pixel i of n."""
    return middle + (i - n // 2).to(i32).to(f32) * d


@obs.jit(threads=256)
def mandelbrot(h: index, w: index, x: f32, y: f32, d: f32, steps: i32):
    return obs.generate(h, w)(
        lambda i, j: escape(f32(0), f32(0), point(j, w, x, d), point(i, h, y, d), steps)
    )


@obs.jit(threads=256)
def julia(h: index, w: index, x: f32, y: f32, d: f32, cx: f32, cy: f32, steps: i32):
    return obs.generate(h, w)(
        lambda i, j: escape(point(j, w, x, d), point(i, h, y, d), cx, cy, steps)
    )
