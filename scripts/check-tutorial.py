#!/usr/bin/env python3
"""Compares docs/Tutorial.md with the output of the tools, and its programs with Python.

  scripts/check-tutorial.py [--bin=DIR]             prints the differences; exits with 1 if there are any
  scripts/check-tutorial.py --update [--bin=DIR]    writes the output of the commands into the page
  scripts/check-tutorial.py --extract=FOLDER        writes the programs to FOLDER/step-01.mlir, ...

DIR has the tools, unless they are in PATH. A section "## Step N: ..." has one block of mlir, the program
step-NN.mlir, and blocks of console with commands and their output. The commands run in a folder that contains
all programs of the page. They succeed, unless `<!-- error -->` stands before their block. Commands for a GPU do not
run and show no output. Each step shows a cost and its barriers, and has an exercise.

Each program also runs on the interpreter and on the emulator, on arrays of random numbers of several lengths, with
several launch parameters. Its results must be equal to those of its Python function in STEPS.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable

from obstest import runs

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "Tutorial.md"
SECTION = re.compile(r"^## Step (\d+): .*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```mlir\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"(<!-- error -->\n)?^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

LENGTHS = [0, 1, 31, 33, 1000]
LAUNCHES = [
    ["--device=interpret"],
    ["--device=emulate", "--check"],
    ["--device=emulate", "--check", "--threads=32", "--blocks=2"],
    ["--device=emulate", "--check", "--threads=1000", "--blocks=1", "--schedule=random", "--seed=7"],
]

Array = list[int]
Arguments = list["int | Array"]


def square(x: int, m: int) -> int:
    return int(runs.wrap((x - m) ** 2))


def chunk_sums(a: Array, m: int, kept: int) -> Array:
    """For each chunk of 256, `kept` sums of the squares whose numbers are equal modulo `kept`."""
    return [runs.wrap(sum(square(x, m) for x in a[first:first + 256][k::kept]))
            for first in range(0, len(a), 256) for k in range(kept)]


def windows(a: Array, m: int, begins: Array, lengths: Array) -> Array:
    """The sum of squares of each window."""
    return [runs.wrap(sum(square(x, m) for x in a[b:b + n])) for b, n in zip(begins, lengths)]


def samples(n: int, rng: random.Random) -> Arguments:
    """An array of n random numbers, and a number."""
    return [[rng.randrange(-2**31, 2**31) for _ in range(n)], rng.randrange(-1000, 1000)]


def samples_and_windows(n: int, rng: random.Random) -> Arguments:
    """The same, and windows inside the array: their begins and lengths. Some windows are empty."""
    begins = [rng.randint(0, n) for _ in range(n // 3 + 2)]
    return [*samples(n, rng), begins, [rng.randint(0, n - begin) for begin in begins]]


@dataclasses.dataclass(frozen=True)
class Oracle:
    """Arguments of a program for a length, and its result for these arguments."""

    result: Callable[..., Array]
    arguments: Callable[[int, random.Random], Arguments] = samples


STEPS = {
    1: Oracle(lambda a, m: [runs.wrap(x - m) for x in a]),
    2: Oracle(lambda a, m: [square(x, m) for x in a]),
    3: Oracle(lambda a, m: [square(x, m) for x in a]),
    4: Oracle(lambda a, m: chunk_sums(a, m, 128)),
    5: Oracle(lambda a, m: chunk_sums(a, m, 64)),
    6: Oracle(lambda a, m: chunk_sums(a, m, 1)),
    7: Oracle(lambda a, m: chunk_sums(a, m, 1)),
    8: Oracle(lambda a, m: chunk_sums(a, m, 1)),
    9: Oracle(windows, samples_and_windows),
    10: Oracle(lambda a, m: [runs.wrap(sum(square(x, m) for x in a))]),
}


def name_of(step: int) -> str:
    return f"step-{step:02}.mlir"


def programs(text: str) -> tuple[dict[str, str], list[str]]:
    """The programs of the page under the names of their files, and the problems of the sections."""
    found: dict[str, str] = {}
    problems = []
    numbers = [int(section[1]) for section in SECTION.finditer(text)]
    if numbers != list(STEPS):
        problems.append(f"the steps are {numbers}, not {list(STEPS)}")
    for section in SECTION.finditer(text):
        step, content = int(section[1]), section[0]
        blocks = PROGRAM.findall(content)
        if len(blocks) == 1:
            found[name_of(step)] = blocks[0]
        else:
            problems.append(f"step {step} has {len(blocks)} programs")
        commands = re.findall(r"^\$ (.*)$", "".join(block for _, block in CONSOLE.findall(content)), re.MULTILINE)
        for word in ("obs-run", "obs-report-cost", "obs-explain-barriers"):
            if not any(word in command and name_of(step) in command for command in commands):
                problems.append(f"step {step} has no command with {word} for its program")
        if content.count("**Exercise.**") != 1:
            problems.append(f"step {step} does not have one exercise")
    return found, problems


def run_command(command: str, fails: bool, folder: str, environment: dict[str, str]) -> tuple[str, list[str]]:
    """The output of a command, and its problems."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    problems = []
    if bool(done.returncode) != fails:
        problems.append(f"'{command}' has status {done.returncode} and prints\n{done.stdout[:1000]}")
    if not done.stdout:
        problems.append(f"'{command}' prints nothing")
    if done.stdout.count("\n") > 60:
        problems.append(f"'{command}' prints too much for a page")
    return done.stdout.rstrip("\n") + "\n", problems


def check_commands(text: str, update: bool, folder: str, environment: dict[str, str]) -> tuple[str, list[str]]:
    """The page with the output of the commands, and the problems of the page."""
    problems: list[str] = []

    def block(match: re.Match[str]) -> str:
        parts = re.split(r"^\$ ", match[2], flags=re.MULTILINE)
        if parts[0] or len(parts) == 1:
            problems.append(f"a block of console does not begin with a command: {match[2][:200]}")
            return match[0]
        new = ""
        for part in parts[1:]:
            command, _, shown = part.partition("\n")
            printed = ""
            if "--device=cuda" not in command:
                printed, wrong = run_command(command, bool(match[1]), folder, environment)
                problems.extend(wrong)
            if printed != shown and not update:
                problems.append(f"'{command}' prints\n{printed}instead of\n{shown}if that is right, run "
                                "scripts/check-tutorial.py --update")
            new += f"$ {command}\n{printed}"
        return f"{match[1] or ''}```console\n{new}```"

    return CONSOLE.sub(block, text), problems


def check_results(step: int, length: int, folder: str, environment: dict[str, str]) -> list[str]:
    """The problems of the results of a program for arrays of a length."""
    oracle = STEPS[step]
    arguments = oracle.arguments(length, random.Random(f"{step} {length}"))
    expected = oracle.result(*arguments)
    base = os.path.join(folder, f"{step}-{length}")
    words = []
    for number, argument in enumerate(arguments):
        if isinstance(argument, int):
            words.append(str(argument))
        else:
            runs.write(f"{base}.in{number}", argument)
            words.append(f"{base}.in{number}:i32")
    problems = []
    for launch in LAUNCHES:
        out = f"{base}.out"
        done = subprocess.run(["obs-run", os.path.join(folder, name_of(step)), *launch, *words, f"--out={out}"],
                              env=environment, capture_output=True, text=True, check=False)
        wrong = done.stderr[:600] if done.returncode else runs.difference(runs.read(out), expected)
        if wrong:
            problems.append(f"step {step}, length {length}, {' '.join(launch)}: {wrong}")
    return problems


def main(update: bool, tools: str, extract: str | None, jobs: int) -> int:
    environment = dict(os.environ, PATH=f"{os.path.abspath(tools)}:{os.environ['PATH']}", LC_ALL="C")
    text = PAGE.read_text()
    found, problems = programs(text)
    if extract:
        pathlib.Path(extract).mkdir(parents=True, exist_ok=True)
        for name, program in found.items():
            pathlib.Path(extract, name).write_text(program)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for name, program in found.items():
            pathlib.Path(folder, name).write_text(program)
        new, wrong = check_commands(text, update, folder, environment)
        problems += wrong
        cases = [(step, length) for step in STEPS if name_of(step) in found for length in LENGTHS]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for wrong in pool.map(lambda case: check_results(case[0], case[1], folder, environment), cases):
                problems += wrong
    if update and not problems:
        PAGE.write_text(new)
    summary = f"{len(found)} steps, {len(cases) * len(LAUNCHES)} runs compared with Python, {len(problems)} problems"
    print("\n".join([*problems, summary]))
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write what the commands print into the page")
    parser.add_argument("--bin", default=".", help="the folder of the tools")
    parser.add_argument("--extract", metavar="FOLDER", help="write the programs, and check nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time")
    options = parser.parse_args()
    sys.exit(main(options.update, options.bin, options.extract, options.jobs))
