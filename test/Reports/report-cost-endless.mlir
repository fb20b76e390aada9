// The report tries all values of a counter only if they are few, also where no value executes the code.
// RUN: timeout 60 obs-opt --obs-to-levels --obs-report-cost %s -o /dev/null 2>&1 | FileCheck %s

// CHECK: read global i32 at report-cost-endless.mlir:[[#@LINE+10]]:{{.*}}, ? bytes
func.func @main(%a: !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 1099511627776 : index
  %r = obs.generate (%k) {
    %x = obs.get %a[%k] : !obs.pull<64 x i32>
    %s = scf.for %i = %c0 to %many step %c1 iter_args(%s = %x) -> (i32) {
      %n = arith.subi %i, %many : index
      %t = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (i32) {
        %y = obs.get %a[%j] : !obs.pull<64 x i32>
        %u = arith.addi %t, %y : i32
        scf.yield %u : i32
      }
      scf.yield %t : i32
    }
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %f = obs.force %r : !obs.pull<64 x i32>
  return %f : !obs.pull<64 x i32>
}
