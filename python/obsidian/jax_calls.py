"""Calls of programs inside `jax.jit`, as foreign functions of XLA.

In: a compiled program, and arguments whose shapes and types JAX knows, but not their elements. Out:
a call in the program of JAX. It runs on the emulator in the memory of the host, or on a GPU on the
stream of JAX. The launch contract determines the extents of the results.

The handlers that XLA calls are functions of the compiler's library; `include/obsidian-c/Xla.h`
describes them. A call runs no Python.
"""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentTypeError
from .extents import ResultExtents
from .native import NativeBackend, word_of
from .types import ArrayType
from .views import CPU, DTYPES, Traced, View, place_of

if TYPE_CHECKING:
    from .calls import Call

#: The name of the foreign function. The attribute `program` says which program runs.
_TARGET = "obsidian_run"
#: The names of the attributes that hold the numbers, which follow the place of an argument.
_NUMBER = "number_"


def call_traced(call: Call, items: Sequence[Any]) -> list[Any]:
    """The results of a program for arguments of which some are traced by JAX.

    `items` are checked views and numbers, one for each component of a parameter. Raises
    ArgumentTypeError or ObsidianError if JAX cannot call the program.
    """
    jax: Any = importlib.import_module("jax")
    if call.program.donated:
        raise ArgumentTypeError("arrays of JAX never change: omit donate= for jax.jit")
    shapes = _shapes(call, items)
    types = [_type_of(jax, element) for element in call.elements]
    results = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in zip(shapes, types)]
    arrays = [_array_of(item) for item in items if isinstance(item, View)]
    numbers = {
        f"{_NUMBER}{place}": np.uint64(word_of(item, call.artifact.parameters[place][0]))
        for place, item in enumerate(items)
        if not isinstance(item, View)
    }
    return list(foreign(call, results)(*arrays, **numbers))


def foreign(call: Call, results: Sequence[Any]) -> Callable[..., Sequence[Any]]:
    """The foreign function of a program, whose results have JAX's shapes and types `results`.

    Elements keep their bits: an unsigned type stands for the type of obs with the same length. A
    result without dimensions may be an array of one element of the program.
    """
    ffi: Any = importlib.import_module("jax.ffi")
    _register(call.backend)
    function = ffi.ffi_call(_TARGET, results, vmap_method="sequential")
    return functools.partial(function, program=call.backend.add_to_xla(call.artifact))


def _array_of(view: View) -> Any:
    """The value that JAX receives for a view."""
    if isinstance(view, Traced):
        return view.owner
    if view.framework.name == "JAX":
        return view.owner[0]
    if view.device != CPU:
        raise ArgumentTypeError(
            f"an array of {view.framework.name} is {place_of(view.device)}: in jax.jit, pass "
            "jax.dlpack.from_dlpack(x)"
        )
    return view.framework.to_host(view)


def _type_of(jax: Any, element: str) -> Any:
    """JAX's type of the elements of a result."""
    if element == "bf16":
        return jax.numpy.bfloat16
    dtype = DTYPES["i64" if element == "index" else element]
    if dtype.itemsize == 8 and not jax.config.jax_enable_x64:
        raise ArgumentTypeError(
            f"a result has elements of type {element}, and JAX has 64 bits only with "
            "jax.config.update('jax_enable_x64', True)"
        )
    return dtype


def _shapes(call: Call, items: Sequence[Any]) -> list[tuple[int, ...]]:
    """The extents of each component of the results."""
    known: list[tuple[Any, ...]] = [
        result.extents if isinstance(result, ArrayType) else ()
        for result in call.program.results
        for _ in (result.element.leaves if isinstance(result, ArrayType) else (None,))
    ]
    if all(None not in extents for extents in known):
        return known
    extents = ResultExtents(json.loads(call.show("contract")))
    sizes: dict[str, Any] = {}
    for name, item, is_array in zip(extents.names, items, _are_arrays(call)):
        if is_array:
            sizes[name] = item.shape
        elif not isinstance(item, Traced):
            sizes[name] = item
    found = []
    for number, static in enumerate(known):
        try:
            found.append(static if None not in static else extents.of(number, sizes))
        except KeyError as name:
            raise ArgumentTypeError(
                f"the extents of a result depend on {name.args[0]}, which is traced by JAX: make "
                "it static, as in jax.jit(f, static_argnames=...)"
            ) from None
    return found


def _are_arrays(call: Call) -> list[bool]:
    """If each component of the parameters is an array."""
    return [p.number is None for p in call.parameters for _ in range(p.components)]


@functools.cache
def _register(library: NativeBackend) -> None:
    """Make the handlers of the library known to JAX."""
    ffi: Any = importlib.import_module("jax.ffi")
    for platform, handler in library.xla_handlers().items():
        ffi.register_ffi_target(_TARGET, ffi.pycapsule(handler), platform=platform)
