// Scoping enforces rule R3: code above thread level cannot name a thread.
// RUN: not obs-opt %s 2>&1 | FileCheck %s

func.func @leaving_its_region(%n: index) -> index {
  %p = obs.fill par (%t) in (%n) {
    %i = arith.addi %t, %t : index
  } : !obs.push<grid, 8 x i32>
  // CHECK: [[@LINE+1]]:10: error: use of undeclared SSA value name
  return %i : index
}
