"""Control flow of rewritten functions, while they run.

In: conditions, branches and loop bodies as functions, from the code that syntax.py writes. Out: the
values of the names that they assign. If a condition is a Python value, one branch is executed. If
it is a value of the program, both branches are traced.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from . import control, functions
from .errors import TraceError
from .locations import Location, here
from .regions import Array, leaf_type
from .scalars import Scalar
from .trace import Value, current, is_tracing
from .types import flatten, i1
from .undefined import Undefined


def value_of(read: Callable[[], Any]) -> Any:
    """The value of a name; `Undefined` if it has none."""
    try:
        return read()
    except NameError as error:
        return Undefined(str(error))


def _is_traced(condition: Any) -> bool:
    return isinstance(condition, Scalar)


def _check(condition: Scalar) -> None:
    if not isinstance(condition, i1):
        raise TraceError(f"a condition is an i1, not {condition.type_name}: compare, as in x != 0")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _can_merge(one: Any, other: Any) -> bool:
    """True if the values of a name after two branches can be one value of the program."""
    if one is other:
        return True
    (leaves, shape), (others, form) = flatten(one), flatten(other)
    if shape != form:
        return False
    for a, b in zip(leaves, others):
        if a is b:
            continue
        if isinstance(a, Value) and isinstance(b, Value):
            if leaf_type(a) != leaf_type(b):
                return False
        elif (
            isinstance(a, Array)
            or isinstance(b, Array)
            or not all(isinstance(v, Scalar) or _is_number(v) for v in (a, b))
        ):
            return False
    return True


def _unknown(label: str, place: Location, *is_missing: bool) -> Undefined:
    """The value of a name after an `if` whose branches do not agree on it."""
    reason = (
        "it has a value in one of the branches only: give it a value before the `if`, or in both"
        if any(is_missing)
        else "it has different types in the branches: convert the value in one of them"
    )
    return Undefined(f"{label} has no value after the `if` in line {place.line}: {reason}", place)


def if_(
    condition: Any,
    then: Callable[..., Any],
    otherwise: Callable[..., Any],
    values: tuple[Any, ...],
    labels: Sequence[str],
) -> tuple[Any, ...]:
    """The values that names have after a branch."""
    if not _is_traced(condition):
        return tuple(then(*values) if condition else otherwise(*values))
    _check(condition)
    place = here()

    def prepare(one: Any, other: Any) -> tuple[Any, Any]:
        pairs = []
        for a, b, label in zip(one, other, labels):
            if _can_merge(a, b):
                pairs.append((a, b))
            elif isinstance(a, Undefined) and isinstance(b, Undefined):
                pairs.append((a, a))
            else:
                unknown = _unknown(label, place, isinstance(a, Undefined), isinstance(b, Undefined))
                pairs.append((unknown, unknown))
        return tuple(a for a, _ in pairs), tuple(b for _, b in pairs)

    result = control.run_if(condition, lambda: then(*values), lambda: otherwise(*values), prepare)
    return tuple(result)


def if_return(
    condition: Any,
    then: Callable[..., Any],
    otherwise: Callable[..., Any],
    values: tuple[Any, ...],
) -> Any:
    """The value that the branches return."""
    if not _is_traced(condition):
        return then(*values) if condition else otherwise(*values)
    _check(condition)
    return control.run_if(condition, lambda: then(*values), lambda: otherwise(*values))


def _carry(
    values: tuple[Any, ...], labels: Sequence[str], carried: Sequence[str]
) -> tuple[list[int], list[Any]]:
    """The positions of the names that a loop carries, and the values of all others in the loop."""
    places, fixed = [], []
    loop = here()
    for place, (value, label) in enumerate(zip(values, labels)):
        if label in carried and not isinstance(value, Undefined):
            places.append(place)
        fixed.append(
            Undefined(
                f"{label} has a value inside of the loop in line {loop.line} only: set it before "
                "the loop",
                loop,
            )
        )
    return places, fixed


def _filled(places: list[int], fixed: list[Any], values: Sequence[Any]) -> list[Any]:
    result = list(fixed)
    for place, value in zip(places, values):
        result[place] = value
    return result


def _only(places: list[int], values: Sequence[Any]) -> Any:
    chosen = [values[place] for place in places]
    return chosen[0] if len(chosen) == 1 else tuple(chosen)


def for_(
    numbers: control.Range,
    body: Callable[..., Any],
    values: tuple[Any, ...],
    labels: Sequence[str],
    carried: Sequence[str],
) -> tuple[Any, ...]:
    """The values that names have after a loop over obs.range."""
    places, fixed = _carry(values, labels, carried)

    def iterate(number: Any, *state: Any) -> Any:
        after = body(number, *_filled(places, fixed, state))
        return _only(places, after) if places else None

    found = control.run_for(
        numbers, [values[p] for p in places], iterate, [labels[p] for p in places]
    )
    return tuple(_filled(places, fixed, _state(found, places)))


def _state(found: Any, places: list[int]) -> Sequence[Any]:
    if not places:
        return ()
    return (found,) if len(places) == 1 else tuple(found)


def while_(
    test: Callable[..., Any],
    body: Callable[..., Any],
    values: tuple[Any, ...],
    labels: Sequence[str],
    carried: Sequence[str],
) -> tuple[Any, ...]:
    """The values that names have after a `while`.

    Python runs iterations while it knows the condition. In `while low < high`, the first condition
    may be known, and the second one unknown.
    """
    while True:
        with current().rehearse() if is_tracing() else contextlib.nullcontext():
            condition = test(*values)
        if _is_traced(condition):
            break
        if not condition:
            return values
        values = tuple(body(*values))
    places, fixed = _carry(values, labels, carried)
    if not places:
        raise TraceError("the condition of this loop changes with no name that the loop assigns")

    def holds(*state: Any) -> Any:
        return test(*_filled(places, fixed, state))

    def iterate(*state: Any) -> Any:
        return _only(places, body(*_filled(places, fixed, state)))

    found = control.run_while(
        holds, [values[p] for p in places], iterate, [labels[p] for p in places]
    )
    return tuple(_filled(places, fixed, _state(found, places)))


#: In place of parts of loops and branches that the program cannot have.
_WAYS_OUT = {
    "break": "let the condition of a `while` contain the reason to stop, as in "
    "`while x > 1 and not is_found`",
    "continue": "put the rest of the body into an `if`",
    "return": "set a variable, and return it at the end of the function",
    "else": "write these statements after the loop, in an `if`",
    ":=": "assign in a statement of its own",
    "del": "leave the name as it is",
}


def known(value: Any, word: str, file: str, line: int, column: int) -> Any:
    """A condition or a range of a statement that is not rewritten, because of a part of it."""
    if not isinstance(value, (Scalar, control.Range)):
        return value
    raise TraceError(
        f"this `{word}` cannot stand in a loop or a branch whose condition the program decides "
        f"when it runs: {_WAYS_OUT.get(word, 'return the value')}",
        Location(file, line, column),
    )


def choose(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """The value of `yes if condition else no`."""
    if not _is_traced(condition):
        return yes() if condition else no()
    _check(condition)
    return control.run_if(condition, yes, no)


def _short_circuit(first: Any, others: Sequence[Callable[[], Any]], is_and: bool) -> Any:
    result = first
    for other in others:
        if not _is_traced(result):
            if bool(result) is not is_and:
                return result
            result = other()
            continue
        _check(result)
        result = _combine(result, other, is_and)
    return result


def _combine(left: Scalar, other: Callable[[], Any], is_and: bool) -> Any:
    """Both of two conditions, or one of them; the second is computed only if it is needed."""
    trace = current()
    with trace.open(trace.level) as block:
        right = other()
    if not _is_traced(right):
        return (left if right else right) if is_and else (right if right else left)
    _check(right)
    if block.is_pure:
        trace.block.entries += block.entries
        if right.block is block:
            right.block = trace.block
        return left & right if is_and else left | right

    def again() -> Any:
        trace.block.entries += block.entries
        if right.block is block:
            right.block = trace.block
        return right

    if is_and:
        return control.run_if(left, again, lambda: False)
    return control.run_if(left, lambda: True, again)


def and_(first: Any, *others: Callable[[], Any]) -> Any:
    """The value of `first and ...`."""
    return _short_circuit(first, others, True)


def or_(first: Any, *others: Callable[[], Any]) -> Any:
    """The value of `first or ...`."""
    return _short_circuit(first, others, False)


def not_(operand: Any) -> Any:
    """The value of `not operand`."""
    if not _is_traced(operand):
        return not operand
    _check(operand)
    return ~operand


def chain(operators: Sequence[str], first: Any, *others: Callable[[], Any]) -> Any:
    """The value of `first < second < third`; each operand is computed once."""
    left = first
    result: Any = True
    for name, other in zip(operators, others):
        if not _is_traced(result) and not result:
            return result
        right = other()
        found = getattr(operator, name)(left, right)
        result = found if result is True else and_(result, partial(_given, found))
        left = right
    return result


def _given(value: Any) -> Any:
    return value


def assert_(condition: Any, message: Callable[[], Any]) -> None:
    """The statement `assert`."""
    if _is_traced(condition):
        functions.assert_(condition, str(message()))
    elif not condition:
        raise AssertionError(message())
