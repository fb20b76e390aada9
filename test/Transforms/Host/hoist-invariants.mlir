// RUN: obs-opt %s --obs-hoist-invariants | FileCheck %s

// The divisor is 1 if there is no iteration, unless it is a constant.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[X:[a-z0-9]+]]: index, %[[Y:[a-z0-9]+]]: index, %[[D:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index
// CHECK: %[[A:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0, %[[N]] : index
// CHECK: %[[E:.*]] = arith.select %[[RUNS]], %[[D]], %c1
// CHECK: arith.remui %[[A]], %[[E]]
// CHECK: arith.remui %[[A]], %c8
// CHECK: arith.select %{{.*}}, %[[D]], %c1
// CHECK: arith.select %{{.*}}, %c-1, %c1
// CHECK: scf.for
// CHECK-NEXT: arith.addi
// CHECK-NEXT: scf.yield

// Four iterations are executed.
// CHECK-LABEL: func.func @executed
// CHECK-NOT: arith.select
// CHECK: arith.remui
// CHECK: scf.for

// The condition of a while loop is not known before it.
// CHECK-LABEL: func.func @while
// CHECK: scf.while
// CHECK: do
// CHECK: arith.remui

func.func @loop(%x: index, %y: index, %d: index, %n: index, %s: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %cm1 = arith.constant -1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> index {
    %a = arith.muli %x, %y : index
    %b = arith.remui %a, %d : index
    %q = arith.remui %a, %c8 : index
    %u = arith.addi %b, %q : index
    %v = arith.remsi %a, %d : index
    %w = arith.remsi %a, %cm1 : index
    %z = arith.addi %v, %w : index
    %k = arith.addi %u, %z : index
    %l = arith.addi %k, %t : index
    scf.yield %l : index
  }
  return %r : index
}
func.func @executed(%x: index, %d: index, %s: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %s) -> index {
    %b = arith.remui %x, %d : index
    %l = arith.addi %b, %t : index
    scf.yield %l : index
  }
  return %r : index
}
func.func @while(%x: index, %d: index, %s: index) -> index {
  %r = scf.while (%t = %s) : (index) -> index {
    %c = arith.cmpi ult, %t, %x : index
    scf.condition(%c) %t : index
  } do {
  ^bb0(%t: index):
    %b = arith.remui %x, %d : index
    %l = arith.addi %b, %t : index
    scf.yield %l : index
  }
  return %r : index
}
