// RUN: obs-run %s --entry=compact iota:10xi32 | FileCheck %s --check-prefix=COMPACT
// RUN: obs-run %s --entry=compact iota:0xi32 | FileCheck %s --check-prefix=COMPACT-NONE
// RUN: not obs-run %s --entry=dead 2>&1 | FileCheck %s --check-prefix=DEAD
// RUN: obs-run %s --entry=rank | FileCheck %s --check-prefix=RANK
// RUN: not obs-run %s --entry=rank_range iota:5xi8 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=partition iota:7xi32 1 | FileCheck %s --check-prefix=PARTITION
// RUN: not obs-run %s --entry=partition iota:8xi32 1 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not obs-run %s --entry=partition iota:7xi32 2 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: obs-run %s --entry=expand 9 iota:4xi32 | FileCheck %s --check-prefix=EXPAND
// RUN: obs-run %s --entry=expand 2 iota:0xi32 | FileCheck %s --check-prefix=EXPAND-NONE
// RUN: not obs-run %s --entry=expand 5 iota:4xi32 2>&1 | FileCheck %s --check-prefix=CAPACITY
// RUN: not obs-run %s --entry=expand_length iota:4xi32 2>&1 | FileCheck %s --check-prefix=LENGTH

// Multiples of 3 and their halves, in their order; then -1 and 0.5.
// COMPACT: {{^}}[0, 3, 6, 9, -1, -1, -1, -1, -1, -1]{{$}}
// COMPACT-NEXT: {{^}}[0.0, 1.5, 3.0, 4.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]{{$}}
// COMPACT-NEXT: {{^}}[4]{{$}}
// COMPACT-NONE: {{^}}[]{{$}}
// COMPACT-NONE-NEXT: {{^}}[]{{$}}
// COMPACT-NONE-NEXT: {{^}}[0]{{$}}
func.func @compact(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x f32>, !obs.pull<1 x i8>) {
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %none = arith.constant -1 : i32
  %half = arith.constant 0.5 : f32
  %pairs = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, f32> {
    %y = arith.sitofp %x : i32 to f32
    %z = arith.mulf %y, %half : f32
    obs.yield %x, %z : i32, f32
  }
  %flags = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i1> {
    %m = arith.remsi %x, %c3 : i32
    %f = arith.cmpi eq, %m, %zero : i32
    obs.yield %f : i1
  }
  %p, %n = obs.compact %pairs flags %flags init %none, %half : !obs.pull<? x i32, f32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32, f32>, !obs.push<grid, 1 x i8>
  %r, %count = obs.force %p, %n : !obs.push<grid, ? x i32, f32>, !obs.push<grid, 1 x i8> -> (!obs.pull<? x i32, f32>, !obs.pull<1 x i8>)
  %k, %v = obs.unzip %r : !obs.pull<? x i32, f32>
  return %k, %v, %count : !obs.pull<? x i32>, !obs.pull<? x f32>, !obs.pull<1 x i8>
}

// Past what was kept there is nothing to read.
// DEAD: irregular.mlir:[[#@LINE+7]]:{{.*}} element [2] was never written
func.func @dead() -> i32 {
  %i = arith.constant 2 : index
  %a = obs.constant dense<[5, 6, 7]> : tensor<3xi32>
  %f = obs.constant dense<[true, false, true]> : tensor<3xi1>
  %p, %n = obs.compact %a flags %f : !obs.pull<3 x i32>, !obs.pull<3 x i1> -> !obs.push<grid, 3 x i32>, !obs.push<grid, 1 x index>
  %r = obs.force %p : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  %x = obs.get %r[%i] : !obs.pull<3 x i32>
  return %x : i32
}

// Sorted, the keys are 0 0 0 1 1 3 3, from places 1 3 6, 2 4, 0 5.
// RANK: {{^}}{{\[}}[5, 0, 3, 1, 4, 6, 2]]{{$}}
// RANK-NEXT: {{^}}{{\[}}[3, 2, 0, 2]]{{$}}
func.func @rank() -> (!obs.pull<1 x 7 x i32>, !obs.pull<1 x 4 x index>) {
  %keys = obs.constant dense<[3, 0, 1, 0, 1, 3, 0]> : tensor<7xi8>
  %one = obs.iota : !obs.pull<1 x index>
  %p, %q = obs.distribute warp (%b = %one : !obs.pull<1 x index>) -> (!obs.push<grid, 1 x 7 x i32>, !obs.push<grid, 1 x 4 x index>) {
    %r, %c = obs.rank %keys : !obs.pull<7 x i8> -> !obs.push<warp, 7 x i32>, !obs.push<warp, 4 x index>
    obs.yield %r, %c : !obs.push<warp, 7 x i32>, !obs.push<warp, 4 x index>
  }
  %r, %c = obs.force %p, %q : !obs.push<grid, 1 x 7 x i32>, !obs.push<grid, 1 x 4 x index> -> (!obs.pull<1 x 7 x i32>, !obs.pull<1 x 4 x index>)
  return %r, %c : !obs.pull<1 x 7 x i32>, !obs.pull<1 x 4 x index>
}

// The remainders by 3 of 0 to 6 are 0 1 2 0 1 2 0; their starts are 0, 3 and 5.
// PARTITION: {{^}}[0, 3, 6, 1, 4, 2, 5]{{$}}
// INDEX: [partition-index] element 7 has index 5, which is out of range or that of another element
// KEY: [partition-range] key 2 is 4, but keys are 0 to 2
func.func @partition(%a: !obs.pull<? x i32>, %times: i32) -> !obs.pull<? x i32> {
  %c3 = arith.constant 3 : i32
  %starts = obs.constant dense<[0, 3, 5]> : tensor<3xi32>
  %p = obs.partition (%x) = %a from %starts : !obs.pull<? x i32>, !obs.pull<3 x i32> -> !obs.push<grid, ? x i32> {
    %m = arith.remui %x, %c3 : i32
    %key = arith.muli %m, %times : i32
    obs.yield %key : i32
  }
  %r = obs.force %p : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// RANGE: [rank-range] key 4 is 4, but keys are 0 to 3
func.func @rank_range(%keys: !obs.pull<? x i8>) -> !obs.pull<1 x ? x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute thread (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i32> {
    %r, %c = obs.rank %keys : !obs.pull<? x i8> -> !obs.push<thread, ? x i32>, !obs.push<thread, 4 x index>
    obs.yield %r : !obs.push<thread, ? x i32>
  }
  %r = obs.force %p : !obs.push<grid, 1 x ? x i32> -> !obs.pull<1 x ? x i32>
  return %r : !obs.pull<1 x ? x i32>
}

// Element i becomes i times 10 i + j.
// EXPAND: {{^}}[10, 20, 21, 30, 31, 32, -1, -1, -1]{{$}}
// EXPAND-NEXT: {{^}}[6]{{$}}
// EXPAND-NONE: {{^}}[-1, -1]{{$}}
// EXPAND-NONE-NEXT: {{^}}[0]{{$}}
// CAPACITY: [expand-capacity] the lengths up to 3 sum up to 6, but the result has 5 elements
func.func @expand(%n: index, %lengths: !obs.pull<? x i32>) -> (!obs.pull<? x index>, !obs.pull<1 x i32>) {
  %ten = arith.constant 10 : index
  %none = arith.constant -1 : index
  %p, %q = obs.expand (%i, %j) = %lengths [%n] init %none : !obs.pull<? x i32> -> !obs.push<grid, ? x index>, !obs.push<grid, 1 x i32> {
    %t = arith.muli %i, %ten : index
    %x = arith.addi %t, %j : index
    obs.yield %x : index
  }
  %r, %count = obs.force %p, %q : !obs.push<grid, ? x index>, !obs.push<grid, 1 x i32> -> (!obs.pull<? x index>, !obs.pull<1 x i32>)
  return %r, %count : !obs.pull<? x index>, !obs.pull<1 x i32>
}

// LENGTH: [expand-length] length 3 is -1
func.func @expand_length(%a: !obs.pull<? x i32>) -> !obs.pull<9 x index> {
  %two = arith.constant 2 : i32
  %lengths = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.subi %two, %x : i32
    obs.yield %y : i32
  }
  %p, %q = obs.expand (%i, %j) = %lengths : !obs.pull<? x i32> -> !obs.push<grid, 9 x index>, !obs.push<grid, 1 x i32> {
    obs.yield %i : index
  }
  %r = obs.force %p : !obs.push<grid, 9 x index> -> !obs.pull<9 x index>
  return %r : !obs.pull<9 x index>
}
