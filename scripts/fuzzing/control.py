"""Loops and branches of a whole level that carry arrays.

In: arrays, and a budget of operations for the regions. Out: the arrays of scf.for and scf.if.
"""

from __future__ import annotations

from fuzzing.irregular import Irregular
from fuzzing.model import Array, Env, Scalar
from fuzzing.values import WIDTH, wrap


class Control(Irregular):
    """Adds loops and branches of arrays."""

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
        iterations = rng.choice([0, 1, 2, 3])
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
        low, high, step = (self.known(wrap(k, counter), counter).name for k in (begin, begin + iterations, 1))
        i = Scalar(self.name(), counter, self.frame, max(iterations, 1) if counter == "index" else None)
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
            for k in range(iterations):
                env.update({c.name: value for c, value in zip(carried, values)})
                env[i.name] = [wrap(begin + k, counter)] * size
                for each in body:
                    each(env)
                values = [column(env) for column in last]
            env.update({r.name: value for r, value in zip(results, values)})

        self.steps.append(run)
        self.arrays += results
        self.stored |= {r.name for r in results}
        return results[0]

    def alike(self, x: Array) -> Array:
        """An array of the same type, another one if there is one."""
        fits = [y for y in self.arrays if y.elements == x.elements and y.dims == x.dims]
        if fits[-1].name == x.name or self.rng.random() < 0.4:
            y = self.map([fits[-1]], x.elements)
            assert y is not None
            return y
        return fits[-1]

    def choose(self, budget: int) -> Array | None:
        """A branch of the whole level whose result is an array."""
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
