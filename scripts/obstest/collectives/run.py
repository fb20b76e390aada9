"""Runs cases on the interpreter and other devices, many in one process.

In: cases. Out: each whose results differ, or that is refused for another reason than its size.
"""

import argparse
import multiprocessing
import os
import random
import subprocess
import tempfile
import time

from obstest import runs
from obstest.collectives.cases import (
    DIMENSIONS, EXTENTS, SIZE, STRATEGIES, all_cases, covering_sample, is_large, result_types)
from obstest.collectives.oracle import Oracle
from obstest.collectives.programs import write_module
from obstest.parts import Part, part

def is_refused(arguments, case, scratch):
    """Whether the compiler says that the arrays of a case do not fit into shared memory."""
    program = os.path.join(scratch, "case.mlir")
    with open(program, "w") as file:
        file.write(write_module([case]))
    opt = os.path.join(os.path.dirname(arguments.obs_run), "obs-opt")
    result = subprocess.run([opt, program, "--obs-to-gpu", "-o", os.devnull], check=False, capture_output=True, text=True)
    return result.returncode != 0 and "[shared-limit]" in result.stderr


def run(arguments, cases, oracle, data_file, device, scratch):
    """A list of (case, problem or None)."""
    program = os.path.join(scratch, "cases.mlir")
    with open(program, "w") as file:
        file.write(write_module(cases))
    command = [arguments.obs_run, program, "--entry=main", "--device=" + device,
               f"{data_file}:{SIZE}xi32", *map(str, EXTENTS)]
    if device == "emulate" and arguments.check:
        command.append("--check=" + arguments.check)
    types = [t for case in cases for t in result_types(case)]
    results, error = runs.run(command, os.path.join(scratch, "r"), types)
    if error:
        if len(cases) == 1:
            return [(cases[0], "too large" if "[shared-limit]" in error else error)]
        # One of them is at fault; the others count.
        half = len(cases) // 2
        return (run(arguments, cases[:half], oracle, data_file, device, scratch)
                + run(arguments, cases[half:], oracle, data_file, device, scratch))
    report, results = [], iter(results)
    for case in cases:
        problem = None
        for j, (expected, values) in enumerate(zip(oracle.expect(case), results)):
            wrong = runs.difference(values, expected)
            if wrong and not problem:
                problem = f"component {j} {wrong}"
        report.append((case, problem))
    return report


def start(*shared):
    """Keeps what all modules of a process need."""
    global SHARED
    SHARED = shared


def run_module(task):
    """The result of `run` for one module, in a process of the pool."""
    device, cases = task
    arguments, oracle, data_file = SHARED
    if arguments.end and time.time() > arguments.end:
        return device, [(case, "no time") for case in cases]
    with tempfile.TemporaryDirectory() as scratch:
        refused = [case for case in cases if device != "interpret" and is_large(case)
                   and is_refused(arguments, case, scratch)]
        left = [case for case in cases if case not in refused]
        return device, ([(case, "too large") for case in refused]
                        + (run(arguments, left, oracle, data_file, device, scratch) if left else []))


def main(description):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--kind", nargs="+", default=list(STRATEGIES), choices=list(STRATEGIES))
    parser.add_argument("--device", nargs="+", default=["interpret", "emulate"])
    parser.add_argument("--check", default="", help="checks of the emulator")
    parser.add_argument("--limit", type=int, default=0, help="stop after so many cases")
    parser.add_argument("--part", type=part, default=Part(), metavar="K/N", help="a part of the cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="no module begins after so many seconds; those that do are "
                        "drawn at random, and the summary counts what was run")
    arguments = parser.parse_args()

    rng = random.Random(arguments.seed)
    data = [runs.wrap(rng.getrandbits(32)) for _ in range(SIZE)]
    oracle = Oracle(data)
    cases = all_cases(arguments.kind)
    possible = len(cases)
    if not arguments.full:
        cases = covering_sample([c for c in cases if not is_large(c)], rng)
    if arguments.limit:
        cases = cases[:arguments.limit]
    cases = arguments.part.of(cases)
    counts, failures, too_large, left_out = {}, 0, 0, 0
    arguments.end = arguments.seconds and time.time() + arguments.seconds
    with tempfile.TemporaryDirectory() as scratch:
        data_file = os.path.join(scratch, "data.bin")
        runs.write(data_file, data)
        tasks = []
        for device in arguments.device:
            # The interpreter knows neither strategies nor threads.
            mine = cases
            if device == "interpret":
                mine = list({case[:3] + (32, case[4], "default"): None for case in cases})
            # Those that may be refused are translated alone first, for one refused function refuses its module.
            large = [c for c in mine if is_large(c)] if device != "interpret" else []
            alone = set(large)
            mine = [c for c in mine if c not in alone]
            # A process on the GPU begins with making a context, one process after the other: few processes.
            size = 60 if device != "cuda" else 240
            for group in (mine, large):
                tasks += [(device, group[begin:begin + size]) for begin in range(0, len(group), size)]
        if arguments.end:
            rng.shuffle(tasks)
        with multiprocessing.Pool(arguments.jobs, start, (arguments, oracle, data_file)) as pool:
            for device, report in pool.imap_unordered(run_module, tasks):
                for case, problem in report:
                    if problem == "no time":
                        left_out += 1
                        continue
                    key = (device, case[0])
                    counts[key] = counts.get(key, 0) + 1
                    if problem == "too large":
                        too_large += 1
                    elif problem:
                        failures += 1
                        print(device, *(f"{d}={v}" for d, v in zip(DIMENSIONS, case)))
                        print("  " + problem.replace("\n", "\n  "), flush=True)
    for (device, kind), count in sorted(counts.items()):
        print(f"{device}, {kind}: {count} cases")
    if arguments.end:
        print(f"for {left_out} there was no time")
    print(f"{len(cases) - left_out} of {possible} combinations, {too_large} refused for shared memory, "
          f"{failures} problems")
    return 1 if failures or not cases else 0
