// An element of at most 32 bits that a tile publishes is one word with its flag. An atomic operation writes and reads
// this word, so a scan in one pass has no fences. The mutants do not wait: they read words that are not published yet.
// One does not wait at all, and one does not wait for the combination of the groups of tiles before a group, which
// floats need. Tiles have 8192 elements, so there are 37 of them, more than a block looks back at in one step.
//
// DEFINE: %{run} = obs-run - --device emulate --check=all --schedule=random --seed=1 300000
// DEFINE: %{all} = obs-run - --device emulate --schedule=random --seed=2 300000 --out=%t.ints.npy
// RUN: obs-opt %s --obs-to-gpu="threads=64 blocks=40" -o %t
// RUN: FileCheck %s --check-prefix=KERNEL --implicit-check-not=fence < %t
// RUN: %{run} < %t | FileCheck %s
// RUN: sed 's/\(arith.cmpi ult, %[0-9]*, \)%c1_i32 : i32/\1%c0_i32 : i32/' %t > %t.mutant
// RUN: not diff %t %t.mutant > %t.diff
// RUN: %{run} < %t.mutant 2>&1 | not FileCheck %s
// RUN: sed 's/\(arith.select %[0-9]*, \)%c2_i32, %c1_i32 : i32/\1%c1_i32, %c1_i32 : i32/' %t > %t.mutant
// RUN: not diff %t %t.mutant > %t.diff
// RUN: %{all} --out=%t.npy --out=- < %t
// RUN: %{all} --out=%t.mutant.npy --out=- < %t.mutant
// RUN: not cmp %t.npy %t.mutant.npy
// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: obs-opt %s --obs-to-gpu=plain-collectives=true | FileCheck %s --check-prefix=PLAIN

// KERNEL: gpu.memset {{.*}} : memref<?xi64>, i64
// KERNEL: obs.ticket {{.*}} : memref<?xi64>
// KERNEL: memref.atomic_rmw assign {{.*}} -> i64
// KERNEL: memref.atomic_rmw ori {{.*}} -> i64
// PTX: atom.global.exch.b64
// PTX: ld.relaxed.gpu.global.b64
// PTX-NOT: fence
// PTX: ret
// PLAIN: obs.publish

// The sum of i mod 5 - 2, and of those from the first on, for 300000 elements.
// CHECK: [-2, -3, -3, ..., -3, -2, 0]
// CHECK-NEXT: [-2.0, -3.0, -3.0, ..., -3.0, -2.0, 0.0]
// CHECK-NEXT: 0
!ints = !obs.pull<? x i32>
!floats = !obs.pull<? x f32>
func.func @main(%n: index) -> (!ints, !floats, i32) {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  %five = arith.constant 5 : index
  %a = obs.generate (%i) [%n] {
    %r = arith.remui %i, %five : index
    %s = arith.subi %r, %two : index
    %x = arith.index_cast %s : index to i32
    obs.yield %x : i32
  } : !ints
  %b = obs.map (%x = %a : !ints) -> !floats {
    %y = arith.sitofp %x : i32 to f32
    obs.yield %y : f32
  }
  %p, %total = obs.scan grid inclusive { arith.addi } %a init %zero total {strategy = "one_pass"} : !ints
  %q = obs.scan grid inclusive { arith.addf } %b init %none {strategy = "one_pass"} : !floats
  %r = obs.force %p : !obs.push<grid, ? x i32>
  %s = obs.force %q : !obs.push<grid, ? x f32>
  return %r, %s, %total : !ints, !floats, i32
}
