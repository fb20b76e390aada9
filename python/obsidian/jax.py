"""Functions of JAX as whole programs of obs.

In: a function that `jax.jit` accepts. Out: a function that JAX lowers to StableHLO. The compiler
makes one program of it, and JAX calls this program as a foreign function: on the emulator if the
arrays are in the memory of the host, and on the GPU if they are there. JAX itself computes nothing.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .backend import CompileOptions, backend
from .calls import Call
from .errors import ArgumentTypeError
from .jax_calls import foreign
from .types import ArrayType, Element, ParameterType, bf16, element_type_for

#: The unsigned element types of JAX, and the types of obs for their bits.
_SIGNED = {"uint8": "int8", "uint16": "int16", "uint32": "int32", "uint64": "int64"}


@dataclass(frozen=True)
class _Program:
    """A compiled program with the types of its parameters and results."""

    parameters: dict[str, Any]
    results: tuple[Any, ...]
    shape: Any = (tuple, ())
    donated: dict[str, Sequence[int]] = field(default_factory=dict)

    def pack(self, components: Sequence[Any]) -> Any:
        """The results in order."""
        return list(components)


def _element(dtype: Any, what: str) -> Any:
    name = str(dtype)
    if name == "bfloat16":
        return bf16
    known = name in _SIGNED or getattr(dtype, "kind", "V") in "biuf"
    kind = element_type_for(np.dtype(_SIGNED.get(name, name))) if known else None
    if kind is None:
        raise ArgumentTypeError(f"{what} has elements of type {name}, which obs does not have")
    return kind


def _array_type(shape: Sequence[int], dtype: Any, what: str) -> ArrayType:
    return ArrayType(tuple(shape) or (1,), Element((_element(dtype, what),)))


class Function:
    """A function of JAX, which obs compiles once for each list of argument types."""

    def __init__(self, function: Callable[..., Any], threads: int = 0, **options: Any) -> None:
        """Store the function, and the options of `jax.jit`."""
        functools.update_wrapper(self, function)
        self._jax: Any = importlib.import_module("jax")
        self._function, self._threads, self._options = function, threads, options

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            return self._foreign_call(arguments, named)

        # JAX finds the compiled program of a call, and allocates the results.
        self._call = self._jax.jit(call, **options)

    def stablehlo(self, *arguments: Any, **named: Any) -> str:
        """The program of JAX for these arguments, as text for the compiler."""
        texts: list[str] = []

        @functools.wraps(self._function)
        def record(*arguments: Any, **named: Any) -> None:
            texts.append(_text(self._lower(arguments, named)[1]))

        self._jax.jit(record, **self._options).trace(*arguments, **named)
        return texts[0]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the program, and return its results as arrays of JAX.

        Raises CompileError for operations that obs does not have, with the line of the function.
        """
        return self._call(*arguments, **named)

    def _lower(self, arguments: Any, named: Any) -> tuple[list[Any], Any]:
        """The traced arrays of a call, and JAX's program of them.

        A number is an array of one element, so that it stays on the GPU.
        """
        tree = self._jax.tree_util
        given, structure = tree.tree_flatten((arguments, named))
        places = [n for n, value in enumerate(given) if isinstance(value, self._jax.core.Tracer)]
        shapes = [given[n].shape for n in places]
        arrays = [given[n].reshape(shape or 1) for n, shape in zip(places, shapes)]

        def function(*parameters: Any) -> Any:
            values = list(given)
            for place, parameter, shape in zip(places, parameters, shapes):
                values[place] = parameter.reshape(shape)
            arguments, named = tree.tree_unflatten(structure, values)
            return self._function(*arguments, **named)

        types = [self._jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
        # For other platforms, JAX emits calls of libraries that obs does not have.
        traced = self._jax.jit(function, keep_unused=True).trace(*types)
        return arrays, traced.lower(lowering_platforms=("cpu",))

    def _foreign_call(self, arguments: Any, named: Any) -> Any:
        """Compile the program for traced arguments, and call it in the program of JAX."""
        arrays, lowered = self._lower(arguments, named)
        results, structure = self._jax.tree_util.tree_flatten(lowered.out_info)
        parameters: dict[str, Any] = {}
        for number, array in enumerate(arrays):
            name = f"argument {number}"
            kind = _array_type(array.shape, array.dtype, name)
            parameters[name] = ParameterType(kind, (None,) * kind.rank)
        types = tuple(_array_type(r.shape, r.dtype, "a result") for r in results)
        options = CompileOptions(threads=self._threads, is_stablehlo=True)
        artifact = backend().compile(_text(lowered), options)
        call = Call(_Program(parameters, types), artifact, backend())
        found = foreign(call, [self._jax.ShapeDtypeStruct(r.shape, r.dtype) for r in results])
        return self._jax.tree_util.tree_unflatten(structure, found(*arrays))


def _text(lowered: Any) -> str:
    module = lowered.compiler_ir("stablehlo").operation
    return str(module.get_asm(print_generic_op_form=True, enable_debug_info=True))


def jit(function: Callable[..., Any] | None = None, *, threads: int = 0, **options: Any) -> Any:
    """Compile a function of JAX by obs instead of XLA; a decorator with or without options.

    `options` are those of `jax.jit`, such as `static_argnums`. `threads` is the number of threads
    of each block; with 0, the compiler chooses it. Raises ImportError without JAX.
    """
    if function is None:
        return functools.partial(jit, threads=threads, **options)
    return Function(function, threads, **options)
