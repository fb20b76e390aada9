// RUN: obs-opt %s --obs-to-gpu=tiles=false | FileCheck %s --implicit-check-not='{{gpu.barrier|warp.sync|arith.select|memref.store}}'
// RUN: obs-translate --no-tiles --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// RUN: obs-run %s --entry=histogram --device=interpret iota:300xi32 10 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=histogram --device=emulate iota:300xi32 10 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=histogram --device=emulate --threads=1 --blocks=1 iota:300xi32 10 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=histogram --device=emulate --threads=96 --blocks=7 --schedule=random --seed=3 iota:300xi32 10 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --entry=histogram --device=emulate iota:0xi32 3 | FileCheck %s --check-prefix=EMPTY

// Without copies: one atomic addition for each key, whose result nobody uses. The map of the
// keys is fused: no array, no barrier.
// CHECK: gpu.memset
// CHECK: dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @histogram
// CHECK: memref.load
// CHECK: memref.atomic_rmw addi
// CHECK-NOT: memref.{{load|atomic_rmw}}
// CHECK: gpu.return
// PTX: .entry histogram(
// PTX-NOT: {{atom|red}}.
// PTX: red.relaxed.gpu.global.add.u32
// PTX-NOT: {{atom|red}}.
// PTX: ret

// 300 keys mod 10.
// RESULT: {{^}}[30, 30, 30, 30, 30, 30, 30, 30, 30, 30]{{$}}
// EMPTY: {{^}}[0, 0, 0]{{$}}
func.func @histogram(%a: !obs.pull<? x i32>, %range: index) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %keys = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x index> {
    %i = arith.index_cast %x : i32 to index
    %k = arith.remui %i, %range : index
    obs.yield %k : index
  }
  %p = obs.fill init %zero reduce(addi) [%range] par (%i) in (%n) {
    %k = obs.get %keys[%i] : !obs.pull<? x index>
    obs.write %one at [%k] : i32
  } {strategy = "atomic"} : !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "histogram"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
