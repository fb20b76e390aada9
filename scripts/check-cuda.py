#!/usr/bin/env python3
# Runs on a machine with an NVIDIA GPU every program that the tests run on the
# emulator, and compares what both print; then again under compute-sanitizer.
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
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=ROOT)
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
    failed = 0

    def name(words):
        return " ".join([str(pathlib.Path(words[0]).relative_to(ROOT))] + words[1:])

    def compare(words):
        base = [options.obs_run] + words
        code, want, error = run(base + ["--device=emulate"])
        if code:
            return words, f"emulator: {error.strip()[:200]}"
        code, got, error = run(base + ["--device=cuda"])
        if code:
            return words, f"cuda: {error.strip()[:300]}"
        # Lines that a kernel prints come in any order.
        if sorted(want.splitlines()) != sorted(got.splitlines()):
            return words, f"emulator printed {want[:200]!r}, cuda {got[:200]!r}"
        return words, None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(compare, programs))
    log = [f"{'FAIL' if why else 'ok'} {name(words)}{': ' + why if why else ''}" for words, why in results]
    (out / "cuda-results.log").write_text("\n".join(log) + "\n")
    failed += sum(1 for _, why in results if why)
    print(f"results: {len(programs)} programs, {failed} differ")
    for line in log:
        if line.startswith("FAIL"):
            print(line)

    for tool in filter(None, options.tools.split(",")):

        def sanitize(words):
            code, text, error = run(
                ["compute-sanitizer", f"--tool={tool}", "--error-exitcode=99", options.obs_run]
                + words + ["--device=cuda"], 300)
            summary = [l for l in (text + error).splitlines() if "ERROR SUMMARY" in l or "RACECHECK SUMMARY" in l]
            clean = code == 0 and summary and all(" 0 " in l for l in summary)
            return words, clean, summary or [error.strip()[-300:]]

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(sanitize, programs))
        log = [f"{'ok' if clean else 'FAIL'} {name(words)}: {' '.join(summary)}" for words, clean, summary in results]
        (out / f"cuda-{tool}.log").write_text("\n".join(log) + "\n")
        bad = sum(1 for _, clean, _ in results if not clean)
        failed += bad
        print(f"{tool}: {len(programs)} programs, {bad} not clean")
        for line in [l for l in log if l.startswith("FAIL")][:20]:
            print(line)

    total = len(programs) * (1 + len([t for t in options.tools.split(",") if t]))
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
