// RUN: obs-opt %s --split-input-file --obs-version-kernels --canonicalize --cse | FileCheck %s --implicit-check-not=_short

// Blocks reduce rows of unknown length. A launch with many short rows takes the kernel with one warp.
// CHECK-LABEL: obs.kernel @rows
// CHECK-NOT: threads
// CHECK-LABEL: obs.kernel @rows_short
// CHECK-SAME: entry = "rows_short"
// CHECK-SAME: threads = 32
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A:.*]]: memref<?x?xi32>)
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 2048 : index
// CHECK-DAG: %[[MANY:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[A]], %c0
// CHECK-DAG: %[[COLUMNS:.*]] = memref.dim %[[A]], %c1
// CHECK-DAG: %[[SIZE:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK-DAG: %[[LIMIT:.*]] = arith.muli %[[ROWS]], %[[LENGTH]]
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %[[SIZE]], %[[LIMIT]]
// CHECK: %[[ARE_MANY:.*]] = arith.cmpi uge, %[[ROWS]], %[[MANY]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[SHORT]], %[[ARE_MANY]]
// CHECK: scf.if %[[BOTH]] {
// CHECK: obs.launch @rows_short work [%[[ROWS]]] [block] args(%[[A]])
// CHECK: } else {
// CHECK: obs.launch @rows work [%[[ROWS]]] [block] args(%[[A]])
obs.kernel @rows(%a: memref<?x?xi32>) {
  %v = obs.view %a : memref<?x?xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %x = arith.constant 0 : i32
  %m = obs.dim %v, 0 : !obs.pull<? x ? x i32>
  %n = obs.dim %v, 1 : !obs.pull<? x ? x i32>
  %p = obs.fill [%m, %n] {
    obs.par block (%b) in (%m) {
      %first = arith.minsi %n, %c256 : index
      obs.par (%t) in (%first) {
        obs.write %x at [%b, %t] : i32
      }
      scf.for %i = %c0 to %n step %c8 {
        %rest = arith.subi %n, %i : index
        obs.par warp (%w) in (%rest) {
          %y = arith.constant 1 : index
        }
      }
      obs.par (%t) in (%c8) {
        obs.write %x at [%b, %t] : i32
      }
    }
  } : !obs.push<grid, ? x ? x i32>
}
func.func @main(%a: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?x?xi32>
  obs.launch @rows work [%m] [block] args(%a) : memref<?x?xi32>
  return
}

// -----

// A loop whose length depends on the block, one that can use more than a warp, a requested number of
// threads, few blocks, and units that are warps.
obs.kernel @own_length(%a: memref<?xi32>) {
  %v = obs.view %a : memref<?xi32>
  %x = arith.constant 0 : i32
  %n = obs.dim %v, 0 : !obs.pull<? x i32>
  %p = obs.fill [%n] {
    obs.par block (%b) in (%n) {
      obs.par (%t) in (%b) {
        obs.write %x at [%t] : i32
      }
    }
  } : !obs.push<grid, ? x i32>
}
obs.kernel @wide(%a: memref<?xi32>) {
  %v = obs.view %a : memref<?xi32>
  %x = arith.constant 0 : i32
  %c64 = arith.constant 64 : index
  %n = obs.dim %v, 0 : !obs.pull<? x i32>
  %p = obs.fill [%n] {
    obs.par block (%b) in (%n) {
      obs.par (%t) in (%n) {
        obs.write %x at [%t] : i32
      }
      obs.par (%t) in (%c64) {
        obs.write %x at [%t] : i32
      }
    }
  } : !obs.push<grid, ? x i32>
}
obs.kernel @asked(%a: memref<?xi32>) attributes {threads = 64 : i64} {
  %v = obs.view %a : memref<?xi32>
  %x = arith.constant 0 : i32
  %n = obs.dim %v, 0 : !obs.pull<? x i32>
  %p = obs.fill [%n] {
    obs.par block (%b) in (%n) {
      obs.par (%t) in (%n) {
        obs.write %x at [%t] : i32
      }
    }
  } : !obs.push<grid, ? x i32>
}
obs.kernel @unasked(%a: memref<?xi32>) {
  %v = obs.view %a : memref<?xi32>
  %x = arith.constant 0 : i32
  %n = obs.dim %v, 0 : !obs.pull<? x i32>
  %p = obs.fill [%n] {
    obs.par block (%b) in (%n) {
      obs.par (%t) in (%n) {
        obs.write %x at [%t] : i32
      }
    }
  } : !obs.push<grid, ? x i32>
}
// CHECK-LABEL: func.func @others
// CHECK-COUNT-5: obs.launch
// CHECK-NOT: obs.launch
func.func @others(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1023 = arith.constant 1023 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  obs.launch @own_length work [%n] [block] args(%a) : memref<?xi32>
  obs.launch @wide work [%n] [block] args(%a) : memref<?xi32>
  obs.launch @asked work [%n] [block] args(%a) : memref<?xi32>
  obs.launch @unasked work [%c1023] [block] args(%a) : memref<?xi32>
  obs.launch @unasked work [%n] [warp] args(%a) : memref<?xi32>
  return
}
