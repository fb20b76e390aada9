// A thread that runs several iterations of a loop, whose elements it keeps in
// registers, has one place for the arrays that each iteration stores: iterations
// run one after the other. Row i has i + 2 positive numbers.
// RUN: obs-run %s --device=emulate --check --threads=1 iota:4x6xi16 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --threads=2 iota:4x6xi16 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --threads=32 iota:4x6xi16 | FileCheck %s
// RUN: obs-run %s iota:4x6xi16 | FileCheck %s
// CHECK: [2, 3, 4, 5]
func.func @main(%a: !obs.pull<4 x 6 x i16>) -> !obs.pull<4 x i64> {
  %b = obs.generate (%i, %j) {
    %two = arith.constant 2 : index
    %n = arith.addi %i, %two : index
    %f = arith.cmpi ult, %j, %n : index
    %x = arith.extui %f : i1 to i16
    obs.yield %x : i16
  } : !obs.pull<4 x 6 x i16>
  %s = obs.force %b : !obs.pull<4 x 6 x i16>
  %rows = obs.nest %s dims 1 : !obs.pull<4 x 6 x i16>
  %one = obs.iota : !obs.pull<1 x index>
  %x = obs.distribute block in grid (%o = %one : !obs.pull<1 x index>) {
    %c, %d = obs.distribute thread in block (%r = %rows : !obs.pull<4 x !obs.pull<6 x i16>>) {
      %zero = arith.constant 0 : i16
      %f = obs.map (%v = %r : !obs.pull<6 x i16>) {
        %g = arith.cmpi sgt, %v, %zero : i16
        obs.yield %g : i1
      }
      %p, %q = obs.compact %r flags %f init %zero : !obs.pull<6 x i16>, !obs.pull<6 x i1> -> !obs.push<thread, 6 x i16>, !obs.push<thread, 1 x i64>
      %t, %u = obs.force %p, %q : !obs.push<thread, 6 x i16>, !obs.push<thread, 1 x i64>
      %v = obs.push thread %u : !obs.pull<1 x i64>
      %w = obs.push thread %t : !obs.pull<6 x i16>
      obs.yield %v, %w : !obs.push<thread, 1 x i64>, !obs.push<thread, 6 x i16>
    }
    %e, %h = obs.force %c, %d : !obs.push<block, 4 x 1 x i64>, !obs.push<block, 4 x 6 x i16>
    %k = obs.push block %e : !obs.pull<4 x 1 x i64>
    obs.yield %k : !obs.push<block, 4 x 1 x i64>
  }
  %flat = obs.reshape %x : !obs.push<grid, 1 x 4 x 1 x i64> -> !obs.push<grid, 4 x i64>
  %r = obs.force %flat : !obs.push<grid, 4 x i64>
  return %r : !obs.pull<4 x i64>
}
