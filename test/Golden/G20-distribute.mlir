// RUN: obs-opt %s --obs-to-gpu=tiles=false | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=add_maxima --device=emulate --report 4 iota:10xi32 iota:3xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=add_maxima --device=interpret 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=1 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=17 --blocks=2 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=32 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=128 --blocks=3 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds 4 iota:10xi32 iota:3xi32 | FileCheck %s --check-prefix=RESULT
// RUN: %python -c "import array; array.array('i', [7 * g - 900 for g in range(1000)]).tofile(open('%t.in', 'wb')); array.array('i', [b * b * 1000 for b in range(32)]).tofile(open('%t.max', 'wb')); array.array('i', [(g // 32) ** 2 * 1000 + 7 * g - 900 for g in range(1000)]).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=add_maxima --device=interpret 32 %t.in:i32 %t.max:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=add_maxima --device=emulate 32 %t.in:i32 %t.max:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=17 --blocks=3 32 %t.in:i32 %t.max:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=32 --blocks=1 32 %t.in:i32 %t.max:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=128 --blocks=1000 32 %t.in:i32 %t.max:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=add_maxima --device=emulate --threads=128 --schedule=random --seed=3 --check=bounds 32 %t.in:i32 %t.max:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// out[g] = maxima[g / s] + in[g]: elementwise with a scalar parameter; two loads,
// one store, nothing shared. One loop over the grid runs any extent.
// CHECK: dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @add_maxima
// CHECK: scf.for %[[G:.*]] = %{{.*}} to %dim step
// CHECK: %[[B:.*]] = arith.divui %[[G]], %arg0
// CHECK: memref.load %reinterpret_cast_0[%[[B]]]
// CHECK: memref.load %reinterpret_cast[%[[G]]]
// CHECK: memref.store %{{.*}}, %reinterpret_cast_1[%[[G]]]
// CHECK: gpu.return

// COST: threads=256 shared-bytes=0 block-barriers=0 warp-barriers=0 bytes-loaded=80 bytes-stored=40 atomics=0{{$}}

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
