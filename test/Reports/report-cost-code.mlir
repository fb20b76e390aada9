// RUN: obs-opt --obs-report-cost=threads=64 %s -o /dev/null | FileCheck %s

// The report counts operations, shuffles, the steps of collectives, and elements
// that are computed more than once.

// Every sum of two neighbours computes both: 2 times 63 squares for 64.
// CHECK-LABEL: kernel 'pairs'
// CHECK: {{^}}    63 iterations in a grid at {{.*}}, each 3 float and 1 index operations
// CHECK: global memory: 504 bytes read, 252 bytes written
// CHECK: in loops over threads: 189 float and 63 index operations
// CHECK: obs.map at report-cost-code.mlir:[[@LINE+3]]:14, in 2 places: 1.97 times each element
// CHECK: obs.generate at report-cost-code.mlir:[[@LINE+7]]:11, in 1 place: 1 time each element
func.func @pairs(%a: !obs.pull<64 x f32>) -> !obs.pull<63 x f32> {
  %squares = obs.map (%x = %a : !obs.pull<64 x f32>) -> !obs.pull<64 x f32> {
    %y = arith.mulf %x, %x : f32
    obs.yield %y : f32
  }
  %c1 = arith.constant 1 : index
  %sums = obs.generate (%i) {
    %j = arith.addi %i, %c1 : index
    %x = obs.get %squares[%i] : !obs.pull<64 x f32>
    %y = obs.get %squares[%j] : !obs.pull<64 x f32>
    %s = arith.addf %x, %y : f32
    obs.yield %s : f32
  } : !obs.pull<63 x f32>
  %p = obs.push %sums : !obs.pull<63 x f32> -> !obs.push<grid, 63 x f32>
  %r = obs.force %p {kernel = "pairs"} : !obs.push<grid, 63 x f32> -> !obs.pull<63 x f32>
  return %r : !obs.pull<63 x f32>
}

// Roots are functions; a value that is stored may be compared.
// CHECK-LABEL: kernel 'roots'
// CHECK: arg0.dim0 iterations in a grid at {{.*}}, each 1 float and 1 function operations
// CHECK: in loops over threads: arg0.dim0 float and arg0.dim0 function operations
// CHECK: obs.map at {{.*}}, in 1 place: arg0.dim0 elements
func.func @roots(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %zero = arith.constant 0.0 : f32
  %m = obs.map (%x = %a : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
    %y = math.sqrt %x : f32
    %z = arith.maximumf %y, %zero : f32
    obs.yield %z : f32
  }
  %p = obs.push %m : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
  %r = obs.force %p {kernel = "roots"} : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %r : !obs.pull<? x f32>
}

// A warp keeps 32 numbers in its lanes.
// CHECK-LABEL: kernel 'lanes'
// CHECK: registers of a thread: 1 hold arrays
// CHECK: shared memory of a block: 0 bytes
// CHECK: shuffle i32 at {{.*}}, lanes: xor 31{{$}}
func.func @lanes(%a: !obs.pull<32 x i32>) -> !obs.pull<32 x i32> {
  %parts = obs.split %a by [32] : !obs.pull<32 x i32> -> !obs.pull<1 x !obs.pull<32 x i32>>
  %turned = obs.distribute warp (%c = %parts : !obs.pull<1 x !obs.pull<32 x i32>>) -> !obs.push<grid, 1 x 32 x i32> {
    %p = obs.push %c : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
    %s = obs.force %p : !obs.push<warp, 32 x i32> -> !obs.pull<32 x i32>
    %r = obs.reverse %s : !obs.pull<32 x i32>
    %q = obs.push %r : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
    obs.yield %q : !obs.push<warp, 32 x i32>
  }
  %flat = obs.join %turned : !obs.push<grid, 1 x 32 x i32> -> !obs.push<grid, 32 x i32>
  %f = obs.force %flat {kernel = "lanes"} : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %f : !obs.pull<32 x i32>
}

// A block of one warp adds up 64 numbers: each lane two of them, and the lanes in five steps of shuffles.
// CHECK-LABEL: kernel 'total'
// The warp hands over one sum to all. A lane holds its sum and its next one.
// CHECK: obs.reduce at report-cost-code.mlir:[[@LINE+12]]:10 takes 4 bytes of shared memory and 2 registers of a thread
// CHECK: lanes: xor 1
// CHECK: lanes: xor 2
// CHECK: lanes: xor 4
// CHECK: lanes: xor 8
// CHECK: lanes: xor 16
// 32 lanes have one sum of their own, and one in each step.
// CHECK: in loops over threads: 192 * ceil(arg0.dim0 / 64) integer
func.func @total(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %parts = obs.split %a by [64] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<64 x i32>>
  %sums = obs.distribute block (%c = %parts : !obs.pull<? x !obs.pull<64 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
    %s = obs.reduce (%x, %y) = %c init %zero {commutative} : !obs.pull<64 x i32> -> i32 {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %one = obs.splat %s : !obs.pull<1 x i32>
    %q = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %q : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %flat {kernel = "total"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
