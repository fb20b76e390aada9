"""Prints a chain of maps, each of which is forced: forces.py LENGTH."""

import sys

array = "!obs.pull<? x i32>"
print(f"func.func @main(%a0: {array}) -> {array} {{")
length = int(sys.argv[1])
for k in range(length):
    print(f"  %m{k} = obs.map {{ arith.addi }} %a{k}, %a{k} : {array}")
    print(f"  %a{k + 1} = obs.force %m{k} : {array}")
print(f"  return %a{length} : {array}\n}}")
