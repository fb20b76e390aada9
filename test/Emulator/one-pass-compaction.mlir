// A compaction in one pass. The mutants are noticed: one does not wait for the counts of tiles before (no number is
// less than 0), and one gathers another element of the thread in place of element 5.
//
// DEFINE: %{run} = obs-run - --device emulate --check=all --schedule=random --seed=1 300000
// RUN: obs-opt %s --obs-to-gpu="threads=64 blocks=40" -o %t
// RUN: FileCheck %s --check-prefix=KERNEL --implicit-check-not=fence < %t
// RUN: %{run} < %t | FileCheck %s
// RUN: sed 's/\(arith.cmpi ult, %[0-9]*, \)%c1_i32 : i32/\1%c0_i32 : i32/' %t > %t.mutant
// RUN: not diff %t %t.mutant > %t.diff
// RUN: not %{run} < %t.mutant 2>&1 | FileCheck %s --check-prefix=FALSE
// RUN: sed 's/\(arith.cmpi eq, %arg[0-9]*, \)%c5 :/\1%c4 :/' %t > %t.mutant
// RUN: not diff %t %t.mutant > %t.diff
// RUN: not %{run} < %t.mutant 2>&1 | FileCheck %s --check-prefix=SHARED

// Kept elements are gathered in shared memory by one store, in a loop of 32 iterations. Neighbouring threads then write
// neighbouring elements.
// KERNEL: gpu.func @kept(
// KERNEL: {obs.contract = "disjoint"} : memref<8192xi32, #gpu.address_space<workgroup>>
// KERNEL: {loop_annotation = #loop_annotation}
// KERNEL: memref.atomic_rmw ori {{.*}} -> i64
// KERNEL-COUNT-1: {obs.contract = "disjoint"} : memref<?xi32>
// KERNEL-NOT: memref<?xi32>

// FALSE: error: false-claim: [R5-disjoint] store of 4 bytes of global memory
// SHARED: error: false-claim: [R5-disjoint] store of 4 bytes of shared memory

// Every third number, and how many there are.
// CHECK: [0, 3, 6, ..., -1, -1, -1]
// CHECK-NEXT: [100000]
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
