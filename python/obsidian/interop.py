"""Arrays of other libraries as arguments, and their results; frameworks are found, not imported.

In: arrays of NumPy, PyTorch, CuPy and JAX, and objects with `__cuda_array_interface__` (versions 2
and 3), `__dlpack__`, `__array_interface__` or the buffer protocol. Out: `view_of`, the view of one,
which knows its framework. `calls.py` runs programs on views.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dlpack
from .device_arrays import PLAIN, host_array
from .errors import ArgumentError, ArgumentTypeError
from .frameworks import JAX, NUMPY, CuPy, NumPy, torch_framework
from .views import Framework, View

__all__ = ["View", "framework_of", "view_of"]

#: The modules of frameworks, the classes of their arrays, and the functions for their `Framework`.
_KNOWN: dict[str, tuple[str, Callable[[], Framework]]] = {
    "torch": ("Tensor", torch_framework),
    "cupy": ("ndarray", CuPy),
    "jax": ("Array", JAX),
}
_frameworks: dict[str, Framework] = {}
#: The frameworks of the known classes of arrays; None for a class that is not an array.
_classes: dict[type, Framework | None] = {
    np.ndarray: NUMPY,
    **dict.fromkeys((bool, int, float, str, tuple, list)),
}


class _HostDLPack(NumPy):
    """Objects with `__dlpack__` in the memory of the host; results are NumPy arrays."""

    def view(self, value: Any) -> View:
        """See `Framework`."""
        array, element = host_array(value)
        view = NUMPY.view(array)
        view.element = element
        return view


_HOST_DLPACK = _HostDLPack()


def framework_of(value: Any) -> Framework | None:
    """The framework of an array, or None if the value is none; nothing is imported for others.

    Raises ArgumentTypeError for an array with a mask.
    """
    kind = type(value)
    if kind in _classes:
        return _classes[kind]
    for name, (array, make) in _KNOWN.items():
        expected = getattr(sys.modules.get(name), array, None)
        if expected is not None and isinstance(value, expected):
            if name not in _frameworks:
                _frameworks[name] = make()
            _classes[kind] = _frameworks[name]
            return _classes[kind]
    if isinstance(value, np.ndarray):
        if isinstance(value, np.ma.MaskedArray):
            raise ArgumentTypeError(
                "an array of a program has no mask: pass x.filled(0), and the mask as an array of "
                "its own"
            )
        return NUMPY
    if isinstance(value, (np.generic, int, float, str, tuple, list)):
        return None
    if hasattr(value, "__cuda_array_interface__"):
        return PLAIN
    if hasattr(value, "__dlpack__"):
        is_host = value.__dlpack_device__()[0] in (dlpack.CPU, dlpack.CUDA_HOST)
        return _HOST_DLPACK if is_host else PLAIN
    if hasattr(value, "__array_interface__"):
        return NUMPY
    try:
        memoryview(value)
    except TypeError:
        return None
    return NUMPY


def view_of(value: Any, name: str = "") -> View | None:
    """The view of an array; None if the value is no array.

    Raises ArgumentTypeError or ArgumentError if it is an array that cannot be an argument. `name`
    is that of its parameter, for the message.
    """
    try:
        framework = framework_of(value)
        return framework.view(value) if framework is not None else None
    except (ArgumentTypeError, ArgumentError) as error:
        if not name:
            raise
        raise type(error)(f"{name}: {error}") from None
