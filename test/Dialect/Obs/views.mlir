// Rule R8: programs that may force into memory that is viewed.
// RUN: obs-opt %s --verify-roundtrip -o %t

// Each element is read by the iteration that writes it.
func.func @in_place(%m: memref<?xi32>, %b: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %v = obs.view %m : memref<?xi32>
  %w = obs.map (%x = %v : !obs.pull<? x i32>, %y = %b : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p = obs.push %w : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p into %m : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// The author's word for it.
func.func @unchecked(%m: memref<8xi32>) {
  %v = obs.view %m : memref<8xi32>
  %w = obs.reverse %v : !obs.pull<8 x i32>
  %p = obs.push %w : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %p into %m {unchecked} : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return
}

// A read comes before, and keeps its value.
func.func @before(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %i: index) -> i32 {
  %v = obs.view %m : memref<8xi32>
  %x = obs.get %v[%i] : !obs.pull<8 x i32>
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return %x : i32
}

// A forced copy is another array.
func.func @copy(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %i: index) -> i32 {
  %v = obs.view %m : memref<8xi32>
  %q = obs.push %v : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %c = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  %x = obs.get %c[%i] : !obs.pull<8 x i32>
  return %x : i32
}

// A new view of each iteration, and one of the other branch.
func.func @loop(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = obs.view %m : memref<8xi32>
    scf.if %c {
      %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    } else {
      %x = obs.get %v[%i] : !obs.pull<8 x i32>
    }
  }
  return
}

// Two kernels alternate between two memories.
func.func @ping_pong(%m: memref<8xi32>, %n: memref<8xi32>) {
  %v = obs.view %m : memref<8xi32>
  %rev = obs.reverse %v : !obs.pull<8 x i32>
  %p = obs.push %rev : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %p into %n : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  %back = obs.reverse %r : !obs.pull<8 x i32>
  %q = obs.push %back : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %s = obs.force %q into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return
}

// Each iteration reads elementwise what the one before has written; after no
// iteration at all the result is the view.
func.func @in_place_loop(%m: memref<8xi32>, %n: index) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.view %m : memref<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> !obs.pull<8 x i32> {
    %b = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    %f = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    scf.yield %f : !obs.pull<8 x i32>
  }
  return %r : !obs.pull<8 x i32>
}

// Two kernels alternate, again and again.
func.func @ping_pong_loop(%m: memref<8xi32>, %o: memref<8xi32>, %n: index) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.view %m : memref<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> !obs.pull<8 x i32> {
    %b = obs.reverse %a : !obs.pull<8 x i32>
    %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    %f = obs.force %p into %o : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    %g = obs.reverse %f : !obs.pull<8 x i32>
    %q = obs.push %g : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    %h = obs.force %q into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    scf.yield %h : !obs.pull<8 x i32>
  }
  return %r : !obs.pull<8 x i32>
}

// Each iteration reads the element that it writes, or none.
func.func @fill_in_place(%m: memref<8xi32>, %a: !obs.pull<8 x index>) -> !obs.pull<8 x i32> {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %v = obs.view %m : memref<8xi32>
  %p = obs.fill par (%t) in (%c8) {
    %i = obs.get %a[%t] : !obs.pull<8 x index>
    %keep = arith.cmpi ult, %i, %c8 : index
    %x = scf.if %keep -> i32 {
      %y = obs.get %v[%t] : !obs.pull<8 x i32>
      scf.yield %y : i32
    } else {
      scf.yield %zero : i32
    }
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// Comparators: each iteration reads the two elements that it writes, before it
// writes them, in all stages.
func.func @comparators_in_place(%m: memref<16xi32>, %n: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %s = %c0 to %c4 step %c1 {
    %bit = arith.subi %c3, %s : index
    %v = obs.view %m : memref<16xi32>
    %p = obs.fill par (%t) in (%c8) {
      %i = obs.bit.insert_zero %t, %bit : index
      %j = obs.bit.flip %i, %bit : index
      %x = obs.get %v[%i] : !obs.pull<16 x i32>
      %y = obs.get %v[%j] : !obs.pull<16 x i32>
      %min = arith.minsi %x, %y : i32
      %max = arith.maxsi %x, %y : i32
      obs.write %min at [%i] : i32
      obs.write %max at [%j] : i32
    } : !obs.push<grid, 16 x i32>
    %r = obs.force %p into %m : !obs.push<grid, 16 x i32> into memref<16xi32> -> !obs.pull<16 x i32>
  }
  return
}

// Neighbours in pairs, of an array of run-time length, exchanged.
func.func @exchange_in_place(%m: memref<?xi32>, %pairs: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = obs.view %m : memref<?xi32>
  %p = obs.fill [%n] par (%t) in (%pairs) {
    %i = arith.muli %t, %c2 : index
    %j = arith.addi %i, %c1 : index
    %x = obs.get %v[%i] : !obs.pull<? x i32>
    %y = obs.get %v[%j] : !obs.pull<? x i32>
    obs.write %y at [%i] : i32
    obs.write %x at [%j] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p into %m : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  return
}
