#!/usr/bin/env python3
"""Runs tests that have their own oracle on an NVIDIA GPU, without LLVM: the tests that test/Golden and
test/Networks run on the emulator.

  scripts/test-on-gpu.py --obs-run build-static/bin/obs-run --out DIR [--jobs N] [TEST ...]

Takes the RUN lines of each test, in order, without those of missing tools (obs-opt, obs-translate, FileCheck
on IR). If FileCheck reads the output of obs-run, it must be the same as on the emulator. Options for
the emulator only are omitted. Writes DIR/test-on-gpu.log with a line for each test and ends with
`N passed, N failed`; a test without any run on the GPU fails. That of the matrix product needs NumPy.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import stat
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# In the place of obs-run, in PATH and where a test names it.
WRAPPER = """#!{python}
import os, re, sys
words = [w for w in sys.argv[1:] if not re.match("--(check|schedule|seed)(=|$)", w)]
if "--device=emulate" in words:
    with open(os.environ["OBS_TEST_COUNT"], "a") as count:
        count.write("x")
    words = [w.replace("--device=emulate", "--device={device}") for w in words]
else:
    words = sys.argv[1:]
os.execv("{tool}", ["{tool}"] + words)
"""


def get_commands(path, substitutions, tool):
    """The lines of a test as commands of a shell."""
    text = re.sub(r"\\\n(// )?RUN:", " ", path.read_text())
    for line in re.findall(r"^(?:// )?RUN: (.*)$", text, re.MULTILINE):
        for key, value in substitutions:
            line = line.replace(key, value)
        # Commands that read IR, or the numbers of its lines.
        if re.search(r"\bobs-(opt|translate)\b|--report|^FileCheck|sys\.exit\(", line):
            continue
        if "| FileCheck" in line:
            if "--device=emulate" not in line or "--schedule" in line:
                continue
            line = line.split("|")[0].strip()
            emulate = shlex.quote(str(tool)) + line.removeprefix("obs-run")
            line = f"test \"$({line})\" = \"$({emulate})\""
        yield line


def run_test(path, options, folder):
    """Runs one test; None if it passes, else why not."""
    scratch = folder / re.sub(r"\W", "_", str(path.relative_to(ROOT)))
    scratch.mkdir()
    substitutions = [("%python", shlex.quote(sys.executable)), ("%examples", str(ROOT / "examples")),
                     ("%S", str(path.parent)), ("%s", str(path)), ("%t", str(scratch / "t"))]
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", OBS_TEST_COUNT=str(scratch / "count"))
    for command in get_commands(path, substitutions, options.obs_run):
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], check=False, capture_output=True, text=True,
                              env=environment, cwd=scratch)
        if done.returncode:
            return f"{command}: {done.stdout[-300:]}{done.stderr[-300:]}".replace("\n", " / ")
    return None if (scratch / "count").exists() else "nothing runs on the GPU"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--device", default="cuda", choices=["cuda", "emulate"], help="emulate: to try this script")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("tests", nargs="*", help="parts of file names; all tests without any")
    options = parser.parse_args()
    tests = [path for folder in ("Golden", "Networks") for path in sorted((ROOT / "test" / folder).iterdir())
             if path.suffix in (".mlir", ".test") and re.search("RUN: .*(check.py|--device=emulate)", path.read_text())]
    tests = [path for path in tests if not options.tests or any(part in str(path) for part in options.tests)]
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, open(options.out / "test-on-gpu.log", "w") as log:
        wrapper = pathlib.Path(scratch) / "obs-run"
        wrapper.write_text(WRAPPER.format(python=sys.executable, device=options.device, tool=options.obs_run))
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = pool.map(lambda path: run_test(path, options, pathlib.Path(scratch)), tests)
            for path, problem in zip(tests, runs):
                failed += problem is not None
                line = f"{path.relative_to(ROOT)}" + (f": {problem}" if problem else "")
                print("FAIL" if problem else "ok", line, file=log, flush=True)
                if problem:
                    print("FAIL", line)
        summary = f"{len(tests) - failed} passed, {failed} failed"
        print(summary, file=log)
    print(summary)
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
