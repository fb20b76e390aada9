// RUN: obs-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: obs-opt %s --split-input-file --verify-diagnostics --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: @nest
// GENERIC-LABEL: "nest"
func.func @nest(%a: !obs.pull<? x 4 x ? x i32, f32 bound [8, 4, 16]>) {
  // CHECK: %[[N:.*]] = obs.nest %{{.*}} dims 1 : !obs.pull<? x 4 x ? x i32, f32 bound [8, 4, 16]>
  // GENERIC: -> !obs.pull<? x !obs.pull<4 x ? x i32, f32 bound [4, 16]> bound [8]>
  %n = obs.nest %a dims 1 : !obs.pull<? x 4 x ? x i32, f32 bound [8, 4, 16]>
  // CHECK: obs.unnest %[[N]] : !obs.pull<? x !obs.pull<4 x ? x i32, f32 bound [4, 16]> bound [8]>
  // GENERIC: "obs.unnest"{{.*}} -> !obs.pull<? x 4 x ? x i32, f32 bound [8, 4, 16]>
  %u = obs.unnest %n : !obs.pull<? x !obs.pull<4 x ? x i32, f32 bound [4, 16]> bound [8]>
  // CHECK: obs.nest %{{.*}} dims 2
  // GENERIC: -> !obs.pull<? x 4 x !obs.pull<? x i32, f32 bound [16]> bound [8, 4]>
  %m = obs.nest %u dims 2 : !obs.pull<? x 4 x ? x i32, f32 bound [8, 4, 16]>
  return
}

// -----

func.func @all(%a: !obs.pull<? x 4 x i32>) {
  // expected-error@+1 {{[nest-dims] keeps 2 dimensions outside of the elements; an array of rank 2 can keep 1 to 1}}
  %n = obs.nest %a dims 2 : !obs.pull<? x 4 x i32>
  return
}

// -----

func.func @none(%a: !obs.pull<? x 4 x i32>) {
  // expected-error@+1 {{[nest-dims] keeps 0 dimensions}}
  %n = obs.nest %a dims 0 : !obs.pull<? x 4 x i32>
  return
}

// -----

func.func @flat(%a: !obs.pull<? x 4 x i32>) {
  // expected-error@+1 {{[unnest-source] needs an array of arrays}}
  %n = obs.unnest %a : !obs.pull<? x 4 x i32>
  return
}
