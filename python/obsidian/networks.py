"""Sorting networks and parallel scans, as arrays that are stored after each stage.

In: pull arrays of static length, of scalars (networks) or any elements (scans), and operators. Out:
stored pull arrays. The workers of the level around the code share the work, so one function sorts
in a warp or in a block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import bit
from .branching import choose
from .collectives import Operator
from .control import loop
from .errors import TraceError
from .functions import choose as select
from .functions import max as larger
from .functions import min as smaller
from .levels import Level
from .programs import fill, stack
from .pull_push import Pull
from .regions import up_to
from .sources import generate, iota
from .types import index


def _log2(array: Pull) -> int:
    """The binary logarithm of the length."""
    size = len(array)
    if size & (size - 1) or size == 0:
        raise TraceError(f"a network for a power of two, and the array has {size} elements")
    return size.bit_length() - 1


#: An order of elements: true if the first element must stand before the second.
Order = Callable[[Any, Any], Any]


def _pair(x: Any, y: Any, is_before: Order | None) -> tuple[Any, Any]:
    """Two elements in order; `x` is the first one of equal ones."""
    if is_before is None:
        return smaller(x, y), larger(x, y)
    swaps = is_before(y, x)
    return select(swaps, y, x), select(swaps, x, y)


def comparators(
    array: Pull, bit_number: Any, partner: Callable[[Any, Any], Any], is_before: Order | None = None
) -> Pull:
    """A column of a network: element i, whose bit is 0, is compared with element `partner(i, bit)`.

    The smaller one of them becomes element i. Elements that are not numbers need an order.
    """
    size = len(array)

    @fill(size, array.type.element, over=size // 2)
    def column(pair: Any) -> dict[Any, Any]:
        low = bit.insert_zero(pair, bit_number)
        high = partner(low, bit_number)
        first, second = _pair(array[low], array[high], is_before)
        return {low: first, high: second}

    return column.force()


def bitonic_merge(array: Pull, is_before: Order | None = None) -> Pull:
    """Sort an array of two sorted halves; the length is a power of two."""
    bits = _log2(array)
    if bits == 0:
        return array
    first = comparators(array, bits - 1, bit.flip_low, is_before)
    return _merge_down(first, index(bits - 1), is_before)


def _merge_down(array: Pull, bits: Any, is_before: Order | None) -> Pull:
    """The columns at distances 2^(bits - 1), ..., 2, 1."""
    result: Pull = loop(bits, array)(lambda k, x: comparators(x, bits - 1 - k, bit.flip, is_before))
    return result


def bitonic_sort(array: Pull, is_before: Order | None = None) -> Pull:
    """Sort an array whose length is a power of two (K. Batcher, 1968).

    `is_before(a, b)` is the order, if it is not that of numbers: elements may be tuples.
    """

    def stage(number: Any, x: Pull) -> Pull:
        return _merge_down(comparators(x, number, bit.flip_low, is_before), number, is_before)

    result: Pull = loop(_log2(array), array)(stage)
    return result


#: The elements that a thread has in registers in `thread_columns`, and their binary logarithm.
_OWN_BITS = 5
_OWN = 1 << _OWN_BITS


def thread_columns(
    array: Pull,
    low: int,
    network: Callable[[Pull], Any],
    *,
    mirrors: bool = False,
    stored: bool = True,
) -> Any:
    """A network on the 32 elements of each thread of a block.

    They are the elements whose indices differ in the bits low, ..., low + 4, in this order. With
    `mirrors`, the upper half of them is the mirror image of the lower half in a run of 2^(low + 5),
    so that a column between mirror images in the run is one between mirror images of the 32.

    The columns of five bits need memory and a barrier once, instead of five times. The result is a
    pull array in shared memory or, if it is not `stored`, the push array of the block.
    """
    size = 1 << _log2(array)
    if size < 1 << (low + _OWN_BITS):
        raise TraceError(
            f"a thread has {_OWN} elements at distances of {1 << low}, and the array has {size}"
        )
    stride = 1 << low

    def place(thread: Any, number: Any) -> Any:
        rest = thread & (stride - 1)
        if mirrors:
            rest = select(number >= _OWN // 2, stride - 1 - rest, rest)
        return (thread >> low << (low + _OWN_BITS)) + (number << low) + rest

    def program(thread: Any) -> Any:
        return network(generate(_OWN)(lambda k: array[place(thread, k)]).force())

    parts = stack((program(t) for t in iota(size // _OWN)), level=Level.thread)
    parts = parts.ix_map(place, size, unchecked=True)
    # Rows can be padded, so that neighbouring threads use different banks.
    return parts.reshape(size // _OWN, _OWN).force().flatten() if stored else parts


def descend(array: Pull, bits: int, is_before: Order | None = None) -> Pull:
    """The columns at distances 2^(bits - 1), ..., 2, 1, as separate stages."""
    for number in reversed(range(bits)):
        array = comparators(array, number, bit.flip, is_before)
    return array


def vee(array: Pull, is_before: Order | None = None) -> Pull:
    """A column between mirror images, and the columns at smaller distances: two runs become one."""
    bits = _log2(array) - 1
    return descend(comparators(array, bits, bit.flip_low, is_before), bits, is_before)


def merge_runs(array: Pull, bits: int, is_before: Order | None = None) -> Pull:
    """The columns at distances 2^(bits - 1), ..., 1 by the threads of a block, five at a time."""
    length = array.type.extents[0]
    if length is not None and 1 << bits > length:
        raise TraceError(f"merge_runs: the runs have 2^{bits} elements, and the array has {length}")
    while bits > 0:
        low = max(bits - _OWN_BITS, 0)
        own = bits - low

        def columns(own_elements: Pull, own: int = own) -> Pull:
            return descend(own_elements, own, is_before)

        array, bits = thread_columns(array, low, columns), low
    return array


def _sort_values(values: list[Any], is_before: Order | None) -> list[Any]:
    """The values in order: a merge of the sorted halves by odd and even places (K. Batcher)."""
    size = len(values)
    values = list(values)

    def compare(i: int, j: int) -> None:
        values[i], values[j] = _pair(values[i], values[j], is_before)

    run = 1
    while run < size:
        distance = run
        while distance > 0:
            for first in range(distance % run, size - distance, 2 * distance):
                for i in range(first, min(first + distance, size - distance)):
                    if i // (2 * run) == (i + distance) // (2 * run):
                        compare(i, i + distance)
            distance //= 2
        run *= 2
    return values


def _sort_own(own: Pull, is_before: Order | None) -> Any:
    """The sorted elements of one thread, as code without loops."""
    values = _sort_values([own[k] for k in range(_OWN)], is_before)
    return fill(_OWN, own.type.element, over=1)(lambda _: dict(enumerate(values)))


def sort_runs(array: Pull, size: int, is_before: Order | None = None) -> Pull:
    """Sort each run of `size` elements of an array by the threads of a block.

    Both are powers of two, and at least 64. A thread sorts 32 elements of a run in registers. Then
    runs are merged by the columns of a bitonic network (K. Batcher, 1968), five at a time.
    """
    bits = size.bit_length() - 1
    if size & (size - 1) or size < 2 * _OWN or _log2(array) < bits:
        raise TraceError(f"runs of {size} elements; their size is a power of two, and at least 64")
    apart = bits - _OWN_BITS

    def spread(i: Any) -> Any:
        # The order does not matter before the first column, so threads read neighbours together.
        own, thread = i & (_OWN - 1), i >> _OWN_BITS & ((1 << apart) - 1)
        return (i >> bits << bits) + (own << apart) + thread

    result: Pull = thread_columns(array.ix_map(spread), 0, lambda own: _sort_own(own, is_before))
    for stage in range(_OWN_BITS, bits):
        low = stage + 1 - _OWN_BITS
        merged = thread_columns(result, low, lambda own: vee(own, is_before), mirrors=True)
        result = merge_runs(merged, low, is_before)
    return result


def odd_even_sort(array: Pull, is_before: Order | None = None) -> Pull:
    """Sort an array of any static or bounded length by neighbours (N. Habermann, 1972)."""
    size = array.dim(0)

    def round(k: Any, x: Pull) -> Pull:
        def element(i: Any) -> Any:
            is_left = (i + k) % 2 == 0
            other = select(is_left, i + 1, i - 1)
            meets = (other >= 0) & (other < size)
            mine, theirs = x[i], x[select(meets, other, i)]
            if is_before is None:
                return select(is_left, smaller(mine, theirs), larger(mine, theirs))
            first, second = select(is_left, mine, theirs), select(is_left, theirs, mine)
            return select(is_before(second, first), theirs, mine)

        bound = array.type.bounds[0]
        extent = size if isinstance(size, int) or bound is None else up_to(size, bound)
        return generate(extent)(element).force()

    result: Pull = loop(size, array)(round)
    return result


def kogge_stone(array: Pull, operator: Operator) -> Pull:
    """The inclusive scan: stage k combines each element with the element 2^k before it."""

    def round(k: Any, x: Pull) -> Pull:
        distance = index(1) << k
        return generate(len(array))(
            lambda i: choose(i >= distance, lambda: operator(x[i - distance], x[i]), lambda: x[i])
        ).force()

    result: Pull = loop((len(array) - 1).bit_length(), array)(round)
    return result


def sklansky(array: Pull, operator: Operator) -> Pull:
    """The inclusive scan: stage k adds the last element of each lower half to the upper half.

    The length is a power of two.
    """

    def stage(k: Any, x: Pull) -> Pull:
        half = index(1) << k
        return generate(len(array))(
            lambda i: choose(
                (i & half) != 0, lambda: operator(x[(i >> k << k) - 1], x[i]), lambda: x[i]
            )
        ).force()

    result: Pull = loop(_log2(array), array)(stage)
    return result


def brent_kung(array: Pull, operator: Operator) -> Pull:
    """The inclusive scan with the fewest operations: a tree up, and a tree down.

    The length is a power of two.
    """
    size, bits = len(array), _log2(array)

    def step(x: Pull, distance: Any, begin: Any) -> Pull:
        """Combine the elements begin, begin + 2 distance, ... with those `distance` before them."""
        return generate(size)(
            lambda i: choose(
                (i >= begin) & ((i - begin) & (2 * distance - 1) == 0),
                lambda: operator(x[i - distance], x[i]),
                lambda: x[i],
            )
        ).force()

    one = index(1)
    up = loop(bits, array)(lambda k, x: step(x, one << k, (index(2) << k) - 1))
    down: Pull = loop(max(bits - 1, 0), up)(
        lambda k, x: step(x, one << (bits - 2 - k), 3 * (one << (bits - 2 - k)) - 1)
    )
    return down
