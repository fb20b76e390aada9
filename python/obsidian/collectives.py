"""Collectives and irregular arrays: reduce, scan, segmented forms, compact, expand, rank, ...

In: pull arrays of rank 1, and operators as Python functions of two elements. Out: scalars or push
arrays of the level of the code around. The level decides which workers share the work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import TraceError
from .levels import Level
from .maps import dim
from .regions import (
    Array,
    Extent,
    apply,
    as_leaves,
    brackets,
    make_array,
    make_leaf,
    names,
    new_arguments,
    new_indices,
    scalar_code,
    split_extents,
)
from .scalars import Scalar, checked_type
from .sources import full
from .trace import Trace, current, quoted, tracing, use
from .types import ArrayType, Element, i1

#: An operator: a function of two elements, the left one first, that returns an element.
Operator = Callable[[Any, Any], Any]

_KINDS = {
    "add": ("addi", "addf"),
    "mul": ("muli", "mulf"),
    "and": ("andi", None),
    "or": ("ori", None),
    "xor": ("xori", None),
    "min": ("mins", "minimumf"),
    "max": ("maxs", "maximumf"),
    "umin": ("minu", None),
    "umax": ("maxu", None),
}


def _vector(array: Array, name: str) -> ArrayType:
    if not isinstance(array, Array.classes[0]):
        raise TraceError(f"{name} takes a pull array: force the push array first")
    if array.type.rank != 1:
        raise TraceError(
            f"{name} takes an array of one dimension, and this one has {array.type.rank}: "
            "take rows with a.rows(), or all elements with a.flatten()"
        )
    return array.type


def _need_init(init: Any, name: str, meaning: str) -> None:
    if init is None:
        raise TraceError(f"{name} needs an initial value, which is {meaning}: write init=")


def _collective(
    operation: str,
    array: Array,
    operator: Operator,
    init: Any,
    middle: str,
    attributes: dict[str, Any],
    ending: str,
    results: int,
) -> list[str]:
    """Emit a collective; `middle` follows the initial value, `ending` the type of the array.

    `init` is None if there is no initial value.
    """
    element = array.type.element
    start = "" if init is None else f" init {names(as_leaves(init, element)[0])}"
    count = len(element.leaves)

    def call(leaves: list[Any]) -> Any:
        return apply(operator, element.value(leaves[:count]), element.value(leaves[count:]))

    body = scalar_code(lambda: new_arguments(element.leaves * 2), call, element)
    marks = attributes_of(attributes)
    operands = f"{use(array)}{start}{middle}{marks} : {array.type}{ending}"
    if body.short:
        return current().emit(f"{operation} {body.short} {operands}", results, is_pure=True)
    arguments = ", ".join(argument.name for argument in body.arguments)
    text = f"{operation} ({arguments}) = {operands}"
    return current().emit(text, results, [body.region], is_pure=True)


def attributes_of(attributes: dict[str, Any]) -> str:
    """The text of attributes in braces. Those without a value are left out."""
    parts = [
        name if value is True else f"{name} = {quoted(str(value))}"
        for name, value in attributes.items()
        if value
    ]
    return f" {{{', '.join(parts)}}}" if parts else ""


def reduce(
    array: Array, operator: Operator, init: Any, commutative: bool, strategy: str | None
) -> Any:
    """Combine all elements: an element below level grid, a push array of one at level grid."""
    kind = _vector(array, "reduce")
    _need_init(init, "reduce", "the result of an empty array")
    level = current().level
    attributes = {"commutative": commutative, "strategy": strategy}
    leaves = kind.element.leaves
    if level is not Level.grid:
        found = _collective("obs.reduce", array, operator, init, "", attributes, "", len(leaves))
        return kind.element.value([make_leaf(leaf, n) for leaf, n in zip(leaves, found)])
    found = _collective("obs.reduce grid", array, operator, init, "", attributes, "", 1)
    current().totals.add(found[0])
    return make_array(ArrayType((1,), kind.element, (), level), found[0])


def scan(
    array: Array,
    operator: Operator,
    init: Any,
    exclusive: bool,
    total: bool,
    commutative: bool,
    strategy: str | None,
) -> Any:
    """Combine all elements up to each one; `total` adds the combination of all as a result."""
    kind = _vector(array, "scan")
    level = current().level
    attributes = {"commutative": commutative, "strategy": strategy}
    operation = f"obs.scan {level} {'exclusive' if exclusive else 'inclusive'}"
    if exclusive or total:
        _need_init(init, "scan", "element 0 of an exclusive scan, and the total of an empty array")
    leaves = kind.element.leaves
    results = 1 + len(leaves) if total else 1
    middle = " total" if total else ""
    found = _collective(operation, array, operator, init, middle, attributes, "", results)
    result = make_array(kind.with_level(level), found[0])
    if not total:
        return result
    all_of = [make_leaf(leaf, n) for leaf, n in zip(leaves, found[1:])]
    return result, kind.element.value(all_of)


def _segments(flags: Array | None, offsets: Array | None) -> tuple[str, Array]:
    if flags is not None and offsets is None:
        return "flags", flags
    if offsets is not None and flags is None:
        return "offsets", offsets
    raise TraceError("segments are given by one of flags= and offsets=")


def segmented_reduce(
    array: Array,
    operator: Operator,
    init: Any,
    flags: Array | None,
    offsets: Array | None,
    extent: Extent | None,
    commutative: bool,
    strategy: str | None,
) -> Any:
    """Combine the elements of each segment."""
    kind = _vector(array, "segmented_reduce")
    _need_init(init, "segmented_reduce", "the result of an empty segment")
    word, segments = _segments(flags, offsets)
    level = current().level
    middle, ending = f" {word} {use(segments)}", f", {segments.type}"
    if flags is None:
        limit, bound = (
            None if known is None else known - 1
            for known in (segments.type.extents[0], segments.type.bounds[0])
        )
        result = ArrayType((limit,), kind.element, (bound,), level)
    else:
        if extent is None:
            raise TraceError("with flags, extent= is the number of elements of the result")
        static, limits, values = split_extents([extent])
        middle += brackets(values)
        result = ArrayType(tuple(static), kind.element, tuple(limits), level)
        ending += f" -> {result}"
    found = _collective(
        f"obs.segmented_reduce {level}", array, operator, init, middle,
        {"commutative": commutative, "strategy": strategy}, ending, 1,
    )  # fmt: skip
    return make_array(result, found[0])


def segmented_scan(
    array: Array,
    operator: Operator,
    init: Any,
    flags: Array | None,
    offsets: Array | None,
    exclusive: bool,
    commutative: bool,
    strategy: str | None,
) -> Any:
    """A scan that starts again in each segment, from `init` if it is not None."""
    if exclusive:
        _need_init(init, "segmented_scan", "element 0 of each segment of an exclusive scan")
    kind = _vector(array, "segmented_scan")
    word, segments = _segments(flags, offsets)
    level = current().level
    operation = f"obs.segmented_scan {level} {'exclusive' if exclusive else 'inclusive'}"
    found = _collective(
        operation, array, operator, init, f" {word} {use(segments)}",
        {"commutative": commutative, "strategy": strategy}, f", {segments.type}", 1,
    )  # fmt: skip
    return make_array(kind.with_level(level), found[0])


def compact(
    array: Array, flags: Array, init: Any, dtype: type[Scalar], strategy: str | None
) -> tuple[Any, Any]:
    """The elements whose flag is set, and their count."""
    kind = _vector(array, "compact")
    if flags.type.element != Element((i1,)):
        raise TraceError(
            f"flags are i1, not {flags.type.element}: compare, as in a.map(f) or a > 0"
        )
    level = current().level
    kept = kind.with_level(level)
    count = ArrayType((1,), Element((checked_type(dtype, True),)), (), level)
    start = f" init {names(as_leaves(init, kind.element)[0])}" if init is not None else ""
    text = (
        f"obs.compact {use(array)} flags {use(flags)}{start}{attributes_of({'strategy': strategy})}"
        f" : {kind}, {flags.type} -> {kept}, {count}"
    )
    found = current().emit(text, 2, is_pure=True)
    return make_array(kept, found[0]), make_array(count, found[1])


def expand(
    lengths: Array,
    extent: Extent,
    function: Callable[[Any, Any], Any],
    init: Any,
    dtype: type[Scalar],
    strategy: str | None,
) -> tuple[Any, Any]:
    """For each length, this number of elements; and the sum of the lengths."""
    kind = _vector(lengths, "expand")
    level = current().level
    body = scalar_code(lambda: new_indices(2), lambda indices: apply(function, *indices))
    static, limits, values = split_extents([extent])
    result = ArrayType(tuple(static), body.element, tuple(limits), level)
    count = ArrayType((1,), Element((checked_type(dtype, True),)), (), level)
    start = f" init {names(as_leaves(init, body.element)[0])}" if init is not None else ""
    arguments = ", ".join(argument.name for argument in body.arguments)
    text = (
        f"obs.expand ({arguments}) = {use(lengths)}{brackets(values)}{start}"
        f"{attributes_of({'strategy': strategy})} : {kind} -> {result}, {count}"
    )
    found = current().emit(text, 2, [body.region], is_pure=True)
    return make_array(result, found[0]), make_array(count, found[1])


def rank(keys: Array, count: int, dtype: type[Scalar], strategy: str | None) -> tuple[Any, Any]:
    """The index of each key in stable sorted order, and the number of occurrences of each key."""
    kind = _vector(keys, "rank")
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise TraceError(f"rank takes a number of keys that Python knows, not {count!r}")
    level = current().level
    element = Element((checked_type(dtype, True),))
    ranks = ArrayType(kind.extents, element, kind.bounds, level)
    counts = ArrayType((count,), element, (), level)
    text = (
        f"obs.rank {use(keys)}{attributes_of({'strategy': strategy})} : {kind} -> {ranks}, {counts}"
    )
    found = current().emit(text, 2, is_pure=True)
    return make_array(ranks, found[0]), make_array(counts, found[1])


def matmul(left: Array, right: object, init: Any, dtype: Any, strategy: str | None) -> Any:
    """The products of matrices, whose first dimensions are batches."""
    for array in (left, right):
        if isinstance(array, Array.classes[1]):
            raise TraceError("matmul takes pull arrays: force a push array first")
        if not isinstance(array, Array):
            raise TraceError(f"matmul takes two pull arrays, not {type(array).__name__}")
        if array.type.rank < 2 or len(array.type.element.leaves) != 1:
            raise TraceError(
                f"matmul takes matrices of one number, not {array.type}: for a matrix and a vector "
                "write obs.concat((r * x).sum() for r in m.rows())"
            )
    assert isinstance(right, Array)
    if left.type.rank != right.type.rank:
        raise TraceError(f"matmul takes arrays of one rank, not {left.type} and {right.type}")
    level = current().level
    element = left.type.element if dtype is None else Element((checked_type(dtype),))
    for number in (left.type.element.require_scalar(), element.require_scalar()):
        if number.kind not in ("int", "float"):
            raise TraceError(
                f"matmul multiplies integers and floats, not {number.type_name}: "
                "convert the elements first, as in a.to(obs.i32)"
            )
    (start,), _ = as_leaves(init, element)
    extents = (*left.type.extents[:-1], right.type.extents[-1])
    bounds = (*left.type.bounds[:-1], right.type.bounds[-1])
    result = ArrayType(extents, element, bounds, level)
    # As in other libraries, a product and a sum of floats are one operation.
    attributes = {
        "contract": element.require_scalar().kind == "float",
        "strategy": strategy,
    }
    text = (
        f"obs.matmul {names((left, right))} init {use(start)}{attributes_of(attributes)}"
        f" : {left.type}, {right.type} -> {result}"
    )
    return make_array(result, current().emit(text, 1, is_pure=True)[0])


def partition(array: Array, key: Callable[[Any], Any], starts: Array) -> Any:
    """All elements, moved to the ranges of their keys."""
    kind, begins = _vector(array, "partition"), _vector(starts, "partition")
    element = kind.element

    def call(leaves: list[Any]) -> Any:
        return apply(key, element.value(leaves))

    body = scalar_code(lambda: new_arguments(element.leaves), call)
    result = kind.with_level(current().level)
    arguments = ", ".join(argument.name for argument in body.arguments)
    text = (
        f"obs.partition ({arguments}) = {use(array)} from {use(starts)}"
        f" : {kind}, {begins} -> {result}"
    )
    return make_array(result, current().emit(text, 1, [body.region], is_pure=True)[0])


def contract(combine: str | Operator | None, element: Element) -> str:
    """The contract of writes in the text, with a space before it."""
    if combine is None:
        return ""
    if combine == "any":
        return " any"
    if callable(combine):
        return f" reduce(@{_combiner(combine, element)})"
    if combine not in _KINDS:
        raise TraceError(f"combine= is 'any', a function, or one of {', '.join(_KINDS)}")
    kinds = {_KINDS[combine][leaf.kind == "float"] for leaf in _scalars(element)}
    if None in kinds or len(kinds) != 1:
        raise TraceError(f"combine={combine!r} does not fit elements of type ({element})")
    return f" reduce({kinds.pop()})"


def _scalars(element: Element) -> list[type[Scalar]]:
    return [leaf for leaf in element.leaves if isinstance(leaf, type)]


def _combiner(operator: Operator, element: Element) -> str:
    """Write a function of the program for an operator that combines writes; return its name."""
    outer = current()
    name = f"combine_{len(outer.functions)}"
    with tracing(Trace(Level.thread)) as trace:
        arguments = new_arguments(element.leaves * 2)
        count = len(element.leaves)
        left, right = element.value(arguments[:count]), element.value(arguments[count:])
        leaves, _ = as_leaves(apply(operator, left, right), element)
        trace.emit(f"return {names(leaves)} : {element}")
        parameters = ", ".join(f"{a.name}: {a.type_name}" for a in arguments)
        text = trace.text(
            f"func.func private @{name}({parameters}) -> ({element})", locations=False
        )
    outer.functions.append(text.rstrip("\n"))
    return name


def scatter(
    values: Any,
    at: Array,
    into: Extent,
    init: Any,
    combine: str | Operator | None,
    fetch: bool,
    strategy: str | None,
) -> Any:
    """Write each value at its index; see `obsidian.scatter`."""
    places = _vector(at, "scatter")
    if not isinstance(values, Array):
        values = full(dim(at, 0), values)
    kind = _vector(values, "scatter")
    level = current().level
    static, limits, extents = split_extents([into])
    result = ArrayType(tuple(static), kind.element, tuple(limits), level)
    start = f" init {names(as_leaves(init, kind.element)[0])}" if init is not None else ""
    text = (
        f"obs.scatter {use(values)} at {use(at)}{start}{contract(combine, kind.element)}"
        f"{brackets(extents)}{' fetch' if fetch else ''}{attributes_of({'strategy': strategy})}"
        f" : {kind}, {places} -> {result}"
    )
    if not fetch:
        return make_array(result, current().emit(text, 1, is_pure=True)[0])
    found_type = kind.with_level(level)
    found = current().emit(f"{text}, {found_type}", 2, is_pure=True)
    return make_array(result, found[0]), make_array(found_type, found[1])
