#!/usr/bin/env python3
"""Random programs of all kinds of arrays: Python, interpreter and emulator must agree, bit for bit.

  scripts/fuzz-programs.py --tools build/bin --programs 1000 --seed 1
  scripts/fuzz-programs.py --tools build/bin --programs 20000 --seed 9 --emit DIR
  scripts/fuzz-programs.py --tools build/bin --replay DIR --device=cuda --ptxas ptxas

Other than random-programs.py, these have arrays of one to three dimensions and of tuples, elements of
all types, negative and unsigned indices, fills in fills with initial contents, collectives and irregular
operations at every level, and loops and branches that carry arrays. They are right by construction: each
index is made one of its array. Each is evaluated on Python lists, and run on the interpreter and on the
emulator with random threads, blocks and schedule and with all checks; NaNs are equal to one another.

A program that is refused by an error with a label, such as [R8-inside], counts as refused; more than 5 %
are a failure, and other errors are. Failing programs are printed, or kept in the folder --keep with their
inputs, and --reduce makes them small. --only N runs program N alone. --emit writes programs, inputs,
expected results, PTX and `manifest.json` to a folder, and --replay runs what is there and compares. Ends
with the number of programs and of failures; exits with 1 if there are failures or no programs.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import importlib
import itertools
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

mutations = importlib.import_module("fuzz-mutations")

GROUP = 10  # programs of one module: one process runs them all
THREADS = [1, 17, 32, 96, 128, 1024]
LEVELS = ["thread", "warp", "block", "grid"]
WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
# Bits of the significand, the least exponent of its last bit, and the first power of two too large.
FLOATS = {"f16": (11, -24, 16), "bf16": (8, -133, 128), "f32": (24, -149, 128), "f64": (53, -1074, 1024)}
TYPES = [*WIDTH, *FLOATS]
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
ATOMIC = ("addi", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori")
STATIC_LIMIT = 600  # elements of an array of a block or the grid
Env = dict[str, list[Any]]
Step = Callable[[Env], None]

# Numbers.


def wrap(x: int, type: str) -> int:
    half = 1 << (WIDTH[type] - 1)
    return (x + half) % (2 * half) - half


def unsigned(x: int, type: str) -> int:
    return x % (1 << WIDTH[type])


def round_to(x: float, type: str) -> float:
    """The nearest number of the type, an even one of two."""
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
    if isinstance(a, float):
        return (a != a and b != b) or (a == b and math.copysign(1.0, a) == math.copysign(1.0, b))
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
    if b == 0 and a == a:
        return math.nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b if b == b and a == a and not (math.isinf(a) and math.isinf(b)) else math.nan


def multiply_floats(a: float, b: float) -> float:
    return a * b


def largest(a: float, b: float, sign: int) -> float:
    """maximumf for sign 1, minimumf for -1: NaN if one is NaN, and -0 is less than 0."""
    if a != a or b != b:
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
    "mulf": multiply_floats,
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
COMPARE_INTEGERS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
}
COMPARE_FLOATS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "ne": lambda a, b: a != b,
}


def compare_floats(predicate: str, a: float, b: float) -> bool:
    is_ordered = a == a and b == b
    if predicate in ("ord", "uno"):
        return is_ordered == (predicate == "ord")
    if not is_ordered:
        return predicate[0] == "u"
    return COMPARE_FLOATS[predicate[1:]](a, b)


# What a program is made of.


class Dim(NamedTuple):
    """An extent, and whether the type leaves it open; then perhaps with a bound."""

    n: int
    is_open: bool = False
    bound: int | None = None


class Frame:
    """A region: so many instances run at once, and each is in an instance of the region around."""

    def __init__(self, level: str, parent: Frame | None, up: list[int]) -> None:
        self.level, self.parent, self.up = level, parent, up

    @property
    def size(self) -> int:
        return len(self.up)

    def map_to(self, outer: Frame) -> list[int] | None:
        """For each instance that of an outer region; None if that is this one."""
        if outer is self:
            return None
        assert self.parent is not None
        above = self.parent.map_to(outer)
        return self.up if above is None else [above[k] for k in self.up]


class Array(NamedTuple):
    name: str
    elements: tuple[str, ...]
    dims: tuple[Dim, ...]
    frame: Frame
    level: str | None = None  # of a push array

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(dim.n for dim in self.dims)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def type(self) -> str:
        return array_type(self.elements, self.dims, self.level)


class Scalar(NamedTuple):
    name: str
    type: str
    frame: Frame
    limit: int | None = None  # of an index: 0 <= x < limit


def array_type(elements: Sequence[str], dims: Sequence[Dim], level: str | None = None) -> str:
    extents = " x ".join("?" if dim.is_open else str(dim.n) for dim in dims)
    bound = ""
    if any(dim.bound is not None for dim in dims):
        entries = ("?" if d.is_open and d.bound is None else str(d.bound if d.is_open else d.n) for d in dims)
        bound = f" bound [{', '.join(entries)}]"
    head = "!obs.pull<" if level is None else f"!obs.push<{level}, "
    return f"{head}{extents} x {', '.join(elements)}{bound}>"


def strides(shape: Sequence[int]) -> list[int]:
    result, factor = [], 1
    for extent in reversed(shape):
        result.append(factor)
        factor *= extent
    return result[::-1]


def indices(shape: Sequence[int]) -> list[tuple[int, ...]]:
    return list(itertools.product(*map(range, shape)))


class Operator(NamedTuple):
    """An associative operation on tuples: code from %a0, %b0, ... to %r0, ..., and the same in Python."""

    code: list[str]
    combine: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, ...]]
    is_commutative: bool
    kind: str = ""


class Program:
    """A function over the inputs of its group, and the steps that evaluate it."""

    def __init__(self, seed: str, name: str, inputs: list[Array], root: Frame) -> None:
        self.rng = random.Random(seed)
        self.title, self.lines, self.count, self.indent = name, list[str](), 0, 1
        self.frame, self.level = root, "grid"
        self.steps: list[Step] = []
        self.arrays: list[Array] = list(inputs)
        self.scalars: list[Scalar] = []
        self.stored: set[str] = {array.name for array in inputs}
        self.inputs = inputs
        # Some groups have arrays of several parts of 4096 elements.
        self.most = 12000 if any(x.size > 4000 for x in inputs) else STATIC_LIMIT
        self.depth = 0
        self.functions: list[str] = []
        self.build()

    # Text.

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> None:
        self.lines.append("  " * self.indent + text)

    def index(self, value: int) -> str:
        name = self.name()
        self.line(f"{name} = arith.constant {value} : index")
        return name

    def known(self, value: int, type: str = "index", limit: int | None = None) -> Scalar:
        """A constant."""
        scalar = Scalar(self.name(), type, self.frame, limit)
        self.line(f"{scalar.name} = arith.constant {spell(value, type)}")
        size, name = self.frame.size, scalar.name
        self.steps.append(lambda env: env.__setitem__(name, [value] * size))
        return scalar

    # Values of instances.

    def column(self, value: Array | Scalar) -> Callable[[Env], list[Any]]:
        """Reads a value for each instance of the region."""
        places, name = self.frame.map_to(value.frame), value.name
        if places is None:
            return lambda env: env[name]
        return lambda env: [env[name][k] for k in places]

    def let(
        self,
        text: str,
        type: str,
        operands: Sequence[Scalar],
        compute: Callable[..., Any],
        limit: int | None = None,
    ) -> Scalar:
        result = Scalar(self.name(), type, self.frame, limit)
        self.line(f"{result.name} = {text}")
        columns, name = [self.column(x) for x in operands], result.name
        if len(columns) == 1:
            self.steps.append(lambda env: env.__setitem__(name, [compute(x) for x in columns[0](env)]))
        else:
            self.steps.append(
                lambda env: env.__setitem__(
                    name, [compute(*xs) for xs in zip(*(column(env) for column in columns))]
                )
            )
        self.scalars.append(result)
        return result

    def define(
        self,
        array: Array,
        operands: Sequence[Array | Scalar],
        compute: Callable[..., list[Any]],
        is_stored: bool = False,
    ) -> Array:
        """An array that `compute` gives from the operands, for each instance."""
        columns, name = [self.column(x) for x in operands], array.name
        size = self.frame.size
        if columns:
            self.steps.append(
                lambda env: env.__setitem__(
                    name, [compute(*xs) for xs in zip(*(column(env) for column in columns))]
                )
            )
        else:
            self.steps.append(lambda env: env.__setitem__(name, [compute()] * size))
        if array.level is None:
            self.arrays.append(array)
        if is_stored:
            self.stored.add(array.name)
        return array

    # Regions.

    def enter(self, frame: Frame) -> tuple[Any, ...]:
        state = (self.frame, self.level, self.steps, len(self.arrays), len(self.scalars))
        self.frame, self.level, self.steps = frame, frame.level, []
        self.indent += 1
        return state

    def leave(self, state: tuple[Any, ...]) -> list[Step]:
        steps = self.steps
        self.frame, self.level, self.steps = state[:3]
        del self.arrays[state[3] :], self.scalars[state[4] :]
        self.indent -= 1
        return steps

    def lanes(self, shape: Sequence[int], level: str = "thread") -> tuple[Frame, list[list[int]]]:
        """One instance for each index, and the indices."""
        every = indices(shape)
        up = [lane for lane in range(self.frame.size) for _ in every]
        return Frame(level, self.frame, up), [
            [index[d] for index in every] * self.frame.size for d in range(len(shape))
        ]

    def extents(self, dims: Sequence[Dim]) -> str:
        """The operands for open extents."""
        names = []
        for dim in dims:
            if dim.is_open:
                names.append(self.extent(dim))
        return f" [{', '.join(names)}]" if names else ""

    def extent(self, dim: Dim) -> str:
        fits = [
            (a, d)
            for a in self.arrays[-12:]
            for d, other in enumerate(a.dims)
            if other.is_open and other.n == dim.n
        ]
        if not fits or self.rng.random() < 0.2:
            return self.index(dim.n)
        array, d = self.rng.choice(fits)
        name = self.name()
        self.line(f"{name} = obs.dim {array.name}, {d} : {array.type}")
        return name

    # Scalars.

    def scope(self, type: str) -> list[Scalar]:
        return [x for x in self.scalars if x.type == type]

    def expression(self, type: str, depth: int) -> Scalar:
        rng = self.rng
        if depth <= 0:
            known = self.scope(type)
            if known and rng.random() < 0.7:
                return rng.choice(known[-4:])
            if self.scalars and rng.random() < 0.6:
                return self.convert(rng.choice(self.scalars[-5:]), type)
            element = self.read(type) if rng.random() < 0.6 else None
            if element is not None:
                return element
            value = constant(rng, type)
            return self.known(value, type)
        draw = rng.random()
        if draw < 0.12:
            return self.convert(self.expression(rng.choice(TYPES), depth - 1), type)
        if draw < 0.22:
            read = self.read(type)
            if read is not None:
                return read
        if draw < 0.34:
            condition = self.condition(depth - 1)
            a, b = self.expression(type, depth - 1), self.expression(type, depth - 1)
            return self.let(
                f"arith.select {condition.name}, {a.name}, {b.name} : {type}",
                type,
                [condition, a, b],
                lambda c, x, y: x if c else y,
            )
        if draw < 0.4 and self.level == "thread" and self.frame.size < 3000:
            return self.branch(type, depth - 1) if rng.random() < 0.5 else self.loop(type, depth - 1)
        if draw < 0.44 and self.is_scalar_code():
            folded = self.fold(type)
            if folded is not None:
                return folded
        if type in FLOATS:
            return self.float_operation(type, depth)
        return self.integer_operation(type, depth)

    def is_scalar_code(self) -> bool:
        return self.depth > 0

    def integer_operation(self, type: str, depth: int) -> Scalar:
        rng = self.rng
        a = self.expression(type, depth - 1)
        draw = rng.random()
        if draw < 0.55 or type == "i1":
            op = rng.choice([*INTEGER_OPS])
            b = self.expression(type, depth - 1)
            compute = INTEGER_OPS[op]
            return self.let(
                f"arith.{op} {a.name}, {b.name} : {type}",
                type,
                [a, b],
                lambda x, y: wrap(compute(x, y, type), type),
            )
        if draw < 0.75:
            op = rng.choice([*DIVISIONS])
            value = rng.choice([1, 2, 3, 5, 7, 8, 10, 64, 100, -2, -3, -8, -128])
            b, compute = self.known(value, type), DIVISIONS[op]
            return self.let(
                f"arith.{op} {a.name}, {b.name} : {type}",
                type,
                [a, b],
                lambda x, y: wrap(compute(x, y, type), type),
            )
        if draw < 0.9:
            op = rng.choice([*SHIFTS])
            compute = SHIFTS[op]
            if rng.random() < 0.5:
                b = self.known(rng.randrange(WIDTH[type]), type)
            else:
                mask = self.known(WIDTH[type] - 1, type)
                free = self.expression(type, depth - 1)
                b = self.let(
                    f"arith.andi {free.name}, {mask.name} : {type}", type, [free, mask], lambda x, y: x & y
                )
            return self.let(
                f"arith.{op} {a.name}, {b.name} : {type}",
                type,
                [a, b],
                lambda x, y: wrap(compute(x, y, type), type),
            )
        if draw < 0.95 and type != "index":
            return self.extended(type, a, self.expression(type, depth - 1))
        bits = WIDTH[type]
        counts: dict[str, Callable[[int], int]] = {
            "ctpop": lambda x: unsigned(x, type).bit_count(),
            "ctlz": lambda x: bits - unsigned(x, type).bit_length(),
            "cttz": lambda x: (x & -x).bit_length() - 1 if x else bits,
            "absi": abs,
        }
        op = rng.choice([*counts])
        count = counts[op]
        return self.let(f"math.{op} {a.name} : {type}", type, [a], lambda x: wrap(count(x), type))

    def extended(self, type: str, a: Scalar, b: Scalar) -> Scalar:
        """The high half of a product, or a sum with its carry."""
        op = self.rng.choice(["mulsi_extended", "mului_extended", "addui_extended"])
        low, high = self.name(), Scalar(self.name(), type, self.frame)
        bits, columns = WIDTH[type], [self.column(a), self.column(b)]
        if op == "addui_extended":
            carry = Scalar(low, "i1", self.frame)
            self.line(f"{high.name}, {low} = arith.{op} {a.name}, {b.name} : {type}, i1")

            def add(env: Env) -> None:
                sums = [
                    unsigned(x, type) + unsigned(y, type) for x, y in zip(columns[0](env), columns[1](env))
                ]
                env[high.name], env[low] = [wrap(x, type) for x in sums], [-(x >> bits) for x in sums]

            self.steps.append(add)
            self.scalars.append(carry)
        else:
            self.line(f"{low}, {high.name} = arith.{op} {a.name}, {b.name} : {type}")
            is_signed = op == "mulsi_extended"

            def multiply(env: Env) -> None:
                env[high.name] = [
                    wrap((x * y if is_signed else unsigned(x, type) * unsigned(y, type)) >> bits, type)
                    for x, y in zip(columns[0](env), columns[1](env))
                ]

            self.steps.append(multiply)
        self.scalars.append(high)
        return high

    def float_operation(self, type: str, depth: int) -> Scalar:
        rng = self.rng
        a = self.expression(type, depth - 1)
        if rng.random() < 0.3:
            op = rng.choice([*UNARY_FLOATS])
            apply = UNARY_FLOATS[op]
            return self.let(f"{op} {a.name} : {type}", type, [a], lambda x: round_to(apply(x), type))
        op = rng.choice([*FLOAT_OPS])
        b, compute = self.expression(type, depth - 1), FLOAT_OPS[op]
        return self.let(
            f"arith.{op} {a.name}, {b.name} : {type}",
            type,
            [a, b],
            lambda x, y: round_to(compute(x, y), type),
        )

    def condition(self, depth: int) -> Scalar:
        type = self.rng.choice(TYPES)
        a, b = self.expression(type, depth), self.expression(type, depth)
        if type in FLOATS:
            predicate = self.rng.choice(["ord", "uno"] + [x + y for x in "ou" for y in COMPARE_FLOATS])
            return self.let(
                f"arith.cmpf {predicate}, {a.name}, {b.name} : {type}",
                "i1",
                [a, b],
                lambda x, y: -int(compare_floats(predicate, x, y)),
            )
        predicate = self.rng.choice([*COMPARE_INTEGERS])
        compare = COMPARE_INTEGERS[predicate]
        if predicate[0] == "u":
            return self.let(
                f"arith.cmpi {predicate}, {a.name}, {b.name} : {type}",
                "i1",
                [a, b],
                lambda x, y: -int(compare(unsigned(x, type), unsigned(y, type))),
            )
        return self.let(
            f"arith.cmpi {predicate}, {a.name}, {b.name} : {type}",
            "i1",
            [a, b],
            lambda x, y: -int(compare(x, y)),
        )

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
        """What is too large becomes 1, since the result would not be determined."""
        if type in ("index", "i1"):
            return self.convert(self.to_integer(a, self.rng.choice(["i32", "i8"])), type)
        old, limit = a.type, 100.0
        size = self.let(f"math.absf {a.name} : {old}", old, [a], abs)
        bound, one = self.known_float(limit, old), self.known_float(1.0, old)
        fits = self.let(
            f"arith.cmpf olt, {size.name}, {bound.name} : {old}",
            "i1",
            [size, bound],
            lambda x, y: -int(x < y),
        )
        safe = self.let(
            f"arith.select {fits.name}, {a.name}, {one.name} : {old}",
            old,
            [fits, a, one],
            lambda c, x, y: x if c else y,
        )
        return self.let(f"arith.fptosi {safe.name} : {old} to {type}", type, [safe], int)

    def known_float(self, value: float, type: str) -> Scalar:
        return self.let(f"arith.constant {spell(value, type)}", type, [self.known(0)], lambda _: value)

    def read(self, type: str) -> Scalar | None:
        """An element of an array."""
        fits = [
            x
            for x in self.arrays[-10:]
            if type in x.elements and x.size > 0 and (self.level != "grid" or x.name in self.stored)
        ]
        if not fits or (self.level == "grid" and self.rng.random() < 0.7):
            return None
        array = self.rng.choice(fits)
        return self.get(array, [self.index_in(dim, array, d) for d, dim in enumerate(array.dims)])[
            array.elements.index(type)
        ]

    def get(self, array: Array, places: list[Scalar]) -> list[Scalar]:
        results = [Scalar(self.name(), type, self.frame) for type in array.elements]
        names = ", ".join(x.name for x in results)
        self.line(f"{names} = obs.get {array.name}[{', '.join(x.name for x in places)}] : {array.type}")
        columns, source, steps = [self.column(x) for x in places], self.column(array), strides(array.shape)

        def run(env: Env) -> None:
            found = [
                data[sum(i * s for i, s in zip(index, steps))]
                for data, *index in zip(source(env), *(column(env) for column in columns))
            ]
            for k, x in enumerate(results):
                env[x.name] = [element[k] for element in found]

        self.steps.append(run)
        self.scalars += results
        return results

    def index_in(self, dim: Dim, array: Array | None = None, d: int = 0) -> Scalar:
        """An index of an extent that is not 0, from any index."""
        rng, n = self.rng, dim.n
        near = [x for x in self.scope("index") if x.limit is not None and x.limit <= n]
        if near and rng.random() < 0.5:
            return rng.choice(near[-3:])
        e = self.expression("index", rng.choice([0, 0, 1, 2]))

        def op(
            name: str, a: Scalar, b: Scalar, compute: Callable[[int, int], int], limit: int | None = None
        ) -> Scalar:
            return self.let(
                f"arith.{name} {a.name}, {b.name} : index",
                "index",
                [a, b],
                lambda x, y: wrap(compute(x, y), "index"),
                limit,
            )

        if array is not None and dim.is_open and rng.random() < 0.5:
            extent = self.let(
                f"obs.dim {array.name}, {d} : {array.type}", "index", [self.known(0)], lambda _: n
            )
        else:
            extent = self.known(n)
        draw = rng.randrange(6)
        if draw == 0 and n & (n - 1) == 0:
            return op("andi", e, self.known(n - 1), lambda x, y: x & y, n)
        if draw == 1:
            low = op("minsi", e, self.known(n - 1), min)
            return op("maxsi", low, self.known(0), max, n)
        if draw == 2:
            rest = op("remsi", e, extent, lambda x, y: x - y * divide(x, y))
            more = op("addi", rest, extent, lambda x, y: x + y)
            zero = self.known(0)
            is_negative = self.let(
                f"arith.cmpi slt, {rest.name}, {zero.name} : index",
                "i1",
                [rest, zero],
                lambda x, y: -int(x < y),
            )
            return self.let(
                f"arith.select {is_negative.name}, {more.name}, {rest.name} : index",
                "index",
                [is_negative, more, rest],
                lambda c, x, y: x if c else y,
                n,
            )
        if draw == 3:
            return op("minui", e, self.known(n - 1), lambda x, y: min(unsigned(x, "index"), y), n)
        if draw == 4:
            zero = self.known(0)
            is_in = self.let(
                f"arith.cmpi ult, {e.name}, {extent.name} : index",
                "i1",
                [e, extent],
                lambda x, y: -int(unsigned(x, "index") < y),
            )
            return self.let(
                f"arith.select {is_in.name}, {e.name}, {zero.name} : index",
                "index",
                [is_in, e, zero],
                lambda c, x, y: x if c else y,
                n,
            )
        return op("remui", e, extent, lambda x, y: unsigned(x, "index") % y, n)

    def branch(self, type: str, depth: int) -> Scalar:
        condition, result = self.condition(depth), Scalar(self.name(), type, self.frame)
        self.line(f"{result.name} = scf.if {condition.name} -> {type} {{")
        values = []
        for side in range(2):
            known = len(self.scalars)
            self.indent += 1
            x = self.expression(type, depth)
            values.append(self.column(x))
            self.line(f"scf.yield {x.name} : {type}")
            self.indent -= 1
            del self.scalars[known:]
            self.line("} else {" if side == 0 else "}")
        test, name = self.column(condition), result.name
        self.steps.append(
            lambda env: env.__setitem__(
                name, [x if c else y for c, x, y in zip(test(env), values[0](env), values[1](env))]
            )
        )
        self.scalars.append(result)
        return result

    def loop(self, type: str, depth: int) -> Scalar:
        """A loop of few turns with a counter of any integer type, signed or not."""
        rng = self.rng
        counter = rng.choice(["index", "index", "i8", "i32", "i64", "i16"])
        is_unsigned = counter != "i1" and rng.random() < 0.5
        bits = WIDTH[counter]
        if is_unsigned and rng.random() < 0.5:
            low = (1 << (bits - 1)) - rng.randint(0, 3)
        elif rng.random() < 0.3:
            low = (1 << bits) - 20 if is_unsigned else -rng.randint(1, 5)
        else:
            low = rng.randint(0, 5)
        step = rng.choice([1, 1, 2, 3])
        turns = rng.randint(0, 4)
        high = low + turns * step - (rng.randrange(step) if turns else 0)
        low_name, high_name, step_name = (
            self.known(wrap(x, counter), counter).name for x in (low, high, step)
        )
        start = self.expression(type, depth)
        result, carried = Scalar(self.name(), type, self.frame), Scalar(self.name(), type, self.frame)
        i = Scalar(self.name(), counter, self.frame)
        self.line(
            f"{result.name} = scf.for{' unsigned' * is_unsigned} {i.name} = {low_name} to {high_name} "
            f"step {step_name} iter_args({carried.name} = {start.name}) -> ({type})"
            f"{' : ' + counter if counter != 'index' else ''} {{"
        )
        known, outer, self.steps = len(self.scalars), self.steps, []
        self.scalars += [i, carried]
        self.indent += 1
        value = self.expression(type, depth + 1)
        self.line(f"scf.yield {value.name} : {type}")
        self.indent -= 1
        self.line("}")
        body, self.steps = self.steps, outer
        del self.scalars[known:]
        first, last, size = self.column(start), self.column(value), self.frame.size

        def run(env: Env) -> None:
            env[carried.name] = first(env)
            for k in range(low, high, step):
                env[i.name] = [wrap(k, counter)] * size
                for each in body:
                    each(env)
                env[carried.name] = last(env)
            env[result.name] = env[carried.name]

        self.steps.append(run)
        self.scalars.append(result)
        return result

    def fold(self, type: str) -> Scalar | None:
        """The reduction of an array in scalar code."""
        fits = [x for x in self.arrays[-10:] if x.elements == (type,) and len(x.dims) == 1 and x.size <= 40]
        if not fits or self.frame.size > 600:
            return None
        array, operator = self.rng.choice(fits), self.operator((type,))
        start = self.expression(type, 0)
        result = Scalar(self.name(), type, self.frame)
        self.line(
            f"{result.name} = obs.reduce (%a0, %b0) = {array.name} init {start.name} : "
            f"{array.type} -> {type} {{"
        )
        self.region(operator, (type,))
        source, first, name = self.column(array), self.column(start), result.name

        def run(env: Env) -> None:
            values = []
            for data, x in zip(source(env), first(env)):
                total: tuple[Any, ...] = (x,)
                for element in data:
                    total = operator.combine(total, element)
                values.append(total[0])
            env[name] = values

        self.steps.append(run)
        self.scalars.append(result)
        return result

    # Operators.

    def operator(self, elements: tuple[str, ...], is_exact: bool = True, of_memory: bool = False) -> Operator:
        rng = self.rng
        if (
            not of_memory
            and len(elements) == 2
            and elements[0] == elements[1] in WIDTH
            and rng.random() < 0.4
        ):
            t = elements[0]
            return Operator(
                [
                    f"%r0 = arith.muli %a0, %b0 : {t}",
                    f"%m = arith.muli %a1, %b0 : {t}",
                    f"%r1 = arith.addi %m, %b1 : {t}",
                ],
                lambda a, b: (wrap(a[0] * b[0], t), wrap(wrap(a[1] * b[0], t) + b[1], t)),
                False,
            )
        if not of_memory and rng.random() < 0.15:
            zeros = []
            for k, t in enumerate(elements):
                if t in FLOATS:
                    zeros.append(f"%r{k} = arith.select %yes, %b{k}, %a{k} : {t}")
                else:
                    zeros.append(f"%r{k} = arith.select %yes, %b{k}, %a{k} : {t}")
            return Operator(["%yes = arith.constant true", *zeros], lambda a, b: b, False)
        if of_memory and all(t in WIDTH and t != "i1" for t in elements) and rng.random() < 0.25:
            return self.function(elements)
        if of_memory:
            kinds = {
                "addi": "addi",
                "muli": "muli",
                "andi": "andi",
                "ori": "ori",
                "xori": "xori",
                "mins": "minsi",
                "maxs": "maxsi",
                "minu": "minui",
                "maxu": "maxui",
            }
            if all(t in WIDTH for t in elements):
                kind = rng.choice([*kinds])
                ops = [kinds[kind]] * len(elements)
            else:
                kind = rng.choice(["maximumf", "minimumf"])
                ops = [kind] * len(elements)
        else:
            kind = ""
            ops = [rng.choice([*INTEGER_OPS] if t in WIDTH else ["maximumf", "minimumf"]) for t in elements]
            ops = ["addi" if op == "subi" else op for op in ops]
            kind = ops[0] if len(ops) == 1 else ""

        def combine(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(
                wrap(INTEGER_OPS[op](x, y, t), t) if t in WIDTH else FLOAT_OPS[op](x, y)
                for op, t, x, y in zip(ops, elements, a, b)
            )

        return Operator(
            [f"%r{k} = arith.{op} %a{k}, %b{k} : {t}" for k, (op, t) in enumerate(zip(ops, elements))],
            combine,
            True,
            kind,
        )

    def function(self, elements: tuple[str, ...]) -> Operator:
        """The sum and 1 more, or the least of tuples."""
        name = f"{self.title}_f{len(self.functions)}"
        arguments = ", ".join(f"%{side}{k}: {t}" for side in "ab" for k, t in enumerate(elements))
        types, t = ", ".join(elements), elements[0]
        lines = [f"func.func private @{name}({arguments}) -> ({types}) {{"]
        if len(elements) == 1:
            lines += [
                f"  %one = arith.constant 1 : {t}",
                f"  %s = arith.addi %a0, %b0 : {t}",
                f"  %r0 = arith.addi %s, %one : {t}",
            ]
        else:
            u = elements[1]
            lines += [
                f"  %less = arith.cmpi slt, %b0, %a0 : {t}",
                f"  %same = arith.cmpi eq, %b0, %a0 : {t}",
                f"  %low = arith.cmpi slt, %b1, %a1 : {u}",
                "  %both = arith.andi %same, %low : i1",
                "  %is = arith.ori %less, %both : i1",
                f"  %r0 = arith.select %is, %b0, %a0 : {t}",
                f"  %r1 = arith.select %is, %b1, %a1 : {u}",
            ]
        lines += [f"  return {', '.join(f'%r{k}' for k in range(len(elements)))} : {types}", "}"]
        self.functions.append("\n".join(lines) + "\n")
        if len(elements) == 1:
            return Operator([], lambda a, b: (wrap(a[0] + b[0] + 1, t),), True, f"@{name}")
        return Operator([], min, True, f"@{name}")

    def region(self, operator: Operator, elements: Sequence[str]) -> None:
        """The region of a collective."""
        for text in operator.code:
            self.line("  " + text)
        self.line(f"  obs.yield {', '.join(f'%r{k}' for k in range(len(elements)))} : {', '.join(elements)}")
        self.line("}")

    # Arrays.

    def pick(self, fits: Callable[[Array], bool] = lambda _: True) -> Array | None:
        chosen = [x for x in self.arrays if fits(x)]
        if not chosen:
            return None
        x = self.rng.choice(chosen[-4:] if self.rng.random() < 0.75 else chosen)
        if self.level != "grid" and any(d.is_open and d.bound is None for d in x.dims):
            # Below level grid what is stored has bounds.
            x = self.take(x)
            return x if fits(x) else None
        return x

    def limit(self) -> int:
        return {"thread": 16, "warp": 80, "block": 260, "grid": self.most}[self.level]

    def is_small(self, n: int) -> bool:
        return n <= self.limit() and n * self.frame.size <= max(2500, self.most)

    def element_types(self) -> tuple[str, ...]:
        count = self.rng.choice([1, 1, 1, 1, 2, 2, 3])
        return tuple(self.rng.choice(TYPES) for _ in range(count))

    def draw_dims(self) -> tuple[Dim, ...]:
        rng = self.rng
        while True:
            rank = rng.choice([1, 1, 1, 2, 2, 3])
            most = {1: 70, 2: 12, 3: 6}[rank] if self.level != "thread" else {1: 9, 2: 4, 3: 2}[rank]
            extents = [
                rng.choice([0, 1]) if rng.random() < 0.08 else rng.randint(1, most) for _ in range(rank)
            ]
            if rng.random() < 0.3 and rank == 1:
                extents = [rng.choice([1, 2, 8, 16, 32, 33, 64, 128])]
            if self.is_small(math.prod(extents)):
                return tuple(self.dim(n) for n in extents)

    def dim(self, n: int) -> Dim:
        if self.rng.random() < 0.75:
            return Dim(n)
        return Dim(n, True, None if self.level == "grid" else n + self.rng.randint(0, 5))

    def array(self, elements: tuple[str, ...], dims: Sequence[Dim], level: str | None = None) -> Array:
        return Array(self.name(), elements, tuple(dims), self.frame, level)

    def scalar_region(
        self,
        shape: Sequence[int],
        arguments: list[tuple[str, str, Callable[[Env], list[Any]] | None]],
        elements: tuple[str, ...],
        limits: Sequence[int] = (),
    ) -> Step:
        """The lines of a region that yields elements; `arguments` are names, types and values. Gives the step
        that sets the name `yield` to a list of tuples for each instance around."""
        outer = self.frame
        frame, columns = self.lanes(shape)
        state = self.enter(frame)
        self.depth += 1
        for k, (name, type, _) in enumerate(arguments):
            self.scalars.append(Scalar(name, type, frame, limits[k] if k < len(limits) else None))
        depths = [0, 1, 1, 2] if frame.size < 800 else [0, 1]
        results = [self.expression(t, self.rng.choice(depths)) for t in elements]
        self.line(f"obs.yield {', '.join(x.name for x in results)} : {', '.join(elements)}")
        values = [self.column(x) for x in results]
        self.depth -= 1
        body = self.leave(state)
        count, around = math.prod(shape), outer.size

        def run(env: Env) -> None:
            for k, (name, _, column) in enumerate(arguments):
                env[name] = columns[k] if column is None else column(env)
            for step in body:
                step(env)
            rows = list(zip(*(column(env) for column in values)))
            env["yield"] = [rows[k * count : (k + 1) * count] for k in range(around)]

        return run

    def map(
        self,
        sources: list[Array] | None = None,
        elements: tuple[str, ...] | None = None,
        push: Array | None = None,
    ) -> Array | None:
        if sources is None:
            first = self.pick(lambda x: self.is_small(x.size))
            if first is None:
                return None
            others = [x for x in self.arrays[-8:] if x.shape == first.shape]
            sources = [first] + self.rng.sample(others, min(len(others), self.rng.choice([0, 0, 1, 2])))
        elements = elements or self.element_types()
        operands = ([push] if push else []) + sources
        result = self.array(elements, operands[0].dims, push.level if push else None)
        arguments: list[tuple[str, str, Callable[[Env], list[Any]] | None]] = []
        parts = []
        for x in operands:
            source, names = self.column(x), [self.name() for _ in x.elements]
            parts.append(f"{', '.join(names)} = {x.name} : {x.type}")
            for k, (name, type) in enumerate(zip(names, x.elements)):
                arguments.append(
                    (
                        name,
                        type,
                        lambda env, k=k, source=source: (  # type: ignore[misc]
                            [element[k] for data in source(env) for element in data]
                        ),
                    )
                )
        self.line(f"{result.name} = obs.map ({', '.join(parts)}) -> {result.type} {{")
        run = self.scalar_region(result.shape, arguments, elements)
        self.line("}")
        return self.finish_region(result, run)

    def finish_region(self, result: Array, run: Step) -> Array:
        def step(env: Env) -> None:
            run(env)
            env[result.name] = env.pop("yield")

        self.steps.append(step)
        if result.level is None:
            self.arrays.append(result)
        return result

    def generate(self, elements: tuple[str, ...] | None = None, dims: Sequence[Dim] | None = None) -> Array:
        elements, dims = elements or self.element_types(), dims or self.draw_dims()
        sizes = self.extents(dims)
        result = self.array(elements, dims)
        names = [self.name() for _ in result.dims]
        self.line(f"{result.name} = obs.generate ({', '.join(names)}){sizes} {{")
        run = self.scalar_region(
            result.shape, [(name, "index", None) for name in names], elements, result.shape
        )
        self.line(f"}} : {result.type}")
        return self.finish_region(result, run)

    def permuted(
        self,
        text: str,
        source: Array,
        dims: Sequence[Dim],
        where: Callable[[tuple[int, ...]], tuple[int, ...]],
        more: str = "",
    ) -> Array:
        """An array whose element at an index is the one of the source at `where` of it."""
        result = self.array(source.elements, dims, source.level)
        steps = strides(source.shape)
        table = [sum(i * s for i, s in zip(where(index), steps)) for index in indices(result.shape)]
        self.line(f"{result.name} = {text} : {source.type}{more and more.replace('TYPE', result.type)}")
        return self.define(result, [source], lambda data: [data[k] for k in table])

    def reverse(self, x: Array) -> Array:
        d = self.rng.randrange(len(x.dims))
        n = x.shape[d]
        dim = f" dim {d}" if d or self.rng.random() < 0.3 else ""
        return self.permuted(
            f"obs.reverse {x.name}{dim}", x, x.dims, lambda i: (*i[:d], n - 1 - i[d], *i[d + 1 :])
        )

    def transpose(self, x: Array) -> Array:
        order = self.rng.sample(range(len(x.dims)), len(x.dims))
        return self.permuted(
            f"obs.transpose {x.name} {order}",
            x,
            [x.dims[p] for p in order],
            lambda i: tuple(i[order.index(d)] for d in range(len(order))),
        )

    def listed(self, values: Sequence[int], are_open: Sequence[bool]) -> str:
        return "[" + ", ".join(self.index(v) if o else str(v) for v, o in zip(values, are_open)) + "]"

    def take(self, x: Array) -> Array:
        counts = [self.rng.randint(max(0, n - 9), n) if self.rng.random() < 0.9 else n for n in x.shape]
        dims = [self.dim(n)._replace(bound=None) for n in counts]
        if self.level != "grid":
            dims = [Dim(d.n, d.is_open, d.n + 3 if d.is_open else None) for d in dims]
        text = f"obs.take {x.name} {self.listed(counts, [d.is_open for d in dims])}"
        return self.permuted(text, x, dims, lambda i: i, " -> TYPE")

    def slice(self, x: Array) -> Array | None:
        steps, sizes, offsets = [], [], []
        for n in x.shape:
            step = self.rng.choice([1, 1, 1, 2, 3])
            most = -(-n // step)
            size = self.rng.randint(max(0, most - 6), most)
            offset = self.rng.randint(0, n - (size - 1) * step - 1) if size else self.rng.randint(0, n)
            steps.append(step)
            sizes.append(size)
            offsets.append(offset)
        dims = [self.dim(n) for n in sizes]
        text = (
            f"obs.slice {x.name} {self.listed(offsets, [self.rng.random() < 0.2 for _ in offsets])} "
            f"{self.listed(sizes, [d.is_open for d in dims])} {self.listed(steps, [False] * len(steps))}"
        )
        return self.permuted(
            text, x, dims, lambda i: tuple(o + k * s for o, k, s in zip(offsets, i, steps)), " -> TYPE"
        )

    def reshape(self, x: Array) -> Array:
        n, rng = x.size, self.rng
        divisors = [k for k in range(1, n + 1) if n % k == 0] or [0]
        a = rng.choice(divisors)
        rest = n // a if a else 3
        b = rng.choice([k for k in range(1, rest + 1) if rest % k == 0])
        extents = rng.choice([[n], [a, rest], [a, b, rest // b], [b, rest // b, a]])
        dims = [self.dim(k) for k in extents]
        sizes = self.extents(dims)
        result = self.array(x.elements, dims, x.level)
        self.line(f"{result.name} = obs.reshape {x.name}{sizes} : {x.type} -> {result.type}")
        return self.define(result, [x], lambda data: data)

    def reindex(self, x: Array) -> Array | None:
        """A rotation: a bijection of a push array, or a gather."""
        n = x.shape[0]
        if x.level is not None and (len(x.dims) > 1 or x.dims[0].is_open) or n == 0:
            return None
        by = self.rng.randrange(n)
        factor = self.rng.choice([k for k in range(1, n + 1) if math.gcd(k, n) == 1])
        arguments = [self.name() for _ in x.dims]
        result = self.array(x.elements, x.dims, x.level)
        sizes = self.extents(x.dims) if x.level is None else ""
        self.line(f"{result.name} = obs.reindex ({', '.join(arguments)}) = {x.name}{sizes} {{")
        f, o, m, s, t, r = (self.name() for _ in range(6))
        for text in [
            f"{f} = arith.constant {factor} : index",
            f"{o} = arith.constant {by} : index",
            f"{m} = arith.muli {arguments[0]}, {f} : index",
            f"{s} = arith.addi {m}, {o} : index",
            f"{t} = arith.constant {n} : index",
            f"{r} = arith.remui {s}, {t} : index",
            f"obs.yield {', '.join([r, *arguments[1:]])} : {', '.join(['index'] * len(arguments))}",
        ]:
            self.line("  " + text)
        self.line(f"}} : {x.type} -> {result.type}")
        step = strides(x.shape)[0]
        rows = [(factor * i + by) % n for i in range(n)]

        def gather(data: list[Any]) -> list[Any]:
            return [y for i in rows for y in data[i * step : (i + 1) * step]]

        def scatter(data: list[Any]) -> list[Any]:
            place = {row: i for i, row in enumerate(rows)}
            return [y for row in range(n) for y in data[place[row] * step : (place[row] + 1) * step]]

        return self.define(result, [x], gather if x.level is None else scatter)

    def joined(self, parts: list[Array], d: int) -> Array:
        """A concatenation."""
        dims = list(parts[0].dims)
        n = sum(x.shape[d] for x in parts)
        is_open = any(x.dims[d].is_open for x in parts)
        dims[d] = Dim(n, is_open, n + 8 if is_open and self.level != "grid" else None)
        for k, dim in enumerate(dims):
            if k != d and dim.is_open and self.level != "grid":
                dims[k] = dim._replace(bound=max(x.dims[k].bound or x.dims[k].n for x in parts))
        if is_open and self.level != "grid":
            dims[d] = dims[d]._replace(bound=sum(x.dims[d].bound or x.dims[d].n for x in parts))
        result = self.array(parts[0].elements, dims, parts[0].level)
        at = f" dim {d}" if d else ""
        self.line(
            f"{result.name} = obs.concat {', '.join(x.name for x in parts)}{at} : "
            f"{', '.join(x.type for x in parts)} -> {result.type}"
        )
        sources = [
            (k, i, sum(a * s for a, s in zip((*index[:d], i, *index[d + 1 :]), strides(parts[k].shape))))
            for index in indices(result.shape)
            for k, i in [self.part_of(parts, d, index[d])]
        ]
        return self.define(result, parts, lambda *data: [data[k][at] for k, _, at in sources])

    @staticmethod
    def part_of(parts: list[Array], d: int, i: int) -> tuple[int, int]:
        k = 0
        while i >= parts[k].shape[d]:
            i -= parts[k].shape[d]
            k += 1
        return k, i

    def concat(self, x: Array) -> Array | None:
        d = self.rng.randrange(len(x.dims))

        def fits(y: Array) -> bool:
            return (
                y.elements == x.elements
                and len(y.dims) == len(x.dims)
                and all(a == b for k, (a, b) in enumerate(zip(x.shape, y.shape)) if k != d)
                and self.is_small(x.size + y.size)
            )

        y = self.pick(fits)
        return self.joined(self.rng.sample([x, y], 2), d) if y else None

    def interleave(self, parts: list[Array]) -> Array:
        x, k = parts[0], len(parts)
        first = Dim(x.shape[0] * k, x.dims[0].is_open, None)
        if first.is_open and self.level != "grid":
            first = first._replace(bound=k * max(y.dims[0].bound or y.dims[0].n for y in parts))
        result = self.array(x.elements, [first, *x.dims[1:]], x.level)
        self.line(
            f"{result.name} = obs.interleave {', '.join(y.name for y in parts)} : "
            f"{', '.join(y.type for y in parts)} -> {result.type}"
        )
        row = math.prod(x.shape[1:])
        return self.define(
            result,
            parts,
            lambda *data: [
                y for i in range(x.shape[0]) for part in data for y in part[i * row : (i + 1) * row]
            ],
        )

    def zip(self, parts: list[Array]) -> Array:
        # The type says most of the extents: those of the first array whose extents are static.
        known = [x.dims for x in parts if not any(dim.is_open for dim in x.dims)]
        result = self.array(tuple(t for x in parts for t in x.elements), (known or [parts[0].dims])[0])
        self.line(
            f"{result.name} = obs.zip {', '.join(x.name for x in parts)} : {', '.join(x.type for x in parts)}"
        )
        return self.define(result, parts, lambda *data: [sum(rows, ()) for rows in zip(*data)])

    def unzip(self, x: Array) -> list[Array]:
        parts = [self.array((t,), x.dims) for t in x.elements]
        self.line(f"{', '.join(y.name for y in parts)} = obs.unzip {x.name} : {x.type}")
        for k, y in enumerate(parts):
            self.define(y, [x], lambda data, k=k: [(element[k],) for element in data], x.name in self.stored)
        return parts

    def constant_values(self, elements: tuple[str, ...]) -> list[Scalar]:
        return [
            self.expression(t, 0) if self.rng.random() < 0.4 else self.known(constant(self.rng, t), t)
            for t in elements
        ]

    def splat(self, elements: tuple[str, ...], dims: Sequence[Dim]) -> Array:
        values, sizes = self.constant_values(elements), self.extents(dims)
        result = self.array(elements, dims)
        self.line(f"{result.name} = obs.splat {', '.join(x.name for x in values)}{sizes} : {result.type}")
        return self.define(result, values, lambda *xs: [tuple(xs)] * result.size)

    def table(self) -> Array:
        type, n = self.rng.choice(TYPES), self.rng.randint(1, 9)
        values = [constant(self.rng, type) for _ in range(n)]
        result = self.array((type,), [Dim(n)])
        text = ", ".join(spell(x, type).split(" :")[0] for x in values)
        self.line(f"{result.name} = obs.constant dense<[{text}]> : tensor<{n}x{type}>")
        return self.define(result, [], lambda: [(x,) for x in values])

    def split_join(self, x: Array) -> Array | None:
        """Chunks, and those glued together in the other order, or the same."""
        if self.rng.random() < 0.5 or 0 in x.shape:
            return None
        sizes = [self.rng.randint(1, n) for n in x.shape]
        counts = [-(-n // k) for n, k in zip(x.shape, sizes)]
        has_pad = any(n % k for n, k in zip(x.shape, sizes)) or any(d.is_open for d in x.dims)
        pads = self.constant_values(x.elements) if has_pad else []
        how = [" strided" if self.rng.random() < 0.5 else "" for _ in range(2)]
        outer = [Dim(c, d.is_open, d.bound) for c, d in zip(counts, x.dims)]
        if self.level != "grid":
            outer = [
                Dim(c, d.is_open, -(-(d.bound or d.n) // k) if d.is_open else None)
                for c, d, k in zip(counts, x.dims, sizes)
            ]
        inner = array_type(x.elements, [Dim(k) for k in sizes])
        nested = array_type([inner], outer)
        s = self.name()
        pad = f" pad {', '.join(p.name for p in pads)}" if pads else ""
        self.line(f"{s} = obs.split {x.name}{how[0]} by {sizes}{pad} : {x.type} -> {nested}")
        total = [c * k for c, k in zip(counts, sizes)]
        dims = [
            Dim(n, d.is_open, None if d.bound is None else -(-d.bound // k) * k)
            for n, d, k in zip(total, outer, sizes)
        ]
        if self.level == "grid":
            dims = [Dim(n, d.is_open) for n, d in zip(total, outer)]
        else:
            dims = [
                Dim(n, d.is_open, (d.bound or 0) * k if d.is_open else None)
                for n, d, k in zip(total, outer, sizes)
            ]
        result = self.array(x.elements, dims)
        self.line(f"{result.name} = obs.join {s}{how[1]} : {nested} -> {result.type}")

        def place(i: int, n: int, k: int, c: int) -> int:
            chunk, at = (i % c, i // c) if how[1] else (i // k, i % k)
            return chunk + at * c if how[0] else chunk * k + at

        steps, table = strides(x.shape), []
        for index in indices(result.shape):
            source = [place(i, n, k, c) for i, n, k, c in zip(index, x.shape, sizes, counts)]
            is_in = all(i < n for i, n in zip(source, x.shape))
            table.append(sum(i * s for i, s in zip(source, steps)) if is_in else None)
        return self.define(
            result, [x, *pads], lambda data, *p: [tuple(p) if k is None else data[k] for k in table]
        )

    # Push arrays.

    def push(self, x: Array) -> Array:
        result = self.array(x.elements, x.dims, self.level)
        self.line(f"{result.name} = obs.push {x.name} : {x.type} -> {result.type}")
        return self.define(result, [x], lambda data: data)

    def change_push(self, p: Array) -> Array:
        for _ in range(self.rng.choice([0, 0, 0, 1, 2])):
            draw = self.rng.randrange(6)
            if draw == 0:
                p = self.reverse(p)
            elif draw == 1:
                p = self.transpose(p)
            elif draw == 2:
                p = self.reindex(p) or p
            elif draw == 3:
                others = [x for x in self.arrays[-8:] if x.shape == p.shape]
                new = self.map(others[-1:], None, p)
                p = new or p
            elif draw == 4:
                p = self.reshape(p)
            elif self.is_small(2 * p.size):
                p = self.joined([p, self.push(self.generate(p.elements, p.dims))], 0)
        return p

    def force(self, *pushes: Array) -> list[Array]:
        results = [self.array(p.elements, p.dims) for p in pushes]
        names, types = ", ".join(x.name for x in results), ", ".join(x.type for x in results)
        types = f"({types})" if len(results) > 1 else types
        home = " in shared" if self.level in ("warp", "block") and self.rng.random() < 0.1 else ""
        self.line(
            f"{names} = obs.force {', '.join(p.name for p in pushes)}{home} : "
            f"{', '.join(p.type for p in pushes)} -> {types}"
        )
        for x, p in zip(results, pushes):
            self.define(x, [p], lambda data: data, True)
        return results

    def store(self) -> Array | None:
        x = self.pick(lambda x: self.is_small(x.size))
        if x is None:
            return None
        return self.force(self.change_push(self.push(x)))[0]

    def fill(self) -> Array | None:
        """An array that a program writes."""
        ways = [self.fill_injective, self.fill_parts, self.fill_reduce, self.fill_nested]
        p = self.rng.choice(ways)()
        return self.force(self.change_push(p))[0] if p else None

    def start(
        self, elements: tuple[str, ...], dims: tuple[Dim, ...]
    ) -> tuple[str, list[Array | Scalar], Any]:
        """Initial contents: the text, the operands, and how they give all elements."""
        size = math.prod(d.n for d in dims)
        onto = self.pick(
            lambda x: (
                x.elements == elements and x.dims == dims and (self.level != "grid" or x.name in self.stored)
            )
        )
        if onto is not None and self.rng.random() < 0.6:
            return f" onto {onto.name} : {onto.type}", [onto], list
        values = self.constant_values(elements)
        return f" init {', '.join(x.name for x in values)}", list(values), lambda *xs: [tuple(xs)] * size

    def fill_injective(self) -> Array | None:
        """A loop whose iterations write places of their own."""
        rng = self.rng
        count = rng.randint(1, min(self.limit() // 2, 40))
        factor, shift, room = rng.choice([1, 1, 2, 3]), rng.randint(0, 3), rng.randint(0, 4)
        n = (count - 1) * factor + shift + 1 + room
        if not self.is_small(n):
            return None
        elements, dims = self.element_types(), (self.dim(n),)
        text, operands, begin = self.start(elements, dims)
        number, sizes = self.index(count), self.extents(dims)
        result = self.array(elements, dims, self.level)
        i = self.name()
        self.line(f"{result.name} = obs.fill{text}{sizes} par ({i}) in ({number}) {{")
        frame, columns = self.lanes([count])
        state = self.enter(frame)
        self.scalars.append(Scalar(i, "index", frame, count))
        values = [self.expression(t, rng.randint(0, 2)) for t in elements]
        f, s, m, at = (self.name() for _ in range(4))
        for line in [
            f"{f} = arith.constant {factor} : index",
            f"{s} = arith.constant {shift} : index",
            f"{m} = arith.muli {i}, {f} : index",
            f"{at} = arith.addi {m}, {s} : index",
        ]:
            self.line(line)
        test = self.condition(1) if rng.random() < 0.5 else None
        if test:
            self.line(f"scf.if {test.name} {{")
        self.line(f"obs.write {', '.join(x.name for x in values)} at [{at}] : {', '.join(elements)}")
        if test:
            self.line("}")
        rows = [self.column(x) for x in values]
        guard = self.column(test) if test else None
        body = self.leave(state)
        self.line(f"}} : {result.type}")
        first, size = [self.column(x) for x in operands], self.frame.size

        def run(env: Env) -> None:
            env[i] = columns[0]
            for step in body:
                step(env)
            elements = list(zip(*(row(env) for row in rows)))
            are_set = guard(env) if guard else [1] * len(elements)
            arrays = [begin(*xs) for xs in zip(*(column(env) for column in first))]
            for lane in range(size):
                for k in range(count):
                    if are_set[lane * count + k]:
                        arrays[lane][factor * k + shift] = elements[lane * count + k]
            env[result.name] = arrays

        self.steps.append(run)
        return result

    def fill_parts(self, depth: int = 0, of: tuple[str, ...] | None = None) -> Array | None:
        """Arrays put side by side, some of them fills with initial contents."""
        x = self.pick(
            lambda x: len(x.dims) == 1 and self.is_small(x.size) and x.size > 0 and of in (None, x.elements)
        )
        if x is None:
            return None
        parts = [self.push(x)]
        if depth < 2 and self.rng.random() < 0.4:
            inner = self.fill_parts(depth + 1, x.elements)
            parts += [inner] if inner else []
        for _ in range(self.rng.choice([1, 1, 2])):
            n = self.rng.randint(1, 9)
            parts.append(
                self.fill_injective_of(x.elements, n)
                if self.rng.random() < 0.6
                else self.push(self.generate(x.elements, (Dim(n),)))
            )
            if self.rng.random() < 0.3:
                parts[-1] = self.reverse(parts[-1])
        offsets, end = [], self.rng.randint(0, 2)
        for p in parts:
            offsets.append(end)
            end += p.size + self.rng.randint(0, 2)
        if not self.is_small(end):
            return None
        dims = (self.dim(end),)
        text, operands, begin = self.start(x.elements, dims)
        sizes, names = self.extents(dims), [self.index(o) for o in offsets]
        result = self.array(x.elements, dims, self.level)
        self.line(f"{result.name} = obs.fill{text}{sizes} {{")
        for p, name in zip(parts, names):
            self.line(f"  obs.put {p.name} at [{name}] : {p.type}")
        self.line(f"}} : {result.type}")
        count = len(operands)

        def compute(*xs: Any) -> list[Any]:
            data = begin(*xs[:count])
            for offset, part in zip(offsets, xs[count:]):
                data[offset : offset + len(part)] = part
            return list(data)

        return self.define(result, [*operands, *parts], compute)

    def fill_injective_of(self, elements: tuple[str, ...], n: int) -> Array:
        """Of initial contents, and every second element."""
        values = self.constant_values(elements)
        others = self.constant_values(elements)
        count = self.index(n // 2)
        result = self.array(elements, (Dim(n),), self.level)
        self.line(
            f"{result.name} = obs.fill init {', '.join(x.name for x in values)} par (%t) in ({count}) {{"
        )
        two = self.name()
        for text in [
            f"{two} = arith.constant 2 : index",
            f"{two}m = arith.muli %t, {two} : index",
            f"obs.write {', '.join(x.name for x in others)} at [{two}m] : {', '.join(elements)}",
        ]:
            self.line("  " + text)
        self.line(f"}} : {result.type}")
        k = len(elements)
        return self.define(
            result,
            [*values, *others],
            lambda *xs: [xs[k:] if i % 2 == 0 and i // 2 < n // 2 else xs[:k] for i in range(n)],
        )

    def fill_nested(self) -> Array | None:
        """Loops over units of a level and over threads, whose indices are those of the result."""
        n, m = self.rng.randint(1, 6), self.rng.randint(1, 9 if self.level != "thread" else 2)
        if not self.is_small(n * m):
            return None
        elements, is_turned = self.element_types(), self.rng.random() < 0.5
        unit = self.rng.choice(LEVELS[: LEVELS.index(self.level) + (self.level != "grid")])
        dims = (Dim(m), Dim(n)) if is_turned else (Dim(n), Dim(m))
        text, operands, begin = self.start(elements, dims) if self.rng.random() < 0.4 else ("", [], None)
        first, second, i, j = self.index(n), self.index(m), self.name(), self.name()
        result = self.array(elements, dims, self.level)
        self.line(f"{result.name} = obs.fill{text} {{")
        self.line(f"obs.par {unit} ({i}) in ({first}) {{")
        frame, columns = self.lanes([n], unit)
        state = self.enter(frame)
        self.scalars.append(Scalar(i, "index", frame, n))
        if self.rng.random() < 0.5:
            self.expression(self.rng.choice(TYPES), 1)
        self.line(f"obs.par ({j}) in ({second}) {{")
        inner, more = self.lanes([m])
        nested = self.enter(inner)
        self.scalars.append(Scalar(j, "index", inner, m))
        values = [self.expression(t, self.rng.randint(0, 1)) for t in elements]
        test = self.condition(0) if text else None
        if test:
            self.line(f"scf.if {test.name} {{")
        place = f"{j}, {i}" if is_turned else f"{i}, {j}"
        self.line(f"obs.write {', '.join(x.name for x in values)} at [{place}] : {', '.join(elements)}")
        if test:
            self.line("}")
        rows, guard = [self.column(x) for x in values], self.column(test) if test else None
        loop = self.leave(nested)
        self.line("}")
        body = self.leave(state)
        self.line("}")
        self.line(f"}} : {result.type}")
        sources, size = [self.column(x) for x in operands], self.frame.size

        def run(env: Env) -> None:
            env[i], env[j] = columns[0], more[0]
            for step in body + loop:
                step(env)
            written = list(zip(*(row(env) for row in rows)))
            are_set = guard(env) if guard else [1] * len(written)
            if begin:
                arrays = [list(begin(*xs)) for xs in zip(*(column(env) for column in sources))]
            else:
                arrays = [[()] * (n * m) for _ in range(size)]
            for k, element in enumerate(written):
                lane, x, y = k // (n * m), k // m % n, k % m
                if are_set[k]:
                    arrays[lane][y * n + x if is_turned else x * m + y] = element
            env[result.name] = arrays

        self.steps.append(run)
        return result

    def reducible(self) -> tuple[str, ...]:
        if self.rng.random() < 0.75:
            return (self.rng.choice(["i8", "i16", "i32", "i32", "i64", "f32", "f64", "f16", "bf16", "i1"]),)
        return self.rng.choice([("i32", "i32"), ("i32", "i16"), ("i8", "i64"), ("f32", "f64")])

    def fill_reduce(self) -> Array | None:
        elements = self.reducible()
        count, n = self.rng.randint(0, min(self.limit(), 60)), self.rng.randint(1, min(self.limit(), 40))
        if not self.is_small(max(n, count)):
            return None
        dims, operator = (Dim(n),), self.operator(elements, of_memory=True)
        if elements == ("i1",):
            operator = Operator([], lambda a, b: (a[0] | b[0],), True, "ori")
        text, operands, begin = self.start(elements, dims)
        number, i = self.index(count), self.name()
        result = self.array(elements, dims, self.level)
        self.line(f"{result.name} = obs.fill{text} reduce({operator.kind}) par ({i}) in ({number}) {{")
        frame, columns = self.lanes([count])
        state = self.enter(frame)
        self.scalars.append(Scalar(i, "index", frame, max(count, 1)))
        values = [self.expression(t, self.rng.randint(0, 1)) for t in elements]
        place = self.index_in(dims[0])
        self.line(f"obs.write {', '.join(x.name for x in values)} at [{place.name}] : {', '.join(elements)}")
        rows, at = [self.column(x) for x in values], self.column(place)
        body = self.leave(state)
        self.line(f"}} : {result.type}")
        first, size = [self.column(x) for x in operands], self.frame.size

        def run(env: Env) -> None:
            env[i] = columns[0]
            for step in body:
                step(env)
            written, places = list(zip(*(row(env) for row in rows))), at(env)
            arrays = [begin(*xs) for xs in zip(*(column(env) for column in first))]
            for lane in range(size):
                for k in range(lane * count, (lane + 1) * count):
                    arrays[lane][places[k]] = operator.combine(arrays[lane][places[k]], written[k])
            env[result.name] = arrays

        self.steps.append(run)
        return result

    # Collectives.

    def strategy(self, kind: str, operator: Operator | None, x: Array) -> str:
        """Attributes of a collective."""
        rng, attributes = self.rng, []
        is_commutative = operator is not None and operator.is_commutative and rng.random() < 0.4
        if is_commutative:
            attributes.append("commutative")
        if rng.random() < 0.6:
            if self.level == "grid":
                names = ["one_kernel", "two_kernels"] if kind == "reduce" else ["three_kernels", "one_pass"]
                if (
                    kind == "reduce"
                    and operator
                    and x.elements[0] in ("i32", "i64")
                    and operator.kind in ATOMIC
                ):
                    names.append("atomic")
            elif kind == "reduce":
                names = ["sequential", "adjacent_tree", "raking"] + ["halving_tree"] * is_commutative
            else:
                names = ["sequential", "sklansky", "kogge_stone", "brent_kung", "raking"]
            if self.level == "block":
                names.append("warps")
            attributes.append(f'strategy = "{rng.choice(names)}"')
        return f" {{{', '.join(attributes)}}}" if attributes else ""

    def collective(self) -> Array | None:
        x = self.pick(lambda x: len(x.dims) == 1 and self.is_small(x.size) and len(x.elements) <= 3)
        if x is None:
            return None
        ways = [
            self.reduce,
            self.scan,
            self.scan,
            self.segmented,
            self.segmented,
            self.compact,
            self.expand,
            self.scatter,
        ]
        if self.level != "grid":
            ways.append(self.rank)
        return self.rng.choice(ways)(x)

    def names(self, letter: str, x: Array) -> str:
        return ", ".join(f"%{letter}{k}" for k in range(len(x.elements)))

    def head(self, x: Array, start: list[Scalar]) -> str:
        return (
            f"({self.names('a', x)}, {self.names('b', x)}) = {x.name} init {', '.join(s.name for s in start)}"
        )

    def reduce(self, x: Array) -> Array | None:
        operator, start = self.operator(x.elements), self.constant_values(x.elements)

        def compute(data: list[Any], *first: Any) -> tuple[Any, ...]:
            total = tuple(first)
            for element in data:
                total = operator.combine(total, element)
            return total

        attributes = self.strategy("reduce", operator, x)
        if self.level == "grid":
            p = self.array(x.elements, [Dim(1)], "grid")
            self.line(f"{p.name} = obs.reduce {self.head(x, start)}{attributes} : {x.type} -> {p.type} {{")
            self.region(operator, x.elements)
            self.define(p, [x, *start], lambda *xs: [compute(*xs)])
            return self.force(p)[0]
        results = [Scalar(self.name(), t, self.frame) for t in x.elements]
        types = ", ".join(x.elements)
        self.line(
            f"{', '.join(r.name for r in results)} = obs.reduce {self.head(x, start)}{attributes} : "
            f"{x.type} -> {f'({types})' if len(results) > 1 else types} {{"
        )
        self.region(operator, x.elements)
        columns = [self.column(x), *map(self.column, start)]

        def run(env: Env) -> None:
            totals = [compute(*xs) for xs in zip(*(column(env) for column in columns))]
            for k, r in enumerate(results):
                env[r.name] = [total[k] for total in totals]

        self.steps.append(run)
        self.scalars += results
        return None

    @staticmethod
    def scanned(operator: Operator, data: list[Any], first: tuple[Any, ...], is_exclusive: bool) -> list[Any]:
        total, found = first, []
        for element in data:
            if is_exclusive:
                found.append(total)
            total = operator.combine(total, element)
            if not is_exclusive:
                found.append(total)
        return found

    def scan(self, x: Array) -> Array:
        operator, start = self.operator(x.elements), self.constant_values(x.elements)
        is_exclusive = self.rng.random() < 0.5
        attributes = self.strategy("scan", operator, x)
        p = self.array(x.elements, x.dims, self.level)
        order = "exclusive" if is_exclusive else "inclusive"
        has_total = self.level != "grid" and self.rng.random() < 0.4
        totals = [Scalar(self.name(), t, self.frame) for t in x.elements] if has_total else []
        types = f"({p.type}, {', '.join(x.elements)})" if has_total else p.type
        self.line(
            f"{', '.join([p.name, *(t.name for t in totals)])} = obs.scan {order} {self.head(x, start)}"
            f"{attributes} : {x.type} -> {types} {{"
        )
        self.region(operator, x.elements)
        self.define(p, [x, *start], lambda data, *first: self.scanned(operator, data, first, is_exclusive))
        if has_total:
            columns = [self.column(x), *map(self.column, start)]

            def run(env: Env) -> None:
                ends = [
                    ([first] + self.scanned(operator, data, first, False))[-1]
                    for data, *f in zip(*(column(env) for column in columns))
                    for first in [tuple(f)]
                ]
                for k, t in enumerate(totals):
                    env[t.name] = [end[k] for end in ends]

            self.steps.append(run)
            self.scalars += totals
        return self.force(self.change_push(p))[0]

    def offsets(self, n: int) -> tuple[Array, list[int]]:
        """Ascending numbers from 0 to n."""
        bounds = [0, *sorted(self.rng.randint(0, n) for _ in range(self.rng.randint(0, 6))), n]
        types = [t for t in WIDTH if t != "i1" and n < 1 << (WIDTH[t] - 1)]
        type = self.rng.choice(types)
        result = self.array((type,), [Dim(len(bounds))])
        self.line(f"{result.name} = obs.constant dense<{bounds}> : tensor<{len(bounds)}x{type}>")
        return self.define(result, [], lambda: [(b,) for b in bounds]), bounds

    def segmented(self, x: Array) -> Array:
        operator, start = self.operator(x.elements), self.constant_values(x.elements)
        is_scan, is_exclusive = self.rng.random() < 0.5, self.rng.random() < 0.5
        order = ("exclusive " if is_exclusive else "inclusive ") if is_scan else ""
        name, bounds = "segmented_scan" if is_scan else "segmented_reduce", list[int]()
        if self.rng.random() < 0.5:
            segments, bounds = self.offsets(x.size)
            how, count = "offsets", len(bounds) - 1
        else:
            segments, how, count = self.generate(("i1",), x.dims), "flags", x.size
        dims = x.dims if is_scan or how == "flags" else (Dim(count),)
        p = self.array(x.elements, dims, self.level)
        sizes = self.extents(dims) if not is_scan else ""
        attributes = self.strategy(name, operator, x)
        self.line(
            f"{p.name} = obs.{name} {order}{self.head(x, start)} {how} {segments.name}{sizes}{attributes} : "
            f"{x.type}, {segments.type} -> {p.type} {{"
        )
        self.region(operator, x.elements)

        def compute(data: list[Any], flags: list[Any], *first: Any) -> list[Any]:
            ends = bounds or [i for i in range(len(data)) if i == 0 or flags[i][0]] + [len(data)]
            found: list[Any] = []
            for begin, end in zip(ends, ends[1:]):
                part = data[begin:end]
                if is_scan:
                    found += self.scanned(operator, part, tuple(first), is_exclusive)
                else:
                    found.append(([tuple(first)] + self.scanned(operator, part, tuple(first), False))[-1])
            return found if is_scan else found + [tuple(first)] * (count - len(found))

        self.define(p, [x, segments, *start], compute)
        return self.force(self.change_push(p))[0]

    def count_type(self, n: int) -> str:
        return self.rng.choice([t for t in WIDTH if t != "i1" and n < 1 << (WIDTH[t] - 1)])

    def forced(self, p: Array, q: Array) -> Array:
        if self.rng.random() < 0.5:
            return self.force(p, q)[0]
        result = self.force(self.change_push(p))[0]
        if self.rng.random() < 0.7:
            self.force(q)
        return result

    def compact(self, x: Array) -> Array:
        flags, start = self.generate(("i1",), x.dims), self.constant_values(x.elements)
        bound = max(x.dims[0].bound or 0, x.size)
        p = self.array(x.elements, x.dims, self.level)
        type = "i64" if x.dims[0].is_open and self.level == "grid" else self.count_type(bound)
        q = self.array((type,), [Dim(1)], self.level)
        attributes = self.strategy("compact", None, x)
        self.line(
            f"{p.name}, {q.name} = obs.compact {x.name} flags {flags.name} init "
            f"{', '.join(s.name for s in start)}{attributes} : {x.type}, {flags.type} -> {p.type}, {q.type}"
        )

        def kept(data: list[Any], flags: list[Any]) -> list[Any]:
            return [y for y, (flag,) in zip(data, flags) if flag]

        self.define(
            p,
            [x, flags, *start],
            lambda data, f, *first: (k := kept(data, f)) + [tuple(first)] * (len(data) - len(k)),
        )
        self.define(q, [x, flags], lambda data, f: [(len(kept(data, f)),)])
        return self.forced(p, q)

    def rank(self, x: Array) -> Array:
        keys = self.rng.choice([1, 2, 5, 16])
        type = self.rng.choice(["i8", "i16", "i32", "i64", "index"])
        source = self.generate(("index",), x.dims)
        result = self.array((type,), x.dims)
        m, r, c, y = (self.name() for _ in range(4))
        self.line(f"{result.name} = obs.map ({y} = {source.name} : {source.type}) -> {result.type} {{")
        self.line(f"  {m} = arith.constant {keys} : index")
        self.line(f"  {r} = arith.remui {y}, {m} : index")
        if type == "index":
            c = r
        else:
            self.line(f"  {c} = arith.index_cast {r} : index to {type}")
        self.line(f"  obs.yield {c} : {type}")
        self.line("}")
        self.define(result, [source], lambda data: [(unsigned(k, "index") % keys,) for (k,) in data])
        bound = max(x.dims[0].bound or 0, x.size)
        p = self.array((self.count_type(bound),), x.dims, self.level)
        q = self.array((self.count_type(bound),), [Dim(keys)], self.level)
        self.line(
            f"{p.name}, {q.name} = obs.rank {result.name}{self.strategy('rank', None, x)} : {result.type} -> "
            f"{p.type}, {q.type}"
        )

        def ranks(data: list[Any]) -> list[Any]:
            places = [0] * len(data)
            for place, i in enumerate(sorted(range(len(data)), key=lambda i: data[i][0])):
                places[i] = place
            return [(place,) for place in places]

        self.define(p, [result], ranks)
        self.define(q, [result], lambda data: [(sum(k == j for (k,) in data),) for j in range(keys)])
        return self.forced(p, q)

    def expand(self, x: Array) -> Array | None:
        most = self.rng.choice([1, 2, 4])
        dims = (Dim(x.size * most + self.rng.randint(0, 3)),)
        if not self.is_small(dims[0].n):
            return None
        type = self.rng.choice(["i8", "i16", "i32", "i64", "index"])
        source, lengths = self.generate(("index",), x.dims), self.array((type,), x.dims)
        m, r, c, y = (self.name() for _ in range(4))
        self.line(f"{lengths.name} = obs.map ({y} = {source.name} : {source.type}) -> {lengths.type} {{")
        self.line(f"  {m} = arith.constant {most + 1} : index")
        self.line(f"  {r} = arith.remui {y}, {m} : index")
        if type == "index":
            c = r
        else:
            self.line(f"  {c} = arith.index_cast {r} : index to {type}")
        self.line(f"  obs.yield {c} : {type}")
        self.line("}")
        self.define(lengths, [source], lambda data: [(unsigned(k, "index") % (most + 1),) for (k,) in data])
        start = self.constant_values(x.elements)
        p = self.array(x.elements, dims, self.level)
        q = self.array((self.count_type(dims[0].n),), [Dim(1)], self.level)
        i, j, e = self.name(), self.name(), [self.name() for _ in x.elements]
        self.line(
            f"{p.name}, {q.name} = obs.expand ({i}, {j}) = {lengths.name} init "
            f"{', '.join(s.name for s in start)}{self.strategy('expand', None, x)} : {lengths.type} -> "
            f"{p.type}, {q.type} {{"
        )
        self.line(f"  {', '.join(e)} = obs.get {x.name}[{i}] : {x.type}")
        k = next((k for k, t in enumerate(x.elements) if t == "index"), None)
        if k is not None:
            self.line(f"  {e[k]}j = arith.addi {e[k]}, {j} : index")
            e[k] += "j"
        self.line(f"  obs.yield {', '.join(e)} : {', '.join(x.elements)}")
        self.line("}")

        def made(element: tuple[Any, ...], number: int) -> tuple[Any, ...]:
            return tuple(wrap(v + number, "index") if n == k else v for n, v in enumerate(element))

        def compute(data: list[Any], counts: list[Any], *first: Any) -> list[Any]:
            found = [
                made(element, number) for element, (count,) in zip(data, counts) for number in range(count)
            ]
            return found + [tuple(first)] * (dims[0].n - len(found))

        self.define(p, [x, lengths, *start], compute)
        self.define(q, [lengths], lambda counts: [(sum(count for (count,) in counts),)])
        return self.forced(p, q)

    def scatter(self, x: Array) -> Array | None:
        if len(x.elements) > 2 or any(t in ("i1", "index") for t in x.elements):
            return None
        if len({t in FLOATS for t in x.elements}) > 1:
            return None
        type = self.rng.choice(["i8", "i16", "i32", "i64", "index"])
        places, n = self.generate((type,), x.dims), self.rng.randint(1, min(self.limit(), 40))
        operator, start = self.operator(x.elements, of_memory=True), self.constant_values(x.elements)
        p = self.array(x.elements, (Dim(n),), self.level)
        below = LEVELS[: LEVELS.index(self.level)]
        attribute = ""
        if self.rng.random() < 0.4:
            attribute = (
                f' {{strategy = "{self.rng.choice(["atomic", *(f"per_{level}" for level in below)])}"}}'
            )
        self.line(
            f"{p.name} = obs.scatter {x.name} at {places.name} init {', '.join(s.name for s in start)} "
            f"reduce({operator.kind}){attribute} : {x.type}, {places.type} -> {p.type}"
        )

        def compute(data: list[Any], at: list[Any], *first: Any) -> list[Any]:
            result = [tuple(first)] * n
            for element, (i,) in zip(data, at):
                if 0 <= i < n:
                    result[i] = operator.combine(result[i], element)
            return result

        self.define(p, [x, places, *start], compute)
        return self.force(self.change_push(p))[0]

    # Control flow and parts.

    def carry(self, budget: int) -> Array | None:
        """A loop that carries one or two arrays."""
        rng = self.rng
        arrays = [
            x
            for x in self.arrays[-5:]
            if self.is_small(x.size)
            and (self.level == "grid" or not any(d.is_open and d.bound is None for d in x.dims))
        ]
        if not arrays:
            return None
        inits = rng.sample(arrays, min(len(arrays), rng.choice([1, 1, 2])))
        turns = rng.choice([0, 1, 2, 3])
        carried = [Array(self.name(), x.elements, x.dims, self.frame) for x in inits]
        results = [Array(self.name(), x.elements, x.dims, self.frame) for x in inits]
        counter = rng.choice(["index", "index", "i8", "i32", "i64"])
        is_unsigned = rng.random() < 0.4
        begin = (
            0
            if counter == "index"
            else (1 << (WIDTH[counter] - 1)) - 2
            if is_unsigned
            else rng.randint(-3, 3)
        )
        low, high, step = (self.known(wrap(k, counter), counter).name for k in (begin, begin + turns, 1))
        i = Scalar(self.name(), counter, self.frame, max(turns, 1) if counter == "index" else None)
        types = ", ".join(x.type for x in inits)
        self.line(
            f"{results[0].name}_:{len(results)} = scf.for{' unsigned' * is_unsigned} {i.name} = {low} to "
            f"{high} step {step} iter_args("
            f"{', '.join(f'{c.name} = {x.name}' for c, x in zip(carried, inits))}) -> ({types})"
            f"{'' if counter == 'index' else f' : {counter}'} {{"
        )
        state = self.enter(self.frame)
        self.arrays += carried
        self.stored |= {c.name for c in carried}
        self.scalars.append(i)
        self.statements(budget)
        yielded = [self.alike(c) for c in carried]
        self.line(f"scf.yield {', '.join(y.name for y in yielded)} : {types}")
        body = self.leave(state)
        self.line("}")
        first, size = [self.column(x) for x in inits], self.frame.size
        last = [self.column(y) for y in yielded]
        results = [r._replace(name=f"{results[0].name}_#{k}") for k, r in enumerate(results)]

        def run(env: Env) -> None:
            values = [column(env) for column in first]
            for turn in range(turns):
                env.update({c.name: value for c, value in zip(carried, values)})
                env[i.name] = [wrap(begin + turn, counter)] * size
                for each in body:
                    each(env)
                values = [column(env) for column in last]
            env.update({r.name: value for r, value in zip(results, values)})

        self.steps.append(run)
        self.arrays += results
        self.stored |= {r.name for r in results}
        return results[0]

    def alike(self, x: Array) -> Array:
        """An array of one type, a new one if there is one."""
        fits = [y for y in self.arrays if y.elements == x.elements and y.dims == x.dims]
        if fits[-1].name == x.name or self.rng.random() < 0.4:
            y = self.map([fits[-1]], x.elements)
            assert y is not None
            return y
        return fits[-1]

    def choose(self, budget: int) -> Array | None:
        """A branch of the whole level that gives an array."""
        x = self.pick(lambda x: self.is_small(x.size))
        if x is None:
            return None
        condition = self.condition(0)
        result = Array(self.name(), x.elements, x.dims, self.frame)
        self.line(f"{result.name} = scf.if {condition.name} -> ({x.type}) {{")
        bodies, columns = [], []
        for side in range(2):
            state = self.enter(self.frame)
            self.arrays.append(x)
            self.statements(budget if side == 0 else 0)
            y = self.alike(x) if side == 0 else x
            self.line(f"scf.yield {y.name} : {x.type}")
            columns.append(self.column(y))
            bodies += self.leave(state)
            self.line("} else {" if side == 0 else "}")
        test = self.column(condition)

        def run(env: Env) -> None:
            for step in bodies:
                step(env)
            env[result.name] = [a if c else b for c, a, b in zip(test(env), columns[0](env), columns[1](env))]

        self.steps.append(run)
        self.arrays.append(result)
        self.stored.add(result.name)
        return result

    def distribute(self, budget: int) -> Array | None:
        """Programs of this level or one below for each part."""
        rng = self.rng
        below = LEVELS[: LEVELS.index(self.level) + (self.level != "grid")]
        level = rng.choice(below)
        x = self.pick(
            lambda x: (
                len(x.dims) <= 2
                and 0 < x.size <= 300
                and not (self.level != "grid" and any(d.is_open for d in x.dims))
            )
        )
        if x is None or self.frame.size > 40:
            return None
        most = {"thread": 8, "warp": 40, "block": 100}.get(level, 100)
        rank = len(x.dims)
        sizes = [rng.randint(1, max(1, min(n, most if rank == 1 else int(most**0.5)))) for n in x.shape]
        counts = [-(-n // k) for n, k in zip(x.shape, sizes)]
        total = math.prod(counts)
        if total * self.frame.size > 40:
            sizes = [max(k, -(-n // 3)) for k, n in zip(sizes, x.shape)]
            counts = [-(-n // k) for n, k in zip(x.shape, sizes)]
            total = math.prod(counts)
            if total * self.frame.size > 60 or (level == "thread" and math.prod(sizes) > 24):
                return None
        is_open = any(d.is_open for d in x.dims)
        has_pad = is_open or any(n % k for n, k in zip(x.shape, sizes))
        pads = self.constant_values(x.elements) if has_pad else []
        is_strided = rng.random() < 0.4
        outer = tuple(Dim(c, d.is_open) for c, d in zip(counts, x.dims))
        inner = tuple(Dim(k) for k in sizes)
        nested = array_type([array_type(x.elements, inner)], outer)
        s, b = self.name(), self.name()
        pad = f" pad {', '.join(p.name for p in pads)}" if pads else ""
        self.line(f"{s} = obs.split {x.name}{' strided' * is_strided} by {sizes}{pad} : {x.type} -> {nested}")
        steps, table = strides(x.shape), []
        for chunk in indices(counts):
            row = []
            for at in indices(sizes):
                place = [
                    c + i * m if is_strided else c * k + i for c, i, m, k in zip(chunk, at, counts, sizes)
                ]
                is_in = all(p < n for p, n in zip(place, x.shape))
                row.append(sum(p * t for p, t in zip(place, steps)) if is_in else None)
            table.append(row)
        source, pad_columns = self.column(x), [self.column(p) for p in pads]
        around = self.frame
        frame, _ = self.lanes(counts, level)
        part = Array(b, x.elements, inner, frame)
        number = Scalar(self.name(), "index", frame, total) if rank == 1 and rng.random() < 0.6 else None
        operands = f"{b} = {s} : {nested}"
        if number:
            parts, extents = self.name(), self.extents_of_split(s, nested, outer)
            self.line(f"{parts} = obs.iota{extents} : {array_type(['index'], outer)}")
            operands += f", {number.name} = {parts} : {array_type(['index'], outer)}"
        head = len(self.lines)
        self.line("")
        state = self.enter(frame)
        self.arrays.append(part)
        if number:
            self.scalars.append(number)
        self.statements(budget)
        own = [
            y
            for y in self.arrays
            if y.frame is frame and self.is_small(y.size) and not any(d.is_open for d in y.dims)
        ]
        kept = [y for y in own if y.name in self.stored][-3:] or own[-1:] or [part]
        kept = self.rng.sample(kept, min(len(kept), self.rng.choice([1, 2, 2, 3])))
        finals = [self.last_push(y) for y in kept]
        self.line(f"obs.yield {', '.join(f.name for f in finals)} : {', '.join(f.type for f in finals)}")
        values = [self.column(f) for f in finals]
        body = self.leave(state)
        self.line("}")
        results = [self.array(f.elements, (*outer, *f.dims), self.level) for f in finals]
        types = ", ".join(r.type for r in results)
        self.lines[head] = (
            "  " * self.indent + f"{', '.join(r.name for r in results)} = obs.distribute {level} "
            f"({operands}) -> {types if len(results) == 1 else f'({types})'} {{"
        )
        made = [(r.name, value) for r, value in zip(results, values)]

        def run(env: Env) -> None:
            fill = list(zip(*(column(env) for column in pad_columns))) if pads else [()] * around.size
            env[b] = [
                [p if k is None else data[k] for k in row]
                for data, p in zip(source(env), fill)
                for row in table
            ]
            if number:
                env[number.name] = list(range(total)) * around.size
            for step in body:
                step(env)
            for name, value in made:
                chunks = value(env)
                env[name] = [
                    [y for chunk in chunks[k * total : (k + 1) * total] for y in chunk]
                    for k in range(around.size)
                ]

        self.steps.append(run)
        for k, (result, final) in enumerate(zip(results, finals)):
            if len(final.dims) == rank and rng.random() < 0.7:
                results[k] = self.join(result, counts, final.shape)
            if rng.random() < 0.4:
                results[k] = self.change_push(results[k])
        if rng.random() < 0.6:
            return self.force(*results)[0]
        return [self.force(result)[0] for result in results][0]

    def extents_of_split(self, s: str, nested: str, outer: Sequence[Dim]) -> str:
        names = []
        for d, dim in enumerate(outer):
            if dim.is_open:
                names.append(self.name())
                self.line(f"{names[-1]} = obs.dim {s}, {d} : {nested}")
        return f" [{', '.join(names)}]" if names else ""

    def last_push(self, x: Array) -> Array:
        return self.change_push_static(self.push(x))

    def change_push_static(self, p: Array) -> Array:
        changed = self.change_push(p) if self.rng.random() < 0.4 else p
        return changed if not any(d.is_open for d in changed.dims) else p

    def join(self, p: Array, counts: Sequence[int], sizes: Sequence[int]) -> Array:
        rank = len(counts)
        is_strided = self.rng.random() < 0.4
        dims = [Dim(c * k, d.is_open) for c, k, d in zip(counts, sizes, p.dims)]
        result = self.array(p.elements, dims, p.level)
        self.line(
            f"{result.name} = obs.join {p.name}{' strided' if is_strided else ''} : {p.type} -> {result.type}"
        )
        steps, table = strides(p.shape), []
        for index in indices(result.shape):
            at = [(i % c, i // c) if is_strided else (i // k, i % k) for i, c, k in zip(index, counts, sizes)]
            place = [a for a, _ in at] + [b for _, b in at]
            table.append(sum(i * s for i, s in zip(place, steps)))
        assert rank * 2 == len(p.dims)
        return self.define(result, [p], lambda data: [data[k] for k in table])

    # Statements.

    def rearranged(self) -> Array | None:
        x = self.pick(lambda x: self.is_small(x.size))
        if x is None:
            return None
        ways: list[Callable[[Array], Array | None]] = [
            self.reverse,
            self.transpose,
            self.take,
            self.slice,
            self.reshape,
            self.reindex,
            self.concat,
            self.split_join,
        ]
        return self.rng.choice(ways)(x)

    def combined(self) -> Array | None:
        x = self.pick(lambda x: self.is_small(2 * x.size))
        if x is None:
            return None
        draw = self.rng.randrange(4)
        if draw == 0 and len(x.elements) > 1:
            return self.unzip(x)[0]
        if draw == 1:
            others = [y for y in self.arrays if y.shape == x.shape and len(y.elements) + len(x.elements) <= 4]
            return self.zip([x, self.rng.choice(others)]) if others else None
        if draw == 2:
            others = [y for y in self.arrays if y.shape == x.shape and y.elements == x.elements]
            return self.interleave([x, self.rng.choice(others)])
        return self.table() if self.rng.random() < 0.5 else self.splat(self.element_types(), self.draw_dims())

    def statements(self, budget: int) -> None:
        for _ in range(budget):
            draw = self.rng.random()
            inner = max(1, budget // 2)
            if draw < 0.12:
                self.map()
            elif draw < 0.22:
                self.generate()
            elif draw < 0.4:
                self.rearranged()
            elif draw < 0.47:
                self.combined()
            elif draw < 0.56:
                self.store()
            elif draw < 0.66:
                self.fill()
            elif draw < 0.82:
                self.collective()
            elif draw < 0.87 and budget > 1:
                self.carry(inner)
            elif draw < 0.9 and budget > 1:
                self.choose(inner)
            elif budget > 1:
                self.distribute(inner)

    def build(self) -> None:
        rng = self.rng
        if rng.random() < 0.5:
            self.statements(rng.randint(2, 5) if self.most == STATIC_LIMIT else 2)
        else:
            self.distribute(rng.randint(2, 5))
            self.statements(rng.randint(0, 1))
        new = [x for x in self.arrays[len(self.inputs) :] if x.frame is self.frame and x.size <= 15000]
        chosen = [x for x in new if x.name in self.stored][-4:] or new[-1:] or [self.generate()]
        # What is returned has one element type, so that it is one file.
        self.results: list[Array] = []
        for x in chosen:
            self.results += [x] if len(x.elements) == 1 else self.unzip(x)

    def text(self) -> str:
        arguments = ", ".join(f"{x.name}: {x.type}" for x in self.inputs)
        types = ", ".join(x.type for x in self.results)
        names = ", ".join(x.name for x in self.results)
        body = "\n".join(self.lines)
        return "".join(self.functions) + (
            f"func.func private @{self.title}({arguments}) -> ({types}) {{\n{body}\n"
            f"  return {names} : {types}\n}}\n"
        )

    def run(self, inputs: Env) -> list[list[Any]]:
        env = dict(inputs)
        for step in self.steps:
            step(env)
        return [[element[0] for element in env[x.name][0]] for x in self.results]


class Group:
    """Programs over the same inputs."""

    def __init__(self, seed: str, numbers: Sequence[int]) -> None:
        rng = self.rng = random.Random(seed)
        self.root = Frame("grid", None, [0])
        self.inputs: list[Array] = []
        self.values: Env = {}
        is_large = rng.random() < 0.06
        for k in range(8):
            rank = [1, 1, 1, 1, 2, 2, 3, 1][k]
            most = {1: 100, 2: 12, 3: 6}[rank]
            dims = tuple(
                Dim(rng.randint(1, most) if rng.random() < 0.97 else 0, rng.random() < 0.5)
                for _ in range(rank)
            )
            if is_large and rank == 1:
                dims = (Dim(rng.choice([4095, 4096, 4097, 5000, 8192, 9001]), rng.random() < 0.5),)
            count = 1 if k < 7 else 2
            elements = tuple(rng.choice(TYPES) for _ in range(count))
            array = Array(f"%in{k}", elements, dims, self.root)
            self.inputs.append(array)
            self.values[array.name] = [[tuple(constant(rng, t) for t in elements) for _ in range(array.size)]]
        self.programs = [
            Program(f"{seed}/{number}", f"p{number}", self.inputs, self.root) for number in numbers
        ]
        self.threads, self.blocks = rng.choice(THREADS), rng.choice([1, 2, 3, 7, 64])
        self.schedule = rng.randrange(1000) if rng.random() < 0.6 else None

    def module(self, programs: Sequence[Program], only: int | None = None) -> str:
        """The functions, and `main`, which calls them all; perhaps for one result only."""
        arguments = ", ".join(f"{x.name}: {x.type}" for x in self.inputs)
        names, types, calls = [], [], []
        for program in programs:
            listed = ", ".join(x.type for x in program.results)
            results = [f"%{program.title}#{k}" for k in range(len(program.results))]
            calls.append(
                f"  %{program.title}:{len(results)} = func.call @{program.title}("
                f"{', '.join(x.name for x in self.inputs)}) : ({', '.join(x.type for x in self.inputs)}) "
                f"-> ({listed})"
            )
            names += results
            types += [x.type for x in program.results]
        if only is not None:
            names, types = [names[only]], [types[only]]
        head = f"func.func @main({arguments}) -> ({', '.join(types)}) {{"
        return (
            "".join(program.text() + "\n" for program in programs)
            + "\n".join([head, *calls, f"  return {', '.join(names)} : {', '.join(types)}", "}"])
            + "\n"
        )

    def write_inputs(self, folder: pathlib.Path) -> list[str]:
        """The files of the inputs, as arguments of obs-run."""
        arguments = []
        for x in self.inputs:
            for k, t in enumerate(x.elements):
                path = folder / f"{x.name[1:]}_{k}.bin"
                path.write_bytes(to_bytes((element[k] for element in self.values[x.name][0]), t))
                arguments.append(f"{path}:{'x'.join(map(str, x.shape))}x{t}")
        return arguments

    def emulation(self) -> list[str]:
        schedule = [] if self.schedule is None else ["--schedule=random", f"--seed={self.schedule}"]
        return [
            "--device=emulate",
            "--check=all",
            f"--threads={self.threads}",
            f"--blocks={self.blocks}",
            *schedule,
        ]


# Runs.


class Failure(NamedTuple):
    number: int
    why: str
    launch: list[str]
    only: int | None


class Tester:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.reasons: collections.Counter[str] = collections.Counter()  # of refusals

    def tool(self, name: str) -> str:
        return str(self.options.tools / name) if self.options.tools else name

    def execute(self, command: Sequence[str], seconds: int = 120) -> tuple[int, str]:
        try:
            done = subprocess.run(command, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return -1, "timeout"
        return done.returncode, done.stderr.decode(errors="replace")

    def run(
        self, path: pathlib.Path, inputs: list[str], types: Sequence[str], launch: Sequence[str]
    ) -> tuple[list[list[Any]], str]:
        """The results, or what is wrong."""
        outs = [path.parent / f"{path.stem}.out{k}" for k in range(len(types))]
        code, errors = self.execute(
            [
                self.tool("obs-run"),
                str(path),
                "--entry=main",
                *launch,
                *inputs,
                *(f"--out={out}" for out in outs),
            ]
        )
        if code:
            return [], errors.strip() or f"exit code {code}"
        return [from_bytes(out.read_bytes(), t) for out, t in zip(outs, types)], ""

    def launches(self, group: Group) -> list[list[str]]:
        return [["--device=interpret"], group.emulation()]

    def test(
        self, group: Group, programs: list[Program], numbers: list[int], folder: pathlib.Path
    ) -> tuple[int, list[Failure]]:
        """How many programs are refused, and what fails."""
        inputs = group.write_inputs(folder)
        path = folder / "group.mlir"
        path.write_text(group.module(programs))
        types = [x.elements[0] for program in programs for x in program.results]
        owners = [(k, r) for k, program in enumerate(programs) for r in range(len(program.results))]
        wanted: list[list[Any]] = []
        for program in programs:
            wanted += program.run(group.values)
        failures: dict[int, Failure] = {}
        for launch in self.launches(group):
            found, error = self.run(path, inputs, types, launch)
            if error and len(programs) > 1:
                # One program alone tells which.
                refused, every = 0, list[Failure]()
                for program, number in zip(programs, numbers):
                    more, failed = self.test(group, [program], [number], folder)
                    refused, every = refused + more, every + failed
                return refused, every
            if error:
                if is_refused(error):
                    self.reasons[mutations.LABEL.search(error)[0]] += 1
                    if self.options.refusals:
                        print(f"program {numbers[0]} is refused: {error[:500]}", flush=True)
                    return 1, []
                return 0, [Failure(numbers[0], error[:1000], launch, None)]
            for (k, r), got, want in zip(owners, found, wanted):
                problem = difference(got, want)
                if problem and k not in failures:
                    failures[k] = Failure(numbers[k], f"result {r} {problem}", launch, r)
        return 0, list(failures.values())


def is_refused(error: str) -> bool:
    first = re.search(r"error: (.*)", error)
    return (
        first is not None
        and mutations.LABEL.search(first[1]) is not None
        and mutations.ERROR.search(error) is not None
        and not mutations.CRASH.search(error)
    )


def difference(got: list[Any], want: list[Any]) -> str | None:
    if len(got) != len(want):
        return f"has {len(got)} elements, not {len(want)}"
    for i, (a, b) in enumerate(zip(got, want)):
        if not same(a, b):
            return f"is {got[i : i + 3]} from element {i} on, not {want[i : i + 3]}"
    return None


def keep(tester: Tester, group: Group, program: Program, failure: Failure, folder: pathlib.Path) -> None:
    """The failing program, with one result and its inputs, and how to run it."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs = group.write_inputs(folder)
    path = folder / f"p{failure.number}.mlir"
    text = group.module([program], failure.only)
    wanted = program.run(group.values)
    if tester.options.reduce:
        text = reduced(tester, text, inputs, program, failure, wanted, path)
    command = " ".join(
        ["obs-run", path.name, "--entry=main", *failure.launch, *(i.rsplit("/", 1)[1] for i in inputs)]
    )
    reason = failure.why.replace("\n", "\n// ")
    path.write_text(f"// {command}\n// {reason}\n{text}")
    print(f"kept in {path}", flush=True)


def reduced(
    tester: Tester,
    text: str,
    inputs: list[str],
    program: Program,
    failure: Failure,
    wanted: list[list[Any]],
    path: pathlib.Path,
) -> str:
    """A smaller program on which interpreter and launch still disagree, or fail in the same way."""
    r = failure.only
    pattern = re.sub(r"\d+", "_", re.sub(r"^.*?error: ", "", failure.why.splitlines()[0]))

    def is_same(candidate: str) -> bool:
        path.write_text(candidate)
        if r is None:
            _, error = tester.run(path, inputs, [x.elements[0] for x in program.results], failure.launch)
            return (
                bool(error)
                and re.sub(r"\d+", "_", re.sub(r"^.*?error: ", "", error.splitlines()[0])) == pattern
            )
        type = program.results[r].elements[0]
        first, error = tester.run(path, inputs, [type], ["--device=interpret"])
        if error:
            return False
        if failure.launch == ["--device=interpret"]:
            return difference(first[0], wanted[r]) is not None and len(first[0]) == len(wanted[r])
        second, error = tester.run(path, inputs, [type], failure.launch)
        return not error and difference(first[0], second[0]) is not None

    tidy = path.with_suffix(".tidy.mlir")
    path.write_text(text)
    code, _ = tester.execute(
        [tester.tool("obs-opt"), str(path), "--inline", "--symbol-dce", "--cse", "-o", str(tidy)]
    )
    if not code and is_same(tidy.read_text()):
        text = tidy.read_text()
    tidy.unlink(missing_ok=True)
    if failure.launch == ["--device=interpret"] and r is not None:
        return text
    return str(mutations.reduce(text, is_same, 600))


# Programs for later.


def emit(tester: Tester, group: Group, numbers: list[int], folder: pathlib.Path) -> dict[str, Any] | None:
    """Writes a group with its inputs, results and PTX; gives its entry in the manifest."""
    name = f"group{numbers[0]}"
    part = folder / name
    part.mkdir(parents=True, exist_ok=True)
    inputs = [f"{name}/" + argument.rsplit("/", 1)[1] for argument in group.write_inputs(part)]
    (part / "program.mlir").write_text(group.module(group.programs))
    results, number = [], 0
    for program in group.programs:
        for x, values in zip(program.results, program.run(group.values)):
            path = part / f"want{number}.bin"
            path.write_bytes(to_bytes(values, x.elements[0]))
            results.append(
                {
                    "file": f"{name}/{path.name}",
                    "type": x.elements[0],
                    "extents": x.shape,
                    "program": program.title,
                }
            )
            number += 1
    code, _ = tester.execute(
        [
            tester.tool("obs-translate"),
            "--obs-to-ptx",
            str(part / "program.mlir"),
            "-o",
            str(part / "program.ptx"),
        ]
    )
    if code:
        return None
    return {
        "program": f"{name}/program.mlir",
        "ptx": f"{name}/program.ptx",
        "entry": "main",
        "arguments": inputs,
        "results": results,
        "programs": [program.title for program in group.programs],
        "threads": group.threads,
        "blocks": group.blocks,
    }


def replay(tester: Tester, folder: pathlib.Path) -> int:
    """Runs what --emit wrote, and compares."""
    options = tester.options
    entries = json.loads((folder / "manifest.json").read_text())["groups"]
    count = failures = 0

    def run(entry: dict[str, Any]) -> tuple[int, list[str]]:
        problems = []
        ptx = folder / entry["ptx"]
        if options.ptxas:
            code, errors = tester.execute([options.ptxas, "-arch=sm_90", str(ptx), "-o", os.devnull], 600)
            if code:
                problems.append(f"{ptx}: {errors[:400]}")
        types = [result["type"] for result in entry["results"]]
        path = folder / entry["program"]
        launch = [f"--device={options.device}"]
        if options.device != "interpret":
            launch += [f"--threads={entry['threads']}"]
        found, error = tester.run(path, [str(folder / a) for a in entry["arguments"]], types, launch)
        if error:
            return len(entry["programs"]), [*problems, f"{path}: {error[:400]}"]
        for got, result in zip(found, entry["results"]):
            problem = difference(got, from_bytes((folder / result["file"]).read_bytes(), result["type"]))
            if problem:
                problems.append(f"{path}, {result['program']}, {result['file']} {problem}")
        return len(entry["programs"]), problems

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for programs, problems in pool.map(run, entries):
            count, failures = count + programs, failures + len(problems)
            for problem in problems:
                print(problem, flush=True)
    print(f"{count} programs, {failures} failures")
    return 1 if failures or not count else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tools", type=pathlib.Path, help="folder of obs-run, obs-opt and obs-translate (default: PATH)"
    )
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for failing programs")
    parser.add_argument("--reduce", action="store_true", help="make failing programs small")
    parser.add_argument("--only", type=int, help="run the program with this number alone")
    parser.add_argument("--print", action="store_true", help="print the module of --only and stop")
    parser.add_argument(
        "--emit", type=pathlib.Path, help="write programs and results instead of running them"
    )
    parser.add_argument("--replay", type=pathlib.Path, help="run what --emit wrote")
    parser.add_argument("--device", default="cuda", help="of --replay")
    parser.add_argument("--ptxas", help="assemble the PTX of --replay with this")
    parser.add_argument("--refusals", action="store_true", help="print why programs are refused")
    parser.add_argument("--show", type=int, default=20, help="so many failures are printed")
    options = parser.parse_args()
    tester = Tester(options)
    if options.replay:
        return replay(tester, options.replay)
    groups = list(mutations.ranges(0, options.programs, GROUP))
    if options.only is not None:
        start = options.only // GROUP * GROUP
        groups = [range(start, start + GROUP)]
    if options.print:
        group = Group(f"{options.seed}:{groups[0].start}", groups[0])
        print(group.module([group.programs[options.only - groups[0].start]]))
        return 0

    def one(numbers: range) -> tuple[int, int, list[tuple[Failure, Group]], dict[str, Any] | None]:
        group = Group(f"{options.seed}:{numbers.start}", numbers)
        chosen = [k for k in range(len(numbers)) if options.only in (None, numbers[k])]
        programs = [group.programs[k] for k in chosen]
        if options.emit:
            return len(programs), 0, [], emit(tester, group, list(numbers), options.emit)
        with tempfile.TemporaryDirectory() as folder:
            refused, failures = tester.test(
                group, programs, [numbers[k] for k in chosen], pathlib.Path(folder)
            )
        return len(programs), refused, [(failure, group) for failure in failures], None

    tried = refused = failed = 0
    entries: list[dict[str, Any]] = []
    causes: collections.Counter[str] = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for numbers, (count, more, failures, entry) in zip(groups, pool.map(one, groups)):
            tried, refused = tried + count, refused + more
            if tried % (50 * GROUP) == 0:
                print(f"{tried} programs, {failed} failures", flush=True)
            if entry:
                entries.append(entry)
            elif options.emit:
                refused += count
            for failure, group in failures:
                failed += 1
                causes[
                    re.sub(
                        r"%\S+|@\w+|\b\d+\b", "_", re.sub(r"^.*?error: ", "", failure.why.splitlines()[0])
                    )[:120]
                ] += 1
                if failed > options.show:
                    continue
                print(
                    f"program {failure.number} of seed {options.seed}, {' '.join(failure.launch)}: "
                    f"{failure.why}"
                )
                program = group.programs[failure.number - numbers.start]
                if options.keep:
                    keep(
                        tester, group, program, failure, options.keep / f"seed{options.seed}-{failure.number}"
                    )
                else:
                    print(
                        f"again: --seed {options.seed} --only {failure.number}\n{program.text()}", flush=True
                    )
    if options.emit:
        manifest = {"seed": options.seed, "programs": tried - refused, "groups": entries}
        (options.emit / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    if causes and failed > 3:
        for name, number in causes.most_common(10):
            print(f"{number} times {name}")
    share = 100.0 * refused / tried if tried else 0.0
    reasons = ", ".join(f"{number} {label}" for label, number in tester.reasons.most_common())
    print(f"{refused} refused, {share:.1f} %{': ' + reasons if reasons else ''}")
    print(f"{tried} programs, {failed} failures")
    return 1 if failed or share > 5 or tried == refused else 0


if __name__ == "__main__":
    sys.exit(main())
