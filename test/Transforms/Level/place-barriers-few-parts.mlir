// RUN: obs-opt --obs-to-gpu %s | FileCheck %s
// RUN: obs-opt --obs-explain-barriers %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: obs-opt --obs-to-gpu %s | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED
// PROVED-COUNT-6: is proved free of races

// Five rows on the eight warps of each block: no warp takes a second one, so
// nothing waits for the row before.
// CHECK-LABEL: gpu.func @once
// CHECK: scf.for %{{.*}} to %c5
// CHECK-NOT: bar.warp.sync
// CHECK: memref.store %{{.*}}#gpu.address_space<workgroup>>
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: {{bar.warp.sync|gpu.barrier}}
// CHECK: gpu.return
// WHY: kernel 'once': 1 barrier of a warp
func.func @once(%d: !obs.pull<5 x 100 x i32>) -> !obs.pull<5 x 100 x i32> {
  %it = obs.iota : !obs.pull<5 x index>
  %p = obs.distribute warp (%b = %it : !obs.pull<5 x index>) -> !obs.push<grid, 5 x 100 x i32> {
    %a = obs.generate (%i) {
      %x = obs.get %d[%b, %i] : !obs.pull<5 x 100 x i32>
      obs.yield %x : i32
    } : !obs.pull<100 x i32>
    %q = obs.push %a : !obs.pull<100 x i32> -> !obs.push<warp, 100 x i32>
    %f = obs.force %q in shared : !obs.push<warp, 100 x i32> -> !obs.pull<100 x i32>
    %v = obs.reverse %f : !obs.pull<100 x i32>
    %o = obs.push %v : !obs.pull<100 x i32> -> !obs.push<warp, 100 x i32>
    obs.yield %o : !obs.push<warp, 100 x i32>
  }
  %r = obs.force %p {kernel = "once"} : !obs.push<grid, 5 x 100 x i32> -> !obs.pull<5 x 100 x i32>
  return %r : !obs.pull<5 x 100 x i32>
}

// Nine rows: the first warp of a grid of one block takes two.
// CHECK-LABEL: gpu.func @twice
// CHECK: scf.for %{{.*}} to %c9
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: nvvm.bar.warp.sync
// CHECK: gpu.return
// WHY: kernel 'twice': 2 barriers of a warp
func.func @twice(%d: !obs.pull<9 x 100 x i32>) -> !obs.pull<9 x 100 x i32> {
  %it = obs.iota : !obs.pull<9 x index>
  %p = obs.distribute warp (%b = %it : !obs.pull<9 x index>) -> !obs.push<grid, 9 x 100 x i32> {
    %a = obs.generate (%i) {
      %x = obs.get %d[%b, %i] : !obs.pull<9 x 100 x i32>
      obs.yield %x : i32
    } : !obs.pull<100 x i32>
    %q = obs.push %a : !obs.pull<100 x i32> -> !obs.push<warp, 100 x i32>
    %f = obs.force %q in shared : !obs.push<warp, 100 x i32> -> !obs.pull<100 x i32>
    %v = obs.reverse %f : !obs.pull<100 x i32>
    %o = obs.push %v : !obs.pull<100 x i32> -> !obs.push<warp, 100 x i32>
    obs.yield %o : !obs.push<warp, 100 x i32>
  }
  %r = obs.force %p {kernel = "twice"} : !obs.push<grid, 9 x 100 x i32> -> !obs.pull<9 x 100 x i32>
  return %r : !obs.pull<9 x 100 x i32>
}

// At most 20 elements are all of the first warp, however many there are.
// CHECK-LABEL: gpu.func @few
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
// WHY: kernel 'few': 1 barrier of a warp
func.func @few(%d: !obs.pull<? x i32>, %n: index) -> !obs.pull<1 x ? x i32 bound [1, 20]> {
  %it = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %it : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i32 bound [1, 20]> {
    %a = obs.take %d [%n] : !obs.pull<? x i32> -> !obs.pull<? x i32 bound [20]>
    %q = obs.push %a : !obs.pull<? x i32 bound [20]> -> !obs.push<block, ? x i32 bound [20]>
    %f = obs.force %q : !obs.push<block, ? x i32 bound [20]> -> !obs.pull<? x i32 bound [20]>
    %v = obs.reverse %f : !obs.pull<? x i32 bound [20]>
    %o = obs.push %v : !obs.pull<? x i32 bound [20]> -> !obs.push<block, ? x i32 bound [20]>
    obs.yield %o : !obs.push<block, ? x i32 bound [20]>
  }
  %r = obs.force %p {kernel = "few", threads = 96} : !obs.push<grid, 1 x ? x i32 bound [1, 20]> -> !obs.pull<1 x ? x i32 bound [1, 20]>
  return %r : !obs.pull<1 x ? x i32 bound [1, 20]>
}

// With room for one more than a warp has lanes, another warp may take part.
// CHECK-LABEL: gpu.func @more
// CHECK: gpu.barrier
// CHECK: gpu.return
// WHY: kernel 'more': 1 barrier of a block
func.func @more(%d: !obs.pull<? x i32>, %n: index) -> !obs.pull<1 x ? x i32 bound [1, 33]> {
  %it = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %it : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i32 bound [1, 33]> {
    %a = obs.take %d [%n] : !obs.pull<? x i32> -> !obs.pull<? x i32 bound [33]>
    %q = obs.push %a : !obs.pull<? x i32 bound [33]> -> !obs.push<block, ? x i32 bound [33]>
    %f = obs.force %q : !obs.push<block, ? x i32 bound [33]> -> !obs.pull<? x i32 bound [33]>
    %v = obs.reverse %f : !obs.pull<? x i32 bound [33]>
    %o = obs.push %v : !obs.pull<? x i32 bound [33]> -> !obs.push<block, ? x i32 bound [33]>
    obs.yield %o : !obs.push<block, ? x i32 bound [33]>
  }
  %r = obs.force %p {kernel = "more", threads = 96} : !obs.push<grid, 1 x ? x i32 bound [1, 33]> -> !obs.pull<1 x ? x i32 bound [1, 33]>
  return %r : !obs.pull<1 x ? x i32 bound [1, 33]>
}

// No rows: a loop that never runs needs no barrier.
// CHECK-LABEL: gpu.func @never
// CHECK-NOT: {{bar.warp.sync|gpu.barrier}}
// CHECK: gpu.return
// WHY: kernel 'never': no barrier
func.func @never(%d: !obs.pull<0 x 100 x i32>) -> !obs.pull<0 x 100 x i32> {
  %it = obs.iota : !obs.pull<0 x index>
  %p = obs.distribute block (%b = %it : !obs.pull<0 x index>) -> !obs.push<grid, 0 x 100 x i32> {
    %a = obs.generate (%i) {
      %x = obs.get %d[%b, %i] : !obs.pull<0 x 100 x i32>
      obs.yield %x : i32
    } : !obs.pull<100 x i32>
    %q = obs.push %a : !obs.pull<100 x i32> -> !obs.push<block, 100 x i32>
    %f = obs.force %q in shared : !obs.push<block, 100 x i32> -> !obs.pull<100 x i32>
    %v = obs.reverse %f : !obs.pull<100 x i32>
    %o = obs.push %v : !obs.pull<100 x i32> -> !obs.push<block, 100 x i32>
    obs.yield %o : !obs.push<block, 100 x i32>
  }
  %r = obs.force %p {kernel = "never"} : !obs.push<grid, 0 x 100 x i32> -> !obs.pull<0 x 100 x i32>
  return %r : !obs.pull<0 x 100 x i32>
}

// Fewer iterations than a warp has lanes, for any data: the rest of a
// division by 3.
// CHECK-LABEL: gpu.func @rest
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: {{bar.warp.sync|gpu.barrier}}
// CHECK: gpu.return
// WHY: kernel 'rest': 2 barriers of a warp
func.func @rest(%d: !obs.pull<5 x 8 x i32>) -> !obs.pull<5 x 3 x i32> {
  %z = arith.constant 0 : i32
  %it = obs.iota : !obs.pull<5 x index>
  %p = obs.distribute block (%b = %it : !obs.pull<5 x index>) -> !obs.push<grid, 5 x 3 x i32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %three = arith.constant 3 : i32
    %x = obs.get %d[%b, %c1] : !obs.pull<5 x 8 x i32>
    %m = arith.remui %x, %three : i32
    %n = arith.index_castui %m : i32 to index
    %f = obs.fill init %z par (%t) in (%n) {
      %i = arith.subi %c2, %t : index
      %v = arith.index_cast %t : index to i32
      obs.write %v at [%i] : i32
    } : !obs.push<block, 3 x i32>
    %g = obs.force %f in shared : !obs.push<block, 3 x i32> -> !obs.pull<3 x i32>
    %r = obs.reverse %g : !obs.pull<3 x i32>
    %o = obs.push %r : !obs.pull<3 x i32> -> !obs.push<block, 3 x i32>
    obs.yield %o : !obs.push<block, 3 x i32>
  }
  %r = obs.force %p {kernel = "rest"} : !obs.push<grid, 5 x 3 x i32> -> !obs.pull<5 x 3 x i32>
  return %r : !obs.pull<5 x 3 x i32>
}
