// A scan in one pass is right because a flag is raised behind a release fence,
// and read before an acquire fence. Without one of the two kinds the emulator
// reports the race. Tiles of these elements are short, so there are 36 of them,
// more than a block looks back at in one step.
//
// DEFINE: %{run} = obs-run - --device emulate --check=all --schedule=random --seed=1 36000
// RUN: obs-opt %s --obs-to-gpu="threads=64 blocks=40" -o %t.exchanges
// RUN: FileCheck %s --check-prefix=EXCHANGES --implicit-check-not=fence < %t.exchanges
// RUN: %{run} < %t.exchanges | FileCheck %s
// RUN: obs-opt %t.exchanges --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-expand-exchanges)))' -o %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t
// RUN: %{run} < %t | FileCheck %s
// RUN: sed '/llvm.fence.*release/d' %t | not %{run} 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/llvm.fence.*acquire/d' %t | not %{run} 2>&1 | FileCheck %s --check-prefix=RACE

// EXCHANGES: obs.publish
// EXCHANGES: obs.await
// KERNEL: llvm.fence syncscope("device") release
// KERNEL: memref.atomic_rmw assign
// KERNEL: memref.atomic_rmw ori
// KERNEL: llvm.fence syncscope("device") acquire
// CHECK: [0, 1, 3, ..., 647910003, 647946001, 647982000]
// CHECK-NEXT: [1, 2, 3, ..., 35998, 35999, 36000]
// RACE: error: race: load of 8 bytes of global memory by {{.*}}: no release and acquire order the two blocks
func.func @main(%n: index) -> (!obs.pull<? x index>, !obs.pull<? x index>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = obs.generate (%i) [%n] {
    obs.yield %i, %one, %i, %one : index, index, index, index
  } : !obs.pull<? x index, index, index, index>
  %p = obs.scan inclusive (%x, %y, %z, %w, %x1, %y1, %z1, %w1) = %a init %zero, %zero, %zero, %zero {strategy = "one_pass"} : !obs.pull<? x index, index, index, index> -> !obs.push<grid, ? x index, index, index, index> {
    %x2 = arith.addi %x, %x1 : index
    %y2 = arith.addi %y, %y1 : index
    %z2 = arith.addi %z, %z1 : index
    %w2 = arith.addi %w, %w1 : index
    obs.yield %x2, %y2, %z2, %w2 : index, index, index, index
  }
  %f = obs.force %p : !obs.push<grid, ? x index, index, index, index> -> !obs.pull<? x index, index, index, index>
  %r, %s, %t, %u = obs.unzip %f : !obs.pull<? x index, index, index, index>
  return %r, %s : !obs.pull<? x index>, !obs.pull<? x index>
}
