"""Operations that move elements to computed indices (permute, compact), storage, and loops.

In: arrays, functions of indices, flags, functions of whole arrays. Out: stored or pending arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .. import control, programs
from ..collectives import Operator
from ..control import when
from ..errors import TraceError
from ..pending import finish, pending
from ..pull_push import Pull
from ..regions import Array, as_index
from ..scalars import Scalar
from ..types import Element, i1, i32
from .checks import extents_of, parts_of, require, require_function, require_grid
from .elements import _agree
from .folds import fold


def permute(
    combine: str | Operator | None, default: Any, place: Callable[..., Any], array: Pull,
    shape: Any = None,
) -> Pull:  # fmt: skip
    """Write each element at the index that `place` returns for its own index.

    `default` is an array with the shape and the initial elements of the result. It may also be one
    element; then `shape` is the shape. An element with an index outside of the result is dropped.
    `combine` is the operation that combines several elements at one index, together with the
    default there: an associative and commutative function, or one of the names "add", "mul", "min",
    "max", "and", "or" and "xor". With "any", one of the elements is stored. With None, no two
    elements have the same index, which the compiler proves or the checks of the emulator verify.
    Raises TraceError if `place` returns another number of indices than the result has dimensions.
    """
    require_grid("permute")
    source = require(array, "permute")
    is_array = isinstance(default, Array)
    if is_array is (shape is not None):
        raise TraceError("permute takes an array as its default, or an element and shape=")
    extents = require(default, "permute").shape if is_array else extents_of(shape)
    if isinstance(default, Array) and default.type.element.leaves != source.type.element.leaves:
        raise TraceError(
            f"the default of permute has elements of type ({default.type.element}), and the array "
            f"of type ({source.type.element}): convert one of them, as in a.to(obs.f32)"
        )
    require_function(place, "permute", source.ndim)
    if callable(combine):
        require_function(combine, "permute, as combine,", 2)
    elif combine is not None and not isinstance(combine, str):
        raise TraceError("combine of permute is a function, a name such as 'add', 'any' or None")
    rank = len(extents)

    def program(*index: Any) -> None:
        found = place(*index)
        target = found if isinstance(found, tuple) else (found,)
        target = target or (0,)
        if len(target) != rank:
            raise TraceError(
                f"the function of permute returns {len(target)} indices, and {rank} are needed"
            )
        places = [as_index(part) for part in target]
        is_inside: Any = i1(True)
        for part, extent in zip(places, extents):
            is_inside = is_inside & (part >= 0) & (part < extent)
        when(is_inside)(lambda: programs.write(source[index], at=tuple(places)))

    start: dict[str, Any] = {"onto": default} if is_array else {"init": default}
    written = programs.fill(
        list(extents), source.type.element, over=list(source.shape), combine=combine,
        unchecked=combine is None, **start,
    )(program)  # fmt: skip
    return pending(written, extents)


def compact(keep: Any, array: Pull, *, dtype: type[Scalar] = i32) -> tuple[Pull, Pull]:
    """The kept elements, in row-major order, and their number in each row.

    `keep` is an array of i1 with the shape of the array, or a function of an element. The first
    result is a vector of the kept elements. The host waits for their number. The second result has
    a number of the type `dtype` for each row. For a vector, its rank is 0.
    """
    require_grid("compact")
    source = require(array, "compact", 1)
    if callable(keep):
        require_function(keep, "compact", parts_of(source))
    flags = source.map(keep) if callable(keep) else require(keep, "compact, as its flags,")
    _agree("compact", [flags, source])
    if flags.type.element != Element((i1,)):
        raise TraceError(
            f"flags are i1, not {flags.type.element}: compare, as in a.map(f) or a > 0"
        )
    kept, count = source.flatten().compact(flags.flatten(), dtype=dtype)
    elements, number = programs.force(kept, count)
    rows = fold(operator.add, 0, flags.to(dtype), commutative=True) if source.ndim > 1 else number
    return elements.take(number[0]), rows


def compute(*arrays: Pull) -> Any:
    """Arrays in memory. They are computed here, once, and several of them by one kernel.

    Without this function, each kernel that reads a virtual array computes it again.
    """
    require_grid("compute")
    found = [require(array, "compute") for array in arrays]
    for array in found:
        _ = array.name
    rest = [array for array in found if not array.is_stored]
    forced = programs.force(*rest) if rest else ()
    given = iter(forced if isinstance(forced, tuple) else (forced,))
    result = tuple(array if array.is_stored else next(given) for array in found)
    return result[0] if len(result) == 1 else result


def _carried(init: tuple[Any, ...], name: str) -> list[Any]:
    """The initial values of a loop, with arrays in memory."""
    require_grid(name)
    return [finish(value) for value in init]


def loop(count: Any, *init: Any) -> Callable[[Callable[..., Any]], Any]:
    """Run a function of whole arrays `count` times. Use it as a decorator, or call it.

    The function takes the number of the iteration and the arrays, and returns the new arrays, of
    the same types. The first arrays are `init`. One kernel stores the arrays after each iteration.
    """
    values = _carried(init, "loop")

    def run(body: Callable[..., Any]) -> Any:
        require_function(body, "loop", 1 + len(values))
        return control.loop(count, *values)(lambda k, *xs: finish(body(k, *xs)))

    return run


def while_loop(condition: Callable[..., Any], *init: Any) -> Callable[[Callable[..., Any]], Any]:
    """Run a function of whole arrays while a condition is true. Use it as a decorator, or call it.

    The condition returns an array of rank 0 with an i1, which the host reads before each iteration.
    """
    values = _carried(init, "while_loop")

    def holds(*arrays: Any) -> Any:
        found = condition(*arrays)
        if not isinstance(found, Pull):
            return found
        if found.type.extents != (1,):
            raise TraceError(
                "the condition of while_loop is one i1: combine the elements, as by fold_all"
            )
        return compute(found)[0]

    def run(body: Callable[..., Any]) -> Any:
        require_function(condition, "while_loop, its condition,", len(values))
        require_function(body, "while_loop", len(values))
        return control.while_loop(holds, *values)(lambda *xs: finish(body(*xs)))

    return run
