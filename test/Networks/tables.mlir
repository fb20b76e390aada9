// RUN: %python -c "import array, random; rng = random.Random(1); a = [rng.randint(-16, 16) for i in range(320)]; array.array('i', a).tofile(open('%t.in', 'wb')); array.array('i', sum((sorted(a[i:i + 16]) for i in range(0, 320, 16)), [])).tofile(open('%t.want', 'wb'))"
// RUN: obs-run %s --device=interpret %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --device=emulate --check %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --device=emulate --check --threads=1 --blocks=2 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want
// RUN: obs-run %s --device=emulate --check --threads=96 --schedule=random --seed=4 %t.in:i32 --out=%t.out
// RUN: cmp %t.out %t.want

// vsortItTab of Obsidian's thesis with tables that the block computes and forces
// before it sorts (golden G06 has them as literals).

!chunk = !obs.pull<16 x i32>
!column = !obs.push<block, 16 x i32>
!tables = !obs.pull<2 x 16 x index>

// Step 0 looks up tau 3, and compares each element with itself; the others look
// up the riffle, and compare neighbours.
func.func private @step(%x: !chunk, %tables: !tables, %m: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = arith.minui %m, %c1 : index
  %g = obs.generate (%i) {
    %neighbour = arith.xori %i, %row : index
    %j = obs.get %tables[%row, %i] : !tables
    %k = obs.get %tables[%row, %neighbour] : !tables
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
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %g = obs.generate (%t, %i) {
    // tau 3 is the exclusive or of the bits above; a riffle rotates the bits.
    %t1 = arith.shrui %i, %c1 : index
    %x1 = arith.xori %i, %t1 : index
    %t2 = arith.shrui %x1, %c2 : index
    %tau = arith.xori %x1, %t2 : index
    %riffle = obs.bit.rotate %i, %c3, %c4 : index
    %isTau = arith.cmpi eq, %t, %c0 : index
    %e = arith.select %isTau, %tau, %riffle : index
    obs.yield %e : index
  } : !tables
  %w = obs.push %g : !tables -> !obs.push<block, 2 x 16 x index>
  %tables = obs.force %w : !obs.push<block, 2 x 16 x index> -> !tables
  %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %c) -> !chunk {
    %z = scf.for %m = %c0 to %c5 step %c1 iter_args(%y = %x) -> !chunk {
      %f = func.call @step(%y, %tables, %m) : (!chunk, !tables, index) -> !chunk
      scf.yield %f : !chunk
    }
    scf.yield %z : !chunk
  }
  %q = obs.push %s : !chunk -> !column
  return %q : !column
}

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %chunks = obs.split %a by [16] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<16 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<16 x i32>>) -> !obs.push<grid, ? x 16 x i32> {
    %q = func.call @network(%c) : (!chunk) -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 16 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "main", threads = 16 : i64} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
