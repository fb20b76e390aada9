"""Random arrays: their types and sizes, and those that scalar code computes.

In: the level and the arrays in scope. Out: one of those arrays, or a new one by obs.map, obs.generate,
obs.splat, obs.constant or obs.take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fuzzing.expressions import Expressions
from fuzzing.model import Array, Dim, Env, Scalar, Step, indices, strides
from fuzzing.values import TYPES, constant, spell
from fuzzing.writer import Column, rows


class Arrays(Expressions):
    """Adds arrays that are computed."""

    # Choices.

    def pick(self, fits: Callable[[Array], bool] = lambda _: True) -> Array | None:
        chosen = [x for x in self.arrays if fits(x)]
        if not chosen:
            return None
        x = self.rng.choice(chosen[-4:] if self.rng.random() < 0.75 else chosen)
        # Arrays that are stored below level grid need bounds.
        if self.level != "grid" and any(d.is_open and d.bound is None for d in x.dims):
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

    def constant_values(self, elements: tuple[str, ...]) -> list[Scalar]:
        return [
            self.expression(t, 0) if self.rng.random() < 0.4 else self.known(constant(self.rng, t), t)
            for t in elements
        ]

    # Arrays with a region.

    def scalar_region(
        self,
        shape: Sequence[int],
        arguments: list[tuple[str, str, Column | None]],
        elements: tuple[str, ...],
        limits: Sequence[int] = (),
    ) -> Step:
        """The lines of a region that yields elements, for each index of a shape. `arguments` are names, types
        and values; without values, they are the coordinates of the index. Gives the step that sets the name
        `yield` to a list of tuples for each instance around."""
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
            found = list(rows(values, env))
            env["yield"] = [found[k * count : (k + 1) * count] for k in range(around)]

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
        arguments: list[tuple[str, str, Column | None]] = []
        parts = []
        for x in operands:
            source, names = self.column(x), [self.name() for _ in x.elements]
            parts.append(f"{', '.join(names)} = {x.name} : {x.type}")
            for k, (name, type) in enumerate(zip(names, x.elements)):
                arguments.append((name, type, self.elements_of(source, k)))
        self.line(f"{result.name} = obs.map ({', '.join(parts)}) -> {result.type} {{")
        run = self.scalar_region(result.shape, arguments, elements)
        self.line("}")
        return self.finish_region(result, run)

    @staticmethod
    def elements_of(source: Column, k: int) -> Column:
        return lambda env: [element[k] for data in source(env) for element in data]

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

    # Others.

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

    def permuted(
        self,
        text: str,
        source: Array,
        dims: Sequence[Dim],
        where: Callable[[tuple[int, ...]], tuple[int, ...]],
        more: str = "",
    ) -> Array:
        """The element at an index is the element of the source at `where(index)`."""
        result = self.array(source.elements, dims, source.level)
        steps = strides(source.shape)
        table = [sum(i * s for i, s in zip(where(index), steps)) for index in indices(result.shape)]
        self.line(f"{result.name} = {text} : {source.type}{more and more.replace('TYPE', result.type)}")
        return self.define(result, [source], lambda data: [data[k] for k in table])

    def listed(self, values: Sequence[int], are_open: Sequence[bool]) -> str:
        return "[" + ", ".join(self.index(v) if o else str(v) for v, o in zip(values, are_open)) + "]"

    def take(self, x: Array) -> Array:
        counts = [self.rng.randint(max(0, n - 9), n) if self.rng.random() < 0.9 else n for n in x.shape]
        dims = [self.dim(n)._replace(bound=None) for n in counts]
        if self.level != "grid":
            dims = [Dim(d.n, d.is_open, d.n + 3 if d.is_open else None) for d in dims]
        text = f"obs.take {x.name} {self.listed(counts, [d.is_open for d in dims])}"
        return self.permuted(text, x, dims, lambda i: i, " -> TYPE")
