"""Conversions between element types.

In: a scalar, and a type. Out: the scalar of that type, from one operation of arith or several.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fuzzing.model import Scalar
from fuzzing.operators import Operators
from fuzzing.values import (
    FLOATS,
    SAME_WIDTH,
    WIDTH,
    from_bytes,
    round_integer,
    round_to,
    spell,
    to_bytes,
    unsigned,
    wrap,
)


class Conversions(Operators):
    """Adds conversions of scalars."""

    def convert(self, a: Scalar, type: str) -> Scalar:
        old, rng = a.type, self.rng

        def cast(op: str, compute: Callable[[Any], Any]) -> Scalar:
            return self.let(f"{op} {a.name} : {old} to {type}", type, [a], compute)

        if old == type:
            return a
        if old in FLOATS and type in FLOATS:
            if FLOATS[old][0] < FLOATS[type][0] and "f32" in (old, type) or type == "f64":
                return cast("arith.extf", lambda x: x)
            if FLOATS[old][0] > FLOATS[type][0] and old in ("f32", "f64"):
                return cast("arith.truncf", lambda x: round_to(x, type))
            return self.convert(self.convert(a, "f32"), type)
        if old in FLOATS:
            return self.to_integer(a, type)
        if type in FLOATS:
            if SAME_WIDTH[type] == old and rng.random() < 0.3:
                return cast("arith.bitcast", lambda x: from_bytes(to_bytes([x], old), type)[0])
            if old == "index":
                return self.convert(self.convert(a, rng.choice(["i64", "i32"])), type)
            if rng.random() < 0.5:
                return cast("arith.sitofp", lambda x: round_integer(x, type))
            return cast("arith.uitofp", lambda x: round_integer(unsigned(x, old), type))
        is_unsigned = rng.random() < 0.5
        if "index" in (old, type):
            op = "arith.index_castui" if is_unsigned else "arith.index_cast"
        elif WIDTH[old] > WIDTH[type]:
            op = "arith.trunci"
        else:
            op = "arith.extui" if is_unsigned else "arith.extsi"
        if is_unsigned:
            return cast(op, lambda x: wrap(unsigned(x, old), type))
        return cast(op, lambda x: wrap(x, type))

    def to_integer(self, a: Scalar, type: str) -> Scalar:
        """A number that is too large becomes 1 first, since its conversion has no determined result."""
        if type in ("index", "i1"):
            return self.convert(self.to_integer(a, self.rng.choice(["i32", "i8"])), type)
        old = a.type
        size = self.let(f"math.absf {a.name} : {old}", old, [a], abs)
        bound, one = self.known_float(100.0, old), self.known_float(1.0, old)
        safe = self.select(self.compare("arith.cmpf olt", size, bound, lambda x, y: x < y), a, one)
        return self.let(f"arith.fptosi {safe.name} : {old} to {type}", type, [safe], int)

    def known_float(self, value: float, type: str) -> Scalar:
        return self.let(f"arith.constant {spell(value, type)}", type, [self.known(0)], lambda _: value)
