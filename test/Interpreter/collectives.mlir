// RUN: obs-run %s --entry=reduce iota:6xi32 | FileCheck %s --check-prefix=REDUCE
// RUN: obs-run %s --entry=reduce iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=reduce_grid iota:6xi32 | FileCheck %s --check-prefix=GRID
// RUN: obs-run %s --entry=reduce_grid iota:0xi32 | FileCheck %s --check-prefix=GRID-NONE
// RUN: obs-run %s --entry=scalar iota:6xi32 | FileCheck %s --check-prefix=SCALAR
// RUN: obs-run %s --entry=scan iota:6xi32 | FileCheck %s --check-prefix=SCAN
// RUN: obs-run %s --entry=scan iota:0xi32 | FileCheck %s --check-prefix=SCAN-NONE
// RUN: obs-run %s --entry=flags iota:6xi32 | FileCheck %s --check-prefix=FLAGS
// RUN: not obs-run %s --entry=flags iota:5xi32 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: obs-run %s --entry=offsets iota:6xi32 | FileCheck %s --check-prefix=OFFSETS
// RUN: not obs-run %s --entry=offsets iota:7xi32 2>&1 | FileCheck %s --check-prefix=ASCEND
// RUN: not obs-run %s --entry=few 1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: obs-run %s --entry=few 2 | FileCheck %s --check-prefix=ENOUGH

// The operator writes numbers one after the other in decimal: an element is a
// number and the power of ten that its digits make room for. The initial value
// is the digit 9, so that each result can be read off the order of the digits.

// REDUCE: {{^}}[9012345]{{$}}
// NONE: {{^}}[9]{{$}}
func.func @reduce(%a: !obs.pull<? x i32>) -> !obs.pull<1 x i32> {
  %nine = arith.constant 9 : i32
  %ten = arith.constant 10 : i32
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1 x i32> {
    %digits = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
      obs.yield %x, %ten : i32, i32
    }
    %v, %w = obs.reduce (%x, %r, %y, %s) = %digits init %nine, %ten : !obs.pull<? x i32, i32> -> (i32, i32) {
      %m = arith.muli %x, %s : i32
      %z = arith.addi %m, %y : i32
      %t = arith.muli %r, %s : i32
      obs.yield %z, %t : i32, i32
    }
    %u = obs.splat %v : !obs.pull<1 x i32>
    %q = obs.push %u : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %j = obs.join %p : !obs.push<grid, 1 x 1 x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %j : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// At level grid the result is an array, and the total of a scan a scalar.
// GRID: {{^}}[9012345]{{$}}
// GRID-NEXT: {{^}}9012345{{$}}
// GRID-NONE: {{^}}[9]{{$}}
// GRID-NONE-NEXT: {{^}}9{{$}}
func.func @reduce_grid(%a: !obs.pull<? x i32>) -> (!obs.pull<1 x i32>, i32) {
  %nine = arith.constant 9 : i32
  %ten = arith.constant 10 : i32
  %digits = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    obs.yield %x, %ten : i32, i32
  }
  %p = obs.reduce (%x, %r, %y, %s) = %digits init %nine, %ten : !obs.pull<? x i32, i32> -> !obs.push<grid, 1 x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %f = obs.force %p : !obs.push<grid, 1 x i32, i32> -> !obs.pull<1 x i32, i32>
  %v, %w = obs.unzip %f : !obs.pull<1 x i32, i32>
  %q, %total, %power = obs.scan inclusive (%x, %r, %y, %s) = %digits init %nine, %ten : !obs.pull<? x i32, i32> -> (!obs.push<grid, ? x i32, i32>, i32, i32) {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  return %v, %total : !obs.pull<1 x i32>, i32
}

// In scalar code: of element i and the i after it, and of the initial value 1.
// SCALAR: {{^}}[1, 4, 10]{{$}}
func.func @scalar(%a: !obs.pull<? x i32>) -> !obs.pull<3 x i32> {
  %c1 = arith.constant 1 : i32
  %i1 = arith.constant 1 : index
  %b = obs.generate (%i) {
    %n = arith.addi %i, %i1 : index
    %part = obs.slice %a [%i] [%n] [1] : !obs.pull<? x i32> -> !obs.pull<? x i32>
    %s = obs.reduce (%x, %y) = %part init %c1 : !obs.pull<? x i32> -> i32 {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    obs.yield %s : i32
  } : !obs.pull<3 x i32>
  %p = obs.push %b : !obs.pull<3 x i32> -> !obs.push<grid, 3 x i32>
  %r = obs.force %p : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  return %r : !obs.pull<3 x i32>
}

// SCAN: {{^}}[90, 901, 9012, 90123, 901234, 9012345]{{$}}
// SCAN-NEXT: {{^}}[9, 90, 901, 9012, 90123, 901234]{{$}}
// SCAN-NEXT: {{^}}9012345{{$}}
// SCAN-NONE: {{^}}[]{{$}}
// SCAN-NONE-NEXT: {{^}}[]{{$}}
// SCAN-NONE-NEXT: {{^}}9{{$}}
func.func @scan(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x i32>, i32) {
  %nine = arith.constant 9 : i32
  %ten = arith.constant 10 : i32
  %digits = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    obs.yield %x, %ten : i32, i32
  }
  %p = obs.scan inclusive (%x, %r, %y, %s) = %digits init %nine, %ten : !obs.pull<? x i32, i32> -> !obs.push<grid, ? x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %q, %v, %w = obs.scan exclusive (%x, %r, %y, %s) = %digits init %nine, %ten : !obs.pull<? x i32, i32> -> (!obs.push<grid, ? x i32, i32>, i32, i32) {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %f:2 = obs.force %p, %q : !obs.push<grid, ? x i32, i32>, !obs.push<grid, ? x i32, i32> -> (!obs.pull<? x i32, i32>, !obs.pull<? x i32, i32>)
  %g, %h = obs.unzip %f#0 : !obs.pull<? x i32, i32>
  %k, %l = obs.unzip %f#1 : !obs.pull<? x i32, i32>
  return %g, %k, %v : !obs.pull<? x i32>, !obs.pull<? x i32>, i32
}

// Segments 0 1, 2 3 4, 5; the flag of element 0 does not matter.
// FLAGS: {{^}}[90, 901, 92, 923, 9234, 95]{{$}}
// FLAGS-NEXT: {{^}}[9, 90, 9, 92, 923, 9]{{$}}
// FLAGS-NEXT: {{^}}[901, 9234, 95, 9, 9]{{$}}
// EXTENTS: collectives.mlir:[[#@LINE+8]]:8: error: [R4-extents] the arrays have extents [5] and [6]
func.func @flags(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<5 x i32>) {
  %nine = arith.constant 9 : i32
  %ten = arith.constant 10 : i32
  %flags = obs.constant dense<[0, 0, 1, 0, 0, 1]> : tensor<6xi1>
  %digits = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    obs.yield %x, %ten : i32, i32
  }
  %p = obs.segmented_scan inclusive (%x, %r, %y, %s) = %digits init %nine, %ten flags %flags : !obs.pull<? x i32, i32>, !obs.pull<6 x i1> -> !obs.push<grid, ? x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %q = obs.segmented_scan exclusive (%x, %r, %y, %s) = %digits init %nine, %ten flags %flags : !obs.pull<? x i32, i32>, !obs.pull<6 x i1> -> !obs.push<grid, ? x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %o = obs.segmented_reduce (%x, %r, %y, %s) = %digits init %nine, %ten flags %flags : !obs.pull<? x i32, i32>, !obs.pull<6 x i1> -> !obs.push<grid, 5 x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %f:3 = obs.force %p, %q, %o : !obs.push<grid, ? x i32, i32>, !obs.push<grid, ? x i32, i32>, !obs.push<grid, 5 x i32, i32> -> (!obs.pull<? x i32, i32>, !obs.pull<? x i32, i32>, !obs.pull<5 x i32, i32>)
  %g, %h = obs.unzip %f#0 : !obs.pull<? x i32, i32>
  %k, %l = obs.unzip %f#1 : !obs.pull<? x i32, i32>
  %u, %v = obs.unzip %f#2 : !obs.pull<5 x i32, i32>
  return %g, %k, %u : !obs.pull<? x i32>, !obs.pull<? x i32>, !obs.pull<5 x i32>
}

// Segments 0 1, none, 2 3 4, 5.
// OFFSETS: {{^}}[901, 9, 9234, 95]{{$}}
// OFFSETS-NEXT: {{^}}[90, 901, 92, 923, 9234, 95]{{$}}
// ASCEND: collectives.mlir:[[#@LINE+8]]:8: error: [segment-offsets] the offsets are [0, 2, 2, 5, 6]; they must ascend from 0 to 7
func.func @offsets(%a: !obs.pull<? x i32>) -> (!obs.pull<4 x i32>, !obs.pull<? x i32>) {
  %nine = arith.constant 9 : i32
  %ten = arith.constant 10 : i32
  %offsets = obs.constant dense<[0, 2, 2, 5, 6]> : tensor<5xindex>
  %digits = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    obs.yield %x, %ten : i32, i32
  }
  %p = obs.segmented_reduce (%x, %r, %y, %s) = %digits init %nine, %ten offsets %offsets : !obs.pull<? x i32, i32>, !obs.pull<5 x index> -> !obs.push<grid, 4 x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %q = obs.segmented_scan inclusive (%x, %r, %y, %s) = %digits init %nine, %ten offsets %offsets : !obs.pull<? x i32, i32>, !obs.pull<5 x index> -> !obs.push<grid, ? x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %f:2 = obs.force %p, %q : !obs.push<grid, 4 x i32, i32>, !obs.push<grid, ? x i32, i32> -> (!obs.pull<4 x i32, i32>, !obs.pull<? x i32, i32>)
  %g, %h = obs.unzip %f#0 : !obs.pull<4 x i32, i32>
  %k, %l = obs.unzip %f#1 : !obs.pull<? x i32, i32>
  return %g, %k : !obs.pull<4 x i32>, !obs.pull<? x i32>
}

// FEW: collectives.mlir:[[#@LINE+6]]:8: error: [segment-count] there are 2 segments, but the result has 1 elements
// ENOUGH: {{^}}[7, 8]{{$}}
func.func @few(%n: index) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %a = obs.constant dense<[3, 4, 8]> : tensor<3xi32>
  %flags = obs.constant dense<[1, 0, 1]> : tensor<3xi1>
  %p = obs.segmented_reduce (%x, %y) = %a init %zero flags %flags [%n] : !obs.pull<3 x i32>, !obs.pull<3 x i1> -> !obs.push<grid, ? x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
