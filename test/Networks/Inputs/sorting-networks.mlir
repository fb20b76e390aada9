// The sorting networks of Claessen, Sheeran and Svensson ("Expressive array
// constructs in an embedded GPU kernel programming language", DAMP 2012) as
// programs with loops over stages, for chunks of 2^k elements, 2^k <= 4096.
//
// A column of comparators, each between i and the element whose index differs in
//   ilv b:      bit b,
//   vee b:      bits 0 to b,
//   ilvVee b j: bits b to b + j.
// Form 1 is a pull array: one iteration for each element, and a select. Form 2 is
// a push array: one for each comparator, and no select.

!array = !obs.pull<? x i32>
!chunk = !obs.pull<? x i32 bound [4096]>
!chunks = !obs.pull<? x !obs.pull<? x i32 bound [4096]>>
!column = !obs.push<block, ? x i32 bound [4096]>
!parts = !obs.push<grid, ? x ? x i32 bound [?, 4096]>
!result = !obs.push<grid, ? x i32>

func.func private @ilv1(%x: !chunk, %b: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !chunk
  %a = obs.generate (%i) [%n] {
    %j = obs.bit.flip %i, %b : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %shifted = arith.shrui %i, %b : index
    %side = arith.andi %shifted, %c1 : index
    %low = arith.cmpi eq, %side, %c0 : index
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %a : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @vee1(%x: !chunk, %b: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !chunk
  %a = obs.generate (%i) [%n] {
    %j = obs.bit.flip_low %i, %b : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %shifted = arith.shrui %i, %b : index
    %side = arith.andi %shifted, %c1 : index
    %low = arith.cmpi eq, %side, %c0 : index
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %a : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @ilvVee1(%x: !chunk, %b: index, %d: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !chunk
  %top = arith.addi %b, %d : index
  %c2 = arith.constant 2 : index
  %high = arith.shli %c2, %top : index
  %lowest = arith.shli %c1, %b : index
  %mask = arith.subi %high, %lowest : index
  %a = obs.generate (%i) [%n] {
    %j = arith.xori %i, %mask : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %shifted = arith.shrui %i, %top : index
    %side = arith.andi %shifted, %c1 : index
    %low = arith.cmpi eq, %side, %c0 : index
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !chunk
  %p = obs.push %a : !chunk -> !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @ilv2(%x: !chunk, %b: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !chunk
  %half = arith.shrui %n, %c1 : index
  %p = obs.fill [%n] par (%t) in (%half) {
    %i = obs.bit.insert_zero %t, %b : index
    %j = obs.bit.flip %i, %b : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @vee2(%x: !chunk, %b: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !chunk
  %half = arith.shrui %n, %c1 : index
  %p = obs.fill [%n] par (%t) in (%half) {
    %i = obs.bit.insert_zero %t, %b : index
    %j = obs.bit.flip_low %i, %b : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

func.func private @ilvVee2(%x: !chunk, %b: index, %d: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !chunk
  %top = arith.addi %b, %d : index
  %c2 = arith.constant 2 : index
  %high = arith.shli %c2, %top : index
  %lowest = arith.shli %c1, %b : index
  %mask = arith.subi %high, %lowest : index
  %half = arith.shrui %n, %c1 : index
  %p = obs.fill [%n] par (%t) in (%half) {
    %i = obs.bit.insert_zero %t, %top : index
    %j = arith.xori %i, %mask : index
    %u = obs.get %x[%i] : !chunk
    %v = obs.get %x[%j] : !chunk
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    obs.write %min at [%i] : i32
    obs.write %max at [%j] : i32
  } : !column
  %f = obs.force %p : !column -> !chunk
  return %f : !chunk
}

// Merges a bitonic sequence: ilv k-1, ..., ilv 0.
func.func @bmerge1(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %q = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %b = arith.subi %last, %q : index
      %y = func.call @ilv1(%x, %b) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "bmerge1"} : !result -> !array
  return %r : !array
}

// Merges two ascending halves: vee k-1, ilv k-2, ..., ilv 0.
func.func @tmerge1(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %first = func.call @vee1(%c, %last) : (!chunk, index) -> !chunk
    %s = scf.for %q = %c1 to %k step %c1 iter_args(%x = %first) -> !chunk {
      %b = arith.subi %last, %q : index
      %y = func.call @ilv1(%x, %b) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "tmerge1"} : !result -> !array
  return %r : !array
}

// Merges two interleaved ascending sequences: vee k-1, ..., vee 0.
func.func @bpmerge1(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %q = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %b = arith.subi %last, %q : index
      %y = func.call @vee1(%x, %b) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "bpmerge1"} : !result -> !array
  return %r : !array
}

// Sorts: tmerge 1, ..., tmerge k, each on runs of twice the length.
func.func @tsort1(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %top = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %first = func.call @vee1(%x, %top) : (!chunk, index) -> !chunk
      %merged = scf.for %q = %c0 to %top step %c1 iter_args(%y = %first) -> !chunk {
        %below = arith.subi %top, %c1 : index
        %b = arith.subi %below, %q : index
        %z = func.call @ilv1(%y, %b) : (!chunk, index) -> !chunk
        scf.yield %z : !chunk
      }
      scf.yield %merged : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "tsort1"} : !result -> !array
  return %r : !array
}

// Sorts: for i = 1 to k, for j = 1 to i: ilvVee (k-i) (i-j).
func.func @vsort1(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %q = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %b = arith.subi %last, %q : index
      %upper = arith.addi %q, %c1 : index
      %merged = scf.for %m = %c0 to %upper step %c1 iter_args(%y = %x) -> !chunk {
        %d = arith.subi %q, %m : index
        %z = func.call @ilvVee1(%y, %b, %d) : (!chunk, index, index) -> !chunk
        scf.yield %z : !chunk
      }
      scf.yield %merged : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "vsort1"} : !result -> !array
  return %r : !array
}

// Merges a bitonic sequence: ilv k-1, ..., ilv 0.
func.func @bmerge2(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %q = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %b = arith.subi %last, %q : index
      %y = func.call @ilv2(%x, %b) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "bmerge2"} : !result -> !array
  return %r : !array
}

// Merges two ascending halves: vee k-1, ilv k-2, ..., ilv 0.
func.func @tmerge2(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %first = func.call @vee2(%c, %last) : (!chunk, index) -> !chunk
    %s = scf.for %q = %c1 to %k step %c1 iter_args(%x = %first) -> !chunk {
      %b = arith.subi %last, %q : index
      %y = func.call @ilv2(%x, %b) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "tmerge2"} : !result -> !array
  return %r : !array
}

// Merges two interleaved ascending sequences: vee k-1, ..., vee 0.
func.func @bpmerge2(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %q = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %b = arith.subi %last, %q : index
      %y = func.call @vee2(%x, %b) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "bpmerge2"} : !result -> !array
  return %r : !array
}

// Sorts: tmerge 1, ..., tmerge k, each on runs of twice the length.
func.func @tsort2(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %top = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %first = func.call @vee2(%x, %top) : (!chunk, index) -> !chunk
      %merged = scf.for %q = %c0 to %top step %c1 iter_args(%y = %first) -> !chunk {
        %below = arith.subi %top, %c1 : index
        %b = arith.subi %below, %q : index
        %z = func.call @ilv2(%y, %b) : (!chunk, index) -> !chunk
        scf.yield %z : !chunk
      }
      scf.yield %merged : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "tsort2"} : !result -> !array
  return %r : !array
}

// Sorts: for i = 1 to k, for j = 1 to i: ilvVee (k-i) (i-j).
func.func @vsort(%k: index, %a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %k : index
  %last = arith.subi %k, %c1 : index
  %total = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [%n] : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !parts {
    %s = scf.for %q = %c0 to %k step %c1 iter_args(%x = %c) -> !chunk {
      %b = arith.subi %last, %q : index
      %upper = arith.addi %q, %c1 : index
      %merged = scf.for %m = %c0 to %upper step %c1 iter_args(%y = %x) -> !chunk {
        %d = arith.subi %q, %m : index
        %z = func.call @ilvVee2(%y, %b, %d) : (!chunk, index, index) -> !chunk
        scf.yield %z : !chunk
      }
      scf.yield %merged : !chunk
    }
    %whole = obs.take %s [%n] : !chunk -> !chunk
    %p = obs.push %whole : !chunk -> !column
    obs.yield %p : !column
  }
  %flat = obs.join %parts to [%total] : !parts -> !result
  %r = obs.force %flat {kernel = "vsort"} : !result -> !array
  return %r : !array
}
