"""Options, groups of programs, and reports that all fuzzers share.

In: the number of programs, and the findings of each group in their order. Out: progress and causes on
standard output, programs that are kept in a folder, and an exit code.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import pathlib
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from fuzzing.runner import Verdict, cause

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_REFUSED = 5  # per cent
Item = TypeVar("Item")
Result = TypeVar("Result")


def parser_of(description: str | None, programs: int, tools: str) -> argparse.ArgumentParser:
    """The options of all fuzzers; `programs` is the default of --programs."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=pathlib.Path, help=f"folder of {tools} (default: PATH)")
    parser.add_argument("--programs", type=int, default=programs)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for failing programs")
    parser.add_argument("--reduce", action="store_true", help="make failing programs small")
    parser.add_argument("--show", type=int, metavar="N", default=20, help="so many failures are printed")
    return parser


def add_mutant_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=int, default=10, help="processor time of one program")
    parser.add_argument("--memory", type=int, default=2048, help="MiB of one program")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="folder with examples/ and test/")


def ranges(begin: int, count: int, size: int) -> Iterator[range]:
    for start in range(begin, begin + count, size):
        yield range(start, min(start + size, begin + count))


def in_order(
    work: Callable[[Item], Result], groups: Sequence[Item], jobs: int
) -> Iterator[tuple[Item, Result]]:
    """Each group with its result; `jobs` of them are at work at once."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(groups, pool.map(work, groups))


class Finding(NamedTuple):
    """A mutant, and what is wrong with a command on it."""

    number: int
    command: list[str]
    verdict: Verdict
    program: str | bytes


class Tally:
    """Counts programs, failures and causes; prints the first two every so many programs."""

    def __init__(self, every: int = 0) -> None:
        self.every, self.tried, self.refused, self.failures, self.shown = every, 0, 0, 0, 0
        self.causes: collections.Counter[str] = collections.Counter()

    def add(self, programs: int, more: str = "") -> None:
        self.tried += programs
        if self.every and self.tried % self.every == 0:
            print(f"{self.tried} programs, {more}{self.failures} failures", flush=True)

    def print_causes(self, most: int | None = None) -> None:
        for name, count in self.causes.most_common(most):
            print(f"{count} times {name}")

    def finish(self, is_good: bool = True) -> int:
        """Prints the last line and returns the exit code."""
        print(f"{self.tried} programs, {self.failures} failures")
        return 0 if self.tried and not self.failures and is_good else 1

    def finish_with_refusals(self, reasons: collections.Counter[str]) -> int:
        """The same, after a line about the refused programs, by their labels. More than 5 % of them are a failure."""
        share = 100.0 * self.refused / self.tried if self.tried else 0.0
        names = ", ".join(f"{number} {label}" for label, number in reasons.most_common())
        print(f"{self.refused} refused, {share:.1f} %{': ' + names if names else ''}")
        return self.finish(share <= MOST_REFUSED and self.refused < self.tried)

    def add_findings(
        self,
        findings: Iterable[Finding],
        show: int,
        folder: pathlib.Path | None,
        smaller: Callable[[Finding], str | bytes],
        shows_upstream: bool,
    ) -> None:
        """Findings with one cause count once. A problem in MLIR is no failure; `shows_upstream` prints it."""
        for finding in findings:
            key = cause(finding.command, finding.verdict)
            self.causes[key] += 1
            if self.causes[key] > 1:
                continue
            is_upstream = str(finding.verdict.problem).endswith(" in MLIR")
            self.failures += not is_upstream
            if self.shown < show and (shows_upstream or not is_upstream):
                self.shown += 1
                print_finding(finding, smaller(finding), folder, f"finding{self.shown}")


def print_finding(finding: Finding, program: str | bytes, folder: pathlib.Path | None, name: str) -> None:
    """Prints the program, too, or the name of the file that has it."""
    command, reason = (
        shlex.join(finding.command),
        f"{finding.verdict.problem}: {finding.verdict.detail[:400]}",
    )
    print(f"number {finding.number}: {reason}")
    if isinstance(program, str) and folder is None:
        print(f"command: {command}\n{program}", flush=True)
        return
    folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="fuzz-"))
    suffix = ".mlir" if isinstance(program, str) else ".mlirbc"
    path = keep(folder / (name + suffix), program, [command, reason])
    print(f"command: {command} {path}", flush=True)


def keep(path: pathlib.Path, program: str | bytes, head: Sequence[str]) -> pathlib.Path:
    """Writes the program; the head becomes comments, which bytecode does not have."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(program, bytes):
        path.write_bytes(program)
        return path
    comments = "".join(f"// {line}\n" for text in head for line in text.splitlines())
    path.write_text(comments + program)
    return path
