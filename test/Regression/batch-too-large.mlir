// So many instances that an array of all of them has no type: they run one after
// the other. This ended in an assertion.
// RUN: obs-opt --obs-batch-distribute %s | FileCheck %s

// CHECK: obs.par block (%{{.*}}) in (%c9223372036854775807
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x i32>
obs.kernel @two(%a: memref<2x8xi32>, %out: memref<2x8xi32>) attributes {threads = 16 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 9223372036854775807 : index
  %c8 = arith.constant 8 : index
  %v = obs.view %a : memref<2x8xi32>
  %p = obs.fill {
    obs.par block (%b) in (%c1) {
      obs.par block (%i) in (%c2) {
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
