// A collective by all blocks has two results, and the program may need only one.
//
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{run} = obs-run %s --device=emulate --check=all --entry=%{entry} %{args}
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=KERNELS
// REDEFINE: %{entry} = count
// REDEFINE: %{args} = iota:9000xi32 1
// RUN: %{run} | FileCheck %s --check-prefix=COUNT
// REDEFINE: %{args} = zeros:0xi32 1
// RUN: %{run} | FileCheck %s --check-prefix=NONE
// REDEFINE: %{entry} = count_twice
// REDEFINE: %{args} = iota:9000xi32 1
// RUN: %{run} | FileCheck %s --check-prefix=TWICE
// REDEFINE: %{entry} = total
// REDEFINE: %{args} = iota:9000xi32 7
// RUN: %{run} | FileCheck %s --check-prefix=TOTAL
// REDEFINE: %{args} = zeros:0xi32 7
// RUN: %{run} | FileCheck %s --check-prefix=SEVEN

!ints = !obs.pull<? x i32>

// The elements are forced, but nobody reads them: that needs no positions.
// KERNELS-LABEL: func.func @count(
// KERNELS: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
// KERNELS: return
// COUNT: 4500
// NONE: 0
func.func @count(%a: !ints, %s: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %f = obs.map (%x = %a : !ints) -> !obs.pull<? x i1> {
    %m = arith.andi %x, %s : i32
    %y = arith.cmpi eq, %m, %s : i32
    obs.yield %y : i1
  }
  %p, %c = obs.compact %a flags %f : !ints, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r, %n = obs.force %p, %c : !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32> -> (!ints, !obs.pull<1 x i32>)
  %v = obs.get %n[%c0] : !obs.pull<1 x i32>
  return %v : i32
}

// TWICE: [4500]
// TWICE-NEXT: [4500]
func.func @count_twice(%a: !ints, %s: i32) -> (!obs.pull<1 x i32>, !obs.pull<1 x i32>) {
  %f = obs.map (%x = %a : !ints) -> !obs.pull<? x i1> {
    %m = arith.andi %x, %s : i32
    %y = arith.cmpi eq, %m, %s : i32
    obs.yield %y : i1
  }
  %p, %c = obs.compact %a flags %f {strategy = "one_pass"} : !ints, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r, %n = obs.force %p, %c : !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32> -> (!ints, !obs.pull<1 x i32>)
  %m = obs.force %c : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %n, %m : !obs.pull<1 x i32>, !obs.pull<1 x i32>
}

// The same total without the scan, which is not forced at all.
// KERNELS-LABEL: func.func @total(
// KERNELS: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
// KERNELS: return
// TOTAL: 40495507
// SEVEN: 7
func.func @total(%a: !ints, %s: i32) -> i32 {
  %p, %t = obs.scan inclusive (%x, %y) = %a init %s : !ints -> (!obs.push<grid, ? x i32>, i32) {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  return %t : i32
}
