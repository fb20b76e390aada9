// RUN: obs-run %s --entry=print 3 -0.5 | FileCheck %s --match-full-lines
// RUN: obs-run %s --device=emulate --threads=17 --entry=print 3 -0.5 | FileCheck %s --match-full-lines

// CHECK: n = 3, x = -0.5.
// CHECK-NEXT: nothing
// CHECK-NEXT: true-1
func.func @print(%n: index, %x: f32) {
  %true = arith.constant true
  %m = arith.constant -1 : i8
  obs.print "n = {}, x = {}.", %n, %x : index, f32
  obs.print "nothing"
  obs.print "{}{}", %true, %m : i1, i8
  return
}
