// Maps in front of and behind every collective of level grid are part of its kernels. The numbers 0 to n - 1 are
// doubled before. The map behind adds one.
// RUN: obs-opt %s --canonicalize --obs-expand-collectives --obs-fuse-arrays --canonicalize --obs-to-launches -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: obs-run %s --entry=reduce --device=interpret iota:5xi32 | FileCheck %s --check-prefix=REDUCE
// RUN: obs-run %s --entry=reduce --device=emulate --check=all iota:5xi32 | FileCheck %s --check-prefix=REDUCE
// RUN: obs-run %s --entry=scan --device=interpret iota:5xi32 | FileCheck %s --check-prefix=SCAN
// RUN: obs-run %s --entry=scan --device=emulate --check=all iota:5xi32 | FileCheck %s --check-prefix=SCAN
// RUN: obs-run %s --entry=segmented --device=interpret iota:5xi32 | FileCheck %s --check-prefix=SEGMENTED
// RUN: obs-run %s --entry=segmented --device=emulate --check=all --schedule=random --seed=3 iota:5xi32 | FileCheck %s --check-prefix=SEGMENTED
// RUN: obs-run %s --entry=segments --device=interpret iota:5xi32 | FileCheck %s --check-prefix=SEGMENTS
// RUN: obs-run %s --entry=segments --device=emulate --check=all iota:5xi32 | FileCheck %s --check-prefix=SEGMENTS
// RUN: obs-run %s --entry=compact --device=interpret iota:5xi32 | FileCheck %s --check-prefix=COMPACT
// RUN: obs-run %s --entry=compact --device=emulate --check=all iota:5xi32 | FileCheck %s --check-prefix=COMPACT
// RUN: obs-run %s --entry=expand --device=interpret iota:4xi32 | FileCheck %s --check-prefix=EXPAND
// RUN: obs-run %s --entry=expand --device=emulate --check=all iota:4xi32 | FileCheck %s --check-prefix=EXPAND
// RUN: obs-run %s --entry=scatter --device=interpret iota:5xi32 | FileCheck %s --check-prefix=SCATTER
// RUN: obs-run %s --entry=scatter --device=emulate --check=all iota:5xi32 | FileCheck %s --check-prefix=SCATTER
// RUN: obs-run %s --entry=beside --device=interpret iota:5xi32 | FileCheck %s --check-prefix=BESIDE
// RUN: obs-run %s --entry=beside --device=emulate --check=all iota:5xi32 | FileCheck %s --check-prefix=BESIDE

!ints = !obs.pull<? x i32>
!push = !obs.push<grid, ? x i32>
!one = !obs.push<grid, 1 x i32>

// PLAN: plan of 'reduce': 1 kernel,
// REDUCE: [21]
func.func @reduce(%a: !ints) -> !obs.pull<1 x i64> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %b = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %p = obs.reduce (%x, %y) = %b init %zero : !ints -> !one {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.map (%x = %p : !one) -> !obs.push<grid, 1 x i64> {
    %y = arith.extsi %x : i32 to i64
    %z = arith.addi %y, %one : i64
    obs.yield %z : i64
  }
  %f = obs.force %q : !obs.push<grid, 1 x i64> -> !obs.pull<1 x i64>
  return %f : !obs.pull<1 x i64>
}

// PLAN: plan of 'scan': 1 kernel,
// SCAN: [1, 3, 7, 13, 21]
func.func @scan(%a: !ints) -> !ints {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %p = obs.scan inclusive (%x, %y) = %b init %zero : !ints -> !push {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.map (%x = %p : !push) -> !push {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !push -> !ints
  return %f : !ints
}

// A segment begins at each number that can be divided by 3.
// PLAN: plan of 'segmented': 1 kernel,
// SEGMENTED: [1, 3, 7, 7, 15]
func.func @segmented(%a: !ints) -> !ints {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %b = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %flags = obs.map (%x = %a : !ints) -> !obs.pull<? x i1> {
    %r = arith.remui %x, %three : i32
    %c = arith.cmpi eq, %r, %zero : i32
    obs.yield %c : i1
  }
  %p = obs.segmented_scan inclusive (%x, %y) = %b init %zero flags %flags : !ints, !obs.pull<? x i1> -> !push {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.map (%x = %p : !push) -> !push {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !push -> !ints
  return %f : !ints
}

// PLAN: plan of 'segments': 1 kernel,
// SEGMENTS: [7, 15]
func.func @segments(%a: !ints) -> !obs.pull<2 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %b = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %flags = obs.map (%x = %a : !ints) -> !obs.pull<? x i1> {
    %r = arith.remui %x, %three : i32
    %c = arith.cmpi eq, %r, %zero : i32
    obs.yield %c : i1
  }
  %p = obs.segmented_reduce (%x, %y) = %b init %zero flags %flags : !ints, !obs.pull<? x i1> -> !obs.push<grid, 2 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.map (%x = %p : !obs.push<grid, 2 x i32>) -> !obs.push<grid, 2 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %f : !obs.pull<2 x i32>
}

// Those above 1, and how many; nothing is 7 + 1.
// PLAN: plan of 'compact': 1 kernel,
// COMPACT: [5, 7, 9, 8, 8]
// COMPACT-NEXT: [4]
func.func @compact(%a: !ints) -> (!ints, !obs.pull<1 x i32>) {
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %b = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %flags = obs.map (%x = %a : !ints) -> !obs.pull<? x i1> {
    %c = arith.cmpi sgt, %x, %one : i32
    obs.yield %c : i1
  }
  %p, %c = obs.compact %b flags %flags init %seven : !ints, !obs.pull<? x i1> -> !push, !one
  %q = obs.map (%x = %p : !push) -> !push {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %d = obs.map (%x = %c : !one) -> !one {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !push -> !ints
  %g = obs.force %d : !one -> !obs.pull<1 x i32>
  return %f, %g : !ints, !obs.pull<1 x i32>
}

// 2 i elements for each i, all i + 1, and how many.
// PLAN: plan of 'expand': 3 kernels,
// EXPAND: [2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4]
// EXPAND-NEXT: [13]
func.func @expand(%a: !ints) -> (!obs.pull<12 x i32>, !obs.pull<1 x i32>) {
  %one = arith.constant 1 : i32
  %b = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %p, %c = obs.expand (%i, %j) = %b : !ints -> !obs.push<grid, 12 x i32>, !one {
    %x = arith.index_cast %i : index to i32
    obs.yield %x : i32
  }
  %q = obs.map (%x = %p : !obs.push<grid, 12 x i32>) -> !obs.push<grid, 12 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %d = obs.map (%x = %c : !one) -> !one {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 12 x i32> -> !obs.pull<12 x i32>
  %g = obs.force %d : !one -> !obs.pull<1 x i32>
  return %f, %g : !obs.pull<12 x i32>, !obs.pull<1 x i32>
}

// By remainders of 3: 0 + 6, 2 + 8, 4.
// PLAN: plan of 'scatter': 1 kernel,
// SCATTER: [7, 11, 5]
func.func @scatter(%a: !ints) -> !obs.pull<3 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %b = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %k = obs.map (%x = %a : !ints) -> !ints {
    %r = arith.remui %x, %three : i32
    obs.yield %r : i32
  }
  %p = obs.scatter %b at %k init %zero reduce(addi) : !ints, !ints -> !obs.push<grid, 3 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 3 x i32>) -> !obs.push<grid, 3 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  return %f : !obs.pull<3 x i32>
}

// Sums 0, 1, 3, 6, 10 beside the results of a scatter, 0 to 4, one more each.
// BESIDE: [1, 2, 4, 7, 11, 1, 2, 3, 4, 5]
func.func @beside(%a: !ints) -> !ints {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !ints
  %p = obs.scan inclusive (%x, %y) = %a init %zero : !ints -> !push {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.scatter %a at %a init %zero reduce(addi) [%n] : !ints, !ints -> !push
  %c = obs.concat %p, %q : !push, !push -> !push
  %m = obs.map (%x = %c : !push) -> !push {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %m : !push -> !ints
  return %f : !ints
}
