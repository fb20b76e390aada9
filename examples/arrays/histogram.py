"""Histogram: the number of elements in each of some intervals of equal width.

There are `bins` intervals from `low` to `high`. A permutation writes a one to the bin of each
number, and adds the ones of each bin. Numbers outside of the range are ignored, since an index
outside of the result drops an element.

>>> import numpy as np
>>> histogram(np.float32([0.5, 1.5, 1.75, 9, -1]), 0.0, 4.0, 4)
array([1, 2, 0, 0], dtype=int32)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, f32, i32, index


@obs.jit
def histogram(numbers: Annotated[Pull, "n", f32], low: f32, high: f32, bins: index):
    def bin_of(i):
        place = obs.floor((numbers[i] - low) / (high - low) * bins.to(f32))
        # A number far outside fits no integer.
        return obs.max(f32(-1), obs.min(place, bins.to(f32))).to(index)

    ones = arrays.map(lambda _: i32(1), numbers)
    return arrays.permute("add", 0, bin_of, ones, bins)
