"""Calls of compiled programs with the arrays of any framework.

In: a traced function, its compiled program, and the arguments of a call. Out: results of the
framework of the first array. With arrays in the memory of the host, the program runs on the
emulator; with arrays on a GPU, it runs on this GPU.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np

from .accelerator import Accelerated, Entry, make_entry
from .backend import RunOptions
from .captures import Captures
from .device_arrays import PLAIN, DeviceArray
from .driver import driver
from .errors import ArgumentError, ArgumentTypeError, ObsidianError
from .fast_calls import FastCall
from .frameworks import NUMPY
from .gpu import Foreign
from .interop import view_of
from .locations import Location
from .native import NativeArtifact, NativeBackend
from .parameters import Parameter, parameters_of
from .types import ArrayType, spell
from .views import (
    ALIGNMENT,
    CPU,
    DTYPES,
    Framework,
    Traced,
    View,
    contains,
    overlap,
    place_of,
    remark,
)

#: From this number of elements on, a run on the emulator is slow.
MANY = 10**6


class Program(Protocol):
    """The properties of a traced function that a call uses; see `jit.Program`."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The types of the parameters by name, in order."""

    @property
    def results(self) -> tuple[Any, ...]:
        """The types of the results."""

    @property
    def shape(self) -> Any:
        """The form of the Python value that the results make; None if there is one result."""

    @property
    def donated(self) -> Mapping[str, Sequence[int]]:
        """The parameters that the program may write, and the components of the results in each."""

    def pack(self, components: Sequence[Any]) -> Any:
        """The Python value of the components of all results."""


class Call:
    """A compiled program as a function of the arrays of any framework.

    There is one object for each program. Each call of the user calls it.
    """

    def __init__(
        self,
        program: Program,
        artifact: NativeArtifact,
        backend: NativeBackend,
        place: Location | None = None,
    ) -> None:
        """Take a program, and the result of its compilation by `backend`.

        `place` is the line that warnings name if the code that calls is not that of the user.
        """
        self.program, self.artifact, self.backend = program, artifact, backend
        self.place = place
        self.parameters: list[Parameter] = parameters_of(program.parameters)
        #: The names of the elements of each component of the results; bits matter for bf16 only.
        self.elements = [
            spell(leaf)
            for result in program.results
            for leaf in (result.element.leaves if isinstance(result, ArrayType) else (result,))
        ]
        #: The function from the components to the value of the results: often an array, or a tuple.
        self._pack: Callable[[Sequence[Any]], Any] = program.pack
        elements = [getattr(result, "element", None) for result in program.results]
        if all(getattr(element, "shape", None) is None for element in elements):
            if program.shape is None and len(self.elements) == 1:
                self._pack = operator.itemgetter(0)
            elif program.shape == (tuple, (None,) * len(self.elements)):
                self._pack = tuple
        self._is_slow = False
        #: For calls on a GPU: the last fast call, and all by framework and GPU.
        self._fast: FastCall | None = None
        self._fast_calls: dict[tuple[Framework, int], FastCall | None] = {}
        #: The last fast call in the accelerator, if it is one of the accelerator.
        self.accelerated: Accelerated | None = None
        #: The positions of donated arguments, and the results that are in their memory.
        self._donated: list[int] = []
        self._reused: dict[int, int] = {}
        first = 0
        for parameter in self.parameters:
            if parameter.name in program.donated:
                places = range(first, first + parameter.components)
                self._donated += places
                self._reused.update(zip(program.donated[parameter.name], places))
            first += parameter.components

    def __call__(
        self, values: Sequence[Any], options: RunOptions | None = None, copy: bool = True
    ) -> Any:
        """Run the program, and return its results.

        `values` has one value for each parameter, in order: a number, an array, or for an array of
        tuples a tuple of arrays. Without `options`, arrays in the memory of the host run on the
        emulator, and arrays of a GPU there, on the current stream of the framework of the first.
        Results are arrays of this framework, in memory of its allocator; they are new, except for a
        result that is an argument or a part of one, which shares its memory.

        Arrays that are not contiguous, row by row, and on a GPU those that do not begin at a
        multiple of 16 bytes, are copied first, with a PerformanceWarning; `copy=False` refuses
        them, and so do parameters that are donated. Raises ArgumentTypeError for another kind,
        type, rank or device, ArgumentError for other extents or memory that the program cannot
        write, and RunError when the program stops.
        """
        if options is None:
            found = self.fast(values)
            if found is not None:
                return self._pack(found)
        items: list[Any] = []
        sizes: dict[str, tuple[str, int]] = {}
        for parameter, value in zip(self.parameters, values):
            parameter.add(value, items, sizes)
        if Traced in map(type, items):
            return self._trace(items, options)
        views = [item for item in items if type(item) is View]
        if self._donated:
            self._check_donated(items, views)
        first = views[0] if views else None
        if first is None or first.device == CPU:
            found = self._run_on_host(items, views, options, copy)
        else:
            if options is not None and options.device != "cuda":
                raise ArgumentTypeError(
                    f"{self._name(items, first)} is {place_of(first.device)}, and the run was to "
                    f"{options.device}: pass arrays in the memory of the host"
                )
            found = self._run_on_gpu(items, views, first, copy)
            self._fast = self._fast_call(first)
            self.accelerated = getattr(self._fast, "__self__", None)
        return self._pack(found)

    def _trace(self, items: Sequence[Any], options: RunOptions | None) -> Any:
        """A call in a program that JAX traces."""
        from .jax_calls import call_traced

        if options is not None:
            raise ArgumentTypeError("in jax.jit, JAX says where a program runs: call it plainly")
        found = call_traced(self, items)
        return self._pack(found)

    def show(self, form: str) -> str:
        """The program in one of `native.FORMS`."""
        return self.backend.show(self.artifact, form)[0]

    def _name(self, items: Sequence[Any], view: View) -> str:
        """The name of the parameter of a view."""
        names = [p.name for p in self.parameters for _ in range(p.components)]
        return next(name for name, item in zip(names, items) if item is view)

    def _check(self, items: Sequence[Any], view: View, device: int, copy: bool) -> None:
        """Refuse an argument on another device, and a copy that is not allowed; warn of others."""
        if view.device != device:
            self._refuse_devices(items)
        if view.copied:
            text = f"{self._name(items, view)} is not contiguous, row by row"
            if not copy:
                raise ArgumentError(text)
            self._remark(f"{text}: it is copied")

    def _check_donated(self, items: Sequence[Any], views: Sequence[View]) -> None:
        """Refuse a donated argument that is read-only, a copy, or in memory of another argument."""
        for place in self._donated:
            view = items[place]
            what = f"{self._name(items, view)} is donated"
            if view.copied:
                raise ArgumentError(f"{what}, so it is not copied, and it is not contiguous")
            if view.device != CPU and view.pointer % ALIGNMENT and view.nbytes:
                raise ArgumentError(
                    f"{what}, so it is not copied, and it does not begin at a multiple of "
                    f"{ALIGNMENT} bytes"
                )
            if not view.framework.is_writable(view):
                raise ArgumentError(
                    f"{what}, and this array of {view.framework.name} is read-only: pass a copy"
                )
            for other in views:
                if other is not view and other.device == view.device and overlap(view, other):
                    raise ArgumentError(f"{what}, and {self._name(items, other)} shares its memory")

    def _refuse_devices(self, items: Sequence[Any]) -> NoReturn:
        names = [p.name for p in self.parameters for _ in range(p.components)]
        places = [
            f"{name} is {place_of(item.device)}"
            for name, item in zip(names, items)
            if type(item) is View
        ]
        raise ArgumentTypeError(f"all arrays of a call are on one device: {', '.join(places)}")

    def _run_on_host(
        self,
        items: Sequence[Any],
        views: Sequence[View],
        options: RunOptions | None,
        copy: bool,
    ) -> list[Any]:
        for view in views:
            self._check(items, view, CPU, copy)
        if options is None and views:
            self._remark_size(
                max(math.prod(view.shape) for view in views),
                "pass arrays of a GPU, such as CuPy's or PyTorch's",
            )
        values = [i.framework.to_host(i) if type(i) is View else i for i in items]
        results = self.backend.run(
            self.artifact, values, len(self.elements), options or RunOptions()
        )
        if options is None and not views:
            self._remark_size(
                max(np.size(result) for result in results),
                'a call without arrays runs there; f.run(obs.RunOptions(device="cuda"), ...) runs '
                "on the GPU",
            )
        for number, place in self._reused.items():
            # Unsigned numbers are bits of signed ones.
            np.copyto(values[place].view(results[number].dtype), results[number])
            results[number] = items[place].owner
        framework, like = (views[0].framework, views[0]) if views else (NUMPY, None)
        if framework is NUMPY and all(view.element != "bf16" for view in views):
            return results
        like = next((view for view in views if view.element == "bf16"), like)
        return [
            framework.from_host(result, element, like)
            if isinstance(result, np.ndarray) and number not in self._reused
            else result
            for number, (result, element) in enumerate(zip(results, self.elements))
        ]

    def _remark(self, message: str) -> None:
        remark(message, self.place)

    def _remark_size(self, size: int, correction: str) -> None:
        """Say once that a run of so many elements on the emulator is slow."""
        if size >= MANY and not self._is_slow:
            self._is_slow = True
            self._remark(f"{size} elements on the emulator, which is slow: {correction}")

    def _run_on_gpu(
        self, items: list[Any], views: Sequence[View], first: View, copy: bool
    ) -> list[Any]:
        framework, index = first.framework, first.device
        stream = first.stream if first.stream is not None else framework.stream(index)
        for view in views:
            # Most calls need no preparation, and are fast.
            if (
                view.framework is not framework
                or view.device != index
                or view.pointer % ALIGNMENT
                or view.copied
                or view.stream is not None
            ):
                self._prepare(items, view, first, stream, copy)
        results = self.backend.run_on_gpu(
            self.artifact, items, len(self.elements), stream, framework.allocator, index
        )
        framework.finish(index, stream)
        for number, result in enumerate(results):
            if type(result) is DeviceArray and framework is not PLAIN:
                results[number] = framework.adopt(result)
        if Foreign in map(type, results):
            _find_parts(framework, items, results)
        return results

    def fast(self, values: Sequence[Any]) -> list[Any] | None:
        """The components of the results; None, and nothing has run, if values need preparation.

        See `fast_calls.py`.
        """
        found = self._fast(values) if self._fast is not None else None
        return None if found is None else _found_in_arguments(values, found)

    def _finish(self, values: Sequence[Any], results: list[Any]) -> Any:
        """The value of a fast call of the accelerator."""
        return self._pack(_found_in_arguments(values, results))

    def entry(self, captures: Captures, key: Hashable) -> Entry | None:
        """A call in the accelerator of a function whose captured values have this key, now.

        It is None without an accelerator, and for a program that has no fast call.
        """
        if self.accelerated is None:
            return None
        form = {operator.itemgetter: 1, type: 2}.get(type(self._pack), 0)
        return make_entry(self.accelerated, captures, key, Foreign, self._finish, form)

    def _fast_call(self, first: View) -> FastCall | None:
        """The fast call for arrays such as this one."""
        key = first.framework, first.device
        if key not in self._fast_calls:
            self._fast_calls[key] = self.backend.fast_call(
                self.artifact, self.parameters, len(self.elements), *key, self.program.donated
            )
        return self._fast_calls[key]

    def _prepare(self, items: list[Any], view: View, first: View, stream: int, copy: bool) -> None:
        """Let the stream of the run wait for an argument, and copy it if kernels require a copy."""
        self._check(items, view, first.device, copy)
        written = view.stream
        if written is None:
            written = view.framework.stream(view.device)
        driver().order(view.device, written, stream)
        if view.pointer % ALIGNMENT and 0 not in view.shape:
            place = next(n for n, item in enumerate(items) if item is view)
            items[place] = self._aligned(items, view, copy)

    def _aligned(self, items: Sequence[Any], view: View, copy: bool) -> View:
        """A copy of an argument that kernels may read several elements of at once."""
        name = self._name(items, view)
        text = f"{name} does not begin at a multiple of {ALIGNMENT} bytes"
        if not copy:
            raise ArgumentError(text)
        self._remark(f"{text}: it is copied")
        return view.framework.copy(view)


def _found_in_arguments(values: Sequence[Any], results: list[Any]) -> list[Any]:
    """The results; those that lie in arguments are arrays of the framework of the first one."""
    if Foreign in map(type, results):
        views = [view for view in map(view_of, values) if view is not None]
        _find_parts(views[0].framework, views, results)
    return results


def _find_parts(framework: Framework, items: Sequence[Any], results: list[Any]) -> None:
    """Replace the results that lie in arguments by arrays of the framework."""
    for number, result in enumerate(results):
        if type(result) is Foreign:
            results[number] = _part(framework, items, result)


def _part(framework: Framework, items: Sequence[Any], result: Foreign) -> Any:
    """A result in the memory of an argument, as an array of the framework."""
    size = int(DTYPES[result.element].itemsize)
    for view in items:
        if type(view) is View and contains(view, result.pointer, result.shape, size):
            offset = result.pointer - view.pointer
            part = view.framework.part(view, offset, result.shape, result.element)
            is_own = view.framework is framework and type(part) is not DeviceArray
            return part if is_own or framework is PLAIN else framework.adopt(part)
    raise ObsidianError("a result lies in memory that nobody allocated")
