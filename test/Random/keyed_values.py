"""Runs programs that combine values by their keys, against NumPy, on random launches.

For final-maps.py, ranks.py and run-time-bins.py.
"""

import pathlib
import subprocess
import tempfile
import typing

import numpy as np

LAUNCHES = [(1, 1), (17, 2), (32, 3), (96, 1), (160, 2), (1024, 1)]


class Case(typing.NamedTuple):
    """A program, which takes the keys, the values and further arguments, and its result."""

    title: str
    program: str
    keys: np.ndarray
    values: np.ndarray
    words: list[str]
    expected: np.ndarray


def check(command, cases, rng):
    """Runs each case by a command of obs-run, with a launch that `rng` draws; prints those that
    differ, and the numbers. Returns the exit status."""
    count = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        program, keys, values, result = (
            pathlib.Path(folder, name) for name in ("program.mlir", "keys.npy", "values.npy", "result.npy"))
        for count, case in enumerate(cases, 1):
            program.write_text(case.program)
            np.save(keys, case.keys)
            np.save(values, case.values)
            result.unlink(missing_ok=True)
            launch = []
            if "--device=interpret" not in command:
                threads, blocks = rng.choice(LAUNCHES)
                launch = [f"--threads={threads}", f"--blocks={blocks}", "--schedule=random", f"--seed={count}"]
            run = subprocess.run([command[0], program, *command[1:], *launch, "--entry=main", keys, values,
                                  *case.words, f"--out={result}"], check=False, text=True, capture_output=True)
            if run.returncode == 0 and np.array_equal(np.load(result), case.expected):
                continue
            failed += 1
            print(case.title, "length", len(case.keys), *launch)
            print(run.stderr if run.returncode else f"found {np.load(result)}, expected {case.expected}")
    print(f"{count} runs, {failed} failed")
    return 1 if failed or not count else 0
