// RUN: %python %S/check.py obs-run %s main sort16 0 16 320
// RUN: obs-opt --obs-fold-tables %s | FileCheck %s --check-prefix=FOLD
// RUN: obs-opt --obs-to-gpu %s | FileCheck %s
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX

// vsortItTab of Obsidian's thesis, whose tables the compiler makes from what
// computes them (golden G06 has them as literals, which the data cache serves):
// both are in constant memory, as the program asks, and no other kernel runs.
// FOLD: obs.constant dense<[0, 1, 3, 2, 7, 6, 4, 5, 15, 14, 12, 13, 8, 9, 11, 10]> : tensor<16xindex>
// FOLD: obs.constant dense<[0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]> : tensor<16xindex>
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK-COUNT-2: memref.global {{.*}} constant
// CHECK-COUNT-1: gpu.func
// CHECK-NOT: gpu.func
// PTX-COUNT-2: .const .align {{.*}} .b8 obs_table
// PTX: .entry sort
// PTX: ld.const.b64

!chunk = !obs.pull<16 x i32>
!column = !obs.push<block, 16 x i32>
!table = !obs.pull<16 x index>

// Step 0 looks up tau 3, and compares each element with itself; the others look
// up the riffle, and compare neighbours.
func.func private @step(%x: !chunk, %tau: !table, %riffle: !table, %m: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %riffles = arith.minui %m, %c1 : index
  %isTau = arith.cmpi eq, %m, %c0 : index
  %g = obs.generate (%i) {
    %neighbour = arith.xori %i, %riffles : index
    %tj = obs.get %tau[%i] : !table
    %rj = obs.get %riffle[%i] : !table
    %rk = obs.get %riffle[%neighbour] : !table
    %j = arith.select %isTau, %tj, %rj : index
    %k = arith.select %isTau, %tj, %rk : index
    %u = obs.get %x[%j] : !chunk
    %v = obs.get %x[%k] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %side = arith.andi %i, %c1 : index
    %low = arith.cmpi eq, %side, %c0 : index
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %g : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

// t_tau and t_riffle of the thesis were functions of the host language; here they
// are programs. tau 3 is the exclusive or of the bits above; a riffle rotates the
// bits.
func.func private @tables() -> (!table, !table) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %g = obs.generate (%i) {
    %t1 = arith.shrui %i, %c1 : index
    %x1 = arith.xori %i, %t1 : index
    %t2 = arith.shrui %x1, %c2 : index
    %t = arith.xori %x1, %t2 : index
    obs.yield %t : index
  } : !table
  %h = obs.generate (%i) {
    %r = obs.bit.rotate %i, %c3, %c4 : index
    obs.yield %r : index
  } : !table
  %p = obs.push %g : !table -> !obs.push<grid, 16 x index>
  %q = obs.push %h : !table -> !obs.push<grid, 16 x index>
  %tau, %riffle = obs.force %p, %q in constant : !obs.push<grid, 16 x index>, !obs.push<grid, 16 x index> -> (!table, !table)
  return %tau, %riffle : !table, !table
}

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %tau, %riffle = func.call @tables() : () -> (!table, !table)
  %chunks = obs.split %a by [16] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<16 x i32>>) -> !obs.push<grid, ? x 16 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %c) -> !chunk {
      %z = scf.for %m = %c0 to %c5 step %c1 iter_args(%y = %x) -> !chunk {
        %f = func.call @step(%y, %tau, %riffle, %m) : (!chunk, !table, !table, index) -> !chunk
        scf.yield %f : !chunk
      }
      scf.yield %z : !chunk
    }
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 16 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "sort", threads = 16 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
