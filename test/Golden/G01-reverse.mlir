// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --entry=rev --device=emulate --report iota:9xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=rev --device=interpret iota:9xi32 | FileCheck %s --check-prefix=NINE
// RUN: obs-run %s --entry=rev --device=emulate iota:9xi32 | FileCheck %s --check-prefix=NINE
// RUN: obs-run %s --entry=rev --device=emulate --threads=1 iota:9xi32 | FileCheck %s --check-prefix=NINE
// RUN: obs-run %s --entry=rev --device=emulate --threads=17 --blocks=2 iota:9xi32 | FileCheck %s --check-prefix=NINE
// RUN: obs-run %s --entry=rev --device=emulate --threads=32 iota:9xi32 | FileCheck %s --check-prefix=NINE
// RUN: obs-run %s --entry=rev --device=emulate --threads=128 --blocks=3 iota:9xi32 | FileCheck %s --check-prefix=NINE
// RUN: obs-run %s --entry=rev --device=emulate --threads=32 --schedule=random --seed=3 --check=bounds iota:9xi32 | FileCheck %s --check-prefix=NINE
// RUN: obs-run %s --entry=rev --device=interpret iota:1xi32 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=rev --device=emulate iota:1xi32 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=rev --device=emulate --threads=17 --blocks=2 iota:1xi32 | FileCheck %s --check-prefix=ONE
// RUN: obs-run %s --entry=rev --device=interpret iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=rev --device=emulate iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=rev --device=emulate --threads=17 --blocks=2 iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: %python -c "import array; array.array('i', list(range(1023, -1, -1))).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=rev --device=interpret iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=rev --device=emulate iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=rev --device=emulate --threads=17 --blocks=2 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=rev --device=emulate --threads=1024 iota:1024xi32 --out=%t.out
// RUN: cmp %t.out %t.want

// rev; sync: the reversed array is stored, then copied out. The two loops give
// a thread the same elements, so the table's barrier is not needed: thread t
// reads element n - 1 - t of the source and its own elements of the copy.
// CHECK: threads in (%c128, %c1, %c1) dynamic_shared_memory_size %c4096_i32
// CHECK: gpu.func @rev
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %thread_id_x to %[[N:.*]] step %c128
// CHECK: %[[J:.*]] = arith.subi %{{.*}}, %[[I]]
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

// NINE: {{^}}[8, 7, 6, 5, 4, 3, 2, 1, 0]{{$}}
// ONE: {{^}}[0]{{$}}
// EMPTY: {{^}}[]{{$}}

func.func @rev(%a: !obs.pull<? x i32 bound [1024]>) -> !obs.pull<? x i32 bound [1024]> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32 bound [1024]>
  %whole = obs.generate (%i) {
    obs.yield %a : !obs.pull<? x i32 bound [1024]>
  } : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>) -> !obs.push<grid, 1 x ? x i32 bound [1, 1024]> {
    %v = obs.reverse %c : !obs.pull<? x i32 bound [1024]>
    %p = obs.push %v : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
    %s = obs.force %p : !obs.push<block, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
    %q = obs.push %s : !obs.pull<? x i32 bound [1024]> -> !obs.push<block, ? x i32 bound [1024]>
    obs.yield %q : !obs.push<block, ? x i32 bound [1024]>
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 1024]> -> !obs.push<grid, ? x i32 bound [1024]>
  %r = obs.force %flat {kernel = "rev", threads = 128 : i64} : !obs.push<grid, ? x i32 bound [1024]> -> !obs.pull<? x i32 bound [1024]>
  return %r : !obs.pull<? x i32 bound [1024]>
}
