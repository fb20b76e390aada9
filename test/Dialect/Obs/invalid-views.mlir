// Rule R8: a view denotes the contents of memory before a force into it.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @get_after(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %i: index) {
  %v = obs.view %m : memref<8xi32>
  // expected-note@+1 {{the force is here}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  // expected-error@+1 {{[R8-after] uses an array that reads memory which a force has overwritten; use the result of the force, or force a copy first}}
  %x = obs.get %v[%i] : !obs.pull<8 x i32>
  return
}

// -----

// Built before the force, but read after it.
func.func @derived(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>) -> !obs.pull<8 x i32> {
  %v = obs.view %m : memref<8xi32>
  %w = obs.reverse %v : !obs.pull<8 x i32>
  // expected-note@+1 {{the force is here}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  // expected-error@+1 {{[R8-after] uses an array that reads memory}}
  return %w : !obs.pull<8 x i32>
}

// -----

// The region of a generate reads when the generate is read.
func.func @captured(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %i: index) {
  %v = obs.view %m : memref<8xi32>
  %g = obs.generate (%k) {
    %x = obs.get %v[%k] : !obs.pull<8 x i32>
    obs.yield %x : i32
  } : !obs.pull<8 x i32>
  // expected-note@+1 {{the force is here}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  // expected-error@+1 {{[R8-after] uses an array that reads memory}}
  %y = obs.get %g[%i] : !obs.pull<8 x i32>
  return
}

// -----

// So does the region of a collective, where its result is forced.
func.func @captured_by_scan(%m: memref<8xi32>, %a: !obs.pull<8 x i32>, %p: !obs.push<grid, 8 x i32>, %z: i32, %i: index) -> !obs.pull<8 x i32> {
  %v = obs.view %m : memref<8xi32>
  %s = obs.scan grid inclusive (%x, %y) = %a init %z : !obs.pull<8 x i32> {
    %k = obs.get %v[%i] : !obs.pull<8 x i32>
    %t = arith.maxsi %x, %y : i32
    %u = arith.maxsi %t, %k : i32
    obs.yield %u : i32
  }
  // expected-note@+1 {{the force is here}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  // expected-error@+1 {{[R8-after] uses an array that reads memory}}
  %f = obs.force %s : !obs.push<grid, 8 x i32>
  return %f : !obs.pull<8 x i32>
}

// -----

// The memory is the same under another type.
func.func @cast(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %i: index) {
  %d = memref.cast %m : memref<8xi32> to memref<?xi32>
  %v = obs.view %d : memref<?xi32>
  // expected-note@+1 {{the force is here}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  // expected-error@+1 {{[R8-after] uses an array that reads memory}}
  %x = obs.get %v[%i] : !obs.pull<?  x i32>
  return
}

// -----

// The result of a force is a view of the memory that it wrote.
func.func @two_forces(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %q: !obs.push<grid, 8 x i32>, %i: index) {
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  // expected-note@+1 {{the force is here}}
  %s = obs.force %q into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  // expected-error@+1 {{[R8-after] uses an array that reads memory}}
  %x = obs.get %r[%i] : !obs.pull<8 x i32>
  return
}

// -----

// The next iteration reads what this one has overwritten.
func.func @loop(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.view %m : memref<8xi32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{[R8-after] uses an array that reads memory}}
    %x = obs.get %v[%i] : !obs.pull<8 x i32>
    // expected-note@+1 {{the force is here}}
    %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  }
  return
}

// -----

// After an if in which memory may have been overwritten.
func.func @branch(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %i: index, %c: i1) {
  %v = obs.view %m : memref<8xi32>
  scf.if %c {
    // expected-note@+1 {{the force is here}}
    %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  }
  // expected-error@+1 {{[R8-after] uses an array that reads memory}}
  %x = obs.get %v[%i] : !obs.pull<8 x i32>
  return
}

// -----

// Element i is read by the iteration that writes element 7 - i.
func.func @reverse_in_place(%m: memref<8xi32>) {
  %v = obs.view %m : memref<8xi32>
  %w = obs.reverse %v : !obs.pull<8 x i32>
  %p = obs.push %w : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes, and an element may be overwritten before it is read; force into other memory, or mark it {unchecked}}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return
}

// -----

// Elementwise in its operand, but the region reads a neighbour.
func.func @stencil_in_place(%m: memref<8xi32>, %k: index) {
  %v = obs.view %m : memref<8xi32>
  %w = obs.map (%x = %v : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %y = obs.get %v[%k] : !obs.pull<8 x i32>
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %p = obs.push %w : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return
}

// -----

// Each array alone is elementwise, but one may run before the other.
func.func @exchange_in_place(%m: memref<8xi32>, %n: memref<8xi32>) {
  %v = obs.view %m : memref<8xi32>
  %w = obs.view %n : memref<8xi32>
  %p = obs.push %v : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %q = obs.push %w : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r:2 = obs.force %p, %q into %n, %m : !obs.push<grid, 8 x i32>, !obs.push<grid, 8 x i32> into memref<8xi32>, memref<8xi32> -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>)
  return
}

// -----

// A loop that reads a neighbour of what it writes.
func.func @fill_in_place(%m: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %v = obs.view %m : memref<8xi32>
  %p = obs.fill onto %v : !obs.pull<8 x i32> par (%t) in (%c7) {
    %u = arith.addi %t, %c1 : index
    %x = obs.get %v[%u] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return
}

// -----

// The second loop may read what the first has written.
func.func @loops_in_place(%m: memref<8xi32>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %v = obs.view %m : memref<8xi32>
  %p = obs.fill {
    obs.par (%t) in (%c4) {
      obs.write %c0 at [%t] : i32
    }
    obs.par (%t) in (%c8) {
      %x = obs.get %v[%t] : !obs.pull<8 x i32>
      %high = arith.cmpi uge, %t, %c4 : index
      scf.if %high {
        obs.write %x at [%t] : i32
      }
    }
  } : !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return
}

// -----

// From the second iteration on, the array carried is the memory written.
func.func @reverse_in_loop(%m: memref<8xi32>, %o: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.view %o : memref<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> !obs.pull<8 x i32> {
    %b = obs.reverse %a : !obs.pull<8 x i32>
    %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    // expected-error@+1 {{[R8-inside] reads memory that it writes}}
    %f = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    scf.yield %f : !obs.pull<8 x i32>
  }
  return
}

// -----

// The array of the last iteration is overwritten before it is read.
func.func @previous_iteration(%m: memref<8xi32>, %o: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.view %o : memref<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> !obs.pull<8 x i32> {
    // expected-note@+1 {{the force is here}}
    %f = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    // expected-error@+1 {{[R8-after] uses an array that reads memory}}
    %x = obs.get %a[%i] : !obs.pull<8 x i32>
    obs.print "{}", %x : i32
    scf.yield %f : !obs.pull<8 x i32>
  }
  return
}

// -----

// A loop hands on the view that its body has made stale.
func.func @stale_yield(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = obs.view %m : memref<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> !obs.pull<8 x i32> {
    // expected-note@+1 {{the force is here}}
    %f = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    // expected-error@+1 {{[R8-after] uses an array that reads memory}}
    scf.yield %a : !obs.pull<8 x i32>
  }
  return
}

// -----

// The condition of the next iteration reads an array that the body overwrites.
func.func @while(%m: memref<8xi32>, %p: !obs.push<grid, 8 x i32>, %i: index) {
  %c0 = arith.constant 0 : i32
  %v = obs.view %m : memref<8xi32>
  scf.while : () -> () {
    // expected-error@+1 {{[R8-after] uses an array that reads memory}}
    %x = obs.get %v[%i] : !obs.pull<8 x i32>
    %c = arith.cmpi eq, %x, %c0 : i32
    scf.condition(%c)
  } do {
    // expected-note@+1 {{the force is here}}
    %f = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
    scf.yield
  }
  return
}

// -----

// An element is read by the iteration that writes it, but after that.
func.func @late_read_in_place(%m: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = obs.view %m : memref<16xi32>
  %p = obs.fill par (%t) in (%c8) {
    %i = obs.bit.insert_zero %t, %c0 : index
    %j = obs.bit.flip %i, %c0 : index
    %x = obs.get %v[%i] : !obs.pull<16 x i32>
    obs.write %x at [%j] : i32
    %y = obs.get %v[%j] : !obs.pull<16 x i32>
    obs.write %y at [%i] : i32
  } : !obs.push<grid, 16 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 16 x i32> into memref<16xi32> -> !obs.pull<16 x i32>
  return
}

// -----

// The pair of one iteration is not that of another, but its halves are.
func.func @overlap_in_place(%m: memref<16xi32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = obs.view %m : memref<16xi32>
  %p = obs.fill unchecked par (%t) in (%c8) {
    %j = arith.addi %t, %c1 : index
    %x = obs.get %v[%t] : !obs.pull<16 x i32>
    %y = obs.get %v[%j] : !obs.pull<16 x i32>
    obs.write %y at [%t] : i32
    obs.write %x at [%j] : i32
  } : !obs.push<grid, 16 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 16 x i32> into memref<16xi32> -> !obs.pull<16 x i32>
  return
}

// -----

// The threads of a block run side by side, so one may write what another one
// still has to read.
func.func @threads_in_place(%m: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %v = obs.view %m : memref<16xi32>
  %p = obs.fill unchecked {
    obs.par block (%b) in (%c2) {
      obs.par (%t) in (%c8) {
        %x = obs.get %v[%b] : !obs.pull<16 x i32>
        obs.write %x at [%b] : i32
      }
    }
  } : !obs.push<grid, 16 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 16 x i32> into memref<16xi32> -> !obs.pull<16 x i32>
  return
}

// -----

// The host writes the initial contents before the kernel reads.
func.func @init_in_place(%m: memref<8xi32>) {
  %c4 = arith.constant 4 : index
  %z = arith.constant -1 : i32
  %v = obs.view %m : memref<8xi32>
  %p = obs.fill init %z par (%t) in (%c4) {
    %x = obs.get %v[%t] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32>
  return
}

// -----

// The same for the contents of other memory.
func.func @onto_other_in_place(%m: memref<8xi32>, %w: !obs.pull<8 x i32>) {
  %c4 = arith.constant 4 : index
  %v = obs.view %m : memref<8xi32>
  %p = obs.fill onto %w : !obs.pull<8 x i32> par (%t) in (%c4) {
    %x = obs.get %v[%t] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32>
  return
}

// -----

// In the first iteration, the carried array is in other memory.
func.func @onto_carried_in_place(%m: memref<8xi32>, %o: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = obs.view %o : memref<8xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %v) -> !obs.pull<8 x i32> {
    %p = obs.fill onto %s : !obs.pull<8 x i32> par (%t) in (%c4) {
      %x = obs.get %s[%t] : !obs.pull<8 x i32>
      obs.write %x at [%t] : i32
    } : !obs.push<grid, 8 x i32>
    // expected-error@+1 {{[R8-inside] reads memory that it writes}}
    %f = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32>
    scf.yield %f : !obs.pull<8 x i32>
  }
  return
}

// -----

// The initial contents are not those of the memory, but in reverse order.
func.func @onto_reverse_in_place(%m: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %v = obs.view %m : memref<8xi32>
  %w = obs.reverse %v : !obs.pull<8 x i32>
  %p = obs.fill onto %w : !obs.pull<8 x i32> par (%t) in (%c1) {
    obs.write %z at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xi32>
  return
}

// -----

// Each component starts from the other one.
func.func @onto_exchange_in_place(%m: memref<8xi32>, %n: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %v = obs.view %m, %n : memref<8xi32>, memref<8xi32>
  %p = obs.fill onto %v : !obs.pull<8 x i32, i32> par (%t) in (%c1) {
    obs.write %z, %z at [%t] : i32, i32
  } : !obs.push<grid, 8 x i32, i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %p into %n, %m : !obs.push<grid, 8 x i32, i32> into memref<8xi32>, memref<8xi32>
  return
}

// -----

// The map changes the initial contents, too, and the loop reads them after that.
func.func @map_of_onto_in_place(%m: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %v = obs.view %m : memref<8xi32>
  %p = obs.fill onto %v : !obs.pull<8 x i32> par (%t) in (%c1) {
    %x = obs.get %v[%t] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 8 x i32>) {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %q into %m : !obs.push<grid, 8 x i32> into memref<8xi32>
  return
}

// -----

// The map reads the memory after its initial contents are written.
func.func @map_of_init_in_place(%m: memref<8xi32>) {
  %c4 = arith.constant 4 : index
  %z = arith.constant -1 : i32
  %v = obs.view %m : memref<8xi32>
  %p = obs.fill init %z par (%t) in (%c4) {
    obs.write %z at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  %q = obs.map { arith.addi } %p, %v : !obs.push<grid, 8 x i32>, !obs.pull<8 x i32>
  // expected-error@+1 {{[R8-inside] reads memory that it writes}}
  %r = obs.force %q into %m : !obs.push<grid, 8 x i32> into memref<8xi32>
  return
}
