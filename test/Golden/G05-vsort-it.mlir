// RUN: obs-opt %s --obs-to-gpu | sed '/gpu.func @vsort_it_many/,$d' | FileCheck %s %no_other_code
// RUN: sed 's/16 x i32/512 x i32/g; s/%n = arith.constant 4/%n = arith.constant 9/; s/by \[16\]/by [512]/; s/threads = 16/threads = 512/' %s > %t.nine.mlir
// RUN: obs-opt %t.nine.mlir --obs-to-gpu | wc -l > %t.nine
// RUN: obs-opt %s --obs-to-gpu | wc -l > %t.four
// RUN: %python -c "import sys; nine, four = (int(open(f).read()) for f in sys.argv[1:]); sys.exit(nine > four + 20)" %t.nine %t.four
// RUN: %python -c "import array, random; rng = random.Random(1); a = [rng.randint(-512, 512) for i in range(512)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sorted(a)).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %t.nine.mlir --entry=vsort_it --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %t.nine.mlir --entry=vsort_it --device=emulate --check %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_it --device=emulate --report iota:16xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: %python -c "import array, random; rng = random.Random(1); a = [rng.randint(-16, 16) for i in range(320)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sum((sorted(a[i:i + 16]) for i in range(0, 320, 16)), [])).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --entry=vsort_it_many --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_it_many --device=emulate %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_it_many --device=emulate --threads=1 --blocks=1 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_it_many --device=emulate --threads=17 --blocks=2 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_it_many --device=emulate --threads=32 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_it_many --device=emulate --threads=128 --blocks=3 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --entry=vsort_it_many --device=emulate --threads=32 --schedule=random --seed=3 --check %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// vsortIt n for 2^n elements: n times tau (n-1), then n times a riffle with a
// comparison of neighbours. Two loops whose code does not depend on n; two arrays
// alternate; one barrier after the copy of the input and one after each stage but
// the last: 1 + 4 (1 + 4) - 1 = 20. One warp does it all, so they are the warp's.
// CHECK: threads in (%c16, %c1, %c1) dynamic_shared_memory_size %c128_i32
// CHECK: gpu.func @vsort_it(
// CHECK: scf.if
// CHECK: memref.load %reinterpret_cast[%thread_id_x]
// CHECK: memref.store %{{.*}}, %view[%c0, %thread_id_x]
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK: nvvm.bar.warp.sync
// CHECK: arith.select {{.*}} : index
// CHECK: arith.select {{.*}} : index
// CHECK: memref.load %view[
// CHECK: memref.load %view[
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view[%{{.*}}, %thread_id_x]
// CHECK: memref.load %view[%{{.*}}, %thread_id_x]
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[%thread_id_x]
// CHECK: gpu.return

// COST: threads=16 shared-bytes=128 block-barriers=0 warp-barriers=20 bytes-loaded=64 bytes-stored=64 atomics=0{{$}}

!chunk = !obs.pull<16 x i32>
!column = !obs.push<block, 16 x i32>

// Step 0 is tau (n-1): its bit b is the exclusive or of the bits from b on. Both
// elements of a comparison are then the same one. The other steps are a riffle,
// which rotates the bits, and a comparison of neighbours.
func.func private @step(%x: !chunk, %n: index, %m: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %right = arith.subi %n, %c1 : index
  %isTau = arith.cmpi eq, %m, %c0 : index
  %g = obs.generate (%i) {
    %t1 = arith.shrui %i, %c1 : index
    %x1 = arith.xori %i, %t1 : index
    %t2 = arith.shrui %x1, %c2 : index
    %x2 = arith.xori %x1, %t2 : index
    %t4 = arith.shrui %x2, %c4 : index
    %x4 = arith.xori %x2, %t4 : index
    %t8 = arith.shrui %x4, %c8 : index
    %tau = arith.xori %x4, %t8 : index
    %neighbour = obs.bit.flip %i, %c0 : index
    %riffle = obs.bit.rotate %i, %right, %n : index
    %other = obs.bit.rotate %neighbour, %right, %n : index
    %j = arith.select %isTau, %tau, %riffle : index
    %k = arith.select %isTau, %tau, %other : index
    %u = obs.get %x[%j] : !chunk
    %v = obs.get %x[%k] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %side = arith.andi %i, %c1 : index
    %low = arith.cmpi eq, %side, %c0 : index
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %g : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @network(%c: !chunk) -> !column attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %end = arith.addi %n, %c1 : index
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%x = %c) -> !chunk {
    %z = scf.for %m = %c0 to %end step %c1 iter_args(%y = %x) -> !chunk {
      %f = func.call @step(%y, %n, %m) : (!chunk, index, index) -> !chunk
      scf.yield %f : !chunk
    }
    scf.yield %z : !chunk
  }
  %q = obs.push %s : !chunk -> !column
  return %q : !column
}

func.func @vsort_it(%a: !chunk) -> !chunk {
  %whole = obs.split %a by [16] : !chunk -> !obs.pull<1 x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<16 x i32>>) -> !obs.push<grid, 1 x 16 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, 1 x 16 x i32> -> !obs.push<grid, 16 x i32>
  %r = obs.force %flat {kernel = "vsort_it", threads = 16 : i64} : !obs.push<grid, 16 x i32> -> !chunk
  return %r : !chunk
}

// Many blocks; the shared arrays of one are reused by the next.
func.func @vsort_it_many(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [16] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<16 x i32>>) -> !obs.push<grid, ? x 16 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 16 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "vsort_it_many", threads = 16 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
