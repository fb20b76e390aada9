"""Numbers that depend on sizes, as the reports of the compiler write them.

In: the text of a number, such as `at most 4 * n + ceil(n / 512)`. Out: `Formula`, whose value
follows from the sizes by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from .errors import ArgumentError, ObsidianError

_TOKEN = re.compile(r"\s*(\d+|[^\W\d][\w.]*|[-+*/(),])")
_BOUND = "at most "

Sizes = Mapping[str, int]
_Node = Callable[[Sizes], int]


@dataclass(frozen=True)
class Formula:
    """A number that may depend on sizes. It compares equal to its text and, if constant, to it."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return self.constant == other
        return self.text == (other.text if isinstance(other, Formula) else other)

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_known(self) -> bool:
        """False for a number that the report does not know, which is written `?`."""
        return self.text != "?"

    @property
    def is_bound(self) -> bool:
        """True for an upper limit of the number."""
        return self.text.startswith(_BOUND)

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """The names of the sizes in the formula, each once, in the order of the text."""
        words = [m[1] for m in _TOKEN.finditer(self.text.removeprefix(_BOUND))]
        names = [w for w in words if w[0].isalpha() or w[0] == "_"]
        return tuple(dict.fromkeys(w for w in names if w not in _FUNCTIONS))

    @property
    def constant(self) -> int | None:
        """The number, if it depends on no size and is known."""
        return self.evaluate({}) if self.is_known and not self.sizes else None

    def evaluate(self, sizes: Sizes) -> int:
        """The number for sizes by name; the limit, if it is an upper limit.

        Raises ArgumentError if a size is missing, and ObsidianError if the number is not known.
        """
        if not self.is_known:
            raise ObsidianError("the report does not know this number: it depends on elements")
        return self._tree(sizes)

    @cached_property
    def _tree(self) -> _Node:
        return _Parser(self.text.removeprefix(_BOUND)).parse()


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _floor(a: int, b: int) -> int:
    return a // b


#: The functions of two numbers, and the text between the numbers.
_FUNCTIONS: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "ceil": ("/", _ceil),
    "floor": ("/", _floor),
    "min": (",", min),
    "max": (",", max),
}


class _Parser:
    """Sums of products of numbers, sizes and functions. A division stands in a function only."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: Iterator[str] = (m[1] for m in _TOKEN.finditer(text))
        self._next = next(self._tokens, "")

    def parse(self) -> _Node:
        tree = self._sum()
        if self._next:
            raise ObsidianError(f"{self._text!r} is no formula")
        return tree

    def _take(self, expected: str = "") -> str:
        token = self._next
        if not token or (expected and token != expected):
            raise ObsidianError(f"{self._text!r} is no formula")
        self._next = next(self._tokens, "")
        return token

    def _sum(self) -> _Node:
        terms: list[tuple[int, _Node]] = []
        sign = 1
        if self._next == "-":
            self._take()
            sign = -1
        terms.append((sign, self._product()))
        while self._next in ("+", "-"):
            sign = 1 if self._take() == "+" else -1
            terms.append((sign, self._product()))
        return lambda sizes: sum(sign * term(sizes) for sign, term in terms)

    def _product(self) -> _Node:
        factors = [self._factor()]
        while self._next == "*":
            self._take()
            factors.append(self._factor())

        def multiply(sizes: Sizes) -> int:
            product = 1
            for factor in factors:
                product *= factor(sizes)
            return product

        return multiply

    def _factor(self) -> _Node:
        token = self._take()
        if token.isdigit():
            return lambda sizes: int(token)
        if token == "(":
            inside = self._sum()
            self._take(")")
            return inside
        if token in _FUNCTIONS and self._next == "(":
            between, apply = _FUNCTIONS[token]
            self._take("(")
            first = self._sum()
            self._take(between)
            second = self._sum()
            self._take(")")
            return lambda sizes: apply(first(sizes), second(sizes))
        if not (token[0].isalpha() or token[0] == "_"):
            raise ObsidianError(f"{self._text!r} is no formula")
        return lambda sizes: _size(sizes, token)


def _size(sizes: Sizes, name: str) -> int:
    try:
        return sizes[name]
    except KeyError:
        raise ArgumentError(f"the number depends on {name}: pass {name}=...") from None
