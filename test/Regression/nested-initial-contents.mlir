// Initial contents of fills that are put into each other: those of the inner one stay.

// RUN: obs-run %s 3 --device=interpret --out=%t.interpret.npy
// RUN: obs-run %s 3 --device=emulate --out=%t.emulate.npy
// RUN: obs-run %s 3 --device=emulate --threads=32 --blocks=3 --schedule=random --seed=4 --out=%t.random.npy
// RUN: cmp %t.interpret.npy %t.emulate.npy
// RUN: cmp %t.interpret.npy %t.random.npy
// RUN: obs-run %s 3 --device=interpret --entry=summary | FileCheck %s
// RUN: obs-run %s 3 --device=emulate --entry=summary | FileCheck %s
// 100 times 9, 100 times 7, 97 times 5 and three times 5 + 5.
// CHECK: [100, 100, 97, 3]

// One kernel for each depth, in their order, and then the program.
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: func.func @main
// KERNELS: gpu.launch_func @kernels::@main_kernel_init blocks
// KERNELS: gpu.launch_func @kernels::@main_kernel_init2 blocks
// KERNELS: gpu.launch_func @kernels::@main_kernel blocks

func.func @main(%n: index) -> !obs.pull<300 x i32> {
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %nine = arith.constant 9 : i32
  %c100 = arith.constant 100 : index
  %inner = obs.fill init %five reduce(addi) par (%i) in (%n) {
    obs.write %five at [%i] : i32
  } : !obs.push<grid, 100 x i32>
  %middle = obs.fill init %seven {
    obs.put %inner at [%c100] : !obs.push<grid, 100 x i32>
  } : !obs.push<grid, 200 x i32>
  %outer = obs.fill init %nine {
    obs.put %middle at [%c100] : !obs.push<grid, 200 x i32>
  } : !obs.push<grid, 300 x i32>
  %f = obs.force %outer : !obs.push<grid, 300 x i32> -> !obs.pull<300 x i32>
  return %f : !obs.pull<300 x i32>
}

func.func @summary(%n: index) -> !obs.pull<4 x i32> {
  %a = func.call @main(%n) : (index) -> !obs.pull<300 x i32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %values = obs.constant dense<[9, 7, 5, 10]> : tensor<4xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  %counts = obs.map (%v = %values : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    %k = scf.for %i = %c0 to %c300 step %c1 iter_args(%s = %zero) -> i32 {
      %x = obs.get %a[%i] : !obs.pull<300 x i32>
      %is = arith.cmpi eq, %x, %v : i32
      %bit = arith.extui %is : i1 to i32
      %t = arith.addi %s, %bit : i32
      scf.yield %t : i32
    }
    obs.yield %k : i32
  }
  return %counts : !obs.pull<4 x i32>
}
