// A scan in one pass is right because a flag is raised behind a release fence,
// and read before an acquire fence. Without one of the two kinds the emulator
// reports the race, on any schedule in which a block looks back at another one.
//
// DEFINE: %{run} = obs-run - --device emulate --check=all --schedule=random --seed=1 iota:5000xi32
// RUN: obs-opt %s --obs-to-gpu="threads=64 blocks=4" -o %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t
// RUN: %{run} < %t | FileCheck %s
// RUN: sed '/llvm.fence.*release/d' %t | not %{run} 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/llvm.fence.*acquire/d' %t | not %{run} 2>&1 | FileCheck %s --check-prefix=RACE

// KERNEL: llvm.fence syncscope("device") release
// KERNEL: memref.atomic_rmw assign
// KERNEL: memref.atomic_rmw ori
// KERNEL: llvm.fence syncscope("device") acquire
// CHECK: [0, 1, 3, ..., 12487503, 12492501, 12497500]
// RACE: error: race: load of 4 bytes of global memory by {{.*}}: no release and acquire order the two blocks
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %s = obs.scan inclusive (%x, %y) = %a init %zero {strategy = "one_pass"} : !obs.pull<? x i32> -> !obs.push<grid, ? x i32> {
    %r = arith.addi %x, %y : i32
    obs.yield %r : i32
  }
  %f = obs.force %s : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
