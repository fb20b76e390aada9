// The force that runs a program also does its writes beside the result.
// RUN: obs-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @beside
// CHECK: obs.force
// CHECK: return
func.func @beside(%m: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1 : i32
  %p = obs.fill par (%i) in (%c8) {
    obs.write %x at [%i] : i32
    memref.store %x, %m[%c0] : memref<1xi32>
  } : !obs.push<grid, 8 x i32>
  %q = obs.reverse %p dim 0 : !obs.push<grid, 8 x i32>
  %r = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// The memory is read after the force.
// CHECK-LABEL: @read
// CHECK: obs.force
// CHECK: return
func.func @read() -> i32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1 : i32
  %m = memref.alloc() : memref<1xi32>
  %p = obs.fill par (%i) in (%c8) {
    obs.write %x at [%i] : i32
    memref.store %x, %m[%c0] : memref<1xi32>
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %v = obs.view %m : memref<1xi32>
  %y = obs.get %v[%c0] : !obs.pull<1 x i32>
  return %y : i32
}

// A sub-program, and a branch.
// CHECK-LABEL: @inside
// CHECK: scf.if
// CHECK: obs.force
// CHECK: return
func.func @inside(%m: memref<1xi32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i32
  %one = obs.iota : !obs.pull<1 x index>
  scf.if %c {
    %d = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 8 x i32> {
      %c8 = arith.constant 8 : index
      %p = obs.fill par (%i) in (%c8) {
        obs.write %x at [%i] : i32
        memref.store %x, %m[%c0] : memref<1xi32>
      } : !obs.push<block, 8 x i32>
      obs.yield %p : !obs.push<block, 8 x i32>
    }
    %r = obs.force %d : !obs.push<grid, 1 x 8 x i32> -> !obs.pull<1 x 8 x i32>
  }
  return
}

// Only the program reads the memory that it writes. A memset prepares it.
// CHECK-LABEL: @own
// CHECK-NOT: obs.force
// CHECK: return
func.func @own(%a: !obs.pull<8 x i32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1 : i32
  %m = memref.alloc() : memref<1xi32>
  gpu.memset %m, %x : memref<1xi32>, i32
  %p = obs.fill par (%i) in (%c8) {
    %y = memref.load %m[%c0] : memref<1xi32>
    obs.write %y at [%i] : i32
    memref.store %x, %m[%c0] : memref<1xi32>
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %q = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %s = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}
