#!/usr/bin/env python3
# Runs on a machine with an NVIDIA GPU every program that the tests run on the
# emulator, under each of some tools of compute-sanitizer, and compares what both
# print. Without tools (--tools=) it runs them once, by themselves.
#
#   scripts/check-cuda.py --obs-run build-static/bin/obs-run --out DIR
#
# Programs are taken from the RUN lines of test/ (those with --device=emulate
# and no `not`) and from the lines on how to run it in each of examples/. Writes one log for
# each sanitizer tool to DIR and ends with `N passed, N failed`.

import argparse
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def collect():
    """Pairs of a program and its arguments, without a device."""
    found = []
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        for line in path.read_text().splitlines():
            match = re.match(r"// RUN: obs-run (%s .*--device=emulate[^|>]*)", line)
            if not match or line.endswith("\\") or re.search("%[tS]|--schedule|--report", line):
                continue
            words = shlex.split(match[1].replace("--device=emulate", "").replace("%s", str(path)))
            found.append([w for w in words if not w.startswith("--check")])
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        for line in path.read_text().splitlines():
            match = re.match(r"// .*obs-run examples/\S+ (.*)", line)
            if match:
                words = [w for w in shlex.split(match[1]) if not w.startswith(("--device", "--report"))]
                found.append([str(path)] + words)
    unique = []
    for words in found:
        if words not in unique:
            unique.append(words)
    return unique


def run(command, timeout=120):
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=timeout, cwd=ROOT)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return 124, "", "timeout"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-run", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--tools", default="memcheck,racecheck,synccheck")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("programs", nargs="*", help="parts of file names; all programs without any")
    options = parser.parse_args()
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    programs = [words for words in collect()
                if not options.programs or any(part in words[0] for part in options.programs)]
    tools = [tool for tool in options.tools.split(",") if tool]

    def name(words):
        return " ".join([str(pathlib.Path(words[0]).relative_to(ROOT))] + words[1:])

    def emulate(words):
        code, text, error = run([options.obs_run, "--device=emulate"] + words)
        return None if code else text, error.strip()[:200]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        expected = list(pool.map(emulate, programs))

    def compare(work):
        """The problem of a run, on its own or under a tool, and the summary of the tool."""
        words, (want, problem), tool = work
        if want is None:
            return f"emulator: {problem}", ""
        prefix = ["compute-sanitizer", f"--tool={tool}", "--error-exitcode=99"] if tool else []
        code, text, error = run(prefix + [options.obs_run, "--device=cuda"] + words, 300)
        # Tools write among what the program prints.
        lines = [line for line in text.splitlines() if not line.startswith("=========")]
        summary = " ".join(line for line in (text + error).splitlines() if "SUMMARY" in line)
        if tool and (not summary or " 0 " not in summary):
            return f"{summary} {error.strip()[-300:]}", summary
        if code:
            return f"cuda: {error.strip()[:300]}", summary
        # Lines that a kernel prints come in any order.
        if sorted(want.splitlines()) != sorted(lines):
            return f"emulator printed {want[:200]!r}, cuda {lines[:5]!r}", summary
        return None, summary

    failed = 0
    for tool in tools or [""]:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(compare, [(w, e, tool) for w, e in zip(programs, expected)]))
        log = [f"{'FAIL' if why else 'ok'} {name(words)}: {why or summary}"
               for words, (why, summary) in zip(programs, results)]
        (out / f"cuda-{tool or 'results'}.log").write_text("\n".join(log) + "\n")
        bad = [line for line in log if line.startswith("FAIL")]
        failed += len(bad)
        print(f"{tool or 'results'}: {len(programs)} programs, {len(bad)} differ or are not clean")
        print("\n".join(bad[:20]), flush=True)
    print(f"{len(programs) * max(len(tools), 1) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
