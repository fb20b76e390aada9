// Rows of two elements, and threads that write four neighbours: behind the end
// of the array, where only padding is left, no index is divided any more, but
// elsewhere neighbours are in several rows.

// RUN: obs-run %s iota:62xi32 > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: obs-run %s --device emulate --threads=1 iota:62xi32 | diff %t.expected -
// RUN: obs-run %s --device emulate --threads=17 iota:62xi32 | diff %t.expected -
// CHECK: [0, 48, 1, 49, 2, 50, 3, 51, 4, 52, 5, 53, 6, 54, 7, 55, 8, 56, 9, 57, 10, 58, 11, 59, 12, 60, 13, 61, 14, -7, 15, -7,
// CHECK-SAME: 46, -7, 47, -7]

func.func @main(%a: !obs.pull<62 x i32>) -> !obs.pull<96 x i32> {
  %pad = arith.constant -7 : i32
  %chunks = obs.split %a by [48] pad %pad : !obs.pull<62 x i32>
  %joined = obs.join %chunks strided : !obs.pull<2 x !obs.pull<48 x i32>>
  %r = obs.force %joined : !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}
