// RUN: %python %S/check.py obs-run %s

// The pull operations of Obsidian. docs/FromObsidian.md quotes these functions;
// check.py compares each with Python on arrays of several lengths.

!v = !obs.pull<? x i32>

// mkPull n f, generate n f: element i is i * i.
func.func @squares(%n: index) -> !v {
  %r = obs.generate (%i) [%n] {
    %s = arith.muli %i, %i : index
    %x = arith.index_cast %s : index to i32
    obs.yield %x : i32
  } : !v
  return %r : !v
}

// arr ! k, len arr: the result is 0 if there is no such element.
func.func @access(%a: !v, %k: index) -> (i32, index) {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %is_in = arith.cmpi ult, %k, %n : index
  %x = scf.if %is_in -> i32 {
    %y = obs.get %a[%k] : !v
    scf.yield %y : i32
  } else {
    scf.yield %zero : i32
  }
  return %x, %n : i32, index
}

// namedGlobal: a parameter is an array, or memory and a view of it.
func.func @parameter(%m: memref<?xi32>) -> !v {
  %a = obs.view %m : memref<?xi32>
  return %a : !v
}

func.func @iota(%n: index) -> !v {
  %r = obs.iota [%n] : !v
  return %r : !v
}

func.func @replicate(%n: index, %x: i32) -> !v {
  %r = obs.splat %x [%n] : !v
  return %r : !v
}

func.func @singleton(%x: i32) -> !obs.pull<1 x i32> {
  %r = obs.splat %x : !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// fmap (*2) . fmap (+1): one loop, no array in between.
func.func @fmap(%a: !v) -> !v {
  %one = arith.constant 1 : i32
  %b = obs.map (%x = %a : !v) -> !v {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %r = obs.map (%x = %b : !v) -> !v {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  return %r : !v
}

// zipWith3 f a b c, all of one length.
func.func @zip_with3(%a: !v, %b: !v, %c: !v) -> !v {
  %r = obs.map (%x = %a : !v, %y = %b : !v, %z = %c : !v) -> !v {
    %p = arith.muli %x, %y : i32
    %s = arith.subi %p, %z : i32
    obs.yield %s : i32
  }
  return %r : !v
}

// zipWith f of arrays of any lengths: `take` cuts both to the shorter length.
func.func @zip_with(%a: !v, %b: !v) -> !v {
  %n = obs.dim %a, 0 : !v
  %m = obs.dim %b, 0 : !v
  %l = arith.minui %n, %m : index
  %s = obs.take %a [%l] : !v -> !v
  %t = obs.take %b [%l] : !v -> !v
  %r = obs.map (%x = %s : !v, %y = %t : !v) -> !v {
    %d = arith.subi %x, %y : i32
    obs.yield %d : i32
  }
  return %r : !v
}

// zip, then unzip with the parts exchanged.
func.func @zip_unzip(%a: !v, %b: !v) -> (!v, !v) {
  %p = obs.zip %a, %b : !v, !v
  %x, %y = obs.unzip %p : !obs.pull<? x i32, i32>
  return %y, %x : !v, !v
}

// ixMap f on a pull array reads element f i: out[i] = in[i + 1 mod 8].
func.func @gather_next(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = obs.reindex (%i) = %a {
    %j = arith.addi %i, %c1 : index
    %k = arith.andi %j, %c7 : index
    obs.yield %k : index
  } : !obs.pull<8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

func.func @reverse(%a: !v) -> !v {
  %r = obs.reverse %a : !v
  return %r : !v
}

func.func @split_at(%a: !v, %k: index) -> (!v, !v) {
  %n = obs.dim %a, 0 : !v
  %l = arith.minui %k, %n : index
  %m = arith.subi %n, %l : index
  %x = obs.take %a [%l] : !v -> !v
  %y = obs.slice %a [%l] [%m] [1] : !v -> !v
  return %x, %y : !v, !v
}

// halve since 2012: if the length is odd, the second half is longer.
func.func @halve(%a: !v) -> (!v, !v) {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !v
  %h = arith.shrui %n, %c1 : index
  %m = arith.subi %n, %h : index
  %x = obs.take %a [%h] : !v -> !v
  %y = obs.slice %a [%h] [%m] [1] : !v -> !v
  return %x, %y : !v, !v
}

// halve of the thesis: if the length is odd, the first half is longer.
func.func @halve_2008(%a: !v) -> (!v, !v) {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !v
  %h = arith.shrui %n, %c1 : index
  %m = arith.subi %n, %h : index
  %x = obs.take %a [%m] : !v -> !v
  %y = obs.slice %a [%m] [%h] [1] : !v -> !v
  return %x, %y : !v, !v
}

// evenOdds: if the length is odd, there is one more even element.
func.func @even_odds(%a: !v) -> (!v, !v) {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !v
  %h = arith.shrui %n, %c1 : index
  %m = arith.subi %n, %h : index
  %x = obs.slice %a [0] [%m] [2] : !v -> !v
  %y = obs.slice %a [1] [%h] [2] : !v -> !v
  return %x, %y : !v, !v
}

// everyNth k m: all elements m, m + k, ... that exist.
func.func @every_nth(%a: !v, %k: index, %m: index) -> !v {
  %n = obs.dim %a, 0 : !v
  %l = arith.minui %m, %n : index
  %rest = arith.subi %n, %l : index
  %count = arith.ceildivui %rest, %k : index
  %r = obs.slice %a [%l] [%count] [%k] : !v -> !v
  return %r : !v
}

// splitUp 4: the last chunk is padded with 0. The result is element 1 of each chunk.
func.func @split_up(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %chunks = obs.split %a by [4] pad %zero : !v -> !obs.pull<? x !obs.pull<4 x i32>>
  %r = obs.map (%c = %chunks : !obs.pull<? x !obs.pull<4 x i32>>) -> !v {
    %x = obs.get %c[%c1] : !obs.pull<4 x i32>
    obs.yield %x : i32
  }
  return %r : !v
}

// coalesce 4: element j of chunk i is i + chunks * j.
func.func @coalesce(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %chunks = obs.split %a strided by [4] pad %zero : !v -> !obs.pull<? x !obs.pull<4 x i32>>
  %r = obs.map (%c = %chunks : !obs.pull<? x !obs.pull<4 x i32>>) -> !v {
    %x = obs.get %c[%c1] : !obs.pull<4 x i32>
    obs.yield %x : i32
  }
  return %r : !v
}

// take k, drop k, of at least one element; head, tail, last.
func.func @parts(%a: !v, %k: index) -> (!v, !v, i32, !v, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !v
  %rest = arith.subi %n, %k : index
  %most = arith.subi %n, %c1 : index
  %take = obs.take %a [%k] : !v -> !v
  %drop = obs.slice %a [%k] [%rest] [1] : !v -> !v
  %head = obs.get %a[%c0] : !v
  %tail = obs.slice %a [1] [%most] [1] : !v -> !v
  %last = obs.get %a[%most] : !v
  return %take, %drop, %head, %tail, %last : !v, !v, i32, !v, i32
}

// setSize, resize: `take` makes an array shorter. A longer array needs new elements.
func.func @resize(%a: !v, %n: index, %fill: i32) -> !v {
  %m = obs.dim %a, 0 : !v
  %r = obs.generate (%i) [%n] {
    %is_in = arith.cmpi ult, %i, %m : index
    %x = scf.if %is_in -> i32 {
      %y = obs.get %a[%i] : !v
      scf.yield %y : i32
    } else {
      scf.yield %fill : i32
    }
    obs.yield %x : i32
  } : !v
  return %r : !v
}

// shiftRight k e: k copies of e in front, the length stays.
func.func @shift_right(%a: !v, %k: index, %e: i32) -> !v {
  %n = obs.dim %a, 0 : !v
  %front = obs.splat %e [%k] : !v
  %long = obs.concat %front, %a : !v, !v -> !v
  %r = obs.take %long [%n] : !v -> !v
  return %r : !v
}

func.func @append(%a: !v, %b: !v) -> !v {
  %r = obs.concat %a, %b : !v, !v -> !v
  return %r : !v
}

// pair: elements 2i and 2i + 1, here subtracted. The odd tail is paired with 0.
func.func @pair(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pairs = obs.split %a by [2] pad %zero : !v -> !obs.pull<? x !obs.pull<2 x i32>>
  %r = obs.map (%p = %pairs : !obs.pull<? x !obs.pull<2 x i32>>) -> !v {
    %x = obs.get %p[%c0] : !obs.pull<2 x i32>
    %y = obs.get %p[%c1] : !obs.pull<2 x i32>
    %d = arith.subi %x, %y : i32
    obs.yield %d : i32
  }
  return %r : !v
}

func.func @unpair(%pairs: !obs.pull<? x i32, i32>) -> !v {
  %x, %y = obs.unzip %pairs : !obs.pull<? x i32, i32>
  %r = obs.interleave %x, %y : !v, !v -> !v
  return %r : !v
}

// untriple: elements of any number of arrays alternate.
func.func @untriple(%a: !v, %b: !v, %c: !v) -> !v {
  %r = obs.interleave %a, %b, %c : !v, !v, !v -> !v
  return %r : !v
}

// fold1 f, and Foldable: a fold computes one element of an array.
func.func @fold1(%a: !obs.pull<8 x i32>) -> !obs.pull<1 x i32> {
  %c0 = arith.constant 0 : index
  %r = obs.generate (%i) {
    %first = obs.get %a[%c0] : !obs.pull<8 x i32>
    %rest = obs.slice %a [1] [7] [1] : !obs.pull<8 x i32> -> !obs.pull<7 x i32>
    %s = obs.reduce (%x, %y) = %rest init %first : !obs.pull<7 x i32> -> i32 {
      %m = arith.maxsi %x, %y : i32
      obs.yield %m : i32
    }
    obs.yield %s : i32
  } : !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// two f, and binSplit 1 f: f on both halves; here f is reverse.
func.func @two_reverse(%a: !v) -> !v {
  %lo, %hi = func.call @halve(%a) : (!v) -> (!v, !v)
  %x = obs.reverse %lo : !v
  %y = obs.reverse %hi : !v
  %r = obs.concat %x, %y : !v, !v -> !v
  return %r : !v
}

// unsafeBinSplit 2 f, twoK 2 f: f on each of four parts, as an array of arrays.
func.func @bin_split(%a: !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
  %parts = obs.split %a by [4] : !obs.pull<16 x i32> -> !obs.pull<4 x !obs.pull<4 x i32>>
  %f = obs.map (%p = %parts : !obs.pull<4 x !obs.pull<4 x i32>>) -> !obs.pull<4 x !obs.pull<4 x i32>> {
    %q = obs.reverse %p : !obs.pull<4 x i32>
    obs.yield %q : !obs.pull<4 x i32>
  }
  %r = obs.join %f : !obs.pull<4 x !obs.pull<4 x i32>> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// fromDyn n and toDyn: `take` converts a dynamic extent to a static one, and back.
func.func @from_to_dyn(%a: !v) -> (!obs.pull<4 x i32>, !v) {
  %n = obs.dim %a, 0 : !v
  %c4 = arith.constant 4 : index
  %s = obs.take %a [4] : !v -> !obs.pull<4 x i32>
  %d = obs.take %s [%c4] : !obs.pull<4 x i32> -> !v
  return %s, %d : !obs.pull<4 x i32>, !v
}

// chunk, chopN, nParts, restruct: arrays of arrays; flatten, unChop: back again.
func.func @chop(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %chunks = obs.split %a by [3] pad %zero : !v -> !obs.pull<? x !obs.pull<3 x i32>>
  %turned = obs.reverse %chunks : !obs.pull<? x !obs.pull<3 x i32>>
  %r = obs.join %turned : !obs.pull<? x !obs.pull<3 x i32>> -> !v
  return %r : !v
}

// logBaseI b x: a loop over scalars.
func.func @log_base(%b: i32, %x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rest, %r = scf.while (%y = %x, %k = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi uge, %y, %b : i32
    scf.condition(%more) %y, %k : i32, i32
  } do {
  ^bb0(%y: i32, %k: i32):
    %z = arith.divui %y, %b : i32
    %l = arith.addi %k, %one : i32
    scf.yield %z, %l : i32, i32
  }
  return %r : i32
}

func.func @transpose(%a: !obs.pull<? x 3 x i32>) -> !obs.pull<3 x ? x i32> {
  %r = obs.transpose %a [1, 0] : !obs.pull<? x 3 x i32>
  return %r : !obs.pull<3 x ? x i32>
}

// The same for an array of arrays, as in the matrix product of the repository.
func.func @transpose_nested(%a: !obs.pull<12 x i32>) -> !obs.pull<12 x i32> {
  %rows = obs.split %a by [3] : !obs.pull<12 x i32> -> !obs.pull<4 x !obs.pull<3 x i32>>
  %columns = obs.generate (%j) {
    %column = obs.map (%row = %rows : !obs.pull<4 x !obs.pull<3 x i32>>) -> !obs.pull<4 x i32> {
      %x = obs.get %row[%j] : !obs.pull<3 x i32>
      obs.yield %x : i32
    }
    obs.yield %column : !obs.pull<4 x i32>
  } : !obs.pull<3 x !obs.pull<4 x i32>>
  %r = obs.join %columns : !obs.pull<3 x !obs.pull<4 x i32>> -> !obs.pull<12 x i32>
  return %r : !obs.pull<12 x i32>
}

// swapBitBlocks, bitBlockXor, vperm: permutations of the bits of the index.
func.func @bit_permutations(%a: !obs.pull<16 x i32>) -> (!obs.pull<16 x i32>, !obs.pull<16 x i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %blocks = obs.reindex (%i) = %a {
    %j = obs.bit.rotate %i, %c2, %c4 : index
    obs.yield %j : index
  } : !obs.pull<16 x i32> -> !obs.pull<16 x i32>
  %xor = obs.reindex (%i) = %a {
    %high = arith.shrui %i, %c2 : index
    %j = arith.xori %i, %high : index
    %k = obs.bit.swap %j, %c0, %c1 : index
    obs.yield %k : index
  } : !obs.pull<16 x i32> -> !obs.pull<16 x i32>
  return %blocks, %xor : !obs.pull<16 x i32>, !obs.pull<16 x i32>
}
