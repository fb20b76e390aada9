"""Writes the text of a program, and beside it the steps that compute the same in Python.

In: lines of MLIR, and a Python function for each. Out: `lines`, the text, and `steps`, which fill an
environment with the values of all names. The classes of operators.py to program.py extend this one, each
by the operations in its file.
"""

from __future__ import annotations

import abc
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fuzzing.model import Array, Dim, Env, Frame, Scalar, Step, indices
from fuzzing.values import spell

STATIC_LIMIT = 600  # elements of an array of a block or the grid


class Text:
    """Numbered names, and indented lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count, self.indent = 0, 1

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> None:
        self.lines.append("  " * self.indent + text)


Column = Callable[[Env], list[Any]]


def rows(columns: Sequence[Column], env: Env) -> Iterable[tuple[Any, ...]]:
    """The values of all columns for each instance."""
    return zip(*(column(env) for column in columns))


class Writer(Text, abc.ABC):
    """The text and the steps of a function over the arrays `inputs`."""

    def __init__(self, seed: str, title: str, inputs: list[Array], root: Frame) -> None:
        super().__init__()
        self.rng, self.title = random.Random(seed), title
        self.frame, self.level = root, "grid"
        self.steps: list[Step] = []
        self.arrays: list[Array] = list(inputs)
        self.scalars: list[Scalar] = []
        self.stored = {array.name for array in inputs}
        self.inputs = inputs
        # Some groups have arrays of several parts of 4096 elements.
        self.most = 12000 if any(x.size > 4000 for x in inputs) else STATIC_LIMIT
        self.depth = 0
        self.functions: list[str] = []
        self.results: list[Array] = []

    # The classes between this one and Program call these two; later ones define them.

    @abc.abstractmethod
    def expression(self, type: str, depth: int) -> Scalar:
        """Writes a random scalar of a type; its operations nest up to the depth."""

    @abc.abstractmethod
    def statements(self, budget: int) -> None:
        """Writes random operations on arrays, as many as the budget."""

    def index(self, value: int) -> str:
        name = self.name()
        self.line(f"{name} = arith.constant {value} : index")
        return name

    def scope(self, type: str) -> list[Scalar]:
        return [x for x in self.scalars if x.type == type]

    def known(self, value: int, type: str = "index", limit: int | None = None) -> Scalar:
        scalar = Scalar(self.name(), type, self.frame, limit)
        self.line(f"{scalar.name} = arith.constant {spell(value, type)}")
        size, name = self.frame.size, scalar.name
        self.steps.append(lambda env: env.__setitem__(name, [value] * size))
        return scalar

    def column(self, value: Array | Scalar) -> Column:
        """The values for the instances of the present region, which may be inside the region of the value."""
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
        """Writes a line whose result is a scalar."""
        result = Scalar(self.name(), type, self.frame, limit)
        self.line(f"{result.name} = {text}")
        columns, name = [self.column(x) for x in operands], result.name
        self.steps.append(lambda env: env.__setitem__(name, [compute(*xs) for xs in rows(columns, env)]))
        self.scalars.append(result)
        return result

    def binary(
        self,
        op: str,
        a: Scalar,
        b: Scalar,
        compute: Callable[[Any, Any], Any],
        limit: int | None = None,
    ) -> Scalar:
        return self.let(f"{op} {a.name}, {b.name} : {a.type}", a.type, [a, b], compute, limit)

    def compare(self, op: str, a: Scalar, b: Scalar, compute: Callable[[Any, Any], bool]) -> Scalar:
        return self.let(
            f"{op}, {a.name}, {b.name} : {a.type}", "i1", [a, b], lambda x, y: -int(compute(x, y))
        )

    def select(self, condition: Scalar, a: Scalar, b: Scalar, limit: int | None = None) -> Scalar:
        return self.let(
            f"arith.select {condition.name}, {a.name}, {b.name} : {a.type}",
            a.type,
            [condition, a, b],
            lambda c, x, y: x if c else y,
            limit,
        )

    def define(
        self,
        array: Array,
        operands: Sequence[Array | Scalar],
        compute: Callable[..., list[Any]],
        is_stored: bool = False,
    ) -> Array:
        """Adds the array of an operation; the line of the operation is written already."""
        columns, name = [self.column(x) for x in operands], array.name
        size = self.frame.size
        if columns:
            self.steps.append(lambda env: env.__setitem__(name, [compute(*xs) for xs in rows(columns, env)]))
        else:
            self.steps.append(lambda env: env.__setitem__(name, [compute()] * size))
        if array.level is None:
            self.arrays.append(array)
        if is_stored:
            self.stored.add(array.name)
        return array

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
        """A region with an instance for each index of a shape, and for each dimension those indices."""
        every = indices(shape)
        up = [lane for lane in range(self.frame.size) for _ in every]
        return Frame(level, self.frame, up), [
            [index[d] for index in every] * self.frame.size for d in range(len(shape))
        ]

    def extents(self, dims: Sequence[Dim]) -> str:
        """The operands for open extents."""
        names = [self.extent(dim) for dim in dims if dim.is_open]
        return f" [{', '.join(names)}]" if names else ""

    def extent(self, dim: Dim) -> str:
        """The extent of an array, if an array has the same one, or else a constant."""
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
