"""Reductions and scans, of whole arrays and of segments.

In: an array of one dimension. Out: its reduction or scan with a random operator, strategy and level.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

from fuzzing.fills import Fills
from fuzzing.model import Array, Dim, Env, Operator, Scalar
from fuzzing.values import WIDTH
from fuzzing.writer import rows

ATOMIC = ("addi", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori")


class Collectives(Fills):
    """Adds reductions and scans."""

    def strategy(self, kind: str, operator: Operator | None, x: Array) -> str:
        """The attributes of a collective."""
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
                names += ["block_stride"] * (self.level == "block")
            else:
                names = ["sequential", "sklansky", "kogge_stone", "brent_kung", "raking"]
            if self.level == "block":
                names.append("warps")
            attributes.append(f'strategy = "{rng.choice(names)}"')
        return f" {{{', '.join(attributes)}}}" if attributes else ""

    def names(self, letter: str, x: Array) -> str:
        return ", ".join(f"%{letter}{k}" for k in range(len(x.elements)))

    def head(self, x: Array, start: list[Scalar]) -> str:
        return (
            f"({self.names('a', x)}, {self.names('b', x)}) = {x.name} init {', '.join(s.name for s in start)}"
        )

    def reduce(self, x: Array) -> Array | None:
        operator, start = self.operator(x.elements), self.constant_values(x.elements)

        def compute(data: list[Any], *first: Any) -> tuple[Any, ...]:
            return self.reduced(operator, data, first)

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
            totals = [compute(*xs) for xs in rows(columns, env)]
            for k, r in enumerate(results):
                env[r.name] = [total[k] for total in totals]

        self.steps.append(run)
        self.scalars += results
        return None

    @staticmethod
    def reduced(operator: Operator, data: list[Any], first: tuple[Any, ...]) -> tuple[Any, ...]:
        return functools.reduce(operator.combine, data, first)

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
                ends = [self.reduced(operator, data, tuple(first)) for data, *first in rows(columns, env)]
                for k, t in enumerate(totals):
                    env[t.name] = [end[k] for end in ends]

            self.steps.append(run)
            self.scalars += totals
        return self.force(self.change_push(p))[0]

    def offsets(self, n: int) -> tuple[Array, list[int]]:
        """Ascending numbers from 0 to n."""
        bounds = [0, *sorted(self.rng.randint(0, n) for _ in range(self.rng.randint(0, 6))), n]
        type = self.count_type(n)
        result = self.array((type,), [Dim(len(bounds))])
        self.line(f"{result.name} = obs.constant dense<{bounds}> : tensor<{len(bounds)}x{type}>")
        return self.define(result, [], lambda: [(b,) for b in bounds]), bounds

    def count_type(self, n: int) -> str:
        """An integer type that has the number n."""
        return self.rng.choice([t for t in WIDTH if t != "i1" and n < 1 << (WIDTH[t] - 1)])

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
            for begin, end in itertools.pairwise(ends):
                part = data[begin:end]
                if is_scan:
                    found += self.scanned(operator, part, first, is_exclusive)
                else:
                    found.append(self.reduced(operator, part, first))
            return found if is_scan else found + [first] * (count - len(found))

        self.define(p, [x, segments, *start], compute)
        return self.force(self.change_push(p))[0]
