#!/usr/bin/env python3
"""Runs the cells of a notebook of Python in order, without Jupyter, and compares their outputs.

  scripts/check-notebook.py FILE            prints the differences; exits with 1 if there are any
  scripts/check-notebook.py --update FILE   writes the outputs into the notebook

The packages that the cells import must be installed, or in PYTHONPATH. All cells share their names. A cell prints, and
shows the value of its last line: as text, and as HTML if the value has it. A cell that raises ends the run.
"""

import argparse
import ast
import code
import contextlib
import io
import json
import linecache
import pathlib
import sys


class Cells(code.InteractiveInterpreter):
    """Runs code, and lets exceptions leave."""

    def showtraceback(self):
        raise sys.exc_info()[1]


@contextlib.contextmanager
def showing_in(shown):
    """Values of expressions at a prompt are appended to a list."""
    before, sys.displayhook = sys.displayhook, shown.append
    try:
        yield
    finally:
        sys.displayhook = before


def run_cell(source, number, names):
    """The outputs of a cell, in the form of a notebook."""
    file = f"<cell {number}>"
    # Python finds the source of the cell here, as in Jupyter.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    tree = ast.parse(source)
    # As at a prompt, the last expression is shown.
    last = ast.Interactive([tree.body.pop()]) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    shown = []
    with contextlib.redirect_stdout(printed), showing_in(shown):
        cells = Cells(names)
        cells.runcode(compile(tree, file, "exec"))
        if last is not None:
            cells.runcode(compile(last, file, "single"))
    value = shown[-1] if shown else None
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def lines(text):
    """A text as notebooks store it."""
    return text.splitlines(keepends=True)


def run(notebook):
    """The notebook with its outputs."""
    names = {"__name__": "__main__"}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["outputs"] = run_cell("".join(cell["source"]), number, names)
            cell["execution_count"] = number
    return notebook


def main(path, update):
    old = path.read_text()
    new = json.dumps(run(json.loads(old)), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if update:
        path.write_text(new)
    elif old != new:
        print(f"{path}: the outputs have changed; if that is right, run scripts/check-notebook.py --update")
        for number, (one, other) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
            if one != other:
                print(f"line {number} is\n{one}\nand should be\n{other}")
                break
        return 1
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, help="a notebook, .ipynb")
    parser.add_argument("--update", action="store_true", help="write the outputs into the notebook")
    options = parser.parse_args()
    sys.exit(main(options.file, options.update))
