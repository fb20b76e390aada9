#!/usr/bin/env python3
"""Compares the commands of docs/obs-run.md and docs/Dag.md with their output, and the options with the help.

  scripts/check-console.py [--bin=DIR] [PAGE...]            prints the differences; exits with 1 if there are any
  scripts/check-console.py --update [--bin=DIR] [PAGE...]   writes the output into the pages, where it differs

DIR has the tools, unless they are in PATH. The commands of all blocks of console of a page run in one folder, in
order, with the folder examples/ in it. A line `...` stands for any lines, and a time for any time. Commands for a GPU
do not run and show no output. The page obs-run.md names every option of `obs-run --help`.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs" / "obs-run.md", ROOT / "docs" / "Dag.md"]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TIME = re.compile(r"\b\d+\.\d+\b(?= ms| to |\))")


def is_equal(expected: str, printed: str) -> bool:
    """True if the output of a command is the one on the page."""
    parts = [TIME.sub("0", part) for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)]
    pattern = r"(?:.*\n)*?".join(map(re.escape, parts))
    return re.fullmatch(pattern, TIME.sub("0", printed)) is not None


def check_page(page: pathlib.Path, update: bool, environment: dict[str, str]) -> list[str]:
    """The commands of a page whose output is another one."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", pathlib.Path(folder, "examples"))

        def run(match: re.Match[str]) -> str:
            command, expected = match.groups()
            if "--device=cuda" in command:
                printed = ""
            else:
                done = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                printed = re.sub(r"(?<=[^\n])\Z", "\n", done.stdout)
            if is_equal(expected, printed):
                return match.group()
            if not update:
                problems.append(f"{page.name}: '{command}' prints\n{printed}")
            return f"$ {command}\n{printed}"

        text = page.read_text()
        new = BLOCK.sub(lambda block: STEP.sub(run, block.group()), text)
    if update and new != text:
        page.write_text(new)
    return problems


def check_options(page: pathlib.Path, environment: dict[str, str]) -> list[str]:
    """The options of the help that a page does not name."""
    done = subprocess.run(["obs-run", "--help"], env=environment, text=True, check=True, capture_output=True)
    options = sorted(set(re.findall(r"(?<!\S)--[a-z-]+", done.stdout)))
    text = page.read_text()
    return [f"{page.name} does not name {option}" for option in options if not re.search(rf"`{option}\b", text)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the output into the pages")
    parser.add_argument("--bin", default=".", help="the folder of the tools")
    parser.add_argument("pages", metavar="PAGE", nargs="*", type=pathlib.Path, default=PAGES)
    options = parser.parse_args()
    environment = dict(os.environ, PATH=f"{os.path.abspath(options.bin)}:{os.environ['PATH']}")
    problems = []
    for page in options.pages:
        problems += check_page(page, options.update, environment)
        if page.name == "obs-run.md":
            problems += check_options(page, environment)
    print("\n".join([*problems, f"{len(options.pages)} pages, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
