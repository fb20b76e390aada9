"""The attributes that a function reads from captured objects, and where their values are.

In: code of a function, an object, the name of an attribute. Out: the reads in the code, and the
dictionaries in which Python looks for the attribute, so that captures.py notices another value.
"""

from __future__ import annotations

import dis
import enum
import functools
import gc
import sys
from collections.abc import Mapping
from types import CodeType, ModuleType
from typing import Any

_PACKAGE = __name__.split(".")[0]
#: In place of the value of a name that has none.
MISSING = object()


@functools.lru_cache(maxsize=1024)
def reads(code: CodeType) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The names of which a function and those inside of it read attributes, with these in order."""
    found: dict[tuple[str, tuple[str, ...]], None] = {}
    base: str | None = None
    attributes: tuple[str, ...] = ()
    for instruction in [*dis.get_instructions(code), None]:
        name = instruction.opname if instruction is not None else ""
        if base is not None and instruction is not None and name in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes = (*attributes, instruction.argval)
        elif name != "EXTENDED_ARG":
            if base is not None and attributes:
                found[base, attributes] = None
            is_name = instruction is not None and name in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
            base, attributes = instruction.argval if instruction and is_name else None, ()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(dict.fromkeys(reads(constant)))
    return tuple(found)


#: The mapping of an attribute, and its value or `MISSING`.
Place = tuple[Mapping[str, Any], Any]


def places_of(base: Any, name: str) -> list[Place]:
    """The mappings in which Python looks for an attribute, up to the one that has it.

    Empty for attributes that have their value from a function, and for those that do not change:
    of this package, the standard library and enumerations.
    """
    kind = type(base)
    if isinstance(base, ModuleType):
        root = base.__name__.partition(".")[0]
        value = vars(base).get(name, MISSING)
        is_late = value is MISSING and "__getattr__" in vars(base)
        if is_late or root == _PACKAGE or root in sys.stdlib_module_names:
            return []
        return [(vars(base), value)]
    is_own = str(kind.__module__).partition(".")[0] == _PACKAGE
    if isinstance(base, enum.EnumMeta) or is_own:
        return []
    places: list[Place] = []
    classes = base.__mro__ if isinstance(base, type) else kind.__mro__
    value, owner = next(((vars(c)[name], c) for c in classes if name in vars(c)), (MISSING, None))
    if not isinstance(base, type):
        plain: Any = object.__getattribute__
        is_plain = kind.__getattribute__ is plain
        own = getattr(base, "__dict__", None) if is_plain else None
        if type(own) is not dict or hasattr(type(value), "__set__"):
            return []
        places.append((own, own.get(name, MISSING)))
        if name in own:
            return places
    if hasattr(type(value), "__get__") or (owner is None and hasattr(kind, "__getattr__")):
        return []
    for c in classes:
        places.append((vars(c), vars(c).get(name, MISSING)))
        if c is owner or owner is None:
            break
    return places


def dictionary(names: Mapping[str, Any]) -> Mapping[str, Any]:
    """The dictionary behind the names of a class, which show it without a way to change it."""
    return names if isinstance(names, dict) else gc.get_referents(names)[0]
