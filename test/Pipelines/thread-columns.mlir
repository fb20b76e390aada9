// The threads of a block have 32 elements of a chunk each, in two orders: elements 32 apart, then neighbours. Between the two,
// the elements are in one array, which the second loop overwrites in place, so it can be padded. A thread executes a column of
// comparators in registers. Full chunks are read and written without guards.

// RUN: obs-opt %s --obs-to-levels | FileCheck %s
// CHECK-LABEL: obs.kernel @columns
// CHECK-SAME: shared_bytes = 33792 : i64
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.if
// CHECK: } else {
// CHECK: scf.if

// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry columns(
// PTX-NOT: .local
// PTX-COUNT-64: {{min|max}}.s32
// PTX-NOT: {{min|max}}.s32
// PTX-NOT: .local

// RUN: obs-opt %s --obs-to-gpu | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RACES: kernel 'columns' is proved free of races

// DEFINE: %{n} = 20000
// DEFINE: %{check} = obs-run %s random:%{n}xi32:1 > %t.want && \
// DEFINE:   obs-run %s --device=emulate random:%{n}xi32:1 | diff %t.want - && \
// DEFINE:   obs-run %s --device=emulate --threads=96 --blocks=2 random:%{n}xi32:1 | diff %t.want - && \
// DEFINE:   obs-run %s --device=emulate --schedule=random --seed=3 random:%{n}xi32:1 | diff %t.want -
// RUN: %{check}
// REDEFINE: %{n} = 8192
// RUN: %{check}
// REDEFINE: %{n} = 1
// RUN: %{check}

!own = !obs.pull<32 x i32>
!chunk = !obs.pull<8192 x i32>

func.func private @column(%own: !own, %bit: index) -> !obs.push<thread, 32 x i32> attributes {obs.level = #obs.level<thread>} {
  %c16 = arith.constant 16 : index
  %column = obs.fill par (%t) in (%c16) {
    %i = obs.bit.insert_zero %t, %bit : index
    %j = obs.bit.flip %i, %bit : index
    %x = obs.get %own[%i] : !own
    %y = obs.get %own[%j] : !own
    %min = arith.minsi %x, %y : i32
    %max = arith.maxsi %x, %y : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !obs.push<thread, 32 x i32>
  %stored = obs.force %column : !obs.push<thread, 32 x i32>
  %r = obs.push thread %stored : !own
  return %r : !obs.push<thread, 32 x i32>
}

// Element j of thread t is element (t / 2^low) 2^(low + 5) + j 2^low + t mod 2^low of the chunk.
func.func private @columns(%c: !chunk, %low: index, %bit: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %stride = arith.shli %c1, %low : index
  %mask = arith.subi %stride, %c1 : index
  %threads = obs.iota : !obs.pull<256 x index>
  %parts = obs.distribute thread in block (%t = %threads : !obs.pull<256 x index>) {
    %read = obs.generate (%j) {
      %rest = arith.andi %t, %mask : index
      %group = arith.shrui %t, %low : index
      %wide = arith.shli %group, %c5 : index
      %row = arith.addi %wide, %j : index
      %begin = arith.shli %row, %low : index
      %e = arith.addi %begin, %rest : index
      %x = obs.get %c[%e] : !chunk
      obs.yield %x : i32
    } : !own
    %own = obs.force %read : !own
    %column = func.call @column(%own, %bit) : (!own, index) -> !obs.push<thread, 32 x i32>
    obs.yield %column : !obs.push<thread, 32 x i32>
  }
  %moved = obs.reindex (%t, %j) = %parts unchecked {
    %rest = arith.andi %t, %mask : index
    %group = arith.shrui %t, %low : index
    %wide = arith.shli %group, %c5 : index
    %row = arith.addi %wide, %j : index
    %begin = arith.shli %row, %low : index
    %e = arith.addi %begin, %rest : index
    obs.yield %e : index
  } : !obs.push<block, 256 x 32 x i32> -> !obs.push<block, 8192 x i32>
  %rows = obs.reshape %moved : !obs.push<block, 8192 x i32> -> !obs.push<block, 256 x 32 x i32>
  %stored = obs.force %rows : !obs.push<block, 256 x 32 x i32>
  %r = obs.reshape %stored : !obs.pull<256 x 32 x i32> -> !chunk
  return %r : !chunk
}

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %chunks = obs.split %a by [8192] pad %zero : !obs.pull<? x i32>
  %sorted = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !chunk>) {
    %apart = func.call @columns(%c, %c5, %c4) : (!chunk, index, index) -> !chunk
    %near = func.call @columns(%apart, %c0, %c0) : (!chunk, index, index) -> !chunk
    %p = obs.push block %near : !chunk
    obs.yield %p : !obs.push<block, 8192 x i32>
  }
  %flat = obs.join %sorted to [%n] : !obs.push<grid, ? x 8192 x i32>
  %r = obs.force %flat {kernel = "columns", threads = 256 : i64} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
