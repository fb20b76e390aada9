"""Operations that combine elements: reductions, scans, products, pooling, convolution, sorting.

In: tensors, and the arguments of a node. Out: tensors. Reductions and scans are those of
`obsidian.arrays`; halves are combined in f32.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import arrays, networks, programs
from .. import functions as fn
from ..branching import choose
from ..levels import Level
from ..pending import pending
from ..scalars import Scalar
from ..sources import generate
from ..types import i1, i32, i64, index
from .elementwise import is_float
from .indexing import dim_of, lowering, scattered
from .values import (
    Builder,
    Tensor,
    UnsupportedError,
    convert,
    is_static,
    kind_of,
    narrow,
    number,
    product,
    torch,
    wide,
    widen,
)

#: Rows of more elements are not sorted: a block has them in shared memory, twice.
MOST_SORTED = 2048
#: Windows of more elements are not unrolled.
MOST_TAPS = 64
#: Columns of more rows are folded in parts.
COLUMN = 64


def least(kind: type[Scalar]) -> Any:
    """The smallest number of a type."""
    return kind(-math.inf) if kind.kind == "float" else kind(-(1 << (kind.bits - 1)))


def most(kind: type[Scalar]) -> Any:
    """The largest number of a type."""
    return kind(math.inf) if kind.kind == "float" else kind((1 << (kind.bits - 1)) - 1)


def is_nan(x: Any) -> Any:
    """If a number is none."""
    return x != x if is_float(x) else i1(False)


def larger_of(sign: int, last: bool = False) -> Callable[[Any, Any], Any]:
    """The operator of argmax, or with sign -1 of argmin, on pairs of a value and its index.

    A NaN is the largest and the smallest. Of equal values, the first stays, or the last.
    """

    def is_better(x: Any, y: Any, place: Any, other: Any) -> Any:
        is_before = other >= place if last else other < place
        wins = (y > x) if sign > 0 else (y < x)
        if not is_float(x):
            return wins | ((y == x) & is_before)
        return (wins | ((y == x) & is_before) | is_nan(y) & is_before) & ~is_nan(x) | (
            is_nan(y) & (~is_nan(x) | is_before)
        )

    def larger(a: Any, b: Any) -> Any:
        (x, i), (y, j) = a, b
        return fn.where(is_better(x, y, i, j), b, a)

    return larger


@dataclass
class Fold:
    """A reduction of rows: elements are prepared, combined, and finished."""

    #: The element that takes part, of an element in memory and its number in the row.
    prepare: Callable[[Any, Any], Any]
    combine: Callable[[Any, Any], Any]
    #: The initial value; it is traced where it is used.
    init: Callable[[], Any]
    #: The results, of the combined element and the number of elements of a row.
    finish: Callable[[Any, Any], tuple[Any, ...]]


#: Reductions by name: the dimensions and `keepdim` are arguments 1 and 2.
_SUMS = ("sum", "mean", "prod", "amax", "amin", "any", "all", "max", "min", "argmax", "argmin")
FOLDS = {*_SUMS, "var", "var_mean"}


def fold_of(name: str, source: Any, target: Any) -> Fold:
    """The reduction of an operation; `var` is not one but two."""
    if name in ("argmax", "argmin", "max", "min"):
        kind, sign = wide(source), 1 if "max" in name else -1

        def finish(found: Any, _: Any) -> tuple[Any, ...]:
            value = narrow(found[0], source)
            return (found[1],) if name.startswith("arg") else (value, found[1])

        return Fold(
            lambda x, i: (widen(x, source, kind), i.to(i64)), larger_of(sign),
            lambda: (least(kind) if sign > 0 else most(kind), most(i64)), finish,
        )  # fmt: skip
    if name in ("any", "all"):
        combine, unit = (operator.or_, False) if name == "any" else (operator.and_, True)
        return Fold(
            lambda x, _: convert(x, source, torch.bool), combine, lambda: i1(unit),
            lambda x, _: (convert(x, torch.bool, target),),
        )  # fmt: skip
    kind = wide(target)
    starts: dict[str, Callable[[], Any]] = {
        "amax": lambda: least(kind), "amin": lambda: most(kind), "prod": lambda: kind(1)
    }  # fmt: skip
    start = starts.get(name, lambda: number(-0.0 if kind.kind == "float" else 0, kind))
    combine = {"amax": fn.max, "amin": fn.min, "prod": operator.mul}.get(name, operator.add)

    def end(x: Any, count: Any) -> tuple[Any, ...]:
        if name == "mean":
            x = x / number(count, kind)
        return (narrow(x, target),)

    return Fold(
        lambda x, _: widen(convert(x, source, target), target, kind) if source.is_floating_point
        is target.is_floating_point and target != torch.bool else widen(x, source, kind),
        combine, start, end,
    )  # fmt: skip


def folded_dims(node_args: Sequence[Any], keywords: dict[str, Any], rank: int) -> list[int]:
    """The dimensions that a reduction combines."""
    dims = node_args[1] if len(node_args) > 1 else keywords.get("dim")
    if dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(rank))
    found = dims if isinstance(dims, (list, tuple)) else [dims]
    return sorted(dim_of(d, rank) for d in found)


def correction_of(arguments: Sequence[Any], keywords: dict[str, Any]) -> float:
    """The correction of a variance."""
    found = keywords.get("correction", 1)
    return 1.0 if found is None else float(found)


def _folded(
    b: Builder, x: Tensor, dims: Sequence[int], fold: Fold, kinds: Sequence[Any],
    shape: Sequence[Any],
) -> list[Tensor]:  # fmt: skip
    """The results of a fold, with the shape of one element for each row."""
    kept = [d for d in range(x.rank) if d not in dims]
    moved = b.permute(x, [*kept, *dims])
    rows, row = [x.shape[d] for d in kept], [x.shape[d] for d in dims]
    length = product(b.extents(row)) if row else 1
    flat = b.reshape(moved, [*rows, product(row) if row else 1])
    if not rows or x.rank == 0:
        flat = b.reshape(moved, [product(row) if row else 1])
    is_column = bool(kept) and bool(dims) and max(kept) > max(dims)
    extents = b.extents(rows)
    source = generate(*(extents if rows else ()), length)(
        lambda *i: fold.prepare(flat.read(*i), i[-1])
    )
    level: Level | None = None
    if rows and is_column:
        level = Level.thread
        if isinstance(length, int) and length > COLUMN:
            source = _in_parts(source, extents, length, fold)
    elif (
        rows
        and is_static(rows)
        and isinstance(length, int)
        and (product(rows) < 64 and length > 1 << 15)
    ):
        level = Level.grid
    found = arrays.fold(fold.combine, fold.init(), source, level=level)
    ends = found.map(lambda *v: fold.finish(v if len(v) > 1 else v[0], length))
    results = ends.unzip() if len(kinds) > 1 else (_only(ends),)
    whole = [b.tensor(array, dtype, rows) for array, dtype in zip(results, kinds)]
    return [b.reshape(t, shape) for t in whole]


def _only(array: Any) -> Any:
    return array.unzip()[0] if array.type.element.shape is not None else array


def _in_parts(source: Any, extents: Sequence[Any], length: int, fold: Fold) -> Any:
    """Columns as columns of the folds of their parts, so that enough threads have work."""
    size = max(COLUMN, math.isqrt(length))
    count = -(-length // size)

    def element(part: Any, *place: Any) -> Any:
        i = part * size + place[-1]
        at = (*place[:-1], i)
        return choose(i < length, lambda: source[at], fold.init)

    parts = generate(count, *extents, size)(element)
    found = arrays.compute(arrays.fold(fold.combine, fold.init(), parts, level=Level.thread))
    return found.transpose(*range(1, len(extents) + 1), 0)


@lowering(*_SUMS)
def _fold(b: Builder, out: Any, x: Tensor, *more: Any, name: str, **keywords: Any) -> Any:
    outs = out if isinstance(out, (list, tuple)) else [out]
    if name in ("max", "min") and len(outs) == 1:
        name = f"a{name}"
    fold = fold_of(name, x.dtype, outs[0].dtype)
    dims = folded_dims((x, *more), keywords, x.rank)
    found = _folded(b, x, dims, fold, [o.dtype for o in outs], outs[0].shape)
    return found if isinstance(out, (list, tuple)) else found[0]


@lowering("var", "var_mean")
def _var(b: Builder, out: Any, x: Tensor, *more: Any, name: str, **keywords: Any) -> Any:
    outs = out if isinstance(out, (list, tuple)) else [out]
    dims = folded_dims((x, *more), keywords, x.rank)
    kept = [1 if d in dims else n for d, n in enumerate(x.shape)]
    kind, dtype = wide(x.dtype), x.dtype
    count = number(product(b.extents([x.shape[d] for d in dims])), kind)
    total = Fold(
        lambda v, _: widen(v, dtype, kind), operator.add, lambda: kind(-0.0),
        lambda v, _: (v / count,),
    )  # fmt: skip
    wide_type = torch.float64 if dtype == torch.float64 else torch.float32
    mean = _folded(b, x, dims, total, [wide_type], kept)[0]
    mean = b.stored(mean)
    spread = b.broadcast(mean, x.shape)
    squares = b.map(
        x.shape, wide_type,
        lambda v, m: (widen(v, dtype, kind) - m) * (widen(v, dtype, kind) - m), [x, spread],
    )  # fmt: skip
    divisor = fn.max(count - correction_of(more, keywords), 0.0)
    ending = Fold(
        lambda v, _: v, operator.add, lambda: kind(-0.0), lambda v, _: (narrow(v / divisor, dtype),)
    )
    variance = _folded(b, squares, dims, ending, [dtype], outs[0].shape)[0]
    if name == "var":
        return variance
    return [variance, b.reshape(b.converted(mean, dtype), outs[1].shape)]


def _scanned(
    b: Builder, x: Tensor, dim: int, prepare: Callable[..., Any], combine: Any, count: int
) -> list[Any]:
    """The arrays of a scan along a dimension, one for each part of an element."""
    dim = dim_of(dim, x.rank)
    dims = [*(d for d in range(x.rank) if d != dim), dim][: x.rank]
    moved = b.permute(x, dims)
    extents = b.extents(moved.shape)
    source = generate(*extents)(lambda *i: prepare(moved.read(*i[: x.rank]), i[-1]))
    rows = product(extents[:-1]) if len(extents) > 1 else 1
    if (
        len(extents) > 1
        and isinstance(rows, int)
        and rows < 64
        and (isinstance(extents[-1], int) and extents[-1] > 1 << 14)
    ):
        length = extents[-1]
        offsets = generate(rows + 1)(lambda i: i * length)
        found = arrays.scanl1_seg(combine, source.flatten(), offsets=offsets)
        found = arrays.compute(found).reshape(*extents)
    else:
        found = arrays.scanl1(combine, source)
    back = [dims.index(d) for d in range(x.rank)]
    parts = found.unzip() if count > 1 else (found,)
    return [part.transpose(*back) if x.rank > 1 and dims != sorted(dims) else part
            for part in parts]  # fmt: skip


def _log_add(a: Any, b: Any) -> Any:
    high = fn.max(a, b)
    total = high + fn.log(fn.exp(a - high) + fn.exp(b - high))
    return fn.where(abs(high) == math.inf, high, total)


@lowering("cumsum", "cumprod", "logcumsumexp")
def _scan(b: Builder, out: Any, x: Tensor, dim: int, *, name: str, **_: Any) -> Tensor:
    combine = {"cumsum": operator.add, "cumprod": operator.mul, "logcumsumexp": _log_add}[name]
    kind = wide(out.dtype)

    def prepare(v: Any, _: Any) -> Any:
        return widen(convert(v, x.dtype, out.dtype), out.dtype, kind)

    if x.rank == 0:
        return b.converted(x, out.dtype)
    found = _scanned(b, x, dim, prepare, combine, 1)[0]
    if kind is not kind_of(out.dtype):
        found = found.map(lambda v: narrow(v, out.dtype))
    return b.tensor(found, out.dtype, out.shape)


@lowering("cummax", "cummin")
def _cummax(b: Builder, out: Any, x: Tensor, dim: int, *, name: str) -> list[Tensor]:
    kind = wide(x.dtype)
    parts = _scanned(
        b, x, dim, lambda v, i: (widen(v, x.dtype, kind), i.to(i64)),
        larger_of(1 if name == "cummax" else -1, last=True), 2,
    )  # fmt: skip
    values = parts[0].map(lambda v: narrow(v, x.dtype))
    return [b.tensor(values, x.dtype, out[0].shape), b.tensor(parts[1], torch.int64, out[1].shape)]


def _product(
    b: Builder, out: Any, x: Tensor, y: Tensor, finish: Callable[..., Any] | None = None
) -> Tensor:
    """The product of matrices, or of stacks of them: a thread computes each element."""
    kind, dtype = wide(out.dtype), out.dtype
    x, y = b.stored(x), b.stored(y)
    extents, length = b.extents(out.shape), b.extents(x.shape)[-1]

    def element(*i: Any) -> Any:
        *batch, row, column, k = i
        return x.read_wide(*batch, row, k).to(kind) * y.read_wide(*batch, k, column).to(kind)

    def end(place: tuple[Any, ...], v: Any) -> Any:
        return narrow(v if finish is None else finish(v, *place), dtype)

    terms = generate(*extents, length)(element)
    zero = number(0, kind)
    found = programs.each(terms.nest(len(extents)), Level.thread, (),
                          lambda r: r.reduce(operator.add, zero))  # fmt: skip
    sums = pending(found.ix_map(lambda *i: i[:-1], *extents), extents)
    places = generate(*extents)(lambda *i: i)
    ends = sums.map(lambda v, *i: end(i, v), places)
    return b.tensor(ends, dtype, out.shape)


@lowering("mm", "bmm")
def _mm(b: Builder, out: Any, x: Tensor, y: Tensor) -> Tensor:
    return _product(b, out, x, y)


@lowering("addmm", "baddbmm")
def _addmm(
    b: Builder, out: Any, c: Tensor, x: Tensor, y: Tensor, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    added = b.broadcast(c, out.shape)
    kind = wide(out.dtype)

    def finish(v: Any, *place: Any) -> Any:
        v = v if alpha == 1 else v * number(alpha, kind)
        term = added.read_wide(*place).to(kind)
        return v if beta == 0 else v + (term if beta == 1 else term * number(beta, kind))

    return _product(b, out, x, y, finish)


def _pair(value: Any, default: Any = None) -> tuple[int, int]:
    found = [value, value] if isinstance(value, int) else list(value) or default
    return (found[0], found[-1]) if found else (1, 1)


@lowering("convolution")
def _convolution(
    b: Builder, out: Any, x: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], transposed: bool, _: Any, groups: int,
) -> Tensor:  # fmt: skip
    if transposed:
        raise UnsupportedError("a transposed convolution")
    x, weight = b.stored(x), b.stored(weight)
    kind, space = wide(out.dtype), x.rank - 2
    extents, taps = b.extents(out.shape), b.extents(weight.shape)[1:]
    limits = b.extents(x.shape)[2:]
    each = b.extent(weight.shape[0]) // groups if groups > 1 else None

    def spread(value: Sequence[int], d: int) -> int:
        return value[d] if len(value) > 1 else value[0]

    def element(*i: Any) -> Any:
        n, o, *place = i[:-1]
        rest = i[-1]
        tap: list[Any] = []
        for size in reversed(taps):
            tap.insert(0, rest % size)
            rest = rest // size
        channel, *shift = tap
        inside: Any = True
        at = []
        for d in range(space):
            k = place[d] * spread(stride, d) + shift[d] * spread(dilation, d)
            if spread(padding, d):
                k = k - spread(padding, d)
                is_in = (k >= 0) & (k < limits[d])
                inside = is_in if inside is True else inside & is_in
            at.append(k)
        source = channel if groups == 1 else (o // each) * taps[0] + channel
        value = choose(inside, lambda: x.read_wide(n, source, *at), lambda: kind(0))
        return value * weight.read_wide(o, *tap)

    terms = generate(*extents, product(taps))(element)
    zero = number(0, kind)
    found = programs.each(terms.nest(len(extents)), Level.thread, (),
                          lambda r: r.reduce(operator.add, zero))  # fmt: skip
    sums = pending(found.ix_map(lambda *i: i[:-1], *extents), extents)
    places = generate(*extents)(lambda *i: i[1])
    ends = sums.map(
        lambda v, o: narrow(v if bias is None else v + bias.read_wide(o), out.dtype), places
    )
    return b.tensor(ends, out.dtype, out.shape)


def _windows(
    b: Builder, x: Tensor, size: Any, stride: Any, padding: Any, dilation: Any
) -> Callable[..., list[tuple[Any, Any, Any]]]:
    """The taps of a window: if each is inside, its index, and its number in the plane."""
    sizes, space = _pair(size), 2
    steps, widths, gaps = _pair(stride, sizes), _pair(padding, [0]), _pair(dilation)
    if sizes[0] * sizes[1] > MOST_TAPS:
        raise UnsupportedError(f"windows of more than {MOST_TAPS} elements")
    limits = b.extents(x.shape)[-2:]

    def taps(*i: Any) -> list[tuple[Any, Any, Any]]:
        found = []
        for k in range(sizes[0] * sizes[1]):
            shift = (k // sizes[1], k % sizes[1])
            inside: Any = i1(True)
            at = []
            for d in range(space):
                j = i[len(i) - 2 + d] * steps[d] + (shift[d] * gaps[d] - widths[d])
                inside = inside & (j >= 0) & (j < limits[d])
                at.append(j)
            found.append((inside, (*i[:-2], *at), at[0] * limits[1] + at[1]))
        return found

    return taps


@lowering("max_pool2d_with_indices")
def _max_pool(
    b: Builder, out: Any, x: Tensor, size: Any, stride: Any = (), padding: Any = 0,
    dilation: Any = 1, ceil_mode: bool = False,
) -> list[Tensor]:  # fmt: skip
    x, kind = b.stored(x), wide(x.dtype)
    taps = _windows(b, x, size, stride, padding, dilation)

    def element(*i: Any) -> Any:
        best: Any = least(kind)
        chosen: Any = None
        for inside, place, plain in taps(*i):
            value = choose(inside, lambda: x.read_wide(*place), lambda: least(kind))
            wins = inside & ((value > best) | is_nan(value))
            if chosen is None:
                chosen, wins = fn.where(inside, plain, index(0)), inside
            best, chosen = fn.where(wins, value, best), fn.where(wins, plain, chosen)
        return narrow(best, x.dtype), chosen.to(i64)

    found = generate(*b.extents(out[0].shape))(element).force()
    values, places = found.unzip()
    return [b.tensor(values, x.dtype, out[0].shape), b.tensor(places, torch.int64, out[1].shape)]


@lowering("max_pool2d_with_indices_backward")
def _max_pool_backward(b: Builder, out: Any, grad: Tensor, x: Tensor, *more: Any) -> Tensor:
    at = more[-1]
    width = b.extents(x.shape)[-1]

    def place(*i: Any) -> list[Any]:
        k = at.read(*i).to(index)
        return [*i[:-2], k // width, k % width]

    kind = wide(x.dtype)
    return scattered(
        b, Tensor(None, x.dtype, x.shape, fill=0), "add", grad.shape, place,
        lambda *i: grad.read_wide(*i).to(kind),
    )  # fmt: skip


@lowering("avg_pool2d")
def _avg_pool(
    b: Builder, out: Any, x: Tensor, size: Any, stride: Any = (), padding: Any = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor: Any = None,
) -> Tensor:  # fmt: skip
    if ceil_mode:
        raise UnsupportedError("ceil_mode of avg_pool2d")
    x, kind = b.stored(x), wide(x.dtype)
    taps = _windows(b, x, size, stride, padding, 1)
    whole = divisor or math.prod(_pair(size))

    def element(*i: Any) -> Any:
        total, count = kind(0), kind(0)
        for inside, place, _ in taps(*i):
            total = total + choose(inside, lambda: x.read_wide(*place), lambda: kind(0))
            count = count + fn.where(inside, kind(1), kind(0))
        by = number(whole, kind) if count_include_pad or divisor else count
        return narrow(total / by, x.dtype)

    return b.generate(out.shape, out.dtype, element, x)


@lowering("avg_pool2d_backward")
def _avg_pool_backward(
    b: Builder, out: Any, grad: Tensor, x: Tensor, size: Any, stride: Any, padding: Any,
    ceil_mode: bool, count_include_pad: bool, divisor: Any,
) -> Tensor:  # fmt: skip
    """Each element gathers its share of the windows around it."""
    if ceil_mode:
        raise UnsupportedError("ceil_mode of avg_pool2d")
    sizes = _pair(size)
    steps, widths, kind = _pair(stride, sizes), _pair(padding), wide(x.dtype)
    limits, counts = b.extents(x.shape)[-2:], b.extents(grad.shape)[-2:]
    taps = [-(-k // s) for k, s in zip(sizes, steps)]
    if taps[0] * taps[1] > MOST_TAPS:
        raise UnsupportedError(f"more than {MOST_TAPS} windows around an element")
    grad = b.stored(grad)

    def extent_inside(d: int, k: Any) -> Any:
        begin = k * steps[d] - widths[d]
        return fn.min(begin + sizes[d], limits[d]) - fn.max(begin, 0)

    def element(*i: Any) -> Any:
        total = kind(0)
        for tap in range(taps[0] * taps[1]):
            place, inside = [], i1(True)
            for d, shift in enumerate((tap // taps[1], tap % taps[1])):
                last = (i[len(i) - 2 + d] + widths[d]) // steps[d] - shift
                begin = last * steps[d] - widths[d]
                inside = inside & (last >= 0) & (last < counts[d])
                inside = inside & (begin + sizes[d] > i[len(i) - 2 + d])
                place.append(last)

            def share(place: list[Any] = place) -> Any:
                by: Any = divisor or math.prod(sizes)
                if not count_include_pad and not divisor:
                    by = extent_inside(0, place[0]) * extent_inside(1, place[1])
                return grad.read_wide(*i[:-2], *place) / number(by, kind)

            total = total + choose(inside, share, lambda: kind(0))
        return narrow(total, x.dtype)

    return b.generate(out.shape, out.dtype, element, grad)


def _sorted(b: Builder, x: Tensor, dim: int, descending: bool, take: int | None) -> list[Tensor]:
    """The sorted rows, and the index in the row that each element had; stable."""
    dim = dim_of(dim, x.rank)
    length = x.shape[dim] if x.rank else 1
    if not isinstance(length, int):
        raise UnsupportedError("rows of symbolic length to sort")
    if length > MOST_SORTED:
        raise UnsupportedError(f"rows of more than {MOST_SORTED} elements to sort")
    dims = [*(d for d in range(x.rank) if d != dim), dim][: x.rank]
    moved = b.permute(x, dims)
    kind, kept = wide(x.dtype), length if take is None else take
    size = 1 << max(length - 1, 0).bit_length()

    def is_less(a: Any, c: Any) -> Any:
        less = (a > c) if descending else (a < c)
        if not is_float(a):
            return less
        first, second = (a, c) if descending else (c, a)
        return less | (is_nan(first) & ~is_nan(second))

    def is_before(a: Any, c: Any) -> Any:
        (x, i), (y, j) = a, c
        is_equal = ~is_less(x, y) & ~is_less(y, x)
        return (i < length) & ((j >= length) | is_less(x, y) | (is_equal & (i < j)))

    def row(*place: Any) -> Any:
        def element(i: Any) -> Any:
            outer = place if moved.rank > 1 else ()
            value = choose(
                i < length,
                lambda: widen(moved.read(*outer, *([i] if moved.rank else [])), x.dtype, kind),
                lambda: number(0, kind),
            )
            return value, i.to(i32)

        found = generate(size)(element).force()
        found = networks.bitonic_sort(found, is_before) if size > 1 else found
        return found[:kept].map(lambda v, i: (narrow(v, x.dtype), i.to(i64)))

    extents = b.extents(moved.shape)[:-1] or (1,)
    level = Level.warp if size <= 32 else Level.block
    found = programs.grid_of(*extents, level=level)(row).force()
    rows = [moved.shape[d] for d in range(moved.rank - 1)]
    back = [dims.index(d) for d in range(x.rank)]
    results = []
    for array, dtype in zip(found.unzip(), (x.dtype, torch.int64)):
        whole = array if moved.rank > 1 else array.reshape(kept)
        sorted_rows = b.tensor(whole, dtype, [*rows, kept] if x.rank else [])
        results.append(b.permute(sorted_rows, back))
    return results


@lowering("sort")
def _sort(
    b: Builder, out: Any, x: Tensor, *more: Any, dim: int = -1, descending: bool = False,
    stable: Any = None,
) -> list[Tensor]:  # fmt: skip
    if more and (more[0] is None or isinstance(more[0], bool)) and len(more) == 3:
        more = more[1:]
    given = [*more, *[dim, descending][len(more) :]]
    return _sorted(b, x, given[0], given[1], None)


@lowering("topk")
def _topk(
    b: Builder, out: Any, x: Tensor, k: int, dim: int = -1, largest: bool = True, _: bool = True
) -> list[Tensor]:
    if not isinstance(k, int):
        raise UnsupportedError("a symbolic number of elements")
    return _sorted(b, x, dim, largest, k)
