"""Functions written in the language: borders, windows, tiles, trees, filters, matrix products.

In: arrays and Python functions. Out: virtual arrays, or stored ones if the docstring says so. Each
function is a few lines. networks.py has sorting networks and scans.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from . import branching
from .collectives import Operator
from .control import loop, when
from .errors import TraceError
from .functions import assert_, ceil_div, concat
from .functions import max as larger
from .functions import min as smaller
from .levels import Level, grid
from .levels import block as block_level
from .programs import fill, force, grid_of
from .pull_push import Pull
from .regions import Array, Extent
from .scalars import Scalar
from .sources import full, generate
from .trace import current
from .types import i32


def sum(
    count: Extent | Pull, function: Callable[[Any], Any] | None = None, *, init: Any = None
) -> Any:
    """The sum of `function(i)` for i below `count`, added to `init` in order; or of an array."""
    if isinstance(count, Pull):
        if function is not None or init is not None:
            raise TraceError(
                "sum takes an array alone: write obs.sum(a.map(f)), and a.reduce(operator.add, "
                "init) for another initial value"
            )
        return count.sum()
    if function is None:
        raise TraceError(
            "sum takes an array, or a number and a function: obs.sum(n, lambda i: ...)"
        )
    return generate(count)(function).reduce(lambda a, b: a + b, 0 if init is None else init)


def _reflect(i: Any, n: Any) -> Any:
    """The index of the mirror image: images and mirror images alternate."""
    k = i % (2 * n)
    return smaller(k, 2 * n - 1 - k)


_RULES: dict[str, Callable[[Any, Any], Any]] = {
    "clamp": lambda i, n: smaller(larger(i, 0), n - 1),
    "mirror": _reflect,
    "wrap": lambda i, n: i % n,
}


def beyond(array: Pull, rule: Any) -> Callable[..., Any]:
    """A function that reads an array at any index, also outside of it.

    There are five rules. "clamp" reads the nearest element, "mirror" the mirror image, and "wrap"
    the repeated array. A number or scalar is the element outside. A function computes the element
    from its index.
    """
    extents = array.shape
    if isinstance(rule, str):
        if rule not in _RULES:
            names = ", ".join(_RULES)
            raise TraceError(f"the rule for what is outside is {names}, a number or a function")
        return lambda *place: array[tuple(map(_RULES[rule], place, extents))]

    def read(*place: Any) -> Any:
        inside: Any = True
        for i, n in zip(place, extents):
            is_in = (i >= 0) & (i < n)
            inside = is_in if inside is True else inside & is_in
        outside = (lambda: rule(*place)) if callable(rule) else (lambda: rule)
        return branching.choose(inside, lambda: array[place], outside)

    return read


def _each_dim(value: Any, rank: int) -> tuple[Any, ...]:
    """A number for each dimension, from one for all of them or from one for each."""
    found = tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank
    if len(found) != rank:
        raise TraceError(f"{len(found)} numbers for {rank} dimensions: write one, or one for each")
    return found


def pad(array: Pull, width: Any, rule: Any) -> Pull:
    """The array with a border of `width` elements on each side (a tuple: for each dimension).

    `rule` defines the border; see `beyond`.
    """
    read, widths = beyond(array, rule), _each_dim(width, array.ndim)
    if any(isinstance(w, int) and w < 0 for w in widths):
        raise TraceError(f"the width of a border is at least 0, not {width}: a[1:-1] cuts elements")
    extents = [n + 2 * w for n, w in zip(array.shape, widths)]
    return generate(*extents)(lambda *place: read(*(i - w for i, w in zip(place, widths))))


def windows(array: Pull, size: Any, *, step: Any = 1) -> Pull:
    """The array of all parts of a size in the array that begin at multiples of `step`."""
    sizes, steps = _each_dim(size, array.ndim), _each_dim(step, array.ndim)
    if any(isinstance(number, int) and number < 1 for number in [*sizes, *steps]):
        raise TraceError(f"windows have a size and a step of 1 or more, not {size} and {step}")
    counts = [(n - k) // s + 1 for n, k, s in zip(array.shape, sizes, steps)]
    for n, k, count in zip(array.shape, sizes, counts):
        if isinstance(count, int) and count < 0:
            raise TraceError(f"a window of {k} elements is longer than the array, which has {n}")
    return generate(*counts)(
        lambda *place: array.slice([i * s for i, s in zip(place, steps)], list(sizes))
    )


def tiles(array: Pull, size: Any, *, border: Any = 0, rule: Any = 0) -> Pull:
    """The array of tiles of `size` elements that cover an array, each with a border on each side.

    Elements outside of the array follow `rule`; see `beyond`.
    """
    read, sizes = beyond(array, rule), _each_dim(size, array.ndim)
    widths = _each_dim(border, array.ndim)
    counts = [ceil_div(n, k) for n, k in zip(array.shape, sizes)]
    extents = [k + 2 * w for k, w in zip(sizes, widths)]

    def tile(*number: Any) -> Pull:
        starts = [t * k - w for t, k, w in zip(number, sizes, widths)]
        return generate(*extents)(lambda *place: read(*(s + i for s, i in zip(starts, place))))

    return generate(*counts)(tile)


def tree_reduce(array: Pull, operator: Operator, *, ordered: bool = False) -> Pull:
    """Combine the elements of an array of static length in a tree; the result has one element.

    Each stage combines the first half with the second half. If `ordered`, it combines neighbours,
    and the operator need not be commutative. All stages except the last one are stored.
    """
    while len(array) > 1:
        half, is_odd = divmod(len(array), 2)
        left = array[0 : 2 * half : 2] if ordered else array[:half]
        right = array[1 : 2 * half : 2] if ordered else array[half : 2 * half]
        pairs = left.map(_on_elements(operator, array), right)
        array = concat(pairs, array[2 * half :]) if is_odd else pairs
        array = array.force() if len(array) > 1 else array
    return array


def _on_elements(operator: Operator, array: Array) -> Callable[..., Any]:
    """An operator as a function of the parts of two elements, as `map` calls it."""
    shape = array.type.element.shape
    if shape is None or shape[0] is not tuple:
        return operator
    count = len(shape[1])
    return lambda *parts: operator(parts[:count], parts[count:])


def filter(
    array: Pull,
    predicate: Callable[..., Any] | Array,
    *,
    init: Any = None,
    dtype: type[Scalar] = i32,
    strategy: str | None = None,
) -> Pull:
    """The elements for which the predicate holds, in order. The host waits for their number.

    The predicate is a function of an element, or an array of flags. The number has the type
    `dtype`; `init` and `strategy` are those of `compact`.
    """
    flags = predicate if isinstance(predicate, Array) else array.map(predicate)
    kept, count = array.compact(flags, init=init, dtype=dtype, strategy=strategy)
    if current().level is not grid:
        raise TraceError("filter stands at level grid: elsewhere use compact, which gives a count")
    elements, number = force(kept, count)
    return cast(Pull, elements.take(number[0]))


def matmul(
    a: Pull, b: Pull, *, tile: tuple[int, int, int] | None = None, level: Level = block_level
) -> Any:
    """The product of two matrices as a push array. The products of a sum are added in order.

    `tile` is a number of rows, products and columns. Each sub-program of `level` computes a tile of
    rows x columns sums in a loop, which stores the next columns of a and rows of b, and reads those
    after them in advance. At level block, 128 threads have 64 sums each, so that a thread reads a
    quarter of a number for each product. From: V. Volkov, J. Demmel, Benchmarking GPUs to tune
    dense linear algebra, 2008.
    """
    inner, other = a.dim(1), b.dim(0)
    if inner is not other:
        assert_(inner == other, "matmul: the first matrix has a column for each row of the second")
    element = a.type.element.require_scalar()
    # Sums of 64 bits take two registers.
    wide = (64, 16, 128 if element.bits <= 32 else 64)
    rows, depth, columns = tile or (wide if level is block_level else (16, 16, 16))
    left, right = a.split((rows, depth), pad=0), b.split((depth, columns), pad=0)
    steps = left.dim(1)
    row, column = _Places(rows), _Places(columns)
    # The last two dimensions determine the thread.
    shape = (row.near, column.near, column.groups, row.groups, row.count, column.count)

    @grid_of(left.dim(0), right.dim(1), level=level)
    def product(i: Any, j: Any) -> Any:
        def read(k: Any) -> Any:
            return force(left[i, k], right[k, j])

        def first(read: Callable[[], Pull], rows: int, columns: int) -> Pull:
            """The first tile; zeros if there is none."""
            return generate(rows, columns)(
                lambda r, t: when(steps > 0)(lambda: read()[r, t], lambda: element(0))
            )

        def store(x: Pull, y: Pull) -> Any:
            turned = fill((depth, rows), element, over=(rows, depth))(
                lambda r, t: {(t, r): x[r, t]}
            )
            return force(turned, y)

        ahead = force(
            first(lambda: left[i, 0], rows, depth), first(lambda: right[0, j], depth, columns)
        )

        @loop(steps, full(shape, element(0)), *store(*ahead))
        def carried(k: Any, acc: Pull, x: Pull, y: Pull) -> Any:
            following = read(smaller(k + 1, steps - 1))
            sums = generate(*shape)(
                lambda u, v, h, g, r, q: sum(
                    depth,
                    lambda t: x[t, row(g, r, u)] * y[t, column(h, q, v)],
                    init=acc[u, v, h, g, r, q],
                )
            )
            return sums.force(), *store(*following)

        acc = carried[0]
        return fill((rows, columns), element, over=shape)(
            lambda u, v, h, g, r, q: {(row(g, r, u), column(h, q, v)): acc[u, v, h, g, r, q]}
        )

    return product.join(to=(a.dim(0), b.dim(1)))


class _Places:
    """The rows or columns of a tile: of each thread, a few groups of neighbours."""

    def __init__(self, extent: int) -> None:
        """Choose groups of 4 neighbours, which are one access of 16 bytes."""
        self.near = 4 if extent % 4 == 0 else 1
        self.groups = 2 if extent % 8 == 0 and extent >= 64 else 1
        self.count = extent // (self.near * self.groups)

    def __call__(self, group: Any, number: Any, neighbour: Any) -> Any:
        """The row or column `neighbour` of thread `number` in a group."""
        return self.count * self.near * group + self.near * number + neighbour
