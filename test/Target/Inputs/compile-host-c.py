"""Compiles the host C of programs, all warnings being errors:

  compile-host-c.py OBS_TRANSLATE COMPILER INCLUDE OUTPUT PROGRAM..."""

import subprocess
import sys

translate, compiler, include, output = sys.argv[1:5]
for program in sys.argv[5:]:
    subprocess.run([translate, "--obs-to-host-c", program, "-o", output + ".c"], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", include, "-c",
                    output + ".c", "-o", output + ".o"], check=True)
print(f"{len(sys.argv[5:])} programs")
