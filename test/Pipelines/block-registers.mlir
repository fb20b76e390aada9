// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --implicit-check-not=gpu.barrier
// RUN: obs-translate --obs-to-ptx %s > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local < %t.ptx
// RUN: grep -c ld.shared %t.ptx | FileCheck %s --check-prefix=LOADS
// RUN: %if ptxas %{ ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}
// RUN: obs-run %s --entry=matmul --device=interpret random:65x17xf32:1 random:17x20xf32:2 --out=%t.want
// RUN: obs-run %s --entry=matmul --device=emulate --check random:65x17xf32:1 random:17x20xf32:2 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=matmul --device=emulate --threads=17 --blocks=3 random:65x17xf32:1 random:17x20xf32:2 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=chain --device=interpret random:1100xi32:1 --out=%t.want
// RUN: obs-run %s --entry=chain --device=emulate --threads=1 random:1100xi32:1 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=chain --device=emulate --threads=33 --blocks=2 --check --schedule=random --seed=1 random:1100xi32:1 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=chain --device=emulate --threads=1024 random:1100xi32:1 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=chain --device=emulate random:1100xi32:1 --report --out=%t.out 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=runs --device=interpret random:1100xi32:1 --out=%t.want
// RUN: obs-run %s --entry=runs --device=emulate --check random:1100xi32:1 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=nested --device=interpret random:1100xi32:1 4 --out=%t.want
// RUN: obs-run %s --entry=nested --device=emulate --check random:1100xi32:1 4 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=nested --device=emulate --threads=100 random:1100xi32:1 4 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=nested --device=emulate iota:1100xi32 4
// RUN: obs-run %s --entry=chain --device=emulate iota:1100xi32
// RUN: obs-run %s --entry=runs --device=emulate iota:1100xi32
// RUN: obs-run %s --entry=matmul --device=emulate iota:65x17xf32 iota:17x20xf32

// Arrays of a block that have more elements than the block threads, in registers:
// elements of one thread alone take neither shared memory nor
// barriers.

// A tile of 64 x 64 elements on 256 threads: 16 sums for each in the loop over
// tiles. 8192 bytes are the tiles of a and b, and the two barriers are for these.
// CHECK: gpu.launch_func @kernels::@matmul {{.*}}threads in (%c256, {{.*}} dynamic_shared_memory_size %c8192_i32
// CHECK: gpu.launch_func @kernels::@chain {{.*}}threads in (%c128, {{.*}} dynamic_shared_memory_size %c0_i32
// CHECK: gpu.launch_func @kernels::@runs {{.*}}threads in (%c128, {{.*}} dynamic_shared_memory_size %c0_i32
// CHECK: gpu.launch_func @kernels::@nested {{.*}}threads in (%c128, {{.*}} dynamic_shared_memory_size %c0_i32
// CHECK: gpu.func @matmul(
// CHECK: memref.alloca() : memref<16xf32>
// CHECK: scf.for
// CHECK-COUNT-2: gpu.barrier
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK: gpu.return
// CHECK: gpu.func @chain(
// CHECK-COUNT-2: memref.alloca() : memref<4xi32>
// CHECK: gpu.return
// CHECK: gpu.func @runs(
// CHECK: memref.alloca() : memref<4xi32>
// CHECK: gpu.return

// PTX: .entry matmul(
// The loop of 16 products has no iterations left, so that its addresses are
// constants: 256 products of each thread for a tile.
// PTX-COUNT-256: mul.rn.f32
// PTX-NOT: mul.rn.f32
// PTX: .entry chain(
// PTX-NOT: {{(ld|st).shared}}
// PTX: .entry runs(
// PTX-NOT: {{(ld|st).shared}}
// PTX: .entry nested(
// PTX-NOT: {{(ld|st).shared}}
// In 16 steps, a number of b is loaded once for 16 products, and 4 neighbours of a
// together: 16 and 64 loads.
// LOADS: {{^}}80{{$}}
// PTXAS-COUNT-4: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

// CHAIN: threads=128 shared-bytes=0 block-barriers=0 warp-barriers=0

!a_tile = !obs.pull<64 x 16 x f32>
!b_tile = !obs.pull<16 x 64 x f32>
!c_tile = !obs.pull<64 x 64 x f32>

func.func @matmul(%a: !obs.pull<? x ? x f32>, %b: !obs.pull<? x ? x f32>) -> !obs.pull<? x ? x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %h = obs.dim %a, 0 : !obs.pull<? x ? x f32>
  %w = obs.dim %b, 1 : !obs.pull<? x ? x f32>
  %at = obs.split %a by [64, 16] pad %zero : !obs.pull<? x ? x f32> -> !obs.pull<? x ? x !a_tile>
  %bt = obs.split %b by [16, 64] pad %zero : !obs.pull<? x ? x f32> -> !obs.pull<? x ? x !b_tile>
  %rows = obs.dim %at, 0 : !obs.pull<? x ? x !a_tile>
  %columns = obs.dim %bt, 1 : !obs.pull<? x ? x !b_tile>
  %steps = obs.dim %at, 1 : !obs.pull<? x ? x !a_tile>
  %is = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %i : index
  } : !obs.pull<? x ? x index>
  %js = obs.generate (%i, %j) [%rows, %columns] {
    obs.yield %j : index
  } : !obs.pull<? x ? x index>
  %tiles = obs.distribute block (%i = %is : !obs.pull<? x ? x index>, %j = %js : !obs.pull<? x ? x index>) -> !obs.push<grid, ? x ? x 64 x 64 x f32> {
    %none = obs.splat %zero : !c_tile
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %none) -> !c_tile {
      %u = obs.get %at[%i, %k] : !obs.pull<? x ? x !a_tile>
      %v = obs.get %bt[%k, %j] : !obs.pull<? x ? x !b_tile>
      %up = obs.push %u : !a_tile -> !obs.push<block, 64 x 16 x f32>
      %vp = obs.push %v : !b_tile -> !obs.push<block, 16 x 64 x f32>
      %x, %y = obs.force %up, %vp in shared : !obs.push<block, 64 x 16 x f32>, !obs.push<block, 16 x 64 x f32> -> (!a_tile, !b_tile)
      %next = obs.generate (%r, %c) {
        %old = obs.get %acc[%r, %c] : !c_tile
        %new = scf.for %t = %c0 to %c16 step %c1 iter_args(%s = %old) -> f32 {
          %p = obs.get %x[%r, %t] : !a_tile
          %q = obs.get %y[%t, %c] : !b_tile
          %m = arith.mulf %p, %q : f32
          %z = arith.addf %s, %m : f32
          scf.yield %z : f32
        }
        obs.yield %new : f32
      } : !c_tile
      %np = obs.push %next : !c_tile -> !obs.push<block, 64 x 64 x f32>
      %f = obs.force %np : !obs.push<block, 64 x 64 x f32> -> !c_tile
      scf.yield %f : !c_tile
    }
    %q = obs.push %sum : !c_tile -> !obs.push<block, 64 x 64 x f32>
    obs.yield %q : !obs.push<block, 64 x 64 x f32>
  }
  %flat = obs.join %tiles to [%h, %w] : !obs.push<grid, ? x ? x 64 x 64 x f32> -> !obs.push<grid, ? x ? x f32>
  %r = obs.force %flat {kernel = "matmul", threads = 256 : i64} : !obs.push<grid, ? x ? x f32> -> !obs.pull<? x ? x f32>
  return %r : !obs.pull<? x ? x f32>
}

!chunk = !obs.pull<512 x i32>
!column = !obs.push<block, 512 x i32>

// Two arrays that each thread writes and reads in four places.
func.func @chain(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !chunk>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !chunk>) -> !obs.push<grid, ? x 512 x i32> {
    %three = arith.constant 3 : i32
    %tripled = obs.map (%x = %c : !chunk) -> !chunk {
      %y = arith.muli %x, %three : i32
      obs.yield %y : i32
    }
    %p = obs.push %tripled : !chunk -> !column
    %f = obs.force %p : !column -> !chunk
    %squares = obs.map (%x = %f : !chunk, %z = %c : !chunk) -> !chunk {
      %s = arith.addi %x, %z : i32
      %y = arith.muli %s, %s : i32
      obs.yield %y : i32
    }
    %q = obs.push %squares : !chunk -> !column
    %g = obs.force %q : !column -> !chunk
    %sums = obs.map (%x = %f : !chunk, %z = %g : !chunk) -> !chunk {
      %y = arith.addi %x, %z : i32
      obs.yield %y : i32
    }
    %r = obs.push %sums : !chunk -> !column
    obs.yield %r : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "chain", threads = 128 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// Sums of runs of four: the program asks for registers, so a thread keeps neighbours.
func.func @runs(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !chunk>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !chunk>) -> !obs.push<grid, ? x 128 x i32> {
    %p = obs.push %c : !chunk -> !column
    %f = obs.force %p in registers : !column -> !chunk
    %sums = obs.generate (%t) {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %i0 = arith.shli %t, %c2 : index
      %i1 = arith.addi %i0, %c1 : index
      %i2 = arith.addi %i0, %c2 : index
      %i3 = arith.addi %i0, %c3 : index
      %x0 = obs.get %f[%i0] : !chunk
      %x1 = obs.get %f[%i1] : !chunk
      %x2 = obs.get %f[%i2] : !chunk
      %x3 = obs.get %f[%i3] : !chunk
      %s1 = arith.addi %x0, %x1 : i32
      %s2 = arith.addi %x2, %x3 : i32
      %s = arith.addi %s1, %s2 : i32
      obs.yield %s : i32
    } : !obs.pull<128 x i32>
    %q = obs.push %sums : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    obs.yield %q : !obs.push<block, 128 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 128 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "runs", threads = 128 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// x becomes 3 x + l in iteration l of the inner loop; iteration k of the outer one has k of them.
func.func @nested(%a: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !chunk>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !chunk>) -> !obs.push<grid, ? x 512 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %three = arith.constant 3 : i32
    %p = obs.push %c : !chunk -> !column
    %f = obs.force %p in registers : !column -> !chunk
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%x = %f) -> !chunk {
      %y = scf.for %l = %c0 to %k step %c1 iter_args(%z = %x) -> !chunk {
        %i = arith.index_cast %l : index to i32
        %g = obs.map (%e = %z : !chunk) -> !chunk {
          %m = arith.muli %e, %three : i32
          %v = arith.addi %m, %i : i32
          obs.yield %v : i32
        }
        %q = obs.push %g : !chunk -> !column
        %h = obs.force %q : !column -> !chunk
        scf.yield %h : !chunk
      }
      scf.yield %y : !chunk
    }
    %r = obs.push %s : !chunk -> !column
    obs.yield %r : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "nested", threads = 128 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
