// RUN: obs-run %s --entry=memory 3 | FileCheck %s --check-prefix=MEMORY
// RUN: not obs-run %s --entry=memory 0 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not obs-run %s --entry=uninitialized 2>&1 | FileCheck %s --check-prefix=UNINIT

// MEMORY: {{^}}3{{$}}
// MEMORY-NEXT: {{^}}7{{$}}
// RANGE: memory.mlir:[[#@LINE+6]]:3: error: index [0, 1] is outside of memory with extents [0, 2]
func.func @memory(%n: index) -> (index, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 7 : i32
  %m = memref.alloc(%n) : memref<?x2xi32>
  memref.store %x, %m[%c0, %c1] : memref<?x2xi32>
  %d = memref.dim %m, %c0 : memref<?x2xi32>
  %y = memref.load %m[%c0, %c1] : memref<?x2xi32>
  memref.dealloc %m : memref<?x2xi32>
  return %d, %y : index, i32
}

// UNINIT: memory.mlir:[[#@LINE+3]]:8: error: element [] of the memory was never written
func.func @uninitialized() -> f32 {
  %m = memref.alloca() : memref<f32>
  %y = memref.load %m[] : memref<f32>
  return %y : f32
}
