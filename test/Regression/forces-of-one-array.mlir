// A force updates an array in place, and does not read it. Its writes and those of the force before reach the same elements
// from different threads, so a barrier is between them.

// DEFINE: %{entry} =
// DEFINE: %{check} = obs-run %s --entry=%{entry} --device=interpret iota:2x67xi64 > %t.interpret && \
// DEFINE:   obs-run %s --entry=%{entry} --device=emulate --check=all --threads=1 iota:2x67xi64 | diff %t.interpret - && \
// DEFINE:   obs-run %s --entry=%{entry} --device=emulate --check=all --threads=17 --schedule=random --seed=3 iota:2x67xi64 | diff %t.interpret - && \
// DEFINE:   obs-run %s --entry=%{entry} --device=emulate --check=all --threads=96 --schedule=random --seed=4 iota:2x67xi64 | diff %t.interpret -
// REDEFINE: %{entry} = reversed
// RUN: %{check}
// REDEFINE: %{entry} = parts
// RUN: %{check}
// REDEFINE: %{entry} = twice
// RUN: %{check}
// REDEFINE: %{entry} = in_warps
// RUN: %{check}
// REDEFINE: %{entry} = in_loops
// RUN: %{check}
// REDEFINE: %{entry} = moving
// RUN: %{check}
// REDEFINE: %{entry} = moving_in_while
// RUN: %{check}
// REDEFINE: %{entry} = behind_loop
// RUN: %{check}
// REDEFINE: %{entry} = in_branches
// RUN: %{check}
// RUN: obs-opt --obs-to-gpu --obs-check-races %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RACES-COUNT-11: is proved free of races

// One thread writes an element in each of several forces, and no barrier is between them. No contract covers two forces.
// RUN: obs-run %s --entry=one_thread --device=emulate --check=all iota:3x1xi32 0 | FileCheck %s --check-prefix=NINES
// RUN: obs-run %s --entry=one_thread_in_loop --device=emulate --check=all iota:3x1xi32 0 | FileCheck %s --check-prefix=NINES
// RUN: obs-run %s --entry=one_thread_in_while --device=emulate --check=all iota:3x1xi32 0 | FileCheck %s --check-prefix=NINES
// NINES: {{\[\[}}9],
// NINES-NEXT: [9],
// NINES-NEXT: [9]]

// RUN: obs-run %s --entry=reversed --device=emulate --threads=17 iota:2x67xi64 | FileCheck %s
// The row in reverse, and then 0 to 39 in its first 40 elements.
// CHECK: {{^}}[{{\[}}0, 1, 2, {{.*}} 38, 39, 26, 25, {{.*}} 1, 0],

!row = !obs.pull<67 x i64>
!push = !obs.push<block, 67 x i64>
!a = !obs.pull<? x 67 x i64>

func.func private @row(%a: !a, %i: index) -> !row {
  %row = obs.generate (%j) {
    %x = obs.get %a[%i, %j] : !a
    obs.yield %x : i64
  } : !row
  return %row : !row
}

func.func @reversed(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c40 = arith.constant 40 : index
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %p = obs.push block %row : !row
    %f = obs.reverse %p : !push
    %s = obs.force %f : !push
    %o = obs.fill onto %s : !row par (%t) in (%c40) {
      %y = arith.index_cast %t : index to i64
      obs.write %y at [%t] : i64
    } : !push
    %r = obs.force %o : !push
    %q = obs.push block %r : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

// The first force has initial contents, and writes a part of the array.
func.func @parts(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c5 = arith.constant 5 : index
  %c40 = arith.constant 40 : index
  %c60 = arith.constant 60 : index
  %z = arith.constant -7 : i64
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %f = obs.fill init %z par (%j) in (%c60) {
      %x = obs.get %a[%i, %j] : !a
      %at = arith.addi %j, %c5 : index
      obs.write %x at [%at] : i64
    } : !push
    %s = obs.force %f : !push
    %o = obs.fill onto %s : !row par (%t) in (%c40) {
      %y = arith.index_cast %t : index to i64
      obs.write %y at [%t] : i64
    } : !push
    %r = obs.force %o : !push
    %q = obs.push block %r : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

// Two updates, the second one of the first.
func.func @twice(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %z = arith.constant -7 : i64
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %p = obs.push block %row : !row
    %s = obs.force %p : !push
    %o = obs.fill onto %s : !row par (%t) in (%c40) {
      %y = arith.index_cast %t : index to i64
      obs.write %y at [%t] : i64
    } : !push
    %r = obs.force %o : !push
    %o2 = obs.fill onto %r : !row par (%t) in (%c40) {
      %at = arith.addi %t, %c9 : index
      obs.write %z at [%at] : i64
    } : !push
    %r2 = obs.force %o2 : !push
    %q = obs.push block %r2 : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

func.func @in_warps(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c40 = arith.constant 40 : index
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute warp in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %p = obs.push warp %row : !row
    %f = obs.reverse %p : !obs.push<warp, 67 x i64>
    %s = obs.force %f in shared : !obs.push<warp, 67 x i64>
    %o = obs.fill onto %s : !row par (%t) in (%c40) {
      %y = arith.index_cast %t : index to i64
      obs.write %y at [%t] : i64
    } : !obs.push<warp, 67 x i64>
    %r = obs.force %o in shared : !obs.push<warp, 67 x i64>
    %q = obs.push warp %r : !row
    obs.yield %q : !obs.push<warp, 67 x i64>
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

// Each iteration updates the array of the one before twice.
func.func @in_loops(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %z = arith.constant -7 : i64
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %p = obs.push block %row : !row
    %s = obs.force %p : !push
    %last = scf.for %k = %c0 to %c3 step %c1 iter_args(%x = %s) -> !row {
      %o = obs.fill onto %x : !row par (%t) in (%c40) {
        %y = arith.index_cast %t : index to i64
        %at = arith.addi %t, %k : index
        obs.write %y at [%at] : i64
      } : !push
      %r = obs.force %o : !push
      %o2 = obs.fill onto %r : !row par (%t) in (%c9) {
        %at = arith.addi %t, %c9 : index
        obs.write %z at [%at] : i64
      } : !push
      %r2 = obs.force %o2 : !push
      scf.yield %r2 : !row
    }
    %q = obs.push block %last : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

// Each iteration updates the array of the one before, from other threads. The barrier of %y separates the loop from the force
// before it.
func.func @moving(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c67 = arith.constant 67 : index
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %s = obs.force %row : !row
    %reversed = obs.reverse %row : !row
    %x = obs.force %reversed : !row
    %again = obs.reverse %x : !row
    %y = obs.force %again : !row
    %last = scf.for %k = %c0 to %c5 step %c1 iter_args(%x0 = %s) -> !row {
      %o = obs.fill onto %x0 : !row unchecked par (%t) in (%c67) {
        %z = arith.index_cast %t : index to i64
        %u = arith.addi %t, %k : index
        %at = arith.remui %u, %c67 : index
        obs.write %z at [%at] : i64
      } : !push
      %r = obs.force %o : !push
      scf.yield %r : !row
    }
    %sum = obs.map { arith.addi } %last, %y : !row
    %q = obs.push block %sum : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

func.func @moving_in_while(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c67 = arith.constant 67 : index
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %s = obs.force %row : !row
    %reversed = obs.reverse %row : !row
    %x = obs.force %reversed : !row
    %again = obs.reverse %x : !row
    %y = obs.force %again : !row
    %last, %end = scf.while (%x0 = %s, %k = %c0) : (!row, index) -> (!row, index) {
      %more = arith.cmpi ult, %k, %c5 : index
      scf.condition(%more) %x0, %k : !row, index
    } do {
    ^bb0(%x0: !row, %k: index):
      %o = obs.fill onto %x0 : !row unchecked par (%t) in (%c67) {
        %z = arith.index_cast %t : index to i64
        %u = arith.addi %t, %k : index
        %at = arith.remui %u, %c67 : index
        obs.write %z at [%at] : i64
      } : !push
      %r = obs.force %o : !push
      %next = arith.addi %k, %c1 : index
      scf.yield %r, %next : !row, index
    }
    %sum = obs.map { arith.addi } %last, %y : !row
    %q = obs.push block %sum : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

// The force behind the loop writes elements of the loop's last iteration.
func.func @behind_loop(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %z = arith.constant -7 : i64
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %s = obs.force %row : !row
    %last = scf.for %k = %c0 to %c3 step %c1 iter_args(%x = %s) -> !row {
      %o = obs.fill onto %x : !row par (%t) in (%c40) {
        %y = arith.index_cast %t : index to i64
        %at = arith.addi %t, %c9 : index
        obs.write %y at [%at] : i64
      } : !push
      %r = obs.force %o : !push
      scf.yield %r : !row
    }
    %o2 = obs.fill onto %last : !row par (%t) in (%c40) {
      obs.write %z at [%t] : i64
    } : !push
    %r2 = obs.force %o2 : !push
    %q = obs.push block %r2 : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

// A branch updates the array once, and the force behind it writes the same elements.
func.func @in_branches(%a: !a) -> !a {
  %n = obs.dim %a, 0 : !a
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %z = arith.constant -7 : i64
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.distribute block in grid (%i = %ids : !obs.pull<? x index>) {
    %row = func.call @row(%a, %i) : (!a, index) -> !row
    %s = obs.force %row : !row
    %odd = arith.cmpi eq, %i, %c1 : index
    %either = scf.if %odd -> !row {
      %o = obs.fill onto %s : !row par (%t) in (%c40) {
        %y = arith.index_cast %t : index to i64
        %at = arith.addi %t, %c9 : index
        obs.write %y at [%at] : i64
      } : !push
      %r = obs.force %o : !push
      scf.yield %r : !row
    } else {
      scf.yield %s : !row
    }
    %o2 = obs.fill onto %either : !row par (%t) in (%c40) {
      obs.write %z at [%t] : i64
    } : !push
    %r2 = obs.force %o2 : !push
    %q = obs.push block %r2 : !row
    obs.yield %q : !push
  }
  %r = obs.force %d : !obs.push<grid, ? x 67 x i64>
  return %r : !a
}

func.func @one_thread(%in: !obs.pull<3 x 1 x i32>, %j: index) -> !obs.pull<3 x 1 x i32> {
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 7 : i32
  %i2 = arith.constant 9 : i32
  %rows = obs.nest %in dims 1 : !obs.pull<3 x 1 x i32>
  %d = obs.distribute block in grid (%row = %rows : !obs.pull<3 x !obs.pull<1 x i32>>) {
    %x = obs.force %row : !obs.pull<1 x i32>
    %f = obs.fill onto %x : !obs.pull<1 x i32> unchecked par (%t) in (%c1) {
      obs.write %i1 at [%j] : i32
    } : !obs.push<block, 1 x i32>
    %y = obs.force %f : !obs.push<block, 1 x i32>
    %g = obs.fill onto %y : !obs.pull<1 x i32> unchecked par (%t) in (%c1) {
      obs.write %i2 at [%j] : i32
    } : !obs.push<block, 1 x i32>
    %z = obs.force %g : !obs.push<block, 1 x i32>
    %q = obs.push block %z : !obs.pull<1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %o = obs.force %d : !obs.push<grid, 3 x 1 x i32>
  return %o : !obs.pull<3 x 1 x i32>
}

// The iterations write 7, 8 and 9.
func.func @one_thread_in_loop(%in: !obs.pull<3 x 1 x i32>, %j: index) -> !obs.pull<3 x 1 x i32> {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c10 = arith.constant 10 : index
  %rows = obs.nest %in dims 1 : !obs.pull<3 x 1 x i32>
  %d = obs.distribute block in grid (%row = %rows : !obs.pull<3 x !obs.pull<1 x i32>>) {
    %x = obs.force %row : !obs.pull<1 x i32>
    %last = scf.for %k = %c7 to %c10 step %c1 iter_args(%y = %x) -> !obs.pull<1 x i32> {
      %f = obs.fill onto %y : !obs.pull<1 x i32> unchecked par (%t) in (%c1) {
        %v = arith.index_cast %k : index to i32
        obs.write %v at [%j] : i32
      } : !obs.push<block, 1 x i32>
      %next = obs.force %f : !obs.push<block, 1 x i32>
      scf.yield %next : !obs.pull<1 x i32>
    }
    %q = obs.push block %last : !obs.pull<1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %o = obs.force %d : !obs.push<grid, 3 x 1 x i32>
  return %o : !obs.pull<3 x 1 x i32>
}

func.func @one_thread_in_while(%in: !obs.pull<3 x 1 x i32>, %j: index) -> !obs.pull<3 x 1 x i32> {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c10 = arith.constant 10 : index
  %rows = obs.nest %in dims 1 : !obs.pull<3 x 1 x i32>
  %d = obs.distribute block in grid (%row = %rows : !obs.pull<3 x !obs.pull<1 x i32>>) {
    %x = obs.force %row : !obs.pull<1 x i32>
    %last, %end = scf.while (%y = %x, %k = %c7) : (!obs.pull<1 x i32>, index) -> (!obs.pull<1 x i32>, index) {
      %more = arith.cmpi ult, %k, %c10 : index
      scf.condition(%more) %y, %k : !obs.pull<1 x i32>, index
    } do {
    ^bb0(%y: !obs.pull<1 x i32>, %k: index):
      %f = obs.fill onto %y : !obs.pull<1 x i32> unchecked par (%t) in (%c1) {
        %v = arith.index_cast %k : index to i32
        obs.write %v at [%j] : i32
      } : !obs.push<block, 1 x i32>
      %next = obs.force %f : !obs.push<block, 1 x i32>
      %after = arith.addi %k, %c1 : index
      scf.yield %next, %after : !obs.pull<1 x i32>, index
    }
    %q = obs.push block %last : !obs.pull<1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %o = obs.force %d : !obs.push<grid, 3 x 1 x i32>
  return %o : !obs.pull<3 x 1 x i32>
}
