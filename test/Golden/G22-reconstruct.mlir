// RUN: obs-opt %s --obs-to-gpu=tiles=false | FileCheck %s --implicit-check-not='{{gpu.barrier|warp.sync|arith.select|memref.store}}'
// RUN: %python -c "import array; array.array('i', [0, 1, 2, 2, 2, 4, 4, 5, 5, 5, 5]).tofile(open('%t.p', 'wb')); array.array('i', [0, 1, 2, 2, 2, 3, 3, 4, 4, 4, 4]).tofile(open('%t.q', 'wb'))"
// RUN: obs-run %s --entry=counting --device=interpret %t.p:i32 5 | FileCheck %s --check-prefix=SORTED
// RUN: obs-run %s --entry=counting --device=emulate %t.p:i32 5 | FileCheck %s --check-prefix=SORTED
// RUN: obs-run %s --entry=counting --device=emulate --threads=17 --blocks=3 --schedule=random --seed=3 %t.p:i32 5 | FileCheck %s --check-prefix=SORTED
// RUN: obs-run %s --entry=occurrence --device=interpret %t.q:i32 4 | FileCheck %s --check-prefix=UNIQUE
// RUN: obs-run %s --entry=occurrence --device=emulate %t.q:i32 4 | FileCheck %s --check-prefix=UNIQUE
// RUN: obs-run %s --entry=occurrence --device=emulate --threads=1 --blocks=1 %t.q:i32 4 | FileCheck %s --check-prefix=UNIQUE

// The last step of counting sort: key g fills the places p[g], ..., p[g+1] - 1; of
// occurrence sort: the place p[g] if there is one. No barrier, no stored array.
// CHECK: gpu.func @counting
// CHECK-COUNT-2: memref.load
// CHECK: scf.for
// CHECK: memref.store %{{.*}} {obs.contract = "disjoint"}
// CHECK: gpu.return
// CHECK: gpu.func @occurrence
// CHECK-COUNT-2: memref.load
// CHECK: scf.if
// CHECK: memref.store %{{.*}} {obs.contract = "disjoint"}
// CHECK: gpu.return

// Keys 5, 2, 5, 7, 1 of 1, ..., 10; position g is that of key g + 1.
// SORTED: {{^}}[1, 2, 5, 5, 7]{{$}}
// UNIQUE: {{^}}[1, 2, 5, 7]{{$}}
func.func @counting(%p: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %length = obs.dim %p, 0 : !obs.pull<? x i32>
  %range = arith.subi %length, %c1 : index
  %q = obs.fill unchecked [%n] par (%g) in (%range) {
    %h = arith.addi %g, %c1 : index
    %from = obs.get %p[%g] : !obs.pull<? x i32>
    %to = obs.get %p[%h] : !obs.pull<? x i32>
    %begin = arith.index_cast %from : i32 to index
    %end = arith.index_cast %to : i32 to index
    %value = arith.index_cast %h : index to i32
    scf.for %i = %begin to %end step %c1 {
      obs.write %value at [%i] : i32
    }
  } : !obs.push<grid, ? x i32>
  %r = obs.force %q {kernel = "counting"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @occurrence(%p: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %length = obs.dim %p, 0 : !obs.pull<? x i32>
  %range = arith.subi %length, %c1 : index
  %q = obs.fill unchecked [%n] par (%g) in (%range) {
    %h = arith.addi %g, %c1 : index
    %from = obs.get %p[%g] : !obs.pull<? x i32>
    %to = obs.get %p[%h] : !obs.pull<? x i32>
    %count = arith.subi %to, %from : i32
    %is = arith.cmpi eq, %count, %one : i32
    scf.if %is {
      %begin = arith.index_cast %from : i32 to index
      %value = arith.index_cast %h : index to i32
      obs.write %value at [%begin] : i32
    }
  } : !obs.push<grid, ? x i32>
  %r = obs.force %q {kernel = "occurrence"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
