// A C program refuses arguments that are not of their types, and arrays that no memory has room for.
// Nothing is launched then, and nothing is left.

// RUN: mkdir -p %t
// RUN: cp %s %t/errors.mlir
// RUN: cd %t && obs-translate --obs-to-host-c errors.mlir -o errors.c
// RUN: %cc -std=c99 -Wall -Wextra -Werror -I %S/Inputs/cuda -I %t %S/Inputs/host-c-errors.c %S/Inputs/cuda/mock.c -o %t/errors
// RUN: %t/errors 2>&1 | FileCheck %s --implicit-check-not=launch
// REQUIRES: c-compiler

!v = !obs.pull<? x i32>
!w = !obs.pull<? x ? x i32>

// 2^62 elements, whose bytes would be 0 in 64 bits; (2^31 - 1) 2^30 fit, and the driver says that it has no such memory.
// CHECK: errors.mlir:[[#@LINE+8]]:8: error: an array of more than 2^63 bytes cannot be allocated
// CHECK-NEXT: long: status 2
// CHECK-NEXT: driver: 9223372032559808512 bytes
// CHECK-NEXT: longest: status 2
func.func @long(%n: index, %m: index) -> !w {
  %z = arith.constant 1 : i32
  %g = obs.splat %z [%n, %m] : !w
  %p = obs.push %g : !w -> !obs.push<grid, ? x ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x ? x i32> -> !w
  return %r : !w
}

// Each extent fits; so does the product of those of an empty array, whose strides do not.
// CHECK-NEXT: errors.mlir:[[#@LINE+8]]:8: error: an array of more than 2^63 bytes cannot be allocated
// CHECK-NEXT: wide: status 2
// CHECK-NEXT: errors.mlir:[[#@LINE+6]]:8: error: an array of more than 2^63 bytes cannot be allocated
// CHECK-NEXT: empty: status 2
func.func @wide(%n: index, %m: index, %k: index) -> !obs.pull<? x ? x ? x i32> {
  %z = arith.constant 1 : i32
  %g = obs.splat %z [%n, %m, %k] : !obs.pull<? x ? x ? x i32>
  %p = obs.push %g : !obs.pull<? x ? x ? x i32> -> !obs.push<grid, ? x ? x ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x ? x ? x i32> -> !obs.pull<? x ? x ? x i32>
  return %r : !obs.pull<? x ? x ? x i32>
}

// CHECK-NEXT: errors.mlir:[[#@LINE+3]]:8: error: assertion failed: [R4-extents] obs.iota: an extent is negative
// CHECK-NEXT: negative: status 710
func.func @checked(%n: index) -> !v {
  %g = obs.iota [%n] : !v
  %p = obs.push %g : !v -> !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !v
  return %r : !v
}

// The words of obs-run.
// CHECK-NEXT: obs_pairs: error: argument 3: its extents, 5xf32, differ from those of the array before, 4xi32, of the same parameter
// CHECK-NEXT: pairs: status 1
// CHECK-NEXT: {{^}}early launch sum on 1 blocks
// CHECK-NEXT: pairs that agree: status 0
func.func @pairs(%k: i32, %v: !obs.pull<? x i32, f32>) -> !v {
  %s = obs.map (%a, %b = %v : !obs.pull<? x i32, f32>) -> !v {
    %c = arith.fptosi %b : f32 to i32
    %d = arith.addi %a, %c : i32
    %t = arith.addi %d, %k : i32
    obs.yield %t : i32
  }
  %p = obs.push %s : !v -> !obs.push<grid, ? x i32>
  %g = obs.force %p {kernel = "sum"} : !obs.push<grid, ? x i32> -> !v
  return %g : !v
}

// CHECK-NEXT: obs_static: error: argument 1: its type is 5xi32, and the parameter's !obs.pull<4 x i32>
// CHECK-NEXT: static: status 1
// CHECK-NEXT: static that fits: status 0
func.func @static(%a: !obs.pull<4 x i32>) -> !v {
  %c3 = arith.constant 3 : index
  %t = obs.take %a [%c3] : !obs.pull<4 x i32> -> !v
  return %t : !v
}

// CHECK-NEXT: obs_bound: error: argument 1: its type is 5x7xi32, and the parameter's !obs.pull<? x 7 x i32 bound [4, 7]>
// CHECK-NEXT: bound: status 1
// CHECK-NEXT: bound that holds: status 0
func.func @bound(%least: !obs.pull<? x 7 x i32 bound [4, 7]> {obs.name = "least"}) -> index {
  %d = obs.dim %least, 0 : !obs.pull<? x 7 x i32 bound [4, 7]>
  return %d : index
}

// The C program has no variable that only blocks of several dimensions would read. A text may have question marks.
// CHECK-NEXT: {{^}}early launch first on 1 blocks
// CHECK-NEXT: why??!
// CHECK-NEXT: unread: status 0
// CHECK-NEXT: end: {{[0-9]+}} allocations, 0 live
func.func @unread() -> !obs.pull<1 x i32> {
  %g = obs.iota : !obs.pull<1024 x i32>
  %p = obs.push %g : !obs.pull<1024 x i32> -> !obs.push<grid, 1024 x i32>
  %r = obs.force %p {kernel = "first"} : !obs.push<grid, 1024 x i32> -> !obs.pull<1024 x i32>
  %t = obs.take %r [1] : !obs.pull<1024 x i32> -> !obs.pull<1 x i32>
  obs.print "why??!"
  return %t : !obs.pull<1 x i32>
}
