"""Prints a sort of 1024 elements, merge by merge: runs up to W elements are
merged by single threads, up to B by warps, and the rest by the block."""
import sys

w, b = int(sys.argv[1]), int(sys.argv[2])
size = 1024


def stages(level, n, run):
    """Functions that merge runs of `run` elements, until there is one of n."""
    print("""!part_%(l)s = !obs.pull<%(n)d x i32>
!column_%(l)s = !obs.push<%(l)s, %(n)d x i32>

// Column m of merge r: a vee if m = 0, else an ilv.
func.func private @column_%(l)s(%%x: !part_%(l)s, %%r: index, %%m: index) -> !part_%(l)s attributes {obs.level = #obs.level<%(l)s>} {
  %%none = arith.constant 0 : index
  %%one = arith.constant 1 : index
  %%half = arith.constant %(h)d : index
  %%top = arith.subi %%r, %%m : index
  %%bit = arith.shli %%one, %%top : index
  %%head = arith.cmpi eq, %%m, %%none : index
  %%factor = arith.index_castui %%head : i1 to index
  %%rest = arith.subi %%bit, %%one : index
  %%below = arith.muli %%factor, %%rest : index
  %%mask = arith.ori %%bit, %%below : index
  %%p = obs.fill par (%%t) in (%%half) {
    %%i = obs.bit.insert_zero %%t, %%top : index
    %%j = arith.xori %%i, %%mask : index
    %%u = obs.get %%x[%%i] : !part_%(l)s
    %%v = obs.get %%x[%%j] : !part_%(l)s
    %%min = arith.minsi %%u, %%v : i32
    %%max = arith.maxsi %%u, %%v : i32
    obs.write %%min at [%%i] : i32
    obs.write %%max at [%%j] : i32
  } : !column_%(l)s
  %%f = obs.force %%p : !column_%(l)s -> !part_%(l)s
  return %%f : !part_%(l)s
}

func.func private @merge_%(l)s(%%c: !part_%(l)s) -> !column_%(l)s attributes {obs.level = #obs.level<%(l)s>} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%from = arith.constant %(from)d : index
  %%to = arith.constant %(to)d : index
  %%s = scf.for %%r = %%from to %%to step %%c1 iter_args(%%x = %%c) -> !part_%(l)s {
    %%end = arith.addi %%r, %%c1 : index
    %%z = scf.for %%m = %%c0 to %%end step %%c1 iter_args(%%y = %%x) -> !part_%(l)s {
      %%f = func.call @column_%(l)s(%%y, %%r, %%m) : (!part_%(l)s, index, index) -> !part_%(l)s
      scf.yield %%f : !part_%(l)s
    }
    scf.yield %%z : !part_%(l)s
  }
  %%q = obs.push %%s : !part_%(l)s -> !column_%(l)s
  return %%q : !column_%(l)s
}
""" % {"l": level, "n": n, "h": n // 2, "from": run.bit_length() - 1, "to": n.bit_length() - 1})


def step(level, n, source):
    """Runs the merges of `level` on the chunks of n elements of `source`."""
    print("""    %%chunks_%(l)s = obs.split %(s)s by [%(n)d] : !part_block -> !obs.pull<%(k)d x !part_%(l)s>
    %%runs_%(l)s = obs.distribute %(l)s (%%c = %%chunks_%(l)s : !obs.pull<%(k)d x !part_%(l)s>) -> !obs.push<block, %(k)d x %(n)d x i32> {
      %%q = func.call @merge_%(l)s(%%c) : (!part_%(l)s) -> !column_%(l)s
      obs.yield %%q : !column_%(l)s
    }
    %%line_%(l)s = obs.join %%runs_%(l)s : !obs.push<block, %(k)d x %(n)d x i32> -> !column_block
    %%%(l)s = obs.force %%line_%(l)s : !column_block -> !part_block""" % {"l": level, "n": n, "k": size // n, "s": source})


stages("thread", w, 1)
stages("warp", b, w)
stages("block", size, b)
print("""func.func @main(%%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %%n = obs.dim %%a, 0 : !obs.pull<? x i32>
  %%largest = arith.constant 0x7fffffff : i32
  %%all = obs.split %%a by [%d] pad %%largest : !obs.pull<? x i32> -> !obs.pull<? x !part_block>
  %%parts = obs.distribute block (%%x = %%all : !obs.pull<? x !part_block>) -> !obs.push<grid, ? x %d x i32> {""" % (size, size))
step("thread", w, "%x")
step("warp", b, "%thread")
print("""    %%q = func.call @merge_block(%%warp) : (!part_block) -> !column_block
    obs.yield %%q : !column_block
  }
  %%flat = obs.join %%parts to [%%n] : !obs.push<grid, ? x %d x i32> -> !obs.push<grid, ? x i32>
  %%r = obs.force %%flat {kernel = "sortnet", threads = 32 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %%r : !obs.pull<? x i32>
}""" % size)
