"""`python -m obsidian tune`: the fastest options of the compiler for a program and its arguments.

In: `FILE.mlir` with the function `main`, or `FILE.py:function`, and arguments as `obs-run` takes
them. Out: a line for each candidate on the standard error output, and the file of tuned programs.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .backend import CompileOptions, RunOptions, backend
from .device_arrays import on_gpu, run_resident, upload
from .errors import ArgumentError
from .gpu import ELEMENTS
from .launches import HostProgram
from .native import NativeArtifact
from .reports import CostReport
from .testing import has_gpu
from .tuning import Tuning, tune, tuning_of
from .views import DTYPES

_TYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "index": np.int64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
_ARRAY = re.compile(r"(zeros|iota|random):((?:\d+x)+)(\w+?)(?::(\d+))?")


def text_of(path: Path) -> str:
    """The text of a file with a program in MLIR. Raises ArgumentError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{path} cannot be read: {error}") from None


def _array_of(kind: str, shape: tuple[int, ...], element: Any, seed: int) -> Any:
    """An array of zeros, of the numbers 0, 1, 2, ..., or of random numbers."""
    if kind == "zeros":
        return np.zeros(shape, element)
    if kind == "iota":
        return np.arange(math.prod(shape)).astype(element).reshape(shape)
    random = np.random.default_rng(seed)
    if element.kind == "f":
        return random.random(shape).astype(element)
    if element.kind == "b":
        return random.integers(0, 2, shape).astype(element)
    largest = 2 ** (8 * element.itemsize - 1)
    return random.integers(-largest, largest - 1, shape, element, endpoint=True)


def argument_of(word: str) -> Any:
    """An argument of the command line: a number, a NumPy file, or an array of a kind and a type.

    Raises ArgumentError for other words, and if there is no memory for the array. Random integers
    have all values of their type, and random floats are from 0 to 1.
    """
    if match := _ARRAY.fullmatch(word):
        kind, extents, name, seed = match.groups()
        shape = tuple(map(int, extents.rstrip("x").split("x")))
        if name in _TYPES:
            try:
                return _array_of(kind, shape, np.dtype(_TYPES[name]), int(seed or 0))
            except (MemoryError, OverflowError, ValueError) as error:
                raise ArgumentError(f"there is no memory for {word}: {error}") from None
    elif word.endswith(".npy"):
        try:
            found = np.load(word)
            # Programs take elements in row-major order, with the bytes of this machine.
            return found.astype(found.dtype.newbyteorder("="), order="C", copy=False)
        except (OSError, ValueError) as error:
            raise ArgumentError(f"{word} cannot be read: {error}") from None
    elif word in ("true", "false"):
        return word == "true"
    else:
        for number in (lambda text: int(text, 0), float):
            try:
                return number(word)
            except ValueError:
                continue
    raise ArgumentError(
        f"{word} is no argument: write a number, FILE.npy, or zeros:, iota: or random: with "
        "extents and a type, as in random:64x64xf32:1"
    )


class MlirProgram:
    """A program in MLIR with arguments that stay on the device."""

    def __init__(self, text: str, arguments: Sequence[Any], device: str, chip: str = "") -> None:
        """`device` is emulate or cuda."""
        self._text, self._arguments, self._chip = text, arguments, chip
        self._given = arguments
        self._artifacts: dict[CompileOptions, NativeArtifact] = {}
        self._index = int(os.environ.get("OBS_DEVICE") or 0)
        self._is_on_gpu = device == "cuda"
        if self._is_on_gpu:
            self._arguments = upload(arguments, self._index)

    def _artifact(self, tuning: Tuning) -> NativeArtifact:
        options = tuning.applied(CompileOptions(chip=self._chip))
        if options not in self._artifacts:
            self._artifacts[options] = backend().compile(self._text, options)
        return self._artifacts[options]

    def __call__(self) -> list[Any]:
        """The results of one run, with the tuned options."""
        artifact = self._artifact(tuning_of(None, self._text))
        results = len(artifact.results)
        if len(self._arguments) != len(artifact.parameters):
            raise ArgumentError(
                f"the program takes {len(artifact.parameters)} arguments, not "
                f"{len(self._arguments)}; an array of tuples is one for each component"
            )
        for number, ((code, rank), argument) in enumerate(
            zip(artifact.parameters, self._given), start=1
        ):
            self._check(number, ELEMENTS[code], rank, argument)
        if self._is_on_gpu:
            run = functools.partial(backend().run_on_gpu, artifact)
            return run_resident(run, self._arguments, results, self._index)
        return backend().run(artifact, self._arguments, results, RunOptions("emulate"))

    def _check(self, number: int, element: str, rank: int, argument: Any) -> None:
        """Refuse an argument that the parameter does not take."""
        shape = getattr(argument, "shape", None)
        found = (
            "a number" if shape is None else f"an array of {argument.dtype} of rank {len(shape)}"
        )
        is_right = shape is None if rank < 0 else shape is not None and len(shape) == rank
        if is_right and shape is not None:
            kind = DTYPES[element]
            is_right = (argument.dtype.kind in "iu" and kind.kind in "iu") or argument.dtype == kind
            is_right = is_right and argument.dtype.itemsize == kind.itemsize
        if not is_right:
            wanted = f"a number, {element}" if rank < 0 else f"an array of {element} of rank {rank}"
            raise ArgumentError(f"argument {number} is {found}, and the program takes {wanted}")

    def bytes_of(self, tuning: Tuning) -> int:
        """The bytes of global memory that one run moves, by the cost report."""
        artifact = self._artifact(tuning)
        contract, text, data = (
            backend().show(artifact, form)[0] for form in ("contract", "cost", "cost_json")
        )
        host = HostProgram(json.loads(contract))
        return CostReport.read(text, json.loads(data), host, host.sizes_of(self._arguments)).bytes()


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",") if word]


def main(words: Sequence[str], load: Callable[[Path, str], Any]) -> int:
    """Run the command line after `tune`. `load` gives a function of a Python file."""
    parser = argparse.ArgumentParser(
        prog="python -m obsidian tune",
        description="Find the fastest options of the compiler, and keep them in a file.",
    )
    parser.add_argument("program", help="FILE.mlir with the function main, or FILE.py:function")
    parser.add_argument("arguments", nargs="*", help="numbers, FILE.npy, or random:1000xf32:1")
    parser.add_argument("--file", default=os.environ.get("OBS_TUNED") or "tuned.json")
    parser.add_argument("--device", choices=("emulate", "cuda"), help="cuda if there is a GPU")
    parser.add_argument("--threads", type=_numbers, default=[64, 128, 256, 512], metavar="N,...")
    parser.add_argument("--blocks", type=_numbers, default=[], metavar="N,...")
    parser.add_argument("--repeat", type=int, default=20)
    options = parser.parse_intermixed_args(words)
    device = options.device or ("cuda" if has_gpu() else "emulate")
    file, _, name = options.program.partition(":")
    path = Path(file)
    if not path.is_file():
        parser.error(f"there is no file {file}")
    arguments = [argument_of(word) for word in options.arguments]
    run: Callable[[], Any]
    bytes_of = None
    if path.suffix == ".mlir":
        program = MlirProgram(text_of(path), arguments, device)
        run, bytes_of = program, program.bytes_of
    else:
        function = load(path, name)
        if device == "cuda":
            arguments = [on_gpu(argument) for argument in arguments]
            run = functools.partial(function, *arguments)
        else:
            run = functools.partial(function.run, RunOptions("emulate"), *arguments)

    if device == "emulate":
        print("times of the emulator are not those of a GPU", file=sys.stderr)
    report = tune(
        run,
        threads=options.threads,
        blocks=options.blocks,
        repeat=options.repeat,
        file=options.file,
        bytes_of=bytes_of,
        progress=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(f"{report.chosen} takes {report.seconds[report.chosen] * 1e6:.4g} µs; {options.file}")
    return 0
