// The 32 largest of 1024 elements of a row: a warp sorts each chunk of 32, and rounds merge pairs of chunks. The number of
// chunks is bounded, so the rounds are one loop over two slots in shared memory.

// RUN: obs-opt --obs-report-cost %s -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=COST
// COST: shared memory of a block: 8192 bytes
// COST-NEXT: 2 x 32 x 32 x f32 of a block
// COST: barriers: 2 of a block, 0 of a warp
// COST: global memory: 4096 * arg0.dim0 bytes read, 128 * arg0.dim0 bytes written

// The elements of row r are 1024 r, ..., 1024 r + 1023.
// RUN: obs-run %s --device=interpret iota:2x1024xf32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check=all iota:2x1024xf32 | FileCheck %s
// RUN: obs-run %s --device=emulate --schedule=random --seed=3 --threads=96 iota:2x1024xf32 | FileCheck %s
// CHECK: 1023.0, 1022.0, 1021.0,
// CHECK: 2047.0, 2046.0, 2045.0,

!rows = !obs.pull<? x 32 x f32 bound [32, 32]>
func.func @main(%a: !obs.pull<? x 1024 x f32>) -> !obs.pull<? x 32 x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = obs.dim %a, 0 : !obs.pull<? x 1024 x f32>
  %ids = obs.iota [%n] : !obs.pull<? x index>
  %top = obs.distribute block (%row = %ids : !obs.pull<? x index>) -> !obs.push<grid, ? x 32 x f32> {
    %chunks = obs.generate (%c) [%c32] {
      %chunk = obs.generate (%i) {
        %base = arith.muli %c, %c32 : index
        %j = arith.addi %base, %i : index
        %x = obs.get %a[%row, %j] : !obs.pull<? x 1024 x f32>
        obs.yield %x : f32
      } : !obs.pull<32 x f32>
      obs.yield %chunk : !obs.pull<32 x f32>
    } : !obs.pull<? x !obs.pull<32 x f32> bound [32]>
    %sorted = obs.distribute warp (%c = %chunks : !obs.pull<? x !obs.pull<32 x f32> bound [32]>) -> !obs.push<block, ? x 32 x f32 bound [32, 32]> {
      %s = scf.for %stage = %c0 to %c5 step %c1 iter_args(%x = %c) -> !obs.pull<32 x f32> {
        %vee = obs.fill par (%t) in (%c16) {
          %i = obs.bit.insert_zero %t, %stage : index
          %j = obs.bit.flip_low %i, %stage : index
          %u = obs.get %x[%i] : !obs.pull<32 x f32>
          %v = obs.get %x[%j] : !obs.pull<32 x f32>
          %mi = arith.minnumf %u, %v : f32
          %ma = arith.maxnumf %u, %v : f32
          obs.write %ma at [%i] : f32
          obs.write %mi at [%j] : f32
        } : !obs.push<warp, 32 x f32>
        %first = obs.force %vee : !obs.push<warp, 32 x f32> -> !obs.pull<32 x f32>
        %merged = scf.for %k = %c0 to %stage step %c1 iter_args(%y = %first) -> !obs.pull<32 x f32> {
          %last = arith.subi %stage, %c1 : index
          %bit = arith.subi %last, %k : index
          %column = obs.fill par (%t) in (%c16) {
            %i = obs.bit.insert_zero %t, %bit : index
            %j = obs.bit.flip %i, %bit : index
            %u = obs.get %y[%i] : !obs.pull<32 x f32>
            %v = obs.get %y[%j] : !obs.pull<32 x f32>
            %mi = arith.minnumf %u, %v : f32
            %ma = arith.maxnumf %u, %v : f32
            obs.write %ma at [%i] : f32
            obs.write %mi at [%j] : f32
          } : !obs.push<warp, 32 x f32>
          %next = obs.force %column : !obs.push<warp, 32 x f32> -> !obs.pull<32 x f32>
          scf.yield %next : !obs.pull<32 x f32>
        } {obs.unroll}
        scf.yield %merged : !obs.pull<32 x f32>
      } {obs.unroll}
      %p = obs.push %s : !obs.pull<32 x f32> -> !obs.push<warp, 32 x f32>
      obs.yield %p : !obs.push<warp, 32 x f32>
    }
    %first = obs.force %sorted : !obs.push<block, ? x 32 x f32 bound [32, 32]> -> !rows
    %final = scf.for %round = %c0 to %c5 step %c1 iter_args(%b = %first) -> !rows {
      %count = obs.dim %b, 0 : !rows
      %half = arith.divui %count, %c2 : index
      %pairs = obs.generate (%c) [%half] {
        %merged = obs.generate (%i) {
          %e = arith.muli %c, %c2 : index
          %o = arith.addi %e, %c1 : index
          %r = arith.subi %c31, %i : index
          %x = obs.get %b[%e, %i] : !rows
          %y = obs.get %b[%o, %r] : !rows
          %m = arith.maxnumf %x, %y : f32
          obs.yield %m : f32
        } : !obs.pull<32 x f32>
        obs.yield %merged : !obs.pull<32 x f32>
      } : !obs.pull<? x !obs.pull<32 x f32> bound [32]>
      %next = obs.distribute warp (%c = %pairs : !obs.pull<? x !obs.pull<32 x f32> bound [32]>) -> !obs.push<block, ? x 32 x f32 bound [32, 32]> {
        %s = scf.for %k = %c0 to %c5 step %c1 iter_args(%y = %c) -> !obs.pull<32 x f32> {
          %bit = arith.subi %c4, %k : index
          %column = obs.fill par (%t) in (%c16) {
            %i = obs.bit.insert_zero %t, %bit : index
            %j = obs.bit.flip %i, %bit : index
            %u = obs.get %y[%i] : !obs.pull<32 x f32>
            %v = obs.get %y[%j] : !obs.pull<32 x f32>
            %mi = arith.minnumf %u, %v : f32
            %ma = arith.maxnumf %u, %v : f32
            obs.write %ma at [%i] : f32
            obs.write %mi at [%j] : f32
          } : !obs.push<warp, 32 x f32>
          %f = obs.force %column : !obs.push<warp, 32 x f32> -> !obs.pull<32 x f32>
          scf.yield %f : !obs.pull<32 x f32>
        } {obs.unroll}
        %p = obs.push %s : !obs.pull<32 x f32> -> !obs.push<warp, 32 x f32>
        obs.yield %p : !obs.push<warp, 32 x f32>
      }
      %f = obs.force %next : !obs.push<block, ? x 32 x f32 bound [32, 32]> -> !rows
      scf.yield %f : !rows
    }
    %one = obs.slice %final [0, 0] [1, 32] [1, 1] : !rows -> !obs.pull<1 x 32 x f32>
    %flat = obs.reshape %one : !obs.pull<1 x 32 x f32> -> !obs.pull<32 x f32>
    %p = obs.push %flat : !obs.pull<32 x f32> -> !obs.push<block, 32 x f32>
    obs.yield %p : !obs.push<block, 32 x f32>
  }
  %r = obs.force %top {kernel = "top_k_tree", threads = 256 : i64} : !obs.push<grid, ? x 32 x f32> -> !obs.pull<? x 32 x f32>
  return %r : !obs.pull<? x 32 x f32>
}
