"""Operations that combine elements: reductions, scans, products and sorting.

In: tensors, and the arguments of a node. Out: tensors. Reductions and scans are those of
`obsidian.arrays`; halves are combined in f32.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import arrays
from .. import functions as fn
from ..arrays.checks import is_short
from ..arrays.folds import scan_rows
from ..arrays.shared_rows import are_columns, fold_columns
from ..errors import TraceError
from ..levels import Level
from ..pending import finish, pending
from ..scalars import least, most
from ..sources import generate
from ..types import i1, i32, i64, index
from .elementwise import is_float, is_nan
from .moves import dim_of, lowering
from .values import (
    Builder,
    Tensor,
    UnsupportedError,
    convert,
    is_one,
    likely,
    listed,
    narrow,
    number,
    product,
    torch,
    wide,
    widen,
)  # fmt: skip


def larger_of(sign: int, is_last: bool = False) -> Callable[[Any, Any], Any]:
    """The operator of argmax, or with sign -1 of argmin, on pairs of a value and its index.

    A NaN is the largest and the smallest value. Of equal values, the first or the last one stays.
    """

    def larger(a: Any, b: Any) -> Any:
        (x, i), (y, j) = a, b
        is_before = j >= i if is_last else j < i
        wins = ((y > x) if sign > 0 else (y < x)) | ((y == x) & is_before)
        if is_float(x):
            wins = wins & ~is_nan(x) | (is_nan(y) & (~is_nan(x) | is_before))
        return fn.where(wins, b, a)

    return larger


def _moments(a: Any, b: Any) -> Any:
    """The number, sum, mean, and squared distances from the mean of two sets of elements.

    From: T. Chan, G. Golub and R. LeVeque, "Updating formulae and a pairwise algorithm for
    computing sample variances", 1979. The mean may be undefined if the sum is infinite.
    """
    (m, s, x, u), (n, t, y, v) = a, b
    part = n / fn.max(m + n, 1)
    return m + n, s + t, x + (y - x) * part, u + v + (y - x) * ((y - x) * (m * part))


def _log_add(a: Any, b: Any) -> Any:
    high = fn.max(a, b)
    total = high + fn.log(fn.exp(a - high) + fn.exp(b - high))
    return fn.where(abs(high) == math.inf, high, total)


@dataclass
class Fold:
    """A reduction of rows: elements are prepared, combined, and finished."""

    #: The combined element, from an element in memory and its number in the row.
    prepare: Callable[[Any, Any], Any]
    combine: Callable[[Any, Any], Any]
    #: The initial value, which is traced at its use.
    init: Callable[[], Any]
    #: The results, from the combined element and the number of elements of a row.
    finish: Callable[[Any, Any], tuple[Any, ...]]


#: Reductions: the dimensions and `keepdim` are arguments 1 and 2.
FOLDS = ("sum", "mean", "prod", "amax", "amin", "any", "all", "max", "min", "argmax", "argmin",
         "var_mean")  # fmt: skip


def fold_of(name: str, source: Any, outs: Sequence[Any], length: Any) -> Fold:
    """The reduction or scan of rows, for the type of its argument and the fake results.

    The operator of a reduction is commutative. A position in a row has 32 bits if they are
    sufficient.
    """
    target, is_last = outs[0].dtype, name in ("cummax", "cummin")
    if is_last or "arg" in name or (name in ("max", "min") and len(outs) == 2):
        kind, sign = wide(source), 1 if "max" in name else -1
        short = i32 if isinstance(length, int) and length < 1 << 31 else i64
        return Fold(
            lambda x, i: (widen(x, source), i.to(short)), larger_of(sign, is_last),
            lambda: (kind((least if sign > 0 else most)(kind)),
                     short(-1 if is_last else most(short))),
            lambda v, _: (narrow(v[0], source), v[1].to(i64))[-len(outs) :],
        )  # fmt: skip
    if name in ("any", "all"):
        combine, unit = (operator.or_, False) if name == "any" else (operator.and_, True)
        return Fold(
            lambda x, _: convert(x, source, torch.bool), combine, lambda: i1(unit),
            lambda x, _: (convert(x, torch.bool, target),),
        )  # fmt: skip
    kind, plain = wide(target), name.removeprefix("cum").removeprefix("a")
    if name == "var_mean":
        return Fold(
            lambda x, _: (kind(1), (wide_x := widen(x, source)), wide_x, kind(0)), _moments,
            lambda: (kind(0),) * 4,
            # A sum that is not finite has no variance.
            lambda v, count: (narrow(v[3] / v[0] + (v[1] - v[1]), target),
                              narrow(v[1] / number(count, kind), target)),
        )  # fmt: skip
    zero = -0.0 if kind.kind == "float" else 0
    combine, start = {
        "max": (fn.max, lambda: kind(least(kind))), "min": (fn.min, lambda: kind(most(kind))),
        "prod": (operator.mul, lambda: kind(1)),
        "logcumsumexp": (_log_add, lambda: kind(-math.inf)),
    }.get(plain, (operator.add, lambda: kind(zero)))  # fmt: skip

    def finish(x: Any, count: Any) -> tuple[Any, ...]:
        # PyTorch begins with 0, so that no sum is -0. The neutral element -0 has shorter code.
        x = x + kind(0) if combine is operator.add and kind.kind == "float" else x
        return (narrow(x / number(count, kind) if name == "mean" else x, target),)

    return Fold(lambda x, _: widen(x, source, kind), combine, start, finish)


def folded_dims(arguments: Sequence[Any], keywords: dict[str, Any], rank: int) -> list[int]:
    """The dimensions that a reduction combines."""
    dims = arguments[1] if len(arguments) > 1 else keywords.get("dim")
    if dims is None or dims == []:
        return list(range(rank))
    return sorted(d % max(rank, 1) for d in ([dims] if isinstance(dims, int) else dims))


def fold_rows(b: Builder, dims: Sequence[int], given: Sequence[tuple[str, Tensor, Any]]) -> Any:
    """The results of reductions of tensors of one shape along the same dimensions.

    Each one has a name, a tensor, and the fake results. Several are one reduction of tuples, which
    reads what they share once.
    """
    x, outs = given[0][1], [listed(out) for _, _, out in given]
    kept = [d for d in range(x.rank) if d not in dims]
    rows, row = [x.shape[d] for d in kept], [x.shape[d] for d in dims if x.rank]
    order, shape = [*kept, *dims][: x.rank], [*rows, product(row)]
    flats = [b.reshape(b.permute(t, order), shape) for _, t, _ in given]
    *extents, length = b.extents(shape)
    folds = [fold_of(name, t.dtype, o, length) for (name, t, _), o in zip(given, outs)]
    has_columns, is_one_fold = bool(kept) and kept[-1] == x.rank - 1, len(folds) == 1

    def element(*i: Any) -> Any:
        return _plain(tuple(f.prepare(t.read(*i), i[-1]) for f, t in zip(folds, flats)))

    def combine(u: Any, v: Any) -> Any:
        return tuple(f.combine(p, q) for f, p, q in zip(folds, u, v))

    source = generate(*extents, length)(element)
    source.likely = [*map(likely, shape)] if rows else None
    operator_of = folds[0].combine if is_one_fold else combine
    init = _plain(tuple(fold.init() for fold in folds))
    if has_columns and not is_short(source) and are_columns(source) is None:
        found: Any = pending(fold_columns(source, operator_of, init), extents)
    else:
        found = arrays.fold(operator_of, init, source, commutative=True, neutral=True)

    def results(*parts: Any) -> Any:
        totals = [_plain(parts)] if is_one_fold else parts
        return _plain(tuple(r for f, t in zip(folds, totals) for r in f.finish(t, length)))

    parts = iter(_parts(found.map(results)))
    tensors = [[b.reshape(b.new(next(parts), o.dtype, rows), o.shape) for o in of] for of in outs]
    return [t if isinstance(out, (list, tuple)) else t[0] for t, (*_, out) in zip(tensors, given)]


@lowering(*FOLDS)
def _inline_fold(b: Builder, out: Any, x: Tensor, *more: Any, name: str, **keywords: Any) -> Any:
    """A reduction of short rows that is computed where it is read. It has no loop."""
    outs, dims = listed(out), folded_dims((x, *more), keywords, x.rank)[: x.rank]
    kept = [d for d in range(x.rank) if d not in dims]
    row = [*itertools.product(*(range(x.shape[d]) for d in dims))]
    fold = fold_of(name, x.dtype, outs, len(row))

    def results(place: Sequence[Any]) -> tuple[Any, ...]:
        elements = []
        for k, inner in enumerate(row):
            at = {**dict(zip(kept, place)), **dict(zip(dims, inner))}
            elements.append(fold.prepare(x.read(*(at[d] for d in range(x.rank))), index(k)))
        return fold.finish(functools.reduce(fold.combine, elements), len(row))

    rows = [x.shape[d] for d in kept]
    tensors = [
        b.reshape(b.generate(rows, o.dtype, lambda *i, n=n: results(i)[n], x), o.shape)
        for n, o in enumerate(outs)
    ]
    return tensors if isinstance(out, (list, tuple)) else tensors[0]


def _plain(parts: tuple[Any, ...]) -> Any:
    """An element of some parts."""
    return parts if len(parts) > 1 else parts[0]


def _parts(array: Any) -> list[Any]:
    """The components of elements; several are stored, by the kernel that computes them."""
    shape = array.type.element.shape
    if shape is None:
        return [array]
    return list(finish(array).unzip())


@lowering("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")
def _scan(b: Builder, out: Any, x: Tensor, dim: int, *, name: str, **_: Any) -> Any:
    outs = listed(out)
    last, dims = _to_last(x, dim)
    moved = b.permute(x, dims)
    fold = fold_of(name, x.dtype, outs, moved.shape[-1] if x.rank else 1)
    source = generate(*b.extents(moved.shape))(
        lambda *i: fold.prepare(moved.read(*i[: x.rank]), i[-1])
    )
    source.likely = [*map(likely, moved.shape)] or None
    scanned = scan_rows(fold.combine, fold.init(), source)
    found = scanned.map(lambda *parts: _plain(fold.finish(_plain(parts), None)))
    found = found if last == sorted(last) else found.transpose(*last)
    tensors = [b.new(part, o.dtype, o.shape) for part, o in zip(_parts(found), outs)]
    return tensors if isinstance(out, (list, tuple)) else tensors[0]


def _to_last(x: Tensor, dim: int) -> tuple[list[int], list[int]]:
    """The permutation that moves a dimension to the end, and its inverse before it."""
    dims = [d for d in range(x.rank) if d != dim_of(dim, x)] + [dim_of(dim, x)][: x.rank]
    return [dims.index(d) for d in range(x.rank)], dims


@lowering("mm", "bmm")
def _product(b: Builder, out: Any, x: Tensor, y: Tensor) -> Tensor:
    """The product of matrices, or of stacks of them."""
    kind, (rows, columns) = wide(out.dtype), out.shape[-2:]
    # Elements that one sum reads need not be in memory.
    x = x if is_one(columns) else b.stored(x)
    y = y if is_one(rows) else b.stored(y)

    def term(*i: Any) -> Any:
        *batch, row, column, k = i
        return x.read_wide(*batch, row, k) * y.read_wide(*batch, k, column)

    terms = generate(*b.extents(out.shape), b.extent(x.shape[-1]))(term)
    # A thread computes each element, because sums of matrices share their reads. Those of vectors
    # are reductions like others.
    is_vector = is_one(rows) or is_one(columns)
    level = None if is_vector else Level.thread
    sums = arrays.fold(operator.add, kind(0), terms, level=level, commutative=is_vector)
    return b.new(sums.map(lambda v: narrow(v, out.dtype)), out.dtype, out.shape)


@lowering("sort", "topk")
def _sort(b: Builder, out: Any, x: Tensor, *more: Any, name: str, **keywords: Any) -> list[Tensor]:
    """The sorted rows, and the index in the original row of each element. The sort is stable."""
    if name == "topk":
        dim, descending = [*more[1:], *[-1, True][len(more[1:]) :]][:2]
    else:
        given = [m for m in more if m is not None]
        given = given[1:] if len(given) == 3 else given
        dim = given[0] if given else keywords.get("dim", -1)
        descending = given[1] if len(given) > 1 else keywords.get("descending", False)
    last, dims = _to_last(x, dim)
    moved = b.permute(x, dims)

    def is_less(a: Any, c: Any) -> Any:
        a, c = (c, a) if descending else (a, c)
        return (a < c) | (is_nan(c) & ~is_nan(a)) if is_float(a) else a < c

    def is_before(a: Any, c: Any) -> Any:
        return is_less(a[0], c[0])

    shape = [out[0].shape[d] for d in dims]
    pairs = generate(*b.extents(moved.shape))(
        lambda *i: (widen(moved.read(*i[: x.rank]), x.dtype), i[-1].to(i32))
    )
    try:
        found = arrays.sort(is_before, pairs, first=shape[-1] if x.rank else None)
    except TraceError as error:
        raise UnsupportedError(error.message) from error
    parts = _parts(found.map(lambda v, i: (narrow(v, x.dtype), i.to(i64))))
    return [b.permute(b.new(part, o.dtype, shape), last) for part, o in zip(parts, out)]
