// A warp or block scans a long array of known length in tiles, if two copies do not fit into shared memory.

// RUN: obs-opt %s --obs-report-cost -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST
// At most 99999 bytes; two copies of a row take 320000.
// COST: kernel 'block_scan'
// COST: shared memory of a block: {{[0-9]?[0-9]?[0-9]?[0-9]?[0-9]}} bytes
// COST: kernel 'warp_scan'
// COST: shared memory of a block: {{[0-9]?[0-9]?[0-9]?[0-9]?[0-9]}} bytes
// COST: kernel 'block_compact'
// COST: shared memory of a block: {{[0-9]?[0-9]?[0-9]?[0-9]?[0-9]}} bytes

// Each half begins with 0. The last sums are those of NumPy, with 32 bits.
// RUN: obs-run %s --entry=block_scan --device=emulate --check iota:80000xi32 | FileCheck %s --check-prefix=BLOCK
// BLOCK: [0, 1, 3, ..., -1895147293, -1895067295, -1894987296]
func.func @block_scan(%a: !obs.pull<80000 x i32>) -> !obs.pull<80000 x i32> {
  %zero = arith.constant 0 : i32
  %rows = obs.split %a by [40000] : !obs.pull<80000 x i32>
  %p = obs.distribute block in grid (%r = %rows : !obs.pull<2 x !obs.pull<40000 x i32>>) {
    %s = obs.scan block inclusive { arith.addi } %r init %zero : !obs.pull<40000 x i32>
    obs.yield %s : !obs.push<block, 40000 x i32>
  }
  %all = obs.join %p : !obs.push<grid, 2 x 40000 x i32>
  %f = obs.force %all {kernel = "block_scan"} : !obs.push<grid, 80000 x i32>
  return %f : !obs.pull<80000 x i32>
}

// RUN: obs-run %s --entry=warp_scan --device=emulate --threads=64 --check iota:40000xi32 | FileCheck %s --check-prefix=WARP
// WARP: [0, 1, 3, ..., 599910003, 599950001, 599990000]
func.func @warp_scan(%a: !obs.pull<40000 x i32>) -> !obs.pull<40000 x i32> {
  %zero = arith.constant 0 : i32
  %rows = obs.split %a by [20000] : !obs.pull<40000 x i32>
  %p = obs.distribute warp in grid (%r = %rows : !obs.pull<2 x !obs.pull<20000 x i32>>) {
    %s = obs.scan warp inclusive { arith.addi } %r init %zero : !obs.pull<20000 x i32>
    obs.yield %s : !obs.push<warp, 20000 x i32>
  }
  %all = obs.join %p : !obs.push<grid, 2 x 20000 x i32>
  %f = obs.force %all {kernel = "warp_scan"} : !obs.push<grid, 40000 x i32>
  return %f : !obs.pull<40000 x i32>
}

// Elements above 50, of 0 to 39999 and of 40000 to 79999.
// RUN: obs-run %s --entry=block_compact --device=emulate --check iota:80000xi32 | FileCheck %s --check-prefix=COMPACT
// COMPACT: [39949, 40000]
func.func @block_compact(%a: !obs.pull<80000 x i32>) -> !obs.pull<2 x i32> {
  %least = arith.constant 50 : i32
  %rows = obs.split %a by [40000] : !obs.pull<80000 x i32>
  %p = obs.distribute block in grid (%r = %rows : !obs.pull<2 x !obs.pull<40000 x i32>>) {
    %keep = obs.map (%x = %r : !obs.pull<40000 x i32>) {
      %k = arith.cmpi sgt, %x, %least : i32
      obs.yield %k : i1
    }
    %kept, %count = obs.compact %r flags %keep init %least : !obs.pull<40000 x i32>, !obs.pull<40000 x i1> -> !obs.push<block, 40000 x i32>, !obs.push<block, 1 x i32>
    obs.yield %count : !obs.push<block, 1 x i32>
  }
  %all = obs.join %p : !obs.push<grid, 2 x 1 x i32>
  %r = obs.force %all {kernel = "block_compact"} : !obs.push<grid, 2 x i32>
  return %r : !obs.pull<2 x i32>
}
