"""The levels of the machine, and the kinds of memory.

In: nothing. Out: `thread`, `warp`, `block` and `grid`, which operations take as `level=`.
"""

from __future__ import annotations

import enum
from typing import Literal


class Level(enum.IntEnum):
    """A level of the machine: thread < warp < block < grid."""

    thread = 0
    warp = 1
    block = 2
    grid = 3

    def __str__(self) -> str:
        return self.name

    @property
    def below(self) -> Level:
        """The next lower level; that of thread is thread."""
        return Level(max(self - 1, 0))


thread, warp, block, grid = Level

#: The memory of a forced array: of each thread, of a block, of the device, or for constants.
Storage = Literal["registers", "shared", "global", "constant"]
