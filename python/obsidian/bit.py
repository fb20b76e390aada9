"""Permutations of the bits of an integer, which the compiler knows to be bijections.

In: integers or indices. Out: one of the same type.
"""

from __future__ import annotations

from typing import Any

from .scalars import Scalar, agree, elementwise
from .trace import current


def _bits(name: str, *operands: Any) -> Any:
    values = agree(*operands)
    result: Scalar = elementwise(f"obs.bit.{name}", *values)
    current().block.entries[-1].short = None
    result.is_natural = values[0].is_natural
    return result


def flip(value: Any, bit: Any) -> Any:
    """Invert one bit."""
    return _bits("flip", value, bit)


def flip_low(value: Any, bit: Any) -> Any:
    """Invert the bits 0 to `bit`: the mirror image in a group of `2 ** (bit + 1)`."""
    return _bits("flip_low", value, bit)


def insert_zero(value: Any, bit: Any) -> Any:
    """Insert a zero at a bit; the higher bits move up. It numbers pairs by their lower element."""
    return _bits("insert_zero", value, bit)


def rotate(value: Any, amount: Any, width: Any) -> Any:
    """Rotate the low `width` bits to the left."""
    return _bits("rotate", value, amount, width)


def reverse(value: Any, width: Any) -> Any:
    """Reverse the low `width` bits."""
    return _bits("reverse", value, width)


def swap(value: Any, first: Any, second: Any) -> Any:
    """Exchange two bits."""
    return _bits("swap", value, first, second)
