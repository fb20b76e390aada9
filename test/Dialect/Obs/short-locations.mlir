// An operation that is a body of its own has a location of its own, which is printed and read.
// RUN: obs-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: obs-opt %s --mlir-print-debuginfo | obs-opt --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: obs-opt %s | FileCheck %s --check-prefix=PLAIN

// CHECK: obs.map { arith.shli loc("shift.py":3:7) } %{{.*}}, %{{.*}} : !obs.pull<? x i32> loc("shift.py":3:1)
// PLAIN-NOT: loc
// PLAIN: obs.map { arith.shli } %{{.*}}, %{{.*}} : !obs.pull<? x i32>
func.func @main(%a: !obs.pull<? x i32>, %k: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %s = obs.map { arith.shli loc(#inner) } %a, %k : !obs.pull<? x i32> loc(#outer)
  %r = obs.force %s : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
#inner = loc("shift.py":3:7)
#outer = loc("shift.py":3:1)

// RUN: not obs-run %s iota:33xi32 iota:33xi32 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: shift.py:3:7: error: 'arith.shli' shifts 32 bits by 32, the width or more
