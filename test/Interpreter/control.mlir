// RUN: obs-run %s --entry=for 2 11 3 | FileCheck %s --check-prefix=FOR
// RUN: obs-run %s --device=emulate --threads=17 --entry=for 2 11 3 | FileCheck %s --check-prefix=FOR
// RUN: obs-run %s --entry=for 5 5 1 | FileCheck %s --check-prefix=NEVER
// RUN: obs-run %s --device=emulate --threads=17 --entry=for 5 5 1 | FileCheck %s --check-prefix=NEVER
// RUN: not obs-run %s --entry=for 0 5 0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: obs-run %s --entry=carry iota:3xi32 4 | FileCheck %s --check-prefix=CARRY
// RUN: obs-run %s --device=emulate --threads=17 --entry=carry iota:3xi32 4 | FileCheck %s --check-prefix=CARRY
// RUN: obs-run %s --entry=swap 3 | FileCheck %s --check-prefix=SWAP
// RUN: obs-run %s --device=emulate --threads=17 --entry=swap 3 | FileCheck %s --check-prefix=SWAP
// RUN: obs-run %s --entry=collatz 6 | FileCheck %s --check-prefix=COLLATZ
// RUN: obs-run %s --device=emulate --threads=17 --entry=collatz 6 | FileCheck %s --check-prefix=COLLATZ
// RUN: obs-run %s --entry=halve iota:8xi32 | FileCheck %s --check-prefix=HALVE
// RUN: obs-run %s --device=emulate --threads=17 --entry=halve iota:8xi32 | FileCheck %s --check-prefix=HALVE
// RUN: obs-run %s --entry=branch true iota:3xi32 | FileCheck %s --check-prefix=THEN
// RUN: obs-run %s --entry=branch false iota:3xi32 | FileCheck %s --check-prefix=ELSE
// RUN: obs-run %s --entry=caller iota:3xi32 | FileCheck %s --check-prefix=CALL
// RUN: obs-run %s --device=emulate --threads=17 --entry=caller iota:3xi32 | FileCheck %s --check-prefix=CALL
// RUN: not obs-run %s --entry=undefined 2>&1 | FileCheck %s --check-prefix=UNDEFINED

// 2 + 5 + 8
// FOR: {{^}}15{{$}}
// NEVER: {{^}}0{{$}}
// STEP: control.mlir:[[#@LINE+3]]:8: error: the step of the loop is 0; it must be positive
func.func @for(%lo: index, %hi: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %r = scf.for %i = %lo to %hi step %step iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  return %r : index
}

// Doubled in each iteration: i * 2^4.
// CARRY: {{^}}[0, 16, 32]{{$}}
func.func @carry(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (!obs.pull<? x i32>) {
    %d = obs.map (%x = %v : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %p = obs.push %d : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
    %f = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
    scf.yield %f : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}

// Carried values change places at once; three times is once.
// SWAP: {{^}}2{{$}}
// SWAP-NEXT: {{^}}1{{$}}
func.func @swap(%n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c1, %y = %c2) -> (index, index) {
    scf.yield %y, %x : index, index
  }
  return %r#0, %r#1 : index, index
}

// 6 3 10 5 16 8 4 2 1 are 8 steps.
// COLLATZ: {{^}}8{{$}}
func.func @collatz(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %r:2 = scf.while (%x = %n, %steps = %c0) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %x, %c1 : i64
    scf.condition(%more) %x, %steps : i64, i64
  } do {
  ^bb0(%x: i64, %steps: i64):
    %next = arith.addi %steps, %c1 : i64
    %bit = arith.andi %x, %c1 : i64
    %odd = arith.cmpi eq, %bit, %c1 : i64
    %y = scf.if %odd -> (i64) {
      %t = arith.muli %x, %c3 : i64
      %u = arith.addi %t, %c1 : i64
      scf.yield %u : i64
    } else {
      %h = arith.divui %x, %c2 : i64
      scf.yield %h : i64
    }
    scf.yield %y, %next : i64, i64
  }
  return %r#1 : i64
}

// As long as there are two elements, the halves are added: the sum of 0 to 7.
// HALVE: {{^}}[28]{{$}}
func.func @halve(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.while (%v = %a) : (!obs.pull<? x i32>) -> (!obs.pull<? x i32>) {
    %n = obs.dim %v, 0 : !obs.pull<? x i32>
    %more = arith.cmpi ugt, %n, %c1 : index
    scf.condition(%more) %v : !obs.pull<? x i32>
  } do {
  ^bb0(%v: !obs.pull<? x i32>):
    %n = obs.dim %v, 0 : !obs.pull<? x i32>
    %h = arith.divui %n, %c2 : index
    %x = obs.slice %v [0] [%h] [1] : !obs.pull<? x i32> -> !obs.pull<? x i32>
    %y = obs.slice %v [%h] [%h] [1] : !obs.pull<? x i32> -> !obs.pull<? x i32>
    %s = obs.map (%p = %x : !obs.pull<? x i32>, %q = %y : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %t = arith.addi %p, %q : i32
      obs.yield %t : i32
    }
    %p = obs.push %s : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
    %f = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
    scf.yield %f : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}

// THEN: {{^}}[2, 1, 0]{{$}}
// ELSE: {{^}}[0, 1, 2]{{$}}
func.func @branch(%c: i1, %a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %r = scf.if %c -> (!obs.pull<? x i32>) {
    %v = obs.reverse %a : !obs.pull<? x i32>
    scf.yield %v : !obs.pull<? x i32>
  } else {
    scf.yield %a : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}

// i + 3, then times 10.
// CALL: {{^}}[30, 40, 50]{{$}}
func.func @caller(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c3 = arith.constant 3 : i32
  %b = call @add(%a, %c3) : (!obs.pull<? x i32>, i32) -> !obs.pull<? x i32>
  %r = obs.map (%x = %b : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = func.call @times_ten(%x) : (i32) -> i32
    obs.yield %y : i32
  }
  return %r : !obs.pull<? x i32>
}
func.func private @add(%a: !obs.pull<? x i32>, %k: i32) -> !obs.pull<? x i32> {
  %r = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.addi %x, %k : i32
    obs.yield %y : i32
  }
  return %r : !obs.pull<? x i32>
}
func.func private @times_ten(%x: i32) -> i32 attributes {obs.level = #obs.level<thread>} {
  %c10 = arith.constant 10 : i32
  %y = arith.muli %x, %c10 : i32
  return %y : i32
}

// UNDEFINED: control.mlir:[[#@LINE+2]]:3: error: function 'elsewhere' has no body
func.func @undefined() {
  call @elsewhere() : () -> ()
  return
}
func.func private @elsewhere()
