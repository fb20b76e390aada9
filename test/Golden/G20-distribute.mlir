// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-run %s --entry=add_maxima --device=interpret 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=1 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=17 --blocks=2 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=128 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT

// out[g] = maxima[g / s] + in[g]: elementwise with a scalar parameter; two loads,
// one store, nothing shared.
// CHECK: dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @add_maxima
// CHECK-NOT: gpu.barrier
// CHECK: arith.divui
// CHECK-COUNT-2: memref.load
// CHECK-COUNT-1: memref.store
// CHECK-NOT: memref.store
// CHECK: gpu.return

// g / 4 + g for g = 0, ..., 9
// RESULT: {{^}}[0, 1, 2, 3, 5, 6, 7, 8, 10, 11]{{$}}
func.func @add_maxima(%s: index, %in: !obs.pull<? x i32>, %maxima: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %n = obs.dim %in, 0 : !obs.pull<? x i32>
  %out = obs.generate (%g) [%n] {
    %b = arith.divui %g, %s : index
    %m = obs.get %maxima[%b] : !obs.pull<? x i32>
    %x = obs.get %in[%g] : !obs.pull<? x i32>
    %y = arith.addi %m, %x : i32
    obs.yield %y : i32
  } : !obs.pull<? x i32>
  %p = obs.push %out : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "add_maxima"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
