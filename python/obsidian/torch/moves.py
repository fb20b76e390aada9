"""Operations that move elements: views, gathers, scatters, and new tensors.

In: tensors, and the arguments of a node. Out: tensors. Gathers store nothing; scatters are
`arrays.permute`. A lowering takes the builder, the fake tensor of the result, and the arguments of
the node: tensors and numbers, which may be traced. Extents may be symbols of PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import arrays
from ..branching import choose
from ..control import while_loop
from ..functions import assert_, concat, where
from ..functions import max as larger
from ..functions import min as smaller
from ..sources import full
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
)  # fmt: skip

Lowering = Callable[..., Any]
#: The lowerings by the names of their operations.
LOWERINGS: dict[str, Lowering] = {}


def lowering(*names: str) -> Callable[[Lowering], Lowering]:
    """Register a function in LOWERINGS."""

    def enter(function: Lowering) -> Lowering:
        LOWERINGS.update(dict.fromkeys(names, function))
        return function

    return enter


def dim_of(dim: int, x: Tensor) -> int:
    """A dimension, which may count from the end."""
    return dim % max(x.rank, 1)


def replaced(place: Sequence[Any], dim: int, value: Any) -> list[Any]:
    """An index with one part replaced."""
    return [*place[:dim], value, *place[dim + 1 :]]


@lowering("view", "unsqueeze", "squeeze", "view_copy")
def _reshape(b: Builder, out: Any, x: Tensor, *_: Any) -> Tensor:
    return b.reshape(x, out.shape)


@lowering("expand")
def _expand(b: Builder, out: Any, x: Tensor, *_: Any, **__: Any) -> Tensor:
    return b.broadcast(x, out.shape)


@lowering("permute", "permute_copy")
def _permute(b: Builder, out: Any, x: Tensor, dims: Sequence[int]) -> Tensor:
    return b.permute(x, [dim_of(d, x) for d in dims])


def _from_begin(place: Any, extent: Any) -> Any:
    """An index of a dimension. A negative one counts from the end."""
    if isinstance(place, int):
        return place if place >= 0 else extent + place
    return where(place < 0, place + extent, place)


def _begin(b: Builder, start: Any, extent: Any) -> Any:
    """The first index of a slice within an extent."""
    if start is None or (isinstance(start, int) and start == 0):
        return 0
    last = b.extent(extent)
    first = _from_begin(start, last)
    if isinstance(first, int) and isinstance(last, int):
        return min(max(first, 0), last)
    return larger(smaller(index(first), index(last)), 0)


@lowering("slice")
def _slice(
    b: Builder, out: Any, x: Tensor, dim: int = 0, start: Any = None, _: Any = None, step: int = 1
) -> Tensor:
    if are_same(out.shape, x.shape):
        return x
    dim = dim_of(dim, x)
    offsets = replaced([0] * x.rank, dim, _begin(b, start, x.shape[dim]))
    steps = replaced([1] * x.rank, dim, step)
    return b.moved(x, x.array.slice(offsets, b.extents(out.shape), steps), out.shape)


@lowering("select")
def _select(b: Builder, out: Any, x: Tensor, dim: int, place: Any) -> Tensor:
    dim = dim_of(dim, x)
    found = _from_begin(place, b.extent(x.shape[dim]))
    return b.remap(x, out.shape, lambda *i: [*i[:dim], found, *i[dim:]])


def _strided(strides: Sequence[Any], offset: Any) -> Callable[..., list[Any]]:
    """The place in memory of an index."""
    return lambda *i: [sum((k * s for k, s in zip(i, strides)), 0 if offset is None else offset)]


@lowering("as_strided")
def _as_strided(
    b: Builder, out: Any, x: Tensor, _: Any, strides: Sequence[Any], offset: Any = 0
) -> Tensor:
    return b.remap(b.reshape(x, [product(x.shape)]), out.shape, _strided(strides, offset))


@lowering("as_strided_scatter")
def _as_strided_scatter(
    b: Builder, out: Any, x: Tensor, source: Tensor, shape: Sequence[Any], strides: Sequence[Any],
    offset: Any = 0,
) -> Tensor:  # fmt: skip
    flat, place = b.reshape(x, [product(x.shape)]), _strided(strides, offset)
    return b.reshape(_scattered(b, flat, "any", shape, place, source), out.shape)


@lowering("flip")
def _flip(b: Builder, out: Any, x: Tensor, dims: Sequence[int]) -> Tensor:
    array = x.array
    for d in dims:
        array = array.reverse(dim_of(d, x))
    return b.moved(x, array, x.shape)


@lowering("repeat")
def _repeat(b: Builder, out: Any, x: Tensor, _: Any) -> Tensor:
    shift, extents = len(out.shape) - x.rank, b.extents(x.shape)
    return b.remap(
        x, out.shape,
        lambda *i: [0 if is_one(n) else k % n for k, n in zip(i[shift:], extents)],
    )  # fmt: skip


@lowering("diagonal")
def _diagonal(
    b: Builder, out: Any, x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    first, second = dim_of(dim1, x), dim_of(dim2, x)

    def place(*i: Any) -> list[Any]:
        rest = iter(i)
        ends = {first: i[-1] + max(-offset, 0), second: i[-1] + max(offset, 0)}
        return [ends[d] if d in ends else next(rest) for d in range(x.rank)]

    return b.remap(x, out.shape, place)


@lowering("unfold")
def _unfold(b: Builder, out: Any, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    dim = dim_of(dim, x)
    return b.remap(x, out.shape, lambda *i: replaced(i[:-1], dim, i[dim] * step + i[-1]))


@lowering("cat")
def _cat(b: Builder, out: Any, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    dim = dim % len(out.shape)
    # An old rule of PyTorch: empty vectors can be joined with any tensor.
    parts = [
        b.converted(t, out.dtype)
        for t in tensors
        if t.rank == len(out.shape) and not are_same([t.shape[dim]], [0])
    ]
    if len(parts) < 2:
        return b.reshape(parts[0] if parts else b.converted(tensors[0], out.dtype), out.shape)
    return b.new(concat(*(t.array for t in parts), dim=dim), out.dtype, out.shape, *parts)


@lowering("constant_pad_nd")
def _pad(b: Builder, out: Any, x: Tensor, widths: Sequence[Any], value: Any = 0) -> Tensor:
    before = list(reversed(widths[::2]))
    before = [0] * (x.rank - len(before)) + before
    extents, border = b.extents(x.shape), number(value, kind_of(x.dtype))
    # As many elements may be added at one end as are removed at the other one.
    moved = [not is_one(w + 1) for w in before]
    padded = [d for d in range(x.rank) if moved[d] or not are_same([x.shape[d]], [out.shape[d]])]

    def element(*i: Any) -> Any:
        place = [k - w if is_moved else k for k, w, is_moved in zip(i, before, moved)]
        inside: Any = True
        for d in padded:
            is_in = (place[d] >= 0) & (place[d] < extents[d])
            inside = is_in if inside is True else inside & is_in
        return choose(inside, lambda: x.read(*place), lambda: border)

    return b.generate(out.shape, out.dtype, element, x)


@lowering(*(f"{mode}_pad{space}d" for mode in ("replication", "reflection") for space in (1, 2, 3)))
def _border(b: Builder, out: Any, x: Tensor, widths: Sequence[Any], *, name: str) -> Tensor:
    before = list(reversed(widths[::2]))
    first, extents = x.rank - len(before), b.extents(x.shape)

    def nearest(k: Any, n: Any) -> Any:
        if name.startswith("replication"):
            return larger(smaller(k, n - 1), 0)
        # The elements before the first one are those behind it, and those behind the last one.
        k = larger(k, -k)
        return smaller(k, 2 * n - 2 - k)

    def place(*i: Any) -> list[Any]:
        rest = zip(i[first:], before, extents[first:])
        return [*i[:first], *(nearest(k - w, n) for k, w, n in rest)]

    return b.remap(x, out.shape, place)


@lowering("full", "full_like", "scalar_tensor")
def _full(b: Builder, out: Any, *given: Any) -> Tensor:
    fill = number(given[-1], kind_of(out.dtype))
    array = full(b.extents(out.shape), fill)
    return Tensor(array, out.dtype, tuple(out.shape), fill=fill)


@lowering("empty", "empty_strided", "new_empty_strided", "empty_permuted")
def _empty(b: Builder, out: Any, *_: Any) -> Tensor:
    found: Tensor = _full(b, out, 0)
    return found


@lowering("arange")
def _arange(b: Builder, out: Any, start: Any, end: Any, step: Any = 1) -> Tensor:
    kind = f64 if out.dtype.is_floating_point else i64
    first, distance = (number(v, kind) for v in (start, step))
    return b.generate(
        out.shape, out.dtype, lambda i: narrow(first + i.to(i64).to(kind) * distance, out.dtype)
    )


def found_place(
    b: Builder, shape: Sequence[Any], dim: int, place: Any, is_checked: bool = True
) -> Any:
    """An index of PyTorch as an index of a dimension. Negative ones count from the end."""
    extent = b.extents(shape)[dim]
    i = _from_begin(place.to(index), extent)
    if is_checked:
        assert_((i >= 0) & (i < extent), f"an index is outside of dimension {dim} of a tensor")
    return i


@lowering("gather")
def _gather(b: Builder, out: Any, x: Tensor, dim: int, at: Tensor, **_: Any) -> Tensor:
    dim = dim_of(dim, x)

    def element(*i: Any) -> Any:
        return x.read(*replaced(i, dim, found_place(b, x.shape, dim, at.read(*i))))

    return b.generate(out.shape, out.dtype, element, x, at)


def _places(
    b: Builder, x: Tensor, at: Sequence[Tensor | None], is_checked: bool = True
) -> tuple[list[Any], Callable[..., list[Any]]]:
    """The shape of `x[at]`, and the index in `x` of its elements."""
    given = {d: t for d, t in enumerate(at) if t is not None}
    if any(t.dtype in (torch.bool, torch.uint8) for t in given.values()):
        raise UnsupportedError("an index that is a mask")
    shape = tuple(torch.broadcast_shapes(*(t.shape for t in given.values())))
    tensors = {d: b.broadcast(t, shape) for d, t in given.items()}
    # If the indexed dimensions are adjacent, the dimensions of the indices replace them.
    dims = list(given)
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    rest = [n for d, n in enumerate(x.shape) if d not in given]

    def place(*i: Any) -> list[Any]:
        inner, outer = i[first : first + len(shape)], iter(i[:first] + i[first + len(shape) :])
        return [
            found_place(b, x.shape, d, tensors[d].read(*inner), is_checked)
            if d in given
            else next(outer)
            for d in range(x.rank)
        ]

    return [*rest[:first], *shape, *rest[first:]], place


@lowering("index", "_unsafe_index")
def _index(b: Builder, out: Any, x: Tensor, at: Sequence[Tensor | None], *, name: str) -> Tensor:
    # PyTorch has computed the indices of images that it resizes.
    _, place = _places(b, x, at, name == "index")
    given = [t for t in at if t is not None]
    return b.generate(out.shape, out.dtype, lambda *i: x.read(*place(*i)), x, *given)


def _scattered(
    b: Builder, x: Tensor, combine: str, shape: Sequence[Any], place: Callable[..., list[Any]],
    source: Any,
) -> Tensor:  # fmt: skip
    """`x` with the elements of a tensor, or a number, written at the indices of a function."""
    is_plain = combine == "any"
    kind = kind_of(x.dtype) if is_plain else wide(x.dtype)
    if x.dtype == torch.bool and not is_plain:
        raise UnsupportedError("a scatter that combines truth values")

    def value(*i: Any) -> Any:
        if not isinstance(source, Tensor):
            return number(source, kind)
        found = convert(source.read(*i), source.dtype, x.dtype)
        return found if is_plain else widen(found, x.dtype)

    rank = len(shape)
    written = arrays.generate(b.extents(shape), lambda *i: value(*i[:rank]))
    is_same = kind is kind_of(x.dtype)
    default: Any = x.fill if is_same or x.fill is None else widen(x.fill, x.dtype)
    if x.fill is None:
        default = x.array if is_same else x.array.map(lambda v: widen(v, x.dtype))
    found = arrays.permute(
        combine, default, lambda *i: tuple(place(*i[:rank])) or (0,), written,
        None if x.fill is None else b.extents(x.shape),
    )  # fmt: skip
    found = found if is_same else found.map(lambda v: narrow(v, x.dtype))
    return b.new(found, x.dtype, x.shape)


_COMBINE = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amax": "max",
            "amin": "min", None: "any"}  # fmt: skip


@lowering("scatter", "scatter_reduce", "scatter_add")
def _scatter(
    b: Builder, out: Any, x: Tensor, dim: int, at: Tensor, source: Any, reduce: str | None = None,
    *, name: str, **_: Any,
) -> Tensor:  # fmt: skip
    reduce = "add" if name == "scatter_add" else reduce
    dim = dim_of(dim, x)
    tensors = [x, at, *([source] if isinstance(source, Tensor) else [])]

    def element(*i: Any) -> Any:
        first = replaced(i, dim, 0)
        value = (
            convert(source.read(*first), source.dtype, x.dtype)
            if isinstance(source, Tensor)
            else number(source, kind_of(x.dtype))
        )
        return where(found_place(b, x.shape, dim, at.read(*first)) == i[dim], value, x.read(*i))

    one = replaced(x.shape, dim, 1)
    if reduce is None and x.rank and are_same(at.shape, one):
        # One element of each row is another one: a function of the index.
        return b.generate(out.shape, out.dtype, element, *tensors)
    return _scattered(
        b, x, _COMBINE[reduce], at.shape,
        lambda *i: replaced(i, dim, found_place(b, x.shape, dim, at.read(*i))), source,
    )  # fmt: skip


@lowering("index_put")
def _index_put(
    b: Builder, out: Any, x: Tensor, at: Sequence[Tensor | None], values: Tensor,
    accumulate: bool = False,
) -> Tensor:  # fmt: skip
    shape, place = _places(b, x, at)
    source = b.broadcast(values, shape)
    return _scattered(b, x, "add" if accumulate else "any", shape, place, source)


@lowering("slice_scatter")
def _slice_scatter(
    b: Builder, out: Any, x: Tensor, source: Tensor, dim: int = 0, start: Any = None,
    _: Any = None, step: int = 1,
) -> Tensor:  # fmt: skip
    dim = dim_of(dim, x)
    begin, count = _begin(b, start, x.shape[dim]), b.extent(source.shape[dim])

    def element(*i: Any) -> Any:
        distance = i[dim] - begin
        is_in = (distance >= 0) & (distance // step < count)
        is_in = is_in if isinstance(step, int) and step == 1 else is_in & (distance % step == 0)
        place = replaced(i, dim, distance // step)
        return choose(is_in, lambda: source.read(*place), lambda: x.read(*i))

    return b.generate(out.shape, out.dtype, element, x, source)


@lowering("diagonal_scatter")
def _diagonal_scatter(
    b: Builder, out: Any, x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    first, second = dim_of(dim1, x), dim_of(dim2, x)

    def element(*i: Any) -> Any:
        place = i[first] - max(-offset, 0)
        is_in = (place >= 0) & (place == i[second] - max(offset, 0))
        rest = [k for d, k in enumerate(i) if d not in (first, second)]
        return choose(is_in, lambda: source.read(*rest, place), lambda: x.read(*i))

    return b.generate(out.shape, out.dtype, element, x, source)


@lowering("searchsorted", "bucketize")
def _search(
    b: Builder, out: Any, limits: Tensor, x: Tensor, *, name: str, right: bool = False,
    side: str | None = None, sorter: Tensor | None = None, out_int32: bool = False,
) -> Tensor:  # fmt: skip
    """The number of limits below each element, by a binary search."""
    limits, x = (x, limits) if name == "bucketize" else (limits, x)
    if sorter is not None or not isinstance(x, Tensor) or x.dtype != limits.dtype:
        raise UnsupportedError("a search with a sorter, for a number, or for elements of two types")
    is_right = right or side == "right"

    def element(*i: Any) -> Any:
        value, row = widen(x.read(*i), x.dtype), i[: limits.rank - 1]

        def halve(low: Any, high: Any) -> Any:
            middle = (low + high) // 2
            other = widen(limits.read(*row, middle), x.dtype)
            is_before = ~(other > value if is_right else other >= value)
            return where(is_before, middle + 1, low), where(is_before, high, middle)

        end = index(0) + b.extents(limits.shape)[-1]
        found, _ = while_loop(lambda low, high: low < high, index(0), end)(halve)
        return found.to(kind_of(out.dtype))

    return b.generate(out.shape, out.dtype, element, x, limits)


#: The operations whose results are functions of the index that read a few elements.
VIRTUAL = LOWERINGS.keys() - {
    "scatter", "scatter_add", "scatter_reduce", "index_put", "as_strided_scatter", "searchsorted",
    "bucketize",
}  # fmt: skip
