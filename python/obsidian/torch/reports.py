"""Reports on a function: its programs, its fallbacks, and the breaks of its graph.

In: notes of the importer. Out: warnings, one for each operation and line, and explanations.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import PerformanceWarning
from ..locations import Location


class FallbackWarning(PerformanceWarning):
    """An operation runs in PyTorch, between two programs."""


@dataclass(frozen=True)
class Fallback:
    """An operation that runs in PyTorch: its name in ATen, the line of the program, the reason."""

    operation: str
    location: Location
    reason: str

    def __str__(self) -> str:
        return f"{self.location}: {self.operation} runs in PyTorch: {self.reason}"


@dataclass
class GraphReport:
    """One graph: `kind` is forward, backward or inference."""

    kind: str
    #: For each program: the number of its operations, the names of its kernels, and its text.
    programs: list[tuple[int, list[str], str]] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass
class Explanation:
    """All graphs of a function, and the reasons of the breaks between them."""

    graphs: list[GraphReport] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)

    @property
    def fallbacks(self) -> list[Fallback]:
        """The operations that run in PyTorch."""
        return [fallback for graph in self.graphs for fallback in graph.fallbacks]

    def __str__(self) -> str:
        lines = []
        for graph in self.graphs:
            lines.append(f"{graph.kind} graph: {_count(len(graph.programs), 'program')}")
            for operations, kernels, _ in graph.programs:
                lines.append(
                    f"  {_count(operations, 'operation')} in {_count(len(kernels), 'kernel')}"
                )
            lines += [f"  {fallback}" for fallback in graph.fallbacks]
        lines += [f"graph break: {reason}" for reason in self.breaks]
        return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_warned: set[Fallback] = set()
_listening: list[Explanation] = []


def warn_of(fallback: Fallback) -> None:
    """Warn of a fallback at its line, once in a process."""
    if fallback in _warned or _listening:
        return
    _warned.add(fallback)
    message = f"{fallback.operation} runs in PyTorch: {fallback.reason}"
    place = fallback.location
    warnings.warn_explicit(message, FallbackWarning, place.file, place.line)


def note(report: GraphReport) -> None:
    """Add a note to the current explanation."""
    for explanation in _listening:
        explanation.graphs.append(report)


@contextlib.contextmanager
def listening() -> Iterator[Explanation]:
    """The explanation of all graphs that are compiled in this context."""
    explanation = Explanation()
    _listening.append(explanation)
    try:
        yield explanation
    finally:
        _listening.remove(explanation)
