// Arrays of 2^31 and 2^32 rows without elements, and of none of as many columns: they hold nothing, and all of
// their extents are known.
// RUN: obs-run %s --entry=moved --device=interpret 4294967296 0 | FileCheck %s --check-prefixes=ROWS,N32
// RUN: obs-run %s --entry=moved --device=emulate 4294967296 0 | FileCheck %s --check-prefixes=ROWS,N32
// RUN: obs-run %s --entry=moved --device=interpret 2147483648 0 | FileCheck %s --check-prefixes=ROWS,N31
// RUN: obs-run %s --entry=moved --device=emulate 2147483648 0 | FileCheck %s --check-prefixes=ROWS,N31
// RUN: obs-run %s --entry=moved --device=interpret 0 4294967296 | FileCheck %s --check-prefixes=COLUMNS,C32
// RUN: obs-run %s --entry=moved --device=emulate 0 4294967296 | FileCheck %s --check-prefixes=COLUMNS,C32
// RUN: obs-run %s --entry=moved --device=interpret 0 2147483648 | FileCheck %s --check-prefixes=COLUMNS,C31
// RUN: obs-run %s --entry=moved --device=emulate 0 2147483648 | FileCheck %s --check-prefixes=COLUMNS,C31

// The whole array, its transpose, its rows one after the other and side by side, and the same elements in two
// other extents.
// ROWS:         {{^}}[[BEGIN:\[\[\],]]
// ROWS-NEXT:    {{^}} [],
// ROWS-NEXT:    {{^}} [],
// ROWS-NEXT:    {{^}} ...,
// ROWS-NEXT:    {{^}} [],
// ROWS-NEXT:    {{^}} [],
// ROWS-NEXT:    {{^}} []]
// ROWS-NEXT:    {{^}}[]{{$}}
// ROWS-NEXT:    {{^}}[]{{$}}
// ROWS-NEXT:    {{^}}[]{{$}}
// ROWS-NEXT:    {{^}}[]{{$}}
// ROWS-NEXT:    {{^}}[[BEGIN]]
// ROWS:         {{^}} []]
// The extents of the transpose, and those of a concatenation of the array with itself.
// N32-NEXT:     {{^}}0{{$}}
// N32-NEXT:     {{^}}4294967296{{$}}
// N32-NEXT:     {{^}}8589934592{{$}}
// N32-NEXT:     {{^}}0{{$}}
// N31-NEXT:     {{^}}0{{$}}
// N31-NEXT:     {{^}}2147483648{{$}}
// N31-NEXT:     {{^}}4294967296{{$}}
// N31-NEXT:     {{^}}0{{$}}

// COLUMNS:      {{^}}[]{{$}}
// COLUMNS-NEXT: {{^}}[[BEGIN:\[\[\],]]
// COLUMNS:      {{^}} []]
// COLUMNS-NEXT: {{^}}[]{{$}}
// COLUMNS-NEXT: {{^}}[]{{$}}
// COLUMNS-NEXT: {{^}}[[BEGIN]]
// COLUMNS:      {{^}} []]
// COLUMNS-NEXT: {{^}}[]{{$}}
// C32-NEXT:     {{^}}4294967296{{$}}
// C32-NEXT:     {{^}}0{{$}}
// C32-NEXT:     {{^}}0{{$}}
// C32-NEXT:     {{^}}4294967296{{$}}
// C31-NEXT:     {{^}}2147483648{{$}}
// C31-NEXT:     {{^}}0{{$}}
// C31-NEXT:     {{^}}0{{$}}
// C31-NEXT:     {{^}}2147483648{{$}}
func.func @moved(%n: index, %m: index) -> (!obs.pull<? x ? x index>, !obs.pull<? x ? x index>, !obs.pull<? x index>,
    !obs.pull<? x index>, !obs.pull<? x ? x index>, !obs.pull<? x ? x index>, index, index, index, index) {
  %a = obs.generate (%i, %j) [%n, %m] {
    %x = arith.addi %i, %j : index
    obs.yield %x : index
  } : !obs.pull<? x ? x index>
  %t = obs.transpose %a [1, 0] : !obs.pull<? x ? x index>
  %j = obs.join %a : !obs.pull<? x ? x index>
  %s = obs.join %a strided : !obs.pull<? x ? x index>
  %r = obs.reshape %a [%m, %n] : !obs.pull<? x ? x index> -> !obs.pull<? x ? x index>
  %v = obs.reverse %a dim 1 : !obs.pull<? x ? x index>
  %p = obs.push grid %v : !obs.pull<? x ? x index>
  %c = obs.concat %a, %v : !obs.pull<? x ? x index>
  %fa = obs.force %a : !obs.pull<? x ? x index>
  %ft = obs.force %t : !obs.pull<? x ? x index>
  %fj = obs.force %j : !obs.pull<? x index>
  %fs = obs.force %s : !obs.pull<? x index>
  %fr = obs.force %r : !obs.pull<? x ? x index>
  %fp = obs.force %p : !obs.push<grid, ? x ? x index>
  %d0 = obs.dim %ft, 0 : !obs.pull<? x ? x index>
  %d1 = obs.dim %ft, 1 : !obs.pull<? x ? x index>
  %d2 = obs.dim %c, 0 : !obs.pull<? x ? x index>
  %d3 = obs.dim %c, 1 : !obs.pull<? x ? x index>
  return %fa, %ft, %fj, %fs, %fr, %fp, %d0, %d1, %d2, %d3 : !obs.pull<? x ? x index>, !obs.pull<? x ? x index>, !obs.pull<? x index>,
    !obs.pull<? x index>, !obs.pull<? x ? x index>, !obs.pull<? x ? x index>, index, index, index, index
}

// Static extents, of arguments and of memory.
// RUN: obs-run %s --entry=argument --device=interpret zeros:4294967296x0xi32 | FileCheck %s --check-prefix=ARGUMENT
// RUN: obs-run %s --entry=argument --device=emulate zeros:4294967296x0xi32 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: {{^}}[]{{$}}
// ARGUMENT-NEXT: {{^}}4294967296{{$}}
func.func @argument(%m: memref<4294967296x0xi32>) -> (!obs.pull<0 x 4294967296 x i32>, index) {
  %a = obs.view %m : memref<4294967296x0xi32>
  %t = obs.transpose %a [1, 0] : !obs.pull<4294967296 x 0 x i32>
  %f = obs.force %t : !obs.pull<0 x 4294967296 x i32>
  %d = obs.dim %f, 1 : !obs.pull<0 x 4294967296 x i32>
  return %f, %d : !obs.pull<0 x 4294967296 x i32>, index
}

// No sub-programs, each of which would have 2^32 elements.
// RUN: obs-run %s --entry=distribute --device=interpret 4294967296 | FileCheck %s --check-prefix=DISTRIBUTE
// RUN: obs-run %s --entry=distribute --device=emulate 4294967296 | FileCheck %s --check-prefix=DISTRIBUTE
// DISTRIBUTE: {{^}}[]{{$}}
// DISTRIBUTE-NEXT: {{^}}4294967296{{$}}
func.func @distribute(%n: index) -> (!obs.pull<0 x ? x index>, index) {
  %none = obs.iota : !obs.pull<0 x index>
  %p = obs.distribute block in grid (%i = %none : !obs.pull<0 x index>) {
    %row = obs.iota [%n] : !obs.pull<? x index>
    %q = obs.push block %row : !obs.pull<? x index>
    obs.yield %q : !obs.push<block, ? x index>
  }
  %f = obs.force %p : !obs.push<grid, 0 x ? x index>
  %d = obs.dim %f, 1 : !obs.pull<0 x ? x index>
  return %f, %d : !obs.pull<0 x ? x index>, index
}
