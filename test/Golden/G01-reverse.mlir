// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-run %s --entry=rev --device=interpret iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=rev --device=emulate iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=rev --device=emulate --threads=1 iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=rev --device=emulate --threads=17 --blocks=2 iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=rev --device=emulate --threads=128 iota:9xi32 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=rev --device=interpret iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=rev --device=emulate iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=rev --device=emulate --threads=1 iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=rev --device=emulate --threads=17 --blocks=2 iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=rev --device=emulate --threads=128 iota:0xi32 | FileCheck %s --check-prefix=EMPTY

// rev; sync: the reversed array is stored, then copied out. Thread t writes and
// reads its own element n - 1 - t of the source, so the table's barrier is not
// needed.
// CHECK: dynamic_shared_memory_size %c4096_i32
// CHECK: gpu.func @rev
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return

// RESULT: {{^}}[8, 7, 6, 5, 4, 3, 2, 1, 0]{{$}}
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
