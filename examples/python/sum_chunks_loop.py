"""Sums of chunks of 512, each by a tree, as in sum_chunks.py, with a loop in the kernel.

The arrays become shorter from stage to stage, and the loop carries them, so their length is known
at run time only. `up_to` determines the size of the memory.

>>> import numpy as np
>>> sum_chunks_loop(np.arange(1025, dtype=np.int32))
array([130816, 392960,   1024], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, block, i32, index


@obs.jit(threads=128)
def sum_chunks_loop(a: Annotated[Pull, "n", i32]):
    def tree(c):
        half = obs.up_to(index(256), 256)
        s = (c.slice(0, half) + c.slice(256, half)).force()
        for k in obs.range(8):
            half = 128 >> k
            s = (s.slice(0, half) + s.slice(half, half)).force()
        return s.take(1)

    return obs.concat((tree(c) for c in a.split(512, pad=0)), level=block)
