"""Reads of array elements in scalar code.

In: arrays. Out: scalars that are elements of them, from obs.get with an index that is made to be in range, or
from obs.reduce in one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fuzzing.conversions import Conversions
from fuzzing.model import Array, Dim, Env, Scalar, strides
from fuzzing.values import divide, unsigned, wrap
from fuzzing.writer import rows


class Elements(Conversions):
    """Adds reads of elements."""

    def read(self, type: str) -> Scalar | None:
        """An element of that type, of one of the arrays, if one has such elements."""
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
                for data, *index in rows([source, *columns], env)
            ]
            for k, x in enumerate(results):
                env[x.name] = [element[k] for element in found]

        self.steps.append(run)
        self.scalars += results
        return results

    def index_in(self, dim: Dim, array: Array | None = None, d: int = 0) -> Scalar:
        """An index of an extent that is not 0, made from any number."""
        rng, n = self.rng, dim.n
        near = [x for x in self.scope("index") if x.limit is not None and x.limit <= n]
        if near and rng.random() < 0.5:
            return rng.choice(near[-3:])
        e = self.expression("index", rng.choice([0, 0, 1, 2]))

        def op(
            name: str, a: Scalar, b: Scalar, compute: Callable[[int, int], int], limit: int | None = None
        ) -> Scalar:
            return self.binary(f"arith.{name}", a, b, lambda x, y: wrap(compute(x, y), "index"), limit)

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
            is_negative = self.compare("arith.cmpi slt", rest, zero, lambda x, y: x < y)
            return self.select(is_negative, more, rest, n)
        if draw == 3:
            return op("minui", e, self.known(n - 1), lambda x, y: min(unsigned(x, "index"), y), n)
        if draw == 4:
            zero = self.known(0)
            is_in = self.compare("arith.cmpi ult", e, extent, lambda x, y: unsigned(x, "index") < y)
            return self.select(is_in, e, zero, n)
        return op("remui", e, extent, lambda x, y: unsigned(x, "index") % y, n)

    def fold(self, type: str) -> Scalar | None:
        """The reduction of an array in scalar code."""
        fits = [x for x in self.arrays[-10:] if x.elements == (type,) and len(x.dims) == 1 and x.size <= 40]
        if not fits or self.frame.size > 600:
            return None
        array, operator = self.rng.choice(fits), self.operator((type,))
        start = self.expression(type, 0)
        text, kind = array.name, array.type
        size, offset = array.size, self.known(0)
        if size > 0 and self.rng.random() < 0.5:
            # A part of it. The check that it is one need not depend on the element that is computed.
            size = self.rng.randint(1, size)
            last = self.known(array.size - size)
            offset, place = last, str(array.size - size)
            if self.rng.random() < 0.5:
                any_number = self.expression("index", 0)
                offset = self.binary(
                    "arith.minui", any_number, last, lambda x, y: min(unsigned(x, "index"), y), array.size
                )
                place = offset.name
            text, kind = self.name(), f"!obs.pull<{size} x {type}>"
            self.line(f"{text} = obs.slice {array.name} [{place}] [{size}] [1] : {array.type}")
        result = Scalar(self.name(), type, self.frame)
        self.line(
            f"{result.name} = obs.reduce (%a0, %b0) = {text} init {start.name} : "
            f"{kind} -> {type} {{"
        )
        self.region(operator, (type,))
        source, first, name = self.column(array), self.column(start), result.name
        begins = self.column(offset)

        def run(env: Env) -> None:
            values = []
            for data, x, begin in zip(source(env), first(env), begins(env)):
                total: tuple[Any, ...] = (x,)
                for element in data[begin : begin + size]:
                    total = operator.combine(total, element)
                values.append(total[0])
            env[name] = values

        self.steps.append(run)
        self.scalars.append(result)
        return result
