"""Numbers of Python and NumPy as numbers of a type: their range, and their text.

In: a number, and an element type. Out: the number as an int or a float, or an error if the type
cannot hold it; the literal of the program text.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import TraceError

if TYPE_CHECKING:
    from .scalars import Scalar

#: The least number of each type that would be rounded to infinity.
_TOO_LARGE = {
    "f16": 65520.0,
    "bf16": 2.0**128 - 2.0**119,
    "f32": 2.0**128 - 2.0**103,
    "f64": math.inf,
}
_FLOAT_BITS = {"f16": ("e", "H"), "f32": ("f", "I"), "f64": ("d", "Q")}


def number_of(value: Any, kind: type[Scalar]) -> int | float:
    """The value of a literal in a type; an error if it does not fit."""
    if isinstance(value, np.generic):
        if value.dtype != kind.dtype:
            raise TraceError(
                f"a NumPy {value.dtype} and {kind.type_name} do not mix: "
                f"convert it to a Python number or to {kind.type_name} first"
            )
        value = value.item()
    if not isinstance(value, (int, float)):
        raise TraceError(f"{type(value).__name__} is not a number of type {kind.type_name}")
    if kind.kind == "float":
        try:
            number = float(value)
        except OverflowError:
            raise TraceError(f"a number is out of the range of {kind.type_name}") from None
        if math.isfinite(number) and abs(number) >= _TOO_LARGE[kind.type_name]:
            raise TraceError(
                f"{number} is out of the range of {kind.type_name}: obs.{kind.type_name}.max is "
                f"its largest number, and obs.{kind.type_name}.inf is infinity"
            )
        return number
    if isinstance(value, float):
        raise TraceError(
            f"the float {value} does not become {kind.type_name}: write a whole number, or convert "
            "the other operand to a float with .to(obs.f32)"
        )
    # A literal of an integer may be its bits, as in x & 0xFFFFFFFF. An index has a sign.
    limit = 1 << (kind.bits - 1 if kind.kind == "index" else kind.bits)
    if not -(1 << (kind.bits - 1)) <= value < limit and not isinstance(value, bool):
        raise TraceError(f"{value} is out of the range of {kind.type_name}")
    return int(value)


def spell_number(value: int | float, kind: type[Scalar]) -> str:
    """The number as a literal of the program text."""
    if kind.kind == "bool":
        return "true" if value else "false"
    if kind.kind != "float":
        number = int(value)
        return str(number - (1 << kind.bits) if number >= 1 << (kind.bits - 1) else number)
    text = repr(value)
    if text[-1] in "nf":
        if kind.type_name == "bf16":
            return f"0x{struct.unpack('>I', struct.pack('>f', value))[0] >> 16:04X}"
        pack, unpack = _FLOAT_BITS[kind.type_name]
        bits = struct.unpack(f">{unpack}", struct.pack(f">{pack}", value))[0]
        return f"0x{bits:0{kind.bits // 4}X}"
    mantissa, mark, exponent = text.partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + mark + exponent
