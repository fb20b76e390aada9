// A compaction in one pass. The mutants are noticed: one does not wait for the counts of tiles before (no number is
// less than 0), and one writes another element of the thread in place of element 5.
//
// DEFINE: %{run} = obs-run - --device emulate --check=all --schedule=random --seed=1 150000
// RUN: obs-opt %s --obs-to-gpu="threads=64 blocks=40" -o %t
// RUN: FileCheck %s --check-prefix=KERNEL --implicit-check-not=fence < %t
// RUN: %{run} < %t | FileCheck %s
// RUN: sed '/atomic_rmw ori/,/scf.condition/s/arith.cmpi eq/arith.cmpi ult/' %t > %t.mutant
// RUN: not diff %t %t.mutant > %t.diff
// RUN: not %{run} < %t.mutant 2>&1 | FileCheck %s --check-prefix=FALSE
// RUN: sed 's/\(arith.cmpi eq, %arg[0-9]*, \)%c5 :/\1%c4 :/' %t > %t.mutant
// RUN: not diff %t %t.mutant > %t.diff
// RUN: not %{run} < %t.mutant 2>&1 | FileCheck %s --check-prefix=FALSE

// Each element has one store, in a loop of 16 iterations.
// KERNEL: gpu.func @kept(
// KERNEL: memref.atomic_rmw ori {{.*}} -> i64
// KERNEL-COUNT-1: {obs.contract = "disjoint"} : memref<?xi32>
// KERNEL-NOT: memref<?xi32>
// KERNEL: {loop_annotation = #loop_annotation}

// FALSE: error: false-claim: [R5-disjoint] store of 4 bytes of global memory

// Every third number, and how many there are.
// CHECK: [0, 3, 6, ..., -1, -1, -1]
// CHECK-NEXT: [50000]
func.func @main(%n: index) -> (!obs.pull<? x i32>, !obs.pull<1 x i32>) {
  %none = arith.constant -1 : i32
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %a = obs.generate (%i) [%n] {
    %x = arith.index_cast %i : index to i32
    obs.yield %x : i32
  } : !obs.pull<? x i32>
  %f = obs.generate (%i) [%n] {
    %r = arith.remui %i, %three : index
    %y = arith.cmpi eq, %r, %zero : index
    obs.yield %y : i1
  } : !obs.pull<? x i1>
  %p, %m = obs.compact %a flags %f init %none : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r = obs.force %p {kernel = "kept"} : !obs.push<grid, ? x i32>
  %s = obs.force %m : !obs.push<grid, 1 x i32>
  return %r, %s : !obs.pull<? x i32>, !obs.pull<1 x i32>
}
