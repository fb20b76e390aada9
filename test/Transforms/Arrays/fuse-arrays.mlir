// RUN: obs-opt %s --obs-fuse-arrays --canonicalize --cse | FileCheck %s

// Each operation becomes the index that is read, the index that is written, and
// the computation between. Results of host functions are forced.

// CHECK-LABEL: @iota
// CHECK: obs.fill par (%[[I:.*]]) in
// CHECK: %[[WIDE:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: %[[X:.*]] = arith.trunci %[[WIDE]] : i64 to i32
// CHECK: obs.write %[[X]] at [%[[I]]]
func.func @iota() -> !obs.pull<8 x i32> {
  %r = obs.iota : !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// CHECK-LABEL: @splat
// CHECK: obs.fill par (%[[I:.*]]) in
// CHECK-NEXT: obs.write %arg0 at [%[[I]]]
func.func @splat(%x: i32) -> !obs.pull<8 x i32> {
  %r = obs.splat %x : !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// CHECK-LABEL: @constant
// CHECK: %[[T:.*]] = obs.constant
// CHECK: obs.fill par (%[[I:.*]]) in
// CHECK-NEXT: obs.get %[[T]][%[[I]]]
func.func @constant() -> !obs.pull<2 x i32> {
  %r = obs.constant dense<[5, 7]> : tensor<2xi32>
  return %r : !obs.pull<2 x i32>
}

// CHECK-LABEL: @generate
// CHECK: obs.fill [%arg0] par (%[[I:.*]]) in (%arg0)
// CHECK-NEXT: %[[S:.*]] = arith.muli %[[I]], %[[I]]
// CHECK-NEXT: obs.write %[[S]] at [%[[I]]]
func.func @generate(%n: index) -> !obs.pull<? x index> {
  %r = obs.generate (%i) [%n] {
    %s = arith.muli %i, %i : index
    obs.yield %s : index
  } : !obs.pull<? x index>
  return %r : !obs.pull<? x index>
}

// CHECK-LABEL: @map
// CHECK: %[[X:.*]] = obs.get %arg0[%[[I:.*]]]
// CHECK-NEXT: %[[Y:.*]] = obs.get %arg1[%[[I]]]
// CHECK-NEXT: arith.subi %[[X]], %[[Y]]
func.func @map(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %r = obs.map (%x = %a : !obs.pull<8 x i32>, %y = %b : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %s = arith.subi %x, %y : i32
    obs.yield %s : i32
  }
  return %r : !obs.pull<8 x i32>
}

// The pull array is read where the push array writes.
// CHECK-LABEL: @map_push
// CHECK: obs.fill par (%[[I:.*]]) in
// CHECK: %[[X:.*]] = obs.get %arg0[%[[I]]]
// CHECK: %[[J:.*]] = arith.subi %c7, %[[I]]
// CHECK: %[[Y:.*]] = obs.get %arg0[%[[J]]]
// CHECK: arith.subi %[[X]], %[[Y]]
// CHECK: obs.write %{{.*}} at [%[[J]]]
func.func @map_push(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %v = obs.reverse %p : !obs.push<grid, 8 x i32>
  %m = obs.map (%x = %v : !obs.push<grid, 8 x i32>, %y = %a : !obs.pull<8 x i32>) -> !obs.push<grid, 8 x i32> {
    %s = arith.subi %x, %y : i32
    obs.yield %s : i32
  }
  %r = obs.force %m : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// CHECK-LABEL: @reindex
// CHECK: %[[J:.*]] = arith.xori %[[I:.*]], %c3
// CHECK-NEXT: obs.get %arg0[%[[J]]]
// CHECK-NEXT: obs.write %{{.*}} at [%[[I]]]
func.func @reindex(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %r = obs.reindex (%i) = %a {
    %c3 = arith.constant 3 : index
    %j = arith.xori %i, %c3 : index
    obs.yield %j : index
  } : !obs.pull<8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// On a push array the region maps where it writes.
// CHECK-LABEL: @reindex_push
// CHECK: obs.get %arg0[%[[I:.*]]]
// CHECK: %[[J:.*]] = arith.xori %[[I]], %c3
// CHECK: obs.write %{{.*}} at [%[[J]]]
func.func @reindex_push(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %v = obs.reindex (%i) = %p {
    %c3 = arith.constant 3 : index
    %j = arith.xori %i, %c3 : index
    obs.yield %j : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %v : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// CHECK-LABEL: @reverse
// CHECK: %[[N:.*]] = obs.dim %arg0, 0
// CHECK: %[[L:.*]] = arith.subi %[[N]], %c1
// CHECK: arith.subi %[[L]], %{{.*}} : index
func.func @reverse(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %r = obs.reverse %a : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// CHECK-LABEL: @slice
// CHECK: %[[S:.*]] = arith.muli %[[I:.*]], %c2
// CHECK-NEXT: %[[J:.*]] = arith.addi %[[S]], %c3
// CHECK-NEXT: obs.get %arg0[%[[J]]]
func.func @slice(%a: !obs.pull<? x i32>) -> !obs.pull<4 x i32> {
  %r = obs.slice %a [3] [4] [2] : !obs.pull<? x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// CHECK-LABEL: @take
// CHECK: in (%c4)
// CHECK-NEXT: obs.get %arg0[%[[I:.*]]]
// CHECK-NEXT: obs.write %{{.*}} at [%[[I]]]
func.func @take(%a: !obs.pull<? x i32>) -> !obs.pull<4 x i32> {
  %r = obs.take %a [4] : !obs.pull<? x i32> -> !obs.pull<4 x i32>
  %p = obs.push %r : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %f = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %f : !obs.pull<4 x i32>
}

// Writes past the count are dropped.
// CHECK-LABEL: @take_push
// CHECK: %[[C:.*]] = arith.cmpi ult, %[[I:.*]], %c4
// CHECK-NEXT: scf.if %[[C]]
// CHECK-NEXT: obs.write %{{.*}} at [%[[I]]]
func.func @take_push(%a: !obs.pull<8 x i32>) -> !obs.pull<4 x i32> {
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %t = obs.take %p [4] : !obs.push<grid, 8 x i32> -> !obs.push<grid, 4 x i32>
  %r = obs.force %t : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// Element e of strided chunk c of four is c + 4 e.
// CHECK-LABEL: @split_join
// CHECK-DAG: %[[C:.*]] = arith.divui %[[I:.*]], %c2
// CHECK-DAG: %[[E:.*]] = arith.remui %[[I]], %c2
// CHECK: %[[S:.*]] = arith.muli %[[E]], %c4
// CHECK: %[[J:.*]] = arith.addi %[[C]], %[[S]]
// CHECK: obs.get %arg0[%[[J]]]
func.func @split_join(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %s = obs.split %a strided by [2] : !obs.pull<8 x i32> -> !obs.pull<4 x !obs.pull<2 x i32>>
  %r = obs.join %s : !obs.pull<4 x !obs.pull<2 x i32>> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// Past the end the pad is read, and the array is not.
// CHECK-LABEL: @split_pad
// CHECK: %[[N:.*]] = obs.dim %arg0, 0
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[J:.*]], %[[N]]
// CHECK: scf.if %[[IN]]
// CHECK-NEXT: obs.get %arg0[%[[J]]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %arg1
func.func @split_pad(%a: !obs.pull<? x i32>, %z: i32, %c: index) -> !obs.pull<4 x i32> {
  %s = obs.split %a by [4] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<4 x i32>>
  %r = obs.get %s[%c] : !obs.pull<? x !obs.pull<4 x i32>>
  return %r : !obs.pull<4 x i32>
}

// CHECK-LABEL: @transpose
// CHECK: obs.fill par (%[[I:.*]], %[[J:.*]]) in (%c3, %c2)
// CHECK-NEXT: obs.get %arg0[%[[J]], %[[I]]]
func.func @transpose(%a: !obs.pull<2 x 3 x i32>) -> !obs.pull<3 x 2 x i32> {
  %r = obs.transpose %a [1, 0] : !obs.pull<2 x 3 x i32>
  return %r : !obs.pull<3 x 2 x i32>
}

// CHECK-LABEL: @reshape
// CHECK: %[[R:.*]] = arith.muli %[[I:.*]], %c4
// CHECK-NEXT: %[[K:.*]] = arith.addi %[[R]], %[[J:.*]] : index
// CHECK-NEXT: obs.get %arg0[%[[K]]]
func.func @reshape(%a: !obs.pull<8 x i32>) -> !obs.pull<2 x 4 x i32> {
  %r = obs.reshape %a : !obs.pull<8 x i32> -> !obs.pull<2 x 4 x i32>
  %p = obs.push %r : !obs.pull<2 x 4 x i32> -> !obs.push<grid, 2 x 4 x i32>
  %f = obs.force %p : !obs.push<grid, 2 x 4 x i32> -> !obs.pull<2 x 4 x i32>
  return %f : !obs.pull<2 x 4 x i32>
}

// An index is divided in its own group of dimensions: 10 stays, 6 is 2 x 3, and
// 4 stays.
// CHECK-LABEL: @reshape_of_groups
// CHECK: par (%[[I:.*]], %[[J:.*]], %[[K:.*]], %{{.*}}, %[[L:.*]]) in
// CHECK-NEXT: %[[R:.*]] = arith.muli %[[J]], %c3
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[R]], %[[K]]
// CHECK-NEXT: obs.get %arg0[%[[I]], %[[S]], %[[L]]]
func.func @reshape_of_groups(%a: !obs.pull<4 x 6 x 10 x i32>) -> !obs.pull<4 x 2 x 3 x 1 x 10 x i32> {
  %r = obs.reshape %a : !obs.pull<4 x 6 x 10 x i32> -> !obs.pull<4 x 2 x 3 x 1 x 10 x i32>
  %p = obs.push grid %r : !obs.pull<4 x 2 x 3 x 1 x 10 x i32>
  %f = obs.force %p : !obs.push<grid, 4 x 2 x 3 x 1 x 10 x i32>
  return %f : !obs.pull<4 x 2 x 3 x 1 x 10 x i32>
}

// Of windows, only the number in the window is divided, also if the number of
// windows is not known.
// CHECK-LABEL: @reshape_of_windows
// CHECK: par (%[[I:.*]], %[[K:.*]]) in
// CHECK-NEXT: %[[COLUMN:.*]] = arith.remui %[[K]], %c3
// CHECK-NEXT: %[[ROW:.*]] = arith.divui %[[K]], %c3
// CHECK-NEXT: obs.get %arg0[%[[I]], %[[ROW]], %[[COLUMN]]]
func.func @reshape_of_windows(%a: !obs.pull<? x 3 x 3 x i32>, %n: index) -> !obs.pull<? x 9 x i32> {
  %r = obs.reshape %a [%n] : !obs.pull<? x 3 x 3 x i32> -> !obs.pull<? x 9 x i32>
  %p = obs.push grid %r : !obs.pull<? x 9 x i32>
  %f = obs.force %p : !obs.push<grid, ? x 9 x i32>
  return %f : !obs.pull<? x 9 x i32>
}

// The same for a push array.
// CHECK-LABEL: @reshape_of_pushed_groups
// CHECK: par (%[[I:.*]], %[[J:.*]], %[[K:.*]]) in
// CHECK: %[[R:.*]] = arith.muli %[[J]], %c3
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[R]], %[[K]]
// CHECK: obs.write %{{.*}} at [%[[I]], %[[S]]]
func.func @reshape_of_pushed_groups(%a: !obs.pull<4 x 2 x 3 x i32>) -> !obs.pull<4 x 6 x i32> {
  %p = obs.push grid %a : !obs.pull<4 x 2 x 3 x i32>
  %r = obs.reshape %p : !obs.push<grid, 4 x 2 x 3 x i32> -> !obs.push<grid, 4 x 6 x i32>
  %f = obs.force %r : !obs.push<grid, 4 x 6 x i32>
  return %f : !obs.pull<4 x 6 x i32>
}

// CHECK-LABEL: @concat
// CHECK: %[[C:.*]] = arith.cmpi ult, %[[I:.*]], %c8
// CHECK-NEXT: scf.if %[[C]]
// CHECK-NEXT: obs.get %arg0[%[[I]]]
// CHECK: } else {
// CHECK-NEXT: %[[J:.*]] = arith.subi %[[I]], %c8
// CHECK-NEXT: obs.get %arg1[%[[J]]]
func.func @concat(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x i32>) -> !obs.pull<16 x i32> {
  %r = obs.concat %a, %b : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// Two programs, one after the other, without a choice.
// CHECK-LABEL: @concat_push
// CHECK-NOT: scf.if
// CHECK: obs.write %{{.*}} at [%{{.*}}]
// CHECK-NOT: scf.if
// CHECK: %[[J:.*]] = arith.addi %{{.*}}, %c8
// CHECK-NEXT: obs.write %{{.*}} at [%[[J]]]
func.func @concat_push(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x i32>) -> !obs.pull<16 x i32> {
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %q = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %c = obs.concat %p, %q : !obs.push<grid, 8 x i32>, !obs.push<grid, 8 x i32> -> !obs.push<grid, 16 x i32>
  %r = obs.force %c : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// Arms that read one array share the read, and select its index.
// CHECK-LABEL: @same_array
// CHECK-NOT: scf.if
// CHECK: %[[J:.*]] = arith.select
// CHECK-NEXT: obs.get %arg0[%[[J]]]
// CHECK-NOT: obs.get
// CHECK: obs.write
func.func @same_array(%a: !obs.pull<8 x i32>) -> !obs.pull<16 x i32> {
  %v = obs.reverse %a : !obs.pull<8 x i32>
  %r = obs.concat %a, %v : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// CHECK-LABEL: @interleave_push
// CHECK: %[[E:.*]] = arith.muli %{{.*}}, %c2
// CHECK-NEXT: obs.write %{{.*}} at [%[[E]]]
// CHECK: %[[D:.*]] = arith.muli %{{.*}}, %c2
// CHECK-NEXT: %[[O:.*]] = arith.addi %[[D]], %c1
// CHECK-NEXT: obs.write %{{.*}} at [%[[O]]]
func.func @interleave_push(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x i32>) -> !obs.pull<16 x i32> {
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %q = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %c = obs.interleave %p, %q : !obs.push<grid, 8 x i32>, !obs.push<grid, 8 x i32> -> !obs.push<grid, 16 x i32>
  %r = obs.force %c : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// CHECK-LABEL: @zip_unzip
// CHECK-NOT: obs.get %arg0
// CHECK: obs.get %arg1[%[[I:.*]]]
// CHECK-NEXT: obs.write %{{.*}} at [%[[I]]] : f32
func.func @zip_unzip(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x f32>) -> !obs.pull<8 x f32> {
  %z = obs.zip %a, %b : !obs.pull<8 x i32>, !obs.pull<8 x f32>
  %x, %y = obs.unzip %z : !obs.pull<8 x i32, f32>
  %p = obs.push %y : !obs.pull<8 x f32> -> !obs.push<grid, 8 x f32>
  %f = obs.force %p : !obs.push<grid, 8 x f32> -> !obs.pull<8 x f32>
  return %f : !obs.pull<8 x f32>
}

// An array in memory is returned as it is.
// CHECK-LABEL: @stored
// CHECK-NOT: obs.force
// CHECK: %[[T:.*]] = obs.take %arg0
// CHECK: return %[[T]]
func.func @stored(%a: !obs.pull<? x i32>) -> !obs.pull<4 x i32> {
  %r = obs.take %a [4] : !obs.pull<? x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}

// ceil(n / 4)
// CHECK-LABEL: @dim
// CHECK: %[[N:.*]] = obs.dim %arg0, 0
// CHECK-NEXT: %[[U:.*]] = arith.addi %[[N]], %c3
// CHECK-NEXT: arith.divui %[[U]], %c4
func.func @dim(%a: !obs.pull<? x i32>) -> index {
  %s = obs.split %a by [4] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<4 x i32>>
  %r = obs.dim %s, 0 : !obs.pull<? x !obs.pull<4 x i32>>
  return %r : index
}

// The initial contents stay with the force.
// CHECK-LABEL: @put
// CHECK: obs.fill init %{{.*}} par (%[[I:.*]]) in
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c8
// CHECK-NEXT: obs.write %{{.*}} at [%[[J]]]
// CHECK-NOT: obs.put
func.func @put(%a: !obs.pull<8 x i32>) -> !obs.pull<16 x i32> {
  %c8 = arith.constant 8 : index
  %k = arith.constant 1 : i32
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %f = obs.fill init %k {
    obs.put %p at [%c8] : !obs.push<grid, 8 x i32>
  } : !obs.push<grid, 16 x i32>
  %r = obs.force %f : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// Blocks over chunks, threads over the elements of a chunk.
// CHECK-LABEL: @distribute
// CHECK: obs.par block (%[[C:.*]]) in (%c2)
// CHECK-NEXT: obs.par (%[[I:.*]]) in (%c4)
// CHECK: %[[K:.*]] = arith.muli %[[C]], %c4
// CHECK: %[[T:.*]] = arith.addi %[[K]], %[[I]]
// CHECK: obs.write %{{.*}} at [%[[T]]]
func.func @distribute(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %s = obs.split %a by [4] : !obs.pull<8 x i32> -> !obs.pull<2 x !obs.pull<4 x i32>>
  %d = obs.distribute block (%c = %s : !obs.pull<2 x !obs.pull<4 x i32>>) -> !obs.push<grid, 2 x 4 x i32> {
    %v = obs.reverse %c : !obs.pull<4 x i32>
    %p = obs.push %v : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %p : !obs.push<block, 4 x i32>
  }
  %j = obs.join %d : !obs.push<grid, 2 x 4 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %j : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// A carried array is forced on entry and at the end of the body.
// CHECK-LABEL: @carried
// CHECK: %[[E:.*]] = obs.force
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %[[E]])
// CHECK: obs.get %[[X]]
// CHECK: %[[N:.*]] = obs.force
// CHECK: scf.yield %[[N]]
func.func @carried(%a: !obs.pull<8 x i32>, %n: index) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.reverse %a : !obs.pull<8 x i32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> !obs.pull<8 x i32> {
    %y = obs.reverse %x : !obs.pull<8 x i32>
    scf.yield %y : !obs.pull<8 x i32>
  }
  return %r : !obs.pull<8 x i32>
}
