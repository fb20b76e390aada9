"""The functions `scatter` and `expand`, with the parameters of the user.

In: pull arrays of rank 1. Out: push arrays of the level of the code around.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from . import collectives
from .collectives import Operator
from .pull_push import Pull, Push
from .regions import Extent
from .scalars import Scalar
from .types import i32


def scatter(
    values: Any,
    *,
    at: Pull,
    into: Extent,
    init: Any = None,
    combine: str | Operator | None = None,
    fetch: bool = False,
    strategy: str | None = None,
) -> Any:
    """Write element k of `values` at the index that element k of `at` holds.

    `into` is the extent of the result; elements with an index outside of it are dropped. `values`
    may be one number. `combine` is the meaning of several elements at one index, as in `fill`.
    `init` is the element that is not written. With `fetch`, a second result has for each element
    the value before it at its index.
    """
    return collectives.scatter(values, at, into, init, combine, fetch, strategy)


def expand(
    lengths: Pull,
    extent: Extent,
    *,
    init: Any = None,
    dtype: type[Scalar] = i32,
    strategy: str | None = None,
) -> Callable[[Callable[[Any, Any], Any]], tuple[Push, Push]]:
    """For each length, this number of elements; a decorator, or called with a function.

    The function takes i and j and returns the element with number j of length i. The results are
    the elements, `extent` of them, and the sum of the lengths as an array of one element of type
    `dtype`. Elements past the sum are `init`, or are not written.
    """
    return lambda function: cast(
        "tuple[Push, Push]",
        collectives.expand(lengths, extent, function, init, dtype, strategy),
    )
