// Each warp stores the 4000 elements of its row, of 8 bytes each, in shared memory. Room for 7 of the usual 8 warps is in
// 227 KiB, for 3 in 100 KiB, and for one in 32000 bytes.
// RUN: obs-opt %s --obs-to-gpu -o - | FileCheck %s --check-prefixes=CHECK,SEVEN
// RUN: obs-opt %s --obs-to-gpu=shared-bytes=102400 -o - | FileCheck %s --check-prefixes=CHECK,THREE
// RUN: obs-opt %s --obs-to-gpu=shared-bytes=32000 -o - | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: obs-opt %s --obs-to-gpu=shared-bytes=256000 -o - | FileCheck %s --check-prefixes=CHECK,ALL
// The pass alone knows the same.
// RUN: obs-opt %s --obs-to-gpu=shared-bytes=256000 --mlir-print-ir-before=obs-set-launch -o /dev/null 2> %t.mlir
// RUN: obs-opt %t.mlir --obs-set-launch=limit=102400 | FileCheck %s --check-prefix=ALONE
// Each row is reversed, also that of a second block.
// RUN: obs-run %s iota:8x4000xi64 | FileCheck %s --check-prefix=RESULT
// RUN: obs-run %s --device=emulate --report --schedule=random iota:8x4000xi64 | FileCheck %s --check-prefixes=RESULT,REPORT
// Not one warp fits: the message says what one needs.
// RUN: not obs-opt %s --obs-to-gpu=shared-bytes=31999 2>&1 | FileCheck %s --check-prefix=NONE
// The numbers of the program and of the option are kept, and refused if they do not fit.
// RUN: not obs-opt %s --obs-to-gpu="shared-bytes=102400 threads=128" 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: sed 's/%%r = obs.force %%sums/& {threads = 128 : i64}/' %s > %t.asked.mlir
// RUN: not obs-opt %t.asked.mlir --obs-to-gpu=shared-bytes=102400 2>&1 | FileCheck %s --check-prefix=ASKED

// RESULT: {{^\[\[}}3999, 3998, 3997, ..., 2, 1, 0],
// RESULT: [31999, 31998, 31997, ..., 28002, 28001, 28000]]
// REPORT: blocks=2 threads=224 shared-bytes=224000

// NONE: error: 'obs.kernel' op [shared-limit] needs 32000 bytes of shared memory, but a block has 31999; force less in one block, or smaller parts one after the other{{$}}
// ASKED: error: 'obs.kernel' op [shared-limit] needs 128000 bytes {{.*}}, or launch fewer threads, because each warp has arrays of its own

// ALONE: obs.kernel @main_kernel
// ALONE-SAME: threads = 96 : i64

// The number of blocks is that of the rows by that of the warps.
// CHECK-LABEL: func.func @main
// SEVEN: arith.ceildivui %{{.*}}, %c7 : index
// SEVEN: known_block_size = array<i32: 224, 1, 1>
// THREE: arith.ceildivui %{{.*}}, %c3 : index
// THREE: known_block_size = array<i32: 96, 1, 1>
// ONE: arith.maxui %dim, %c1 : index
// ONE: known_block_size = array<i32: 32, 1, 1>
// ALL: arith.ceildivui %{{.*}}, %c8 : index
// ALL: known_block_size = array<i32: 256, 1, 1>
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
