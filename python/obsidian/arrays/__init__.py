"""Programs of whole arrays that do not name levels, with the operations of Accelerate.

In: arrays of a function with @obs.jit, and functions of elements or indices. Out: arrays. A
function is the first argument, as in `arrays.fold(operator.add, 0, a)`. Elementwise functions and
index maps store nothing, and are fused with the collectives before and after them. The result of a
collective, a stencil or a permutation is stored once, if an operation reads it. The module chooses
the levels. All other operations of the package, and functions with levels, take and return the same
arrays.
"""

from .checks import ALL
from .elements import (
    backpermute,
    generate,
    map,
    replicate,
    reshape,
    slice,
    transpose,
    unzip,
    zip,
    zip_with,
)
from .folds import fold, fold1, fold_all, scanl, scanl1, scanl_, scanr, scanr1, scanr_
from .orders import partition, sort
from .segments import (
    fold1_seg,
    fold_seg,
    scanl1_seg,
    scanl_seg,
    scanl_seg_,
    scanr1_seg,
    scanr_seg,
    scanr_seg_,
)
from .stencils import Window, stencil, stencil2
from .writes import compact, compute, loop, permute, while_loop

__all__ = [
    "ALL",
    "Window",
    "backpermute",
    "compact",
    "compute",
    "fold",
    "fold1",
    "fold1_seg",
    "fold_all",
    "fold_seg",
    "generate",
    "loop",
    "map",
    "partition",
    "permute",
    "replicate",
    "reshape",
    "scanl",
    "scanl1",
    "scanl1_seg",
    "scanl_",
    "scanl_seg",
    "scanl_seg_",
    "scanr",
    "scanr1",
    "scanr1_seg",
    "scanr_",
    "scanr_seg",
    "scanr_seg_",
    "slice",
    "sort",
    "stencil",
    "stencil2",
    "transpose",
    "unzip",
    "while_loop",
    "zip",
    "zip_with",
]
