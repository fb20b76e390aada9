"""The interface between Python and the compiler. Only this module and `native.py` compile programs.

In: the text of a program, options, NumPy arrays and numbers. Out: a compiled artifact, results as
NumPy arrays, and the messages of the compiler as data.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from .errors import ArgumentError, Diagnostic, ObsidianError

if TYPE_CHECKING:
    from .native import NativeBackend

Device = Literal["interpret", "emulate", "cuda"]
_Schedule = Literal["ticket", "random"]


@dataclass(frozen=True)
class CompileOptions:
    """Options of the compiler. With 0 and "", the compiler chooses the value."""

    threads: int = 0
    blocks: int = 0
    #: The GPU to compile for, such as sm_90.
    chip: str = ""
    deterministic: bool = False
    runtime_checks: bool = False
    #: True if the text is a program of StableHLO in generic form.
    is_stablehlo: bool = False
    #: True if threads execute several iterations of a loop over the grid together.
    tiles: bool = True
    #: True if collectives have the simplest strategies.
    plain_collectives: bool = False

    def __post_init__(self) -> None:
        """Refuse other values: the library takes numbers of 32 bits."""
        for name, most in (("threads", 1024), ("blocks", (1 << 31) - 1)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= most:
                raise ArgumentError(f"{name}= is a number from 0 to {most}, not {number!r}")
        if not isinstance(self.chip, str):
            raise ArgumentError(f"chip= is the name of a GPU, as in 'sm_90', not {self.chip!r}")


@dataclass(frozen=True)
class RunOptions:
    """Options of a run."""

    device: Device = "emulate"
    #: True if the emulator reports races and reads of memory that was never written.
    check: bool = False
    schedule: _Schedule = "ticket"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse other values."""
        given = (("device", self.device, Device), ("schedule", self.schedule, _Schedule))
        for name, value, kind in given:
            if value not in get_args(kind):
                raise ArgumentError(f"{name}= is one of {', '.join(get_args(kind))}, not {value!r}")
        if not isinstance(self.seed, int) or not 0 <= self.seed < 1 << 64:
            raise ArgumentError(f"seed= is a number from 0 to 2^64 - 1, not {self.seed!r}")


class Artifact(Protocol):
    """A compiled program."""

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """Warnings and remarks of the compiler."""


class Backend(Protocol):
    """A way to compile and run programs. An implementation may be used by one thread at a time."""

    def compile(self, text: str, options: CompileOptions) -> Artifact:
        """Compile the text of a program. Raises CompileError with all messages."""

    def run(
        self, artifact: Any, arguments: Sequence[Any], results: int, options: RunOptions
    ) -> list[Any]:
        """Run the function `main` of an artifact, and return its results.

        Arguments are contiguous NumPy arrays, one for each component of a parameter, and NumPy or
        Python numbers. Results are new arrays, one for each component, and NumPy scalars. Raises
        RunError with all messages.
        """


def library_path() -> Path:
    """The file of the compiler: the one that OBS_LIBRARY names, or the one in this package."""
    named = os.environ.get("OBS_LIBRARY")
    path = Path(named) if named else Path(__file__).parent / "lib" / "libobsidian.so"
    if path.exists():
        return path
    if named:
        raise ObsidianError(f"OBS_LIBRARY names {path}, which does not exist")
    raise ObsidianError(
        "this package has no compiler in it: install the wheel, or set OBS_LIBRARY to the path of "
        "libobsidian.so, as `make python` does in a clone"
    )


@functools.cache
def backend() -> NativeBackend:
    """The backend of this process."""
    from .native import NativeBackend

    return NativeBackend(library_path())
