// A block reduces and scans a row whose length is known at run time only: its threads load several elements before they wait, in
// registers, and wait twice for each round of a reduction and for each tile of a scan.

// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: obs-opt %s --obs-to-gpu --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// DEFINE: %{args} =
// DEFINE: %{found} =
// DEFINE: %{check} = obs-run %s --entry=intervals %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{found} && \
// DEFINE:   obs-run %s --entry=intervals %{args} --device=emulate --threads=96 --blocks=1 | FileCheck %s --check-prefix=%{found}

// Consecutive intervals [x, x + 1), which no other order of the elements combines: [0, n) and [n, 2 n). There are rows without
// elements, that end after a piece of 256 elements, and with several rounds of 32768 elements.
// CHECK-LABEL: gpu.func @intervals
// CHECK:       scf.for
// The first barrier is that of the round before.
// CHECK-COUNT-3: gpu.barrier
// CHECK-NOT:   gpu.barrier
// CHECK:       gpu.return
// A full piece has 8 loads before its shuffles: 4, 2, 1, 1 and 1 of both components, and 3 for the results of the rows.
// PTX:         .entry intervals(
// PTX-COUNT-8: ld.global.{{.*}}b32
// PTX-COUNT-24: shfl.sync.bfly.b32
// PTX-NOT:     shfl.sync.bfly.b32
// PTX:         shfl.sync.idx.b32
// RACES:       is proved free of races
// REDEFINE: %{args} = iota:2x0xi32
// REDEFINE: %{found} = NONE
// RUN: %{check}
// NONE:      {{\[}}[0],
// NONE-NEXT: [0]]
// NONE-NEXT: {{\[}}[0],
// NONE-NEXT: [0]]
// REDEFINE: %{args} = iota:2x257xi32
// REDEFINE: %{found} = PIECE
// RUN: %{check}
// PIECE:      {{\[}}[0],
// PIECE-NEXT: [257]]
// PIECE-NEXT: {{\[}}[257],
// PIECE-NEXT: [514]]
// REDEFINE: %{args} = iota:2x70000xi32
// REDEFINE: %{found} = LONG
// RUN: %{check}
// LONG:      {{\[}}[0],
// LONG-NEXT: [70000]]
// LONG-NEXT: {{\[}}[70000],
// LONG-NEXT: [140000]]
func.func @intervals(%a: !obs.pull<2 x ? x i32>) -> !obs.pull<2 x 1 x i32, i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant -1 : i32
  %n = obs.dim %a, 1 : !obs.pull<2 x ? x i32>
  %length = arith.index_cast %n : index to i32
  %rows = obs.nest %a dims 1 : !obs.pull<2 x ? x i32>
  %numbers = obs.iota : !obs.pull<2 x i32>
  %p = obs.distribute block in grid (%r = %rows : !obs.pull<2 x !obs.pull<? x i32>>, %i = %numbers : !obs.pull<2 x i32>) {
    %begin = arith.muli %i, %length : i32
    %pairs = obs.map (%x = %r : !obs.pull<? x i32>) {
      %y = arith.addi %x, %one : i32
      obs.yield %x, %y : i32, i32
    }
    %s:2 = obs.reduce (%x, %y, %z, %w) = %pairs init %begin, %begin : !obs.pull<? x i32, i32> {
      %meet = arith.cmpi eq, %y, %z : i32
      %b = arith.select %meet, %x, %none : i32
      %e = arith.select %meet, %w, %none : i32
      obs.yield %b, %e : i32, i32
    }
    %all = obs.splat %s#0, %s#1 : !obs.pull<1 x i32, i32>
    %q = obs.push block %all : !obs.pull<1 x i32, i32>
    obs.yield %q : !obs.push<block, 1 x i32, i32>
  }
  %f = obs.force %p {kernel = "intervals"} : !obs.push<grid, 2 x 1 x i32, i32>
  return %f : !obs.pull<2 x 1 x i32, i32>
}

// test/Tools/obs-run/rows-without-bound.mlir has the results of scans.
// CHECK-LABEL: gpu.func @sums
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT:   gpu.barrier
// CHECK:       gpu.return
// A full tile has 4 loads, and 5 stages for the lanes of 4 rows.
// PTX:         .entry sums(
// PTX-COUNT-4: ld.global.{{.*}}b32
// PTX-COUNT-16: shfl.sync.up.b32
// PTX-COUNT-4: shfl.sync.bfly.b32
// RACES:       is proved free of races
func.func @sums(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 0 : i32
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %p = obs.distribute block in grid (%r = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %s = obs.scan block inclusive { arith.addi } %r init %zero : !obs.pull<? x i32>
    obs.yield %s : !obs.push<block, ? x i32>
  }
  %f = obs.force %p {kernel = "sums"} : !obs.push<grid, ? x ? x i32>
  return %f : !obs.pull<? x ? x i32>
}
