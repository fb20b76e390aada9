"""Tools on functions: the program in other forms, reports, runs with checks, times, files.

In: a function with @obs.jit, and arguments as for a call. Out: texts, reports and results. An
argument whose parameter is annotated may be omitted if nothing runs.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .backend import CompileOptions, Device, RunOptions, backend
from .errors import ArgumentError, ObsidianError
from .interop import view_of
from .tuning import tuning_of
from .types import ParameterType, flatten
from .views import CPU

# Reports and files are imported where they are made, so that the package is imported fast.
if TYPE_CHECKING:
    from .jit import Program
    from .native import NativeArtifact
    from .reports import BarrierReport, CostReport, RaceReport
    from .timing import BenchReport
    from .tuning import TuneReport, Tuning


#: The files of a program by their suffixes, and the forms of it that they have.
_FILES = {"ptx": "ptx", "json": "contract", "c": "host_c", "kernels.mlir": "kernels"}


class Compiled(NamedTuple):
    """A traced program, and the compiled program."""

    program: Program
    artifact: NativeArtifact


class Tools:
    """The tools of a function with @obs.jit.

    `chip` is the GPU to compile for, such as `sm_90`, which is the default. `threads` is the number
    of threads of a block, for all kernels. A static parameter with the name of such an option keeps
    its default in the tool. All tools raise TraceError, CompileError and ArgumentTypeError, as a
    call does.
    """

    if TYPE_CHECKING:
        __wrapped__: Any
        threads: int | None
        donate: tuple[str, ...]
        _artifacts: dict[Hashable, Any]

        def _bind(
            self, arguments: tuple[Any, ...], keywords: dict[str, Any], is_call: bool
        ) -> tuple[dict[str, Any], dict[str, Any]]: ...
        def _parameters(self, given: dict[str, Any]) -> dict[str, Any]: ...
        def _program(
            self, parameters: dict[str, Any], static: dict[str, Any]
        ) -> tuple[Program, Hashable]: ...
        def __call__(self, *arguments: Any, **keywords: Any) -> Any: ...
        def forget(self) -> None: ...
        def run(self, options: RunOptions | None, *arguments: Any, **keywords: Any) -> Any: ...

    def _compiled(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], options: CompileOptions
    ) -> Compiled:
        given, static = self._bind(arguments, keywords, is_call=False)
        parameters = self._parameters(given)
        program, key = self._program(parameters, static)
        return Compiled(program, self._artifact_of(program, key, options))

    def _artifact_of(
        self, program: Program, key: Hashable, options: CompileOptions
    ) -> NativeArtifact:
        artifact = self._artifacts.get((key, options))
        if artifact is None:
            chosen = options
            if not options.threads and self.threads is None:
                chosen = tuning_of(self, program.plain_text).applied(options)
            artifact = self._artifacts[key, options] = backend().compile(program.text, chosen)
        return artifact

    def _show(
        self,
        form: str,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        options: CompileOptions,
    ) -> str:
        compiled = self._compiled(arguments, keywords, options)
        return backend().show(compiled.artifact, form)[0]

    @property
    def artifact(self) -> NativeArtifact:
        """The compiled program of the backend, with the remarks of the compiler.

        All parameters are annotated, and static values have their defaults.
        """
        return self._compiled((), {}, CompileOptions()).artifact

    def kernels(self, *arguments: Any, chip: str = "", threads: int = 0, **static: Any) -> str:
        """The kernels as text of MLIR, with the host function that launches them."""
        options = CompileOptions(threads=threads, chip=chip)
        return self._show("kernels", arguments, static, options)

    def ptx(self, *arguments: Any, chip: str = "", threads: int = 0, **static: Any) -> str:
        """The kernels as PTX; an empty text if the program has none."""
        options = CompileOptions(threads=threads, chip=chip)
        return self._show("ptx", arguments, static, options)

    def contract(
        self, *arguments: Any, chip: str = "", threads: int = 0, **static: Any
    ) -> dict[str, Any]:
        """The launch contract, which describes the launches; docs/Interop.md explains it."""
        options = CompileOptions(threads=threads, chip=chip)
        contract: dict[str, Any] = json.loads(self._show("contract", arguments, static, options))
        return contract

    def torch_op(self, name: str, *arguments: Any, dynamic: bool = False, **static: Any) -> Any:
        """The program as an operator of PyTorch, for `torch.compile`; a function of tensors.

        `name` is the name of the operator, such as `mylib::saxpy`. It is unique in a process. With
        `dynamic`, extents that are known only at run time are new symbols of PyTorch. Otherwise
        they raise ObsidianError. Results that are numbers raise ArgumentTypeError.
        """
        from .calls import Call
        from .torch_op import register

        program, artifact = self._compiled(arguments, static, CompileOptions())
        return register(name, Call(program, artifact, backend()), dynamic)

    def host_c(self, *arguments: Any, chip: str = "", threads: int = 0, **static: Any) -> str:
        """C code for the CUDA driver that runs the program, with the PTX in it."""
        options = CompileOptions(threads=threads, chip=chip)
        return self._show("host_c", arguments, static, options)

    def cost(
        self, *arguments: Any, chip: str = "", threads: int = 0, **static_and_sizes: Any
    ) -> CostReport:
        """The costs of the kernels.

        Sizes are those of the arguments, and keywords that are not parameters: `f.cost(n=1000)`.
        Without sizes, the numbers of the report are formulas. An extent without a name has the name
        of its parameter and dimension: `x_dim0`. Raises ArgumentTypeError for a size that the
        program does not have.
        """
        known = inspect.signature(self.__wrapped__).parameters
        keywords = {k: v for k, v in static_and_sizes.items() if k in known}
        sizes = {k: v for k, v in static_and_sizes.items() if k not in known}
        options = CompileOptions(threads=threads, chip=chip)
        program, artifact = self._compiled(arguments, keywords, options)
        given, _ = self._bind(arguments, keywords, is_call=False)
        report = self._cost_of(program, artifact, {**_sizes(program, given), **sizes})
        report.require(sizes)
        return report

    def _cost_of(
        self, program: Program, artifact: NativeArtifact, sizes: Mapping[str, int]
    ) -> CostReport:
        from .launches import HostProgram
        from .reports import CostReport

        contract, text, data = (
            backend().show(artifact, form)[0] for form in ("contract", "cost", "cost_json")
        )
        host = HostProgram(json.loads(contract), _labels(program))
        return CostReport.read(text, json.loads(data), host, sizes)

    def explain(
        self, *arguments: Any, chip: str = "", threads: int = 0, **static: Any
    ) -> BarrierReport:
        """The barriers of the kernels, each with the accesses that need it."""
        from .reports import BarrierReport, files_of

        options = CompileOptions(threads=threads, chip=chip)
        program, artifact = self._compiled(arguments, static, options)
        data, messages = backend().show(artifact, "barriers_json")
        return BarrierReport.read(json.loads(data), messages, files_of(program.text))

    def races(self, *arguments: Any, chip: str = "", threads: int = 0, **static: Any) -> RaceReport:
        """The proof that the kernels have no races, or the races. A race raises no exception."""
        from .reports import RaceReport

        options = CompileOptions(threads=threads, chip=chip)
        artifact = self._compiled(arguments, static, options).artifact
        return RaceReport.read(json.loads(backend().show(artifact, "races_json")[0]))

    def interpret(self, *arguments: Any, **keywords: Any) -> Any:
        """The results by the interpreter, which defines the meaning of programs."""
        return self.run(RunOptions(device="interpret"), *arguments, **keywords)

    def emulate(
        self,
        *arguments: Any,
        check: bool = False,
        schedule: Literal["ticket", "random"] = "ticket",
        seed: int = 0,
        **keywords: Any,
    ) -> Any:
        """The results by the emulator of kernels.

        With `check`, races, reads of memory that was never written, and arrays, lengths or offsets
        that do not fit raise RunError. With the schedule `random`, the seed determines the order of
        the threads.
        """
        options = RunOptions("emulate", check, schedule, seed)
        return self.run(options, *arguments, **keywords)

    def bench(
        self, *arguments: Any, repeat: int = 20, device: Device = "emulate", **keywords: Any
    ) -> BenchReport:
        """The times of `repeat` calls, after one call without measurement, and the rate of bytes.

        The rate is that of the bytes of the cost report. With arrays of a GPU, a call ends when the
        GPU has finished, and the report also has the rate of a copy. `device` is for arrays in the
        memory of the host. A time of the emulator is not a time of a GPU, which the report states.
        """
        from .timing import BenchReport, measure_on_gpu, seconds_of

        report = self.cost(*arguments, **keywords)
        try:
            count: int | None = report.bytes()
        except ObsidianError:
            count = None
        leaves = [leaf for argument in arguments for leaf in flatten(argument)[0]]
        views = [view for view in map(view_of, leaves) if view is not None and view.device != CPU]
        if views:
            longest = max(views, key=lambda v: v.nbytes)
            return measure_on_gpu(lambda: self(*arguments, **keywords), repeat, longest, count)
        options = RunOptions(device=device)

        def call() -> Any:
            return self.run(options, *arguments, **keywords)

        return BenchReport(device, seconds_of(call, repeat), count)

    def tune(
        self,
        *arguments: Any,
        threads: Sequence[int] = (64, 128, 256, 512),
        blocks: Sequence[int] = (),
        tiles: Sequence[bool] = (True, False),
        plain: Sequence[bool] = (False, True),
        repeat: int = 20,
        file: str | os.PathLike[str] | None = None,
        progress: Callable[[str], None] | None = None,
        **keywords: Any,
    ) -> TuneReport:
        """Find the fastest options of the compiler for these arguments; see `obs.tune`.

        The cost report excludes options that move many more bytes. Raises ArgumentError if the
        function has `threads=` or `donate=`.
        """
        if self.threads is not None or self.donate:
            raise ArgumentError("a function with threads= or donate= cannot be tuned")
        from .tuning import tune

        given, static = self._bind(arguments, keywords, is_call=False)
        parameters = self._parameters(given)
        program, _ = self._program(parameters, static)
        sizes = _sizes(program, given)

        def bytes_of(tuning: Tuning) -> int:
            options = tuning.applied(CompileOptions())
            return self._cost_of(program, backend().compile(program.text, options), sizes).bytes()

        return tune(
            lambda: self(*arguments, **keywords),
            threads=threads,
            blocks=blocks,
            tiles=tiles,
            plain=plain,
            repeat=repeat,
            file=file,
            bytes_of=bytes_of,
            progress=progress,
        )

    def export(
        self,
        directory: str | os.PathLike[str],
        *arguments: Any,
        name: str = "",
        chip: str = "",
        threads: int = 0,
        **static: Any,
    ) -> list[Path]:
        """Write the program to files, and return their paths.

        NAME.ptx has the kernels, NAME.json the launch contract, NAME.c the host in C, NAME.mlir the
        program, and NAME.kernels.mlir the kernels for the emulator. NAME.py has a function of the
        parameters that runs the program from these files without compilation. There, results that
        are named tuples or dataclasses become tuples. By default, NAME is the name of the function.
        The folder is made if it does not exist.
        """
        from .export import write_files

        options = CompileOptions(threads=threads, chip=chip)
        program, artifact = self._compiled(arguments, static, options)
        texts = {suffix: backend().show(artifact, form)[0] for suffix, form in _FILES.items()}
        texts["mlir"] = program.plain_text
        return write_files(Path(directory), name or self.__wrapped__.__name__, program, texts)


def _labels(program: Program) -> list[tuple[str, ...]]:
    """The names of the extents of each array and number that a program takes."""
    labels: list[tuple[str, ...]] = []
    for name, kind in program.parameters.items():
        if isinstance(kind, ParameterType):
            extents = tuple(_label(kind, name, d) for d in range(kind.type.rank))
            labels += [extents] * len(kind.type.element.leaves)
        else:
            labels.append(())
    return labels


def _label(kind: ParameterType, name: str, dimension: int) -> str:
    """The name of an extent; empty for an extent in the type."""
    if kind.type.extents[dimension] is not None:
        return ""
    return kind.names[dimension] or f"{name}_dim{dimension}"


def _sizes(program: Program, given: Mapping[str, Any]) -> dict[str, int]:
    """The sizes of the given arguments, by name."""
    sizes: dict[str, int] = {}
    for name, kind in program.parameters.items():
        value = given[name]
        if isinstance(kind, ParameterType) and value is not None:
            view = view_of(flatten(value)[0][0])
            shape = view.shape if view is not None else ()
            sizes.update((_label(kind, name, d), extent) for d, extent in enumerate(shape))
        elif isinstance(value, (int, np.integer)):
            sizes[name] = int(value)
    sizes.pop("", None)
    return sizes
