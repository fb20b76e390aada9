// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=two_rev --device=emulate --report iota:9xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=two_rev --device=interpret iota:9xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=two_rev --device=emulate iota:9xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=1 iota:9xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=17 --blocks=2 iota:9xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=32 iota:9xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=128 --blocks=3 iota:9xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:9xi32 | FileCheck %s --check-prefix=ODD
// RUN: obs-run %s --entry=two_rev --device=interpret iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=1 iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=17 --blocks=2 iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=32 iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=128 --blocks=3 iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:8xi32 | FileCheck %s --check-prefix=EVEN
// RUN: obs-run %s --entry=two_rev --device=interpret iota:1xi32 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=two_rev --device=emulate iota:1xi32 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=17 --blocks=2 iota:1xi32 | FileCheck %s --check-prefix=ONE
// RUN: %python -c "import array; array.array('i', list(range(511, -1, -1)) + list(range(1022, 511, -1))).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=two_rev --device=interpret iota:1023xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=two_rev --device=emulate iota:1023xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=17 --blocks=2 iota:1023xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=two_rev --device=emulate --threads=1024 iota:1023xi32 --out=%t.out
// RUN: cmp %t.out %t.want

// two rev; sync: one load with one selected index, test thread < n - n / 2, and no
// branch on the data path. The barrier is not needed, as in G01.
// CHECK: threads in (%c128, %c1, %c1) dynamic_shared_memory_size %c4096_i32
// CHECK: gpu.func @two_rev
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %thread_id_x to %[[N:.*]] step %c128
// CHECK: %[[LOW:.*]] = arith.cmpi ult, %[[I]], %{{.*}}
// CHECK: %[[J:.*]] = arith.select %[[LOW]]
// CHECK: memref.load %reinterpret_cast[%[[J]]]
// CHECK: memref.store %{{.*}}, %view[%[[I]]]
// CHECK: scf.for %[[K:.*]] = %thread_id_x to %[[N]] step %c128
// CHECK: memref.load %view[%[[K]]]
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[K]], %[[N]]
// CHECK: scf.if %[[IN]]
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[%[[K]]]
// CHECK: gpu.return

// Each element is read and written once.
// COST: threads=128 shared-bytes=4096 block-barriers=0 warp-barriers=0 bytes-loaded=36 bytes-stored=36 atomics=0{{$}}

// Halves of n - n / 2 and n / 2 elements: 5 and 4, 4 and 4, 1 and 0.
// ODD: {{^}}[4, 3, 2, 1, 0, 8, 7, 6, 5]{{$}}
// EVEN: {{^}}[3, 2, 1, 0, 7, 6, 5, 4]{{$}}
// ONE: {{^}}[0]{{$}}

func.func @two_rev(%a: !obs.pull<? x i32 bound [1024]>) -> !obs.pull<? x i32 bound [1024]> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32 bound [1024]>
  %whole = obs.generate (%i) {
    obs.yield %a : !obs.pull<? x i32 bound [1024]>
  } : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>) -> !obs.push<grid, 1 x ? x i32 bound [1, 1024]> {
    // The first half has n - n/2 elements.
    %c1 = arith.constant 1 : index
    %half = arith.shrui %n, %c1 : index
    %h = arith.subi %n, %half : index
    %lo = obs.slice %c [0] [%h] [1] : !obs.pull<? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
    %hi = obs.slice %c [%h] [%half] [1] : !obs.pull<? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
    %rlo = obs.reverse %lo : !obs.pull<? x i32 bound [1024]>
    %rhi = obs.reverse %hi : !obs.pull<? x i32 bound [1024]>
    %v = obs.concat %rlo, %rhi : !obs.pull<? x i32 bound [1024]>, !obs.pull<? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>

    %p = obs.push %v : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
    %s = obs.force %p : !obs.push<block, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
    %q = obs.push %s : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
    obs.yield %q : !obs.push<block, ? x i32 bound [1024]>
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 1024]> -> !obs.push<grid, ? x i32 bound [1024]>
  %r = obs.force %flat {kernel = "two_rev", threads = 128 : i64} : !obs.push<grid, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
  return %r : !obs.pull<? x i32 bound [1024]>
}
