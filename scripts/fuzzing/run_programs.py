"""The command of scripts/fuzz-programs.py.

In: its options. Out: the programs that fail, with their seed and number, the number of refusals, and the exit
code.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile

from fuzzing.program import Group
from fuzzing.report import Tally, in_order, parser_of, ranges
from fuzzing.saved import Entry, run_saved, write_group, write_manifest
from fuzzing.tester import Failure, Tester, pattern

GROUP = 10  # programs of one module: one process runs them all


def parse(description: str | None) -> argparse.Namespace:
    parser = parser_of(description, 200, "obs-run, obs-opt and obs-translate")
    parser.add_argument("--only", type=int, help="run the program with this number alone")
    parser.add_argument("--print", action="store_true", help="print the module of --only and stop")
    parser.add_argument(
        "--emit", type=pathlib.Path, help="write programs and results instead of running them"
    )
    parser.add_argument("--replay", type=pathlib.Path, help="run the programs that --emit wrote")
    parser.add_argument("--device", default="cuda", help="of --replay")
    parser.add_argument("--ptxas", help="assemble the PTX of --replay with this")
    parser.add_argument("--refusals", action="store_true", help="print why programs are refused")
    options = parser.parse_args()
    if options.print and options.only is None:
        parser.error("--print needs --only")
    return options


def report(tester: Tester, group: Group, failure: Failure, options: argparse.Namespace) -> None:
    launch = " ".join(failure.launch)
    print(f"program {failure.number} of seed {options.seed}, {launch}: {failure.why}")
    if options.keep:
        folder = options.keep / f"seed{options.seed}-{failure.number}"
        tester.keep(group, failure, folder, options.reduce)
    else:
        text = group.program(failure.number).text()
        print(f"again: --seed {options.seed} --only {failure.number}\n{text}", flush=True)


def main(description: str | None) -> int:
    options = parse(description)
    tester = Tester(options.tools, options.refusals)
    if options.replay:
        return run_saved(tester, options.replay, options.device, options.ptxas, options.jobs)
    groups = list(ranges(0, options.programs, GROUP))
    if options.only is not None:
        # The programs of a group share random inputs, so the whole group is made.
        start = options.only // GROUP * GROUP
        groups = [range(start, start + GROUP)]

    def make(numbers: range) -> Group:
        return Group(f"{options.seed}:{numbers.start}", numbers)

    if options.print:
        group = make(groups[0])
        print(group.module([group.program(options.only)]))
        return 0

    def save(numbers: range) -> Entry | None:
        return write_group(tester, make(numbers), options.emit)

    def test(numbers: range) -> tuple[Group, int, list[Failure]]:
        group = make(numbers)
        programs = [x for x in group.programs if options.only in (None, x.number)]
        with tempfile.TemporaryDirectory() as folder:
            return group, *tester.test(group, programs, pathlib.Path(folder))

    tally = Tally(50 * GROUP)
    if options.emit:
        entries = []
        for numbers, entry in in_order(save, groups, options.jobs):
            if entry:
                entries.append(entry)
            else:
                tally.refused += len(numbers)
            tally.add(len(numbers))
        write_manifest(options.emit, options.seed, tally.tried - tally.refused, entries)
    else:
        for numbers, (group, more, failures) in in_order(test, groups, options.jobs):
            tally.refused += more
            for failure in failures:
                tally.failures += 1
                tally.causes[pattern(failure.why)[:120]] += 1
                if tally.failures <= options.show:
                    report(tester, group, failure, options)
            tally.add(len(numbers) if options.only is None else 1)
    if tally.failures > 3:
        tally.print_causes(10)
    return tally.finish_with_refusals(tester.reasons)
