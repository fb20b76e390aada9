// With --line-info the PTX has the file and the line of each instruction, also of instructions from other files, and the
// same instructions as without. `FILE` numbers of `.loc` are those of `.file` at the end.

// RUN: obs-translate --obs-to-ptx --line-info %s -o %t.lines.ptx
// RUN: FileCheck %s < %t.lines.ptx
// RUN: obs-translate --obs-to-ptx %s -o %t.plain.ptx
// RUN: FileCheck %s --check-prefix=PLAIN --allow-empty < %t.plain.ptx
// RUN: grep -v -E '^[[:space:]]*(//|$|\.loc|\.file|\.section|\$L__(tmp|func_(begin|end))[0-9]+:)' %t.lines.ptx > %t.a
// RUN: grep -v -E '^[[:space:]]*(//|$)' %t.plain.ptx > %t.b
// RUN: diff %t.a %t.b
// RUN: not obs-run %s --line-info iota:8xf32 2>&1 | FileCheck %s --check-prefix=DEVICE

// PLAIN-NOT: .loc
// DEVICE: error: --line-info needs --device=cuda

// CHECK: .entry lines
// CHECK: .loc [[USER:[0-9]+]] 30
// CHECK: .loc [[LIBRARY:[0-9]+]] 7 3
// CHECK-NEXT: {{mul|sqrt}}
// CHECK-DAG: .file [[USER]] "{{.*}}/user.py"
// CHECK-DAG: .file [[LIBRARY]] "/usr/share/library.py"
func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %m = obs.map (%x = %a : !obs.pull<? x f32>) {
    %y = arith.mulf %x, %x : f32 loc("/usr/share/library.py":7:3)
    obs.yield %y : f32 loc("user.py":29:1)
  } loc("user.py":30:5)
  %f = obs.force %m {kernel = "lines"} : !obs.pull<? x f32> loc("user.py":30:2)
  return %f : !obs.pull<? x f32>
} loc("user.py":28:1)
