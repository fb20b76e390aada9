// An array of a block with 2^32 rows is refused in bounded time and memory: no pass counts its elements one by one.
// RUN: ulimit -v 4000000; not obs-opt %s --obs-to-gpu 2>&1 | FileCheck %s
// CHECK: block-of-many-rows.mlir:[[#@LINE+2]]:1: error: 'obs.kernel' op [shared-limit] needs 137438953472 bytes of shared memory, but a block has 232448

obs.kernel @rows(%a: memref<2x8xi32>, %out: memref<2x8xi32>) attributes {threads = 16 : i64} {
  %c1 = arith.constant 1 : index
  %rows = arith.constant 4294967296 : index
  %c8 = arith.constant 8 : index
  %v = obs.view %a : memref<2x8xi32>
  %p = obs.fill {
    obs.par block (%b) in (%c1) {
      obs.par block (%i) in (%rows) {
        %q = obs.fill par (%t) in (%c8) {
          %x = obs.get %v[%i, %t] : !obs.pull<2 x 8 x i32>
          obs.write %x at [%t] : i32
        } : !obs.push<block, 8 x i32>
        %f = obs.force %q : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
        obs.par (%t) in (%c8) {
          %y = obs.get %f[%t] : !obs.pull<8 x i32>
          obs.write %y at [%i, %t] : i32
        }
      }
    }
  } : !obs.push<grid, 2 x 8 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 2 x 8 x i32> into memref<2x8xi32> -> !obs.pull<2 x 8 x i32>
}

// The same for arrays of a bound: the loop adds the halves of a chunk of 64 elements, whose types have no extent.
// RUN: ulimit -v 4000000; not obs-opt %S/Inputs/large-bound.mlir --obs-to-gpu 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: large-bound.mlir:[[#]]:{{.*}}: error: {{.*}}[shared-limit] needs {{[0-9]+}} bytes of shared memory, but a block has 232448
