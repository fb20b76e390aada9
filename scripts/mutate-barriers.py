#!/usr/bin/env python3
"""Shows that barriers are needed: without one of them, the emulator finds a race.

  scripts/mutate-barriers.py --obs-opt build/bin/obs-opt --obs-run build/bin/obs-run [NAME...]

The programs are the goldens and examples, with the inputs and launches of
obstest/barrier_inputs.py. Each is lowered with its own number of threads, and for
32, 96 and 128 threads. Each must run with all checks and without a report. Then the
script deletes one barrier at a time, or replaces a barrier of a block with several
warps by a barrier of a warp. In one of the runs, the emulator must report a race in
that kernel, or a read of memory that is not written yet, or an index out of bounds
that came from such a read. Prints the changes without a report, and the numbers.
Exits with 1 if there are such changes, or if there is a report without a change.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

from obstest import ROOT, barrier_inputs, mutants

# The reports that a missing barrier causes.
REPORT = re.compile(r"^\S+: error: (race|uninit|out-of-bounds): ")
# 0: as the program says.
THREADS = (0, 32, 96, 128)
FIRST_ORDER = ["--schedule=random", "--seed=1"]

# A kernel, in all programs that have it, on any launch parameters: the place of the
# first, its lines and the changes of the kernel, and the runs of them all.
Kernel = collections.namedtuple("Kernel", "place lines changes runs")


class Run:
    """One way to run a program: its lines, as they are for a number of blocks."""

    def __init__(self, mutation, case, lines, inputs, schedule, blocks):
        self.mutation, self.case, self.lines, self.inputs, self.schedule = mutation, case, lines, inputs, schedule
        self.name = " ".join([case.path.name, case.entry, f"blocks={blocks}", *schedule, *inputs])
        self.lock = threading.Lock()
        self.result = None

    def emulate(self, lines):
        """The report of the emulator; None if there is none."""
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write("\n".join(lines))
            file.flush()
            return self.mutation.run(file.name, self.case.entry, ["--device=emulate", "--check", *self.schedule],
                                     self.inputs)

    def find_problem(self):
        """Runs the program unchanged: "", what is reported, or None if the interpreter
        refuses the inputs, too."""
        with self.lock:
            if self.result is None:
                error = self.emulate(self.lines)
                isRefused = error and self.mutation.run(self.case.path, self.case.entry, ["--device=interpret"],
                                                        self.inputs)
                self.result = ("refused" if isRefused else error or "",)
        return None if self.result[0] == "refused" else self.result[0]


class Mutation:
    def __init__(self, options):
        self.options = options

    def run(self, file, entry, device, inputs):
        done = subprocess.run([self.options.obs_run, str(file), f"--entry={entry}", *device, *inputs],
                              check=False, capture_output=True, text=True, timeout=600)
        return done.stderr if done.returncode else None

    def prepare(self, job):
        """The runs of a case on a number of threads, by their numbers of blocks."""
        case, threads = job
        runs = []
        for blocks in sorted({blocks for given in case.inputs for blocks in given.blocks}):
            lines, _ = mutants.lower(self.options.obs_opt, case.path, f"threads={threads} blocks={blocks}",
                                     "--mlir-print-debuginfo")
            if lines is None:
                # A block of this program needs another number of threads.
                continue
            lines = mutants.isolate_host(lines, case.entry)
            if not mutants.find_changes(lines):
                continue
            for given in case.inputs:
                seeds = range(1, given.orders + 1) if blocks in given.blocks else []
                orders = [[], *([FIRST_ORDER[0], f"--seed={seed}"] for seed in seeds)]
                runs += [Run(self, case, lines, given.words, order, blocks) for order in orders if seeds]
        return f"{case.path.name}, {case.entry}, threads={threads}", runs

    def find_kernels(self, prepared):
        found = {}
        for place, runs in prepared:
            for run in runs:
                changes = mutants.find_changes(run.lines)
                for name, text in mutants.kernels(run.lines).items():
                    own = [change for change in changes if change.kernel == name]
                    if own:
                        found.setdefault((name, text), Kernel(place, run.lines, own, [])).runs.append(run)
        for kernel in found.values():
            # Short inputs go first, and other orders of threads last.
            kernel.runs.sort(key=lambda run: (bool(run.schedule), barrier_inputs.length(run.inputs)))
        return list(found.values())

    def find_forgotten(self, kernels, paths):
        """The kernels with barriers that no input reaches."""
        reached = {(path, name) for kernel in kernels for run in kernel.runs for path in [run.case.path]
                   for name in mutants.kernels(run.lines)}
        for path in paths:
            lines, _ = mutants.lower(self.options.obs_opt, path, "threads=0")
            for name in sorted({change.kernel for change in mutants.find_changes(lines or [])}):
                if (path, name) not in reached:
                    yield f"{path.relative_to(ROOT)}, {name}: no input for this kernel"

    def attempt(self, mutant):
        """The label of the report, or why there is none."""
        kernel, change = mutant
        errors = []
        for run in kernel.runs:
            if run.find_problem() != "":
                continue
            error = run.emulate(mutants.apply(run.lines, change))
            label = error and REPORT.match(error)
            if label and f"in kernel '{change.kernel}'" in error:
                return label[1], ""
            errors += [error] if error else []
        return None, errors[0][:200] if errors else "not reported"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-opt", default="obs-opt")
    parser.add_argument("--obs-run", default="obs-run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--threads", default=THREADS, type=lambda text: [int(number) for number in text.split(",")],
                        help="instead of those above, as N,...")
    parser.add_argument("--sample", type=int, help="the largest number of programs, each for one number of threads")
    parser.add_argument("--most", type=int, help="the largest number of changes of each of them")
    parser.add_argument("--summary", help="a file for the last line, too")
    parser.add_argument("names", nargs="*", help="parts of file names; all programs without any")
    options = parser.parse_args()
    reports, noisy, count = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        mutation = Mutation(options)
        cases = barrier_inputs.collect(options.names, folder)
        jobs = mutants.draw([(case, threads) for case in cases for threads in options.threads], options.sample)
        prepared = list(pool.map(mutation.prepare, jobs))
        kernels = mutation.find_kernels(prepared)
        tried = [(kernel, change) for kernel in kernels for change in mutants.draw(kernel.changes, options.most)]
        runs = [run for _, runs in prepared for run in runs]
        forgotten = [] if options.sample else list(mutation.find_forgotten(kernels, barrier_inputs.paths(options.names)))
        if options.sample is None:
            # Other orders are tried where a change is not noticed before.
            list(pool.map(Run.find_problem, [run for run in runs if run.schedule in ([], FIRST_ORDER)]))
        for (kernel, change), (label, why) in zip(tried, pool.map(mutation.attempt, tried)):
            reports[label] += 1
            if not label:
                print(f"{kernel.place}, {mutants.describe(kernel.lines, change)}: {why}", flush=True)
    print(*forgotten, sep="\n", end="\n" if forgotten else "")
    for run in runs:
        problem = run.find_problem() if run.result else None
        count += problem == ""
        if problem:
            noisy += 1
            print(f"{run.name}: reported although unchanged: {problem[:300]}")
    unnoticed = reports.pop(None, 0)
    unwritten = reports["uninit"] + reports["out-of-bounds"]
    percent = 100 - 100 * unnoticed / max(1, len(tried))
    summary = (f"barriers: {len(kernels)} kernels, {count} runs, {len(tried)} mutants; "
               f"{reports['race']} race, {unwritten} read what is not written, "
               f"{unnoticed} unnoticed ({percent:.1f} % found); {noisy} false alarms")
    print(summary)
    if options.summary:
        pathlib.Path(options.summary).write_text(summary + "\n")
    return 1 if noisy or unnoticed or forgotten or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
