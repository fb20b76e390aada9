#!/usr/bin/env python3
"""Runs every example of the generated dialect page through obs-opt.

Usage: check-examples.py OBS-OPT PAGE.md

Every operation must have an example, a complete program that verifies and
survives printing and parsing. Exits with 1 and names every one that does not.
"""

import pathlib
import re
import subprocess
import sys


def examples(page):
    """Yields (operation, its examples) for the operations of `page`."""
    operation, blocks, block, fence = None, [], None, None
    for line in pathlib.Path(page).read_text().splitlines(keepends=True):
        heading = re.match(r"### `(obs\.[\w.]+)`", line)
        if heading or re.match(r"## ", line):
            if operation:
                yield operation, blocks
            operation, blocks = heading.group(1) if heading else None, []
        elif block is None and line.strip() == "```mlir":
            block, fence = [], line.index("`")
        elif block is not None and line.strip() == "```":
            blocks.append("".join(block))
            block = None
        elif block is not None:
            block.append(line[fence:] if line.strip() else line)
    if operation:
        yield operation, blocks


def main(obs_opt, page):
    failures, count = [], 0
    for operation, blocks in examples(page):
        if not blocks:
            failures.append(f"{operation} has no example")
        for block in blocks:
            count += 1
            result = subprocess.run([obs_opt, "--verify-roundtrip", "-"],
                                    check=False, input=block, text=True, capture_output=True)
            if result.returncode:
                failures.append(f"the example of {operation} is refused:\n{block}{result.stderr}")
    print("\n".join(failures))
    print(f"{count} examples, {len(failures)} problems")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
