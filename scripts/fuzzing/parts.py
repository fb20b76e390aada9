"""Sub-programs for parts of an array.

In: an array, and a budget of operations. Out: the arrays that obs.distribute makes from a program of this
level, or of one below, for each part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fuzzing.control import Control
from fuzzing.model import LEVELS, Array, Dim, Env, Scalar, array_type, indices, strides
from fuzzing.writer import rows


class Parts(Control):
    """Adds distribution over the units of a level."""

    def distribute(self, budget: int) -> Array | None:
        """Runs a program of this level, or of one below, for each part."""
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
            fill = list(rows(pad_columns, env)) if pads else [()] * around.size
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
        stored = [self.force(result)[0] for result in results]
        return stored[0]

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
        """Changes that leave no extent open."""
        changed = self.change_push(p) if self.rng.random() < 0.4 else p
        return changed if not any(d.is_open for d in changed.dims) else p

    def join(self, p: Array, counts: Sequence[int], sizes: Sequence[int]) -> Array:
        """Joins parts of these sizes to one array."""
        assert 2 * len(counts) == len(p.dims)
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
        return self.define(result, [p], lambda data: [data[k] for k in table])
