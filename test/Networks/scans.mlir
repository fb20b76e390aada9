// RUN: %python %S/check.py obs-run %s sklansky1 scan256 0 257
// RUN: %python %S/check.py obs-run %s sklansky2 scan256 256
// RUN: %python %S/check.py obs-run %s sklansky3 scan256 257
// RUN: %python %S/check.py obs-run %s kogge_stone1 scan256 513
// RUN: %python %S/check.py obs-run %s kogge_stone2 scan256 257
// RUN: %python %S/check.py obs-run %s brent_kung scan256 300
// RUN: %python %S/check.py obs-run %s chained scan 768

// Scans of chunks of 256 by hand-written networks. The elements are functions
// x -> a x + b, as pairs (a, b); the operator is composition, the left one first,
// which does not commute. Sklansky's network in three forms and that of Kogge and
// Stone in two are from the repository of Obsidian (rows R13 to R18 of its
// examples), Brent's and Kung's from their paper, since Obsidian's had no body.

!array = !obs.pull<? x i32, i32>
!chunk = !obs.pull<256 x i32, i32>
!chunks = !obs.pull<? x !obs.pull<256 x i32, i32>>
!column = !obs.push<block, 256 x i32, i32>

// The right half of each run of 2^(k+1) is composed with the last of the left half.
func.func private @sklansky_pull(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %half = arith.shli %c1, %k : index
  %rest = arith.subi %half, %c1 : index
  %g = obs.generate (%i) {
    %run = arith.shrui %i, %k : index
    %odd = arith.ori %run, %c1 : index
    %even = arith.subi %odd, %c1 : index
    %start = arith.shli %even, %k : index
    %j = arith.addi %start, %rest : index
    %lf, %ls = obs.get %x[%j] : !chunk
    %rf, %rs = obs.get %x[%i] : !chunk
    %f = arith.muli %lf, %rf : i32
    %m = arith.muli %ls, %rf : i32
    %b = arith.addi %m, %rs : i32
    %side = arith.andi %run, %c1 : index
    %keep = arith.cmpi eq, %side, %c0 : index
    %u = arith.select %keep, %rf, %f : i32
    %v = arith.select %keep, %rs, %b : i32
    obs.yield %u, %v : i32, i32
  } : !chunk
  %p = obs.push %g : !chunk -> !column
  %r = obs.force %p : !column -> !chunk
  return %r : !chunk
}

// Iteration t keeps an element of a left half and composes one of the right half.
func.func private @sklansky_push(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %p = obs.fill par (%t) in (%c128) {
    %i = obs.bit.insert_zero %t, %k : index
    %j = obs.bit.flip %i, %k : index
    %run = arith.shrui %j, %k : index
    %start = arith.shli %run, %k : index
    %last = arith.subi %start, %c1 : index
    %kf, %ks = obs.get %x[%i] : !chunk
    %lf, %ls = obs.get %x[%last] : !chunk
    %rf, %rs = obs.get %x[%j] : !chunk
    %f = arith.muli %lf, %rf : i32
    %m = arith.muli %ls, %rf : i32
    %b = arith.addi %m, %rs : i32
    obs.write %kf, %ks at [%i] : i32, i32
    obs.write %f, %b at [%j] : i32, i32
  } : !column
  %r = obs.force %p : !column -> !chunk
  return %r : !chunk
}

// Each element is composed with the one 2^k to the left, if there is one.
func.func private @kogge_stone_pull(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %distance = arith.shli %c1, %k : index
  %g = obs.generate (%i) {
    %rf, %rs = obs.get %x[%i] : !chunk
    %has = arith.cmpi uge, %i, %distance : index
    %u, %v = scf.if %has -> (i32, i32) {
      %j = arith.subi %i, %distance : index
      %lf, %ls = obs.get %x[%j] : !chunk
      %f = arith.muli %lf, %rf : i32
      %m = arith.muli %ls, %rf : i32
      %b = arith.addi %m, %rs : i32
      scf.yield %f, %b : i32, i32
    } else {
      scf.yield %rf, %rs : i32, i32
    }
    obs.yield %u, %v : i32, i32
  } : !chunk
  %p = obs.push %g : !chunk -> !column
  %r = obs.force %p : !column -> !chunk
  return %r : !chunk
}

// Two loops: the elements that stay, then those that are composed. No select.
func.func private @kogge_stone_push(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %distance = arith.shli %c1, %k : index
  %count = arith.subi %c256, %distance : index
  %p = obs.fill {
    obs.par (%t) in (%distance) {
      %kf, %ks = obs.get %x[%t] : !chunk
      obs.write %kf, %ks at [%t] : i32, i32
    }
    obs.par (%t) in (%count) {
      %i = arith.addi %t, %distance : index
      %lf, %ls = obs.get %x[%t] : !chunk
      %rf, %rs = obs.get %x[%i] : !chunk
      %f = arith.muli %lf, %rf : i32
      %m = arith.muli %ls, %rf : i32
      %b = arith.addi %m, %rs : i32
      obs.write %f, %b at [%i] : i32, i32
    }
  } : !column
  %r = obs.force %p : !column -> !chunk
  return %r : !chunk
}

// The last of each run of 2^(k+1) becomes the composition of the run.
func.func private @up(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %half = arith.shli %c1, %k : index
  %length = arith.addi %half, %half : index
  %count = arith.divui %c256, %length : index
  %p = obs.fill onto %x : !chunk par (%t) in (%count) {
    %next = arith.addi %t, %c1 : index
    %end = arith.muli %next, %length : index
    %last = arith.subi %end, %c1 : index
    %middle = arith.subi %last, %half : index
    %lf, %ls = obs.get %x[%middle] : !chunk
    %rf, %rs = obs.get %x[%last] : !chunk
    %f = arith.muli %lf, %rf : i32
    %m = arith.muli %ls, %rf : i32
    %b = arith.addi %m, %rs : i32
    obs.write %f, %b at [%last] : i32, i32
  } : !column
  %r = obs.force %p : !column -> !chunk
  return %r : !chunk
}

// The middle of each run but the first is composed with what ends before the run.
func.func private @down(%x: !chunk, %k: index) -> !chunk attributes {obs.level = #obs.level<block>} {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %half = arith.shli %c1, %k : index
  %length = arith.addi %half, %half : index
  %runs = arith.divui %c256, %length : index
  %count = arith.subi %runs, %c1 : index
  %p = obs.fill onto %x : !chunk par (%t) in (%count) {
    %next = arith.addi %t, %c1 : index
    %end = arith.muli %next, %length : index
    %last = arith.subi %end, %c1 : index
    %middle = arith.addi %last, %half : index
    %lf, %ls = obs.get %x[%last] : !chunk
    %rf, %rs = obs.get %x[%middle] : !chunk
    %f = arith.muli %lf, %rf : i32
    %m = arith.muli %ls, %rf : i32
    %b = arith.addi %m, %rs : i32
    obs.write %f, %b at [%middle] : i32, i32
  } : !column
  %r = obs.force %p : !column -> !chunk
  return %r : !chunk
}

func.func @sklansky1(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [256] pad %one, %zero : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !obs.push<grid, ? x 256 x i32, i32> {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c) -> !chunk {
      %y = func.call @sklansky_pull(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 256 x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %flat {kernel = "sklansky1", threads = 128 : i64} : !obs.push<grid, ? x i32, i32> -> !array
  return %r : !array
}

func.func @sklansky2(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [256] pad %one, %zero : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !obs.push<grid, ? x 256 x i32, i32> {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c) -> !chunk {
      %y = func.call @sklansky_push(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 256 x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %flat {kernel = "sklansky2", threads = 128 : i64} : !obs.push<grid, ? x i32, i32> -> !array
  return %r : !array
}

func.func @sklansky3(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [256] pad %one, %zero : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !obs.push<grid, ? x 256 x i32, i32> {
    %load = obs.push %c : !chunk -> !column
    %loaded = obs.force %load : !column -> !chunk
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %loaded) -> !chunk {
      %y = func.call @sklansky_push(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 256 x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %flat {kernel = "sklansky3", threads = 128 : i64} : !obs.push<grid, ? x i32, i32> -> !array
  return %r : !array
}

func.func @kogge_stone1(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [256] pad %one, %zero : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !obs.push<grid, ? x 256 x i32, i32> {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c) -> !chunk {
      %y = func.call @kogge_stone_pull(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 256 x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %flat {kernel = "kogge_stone1", threads = 128 : i64} : !obs.push<grid, ? x i32, i32> -> !array
  return %r : !array
}

func.func @kogge_stone2(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [256] pad %one, %zero : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !obs.push<grid, ? x 256 x i32, i32> {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c) -> !chunk {
      %y = func.call @kogge_stone_push(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 256 x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %flat {kernel = "kogge_stone2", threads = 128 : i64} : !obs.push<grid, ? x i32, i32> -> !array
  return %r : !array
}

func.func @brent_kung(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [256] pad %one, %zero : !array -> !chunks
  %parts = obs.distribute block (%c = %chunks : !chunks) -> !obs.push<grid, ? x 256 x i32, i32> {
    %tree = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c) -> !chunk {
      %y = func.call @up(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %c7 = arith.constant 7 : index
    %c6 = arith.constant 6 : index
    %s = scf.for %m = %c0 to %c7 step %c1 iter_args(%x = %tree) -> !chunk {
      %k = arith.subi %c6, %m : index
      %y = func.call @down(%x, %k) : (!chunk, index) -> !chunk
      scf.yield %y : !chunk
    }
    %q = obs.push %s : !chunk -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 256 x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %flat {kernel = "brent_kung", threads = 128 : i64} : !obs.push<grid, ? x i32, i32> -> !array
  return %r : !array
}

// One block takes chunk after chunk; the composition of all before is carried.
// The length is a multiple of 256.
func.func @chained(%a: !array) -> !array {
  %n = obs.dim %a, 0 : !array
  %chunks = obs.split %a by [256] : !array -> !chunks
  %count = obs.dim %chunks, 0 : !chunks
  %p = obs.fill [%n] {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    obs.par block (%only) in (%c1) {
      %identity = obs.splat %one, %zero : !obs.pull<1 x i32, i32>
      %end = scf.for %i = %c0 to %count step %c1 iter_args(%carry = %identity) -> !obs.pull<1 x i32, i32> {
        %c = obs.get %chunks[%i] : !chunks
        %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c) -> !chunk {
          %y = func.call @sklansky_push(%x, %k) : (!chunk, index) -> !chunk
          scf.yield %y : !chunk
        }
        %all = obs.generate (%j) {
          %lf, %ls = obs.get %carry[%c0] : !obs.pull<1 x i32, i32>
          %rf, %rs = obs.get %s[%j] : !chunk
          %f = arith.muli %lf, %rf : i32
          %m = arith.muli %ls, %rf : i32
          %b = arith.addi %m, %rs : i32
          obs.yield %f, %b : i32, i32
        } : !chunk
        %q = obs.push %all : !chunk -> !column
        %offset = arith.muli %i, %c256 : index
        obs.put %q at [%offset] : !column
        %last = obs.slice %all [255] [1] [1] : !chunk -> !obs.pull<1 x i32, i32>
        %l = obs.push %last : !obs.pull<1 x i32, i32> -> !obs.push<block, 1 x i32, i32>
        %next = obs.force %l : !obs.push<block, 1 x i32, i32> -> !obs.pull<1 x i32, i32>
        scf.yield %next : !obs.pull<1 x i32, i32>
      }
    }
  } : !obs.push<grid, ? x i32, i32>
  %r = obs.force %p {kernel = "chained", threads = 128 : i64} : !obs.push<grid, ? x i32, i32> -> !array
  return %r : !array
}
