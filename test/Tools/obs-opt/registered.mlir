// Every dialect that a program meets on its way to PTX is known to obs-opt.
// RUN: obs-opt %s --show-dialects | FileCheck %s

// CHECK: Available Dialects:
// CHECK-SAME: arith
// CHECK-SAME: gpu
// CHECK-SAME: nvvm
// CHECK-SAME: scf
