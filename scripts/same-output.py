#!/usr/bin/env python3
"""Shows that a change of the compiler changes nothing that it writes.

  scripts/same-output.py BASE                   BASE is a revision of git, which is built
  scripts/same-output.py --base-tools DIR       DIR has the tools of BASE

Compares what the tools of BASE and the present tools (--tools) write about the programs of the
present tree: PTX, launch contracts with their plans, host code in C, and the reports on costs,
barriers and races; with the messages and the exit status. The programs are the examples, the
goldens, the networks, the programs of Dag, and those that examples/python, examples/arrays and the
works of the benchmarks give to the compiler. The present Python package and library make these.

Prints the first lines of each difference, and the numbers. Exits with 1 if an output differs, or if
there is none. BASE is built in build-same-output/, and stays there for the next time.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

from obstest import record
from obstest.record import ROOT

BUILT = ROOT / "build-same-output"
TOOLS = ("obs-opt", "obs-translate")
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
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
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


def write(tools, command, folder, path):
    """The lines that a tool writes about a program, with its messages and exit status."""
    tool, *words = command
    try:
        done = subprocess.run(
            [tools / tool, *words, path],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return [f"no answer in {TIMEOUT} s"], False
    status = [f"exit status {done.returncode}"] if done.returncode else []
    return done.stdout.splitlines() + done.stderr.splitlines() + status, not done.returncode


def compare(options, output, folder, path):
    """Whether the present tools accept a program, and the lines of the difference."""
    command = OUTPUTS[pathlib.Path(path).suffix][output]
    before, _ = write(options.base_tools, command, folder, path)
    now, is_good = write(options.tools, command, folder, path)
    return is_good, list(difflib.unified_diff(before, now, "before", "now", lineterm=""))


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = list(dict.fromkeys(output for outputs in OUTPUTS.values() for output in outputs))
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


def find_programs(options, pool, folder):
    """Pairs of a folder and the path of a program in it."""

    def chosen(names):
        return [name for name in names if any(part in name for part in options.only)]

    paths = [path for pattern in PATTERNS for path in ROOT.glob(pattern)]
    files = sorted(path.relative_to(ROOT).as_posix() for path in paths)
    recorded = record_programs(chosen(record.sources()), options, pool, folder)
    return [(ROOT, path) for path in chosen(files)] + [(folder, path) for path in recorded]


def main():
    options = parse_options()
    options.tools = options.tools.resolve()
    if options.base:
        options.base_tools = build(options.base, options.jobs)
    options.base_tools = options.base_tools.resolve()
    refused = different = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        programs = find_programs(options, pool, folder)
        tasks = [
            (output, *program)
            for program in programs
            for output in OUTPUTS[pathlib.Path(program[1]).suffix]
            if output in options.outputs
        ]
        found = pool.map(lambda task: compare(options, *task), tasks)
        for (output, _, path), (is_good, lines) in zip(tasks, found):
            refused += not is_good
            different += bool(lines)
            if lines:
                print(f"{path}: {output} differs", *lines[: options.lines], sep="\n", flush=True)
            if len(lines) > options.lines:
                print(f"... {len(lines) - options.lines} more lines", flush=True)
    print(
        f"{len(programs)} programs, {len(tasks)} outputs, {refused} of them errors: "
        f"{different} differ"
    )
    return 1 if different or refused == len(tasks) else 0


if __name__ == "__main__":
    sys.exit(main())
