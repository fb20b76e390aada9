"""Reports on programs: costs, barriers, and proofs that there are no races.

In: the reports of the compiler, as JSON and messages; `docs/Embedding.md` describes the JSON. Out:
`CostReport`, `BarrierReport` and `RaceReport`, whose locations are in the Python source.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import drawing
from .costs import KernelCost, read_costs, read_place, rename_sizes
from .errors import ArgumentError, ArgumentTypeError, Diagnostic, ObsidianError
from .formulas import Formula
from .launches import HostProgram, Launch
from .locations import Location

#: The summary of a report has no longer formulas.
_LONGEST = 60
_KERNEL_LINE = re.compile(r"kernel '(.+)' at ")


def _rename(text: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """A cost report with the names of the program for the sizes of its kernels."""
    lines = []
    known: Mapping[str, str] = {}
    for line in text.splitlines():
        if match := _KERNEL_LINE.match(line):
            known = names.get(match[1], {})
        lines.append(rename_sizes(line, known))
    return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class CostReport:
    """The costs of the kernels of a program: `f.cost(...)`.

    Numbers that depend on sizes are formulas of the names of extents: `8 * n`. `str` returns a
    summary, and `text` is the whole report. Notebooks show tables, and pictures of the shared
    memory.
    """

    text: str
    kernels: tuple[KernelCost, ...]
    host: HostProgram
    #: The sizes of the arguments, by name.
    sizes: Mapping[str, int]

    @classmethod
    def read(
        cls,
        text: str,
        data: Mapping[str, Any],
        host: HostProgram,
        sizes: Mapping[str, int] | None = None,
    ) -> CostReport:
        """Read a report: its text, and the same as data."""
        names = host.names()
        kernels = tuple(read_costs(data, names))
        return cls(_rename(text, names), kernels, host, dict(sizes or {}))

    def __str__(self) -> str:
        lines = [line for kernel in self.kernels for line in self._summary(kernel)]
        more = "the attribute `text` has all arrays, loops and accesses"
        return "\n".join([*lines, *self.total(), more])

    def total(self) -> list[str]:
        """A line with the bytes of all launches; none if they depend on other sizes or elements."""
        try:
            total = self.bytes()
        except ObsidianError:
            return []
        known = ", ".join(f"{name} = {size}" for name, size in self.sizes.items())
        place = f" for {known}" if known else ""
        return [f"all launches: {total} bytes of global memory{place}"]

    def require(self, sizes: Mapping[str, Any]) -> None:
        """Refuse names and values that are no sizes of this program."""
        for name, size in sizes.items():
            if isinstance(size, int) and size < 0:
                raise ArgumentError(f"{name}={size}: extents are numbers from 0 on")
            if name not in self.host.sizes or not isinstance(size, int):
                names = ", ".join(self.host.sizes) or "none"
                raise ArgumentTypeError(
                    f"{name}={size!r} is neither a static value nor a size of this program, whose "
                    f"sizes are: {names}"
                )

    def _summary(self, kernel: KernelCost) -> Iterator[str]:
        """Two lines for a kernel."""
        place = os.path.basename(str(kernel.location or "?"))
        yield (
            f"kernel '{kernel.name}' at {place}: {kernel.launched_threads} threads of a block, "
            f"{kernel.shared_bytes} bytes of shared memory, {kernel.barriers} barriers"
        )
        traffic = kernel.memory.get("global")
        if traffic is not None:
            read, written, atomic = map(
                self._brief, (traffic.read, traffic.written, traffic.atomic)
            )
            more = "" if traffic.atomic == 0 else f", {atomic} bytes by atomic operations"
            yield f"  global memory: {read} bytes read, {written} bytes written{more}"

    def _brief(self, formula: Formula) -> str:
        """The number for the sizes of the report, or a formula that fits into a line."""
        limit = "at most " if formula.is_bound else ""
        try:
            return f"{limit}{formula.evaluate(self.sizes)}"
        except ObsidianError:
            if len(formula.text) <= _LONGEST:
                return formula.text
            return f"{limit}(a formula of {', '.join(formula.sizes)})"

    __repr__ = __str__

    def __getitem__(self, name: str) -> KernelCost:
        """The kernel with a name. Raises KeyError if there is none."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        raise KeyError(name)

    @property
    def barriers(self) -> int:
        """The barriers in the code of all kernels, of blocks and of warps."""
        return sum(kernel.barriers for kernel in self.kernels)

    @property
    def shared_bytes(self) -> int:
        """The largest shared memory of a block, in bytes."""
        return max((kernel.shared_bytes for kernel in self.kernels), default=0)

    def launches(self, **sizes: int) -> list[Launch]:
        """The launches of one run, in order, for sizes by name.

        Raises ArgumentError if a size is missing, and ObsidianError if they depend on elements.
        """
        return self.host.launches({**self.sizes, **sizes})

    def evaluate(self, formula: Formula, /, **sizes: int) -> int:
        """The value of a formula of this report, for sizes by name."""
        return formula.evaluate({**self.sizes, **sizes})

    def read_bytes(self, memory: str = "global", /, **sizes: int) -> int:
        """The bytes that all launches of a run read; see `bytes`."""
        return self._sum(memory, ("read",), sizes)

    def written_bytes(self, memory: str = "global", /, **sizes: int) -> int:
        """The bytes that all launches of a run write; see `bytes`."""
        return self._sum(memory, ("written",), sizes)

    def bytes(self, memory: str = "global", /, **sizes: int) -> int:
        """The bytes that all launches of a run read, write and access by atomic operations.

        `memory` is global or shared. Bytes that the host fills or copies do not count. If a formula
        is an upper limit, so is the number. Raises ArgumentError if a size is missing, and
        ObsidianError if the number depends on elements.
        """
        return self._sum(memory, ("read", "written", "atomic"), sizes)

    def _sum(self, memory: str, kinds: Sequence[str], sizes: Mapping[str, int]) -> int:
        given = {**self.sizes, **sizes}
        total = 0
        for launch in self.host.launches(given):
            traffic = self[launch.kernel].memory.get(memory)
            for kind in kinds if traffic else ():
                total += getattr(traffic, kind).evaluate({**given, **launch.sizes})
        return total

    def _repr_html_(self) -> str:
        return "".join(drawing.draw_kernel(kernel) for kernel in self.kernels)


def _flat(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(map(str, diagnostics))


@dataclass(frozen=True)
class Reason:
    """Two accesses that need a barrier between them.

    `hazard` is read after write, write after read or write after write. `array` is the location of
    the array; None for an argument. `accesses` are pairs of `read` or `written` and the location.
    """

    hazard: str
    array: Location | None
    accesses: tuple[tuple[str, Location | None], ...]
    text: str


@dataclass(frozen=True)
class Barrier:
    """A barrier in the code of a kernel; `level` is block or warp."""

    kernel: str
    level: str
    location: Location | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, repr=False)
class BarrierReport:
    """The barriers of a program, with their reasons: `f.explain(...)`."""

    barriers: tuple[Barrier, ...]
    #: The names of all kernels.
    kernels: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @classmethod
    def read(
        cls,
        data: Mapping[str, Any],
        diagnostics: Sequence[Diagnostic],
        files: Mapping[str, str] | None = None,
    ) -> BarrierReport:
        """Read a report: its data, and its messages.

        Reasons name files without their folders; `files` has the path of each.
        """
        barriers = tuple(
            _barrier(kernel["name"], barrier, files or {})
            for kernel in data["kernels"]
            for barrier in kernel["barriers"]
        )
        kernels = tuple(kernel["name"] for kernel in data["kernels"])
        return cls(barriers, kernels, tuple(diagnostics))

    def __len__(self) -> int:
        return len(self.barriers)

    def __iter__(self) -> Iterator[Barrier]:
        return iter(self.barriers)

    def __bool__(self) -> bool:
        """Always true, with and without barriers."""
        return True

    def of(self, level: str) -> tuple[Barrier, ...]:
        """The barriers of a level: block or warp."""
        return tuple(b for b in self.barriers if b.level == level)

    def __str__(self) -> str:
        return _flat(self.diagnostics)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = (
            (b.kernel, b.level, b.location or "?", "; ".join(r.text for r in b.reasons))
            for b in self.barriers
        )
        return drawing.table(("kernel", "barrier of a", "place", "because of"), rows)


def _barrier(kernel: str, data: Mapping[str, Any], files: Mapping[str, str]) -> Barrier:
    def place(of: Mapping[str, Any] | None) -> Location | None:
        return read_place(of and {**of, "file": files.get(of["file"], of["file"])})

    reasons = tuple(
        Reason(
            reason["hazard"],
            place(reason["array"]),
            tuple((access["kind"], place(access["location"])) for access in reason["accesses"]),
            reason["text"],
        )
        for reason in data["reasons"]
    )
    return Barrier(kernel, data["level"], read_place(data["location"]), reasons)


@dataclass(frozen=True, repr=False)
class RaceReport:
    """Proofs that kernels have no races, or races: `f.races(...)`. True if all are proved."""

    #: The remark of each proved kernel. Its notes are the assumptions of the proof.
    proofs: tuple[Diagnostic, ...]
    #: Each error names two threads that access the same byte or element, and both locations.
    races: tuple[Diagnostic, ...]
    #: Accesses that could not be proved, and barriers that a thread can miss.
    unproved: tuple[Diagnostic, ...]
    #: The same answers as data: kernels, accesses, threads and addresses; see docs/Embedding.md.
    data: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> RaceReport:
        """Read the answers of the compiler."""

        def answers(kind: str, severity: str) -> tuple[Diagnostic, ...]:
            return tuple(_answer(answer, severity) for answer in data[kind])

        return cls(
            answers("proofs", "remark"),
            answers("races", "error"),
            answers("unproved", "error"),
            data,
        )

    def __bool__(self) -> bool:
        return not self.races and not self.unproved

    @property
    def assumptions(self) -> tuple[Diagnostic, ...]:
        """The assumptions of the proofs: indices within arrays, and contracts of the program."""
        return tuple(note for proof in self.proofs for note in proof.notes)

    def __str__(self) -> str:
        return _flat([*self.races, *self.unproved, *self.proofs])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        messages = [*self.races, *self.unproved, *self.proofs]
        return drawing.table(
            ("place", "answer"), ((m.location or "?", m.message) for m in messages)
        )


def _answer(data: Mapping[str, Any], severity: str) -> Diagnostic:
    notes = tuple(_answer(note, "note") for note in data.get("notes", ()))
    return Diagnostic(severity, data["text"], read_place(data["location"]), notes)


def files_of(text: str) -> dict[str, str]:
    """The paths of the files that a program text names in locations, by file name."""
    paths = re.findall(r'loc\("((?:[^"\\]|\\.)+)":\d', text)
    return {os.path.basename(path): path for path in dict.fromkeys(paths)}
