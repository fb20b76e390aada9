// RUN: %python -c "import array, itertools, random; rng = random.Random(1); a = [rng.randint(-999, 999) for i in range(320)]; s = [list(itertools.accumulate(a[i:i + 32], max)) for i in range(0, 320, 32)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sum(s, [])).tofile(open('%t.scan', 'wb')); array.array('i', [x[-1] for x in s]).tofile(open('%t.total', 'wb'))"
// RUN: obs-run %s --device=interpret %t.in:i32 --out=%t.1 --out=%t.2
// RUN: cmp %t.1 %t.scan
// RUN: cmp %t.2 %t.total
// RUN: obs-run %s --device=emulate %t.in:i32 --out=%t.1 --out=%t.2
// RUN: cmp %t.1 %t.scan
// RUN: cmp %t.2 %t.total
// RUN: obs-run %s --device=emulate --threads=1 --blocks=1 %t.in:i32 --out=%t.1 --out=%t.2
// RUN: cmp %t.1 %t.scan
// RUN: cmp %t.2 %t.total
// RUN: obs-run %s --device=emulate --threads=17 --blocks=2 %t.in:i32 --out=%t.1 --out=%t.2
// RUN: cmp %t.1 %t.scan
// RUN: cmp %t.2 %t.total
// RUN: obs-run %s --device=emulate --threads=32 %t.in:i32 --out=%t.1 --out=%t.2
// RUN: cmp %t.1 %t.scan
// RUN: cmp %t.2 %t.total
// RUN: obs-run %s --device=emulate --threads=128 --blocks=3 %t.in:i32 --out=%t.1 --out=%t.2
// RUN: cmp %t.1 %t.scan
// RUN: cmp %t.2 %t.total
// RUN: obs-run %s --device=emulate --threads=32 --schedule=random --seed=3 --check %t.in:i32 --out=%t.1 --out=%t.2
// RUN: cmp %t.1 %t.scan
// RUN: cmp %t.2 %t.total
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --implicit-check-not=gpu.barrier
// RUN: obs-run %s --device=emulate --report %t.in:i32 --out=%t.1 --out=%t.2 2>&1 | FileCheck %s --check-prefix=COST

// sklanskyMax and toGProgram: the running maximum of 32 elements for each block in
// five stages, and the maximum of each block as a second result. A select for each
// stage. Elements that one warp writes and reads need no block barrier.
// Both results come from one run: five barriers for each of the ten chunks. The
// last two stages read few elements of other threads, one each; the rest each
// thread has itself, so 256 bytes are enough.
// COST: threads=32 shared-bytes=256 block-barriers=0 warp-barriers=50
// CHECK: gpu.func @sklansky_max
// CHECK-COUNT-5: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %reinterpret_cast_1[
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %reinterpret_cast_2[
// CHECK: gpu.return

!chunk = !obs.pull<32 x i32>
!column = !obs.push<block, 32 x i32>

// Stage k: the right half of each run of 2^(k+1) takes the maximum with the last
// element of the left half.
func.func private @fan(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.shli %c1, %k : index
  %rest = arith.subi %half, %c1 : index
  %g = obs.generate (%i) {
    %whole = arith.shrui %i, %k : index
    %even = arith.ori %whole, %c1 : index
    %pair = arith.subi %even, %c1 : index
    %start = arith.shli %pair, %k : index
    %j = arith.addi %start, %rest : index
    %left = obs.get %x[%j] : !chunk
    %own = obs.get %x[%i] : !chunk
    %max = arith.maxsi %left, %own : i32
    %side = arith.andi %whole, %c1 : index
    %isLeft = arith.cmpi eq, %side, %c0 : index
    %y = arith.select %isLeft, %own, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %g : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func @sklansky_max(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x i32>) {
  %chunks = obs.split %a by [32] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<32 x i32>>
  %scans, %totals = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<32 x i32>>) -> (!obs.push<grid, ? x 32 x i32>, !obs.push<grid, ? x 1 x i32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %s0 = func.call @fan(%c, %c0) : (!chunk, index) -> !chunk
    %s1 = func.call @fan(%s0, %c1) : (!chunk, index) -> !chunk
    %s2 = func.call @fan(%s1, %c2) : (!chunk, index) -> !chunk
    %s3 = func.call @fan(%s2, %c3) : (!chunk, index) -> !chunk
    %s4 = func.call @fan(%s3, %c4) : (!chunk, index) -> !chunk
    %q = obs.push %s4 : !chunk -> !column
    %last = obs.slice %s4 [31] [1] [1] : !chunk -> !obs.pull<1 x i32>
    %l = obs.push %last : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q, %l : !column, !obs.push<block, 1 x i32>
  }
  %all = obs.join %scans : !obs.push<grid, ? x 32 x i32> -> !obs.push<grid, ? x i32>
  %ends = obs.join %totals : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %r, %t = obs.force %all, %ends {kernel = "sklansky_max", threads = 32 : i64} : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> -> (!obs.pull<? x i32>, !obs.pull<? x i32>)
  return %r, %t : !obs.pull<? x i32>, !obs.pull<? x i32>
}
