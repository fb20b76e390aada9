"""The command of scripts/fuzz-mutations.py.

In: its options, and the programs of examples/ and test/. Out: the mutants on which a tool has a problem, one
for each cause, and the exit code.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import random
import re
import tempfile

from fuzzing.mutator import MARKER, Mutator, read_corpus
from fuzzing.reduction import reduce
from fuzzing.report import Finding, Tally, add_mutant_options, in_order, parser_of, ranges
from fuzzing.runner import ANY_ERROR, ERROR, Limits, Runner, Verdict, cause, is_abnormal, judge, label

GROUP = 40  # mutants of one process
# The ways to lower a program; the second and one more are for programs that verify.
PARSE = ["obs-opt", "--verify-roundtrip"]
PTX = ["obs-translate", "--obs-to-ptx"]
PIPELINES = [
    ["obs-opt", "--obs-to-gpu=threads=17 blocks=3"],
    ["obs-opt", "--obs-to-gpu=threads=1024 verify-levels", "--obs-check-races"],
    ["obs-opt", "--obs-to-gpu=runtime-checks deterministic"],
    ["obs-opt", "--obs-to-gpu", "--obs-report-cost"],
    ["obs-opt", "--obs-to-cpu=threads=96 verify-levels"],
    ["obs-opt", "--obs-to-cpu=reuse-buffers"],
    ["obs-opt", "--obs-to-nvvm"],
    ["obs-opt", "--obs-explain-barriers"],
    ["obs-opt", "--canonicalize", "--cse", "--canonicalize"],
    ["obs-opt", "--inline", "--obs-unroll-loops", "--obs-expand-collectives", "--obs-fuse-arrays"],
    ["obs-translate", "--obs-to-host-c"],
    ["obs-translate", "--obs-to-launch-json"],
]
# Refusals that need no label, since they are clear.
CLEAR = re.compile(r"the program has no kernels|is never launched")


def has_no_label(verdict: Verdict) -> bool:
    is_refusal = not verdict.accepted and verdict.problem is None
    return is_refusal and label(verdict) is None and not CLEAR.search(verdict.detail)


class Worker(Runner):
    """Makes mutants, and runs the tools on them."""

    def __init__(self, options: argparse.Namespace, programs: list[str], folder: pathlib.Path) -> None:
        # The first limit is for a tool that sleeps.
        super().__init__(options.tools, Limits(20 * options.seconds, options.seconds, options.memory))
        self.options, self.programs, self.folder = options, programs, folder

    # Verdicts.

    def judge_one(self, stage: list[str], text: str, name: str) -> Verdict:
        path = self.folder / name
        path.write_text(text)
        command = [*stage, "--mlir-disable-threading", str(path)]
        verdict = judge(self.run(command))
        return self.explain(command, verdict) if verdict.problem == "crash" else verdict

    def judge_all(self, stage: list[str], texts: list[str], name: str) -> list[Verdict]:
        """The verdict on each program. A process that ends early is tried again with halves of them."""
        if len(texts) == 1:
            return [self.judge_one(stage, texts[0], name)]
        path = self.folder / name
        path.write_text(f"{MARKER}\n".join(texts))
        split = ["--split-input-file", "--mlir-disable-threading"]
        if stage[0] == "obs-translate":
            split.append(f"--output-split-marker={MARKER}")
        done = self.run([*stage, *split, str(path)])
        if is_abnormal(done):
            half = len(texts) // 2
            return self.judge_all(stage, texts[:half], name) + self.judge_all(stage, texts[half:], name)
        begins = [1]
        for text in texts[:-1]:
            begins.append(begins[-1] + text.count("\n") + 1)
        errors: dict[int, list[str]] = collections.defaultdict(list)
        strange = []
        for error in ANY_ERROR.findall(done.err):
            match = ERROR.match(error)
            if not match:
                strange.append(error)
                continue
            line = int(match["base"]) if match["base"] else int(match["line"])
            number = max(k for k, begin in enumerate(begins) if begin <= max(line, 1))
            # A translation counts the lines from the marker on.
            if match["base"] and number + 1 < len(begins) and line + 1 == begins[number + 1]:
                number += 1
            errors[number].append(error)
        outs = re.split(rf"^{MARKER}$\n?", done.out, flags=re.MULTILINE)
        verdicts = []
        for number, text in enumerate(texts):
            accepted = number < len(outs) and bool(outs[number].strip())
            told = errors[number]
            is_clear = len(outs) == len(texts) and accepted != bool(told) and not strange
            if is_clear and not any("roundTrip" in error for error in told):
                verdicts.append(Verdict(accepted, None, told[0] if told else ""))
            else:
                verdicts.append(self.judge_one(stage, text, name))
        return verdicts

    def check_label(self, stage: list[str], verdict: Verdict) -> Verdict:
        """With --unlabelled, a refusal without a label is a problem, but for that of the first stage."""
        if self.options.unlabelled and stage != PARSE and has_no_label(verdict):
            return verdict._replace(problem="no label")
        return verdict

    # Groups.

    def group(self, numbers: range) -> tuple[int, list[Finding]]:
        """The number of mutants that are valid, and the findings."""
        rng = random.Random(f"{self.options.seed}:{numbers.start}")
        mutator = Mutator(self.programs, rng)
        mutants = [mutator.mutant() for _ in numbers]
        second = rng.choice(PIPELINES)
        findings: list[Finding] = []
        name = f"group{numbers.start}.mlir"

        def examine(stage: list[str], chosen: list[int]) -> list[int]:
            if not chosen:
                return []
            verdicts = self.judge_all(stage, [mutants[k] for k in chosen], name)
            verdicts = [self.check_label(stage, verdict) for verdict in verdicts]
            for k, verdict in zip(chosen, verdicts):
                if verdict.problem:
                    findings.append(Finding(numbers.start + k, stage, verdict, mutants[k]))
            return [k for k, verdict in zip(chosen, verdicts) if verdict.accepted]

        valid = examine(PARSE, list(range(len(mutants))))
        for stage in (PTX, second):
            examine(stage, valid)
        (self.folder / name).unlink(missing_ok=True)
        return len(valid), findings

    def smaller(self, finding: Finding) -> str:
        text = str(finding.program)
        if not self.options.reduce:
            return text
        wanted = cause(finding.command, finding.verdict)

        def is_same(text: str) -> bool:
            verdict = self.judge_one(finding.command, text, "reduced.mlir")
            verdict = self.check_label(finding.command, verdict)
            return verdict.problem is not None and cause(finding.command, verdict) == wanted

        return reduce(text, is_same)


def main(description: str | None) -> int:
    parser = parser_of(description, 1000, "obs-opt and obs-translate")
    add_mutant_options(parser)
    parser.add_argument(
        "--unlabelled", action="store_true", help="report valid programs refused without a label"
    )
    options = parser.parse_args()
    programs = read_corpus(options.root)
    groups = list(ranges(0, options.programs if programs else 0, GROUP))
    tally, valid = Tally(50 * GROUP), 0
    with tempfile.TemporaryDirectory() as scratch:
        worker = Worker(options, programs, pathlib.Path(scratch))
        for numbers, (good, findings) in in_order(worker.group, groups, options.jobs):
            valid += good
            tally.add_findings(findings, options.show, options.keep, worker.smaller, shows_upstream=True)
            tally.add(len(numbers), f"{valid} valid, ")
    tally.print_causes()
    print(f"{valid} of the mutants are valid")
    return tally.finish(valid > 0)
