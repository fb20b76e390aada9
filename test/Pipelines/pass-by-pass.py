"""Runs obs-to-gpu one pass at a time on each file, through text.

usage: pass-by-pass.py OBS-OPT FILE...

The program between two passes must verify, print and parse, satisfy
obs-verify-levels, and lead to the same kernels as the pipeline in one process.
"""

import subprocess
import sys

opt, files = sys.argv[1], sys.argv[2:]
PIPELINE = ["--obs-to-gpu=threads=96"]


def run(arguments, text):
    done = subprocess.run([opt, *arguments], check=False, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}:\n{done.stderr}")
    return done


def list_passes():
    """The passes of the pipeline, each as a pipeline of its own."""
    dump = run([*PIPELINE, "--dump-pass-pipeline"], "module {}").stderr
    passes, nest = [], None
    for line in dump.splitlines()[2:]:
        line = line.strip().rstrip(",")
        if line.endswith("(") and not line.startswith("obs-"):
            nest = line[:-1]
        elif line == ")":
            nest = None
        elif line:
            passes.append(f"{nest}({line})" if nest else line)
    return passes


passes = list_passes()
for name in ["obs-fuse-arrays", "obs-place-barriers", "obs-map-levels"]:
    assert any(name in p for p in passes), passes
for file in files:
    with open(file) as f:
        source = f.read()
    # Split inputs and modules that are not programs are other tests' inputs.
    whole = run(["--mlir-print-debuginfo", *PIPELINE], source).stdout
    text = run(["--mlir-print-debuginfo"], source).stdout
    levels = False
    for single in passes:
        step = [f"--pass-pipeline=builtin.module({single})"]
        text = run(["--mlir-print-debuginfo", *step], text).stdout
        levels |= "convert-obs-to-scf" in single
        if levels and "obs.kernel" in text:
            run(["--obs-verify-levels"], text)
    if run([], text).stdout != run([], whole).stdout:
        sys.exit(f"{file}: passes one at a time give another result")
print(f"{len(files)} programs, {len(passes)} passes each: the same")
