// RUN: obs-run %s --entry=pairs 3 | FileCheck %s --check-prefix=PAIRS
// RUN: obs-run %s --device=emulate --threads=17 --entry=pairs 3 | FileCheck %s --check-prefix=PAIRS
// RUN: not obs-run %s --entry=pairs 4 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: obs-run %s --entry=bare | FileCheck %s --check-prefix=BARE
// RUN: obs-run %s --device=emulate --threads=17 --entry=bare | FileCheck %s --check-prefix=BARE

// Element i is (i, 2 i).
// PAIRS: {{^}}[0, 1, 2]{{$}}
// PAIRS-NEXT: {{^}}[0, 2, 4]{{$}}
// RANGE: write.mlir:[[#@LINE+4]]:5: error: writes index [3], outside of the extents [3]
func.func @pairs(%n: index) -> !obs.pull<3 x index, index> {
  %p = obs.fill par (%t) in (%n) {
    %d = arith.addi %t, %t : index
    obs.write %t, %d at [%t] : index, index
  } : !obs.push<grid, 3 x index, index>
  %r = obs.force %p : !obs.push<grid, 3 x index, index> -> !obs.pull<3 x index, index>
  return %r : !obs.pull<3 x index, index>
}

// At thread level no loop is needed.
// BARE: [5, 0],
// BARE-NEXT: [5, 1]
func.func @bare() -> !obs.pull<2 x 2 x index> {
  %a = obs.iota : !obs.pull<2 x index>
  %p = obs.distribute thread (%x = %a : !obs.pull<2 x index>) -> !obs.push<grid, 2 x 2 x index> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %q = obs.fill {
      obs.write %x at [%c1] : index
      obs.write %c5 at [%c0] : index
    } : !obs.push<thread, 2 x index>
    obs.yield %q : !obs.push<thread, 2 x index>
  }
  %r = obs.force %p : !obs.push<grid, 2 x 2 x index> -> !obs.pull<2 x 2 x index>
  return %r : !obs.pull<2 x 2 x index>
}
