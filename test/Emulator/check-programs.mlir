// Programs that break a promise that nothing else can check.
//
// DEFINE: %{fail} = not obs-run %s --device emulate --check
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix

// In place, each element is read by another thread than the one that writes it.
// RUN: %{fail} --entry=in_place iota:64xi32 2>&1 | %{check}=INPLACE
// An element that nobody wrote, at block level and at thread level.
// RUN: %{fail} --entry=unwritten iota:64xi32 2>&1 | %{check}=UNWRITTEN
// RUN: %{fail} --entry=unwritten_private iota:64xi32 2>&1 | %{check}=PRIVATE

// Two writes of one element, against the promise of the fill.
// RUN: obs-run %s --device emulate --check --entry=scatter iota:64xindex | FileCheck %s --check-prefix=SCATTERED
// SCATTERED: {{^}}[0, 1, 2, 3,
// RUN: %{fail} --entry=scatter zeros:64xindex 2>&1 | %{check}=SCATTER

func.func @scatter(%a: !obs.pull<64 x index>) -> !obs.pull<64 x i32> {
  %c64 = arith.constant 64 : index
  %p = obs.fill unchecked par (%t) in (%c64) {
    %i = obs.get %a[%t] : !obs.pull<64 x index>
    %x = arith.index_cast %t : index to i32
    // SCATTER: check-programs.mlir:[[#@LINE+2]]:5: error: {{race|false-claim}}: {{.*}}store of 4 bytes of global memory by thread 1 of block 0
    // SCATTER-NEXT: check-programs.mlir:[[#@LINE+1]]:5: note: the other access
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 64 x i32>
  %r = obs.force %p {threads = 64 : i64} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}

func.func @in_place(%m: memref<64xi32>) -> !obs.pull<64 x i32> {
  %v = obs.view %m : memref<64xi32>
  %r = obs.reverse %v : !obs.pull<64 x i32>
  // INPLACE: check-programs.mlir:{{[0-9]+}}:{{[0-9]+}}: error: race: {{load|store}} of 4 bytes of global memory
  // INPLACE: check-programs.mlir:{{[0-9]+}}:{{[0-9]+}}: note: the other access
  %p = obs.push %r : !obs.pull<64 x i32> -> !obs.push<grid, 64 x i32>
  %s = obs.force %p into %m {unchecked, threads = 64 : i64} : !obs.push<grid, 64 x i32> into memref<64xi32> -> !obs.pull<64 x i32>
  return %s : !obs.pull<64 x i32>
}

func.func @unwritten(%a: !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
  %s = obs.split %a by [16] : !obs.pull<64 x i32> -> !obs.pull<4 x !obs.pull<16 x i32>>
  %d = obs.distribute block (%x = %s : !obs.pull<4 x !obs.pull<16 x i32>>) -> !obs.push<grid, 4 x 16 x i32> {
    %c15 = arith.constant 15 : index
    // UNWRITTEN: check-programs.mlir:{{[0-9]+}}:{{[0-9]+}}: error: uninit: load of 4 bytes of shared memory that were never written
    %p = obs.fill par (%t) in (%c15) {
      %y = obs.get %x[%t] : !obs.pull<16 x i32>
      obs.write %y at [%t] : i32
    } : !obs.push<block, 16 x i32>
    // UNWRITTEN-NEXT: check-programs.mlir:[[#@LINE+1]]:10: note: the memory is made here
    %f = obs.force %p : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
    %r = obs.reverse %f : !obs.pull<16 x i32>
    %q = obs.push %r : !obs.pull<16 x i32> -> !obs.push<block, 16 x i32>
    obs.yield %q : !obs.push<block, 16 x i32>
  }
  %j = obs.join %d : !obs.push<grid, 4 x 16 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %j : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}

func.func @unwritten_private(%a: !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
  %s = obs.split %a by [16] : !obs.pull<64 x i32> -> !obs.pull<4 x !obs.pull<16 x i32>>
  %d = obs.distribute thread (%x = %s : !obs.pull<4 x !obs.pull<16 x i32>>) -> !obs.push<grid, 4 x 16 x i32> {
    %c15 = arith.constant 15 : index
    // PRIVATE: check-programs.mlir:{{[0-9]+}}:{{[0-9]+}}: error: uninit: load of 4 bytes of private memory that were never written
    %p = obs.fill par (%t) in (%c15) {
      %y = obs.get %x[%t] : !obs.pull<16 x i32>
      obs.write %y at [%t] : i32
    } : !obs.push<thread, 16 x i32>
    // PRIVATE-NEXT: check-programs.mlir:[[#@LINE+1]]:10: note: the memory is made here
    %f = obs.force %p : !obs.push<thread, 16 x i32> -> !obs.pull<16 x i32>
    %r = obs.reverse %f : !obs.pull<16 x i32>
    %q = obs.push %r : !obs.pull<16 x i32> -> !obs.push<thread, 16 x i32>
    obs.yield %q : !obs.push<thread, 16 x i32>
  }
  %j = obs.join %d : !obs.push<grid, 4 x 16 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %j : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}
