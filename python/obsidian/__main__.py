"""`python -m obsidian`: tools on a function of a Python file, or on a program in MLIR.

In: `FILE.py:function` or `FILE.mlir`, and the form to show. Out: the form, on the standard output.
`tune` in front of them searches for the fastest options; see `tune_command.py`.
The exit status is 1 if the program is refused or has a race, and 2 if the command line is wrong.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import obsidian

from . import tune_command
from .backend import CompileOptions, backend
from .errors import CompileError, Diagnostic, ObsidianError
from .jit import Function
from .launches import HostProgram
from .levels import Level
from .reports import CostReport, RaceReport
from .scalars import Scalar
from .tuning import Tuning, tuning_of

_FORMS = ("mlir", "kernels", "ptx", "cost", "explain", "races", "contract", "host-c")
#: The file name of a program text in messages of the library.
_PROGRAM = "<program>"


class _UsageError(Exception):
    """The command line names something that does not exist."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m obsidian", description="Show a program in another form, or report on it."
    )
    parser.add_argument("program", help="FILE.py:function, or FILE.mlir")
    parser.add_argument(
        "form",
        nargs="?",
        choices=_FORMS,
        default="mlir",
        help="the form or report to show; mlir by default",
    )
    parser.add_argument("--chip", default="", help="the GPU to compile for, such as sm_90")
    parser.add_argument("--threads", type=int, default=0, help="threads of a block")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a static value (a level by its name), or a size for cost",
    )
    return parser


def _value(text: str) -> Any:
    """A value of the command line: a level or an element type by name, or a literal of Python."""
    found = getattr(obsidian, text, None)
    if isinstance(found, Level) or (isinstance(found, type) and issubclass(found, Scalar)):
        return found
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _settings(words: Sequence[str]) -> dict[str, Any]:
    settings = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise _UsageError(f"--set takes NAME=VALUE, not {word}")
        settings[name] = _value(text)
    return settings


def _load(path: Path, name: str) -> Function[Any]:
    """The function of a Python file."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None:
        raise _UsageError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.resolve().parent))
    specification.loader.exec_module(module)
    functions = {k: v for k, v in vars(module).items() if isinstance(v, Function)}
    if not name and len(functions) == 1:
        return next(iter(functions.values()))
    if name not in functions:
        names = ", ".join(functions) or "none"
        raise _UsageError(f"name a function of {path}; its functions with @obs.jit: {names}")
    return functions[name]


def _shown(report: CostReport) -> str:
    """The text of a report, and the bytes of all launches for the given sizes."""
    return "\n".join([report.text.rstrip("\n"), *report.total()])


def _show_function(function: Function[Any], form: str, options: argparse.Namespace) -> int:
    settings = _settings(options.set)
    given = {"chip": options.chip, "threads": options.threads, **settings}
    if form == "mlir":
        print(function.mlir(**settings), end="")
    elif form == "contract":
        print(json.dumps(function.contract(**given), indent=2))
    elif form == "races":
        report = function.races(**given)
        print(report)
        return 0 if report else 1
    elif form == "cost":
        print(_shown(function.cost(**given)))
    else:
        print(getattr(function, form.replace("-", "_"))(**given))
    return 0


def _placed(message: Diagnostic, path: Path) -> Diagnostic:
    """A message about a program with the name of its file."""
    place = message.location
    if place is not None and place.file == _PROGRAM:
        place = dataclasses.replace(place, file=str(path))
    notes = tuple(_placed(note, path) for note in message.notes)
    return Diagnostic(message.severity, message.message.replace(_PROGRAM, path.name), place, notes)


def _show_file(path: Path, form: str, options: argparse.Namespace) -> int:
    sizes = _settings(options.set)
    if sizes and form != "cost":
        raise _UsageError("a program in MLIR has no static values: --set is for sizes, and cost")
    text = tune_command.text_of(path)
    if form == "mlir":
        print(text, end="")
        return 0
    words = {"explain": "barriers", "host-c": "host_c", "races": "races_json"}
    try:
        given = CompileOptions(chip=options.chip)
        tuning = Tuning(options.threads) if options.threads else tuning_of(None, text)
        artifact = backend().compile(text, tuning.applied(given))
        shown, messages = backend().show(artifact, words.get(form, form))
        if form == "cost":
            host = HostProgram(json.loads(backend().show(artifact, "contract")[0]))
            data = json.loads(backend().show(artifact, "cost_json")[0])
            report = CostReport.read(shown.replace(_PROGRAM, path.name), data, host, sizes)
            report.require(sizes)
            shown = _shown(report)
    except CompileError as error:
        raise CompileError([_placed(message, path) for message in error.diagnostics]) from None
    if form == "races":
        races = RaceReport.read(json.loads(shown.replace(_PROGRAM, str(path))))
        print(races)
        return 0 if races else 1
    if form == "explain":
        shown = "\n".join(str(_placed(message, path)) for message in messages)
    print(shown)
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status."""
    given = sys.argv[1:] if words is None else list(words)
    parser = _parser()
    try:
        if given[:1] == ["tune"]:
            return tune_command.main(given[1:], _load)
        options = parser.parse_args(given)
        file, _, name = options.program.partition(":")
        path = Path(file)
        if not path.is_file():
            raise _UsageError(f"there is no file {file}")
        if path.suffix == ".mlir":
            return _show_file(path, options.form, options)
        return _show_function(_load(path, name), options.form, options)
    except _UsageError as error:
        parser.error(str(error))
    except ObsidianError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
