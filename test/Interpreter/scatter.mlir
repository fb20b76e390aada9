// RUN: obs-run %s --entry=disjoint 5 | FileCheck %s --check-prefix=DISJOINT
// RUN: not obs-run %s --entry=disjoint 0 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: obs-run %s --entry=fetch | FileCheck %s --check-prefix=FETCH
// RUN: obs-run %s --entry=fetch --device=emulate --threads=1 --blocks=1 | FileCheck %s --check-prefix=FETCH
// RUN: obs-run %s --entry=operator iota:9xi32 | FileCheck %s --check-prefix=OPERATOR
// RUN: obs-run %s --entry=operator iota:9xi32 --device=emulate --check=all | FileCheck %s --check-prefix=OPERATOR

// Indices 3, 0, -1, 9 and the argument; the third and fourth are no indices.
// DISJOINT: {{^}}[11, -1, -1, 10, -1, 14]{{$}}
// TWICE: [R5-disjoint] element [0] is written twice
func.func @disjoint(%k: i32) -> !obs.pull<6 x i32> {
  %none = arith.constant -1 : i32
  %ten = arith.constant 10 : i32
  %zero = arith.constant 0 : i32
  %table = obs.constant dense<[3, 0, -1, 9, 0]> : tensor<5xi32>
  %ones = obs.constant dense<[0, 0, 0, 0, 1]> : tensor<5xi32>
  %at = obs.map (%x = %table : !obs.pull<5 x i32>, %y = %ones : !obs.pull<5 x i32>) -> !obs.pull<5 x i32> {
    %z = arith.muli %y, %k : i32
    %s = arith.addi %x, %z : i32
    obs.yield %s : i32
  }
  %a = obs.generate (%i) {
    %j = arith.index_cast %i : index to i32
    %x = arith.addi %j, %ten : i32
    obs.yield %x : i32
  } : !obs.pull<5 x i32>
  %p = obs.scatter %a at %at init %none : !obs.pull<5 x i32>, !obs.pull<5 x i32> -> !obs.push<grid, 6 x i32>
  %r = obs.force %p : !obs.push<grid, 6 x i32> -> !obs.pull<6 x i32>
  return %r : !obs.pull<6 x i32>
}

// In order, as by one thread: the fetched values, and the sums.
// FETCH: {{^}}[101, 114, 100, 100]{{$}}
// FETCH-NEXT: {{^}}[100, 100, 102, 100, 106]{{$}}
func.func @fetch() -> (!obs.pull<4 x i32>, !obs.pull<5 x i32>) {
  %start = arith.constant 100 : i32
  %at = obs.constant dense<[1, 0, 1, 7, 1]> : tensor<5xi8>
  %a = obs.constant dense<[2, 1, 4, 16, 8]> : tensor<5xi32>
  %p, %q = obs.scatter %a at %at init %start reduce(addi) fetch : !obs.pull<5 x i32>, !obs.pull<5 x i8> -> !obs.push<grid, 4 x i32>, !obs.push<grid, 5 x i32>
  %r, %old = obs.force %p, %q : !obs.push<grid, 4 x i32>, !obs.push<grid, 5 x i32> -> (!obs.pull<4 x i32>, !obs.pull<5 x i32>)
  return %r, %old : !obs.pull<4 x i32>, !obs.pull<5 x i32>
}

// The largest absolute values of -4 -1 2, of -3 0 3, and of -2 1 5.
// OPERATOR: {{^}}[4, 3, 5]{{$}}
func.func @operator(%a: !obs.pull<? x i32>) -> !obs.pull<3 x i32> {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %at = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.remui %x, %three : i32
    obs.yield %y : i32
  }
  %four = arith.constant 4 : i32
  %seven = arith.constant 7 : i32
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.subi %x, %four : i32
    %last = arith.cmpi sgt, %x, %seven : i32
    %more = arith.extui %last : i1 to i32
    %z = arith.addi %y, %more : i32
    obs.yield %z : i32
  }
  %p = obs.scatter %b at %at init %zero reduce(@largest) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 3 x i32>
  %r = obs.force %p : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  return %r : !obs.pull<3 x i32>
}

func.func private @largest(%x: i32, %y: i32) -> i32 {
  %v = math.absi %x : i32
  %w = math.absi %y : i32
  %z = arith.maxsi %v, %w : i32
  return %z : i32
}
