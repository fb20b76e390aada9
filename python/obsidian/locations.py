"""Locations in the Python source of the user.

In: the frames of the running program. Out: `Location` objects, which the tracer writes into the
program text, so that each message of the compiler names a Python line.
"""

from __future__ import annotations

import dis
import linecache
import os
import sys
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: The file of NumPy's code, before 1.25, that calls `__array_function__`.
_DISPATCH = "<__array_function__ internals>"


@dataclass(frozen=True)
class Location:
    """A location in a file. Line and column count from 1. Column 0 is an unknown column."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}"
        return f"{place}:{self.column}" if self.column else place

    def excerpt(self) -> str:
        """The source line with a caret under the column; empty if the source is unknown."""
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text.strip():
            return ""
        if not self.column:
            return f"    {text}"
        margin = "".join("\t" if c == "\t" else " " for c in text[: self.column - 1])
        return f"    {text}\n    {margin}^"


class _Code(NamedTuple):
    """What is known of a code object."""

    #: The object itself, so that its id stays in use.
    code: CodeType
    #: True if it belongs to this package or to NumPy's calls of it.
    is_inside: bool
    #: The locations of its instructions.
    places: dict[int, Location]
    #: The positions of all instructions as Python has them; empty until one is asked for.
    positions: list[tuple[int | None, int | None, int | None, int | None]]


_codes: dict[int, _Code] = {}


def _entry(code: CodeType) -> _Code:
    entry = _codes.get(id(code))
    if entry is None:
        name = code.co_filename
        is_inside = name.startswith(_PACKAGE) or name == _DISPATCH
        entry = _codes[id(code)] = _Code(code, is_inside, {}, [])
    return entry


def _locate(code: CodeType, instruction: int, line: int) -> Location:
    """The location of an instruction. Python 3.10 has no columns."""
    if sys.version_info >= (3, 11):
        positions = _entry(code).positions
        if not positions:
            positions += code.co_positions()
        begin, _, column, _ = positions[instruction // 2]
        if begin is not None:
            return Location(code.co_filename, begin, 0 if column is None else column + 1)
    return Location(code.co_filename, line)


def here() -> Location:
    """The location in the running code of the user: the innermost frame outside of this package."""
    frame = sys._getframe(1)
    entry = _entry(frame.f_code)
    while entry.is_inside and frame.f_back is not None:
        frame = frame.f_back
        entry = _entry(frame.f_code)
    place = entry.places.get(frame.f_lasti)
    if place is None:
        place = _locate(entry.code, frame.f_lasti, frame.f_lineno)
        entry.places[frame.f_lasti] = place
    return place


def of_function(code: CodeType) -> Location:
    """The location of the beginning of a function."""
    return Location(code.co_filename, code.co_firstlineno)


def of_recursion(trace: TracebackType | None) -> Location | None:
    """The call by which a function of the user runs again, in the trace of an error; or None."""
    running: set[int] = set()
    before = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if not _entry(code).is_inside:
            if id(code) in running and before is not None:
                return before
            running.add(id(code))
            before = _locate(code, trace.tb_lasti, trace.tb_lineno)
        trace = trace.tb_next
    return None


def last_return(code: CodeType) -> Location:
    """The location of the last `return` of a function."""
    place = of_function(code)
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith("RETURN_"):
            line = code.co_firstlineno
            for begin, end, number in code.co_lines():
                if begin <= instruction.offset < end and number is not None:
                    line = number
            place = _locate(code, instruction.offset, line)
    return place
