"""The optional module `obsidian_accelerator`, which makes calls on a GPU in C.

In: the parameters of a program, and the program on a GPU. Out: a fast call like that of
`fast_calls.py`, with the same results. The distribution `obsidian-gpu-accelerator` brings the
module. Without it, the package does the same in Python. `OBS_ACCELERATOR` names the file of another
one; if it is empty, none is used.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import warnings
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from . import trace
from .dlpack import type_of
from .errors import ObsidianError, PerformanceWarning

if TYPE_CHECKING:
    from .captures import Captures
    from .parameters import Parameter

_NAME = "obsidian_accelerator"
_VERSION = 2
_EQUAL, _AT_MOST, _SAME = range(3)


class Accelerated(Protocol):
    """A program in the accelerator, and the word `user` of its callbacks."""

    @property
    def address(self) -> int:
        """The address of this object, which callbacks of C receive."""

    def prepare(self, **given: Any) -> bool:
        """Describe the program; see `describe`. False if the accelerator cannot call it."""

    def run(self, values: Sequence[Any]) -> list[Any] | None:
        """A fast call; see `fast_calls.FastCall`."""


#: A function of the arguments of a call: its value, or None if it is no such call.
Entry = Callable[[tuple[Any, ...]], Any]


@functools.cache
def _load(named: str | None) -> Any:
    if named == "":
        return None
    try:
        if named is None:
            found = importlib.import_module(_NAME)
        else:
            spec = importlib.util.spec_from_file_location(_NAME, named)
            assert spec is not None and spec.loader is not None
            found = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(found)
    except ImportError as error:
        if named is not None:
            raise ObsidianError(f"OBS_ACCELERATOR names {named}: {error}") from None
        return None
    if found.VERSION != _VERSION:
        warnings.warn(
            f"{_NAME} has version {found.VERSION}, and this package needs {_VERSION}: calls on a "
            "GPU are slower than they could be; install the accelerator of this version",
            PerformanceWarning,
            stacklevel=2,
        )
        return None
    return found


def accelerator() -> Any:
    """The module, or None if there is none."""
    return _load(os.environ.get("OBS_ACCELERATOR"))


def describe(
    parameters: Sequence[Parameter], dtypes: Sequence[Any], written: Collection[str]
) -> dict[str, Any] | None:
    """The words of the parameters, and what they must be, as `prepare` takes them.

    `dtypes` are the types of the arrays in their framework, one for each parameter. `written` names
    the parameters that the program may write. None for parameters that need preparation: tuples of
    arrays, and numbers of 16 bits.
    """
    # Modules of frameworks import this one.
    from .fast_calls import NUMBERS

    items: list[tuple[str, int, Any, int, int, bool]] = []
    checks: list[tuple[int, int, int]] = []
    labels: dict[str, int] = {}
    free = 0
    for parameter, dtype in zip(parameters, dtypes):
        if parameter.number is not None:
            found = NUMBERS.get(parameter.number)
            if found is None:
                return None
            # The word begins with the letter of the type.
            items.append((found[1][0], 0, None, 0, 0, False))
            free += 1
            continue
        if len(parameter.elements) != 1 or dtype is None:
            return None
        is_written = parameter.name in written
        items.append(("a", parameter.rank, dtype, *type_of(parameter.elements[0]), is_written))
        for d, extent, bound, label in parameter.dimensions:
            word = free + 1 + d
            if extent is not None:
                checks.append((_EQUAL, word, extent))
            if bound is not None:
                checks.append((_AT_MOST, word, bound))
            if label is not None and labels.setdefault(label, word) != word:
                checks.append((_SAME, word, labels[label]))
        free += 1 + parameter.rank
    if all(kind != "a" for kind, *_ in items):
        return None
    return {"parameters": tuple(items), "checks": tuple(checks)}


def make_entry(
    call: Accelerated,
    captures: Captures,
    key: Hashable,
    foreign: type,
    finish: Callable[[Sequence[Any], list[Any]], Any],
    form: int,
) -> Entry | None:
    """A program as a function whose captured values have this key, now.

    `finish` makes the value of the function of the arguments and results. If there is no result of
    the class `foreign`, this is the only result for the form 1, or the tuple of all for 2. None if
    the values may change without a sign.
    """
    watched = captures.watched(key)
    if watched is None:
        return None
    made = accelerator().Entry(call, trace.thread_state, *watched, foreign, finish, form)
    entry: Entry = made.run
    return entry
