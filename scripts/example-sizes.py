#!/usr/bin/env python3
"""Measures the length of programs, and the share of their text that is types.

  scripts/example-sizes.py examples [OTHER_FOLDER ...]

Prints, for each folder of `.mlir` files: the lines of code (neither blank nor a
comment alone), their characters, the share of characters that spell types (of the
dialect, of memory and of scalars), and the same share with the names of type aliases
counted as types, too.
"""

import argparse
import pathlib
import re

SHAPED = r"(?:!obs\.(?:pull|push)|memref|tensor)<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>"
SCALAR = r"(?<![%\w.!])(?:i1|i8|i16|i32|i64|f16|bf16|f32|f64|index)\b"
ALIAS = r"![a-z]\w*\b(?!\.)"


def measure(folder: pathlib.Path) -> tuple[int, int, int, int]:
    """Lines, characters, characters of types, characters of types and aliases."""
    lines = characters = types = aliases = 0
    for path in sorted(folder.glob("*.mlir")):
        for line in path.read_text().splitlines():
            code = line.strip()
            if not code or code.startswith("//"):
                continue
            lines += 1
            characters += len(line) + 1
            types += sum(len(match) for match in re.findall(f"{SHAPED}|{SCALAR}", line))
            aliases += sum(len(match) for match in re.findall(f"{SHAPED}|{SCALAR}|{ALIAS}", line))
    return lines, characters, types, aliases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    for folder in parser.parse_args().folders:
        lines, characters, types, aliases = measure(folder)
        print(f"{folder.name}: {lines} lines of code, {characters} characters, {types / characters:.1%} types, "
              f"{aliases / characters:.1%} types and aliases")


if __name__ == "__main__":
    main()
