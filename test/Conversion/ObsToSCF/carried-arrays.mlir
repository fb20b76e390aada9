// RUN: obs-opt %s --split-input-file --convert-obs-to-scf | FileCheck %s

// An array that the condition region makes is written where the loop keeps it;
// that needs no second slot, and the loop carries no number for it.

!array = !obs.pull<64 x i32>
!column = !obs.push<block, 64 x i32>

// CHECK-LABEL: obs.kernel @made
// CHECK: %[[RING:.*]] = memref.alloc() : memref<2x64xi32, #obs.home<block, auto>>
// CHECK: %[[MADE:.*]] = memref.alloc() : memref<64xi32, #obs.home<block, registers>>
// CHECK: scf.while (%[[SLOT:.*]] = {{.*}}, %{{.*}} = {{.*}}) : (index, index) -> index {
// CHECK-NOT: memref.alloc
// CHECK: memref.load %[[RING]][%[[SLOT]],
// CHECK: memref.store %{{.*}}, %[[MADE]][
// CHECK-NOT: memref.store
// CHECK: scf.condition(%{{.*}}) %{{.*}} : index
// CHECK: memref.load %[[MADE]][
// CHECK: memref.store %{{.*}}, %[[RING]][
obs.kernel @made(%m: memref<64xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  obs.par block (%b) in (%n) {
    %zero = arith.constant 0 : i32
    %p = obs.fill par (%t) in (%c64) {
      obs.write %zero at [%t] : i32
    } : !column
    %f = obs.force %p : !column -> !array
    %r:2 = scf.while (%x = %f, %i = %c0) : (!array, index) -> (index, !array) {
      %go = arith.cmpi ult, %i, %n : index
      %q = obs.fill par (%t) in (%c64) {
        %e = obs.get %x[%t] : !array
        obs.write %e at [%t] : i32
      } : !column
      %g = obs.force %q in registers : !column -> !array
      scf.condition(%go) %i, %g : index, !array
    } do {
    ^bb0(%j: index, %y: !array):
      %s = obs.fill par (%t) in (%c64) {
        %e = obs.get %y[%t] : !array
        obs.write %e at [%t] : i32
      } : !column
      %h = obs.force %s : !column -> !array
      %next = arith.addi %j, %c1 : index
      scf.yield %h, %next : !array, index
    }
  }
}

// -----

// An array from outside is passed on as it is. An array that a branch of the
// condition region makes is copied, once for both places that take it.

!array = !obs.pull<64 x i32>
!column = !obs.push<block, 64 x i32>

// CHECK-LABEL: obs.kernel @chosen
// CHECK: %[[OUTER:.*]] = memref.alloc() : memref<64xi32, #obs.home<block, auto>>
// CHECK: %[[MADE:.*]] = memref.alloc() : memref<64xi32, #obs.home<block, auto>>
// CHECK: scf.while (%{{.*}} = {{.*}}) : (index) -> index {
// CHECK: %[[MERGED:.*]] = memref.alloc() : memref<64xi32, #obs.home<block, auto>>
// CHECK: scf.if
// CHECK: memref.load %[[MERGED]]
// CHECK: memref.store %{{.*}}, %[[MADE]]
// CHECK-NOT: memref.store
// CHECK: scf.condition(%{{.*}}) %{{.*}} : index
// CHECK: memref.load %[[OUTER]]
// CHECK: memref.store
obs.kernel @chosen(%m: memref<64xi32>, %n: index, %c: i1) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  obs.par block (%b) in (%n) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %p = obs.fill par (%t) in (%c64) {
      obs.write %zero at [%t] : i32
    } : !column
    %f = obs.force %p : !column -> !array
    %r:4 = scf.while (%i = %c0) : (index) -> (!array, index, !array, !array) {
      %go = arith.cmpi ult, %i, %n : index
      %g = scf.if %c -> !array {
        %q = obs.fill par (%t) in (%c64) {
          obs.write %one at [%t] : i32
        } : !column
        %h = obs.force %q : !column -> !array
        scf.yield %h : !array
      } else {
        scf.yield %f : !array
      }
      scf.condition(%go) %g, %i, %f, %g : !array, index, !array, !array
    } do {
    ^bb0(%x: !array, %j: index, %y: !array, %z: !array):
      %next = arith.addi %j, %c1 : index
      scf.yield %next : index
    }
    %k = obs.fill par (%t) in (%c64) {
      %e = obs.get %r#2[%t] : !array
      obs.write %e at [%t] : i32
    } : !column
    %l = obs.force %k : !column -> !array
  }
}

// -----

// A loop that runs again and again from one array does not take over its ring.

!array = !obs.pull<64 x i32>
!column = !obs.push<block, 64 x i32>

// CHECK-LABEL: obs.kernel @again
// CHECK-COUNT-2: memref.alloc() : memref<2x64xi32, #obs.home<block, auto>>
obs.kernel @again(%m: memref<64xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  obs.par block (%b) in (%n) {
    %zero = arith.constant 0 : i32
    %p = obs.fill par (%t) in (%c64) {
      obs.write %zero at [%t] : i32
    } : !column
    %f = obs.force %p : !column -> !array
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %f) -> !array {
      scf.for %l = %c0 to %n step %c1 {
        %s = scf.for %o = %c0 to %n step %c1 iter_args(%y = %x) -> !array {
          %q = obs.fill par (%t) in (%c64) {
            %e = obs.get %y[%t] : !array
            obs.write %e at [%t] : i32
          } : !column
          %g = obs.force %q : !column -> !array
          scf.yield %g : !array
        }
      }
      %u = obs.fill par (%t) in (%c64) {
        obs.write %zero at [%t] : i32
      } : !column
      %h = obs.force %u : !column -> !array
      scf.yield %h : !array
    }
  }
}
