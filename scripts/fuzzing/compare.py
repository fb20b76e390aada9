"""Runs obs-run on files of arrays and compares its results with those of Python.

In: a program, the files of its inputs, launches (options of obs-run for one device), and the results that
Python computes. Out: each result that differs, with its launch; or the error that ends a run.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fuzzing.runner import ANY_ERROR, Done, Limits, Verdict, execute, judge
from fuzzing.values import from_bytes, same

INTERPRET = ["--device=interpret"]
THREADS = [1, 17, 32, 96, 128, 1024]


class Disagreement(NamedTuple):
    """The result that differs, or None if the run fails. The verdict then describes the failure."""

    result: int | None
    launch: list[str]
    why: str
    verdict: Verdict


def emulation(threads: int, blocks: int, schedule: int | None, has_checks: bool = True) -> list[str]:
    """A launch; `schedule` is the seed of a random order of threads."""
    launch = ["--device=emulate", f"--threads={threads}", f"--blocks={blocks}"]
    if schedule is not None:
        launch += ["--schedule=random", f"--seed={schedule}"]
    return launch + ["--check=all"] * has_checks


def run_program(
    obs_run: str,
    path: pathlib.Path,
    inputs: Sequence[str],
    types: Sequence[str],
    launch: Sequence[str],
    seconds: int = 120,
) -> tuple[list[list[Any]], Done]:
    """The results, of these element types; none if the exit code is not 0."""
    outs = [path.with_suffix(f".out{k}") for k in range(len(types))]
    done = execute(
        [obs_run, str(path), "--entry=main", *launch, *inputs, *(f"--out={out}" for out in outs)],
        Limits(seconds),
    )
    if done.code:
        return [], done
    return [from_bytes(out.read_bytes(), type) for out, type in zip(outs, types)], done


def message(done: Done) -> str:
    """The text from the first error on, or all of it, which may be remarks only."""
    error = ANY_ERROR.search(done.err)
    return done.err[error.start() if error else 0 :].strip() or f"exit code {done.code}"


def difference(got: Sequence[Any], want: Sequence[Any]) -> str | None:
    if len(got) != len(want):
        return f"has {len(got)} elements, not {len(want)}"
    for i, (a, b) in enumerate(zip(got, want)):
        if not same(a, b):
            return f"is {got[i : i + 3]} from element {i} on, not {want[i : i + 3]}"
    return None


def disagreements(
    obs_run: str,
    path: pathlib.Path,
    inputs: Sequence[str],
    launches: Iterable[list[str]],
    wanted: Sequence[tuple[str, list[Any]]],
    seconds: int = 120,
) -> Iterator[Disagreement]:
    """The results that differ from `wanted`, pairs of an element type and a list."""
    types = [type for type, _ in wanted]
    for launch in launches:
        found, done = run_program(obs_run, path, inputs, types, launch, seconds)
        verdict = judge(done)
        if done.code:
            yield Disagreement(None, launch, message(done), verdict)
            continue
        for number, (got, (_, want)) in enumerate(zip(found, wanted)):
            problem = difference(got, want)
            if problem:
                yield Disagreement(number, launch, problem, verdict)
