"""The C API of the compiler, called by ctypes.

In: the shared library `libobsidian.so`. Out: `NativeBackend`, which compiles and runs programs in
this process. `include/obsidian-c/Compiler.h` and `Runtime.h` describe each function.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import functools
import json
import os
import threading
import weakref
from collections.abc import Collection, Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, byref
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import cache
from .accelerator import Accelerated, accelerator, describe
from .backend import CompileOptions, RunOptions
from .device_arrays import run_from_host
from .driver import driver
from .errors import CompileError, Diagnostic, ObsidianError, RunError, in_python
from .fast_calls import FastCall, fast_call
from .gpu import ELEMENTS, Arguments, Foreign, Loaded, Results
from .locations import Location
from .parameters import Parameter
from .views import Allocator, Framework

_API_VERSION = 1
#: The number of forks between the process that loaded this module and this process.
_forks = 0
#: All backends, and the backends whose locks are held during a fork.
_backends: weakref.WeakSet[NativeBackend] = weakref.WeakSet()
_held: list[NativeBackend] = []
#: The functions that give programs to XLA, by the keys of the programs. XLA may call them until the
#: process ends.
_sources: dict[str, Any] = {}
_SEVERITIES = ("note", "warning", "error", "remark")
_DEVICES = {"interpret": 0, "emulate": 1, "cuda": 2}
#: The forms of a program in the order of `obs_form`.
FORMS = (
    "kernels",
    "ptx",
    "contract",
    "host_c",
    "cost",
    "barriers",
    "races",
    "cost_json",
    "barriers_json",
    "races_json",
)
#: NumPy's types in the order of `obs_type`. The bits of bf16 are unsigned integers.
_TYPES = tuple(np.dtype(t) for t in ("bool", "i1", "i2", "i4", "i8", "f2", "u2", "f4", "f8", "i8"))
_BF16 = 6


def _before_fork() -> None:
    """Wait for the calls of other threads, because the child does not have these threads."""
    for one in list(_backends):
        one._lock.acquire()
        _held.append(one)


def _after_fork() -> None:
    while _held:
        _held.pop()._lock.release()


def _after_fork_in_child() -> None:
    global _forks
    _forks += 1
    _after_fork()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
)


class _Text(Structure):
    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_size_t))

    def __str__(self) -> str:
        return ctypes.string_at(self.data, self.length).decode() if self.data else ""


class _Message(Structure):
    _fields_ = (
        ("severity", ctypes.c_int),
        ("parent", ctypes.c_int64),
        ("file", _Text),
        ("line", ctypes.c_uint32),
        ("column", ctypes.c_uint32),
        ("text", _Text),
    )


class _CompileOptions(Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("entry", ctypes.c_char_p),
        ("chip", ctypes.c_char_p),
        ("threads", ctypes.c_int64),
        ("blocks", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
    )


class _SavedProgram(Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("entry", ctypes.c_char_p),
        ("contract", _Text),
        ("ptx", _Text),
        ("kernels", _Text),
    )


class _Slot(Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("number", ctypes.c_uint32),
        ("rank", ctypes.c_int32),
        ("extents", POINTER(ctypes.c_int64)),
        ("bounds", POINTER(ctypes.c_int64)),
    )


_Extent = ctypes.c_int64
_Allocate = CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64)
_Free = CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64)


class _DeviceOptions(Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("index", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
        ("allocate", _Allocate),
        ("free", _Free),
        ("user", ctypes.c_void_p),
        ("prepared", ctypes.c_void_p),
        ("num_prepared", ctypes.c_size_t),
    )


#: `obs_xla_source`; the result is the address of a text, or None.
_Source = CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, POINTER(_SavedProgram))


class _Value(Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("extents", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
    )


def open_library(path: str | os.PathLike[str]) -> ctypes.CDLL:
    """The library with its functions. Raises ObsidianError if it is another version."""
    try:
        library = ctypes.CDLL(os.fspath(path))
    except OSError as error:
        raise ObsidianError(f"the compiler cannot be loaded: {error}") from None

    def declare(name: str, result: Any, parameters: list[Any]) -> None:
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ObsidianError(
                f"{path} has no function {name}: it is older than this package, or no library of "
                "Obsidian; build it from the same revision"
            ) from None
        function.restype, function.argtypes = result, parameters

    declare("obs_get_api_version", ctypes.c_uint32, [])
    version = library.obs_get_api_version()
    if version != _API_VERSION:
        raise ObsidianError(
            f"{path} has version {version} of the C API, and this package needs {_API_VERSION}"
        )
    pointer, number = ctypes.c_void_p, ctypes.c_size_t
    functions: dict[str, tuple[Any, list[Any]]] = {
        "obs_get_version": (ctypes.c_char_p, []),
        "obs_compiler_create": (pointer, []),
        "obs_compiler_destroy": (None, [pointer]),
        "obs_compiler_get_num_messages": (number, [pointer]),
        "obs_compiler_get_message": (_Message, [pointer, number]),
        "obs_compile": (
            pointer,
            [pointer, ctypes.c_char_p, number, ctypes.c_char_p, POINTER(_CompileOptions)],
        ),
        "obs_read": (pointer, [pointer, POINTER(_SavedProgram)]),
        "obs_program_destroy": (None, [pointer]),
        "obs_program_show": (ctypes.c_int, [pointer, ctypes.c_int, POINTER(_Text)]),
        "obs_program_get_num_parameters": (number, [pointer]),
        "obs_program_get_parameter": (_Slot, [pointer, number]),
        "obs_program_get_num_results": (number, [pointer]),
        "obs_program_get_result": (_Slot, [pointer, number]),
        "obs_load": (pointer, [pointer, POINTER(_DeviceOptions)]),
        "obs_executable_destroy": (None, [pointer]),
        "obs_run": (ctypes.c_int, [pointer, POINTER(_Value), number, pointer]),
        "obs_run_packed": (ctypes.c_int, [pointer, pointer, pointer, pointer]),
        "obs_get_result": (_Value, [pointer, number]),
        "obs_get_output": (_Text, [pointer]),
        "obs_xla_add": (None, [ctypes.c_char_p, _Source, pointer]),
        "obs_xla_run_on_host": (pointer, [pointer]),
        "obs_xla_run_on_gpu": (pointer, [pointer]),
    }
    for name, (result, parameters) in functions.items():
        declare(name, result, parameters)
    return library


class _Handle:
    """A handle of the library, which is destroyed after this object, and before its owner.

    Python deletes objects in any thread and at any time, but only one thread at a time may use the
    library. So a deleted handle is added to `dead`, and the backend destroys it when it has the
    lock.
    """

    def __init__(self, value: int, destroy: Any, dead: _Dead, owner: object = None) -> None:
        self.value, self.owner = value, owner
        self._destroy, self._dead = destroy, dead

    def __del__(self) -> None:
        self._dead.append((self._destroy, self.value, self.owner))


#: Functions that destroy handles, the handles, and what they need until then, in order.
_Dead = collections.deque[tuple[Any, int, object]]


@dataclass
class NativeArtifact:
    """A compiled program, and its executables."""

    program: _Handle
    #: The codes of the types, and the ranks or -1.
    parameters: tuple[tuple[int, int], ...]
    results: tuple[tuple[int, int], ...]
    diagnostics: list[Diagnostic]
    #: True if the host code of the program prints.
    prints: bool
    #: The source of the compilation.
    text: str
    options: CompileOptions
    #: The name of its entry in the cache, and the texts of the entry. Without "ptx", nothing has
    #: requested the PTX yet.
    key: str = ""
    saved: dict[str, str] = field(default_factory=dict)
    #: True if the program was read from the cache, so that it has neither a source nor reports.
    is_read: bool = False
    executables: dict[RunOptions, _Handle] = field(default_factory=dict)
    on_gpus: dict[tuple[int, type[Allocator]], Loaded] = field(default_factory=dict)


class NativeBackend:
    """Compiles and runs programs by the C API. Calls of several threads wait for each other."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Load the library."""
        self._library = open_library(Path(path))
        self._run_packed = self._library.obs_run_packed
        library = self._library
        self._dead: _Dead = collections.deque()
        self._compiler = _Handle(
            library.obs_compiler_create(), library.obs_compiler_destroy, self._dead
        )
        self._lock = threading.RLock()
        file = Path(path).stat()
        #: Identifies this build of the compiler. Different builds may have the same version.
        self._identity = (file.st_size, file.st_mtime_ns)
        self._forks = _forks
        _backends.add(self)

    @property
    def version(self) -> str:
        """The versions of the compiler and of LLVM."""
        return str(self._library.obs_get_version().decode())

    def _bury(self) -> None:
        """Destroy the handles that are no longer needed."""
        while self._dead:
            destroy, handle, owner = self._dead.popleft()
            destroy(handle)
            del owner

    def _messages(self) -> list[Diagnostic]:
        """The messages of the last call, with their notes."""
        handle = self._compiler.value
        count = self._library.obs_compiler_get_num_messages(handle)
        raw = [self._library.obs_compiler_get_message(handle, i) for i in range(count)]
        children: list[list[int]] = [[] for _ in raw]
        for number, message in enumerate(raw):
            if message.parent >= 0:
                children[message.parent].append(number)

        def build(number: int) -> Diagnostic:
            message = raw[number]
            file = str(message.file)
            # A message on an option has no line.
            place = Location(file, message.line, message.column) if file and message.line else None
            notes = tuple(build(child) for child in children[number])
            text = str(message.text)
            if place is not None and place.file != "<program>":
                notes += in_python(text)
            return Diagnostic(_SEVERITIES[message.severity], text, place, notes)

        return [build(n) for n, message in enumerate(raw) if message.parent < 0]

    def compile(self, text: str, options: CompileOptions) -> NativeArtifact:
        """Compile the text of a program, or read it from the cache. Raises CompileError."""
        key = cache.key_of(text, options, self.version, self._identity)
        saved = cache.read(key)
        with self._lock:
            self._bury()
            handle = self._read(saved) if saved else None
            if handle is None:
                saved = None
            if handle is not None and saved is not None:
                messages = [_diagnostic(m) for m in json.loads(saved["diagnostics"])]
            else:
                handle, messages = self._compile(text, options)
            artifact = self._artifact(handle, messages, text, options)
            artifact.key, artifact.saved, artifact.is_read = key, saved or {}, saved is not None
            if saved is None and cache.folder() is not None:
                # A program without a contract, such as a kernel that nothing launches, is not kept.
                with contextlib.suppress(CompileError):
                    artifact.saved = {
                        "contract": self._show(artifact, "contract"),
                        "kernels": self._show(artifact, "kernels"),
                        "diagnostics": json.dumps([asdict(message) for message in messages]),
                    }
                    cache.write(key, artifact.saved)
        return artifact

    def read(self, saved: dict[str, str]) -> NativeArtifact:
        """A program from its texts `contract`, `ptx` and `kernels`. Compiles nothing.

        It has no other forms, and no reports. Raises CompileError if the texts are not a program.
        """
        with self._lock:
            self._bury()
            handle = self._read(saved)
            if handle is None:
                raise CompileError(self._messages())
            artifact = self._artifact(handle, [], "", CompileOptions())
            artifact.prints = '"print"' in saved["contract"]
            artifact.key, artifact.saved = cache.key_of(sorted(saved.items())), saved
            return artifact

    def _artifact(
        self, handle: int, messages: list[Diagnostic], text: str, options: CompileOptions
    ) -> NativeArtifact:
        program, library = self._program(handle), self._library
        parameters = [
            library.obs_program_get_parameter(program.value, i)
            for i in range(library.obs_program_get_num_parameters(program.value))
        ]
        results = [
            library.obs_program_get_result(program.value, i)
            for i in range(library.obs_program_get_num_results(program.value))
        ]
        return NativeArtifact(
            program,
            tuple((slot.type, slot.rank) for slot in parameters),
            tuple((slot.type, slot.rank) for slot in results),
            messages,
            "obs.print" in text,
            text,
            options,
        )

    def _compile(self, text: str, options: CompileOptions) -> tuple[int, list[Diagnostic]]:
        given = _CompileOptions(
            ctypes.sizeof(_CompileOptions),
            None,
            options.chip.encode() if options.chip else None,
            options.threads,
            options.blocks,
            options.deterministic
            | options.runtime_checks << 1
            | options.is_stablehlo << 3
            | (not options.tiles) << 4
            | options.plain_collectives << 5,
        )
        data = text.encode()
        handle = self._library.obs_compile(
            self._compiler.value, data, len(data), b"<program>", byref(given)
        )
        messages = self._messages()
        if not handle:
            raise CompileError(messages)
        return handle, messages

    def _program(self, handle: int) -> _Handle:
        return _Handle(handle, self._library.obs_program_destroy, self._dead, self._compiler)

    def _read(self, saved: dict[str, str]) -> int | None:
        """The program of a cache entry; None if this library cannot read it."""
        texts = [saved.get(form, "").encode() for form in ("contract", "ptx", "kernels")]
        given = _SavedProgram(ctypes.sizeof(_SavedProgram), None, *map(_text, texts))
        handle: int | None = self._library.obs_read(self._compiler.value, byref(given))
        return handle

    def _compile_read(self, artifact: NativeArtifact) -> None:
        """Compile a program that was read, for a form that needs a compilation."""
        if artifact.is_read:
            handle, _ = self._compile(artifact.text, artifact.options)
            artifact.program, artifact.is_read = self._program(handle), False

    def _show(self, artifact: NativeArtifact, form: str) -> str:
        text = _Text()
        number = FORMS.index(form)
        if self._library.obs_program_show(artifact.program.value, number, byref(text)):
            raise CompileError(self._messages())
        return str(text)

    def show(self, artifact: NativeArtifact, form: str) -> tuple[str, list[Diagnostic]]:
        """A program in one of FORMS, and the messages about it.

        Raises CompileError if it does not have this form, or if it has races.
        """
        with self._lock:
            self._bury()
            if form not in artifact.saved:
                self._compile_read(artifact)
            return self._show(artifact, form), self._messages()

    def _load(self, artifact: NativeArtifact, options: RunOptions) -> _Handle:
        executable = artifact.executables.get(options)
        if executable is None:
            if options.device == "interpret":
                self._compile_read(artifact)
            flags = (3 if options.check else 0) | (4 if options.schedule == "random" else 0)
            given = _DeviceOptions(
                ctypes.sizeof(_DeviceOptions), _DEVICES[options.device], -1, flags, options.seed
            )
            handle = self._library.obs_load(artifact.program.value, byref(given))
            if not handle:
                raise RunError(self._messages())
            executable = _Handle(
                handle, self._library.obs_executable_destroy, self._dead, artifact.program
            )
            artifact.executables[options] = executable
        return executable

    def run(
        self,
        artifact: NativeArtifact,
        arguments: Sequence[Any],
        results: int,
        options: RunOptions,
    ) -> list[Any]:
        """Run the function `main` of an artifact, and return its results as new NumPy values.

        Arguments are contiguous NumPy arrays and numbers, one for each component of a parameter. A
        GPU gets copies of the arrays. Raises RunError with all messages.
        """
        if options.device == "cuda":
            return run_from_host(functools.partial(self.run_on_gpu, artifact), arguments, results)
        library = self._library
        values = (_Value * len(arguments))()
        alive = []
        for value, (code, rank), argument in zip(values, artifact.parameters, arguments):
            data = argument if isinstance(argument, np.ndarray) else _bits(argument, code)
            extents = (ctypes.c_int64 * data.ndim)(*data.shape)
            alive.append((data, extents))
            value.type, value.rank = code, rank
            value.extents = ctypes.addressof(extents)
            value.data = data.ctypes.data
        with self._lock:
            self._bury()
            executable = self._load(artifact, options).value
            status = library.obs_run(executable, values, len(arguments), None)
            output = str(library.obs_get_output(executable))
            if output:
                print(output, end="")
            if status:
                raise RunError(self._messages())
            return [_copy(library.obs_get_result(executable, i)) for i in range(results)]

    def run_on_gpu(
        self,
        artifact: NativeArtifact,
        values: Sequence[Any],
        results: int,
        stream: int,
        allocator: type[Allocator],
        index: int,
    ) -> list[Any]:
        """Run the function `main` of an artifact on the GPU `index`, after the work of `stream`.

        Values are views of arrays on this GPU, and numbers, one for each component of a parameter.
        Results are arrays in memory of `allocator`, `Foreign` if they are
        parts of an argument, and NumPy scalars. The host does not wait for the stream, unless
        the program reads an element on the host. Raises RunError with all messages, or the
        exception of the allocator.
        """
        with self._lock:
            self._begin()
            loaded = artifact.on_gpus.get((index, allocator))
            if loaded is not None:
                loaded.arguments.write(values)
                return self._run_loaded(artifact, loaded, results, stream)
            # Loading and the first launch of a kernel cannot be captured in a graph.
            with driver().relaxed_capture():
                loaded = self._load_on_gpu(artifact, allocator, index)
                loaded.arguments.write(values)
                return self._run_loaded(artifact, loaded, results, stream)

    def fast_call(
        self,
        artifact: NativeArtifact,
        parameters: Sequence[Parameter],
        results: int,
        framework: Framework,
        index: int,
        written: Collection[str] = (),
    ) -> FastCall | None:
        """A function like `run_on_gpu`, for values that have not been checked; see `fast_calls.py`.

        `written` names the parameters that the program may write.

        None if the artifact has not run on the GPU `index`, or has other parameters.
        """
        loaded = artifact.on_gpus.get((index, framework.allocator))
        if loaded is None:
            return None

        def run(stream: int) -> list[Any]:
            self._begin()
            return self._run_loaded(artifact, loaded, results, stream)

        if loaded.accelerated is not None and not artifact.prints:
            found = self._accelerate(loaded.accelerated, loaded, parameters, framework, written)
            if found is not None:
                return found
        memory = loaded.arguments.memory
        return fast_call(parameters, framework, index, self._lock, memory, run, written)

    def _accelerate(
        self,
        accelerated: Accelerated,
        loaded: Loaded,
        parameters: Sequence[Parameter],
        framework: Framework,
        written: Collection[str],
    ) -> FastCall | None:
        """The fast call of the accelerator; None if it cannot call the program."""
        if framework.fast is None:
            return None
        dtypes = [framework.fast_dtype(p.elements[0]) if p.elements else None for p in parameters]
        described = describe(parameters, dtypes, written)
        if described is None:
            return None
        memory, words = loaded.allocator, loaded.results

        def take(blocks: dict[int, Any], pointer: int, shape: tuple[int, ...], name: str) -> Any:
            memory.blocks = blocks
            try:
                array = memory.take(pointer, shape, name)
            finally:
                memory.blocks = {}
            return Foreign(pointer, shape, name) if array is None else array

        kinds = {place: _TYPES[code] for place, code, _ in words.slots}

        def number(place: int) -> Any:
            return np.frombuffer(words.raw(place), kinds[place], 1)[0]

        def fail() -> None:
            raise RunError(self._messages())

        names = [ELEMENTS[code] for _, code, rank in words.slots if rank >= 0]
        given = framework.accelerated(memory, names)
        makes = iter(given.pop("makes"))
        slots = tuple(
            (
                rank,
                _TYPES[code].itemsize,
                ELEMENTS[code],
                *(next(makes) if rank >= 0 else (None, None)),
            )
            for _, code, rank in words.slots
        )
        is_prepared = accelerated.prepare(
            **given, **described, slots=slots,
            run=ctypes.cast(self._run_packed, ctypes.c_void_p).value,
            executable=loaded.handle.value,
            arguments=loaded.arguments.address, results=words.address, owner=loaded,
            acquire=self._lock.acquire, release=self._lock.release,
            dead=self._dead, bury=self._bury, names=globals(), forks="_forks",
            kinds=framework.fast_classes(), index=memory.index,
            part=memory.part, other=take, number=number, fail=fail,
        )  # fmt: skip
        return accelerated.run if is_prepared else None

    def _begin(self) -> None:
        """Before each run on a GPU."""
        if self._forks != _forks:
            raise ObsidianError("a process that was forked cannot use the GPU: start it with spawn")
        if self._dead:
            self._bury()

    def _load_on_gpu(
        self, artifact: NativeArtifact, allocator: type[Allocator], index: int
    ) -> Loaded:
        codes = [code for code, rank in artifact.results if rank >= 0]
        usual = ELEMENTS[max(set(codes), key=codes.count)] if codes else "i8"
        arguments, results = Arguments(artifact.parameters, _bits), Results(artifact.results)
        loaded = Loaded(arguments, results, allocator(index, usual))
        if "ptx" not in artifact.saved:
            self._compile_read(artifact)
        module, user = accelerator(), None
        if module is None:
            allocate, free = _Allocate(loaded.allocate), _Free(loaded.free)
        else:
            # In other calls than fast ones, these call the functions of `loaded`.
            accelerated: Accelerated = module.Call(loaded.allocate, loaded.free)
            loaded.accelerated, user = accelerated, accelerated.address
            allocate, free = _Allocate(module.ALLOCATE), _Free(module.FREE)
        size, kind = ctypes.sizeof(_DeviceOptions), _DEVICES["cuda"]
        prepared = loaded.allocator.prepared
        given = _DeviceOptions(
            size, kind, index, 0, 0, allocate, free, user,
            ctypes.addressof(prepared), len(prepared) // 2,
        )  # fmt: skip
        handle = self._library.obs_load(artifact.program.value, byref(given))
        if not handle:
            raise RunError(self._messages())
        destroy = self._library.obs_executable_destroy
        # The callbacks live until the handle is destroyed.
        owner = artifact.program, allocate, free, loaded.accelerated
        loaded.handle = _Handle(handle, destroy, self._dead, owner)
        artifact.on_gpus[index, allocator] = loaded
        self._keep_ptx(artifact)
        return loaded

    def _keep_ptx(self, artifact: NativeArtifact) -> None:
        """Add the PTX, which somebody needs, to the entry of the cache."""
        if artifact.saved and "ptx" not in artifact.saved:
            artifact.saved["ptx"] = self._show(artifact, "ptx")
            cache.write(artifact.key, artifact.saved)

    def xla_handlers(self) -> dict[str, Any]:
        """The functions that XLA calls to run programs, by its names of platforms."""
        library = self._library
        return {"cpu": library.obs_xla_run_on_host, "CUDA": library.obs_xla_run_on_gpu}

    def add_to_xla(self, artifact: NativeArtifact) -> str:
        """Make a program known to these functions, until the process ends; its name."""
        # Of two threads, the library gets the function that is kept.
        made = _Source(functools.partial(self._write_source, artifact, []))
        source = _sources.setdefault(artifact.key, made)
        self._library.obs_xla_add(artifact.key.encode(), source, None)
        return artifact.key

    def _write_source(
        self, artifact: NativeArtifact, kept: list[Any], _: object, kind: int, saved: Any
    ) -> int | None:
        """`obs_xla_source`. The texts stay valid in `kept`."""
        try:
            form = "ptx" if kind == _DEVICES["cuda"] else "kernels"
            kept[:] = [self.show(artifact, name)[0].encode() for name in ("contract", form)]
            saved.contents.contract = _text(kept[0])
            setattr(saved.contents, form, _text(kept[1]))
            with self._lock:
                if kind == _DEVICES["cuda"]:
                    self._keep_ptx(artifact)
        except BaseException as error:
            # An exception cannot pass through XLA. JAX raises an exception with this text.
            text = str(error) or type(error).__name__
            kept[:] = [ctypes.create_string_buffer(text.encode())]
            return ctypes.addressof(kept[0])
        return None

    def _run_loaded(
        self, artifact: NativeArtifact, loaded: Loaded, results: int, stream: int
    ) -> list[Any]:
        """Run with the packed arguments."""
        memory, words = loaded.allocator, loaded.results
        memory.stream = stream
        try:
            memory.begin()
            status = self._run_packed(
                loaded.handle.value, loaded.arguments.address, words.address, stream
            )
            if artifact.prints:
                print(self._library.obs_get_output(loaded.handle.value), end="")
            if status:
                error = loaded.take_error() or RunError(self._messages())
                try:
                    raise error
                finally:
                    # Otherwise the error keeps this frame, and so the arguments.
                    del error
            found = []
            for place, code, rank in words.slots[:results]:
                if rank < 0:
                    kind = _TYPES[code]
                    found.append(np.frombuffer(words.raw(place), kind, 1)[0])
                    continue
                pointer, element = words.pointer(place), ELEMENTS[code]
                shape = words.shape(place, rank)
                array = memory.take(pointer, shape, element)
                found.append(Foreign(pointer, shape, element) if array is None else array)
            return found
        finally:
            memory.forget()


def _text(data: bytes) -> _Text:
    """A view of bytes, which must stay valid as long as the view."""
    return _Text(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))


def _diagnostic(fields: dict[str, Any]) -> Diagnostic:
    """A message that was written as JSON."""
    place = fields["location"]
    notes = tuple(map(_diagnostic, fields["notes"]))
    location = Location(**place) if place else None
    return Diagnostic(fields["severity"], fields["message"], location, notes)


def _bits(number: Any, code: int) -> Any:
    """A number as an array without dimensions, in the type with this code."""
    kind = _TYPES[code]
    if kind.kind == "i":
        # Numbers from 2^(n - 1) on are those of unsigned types with the same bits.
        return np.asarray(int(number) & (1 << 8 * kind.itemsize) - 1, f"u{kind.itemsize}").view(
            kind
        )
    if code != _BF16:
        return np.asarray(number, kind)
    # The nearest number with 16 bits, ties to even, as the compiler reads it.
    bits = int(np.asarray(number, np.float32).view(np.uint32))
    if number != number:
        return np.asarray(0x7FC0, np.uint16)
    return np.asarray((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF, np.uint16)


def word_of(number: Any, code: int) -> int:
    """A number in the type with this code, as the bits of a word."""
    return int.from_bytes(_bits(number, code).tobytes(), "little")


def _copy(value: _Value) -> Any:
    """A result as a NumPy array or scalar of its own."""
    kind = _TYPES[value.type]
    shape = _shape(value, value.rank)
    count = int(np.prod(shape, dtype=np.int64))
    data = ctypes.string_at(value.data, count * kind.itemsize) if count else b""
    array = np.frombuffer(bytearray(data), kind).reshape(shape)
    return array if value.rank >= 0 else array[()]


def _shape(value: _Value, rank: int) -> tuple[int, ...]:
    """The extents of a result; none of a scalar, whose rank is -1."""
    if rank == 1:
        return (_Extent.from_address(value.extents).value,)
    return tuple((_Extent * rank).from_address(value.extents)) if rank > 1 else ()
