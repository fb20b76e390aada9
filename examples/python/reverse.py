"""Reverse: r[i] = a[n - 1 - i], on bytes. From: the Obsidian papers.

`[::-1]` changes the index that is read. It moves no data. The store of the result moves the data,
once.

>>> import numpy as np
>>> reverse(np.arange(5, dtype=np.int8))
array([4, 3, 2, 1, 0], dtype=int8)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, i8


@obs.jit
def reverse(a: Annotated[Pull, "n", i8]):
    return a[::-1]
