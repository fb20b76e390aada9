// The check of a slice in the elements of a `generate` does not depend on the element, so the host makes it, if there is
// an element. It read the extent of the generated array, which stood after it.
// RUN: obs-run %s --device=interpret iota:8xi32 4 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:8xi32 4 | FileCheck %s
// CHECK: [6, 6, 6, 6]
// RUN: obs-run %s --device=emulate iota:2xi32 0 | FileCheck %s --check-prefix=NONE
// NONE: []
// RUN: not obs-run %s --device=interpret iota:2xi32 4 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not obs-run %s --device=emulate iota:2xi32 4 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error:{{.*}}the slice {{.*}}leaves the
func.func @main(%a: !obs.pull<? x i32>, %m: index) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %r = obs.generate (%i) [%m] {
    %s = obs.slice %a [1] [3] [1] : !obs.pull<? x i32>
    %t = obs.reduce { arith.addi } %s init %zero : !obs.pull<3 x i32>
    obs.yield %t : i32
  } : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
