// The launch contract lists the steps of host functions.

// RUN: obs-translate --obs-to-launch-json %s | %python %S/Inputs/print-steps.py | FileCheck %s
// RUN: obs-translate --obs-to-launch-json %s -o %t.json
// DEFINE: %{plan} = %python %S/Inputs/run-plan.py %examples/interop/plan.py %t.json
// RUN: %{plan} columns 12 4 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: result [4, 3]
// RUN: not %{plan} halves 1 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: Unsupported: expressions have no word for arith.addf
// RUN: not %{plan} fixed 5 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: error: an array is no memref<4xi32>
// RUN: %{plan} fixed 4 | FileCheck %s --check-prefix=FOUR
// FOUR: result [2]
// REQUIRES: python

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @k(%a: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// Every operation on scalars is a step; constants are written where they are used.
// CHECK-LABEL: function scalars
// CHECK-NEXT: let name=v0 of=i32 i32 op=arith.addi operands=n 1 type=i32 value=(n + 1)
// CHECK-NEXT: let name=v1 of=i32 op=arith.index_castui operands=v0 type=index value=(v0 & 4294967295)
// CHECK-NEXT: let name=v2 of=index index op=arith.cmpi ult operands=v1 100 type=i1 value=ult(v1, 100)
// CHECK-NEXT: assert condition=v2 message=too many
// CHECK-NEXT: print format={} types=index values=v1
// CHECK-NEXT: let name=v3 of=index index op=arith.divsi operands=v1 3 type=index value=truncdiv(v1, 3)
// CHECK-NEXT: let name=v4 of=index index op=arith.subi operands=v3 1 type=index value=(v3 - 1)
// CHECK-NEXT: result v4
func.func @scalars(%n: i32 {obs.name = "n"}) -> index {
  %c1 = arith.constant 1 : i32
  %i1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %m = arith.addi %n, %c1 : i32
  %i = arith.index_castui %m : i32 to index
  %good = arith.cmpi ult, %i, %c100 : index
  cf.assert %good, "too many"
  obs.print "{}", %i : index
  %q = arith.divsi %i, %c3 : index
  %r = arith.subi %q, %i1 : index
  return %r : index
}

// A part of an array, read and written by the host.
// CHECK-LABEL: function element
// CHECK-NEXT: part array=a extents=1 name=v0 offsets=i strides=1
// CHECK-NEXT: host elementType=i32 extents=1 name=v1 size=4
// CHECK-NEXT: copy array=v1 from=v0
// CHECK-NEXT: load array=v1 at=0 name=v2
// CHECK-NEXT: store array=v1 at=0 value=5
// CHECK-NEXT: copy array=v0 from=v1
// CHECK-NEXT: launch arguments=a block=32 grid=7 kernel=k sharedBytes=0
// CHECK-NEXT: result v2
func.func @element(%a: memref<?xi32> {obs.name = "a"}, %i: index {obs.name = "i"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  %five = arith.constant 5 : i32
  %part = memref.subview %a[%i] [1] [1] : memref<?xi32> to memref<1xi32, strided<[1], offset: ?>>
  %host = memref.alloca() : memref<1xi32>
  gpu.memcpy %host, %part : memref<1xi32>, memref<1xi32, strided<[1], offset: ?>>
  %x = memref.load %host[%c0] : memref<1xi32>
  memref.store %five, %host[%c0] : memref<1xi32>
  gpu.memcpy %part, %host : memref<1xi32, strided<[1], offset: ?>>, memref<1xi32>
  %p = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<?xi32> to memref<i32>
  gpu.launch_func @kernels::@k blocks in (%c7, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<i32>)
  return %x : i32
}

// Parts of arrays are views that begin elsewhere; a pointer to one is passed on by its name.
// CHECK-LABEL: function rest
// CHECK-NEXT: let name=v0 of=i32 index op=memref.dim operands=a 0 type=index value=dim(a, 0)
// CHECK-NEXT: let name=v1 of=index index op=arith.subi operands=v0 i type=index value=(v0 - i)
// CHECK-NEXT: let name=v2 of=index index op=arith.muli operands=i 3 type=index value=(i * 3)
// CHECK-NEXT: view array=a extents=v1 name=v3 offset=i
// CHECK-NEXT: view array=v3 extents=2 2 name=v4 offset=v2
// CHECK-NEXT: launch arguments=v4 block=32 grid=7 kernel=k sharedBytes=0
// CHECK-NEXT: result v3
func.func @rest(%a: memref<?xi32> {obs.name = "a"}, %i: index {obs.name = "i"}) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  %m = arith.subi %n, %i : index
  %j = arith.muli %i, %c3 : index
  %rest = obs.part %a from %i extents(%m) : memref<?xi32> to memref<?xi32>
  %tile = obs.part %rest from %j : memref<?xi32> to memref<2x2xi32>
  %p = memref.reinterpret_cast %tile to offset: [0], sizes: [], strides: [] : memref<2x2xi32> to memref<i32>
  gpu.launch_func @kernels::@k blocks in (%c7, %c1, %c1) threads in (%c32, %c1, %c1) args(%p : memref<i32>)
  return %rest : memref<?xi32>
}

// A view is that of elements in order, whatever its type says of strides; columns, and what begins later, have strides.
// CHECK-LABEL: function inOrder
// CHECK-NEXT: view array=a extents=h 3 name=v0
// CHECK-NEXT: result v0
func.func @inOrder(%a: memref<?xi32> {obs.name = "a"}, %h: index {obs.name = "h"}) -> memref<?x3xi32, strided<[3, 1]>> {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [%h, 3], strides: [3, 1] : memref<?xi32> to memref<?x3xi32, strided<[3, 1]>>
  return %v : memref<?x3xi32, strided<[3, 1]>>
}

// CHECK-LABEL: function columns
// CHECK-NEXT: strided array=arg0 extents=arg1 3 name=v0 offset=0 strides=1 arg1
// CHECK-NEXT: result v0
func.func @columns(%a: memref<?xi32>, %h: index) -> memref<?x3xi32, strided<[1, ?]>> {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [%h, 3], strides: [1, %h] : memref<?xi32> to memref<?x3xi32, strided<[1, ?]>>
  return %v : memref<?x3xi32, strided<[1, ?]>>
}

// CHECK-LABEL: function padded
// CHECK-NEXT: strided array=arg0 extents=arg1 3 name=v0 offset=0 strides=4 1
// CHECK-NEXT: result v0
func.func @padded(%a: memref<?xi32>, %h: index) -> memref<?x3xi32, strided<[4, 1]>> {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [%h, 3], strides: [4, 1] : memref<?xi32> to memref<?x3xi32, strided<[4, 1]>>
  return %v : memref<?x3xi32, strided<[4, 1]>>
}

// CHECK-LABEL: function later
// CHECK-NEXT: strided array=arg0 extents=arg1 3 name=v0 offset=2 strides=3 1
// CHECK-NEXT: result v0
func.func @later(%a: memref<?xi32>, %h: index) -> memref<?x3xi32, strided<[3, 1], offset: 2>> {
  %v = memref.reinterpret_cast %a to offset: [2], sizes: [%h, 3], strides: [3, 1] : memref<?xi32> to memref<?x3xi32, strided<[3, 1], offset: 2>>
  return %v : memref<?x3xi32, strided<[3, 1], offset: 2>>
}

// Expressions have no word for it.
// CHECK-LABEL: function halves
// CHECK-NEXT: let name=v0 of=bf16 bf16 op=arith.addf operands=arg0 arg0 type=bf16{{$}}
// CHECK-NEXT: result v0
func.func @halves(%x: bf16) -> bf16 {
  %y = arith.addf %x, %x : bf16
  return %y : bf16
}

// A cast that may fail, and a column, which has one dimension less.
// CHECK-LABEL: function fixed
// CHECK-NEXT: cast array=a extents=4 name=v0 type=memref<4xi32>
// CHECK-NEXT: view array=v0 extents=2 2 name=v1
// CHECK-NEXT: part array=v1 dropped=1 extents=2 1 name=v2 offsets=0 1 strides=1 1
// CHECK-NEXT: result v2
func.func @fixed(%a: memref<?xi32> {obs.name = "a"}) -> memref<2xi32, strided<[2], offset: 1>> {
  %f = memref.cast %a : memref<?xi32> to memref<4xi32>
  %m = memref.reinterpret_cast %f to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xi32> to memref<2x2xi32>
  %c = memref.subview %m[0, 1] [2, 1] [1, 1] : memref<2x2xi32> to memref<2xi32, strided<[2], offset: 1>>
  return %c : memref<2xi32, strided<[2], offset: 1>>
}

// CHECK-LABEL: function jump
// CHECK-NEXT: unsupported cf.br
func.func @jump(%x: f32) -> f32 {
  cf.br ^next
^next:
  return %x : f32
}
}
