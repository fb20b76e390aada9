"""Control flow of the program: loop, while_loop, when, range.

In: bounds and conditions, Python functions of the carried values. Out: `scf` operations. A carried
value is a scalar, an array, or a tuple or record of them; it keeps its type from one iteration to
the next. A Python number takes the type that it has after one iteration, or else is an i32 or f32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import TraceError
from .levels import Level
from .regions import (
    Array,
    as_index,
    as_leaf,
    leaf_type,
    make_leaf,
    names,
    new_arguments,
    types,
    yield_values,
)
from .scalars import Scalar, agree, default, make
from .trace import Block, Region, Trace, Value, current, use
from .types import Leaf, Shape, build, flatten, i1, index, spell


def _listing(values: Sequence[Any]) -> str:
    return ", ".join(spell(leaf_type(value)) for value in values)


def _merge(value: Any, shapes: list[Shape]) -> list[Any]:
    """The Python values of leaves in the given shapes."""
    leaves = iter(value)
    return [build(shape, leaves) for shape in shapes]


def _in_memory(leaf: Any) -> Any:
    """Mark an array that control flow of the host returns: such arrays are in memory."""
    if isinstance(leaf, Array):
        leaf.is_stored = current().level is Level.grid
    return leaf


def _remember(leaves: Sequence[Any], memory: Sequence[Any]) -> None:
    """Set the memory that `into=` may name, for values that are in some."""
    for leaf, known in zip(leaves, memory):
        if known is not None:
            current().memory[leaf.name] = known


class _Carried:
    """The values that a loop carries: leaves with known types, and how they form Python values."""

    def __init__(self, init: Sequence[Any], labels: Sequence[str]) -> None:
        """Take the initial values apart."""
        flat = [flatten(value) for value in init]
        self.labels = [n for n, (leaves, _) in zip(labels, flat) for _ in leaves]
        self.shapes = [shape for _, shape in flat]
        self.leaves = [leaf for leaves, _ in flat for leaf in leaves]
        for leaf, label in zip(self.leaves, self.labels):
            if isinstance(leaf, Array) and leaf.type.level is not None:
                raise TraceError(
                    f"{label} is a push array, which a loop cannot carry: force it first"
                )

    def settle(self, body: Callable[[list[Any]], Any]) -> None:
        """Give numbers the types that they have after one iteration."""
        open_places = [i for i, leaf in enumerate(self.leaves) if not isinstance(leaf, Value)]
        if not open_places:
            return
        kinds: dict[int, type[Scalar]] = {}
        try:
            with current().rehearse():
                found = self.returned(body(_merge(self.leaves, self.shapes)))
            for i in open_places:
                if isinstance(found[i], Scalar):
                    kinds[i] = type(found[i])
        except TraceError:
            # The second trace, with default types, reports the error.
            pass
        for i in open_places:
            kind = kinds.get(i)
            self.leaves[i] = as_leaf(self.leaves[i], kind) if kind else default(self.leaves[i])

    def returned(self, value: Any) -> list[Any]:
        """The leaves of the value that the body of the loop returns."""
        values = list(value) if len(self.shapes) != 1 and isinstance(value, tuple) else [value]
        if not self.shapes and value is None:
            return []
        flat = [flatten(v) for v in values]
        if [shape for _, shape in flat] != self.shapes:
            raise TraceError(
                f"the body of the loop returns the new carried values, {len(self.shapes)} of them, "
                "in the form of the initial ones"
            )
        return [leaf for leaves, _ in flat for leaf in leaves]

    def checked(self, leaves: list[Any]) -> list[Any]:
        """The leaves after an iteration, of the types before it."""
        result = []
        for leaf, before, label in zip(leaves, self.leaves, self.labels):
            kind = leaf_type(before)
            if isinstance(leaf, Value) and leaf_type(leaf) != kind:
                text = (
                    f"{label} is {spell(kind)} before the loop and {spell(leaf_type(leaf))} after "
                    "an iteration: a loop does not change types"
                )
                if "bound" in spell(kind):
                    text += "; obs.up_to(n, bound) is an extent with a bound"
                raise TraceError(text)
            result.append(as_leaf(leaf, kind))
        return result

    def enter(self, arguments: Sequence[Any]) -> None:
        """Let arguments be in the memory of the initial values, where `into=` finds it."""
        memory = current().memory
        for argument, leaf in zip(arguments, self.leaves):
            if leaf.name in memory:
                memory[argument.name] = memory[leaf.name]

    def leave(self, arguments: Sequence[Any], leaves: Sequence[Any]) -> None:
        """Check that values stay in their memory, if a force into an argument uses it.

        Other arguments of this loop get other memory in the second iteration.
        """
        trace = current()
        self.memory = []
        for argument, before, leaf, label in zip(arguments, self.leaves, leaves, self.labels):
            known = trace.memory.get(before.name)
            stays = known is not None and trace.memory.get(leaf.name) == known
            if not stays and argument.name in trace.targets:
                raise TraceError(
                    f"into= names {label}, which the loop carries, and after an iteration {label} "
                    "is another array: it is the result of the force into it, or itself"
                )
            self.memory.append(known if stays else None)

    @property
    def kinds(self) -> list[Leaf]:
        """The types of the leaves."""
        return [leaf_type(leaf) for leaf in self.leaves]

    def results(self, found: list[str]) -> Any:
        """The Python values after the loop: one, or a tuple of them."""
        leaves = [_in_memory(make_leaf(kind, name)) for kind, name in zip(self.kinds, found)]
        _remember(leaves, self.memory)
        values = _merge(leaves, self.shapes)
        return values[0] if len(values) == 1 else tuple(values)


@dataclass(frozen=True)
class Range:
    """The numbers of a loop of the program; `for k in obs.range(n)` in a rewritten function."""

    start: Any
    stop: Any
    step: Any
    unroll: bool = False

    def __iter__(self) -> Iterator[Any]:
        raise TraceError(
            "a loop over obs.range needs a function with @obs.jit or @obs.function whose source is "
            "in a file or a notebook; elsewhere use obs.loop(n, x)(lambda k, x: ...)"
        )


def range(start: Any, stop: Any = None, step: Any = 1, *, unroll: bool = False) -> Range:
    """The numbers of a loop that the program runs, with the parameters of Python's range.

    The step is at least 1. With `unroll`, the compiler writes the iterations one after the other.
    """
    return Range(0, start, step, unroll) if stop is None else Range(start, stop, step, unroll)


def run_for(
    numbers: Range, init: Sequence[Any], body: Callable[..., Any], labels: Sequence[str]
) -> Any:
    """Trace a loop; the body takes the number and the carried values and returns the new ones."""
    if isinstance(numbers.step, int) and numbers.step < 1:
        raise TraceError(f"the step of a loop of the program is at least 1, not {numbers.step}")
    bounds = [numbers.start, numbers.stop, numbers.step]
    if all(not isinstance(b, Scalar) or isinstance(b, index) for b in bounds):
        bounds = [as_index(b) for b in bounds]
    else:
        known = next(b for b in bounds if isinstance(b, Scalar) and not isinstance(b, index))
        bounds = [as_leaf(b, type(known)) for b in bounds]
    kind = type(bounds[0])
    is_natural = bounds[0].is_natural
    trace = current()

    def iterate(values: list[Any]) -> Any:
        return body(make(kind, trace.new_name(), is_natural), *values)

    carried = _Carried(init, labels)
    carried.settle(iterate)
    with trace.open(trace.level) as block:
        number = make(kind, trace.new_name(), is_natural)
        arguments = new_arguments(carried.kinds)
        carried.enter(arguments)
        values = _merge(arguments, carried.shapes)
        leaves = carried.checked(carried.returned(body(number, *values)))
        carried.leave(arguments, leaves)
        if leaves:
            yield_values(leaves, "scf.yield")
    low, high, step = map(use, bounds)
    text = f"scf.for {number.name} = {low} to {high} step {step}"
    if leaves:
        pairs = [f"{a.name} = {use(v)}" for a, v in zip(arguments, carried.leaves)]
        text += f" iter_args({', '.join(pairs)}) -> ({_listing(carried.leaves)})"
    text += "" if kind is index else f" : {kind.type_name}"
    tail = " {obs.unroll}" if numbers.unroll else ""
    found = trace.emit(text, len(leaves), [Region(block)], tail)
    return carried.results(found) if leaves or len(carried.shapes) else None


def _labels(init: Sequence[Any]) -> list[str]:
    return [f"carried value {i + 1}" for i, _ in enumerate(init)]


def loop(
    stop: Any, *init: Any, start: Any = 0, step: Any = 1, unroll: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Run a function for each number from `start` below `stop`; a decorator, or called.

    The function takes the number and the carried values, which begin as `init`, and returns their
    new values. The result is their last values: `loop(n, x)(lambda k, x: x + a[k])`.
    """
    return lambda body: run_for(Range(start, stop, step, unroll), init, body, _labels(init))


def run_while(
    condition: Callable[..., Any],
    init: Sequence[Any],
    body: Callable[..., Any],
    labels: Sequence[str],
) -> Any:
    """Trace a loop that runs while a condition of the carried values holds."""
    trace = current()
    carried = _Carried(init, labels)
    carried.settle(lambda values: body(*values))
    with trace.open(trace.level) as test:
        before = new_arguments(carried.kinds)
        go = condition(*_merge(before, carried.shapes))
        if not isinstance(go, i1):
            raise TraceError(
                "the condition of a loop of the program is an i1: compare, as in x > 0"
            )
        trace.emit(f"scf.condition({use(go)}) {names(before)} : {types(before)}")
    with trace.open(trace.level) as block:
        arguments = new_arguments(carried.kinds)
        values = _merge(arguments, carried.shapes)
        leaves = carried.checked(carried.returned(body(*values)))
        # The rules of memory follow no array into this loop, so `into=` names no argument of it.
        carried.leave(arguments, leaves)
        yield_values(leaves, "scf.yield")
    pairs = ", ".join(f"{a.name} = {use(v)}" for a, v in zip(before, carried.leaves))
    kinds = _listing(carried.leaves)
    parameters = ", ".join(f"{a.name}: {spell(leaf_type(a))}" for a in arguments)
    regions = [Region(test), Region(block, f"do {{\n^bb0({parameters}):")]
    found = trace.emit(f"scf.while ({pairs}) : ({kinds}) -> ({kinds})", len(leaves), regions)
    return carried.results(found)


def while_loop(condition: Callable[..., Any], *init: Any) -> Callable[[Callable[..., Any]], Any]:
    """Run a function while a condition holds; a decorator, or called.

    The condition and the function take the carried values, which begin as `init`; the function
    returns their new values. The result is their last values.
    """
    if not init:
        raise TraceError("a loop that carries no value does not end: give it initial values")
    return lambda body: run_while(condition, init, body, _labels(init))


def run_if(
    condition: Any,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    prepare: Callable[[Any, Any], tuple[Any, Any]] | None = None,
) -> Any:
    """Trace both branches of a condition, and return the value of the one that runs.

    `prepare` may replace the values of the branches before they become one.
    """
    trace = current()
    blocks, values = [], []
    for branch in (then, otherwise):
        with trace.open(trace.level) as block:
            values.append(branch())
        blocks.append(block)
    if prepare is not None:
        values = list(prepare(*values))
    is_none = [value is None for value in values]
    flat = [([], None) if value is None else flatten(value) for value in values]
    if is_none[0] is not is_none[1] or flat[0][1] != flat[1][1]:
        raise TraceError("the branches of a condition return values of one form; these differ")
    pairs = list(zip(flat[0][0], flat[1][0]))
    # Numbers that are equal in both branches, and values from outside, are no results.
    is_kept = [a is b or _equal(a, b) for a, b in pairs]
    typed = [_agree(trace, blocks, p) for p, kept in zip(pairs, is_kept) if not kept]
    for side, block in enumerate(blocks):
        if typed:
            with trace.reopen(block):
                yield_values([pair[side] for pair in typed], "scf.yield")
    regions = [Region(blocks[0])]
    if typed or blocks[1].entries:
        regions.append(Region(blocks[1], "else {"))
    kinds = [leaf_type(pair[0]) for pair in typed]
    listing = f" -> ({', '.join(map(spell, kinds))})" if kinds else ""
    found = trace.emit(f"scf.if {use(condition)}{listing}", len(kinds), regions)
    merged = [_in_memory(make_leaf(kind, name)) for kind, name in zip(kinds, found)]
    places = [[trace.memory.get(side.name) for side in pair] for pair in typed]
    _remember(merged, [one if one == other else None for one, other in places])
    fresh = iter(merged)
    leaves = [a if kept else next(fresh) for (a, _), kept in zip(pairs, is_kept)]
    return None if is_none[0] else build(flat[0][1], iter(leaves))


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and isinstance(a, (int, float)) and a == b


def _agree(trace: Trace, blocks: list[Block], pair: tuple[Any, Any]) -> list[Any]:
    """Two values of one type, of which each belongs to one of the branches."""
    yes, no = pair
    with trace.reopen(blocks[0]), trace.reopen(blocks[1]):
        if isinstance(yes, Array) or isinstance(no, Array):
            both = [as_leaf(yes), as_leaf(no)]
            if leaf_type(both[0]) != leaf_type(both[1]):
                raise TraceError(
                    f"the branches of a condition return different types, {_listing(both)}"
                )
            return both
        if not isinstance(yes, Value) and not isinstance(no, Value):
            is_float = isinstance(yes, float) or isinstance(no, float)
            return [default(float(v) if is_float else v) for v in pair]
        return list(agree(yes, no))


def when(condition: Any) -> Callable[..., Any]:
    """Run one of two functions without parameters: `when(c)(lambda: x / y, lambda: 0)`.

    The result is what the function returns; both return values of the same types. Without the
    second function nothing is returned.
    """

    def run(then: Callable[[], Any], otherwise: Callable[[], Any] | None = None) -> Any:
        second = otherwise if otherwise is not None else lambda: None
        if isinstance(condition, bool):
            return then() if condition else second()
        if not isinstance(condition, i1):
            raise TraceError("a condition is an i1: compare, as in x > 0")
        return run_if(condition, then, second)

    return run
