"""The game of life on a torus: `generations` steps of John Conway's cells.

A cell stays alive if it has two or three living neighbours. A dead cell with three living
neighbours becomes alive. Each step is a stencil whose boundary wraps around.

>>> import numpy as np
>>> blinker = np.zeros((5, 5), np.int8)
>>> blinker[2, 1:4] = 1
>>> life(blinker, 1)[:, 2]
array([0, 1, 1, 1, 0], dtype=int8)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, i8, index


@obs.jit
def life(cells: Annotated[Pull, "h", "w", i8], generations: index):
    def rule(w):
        around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        count = sum((w[place] for place in around[1:]), w[around[0]])
        return ((count == 3) | ((count == 2) & (w[0, 0] == 1))).to(i8)

    return arrays.loop(generations, cells)(lambda _, x: arrays.stencil(rule, x, "wrap"))
