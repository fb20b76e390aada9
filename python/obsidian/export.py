"""Files of a compiled program, and a function of arrays from these files.

In: a program in several forms. Out: one file for each form, and a Python file, the stub. The stub
calls `load`, which returns a function that runs the program of the files without a compilation.
"""

from __future__ import annotations

import functools
import itertools
import json
import keyword
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .backend import RunOptions, backend
from .calls import Call
from .errors import ArgumentError, ArgumentTypeError
from .jit import Function, Program
from .types import ArrayType, Element, ParameterType, Shape, element_by_name, flatten, spell

if TYPE_CHECKING:
    from .jit import Parameter

_STUB = '''"""The program {name}, compiled for {target}. Written by `export` of obsidian.

{name}.json says how to launch the kernels in {name}.ptx. A call compiles nothing. Arrays of a GPU
run there, and arrays in the memory of the host on the emulator, which reads {name}.kernels.mlir.
"""

{imports}from obsidian.export import load


@load(__file__{options})
def {name}({parameters}):
    """{signature}"""
'''


class Loaded:
    """A program from files, as a function of the arrays of any framework."""

    def __init__(self, function: Callable[..., Any], call: Call) -> None:
        """Take the function with the signature, and the program."""
        functools.update_wrapper(self, function)
        self._names = Function(function).parameter_types()
        self._name = function.__name__
        self._call = call

    def __repr__(self) -> str:
        return f"<program {self._name} from files>"

    def __call__(self, *arguments: Any) -> Any:
        """Run the program on the device of the arrays; see `run`."""
        return self.run(None, *arguments)

    def run(self, options: RunOptions | None, *arguments: Any) -> Any:
        """Run the program with options of the run. The interpreter is not available.

        For wrong arguments, raises the errors of a function with @obs.jit. Raises RunError.
        """
        if len(arguments) != len(self._names):
            raise ArgumentTypeError(
                f"{self._name} has {len(self._names)} parameters, and {len(arguments)} were given"
            )
        if options is not None and options.device == "interpret":
            raise ArgumentTypeError("a program from files has no source to interpret")
        return self._call(arguments, options)


def load(
    stub: str | os.PathLike[str],
    results: Any = 0,
    donated: Mapping[str, tuple[int, ...]] | None = None,
) -> Callable[[Callable[..., Any]], Loaded]:
    """A decorator for the function of a stub: it runs the program in the files beside the stub.

    The function has the annotations that @obs.jit takes, and its name is that of the files.
    `results` has the number of each component in the form of the results, and `donated` the
    components that are in the memory of a parameter. Raises OSError if a file cannot be read,
    CompileError if this version of the compiler does not read it, and ArgumentError if the
    annotations are not those of the program.
    """

    def decorate(function: Callable[..., Any]) -> Loaded:
        def read(suffix: str) -> str:
            name = f"{function.__name__}.{suffix}"
            return (Path(stub).parent / name).read_text(encoding="utf-8")

        saved = {"contract": read("json"), "ptx": read("ptx"), "kernels": read("kernels.mlir")}
        artifact = backend().read(saved)
        host = json.loads(saved["contract"])["functions"][0]
        types = tuple(map(_type_of, host["results"]))
        parameters = Function(function).parameter_types()
        if [*_slots(parameters)] != [*map(_spell_slot, host["parameters"])]:
            raise ArgumentError(f"{stub} does not fit {function.__name__}.json: export both again")
        _, shape = flatten(results)
        program = Program("", "", parameters, types, shape, dict(donated or {}))
        return Loaded(function, Call(program, artifact, backend()))

    return decorate


def _type_of(slot: Mapping[str, Any]) -> Any:
    """The type of a component of the results."""
    kind = element_by_name(slot["elementType"])
    return ArrayType((None,) * slot["rank"], Element((kind,))) if "rank" in slot else kind


def _slots(parameters: Mapping[str, Parameter]) -> Iterator[str]:
    """The components of parameters, as `_spell_slot` spells those of a contract."""
    for kind in parameters.values():
        if isinstance(kind, ParameterType):
            for leaf in kind.type.element.leaves:
                yield f"{spell(leaf)}[{', '.join('?' * kind.type.rank)}]"
        else:
            yield spell(kind)


def _spell_slot(slot: Mapping[str, Any]) -> str:
    return (
        f"{slot['elementType']}[{', '.join('?' * slot['rank'])}]"
        if slot.get("rank")
        else str(slot["elementType"])
    )


def _spell_parameter(kind: Parameter) -> str:
    """The annotation of a parameter."""
    if not isinstance(kind, ParameterType):
        return spell(kind)
    extents = []
    for extent, bound, name in zip(kind.type.extents, kind.type.bounds, kind.names):
        limit = f" <= {bound}" if extent is None and bound is not None else ""
        extents.append(repr(extent) if name is None else f'"{name}{limit}"')
    leaves = [spell(leaf) for leaf in kind.type.element.leaves]
    element = leaves[0] if len(leaves) == 1 else f"({', '.join(leaves)})"
    return f"Annotated[Pull, {', '.join(extents)}, {element}]"


def _form(results: Sequence[Any], shape: Shape) -> str:
    """The numbers of the components of the results, in the form of the Python value."""
    numbers = itertools.count()

    def nest(part: Shape) -> Any:
        return next(numbers) if part is None else tuple(map(nest, part[1]))

    rest = iter(results)

    def value(part: Shape) -> Any:
        if part is not None:
            return tuple(map(value, part[1]))
        result = next(rest)
        return nest(result.element.shape if isinstance(result, ArrayType) else None)

    return repr(value(shape))


def _stub(name: str, program: Program, contract: Mapping[str, Any]) -> str:
    host = contract["functions"][0]
    heads = {p: _spell_parameter(kind) for p, kind in program.parameters.items()}
    leaves = {slot.partition("[")[0] for slot in _slots(program.parameters)}
    has_arrays = any("[" in head for head in heads.values())
    words = [*(["Pull"] if has_arrays else []), *sorted(leaves)]
    imports = "from typing import Annotated\n\n" if has_arrays else ""
    imports += f"from obsidian import {', '.join(words)}\n" if words else ""
    given = ", ".join(f"{p['name']}: {_spell_slot(p)}" for p in host["parameters"])
    options = ""
    form = _form(program.results, program.shape)
    if form != "0":
        options += f", results={form}"
    if program.donated:
        options += f", donated={program.donated!r}"
    return _STUB.format(
        name=name,
        target=contract["target"],
        imports=imports,
        options=options,
        parameters=", ".join(f"{p}: {head}" for p, head in heads.items()),
        signature=f"{name}({given}) -> ({', '.join(map(_spell_slot, host['results']))})",
    )


def write_files(folder: Path, name: str, program: Program, texts: Mapping[str, str]) -> list[Path]:
    """Write the texts, by suffix, and the stub; the paths of all files.

    `texts` has the contract under `json`. Raises ArgumentError if the name is no identifier, and
    OSError if a file cannot be written.
    """
    if not (name.isidentifier() and name.isascii()) or keyword.iskeyword(name):
        raise ArgumentError(f"{name!r} is no name for files and modules: use letters and digits")
    stub = _stub(name, program, json.loads(texts["json"]))
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for suffix, text in {**texts, "py": stub}.items():
        path = folder / f"{name}.{suffix}"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths
