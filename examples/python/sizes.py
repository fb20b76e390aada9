"""Prints the lines of code of each program of examples/, as .mlir and in Python, side by side.

A line of code is neither blank, nor a comment, nor part of a docstring. Imports count as lines of
code, and are also counted alone.
"""

import ast
from pathlib import Path

HERE = Path(__file__).resolve().parent


def lines_of_python(path: Path) -> tuple[int, int]:
    """The lines of code of a Python file, and how many of them are imports."""
    text = path.read_text()
    documentation: set[int] = set()
    imports = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports += 1
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            documentation.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    code = sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in documentation
        for number, line in enumerate(text.splitlines(), 1)
    )
    return code, imports


def lines_of_mlir(path: Path) -> int:
    """The lines of code of a .mlir file."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    return sum(bool(line) and not line.startswith("//") for line in lines)


def main() -> None:
    """Print the table and the sums."""
    print(f"{'program':22} {'mlir':>5} {'Python':>6} {'imports':>7}")
    total = [0, 0, 0]
    for path in sorted(HERE.parent.glob("*.mlir")):
        python = HERE / f"{path.stem.replace('-', '_')}.py"
        sizes = [lines_of_mlir(path), *lines_of_python(python)]
        total = [a + b for a, b in zip(total, sizes)]
        print(f"{path.stem:22} {sizes[0]:5} {sizes[1]:6} {sizes[2]:7}")
    print(f"{'all':22} {total[0]:5} {total[1]:6} {total[2]:7}")


if __name__ == "__main__":
    main()
