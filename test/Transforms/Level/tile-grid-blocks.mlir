// The number of blocks for two results of one kernel. The short one needs one iteration for each of few threads, and the long
// one has four for each thread: 2^20 / 4 iterations in blocks of 256 threads.
// RUN: obs-opt --obs-to-gpu %s | FileCheck %s
// RUN: obs-opt --obs-tile-grid %s | FileCheck %s --check-prefix=LEVELS
// RUN: obs-run %s --entry=short iota:1048576xi32 --device=emulate --check=all --out=%t.a --out=%t.b
// RUN: obs-run %s --entry=short iota:1048576xi32 --out=%t.c --out=%t.d
// RUN: cmp %t.a %t.c && cmp %t.b %t.d

// CHECK-LABEL: func.func @short
// CHECK:         gpu.launch_func @kernels::@short blocks in (%c1024,
func.func @short(%a: !obs.pull<1048576 x i32>) -> (!obs.pull<1048576 x i32>, !obs.pull<7 x i32>) {
  %all = obs.map { arith.addi } %a, %a : !obs.pull<1048576 x i32>
  %few = obs.reindex (%i) = %a {
    %c9 = arith.constant 9 : index
    %j = arith.muli %i, %c9 : index
    obs.yield %j : index
  } : !obs.pull<1048576 x i32> -> !obs.pull<7 x i32>
  %r, %s = obs.force %all, %few {kernel = "short"} : !obs.pull<1048576 x i32>, !obs.pull<7 x i32>
  return %r, %s : !obs.pull<1048576 x i32>, !obs.pull<7 x i32>
}

// 2^18 iterations of the second loop are as many as tiles of the first one. For one more, there are not fewer blocks.
obs.kernel @equal(%a: memref<1048576xi32>, %b: memref<9437184xi32>) attributes {threads = 256 : i64} {
  %c9 = arith.constant 9 : index
  %all = arith.constant 1048576 : index
  %few = arith.constant 262144 : index
  scf.forall (%i) in (%all) {
    %x = memref.load %a[%i] : memref<1048576xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %a[%i] : memref<1048576xi32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
  scf.forall (%i) in (%few) {
    %j = arith.muli %i, %c9 : index
    %x = memref.load %b[%j] : memref<9437184xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %b[%j] : memref<9437184xi32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}
obs.kernel @more(%a: memref<1048576xi32>, %b: memref<9437184xi32>) attributes {threads = 256 : i64} {
  %c9 = arith.constant 9 : index
  %all = arith.constant 1048576 : index
  %few = arith.constant 262145 : index
  scf.forall (%i) in (%all) {
    %x = memref.load %a[%i] : memref<1048576xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %a[%i] : memref<1048576xi32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
  scf.forall (%i) in (%few) {
    %j = arith.muli %i, %c9 : index
    %x = memref.load %b[%j] : memref<9437184xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %b[%j] : memref<9437184xi32>
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
}

// LEVELS-LABEL: func.func @launches
// LEVELS:         obs.launch @equal blocks %c1024
// LEVELS:         obs.launch @more blocks %c4096
func.func @launches(%a: memref<1048576xi32>, %b: memref<9437184xi32>) {
  %blocks = arith.constant 4096 : index
  obs.launch @equal blocks %blocks args(%a, %b) {by_extent} : memref<1048576xi32>, memref<9437184xi32>
  obs.launch @more blocks %blocks args(%a, %b) {by_extent} : memref<1048576xi32>, memref<9437184xi32>
  return
}
