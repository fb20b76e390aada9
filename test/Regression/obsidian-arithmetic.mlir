// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate | FileCheck %s
// RUN: obs-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// Arithmetic that the first implementation got wrong: defects a, b and m of
// docs/FromObsidian.md.

// a: its constant folding turned a right shift of an unsigned literal to the left.
// The same number with a shift that is known only at run time.
// FOLD-LABEL: func.func @shift
// FOLD-NOT: arith.shrui %c
// FOLD: arith.constant 536870911 : i32
// CHECK: {{^}}536870911{{$}}
// CHECK-NEXT: {{^}}[536870911, 268435455]{{$}}
func.func @shift() -> (i32, !obs.pull<2 x i32>) {
  %minus = arith.constant -8 : i32
  %c3 = arith.constant 3 : i32
  %x = arith.shrui %minus, %c3 : i32
  %shifts = obs.constant dense<[3, 4]> : tensor<2xi32>
  %r = obs.map (%s = %shifts : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %y = arith.shrui %minus, %s : i32
    obs.yield %y : i32
  }
  return %x, %r : i32, !obs.pull<2 x i32>
}

// b: sinh, cosh and tanh were built as sin, cos and tan. Rounded down after a
// multiplication by 1000: sinh 1 = 1.1752, cosh 1 = 1.5431, tanh 1 = 0.7616; of 0.
// CHECK-NEXT: {{^}}[0, 1175]{{$}}
// CHECK-NEXT: {{^}}[1000, 1543]{{$}}
// CHECK-NEXT: {{^}}[0, 761]{{$}}
func.func @hyperbolic() -> (!obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>) {
  %k = arith.constant 1000.0 : f64
  %a = obs.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %s = obs.map (%x = %a : !obs.pull<2 x f64>) -> !obs.pull<2 x i32> {
    %y = math.sinh %x : f64
    %z = arith.mulf %y, %k : f64
    %i = arith.fptosi %z : f64 to i32
    obs.yield %i : i32
  }
  %c = obs.map (%x = %a : !obs.pull<2 x f64>) -> !obs.pull<2 x i32> {
    %y = math.cosh %x : f64
    %z = arith.mulf %y, %k : f64
    %i = arith.fptosi %z : f64 to i32
    obs.yield %i : i32
  }
  %t = obs.map (%x = %a : !obs.pull<2 x f64>) -> !obs.pull<2 x i32> {
    %y = math.tanh %x : f64
    %z = arith.mulf %y, %k : f64
    %i = arith.fptosi %z : f64 to i32
    obs.yield %i : i32
  }
  return %s, %c, %t : !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>
}

// m: loops counted in signed 32-bit numbers. Here all are of 64 bits: elements past
// 2^31 and 2^32 of an array of 5 * 10^9, which is nowhere in memory.
// CHECK-NEXT: {{^}}[2147483647, 2147483648, 2147483649, 2147483650]{{$}}
// CHECK-NEXT: {{^}}[4999999998, 4999999999]{{$}}
func.func @long_arrays() -> (!obs.pull<4 x index>, !obs.pull<2 x index>) {
  %n = arith.constant 5000000000 : index
  %a = obs.iota [%n] : !obs.pull<? x index>
  %x = obs.slice %a [2147483647] [4] [1] : !obs.pull<? x index> -> !obs.pull<4 x index>
  %y = obs.slice %a [4999999998] [2] [1] : !obs.pull<? x index> -> !obs.pull<2 x index>
  return %x, %y : !obs.pull<4 x index>, !obs.pull<2 x index>
}

// m: a loop in a kernel from 2^31 - 2 up to 2^31 + 3 runs five times.
// CHECK-NEXT: {{^}}[5]{{$}}
func.func @long_loop() -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : index
  %from = arith.constant 2147483646 : index
  %to = arith.constant 2147483651 : index
  %r = obs.generate (%i) {
    %lower = arith.addi %from, %i : index
    %s = scf.for %k = %lower to %to step %c1 iter_args(%x = %zero) -> i32 {
      %y = arith.addi %x, %one : i32
      scf.yield %y : i32
    }
    obs.yield %s : i32
  } : !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @main() -> (i32, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<4 x index>, !obs.pull<2 x index>, !obs.pull<1 x i32>) {
  %a, %b = func.call @shift() : () -> (i32, !obs.pull<2 x i32>)
  %c:3 = func.call @hyperbolic() : () -> (!obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>)
  %d:2 = func.call @long_arrays() : () -> (!obs.pull<4 x index>, !obs.pull<2 x index>)
  %e = func.call @long_loop() : () -> !obs.pull<1 x i32>
  return %a, %b, %c#0, %c#1, %c#2, %d#0, %d#1, %e : i32, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<4 x index>, !obs.pull<2 x index>, !obs.pull<1 x i32>
}
