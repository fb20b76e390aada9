"""Arrays whose elements are those of others, in another order or shape.

In: an array, or several of one shape. Out: a reversal, permutation, part, concatenation or the like; no
element is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from fuzzing.arrays import Arrays
from fuzzing.model import Array, Dim, array_type, indices, strides


class Views(Arrays):
    """Adds operations that rearrange arrays."""

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
        # The result has the extents of the first array whose extents are all static, since they say most.
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

    def split_join(self, x: Array) -> Array | None:
        """Chunks, and their concatenation in the other order, or the same."""
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
