#!/usr/bin/env python3
"""Shows that a change of the compiler does not affect its output.

  scripts/same-output.py BASE                   BASE is a revision of git, which is built
  scripts/same-output.py --base-tools DIR       DIR has the tools of BASE

Compares the output of the tools of BASE and of the present tools (--tools) for the programs of the
present tree: PTX, launch contracts with their plans, host code in C, and the reports on costs,
barriers and races, with the messages and the exit status. It also runs goldens and examples on the
emulator, and compares the results and the reports of launches. The programs are the examples, the
goldens, the networks, the programs of Dag, and the programs of examples/python, examples/arrays and
the works of the benchmarks. The present Python package and library make these.

Prints the first lines of each difference, and the numbers. Exits with 1 if an output differs, or if
there is no output. BASE is built in build-same-output/, which is kept for later runs.
"""

import argparse
import collections
import concurrent.futures
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

from obstest import ROOT, barrier_inputs, record

BUILT = ROOT / "build-same-output"
TOOLS = ("obs-opt", "obs-translate", "obs-run")
PATTERNS = (
    "examples/*.mlir",
    "examples/dag/*.dag",
    "test/Golden/*.mlir",
    "test/Networks/*.mlir",
    "test/Networks/Inputs/*.mlir",
)
# In seconds, for one output.
TIMEOUT = 600

# Tests have several programs in one file. Reports are messages.
SPLIT = ["--split-input-file"]
SHOWN = [*SPLIT, "-o", "/dev/null"]
# The command of each output, by the kind of the program.
OUTPUTS = {
    ".mlir": {
        "ptx": ["obs-translate", "--obs-to-ptx", *SPLIT],
        "contract": ["obs-translate", "--obs-to-launch-json", *SPLIT],
        "host-c": ["obs-translate", "--obs-to-host-c", *SPLIT],
        "cost": ["obs-opt", "--obs-report-cost", *SHOWN],
        "barriers": ["obs-opt", "--obs-explain-barriers", *SHOWN],
        "races": ["obs-opt", "--obs-to-gpu", "--obs-check-races", *SHOWN],
    },
    ".dag": {
        "mlir": ["obs-translate", "--dag-to-obs"],
        "host-c": ["obs-translate", "--dag-to-host-c"],
    },
}


def run(command, **options):
    """Runs a command; ends the script if it fails."""
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")
    return done.stdout


def build(revision, jobs):
    """The folder of the tools of a revision."""
    commit = run(["git", "rev-parse", "--verify", revision + "^{commit}"], cwd=ROOT).strip()
    source = BUILT / commit[:12]
    tools = source / "build" / "bin"
    if not source.exists():
        BUILT.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILT) as folder:
            run(["git", "archive", "-o", f"{folder}/source.tar", commit], cwd=ROOT)
            run(["tar", "-xf", "source.tar", "--one-top-level=source"], cwd=folder)
            pathlib.Path(folder, "source").rename(source)
    if not all((tools / tool).exists() for tool in TOOLS):
        print(f"building {commit[:12]} ...", flush=True)
        run(["cmake", "--preset", "release"], cwd=source)
        run(["cmake", "--build", "build", "--parallel", str(jobs), "--target", *TOOLS], cwd=source)
    return tools


def record_programs(names, options, pool, folder):
    """Writes the programs of Python files to a folder. Returns the paths in it."""
    library = options.library or options.tools.parent / "lib" / "libobsidian.so"
    if names and not library.exists():
        sys.exit(f"{library} does not exist: build it, or name the library by --library")
    path = os.pathsep.join([str(ROOT / "scripts"), str(ROOT / "python")])
    environment = {
        **os.environ,
        "OBS_LIBRARY": str(library),
        "OBS_CACHE_DIR": "",
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-W", "ignore", "-m", "obstest.record", folder]
    list(pool.map(lambda name: run([*command, name], env=environment), names))
    found = [path for name in names for path in pathlib.Path(folder, name).glob("*.mlir")]
    return sorted(path.relative_to(folder).as_posix() for path in found)


class Task(NamedTuple):
    """One output of one program."""

    program: str
    output: str
    #: The tool and its words.
    command: list[str]
    folder: pathlib.Path | str

    def write(self, tools):
        """The lines that the tool writes, with its messages and exit status; and if it is 0."""
        tool, *words = self.command
        try:
            done = subprocess.run(
                [tools / tool, *words],
                check=False, cwd=self.folder,
                capture_output=True,
                text=True,
                errors="backslashreplace",
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            return [f"no answer in {TIMEOUT} s"], False
        status = [f"exit status {done.returncode}"] if done.returncode else []
        lines = done.stdout.splitlines() + done.stderr.splitlines()
        return lines + status, not done.returncode

    def compare(self, options):
        """Whether the present tools accept the program, and the lines of the difference."""
        before, _ = self.write(options.base_tools)
        now, is_good = self.write(options.tools)
        return is_good, list(difflib.unified_diff(before, now, "before", "now", lineterm=""))


def find_tasks(options, pool, folder):
    """The outputs of all programs."""

    def chosen(names):
        return [name for name in names if any(part in name for part in options.only)]

    paths = [path for pattern in PATTERNS for path in ROOT.glob(pattern)]
    files = chosen(sorted(path.relative_to(ROOT).as_posix() for path in paths))
    recorded = record_programs(chosen(record.sources()), options, pool, folder)
    for place, path in [(ROOT, path) for path in files] + [(folder, path) for path in recorded]:
        for output, command in OUTPUTS[pathlib.Path(path).suffix].items():
            yield Task(path, output, [*command, path], place)
    for case in barrier_inputs.collect(options.only, folder):
        command = [
            "obs-run",
            str(case.path),
            f"--entry={case.entry}",
            "--device=emulate",
            "--report",
        ]
        words = [word for given in case.inputs[:1] for word in given.words]
        yield Task(f"{case.path.name}, @{case.entry}", "run", [*command, *words], folder)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = [*dict.fromkeys(output for outputs in OUTPUTS.values() for output in outputs), "run"]
    add, path = parser.add_argument, pathlib.Path
    add("base", nargs="?", metavar="BASE")
    add("--base-tools", type=path, metavar="DIR", help="the tools of BASE, which is then not built")
    add(
        "--tools",
        type=path,
        metavar="DIR",
        default=ROOT / "build" / "bin",
        help="the present tools",
    )
    add("--library", type=path, help="the present libobsidian.so (of ../lib/, seen from the tools)")
    add("--outputs", nargs="+", choices=every, default=every, metavar="OUTPUT",
        help=f"some of {', '.join(every)}")  # fmt: skip
    add("--only", nargs="+", default=[""], metavar="NAME", help="parts of the paths of programs")
    add("--lines", type=int, default=20, help="the lines that are shown of a difference")
    add("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if bool(options.base) == bool(options.base_tools):
        parser.error("name one of BASE and --base-tools")
    return options


def main():
    options = parse_options()
    options.tools = options.tools.resolve()
    if options.base:
        options.base_tools = build(options.base, options.jobs)
    options.base_tools = options.base_tools.resolve()
    refused, different = 0, collections.Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        every = find_tasks(options, pool, folder)
        tasks = [task for task in every if task.output in options.outputs]
        for task, (is_good, lines) in zip(
            tasks, pool.map(lambda task: task.compare(options), tasks)
        ):
            refused += not is_good
            different[task.output] += bool(lines)
            if lines:
                print(
                    f"{task.program}: {task.output} differs",
                    *lines[: options.lines],
                    sep="\n",
                    flush=True,
                )
            if len(lines) > options.lines:
                print(f"... {len(lines) - options.lines} more lines", flush=True)
    count = different.total()
    kinds = ", ".join(f"{output} {different[output]}" for output in different if different[output])
    print(
        f"{len(tasks)} outputs, {refused} of them errors: {count} differ"
        + (f" ({kinds})" if count else "")
    )
    return 1 if count or refused == len(tasks) else 0


if __name__ == "__main__":
    sys.exit(main())
