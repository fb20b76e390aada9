// RUN: obs-opt %s --obs-batch-distribute --canonicalize | FileCheck %s

// Two forces side by side are one force of both; no loop over instances is left.
// CHECK-LABEL: obs.kernel @two
// CHECK: obs.par block
// CHECK-NOT: obs.par block
// CHECK: %[[F:.*]] = obs.fill par (%[[I:.*]], %[[T:.*]]) in (%c2, %c8)
// CHECK: obs.write %{{.*}} at [%[[I]], %[[T]]]
// CHECK: !obs.push<block, 2 x 8 x i32>
// CHECK: obs.force %[[F]] : !obs.push<block, 2 x 8 x i32>
// CHECK: obs.par (%{{.*}}, %{{.*}}) in (%c2, %c8)
obs.kernel @two(%a: memref<2x8xi32>, %out: memref<2x8xi32>) attributes {threads = 16 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
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

// The number of iterations depends on the instance: the loop is left alone.
// CHECK-LABEL: obs.kernel @depends
// CHECK: obs.par block
// CHECK: obs.par block
// CHECK: scf.for
obs.kernel @depends(%out: memref<2x8xi32>) attributes {threads = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 0 : i32
  %p = obs.fill {
    obs.par block (%b) in (%c1) {
      obs.par block (%i) in (%c2) {
        scf.for %k = %c0 to %i step %c1 {
          obs.par (%t) in (%c8) {
            obs.write %x at [%i, %t] : i32
          }
        }
      }
    }
  } : !obs.push<grid, 2 x 8 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 2 x 8 x i32> into memref<2x8xi32> -> !obs.pull<2 x 8 x i32>
}

// No type has -1 instances: the loop, which has no iterations, is left alone.
// CHECK-LABEL: obs.kernel @negative
// CHECK: obs.par block
// CHECK: obs.par block (%{{.*}}) in (%c-1)
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x i32>
obs.kernel @negative(%a: memref<2x8xi32>, %out: memref<2x8xi32>) attributes {threads = 16 : i64} {
  %c1 = arith.constant 1 : index
  %instances = arith.constant -1 : index
  %c8 = arith.constant 8 : index
  %v = obs.view %a : memref<2x8xi32>
  %p = obs.fill {
    obs.par block (%b) in (%c1) {
      obs.par block (%i) in (%instances) {
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

// The condition is equal for all instances: one branch contains a loop over the instances of each of its sides.
// CHECK-LABEL: obs.kernel @branch
// CHECK-SAME: (%[[N:.*]]: index, %[[X:.*]]: i32, %[[Y:.*]]: i32
// CHECK: obs.par block
// CHECK-NOT: obs.par block
// CHECK: %[[IS_LONG:.*]] = arith.cmpi ugt, %[[N]], %c8
// CHECK: scf.if %[[IS_LONG]] {
// CHECK-NEXT: obs.par (%[[I:.*]], %[[T:.*]]) in (%c2, %c8) {
// CHECK-NEXT: obs.write %[[X]] at [%[[I]], %[[T]]]
// CHECK: } else {
// CHECK-NEXT: obs.par (%[[J:.*]], %[[U:.*]]) in (%c2, %c8) {
// CHECK-NEXT: obs.write %[[Y]] at [%[[J]], %[[U]]]
obs.kernel @branch(%n: index, %x: i32, %y: i32, %out: memref<2x8xi32>) attributes {threads = 16 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %p = obs.fill {
    obs.par block (%b) in (%c1) {
      obs.par block (%i) in (%c2) {
        %isLong = arith.cmpi ugt, %n, %c8 : index
        scf.if %isLong {
          obs.par (%t) in (%c8) {
            obs.write %x at [%i, %t] : i32
          }
        } else {
          obs.par (%t) in (%c8) {
            obs.write %y at [%i, %t] : i32
          }
        }
      }
    }
  } : !obs.push<grid, 2 x 8 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 2 x 8 x i32> into memref<2x8xi32> -> !obs.pull<2 x 8 x i32>
}

// A loop carries the array of each instance: one loop carries the arrays of all instances.
// CHECK-LABEL: obs.kernel @carried
// CHECK: obs.par block
// CHECK-NOT: obs.par block
// CHECK: %[[F:.*]] = obs.force %{{.*}} : !obs.push<block, 2 x 8 x i32>
// CHECK: %[[TURNED:.*]] = scf.for {{.*}} iter_args(%[[G:.*]] = %[[F]]) -> (!obs.pull<2 x 8 x i32>) {
// CHECK: obs.fill par (%[[I:.*]], %[[T:.*]]) in (%c2, %c8)
// CHECK: %[[OWN:.*]] = obs.reindex (%[[K:.*]]) = %[[G]] {
// CHECK-NEXT: obs.yield %[[I]], %[[K]]
// CHECK: obs.get %[[OWN]]
// CHECK: obs.write %{{.*}} at [%[[I]], %[[T]]]
// CHECK: %[[H:.*]] = obs.force %{{.*}} : !obs.push<block, 2 x 8 x i32>
// CHECK: scf.yield %[[H]]
// CHECK: obs.reindex (%{{.*}}) = %[[TURNED]] {
obs.kernel @carried(%a: memref<2x8xi32>, %n: index, %out: memref<2x8xi32>) attributes {threads = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
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
        %turned = scf.for %k = %c0 to %n step %c1 iter_args(%g = %f) -> !obs.pull<8 x i32> {
          %s = obs.fill par (%t) in (%c8) {
            %u = arith.subi %c7, %t : index
            %x = obs.get %g[%u] : !obs.pull<8 x i32>
            obs.write %x at [%t] : i32
          } : !obs.push<block, 8 x i32>
          %h = obs.force %s : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
          scf.yield %h : !obs.pull<8 x i32>
        }
        obs.par (%t) in (%c8) {
          %y = obs.get %turned[%t] : !obs.pull<8 x i32>
          obs.write %y at [%i, %t] : i32
        }
      }
    }
  } : !obs.push<grid, 2 x 8 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 2 x 8 x i32> into memref<2x8xi32> -> !obs.pull<2 x 8 x i32>
}
