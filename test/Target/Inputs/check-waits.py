"""Checks that every kernel of programs waits for earlier kernels, once, before its first access to memory.

Usage: check-waits.py OBS_TRANSLATE FILE.mlir...

Accesses to parameters are no accesses to memory. Prints the number of kernels, and each kernel that is wrong.
"""

import re
import subprocess
import sys

ACCESS = re.compile(r"^\s*(?:@!?%p\d+\s+)?(?:(?:ld|st)\.(?!param)|atom|red\.|bar\.|mbarrier|cp\.|fence|membar)", re.MULTILINE)
kernels = wrong = 0
for name in sys.argv[2:]:
    ptx = subprocess.run([sys.argv[1], "--obs-to-ptx", name], check=True, capture_output=True, text=True).stdout
    for kernel in re.finditer(r"\.entry (\w+)\(.*?\n\{(.*?)\n\}", ptx, re.DOTALL):
        kernels += 1
        waits = [wait.start() for wait in re.finditer(r"griddepcontrol\.wait;", kernel[2])]
        access = ACCESS.search(kernel[2])
        if len(waits) != 1 or (access and access.start() < waits[0]):
            print(f"{name}: {kernel[1]} waits {len(waits)} times, or too late")
            wrong += 1
print(f"{kernels} kernels, {wrong} wrong")
