"""A sort by merges, as arrays that are stored after each stage.

In: a pull array of static length, of any elements, and a strict order. Out: a stored pull array.
The threads of the level around the code share the work, so one function sorts at each level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .control import loop, when, while_loop
from .functions import choose, max, min
from .levels import Storage, block, warp
from .networks import Order
from .programs import fill, par, write
from .pull_push import Pull
from .trace import current
from .types import index

#: Neighbours of a thread. An odd number of them are in different banks of shared memory.
ITEMS = 7
#: The threads of a warp, and of a block that sorts.
LANES, THREADS = 32, 256


def items_of(size: int) -> int:
    """The number of neighbours that each thread sorts and merges."""
    of_lanes, of_threads = -(-size // LANES), -(-size // THREADS)
    return of_lanes if of_lanes < ITEMS else int(max(ITEMS, of_threads | 1))


def merge_sort(array: Pull, is_before: Order | None = None) -> Pull:
    """Sort an array of static length. Equal elements keep their order.

    `is_before(a, b)` is true if `a` must stand before `b`; without it, the order is `<`. Each
    thread sorts a few neighbours in registers. Then the length of sorted runs doubles in each
    stage, and each thread merges as many elements of a pair of runs: a binary search finds the
    first of them (O. Green, R. McColl and D. Bader, "GPU merge path", 2012).
    """
    size = len(array)
    order: Order = is_before or (lambda a, b: a < b)
    items = items_of(size)
    workers = -(-size // items)
    # Other threads of a warp or a block read the elements. Other levels have one memory for arrays.
    storage: Storage | None = "shared" if current().level in (warp, block) else None

    def process(program: Callable[[Any, Any], Any]) -> Pull:
        """Run a program for each worker, with the number of its first element."""

        @fill(size, array.type.element, unchecked=True)
        def written() -> None:
            par(workers)(lambda worker: program(worker, worker * items))

        return written.force(storage=storage)

    def store(place: Any, value: Any) -> None:
        if size % items:
            when(place < size)(lambda: write(value, at=place))
        else:
            write(value, at=place)

    def sort_items(_: Any, begin: Any) -> None:
        places = [begin + k for k in range(items)]
        own = [array[min(place, size - 1) if size % items else place] for place in places]
        # Neighbours change places only if the second one is less, so the order of equal elements
        # stays. From: D. E. Knuth, The Art of Computer Programming 3, 5.3.4, the odd-even
        # transposition sort.
        for number in range(items):
            for k in range(number % 2, items - 1, 2):
                swaps = order(own[k + 1], own[k])
                if size % items:
                    swaps = (places[k + 1] < size) & swaps
                own[k], own[k + 1] = (
                    choose(swaps, own[k + 1], own[k]),
                    choose(swaps, own[k], own[k + 1]),
                )
        for place, value in zip(places, own):
            store(place, value)

    def merge(stage: Any, runs: Pull) -> Pull:
        def merge_items(worker: Any, begin: Any) -> None:
            width = index(items) << stage
            first = (worker >> (stage + 1)) * width * 2
            middle, end = min(first + width, size), min(first + width * 2, size)
            before = begin - first

            def halve(low: Any, high: Any) -> tuple[Any, Any]:
                center = (low + high) >> 1
                is_right = order(runs[middle + (before - 1 - center)], runs[first + center])
                return choose(is_right, low, center + 1), choose(is_right, center, high)

            # The elements of the left run among the first `before` ones.
            of_left, _ = while_loop(
                lambda low, high: low < high,
                max(before - (end - middle), 0),
                min(before, middle - first),
            )(halve)
            left, right = first + of_left, middle + (before - of_left)
            # Past the end of a run, its next element is not used.
            a, b = runs[min(left, end - 1)], runs[min(right, end - 1)]
            for k in range(items):
                is_right = (right < end) & ((left >= middle) | order(b, a))
                store(begin + k, choose(is_right, b, a))
                if k + 1 == items:
                    break
                left = choose(is_right, left, left + 1)
                right = choose(is_right, right + 1, right)
                new = runs[min(choose(is_right, right, left), end - 1)]
                a, b = choose(is_right, a, new), choose(is_right, new, b)

        return process(merge_items)

    result: Pull = loop((workers - 1).bit_length(), process(sort_items))(merge)
    return result
