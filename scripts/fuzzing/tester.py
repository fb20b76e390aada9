"""Runs random programs on the interpreter and the emulator.

In: a group of programs. Out: the number of refused programs, by their labels, and a failure for each program
whose results are not those of Python; a failing program is made small and kept with its inputs.
"""

from __future__ import annotations

import collections
import pathlib
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

from fuzzing.compare import INTERPRET, difference, disagreements, message, run_program
from fuzzing.program import Group, Program
from fuzzing.reduction import reduce
from fuzzing.report import keep
from fuzzing.runner import Limits, Runner, label, shape


class Failure(NamedTuple):
    """The program, the launch, and the result that differs; without one the run fails."""

    number: int
    why: str
    launch: list[str]
    result: int | None


def pattern(text: str) -> str:
    """The same for messages that are alike."""
    return shape(text.splitlines()[0])


class Tester(Runner):
    """Counts refusals by their labels; `prints_refusals` prints them, too."""

    def __init__(self, tools: pathlib.Path | None, prints_refusals: bool = False) -> None:
        super().__init__(tools, Limits(120))
        self.prints_refusals = prints_refusals
        self.reasons: collections.Counter[str] = collections.Counter()

    def test(
        self, group: Group, programs: Sequence[Program], folder: pathlib.Path
    ) -> tuple[int, list[Failure]]:
        """The number of programs that are refused, and the failures."""
        inputs, path = group.write_inputs(folder), folder / "group.mlir"
        path.write_text(group.module(programs))
        owners = [(program, r) for program in programs for r in range(len(program.results))]
        wanted = [result for program in programs for result in typed_results(group, program)]
        failures: dict[int, Failure] = {}
        for found in disagreements(self.tool("obs-run"), path, inputs, group.launches(), wanted):
            if found.result is not None:
                program, r = owners[found.result]
                why = f"result {r} {found.why}"
                failures.setdefault(program.number, Failure(program.number, why, found.launch, r))
                continue
            if len(programs) > 1:
                # Each program runs alone, to find the one that fails.
                alone = [self.test(group, [program], folder) for program in programs]
                return sum(refused for refused, _ in alone), [f for _, every in alone for f in every]
            number, reason = programs[0].number, label(found.verdict)
            if reason is None:
                return 0, [Failure(number, found.why[:1000], found.launch, None)]
            self.reasons[reason] += 1
            if self.prints_refusals:
                print(f"program {number} is refused: {found.why[:500]}", flush=True)
            return 1, []
        return 0, list(failures.values())

    def keep(self, group: Group, failure: Failure, folder: pathlib.Path, is_reduced: bool) -> None:
        """The failing program, with one result and its inputs, and the command that runs it."""
        folder.mkdir(parents=True, exist_ok=True)
        program, path = group.program(failure.number), folder / f"p{failure.number}.mlir"
        inputs = group.write_inputs(folder)
        text = group.module([program], failure.result)
        if is_reduced:
            text = self.reduced(text, inputs, typed_results(group, program), failure, path)
        names = [argument.rsplit("/", 1)[1] for argument in inputs]
        command = shlex.join(["obs-run", path.name, "--entry=main", *failure.launch, *names])
        print(f"kept in {keep(path, text, [command, failure.why])}", flush=True)

    def reduced(
        self,
        text: str,
        inputs: list[str],
        wanted: list[tuple[str, list[Any]]],
        failure: Failure,
        path: pathlib.Path,
    ) -> str:
        """A smaller program on which interpreter and launch still disagree, or fail in the same way. The
        results of a smaller program are not known in Python, so one that is wrong on the interpreter is only
        made tidy."""
        obs_run, r = self.tool("obs-run"), failure.result

        def is_same(candidate: str) -> bool:
            path.write_text(candidate)
            if r is None:
                types = [type for type, _ in wanted]
                _, done = run_program(obs_run, path, inputs, types, failure.launch)
                return bool(done.code) and pattern(message(done)) == pattern(failure.why)
            type, want = wanted[r]
            first, done = run_program(obs_run, path, inputs, [type], INTERPRET)
            if done.code:
                return False
            if failure.launch == INTERPRET:
                return difference(first[0], want) is not None and len(first[0]) == len(want)
            second, done = run_program(obs_run, path, inputs, [type], failure.launch)
            return not done.code and difference(first[0], second[0]) is not None

        tidy = path.with_suffix(".tidy.mlir")
        path.write_text(text)
        command = ["obs-opt", str(path), "--inline", "--symbol-dce", "--cse", "-o", str(tidy)]
        if not self.run(command).code and is_same(tidy.read_text()):
            text = tidy.read_text()
        tidy.unlink(missing_ok=True)
        if failure.launch == INTERPRET and r is not None:
            return text
        return reduce(text, is_same, 600)


def typed_results(group: Group, program: Program) -> list[tuple[str, list[Any]]]:
    """The results that Python computes, with their element types."""
    return [(x.elements[0], values) for x, values in zip(program.results, program.run(group.values))]
