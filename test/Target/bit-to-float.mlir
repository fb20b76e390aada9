// NVPTX converts a truth value with its sign as it does without one. So the conversion is a choice before.

// RUN: obs-translate %s --obs-to-ptx --chip=sm_90 | FileCheck %s
// CHECK-LABEL: .entry signed
// CHECK-NOT: cvt.rn
// CHECK: selp.b16 {{.*}}0xBF80
// CHECK-LABEL: .entry longer
// CHECK-NOT: cvt.rn
// CHECK: selp.b16 {{.*}}0xBF80
// CHECK-LABEL: .entry unsigned
// CHECK-NOT: cvt.rn
// CHECK: selp.b16 {{.*}}0x3C00

// RUN: obs-run %s --entry=signed iota:4xi32 --device=interpret | FileCheck %s --check-prefix=SIGNED
// RUN: obs-run %s --entry=signed iota:4xi32 --device=emulate | FileCheck %s --check-prefix=SIGNED
// SIGNED: [0.0, -1.0, 0.0, -1.0]
func.func @signed(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x bf16> {
  %m = obs.map (%x = %a : !obs.pull<4 x i32>) -> !obs.pull<4 x bf16> {
    %b = arith.trunci %x : i32 to i1
    %f = arith.sitofp %b : i1 to bf16
    obs.yield %f : bf16
  }
  %p = obs.push %m : !obs.pull<4 x bf16> -> !obs.push<grid, 4 x bf16>
  %r = obs.force %p {kernel = "signed"} : !obs.push<grid, 4 x bf16> -> !obs.pull<4 x bf16>
  return %r : !obs.pull<4 x bf16>
}

// The optimiser shortens this conversion to one of a truth value.
// RUN: obs-run %s --entry=longer iota:4xi32 --device=interpret | FileCheck %s --check-prefix=LONGER
// RUN: obs-run %s --entry=longer iota:4xi32 --device=emulate | FileCheck %s --check-prefix=LONGER
// LONGER: [0.0, 0.0, -1.0, -1.0]
func.func @longer(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x bf16> {
  %c1 = arith.constant 1 : i32
  %m = obs.map (%x = %a : !obs.pull<4 x i32>) -> !obs.pull<4 x bf16> {
    %b = arith.cmpi sgt, %x, %c1 : i32
    %i = arith.extsi %b : i1 to i32
    %f = arith.sitofp %i : i32 to bf16
    obs.yield %f : bf16
  }
  %r = obs.force %m {kernel = "longer"} : !obs.pull<4 x bf16>
  return %r : !obs.pull<4 x bf16>
}

func.func @unsigned(%a: !obs.pull<4 x i32>) -> !obs.pull<4 x f16> {
  %m = obs.map (%x = %a : !obs.pull<4 x i32>) -> !obs.pull<4 x f16> {
    %b = arith.trunci %x : i32 to i1
    %f = arith.uitofp %b : i1 to f16
    obs.yield %f : f16
  }
  %p = obs.push %m : !obs.pull<4 x f16> -> !obs.push<grid, 4 x f16>
  %r = obs.force %p {kernel = "unsigned"} : !obs.push<grid, 4 x f16> -> !obs.pull<4 x f16>
  return %r : !obs.pull<4 x f16>
}
