// Reductions that read one array become one reduction of tuples.

// RUN: obs-opt %s --obs-merge-reductions --canonicalize --cse | FileCheck %s
// RUN: obs-opt --obs-report-cost %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{check} = obs-run %s --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %s --entry=%{entry} %{args} --device=emulate --threads=17 --blocks=3 | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %s --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{entry}

// The array of 20000 bytes is read once, and the kernel has the name of the force.
// CHECK-LABEL: @range(
// CHECK:       %[[P:.*]] = obs.reduce grid ({{.*}}) = {{.*}} {commutative} : !obs.pull<? x i32, i32>
// CHECK-NEXT:    arith.minsi
// CHECK-NEXT:    arith.maxsi
// CHECK:       obs.force %[[P]] {kernel = "range"}
// CHECK-NOT:   obs.force
// CHECK:       return
// REDEFINE: %{entry} = range
// REDEFINE: %{args} = iota:5000xi32
// RUN: %{check}
// range: [0]
// range: [4999]
func.func @range(%a: !obs.pull<? x i32>) -> (!obs.pull<1 x i32>, !obs.pull<1 x i32>) {
  %most = arith.constant 2147483647 : i32
  %least = arith.constant -2147483648 : i32
  %p = obs.reduce grid { arith.minsi } %a init %most {commutative} : !obs.pull<? x i32>
  %q = obs.reduce grid { arith.maxsi } %a init %least {commutative} : !obs.pull<? x i32>
  %lo, %hi = obs.force %p, %q {kernel = "range"} : !obs.push<grid, 1 x i32>
  return %lo, %hi : !obs.pull<1 x i32>, !obs.pull<1 x i32>
}

// Two forces, a map of each result, and an array that stays: the sum of 0, ..., 4999 plus 1, the sum of squares modulo 2^32,
// plus the element 7 of an array, and twice the elements.
// CHECK-LABEL: @mapped(
// CHECK:       %[[P:.*]] = obs.reduce grid ({{.*}}) = {{.*}} : !obs.pull<5000 x i32, i32>
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    arith.addi
// CHECK:       %[[M:.*]] = obs.map (%{{.*}}, %{{.*}} = %[[P]] : !obs.push<grid, 1 x i32, i32>, %{{.*}} = %{{.*}} : !obs.pull<1 x i32>)
// CHECK:       obs.force %[[M]] :
// CHECK:       obs.force %{{.*}} {kernel = "rest"} : !obs.pull<5000 x i32>
// CHECK-NOT:   obs.force
// CHECK:       return
// COST-LABEL:  kernel 'mapped_kernel'
// COST:        global memory: 20{{.*}} bytes read
// REDEFINE: %{entry} = mapped
// REDEFINE: %{args} = iota:5000xi32 7
// RUN: %{check}
// mapped: [12497501]
// mapped: [-1295505453]
// mapped: [0, 2, 4, ..., 9994, 9996, 9998]
func.func @mapped(%a: !obs.pull<5000 x i32>, %n: i32) -> (!obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<5000 x i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = obs.reduce grid { arith.addi } %a init %zero {commutative} : !obs.pull<5000 x i32>
  %s = obs.map (%x = %p : !obs.push<grid, 1 x i32>) {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %b = obs.map (%x = %a : !obs.pull<5000 x i32>) {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %sum, %twice = obs.force %s, %b {kernel = "rest"} : !obs.push<grid, 1 x i32>, !obs.pull<5000 x i32>
  %c = obs.map { arith.muli } %a, %a : !obs.pull<5000 x i32>
  %q = obs.reduce grid { arith.addi } %c init %zero : !obs.pull<5000 x i32>
  %seven = obs.splat %n : !obs.pull<1 x i32>
  %t = obs.map { arith.addi } %q, %seven : !obs.push<grid, 1 x i32>, !obs.pull<1 x i32>
  %squares = obs.force %t : !obs.push<grid, 1 x i32>
  return %sum, %squares, %twice : !obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<5000 x i32>
}

// The second one reads the result of the first.
// CHECK-LABEL: @dependent(
// CHECK-COUNT-2: obs.reduce grid { arith
// CHECK:       return
// REDEFINE: %{entry} = dependent
// REDEFINE: %{args} = iota:100xi32
// RUN: %{check}
// dependent: [-4950]
func.func @dependent(%a: !obs.pull<100 x i32>) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %p = obs.reduce grid { arith.maxsi } %a init %zero : !obs.pull<100 x i32>
  %m = obs.force %p : !obs.push<grid, 1 x i32>
  %d = obs.map (%x = %a : !obs.pull<100 x i32>) {
    %y = obs.get %m[%c0] : !obs.pull<1 x i32>
    %z = arith.subi %x, %y : i32
    obs.yield %z : i32
  }
  %q = obs.reduce grid { arith.addi } %d init %zero : !obs.pull<100 x i32>
  %s = obs.force %q : !obs.push<grid, 1 x i32>
  return %s : !obs.pull<1 x i32>
}

// The sum of a part may only be computed after the assertion that the array has it.
// CHECK-LABEL: @asserted(
// CHECK:       obs.reduce grid { arith.addi }
// CHECK:       obs.assert
// CHECK:       obs.reduce grid { arith.maxsi }
func.func @asserted(%a: !obs.pull<? x i32>) -> (!obs.pull<1 x i32>, !obs.pull<1 x i32>) {
  %zero = arith.constant 0 : i32
  %ten = arith.constant 10 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.reduce grid { arith.addi } %a init %zero : !obs.pull<? x i32>
  %s = obs.force %p : !obs.push<grid, 1 x i32>
  %is = arith.cmpi sgt, %n, %ten : index
  obs.assert %is, "short"
  %q = obs.reduce grid { arith.maxsi } %a init %zero : !obs.pull<? x i32>
  %m = obs.force %q : !obs.push<grid, 1 x i32>
  return %s, %m : !obs.pull<1 x i32>, !obs.pull<1 x i32>
}

// Other numbers of elements, other arrays, a strategy that the program names, and elements that a loop computes.
// CHECK-LABEL: @apart(
// CHECK-COUNT-5: obs.reduce grid { arith
// CHECK:       return
func.func @apart(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> (!obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<1 x i32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %fewer = arith.subi %n, %c1 : index
  %part = obs.generate (%i) [%fewer] {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    obs.yield %x : i32
  } : !obs.pull<? x i32>
  %loops = obs.map (%x = %a : !obs.pull<? x i32>) {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> i32 {
      %z = arith.muli %y, %y : i32
      scf.yield %z : i32
    }
    obs.yield %r : i32
  }
  %p = obs.reduce grid { arith.addi } %a init %zero : !obs.pull<? x i32>
  %q = obs.reduce grid { arith.addi } %part init %zero : !obs.pull<? x i32>
  %r = obs.reduce grid { arith.addi } %b init %zero : !obs.pull<? x i32>
  %s = obs.reduce grid { arith.maxsi } %a init %zero {strategy = "atomic"} : !obs.pull<? x i32>
  %t = obs.reduce grid { arith.addi } %loops init %zero : !obs.pull<? x i32>
  %v, %w, %x, %y, %z = obs.force %p, %q, %r, %s, %t : !obs.push<grid, 1 x i32>
  return %v, %w, %x, %y, %z : !obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<1 x i32>, !obs.pull<1 x i32>
}

// In a block: 8 bytes for an element at most, so the third reduction is alone. An extent that a program names is that of the array.
// CHECK-LABEL: @block_rows(
// CHECK:       obs.distribute block in grid
// CHECK:         obs.reduce ({{.*}}) = {{.*}} : !obs.pull<? x i32, i32>
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      arith.maxsi
// CHECK:         obs.reduce { arith.minsi }
// CHECK:       obs.force
// REDEFINE: %{entry} = block_rows
// REDEFINE: %{args} = iota:3x700xi32
// RUN: %{check}
// block_rows:      {{\[}}[244650],
// block_rows-NEXT: [734650],
// block_rows-NEXT: [1224650]]
// block_rows-NEXT: {{\[}}[699],
// block_rows-NEXT: [1399],
// block_rows-NEXT: [2099]]
// block_rows-NEXT: {{\[}}[0],
// block_rows-NEXT: [700],
// block_rows-NEXT: [1400]]
func.func @block_rows(%a: !obs.pull<3 x ? x i32>) -> (!obs.pull<3 x 1 x i32, i32, i32>) {
  %zero = arith.constant 0 : i32
  %most = arith.constant 2147483647 : i32
  %c0 = arith.constant 0 : index
  %rows = obs.nest %a dims 1 : !obs.pull<3 x ? x i32>
  %p = obs.distribute block in grid (%r = %rows : !obs.pull<3 x !obs.pull<? x i32>>) {
    %n = obs.dim %r, 0 : !obs.pull<? x i32>
    %same = obs.generate (%i) [%n] {
      %x = obs.get %r[%i] : !obs.pull<? x i32>
      obs.yield %x : i32
    } : !obs.pull<? x i32>
    %s = obs.reduce { arith.addi } %r init %zero {commutative} : !obs.pull<? x i32>
    %m = obs.reduce { arith.maxsi } %same init %zero {commutative} : !obs.pull<? x i32>
    %l = obs.reduce { arith.minsi } %r init %most {commutative} : !obs.pull<? x i32>
    %one = obs.splat %s, %m, %l : !obs.pull<1 x i32, i32, i32>
    %q = obs.push block %one : !obs.pull<1 x i32, i32, i32>
    obs.yield %q : !obs.push<block, 1 x i32, i32, i32>
  }
  %f = obs.force %p : !obs.push<grid, 3 x 1 x i32, i32, i32>
  return %f : !obs.pull<3 x 1 x i32, i32, i32>
}

// Sub-programs of the same rows are one, also those of two forces; the sums of the columns are others.
// Each of the 3 n elements is read once for the sums and the maxima: three rows of full pieces of 256 elements, and one
// more piece with eight accesses of a warp.
// COST-LABEL:  kernel 'first'
// COST:        global memory: at most 3072 * floor(arg0.dim1 / 256) + 3072 bytes read
// CHECK-LABEL: @two_programs(
// CHECK:       %[[P:.*]] = obs.distribute warp in grid
// CHECK:         obs.reduce ({{.*}}) = {{.*}} : !obs.pull<? x i32, i32>
// CHECK:         obs.push warp %{{.*}} : !obs.pull<1 x i32, i32>
// CHECK:       %[[J:.*]] = obs.join %[[P]]
// CHECK:       %[[M:.*]] = obs.map (%{{.*}}, %{{.*}} = %[[J]]
// CHECK:       obs.force %[[M]] {kernel = "first"}
// CHECK:       obs.distribute warp in grid
// CHECK:         obs.reduce { arith.addi }
// CHECK:       obs.force %{{.*}} {kernel = "third"}
// CHECK-NOT:   obs.force
// CHECK:       return
// REDEFINE: %{entry} = two_programs
// REDEFINE: %{args} = iota:3x70xi32
// RUN: %{check}
// two_programs: [2415, 7315, 12215]
// two_programs: [138, 278, 418]
// two_programs: [210, 213, 216, 219,
func.func @two_programs(%a: !obs.pull<3 x ? x i32>) -> (!obs.pull<3 x i32>, !obs.pull<3 x i32>, !obs.pull<? x i32>) {
  %zero = arith.constant 0 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<3 x ? x i32>
  %p = obs.distribute warp in grid (%r = %rows : !obs.pull<3 x !obs.pull<? x i32>>) {
    %s = obs.reduce { arith.addi } %r init %zero : !obs.pull<? x i32>
    %one = obs.splat %s : !obs.pull<1 x i32>
    %q = obs.push warp %one : !obs.pull<1 x i32>
    obs.yield %q : !obs.push<warp, 1 x i32>
  }
  %pj = obs.join %p : !obs.push<grid, 3 x 1 x i32>
  %sums = obs.force %pj {kernel = "first"} : !obs.push<grid, 3 x i32>
  %same = obs.nest %a dims 1 : !obs.pull<3 x ? x i32>
  %q = obs.distribute warp in grid (%r = %same : !obs.pull<3 x !obs.pull<? x i32>>) {
    %s = obs.reduce { arith.maxsi } %r init %zero : !obs.pull<? x i32>
    %one = obs.splat %s : !obs.pull<1 x i32>
    %t = obs.push warp %one : !obs.pull<1 x i32>
    obs.yield %t : !obs.push<warp, 1 x i32>
  }
  %qj = obs.join %q : !obs.push<grid, 3 x 1 x i32>
  %twice = obs.map (%x = %qj : !obs.push<grid, 3 x i32>) {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %most = obs.force %twice {kernel = "second"} : !obs.push<grid, 3 x i32>
  %turned = obs.transpose %a [1, 0] : !obs.pull<3 x ? x i32>
  %columns = obs.nest %turned dims 1 : !obs.pull<? x 3 x i32>
  %u = obs.distribute warp in grid (%r = %columns : !obs.pull<? x !obs.pull<3 x i32>>) {
    %s = obs.reduce { arith.addi } %r init %zero : !obs.pull<3 x i32>
    %one = obs.splat %s : !obs.pull<1 x i32>
    %t = obs.push warp %one : !obs.pull<1 x i32>
    obs.yield %t : !obs.push<warp, 1 x i32>
  }
  %uj = obs.join %u : !obs.push<grid, ? x 1 x i32>
  %all = obs.force %uj {kernel = "third"} : !obs.push<grid, ? x i32>
  return %sums, %most, %all : !obs.pull<3 x i32>, !obs.pull<3 x i32>, !obs.pull<? x i32>
}
