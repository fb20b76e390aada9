"""3 x 3 box sum of an image. Past the border, the image continues as its mirror image.

An output tile of 16 x 16 needs an input tile of 18 x 18: the tile and its border. The input tile is
forced, so each pixel is loaded about once, and read nine times from shared memory. The sums do not
depend on the rule for the border. From: the stencils of Accelerate.

A block processes a tile. `to` drops the elements past the right and the lower border.

>>> import numpy as np
>>> stencil(np.ones((2, 3), np.int32))
array([[9, 9, 9],
       [9, 9, 9]], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32


def box(tile):
    t = tile.force("shared")
    return obs.generate(16, 16)(
        lambda y, x: obs.sum(3, lambda u: obs.sum(3, lambda v: t[y + u, x + v]))
    )


@obs.jit(threads=256)
def stencil(a: Annotated[Pull, "h", "w", i32]):
    tiles = obs.tiles(a, 16, border=1, rule="mirror")
    return obs.concat((box(t) for t in tiles), level=block, to=a.shape)
