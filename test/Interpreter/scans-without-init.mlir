// Inclusive scans without an initial value: a segment begins with its first element.

// RUN: obs-run %s --entry=grid iota:5xi32 | FileCheck %s --check-prefix=DIGITS
// RUN: obs-run %s --entry=grid --device=emulate --check --threads=17 --schedule=random --seed=1 iota:5xi32 | FileCheck %s --check-prefix=DIGITS
// RUN: obs-run %s --entry=grid iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=grid --device=emulate --check iota:0xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=levels iota:5xi32 | FileCheck %s --check-prefix=ROWS
// RUN: obs-run %s --entry=levels --device=emulate --check --threads=17 iota:5xi32 | FileCheck %s --check-prefix=ROWS
// RUN: obs-run %s --entry=levels --device=emulate --check --plain-collectives iota:5xi32 | FileCheck %s --check-prefix=ROWS
// RUN: obs-run %s --entry=segments iota:5xi32 | FileCheck %s --check-prefix=SEGMENTS
// RUN: obs-run %s --entry=segments --device=emulate --check --threads=17 iota:5xi32 | FileCheck %s --check-prefix=SEGMENTS
// RUN: obs-run %s --entry=rows_of_segments iota:5xi32 | FileCheck %s --check-prefix=ROWS-OF-SEGMENTS
// RUN: obs-run %s --entry=rows_of_segments --device=emulate --check --threads=17 iota:5xi32 | FileCheck %s --check-prefix=ROWS-OF-SEGMENTS

// The operator writes the digits 1 to 5 one after the other in decimal. An element is a number and the power of ten that its
// digits need.

// DIGITS-COUNT-2: {{^}}[1, 12, 123, 1234, 12345]{{$}}
// NONE-COUNT-2: {{^}}[]{{$}}
func.func @grid(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x i32>) {
  %digits = obs.map (%i = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    %digit = arith.addi %i, %one : i32
    obs.yield %digit, %ten : i32, i32
  }
  %p0 = obs.scan grid inclusive (%x, %r, %y, %s) = %digits : !obs.pull<? x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %p1 = obs.scan grid inclusive (%x, %r, %y, %s) = %digits {strategy = "three_kernels"} : !obs.pull<? x i32, i32> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %f:2 = obs.force %p0, %p1 : !obs.push<grid, ? x i32, i32>, !obs.push<grid, ? x i32, i32>
  %n0, %w0 = obs.unzip %f#0 : !obs.pull<? x i32, i32>
  %n1, %w1 = obs.unzip %f#1 : !obs.pull<? x i32, i32>
  return %n0, %n1 : !obs.pull<? x i32>, !obs.pull<? x i32>
}

// ROWS-COUNT-3: [1, 12, 123, 1234, 12345]
func.func @levels(%a: !obs.pull<? x i32>) -> (!obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>) {
  %digits = obs.map (%i = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    %digit = arith.addi %i, %one : i32
    obs.yield %digit, %ten : i32, i32
  }
  %rows = obs.iota : !obs.pull<1 x index>
  %thread = obs.distribute thread in grid (%row = %rows : !obs.pull<1 x index>) {
    %p = obs.scan thread inclusive (%x, %r, %y, %s) = %digits : !obs.pull<? x i32, i32> {
      %m = arith.muli %x, %s : i32
      %z = arith.addi %m, %y : i32
      %t = arith.muli %r, %s : i32
      obs.yield %z, %t : i32, i32
    }
    obs.yield %p : !obs.push<thread, ? x i32, i32>
  }
  %warp = obs.distribute warp in grid (%row = %rows : !obs.pull<1 x index>) {
    %p = obs.scan warp inclusive (%x, %r, %y, %s) = %digits : !obs.pull<? x i32, i32> {
      %m = arith.muli %x, %s : i32
      %z = arith.addi %m, %y : i32
      %t = arith.muli %r, %s : i32
      obs.yield %z, %t : i32, i32
    }
    obs.yield %p : !obs.push<warp, ? x i32, i32>
  }
  %block = obs.distribute block in grid (%row = %rows : !obs.pull<1 x index>) {
    %p = obs.scan block inclusive (%x, %r, %y, %s) = %digits : !obs.pull<? x i32, i32> {
      %m = arith.muli %x, %s : i32
      %z = arith.addi %m, %y : i32
      %t = arith.muli %r, %s : i32
      obs.yield %z, %t : i32, i32
    }
    obs.yield %p : !obs.push<block, ? x i32, i32>
  }
  %f:3 = obs.force %thread, %warp, %block : !obs.push<grid, 1 x ? x i32, i32>, !obs.push<grid, 1 x ? x i32, i32>, !obs.push<grid, 1 x ? x i32, i32>
  %n0, %w0 = obs.unzip %f#0 : !obs.pull<1 x ? x i32, i32>
  %n1, %w1 = obs.unzip %f#1 : !obs.pull<1 x ? x i32, i32>
  %n2, %w2 = obs.unzip %f#2 : !obs.pull<1 x ? x i32, i32>
  return %n0, %n1, %n2 : !obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>
}

// The segments are 1 2 and 3 4 5.
// SEGMENTS-COUNT-2: {{^}}[1, 12, 3, 34, 345]{{$}}
func.func @segments(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, !obs.pull<? x i32>) {
  %digits = obs.map (%i = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    %digit = arith.addi %i, %one : i32
    obs.yield %digit, %ten : i32, i32
  }
  %flags = obs.map (%i = %a : !obs.pull<? x i32>) -> !obs.pull<? x i1> {
    %two = arith.constant 2 : i32
    %is_first = arith.cmpi eq, %i, %two : i32
    obs.yield %is_first : i1
  }
  %offsets = obs.generate (%i) {
    %two = arith.constant 2 : index
    %five = arith.constant 5 : index
    %begin = arith.muli %i, %two : index
    %is_begin = arith.cmpi ult, %i, %two : index
    %offset = arith.select %is_begin, %begin, %five : index
    obs.yield %offset : index
  } : !obs.pull<3 x index>
  %p0 = obs.segmented_scan grid inclusive (%x, %r, %y, %s) = %digits flags %flags : !obs.pull<? x i32, i32>, !obs.pull<? x i1> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %p1 = obs.segmented_scan grid inclusive (%x, %r, %y, %s) = %digits offsets %offsets : !obs.pull<? x i32, i32>, !obs.pull<3 x index> {
    %m = arith.muli %x, %s : i32
    %z = arith.addi %m, %y : i32
    %t = arith.muli %r, %s : i32
    obs.yield %z, %t : i32, i32
  }
  %f:2 = obs.force %p0, %p1 : !obs.push<grid, ? x i32, i32>, !obs.push<grid, ? x i32, i32>
  %n0, %w0 = obs.unzip %f#0 : !obs.pull<? x i32, i32>
  %n1, %w1 = obs.unzip %f#1 : !obs.pull<? x i32, i32>
  return %n0, %n1 : !obs.pull<? x i32>, !obs.pull<? x i32>
}

// ROWS-OF-SEGMENTS-COUNT-3: [1, 12, 3, 34, 345]
func.func @rows_of_segments(%a: !obs.pull<? x i32>) -> (!obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>) {
  %digits = obs.map (%i = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    %digit = arith.addi %i, %one : i32
    obs.yield %digit, %ten : i32, i32
  }
  %flags = obs.map (%i = %a : !obs.pull<? x i32>) -> !obs.pull<? x i1> {
    %two = arith.constant 2 : i32
    %is_first = arith.cmpi eq, %i, %two : i32
    obs.yield %is_first : i1
  }
  %rows = obs.iota : !obs.pull<1 x index>
  %thread = obs.distribute thread in grid (%row = %rows : !obs.pull<1 x index>) {
    %p = obs.segmented_scan thread inclusive (%x, %r, %y, %s) = %digits flags %flags : !obs.pull<? x i32, i32>, !obs.pull<? x i1> {
      %m = arith.muli %x, %s : i32
      %z = arith.addi %m, %y : i32
      %t = arith.muli %r, %s : i32
      obs.yield %z, %t : i32, i32
    }
    obs.yield %p : !obs.push<thread, ? x i32, i32>
  }
  %warp = obs.distribute warp in grid (%row = %rows : !obs.pull<1 x index>) {
    %p = obs.segmented_scan warp inclusive (%x, %r, %y, %s) = %digits flags %flags : !obs.pull<? x i32, i32>, !obs.pull<? x i1> {
      %m = arith.muli %x, %s : i32
      %z = arith.addi %m, %y : i32
      %t = arith.muli %r, %s : i32
      obs.yield %z, %t : i32, i32
    }
    obs.yield %p : !obs.push<warp, ? x i32, i32>
  }
  %block = obs.distribute block in grid (%row = %rows : !obs.pull<1 x index>) {
    %p = obs.segmented_scan block inclusive (%x, %r, %y, %s) = %digits flags %flags : !obs.pull<? x i32, i32>, !obs.pull<? x i1> {
      %m = arith.muli %x, %s : i32
      %z = arith.addi %m, %y : i32
      %t = arith.muli %r, %s : i32
      obs.yield %z, %t : i32, i32
    }
    obs.yield %p : !obs.push<block, ? x i32, i32>
  }
  %f:3 = obs.force %thread, %warp, %block : !obs.push<grid, 1 x ? x i32, i32>, !obs.push<grid, 1 x ? x i32, i32>, !obs.push<grid, 1 x ? x i32, i32>
  %n0, %w0 = obs.unzip %f#0 : !obs.pull<1 x ? x i32, i32>
  %n1, %w1 = obs.unzip %f#1 : !obs.pull<1 x ? x i32, i32>
  %n2, %w2 = obs.unzip %f#2 : !obs.pull<1 x ? x i32, i32>
  return %n0, %n1, %n2 : !obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>, !obs.pull<1 x ? x i32>
}
