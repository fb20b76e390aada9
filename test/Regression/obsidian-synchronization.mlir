// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-run %s --entry=back_edge --device=interpret > %t.back_edge
// RUN: FileCheck %s --check-prefix=BACK --input-file=%t.back_edge
// RUN: obs-run %s --entry=back_edge --device=emulate | diff - %t.back_edge
// RUN: obs-run %s --entry=back_edge --device=emulate --threads=64 --schedule=random --seed=1 --repeat=8 | diff - %t.back_edge
// RUN: obs-run %s --entry=small --device=interpret > %t.small
// RUN: FileCheck %s --check-prefix=SMALL --input-file=%t.small
// RUN: obs-run %s --entry=small --device=emulate | diff - %t.small
// RUN: obs-run %s --entry=small --device=emulate --threads=128 --schedule=random --seed=1 --repeat=8 | diff - %t.small
// RUN: obs-run %s --entry=warp_step --device=interpret > %t.warp_step
// RUN: FileCheck %s --check-prefix=STEP --input-file=%t.warp_step
// RUN: obs-run %s --entry=warp_step --device=emulate | diff - %t.warp_step
// RUN: obs-run %s --entry=warp_step --device=emulate --threads=64 --schedule=random --seed=1 --repeat=8 | diff - %t.warp_step
// RUN: obs-run %s --entry=carry --device=interpret > %t.carry
// RUN: FileCheck %s --check-prefix=CARRY --input-file=%t.carry
// RUN: obs-run %s --entry=carry --device=emulate | diff - %t.carry
// RUN: obs-run %s --entry=carry --device=emulate --threads=128 --schedule=random --seed=1 --repeat=8 | diff - %t.carry
// RUN: obs-run %s --entry=lanes --device=interpret > %t.lanes
// RUN: FileCheck %s --check-prefix=LANES --input-file=%t.lanes
// RUN: obs-run %s --entry=lanes --device=emulate --threads=32 | diff - %t.lanes
// RUN: obs-run %s --entry=lanes --device=emulate --threads=96 --schedule=random --seed=1 | diff - %t.lanes
// RUN: obs-run %s --entry=indices --device=interpret > %t.indices
// RUN: FileCheck %s --check-prefix=INDICES --input-file=%t.indices
// RUN: obs-run %s --entry=indices --device=emulate | diff - %t.indices
// RUN: obs-run %s --entry=indices --device=emulate --threads=32 --schedule=random --seed=1 --repeat=8 | diff - %t.indices

// Barriers and storage that the first implementation got wrong: defects h, i, i2, j
// and o of docs/FromObsidian.md. The emulator checks for races under random schedules.

!c64 = !obs.pull<64 x i32>
!p64 = !obs.push<block, 64 x i32>

// h: a sequential loop of a block whose body stores had no barrier on its back edge: a
// fast thread could overwrite an element that a slow one still had to read. Each iteration
// reverses a chunk of 64. The next one must not start to store before that.
// CHECK-LABEL: gpu.func @back_edge
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: memref.store {{.*}}workgroup
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}}workgroup
// CHECK: gpu.return
// BACK: [63, 62, 61, {{.*}}, 0, 127, 126, {{.*}}, 65, 64, 191, {{.*}}, 129, 128]
func.func @back_edge() -> !obs.pull<192 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %a = obs.iota : !obs.pull<192 x i32>
  %chunks = obs.split %a by [64] : !obs.pull<192 x i32> -> !obs.pull<3 x !c64>
  %parts = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 192 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %p = obs.fill {
      scf.for %i = %c0 to %c3 step %c1 {
        %c = obs.get %chunks[%i] : !obs.pull<3 x !c64>
        %q = obs.push %c : !c64 -> !p64
        %s = obs.force %q : !p64 -> !c64
        %back = obs.reverse %s : !c64
        %t = obs.push %back : !c64 -> !p64
        %o = arith.muli %i, %c64 : index
        obs.put %t at [%o] : !p64
      }
    } : !obs.push<block, 192 x i32>
    obs.yield %p : !obs.push<block, 192 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 192 x i32> -> !obs.push<grid, 192 x i32>
  %r = obs.force %flat {kernel = "back_edge"} : !obs.push<grid, 192 x i32> -> !obs.pull<192 x i32>
  return %r : !obs.pull<192 x i32>
}

// i: an array of a block of no more than 32 elements was stored without a barrier, but
// other warps read it. Element i of 128 is the square of i mod 32, by way of 32 squares.
// CHECK-LABEL: gpu.func @small
// CHECK: gpu.barrier
// CHECK: gpu.return
// SMALL: [0, 1, 4, 9, {{.*}}, 900, 961, 0, 1, 4, {{.*}}, 900, 961]
func.func @small() -> !obs.pull<128 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 128 x i32> {
    %c31 = arith.constant 31 : index
    %i = obs.iota : !obs.pull<32 x i32>
    %squares = obs.map (%x = %i : !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
      %y = arith.muli %x, %x : i32
      obs.yield %y : i32
    }
    %p = obs.push %squares : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    %s = obs.force %p : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
    %g = obs.generate (%k) {
      %j = arith.andi %k, %c31 : index
      %x = obs.get %s[%j] : !obs.pull<32 x i32>
      obs.yield %x : i32
    } : !obs.pull<128 x i32>
    %q = obs.push %g : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
    obs.yield %q : !obs.push<block, 128 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 128 x i32> -> !obs.push<grid, 128 x i32>
  %r = obs.force %flat {kernel = "small", threads = 128 : i64} : !obs.push<grid, 128 x i32> -> !obs.pull<128 x i32>
  return %r : !obs.pull<128 x i32>
}

// i: warps do not run in lock step any more. A barrier of the warp separates the write of one
// lane from the read of another one in shared memory.
// CHECK-LABEL: gpu.func @warp_step
// CHECK: memref.store
// CHECK: nvvm.bar.warp.sync
// CHECK: memref.load
// CHECK: gpu.return
// STEP: [31, 30, {{.*}}, 1, 0, 63, 62, {{.*}}, 33, 32]
func.func @warp_step() -> !c64 {
  %a = obs.iota : !c64
  %chunks = obs.split %a by [32] : !c64 -> !obs.pull<2 x !obs.pull<32 x i32>>
  %parts = obs.distribute warp (%c = %chunks : !obs.pull<2 x !obs.pull<32 x i32>>) -> !obs.push<grid, 2 x 32 x i32> {
    %p = obs.push %c : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
    %s = obs.force %p in shared : !obs.push<warp, 32 x i32> -> !obs.pull<32 x i32>
    %back = obs.reverse %s : !obs.pull<32 x i32>
    %q = obs.push %back : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
    obs.yield %q : !obs.push<warp, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 2 x 32 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %flat {kernel = "warp_step"} : !obs.push<grid, 64 x i32> -> !c64
  return %r : !c64
}

// i2: the carry of sMapAccum was one word that a thread overwrote while others still read
// it. Here it is a scalar of the block, which four warps read in each of 4 iterations: chunk k
// of 8 elements is repeated 16 times, with the sum of the chunks before it added.
// CARRY: [0, 1, 2, 3, {{.*}}, 6, 7, 36, 37, {{.*}}, 43, 136, {{.*}}, 143, 300, {{.*}}, 307]
func.func @carry() -> !obs.pull<512 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %a = obs.iota : !obs.pull<32 x i32>
  %chunks = obs.split %a by [8] : !obs.pull<32 x i32> -> !obs.pull<4 x !obs.pull<8 x i32>>
  %parts = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 512 x i32> {
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c128 = arith.constant 128 : index
    %p = obs.fill {
      %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %zero) -> i32 {
        %c = obs.get %chunks[%i] : !obs.pull<4 x !obs.pull<8 x i32>>
        // Each chunk holds 8 i ... 8 i + 7; less 8 i it is 0 ... 7.
        %k = arith.index_cast %i : index to i32
        %eight = arith.constant 8 : i32
        %base = arith.muli %k, %eight : i32
        %shift = arith.subi %before, %base : i32
        %g = obs.generate (%t) {
          %j = arith.andi %t, %c7 : index
          %x = obs.get %c[%j] : !obs.pull<8 x i32>
          %y = arith.addi %x, %shift : i32
          %z = arith.addi %y, %base : i32
          %w = arith.subi %z, %base : i32
          obs.yield %w : i32
        } : !obs.pull<128 x i32>
        %q = obs.push %g : !obs.pull<128 x i32> -> !obs.push<block, 128 x i32>
        %o = arith.muli %i, %c128 : index
        obs.put %q at [%o] : !obs.push<block, 128 x i32>
        %sum = obs.reduce (%x, %y) = %c init %before : !obs.pull<8 x i32> -> i32 {
          %z = arith.addi %x, %y : i32
          obs.yield %z : i32
        }
        // The sum of the chunk, and 8 more, so that the numbers differ between iterations.
        %next = arith.addi %sum, %eight : i32
        scf.yield %next : i32
      }
    } : !obs.push<block, 512 x i32>
    obs.yield %p : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 512 x i32> -> !obs.push<grid, 512 x i32>
  %r = obs.force %flat {kernel = "carry"} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %r : !obs.pull<512 x i32>
}

// j: storage of threads within warps was numbered by the thread of the block, beyond what
// the warp had. Here it is private. Three warps, each with 40 programs of level thread on 2
// elements, more than there are lanes: pairs are exchanged, then each warp's 80 reversed.
// LANES: [78, 79, 76, 77, {{.*}}, 2, 3, 0, 1, 158, 159, {{.*}}, 80, 81, 238, 239, {{.*}}, 160, 161]
func.func @lanes() -> !obs.pull<240 x i32> {
  %a = obs.iota : !obs.pull<240 x i32>
  %chunks = obs.split %a by [80] : !obs.pull<240 x i32> -> !obs.pull<3 x !obs.pull<80 x i32>>
  %parts = obs.distribute warp (%c = %chunks : !obs.pull<3 x !obs.pull<80 x i32>>) -> !obs.push<grid, 3 x 80 x i32> {
    %pairs = obs.split %c by [2] : !obs.pull<80 x i32> -> !obs.pull<40 x !obs.pull<2 x i32>>
    %exchanged = obs.distribute thread (%pair = %pairs : !obs.pull<40 x !obs.pull<2 x i32>>) -> !obs.push<warp, 40 x 2 x i32> {
      %p = obs.push %pair : !obs.pull<2 x i32> -> !obs.push<thread, 2 x i32>
      %own = obs.force %p : !obs.push<thread, 2 x i32> -> !obs.pull<2 x i32>
      %back = obs.reverse %own : !obs.pull<2 x i32>
      %q = obs.push %back : !obs.pull<2 x i32> -> !obs.push<thread, 2 x i32>
      obs.yield %q : !obs.push<thread, 2 x i32>
    }
    %flat = obs.join %exchanged : !obs.push<warp, 40 x 2 x i32> -> !obs.push<warp, 80 x i32>
    %s = obs.force %flat : !obs.push<warp, 80 x i32> -> !obs.pull<80 x i32>
    %back = obs.reverse %s : !obs.pull<80 x i32>
    %q = obs.push %back : !obs.pull<80 x i32> -> !obs.push<warp, 80 x i32>
    obs.yield %q : !obs.push<warp, 80 x i32>
  }
  %all = obs.join %parts : !obs.push<grid, 3 x 80 x i32> -> !obs.push<grid, 240 x i32>
  %r = obs.force %all {kernel = "lanes"} : !obs.push<grid, 240 x i32> -> !obs.pull<240 x i32>
  return %r : !obs.pull<240 x i32>
}

// o: liveness did not see arrays that are used as indices only, and gave their bytes away.
// The places 63 ... 0 are stored first, then three other arrays one after the other, and only
// then are the places used: to write to.
// INDICES: [63, 62, 61, {{.*}}, 2, 1, 0]
func.func @indices() -> !c64 {
  %one = obs.iota : !obs.pull<1 x index>
  %parts = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 64 x i32> {
    %c64 = arith.constant 64 : index
    %n = obs.iota : !obs.pull<64 x index>
    %last = obs.reverse %n : !obs.pull<64 x index>
    %p = obs.push %last : !obs.pull<64 x index> -> !obs.push<block, 64 x index>
    %places = obs.force %p in shared : !obs.push<block, 64 x index> -> !obs.pull<64 x index>
    %x = obs.iota : !c64
    %xp = obs.push %x : !c64 -> !p64
    %xs = obs.force %xp in shared : !p64 -> !c64
    %xr = obs.reverse %xs : !c64
    %yp = obs.push %xr : !c64 -> !p64
    %ys = obs.force %yp in shared : !p64 -> !c64
    %yr = obs.reverse %ys : !c64
    %zp = obs.push %yr : !c64 -> !p64
    %zs = obs.force %zp in shared : !p64 -> !c64
    %q = obs.fill unchecked par (%t) in (%c64) {
      %i = obs.get %places[%t] : !obs.pull<64 x index>
      %e = obs.get %zs[%t] : !c64
      obs.write %e at [%i] : i32
    } : !p64
    obs.yield %q : !p64
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 64 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %flat {kernel = "indices"} : !obs.push<grid, 64 x i32> -> !c64
  return %r : !c64
}
