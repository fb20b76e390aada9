"""Files of a compiled program.

In: a program in several forms. Out: one file for each, and a Python file that reads them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import ArgumentError

_STUB = '''"""The program {name}, compiled for {target}. Written by `export` of obsidian.

{signature}

`contract` says how to launch the kernels in `ptx`, and `docs/Interop.md` of Obsidian describes it.
`{name}.c` runs the same program from C. This file needs the files beside it, and no package.
"""

import json
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent

#: The launch contract: kernels, and the steps of the host.
contract = json.loads((_FOLDER / "{name}.json").read_text(encoding="utf-8"))
#: The text of the kernels.
ptx = (_FOLDER / "{name}.ptx").read_text(encoding="utf-8")
#: How to launch each kernel, by its name in the PTX.
kernels = {{kernel["entry"]: kernel for kernel in contract["kernels"]}}
#: The parameters, the results and the steps of the host function.
function = contract["functions"][0]
'''


def _spell(slot: Mapping[str, Any]) -> str:
    return (
        f"{slot['elementType']}[{', '.join('?' * slot['rank'])}]"
        if slot.get("rank")
        else str(slot["elementType"])
    )


def write_files(folder: Path, name: str, texts: Mapping[str, str]) -> list[Path]:
    """Write the texts, by suffix, and the stub; the paths of all files.

    `texts` has the contract under `json`. Raises ArgumentError if the name is no identifier, and
    OSError if a file cannot be written.
    """
    if not (name.isidentifier() and name.isascii()):
        raise ArgumentError(f"{name!r} is no name for files and modules: use letters and digits")
    contract = json.loads(texts["json"])
    host = contract["functions"][0]
    parameters = ", ".join(f"{p['name']}: {_spell(p)}" for p in host["parameters"])
    results = ", ".join(map(_spell, host["results"]))
    stub = _STUB.format(
        name=name, target=contract["target"], signature=f"{name}({parameters}) -> ({results})"
    )
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for suffix, text in {**texts, "py": stub}.items():
        path = folder / f"{name}.{suffix}"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths
