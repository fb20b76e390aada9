// RUN: obs-run %s --device=interpret iota:12xi32 3 34 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:12xi32 3 34 | FileCheck %s
// RUN: obs-run %s --device=emulate --threads=17 --blocks=3 iota:12xi32 3 34 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:300xi32 0 70000 | FileCheck %s --check-prefix=EQUAL
// RUN: obs-run %s --device=emulate iota:4xi32 1000000 5000000 | FileCheck %s --check-prefix=LARGE
// RUN: obs-run %s --device=emulate iota:0xi32 7 0 | FileCheck %s --check-prefix=EMPTY
// RUN: not obs-run %s --device=interpret iota:12xi32 3 33 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not obs-run %s --device=emulate iota:12xi32 3 33 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not obs-run %s --device=emulate iota:2xi32 1 1 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: obs-run %s --device=interpret --entry=marked iota:4xi32 3 10 | FileCheck %s --check-prefix=MARKED
// RUN: obs-run %s --device=emulate --entry=marked iota:4xi32 3 10 | FileCheck %s --check-prefix=MARKED

// Marks that kernels read are bits of words. @main returns the multiples of %step, of which there are as
// many as keys. An index past the last mark is an error, also if it would be a bit of the last word.

// CHECK: [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33]
// EQUAL: [0]
// LARGE: [0, 1000000, 2000000, 3000000]
// EMPTY: []
// BEYOND: error: {{writes index \[33\]|writes index \[1\]|uninit: atomic operation}}
// MARKED: [true, false, false, true, false, false, true, false, false, true]

!ints = !obs.pull<? x i32>

func.func private @mark(%keys: !ints, %step: index, %size: index) -> !obs.pull<? x i1> {
  %no = arith.constant false
  %yes = arith.constant true
  %n = obs.dim %keys, 0 : !ints
  %m = obs.fill init %no any [%size] par (%i) in (%n) {
    %x = obs.get %keys[%i] : !ints
    %k = arith.index_cast %x : i32 to index
    %place = arith.muli %k, %step : index
    obs.write %yes at [%place] : i1
  } : !obs.push<grid, ? x i1>
  %marks = obs.force %m : !obs.push<grid, ? x i1>
  return %marks : !obs.pull<? x i1>
}

func.func @main(%keys: !ints, %step: index, %size: index) -> !ints {
  %c0 = arith.constant 0 : index
  %marks = func.call @mark(%keys, %step, %size) : (!ints, index, index) -> !obs.pull<? x i1>
  %all = obs.iota [%size] : !ints
  %kept, %number = obs.compact %all flags %marks : !ints, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r, %count = obs.force %kept, %number : !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %length = obs.get %count[%c0] : !obs.pull<1 x i32>
  %found = arith.index_cast %length : i32 to index
  %result = obs.take %r [%found] : !ints
  return %result : !ints
}

func.func @marked(%keys: !ints, %step: index, %size: index) -> !obs.pull<? x i1> {
  %marks = func.call @mark(%keys, %step, %size) : (!ints, index, index) -> !obs.pull<? x i1>
  %both = obs.map { arith.andi } %marks, %marks : !obs.pull<? x i1>
  %r = obs.force %both : !obs.pull<? x i1>
  return %r : !obs.pull<? x i1>
}
