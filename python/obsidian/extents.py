"""The extents of the results of a program, from those of its arguments, before it runs.

In: the launch contract of a program (`docs/Interop.md`). Out: `ResultExtents`, which computes
extents from numbers, or from symbols for numbers, such as those of `torch.compile`. It uses only
operators of Python on them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .errors import ObsidianError


def _round_up(a: Any, b: Any) -> Any:
    return -(-a // b)


#: The functions of expressions, on numbers that are not negative and have at most 63 bits.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceildiv": _round_up,
    "uceildiv": _round_up,
    "floordiv": operator.floordiv,
    "truncdiv": operator.floordiv,
    "udiv": operator.floordiv,
    "mod": operator.mod,
    "umod": operator.mod,
    "truncmod": operator.mod,
    "ushr": lambda a, b: a // (1 << b),
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "ult": operator.lt,
    "ule": operator.le,
    "ugt": operator.gt,
    "uge": operator.ge,
    "select": lambda condition, then, other: then if condition else other,
}
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: lambda a, b: a * (1 << b),
    ast.RShift: lambda a, b: a // (1 << b),
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


class _Unknown(Exception):
    """An extent that is known only after a run; the argument is the reason."""


class ResultExtents:
    """The extents of the results of the function of a contract."""

    def __init__(self, contract: Mapping[str, Any]) -> None:
        """Read a contract with one function."""
        self._function = contract["functions"][0]
        #: The names of the arrays and numbers that the function takes, in order.
        self.names: list[str] = [p["name"] for p in self._function["parameters"]]
        self._ranks = {p["name"]: p.get("rank") for p in self._function["parameters"]}
        #: The definition of a name: the kind of the step, and its members.
        self._steps: dict[str, tuple[str, Any]] = {}
        for step in _walk(self._function.get("steps", [])):
            self._define(step)
        self._arrays: dict[str, list[ast.expr]] = {}

    def _define(self, step: Mapping[str, Any]) -> None:
        kind = step["step"]
        if "name" in step and kind != "for":
            self._steps[step["name"]] = (kind, step)
        if kind == "if":
            for name, then, other in zip(step["results"], step["thenValues"], step["elseValues"]):
                self._steps[name] = ("if", (then, other))
        if kind in ("for", "while"):
            names = [carried["name"] for carried in step["carried"]]
            for name, carried, after in zip(names, step["carried"], step["next"]):
                self._steps[name] = ("carried", (carried["initial"], after))
            for name, passed in zip(step["results"], step.get("passed", names)):
                self._steps[name] = ("let", {"value": passed})
            for name, passed in zip(step.get("names", []), step.get("passed", [])):
                self._steps[name] = ("let", {"value": passed})

    def of(self, number: int, sizes: Mapping[str, Any], largest: Any = max) -> tuple[Any, ...]:
        """The extents of a result.

        `sizes` has the extents of each array and each number that the function takes, by its name,
        and `largest` is the maximum of two. Raises ObsidianError for an extent that depends on the
        elements of arrays, or is not found in the contract.
        """
        if "unsupported" in self._function:
            raise ObsidianError(f"the contract has no steps for {self._function['unsupported']}")
        name = self._function["results"][number]["value"]
        try:
            extents = self._extents(name)
            return tuple(self._evaluate(extent, sizes, largest) for extent in extents)
        except _Unknown as unknown:
            # Some of them may depend on an assumption that was wrong.
            self._arrays.clear()
            raise ObsidianError(
                f"the extents of result {number} are known only when the program has run: {unknown}"
            ) from None

    def _extents(self, name: str) -> list[ast.expr]:
        """The extents of an array, as expressions."""
        rank = self._ranks.get(name)
        if rank is not None:
            return [_parse(f"dim({name}, {d})") for d in range(rank)]
        if name not in self._arrays:
            self._arrays[name] = self._find(name)
        return self._arrays[name]

    def _find(self, name: str) -> list[ast.expr]:
        kind, step = self._steps.get(name, ("", None))
        if kind in ("allocate", "host", "view", "strided", "part"):
            dropped = step.get("dropped", ())
            kept = [e for d, e in enumerate(step["extents"]) if d not in dropped]
            return [self._close(_parse(extent)) for extent in kept]
        if kind == "cast":
            return self._extents(step["array"])
        if kind == "let":
            return self._of_array(_parse(step["value"]))
        if kind == "if":
            return self._same(_parse(step[0]), _parse(step[1]))
        if kind == "carried":
            # By induction: an iteration keeps the extents if it does for those before the loop.
            initial, after = step
            self._arrays[name] = self._of_array(_parse(initial))
            return self._same(_parse(name), _parse(after))
        raise _Unknown(f"they come from {kind or name}")

    def _of_array(self, expression: ast.expr) -> list[ast.expr]:
        """The extents of an array that is a name, or a choice between two."""
        if isinstance(expression, ast.Name):
            return self._extents(expression.id)
        if isinstance(expression, ast.Call) and len(expression.args) == 3:
            return self._same(*expression.args[1:])
        raise _Unknown(f"an array is {ast.unparse(expression)}")

    def _same(self, first: ast.expr, second: ast.expr) -> list[ast.expr]:
        """The extents of two arrays that may be the same one."""
        extents = self._of_array(first)
        if [*map(ast.dump, extents)] != [*map(ast.dump, self._of_array(second))]:
            raise _Unknown("they depend on which way the program takes")
        return extents

    def _close(self, expression: ast.expr) -> ast.expr:
        """An expression of the arguments alone."""
        if isinstance(expression, ast.Name) and expression.id not in self._ranks:
            kind, step = self._steps.get(expression.id, ("", None))
            if kind == "let" and "value" in step:
                return self._close(_parse(step["value"]))
            if kind == "load":
                raise _Unknown(f"the host reads an element of {step['array']}")
            raise _Unknown(f"they depend on {expression.id}")
        if isinstance(expression, ast.BinOp):
            left, right = self._close(expression.left), self._close(expression.right)
            return ast.BinOp(left, expression.op, right)
        if isinstance(expression, ast.Call):
            array, *rest = expression.args
            if _is_dim(expression) and isinstance(array, ast.Name) and array.id not in self._ranks:
                number: int = ast.literal_eval(rest[0])
                return self._extents(array.id)[number]
            if not _is_dim(expression):
                arguments = [self._close(argument) for argument in expression.args]
                return ast.Call(expression.func, arguments, [])
        return expression

    def _evaluate(self, expression: ast.expr, sizes: Mapping[str, Any], largest: Any) -> Any:
        if isinstance(expression, ast.Constant):
            return expression.value
        if isinstance(expression, ast.Name):
            return sizes[expression.id]
        if isinstance(expression, ast.BinOp):
            left = self._evaluate(expression.left, sizes, largest)
            return _OPERATORS[type(expression.op)](
                left, self._evaluate(expression.right, sizes, largest)
            )
        if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Name):
            raise _Unknown(f"the contract has {ast.unparse(expression)}")
        if _is_dim(expression) and isinstance(expression.args[0], ast.Name):
            return sizes[expression.args[0].id][ast.literal_eval(expression.args[1])]
        name = expression.func.id
        values = [self._evaluate(argument, sizes, largest) for argument in expression.args]
        if name in ("max", "umax"):
            return largest(*values)
        if name in ("min", "umin"):
            return values[0] + values[1] - largest(*values)
        if name not in _FUNCTIONS:
            raise _Unknown(f"the contract has the function {name}")
        return _FUNCTIONS[name](*values)


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _is_dim(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "dim"


def _walk(steps: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """All steps, with those of loops and branches."""
    for step in steps:
        yield step
        for part in ("test", "then", "else", "steps"):
            yield from _walk(step.get(part, []))
