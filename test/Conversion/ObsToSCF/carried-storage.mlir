// RUN: obs-opt %s --split-input-file --verify-diagnostics --convert-obs-to-scf | FileCheck %s

// The home that a program asks for is that of the ring, whichever force asks.

!array = !obs.pull<64 x i32>
!column = !obs.push<block, 64 x i32>

// CHECK-LABEL: obs.kernel @next
// CHECK: memref.alloc() : memref<2x64xi32, #obs.home<block, registers>>
// CHECK-NOT: memref.alloc
obs.kernel @next(%m: memref<64xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  obs.par block (%b) in (%n) {
    %zero = arith.constant 0 : i32
    %p = obs.fill par (%t) in (%c64) {
      obs.write %zero at [%t] : i32
    } : !column
    %f = obs.force %p : !column -> !array
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %f) -> !array {
      %q = obs.fill par (%t) in (%c64) {
        %x = obs.get %a[%t] : !array
        obs.write %x at [%t] : i32
      } : !column
      %g = obs.force %q in registers : !column -> !array
      scf.yield %g : !array
    }
  }
}

// -----

!array = !obs.pull<64 x i32>
!column = !obs.push<block, 64 x i32>

// CHECK-LABEL: obs.kernel @first
// CHECK: memref.alloc() : memref<2x64xi32, #obs.home<block, shared>>
// CHECK-NOT: memref.alloc
obs.kernel @first(%m: memref<64xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  obs.par block (%b) in (%n) {
    %zero = arith.constant 0 : i32
    %p = obs.fill par (%t) in (%c64) {
      obs.write %zero at [%t] : i32
    } : !column
    %f = obs.force %p in shared : !column -> !array
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %f) -> !array {
      %q = obs.fill par (%t) in (%c64) {
        %x = obs.get %a[%t] : !array
        obs.write %x at [%t] : i32
      } : !column
      %g = obs.force %q : !column -> !array
      scf.yield %g : !array
    }
  }
}

// -----

!array = !obs.pull<64 x i32>
!column = !obs.push<block, 64 x i32>

obs.kernel @both(%m: memref<64xi32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  obs.par block (%b) in (%n) {
    %zero = arith.constant 0 : i32
    %p = obs.fill par (%t) in (%c64) {
      obs.write %zero at [%t] : i32
    } : !column
    // expected-note@+1 {{the other one}}
    %f = obs.force %p in shared : !column -> !array
    // expected-note@+1 {{the control flow}}
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %f) -> !array {
      %q = obs.fill par (%t) in (%c64) {
        %x = obs.get %a[%t] : !array
        obs.write %x at [%t] : i32
      } : !column
      // expected-error@+1 {{[force-storage] requests registers for an array that control flow merges with another one, which requests shared; request the same storage for both}}
      %g = obs.force %q in registers : !column -> !array
      scf.yield %g : !array
    }
  }
}

// -----

!array = !obs.pull<64 x i32>
!column = !obs.push<block, 64 x i32>

// CHECK-LABEL: obs.kernel @arm
// CHECK: memref.alloc() : memref<64xi32, #obs.home<block, registers>>
// CHECK-NOT: memref.alloc
obs.kernel @arm(%m: memref<64xi32>, %n: index, %c: i1) attributes {threads = 64 : i64} {
  %c64 = arith.constant 64 : index
  obs.par block (%b) in (%n) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = scf.if %c -> !array {
      %p = obs.fill par (%t) in (%c64) {
        obs.write %zero at [%t] : i32
      } : !column
      %f = obs.force %p in registers : !column -> !array
      scf.yield %f : !array
    } else {
      %q = obs.fill par (%t) in (%c64) {
        obs.write %one at [%t] : i32
      } : !column
      %g = obs.force %q : !column -> !array
      scf.yield %g : !array
    }
  }
}
