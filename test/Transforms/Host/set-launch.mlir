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

// Three warps, whose threads execute 8 iterations of the other loop each.
// CHECK-LABEL: obs.kernel @few_warps
// CHECK-SAME: threads = 96
obs.kernel @few_warps(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c768 = arith.constant 768 : index
  %x = arith.constant 0 : i32
  obs.par block (%b) in (%c1) {
    %p = obs.fill {
      obs.par warp (%w) in (%c3) {
        obs.par (%t) in (%c32) {
          obs.write %x at [%w, %t] : i32
        }
      }
    } : !obs.push<block, 3 x 32 x i32>
    %f = obs.force %p : !obs.push<block, 3 x 32 x i32>
    %q = obs.fill {
      obs.par (%t) in (%c768) {
        obs.write %x at [%t] : i32
      }
    } : !obs.push<block, 768 x i32>
    %g = obs.force %q : !obs.push<block, 768 x i32>
  }
}

// With more iterations, the three warps do not determine the number.
// CHECK-LABEL: obs.kernel @long_loop
// CHECK-SAME: threads = 256
obs.kernel @long_loop(%out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %x = arith.constant 0 : i32
  obs.par block (%b) in (%c1) {
    %p = obs.fill {
      obs.par warp (%w) in (%c3) {
        obs.par (%t) in (%c32) {
          obs.write %x at [%w, %t] : i32
        }
      }
    } : !obs.push<block, 3 x 32 x i32>
    %f = obs.force %p : !obs.push<block, 3 x 32 x i32>
    %q = obs.fill {
      obs.par (%t) in (%c1024) {
        obs.write %x at [%t] : i32
      }
    } : !obs.push<block, 1024 x i32>
    %g = obs.force %q : !obs.push<block, 1024 x i32>
  }
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
