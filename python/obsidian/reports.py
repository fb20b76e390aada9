"""Reports on programs: costs, barriers, and proofs that there are no races.

In: the reports of the compiler, as text and messages. Out: `CostReport`, `BarrierReport` and
`RaceReport`, whose locations are in the Python source.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import drawing
from .costs import KernelCost, parse_costs
from .errors import Diagnostic
from .formulas import Formula
from .launches import HostProgram, Launch
from .locations import Location

_KERNEL_LINE = re.compile(r"kernel '(.+)' at ")
_SIZE = re.compile(r"\barg\d+(?:\.dim\d+)?\b")


def _rename(text: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """A cost report with the names of the program for the sizes of its kernels."""
    lines = []
    known: Mapping[str, str] = {}
    for line in text.splitlines():
        if match := _KERNEL_LINE.match(line):
            known = names.get(match[1], {})
        lines.append(_SIZE.sub(lambda m: known.get(m[0], m[0]), line))
    return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class CostReport:
    """The costs of the kernels of a program: `f.cost(...)`.

    Numbers that depend on sizes are formulas of the names of extents: `8 * n`. `str` returns the
    report as text. Notebooks show tables, and pictures of the shared memory.
    """

    text: str
    kernels: tuple[KernelCost, ...]
    host: HostProgram
    #: The sizes of the arguments, by name.
    sizes: Mapping[str, int]

    @classmethod
    def parse(
        cls,
        text: str,
        host: HostProgram,
        sizes: Mapping[str, int] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> CostReport:
        """Read a report. `files` has the path of each file that it names."""
        named = _rename(text, host.names())
        return cls(named, tuple(parse_costs(named, files)), host, dict(sizes or {}))

    def __str__(self) -> str:
        return self.text

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


_REASON = re.compile(
    r"(?P<hazard>\w+ after \w+)(?: of the array at (?P<array>[^,]+)| of argument \d+)?"
    r"(?P<uses>, .+)"
)
_USE = re.compile(r", (\w+) at ([^,]+?):(\d+):(\d+)")


@dataclass(frozen=True)
class Reason:
    """Two accesses that need a barrier between them.

    `hazard` is read after write, write after read or write after write. `array` is the location of
    the array; None for an argument. `accesses` are pairs of `read` or `written` and the location.
    """

    hazard: str
    array: Location | None
    accesses: tuple[tuple[str, Location], ...]
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
    def parse(
        cls, diagnostics: Sequence[Diagnostic], files: Mapping[str, str] | None = None
    ) -> BarrierReport:
        """Read the messages of the report. `files` has the path of each file in a reason."""
        barriers: list[Barrier] = []
        waiting: list[Diagnostic] = []
        kernels: list[str] = []
        for message in diagnostics:
            # The message about a kernel follows those of its barriers.
            if match := re.match(r"kernel '(.+)': ", message.message):
                kernels.append(match[1])
                barriers += [_barrier(match[1], m, files or {}) for m in waiting]
                waiting = []
            elif message.message.startswith("barrier of a "):
                waiting.append(message)
        return cls(tuple(barriers), tuple(kernels), tuple(diagnostics))

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


def _barrier(kernel: str, message: Diagnostic, files: Mapping[str, str]) -> Barrier:
    level = message.message.removeprefix("barrier of a ")
    reasons = tuple(_reason(note.message, files) for note in message.notes)
    return Barrier(kernel, level, message.location, reasons)


def _reason(text: str, files: Mapping[str, str]) -> Reason:
    match = _REASON.fullmatch(text)
    if match is None:
        return Reason(text, None, (), text)
    array = (match["array"] or "").rsplit(":", 2)
    place = None
    if len(array) == 3:
        place = Location(files.get(array[0], array[0]), int(array[1]), int(array[2]))
    uses = tuple(
        (use[1], Location(files.get(use[2], use[2]), int(use[3]), int(use[4])))
        for use in _USE.finditer(match["uses"])
    )
    return Reason(match["hazard"], place, uses, text)


@dataclass(frozen=True, repr=False)
class RaceReport:
    """Proofs that kernels have no races, or races: `f.races(...)`. True if all are proved."""

    #: The remark of each proved kernel. Its notes are the assumptions of the proof.
    proofs: tuple[Diagnostic, ...]
    #: Each error names two threads that access the same byte or element, and both locations.
    races: tuple[Diagnostic, ...]
    #: Accesses that could not be proved, and barriers that a thread can miss.
    unproved: tuple[Diagnostic, ...]

    @classmethod
    def parse(cls, diagnostics: Sequence[Diagnostic]) -> RaceReport:
        """Sort the messages of the proof."""
        errors = [d for d in diagnostics if d.severity == "error"]
        is_race = [d.message.startswith("[race] ") for d in errors]
        return cls(
            tuple(d for d in diagnostics if d.severity == "remark"),
            tuple(d for d, race in zip(errors, is_race) if race),
            tuple(d for d, race in zip(errors, is_race) if not race),
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


def files_of(text: str) -> dict[str, str]:
    """The paths of the files that a program text names in locations, by file name."""
    paths = re.findall(r'loc\("((?:[^"\\]|\\.)+)":\d', text)
    return {os.path.basename(path): path for path in dict.fromkeys(paths)}
