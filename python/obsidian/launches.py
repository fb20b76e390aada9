"""The launches of a program for given sizes: the steps of the host, on integers only.

In: the launch contract of a program, the names of the extents of its parameters, and sizes. Out:
the launched kernels, in order, with the sizes of their arguments under their names in reports:
`arg1.dim0` is the extent of argument 1 of a kernel in dimension 0, and `arg0` is a number.
`docs/Interop.md` describes the contract. Elements of arrays are not known here.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import ObsidianError

#: The extents of an array, a number, or None for a value that depends on elements of arrays.
_Value = int | tuple[int | None, ...] | None
#: A loop of the host with more iterations is not followed.
_LONGEST = 100_000
_UNKNOWN = "{} of the host is not known: it depends on elements, or on a size that is missing"
_DIM = re.compile(r"dim\((\w+), (\d+)\)$")


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel, with the sizes of its arguments."""

    kernel: str
    sizes: dict[str, int]


def _wrap(number: int) -> int:
    """A number modulo 2^64, as a signed number."""
    return (number + 2**63) % 2**64 - 2**63


def _unsigned(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda a, b: function(a % 2**64, b % 2**64)


def _truncate(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "max": max,
    "min": min,
    "abs": abs,
    "ceildiv": lambda a, b: -(-a // b),
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "truncdiv": _truncate,
    "truncmod": lambda a, b: a - _truncate(a, b) * b,
    "umax": _unsigned(max),
    "umin": _unsigned(min),
    "uceildiv": _unsigned(lambda a, b: -(-a // b)),
    "udiv": _unsigned(operator.floordiv),
    "umod": _unsigned(operator.mod),
    "ushr": _unsigned(operator.rshift),
    "ones": lambda a: (a % 2**64).bit_count(),
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "ult": _unsigned(operator.lt),
    "ule": _unsigned(operator.le),
    "ugt": _unsigned(operator.gt),
    "uge": _unsigned(operator.ge),
}
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: lambda a, b: a << b % 64,
    ast.RShift: lambda a, b: a >> b % 64,
}


class HostProgram:
    """The host function of a contract, and the names of the extents of its parameters."""

    def __init__(
        self, contract: Mapping[str, Any], labels: Sequence[Sequence[str]] | None = None
    ) -> None:
        """Read the contract of a program with one function.

        `labels` has one entry for each array and number that the function takes, in order: the
        names of its extents. Without labels, dimension 0 of the parameter x is `x_dim0`. A number
        has the name of its parameter.
        """
        self._function = contract["functions"][0]
        if "unsupported" in self._function:
            raise ObsidianError(f"the host has {self._function['unsupported']}, of no contract")
        self._kernels = {kernel["entry"]: kernel for kernel in contract["kernels"]}
        self._labels: dict[str, tuple[str, ...]] = {}
        for number, parameter in enumerate(self._function["parameters"]):
            name = parameter["name"]
            default = [f"{name}_dim{d}" for d in range(parameter.get("rank", 0))]
            self._labels[name] = tuple(labels[number] if labels is not None else default)

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the sizes of the program, each once."""
        names = [label for labels in self._labels.values() for label in labels]
        return tuple(dict.fromkeys(filter(None, names)))

    def sizes_of(self, arguments: Sequence[Any]) -> dict[str, int]:
        """The sizes of the arguments by name: one array or number for each that it takes."""
        sizes: dict[str, int] = {}
        for (name, labels), argument in zip(self._labels.items(), arguments):
            if labels:
                sizes.update(zip(labels, argument.shape))
            elif isinstance(argument, int):
                sizes[name] = argument
        return sizes

    def names(self) -> dict[str, dict[str, str]]:
        """For each kernel, the sizes of its arguments that are sizes of the program, by name.

        If a kernel is launched with different sizes, these have no names.
        """
        extents: dict[str, list[str]] = {}
        launches: list[tuple[str, list[str]]] = []
        values: dict[str, str] = {}
        for step in _walk(self._function["steps"]):
            if step["step"] == "let":
                values[step["name"]] = step.get("value", "")
            if step["step"] in ("allocate", "view"):
                extents[step["name"]] = [values.get(extent, extent) for extent in step["extents"]]
            if step["step"] == "launch":
                launches.append((step["kernel"], step["arguments"]))
        found: dict[str, dict[str, str]] = {}
        wrong: set[tuple[str, str]] = set()
        for kernel, arguments in launches:
            names = found.setdefault(kernel, {})
            for place, text in self._arguments(kernel, arguments):
                for spelt, name in self._named(place, text, extents):
                    if names.setdefault(spelt, name) != name:
                        wrong.add((kernel, spelt))
        for kernel, spelt in wrong:
            del found[kernel][spelt]
        return found

    def _named(
        self, place: str, text: str, extents: Mapping[str, list[str]]
    ) -> Iterator[tuple[str, str]]:
        """The sizes of one argument in the report, and their names or an empty text."""
        if text in self._labels and not self._labels[text]:
            yield place, text
        elif text in self._labels:
            for d, label in enumerate(self._labels[text]):
                if label:
                    yield f"{place}.dim{d}", label
        else:
            for d, extent in enumerate(extents.get(text, ())):
                match = _DIM.match(extent)
                labels = self._labels.get(match[1], ()) if match else ()
                label = labels[int(match[2])] if match and labels else ""
                yield f"{place}.dim{d}", label or f"{place}.dim{d}"

    def _arguments(self, kernel: str, arguments: Sequence[Any]) -> Iterator[tuple[str, Any]]:
        """The arguments as reports number them: an array and its extents are one argument."""
        count = 0
        array = ""
        for parameter, argument in zip(self._kernels[kernel]["parameters"], arguments):
            if parameter["kind"] == "extent" and array and parameter.get("pointer") == array:
                continue
            array = parameter["name"] if parameter["kind"] == "pointer" else ""
            yield f"arg{count}", argument
            count += 1

    def launches(self, sizes: Mapping[str, int]) -> list[Launch]:
        """The launches of a run with these sizes, in order.

        Raises ObsidianError if they depend on elements of arrays.
        """
        values: dict[str, _Value] = {}
        for name, labels in self._labels.items():
            extents = tuple(sizes.get(label) for label in labels)
            values[name] = extents if labels else sizes.get(name)
        found: list[Launch] = []
        self._run(self._function["steps"], values, found)
        return found

    def _run(self, steps: Any, values: dict[str, _Value], found: list[Launch]) -> None:
        for step in steps:
            kind = step["step"]
            if kind == "let":
                text = step.get("value")
                values[step["name"]] = _evaluate(text, values) if text else None
            elif kind in ("allocate", "host", "view", "strided", "part"):
                dropped = step.get("dropped", ())
                kept = (e for d, e in enumerate(step["extents"]) if d not in dropped)
                values[step["name"]] = tuple(_number(e, values) for e in kept)
            elif kind == "cast":
                values[step["name"]] = values.get(step["array"])
            elif kind == "launch":
                found.append(self._launch(step, values))
            elif kind == "for":
                self._run_for(step, values, found)
            elif kind == "while":
                self._run_while(step, values, found)
            elif kind == "if":
                self._run_if(step, values, found)

    def _launch(self, step: Any, values: Mapping[str, _Value]) -> Launch:
        sizes: dict[str, int] = {}
        arguments = [_evaluate(text, values) for text in step["arguments"]]
        for place, value in self._arguments(step["kernel"], arguments):
            if isinstance(value, int):
                sizes[place] = value
            elif value is not None:
                extents = {f"{place}.dim{d}": extent for d, extent in enumerate(value)}
                sizes.update((k, extent) for k, extent in extents.items() if extent is not None)
        return Launch(step["kernel"], sizes)

    def _run_for(self, step: Any, values: dict[str, _Value], found: list[Launch]) -> None:
        begin, end, by = (_number(step[word], values) for word in ("from", "to", "by"))
        if begin is None or end is None or by is None:
            raise ObsidianError(_UNKNOWN.format("the number of iterations of a loop"))
        rounds = range(begin, end, by)
        if len(rounds) > _LONGEST:
            raise ObsidianError(f"a loop of the host has more than {_LONGEST} iterations")
        carried = [_evaluate(pair["initial"], values) for pair in step["carried"]]
        for number in rounds:
            values[step["name"]] = number
            values.update(zip((pair["name"] for pair in step["carried"]), carried))
            self._run(step["steps"], values, found)
            carried = [_evaluate(text, values) for text in step["next"]]
        values.update(zip(step["results"], carried))

    def _run_while(self, step: Any, values: dict[str, _Value], found: list[Launch]) -> None:
        carried = [_evaluate(pair["initial"], values) for pair in step["carried"]]
        for _ in range(_LONGEST):
            values.update(zip((pair["name"] for pair in step["carried"]), carried))
            self._run(step["test"], values, found)
            condition = _number(step["condition"], values)
            if condition is None:
                raise ObsidianError(_UNKNOWN.format("the condition of a loop"))
            passed = [_evaluate(text, values) for text in step["passed"]]
            if not condition:
                values.update(zip(step["results"], passed))
                return
            values.update(zip(step["names"], passed))
            self._run(step["steps"], values, found)
            carried = [_evaluate(text, values) for text in step["next"]]
        raise ObsidianError(f"a loop of the host has more than {_LONGEST} iterations")

    def _run_if(self, step: Any, values: dict[str, _Value], found: list[Launch]) -> None:
        condition = _number(step["condition"], values)
        if condition is None:
            inner = [*_walk(step["then"]), *_walk(step["else"])]
            if any(one["step"] == "launch" for one in inner):
                raise ObsidianError(_UNKNOWN.format("a condition"))
            values.update(dict.fromkeys(step["results"]))
            return
        word = "then" if condition else "else"
        self._run(step[word], values, found)
        results = [_evaluate(text, values) for text in step[f"{word}Values"]]
        values.update(zip(step["results"], results))


def _walk(steps: Any) -> Iterator[Any]:
    """All steps, with those inside of loops and branches."""
    for step in steps:
        yield step
        for word in ("steps", "test", "then", "else"):
            if isinstance(step.get(word), list):
                yield from _walk(step[word])


def _number(text: str, values: Mapping[str, _Value]) -> int | None:
    value = _evaluate(text, values)
    return value if isinstance(value, int) else None


def _evaluate(text: str, values: Mapping[str, _Value]) -> _Value:
    """An expression of the contract; None for a float, or for an unknown value."""
    return _compute(ast.parse(text, mode="eval").body, values)


def _compute(node: ast.expr, values: Mapping[str, _Value]) -> _Value:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ast.Name):
        return values.get(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, [_compute(a, values) for a in node.args])
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _apply(
            _OPERATORS[type(node.op)], [_compute(node.left, values), _compute(node.right, values)]
        )
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _apply(operator.neg, [_compute(node.operand, values)])
    return None


def _call(name: str, arguments: list[_Value]) -> _Value:
    if name == "dim":
        array, dimension = arguments
        is_array = isinstance(array, tuple) and isinstance(dimension, int)
        return array[dimension] if is_array else None  # type: ignore[index]
    if name == "select":
        condition, then, other = arguments
        if condition is None:
            return then if then == other else None
        return then if condition else other
    return _apply(_FUNCTIONS[name], arguments) if name in _FUNCTIONS else None


def _apply(function: Callable[..., int], arguments: list[_Value]) -> int | None:
    numbers = [a for a in arguments if isinstance(a, int)]
    if len(numbers) < len(arguments):
        return None
    try:
        return _wrap(int(function(*numbers)))
    except ZeroDivisionError:
        return None
