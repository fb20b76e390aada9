// RUN: obs-opt %s --obs-set-launch | FileCheck %s
// RUN: obs-opt %s --obs-set-launch="threads=96 blocks=7" | FileCheck %s --check-prefix=GIVEN

// The attribute of the kernel is kept; one block for 64 elements.
// CHECK-LABEL: obs.kernel @asked
// CHECK-SAME: threads = 64
// GIVEN-LABEL: obs.kernel @asked
// GIVEN-SAME: threads = 96
obs.kernel @asked(%out: memref<?xi32>) attributes {threads = 64 : i64} {
  %c = arith.constant 0 : index
}

// The widest loop over the threads of a block, 40, in whole warps.
// CHECK-LABEL: obs.kernel @widest
// CHECK-SAME: threads = 64
obs.kernel @widest(%out: memref<?xi32>) {
  %c3 = arith.constant 3 : index
  %c40 = arith.constant 40 : index
  %x = arith.constant 0 : i32
  %p = obs.fill {
    obs.par block (%b) in (%c3) {
      obs.par (%t) in (%c40) {
        obs.write %x at [%b, %t] : i32
      }
    }
  } : !obs.push<grid, 3 x 40 x i32>
}

// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = arith.ceildivui %arg1, %c64
// CHECK: obs.launch @asked blocks %{{.*}} args(%arg0)
// GIVEN-LABEL: func.func @main
// GIVEN: %[[B:.*]] = arith.constant 7 : index
// GIVEN: obs.launch @asked blocks %[[B]] args(%arg0)
func.func @main(%m: memref<?xi32>, %n: index) {
  obs.launch @asked work [%n] [thread] args(%m) : memref<?xi32>
  return
}
