"""Map fusion: r[i] = (a[i] + 1)^2 - a[i], from three arrays that are never stored.

`succ` and `square` are pull arrays: functions from an index to an element. No operation forces
them, so they are never in memory. The kernel loads a[i] once, computes in registers, and stores
r[i].

>>> import numpy as np
>>> map_fusion(np.arange(5, dtype=np.int32))
array([ 1,  3,  7, 13, 21], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i32


@obs.jit
def map_fusion(a: Annotated[Pull, "n", i32]):
    succ = a + 1
    square = succ * succ
    return square - a
