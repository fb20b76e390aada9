// RUN: obs-translate --obs-to-ptx %s | FileCheck %s

// Each thread loads eight halves of rows whose distances are known numbers: one load of 16 bytes for each row, and from
// shared memory one load of 16 bytes for each left operand, or two right ones.
// CHECK-LABEL: .entry product(
// CHECK-NOT: ld.{{(global|shared).*b16}}
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: ld.{{(global|shared).*b16}}
// CHECK: ld.shared.v4.b32
// CHECK-NOT: ld.{{(global|shared).*b16}}
// CHECK: ret
func.func @product(%a: !obs.pull<256 x 256 x bf16>, %b: !obs.pull<256 x 256 x bf16>) -> !obs.pull<2 x 2 x 128 x 128 x f32> {
  %zero = arith.constant 0.0 : f32
  %c128 = arith.constant 128 : index
  %rows = obs.generate (%i, %j) {
    obs.yield %i : index
  } : !obs.pull<2 x 2 x index>
  %columns = obs.generate (%i, %j) {
    obs.yield %j : index
  } : !obs.pull<2 x 2 x index>
  %tiles = obs.distribute block in grid (%i = %rows, %j = %columns : !obs.pull<2 x 2 x index>) {
    %row = arith.muli %i, %c128 : index
    %column = arith.muli %j, %c128 : index
    %x = obs.generate (%r, %k) {
      %own = arith.addi %row, %r : index
      %e = obs.get %a[%own, %k] : !obs.pull<256 x 256 x bf16>
      obs.yield %e : bf16
    } : !obs.pull<128 x 256 x bf16>
    // The columns of the right operand are neighbours in memory.
    %y = obs.generate (%k, %c) {
      %own = arith.addi %column, %c : index
      %e = obs.get %b[%own, %k] : !obs.pull<256 x 256 x bf16>
      obs.yield %e : bf16
    } : !obs.pull<256 x 128 x bf16>
    %p = obs.matmul %x, %y init %zero : !obs.pull<128 x 256 x bf16>, !obs.pull<256 x 128 x bf16> -> !obs.push<block, 128 x 128 x f32>
    obs.yield %p : !obs.push<block, 128 x 128 x f32>
  }
  %r = obs.force %tiles {kernel = "product", threads = 128 : i64} : !obs.push<grid, 2 x 2 x 128 x 128 x f32>
  return %r : !obs.pull<2 x 2 x 128 x 128 x f32>
}
