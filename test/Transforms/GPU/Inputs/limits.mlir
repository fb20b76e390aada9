// Kernels whose code computes with an extent.

// The last element first.
func.func @reverse_few(%a: !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
  %r = obs.reverse %a : !obs.pull<512 x i32>
  %p = obs.push %r : !obs.pull<512 x i32> -> !obs.push<grid, 512 x i32>
  %f = obs.force %p {kernel = "turn"} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %f : !obs.pull<512 x i32>
}
func.func @reverse_many(%a: !obs.pull<1000 x i32>) -> !obs.pull<1000 x i32> {
  %r = obs.reverse %a : !obs.pull<1000 x i32>
  %p = obs.push %r : !obs.pull<1000 x i32> -> !obs.push<grid, 1000 x i32>
  %f = obs.force %p {kernel = "turn"} : !obs.push<grid, 1000 x i32> -> !obs.pull<1000 x i32>
  return %f : !obs.pull<1000 x i32>
}

// Each element and its neighbours; the outermost have one of them twice. With a constant, the minimum has the number
// added to the index.
func.func @blur_few(%a: !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 511 : index
  %g = obs.generate (%i) {
    %l = arith.subi %i, %c1 : index
    %left = arith.maxsi %l, %c0 : index
    %r = arith.addi %i, %c1 : index
    %right = arith.minsi %r, %last : index
    %x = obs.get %a[%left] : !obs.pull<512 x i32>
    %y = obs.get %a[%i] : !obs.pull<512 x i32>
    %z = obs.get %a[%right] : !obs.pull<512 x i32>
    %s = arith.addi %x, %y : i32
    %t = arith.addi %s, %z : i32
    obs.yield %t : i32
  } : !obs.pull<512 x i32>
  %p = obs.push %g : !obs.pull<512 x i32> -> !obs.push<grid, 512 x i32>
  %f = obs.force %p {kernel = "blur"} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %f : !obs.pull<512 x i32>
}
func.func @blur_many(%a: !obs.pull<1000 x i32>) -> !obs.pull<1000 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 999 : index
  %g = obs.generate (%i) {
    %l = arith.subi %i, %c1 : index
    %left = arith.maxsi %l, %c0 : index
    %r = arith.addi %i, %c1 : index
    %right = arith.minsi %r, %last : index
    %x = obs.get %a[%left] : !obs.pull<1000 x i32>
    %y = obs.get %a[%i] : !obs.pull<1000 x i32>
    %z = obs.get %a[%right] : !obs.pull<1000 x i32>
    %s = arith.addi %x, %y : i32
    %t = arith.addi %s, %z : i32
    obs.yield %t : i32
  } : !obs.pull<1000 x i32>
  %p = obs.push %g : !obs.pull<1000 x i32> -> !obs.push<grid, 1000 x i32>
  %f = obs.force %p {kernel = "blur"} : !obs.push<grid, 1000 x i32> -> !obs.pull<1000 x i32>
  return %f : !obs.pull<1000 x i32>
}

// Beyond the end are zeros: by a constant, one comparison for index and sum.
func.func @padded_few(%a: !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
  %c1 = arith.constant 1 : index
  %n = arith.constant 512 : index
  %zero = arith.constant 0 : i32
  %g = obs.generate (%i) {
    %y = obs.get %a[%i] : !obs.pull<512 x i32>
    %r = arith.addi %i, %c1 : index
    %is = arith.cmpi ult, %r, %n : index
    %z = scf.if %is -> i32 {
      %v = obs.get %a[%r] : !obs.pull<512 x i32>
      scf.yield %v : i32
    } else {
      scf.yield %zero : i32
    }
    %t = arith.addi %y, %z : i32
    obs.yield %t : i32
  } : !obs.pull<512 x i32>
  %p = obs.push %g : !obs.pull<512 x i32> -> !obs.push<grid, 512 x i32>
  %f = obs.force %p {kernel = "padded"} : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %f : !obs.pull<512 x i32>
}
func.func @padded_many(%a: !obs.pull<1000 x i32>) -> !obs.pull<1000 x i32> {
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  %zero = arith.constant 0 : i32
  %g = obs.generate (%i) {
    %y = obs.get %a[%i] : !obs.pull<1000 x i32>
    %r = arith.addi %i, %c1 : index
    %is = arith.cmpi ult, %r, %n : index
    %z = scf.if %is -> i32 {
      %v = obs.get %a[%r] : !obs.pull<1000 x i32>
      scf.yield %v : i32
    } else {
      scf.yield %zero : i32
    }
    %t = arith.addi %y, %z : i32
    obs.yield %t : i32
  } : !obs.pull<1000 x i32>
  %p = obs.push %g : !obs.pull<1000 x i32> -> !obs.push<grid, 1000 x i32>
  %f = obs.force %p {kernel = "padded"} : !obs.push<grid, 1000 x i32> -> !obs.pull<1000 x i32>
  return %f : !obs.pull<1000 x i32>
}

// The row and the column of an element come from a division by the extent: a constant is better.
func.func @transpose_few(%a: !obs.pull<32 x 16 x i32>) -> !obs.pull<16 x 32 x i32> {
  %r = obs.transpose %a [1, 0] : !obs.pull<32 x 16 x i32>
  %p = obs.push %r : !obs.pull<16 x 32 x i32> -> !obs.push<grid, 16 x 32 x i32>
  %f = obs.force %p {kernel = "transpose"} : !obs.push<grid, 16 x 32 x i32> -> !obs.pull<16 x 32 x i32>
  return %f : !obs.pull<16 x 32 x i32>
}
func.func @transpose_many(%a: !obs.pull<64 x 48 x i32>) -> !obs.pull<48 x 64 x i32> {
  %r = obs.transpose %a [1, 0] : !obs.pull<64 x 48 x i32>
  %p = obs.push %r : !obs.pull<48 x 64 x i32> -> !obs.push<grid, 48 x 64 x i32>
  %f = obs.force %p {kernel = "transpose"} : !obs.push<grid, 48 x 64 x i32> -> !obs.pull<48 x 64 x i32>
  return %f : !obs.pull<48 x 64 x i32>
}
