"""The operators of reductions and scans.

In: the types of the elements. Out: an associative operation on tuples of them, as the text of a region or as
the name of a function, and the same in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fuzzing.model import Operator
from fuzzing.values import FLOAT_OPS, INTEGER_OPS, WIDTH, wrap
from fuzzing.writer import Writer

# The kinds of reductions in memory, and the operations of arith that they are.
KINDS = {
    "addi": "addi",
    "muli": "muli",
    "andi": "andi",
    "ori": "ori",
    "xori": "xori",
    "mins": "minsi",
    "maxs": "maxsi",
    "minu": "minui",
    "maxu": "maxui",
}


class Operators(Writer):
    """Adds operators of collectives."""

    def operator(self, elements: tuple[str, ...], of_memory: bool = False) -> Operator:
        """A reduction in memory has a kind, or a function; others have a region."""
        rng = self.rng
        if (
            not of_memory
            and len(elements) == 2
            and elements[0] == elements[1] in WIDTH
            and rng.random() < 0.4
        ):
            t = elements[0]
            return Operator(
                [
                    f"%r0 = arith.muli %a0, %b0 : {t}",
                    f"%m = arith.muli %a1, %b0 : {t}",
                    f"%r1 = arith.addi %m, %b1 : {t}",
                ],
                lambda a, b: (wrap(a[0] * b[0], t), wrap(wrap(a[1] * b[0], t) + b[1], t)),
                False,
            )
        if not of_memory and rng.random() < 0.15:
            last = [f"%r{k} = arith.select %yes, %b{k}, %a{k} : {t}" for k, t in enumerate(elements)]
            return Operator(["%yes = arith.constant true", *last], lambda a, b: b, False)
        if of_memory and all(t in WIDTH and t != "i1" for t in elements) and rng.random() < 0.25:
            return self.function(elements)
        if of_memory:
            if all(t in WIDTH for t in elements):
                kind = rng.choice([*KINDS])
                ops = [KINDS[kind]] * len(elements)
            else:
                kind = rng.choice(["maximumf", "minimumf"])
                ops = [kind] * len(elements)
        else:
            ops = [rng.choice([*INTEGER_OPS] if t in WIDTH else ["maximumf", "minimumf"]) for t in elements]
            ops = ["addi" if op == "subi" else op for op in ops]
            kind = ops[0] if len(ops) == 1 else ""

        def combine(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(
                wrap(INTEGER_OPS[op](x, y, t), t) if t in WIDTH else FLOAT_OPS[op](x, y)
                for op, t, x, y in zip(ops, elements, a, b)
            )

        return Operator(
            [f"%r{k} = arith.{op} %a{k}, %b{k} : {t}" for k, (op, t) in enumerate(zip(ops, elements))],
            combine,
            True,
            kind,
        )

    def function(self, elements: tuple[str, ...]) -> Operator:
        """The sum and 1 more of one element, the least of tuples."""
        name = f"{self.title}_f{len(self.functions)}"
        arguments = ", ".join(f"%{side}{k}: {t}" for side in "ab" for k, t in enumerate(elements))
        types, t = ", ".join(elements), elements[0]
        lines = [f"func.func private @{name}({arguments}) -> ({types}) {{"]
        if len(elements) == 1:
            lines += [
                f"  %one = arith.constant 1 : {t}",
                f"  %s = arith.addi %a0, %b0 : {t}",
                f"  %r0 = arith.addi %s, %one : {t}",
            ]
        else:
            u = elements[1]
            lines += [
                f"  %less = arith.cmpi slt, %b0, %a0 : {t}",
                f"  %same = arith.cmpi eq, %b0, %a0 : {t}",
                f"  %low = arith.cmpi slt, %b1, %a1 : {u}",
                "  %both = arith.andi %same, %low : i1",
                "  %is = arith.ori %less, %both : i1",
                f"  %r0 = arith.select %is, %b0, %a0 : {t}",
                f"  %r1 = arith.select %is, %b1, %a1 : {u}",
            ]
        lines += [f"  return {', '.join(f'%r{k}' for k in range(len(elements)))} : {types}", "}"]
        self.functions.append("\n".join(lines) + "\n")
        if len(elements) == 1:
            return Operator([], lambda a, b: (wrap(a[0] + b[0] + 1, t),), True, f"@{name}")
        return Operator([], min, True, f"@{name}")

    def region(self, operator: Operator, elements: Sequence[str]) -> None:
        """The region of a collective."""
        for text in operator.code:
            self.line("  " + text)
        self.line(f"  obs.yield {', '.join(f'%r{k}' for k in range(len(elements)))} : {', '.join(elements)}")
        self.line("}")
