"""Prints a chain of maps that is forced once: chain.py LENGTH (last | last input).

The operands of each map are `last`, the map before it, and `input`, the array at the beginning.
"""

import sys

operation = {1: "y = arith.muli %x, %three", 2: "y = arith.muli %x, %a"}[len(sys.argv) - 2]
last = "%input"
print("func.func @main(%input: !obs.pull<? x i32>) -> !obs.pull<? x i32> {\n  %three = arith.constant 3 : i32")
for k in range(int(sys.argv[1])):
    names = {"last": ("%x", last), "input": ("%a", "%input")}
    operands = ", ".join(f"{a} = {b} : !obs.pull<? x i32>" for a, b in map(names.get, sys.argv[2:]))
    print(f"  %v{k} = obs.map ({operands}) {{\n    %{operation} : i32\n    %z = arith.xori %y, %three : i32")
    print("    obs.yield %z : i32\n  }")
    last = f"%v{k}"
print(f"  %r = obs.force {last} : !obs.pull<? x i32>\n  return %r : !obs.pull<? x i32>\n}}")
