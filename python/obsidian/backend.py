"""The seam between Python and the compiler: the only place that knows how programs are compiled.

In: the text of a program, options, NumPy arrays and numbers. Out: a compiled artifact, results as
NumPy arrays, and the messages of the compiler as data. `ToolsBackend` runs the command-line tools
in the folder that the environment variable OBS_TOOLS names.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from .errors import CompileError, Diagnostic, ObsidianError, RunError
from .locations import Location

Device = Literal["interpret", "emulate", "cuda"]


@dataclass(frozen=True)
class CompileOptions:
    """Options of the compiler; 0 and "" leave the choice to it."""

    threads: int = 0
    blocks: int = 0
    #: The GPU to compile for, such as sm_90.
    chip: str = ""
    deterministic: bool = False
    runtime_checks: bool = False


@dataclass(frozen=True)
class RunOptions:
    """Options of a run."""

    device: Device = "emulate"
    #: If the emulator looks for races and for reads of memory that was never written.
    check: bool = False
    schedule: Literal["ticket", "random"] = "ticket"
    seed: int = 0


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


_MESSAGE = re.compile(
    r"(?:(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): )?"
    r"(?P<severity>error|warning|remark|note): (?P<message>.*)"
)
_DETAIL = re.compile(r"\s+in kernel ")


def parse_diagnostics(text: str) -> list[Diagnostic]:
    """The messages in the error output of a tool. Source excerpts are left out."""
    found: list[tuple[Diagnostic, list[Diagnostic]]] = []
    for line in text.splitlines():
        match = _MESSAGE.match(line)
        if match is None:
            if found and _DETAIL.match(line):
                found[-1][1].append(Diagnostic("note", line.strip()))
            continue
        place = None
        if match["file"]:
            place = Location(match["file"], int(match["line"]), int(match["column"]))
        message = Diagnostic(match["severity"], match["message"], place)
        if match["severity"] == "note" and found:
            found[-1][1].append(message)
        else:
            found.append((message, []))
    return [Diagnostic(d.severity, d.message, d.location, tuple(notes)) for d, notes in found]


@dataclass
class ToolsArtifact:
    """A program that the tools have compiled: its text, and its kernels as text."""

    text: str
    options: CompileOptions
    diagnostics: list[Diagnostic] = field(default_factory=list)
    kernels: str = ""


class ToolsBackend:
    """Compiles with obs-opt, and runs with obs-run."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Use the tools in a folder."""
        self.folder = Path(folder)
        for name in ("obs-opt", "obs-run"):
            if not (self.folder / name).exists():
                raise ObsidianError(f"there is no {name} in {self.folder}")

    def _call(self, tool: str, words: Sequence[str], text: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.folder / tool), *words]
        return subprocess.run(command, input=text, text=True, capture_output=True, check=False)

    def compile(self, text: str, options: CompileOptions) -> ToolsArtifact:
        """Compile a program to kernels; see `Backend`."""
        pass_options = [f"threads={options.threads}"] if options.threads else []
        pass_options += [f"blocks={options.blocks}"] if options.blocks else []
        pass_options += ["deterministic"] if options.deterministic else []
        pass_options += ["runtime-checks"] if options.runtime_checks else []
        passes = "--obs-to-gpu" + (f"={' '.join(pass_options)}" if pass_options else "")
        result = self._call("obs-opt", [passes, "--mlir-print-debuginfo", "-"], text)
        messages = parse_diagnostics(result.stderr)
        if result.returncode:
            raise CompileError(messages or [Diagnostic("error", result.stderr.strip())])
        return ToolsArtifact(text, options, messages, result.stdout)

    def run(
        self,
        artifact: ToolsArtifact,
        arguments: Sequence[Any],
        results: int,
        options: RunOptions,
    ) -> list[Any]:
        """Run a program; see `Backend`."""
        with tempfile.TemporaryDirectory(prefix="obs-") as folder:
            words = ["--entry=main", f"--device={options.device}"]
            words += ["--check"] if options.check else []
            if options.schedule == "random":
                words += ["--schedule=random", f"--seed={options.seed}"]
            outs = [Path(folder, f"r{i}.npy") for i in range(results)]
            words += [f"--out={out}" for out in outs]
            for number, argument in enumerate(arguments):
                if isinstance(argument, np.ndarray):
                    path = f"{folder}/a{number}.npy"
                    np.save(path, argument)
                    words.append(path)
                else:
                    words.append(_spell(argument))
            text = artifact.text if options.device == "interpret" else artifact.kernels
            result = self._call("obs-run", ["-", *words], text)
            if result.returncode:
                messages = parse_diagnostics(result.stderr)
                raise RunError(messages or [Diagnostic("error", result.stderr.strip())])
            if result.stdout:
                print(result.stdout, end="")
            return [_loaded(np.load(out)) for out in outs]


def _spell(number: Any) -> str:
    value = number.item() if isinstance(number, np.generic) else number
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def _loaded(array: Any) -> Any:
    return array[()] if array.ndim == 0 else array


@functools.cache
def backend() -> Backend:
    """The backend of this process."""
    folder = os.environ.get("OBS_TOOLS")
    if folder is None:
        found = shutil.which("obs-run")
        if found is None:
            raise ObsidianError(
                "there is no compiler: set OBS_TOOLS to the folder of obs-opt and obs-run"
            )
        folder = os.path.dirname(found)
    return ToolsBackend(folder)
