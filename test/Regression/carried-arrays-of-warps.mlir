// A loop of a warp carries an array in two slots, since the next array is written while this one is read. If all reads of
// an array of at most 32 elements are before the writes of the next one, one register of each lane is sufficient.

// RUN: obs-opt --obs-report-cost %s -o /dev/null | FileCheck %s --check-prefix=COST
// RUN: obs-run %s --entry=by_get --device=interpret iota:64xi32 3 | FileCheck %s --check-prefix=GET
// RUN: obs-run %s --entry=by_get --device=emulate --check=all iota:64xi32 3 | FileCheck %s --check-prefix=GET
// RUN: obs-run %s --entry=by_get --device=emulate --schedule=random --seed=7 --threads=96 iota:64xi32 3 | FileCheck %s --check-prefix=GET
// RUN: obs-run %s --entry=by_get --device=emulate iota:64xi32 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=rotate --device=interpret iota:64xi32 5 | FileCheck %s --check-prefix=ROTATE
// RUN: obs-run %s --entry=rotate --device=emulate --check=all --schedule=random --seed=3 iota:64xi32 5 | FileCheck %s --check-prefix=ROTATE
// RUN: obs-run %s --entry=rotate40 --device=interpret iota:80xi32 5 | FileCheck %s --check-prefix=ROTATE40
// RUN: obs-run %s --entry=rotate40 --device=emulate --check=all --schedule=random --seed=3 iota:80xi32 5 | FileCheck %s --check-prefix=ROTATE40
// RUN: obs-run %s --entry=old_after_new --device=interpret iota:64xi32 5 | FileCheck %s --check-prefix=OLD
// RUN: obs-run %s --entry=old_after_new --device=emulate --check=all --schedule=random --seed=3 iota:64xi32 5 | FileCheck %s --check-prefix=OLD

// The largest element doubles in each iteration: 31, 62, 124, so after three all elements have grown by 31 + 62 + 124.
// The second warp begins with 32 to 63: 63 + 126 + 252.
// GET: {{^\[\[}}217, 218, 219
// GET-SAME: 247, 248],
// GET-NEXT: {{^}} [473, 474
// ZERO: {{^\[\[}}0, 1, 2
// COST-LABEL: kernel 'by_get'
// COST: shared memory of a block: 0 bytes
// COST: barriers: 0 of a block, 0 of a warp
func.func @by_get(%a: !obs.pull<64 x i32>, %n: index) -> !obs.pull<2 x 32 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %chunks = obs.split %a by [32] : !obs.pull<64 x i32>
  %d = obs.distribute warp in grid (%first = %chunks : !obs.pull<2 x !obs.pull<32 x i32>>) {
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%b = %first) -> !obs.pull<32 x i32> {
      %last = obs.get %b[%c31] : !obs.pull<32 x i32>
      %next = obs.map (%x = %b : !obs.pull<32 x i32>) {
        %y = arith.addi %x, %last : i32
        obs.yield %y : i32
      }
      %f = obs.force %next : !obs.pull<32 x i32>
      scf.yield %f : !obs.pull<32 x i32>
    }
    %p = obs.push warp %r : !obs.pull<32 x i32>
    obs.yield %p : !obs.push<warp, 32 x i32>
  }
  %f = obs.force %d {kernel = "by_get"} : !obs.push<grid, 2 x 32 x i32>
  return %f : !obs.pull<2 x 32 x i32>
}

// Lanes read elements of others: shuffles.
// ROTATE: {{^\[\[}}5, 6, 7
// ROTATE-SAME: 31, 0, 1, 2, 3, 4],
// ROTATE-NEXT: {{^}} [37, 38
// ROTATE-SAME: 63, 32, 33, 34, 35, 36{{\]\]}}
// COST-LABEL: kernel 'rotate'
// COST: shared memory of a block: 0 bytes
// COST: shuffle i32
func.func @rotate(%a: !obs.pull<64 x i32>, %n: index) -> !obs.pull<2 x 32 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %chunks = obs.split %a by [32] : !obs.pull<64 x i32>
  %d = obs.distribute warp in grid (%first = %chunks : !obs.pull<2 x !obs.pull<32 x i32>>) {
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%b = %first) -> !obs.pull<32 x i32> {
      %next = obs.generate (%i) {
        %j = arith.addi %i, %c1 : index
        %c32 = arith.constant 32 : index
        %w = arith.remui %j, %c32 : index
        %x = obs.get %b[%w] : !obs.pull<32 x i32>
        obs.yield %x : i32
      } : !obs.pull<32 x i32>
      %f = obs.force %next : !obs.pull<32 x i32>
      scf.yield %f : !obs.pull<32 x i32>
    }
    %p = obs.push warp %r : !obs.pull<32 x i32>
    obs.yield %p : !obs.push<warp, 32 x i32>
  }
  %f = obs.force %d {kernel = "rotate"} : !obs.push<grid, 2 x 32 x i32>
  return %f : !obs.pull<2 x 32 x i32>
}

// A lane holds two of 40 elements, and writes the first one before it reads for the second one: two slots.
// ROTATE40: {{^\[\[}}5, 6, 7
// ROTATE40-SAME: 39, 0, 1, 2, 3, 4],
// ROTATE40-NEXT: {{^}} [45, 46
// ROTATE40-SAME: 79, 40, 41, 42, 43, 44{{\]\]}}
// COST-LABEL: kernel 'rotate40'
// COST: shared memory of a block: {{[1-9]}}
func.func @rotate40(%a: !obs.pull<80 x i32>, %n: index) -> !obs.pull<2 x 40 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %chunks = obs.split %a by [40] : !obs.pull<80 x i32>
  %d = obs.distribute warp in grid (%first = %chunks : !obs.pull<2 x !obs.pull<40 x i32>>) {
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%b = %first) -> !obs.pull<40 x i32> {
      %next = obs.generate (%i) {
        %j = arith.addi %i, %c1 : index
        %c40 = arith.constant 40 : index
        %w = arith.remui %j, %c40 : index
        %x = obs.get %b[%w] : !obs.pull<40 x i32>
        obs.yield %x : i32
      } : !obs.pull<40 x i32>
      %f = obs.force %next : !obs.pull<40 x i32>
      scf.yield %f : !obs.pull<40 x i32>
    }
    %p = obs.push warp %r : !obs.pull<40 x i32>
    obs.yield %p : !obs.push<warp, 40 x i32>
  }
  %f = obs.force %d {kernel = "rotate40"} : !obs.push<grid, 2 x 40 x i32>
  return %f : !obs.pull<2 x 40 x i32>
}

// The old array is read after the new one was written: two slots. After k iterations all elements have grown by k, and the
// sum of the first elements of the old arrays is 0 + 1 + 2 + 3 + 4 for the first warp, and 32 more in each for the second.
// OLD: [10, 170]
// COST-LABEL: kernel 'old_after_new'
// COST: shared memory of a block: {{[1-9]}}
func.func @old_after_new(%a: !obs.pull<64 x i32>, %n: index) -> !obs.pull<2 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %chunks = obs.split %a by [32] : !obs.pull<64 x i32>
  %d = obs.distribute warp in grid (%first = %chunks : !obs.pull<2 x !obs.pull<32 x i32>>) {
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%b = %first, %sum = %zero) -> (!obs.pull<32 x i32>, i32) {
      %next = obs.map (%x = %b : !obs.pull<32 x i32>) {
        %y = arith.addi %x, %one : i32
        obs.yield %y : i32
      }
      %f = obs.force %next : !obs.pull<32 x i32>
      %new = obs.get %f[%c0] : !obs.pull<32 x i32>
      %i = arith.index_cast %new : i32 to index
      %c32 = arith.constant 32 : index
      %z = arith.remui %i, %c32 : index
      %same = arith.subi %z, %z : index
      %old = obs.get %b[%same] : !obs.pull<32 x i32>
      %s = arith.addi %sum, %old : i32
      scf.yield %f, %s : !obs.pull<32 x i32>, i32
    }
    %p = obs.push warp %r#0 : !obs.pull<32 x i32>
    %g = obs.generate (%i) {
      obs.yield %r#1 : i32
    } : !obs.pull<1 x i32>
    %q = obs.push warp %g : !obs.pull<1 x i32>
    obs.yield %q : !obs.push<warp, 1 x i32>
  }
  %flat = obs.join %d : !obs.push<grid, 2 x 1 x i32>
  %f = obs.force %flat {kernel = "old_after_new"} : !obs.push<grid, 2 x i32>
  return %f : !obs.pull<2 x i32>
}
