// RUN: obs-run %s --entry=least iota:1000xi32 | FileCheck %s --check-prefix=LEAST
// RUN: obs-run %s --entry=least --device=emulate --check=all --threads=96 --schedule=random --seed=3 iota:1000xi32 | FileCheck %s --check-prefix=LEAST
// RUN: obs-run %s --entry=least iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=least --device=emulate --check=all iota:0xi32 | FileCheck %s --check-prefix=EMPTY
// RUN: obs-run %s --entry=distances iota:1000xi32 | FileCheck %s --check-prefix=LONG
// RUN: obs-run %s --entry=distances --device=emulate --check=all --threads=96 --schedule=random --seed=3 iota:1000xi32 | FileCheck %s --check-prefix=LONG
// RUN: obs-run %s --entry=found iota:6xi32 | FileCheck %s --check-prefix=FOUND
// RUN: obs-run %s --entry=found --device=emulate --check=all --threads=1 --blocks=1 iota:6xi32 | FileCheck %s --check-prefix=FOUND
// RUN: obs-run %s --entry=found_by_threads iota:6xi32 | FileCheck %s --check-prefix=THREADS
// RUN: obs-run %s --entry=found_by_threads --device=emulate --check=all --threads=17 iota:6xi32 | FileCheck %s --check-prefix=THREADS
// RUN: obs-run %s --entry=nothing iota:9xi32 | FileCheck %s --check-prefix=NOTHING
// RUN: obs-run %s --entry=nothing --device=emulate --check=all iota:9xi32 | FileCheck %s --check-prefix=NOTHING

!list = !obs.pull<? x i32>

// The lesser value; of equal ones the lesser number.
func.func private @lesser(%x: i32, %i: i32, %y: i32, %j: i32) -> (i32, i32) {
  %less = arith.cmpi slt, %y, %x : i32
  %same = arith.cmpi eq, %y, %x : i32
  %earlier = arith.cmpi slt, %j, %i : i32
  %tie = arith.andi %same, %earlier : i1
  %takes = arith.ori %less, %tie : i1
  %v = arith.select %takes, %y, %x : i32
  %k = arith.select %takes, %j, %i : i32
  return %v, %k : i32, i32
}

// A histogram that says for each bin where its least value is. Element i, with value
// (i / 4 - 100)^2, is in bin i mod 4: four elements have value 0.
// LEAST: {{^}}[0, 0, 0, 0]{{$}}
// LEAST-NEXT: {{^}}[400, 401, 402, 403]{{$}}
// EMPTY: {{^}}[2147483647, 2147483647, 2147483647, 2147483647]{{$}}
// EMPTY-NEXT: {{^}}[-1, -1, -1, -1]{{$}}
func.func @least(%a: !list) -> !obs.pull<4 x i32, i32> {
  %most = arith.constant 2147483647 : i32
  %none = arith.constant -1 : i32
  %bins = obs.map (%i = %a : !list) -> !list {
    %three = arith.constant 3 : i32
    %k = arith.andi %i, %three : i32
    obs.yield %k : i32
  }
  %elements = obs.map (%i = %a : !list) -> !obs.pull<? x i32, i32> {
    %four = arith.constant 4 : i32
    %hundred = arith.constant 100 : i32
    %q = arith.divsi %i, %four : i32
    %d = arith.subi %q, %hundred : i32
    %v = arith.muli %d, %d : i32
    obs.yield %v, %i : i32, i32
  }
  %p = obs.scatter %elements at %bins init %most, %none reduce(@lesser) : !obs.pull<? x i32, i32>, !list -> !obs.push<grid, 4 x i32, i32>
  %r = obs.force %p : !obs.push<grid, 4 x i32, i32> -> !obs.pull<4 x i32, i32>
  return %r : !obs.pull<4 x i32, i32>
}

// The same with 64 bits for the value, -(i mod 500), and only one bin: of those with the
// least value, numbers 499 and 999, the first.
// LONG: {{^}}[-499]{{$}}
// LONG-NEXT: {{^}}[499]{{$}}
func.func private @lesser_long(%x: i64, %i: i32, %y: i64, %j: i32) -> (i64, i32) {
  %less = arith.cmpi slt, %y, %x : i64
  %same = arith.cmpi eq, %y, %x : i64
  %earlier = arith.cmpi slt, %j, %i : i32
  %tie = arith.andi %same, %earlier : i1
  %takes = arith.ori %less, %tie : i1
  %v = arith.select %takes, %y, %x : i64
  %k = arith.select %takes, %j, %i : i32
  return %v, %k : i64, i32
}

func.func @distances(%a: !list) -> !obs.pull<1 x i64, i32> {
  %c0 = arith.constant 0 : index
  %most = arith.constant 1 : i64
  %none = arith.constant -1 : i32
  %n = obs.dim %a, 0 : !list
  %p = obs.fill init %most, %none reduce(@lesser_long) par (%t) in (%n) {
    %i = obs.get %a[%t] : !list
    %parts = arith.constant 500 : i32
    %zero = arith.constant 0 : i32
    %r = arith.remsi %i, %parts : i32
    %d = arith.subi %zero, %r : i32
    %v = arith.extsi %d : i32 to i64
    obs.write %v, %i at [%c0] : i64, i32
  } : !obs.push<grid, 1 x i64, i32>
  %r = obs.force %p : !obs.push<grid, 1 x i64, i32> -> !obs.pull<1 x i64, i32>
  return %r : !obs.pull<1 x i64, i32>
}

// In order, as by one thread: the fetched values, and the result. Elements
// (i, 10) are at index i mod 2, the last one at none.
// FOUND: {{^}}[6, 4]{{$}}
// FOUND-NEXT: {{^}}[30, 20]{{$}}
// FOUND-NEXT: {{^}}[0, 0, 0, 1, 2, 0]{{$}}
// FOUND-NEXT: {{^}}[0, 0, 10, 10, 20, 0]{{$}}
func.func @found(%a: !list) -> (!obs.pull<2 x i32, i32>, !obs.pull<? x i32, i32>) {
  %zero = arith.constant 0 : i32
  %at = obs.map (%i = %a : !list) -> !list {
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %k = arith.andi %i, %one : i32
    %last = arith.cmpi eq, %i, %five : i32
    %index = arith.select %last, %five, %k : i32
    obs.yield %index : i32
  }
  %elements = obs.map (%i = %a : !list) -> !obs.pull<? x i32, i32> {
    %ten = arith.constant 10 : i32
    obs.yield %i, %ten : i32, i32
  }
  %p, %q = obs.scatter %elements at %at init %zero, %zero reduce(addi) fetch : !obs.pull<? x i32, i32>, !list -> !obs.push<grid, 2 x i32, i32>, !obs.push<grid, ? x i32, i32>
  %r, %old = obs.force %p, %q : !obs.push<grid, 2 x i32, i32>, !obs.push<grid, ? x i32, i32> -> (!obs.pull<2 x i32, i32>, !obs.pull<? x i32, i32>)
  return %r, %old : !obs.pull<2 x i32, i32>, !obs.pull<? x i32, i32>
}

// A thread alone combines elements of any length: (i, 1) at index i mod 2, twice.
// THREADS: {{^}}{{\[\[}}6, 9],{{$}}
// THREADS-NEXT: {{^}} [6, 9]]{{$}}
// THREADS-NEXT: {{^}}{{\[\[}}3, 3],{{$}}
// THREADS-NEXT: {{^}} [3, 3]]{{$}}
// THREADS-NEXT: {{^}}{{\[\[}}0, 0, 0, 1, 2, 4],{{$}}
// THREADS-NEXT: {{^}} [0, 0, 0, 1, 2, 4]]{{$}}
// THREADS-NEXT: {{^}}{{\[\[}}0, 0, 1, 1, 2, 2],{{$}}
// THREADS-NEXT: {{^}} [0, 0, 1, 1, 2, 2]]{{$}}
!found = !obs.push<grid, 2 x 6 x i64, i32>
!sums = !obs.push<grid, 2 x 2 x i64, i32>
func.func @found_by_threads(%a: !list) -> (!obs.pull<2 x 2 x i64, i32>, !obs.pull<2 x 6 x i64, i32>) {
  %zero = arith.constant 0 : i32
  %long = arith.constant 0 : i64
  %two = obs.iota : !obs.pull<2 x index>
  %x, %y = obs.distribute thread (%b = %two : !obs.pull<2 x index>) -> (!sums, !found) {
    %at = obs.generate (%t) {
      %i = obs.get %a[%t] : !list
      %one = arith.constant 1 : i32
      %k = arith.andi %i, %one : i32
      obs.yield %k : i32
    } : !obs.pull<6 x i32>
    %elements = obs.generate (%t) {
      %i = obs.get %a[%t] : !list
      %one = arith.constant 1 : i32
      %v = arith.extsi %i : i32 to i64
      obs.yield %v, %one : i64, i32
    } : !obs.pull<6 x i64, i32>
    %p, %q = obs.scatter %elements at %at init %long, %zero reduce(addi) fetch : !obs.pull<6 x i64, i32>, !obs.pull<6 x i32> -> !obs.push<thread, 2 x i64, i32>, !obs.push<thread, 6 x i64, i32>
    obs.yield %p, %q : !obs.push<thread, 2 x i64, i32>, !obs.push<thread, 6 x i64, i32>
  }
  %r, %old = obs.force %x, %y : !sums, !found -> (!obs.pull<2 x 2 x i64, i32>, !obs.pull<2 x 6 x i64, i32>)
  return %r, %old : !obs.pull<2 x 2 x i64, i32>, !obs.pull<2 x 6 x i64, i32>
}

// Without initial contents the first write is the first combined value: of (i, i) at i mod 3.
// NOTHING: {{^}}[0, 1, 2]{{$}}
// NOTHING-NEXT: {{^}}[0, 1, 2]{{$}}
func.func @nothing(%a: !list) -> !obs.pull<3 x i32, i32> {
  %n = obs.dim %a, 0 : !list
  %p = obs.fill reduce(@lesser) par (%t) in (%n) {
    %i = obs.get %a[%t] : !list
    %three = arith.constant 3 : index
    %k = arith.remui %t, %three : index
    obs.write %i, %i at [%k] : i32, i32
  } : !obs.push<grid, 3 x i32, i32>
  %r = obs.force %p : !obs.push<grid, 3 x i32, i32> -> !obs.pull<3 x i32, i32>
  return %r : !obs.pull<3 x i32, i32>
}
