"""Operations that move elements: views, gathers, scatters, and tensors from nothing.

In: tensors, and the arguments of a node. Out: tensors. Gathers store nothing; scatters are
`arrays.permute`. Each function has the name of its operation in ATen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import arrays
from ..branching import choose
from ..functions import assert_, where
from ..functions import concat as join
from ..sources import full as full_array
from ..types import f64, i64, index
from .values import (
    Builder,
    Tensor,
    UnsupportedError,
    are_same,
    convert,
    is_one,
    kind_of,
    narrow,
    number,
    product,
    torch,
    wide,
    widen,
)

#: The lowerings by the names of their operations; see `lowering`.
LOWERINGS: dict[str, Callable[..., Any]] = {}


def lowering(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function into LOWERINGS.

    It takes the builder, what PyTorch knows of the result, and the arguments of the node: tensors,
    numbers, and symbols of PyTorch.
    """

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        LOWERINGS.update(dict.fromkeys(names, function))
        return function

    return enter


def dim_of(dim: int, rank: int) -> int:
    """A dimension, which may count from the end."""
    return dim % max(rank, 1)


@lowering(
    "view",
    "reshape",
    "_unsafe_view",
    "unsqueeze",
    "squeeze",
    "flatten",
    "_reshape_alias",
    "view_as",
)
def _reshape(b: Builder, out: Any, x: Tensor, *_: Any, **__: Any) -> Tensor:
    return b.reshape(x, out.shape)


@lowering("expand", "expand_as", "broadcast_to")
def _expand(b: Builder, out: Any, x: Tensor, *_: Any, **__: Any) -> Tensor:
    return b.broadcast(x, out.shape)


@lowering("permute")
def _permute(b: Builder, out: Any, x: Tensor, dims: Sequence[int]) -> Tensor:
    return b.permute(x, [dim_of(d, x.rank) for d in dims])


@lowering("transpose", "swapaxes")
def _transpose(b: Builder, out: Any, x: Tensor, first: int, second: int) -> Tensor:
    dims = list(range(x.rank))
    first, second = dim_of(first, x.rank), dim_of(second, x.rank)
    if x.rank:
        dims[first], dims[second] = second, first
    return b.permute(x, dims)


@lowering("t", "numpy_T")
def _t(b: Builder, out: Any, x: Tensor) -> Tensor:
    return b.permute(x, list(reversed(range(x.rank))))


def begin_of(b: Builder, start: Any, extent: Any) -> Any:
    """The first index of a slice within an extent."""
    start = 0 if start is None else start
    if isinstance(start, int) and isinstance(extent, int):
        return min(max(start + extent if start < 0 else start, 0), extent)
    if isinstance(start, int) and start >= 0:
        return start if start == 0 else _at_most(b.extent(start), b.extent(extent))
    if isinstance(start, int):
        return _at_least(b.extent(extent) + start)
    return _at_most(b.extent(start), b.extent(extent))


def _at_most(a: Any, n: Any) -> Any:
    return where(index(a) > index(n), index(n), index(a))


def _at_least(a: Any) -> Any:
    return where(a < 0, index(0), a)


@lowering("slice")
def _slice(
    b: Builder, out: Any, x: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    dim = dim_of(dim, x.rank)
    if are_same(out.shape, x.shape):
        return x
    begin = begin_of(b, start, x.shape[dim])
    offsets = [begin if d == dim else 0 for d in range(x.rank)]
    steps = [step if d == dim else 1 for d in range(x.rank)]
    return b.mapped(x, x.array.slice(offsets, b.extents(out.shape), steps), out.shape)


@lowering("select")
def _select(b: Builder, out: Any, x: Tensor, dim: int, place: Any) -> Tensor:
    dim = dim_of(dim, x.rank)
    if isinstance(place, int) and place < 0:
        place = b.extent(x.shape[dim]) + place
    else:
        place = b.extent(place)
    return b.remap(x, out.shape, lambda *i: [*i[:dim], place, *i[dim:]])


@lowering("as_strided")
def _as_strided(
    b: Builder, out: Any, x: Tensor, _: Any, strides: Sequence[Any], offset: Any = 0
) -> Tensor:
    steps, start = [b.extent(s) for s in strides], b.extent(offset or 0)
    flat = b.reshape(x, [product(x.shape)])

    def place(*i: Any) -> list[Any]:
        found = start
        for k, step in zip(i, steps):
            found = found + k * step
        return [found]

    return b.remap(flat, out.shape, place)


@lowering("flip")
def _flip(b: Builder, out: Any, x: Tensor, dims: Sequence[int]) -> Tensor:
    array = x.array
    for d in dims:
        array = array.reverse(dim_of(d, x.rank))
    return b.mapped(x, array, x.shape)


@lowering("repeat")
def _repeat(b: Builder, out: Any, x: Tensor, _: Any) -> Tensor:
    shift, extents = len(out.shape) - x.rank, b.extents(x.shape)
    is_plain = [is_one(n) or are_same([n], [m]) for n, m in zip(x.shape, out.shape[shift:])]

    def place(*i: Any) -> list[Any]:
        whole = i[shift:]
        return [
            0 if is_one(n) else k if plain else k % n
            for k, n, plain in zip(whole, extents, is_plain)
        ]

    return b.remap(x, out.shape, place)


@lowering("diagonal")
def _diagonal(
    b: Builder, out: Any, x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    first, second = dim_of(dim1, x.rank), dim_of(dim2, x.rank)
    rest = [d for d in range(x.rank) if d not in (first, second)]

    def place(*i: Any) -> list[Any]:
        found = dict(zip(rest, i))
        found[first] = i[-1] + max(-offset, 0)
        found[second] = i[-1] + max(offset, 0)
        return [found[d] for d in range(x.rank)]

    return b.remap(x, out.shape, place)


@lowering("unfold")
def _unfold(b: Builder, out: Any, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    dim = dim_of(dim, x.rank)
    return b.remap(
        x, out.shape, lambda *i: [k * step + i[-1] if d == dim else k for d, k in enumerate(i[:-1])]
    )


@lowering("split", "split_with_sizes", "unbind", "chunk", "tensor_split")
def _split(b: Builder, out: Any, x: Tensor, *more: Any, **keywords: Any) -> list[Tensor]:
    is_unbind = len(out[0].shape) < x.rank
    found = keywords.get("dim", more[0 if is_unbind else 1] if len(more) > (not is_unbind) else 0)
    dim, begin = dim_of(found, x.rank), 0
    parts: list[Tensor] = []
    for part in out:
        if is_unbind:
            parts.append(_select(b, part, x, dim, len(parts)))
            continue
        parts.append(_slice(b, part, x, dim, begin))
        begin = begin + part.shape[dim]
    return parts


@lowering("cat")
def _cat(b: Builder, out: Any, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    dim = dim_of(dim, len(out.shape))
    # An old rule of PyTorch: empty vectors go with everything.
    parts = [
        b.converted(t, out.dtype) for t in tensors if t.rank == len(out.shape) or t.shape != (0,)
    ]
    parts = [t for t in parts if not (t.shape[dim] == 0 and isinstance(t.shape[dim], int))]
    if not parts:
        return b.reshape(b.converted(tensors[0], out.dtype), out.shape)
    if len(parts) == 1:
        return b.reshape(parts[0], out.shape)
    reads = frozenset(("fun", *rest) for t in parts for _, *rest in t.reads)
    return b.tensor(join(*(t.array for t in parts), dim=dim), out.dtype, out.shape, reads)


@lowering("stack")
def _stack(b: Builder, out: Any, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    dim = dim_of(dim, len(out.shape))
    one = [*out.shape[:dim], 1, *out.shape[dim + 1 :]]
    found: Tensor = _cat(b, out, [b.reshape(t, one) for t in tensors], dim)
    return found


@lowering("constant_pad_nd")
def _pad(b: Builder, out: Any, x: Tensor, widths: Sequence[Any], value: Any = 0) -> Tensor:
    before = [0] * x.rank
    for k in range(len(widths) // 2):
        before[x.rank - 1 - k] = b.extent(widths[2 * k])
    extents = b.extents(x.shape)
    border = number(value, kind_of(x.dtype)) if x.dtype != torch.bool else bool(value)

    def element(*i: Any) -> Any:
        place = [k - w if not (isinstance(w, int) and w == 0) else k for k, w in zip(i, before)]
        inside: Any = True
        for d, (k, n) in enumerate(zip(place, extents)):
            if not are_same([x.shape[d]], [out.shape[d]]) or before[d] != 0:
                is_in = (k >= 0) & (k < n)
                inside = is_in if inside is True else inside & is_in
        return choose(inside, lambda: x.read(*place), lambda: border)

    if are_same(out.shape, x.shape) and not any(before):
        return x
    return b.generate(out.shape, out.dtype, element, x)


def _constant(b: Builder, out: Any, value: Any) -> Tensor:
    value = b.extent(value)
    element = bool(value) if out.dtype == torch.bool else value
    array = full_array(b.extents(out.shape), number(element, kind_of(out.dtype)))
    return Tensor(array, out.dtype, tuple(out.shape), fill=element)


@lowering("full", "full_like", "new_full", "scalar_tensor")
def _full(b: Builder, out: Any, *given: Any, **_: Any) -> Tensor:
    return _constant(b, out, given[-1])


@lowering("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty", "empty_strided",
          "new_empty_strided", "empty_permuted")  # fmt: skip
def _zeros(b: Builder, out: Any, *_: Any, **__: Any) -> Tensor:
    return _constant(b, out, 0)


@lowering("ones", "ones_like", "new_ones")
def _ones(b: Builder, out: Any, *_: Any, **__: Any) -> Tensor:
    return _constant(b, out, 1)


@lowering("arange")
def _arange(b: Builder, out: Any, start: Any, end: Any, step: Any = 1) -> Tensor:
    kind = f64 if out.dtype.is_floating_point else i64
    first, distance = (number(b.extent(v), kind) for v in (start, step))

    def element(i: Any) -> Any:
        return narrow(first + i.to(i64).to(kind) * distance, out.dtype)

    return b.generate(out.shape, out.dtype, element)


def place_in(x: Tensor, d: int, extent: Any, place: Any) -> Any:
    """An index of PyTorch as one of dimension `d`: negative ones count from the end."""
    i = place.to(index)
    i = where(i < 0, i + extent, i)
    assert_((i >= 0) & (i < extent), f"an index is outside of dimension {d} of a tensor")
    return i


@lowering("gather")
def _gather(b: Builder, out: Any, x: Tensor, dim: int, at: Tensor, **_: Any) -> Tensor:
    dim = dim_of(dim, x.rank)
    extent = b.extents(x.shape)[dim]

    def element(*i: Any) -> Any:
        found = place_in(x, dim, extent, at.read(*i))
        return x.read(*(found if d == dim else k for d, k in enumerate(i)))

    return b.generate(out.shape, out.dtype, element, x, at)


@lowering("index_select")
def _index_select(b: Builder, out: Any, x: Tensor, dim: int, at: Tensor) -> Tensor:
    dim = dim_of(dim, x.rank)
    extent = b.extents(x.shape)[dim]

    def element(*i: Any) -> Any:
        found = place_in(x, dim, extent, at.read(*i[dim : dim + max(at.rank, 0)]))
        return x.read(*(found if d == dim else k for d, k in enumerate(i)))

    return b.generate(out.shape, out.dtype, element, x, at)


@lowering("embedding")
def _embedding(b: Builder, out: Any, x: Tensor, at: Tensor, *_: Any) -> Tensor:
    extent = b.extents(x.shape)[0]
    return b.generate(
        out.shape, out.dtype,
        lambda *i: x.read(place_in(x, 0, extent, at.read(*i[:-1])), i[-1]), x, at,
    )  # fmt: skip


def _places(
    b: Builder, x: Tensor, at: Sequence[Tensor | None]
) -> tuple[tuple[Any, ...], int, Callable[..., list[Any]]]:
    """How `index` reads: the shape of the indices, where it stands, and the index of an element."""
    chosen = [d for d, t in enumerate(at) if t is not None]
    given = [t for t in at if t is not None]
    if any(t.dtype in (torch.bool, torch.uint8) for t in given):
        raise UnsupportedError("an index that is a mask")
    shape = tuple(torch.broadcast_shapes(*(t.shape for t in given)))
    tensors = [b.broadcast(t, shape) for t in given]
    is_adjacent = chosen == list(range(chosen[0], chosen[0] + len(chosen)))
    first = chosen[0] if is_adjacent else 0
    extents = b.extents(x.shape)

    def place(*i: Any) -> list[Any]:
        inner = i[first : first + len(shape)]
        outer = iter([*i[:first], *i[first + len(shape) :]])
        found = []
        for d in range(x.rank):
            if d in chosen:
                number = tensors[chosen.index(d)].read(*inner)
                found.append(place_in(x, d, extents[d], number))
            else:
                found.append(next(outer))
        return found

    return shape, first, place


@lowering("index", "_unsafe_index")
def _index(b: Builder, out: Any, x: Tensor, at: Sequence[Tensor | None]) -> Tensor:
    _, _, place = _places(b, x, at)
    given = [t for t in at if t is not None]
    return b.generate(out.shape, out.dtype, lambda *i: x.read(*place(*i)), x, *given)


def scattered(
    b: Builder,
    x: Tensor,
    combine: str,
    shape: Sequence[Any],
    place: Callable[..., list[Any]],
    value: Callable[..., Any],
) -> Tensor:
    """`x` with elements of another shape, written at the places of a function and combined.

    `value` is an element in the type of arithmetic of `x`, in which elements are combined.
    """
    is_free = combine == "any"
    kind = kind_of(x.dtype) if is_free else wide(x.dtype)
    if x.dtype == torch.bool and not is_free:
        raise UnsupportedError("a scatter that combines truth values")
    rank = len(shape)
    source = arrays.generate(b.extents(shape), lambda *i: value(*i[:rank]).to(kind))
    if x.fill is not None:
        default, extents = number(x.fill, kind), b.extents(x.shape)
    else:
        default = x.array if is_free else x.array.map(lambda v: widen(v, x.dtype, kind))
        default, extents = default if default.is_stored else default.force(), None
    found = arrays.permute(
        combine, default, lambda *i: tuple(place(*i[:rank])) or (0,), source, extents
    )
    if kind is not kind_of(x.dtype):
        found = found.map(lambda v: narrow(v, x.dtype))
    return b.tensor(found, x.dtype, x.shape)


def _along(
    b: Builder, x: Tensor, dim: int, at: Tensor, value: Callable[..., Any], combine: str
) -> Tensor:
    dim = dim_of(dim, x.rank)
    extent = b.extents(x.shape)[dim]

    def place(*i: Any) -> list[Any]:
        found = place_in(x, dim, extent, at.read(*i))
        return [found if d == dim else k for d, k in enumerate(i)]

    return scattered(b, x, combine, at.shape, place, value)


def _reader(x: Tensor, source: Any, combine: str) -> Callable[..., Any]:
    """The elements of a tensor or a number that are written into `x`."""
    kind = kind_of(x.dtype) if combine == "any" else wide(x.dtype)
    if not isinstance(source, Tensor):
        fixed = bool(source) if x.dtype == torch.bool else source
        return lambda *i: number(fixed, kind)
    if combine == "any":
        return lambda *i: convert(source.read(*i), source.dtype, x.dtype)
    return lambda *i: widen(convert(source.read(*i), source.dtype, x.dtype), x.dtype, kind)


_COMBINE = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min", "add": "add",
            "multiply": "mul"}  # fmt: skip


@lowering("scatter")
def _scatter(
    b: Builder, out: Any, x: Tensor, dim: int, at: Tensor, source: Any, reduce: str | None = None
) -> Tensor:
    combine = "any" if reduce is None else _COMBINE[reduce]
    return _along(b, x, dim, at, _reader(x, source, combine), combine)


@lowering("scatter_add")
def _scatter_add(b: Builder, out: Any, x: Tensor, dim: int, at: Tensor, source: Tensor) -> Tensor:
    return _along(b, x, dim, at, _reader(x, source, "add"), "add")


@lowering("scatter_reduce")
def _scatter_reduce(
    b: Builder, out: Any, x: Tensor, dim: int, at: Tensor, source: Any, reduce: str,
    include_self: bool = True,
) -> Tensor:  # fmt: skip
    if reduce not in _COMBINE or not include_self:
        raise UnsupportedError(f"reduce={reduce!r}, include_self={include_self}")
    return _along(b, x, dim, at, _reader(x, source, _COMBINE[reduce]), _COMBINE[reduce])


@lowering("index_put", "_unsafe_index_put")
def _index_put(
    b: Builder, out: Any, x: Tensor, at: Sequence[Tensor | None], values: Tensor,
    accumulate: bool = False,
) -> Tensor:  # fmt: skip
    inner, first, place = _places(b, x, at)
    rest = [x.shape[d] for d in range(x.rank) if d >= len(at) or at[d] is None]
    shape = [*rest[:first], *inner, *rest[first:]]
    combine = "add" if accumulate else "any"
    source = b.broadcast(values, shape)
    return scattered(b, x, combine, shape, place, _reader(x, source, combine))


@lowering("select_scatter")
def _select_scatter(b: Builder, out: Any, x: Tensor, source: Tensor, dim: int, at: int) -> Tensor:
    dim = dim_of(dim, x.rank)
    chosen = at if at >= 0 else b.extents(x.shape)[dim] + at

    def element(*i: Any) -> Any:
        rest = [*i[:dim], *i[dim + 1 :]]
        return choose(i[dim] == chosen, lambda: source.read(*rest), lambda: x.read(*i))

    return b.generate(out.shape, out.dtype, element, x, source)


@lowering("slice_scatter")
def _slice_scatter(
    b: Builder, out: Any, x: Tensor, source: Tensor, dim: int = 0, start: Any = None,
    end: Any = None, step: int = 1,
) -> Tensor:  # fmt: skip
    dim = dim_of(dim, x.rank)
    begin, count = begin_of(b, start, x.shape[dim]), b.extents(source.shape)[dim]

    def element(*i: Any) -> Any:
        distance = i[dim] - begin
        k = distance // step
        is_in = (distance >= 0) & (k < count)
        is_in = is_in if step == 1 else is_in & (distance % step == 0)
        place = [k if d == dim else j for d, j in enumerate(i)]
        return choose(is_in, lambda: source.read(*place), lambda: x.read(*i))

    return b.generate(out.shape, out.dtype, element, x, source)


@lowering("histc")
def _histc(b: Builder, out: Any, x: Tensor, bins: int = 100, low: Any = 0, high: Any = 0) -> Tensor:
    if low == high:
        raise UnsupportedError("a histogram whose limits are the least and the largest element")
    kind = wide(x.dtype)
    first, last = kind(float(low)), kind(float(high))

    def place(*i: Any) -> list[Any]:
        v = x.read_wide(*i)
        bin_ = ((v - first) * float(bins) / (last - first)).to(i64)
        bin_ = where(bin_ == bins, bin_ - 1, bin_)
        return [where((v >= first) & (v <= last), bin_, bins).to(index)]

    return scattered(
        b, Tensor(None, x.dtype, (bins,), fill=0.0), "add", x.shape, place, lambda *i: kind(1.0)
    )
