// A count does not wrap: the most that there can be has to fit its type.

// RUN: obs-run %s --entry=compact iota:127xi32 --device=interpret | FileCheck %s
// RUN: obs-run %s --entry=compact iota:127xi32 --device=emulate | FileCheck %s
// CHECK: [63]
// RUN: not obs-run %s --entry=compact iota:128xi32 --device=interpret 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not obs-run %s --entry=compact iota:128xi32 --device=emulate 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: {{.*}}[count-range]
func.func @compact(%a: !obs.pull<? x i32>) -> !obs.pull<1 x i8> {
  %flags = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i1> {
    %f = arith.trunci %x : i32 to i1
    obs.yield %f : i1
  }
  %p, %n = obs.compact %a flags %flags : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i8>
  %f = obs.force %n : !obs.push<grid, 1 x i8> -> !obs.pull<1 x i8>
  return %f : !obs.pull<1 x i8>
}

// RUN: obs-run %s --entry=expand iota:4xi32 127 --device=emulate | FileCheck %s --check-prefix=SUM
// SUM: [6]
// RUN: not obs-run %s --entry=expand iota:4xi32 128 --device=interpret 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not obs-run %s --entry=expand iota:4xi32 128 --device=emulate 2>&1 | FileCheck %s --check-prefix=MANY
func.func @expand(%a: !obs.pull<? x i32>, %k: index) -> !obs.pull<1 x i8> {
  %p, %n = obs.expand (%i, %j) = %a [%k] : !obs.pull<? x i32> -> !obs.push<grid, ? x index>, !obs.push<grid, 1 x i8> {
    obs.yield %i : index
  }
  %f = obs.force %n : !obs.push<grid, 1 x i8> -> !obs.pull<1 x i8>
  return %f : !obs.pull<1 x i8>
}
