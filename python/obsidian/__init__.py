"""Obsidian: data-parallel GPU programs from pull arrays, push arrays and levels.

In: Python functions. Out: kernels. `@obs.jit` compiles a function for NumPy arrays. The levels
thread, warp, block and grid determine which workers share the work.
"""

from typing import TYPE_CHECKING

from . import arrays, bit, unsigned
from .backend import RunOptions
from .control import loop, when, while_loop
from .control import range as range
from .device_arrays import DeviceArray
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    CompileError,
    Diagnostic,
    ObsidianError,
    PerformanceWarning,
    RunError,
    TraceError,
)
from .functions import (
    acos,
    acosh,
    asin,
    asinh,
    assert_,
    atan,
    atan2,
    atanh,
    cbrt,
    ceil,
    ceil_div,
    concat,
    copysign,
    cos,
    cosh,
    ctlz,
    ctpop,
    cttz,
    div,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    fma,
    interleave,
    log,
    log1p,
    log2,
    log10,
    rem,
    rsqrt,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
    where,
)  # fmt: skip
from .functions import max as max
from .functions import min as min
from .functions import pow as pow
from .functions import print as print
from .functions import round as round
from .functions import zip as zip
from .irregular import expand, scatter
from .jit import Function, function, jit
from .levels import Level, block, grid, thread, warp
from .library import beyond, matmul, pad, tiles, tree_reduce, windows
from .library import filter as filter
from .library import sum as sum
from .locations import Location
from .merges import merge_sort
from .networks import (
    bitonic_merge,
    bitonic_sort,
    brent_kung,
    comparators,
    descend,
    kogge_stone,
    merge_runs,
    odd_even_sort,
    sklansky,
    sort_runs,
    thread_columns,
    vee,
)
from .programs import fill, force, grid_of, par, put, stack, write
from .pull_push import Pull, Push
from .regions import up_to
from .scalars import Scalar
from .sources import full, generate, indices, iota, ones, table, zeros
from .testing import check
from .tuning import TuneReport, Tuning, tune
from .types import bf16, f16, f32, f64, i1, i8, i16, i32, i64, index

if not TYPE_CHECKING:

    def __getattr__(name):
        """Name the way out for a function of NumPy; an AttributeError, as for other names."""
        from .numpy_names import FUNCTIONS

        hint = f": write {FUNCTIONS[name]}" if name in FUNCTIONS else ""
        raise AttributeError(f"module 'obsidian' has no attribute {name!r}{hint}")


#: Without the names of functions of Python, which `from obsidian import *` would hide. They are
#: imported as themselves, so that type checkers know them as attributes.
__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "CompileError",
    "DeviceArray",
    "Diagnostic",
    "Function",
    "Level",
    "Location",
    "ObsidianError",
    "PerformanceWarning",
    "Pull",
    "Push",
    "RunError",
    "RunOptions",
    "Scalar",
    "TraceError",
    "TuneReport",
    "Tuning",
    "acos",
    "acosh",
    "arrays",
    "asin",
    "asinh",
    "assert_",
    "atan",
    "atan2",
    "atanh",
    "beyond",
    "bf16",
    "bit",
    "bitonic_merge",
    "bitonic_sort",
    "block",
    "brent_kung",
    "cbrt",
    "ceil",
    "ceil_div",
    "check",
    "comparators",
    "concat",
    "copysign",
    "cos",
    "cosh",
    "ctlz",
    "ctpop",
    "cttz",
    "descend",
    "div",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expand",
    "expm1",
    "f16",
    "f32",
    "f64",
    "fill",
    "floor",
    "fma",
    "force",
    "full",
    "function",
    "generate",
    "grid",
    "grid_of",
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "index",
    "indices",
    "interleave",
    "iota",
    "jit",
    "kogge_stone",
    "log",
    "log1p",
    "log2",
    "log10",
    "loop",
    "matmul",
    "merge_runs",
    "merge_sort",
    "odd_even_sort",
    "ones",
    "pad",
    "par",
    "put",
    "rem",
    "rsqrt",
    "scatter",
    "sin",
    "sinh",
    "sklansky",
    "sort_runs",
    "sqrt",
    "stack",
    "table",
    "tan",
    "tanh",
    "thread",
    "thread_columns",
    "tiles",
    "tree_reduce",
    "trunc",
    "tune",
    "unsigned",
    "up_to",
    "vee",
    "warp",
    "when",
    "where",
    "while_loop",
    "windows",
    "write",
    "zeros",
]
