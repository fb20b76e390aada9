// RUN: obs-translate --obs-to-ptx %s > %t.ptx
// RUN: %python %S/Inputs/instructions.py %t.ptx | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not='{{[.](shared|local)|bar[.]|__local_depot}}' < %t.ptx
// RUN: %python -c "import array, random; rng = random.Random(1); a = [rng.randint(-512, 512) for i in range(2048)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sum((sorted(a[i:i + 512]) for i in range(0, 2048, 512)), [])).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --device=emulate --check --threads=64 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// vsort (DAMP 2012) of 512 elements by one warp, 16 for each lane, with the loops
// over stages unrolled. Push form: an iteration for each comparator. Registers,
// as in pull form: a lane holds one of the elements that it compares, and one
// shuffle reads the other one.
// CHECK: 1 add.s64
// CHECK-NEXT: {{[0-9]+}} max.s32
// CHECK-NEXT: {{[0-9]+}} min.s32
// CHECK-NEXT: {{[0-9]+}} selp.b32
// CHECK-NEXT: {{[0-9]+}} shfl.sync.bfly.b32
// CHECK-NOT: {{.}}
// PTX: .entry

!chunk = !obs.pull<512 x i32>
!column = !obs.push<warp, 512 x i32>

func.func private @column(%x: !chunk, %b: index, %d: index) -> !chunk attributes {obs.level = #obs.level<warp>} {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %top = arith.addi %b, %d : index
  %high = arith.shli %two, %top : index
  %lowest = arith.shli %one, %b : index
  %mask = arith.subi %high, %lowest : index
  %half = arith.constant 256 : index
  %p = obs.fill par (%t) in (%half) {
    %i = obs.bit.insert_zero %t, %top : index
    %j = arith.xori %i, %mask : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %chunks = obs.split %a by [512] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %parts = obs.distribute warp (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %s = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %c) -> !chunk {
      %b = arith.subi %c8, %i : index
      %end = arith.addi %i, %c1 : index
      %merged = scf.for %m = %c0 to %end step %c1 iter_args(%y = %x) -> !chunk {
        %d = arith.subi %i, %m : index
        %z = func.call @column(%y, %b, %d) : (!chunk, index, index) -> !chunk
        scf.yield %z : !chunk
      } {obs.unroll}
      scf.yield %merged : !chunk
    } {obs.unroll}
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "warp_vsort", threads = 32 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
