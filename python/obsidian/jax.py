"""Functions of JAX as whole programs of obs.

In: a function that `jax.jit` accepts. Out: a function that JAX lowers to StableHLO. The compiler
runs this program: on the emulator if the arrays are in the memory of the host, and on the GPU if
they are there. JAX itself computes nothing. In the other direction, a function with `obs.jit` is
called inside `jax.jit`; this does not use this module.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .backend import CompileOptions, backend
from .calls import Call
from .errors import ArgumentTypeError
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
        self._jit = self._jax.jit(function, keep_unused=True, **options)
        self._threads = threads
        positions, names = options.get("static_argnums", ()), options.get("static_argnames", ())
        known = list(inspect.signature(function).parameters)
        self._static = {names} if isinstance(names, str) else set(names or ())
        for number in (positions,) if isinstance(positions, int) else positions or ():
            self._static.add(known[number])
        self._positions = known
        self._calls: dict[Any, tuple[Call, list[Any], Any, list[Any]]] = {}

    def stablehlo(self, *arguments: Any, **named: Any) -> str:
        """The program of JAX for these arguments, as text for the compiler."""
        return _text(self._jit.trace(*arguments, **named).lower(lowering_platforms=("cpu",)))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the program, and return its results as arrays of JAX.

        Raises CompileError for operations that obs does not have, with the line of the function.
        """
        tree = self._jax.tree_util
        dynamic, static = self._split(arguments, named)
        values, structure = tree.tree_flatten(dynamic)
        key = (structure, static, tuple(map(_type_of, values)))
        if key not in self._calls:
            self._calls[key] = self._compile(self._jit.trace(*arguments, **named))
        call, leaves, structure, results = self._calls[key]
        found = call([self._argument(v, leaf) for v, leaf in zip(values, leaves)])
        return tree.tree_unflatten(structure, map(self._result, found, results))

    def _split(self, arguments: Sequence[Any], named: dict[str, Any]) -> tuple[Any, Any]:
        """The arguments that are not static, as JAX flattens them, and the static arguments."""
        places = list(itertools.zip_longest(self._positions[: len(arguments)], arguments))
        both = [(name, value, True) for name, value in places]
        both += [(name, value, False) for name, value in named.items()]
        dynamic = [part for part in both if part[0] not in self._static]
        return (
            tuple(value for _, value, is_place in dynamic if is_place),
            {name: value for name, value, is_place in dynamic if not is_place},
        ), tuple(part for part in both if part[0] in self._static)

    def _compile(self, traced: Any) -> tuple[Call, list[Any], Any, list[Any]]:
        leaves = self._jax.tree_util.tree_leaves(traced.args_info)
        # For other platforms, JAX emits calls of libraries that obs does not have.
        lowered = traced.lower(lowering_platforms=("cpu",))
        results, structure = self._jax.tree_util.tree_flatten(lowered.out_info)
        parameters: dict[str, Any] = {}
        for number, leaf in enumerate(leaves):
            name = f"argument {number}"
            if leaf.shape:
                kind = _array_type(leaf.shape, leaf.dtype, name)
                parameters[name] = ParameterType(kind, (None,) * kind.rank)
            else:
                parameters[name] = _element(leaf.dtype, name)
        types = tuple(_array_type(r.shape, r.dtype, "a result") for r in results)
        options = CompileOptions(threads=self._threads, is_stablehlo=True)
        artifact = backend().compile(_text(lowered), options)
        call = Call(_Program(parameters, types), artifact, backend())
        return call, leaves, structure, results

    def _argument(self, value: Any, leaf: Any) -> Any:
        """An array of JAX of the type of the program, or a number."""
        if leaf.shape:
            # JAX takes about 10 us to see that it has nothing to convert.
            is_same = isinstance(value, self._jax.Array) and value.dtype == leaf.dtype
            return value if is_same else self._jax.numpy.asarray(value, leaf.dtype)
        number = np.asarray(value, leaf.dtype).item()
        width = np.dtype(leaf.dtype).itemsize * 8 if str(leaf.dtype) in _SIGNED else 0
        # The same bits, as a number that has a sign.
        return number - (1 << width) if width and number >> (width - 1) else number

    def _result(self, array: Any, result: Any) -> Any:
        """An array of JAX with the rank and the sign of a result."""
        found = array if isinstance(array, self._jax.Array) else self._jax.numpy.asarray(array)
        if found.shape != result.shape:
            found = found.reshape(result.shape)
        return found if found.dtype == result.dtype else found.view(result.dtype)


def _type_of(value: Any) -> Any:
    """The part of an argument on which the program depends."""
    shape = getattr(value, "shape", None)
    return type(value) if shape is None else (shape, str(value.dtype))


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
