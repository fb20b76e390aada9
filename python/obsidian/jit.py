"""The decorators `jit` and `function`: from a Python function to programs, one for each key.

In: a Python function with annotated parameters, and the arguments of a call. Out: the text of the
program, traced once for each key (types of the arguments, static values, captured values), and the
results of running it.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import typing
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Generic, TypeVar, overload

import numpy as np

from . import pending, programs, syntax
from .accelerator import Accelerated, Entry
from .backend import CompileOptions, RunOptions, backend
from .calls import Call
from .captures import Captures, static_key
from .errors import ArgumentTypeError, TraceError, warn
from .functions import assert_
from .interop import view_of
from .levels import Level
from .locations import Location, last_return, of_function, of_recursion
from .maps import dim
from .native import NativeArtifact
from .parameters import Sizes, parameters_of
from .regions import Array, as_leaf, leaf_type, make_leaf, names
from .regions import types as types_of
from .scalars import Scalar
from .tools import Tools
from .trace import Trace, current, is_tracing, tracing
from .types import (
    ArrayType,
    Element,
    ParameterType,
    Shape,
    bf16,
    build,
    element_type_for,
    flatten,
    parameter_type,
    spell,
)
from .undefined import Undefined
from .views import View

#: A program with at least this number of operations is unusually long.
LONG = 10_000
#: The maximum number of combinations of static values that a function recognises by identity.
_MOST = 64
#: The names of parameters that are also names of values in the text of the program.
_PLAIN_NAME = re.compile(r"(?!c\d+$)[A-Za-z_]\w*", re.ASCII)
F = TypeVar("F", bound=Callable[..., Any])

#: The type of a parameter: an array, or a scalar.
Parameter = ParameterType | type[Scalar]


@dataclass(frozen=True)
class Program:
    """A traced function: its text, the types of its parameters, and the form of its results."""

    text: str
    plain_text: str
    parameters: dict[str, Parameter]
    #: The types of the results in order, and the Python value that they form.
    results: tuple[Any, ...]
    shape: Shape
    #: The parameters that the program may write, and the components of the results in each.
    donated: dict[str, tuple[int, ...]]

    def pack(self, components: Sequence[Any]) -> Any:
        """The Python value of the results of a run."""
        rest = iter(components)
        values = []
        for result in self.results:
            if isinstance(result, ArrayType):
                values.append(result.element.value([next(rest) for _ in result.element.leaves]))
            else:
                values.append(next(rest))
        return build(self.shape, iter(values))


class Function(Tools, Generic[F]):
    """A function that is compiled for its arguments when it is called.

    A call with NumPy arrays runs on the emulator, and returns NumPy arrays. A call in a function
    that is being traced becomes part of that function.
    """

    __wrapped__: F

    def __init__(
        self,
        function: F,
        threads: int | None = None,
        donate: str | Sequence[str] = (),
        copy: bool = True,
        fp_contract: bool = False,
    ) -> None:
        """Store the function. The first call traces it."""
        syntax.check_function(function, "jit")
        syntax.refuse_method(typing.cast(FunctionType, function))
        functools.update_wrapper(self, function)
        self.threads = None if threads is None else programs.checked_threads(threads)
        self.donate = (donate,) if isinstance(donate, str) else tuple(donate)
        self.copy = copy
        self.fp_contract = fp_contract
        self._captures = Captures(typing.cast(FunctionType, function))
        self._programs: dict[Hashable, Program] = {}
        self._artifacts: dict[Hashable, NativeArtifact] = {}
        self._calls: dict[Hashable, Call] = {}
        #: For the number of arguments, and the names and identities of static values: the call, the
        #: key of the captured values, and the static values, so that nothing else gets their
        #: identities. Only if all arguments are annotated.
        self._known: dict[Hashable, tuple[Call, Hashable, tuple[Any, ...]]] = {}
        #: The last call without static values that the accelerator can make, and its program.
        self._entry: Entry | None = None
        self._accelerated: Accelerated | None = None

    def __reduce__(self) -> str:
        """Pickle the function by its name, as Python does; its process compiles it again."""
        return self.__wrapped__.__qualname__

    def __repr__(self) -> str:
        return f"<obs.jit function {self.__wrapped__.__name__}>"

    @functools.cached_property
    def _rewritten(self) -> Callable[..., Any]:
        return syntax.rewrite(typing.cast(FunctionType, self.__wrapped__))

    @functools.cached_property
    def _signature(self) -> inspect.Signature:
        function = typing.cast(FunctionType, self.__wrapped__)
        names_of = dict(function.__globals__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                names_of[name] = cell.cell_contents
            except ValueError:
                continue
        try:
            hints = inspect.get_annotations(function, eval_str=True, globals=names_of)
        except Exception as error:
            raise TraceError(
                f"the annotations of {function.__name__} cannot be read: {error}", self._place
            ) from error
        signature = inspect.signature(function)
        parameters = []
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TraceError("a function with @obs.jit has no * or ** parameter", self._place)
            hint = hints.get(parameter.name, parameter.empty)
            parameters.append(parameter.replace(annotation=self._hint(parameter, hint)))
        return signature.replace(parameters=parameters)

    def parameter_types(self) -> dict[str, Parameter]:
        """The types of the parameters by name, which are all annotated and not static."""
        return {name: p.annotation for name, p in self._signature.parameters.items()}

    @functools.cached_property
    def _names(self) -> tuple[list[str], dict[str, Any]]:
        """The names of arrays and numbers, and the defaults of static values."""
        parameters = self._signature.parameters.values()
        static = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        return [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY], static

    @property
    def _place(self) -> Location:
        return of_function(self.__wrapped__.__code__)

    def _hint(self, parameter: inspect.Parameter, hint: Any) -> Any:
        if parameter.kind is parameter.KEYWORD_ONLY or hint is parameter.empty:
            return parameter.empty
        if typing.get_origin(hint) is typing.Annotated:
            try:
                return parameter_type(hint.__metadata__)
            except TraceError as error:
                message = f"the annotation of {parameter.name}: {error.message}"
                raise TraceError(message, self._place) from None
        if isinstance(hint, ParameterType) or (isinstance(hint, type) and issubclass(hint, Scalar)):
            return hint
        raise TraceError(
            f"the annotation of {parameter.name} is no type of a parameter: write a scalar type "
            'such as f32, Pull["n", f32], or Annotated[Pull, "n", f32]; a parameter that is static '
            "stands behind *",
            self._place,
        )

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Run the function; see the class."""
        if self._entry is not None and not keywords:
            found = self._entry(arguments)
            if found is not None:
                return found
        if is_tracing():
            return self._rewritten(*arguments, **keywords)
        known = self._known.get(_shape_of(arguments, keywords))
        if known is not None and self._captures.is_same(known[1]):
            found = known[0](arguments, None, self.copy)
            if not keywords:
                self._accelerate(known[0], known[1])
            return found
        return self.run(None, *arguments, **keywords)

    def run(self, options: RunOptions | None, *arguments: Any, **keywords: Any) -> Any:
        """Run the function with options of the run. By default, it runs where the arrays are."""
        if options is not None and not isinstance(options, RunOptions):
            raise ArgumentTypeError(
                "run takes obs.RunOptions before the arguments: f.emulate(x) and f.interpret(x) "
                "choose a device"
            )
        given, static = self._bind(arguments, keywords, is_call=True)
        parameters = self._parameters(given)
        program, key = self._program(parameters, static)
        # Checked runs have kernels of their own, which check what only kernels know.
        compiled = CompileOptions(runtime_checks=options is not None and options.check)
        call = self._calls.get((key, compiled))
        if call is None:
            artifact = self._artifact_of(program, key, compiled)
            warn(artifact.diagnostics)
            call = self._calls[key, compiled] = Call(program, artifact, backend())
        found = call([*given.values()], options, self.copy)
        is_plain = len(arguments) == len(given) and keywords.keys() <= static.keys()
        if options is None and is_plain:
            if not any(map(self._takes_type, given)):
                if len(self._known) == _MOST:
                    self._known.clear()
                values = tuple(keywords.values())
                self._known[_shape_of(arguments, keywords)] = call, key[2], values
            elif not keywords and all(map(self._has_annotation, given)):
                self._accelerate(call, key[2])
        return found

    def _accelerate(self, call: Call, captured: Hashable) -> None:
        """Let the accelerator make the next call without static values.

        The accelerator tests all that the types of the arguments depend on.
        """
        if call.accelerated is not self._accelerated:
            self._entry = call.entry(self._captures, captured)
            self._accelerated = call.accelerated

    def forget(self) -> None:
        """Compile the next call again."""
        self._artifacts.clear()
        self._calls.clear()
        self._known.clear()
        self._entry = self._accelerated = None

    def mlir(self, *arguments: Any, locations: bool = False, **keywords: Any) -> str:
        """The text of the program.

        Annotated parameters need no arguments. With `locations`, each operation has its location in
        the Python source.
        """
        given, static = self._bind(arguments, keywords, is_call=False)
        parameters = self._parameters(given)
        program, _ = self._program(parameters, static)
        return program.text if locations else program.plain_text

    def _bind(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], is_call: bool
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments of parameters by name, and the static values by name."""
        names, defaults = self._names
        if len(arguments) == len(names) and keywords.keys() <= defaults.keys():
            # The usual form of a call takes a tenth of the time of `bind`.
            static = {**defaults, **keywords}
            if all(v is not inspect.Parameter.empty for v in static.values()):
                return dict(zip(names, arguments)), static
        try:
            bind = self._signature.bind if is_call else self._signature.bind_partial
            bound = bind(*arguments, **keywords)
        except TypeError as error:
            raise ArgumentTypeError(f"{self.__wrapped__.__name__}: {error}") from None
        bound.apply_defaults()
        given, static = {}, {}
        for name, parameter in self._signature.parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                if name not in bound.arguments:
                    raise ArgumentTypeError(f"the static value {name} is missing: {name}=...")
                static[name] = bound.arguments[name]
            else:
                given[name] = bound.arguments.get(name)
        return given, static

    def _takes_type(self, name: str) -> bool:
        """True if the type of a parameter depends on the argument."""
        hint = self._signature.parameters[name].annotation
        is_open = isinstance(hint, ParameterType) and hint.is_open
        return is_open or not self._has_annotation(name)

    def _has_annotation(self, name: str) -> bool:
        return self._signature.parameters[name].annotation is not inspect.Parameter.empty

    @staticmethod
    def _has_any_elements(hint: Any) -> bool:
        return isinstance(hint, ParameterType) and not hint.type.element.leaves

    @functools.cached_property
    def _static_extents(self) -> frozenset[str]:
        """The names of extents that are static in a parameter, and so in all of them."""
        hints = [p.annotation for p in self._signature.parameters.values()]
        return frozenset().union(*(h.static for h in hints if isinstance(h, ParameterType)))

    def _parameters(self, given: dict[str, Any]) -> dict[str, Any]:
        """The types of the parameters for these arguments, by name."""
        kinds = {name: self._parameter(name, value) for name, value in given.items()}
        if not self._static_extents:
            return kinds
        sizes: Sizes = {}
        for parameter, (name, value) in zip(parameters_of(kinds), given.items()):
            if isinstance(kinds[name], ParameterType) and value is not None:
                parameter.add(value, [], sizes)
        missing = self._static_extents - sizes.keys()
        if missing:
            raise ArgumentTypeError(
                f"the extent {min(missing)} is static, so that the program depends on it: pass "
                "the arrays, as in a call"
            )
        known = {name: sizes[name][1] for name in self._static_extents}
        return {
            name: kind.with_sizes(known) if isinstance(kind, ParameterType) else kind
            for name, kind in kinds.items()
        }

    def _parameter(self, name: str, value: Any) -> Any:
        """The type of a parameter: its annotation, or that of the argument."""
        hint = self._signature.parameters[name].annotation
        if self._has_annotation(name) and not self._has_any_elements(hint):
            return hint
        view = view_of(value, name)
        if view is not None and view.shape:
            kind = bf16 if view.element == "bf16" else element_type_for(view.dtype)
            if kind is not None and isinstance(hint, ParameterType):
                return dataclasses.replace(hint, type=hint.type.with_element(Element((kind,))))
            if kind is not None:
                extents: tuple[Any, ...] = (None,) * view.ndim
                return ParameterType(ArrayType(extents, Element((kind,))), extents)
        if isinstance(hint, ParameterType):
            raise ArgumentTypeError(
                f"{name} is an array of any type of the language, and this is "
                f"{type(value).__name__ if view is None else f'an array of {view.dtype}'}: pass an "
                "array, or write the type of its elements in the annotation"
            )
        # An array without dimensions is a number.
        dtype = value.dtype if isinstance(value, np.generic) else None
        if view is not None and not view.shape and view.element != "bf16":
            dtype = view.dtype
        kind = None if dtype is None else element_type_for(dtype)
        if kind is not None:
            return kind
        raise ArgumentTypeError(_no_type_of(name, value, view))

    def _program(
        self, parameters: dict[str, Any], static: dict[str, Any]
    ) -> tuple[Program, tuple[Hashable, ...]]:
        try:
            key = (
                tuple(parameters.values()),
                tuple((k, static_key(v)) for k, v in static.items()),
                self._captures.key(),
            )
            program = self._programs.get(key)
        except TypeError:
            raise ArgumentTypeError(
                f"static values are hashable, and one of {', '.join(static)} is not: "
                "use a tuple in place of a list"
            ) from None
        if program is None:
            program = self._trace(parameters, static)
            changed = self._captures.changed()
            if changed is not None:
                raise TraceError(
                    f"the function changes {changed}, which it takes from outside, while it is "
                    "traced; a program cannot do that: return the value",
                    self._place,
                )
            self._programs[key] = program
        return program, key

    def _trace(self, parameters: dict[str, Any], static: dict[str, Any]) -> Program:
        name = self.__wrapped__.__name__

        def run(**given: Any) -> Any:
            try:
                value = self._rewritten(**given, **static)
            except RecursionError as error:
                again = of_recursion(error.__traceback__)
                if again is None:
                    raise syntax.too_deep(place) from None
                raise TraceError(
                    "this recursion does not end while the function is traced: Python follows both "
                    "branches of a condition that the program decides, so only numbers that Python "
                    "knows end a recursion; `while` is a loop of the program",
                    again,
                ) from None
            if value is None or (isinstance(value, (tuple, list)) and not value):
                raise TraceError("a function with @obs.jit returns its results", place)
            return value

        place = self._place
        trace = Trace(Level.grid)
        trace.default_kernel = name if name.isidentifier() and name.isascii() else "kernel"
        trace.default_threads = self.threads
        trace.contracts = self.fp_contract
        end = last_return(self.__wrapped__.__code__)
        program = trace_program(trace, run, parameters, place, end, self._donated(parameters))
        if trace.size > LONG:
            warnings.warn(
                f"{place}: {name} has {trace.size} operations: Python unrolls its own loops; "
                "for k in obs.range(n) or obs.loop makes a loop of the program",
                stacklevel=2,
            )
        return program

    def _donated(self, parameters: dict[str, Any]) -> tuple[str, ...]:
        for name in self.donate:
            if not isinstance(parameters.get(name), ParameterType):
                raise TraceError(f"donate= names arrays, and {name} is none", self._place)
        return self.donate


def _no_type_of(name: str, value: Any, view: View | None) -> str:
    """The message for an argument whose parameter has no annotation and gets no type from it."""
    if view is not None and view.shape and view.dtype.kind == "u":
        kind = f"i{8 * view.dtype.itemsize}"
        return (
            f"{name} has no annotation, and its elements are {view.dtype}: programs compute with "
            f'signed numbers, so annotate it, as in {name}: Annotated[Pull, "n", {kind}]'
        )
    return (
        f"{name} has no annotation, and {type(value).__name__} has no type of the language: "
        f"annotate it, as in {name}: f32, pass a NumPy array or number such as np.float32(2), or "
        "make it static, behind *"
    )


def _shape_of(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Hashable:
    """The number of the arguments, and the names and identities of those with a name."""
    if not keywords:
        return len(arguments)
    return (len(arguments), *keywords, *map(id, keywords.values()))


def trace_program(
    trace: Trace,
    run: Callable[..., Any],
    parameters: dict[str, Any],
    place: Location,
    end: Location,
    donated: tuple[str, ...] = (),
) -> Program:
    """The program of a function of traced values, which is called once with the parameters by name.

    `trace` is empty. `place` and `end` are the locations of operations without a line in the
    source: the checks of the parameters, and the results.
    """
    with tracing(trace):
        with trace.at(place):
            given, head = _open_parameters(parameters, donated)
        flat, shape = flatten(run(**given))
        for leaf in flat:
            if isinstance(leaf, Undefined):
                leaf.refuse()
        with trace.at(end):
            try:
                flat = [as_leaf(leaf) for leaf in flat]
            except TraceError as error:
                raise TraceError(error.message, end) from None
            leaves = pending.stored(flat)
            trace.emit(f"return {names(leaves)} : {types_of(leaves)}")
        results = tuple(leaf_type(leaf) for leaf in leaves)
        kinds = ", ".join(spell(kind) for kind in results)
        text = f"func.func @main({head}) -> ({kinds})"
        reused = {name: _components_in(trace.memory, given[name], leaves) for name in donated}
        return Program(
            trace.text(text), trace.text(text, False), parameters, results, shape, reused
        )


def _components_in(memory: dict[str, Any], array: Array, leaves: list[Any]) -> tuple[int, ...]:
    """The components of the results that are in the memory of a donated array; empty if none."""
    number = 0
    for leaf in leaves:
        count = len(leaf.type.element.leaves) if isinstance(leaf, Array) else 1
        if memory.get(leaf.name) == memory[array.name]:
            return tuple(range(number, number + count))
        number += count
    return ()


def _named(name: str) -> str:
    """The attribute with the name of a parameter. The contract numbers names that C cannot have."""
    return f' {{obs.name = "{name}"}}' if name.isascii() else ""


def _open_parameters(
    parameters: dict[str, Any], donated: Sequence[str]
) -> tuple[dict[str, Any], str]:
    """The traced values of parameters, and their text in the head of the function."""
    given: dict[str, Any] = {}
    heads = []
    extents: dict[str, tuple[str, Any]] = {}
    for number, (name, kind) in enumerate(parameters.items()):
        # The text has other rules for names than Python, and constants have the names c0, c1, ...
        ref = f"%{name}" if _PLAIN_NAME.fullmatch(name) else f"%${number}"
        if name in donated:
            count = len(kind.type.element.leaves)
            memory = [f"{ref}.{k}" for k in range(count)]
            given[name] = programs.view(kind.type, memory)
            labels = [name] if count == 1 else [f"{name}_{k}" for k in range(count)]
            _, types = current().memory[given[name].name]
            heads += [
                f"{part}: {spelt}{_named(label)}"
                for part, spelt, label in zip(memory, types, labels)
            ]
            continue
        leaf = kind.type if isinstance(kind, ParameterType) else kind
        given[name] = make_leaf(leaf, ref)
        heads.append(f"{ref}: {spell(leaf)}{_named(name)}")
    for name, kind in parameters.items():
        if not isinstance(kind, ParameterType):
            continue
        given[name].is_stored = True
        for d, label in enumerate(kind.names):
            if label is None:
                continue
            size = dim(given[name], d)
            if label not in extents:
                extents[label] = (name, size)
            elif extents[label][1] is not size:
                first, other = extents[label]
                assert_(size == other, f"{label} is not the same in {first} and {name}")
    return given, ", ".join(heads)


@overload
def jit(
    function: F,
    *,
    threads: int | None = None,
    donate: str | Sequence[str] = (),
    copy: bool = True,
    fp_contract: bool = False,
) -> Function[F]: ...
@overload
def jit(
    *,
    threads: int | None = None,
    donate: str | Sequence[str] = (),
    copy: bool = True,
    fp_contract: bool = False,
) -> Callable[[F], Function[F]]: ...
def jit(
    function: F | None = None,
    *,
    threads: int | None = None,
    donate: str | Sequence[str] = (),
    copy: bool = True,
    fp_contract: bool = False,
) -> Any:
    """Compile a function for its arguments.

    Parameters are arrays (`Annotated[Pull, "n", f32]`) and scalars (`f32`). Equal names of extents
    mean equal extents. Parameters after `*` are static: each value has its own program.
    `threads` is the number of threads of a block, for all kernels; the compiler chooses by default.

    `donate` names arrays that the program may write: `x.force(into=a)` stores in the memory of the
    argument `a`, and the result shares it. `copy=False` refuses arguments that are not contiguous,
    which are copied by default.

    `fp_contract=True` lets the program compute a product and a sum of floats with one rounding, on
    every device. It is faster, and the last bits differ from those of NumPy.
    """
    if function is None:
        return lambda f: Function(f, threads, donate, copy, fp_contract)
    return Function(function, threads, donate, copy, fp_contract)


def function(function: F) -> F:
    """Let a helper function use `if`, `while`, `for k in obs.range(n)`, `and`, `or` and `not`.

    Functions with @obs.jit do not need this decorator. It requires the source of the function.
    """
    syntax.check_function(function, "function")
    return typing.cast(F, syntax.rewrite(typing.cast(FunctionType, function)))
