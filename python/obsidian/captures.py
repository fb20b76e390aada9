"""The captured values of a function: closures, globals, and their attributes, by value.

In: a Python function. Out: a key that is equal for equal code and equal captured values, so that
a function is traced again if a number that it uses has changed. The attributes are those that the
text reads from a captured name, as in `config.k` or `module.config.k`.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
from collections.abc import Hashable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .attributes import MISSING, dictionary, places_of, reads

_PACKAGE = __name__.split(".")[0]
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


@functools.lru_cache(maxsize=1024)
def _global_names(code: CodeType) -> tuple[str, ...]:
    """The names of globals that a function and those inside of it use or set, each once."""
    names = [
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL")
    ]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _global_names(constant)
    return tuple(dict.fromkeys(names))


def static_key(value: Any) -> Hashable:
    """A key that is equal for values that are the same, in all their parts.

    Numbers that are equal may differ in their type or in the sign of a zero, so they are compared
    by these, too. Other objects are compared by their own `==`. The key is not hashable if the
    value is not.
    """
    kind: Any = type(value)
    if isinstance(value, (float, complex)):
        return kind, repr(value)
    if isinstance(value, np.generic):
        return kind, str(value.dtype), value.tobytes()
    if isinstance(value, tuple):
        return (kind, *map(static_key, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(static_key, value))
    if dataclasses.is_dataclass(value) and kind.__hash__ is not object.__hash__:
        # The hash of a class may read some of the fields only.
        parts = [static_key(getattr(value, field.name)) for field in dataclasses.fields(value)]
        return (kind, hash(value), *parts)
    return kind, value


class Captures:
    """The captured values of a function and of the functions that it uses."""

    def __init__(self, function: FunctionType) -> None:
        """Take the current values."""
        self.function = function
        self._refresh()

    def key(self) -> Hashable:
        """A key of the captured values. It is computed again only if one of them has changed."""
        if self._has_mutable or not self._is_same():
            self._refresh()
        return self._key

    def is_same(self, key: Hashable) -> bool:
        """True if `key()` would return `key`, an earlier result of it; the key is not computed."""
        return self._key is key and not self._has_mutable and self._is_same()

    def watched(
        self, key: Hashable
    ) -> tuple[list[tuple[Any, ...]], list[tuple[str, Any, Any]]] | None:
        """The captured values by which `is_same` compares, if it holds for `key` now.

        Globals and attributes are a dictionary, a name and a value, without the value if there is
        none. Cells have a name, the cell and its content. None if one of them may change without a
        sign.
        """
        if not self.is_same(key) or any(value is MISSING for _, _, value in self._cells):
            return None
        names = [
            (dictionary(item[0]), *(item[1:] if item[2] is not MISSING else item[1:2]))
            for item in self._globals
        ]
        return names, self._cells

    def changed(self) -> str | None:
        """The name of a value that has changed since the key was computed, or None."""
        if self._is_same() and not self._has_mutable:
            return None
        for names, name, value in self._globals:
            # An attribute that gets its first value may be one that Python computes late.
            is_late = value is MISSING and (id(names), name) in self._attributes
            if names.get(name, MISSING) is not value and not is_late:
                return name
        for name, cell, value in self._cells:
            if _content(cell) is not value:
                return name
        before = self._key
        self._refresh()
        return None if before == self._key else "a list, a dictionary or an array"

    def _is_same(self) -> bool:
        for names, name, value in self._globals:
            if names.get(name, MISSING) is not value:
                return False
        for _, cell, value in self._cells:  # noqa: SIM110 - this is on the way of each call
            if _content(cell) is not value:
                return False
        return True

    def _refresh(self) -> None:
        self._globals: list[tuple[Mapping[str, Any], str, Any]] = []
        #: The attributes among them.
        self._attributes: set[tuple[int, str]] = set()
        self._cells: list[tuple[str, Any, Any]] = []
        self._has_mutable = False
        # Objects that are compared by identity live as long as the key.
        self._kept: list[Any] = []
        self._seen: set[int] = set()
        self._key = self._visit(self.function)

    def _visit(self, value: Any) -> Hashable:
        if isinstance(value, _PLAIN):
            return static_key(value)
        if isinstance(value, (ModuleType, BuiltinFunctionType, type)):
            return self._identity(value)
        if isinstance(value, (np.ndarray, np.generic)):
            self._has_mutable = self._has_mutable or isinstance(value, np.ndarray)
            return ("array", value.shape, str(value.dtype), value.tobytes())
        if isinstance(value, (tuple, frozenset)):
            return (type(value), *map(self._visit, value))
        if isinstance(value, (list, set)):
            self._has_mutable = True
            return (type(value), *map(self._visit, value))
        if isinstance(value, dict):
            self._has_mutable = True
            return ("dict", *((self._visit(k), self._visit(v)) for k, v in value.items()))
        inner = getattr(value, "__wrapped__", value)
        if isinstance(inner, FunctionType):
            return self._function(inner)
        return self._identity(value)

    def _identity(self, value: Any) -> Hashable:
        self._kept.append(value)
        return ("object", id(value))

    def _function(self, function: FunctionType) -> Hashable:
        if id(function) in self._seen or str(function.__module__).split(".")[0] == _PACKAGE:
            return self._identity(function)
        self._seen.add(id(function))
        self._kept.append(function)
        parts: list[Hashable] = [id(function.__code__), self._visit(function.__defaults__)]
        known: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            value = _content(cell)
            self._cells.append((name, cell, value))
            known[name] = value
            parts.append(self._visit(value))
        names = function.__globals__
        for name in _global_names(function.__code__):
            # A name without a value is a builtin, or gets its value later.
            value = names.get(name, MISSING)
            self._globals.append((names, name, value))
            parts.append((name, self._visit(value)))
        for name, attributes in reads(function.__code__):
            base = known.get(name, names.get(name, MISSING))
            parts += self._read(base, attributes) if base is not MISSING else ()
        return tuple(parts)

    def _read(self, base: Any, attributes: tuple[str, ...]) -> Iterator[Hashable]:
        """Watch the attributes of a value, each of the one before, and return their keys."""
        for name in attributes:
            places = places_of(base, name)
            for names, value in places:
                if (id(names), name) not in self._attributes:
                    self._attributes.add((id(names), name))
                    self._globals.append((names, name, value))
            base = places[-1][1] if places else MISSING
            if base is MISSING:
                return
            # Another object watches what its functions capture.
            is_function = isinstance(getattr(base, "__wrapped__", base), FunctionType)
            yield name, self._identity(base) if is_function else self._visit(base)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING
