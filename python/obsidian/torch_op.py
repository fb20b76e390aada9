"""Programs as operators of PyTorch, for `torch.compile`, `torch.export` and the profiler.

In: a compiled program. Out: an operator of `torch.library`, with a fake
that computes the extents of the results from those of the arguments.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from typing import Any

from .calls import Call
from .errors import ArgumentTypeError, ObsidianError
from .extents import ResultExtents
from .frameworks import torch_framework
from .scalars import element_type
from .types import ArrayType, flatten

_NUMBERS = {"float": "float", "int": "SymInt", "index": "SymInt", "bool": "bool"}


def register(name: str, call: Call, dynamic: bool = False) -> Any:
    """Make an operator of a program, and return it: a function of tensors and numbers.

    `name` is the unique name of the operator, such as `mylib::saxpy`. The operator takes the arrays
    and numbers of the parameters in order, one tensor for each component of an array of tuples, and
    returns a tensor, or a tuple of the components of all results. Results are new: a part of an
    argument is copied, because PyTorch requires it. They have no gradient.

    An extent that is known only at run time is an error. With `dynamic`, it is a new symbol of
    PyTorch, and later code cannot branch on it. Raises ArgumentTypeError for a program without
    arrays as parameters or with numbers as results. Raises ObsidianError for unknown extents, here
    and not when the operator is traced.
    """
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError as error:
        raise ObsidianError(f"an operator of PyTorch needs PyTorch: {error}") from None
    library: Any = importlib.import_module("torch.library")
    signature = _Signature(call)
    extents = ResultExtents(json.loads(call.show("contract")))
    if not dynamic:
        # Ones as sizes show whether all extents are known.
        ones = [(1,) * 8 if kind == "Tensor" else 1 for kind in signature.kinds]
        signature.shapes(extents, ones, max)

    def run(*components: Any) -> Any:
        results, _ = flatten(call(signature.values(components)))
        taken = {c.untyped_storage().data_ptr() for c in components if isinstance(c, torch.Tensor)}
        found = []
        for result in results:
            memory = result.untyped_storage().data_ptr()
            found.append(result.clone() if memory in taken else result)
            taken.add(memory)
        return found[0] if len(found) == 1 else tuple(found)

    def fake(*components: Any) -> Any:
        dtypes = torch_framework().dtypes
        like = next(c for c in components if isinstance(c, torch.Tensor))
        given = [c.shape if isinstance(c, torch.Tensor) else c for c in components]
        new_size = library.get_ctx().new_dynamic_size if dynamic else None
        shapes = signature.shapes(extents, given, torch.sym_max, new_size)
        found = [
            like.new_empty(shape, dtype=dtypes[element])
            for shape, element in zip(shapes, signature.elements)
        ]
        return found[0] if len(found) == 1 else tuple(found)

    operator = library.custom_op(name, run, mutates_args=(), schema=signature.schema)
    operator.register_fake(fake)
    return operator


class _Signature:
    """The parameters and results of an operator, one for each component."""

    def __init__(self, call: Call) -> None:
        program = call.program
        self._counts = [p.components for p in call.parameters]
        #: The kinds of the components of the parameters, as written in schemas.
        self.kinds: list[str] = []
        names: list[str] = []
        for p in call.parameters:
            many = range(p.components)
            names += [p.name if len(many) == 1 else f"{p.name}_{i}" for i in many]
            kind = _NUMBERS[element_type(p.number).kind] if p.number else "Tensor"
            self.kinds += [kind for _ in many]
        if program.donated:
            raise ArgumentTypeError("an operator of PyTorch writes no arguments: omit donate=")
        if "Tensor" not in self.kinds:
            raise ArgumentTypeError("an operator of PyTorch takes at least one array")
        if not all(isinstance(result, ArrayType) for result in program.results):
            raise ArgumentTypeError(
                "the results of an operator of PyTorch are arrays: return an array of one element"
            )
        #: The static extents of each component of the results; None for dynamic extents.
        self._static = [r.extents for r in program.results for _ in r.element.leaves]
        #: The names of the elements of each component; see `views.DTYPES`.
        self.elements = ["i64" if name == "index" else name for name in call.elements]
        heads = ", ".join(f"{kind} {name}" for kind, name in zip(self.kinds, names))
        tensors = ", ".join(["Tensor"] * len(self.elements))
        self.schema = f"({heads}) -> {tensors if len(self.elements) == 1 else f'({tensors})'}"

    def values(self, components: Sequence[Any]) -> list[Any]:
        """The values of the parameters, of which some are tuples of components."""
        rest = iter(components)
        return [
            next(rest) if count == 1 else tuple(next(rest) for _ in range(count))
            for count in self._counts
        ]

    def shapes(
        self,
        extents: ResultExtents,
        given: Sequence[Any],
        largest: Any,
        new_size: Any = None,
    ) -> list[tuple[Any, ...]]:
        """The extents of each component of the results, from the extents and numbers given."""
        sizes = dict(zip(extents.names, given))
        found: list[tuple[Any, ...]] = []
        for number, static in enumerate(self._static):
            if all(extent is not None for extent in static):
                found.append(static)
                continue
            try:
                found.append(extents.of(number, sizes, largest))
            except ObsidianError:
                if new_size is None:
                    raise
                found.append(tuple(new_size() if e is None else e for e in static))
        return found
