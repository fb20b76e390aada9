// A fill onto a view, which is forced into the memory of the view: the memory has its
// contents, so nothing is copied. Each iteration reads only elements that no other one writes.

// DEFINE: %{interpret} = obs-run %s --device=interpret
// DEFINE: %{emulate} = obs-run %s --device=emulate --schedule=random --seed=2
// RUN: %{interpret} --entry=double iota:8xi32 3 | FileCheck %s --check-prefix=DOUBLE
// RUN: %{emulate} --entry=double iota:8xi32 3 | FileCheck %s --check-prefix=DOUBLE
// RUN: %{interpret} --entry=row iota:3x2xi32 1 | FileCheck %s --check-prefix=ROW
// RUN: %{emulate} --entry=row iota:3x2xi32 1 | FileCheck %s --check-prefix=ROW
// RUN: %{interpret} --entry=stored iota:4xi32 zeros:4xi32 | FileCheck %s --check-prefix=STORED
// RUN: %{emulate} --entry=stored iota:4xi32 zeros:4xi32 | FileCheck %s --check-prefix=STORED
// RUN: %{interpret} --entry=carried iota:4xi32 3 | FileCheck %s --check-prefix=CARRIED
// RUN: %{emulate} --entry=carried iota:4xi32 3 | FileCheck %s --check-prefix=CARRIED
// RUN: %{interpret} --entry=pairs iota:4xi32 zeros:4xf32 | FileCheck %s --check-prefix=PAIRS
// RUN: %{emulate} --entry=pairs iota:4xi32 zeros:4xf32 | FileCheck %s --check-prefix=PAIRS
// RUN: %{interpret} --entry=loops iota:4xi32 | FileCheck %s --check-prefix=LOOPS
// RUN: %{emulate} --entry=loops iota:4xi32 | FileCheck %s --check-prefix=LOOPS
// RUN: %{interpret} --entry=thread | FileCheck %s --check-prefix=THREAD
// RUN: %{emulate} --entry=thread | FileCheck %s --check-prefix=THREAD
// RUN: %{interpret} --entry=other iota:4xi32 zeros:4xi32 | FileCheck %s --check-prefix=OTHER
// RUN: %{emulate} --entry=other iota:4xi32 zeros:4xi32 | FileCheck %s --check-prefix=OTHER
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=IR

// IR-LABEL: func.func @double
// IR-NOT: memcpy
// IR-LABEL: func.func @row
// IR-NOT: memcpy
// IR-LABEL: func.func @stored
// IR-NOT: memcpy
// IR-LABEL: func.func @carried
// IR-NOT: memcpy
// IR-LABEL: func.func @pairs
// IR-NOT: memcpy
// IR-LABEL: func.func @loops
// IR-NOT: memcpy
// IR-LABEL: func.func @thread
// IR-LABEL: func.func @other
// IR: gpu.memcpy
// IR-LABEL: gpu.func @thread_kernel
// IR: memref.alloca
// IR-COUNT-4: memref.store
// IR-NOT: memref.store
// IR: gpu.return

// The first elements are doubled.
// DOUBLE: {{^}}[0, 2, 4, 3, 4, 5, 6, 7]{{$}}
func.func @double(%m: memref<?xi32>, %count: index) -> !obs.pull<? x i32> {
  %v = obs.view %m : memref<?xi32>
  %n = obs.dim %v, 0 : !obs.pull<? x i32>
  %p = obs.fill onto %v : !obs.pull<? x i32> [%n] par (%i) in (%count) {
    %x = obs.get %v[%i] : !obs.pull<? x i32>
    %y = arith.addi %x, %x : i32
    obs.write %y at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p into %m : !obs.push<grid, ? x i32> into memref<?xi32>
  return %r : !obs.pull<? x i32>
}

// The elements of one row are exchanged.
// ROW: {{^\[\[}}0, 1],
// ROW-NEXT: [3, 2],
// ROW-NEXT: [4, 5]]
func.func @row(%m: memref<3x2xi32>, %row: index) -> !obs.pull<3 x 2 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.view %m : memref<3x2xi32>
  %p = obs.fill onto %v : !obs.pull<3 x 2 x i32> par (%i) in (%c1) {
    %x = obs.get %v[%row, %c0] : !obs.pull<3 x 2 x i32>
    %y = obs.get %v[%row, %c1] : !obs.pull<3 x 2 x i32>
    obs.write %y at [%row, %c0] : i32
    obs.write %x at [%row, %c1] : i32
  } : !obs.push<grid, 3 x 2 x i32>
  %r = obs.force %p into %m : !obs.push<grid, 3 x 2 x i32> into memref<3x2xi32>
  return %r : !obs.pull<3 x 2 x i32>
}

// The view is the result of a force.
// STORED: {{^}}[0, 2, 2, 3]{{$}}
func.func @stored(%a: !obs.pull<4 x i32>, %m: memref<4xi32>) -> !obs.pull<4 x i32> {
  %c2 = arith.constant 2 : index
  %f = obs.force %a into %m : !obs.pull<4 x i32> into memref<4xi32>
  %p = obs.fill onto %f : !obs.pull<4 x i32> par (%i) in (%c2) {
    %x = obs.get %f[%i] : !obs.pull<4 x i32>
    %y = arith.addi %x, %x : i32
    obs.write %y at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %p into %m : !obs.push<grid, 4 x i32> into memref<4xi32>
  return %r : !obs.pull<4 x i32>
}

// A loop carries the memory: iteration k adds 10 to element k.
// CARRIED: {{^}}[10, 11, 12, 3]{{$}}
func.func @carried(%m: memref<4xi32>, %n: index) -> !obs.pull<4 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ten = arith.constant 10 : i32
  %v = obs.view %m : memref<4xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %v) -> !obs.pull<4 x i32> {
    %p = obs.fill onto %s : !obs.pull<4 x i32> par (%t) in (%c1) {
      %x = obs.get %s[%k] : !obs.pull<4 x i32>
      %y = arith.addi %x, %ten : i32
      obs.write %y at [%k] : i32
    } : !obs.push<grid, 4 x i32>
    %f = obs.force %p into %m : !obs.push<grid, 4 x i32> into memref<4xi32>
    scf.yield %f : !obs.pull<4 x i32>
  }
  return %r : !obs.pull<4 x i32>
}

// PAIRS: {{^}}[0, 2, 2, 3]{{$}}
// PAIRS-NEXT: {{^}}[1.0, 1.0, 0.0, 0.0]{{$}}
func.func @pairs(%m: memref<4xi32>, %n: memref<4xf32>) -> !obs.pull<4 x i32, f32> {
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %v = obs.view %m, %n : memref<4xi32>, memref<4xf32>
  %p = obs.fill onto %v : !obs.pull<4 x i32, f32> par (%i) in (%c2) {
    %x, %f = obs.get %v[%i] : !obs.pull<4 x i32, f32>
    %y = arith.addi %x, %x : i32
    %g = arith.addf %f, %one : f32
    obs.write %y, %g at [%i] : i32, f32
  } : !obs.push<grid, 4 x i32, f32>
  %r = obs.force %p into %m, %n : !obs.push<grid, 4 x i32, f32> into memref<4xi32>, memref<4xf32>
  return %r : !obs.pull<4 x i32, f32>
}

// Several loops, which read nothing.
// LOOPS: {{^}}[7, 1, 2, 7]{{$}}
func.func @loops(%m: memref<4xi32>) -> !obs.pull<4 x i32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7 : i32
  %v = obs.view %m : memref<4xi32>
  %p = obs.fill onto %v : !obs.pull<4 x i32> {
    obs.par (%i) in (%c1) {
      obs.write %seven at [%i] : i32
    }
    obs.par (%i) in (%c1) {
      %j = arith.addi %i, %c3 : index
      obs.write %seven at [%j] : i32
    }
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %p into %m : !obs.push<grid, 4 x i32> into memref<4xi32>
  return %r : !obs.pull<4 x i32>
}

// The memory of a thread: the loads and stores are those of the program.
// THREAD: {{^}}[5, 6, 7]{{$}}
func.func @thread() -> !obs.pull<3 x i32> {
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i32
  %ids = obs.iota : !obs.pull<3 x i32>
  %d = obs.distribute thread in grid (%i = %ids : !obs.pull<3 x i32>) {
    %c0 = arith.constant 0 : index
    %m = memref.alloca() : memref<2xi32>
    memref.store %i, %m[%c0] : memref<2xi32>
    memref.store %five, %m[%c1] : memref<2xi32>
    %v = obs.view %m : memref<2xi32>
    %p = obs.fill onto %v : !obs.pull<2 x i32> par (%t) in (%c1) {
      %x = obs.get %v[%t] : !obs.pull<2 x i32>
      %y = arith.addi %x, %five : i32
      obs.write %y at [%t] : i32
    } : !obs.push<thread, 2 x i32>
    %f = obs.force %p into %m : !obs.push<thread, 2 x i32> into memref<2xi32>
    %first = obs.take %f [1] : !obs.pull<2 x i32>
    %q = obs.push thread %first : !obs.pull<1 x i32>
    obs.yield %q : !obs.push<thread, 1 x i32>
  }
  %flat = obs.join %d : !obs.push<grid, 3 x 1 x i32>
  %r = obs.force %flat : !obs.push<grid, 3 x i32>
  return %r : !obs.pull<3 x i32>
}

// Other memory gets a copy.
// OTHER: {{^}}[9, 1, 2, 3]{{$}}
func.func @other(%m: memref<4xi32>, %o: memref<4xi32>) -> !obs.pull<4 x i32> {
  %c1 = arith.constant 1 : index
  %nine = arith.constant 9 : i32
  %v = obs.view %m : memref<4xi32>
  %p = obs.fill onto %v : !obs.pull<4 x i32> par (%i) in (%c1) {
    obs.write %nine at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %p into %o : !obs.push<grid, 4 x i32> into memref<4xi32>
  return %r : !obs.pull<4 x i32>
}
