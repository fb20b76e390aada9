"""Prints tau N on 2^(N+1) elements as it is defined: reverse the upper half, then
tau N-1 on both halves. Nothing is forced in between, so N maps are fused."""
import sys

n = int(sys.argv[1])
size = 2 << n
print(f"func.func @tau(%a: !obs.pull<{size} x i32>) -> !obs.pull<{size} x i32> {{")
flat, x = f"!obs.pull<{size} x i32>", "%a"
for k in range(n):
    runs, half = 1 << k, size >> (k + 1)
    cube = f"!obs.pull<{runs} x 2 x {half} x i32>"
    part = f"!obs.pull<{runs} x 1 x {half} x i32>"
    print(f"  %c{k} = obs.reshape {x} : {flat} -> {cube}")
    for name, side in ("l", 0), ("h", 1):
        print(f"  %{name}{k} = obs.slice %c{k} [0, {side}, 0] [{runs}, 1, {half}] [1, 1, 1] : {cube} -> {part}")
    print(f"  %r{k} = obs.reverse %h{k} dim 2 : {part}")
    print(f"  %j{k} = obs.concat %l{k}, %r{k} dim 1 : {part}, {part} -> {cube}")
    print(f"  %x{k} = obs.reshape %j{k} : {cube} -> {flat}")
    x = f"%x{k}"
print("  %p = obs.push {} : {} -> {}".format(x, flat, flat.replace("pull<", "push<grid, ")))
print("  %f = obs.force %p {{kernel = \"tau\"}} : {} -> {}".format(flat.replace("pull<", "push<grid, "), flat))
print(f"  return %f : {flat}\n}}")
