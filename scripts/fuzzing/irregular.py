"""Irregular operations: compaction, ranks, expansion and scatter.

In: an array of one dimension. Out: an array whose elements or places depend on data, and perhaps a count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fuzzing.collectives import Collectives
from fuzzing.model import LEVELS, Array, Dim
from fuzzing.values import FLOATS, unsigned, wrap


class Irregular(Collectives):
    """Adds irregular operations."""

    def collective(self) -> Array | None:
        x = self.pick(lambda x: len(x.dims) == 1 and self.is_small(x.size) and len(x.elements) <= 3)
        if x is None:
            return None
        ways: list[Callable[[Array], Array | None]] = [
            self.reduce,
            self.scan,
            self.scan,
            self.segmented,
            self.segmented,
            self.compact,
            self.expand,
            self.scatter,
        ]
        ways.append(self.partition if self.level == "grid" else self.rank)
        return self.rng.choice(ways)(x)

    def forced(self, p: Array, q: Array) -> Array:
        """Both in one store, or each in one of its own."""
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

    def below(self, limit: int, dims: Sequence[Dim]) -> Array:
        """An array of any integer type, of numbers from 0 to limit - 1."""
        type = self.rng.choice(["i8", "i16", "i32", "i64", "index"])
        source, result = self.generate(("index",), dims), self.array((type,), dims)
        m, r, c, y = (self.name() for _ in range(4))
        self.line(f"{result.name} = obs.map ({y} = {source.name} : {source.type}) -> {result.type} {{")
        self.line(f"  {m} = arith.constant {limit} : index")
        self.line(f"  {r} = arith.remui {y}, {m} : index")
        if type == "index":
            c = r
        else:
            self.line(f"  {c} = arith.index_cast {r} : index to {type}")
        self.line(f"  obs.yield {c} : {type}")
        self.line("}")
        return self.define(result, [source], lambda data: [(unsigned(k, "index") % limit,) for (k,) in data])

    def rank(self, x: Array) -> Array:
        keys = self.rng.choice([1, 2, 5, 16])
        result = self.below(keys, x.dims)
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

    def partition(self, x: Array) -> Array | None:
        """Elements with keys, in the order of the keys."""
        if len(x.elements) > 2:
            return None
        limit = self.rng.choice([1, 2, 3, 16])
        keys = self.below(limit, x.dims)
        kind = keys.elements[0]
        whole = self.array((*keys.elements, *x.elements), x.dims)
        self.line(f"{whole.name} = obs.zip {keys.name}, {x.name} : {keys.type}, {x.type}")
        self.define(whole, [keys, x], lambda a, b: [(*k, *y) for k, y in zip(a, b)])
        starts = self.array(("i32",), [Dim(limit)])
        zero, j, m, y, w, c, e, t, stored = (self.name() for _ in range(9))
        ones = self.array(("i32",), x.dims)
        self.line(f"{zero} = arith.constant 0 : i32")
        self.line(f"{starts.name} = obs.generate ({j}) {{")
        self.line(f"  {m} = obs.map ({y} = {keys.name} : {keys.type}) -> {ones.type} {{")
        if kind != "index":
            self.line(f"    {w} = arith.index_cast {y} : {kind} to index")
        self.line(f"    {c} = arith.cmpi ult, {y if kind == 'index' else w}, {j} : index")
        self.line(f"    {e} = arith.extui {c} : i1 to i32")
        self.line(f"    obs.yield {e} : i32")
        self.line("  }")
        self.line(f"  {t} = obs.reduce (%a0, %b0) = {m} init {zero} : {ones.type} -> i32 {{")
        self.line("    %c0 = arith.addi %a0, %b0 : i32")
        self.line("    obs.yield %c0 : i32")
        self.line("  }")
        self.line(f"  obs.yield {t} : i32")
        self.line(f"}} : {starts.type}")
        self.line(f"{stored} = obs.force {starts.name} : {starts.type}")
        p = self.array(whole.elements, x.dims, self.level)
        names = [self.name() for _ in whole.elements]
        self.line(
            f"{p.name} = obs.partition ({', '.join(names)}) = {whole.name} from {stored} : {whole.type}, "
            f"{starts.type} -> {p.type} {{"
        )
        self.line(f"  obs.yield {names[0]} : {kind}")
        self.line("}")
        self.define(p, [whole], lambda data: sorted(data, key=lambda element: element[0]))
        return self.force(self.change_push(p))[0]

    def expand(self, x: Array) -> Array | None:
        most = self.rng.choice([1, 2, 4])
        dims = (Dim(x.size * most + self.rng.randint(0, 3)),)
        if not self.is_small(dims[0].n):
            return None
        lengths = self.below(most + 1, x.dims)
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
