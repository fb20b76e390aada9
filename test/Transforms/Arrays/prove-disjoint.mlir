// RUN: obs-opt --obs-prove-disjoint %s | FileCheck %s
// RUN: obs-opt --obs-to-gpu=tiles=false %s | FileCheck %s --check-prefix=STORE
// RUN: obs-opt --obs-to-gpu=tiles=false --obs-check-races %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES

// A collision at run time breaks a promise, for interpreter and emulator.
// RUN: obs-run %s --device=emulate --check --entry=unknown iota:3xindex iota:3xi32 | FileCheck %s --check-prefix=VALUE
// RUN: not obs-run %s --device=emulate --check --entry=unknown zeros:3xindex iota:3xi32 2>&1 | FileCheck %s --check-prefix=FALSE
// RUN: not obs-run %s --device=interpret --entry=unknown zeros:3xindex iota:3xi32 2>&1 | FileCheck %s --check-prefix=INTERPRET
// VALUE: [0, 1, 2]
// FALSE: prove-disjoint.mlir:{{.*}} error: false-claim: [R5-disjoint] store
// INTERPRET: error: [R5-disjoint] element [0] is written twice

!ints = !obs.pull<? x i32>

// Proved for any length: a plain store.
// CHECK-LABEL: func.func @proved
// CHECK: obs.write %{{.*}} at [%{{.*}}] : i32
// STORE-LABEL: gpu.func @proved_kernel
// STORE: memref.store
// STORE-NOT: obs.contract
// RACES: remark: kernel 'proved_kernel' is proved free of races
func.func @proved(%a: !ints) -> !ints {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %last = arith.subi %n, %c1 : index
  %p = obs.fill [%n] par (%i) in (%n) {
    %x = obs.get %a[%i] : !ints
    %j = arith.subi %last, %i : index
    obs.write %x at [%j] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// Halves that stand side by side.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: obs.contract
// CHECK: return
func.func @halves(%a: !ints) -> !ints {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %half = arith.shrui %n, %c1 : index
  %rest = arith.subi %n, %half : index
  %p = obs.fill [%n] {
    obs.par (%i) in (%half) {
      %x = obs.get %a[%i] : !ints
      obs.write %x at [%i] : i32
    }
    obs.par (%i) in (%rest) {
      %j = arith.addi %half, %i : index
      %x = obs.get %a[%j] : !ints
      obs.write %x at [%j] : i32
    }
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// Rows of 64, and one arm of two.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: obs.contract
// CHECK: return
func.func @rows(%a: !ints, %rows: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %n = arith.muli %rows, %c64 : index
  %p = obs.fill [%n] {
    obs.par block (%r) in (%rows) {
      obs.par (%t) in (%c64) {
        %first = arith.muli %r, %c64 : index
        %i = arith.addi %first, %t : index
        %x = obs.get %a[%i] : !ints
        %isFirst = arith.cmpi eq, %r, %c0 : index
        scf.if %isFirst {
          obs.write %x at [%i] : i32
        } else {
          %back = arith.subi %c63, %t : index
          %j = arith.addi %first, %back : index
          obs.write %x at [%j] : i32
        }
      }
    }
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// The answer is known at run time only: the contract stays on the store. The
// refuted contracts are in invalid-disjoint.mlir.
// CHECK-LABEL: func.func @unknown
// CHECK: obs.write %{{.*}} at [%{{.*}}] {obs.contract = "unproved"} : i32
// STORE-LABEL: gpu.func @unknown_kernel
// STORE: memref.store %{{.*}} {obs.contract = "disjoint"}
// RACES: remark: kernel 'unknown_kernel' is proved free of races{{.*}} under contract
// RACES: note: written as 'disjoint', which the program promises
func.func @unknown(%to: !obs.pull<? x index>, %a: !ints) -> !ints {
  %n = obs.dim %a, 0 : !ints
  %p = obs.fill [%n] par (%i) in (%n) {
    %x = obs.get %a[%i] : !ints
    %j = obs.get %to[%i] : !obs.pull<? x index>
    obs.write %x at [%j] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}
