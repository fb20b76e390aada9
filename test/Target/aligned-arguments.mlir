// Threads read four neighbours each, of an array that loses some elements in each iteration of a loop. If it
// loses four, every array begins at a multiple of 16 bytes, and the four are one access; if it loses one, they are not.

// RUN: sed 's/DROP/4/' %s > %t.four.mlir
// RUN: obs-translate --no-tiles --obs-to-ptx %t.four.mlir | FileCheck %s --check-prefix=FOUR
// FOUR: .ptr .align 16 sums_param_3
// FOUR: ld.global.v4.b32
// FOUR-NOT: ld.global
// FOUR: .entry add

// RUN: sed 's/DROP/1/' %s > %t.one.mlir
// RUN: obs-translate --no-tiles --obs-to-ptx %t.one.mlir | FileCheck %s --check-prefix=ONE --implicit-check-not='ld.global.v'
// ONE: .ptr .align 1 sums_param_3
// ONE: .ptr .align 16 sums_param_5
// ONE-COUNT-4: ld.global.b32
// RUN: obs-translate --obs-to-launch-json %t.one.mlir | FileCheck %s --check-prefix=JSON
// JSON: "entry": "sums"
// JSON: "alignment": 4,
// JSON: "name": "arg3"
// JSON: "alignment": 16,
// JSON: "name": "arg5"

// 0 + 1 - 2 * 3 and 4 + 5 - 6 * 7, to which 4 + 5 - 6 * 7 and 8 + 9 - 10 * 11 are added.
// RUN: obs-run %t.four.mlir --device=interpret iota:16xi32 2 | FileCheck %s --check-prefix=SUMS
// RUN: obs-run %t.four.mlir --device=emulate iota:16xi32 2 | FileCheck %s --check-prefix=SUMS
// SUMS: [-38, -126]
// RUN: obs-run %t.one.mlir --device=interpret random:1003xi32:3 7 > %t.interpret
// RUN: obs-run %t.one.mlir --device=emulate random:1003xi32:3 7 | diff %t.interpret -

!ints = !obs.pull<? x i32>

func.func @main(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %drop = arith.constant DROP : index
  %all = obs.dim %a, 0 : !ints
  %lost = arith.muli %turns, %drop : index
  %left = arith.subi %all, %lost : index
  %m = arith.divui %left, %c4 : index
  %none = arith.constant 0 : i32
  %zeros = obs.splat %none [%m] : !ints
  %r, %last = scf.for %t = %c0 to %turns step %c1 iter_args(%sum = %zeros, %x = %a) -> (!ints, !ints) {
    %p = obs.fill [%m] par (%i) in (%m) {
      %j = arith.muli %i, %c4 : index
      %j1 = arith.addi %j, %c1 : index
      %j2 = arith.addi %j, %c2 : index
      %j3 = arith.addi %j, %c3 : index
      %x0 = obs.get %x[%j] : !ints
      %x1 = obs.get %x[%j1] : !ints
      %x2 = obs.get %x[%j2] : !ints
      %x3 = obs.get %x[%j3] : !ints
      %s0 = arith.addi %x0, %x1 : i32
      %s1 = arith.muli %x2, %x3 : i32
      %s = arith.subi %s0, %s1 : i32
      obs.write %s at [%i] : i32
    } : !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "sums"} : !obs.push<grid, ? x i32> -> !ints
    %both = obs.map (%u = %sum : !ints, %v = %f : !ints) -> !ints {
      %w = arith.addi %u, %v : i32
      obs.yield %w : i32
    }
    %o = obs.push %both : !ints -> !obs.push<grid, ? x i32>
    %g = obs.force %o {kernel = "add"} : !obs.push<grid, ? x i32> -> !ints
    %n = obs.dim %x, 0 : !ints
    %rest = arith.subi %n, %drop : index
    %y = obs.slice %x [%drop] [%rest] [1] : !ints -> !ints
    scf.yield %g, %y : !ints, !ints
  }
  return %r : !ints
}
