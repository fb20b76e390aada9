"""The command of scripts/fuzz-bytecode.py.

In: its options, and the programs of examples/ and test/, which obs-opt writes as MLIR bytecode. Out: the
files with changed bytes on which the reader has a problem, one for each cause, and the exit code.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import tempfile
from collections.abc import Sequence

from fuzzing.mutator import read_corpus
from fuzzing.report import (
    Finding,
    Tally,
    add_mutant_options,
    in_order,
    parser_of,
    ranges,
)
from fuzzing.runner import Limits, Runner, Verdict, cause, judge, names_upstream

READ = ["obs-opt", "--verify-roundtrip"]
GROUP = 50  # mutants between two reports
EDGES = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]


class ByteMutator:
    """Changes bytes at random; the same way for the same generator."""

    def __init__(self, programs: list[bytes], rng: random.Random) -> None:
        self.programs, self.rng = programs, rng

    def place(self, data: bytearray) -> int:
        """An offset, most often one behind the header."""
        return self.rng.randrange(min(len(data) - 1, 8) if self.rng.random() < 0.1 else 0, len(data))

    def change(self, data: bytearray) -> None:
        rng = self.rng
        i, draw = self.place(data), rng.random()
        if draw < 0.3:
            data[i] ^= 1 << rng.randrange(8)
        elif draw < 0.5:
            data[i] = rng.choice(EDGES)
        elif draw < 0.65:
            data[i] = (data[i] + rng.choice([-2, -1, 1, 2])) % 256
        elif draw < 0.72:
            del data[i : i + rng.choice([1, 1, 2, 4, 16])]
        elif draw < 0.8:
            data[i:i] = bytes(rng.choice(EDGES) for _ in range(rng.choice([1, 1, 2, 8])))
        elif draw < 0.84:
            del data[i:]
        elif draw < 0.92:
            size, j = rng.randint(1, 16), self.place(data)
            data[i : i + size] = data[j : j + size]
        else:
            other, size = rng.choice(self.programs), rng.randint(1, 32)
            j = rng.randrange(len(other))
            data[i : i + size] = other[j : j + size]

    def mutant(self) -> bytes:
        data = bytearray(self.rng.choice(self.programs))
        for _ in range(self.rng.choice([1, 1, 1, 2, 3, 8])):
            if data:
                self.change(data)
        return bytes(data)


class Worker(Runner):
    """Makes mutants, and reads them."""

    def __init__(self, options: argparse.Namespace, corpus: Sequence[str], folder: pathlib.Path) -> None:
        # The first limit is for a tool that sleeps.
        super().__init__(options.tools, Limits(20 * options.seconds, options.seconds, options.memory))
        self.options, self.folder = options, folder
        self.programs = self.write_bytecode(corpus)

    def write_bytecode(self, corpus: Sequence[str]) -> list[bytes]:
        """The bytecode of the programs that verify."""
        found = []
        source, target = self.folder / "source.mlir", self.folder / "source.mlirbc"
        command = ["obs-opt", "--emit-bytecode", "--mlir-disable-threading", "-o", str(target), str(source)]
        for text in corpus:
            source.write_text(text)
            if self.run(command).code == 0:
                found.append(target.read_bytes())
        return found

    def judge(self, data: bytes, name: str) -> Verdict:
        path = self.folder / name
        path.write_bytes(data)
        command = [*READ, "--mlir-disable-threading", str(path)]
        done = self.run(command)
        verdict = judge(done)
        # MLIR's reader allocates memory for the lengths in the file.
        if verdict.problem == "memory":
            return verdict._replace(problem="crash in MLIR")
        # Some operations of MLIR verify, and yet their text is refused.
        if verdict.problem == "round trip" and names_upstream(verdict):
            return verdict._replace(problem="round trip in MLIR")
        # MLIR's reader refuses some files without a word, as the stock mlir-opt does.
        if verdict.problem == "no located diagnostic" and not done.err.strip():
            return verdict._replace(problem="crash in MLIR")
        # An error in bytecode has no line.
        if verdict.problem == "no located diagnostic" and "error: " in done.err:
            return verdict._replace(problem=None)
        # MLIR's reader may overwrite memory; then the process crashes at its end, in no function of MLIR.
        return self.explain(command, verdict, "") if verdict.problem in ("crash", "timeout") else verdict

    def group(self, numbers: range) -> tuple[int, list[Finding]]:
        """The number of mutants that are read, and the findings."""
        mutator = ByteMutator(self.programs, random.Random(f"{self.options.seed}:{numbers.start}"))
        good, findings = 0, []
        for number in numbers:
            data = mutator.mutant()
            verdict = self.judge(data, f"group{numbers.start}.mlirbc")
            good += verdict.accepted
            if verdict.problem:
                findings.append(Finding(number, READ, verdict, data))
        return good, findings

    def smaller(self, finding: Finding, budget: int = 200) -> bytes:
        """Takes back the changes that the finding does not need, if a program has the same length."""
        data = finding.program
        assert isinstance(data, bytes)
        near = [other for other in self.programs if len(other) == len(data)]
        if not self.options.reduce or not near:
            return data
        wanted = cause(finding.command, finding.verdict)
        best = min(near, key=lambda other: sum(a != b for a, b in zip(other, data)))
        for i in [i for i, (a, b) in enumerate(zip(best, data)) if a != b][:budget]:
            trial = data[:i] + best[i : i + 1] + data[i + 1 :]
            verdict = self.judge(trial, "reduced.mlirbc")
            if verdict.problem and cause(READ, verdict) == wanted:
                data = trial
        return data


def main(description: str | None) -> int:
    parser = parser_of(description, 500, "obs-opt")
    add_mutant_options(parser)
    parser.add_argument("--sources", type=int, default=60, help="so many programs are changed")
    options = parser.parse_args()
    corpus = read_corpus(options.root, 4000)
    corpus = random.Random(f"sources {options.seed}").sample(corpus, min(options.sources, len(corpus)))
    tally, accepted = Tally(20 * GROUP), 0
    with tempfile.TemporaryDirectory() as scratch:
        worker = Worker(options, corpus, pathlib.Path(scratch))
        groups = list(ranges(0, options.programs if worker.programs else 0, GROUP))
        for numbers, (good, findings) in in_order(worker.group, groups, options.jobs):
            accepted += good
            tally.add_findings(findings, options.show, options.keep, worker.smaller, shows_upstream=False)
            tally.add(len(numbers), f"{accepted} read, ")
    tally.print_causes()
    print(f"{accepted} of the mutants are programs")
    return tally.finish()
