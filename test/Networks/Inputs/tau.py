"""Prints tau N on 2^(N+1) elements as it is defined: reverse the upper half, then
tau N-1 on both halves. Nothing is forced in between, so N maps are fused."""
import sys

n = int(sys.argv[1])
size = 2 << n
print("func.func @tau(%%a: !obs.pull<%d x i32>) -> !obs.pull<%d x i32> {" % (size, size))
flat, x = "!obs.pull<%d x i32>" % size, "%a"
for k in range(n):
    runs, half = 1 << k, size >> (k + 1)
    cube = "!obs.pull<%d x 2 x %d x i32>" % (runs, half)
    part = "!obs.pull<%d x 1 x %d x i32>" % (runs, half)
    print("  %%c%d = obs.reshape %s : %s -> %s" % (k, x, flat, cube))
    for name, side in ("l", 0), ("h", 1):
        print("  %%%s%d = obs.slice %%c%d [0, %d, 0] [%d, 1, %d] [1, 1, 1] : %s -> %s"
              % (name, k, k, side, runs, half, cube, part))
    print("  %%r%d = obs.reverse %%h%d dim 2 : %s" % (k, k, part))
    print("  %%j%d = obs.concat %%l%d, %%r%d dim 1 : %s, %s -> %s" % (k, k, k, part, part, cube))
    print("  %%x%d = obs.reshape %%j%d : %s -> %s" % (k, k, cube, flat))
    x = "%%x%d" % k
print("  %%p = obs.push %s : %s -> %s" % (x, flat, flat.replace("pull<", "push<grid, ")))
print("  %%f = obs.force %%p {kernel = \"tau\"} : %s -> %s" % (flat.replace("pull<", "push<grid, "), flat))
print("  return %%f : %s\n}" % flat)
