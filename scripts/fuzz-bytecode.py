#!/usr/bin/env python3
"""Bytecode with changed bytes: obs-opt refuses it with a reason, or reads a program that verifies.

  scripts/fuzz-bytecode.py --tools build/bin --programs 2000 --seed 1
  scripts/fuzz-bytecode.py --tools build/bin --programs 50000 --seed 3 --keep DIR

The programs of examples/ and test/ are written as MLIR bytecode (obs-opt --emit-bytecode). Bytes of them
are changed, deleted, inserted, copied from elsewhere, or cut off, and the result is read again. Reported
are crashes, more than --seconds of processor time, more than --memory MiB, a failure without an error,
an error with exit code 0, and a program that is read but does not survive printing and reading. A crash
without a function of Obsidian on the stack is one of MLIR's reader, which is listed but no failure; there
are such, and llvm-symbolizer has to be in PATH to tell. Findings with one cause count once; each is
printed with its command, and kept in the folder --keep. Ends with the number of programs and of failures;
exits with 1 if there are failures or no programs.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import importlib
import pathlib
import random
import subprocess
import sys
import tempfile
from typing import Any, NamedTuple

mutations = importlib.import_module("fuzz-mutations")
# Of that module, whose name is none for an import.
Runner = Any
Verdict = Any

READ = ["obs-opt", "--verify-roundtrip"]
GROUP = 50  # mutants between two reports
EDGES = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]


class Finding(NamedTuple):
    number: int
    verdict: Verdict
    data: bytes


def write_bytecode(runner: Runner, programs: list[str]) -> list[bytes]:
    """The programs that verify."""
    found = []
    source, target = runner.folder / "source.mlir", runner.folder / "source.mlirbc"
    for text in programs:
        source.write_text(text)
        command = runner.command(
            ["obs-opt", "--emit-bytecode", "--mlir-disable-threading", "-o", str(target)], source
        )
        if subprocess.run(command, capture_output=True).returncode == 0:
            found.append(target.read_bytes())
    return found


class Mutator:
    """Changes bytes at random; the same way for the same generator."""

    def __init__(self, programs: list[bytes], rng: random.Random) -> None:
        self.programs, self.rng = programs, rng

    def place(self, data: bytearray) -> int:
        """Most often behind the header."""
        return self.rng.randrange(min(len(data), 8) if self.rng.random() < 0.1 else 0, len(data))

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


def judge(runner: Runner, data: bytes, name: str) -> Verdict:
    """What the reader does with these bytes. An error in bytecode has no line."""
    path = runner.folder / name
    path.write_bytes(data)
    command = runner.command([*READ, "--mlir-disable-threading"], path)
    done = runner.run(command)
    verdict = mutations.judge(done, READ)
    # Lengths in the file say how much the reader of MLIR asks for.
    if verdict.problem == "memory":
        return verdict._replace(problem="crash in MLIR")
    if verdict.problem == "no located diagnostic" and "error: " in done.err:
        return mutations.Verdict(False, None, verdict.detail)
    # The reader of MLIR may overwrite memory; then the crash comes as the process ends, in no function of it.
    return runner.explain(command, verdict, "") if verdict.problem in ("crash", "timeout") else verdict


def reduce(runner: Runner, data: bytes, original: list[bytes], wanted: str, budget: int = 200) -> bytes:
    """Takes back the changes that the finding does not need, as far as lengths are equal."""
    near = [other for other in original if len(other) == len(data)]
    if not near:
        return data
    best = min(near, key=lambda other: sum(a != b for a, b in zip(other, data)))
    for i in [i for i, (a, b) in enumerate(zip(best, data)) if a != b][:budget]:
        tried = data[:i] + best[i : i + 1] + data[i + 1 :]
        verdict = judge(runner, tried, "reduced.mlirbc")
        if verdict.problem and mutations.cause(READ, verdict) == wanted:
            data = tried
    return data


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mutations.add_arguments(parser, 500)
    parser.add_argument("--sources", type=int, default=60, help="so many programs are changed")
    parser.add_argument("--reduce", action="store_true", help="take back changes that findings do not need")
    options = parser.parse_args()
    rng = random.Random(f"sources {options.seed}")
    corpus = mutations.read_corpus(options.root, 4000)
    corpus = rng.sample(corpus, min(options.sources, len(corpus)))
    causes: collections.Counter[str] = collections.Counter()
    tried = accepted = failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        runner = mutations.Runner(options.tools, pathlib.Path(scratch), options.seconds, options.memory)
        programs = write_bytecode(runner, corpus)

        def group(numbers: range) -> tuple[int, list[Finding]]:
            mutator = Mutator(programs, random.Random(f"{options.seed}:{numbers.start}"))
            good, findings = 0, []
            for number in numbers:
                data = mutator.mutant()
                verdict = judge(runner, data, f"group{numbers.start}.mlirbc")
                good += verdict.accepted
                if verdict.problem:
                    findings.append(Finding(number, verdict, data))
            return good, findings

        groups = list(mutations.ranges(0, options.programs if programs else 0, GROUP))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for numbers, (good, findings) in zip(groups, pool.map(group, groups)):
                tried, accepted = tried + len(numbers), accepted + good
                for finding in findings:
                    key = mutations.cause(READ, finding.verdict)
                    causes[key] += 1
                    if causes[key] > 1:
                        continue
                    is_failure = finding.verdict.problem != "crash in MLIR"
                    failures += is_failure
                    if not is_failure or failures > options.show:
                        continue
                    data = reduce(runner, finding.data, programs, key) if options.reduce else finding.data
                    print(
                        f"number {finding.number}: {finding.verdict.problem}: {finding.verdict.detail[:400]}"
                    )
                    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="fuzz-bytecode-"))
                    folder.mkdir(parents=True, exist_ok=True)
                    path = folder / f"finding{failures}.mlirbc"
                    path.write_bytes(data)
                    print(f"command: {' '.join(READ)} {path}", flush=True)
                if tried % (20 * GROUP) == 0:
                    print(f"{tried} programs, {accepted} read, {failures} failures", flush=True)
    for key, count in causes.most_common():
        print(f"{count} times {key}")
    print(f"{accepted} of the mutants are programs")
    print(f"{tried} programs, {failures} failures")
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
