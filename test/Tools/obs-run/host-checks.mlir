// Numbers of the caller that are too small or too large are refused before
// anything reads past an array, by the interpreter and by the host.
//
// DEFINE: %{args} =
// DEFINE: %{reference} = obs-run %s --entry=%{args}
// DEFINE: %{host} = obs-run %s --device=emulate --entry=%{args}
//
// REDEFINE: %{args} = slice iota:9xi32 1 3 3
// RUN: %{reference} | FileCheck %s --check-prefix=SLICE
// RUN: %{host} | FileCheck %s --check-prefix=SLICE
// SLICE: [1, 4, 7]
// REDEFINE: %{args} = slice iota:9xi32 8 1 9223372036854775807
// RUN: %{reference} | FileCheck %s --check-prefix=LAST
// RUN: %{host} | FileCheck %s --check-prefix=LAST
// LAST: [8]
// REDEFINE: %{args} = slice zeros:0xi32 5 0 1
// RUN: %{reference} | FileCheck %s --check-prefix=EMPTY
// RUN: %{host} | FileCheck %s --check-prefix=EMPTY
// EMPTY: []
// REDEFINE: %{args} = slice iota:3xi32 -1 2 1
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=LEAVES
// REDEFINE: %{args} = slice iota:9xi32 1 4 3
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=LEAVES
// The place of the last element is no number of 64 bits.
// REDEFINE: %{args} = slice iota:9xi32 0 3 9223372036854775807
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=LEAVES
// RANGE: error: [R4-range] the slice
// LEAVES: error: {{.*}}[R4-extents] obs.slice: the slice leaves the array
// REDEFINE: %{args} = slice iota:9xi32 1 -1 1
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=LEAVES
// NEGATIVE: error: [R4-extents] extent 0 of the array would be -
// REDEFINE: %{args} = slice iota:9xi32 8 3 -1
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=NOSTRIDE
// REDEFINE: %{args} = slice iota:9xi32 0 3 0
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=NOSTRIDE
// STRIDE: error: [index-list] {{0|-1}} among the strides is too small; the least is 1
// NOSTRIDE: error: {{.*}}[R4-extents] obs.slice: a stride is less than 1
func.func @slice(%a: !obs.pull<? x i32>, %o: index, %n: index, %s: index) -> !obs.pull<? x i32> {
  %t = obs.slice %a [%o] [%n] [%s] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  return %t : !obs.pull<? x i32>
}

// REDEFINE: %{args} = reshape iota:6xi32 -2 -3
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=RESHAPE
// SIZE: error: [R4-size] cannot reshape extents [6] to [-2, -3]
// RESHAPE: error: {{.*}}[R4-extents] obs.reshape: an extent is negative
func.func @reshape(%a: !obs.pull<? x i32>, %h: index, %w: index) -> !obs.pull<? x ? x i32> {
  %r = obs.reshape %a [%h, %w] : !obs.pull<? x i32> -> !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// Nothing is stored here.
// REDEFINE: %{args} = virtual -3
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=IOTA
// IOTA: error: {{.*}}[R4-extents] obs.iota: an extent is negative
func.func @virtual(%n: index) -> index {
  %a = obs.iota [%n] : !obs.pull<? x i32>
  %r = obs.dim %a, 0 : !obs.pull<? x i32>
  return %r : index
}

// REDEFINE: %{args} = split iota:9xi32 0
// RUN: not %{reference} 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not %{host} 2>&1 | FileCheck %s --check-prefix=CHUNKS
// SPLIT: error: [R4-split] chunks of 0 elements
// CHUNKS: error: {{.*}}[R4-extents] obs.split: chunks have no elements
func.func @split(%a: !obs.pull<? x i32>, %k: index) -> index {
  %z = arith.constant 0 : i32
  %c = obs.split %a by [%k] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<? x i32>>
  %n = obs.dim %c, 0 : !obs.pull<? x !obs.pull<? x i32>>
  return %n : index
}
