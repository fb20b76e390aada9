"""Runs the command lines in the header comment of every example, which also says where it is from.

Usage: run-lines.py OBS-RUN REPOSITORY

Fails when an example has none for the interpreter or none for the emulator, or one fails or names another
example.
"""

import pathlib
import re
import shlex
import subprocess
import sys


def problems(obs_run, root, program):
    """The errors in the command lines of one example."""
    text = program.read_text()
    lines = re.findall(r"^// .*\bobs-run (examples/.*)$", text, re.MULTILINE)
    if not re.search(r"^// (.* )?From: ", text, re.MULTILINE):
        yield f"{program.name} does not say where it is from"
    if not {False, True} <= {"--device=emulate" in line for line in lines}:
        yield f"{program.name} does not say how to run it on the interpreter and on the emulator"
    for line in lines:
        words = shlex.split(line)
        if words[0] != str(program.relative_to(root)):
            yield f"{program.name} shows how to run {words[0]}"
        result = subprocess.run([obs_run, *words], check=False, cwd=root, text=True, capture_output=True)
        if result.returncode or not result.stdout:
            yield f"obs-run {line}\n{result.stdout}{result.stderr}"


def main(obs_run, root):
    examples = pathlib.Path(root, "examples")
    found = [problem for program in sorted([*examples.glob("*.mlir"), *examples.glob("dag/*.dag")])
             for problem in problems(obs_run, root, program)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
