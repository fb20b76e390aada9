// RUN: obs-opt %s --obs-insert-runtime-checks --canonicalize | FileCheck %s
// RUN: obs-opt %s --obs-insert-runtime-checks=host-only=true --canonicalize | FileCheck %s --check-prefix=HOST

// CHECK-LABEL: @zip
// CHECK-DAG: %[[N:.*]] = obs.dim %arg0, 0
// CHECK-DAG: %[[M:.*]] = obs.dim %arg1, 0
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[N]], %[[M]]
// CHECK: obs.assert %[[OK]], "[R4-extents] obs.zip
func.func @zip(%a: !obs.pull<? x i32>, %b: !obs.pull<? x f32>) -> !obs.pull<? x i32, f32> {
  %z = obs.zip %a, %b : !obs.pull<? x i32>, !obs.pull<? x f32>
  return %z : !obs.pull<? x i32, f32>
}

// Only the extent that the types leave open.
// CHECK-LABEL: @concat
// CHECK-COUNT-1: obs.assert
// CHECK-NOT: obs.assert
// CHECK: return
func.func @concat(%a: !obs.pull<? x ? x i32>, %b: !obs.pull<? x 4 x i32>) -> !obs.pull<? x 4 x i32> {
  %c = obs.concat %a, %b : !obs.pull<? x ? x i32>, !obs.pull<? x 4 x i32> -> !obs.pull<? x 4 x i32>
  return %c : !obs.pull<? x 4 x i32>
}

// Types prove these extents, so there is no check. A pad makes every chunk size right.
// CHECK-LABEL: @proved
// CHECK-NOT: obs.assert
// CHECK: return
func.func @proved(%a: !obs.pull<8 x i32>, %b: !obs.pull<? x i32>) {
  %zero = arith.constant 0 : i32
  %z = obs.zip %a, %a : !obs.pull<8 x i32>, !obs.pull<8 x i32>
  %s = obs.split %b by [4] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<4 x i32>>
  %t = obs.take %a [3] : !obs.pull<8 x i32> -> !obs.pull<3 x i32>
  return
}

// CHECK-LABEL: @split
// CHECK: %[[R:.*]] = arith.remui
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[R]]
// CHECK: obs.assert %[[OK]], "[R4-extents] obs.split
func.func @split(%a: !obs.pull<? x i32>) -> index {
  %s = obs.split %a by [4] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<4 x i32>>
  %n = obs.dim %s, 0 : !obs.pull<? x !obs.pull<4 x i32>>
  return %n : index
}

// An empty slice reads nothing and so never leaves the array.
// CHECK-LABEL: @slice
// CHECK: arith.ori
// CHECK: obs.assert {{.*}}, "[R4-extents] obs.slice
func.func @slice(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %s = obs.slice %a [1] [%n] [2] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %s : !obs.pull<? x i32>
}

// Extents and chunk sizes that are given as numbers; those of arrays are never negative.
// CHECK-LABEL: @numbers
// CHECK: %[[OK:.*]] = arith.cmpi ule, %arg1
// CHECK: obs.assert %[[OK]], "[R4-extents] obs.iota
// CHECK: %[[OK:.*]] = arith.cmpi sgt, %arg1
// CHECK: obs.assert %[[OK]], "[R4-extents] obs.split
// CHECK: obs.assert %{{.*}}, "[R4-extents] obs.split: chunks have more than 2^48 elements"
// CHECK-NOT: obs.assert
// CHECK: return
func.func @numbers(%a: !obs.pull<? x i32>, %n: index) -> (!obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<? x !obs.pull<? x i32>>) {
  %zero = arith.constant 0 : i32
  %i = obs.iota [%n] : !obs.pull<? x i32>
  %m = obs.dim %a, 0 : !obs.pull<? x i32>
  %j = obs.iota [%m] : !obs.pull<? x i32>
  %s = obs.split %a by [%n] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<? x i32>>
  return %i, %j, %s : !obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<? x !obs.pull<? x i32>>
}

// CHECK-LABEL: @reshape
// CHECK: arith.muli
// CHECK: obs.assert {{.*}}, "[R4-extents] obs.reshape
func.func @reshape(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x 4 x i32> {
  %s = obs.reshape %a [%n] : !obs.pull<? x i32> -> !obs.pull<? x 4 x i32>
  return %s : !obs.pull<? x 4 x i32>
}

// CHECK-LABEL: @take
// CHECK: arith.cmpi ule
// CHECK: obs.assert {{.*}}, "[R4-extents] obs.take
func.func @take(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %s = obs.take %a [%n] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %s : !obs.pull<? x i32>
}

// CHECK-LABEL: @flags(
// CHECK-SAME: %[[A:.*]]: !obs.pull<? x i32 bound [64]>, %[[F:.*]]: !obs.pull<? x i1 bound [64]>
func.func @flags(%a: !obs.pull<? x i32 bound [64]>, %f: !obs.pull<? x i1 bound [64]>, %z: i32) -> !obs.pull<? x i32 bound [64]> attributes {obs.level = #obs.level<block>} {
  // CHECK-DAG: %[[N:.*]] = obs.dim %[[A]], 0
  // CHECK-DAG: %[[M:.*]] = obs.dim %[[F]], 0
  // CHECK: %[[OK:.*]] = arith.cmpi eq, %[[N]], %[[M]]
  // CHECK: obs.assert %[[OK]], "[R4-extents] obs.segmented_scan: the arrays have different extents"
  %p = obs.segmented_scan inclusive (%x, %y) = %a init %z flags %f : !obs.pull<? x i32 bound [64]>, !obs.pull<? x i1 bound [64]> -> !obs.push<block, ? x i32 bound [64]> {
    obs.yield %y : i32
  }
  %r = obs.force %p : !obs.push<block, ? x i32 bound [64]> -> !obs.pull<? x i32 bound [64]>
  return %r : !obs.pull<? x i32 bound [64]>
}

// One end at least: that of the last segment. The check comes before the kernels.
// CHECK-LABEL: @offsets
// CHECK: %[[N:.*]] = obs.dim %arg1, 0
// CHECK: %[[OK:.*]] = arith.cmpi ne, %[[N]]
// CHECK: obs.assert %[[OK]], "[segment-offsets] obs.segmented_reduce
// CHECK: obs.segmented_reduce
func.func @offsets(%a: !obs.pull<? x i32>, %o: !obs.pull<? x i32>) -> !obs.push<grid, ? x i32> {
  %z = arith.constant 0 : i32
  %p = obs.segmented_reduce (%x, %y) = %a init %z offsets %o : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, ? x i32> {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  return %p : !obs.push<grid, ? x i32>
}

// An extent that the type bounds, or gives, and memory of one shape.
// CHECK-LABEL: @bounds
// CHECK-DAG: %[[MOST:.*]] = arith.constant 3
// CHECK: arith.cmpi ule, %arg2, %[[MOST]]
// CHECK-NEXT: obs.assert {{.*}}obs.take
// A part of an array with the bound has it, too.
// CHECK-COUNT-1: obs.assert
// CHECK-NOT: obs.assert
// CHECK: %[[N:.*]] = memref.dim %arg1
// CHECK: arith.cmpi ule, %[[N]], %[[MOST]]
// CHECK-NEXT: obs.assert {{.*}}obs.view
// CHECK-NOT: obs.assert
// CHECK: return
func.func @bounds(%a: !obs.pull<? x i32>, %m: memref<?xi32>, %n: index) {
  %t = obs.take %a [%n] : !obs.pull<? x i32> -> !obs.pull<? x i32 bound [3]>
  %u = obs.take %t [%n] : !obs.pull<? x i32 bound [3]> -> !obs.pull<? x i32 bound [3]>
  %v = obs.view %m bound [3] : memref<?xi32>
  return
}

// A join without a number has the whole array. Extents that only a sub-program
// knows are not checked.
// CHECK-LABEL: @join
// CHECK: %[[ALL:.*]] = arith.muli
// CHECK: arith.cmpi ule, %arg2, %[[ALL]]
// CHECK-NEXT: obs.assert {{.*}}obs.join
// CHECK-NOT: obs.assert
// CHECK: return
func.func @join(%a: !obs.pull<? x !obs.pull<4 x i32>>, %b: !obs.pull<? x !obs.pull<? x i32>>, %n: index) {
  %x = obs.join %a to [%n] : !obs.pull<? x !obs.pull<4 x i32>> -> !obs.pull<? x i32>
  %y = obs.join %a : !obs.pull<? x !obs.pull<4 x i32>> -> !obs.pull<? x i32>
  %z = obs.join %b to [%n] : !obs.pull<? x !obs.pull<? x i32>> -> !obs.pull<? x i32>
  return
}

// The host checks what it executes and nothing in a kernel. A choice that
// becomes part of one has no assertion in it: it is checked before, unless it
// is not made.
// HOST-LABEL: @levels
// HOST: obs.distribute
// HOST-NOT: obs.assert
// HOST: %[[FITS:.*]] = arith.cmpi ule, %arg2
// HOST: %[[OK:.*]] = arith.ori %{{.*}}, %[[FITS]]
// HOST: obs.assert %[[OK]], {{.*}}obs.take
// HOST: scf.if
// HOST-NOT: obs.assert
// HOST: return
func.func @levels(%a: !obs.pull<? x i32>, %rows: !obs.pull<? x !obs.pull<? x i32>>, %n: index, %c: i1)
    -> (!obs.push<grid, ? x 4 x i32>, !obs.pull<? x i32>) {
  %p = obs.distribute block (%r = %rows : !obs.pull<? x !obs.pull<? x i32>>) -> !obs.push<grid, ? x 4 x i32> {
    %t = obs.take %r [4] : !obs.pull<? x i32> -> !obs.pull<4 x i32>
    %q = obs.push %t : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %q : !obs.push<block, 4 x i32>
  }
  %i = scf.if %c -> !obs.pull<? x i32> {
    %t = obs.take %a [%n] : !obs.pull<? x i32> -> !obs.pull<? x i32>
    scf.yield %t : !obs.pull<? x i32>
  } else {
    scf.yield %a : !obs.pull<? x i32>
  }
  return %p, %i : !obs.push<grid, ? x 4 x i32>, !obs.pull<? x i32>
}
