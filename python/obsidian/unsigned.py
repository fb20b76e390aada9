"""Operations that read integers without their sign.

In: integers or indices of one type. Out: integers of that type, or truth values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import TraceError
from .functions import spread
from .scalars import agree, compare, elementwise, make
from .trace import current, use


def _checked(a: Any, b: Any) -> tuple[Any, Any]:
    values = agree(a, b)
    if values[0].kind not in ("int", "index"):
        raise TraceError(f"this function is for integers, not for {values[0].type_name}")
    return values[0], values[1]


def _operation(name: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: elementwise(f"arith.{name}", *_checked(x, y))


def _division(name: str) -> Callable[[Any, Any], Any]:
    def divide(x: Any, y: Any) -> Any:
        left, right = _checked(x, y)
        text = f"arith.{name} {use(left)}, {use(right)} : {left.type_name}"
        return make(type(left), current().emit(text, 1)[0])

    return divide


def less(a: Any, b: Any) -> Any:
    """True if a < b."""
    return spread(lambda x, y: compare(*_checked(x, y), "ult"), (a, b))


def less_equal(a: Any, b: Any) -> Any:
    """True if a <= b."""
    return spread(lambda x, y: compare(*_checked(x, y), "ule"), (a, b))


def min(a: Any, b: Any) -> Any:
    """The smaller number."""
    return spread(_operation("minui"), (a, b))


def max(a: Any, b: Any) -> Any:
    """The larger number."""
    return spread(_operation("maxui"), (a, b))


def div(a: Any, b: Any) -> Any:
    """The quotient, rounded down."""
    return spread(_division("divui"), (a, b))


def rem(a: Any, b: Any) -> Any:
    """The remainder."""
    return spread(_division("remui"), (a, b))


def shr(a: Any, b: Any) -> Any:
    """Shift to the right, and fill with zeros."""

    def shift(x: Any, y: Any) -> Any:
        left, right = _checked(x, y)
        left.require_shift(y)
        return elementwise("arith.shrui", left, right)

    return spread(shift, (a, b))
