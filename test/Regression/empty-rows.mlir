// Without a sub-program the rows have the extents that they would have.

// RUN: obs-run %s --entry=main zeros:0x5xf32 --device=interpret --out=%t.interpret.npy
// RUN: obs-run %s --entry=main zeros:0x5xf32 --device=emulate --out=%t.emulate.npy
// RUN: cmp %t.interpret.npy %t.emulate.npy
// RUN: FileCheck %s --input-file=%t.interpret.npy
// CHECK: 'shape': (0, 5)

// A force on the way.
// RUN: obs-run %s --entry=stored zeros:0x7xi32 5 --device=interpret | FileCheck %s --check-prefix=STORED
// RUN: obs-run %s --entry=stored zeros:0x7xi32 5 --device=emulate | FileCheck %s --check-prefix=STORED
// STORED: 10

func.func @main(%a: !obs.pull<? x ? x f32>) -> !obs.pull<? x ? x f32> {
  %h = obs.dim %a, 0 : !obs.pull<? x ? x f32>
  %w = obs.dim %a, 1 : !obs.pull<? x ? x f32>
  %i = obs.iota [%h] : !obs.pull<? x index>
  %s = obs.distribute block (%r = %i : !obs.pull<? x index>) -> !obs.push<grid, ? x ? x f32> {
    %row = obs.generate (%c) [%w] {
      %v = obs.get %a[%r, %c] : !obs.pull<? x ? x f32>
      obs.yield %v : f32
    } : !obs.pull<? x f32>
    %p = obs.push %row : !obs.pull<? x f32> -> !obs.push<block, ? x f32>
    obs.yield %p : !obs.push<block, ? x f32>
  }
  %r = obs.force %s : !obs.push<grid, ? x ? x f32> -> !obs.pull<? x ? x f32>
  return %r : !obs.pull<? x ? x f32>
}

func.func @stored(%a: !obs.pull<? x 7 x i32>, %k: index) -> index {
  %h = obs.dim %a, 0 : !obs.pull<? x 7 x i32>
  %i = obs.iota [%h] : !obs.pull<? x index>
  %s = obs.distribute block (%r = %i : !obs.pull<? x index>) -> !obs.push<grid, ? x ? x i32 bound [?, 64]> {
    %row = obs.generate (%c) [%k] {
      %v = obs.get %a[%r, %c] : !obs.pull<? x 7 x i32>
      obs.yield %v : i32
    } : !obs.pull<? x i32 bound [32]>
    %q = obs.push %row : !obs.pull<? x i32 bound [32]> -> !obs.push<block, ? x i32 bound [32]>
    %e = obs.force %q : !obs.push<block, ? x i32 bound [32]> -> !obs.pull<? x i32 bound [32]>
    %both = obs.interleave %e, %e : !obs.pull<? x i32 bound [32]>, !obs.pull<? x i32 bound [32]> -> !obs.pull<? x i32 bound [64]>
    %p = obs.push %both : !obs.pull<? x i32 bound [64]> -> !obs.push<block, ? x i32 bound [64]>
    obs.yield %p : !obs.push<block, ? x i32 bound [64]>
  }
  %r = obs.force %s : !obs.push<grid, ? x ? x i32 bound [?, 64]> -> !obs.pull<? x ? x i32 bound [?, 64]>
  %d = obs.dim %r, 1 : !obs.pull<? x ? x i32 bound [?, 64]>
  return %d : index
}
