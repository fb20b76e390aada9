// RUN: obs-opt %s --obs-to-gpu=tiles=false | FileCheck %s --implicit-check-not='{{gpu.barrier|warp.sync|arith.select|atomic}}'
// RUN: %python -c "import array; array.array('i', [5, 2, 5, 7, 1]).tofile(open('%t.in', 'wb'))"
// RUN: obs-run %s --device=interpret %t.in:i32 10 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --device=emulate %t.in:i32 10 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --device=emulate --threads=1 --blocks=2 %t.in:i32 10 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --device=emulate --threads=96 --schedule=random --seed=3 %t.in:i32 10 | FileCheck %s --check-prefix=RESULT

// Several threads may write one element, all of them 1: a plain store.
// CHECK: gpu.func @occurs
// CHECK: memref.load
// CHECK: memref.store %c1_i32, %{{.*}} {obs.contract = "any"}
// CHECK-NOT: memref.{{load|store}}
// CHECK: gpu.return

// RESULT: {{^}}[1, 1, 0, 0, 1, 0, 1, 0, 0, 0]{{$}}
func.func @main(%a: !obs.pull<? x i32>, %range: index) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %zero any [%range] par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    %y = arith.subi %x, %one : i32
    %k = arith.index_cast %y : i32 to index
    obs.write %one at [%k] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "occurs"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
