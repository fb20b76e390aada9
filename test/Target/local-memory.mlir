// RUN: obs-translate --obs-to-ptx %s 2>&1 >%t.ptx | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// Each thread reverses eight numbers, or takes the one that the first names.
// Arrays of a thread whose indices become constants are registers; others are in
// local memory, and that is said.

// CHECK-NOT: remark
// CHECK: local-memory.mlir:[[@LINE+40]]:8: remark: kernel 'named' keeps 32 bytes of each thread in local memory, since indices of an array of the thread are not constants
// CHECK-NOT: remark
// PTX: .entry turned
// PTX-NOT: local
// PTX: .entry named
// PTX: __local_depot

!chunk = !obs.pull<8 x i32>
!column = !obs.push<thread, 8 x i32>

func.func @turned(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [8] : !obs.pull<? x i32> -> !obs.pull<? x !chunk>
  %parts = obs.distribute thread (%c = %chunks : !obs.pull<? x !chunk>) -> !obs.push<grid, ? x 8 x i32> {
    %p = obs.push %c : !chunk -> !column
    %f = obs.force %p : !column -> !chunk
    %r = obs.reverse %f : !chunk
    %q = obs.push %r : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 8 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "turned"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @named(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [8] : !obs.pull<? x i32> -> !obs.pull<? x !chunk>
  %parts = obs.distribute thread (%c = %chunks : !obs.pull<? x !chunk>) -> !obs.push<grid, ? x 1 x i32> {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %p = obs.push %c : !chunk -> !column
    %f = obs.force %p : !column -> !chunk
    %x = obs.get %f[%c0] : !chunk
    %j = arith.index_cast %x : i32 to index
    %k = arith.andi %j, %c7 : index
    %y = obs.get %f[%k] : !chunk
    %s = obs.splat %y : !obs.pull<1 x i32>
    %q = obs.push %s : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
    obs.yield %q : !obs.push<thread, 1 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "named"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
