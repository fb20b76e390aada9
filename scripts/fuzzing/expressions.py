"""Scalar expressions of every type.

In: a type, a depth, and the scalars and arrays in scope. Out: a scalar, from arithmetic, comparisons, reads,
branches and loops.
"""

from __future__ import annotations

from collections.abc import Callable

from fuzzing.elements import Elements
from fuzzing.model import Env, Scalar
from fuzzing.values import (
    COMPARE_FLOATS,
    COMPARE_INTEGERS,
    DIVISIONS,
    FLOAT_OPS,
    FLOATS,
    INTEGER_OPS,
    SHIFTS,
    TYPES,
    UNARY_FLOATS,
    WIDTH,
    compare_floats,
    constant,
    round_to,
    unsigned,
    wrap,
)


class Expressions(Elements):
    """Adds random scalar code."""

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
            return self.select(condition, a, b)
        if draw < 0.4 and self.level == "thread" and self.frame.size < 3000:
            return self.branch(type, depth - 1) if rng.random() < 0.5 else self.loop(type, depth - 1)
        if draw < 0.44 and self.depth > 0:
            folded = self.fold(type)
            if folded is not None:
                return folded
        if type in FLOATS:
            return self.float_operation(type, depth)
        return self.integer_operation(type, depth)

    def integer_operation(self, type: str, depth: int) -> Scalar:
        rng = self.rng
        a = self.expression(type, depth - 1)
        draw = rng.random()
        if draw < 0.55 or type == "i1":
            op = rng.choice([*INTEGER_OPS])
            return self.wrapped(op, INTEGER_OPS[op], a, self.expression(type, depth - 1))
        if draw < 0.75:
            op = rng.choice([*DIVISIONS])
            value = rng.choice([1, 2, 3, 5, 7, 8, 10, 64, 100, -2, -3, -8, -128])
            return self.wrapped(op, DIVISIONS[op], a, self.known(value, type))
        if draw < 0.9:
            op = rng.choice([*SHIFTS])
            if rng.random() < 0.5:
                b = self.known(rng.randrange(WIDTH[type]), type)
            else:
                mask = self.known(WIDTH[type] - 1, type)
                free = self.expression(type, depth - 1)
                b = self.binary("arith.andi", free, mask, lambda x, y: x & y)
            return self.wrapped(op, SHIFTS[op], a, b)
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

    def wrapped(self, op: str, compute: Callable[[int, int, str], int], a: Scalar, b: Scalar) -> Scalar:
        type = a.type
        return self.binary(f"arith.{op}", a, b, lambda x, y: wrap(compute(x, y, type), type))

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
        return self.binary(f"arith.{op}", a, b, lambda x, y: round_to(compute(x, y), type))

    def condition(self, depth: int) -> Scalar:
        type = self.rng.choice(TYPES)
        a, b = self.expression(type, depth), self.expression(type, depth)
        if type in FLOATS:
            predicate = self.rng.choice(["ord", "uno"] + [x + y for x in "ou" for y in COMPARE_FLOATS])
            return self.compare(f"arith.cmpf {predicate}", a, b, lambda x, y: compare_floats(predicate, x, y))
        predicate = self.rng.choice([*COMPARE_INTEGERS])
        compare = COMPARE_INTEGERS[predicate]
        number: Callable[[int, str], int] = unsigned if predicate[0] == "u" else lambda x, _: x
        return self.compare(
            f"arith.cmpi {predicate}", a, b, lambda x, y: compare(number(x, type), number(y, type))
        )

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
        """A loop of few iterations with a counter of any integer type, signed or not."""
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
        iterations = rng.randint(0, 4)
        high = low + iterations * step - (rng.randrange(step) if iterations else 0)
        if rng.random() < 0.3:
            # The counter would wrap after the last iteration.
            least, most = (0, (1 << bits) - 1) if is_unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            step = rng.choice([2, 3, 100, (1 << (bits - 1)) - 1])
            high = most - rng.randrange(3)
            low = min(max(high - iterations * step + rng.randrange(step), least), most)
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
