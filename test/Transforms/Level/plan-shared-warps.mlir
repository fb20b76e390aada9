// RUN: not obs-run %s --device=emulate --threads=256 iota:3x4000xi64 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: obs-run %s --device=emulate --threads=128 iota:3x4000xi64 | FileCheck %s --check-prefix=FEW

// Each warp stores the 4000 elements of its row in shared memory. Fewer warps fit.
// MANY: [[#@LINE+17]]:8: error: 'obs.kernel' op [shared-limit] {{.*}}, or launch fewer threads, because each warp has arrays of its own
// Each row is reversed.
// FEW: {{^\[\[}}3999, 3998, 3997, ..., 2, 1, 0],
func.func @main(%a: !obs.pull<? x 4000 x i64>) -> !obs.pull<? x 4000 x i64> {
  %rows = obs.nest %a dims 1 : !obs.pull<? x 4000 x i64>
  %sums = obs.distribute warp in grid (%row = %rows : !obs.pull<? x !obs.pull<4000 x i64>>) {
    %stored = obs.push warp %row : !obs.pull<4000 x i64>
    %copy = obs.force %stored : !obs.push<warp, 4000 x i64>
    %last = arith.constant 3999 : index
    %back = obs.generate (%i) {
      %j = arith.subi %last, %i : index
      %x = obs.get %copy[%j] : !obs.pull<4000 x i64>
      obs.yield %x : i64
    } : !obs.pull<4000 x i64>
    %p = obs.push warp %back : !obs.pull<4000 x i64>
    obs.yield %p : !obs.push<warp, 4000 x i64>
  }
  %r = obs.force %sums : !obs.push<grid, ? x 4000 x i64>
  return %r : !obs.pull<? x 4000 x i64>
}
