// An array without elements in shared memory, of which 32 threads would read one bank.
// RUN: obs-run %s iota:128xi32 0 | FileCheck %s
// RUN: obs-run %s iota:128xi32 0 --device=emulate | FileCheck %s
// A read of it is an error.
// RUN: not obs-run %s iota:128xi32 1 --device=emulate 2>&1 | FileCheck %s --check-prefix=READ

// CHECK: {{\[}}[63, 62, 61, {{.*}}, 1, 0],
// CHECK-NEXT: [127, 126, 125, {{.*}}, 65, 64]]
// READ: [[#@LINE+15]]:14: error: out-of-bounds: load by thread 0 of block 0 with index 0 in dimension 0 of extent 0
func.func @main(%a: !obs.pull<128 x i32>, %n: index) -> !obs.pull<2 x 64 x i32> {
  %chunks = obs.split %a by [64] : !obs.pull<128 x i32> -> !obs.pull<2 x !obs.pull<64 x i32>>
  %c63 = arith.constant 63 : index
  %c32 = arith.constant 32 : index
  %d = obs.distribute block in grid (%c = %chunks : !obs.pull<2 x !obs.pull<64 x i32>>) {
    %none = obs.take %c [0] : !obs.pull<64 x i32> -> !obs.pull<0 x i32>
    %p = obs.push block %none : !obs.pull<0 x i32>
    %empty = obs.force %p in shared : !obs.push<block, 0 x i32>
    %q = obs.push block %c : !obs.pull<64 x i32>
    %e = obs.force %q : !obs.push<block, 64 x i32>
    %r = obs.generate (%i) {
      %isRead = arith.cmpi ult, %i, %n : index
      %x = scf.if %isRead -> i32 {
        %j = arith.muli %i, %c32 : index
        %y = obs.get %empty[%j] : !obs.pull<0 x i32>
        scf.yield %y : i32
      } else {
        %j = arith.subi %c63, %i : index
        %y = obs.get %e[%j] : !obs.pull<64 x i32>
        scf.yield %y : i32
      }
      obs.yield %x : i32
    } : !obs.pull<64 x i32>
    %w = obs.push block %r : !obs.pull<64 x i32>
    obs.yield %w : !obs.push<block, 64 x i32>
  }
  %f = obs.force %d : !obs.push<grid, 2 x 64 x i32>
  return %f : !obs.pull<2 x 64 x i32>
}
