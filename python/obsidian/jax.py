"""Functions of JAX as whole programs of obs.

In: a function that `jax.jit` takes. Out: a function that JAX lowers to StableHLO, and that the
compiler runs: on the emulator for arrays in the memory of the host, on the GPU for arrays there.
JAX itself computes nothing. The other direction is a call of an `obs.jit` function inside
`jax.jit`, which needs nothing of this module.
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

#: The types that obs has without a sign, for those of JAX that have none.
_SIGNED = {"uint8": "int8", "uint16": "int16", "uint32": "int32", "uint64": "int64"}


@dataclass(frozen=True)
class _Program:
    """What a call needs to know: the types of parameters and results."""

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
    """A function of JAX that obs compiles once for each list of types of arguments."""

    def __init__(self, function: Callable[..., Any], threads: int = 0, **options: Any) -> None:
        """Take the function, and the options of `jax.jit`."""
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
        self._calls: dict[Any, tuple[Call, Any, list[Any]]] = {}

    def stablehlo(self, *arguments: Any, **named: Any) -> str:
        """The program that JAX makes for these arguments, as the compiler reads it."""
        return _text(self._jit.lower(*arguments, **named))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the program, and return its results as arrays of JAX.

        Raises CompileError for operations that obs does not have, with the line of the function.
        """
        tree = self._jax.tree_util
        # A trace of JAX knows which arguments are static, and which types the others have.
        traced = self._jit.trace(*arguments, **named)
        leaves = tree.tree_leaves(traced.args_info)
        types = tuple((leaf.shape, str(leaf.dtype)) for leaf in leaves)
        key = (types, tree.tree_structure(traced.args_info), str(traced.jaxpr))
        if key not in self._calls:
            self._calls[key] = self._compile(traced.lower(), leaves)
        call, structure, results = self._calls[key]
        values = tree.tree_leaves(self._dynamic(arguments, named))
        found = call([self._argument(v, leaf) for v, leaf in zip(values, leaves)])
        arrays = [
            self._jax.numpy.asarray(array).reshape(result.shape).view(result.dtype)
            if str(array.dtype) != str(result.dtype)
            else self._jax.numpy.asarray(array).reshape(result.shape)
            for array, result in zip(found, results)
        ]
        return tree.tree_unflatten(structure, arrays)

    def _dynamic(self, arguments: Sequence[Any], named: dict[str, Any]) -> Any:
        """The arguments that are not static, as JAX flattens them."""
        places = itertools.zip_longest(self._positions[: len(arguments)], arguments)
        return (
            tuple(value for name, value in places if name not in self._static),
            {name: value for name, value in named.items() if name not in self._static},
        )

    def _compile(self, lowered: Any, leaves: Sequence[Any]) -> tuple[Call, Any, list[Any]]:
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
        return Call(_Program(parameters, types), artifact, backend()), structure, results

    def _argument(self, value: Any, leaf: Any) -> Any:
        """An array of JAX of the type of the program, or a number."""
        if leaf.shape:
            return self._jax.numpy.asarray(value, leaf.dtype)
        number = np.asarray(value, leaf.dtype).item()
        width = np.dtype(leaf.dtype).itemsize * 8 if str(leaf.dtype) in _SIGNED else 0
        # The same bits, as a number that has a sign.
        return number - (1 << width) if width and number >> (width - 1) else number


def _text(lowered: Any) -> str:
    module = lowered.compiler_ir("stablehlo").operation
    return str(module.get_asm(print_generic_op_form=True, enable_debug_info=True))


def jit(function: Callable[..., Any] | None = None, *, threads: int = 0, **options: Any) -> Any:
    """Compile a function of JAX by obs instead of XLA; a decorator with or without options.

    `options` are those of `jax.jit`, such as `static_argnums`. `threads` is the number of threads
    of each block; 0 leaves it to the compiler. Raises ImportError without JAX.
    """
    if function is None:
        return functools.partial(jit, threads=threads, **options)
    return Function(function, threads, **options)
