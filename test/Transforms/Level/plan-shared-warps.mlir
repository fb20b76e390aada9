// RUN: not obs-run %s --device=emulate iota:3x3000xi64 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --device=emulate --threads=128 iota:3x3000xi64 | FileCheck %s --check-prefix=FEW

// Each warp stores the 3000 elements of its row in shared memory. Fewer warps fit.
// MANY: [[#@LINE+10]]:8: error: 'obs.kernel' op [shared-limit] {{.*}}, or launch fewer threads, because each warp has arrays of its own
// Element i of the first row is i (i + 1) / 2.
// FEW: {{^\[\[}}0, 1, 3, ..., 4492503, 4495501, 4498500],
func.func @main(%a: !obs.pull<? x 3000 x i64>) -> !obs.pull<? x 3000 x i64> {
  %zero = arith.constant 0 : i64
  %rows = obs.nest %a dims 1 : !obs.pull<? x 3000 x i64>
  %sums = obs.distribute warp in grid (%row = %rows : !obs.pull<? x !obs.pull<3000 x i64>>) {
    %p = obs.scan warp inclusive { arith.addi } %row init %zero : !obs.pull<3000 x i64>
    obs.yield %p : !obs.push<warp, 3000 x i64>
  }
  %r = obs.force %sums : !obs.push<grid, ? x 3000 x i64>
  return %r : !obs.pull<? x 3000 x i64>
}
