// RUN: obs-opt --pass-pipeline='builtin.module(inline,func.func(obs-fuse-arrays))' %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=remark:
// RUN: obs-opt --pass-pipeline='builtin.module(inline,func.func(obs-fuse-arrays))' %s -o /dev/null 2>&1 \
// RUN:   | grep -c remark: | FileCheck %s --check-prefix=COUNT

// An element is read at two indices, and its computation takes longer than a read: the remark appears once,
// though the function is in two copies.
// COUNT: {{^4$}}
// CHECK: fuse-arrays-remark.mlir:[[#@LINE+2]]:{{.*}}: remark: each element is computed in 2 places; force the array to compute it once
func.func private @twice(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %s = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %y = arith.divsi %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.reverse %s : !obs.pull<8 x i32>
  %m = obs.map (%x = %s : !obs.pull<8 x i32>, %y = %r : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  return %m : !obs.pull<8 x i32>
}

func.func @main(%a: !obs.pull<8 x i32>) -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>) {
  %b = func.call @twice(%a) : (!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
  %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %f = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %c = func.call @twice(%f) : (!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
  %q = obs.push %c : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %g = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %f, %g : !obs.pull<8 x i32>, !obs.pull<8 x i32>
}

// No remark: both maps read element i of the exponentials for their element i. One kernel computes it once.
func.func @at_one_index(%a: !obs.pull<8 x f32>) -> !obs.pull<8 x f32> {
  %e = obs.map (%x = %a : !obs.pull<8 x f32>) {
    %y = math.exp %x : f32
    obs.yield %y : f32
  }
  %square = obs.map { arith.mulf } %e, %e : !obs.pull<8 x f32>
  %m = obs.map { arith.addf } %square, %e : !obs.pull<8 x f32>
  %f = obs.force %m : !obs.pull<8 x f32>
  return %f : !obs.pull<8 x f32>
}

// No remark: a function of an index that reads one element in two places.
func.func @read_twice(%a: !obs.pull<8 x f32>) -> !obs.pull<8 x f32> {
  %e = obs.map (%x = %a : !obs.pull<8 x f32>) {
    %y = math.exp %x : f32
    obs.yield %y : f32
  }
  %g = obs.generate (%i) {
    %x = obs.get %e[%i] : !obs.pull<8 x f32>
    %y = obs.get %e[%i] : !obs.pull<8 x f32>
    %z = arith.mulf %x, %y : f32
    obs.yield %z : f32
  } : !obs.pull<8 x f32>
  %f = obs.force %g : !obs.pull<8 x f32>
  return %f : !obs.pull<8 x f32>
}

// No remark: each component is read at one index.
func.func @components(%a: !obs.pull<8 x f32>) -> !obs.pull<8 x f32> {
  %e = obs.map (%x = %a : !obs.pull<8 x f32>) {
    %y = math.exp %x : f32
    %z = math.sin %x : f32
    obs.yield %y, %z : f32, f32
  }
  %p, %q = obs.unzip %e : !obs.pull<8 x f32, f32>
  %r = obs.reverse %q : !obs.pull<8 x f32>
  %m = obs.map { arith.addf } %p, %r : !obs.pull<8 x f32>
  %f = obs.force %m : !obs.pull<8 x f32>
  return %f : !obs.pull<8 x f32>
}

// No remark: a conversion and a product, or three reads, take no longer than a read of stored elements.
func.func @cheap(%a: !obs.pull<8 x i8>, %b: !obs.pull<8 x i32>, %c: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %m = obs.map (%x = %a : !obs.pull<8 x i8>, %y = %b : !obs.pull<8 x i32>, %z = %c : !obs.pull<8 x i32>) {
    %w = arith.extsi %x : i8 to i32
    %p = arith.muli %w, %y : i32
    %s = arith.addi %p, %z : i32
    obs.yield %s : i32
  }
  %r = obs.reverse %m : !obs.pull<8 x i32>
  %d = obs.map { arith.subi } %m, %r : !obs.pull<8 x i32>
  %f = obs.force %d : !obs.pull<8 x i32>
  return %f : !obs.pull<8 x i32>
}

// The sum of the exponentials is another kernel. The remark is at the map that both kernels read, not at the one
// before it.
func.func @in_two_kernels(%a: !obs.pull<8 x f32>) -> (!obs.pull<8 x f32>, !obs.pull<8 x f32>) {
  %e = obs.map (%x = %a : !obs.pull<8 x f32>) {
    %y = math.exp %x : f32
    obs.yield %y : f32
  }
  // CHECK: fuse-arrays-remark.mlir:[[#@LINE+1]]:{{.*}}: remark: each element is computed in 2 places; force the array to compute it once
  %m = obs.map (%x = %e : !obs.pull<8 x f32>) {
    %y = arith.addf %x, %x : f32
    obs.yield %y : f32
  }
  %f = obs.force %m : !obs.pull<8 x f32>
  %n = obs.map { arith.mulf } %m, %m : !obs.pull<8 x f32>
  %g = obs.force %n : !obs.pull<8 x f32>
  return %f, %g : !obs.pull<8 x f32>, !obs.pull<8 x f32>
}

// Many reads are expensive, also those of arrays in front.
func.func @many_reads(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x i32>, %c: !obs.pull<8 x i32>,
                      %d: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %s = obs.map { arith.addi } %a, %b : !obs.pull<8 x i32>
  %t = obs.map { arith.addi } %c, %d : !obs.pull<8 x i32>
  // CHECK: fuse-arrays-remark.mlir:[[#@LINE+1]]:{{.*}}: remark: each element is computed in 2 places; force the array to compute it once
  %m = obs.map { arith.addi } %s, %t : !obs.pull<8 x i32>
  %r = obs.reverse %m : !obs.pull<8 x i32>
  %e = obs.map { arith.subi } %m, %r : !obs.pull<8 x i32>
  %f = obs.force %e : !obs.pull<8 x i32>
  return %f : !obs.pull<8 x i32>
}

// The function of an index reads an array of exponentials in two places.
func.func @mirrored(%a: !obs.pull<8 x f32>) -> !obs.pull<8 x f32> {
  %c7 = arith.constant 7 : index
  // CHECK: fuse-arrays-remark.mlir:[[#@LINE+1]]:{{.*}}: remark: each element is computed in 2 places; force the array to compute it once
  %e = obs.map (%x = %a : !obs.pull<8 x f32>) {
    %y = math.exp %x : f32
    obs.yield %y : f32
  }
  %g = obs.generate (%i) {
    %j = arith.subi %c7, %i : index
    %x = obs.get %e[%i] : !obs.pull<8 x f32>
    %y = obs.get %e[%j] : !obs.pull<8 x f32>
    %z = arith.mulf %x, %y : f32
    obs.yield %z : f32
  } : !obs.pull<8 x f32>
  %f = obs.force %g : !obs.pull<8 x f32>
  return %f : !obs.pull<8 x f32>
}
