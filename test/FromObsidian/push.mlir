// RUN: %python %S/check.py obs-run %s

// The push operations of Obsidian. docs/FromObsidian.md quotes these functions;
// check.py compares each with Python on arrays of several lengths.

!v = !obs.pull<? x i32>
!out = !obs.push<grid, ? x i32>

// mkPush n filler: a program that writes. Each iteration writes two elements.
func.func @mk_push(%n: index) -> !v {
  %one = arith.constant 1 : index
  %m = arith.addi %n, %n : index
  %p = obs.fill [%m] par (%t) in (%n) {
    %x = arith.index_cast %t : index to i32
    %i = arith.addi %t, %t : index
    %j = arith.addi %i, %one : index
    obs.write %x at [%i] : i32
    obs.write %x at [%j] : i32
  } : !out
  %r = obs.force %p : !out -> !v
  return %r : !v
}

// push: the loop of a level over a pull array; here of the whole grid.
func.func @push(%a: !v) -> !v {
  %p = obs.push %a : !v -> !out
  %r = obs.force %p : !out -> !v
  return %r : !v
}

// pushThread, pushWarp, pushBlock: the same in a region of that level.
func.func @push_block(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %chunks = obs.split %a by [32] : !obs.pull<96 x i32> -> !obs.pull<3 x !obs.pull<32 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<3 x !obs.pull<32 x i32>>) -> !obs.push<grid, 3 x 32 x i32> {
    %p = obs.push %c : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
    obs.yield %p : !obs.push<block, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 3 x 32 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %flat : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}

// push <: writer: `put` runs a push array with the writer of the fill around it.
func.func @push_app(%a: !v, %x: i32) -> !v {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !v
  %m = arith.addi %n, %c1 : index
  %p = obs.push %a : !v -> !out
  %q = obs.fill [%m] {
    obs.put %p at [%c1] : !out
    obs.par (%t) in (%c1) {
      obs.write %x at [%c0] : i32
    }
  } : !out
  %r = obs.force %q : !out -> !v
  return %r : !v
}

// fmap on a push array changes the written values. Other arrays are read at the index of the
// write.
func.func @fmap_push(%a: !v, %b: !v) -> !v {
  %p = obs.push %a : !v -> !out
  %q = obs.map (%x = %p : !out, %y = %b : !v) -> !out {
    %d = arith.subi %x, %y : i32
    obs.yield %d : i32
  }
  %r = obs.force %q : !out -> !v
  return %r : !v
}

// ixMap f on a push array writes at f i: out[i + 1 mod 8] = in[i]. Compare gather_next.
func.func @scatter_next(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %q = obs.reindex (%i) = %p {
    %j = arith.addi %i, %c1 : index
    %k = arith.andi %j, %c7 : index
    obs.yield %k : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// append, concP: one program after the other, without a select.
func.func @append_push(%a: !v, %b: !v) -> !v {
  %p = obs.push %a : !v -> !out
  %q = obs.push %b : !v -> !out
  %s = obs.concat %p, %q : !out, !out -> !out
  %r = obs.force %s : !out -> !v
  return %r : !v
}

// unpairP: one thread writes both elements of a pair, in one pass.
func.func @unpair_push(%pairs: !obs.pull<? x i32, i32>) -> !v {
  %c1 = arith.constant 1 : index
  %n = obs.dim %pairs, 0 : !obs.pull<? x i32, i32>
  %m = arith.shli %n, %c1 : index
  %p = obs.fill [%m] par (%t) in (%n) {
    %x, %y = obs.get %pairs[%t] : !obs.pull<? x i32, i32>
    %i = arith.shli %t, %c1 : index
    %j = arith.ori %i, %c1 : index
    obs.write %x at [%i] : i32
    obs.write %y at [%j] : i32
  } : !out
  %r = obs.force %p : !out -> !v
  return %r : !v
}

// zipP, shuffle: two programs, each writes every second element.
func.func @zip_push(%a: !v, %b: !v) -> !v {
  %p = obs.push %a : !v -> !out
  %q = obs.push %b : !v -> !out
  %s = obs.interleave %p, %q : !out, !out -> !out
  %r = obs.force %s : !out -> !v
  return %r : !v
}

// iota and replicate as push arrays, at level grid, too.
func.func @iota_push(%n: index, %x: i32) -> (!v, !v) {
  %i = obs.iota [%n] : !v
  %e = obs.splat %x [%n] : !v
  %p = obs.push %i : !v -> !out
  %q = obs.push %e : !v -> !out
  %r:2 = obs.force %p, %q : !out, !out -> (!v, !v)
  return %r#0, %r#1 : !v, !v
}

func.func @reverse_push(%a: !v) -> !v {
  %p = obs.push %a : !v -> !out
  %q = obs.reverse %p : !out
  %r = obs.force %q : !out -> !v
  return %r : !v
}

// load 4, store 4, pushN: n/4 iterations of 4 elements each. Neighbouring iterations have
// neighbouring elements. If 4 does not divide n, the last elements are guarded.
func.func @load4(%a: !v) -> !v {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = obs.dim %a, 0 : !v
  %workers = arith.ceildivui %n, %c4 : index
  %p = obs.fill [%n] par (%t) in (%workers) {
    scf.for %j = %c0 to %c4 step %c1 {
      %o = arith.muli %j, %workers : index
      %i = arith.addi %t, %o : index
      %is_in = arith.cmpi ult, %i, %n : index
      scf.if %is_in {
        %x = obs.get %a[%i] : !v
        obs.write %x at [%i] : i32
      }
    }
  } : !out
  %r = obs.force %p : !out -> !v
  return %r : !v
}

// The same with arrays: a sub-program of level thread for each strided chunk.
func.func @load4_arrays(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %chunks = obs.split %a strided by [4] pad %zero : !v -> !obs.pull<? x !obs.pull<4 x i32>>
  %parts = obs.distribute thread (%c = %chunks : !obs.pull<? x !obs.pull<4 x i32>>) -> !obs.push<grid, ? x 4 x i32> {
    %p = obs.push %c : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32>
    obs.yield %p : !obs.push<thread, 4 x i32>
  }
  %flat = obs.join %parts strided to [%n] : !obs.push<grid, ? x 4 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// pushF: one thread for each array of an array of arrays; adjacent targets.
func.func @push_f(%a: !v, %b: !v, %c: !v) -> !v {
  %all = obs.zip %a, %b, %c : !v, !v, !v
  %parts = obs.distribute thread (%x, %y, %z = %all : !obs.pull<? x i32, i32, i32>) -> !obs.push<grid, ? x 3 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %p = obs.fill {
      obs.write %x at [%c0] : i32
      obs.write %y at [%c1] : i32
      obs.write %z at [%c2] : i32
    } : !obs.push<thread, 3 x i32>
    obs.yield %p : !obs.push<thread, 3 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 3 x i32> -> !out
  %r = obs.force %flat : !out -> !v
  return %r : !v
}

// mapPermSeq f inIx outIx: each thread gathers two elements, sorts them, scatters.
func.func @map_perm_seq(%a: !obs.pull<16 x i32>) -> !obs.pull<16 x i32> {
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %p = obs.fill par (%t) in (%c8) {
    %i = obs.bit.insert_zero %t, %c2 : index
    %j = obs.bit.flip_low %i, %c2 : index
    %x = obs.get %a[%i] : !obs.pull<16 x i32>
    %y = obs.get %a[%j] : !obs.pull<16 x i32>
    %low = arith.minsi %x, %y : i32
    %high = arith.maxsi %x, %y : i32
    obs.write %low at [%i] : i32
    obs.write %high at [%j] : i32
  } : !obs.push<grid, 16 x i32>
  %r = obs.force %p : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// pushBy, toGlobalBy: indices from a table. The author promises that they are a permutation.
func.func @push_by(%a: !v, %places: !obs.pull<? x index>) -> !v {
  %n = obs.dim %a, 0 : !v
  %p = obs.push %a : !v -> !out
  %q = obs.reindex (%i) = %p [%n] unchecked {
    %j = obs.get %places[%i] : !obs.pull<? x index>
    obs.yield %j : index
  } : !out -> !out
  %r = obs.force %q : !out -> !v
  return %r : !v
}

// mergeL f: a function of the position and of both elements.
func.func @merge_l(%a: !v, %b: !v) -> !v {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %n = obs.dim %a, 0 : !v
  %i = obs.iota [%n] : !v
  %r = obs.map (%t = %i : !v, %x = %a : !v, %y = %b : !v) -> !v {
    %bit = arith.andi %t, %c1 : i32
    %even = arith.cmpi eq, %bit, %c0 : i32
    %z = arith.select %even, %x, %y : i32
    obs.yield %z : i32
  }
  return %r : !v
}

// iv, ivMerge, ilvPermute, ilvPush: the gather half and the scatter half of a column,
// each a permutation of the bits of the index. Rotations of 3 bits by 1 and by 2 cancel out.
func.func @ilv_halves(%a: !obs.pull<8 x i32>) -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %gathered = obs.reindex (%i) = %a {
    %j = obs.bit.rotate %i, %c1, %c3 : index
    obs.yield %j : index
  } : !obs.pull<8 x i32> -> !obs.pull<8 x i32>
  %p = obs.push %gathered : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %q = obs.reindex (%i) = %p {
    %j = obs.bit.rotate %i, %c1, %c3 : index
    obs.yield %j : index
  } : !obs.push<grid, 8 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %gathered, %r : !obs.pull<8 x i32>, !obs.pull<8 x i32>
}

// singletonPush p, execBlock' p: a program for one value, which one thread of the block writes.
func.func @singleton_push(%a: !obs.pull<96 x i32>) -> !obs.pull<3 x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [32] : !obs.pull<96 x i32> -> !obs.pull<3 x !obs.pull<32 x i32>>
  %sums = obs.distribute block (%c = %chunks : !obs.pull<3 x !obs.pull<32 x i32>>) -> !obs.push<grid, 3 x 1 x i32> {
    %s = obs.reduce (%x, %y) = %c init %zero : !obs.pull<32 x i32> -> i32 {
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }
    %one = obs.splat %s : !obs.pull<1 x i32>
    %p = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, 3 x 1 x i32> -> !obs.push<grid, 3 x i32>
  %r = obs.force %flat : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  return %r : !obs.pull<3 x i32>
}

// runPush, exec, pJoin: programs that force before they return an array. Here these
// are fills that force before they write.
func.func @run_push(%a: !obs.pull<96 x i32>) -> !obs.pull<96 x i32> {
  %chunks = obs.split %a by [32] : !obs.pull<96 x i32> -> !obs.pull<3 x !obs.pull<32 x i32>>
  %parts = obs.distribute block (%c = %chunks : !obs.pull<3 x !obs.pull<32 x i32>>) -> !obs.push<grid, 3 x 32 x i32> {
    %c0 = arith.constant 0 : index
    %p = obs.fill {
      %q = obs.push %c : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
      %stored = obs.force %q : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
      %back = obs.reverse %stored : !obs.pull<32 x i32>
      %s = obs.push %back : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
      obs.put %s at [%c0] : !obs.push<block, 32 x i32>
    } : !obs.push<block, 32 x i32>
    obs.yield %p : !obs.push<block, 32 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, 3 x 32 x i32> -> !obs.push<grid, 96 x i32>
  %r = obs.force %flat : !obs.push<grid, 96 x i32> -> !obs.pull<96 x i32>
  return %r : !obs.pull<96 x i32>
}
