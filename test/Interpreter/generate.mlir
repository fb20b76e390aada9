// RUN: obs-run %s --entry=table 3 | FileCheck %s --check-prefix=TABLE
// RUN: obs-run %s --device=emulate --threads=17 --entry=table 3 | FileCheck %s --check-prefix=TABLE
// RUN: obs-run %s --entry=table 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=table 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=nested 4 | FileCheck %s --check-prefix=NESTED
// RUN: obs-run %s --device=emulate --threads=17 --entry=nested 4 | FileCheck %s --check-prefix=NESTED

// Element (r, c) is 10 r + c.
// TABLE: [0, 1],
// TABLE-NEXT: [10, 11],
// TABLE-NEXT: [20, 21]
// NONE: {{^}}[]{{$}}
func.func @table(%n: index) -> !obs.pull<? x 2 x index> {
  %c10 = arith.constant 10 : index
  %a = obs.generate (%r, %c) [%n] {
    %s = arith.muli %r, %c10 : index
    %t = arith.addi %s, %c : index
    obs.yield %t : index
  } : !obs.pull<? x 2 x index>
  return %a : !obs.pull<? x 2 x index>
}

// Element i is the array i, i + 1, i + 2. Its inner region refers to the index
// of the outer one.
// NESTED: {{^}}[0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]{{$}}
func.func @nested(%n: index) -> !obs.pull<? x index> {
  %a = obs.generate (%i) [%n] {
    %inner = obs.generate (%j) {
      %s = arith.addi %i, %j : index
      obs.yield %s : index
    } : !obs.pull<3 x index>
    obs.yield %inner : !obs.pull<3 x index>
  } : !obs.pull<? x !obs.pull<3 x index>>
  %b = obs.join %a : !obs.pull<? x !obs.pull<3 x index>> -> !obs.pull<? x index>
  return %b : !obs.pull<? x index>
}
