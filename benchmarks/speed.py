#!/usr/bin/env python3
"""Measures our programs and their peers on one GPU: the goals, and a chart for each family.

Builds the library of peers with nvcc, and runs our programs of examples/python by the package
`obsidian` (OBS_LIBRARY names the compiler). Both have the same data. Every result is checked. Both
are measured alternately in one process, with CUDA events.

Writes speed.json, speed.md and speed-FAMILY.svg to --out. README.md beside this file describes the
method. Needs NumPy and CuPy, and nvcc unless --build has the library of peers.

  benchmarks/speed.py --out DIR                    everything, on the GPU
  benchmarks/speed.py --out DIR --only 'scan-*'    some works
  benchmarks/speed.py --check                      small sizes against NumPy, without a GPU
  benchmarks/speed.py --out DIR --render RUN.json  table and charts of an earlier run
"""

from __future__ import annotations

import argparse
import datetime
import fnmatch
import json
import os
import queue
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from suite.chart import draw
from suite.goals import GOALS, VARIANTS
from suite.measure import Measurement, Runner, check_small, describe
from suite.report import by_goal, judge, write_report
from suite.works import ROOT, Work, all_works

RESULTS = ROOT / "benchmarks" / "results"
#: Seconds that a worker may take to start.
START = 90.0

PARTS = ("goals", "variants", "charts")

#: A work and a size, and the number of repetitions.
Job = tuple[str, int, int]


def find_jobs(works: dict[str, Work], options: argparse.Namespace) -> list[Job]:
    """The measurements: the goals in their order, other types and sizes, and the charts."""
    found: dict[tuple[str, int], int] = {}
    if "goals" in options.parts:
        found.update(((goal.work, goal.size), options.repeat) for goal in GOALS)
    if "variants" in options.parts:
        for variant in VARIANTS:
            found.setdefault((variant.usual, variant.usual_size), options.repeat)
            found.setdefault((variant.work, variant.size), options.repeat)
    if "charts" in options.parts:
        for work in works.values():
            for size in work.sizes:
                found.setdefault((work.name, size), options.chart_repeat)
    return [
        (name, size, repeat)
        for (name, size), repeat in found.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in options.only)
        and size <= options.largest
    ]


# ---------------------------------------------------------------------------------------------
# The worker: one process that measures until something breaks the GPU's context
# ---------------------------------------------------------------------------------------------


def work_on(options: argparse.Namespace) -> int:
    """Measure the jobs of standard input, one JSON line each, and print one JSON line for each."""
    from suite.gpu import Machine

    from obsidian.backend import backend

    def tell(value: Any) -> None:
        print(json.dumps(value), flush=True)

    machine = Machine(options.worker)
    limits = machine.limits()
    tell({"machine": {**machine.describe(), "compiler": backend().version}, "limits": limits})
    works = all_works()
    runner = Runner(machine, limits, options.repeat, options.seconds)
    for line in sys.stdin:
        name, size, repeat = json.loads(line)
        tell(runner.measure(works[name], size, repeat).to_json())
        try:
            machine.synchronize()
            machine.clean()
        except Exception as error:  # The context is broken; a new process begins with a new one.
            print(describe(error), file=sys.stderr)
            return 1
    return 0


class Worker:
    """A process of `work_on`."""

    def __init__(self, options: argparse.Namespace, library: Path) -> None:
        command = [
            sys.executable, str(Path(__file__).resolve()), "--worker", str(library),
            "--repeat", str(options.repeat), "--seconds", str(options.seconds),
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self._errors: list[str] = []
        assert self._process.stdout and self._process.stderr
        for stream, take in (
            (self._process.stdout, self._lines.put), (self._process.stderr, self._errors.append)
        ):  # fmt: skip
            threading.Thread(target=_read, args=(stream, take), daemon=True).start()

    def read(self, seconds: float) -> Any:
        """The next value. Raises RuntimeError if none comes in time."""
        end = time.monotonic() + seconds
        while True:
            try:
                return json.loads(self._lines.get(timeout=0.2))
            except queue.Empty:
                pass
            if self._process.poll() is not None and self._lines.empty():
                last = " ".join("".join(self._errors).split())[-400:]
                raise RuntimeError(f"the process ended with {self._process.returncode}: {last}")
            if time.monotonic() > end:
                raise RuntimeError(f"no result after {seconds:.0f} s")

    def send(self, job: Job) -> None:
        """Let the process measure."""
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # `read` says why.

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def _read(stream: IO[str], take: Any) -> None:
    for line in stream:
        take(line)


# ---------------------------------------------------------------------------------------------
# The command
# ---------------------------------------------------------------------------------------------


class Run:
    """All measurements of a run, which are written after each."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._begin = time.monotonic()
        self._worker: Worker | None = None
        self._result: dict[str, Any] = {
            "command": spell_command(sys.argv[1:]),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "commit": find_commit(),
            "machine": {},
            "limits": {},
            "measurements": [],
        }

    def run(self, library: Path, jobs: list[Job]) -> int:
        """Measure, and write the results; the number of works that failed."""
        failed = 0
        for job in jobs:
            left = self._options.budget - (time.monotonic() - self._begin)
            if left < 0:
                print(f"the budget is spent; {jobs[-1][0]} is the last of {len(jobs)} jobs")
                break
            measurement = self._measure(library, job)
            failed += bool(measurement.error)
            self._result["measurements"].append(measurement.to_json())
            self._write()
            print(self._describe(measurement), flush=True)
        if self._worker:
            self._worker.stop()
        self._write()
        return failed

    def _measure(self, library: Path, job: Job) -> Measurement:
        try:
            if self._worker is None:
                self._worker = Worker(self._options, library)
                self._result.update(self._worker.read(START))
            self._worker.send(job)
            # The worker itself ends repetitions; this is for a GPU that hangs.
            return Measurement.from_json(self._worker.read(3 * self._options.seconds))
        except RuntimeError as error:
            if self._worker:
                self._worker.stop()
            self._worker = None
            return Measurement(job[0], job[1], error=describe(error))

    def _write(self) -> None:
        self._options.out.mkdir(parents=True, exist_ok=True)
        path = self._options.out / f"{self._options.name}.json"
        path.write_text(spell_run(self._result))

    def _describe(self, m: Measurement) -> str:
        passed = f"{time.monotonic() - self._begin:6.1f} s  {m.work:28} {m.size:10}"
        if m.error:
            return f"{passed}  {m.error}"
        ours, peer, spread = m.ours, m.peer(), m.spread()
        assert ours and peer
        goals = [judge(goal, m) for goal in GOALS if (goal.work, goal.size) == (m.work, m.size)]
        return (
            f"{passed}  {ours.median:9.4f} ms, {peer.title} {peer.median:9.4f} ms: {m.ratio():.3f}"
            f" +- {100 * (spread or 0):.0f}%, {100 * (m.share or 0):.0f}% of the limit"
            f"{''.join(f' {g}' for g in goals)}{' (' + '; '.join(m.notes) + ')' if m.notes else ''}"
        )


def find_commit() -> str:
    """The commit of the sources, or `unknown`."""
    named = os.environ.get("OBS_COMMIT")
    if named:
        return named
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], check=False, capture_output=True, text=True
    )
    return done.stdout.strip() or "unknown"


def spell_command(words: Sequence[str]) -> str:
    """The command without the folders of a machine."""
    kept, rest = ["benchmarks/speed.py"], iter(words)
    for word in rest:
        if word in ("--out", "--build", "--nvcc", "--before"):
            next(rest, None)
        else:
            kept.append(shlex.quote(word))
    return " ".join(kept)


def spell_run(run: Mapping[str, Any]) -> str:
    """A run as JSON, with one line for each measurement."""
    lines = [f"  {json.dumps(m)}" for m in run["measurements"]]
    head = {key: value for key, value in run.items() if key != "measurements"}
    text = json.dumps(head, indent=1)
    return text[: text.rindex("\n")] + ',\n "measurements": [\n' + ",\n".join(lines) + "\n ]\n}\n"


def render(run: dict[str, Any], out: Path, name: str, before: Path | None) -> list[Path]:
    """Write the table and the charts of a run; their paths. The table shows the ratios before."""
    out.mkdir(parents=True, exist_ok=True)
    compile_times = RESULTS / "compile-time.json"
    times = json.loads(compile_times.read_text()) if compile_times.exists() else None
    paths = [out / f"{name}.md"]
    old = json.loads(before.read_text()) if before else None
    paths[0].write_text(write_report(run, times, old))
    families: dict[str, dict[str, list[tuple[int, float]]]] = {}
    works = all_works()
    for (work, size), measurement in sorted(by_goal(run).items()):
        ratio = measurement.ratio()
        if ratio is not None and size in works[work].sizes:
            lines = families.setdefault(works[work].family, {})
            lines.setdefault(work, []).append((size, ratio))
    for family, lines in families.items():
        title = f"{family[0].upper()}{family[1:]}: time of the fastest peer / ours"
        paths.append(out / f"{name}-{family.replace(' ', '-')}.svg")
        paths[-1].write_text(draw(title, lines))
    return paths


def check(options: argparse.Namespace) -> int:
    """Run our programs on the emulator, and compare them with NumPy."""
    failed = runs = 0
    for work in all_works().values():
        if any(fnmatch.fnmatchcase(work.name, pattern) for pattern in options.only):
            try:
                runs += check_small(work)
            except Exception as error:
                failed += 1
                print(f"{work.name}: {describe(error)}")
    print(f"{runs} runs, {failed} works failed")
    return 1 if failed or not runs else 0


def main() -> int:
    """The command line; the exit status is 1 if something failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--out", type=Path, help="folder of the results")
    add("--name", default="speed", help="how the names of the results begin")
    add("--only", nargs="+", default=["*"], metavar="PATTERN", help="names of works, as in a shell")
    add("--parts", nargs="+", choices=PARTS, default=PARTS)
    add("--budget", type=float, default=600, metavar="SECONDS", help="begin no work after that")
    add("--seconds", type=float, default=20, help="time limit of one work; 3 repetitions at least")
    add("--repeat", type=int, default=11, help="repetitions of a goal")
    add("--chart-repeat", type=int, default=5, help="repetitions of a point of a chart")
    add("--largest", type=int, default=1 << 28, metavar="ELEMENTS", help="skip larger sizes")
    add("--build", type=Path, default=ROOT / "build-bench", help="folder of the library of peers")
    add("--nvcc", default="nvcc")
    add("--architecture", default="sm_90", help="of the peers, such as sm_90")
    add("--check", action="store_true", help="compare our programs with NumPy, on the emulator")
    add("--build-only", action="store_true", help="build the library of peers, and print its path")
    add("--list", action="store_true", help="print what would be measured")
    add("--render", type=Path, metavar="JSON", help="write table and charts of an earlier run")
    add("--before", type=Path, metavar="JSON", help="show the ratios of this earlier run, too")
    add("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if min(options.repeat, options.chart_repeat) < 3:
        parser.error("a median with a spread needs 3 repetitions")
    if options.worker:
        return work_on(options)
    if options.check:
        return check(options)
    jobs = find_jobs(all_works(), options)
    if not jobs and not options.render:
        parser.error(f"no work has a name as in {options.only}")
    if options.list:
        for name, size, repeat in jobs:
            print(f"{name:28} {size:10} {repeat:3}")
        return 0
    if options.build_only:
        from suite.gpu import build_peers

        print(build_peers(options.build, options.nvcc, options.architecture))
        return 0
    if options.out is None:
        parser.error("--out names the folder of the results")
    failed = 0
    if not options.render:
        from suite.gpu import build_peers

        library = build_peers(options.build, options.nvcc, options.architecture)
        failed = Run(options).run(library, jobs)
    source = options.render or options.out / f"{options.name}.json"
    for path in render(json.loads(source.read_text()), options.out, options.name, options.before):
        print(path)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
