// A thread may have memory of its own, also in a loop; other levels have obs.force.

// RUN: obs-run %s --entry=f iota:4xi32 7 --device=interpret | FileCheck %s
// RUN: obs-run %s --entry=f iota:4xi32 7 --device=emulate | FileCheck %s
// Iterations 0 and 4 double, the others add 0.
// CHECK: [0, 4, 8, 12]
// RUN: not obs-run %s --entry=block iota:64xi32 --device=emulate 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: 'memref.alloca' op [R2-private] allocates in code of level block; a kernel has arrays of threads by memref.alloca of a static shape, and all others by obs.force

func.func @f(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %e = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill [%e] par (%i) in (%e) {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> i32 {
      %m = memref.alloca() : memref<4xi32>
      %k3 = arith.andi %k, %c3 : index
      memref.store %zero, %m[%c0] : memref<4xi32>
      memref.store %s, %m[%k3] : memref<4xi32>
      %y = memref.load %m[%c0] : memref<4xi32>
      %z = arith.addi %s, %y : i32
      scf.yield %z : i32
    }
    obs.write %r at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
func.func @block(%a: !obs.pull<64 x i32>) -> !obs.pull<1 x 64 x i32> {
  %i = obs.iota : !obs.pull<1 x index>
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %p = obs.distribute block (%k = %i : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 64 x i32> {
    %m = memref.alloca() : memref<64xi32>
    %q = obs.fill {
      obs.par (%t) in (%c64) {
        %x = obs.get %a[%t] : !obs.pull<64 x i32>
        memref.store %x, %m[%t] : memref<64xi32>
      }
      obs.par (%t) in (%c64) {
        %u = arith.subi %c63, %t : index
        %x = memref.load %m[%u] : memref<64xi32>
        obs.write %x at [%t] : i32
      }
    } : !obs.push<block, 64 x i32>
    obs.yield %q : !obs.push<block, 64 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 1 x 64 x i32> -> !obs.pull<1 x 64 x i32>
  return %f : !obs.pull<1 x 64 x i32>
}
