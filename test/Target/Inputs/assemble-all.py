"""Compiles programs to PTX for a chip and assembles that.

Usage: assemble-all.py OBS-TRANSLATE CHIP FOLDER...

Fails when a program does not compile, when ptxas refuses its PTX, or when a
folder has no program.
"""

import pathlib
import subprocess
import sys
import tempfile


def main(translate, chip, *folders):
    failures, count = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        ptx = scratch + "/program.ptx"
        for folder in folders:
            programs = sorted(pathlib.Path(folder).glob("*.mlir"))
            if not programs:
                failures.append(f"{folder} has no programs")
            for program in programs:
                count += 1
                for command in (
                        [translate, "--obs-to-ptx", "--chip=" + chip, str(program), "-o", ptx],
                        ["ptxas", "-arch=" + chip, ptx, "-o", "/dev/null"]):
                    result = subprocess.run(command, check=False, text=True, capture_output=True)
                    if result.returncode:
                        failures.append("{}:\n{}{}".format(
                            " ".join(command), result.stdout, result.stderr))
                        break
    print("\n".join(failures))
    print(f"{count} programs, {len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
