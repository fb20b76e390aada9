// RUN: obs-run %s --entry=unzip 3 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=17 --entry=unzip 3 | FileCheck %s

// Pairs (i, 10 i), taken apart.
// CHECK: {{^}}[0, 10, 20]{{$}}
// CHECK-NEXT: {{^}}[0, 1, 2]{{$}}
func.func @unzip(%n: index) -> (!obs.pull<? x index>, !obs.pull<? x index>) {
  %c10 = arith.constant 10 : index
  %a = obs.generate (%i) [%n] {
    %t = arith.muli %i, %c10 : index
    obs.yield %i, %t : index, index
  } : !obs.pull<? x index, index>
  %x, %y = obs.unzip %a : !obs.pull<? x index, index>
  return %y, %x : !obs.pull<? x index>, !obs.pull<? x index>
}
