"""Push arrays, and programs that write elements.

In: arrays, and scalar code. Out: push arrays, the stored arrays that obs.force makes of them, and the arrays
that obs.fill writes: places that are distinct, parts side by side, nested loops, or sums in memory.
"""

from __future__ import annotations

import math
from typing import Any

from fuzzing.model import LEVELS, Array, Dim, Env, Operator, Scalar
from fuzzing.values import TYPES
from fuzzing.views import Views
from fuzzing.writer import rows


class Fills(Views):
    """Adds push arrays and fills."""

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

    # Fills.

    def fill(self) -> Array | None:
        ways = [self.fill_injective, self.fill_parts, self.fill_reduce, self.fill_nested]
        p = self.rng.choice(ways)()
        return self.force(self.change_push(p))[0] if p else None

    def start(
        self, elements: tuple[str, ...], dims: tuple[Dim, ...]
    ) -> tuple[str, list[Array | Scalar], Any]:
        """Initial contents: their text, their operands, and the function that makes a list of those."""
        size = math.prod(d.n for d in dims)
        onto = self.pick(
            lambda x: (
                x.elements == elements and x.dims == dims and (self.level != "grid" or x.name in self.stored)
            )
        )
        if onto is not None and self.rng.random() < 0.6:
            return self.onto(onto)
        values = self.constant_values(elements)
        return f" init {', '.join(x.name for x in values)}", list(values), lambda *xs: [tuple(xs)] * size

    @staticmethod
    def onto(x: Array) -> tuple[str, list[Array | Scalar], Any]:
        """The elements of an array as initial contents; see `start`."""
        return f" onto {x.name} : {x.type}", [x], list

    def update(self) -> Array | None:
        """A map of an array that is filled in place one to three times, after one of its elements is read."""
        x = self.pick(
            lambda x: (
                x.name in self.stored
                and x.frame is self.frame
                and len(x.dims) == 1
                and 0 < x.size
                and self.is_small(x.size)
            )
        )
        if x is None:
            return None
        self.get(x, [self.index_in(x.dims[0], x)])
        for _ in range(self.rng.randint(1, 3)):
            p = self.fill_injective(x)
            if p is None:
                return None
            x = self.force(p)[0]
        return self.map([x])

    def fill_injective(self, onto: Array | None = None) -> Array | None:
        """A loop whose iterations write places of their own; the other elements are those of `onto`."""
        rng = self.rng
        count = rng.randint(1, min(self.limit() // 2, 40))
        factor, shift, room = rng.choice([1, 1, 2, 3]), rng.randint(0, 3), rng.randint(0, 4)
        if onto is not None:
            count, factor = min(count, onto.size), 1
            shift = rng.randint(0, onto.size - count)
            room = onto.size - count - shift
        n = (count - 1) * factor + shift + 1 + room
        if not self.is_small(n):
            return None
        if onto is None:
            elements, dims = self.element_types(), (self.dim(n),)
            text, operands, begin = self.start(elements, dims)
        else:
            elements, dims = onto.elements, onto.dims
            text, operands, begin = self.onto(onto)
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
        written = [self.column(x) for x in values]
        guard = self.column(test) if test else None
        body = self.leave(state)
        self.line(f"}} : {result.type}")
        first, size = [self.column(x) for x in operands], self.frame.size

        def run(env: Env) -> None:
            env[i] = columns[0]
            for step in body:
                step(env)
            elements = list(rows(written, env))
            are_set = guard(env) if guard else [1] * len(elements)
            arrays = [begin(*xs) for xs in rows(first, env)]
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
        """With initial contents, and other numbers for every second element."""
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
        """A loop over units of a level, and in it one over threads; their indices are those of the result."""
        n, m = self.rng.randint(1, 6), self.rng.randint(1, 9 if self.level != "thread" else 2)
        if not self.is_small(n * m):
            return None
        elements, is_transposed = self.element_types(), self.rng.random() < 0.5
        unit = self.rng.choice(LEVELS[: LEVELS.index(self.level) + (self.level != "grid")])
        dims = (Dim(m), Dim(n)) if is_transposed else (Dim(n), Dim(m))
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
        place = f"{j}, {i}" if is_transposed else f"{i}, {j}"
        self.line(f"obs.write {', '.join(x.name for x in values)} at [{place}] : {', '.join(elements)}")
        if test:
            self.line("}")
        columns_written, guard = [self.column(x) for x in values], self.column(test) if test else None
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
            written = list(rows(columns_written, env))
            are_set = guard(env) if guard else [1] * len(written)
            if begin:
                arrays = [list(begin(*xs)) for xs in rows(sources, env)]
            else:
                arrays = [[()] * (n * m) for _ in range(size)]
            for k, element in enumerate(written):
                lane, x, y = k // (n * m), k // m % n, k % m
                if are_set[k]:
                    arrays[lane][y * n + x if is_transposed else x * m + y] = element
            env[result.name] = arrays

        self.steps.append(run)
        return result

    def reducible(self) -> tuple[str, ...]:
        if self.rng.random() < 0.75:
            return (self.rng.choice(["i8", "i16", "i32", "i32", "i64", "f32", "f64", "f16", "bf16", "i1"]),)
        return self.rng.choice([("i32", "i32"), ("i32", "i16"), ("i8", "i64"), ("f32", "f64")])

    def fill_reduce(self) -> Array | None:
        """Iterations whose elements are combined where they write to one place."""
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
        columns_written, at = [self.column(x) for x in values], self.column(place)
        body = self.leave(state)
        self.line(f"}} : {result.type}")
        first, size = [self.column(x) for x in operands], self.frame.size

        def run(env: Env) -> None:
            env[i] = columns[0]
            for step in body:
                step(env)
            written, places = list(rows(columns_written, env)), at(env)
            arrays = [begin(*xs) for xs in rows(first, env)]
            for lane in range(size):
                for k in range(lane * count, (lane + 1) * count):
                    arrays[lane][places[k]] = operator.combine(arrays[lane][places[k]], written[k])
            env[result.name] = arrays

        self.steps.append(run)
        return result
