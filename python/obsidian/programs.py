"""Push arrays, sub-programs and storage: push, force, fill, par, write, put, distribute.

In: arrays, and Python functions that are programs of a level. Out: push arrays, stored arrays, and
the operations inside a fill. A program inherits the level around it when it is called.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import GeneratorType
from typing import TYPE_CHECKING, Any, cast, get_args

from .collectives import Operator, attributes_of, contract
from .errors import TraceError
from .levels import Level, Storage
from .maps import join
from .regions import (
    Array,
    Extent,
    apply,
    as_index,
    as_leaves,
    brackets,
    brief_types,
    flat_extents,
    make_array,
    names,
    new_arguments,
    new_indices,
    split_extents,
    types,
    yield_values,
)
from .sources import full, indices
from .trace import Region, current, use
from .types import ArrayType, Element, Shape, element_of, flatten, spell

if TYPE_CHECKING:
    from .pull_push import Push


def push(array: Array) -> Any:
    """The push array of the level of the code that writes every element."""
    if array.type.level is not None:
        return array
    level = current().level
    text = f"obs.push {level} {use(array)} : {array.type}"
    return make_array(array.type.with_level(level), current().emit(text, 1, is_pure=True)[0])


def force(
    *arrays: Array,
    storage: Storage | None = None,
    kernel: str | None = None,
    threads: int | None = None,
    unchecked: bool = False,
    into: Array | Sequence[Array] = (),
) -> Any:
    """Run arrays and store their elements; several arrays are stored by one kernel or loop.

    `storage` requests a memory: registers or shared below level grid, global or constant at level
    grid. At level grid, `kernel` is the name of the kernel and `threads` the number of threads of a
    block. Equal kernels of one name are compiled once, and others get a number. The result is one
    stored array, or a tuple of them.

    `into` names the memory, with one array for each forced array: a parameter that the function
    donates, or the result of an earlier force into it. The old contents are overwritten, so the
    function must not use them afterwards. `unchecked` promises that no element is written twice,
    and that no old element is read after it is overwritten.
    """
    trace = current()
    if not arrays or not all(isinstance(array, Array) for array in arrays):
        raise TraceError("force takes arrays")
    if storage is not None and storage not in get_args(Storage):
        raise TraceError(f"{storage!r} is no memory: use {', '.join(get_args(Storage))}")
    attributes = []
    if trace.level is Level.grid:
        if kernel is not None and not re.fullmatch(r"[A-Za-z_]\w*", kernel, re.ASCII):
            raise TraceError(f"kernel= is a name of letters, digits and _, not {kernel!r}")
        attributes.append(f'kernel = "{kernel or trace.default_kernel}"')
        threads = trace.default_threads if threads is None else checked_threads(threads)
        attributes += [f"threads = {threads} : i64"] if threads is not None else []
    elif kernel is not None or threads is not None:
        raise TraceError("kernel= and threads= belong to a force at level grid")
    attributes += ["unchecked"] if unchecked else []
    text = f"obs.force {names(arrays)}"
    text += f" {{{', '.join(attributes)}}}" if attributes else ""
    targets = [into] if isinstance(into, Array) else list(into)
    memory = [_memory_of(target) for target in targets]
    if targets and len(targets) != len(arrays):
        message = f"into= names {len(targets)} arrays, and force has {len(arrays)}"
        if len(arrays) == 1:
            message += (
                ": an array of tuples takes one parameter that is a tuple of arrays, as in "
                's: Annotated[Pull, "n", (f32, f32)] with donate="s" and s.map(f).force(into=s)'
            )
        raise TraceError(message)
    if targets:
        text += f" into {', '.join(name for refs, _ in memory for name in refs)}"
    text += f" in {storage}" if storage else ""
    text += f" : {brief_types(arrays)}"
    if targets:
        text += f" into {', '.join(kind for _, kinds in memory for kind in kinds)}"
    found = trace.emit(text, len(arrays))
    trace.memory.update(zip(found, memory))
    trace.totals.update(n for n, array in zip(found, arrays) if array.name in trace.totals)
    stored = [
        make_array(array.type.with_level(None), name, trace.level is Level.grid)
        for array, name in zip(arrays, found)
    ]
    return stored[0] if len(stored) == 1 else tuple(stored)


def checked_threads(threads: object) -> int:
    """The number of threads of a block, if it is one."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise TraceError(f"threads= is a number from 1 to 1024, not {threads!r}")
    return threads


def _checked_level(level: object) -> Level:
    """A level, if it is one."""
    if not isinstance(level, Level):
        raise TraceError(f"level= is obs.thread, obs.warp, obs.block or obs.grid, not {level!r}")
    return level


def _memory_of(array: Array) -> tuple[list[str], list[str]]:
    """The memory that `into=` names. Elements that do not fit are an error of the compiler."""
    trace = current()
    memory = trace.memory.get(use(array))
    trace.targets.add(array.name)
    if memory is None:
        raise TraceError(
            "into= names a parameter that the function donates, as with "
            '@obs.jit(donate="a"), or the result of a force into one; an array that a `while` '
            "carries is neither: use `for k in obs.range(n)`"
        )
    return memory


def view(kind: ArrayType, memory: Sequence[str]) -> Any:
    """The array over the contents of memory: one memref for each leaf of an element."""
    extents = "x".join("?" if extent is None else str(extent) for extent in kind.extents)
    types = [f"memref<{extents}x{spell(leaf)}>" for leaf in kind.element.leaves]
    bounds = ""
    if kind.bounds != kind.extents:
        bounds = f" bound [{', '.join('?' if b is None else str(b) for b in kind.bounds)}]"
    trace = current()
    text = f"obs.view {', '.join(memory)}{bounds} : {', '.join(types)}"
    array = make_array(kind, trace.emit(text, 1, is_pure=True)[0], True)
    trace.memory[array.name] = (list(memory), types)
    return array


def fill(
    extents: Extent | Sequence[Extent],
    element: Any,
    *,
    over: Extent | Sequence[Extent] | None = None,
    init: Any = None,
    onto: Array | None = None,
    combine: str | Operator | None = None,
    unchecked: bool = False,
    strategy: str | None = None,
) -> Callable[[Callable[..., Any]], Push]:
    """A push array that a program writes. Use it as a decorator.

    With `over`, the function runs once for each number below `over`, on threads, and returns the
    elements that it writes as a dictionary from index to value. It may also use `write`. Without
    `over`, the function has no parameters and is a program of the level around it: it may use
    `par`, `put`, and force arrays.

    `combine` is the meaning of several writes of one element: none (an error), "any" of them, or
    "add", "mul", "min", "max", "umin", "umax", "and", "or", "xor", or a commutative function of two
    elements. `init` is the value of elements without a write, and `onto` an array of such values.
    `unchecked` promises that no element is written twice.
    """
    shape = flat_extents([extents])

    def make_fill(program: Callable[..., Any]) -> Push:
        trace = current()
        kind = element_of(element)
        static, bounds, values = split_extents(shape)
        result = ArrayType(tuple(static), kind, tuple(bounds), trace.level)
        text = "obs.fill"
        if init is not None:
            text += f" init {names(as_leaves(init, kind)[0])}"
        if onto is not None:
            text += f" onto {use(onto)} : {onto.type}"
        text += contract(combine, kind) + (" unchecked" if unchecked else "") + brackets(values)
        tail = attributes_of({"strategy": strategy}) + f" : {result}"
        with trace.open(trace.level) as block:
            trace.fills.append(result)
            try:
                if over is None:
                    program()
                else:
                    par(over)(program)
            finally:
                trace.fills.pop()
        found = trace.emit(text, 1, [Region(block)], tail, is_pure=True)
        return cast("Push", make_array(result, found[0]))

    return make_fill


def _write_all(writes: Any) -> None:
    if writes is None:
        return
    if not isinstance(writes, dict):
        raise TraceError("the function of a fill returns a dictionary from index to value, or None")
    for place, value in writes.items():
        write(value, at=place)


def write(value: Any, *, at: Any) -> None:
    """Write one element of the enclosing fill, at an index (a tuple for several dimensions)."""
    trace = current()
    if not trace.fills:
        raise TraceError("write stands in a program of obs.fill")
    leaves, _ = as_leaves(value, trace.fills[-1].element)
    places = [as_index(place) for place in (at if isinstance(at, tuple) else (at,))]
    trace.emit(f"obs.write {names(leaves)} at [{names(places)}] : {types(leaves)}")


def put(array: Array, *, at: Any) -> None:
    """Run a push array in the enclosing fill. `at` is added to its indices."""
    pushed = push(array)
    places = [as_index(place) for place in (at if isinstance(at, tuple) else (at,))]
    current().emit(f"obs.put {use(pushed)} at [{names(places)}] : {pushed.type}")


def par(
    *extents: Extent | Sequence[Extent], level: Level = Level.thread
) -> Callable[[Callable[..., Any]], None]:
    """Run a function for each index below the extents, in parallel over the units of a level.

    It stands in a program of `fill`. The function may return a dictionary of writes, as in `fill`.
    """
    return lambda function: _par(extents, level, function)


def _par(extents: Sequence[Any], level: Level, function: Callable[..., Any]) -> None:
    shape = flat_extents(extents)
    static, _, values = split_extents(shape)
    rest = iter(values)
    counts = [next(rest) if extent is None else as_index(extent) for extent in static]
    trace = current()
    with trace.open(_checked_level(level)) as block:
        counters = new_indices(len(shape))
        _write_all(apply(function, *counters))
    unit = "" if level is Level.thread else f" {level}"
    arguments = ", ".join(counter.name for counter in counters)
    trace.emit(f"obs.par{unit} ({arguments}) in ({names(counts)})", 0, [Region(block)])


def _as_push(value: Any) -> Array:
    """The array that a sub-program yields: a scalar becomes an array of one element."""
    if isinstance(value, Array):
        return cast(Array, push(value))
    return cast(Array, push(full(1, value)))


def _results(value: Any) -> tuple[list[Array], Shape]:
    """The push arrays that a sub-program returns. A tuple of scalars is one array of tuples."""
    leaves, shape = flatten(value)
    if not any(isinstance(leaf, Array) for leaf in leaves):
        return [_as_push(value)], None
    return [_as_push(leaf) for leaf in leaves], shape


def distribute(
    level: Level, arrays: Callable[[], list[tuple[Array, list[Any]]]], call: Callable[[], Any]
) -> Any:
    """Trace sub-programs of a level.

    `call` traces the sub-program. Then `arrays` returns the arrays that it takes, with the
    arguments that represent their elements.
    """
    trace = current()
    outer = trace.level
    with trace.open(_checked_level(level)) as block:
        results, shape = _results(call())
        yield_values(results)
    operands = arrays()
    first = next((a.type for a, _ in operands if None not in a.type.extents), operands[0][0].type)
    bindings = [
        f"{', '.join(leaf.name for leaf in group)} = {use(array)} : {array.type}"
        for array, group in operands
    ]
    text = f"obs.distribute {level} in {outer} ({', '.join(bindings)})"
    found = trace.emit(text, len(results), [Region(block)], is_pure=True)
    parts = [
        make_array(
            ArrayType(
                first.extents + part.type.extents,
                part.type.element,
                first.bounds + part.type.bounds,
                outer,
            ),
            name,
        )
        for part, name in zip(results, found)
    ]
    return Element(tuple(p.type for p in parts), shape).value(parts)


def each(array: Array, level: Level, others: Sequence[Array], function: Callable[..., Any]) -> Any:
    """One sub-program for each element of arrays of equal extents."""
    operands: list[tuple[Array, list[Any]]] = []

    def call() -> Any:
        for operand in (array, *others):
            operands.append((operand, new_arguments(operand.type.element.leaves)))
        values = [v for a, group in operands for v in a.type.element.arguments(group)]
        return apply(function, *values)

    return distribute(level, lambda: operands, call)


class Walk(Iterator[Any]):
    """The iterator of an array: one symbolic element, in a generator that `concat` runs."""

    def __init__(self, array: Array) -> None:
        """Begin an iteration. The first `next` must come from `concat` or `stack`."""
        # The running generator. If it also takes elements, it has another `for`.
        self.outer = current().walk
        self.array = array
        self.is_done = False

    def __next__(self) -> Any:
        running = current().walk
        caller = sys._getframe(1)
        if running is None or caller not in (getattr(running[0], "gi_frame", None), running[2]):
            raise TraceError(
                "the elements of an array are known only when the program runs, so Python cannot "
                "loop over them: write obs.concat((f(c) for c in a.split(k)), level=obs.block) "
                "with round brackets, or a.map(f), or `for k in obs.range(n)`"
            )
        if self.outer is running:
            raise TraceError(
                "a generator of sub-programs has one `for`: walk over several arrays with zip, "
                "or over all pairs of indices with obs.grid_of"
            )
        if self.is_done:
            raise StopIteration
        self.is_done = True
        arguments = new_arguments(self.array.type.element.leaves)
        running[1].append((self.array, arguments))
        return self.array.type.element.value(arguments)


def _check_source(source: Any) -> None:
    """Refuse iterators that would count while Python traces, because tracing runs the code once."""
    if isinstance(source, enumerate):
        raise TraceError(
            "enumerate counts while Python traces: walk over obs.zip(obs.iota(a.size), a) instead"
        )
    if isinstance(source, zip):
        for part in source.__reduce__()[1]:
            if not isinstance(part, (Walk, zip, enumerate)):
                raise TraceError("zip in a generator of sub-programs takes arrays of the program")
            _check_source(part)


def walk(programs: Iterator[Any], level: Level | None) -> Any:
    """Run a generator expression over arrays as sub-programs of a level; see `stack`."""
    trace = current()
    if not isinstance(programs, Iterator):
        raise TraceError(
            "sub-programs are a generator, as in (f(c) for c in a.split(k)), with round brackets"
        )
    if isinstance(programs, GeneratorType) and programs.gi_frame is not None:
        _check_source(programs.gi_frame.f_locals.get(".0"))
    operands: list[tuple[Array, list[Any]]] = []

    def call() -> Any:
        before, trace.walk = trace.walk, (programs, operands, sys._getframe())
        try:
            missing = object()
            value = next(programs, missing)
            if value is missing or not operands:
                raise TraceError(
                    "the generator walks over no array of this function: write "
                    "(f(c) for c in a.split(k)), and use each generator once"
                )
            if next(programs, missing) is not missing:
                raise TraceError("the generator walks over more than the arrays of one loop")
        finally:
            trace.walk = before
        return value

    return distribute(level if level is not None else trace.level.below, lambda: operands, call)


def stack(programs: Iterator[Any], *, level: Level | None = None) -> Any:
    """One sub-program for each element of an array, as in `stack(f(r) for r in a.rows())`.

    `level` is the level of the sub-programs; by default, the level below the code around. The
    extents of the result are those of the array, followed by those of one sub-program. A scalar
    counts as an array of one element. For a tuple of arrays, the result is a tuple.
    """
    return walk(programs, level)


def grid_of(
    *extents: Extent | Sequence[Extent], level: Level | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """One sub-program for each index below the extents. Use it as a decorator.

    The function takes the index and returns arrays. The result is that of `stack`.
    """

    def run(function: Callable[..., Any]) -> Any:
        unit = current().level.below if level is None else level
        return each(indices(*extents), unit, (), function)

    return run


def join_all(parts: Any, to: Any) -> Any:
    """Join each array of the results of sub-programs."""
    leaves, shape = flatten(parts)
    joined = [join(leaf, to, False) for leaf in leaves]
    return Element(tuple(leaf.type for leaf in joined), shape).value(joined)
