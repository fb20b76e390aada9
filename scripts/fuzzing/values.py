"""The numbers of every element type: rounding, operations, bytes and text.

In: Python integers and floats, and the name of an element type such as i16 or bf16. Out: the number that a
GPU computes, the bytes of a file of numbers, and the spelling of a constant in MLIR. An integer is stored
signed; the i1 that is true is -1.
"""

from __future__ import annotations

import math
import operator
import random
import struct
from collections.abc import Callable, Iterable
from typing import Any

WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
# Bits of the significand, the least exponent of its last bit, and the first power of two too large.
FLOATS = {"f16": (11, -24, 16), "bf16": (8, -133, 128), "f32": (24, -149, 128), "f64": (53, -1074, 1024)}
TYPES = [*WIDTH, *FLOATS]
# The formats of the module struct, which has none for bf16.
FORMATS = {
    "i1": "B",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "index": "q",
    "f16": "e",
    "f32": "f",
    "f64": "d",
}
SAME_WIDTH = {"f16": "i16", "bf16": "i16", "f32": "i32", "f64": "i64"}


def wrap(x: int, type: str) -> int:
    half = 1 << (WIDTH[type] - 1)
    return (x + half) % (2 * half) - half


def unsigned(x: int, type: str) -> int:
    return x % (1 << WIDTH[type])


def round_to(x: float, type: str) -> float:
    """The nearest number of the type, and the even one of two that are equally near."""
    if type == "f64" or x == 0 or not math.isfinite(x):
        return x
    digits, least, limit = FLOATS[type]
    if math.frexp(x)[1] > limit:
        return math.copysign(math.inf, x)
    unit = max(math.frexp(x)[1] - digits, least)
    result = math.ldexp(float(round(math.ldexp(x, -unit))), unit)
    if abs(result) >= math.ldexp(1.0, limit):
        return math.copysign(math.inf, x)
    return math.copysign(result, x)


def round_integer(x: int, type: str) -> float:
    digits, _, limit = FLOATS[type]
    unit = max(abs(x).bit_length() - digits, 0)
    high, low = abs(x) >> unit, abs(x) & ((1 << unit) - 1)
    if unit and (2 * low > 1 << unit or (2 * low == 1 << unit and high & 1)):
        high += 1
    if high.bit_length() + unit > limit:
        return math.copysign(math.inf, x)
    return math.copysign(float(high << unit), x) if x else 0.0


def to_bytes(values: Iterable[Any], type: str) -> bytes:
    if type == "bf16":
        bits = (struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in values)
        return b"".join(struct.pack("<H", b) for b in bits)
    listed = [abs(x) for x in values] if type == "i1" else list(values)
    return struct.pack(f"<{len(listed)}{FORMATS[type]}", *listed)


def from_bytes(raw: bytes, type: str) -> list[Any]:
    if type == "bf16":
        return [
            struct.unpack("<f", struct.pack("<I", bits << 16))[0] for (bits,) in struct.iter_unpack("<H", raw)
        ]
    values = [x for (x,) in struct.iter_unpack("<" + FORMATS[type], raw)]
    return [-(x & 1) for x in values] if type == "i1" else values


def same(a: Any, b: Any) -> bool:
    """NaNs are equal to one another, and 0 is not -0."""
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (
            a == b and math.copysign(1.0, a) == math.copysign(1.0, b)
        )
    return bool(a == b)


def constant(rng: random.Random, type: str) -> Any:
    if type in FLOATS:
        special = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -7.25, 100.0, 1e-3, 6.1e4, -2.5]
        return round_to(rng.choice(special) if rng.random() < 0.8 else rng.uniform(-50, 50), type)
    bits = WIDTH[type]
    draw = rng.random()
    if draw < 0.55:
        return wrap(rng.randint(-9, 12), type)
    if draw < 0.8:
        return wrap(rng.choice([-1, 1]) * (1 << rng.randrange(bits)) + rng.randint(-1, 1), type)
    return wrap(rng.getrandbits(bits), type)


def spell(value: Any, type: str) -> str:
    if type == "i1":
        return "true" if value else "false"
    if type in FLOATS:
        return f"{value!r} : {type}" if "e" not in repr(value) else f"{value:.20e} : {type}"
    return f"{value} : {type}"


def divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def divide_floats(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if b == 0:
        return math.nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def largest(a: float, b: float, sign: int) -> float:
    """maximumf for sign 1, minimumf for -1: NaN if one is NaN, and -0 is less than 0."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == b:
        return a if (math.copysign(1.0, a) == sign) else b
    return max(a, b) if sign == 1 else min(a, b)


INTEGER_OPS: dict[str, Callable[[int, int, str], int]] = {
    "addi": lambda a, b, t: a + b,
    "subi": lambda a, b, t: a - b,
    "muli": lambda a, b, t: a * b,
    "andi": lambda a, b, t: a & b,
    "ori": lambda a, b, t: a | b,
    "xori": lambda a, b, t: a ^ b,
    "minsi": lambda a, b, t: min(a, b),
    "maxsi": lambda a, b, t: max(a, b),
    "minui": lambda a, b, t: min(unsigned(a, t), unsigned(b, t)),
    "maxui": lambda a, b, t: max(unsigned(a, t), unsigned(b, t)),
}
DIVISIONS: dict[str, Callable[[int, int, str], int]] = {
    "divsi": lambda a, b, t: divide(a, b),
    "remsi": lambda a, b, t: a - b * divide(a, b),
    "divui": lambda a, b, t: unsigned(a, t) // unsigned(b, t),
    "remui": lambda a, b, t: unsigned(a, t) % unsigned(b, t),
    "floordivsi": lambda a, b, t: a // b,
    "ceildivsi": lambda a, b, t: -(-a // b),
    "ceildivui": lambda a, b, t: -(-unsigned(a, t) // unsigned(b, t)),
}
SHIFTS: dict[str, Callable[[int, int, str], int]] = {
    "shli": lambda a, b, t: a << b,
    "shrsi": lambda a, b, t: a >> b,
    "shrui": lambda a, b, t: unsigned(a, t) >> b,
}
FLOAT_OPS: dict[str, Callable[[float, float], float]] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "divf": divide_floats,
    "maximumf": lambda a, b: largest(a, b, 1),
    "minimumf": lambda a, b: largest(a, b, -1),
}


def to_integral(rounding: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: math.copysign(float(rounding(x)), x) if math.isfinite(x) and abs(x) < 2**53 else x


UNARY_FLOATS: dict[str, Callable[[float], float]] = {
    "arith.negf": lambda x: -x,
    "math.absf": abs,
    "math.floor": to_integral(math.floor),
    "math.ceil": to_integral(math.ceil),
    "math.trunc": to_integral(math.trunc),
    "math.roundeven": to_integral(round),
    "math.sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
}
# The order of the names decides which one a random number picks.
COMPARE_INTEGERS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    **{
        sign + name: compare
        for sign in "su"
        for name, compare in (
            ("lt", operator.lt),
            ("le", operator.le),
            ("gt", operator.gt),
            ("ge", operator.ge),
        )
    },
}
COMPARE_FLOATS: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "ne": operator.ne,
}


def compare_floats(predicate: str, a: float, b: float) -> bool:
    is_ordered = not (math.isnan(a) or math.isnan(b))
    if predicate in ("ord", "uno"):
        return is_ordered == (predicate == "ord")
    if not is_ordered:
        return predicate[0] == "u"
    return COMPARE_FLOATS[predicate[1:]](a, b)
