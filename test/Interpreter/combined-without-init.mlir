// Contract `reduce` without initial contents: the first value that is written to an element is the first combined one.

// RUN: obs-run %s --entry=integers | FileCheck %s --check-prefix=INTEGERS
// RUN: obs-run %s --entry=integers --device=emulate --check --threads=17 --schedule=random --seed=1 | FileCheck %s --check-prefix=INTEGERS
// RUN: obs-run %s --entry=floats | FileCheck %s --check-prefix=FLOATS
// RUN: obs-run %s --entry=floats --device=emulate --check | FileCheck %s --check-prefix=FLOATS
// RUN: obs-run %s --entry=zero | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=zero --device=emulate --check | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=of_blocks iota:6xi32 | FileCheck %s --check-prefix=BLOCKS
// RUN: obs-run %s --entry=of_blocks --device=emulate --check iota:6xi32 | FileCheck %s --check-prefix=BLOCKS
// RUN: obs-run %s --entry=by_function iota:7xi32 | FileCheck %s --check-prefix=FUNCTION
// RUN: obs-run %s --entry=by_function --device=emulate --check --threads=2 iota:7xi32 | FileCheck %s --check-prefix=FUNCTION
// RUN: obs-run %s --entry=scattered iota:7xi32 | FileCheck %s --check-prefix=SCATTERED
// RUN: obs-run %s --entry=scattered --device=emulate --check --threads=2 iota:7xi32 | FileCheck %s --check-prefix=SCATTERED

// Element i - 4, for i from 1 to 6, is written to element i mod 2: -2, 0 and 2 to the first one, -3, -1 and 1 to the second one.
// INTEGERS: {{^}}[0, -3]{{$}}
// INTEGERS-NEXT: {{^}}[0, 3]{{$}}
// INTEGERS-NEXT: {{^}}[0, 1]{{$}}
// INTEGERS-NEXT: {{^}}[-2, -1]{{$}}
// INTEGERS-NEXT: {{^}}[-4, 3]{{$}}
// INTEGERS-NEXT: {{^}}[-2, -3]{{$}}
// INTEGERS-NEXT: {{^}}[2, 1]{{$}}
// INTEGERS-NEXT: {{^}}[0, 1]{{$}}
// INTEGERS-NEXT: {{^}}[-2, -1]{{$}}
func.func @integers() -> (!obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %six = arith.constant 6 : index
  %addi = obs.fill reduce(addi) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %muli = obs.fill reduce(muli) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %andi = obs.fill reduce(andi) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %ori = obs.fill reduce(ori) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %xori = obs.fill reduce(xori) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %mins = obs.fill reduce(mins) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %maxs = obs.fill reduce(maxs) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %minu = obs.fill reduce(minu) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %maxu = obs.fill reduce(maxu) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %x = arith.index_cast %j : index to i32
    obs.write %x at [%at] : i32
  } : !obs.push<grid, 2 x i32>
  %addi_stored = obs.force %addi : !obs.push<grid, 2 x i32>
  %muli_stored = obs.force %muli : !obs.push<grid, 2 x i32>
  %andi_stored = obs.force %andi : !obs.push<grid, 2 x i32>
  %ori_stored = obs.force %ori : !obs.push<grid, 2 x i32>
  %xori_stored = obs.force %xori : !obs.push<grid, 2 x i32>
  %mins_stored = obs.force %mins : !obs.push<grid, 2 x i32>
  %maxs_stored = obs.force %maxs : !obs.push<grid, 2 x i32>
  %minu_stored = obs.force %minu : !obs.push<grid, 2 x i32>
  %maxu_stored = obs.force %maxu : !obs.push<grid, 2 x i32>
  return %addi_stored, %muli_stored, %andi_stored, %ori_stored, %xori_stored, %mins_stored, %maxs_stored, %minu_stored, %maxu_stored : !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>, !obs.pull<2 x i32>
}

// The same as floats.
// FLOATS: {{^}}[0.0, -3.0]{{$}}
// FLOATS-NEXT: {{^}}[-0.0, 3.0]{{$}}
// FLOATS-NEXT: {{^}}[-2.0, -3.0]{{$}}
// FLOATS-NEXT: {{^}}[2.0, 1.0]{{$}}
// FLOATS-NEXT: {{^}}[-2.0, -3.0]{{$}}
// FLOATS-NEXT: {{^}}[2.0, 1.0]{{$}}
func.func @floats() -> (!obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %six = arith.constant 6 : index
  %addf = obs.fill reduce(addf) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %k = arith.index_cast %j : index to i32
    %x = arith.sitofp %k : i32 to f32
    obs.write %x at [%at] : f32
  } : !obs.push<grid, 2 x f32>
  %mulf = obs.fill reduce(mulf) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %k = arith.index_cast %j : index to i32
    %x = arith.sitofp %k : i32 to f32
    obs.write %x at [%at] : f32
  } : !obs.push<grid, 2 x f32>
  %minimumf = obs.fill reduce(minimumf) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %k = arith.index_cast %j : index to i32
    %x = arith.sitofp %k : i32 to f32
    obs.write %x at [%at] : f32
  } : !obs.push<grid, 2 x f32>
  %maximumf = obs.fill reduce(maximumf) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %k = arith.index_cast %j : index to i32
    %x = arith.sitofp %k : i32 to f32
    obs.write %x at [%at] : f32
  } : !obs.push<grid, 2 x f32>
  %minnumf = obs.fill reduce(minnumf) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %k = arith.index_cast %j : index to i32
    %x = arith.sitofp %k : i32 to f32
    obs.write %x at [%at] : f32
  } : !obs.push<grid, 2 x f32>
  %maxnumf = obs.fill reduce(maxnumf) par (%t) in (%six) {
    %i = arith.addi %t, %one : index
    %at = arith.remui %i, %two : index
    %j = arith.subi %i, %four : index
    %k = arith.index_cast %j : index to i32
    %x = arith.sitofp %k : i32 to f32
    obs.write %x at [%at] : f32
  } : !obs.push<grid, 2 x f32>
  %addf_stored = obs.force %addf : !obs.push<grid, 2 x f32>
  %mulf_stored = obs.force %mulf : !obs.push<grid, 2 x f32>
  %minimumf_stored = obs.force %minimumf : !obs.push<grid, 2 x f32>
  %maximumf_stored = obs.force %maximumf : !obs.push<grid, 2 x f32>
  %minnumf_stored = obs.force %minnumf : !obs.push<grid, 2 x f32>
  %maxnumf_stored = obs.force %maxnumf : !obs.push<grid, 2 x f32>
  return %addf_stored, %mulf_stored, %minimumf_stored, %maximumf_stored, %minnumf_stored, %maxnumf_stored : !obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>, !obs.pull<2 x f32>
}

// The sum of one number is this number.
// ZERO: [-0.0]
func.func @zero() -> !obs.pull<1 x f32> {
  %one = arith.constant 1 : index
  %x = arith.constant -0.0 : f32
  %p = obs.fill reduce(addf) par (%t) in (%one) {
    obs.write %x at [%t] : f32
  } : !obs.push<grid, 1 x f32>
  %f = obs.force %p : !obs.push<grid, 1 x f32>
  return %f : !obs.pull<1 x f32>
}

// Two blocks, which add b to the least number.
// BLOCKS: {{\[\[}}0, 1, 2],
// BLOCKS-NEXT: [1, 2, 3]]
func.func @of_blocks(%a: !obs.pull<6 x i32>) -> !obs.pull<2 x 3 x i32> {
  %blocks = obs.iota : !obs.pull<2 x i32>
  %six = arith.constant 6 : index
  %three = arith.constant 3 : index
  %d = obs.distribute block in grid (%b = %blocks : !obs.pull<2 x i32>) {
    %p = obs.fill reduce(mins) par (%t) in (%six) {
      %x = obs.get %a[%t] : !obs.pull<6 x i32>
      %k = arith.remui %t, %three : index
      obs.write %x at [%k] : i32
    } : !obs.push<block, 3 x i32>
    %f = obs.force %p : !obs.push<block, 3 x i32>
    %g = obs.map (%x = %f : !obs.pull<3 x i32>) {
      %y = arith.addi %x, %b : i32
      obs.yield %y : i32
    }
    %q = obs.push block %g : !obs.pull<3 x i32>
    obs.yield %q : !obs.push<block, 3 x i32>
  }
  %r = obs.force %d : !obs.push<grid, 2 x 3 x i32>
  return %r : !obs.pull<2 x 3 x i32>
}

// A function has no neutral element. i is written to element i mod 3.
// FUNCTION: {{^}}[0, 1, 2]{{$}}
func.func private @lesser(%x: i32, %y: i32) -> i32 {
  %z = arith.minsi %x, %y : i32
  return %z : i32
}
func.func @by_function(%a: !obs.pull<? x i32>) -> !obs.pull<3 x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %three = arith.constant 3 : index
  %p = obs.fill reduce(@lesser) par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    %k = arith.remui %t, %three : index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 3 x i32>
  %r = obs.force %p : !obs.push<grid, 3 x i32>
  return %r : !obs.pull<3 x i32>
}

// 3 - i is written to element i mod 3.
// SCATTERED: {{^}}[-3, -1, -2]{{$}}
// SCATTERED-NEXT: {{^}}[0, 1, -1]{{$}}
func.func @scattered(%a: !obs.pull<? x i32>) -> (!obs.pull<3 x i32>, !obs.pull<3 x i32>) {
  %three = arith.constant 3 : i32
  %at = obs.map (%x = %a : !obs.pull<? x i32>) {
    %k = arith.remui %x, %three : i32
    obs.yield %k : i32
  }
  %b = obs.map (%x = %a : !obs.pull<? x i32>) {
    %y = arith.subi %three, %x : i32
    obs.yield %y : i32
  }
  %p = obs.scatter %b at %at reduce(@lesser) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 3 x i32>
  %q = obs.scatter %b at %at reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 3 x i32>
  %r, %s = obs.force %p, %q : !obs.push<grid, 3 x i32>, !obs.push<grid, 3 x i32>
  return %r, %s : !obs.pull<3 x i32>, !obs.pull<3 x i32>
}
