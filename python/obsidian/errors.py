"""The exceptions of the package, and messages of the compiler as data.

In: a message in plain English and a place in the user's source. Out: exceptions whose text names
the file, the line and the column, and shows the source line with a caret.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from .locations import Location, here


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler or of a run. `severity` is error, warning, remark or note."""

    severity: str
    message: str
    location: Location | None = None
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        text = f"{place}{self.severity}: {self.message}"
        excerpt = self.location.excerpt() if self.location else ""
        return "\n".join([text, *filter(None, [excerpt]), *map(str, self.notes)])


#: Parts of messages of the compiler, and the correction in Python.
_IN_PYTHON = {
    "[R2-bounded]": 'an extent has a bound by its annotation, as in Annotated[Pull, "n <= 1024", '
    "f32], or by obs.up_to(n, 1024)",
    "[R4-extents] obs.split: the chunk size": "a.split(size, pad=0) fills the last chunk",
    "[collective-order]": "scalar code is a function of map or generate, and "
    "`for k in obs.range(n)` is a loop",
    "[R8-inside]": "arrays that depend on each other change in place as one parameter of tuples: "
    's: Annotated[Pull, "n", (f32, f32)] with donate="s", and s.map(f).force(into=s)',
}


def in_python(message: str) -> tuple[Diagnostic, ...]:
    """The note for a message of the compiler whose correction is written otherwise in Python."""
    found = (text for part, text in _IN_PYTHON.items() if part in message)
    return tuple(Diagnostic("note", f"in Python, {text}") for text in found)


class PerformanceWarning(UserWarning):
    """A program or a call is correct but slow. The message describes a correction."""


def warn(diagnostics: Sequence[Diagnostic]) -> None:
    """Show warnings and remarks of the compiler, each as a warning at its place in the source."""
    for diagnostic in diagnostics:
        if diagnostic.severity in ("warning", "remark"):
            notes = "".join(f"\n{note}" for note in diagnostic.notes)
            place = diagnostic.location or Location("<program>", 1)
            warnings.warn_explicit(
                diagnostic.message + notes, PerformanceWarning, place.file, place.line
            )


class ObsidianError(Exception):
    """The base class of all exceptions of this package."""


class TraceError(ObsidianError):
    """A function that is traced breaks a rule of the language.

    `location` is the place in the user's code, and `message` is the text without the place.
    """

    def __init__(self, message: str, location: Location | None = None) -> None:
        """Locate the error: by default, at the place in the user's code that is running."""
        self.message = message
        self.location = location or here()
        text = f"{self.location}: {message}"
        excerpt = self.location.excerpt()
        super().__init__(f"{text}\n{excerpt}" if excerpt else text)


class _DiagnosedError(ObsidianError):
    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Keep the messages; the text begins with the first error."""
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(str, diagnostics)))

    @property
    def location(self) -> Location | None:
        """The place of the first error, if it is known."""
        return next((d.location for d in self.diagnostics if d.severity == "error"), None)


class CompileError(_DiagnosedError):
    """The compiler refuses a program; `diagnostics` has its messages."""


class RunError(_DiagnosedError):
    """A program stopped while it ran; `diagnostics` has the messages."""


class ArgumentError(ObsidianError, ValueError):
    """An argument of a call does not fit: its extents, its range, or their agreement."""


class ArgumentTypeError(ObsidianError, TypeError):
    """An argument of a call has the wrong type: its kind, its element type, or its rank."""


class DistError(ObsidianError):
    """Another rank of a program of several processes failed or is late; see `obsidian.dist`."""
