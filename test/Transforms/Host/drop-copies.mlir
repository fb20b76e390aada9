// RUN: obs-opt %s --obs-drop-copies | FileCheck %s

// The stored array replaces its copy, and has the name of the copy.
// CHECK-LABEL: func.func @stored
// CHECK: %[[S:.*]] = obs.force %{{.*}} {kernel = "k"}
// CHECK-NOT: obs.force
// CHECK: return %[[S]]
func.func @stored(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %p = obs.fill par (%i) in (%c8) {
    %at = arith.subi %c7, %i : index
    %x = obs.get %a[%at] : !obs.pull<8 x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  %s = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %c = obs.fill par (%i) in (%c8) {
    %x = obs.get %s[%i] : !obs.pull<8 x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %c {kernel = "k"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// An argument is copied, because the caller may change it.
// CHECK-LABEL: func.func @argument
// CHECK: %[[R:.*]] = obs.force
// CHECK: return %[[R]]
func.func @argument(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %c8 = arith.constant 8 : index
  %c = obs.fill par (%i) in (%c8) {
    %x = obs.get %a[%i] : !obs.pull<8 x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %c : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// Two results of one program are one array.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[R:.*]] = obs.force %{{[^,]*}} :
// CHECK: return %[[R]], %[[R]]
func.func @repeated(%a: !obs.pull<8 x i32>) -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>) {
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %p = obs.fill par (%i) in (%c8) {
    %at = arith.subi %c7, %i : index
    %x = obs.get %a[%at] : !obs.pull<8 x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  %r, %s = obs.force %p, %p : !obs.push<grid, 8 x i32>, !obs.push<grid, 8 x i32> -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>)
  return %r, %s : !obs.pull<8 x i32>, !obs.pull<8 x i32>
}

// A view of memory that the program allocates, and that nothing writes later.
// CHECK-LABEL: func.func @view
// CHECK: %[[V:.*]] = obs.view
// CHECK-NOT: obs.force
// CHECK: return %[[V]]
func.func @view(%n: index, %x: i32) -> !obs.pull<? x i32> {
  %m = memref.alloc(%n) : memref<?xi32>
  %p = obs.fill [%n] par (%i) in (%n) {
    obs.write %x at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p into %m : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  %v = obs.view %m : memref<?xi32>
  %c = obs.fill [%n] par (%i) in (%n) {
    %z = obs.get %v[%i] : !obs.pull<? x i32>
    obs.write %z at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %c : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// The copy has fewer elements than the memory.
// CHECK-LABEL: func.func @part_of_view
// CHECK: obs.view
// CHECK: %[[R:.*]] = obs.force
// CHECK: return %[[R]]
func.func @part_of_view(%n: index, %k: index, %x: i32) -> !obs.pull<? x i32> {
  %m = memref.alloc(%n) : memref<?xi32>
  %p = obs.fill [%n] par (%i) in (%n) {
    obs.write %x at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p into %m : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  %v = obs.view %m : memref<?xi32>
  %c = obs.fill [%k] par (%i) in (%k) {
    %z = obs.get %v[%i] : !obs.pull<? x i32>
    obs.write %z at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %c : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
