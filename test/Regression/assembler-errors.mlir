// Operations that the assembler of CUDA 13.0 translates wrongly: the PTX has others.

// A choice between -0 and 1 by a comparison with 1: it makes 0 of the -0.
// RUN: obs-run %s --entry=zero --device=interpret iota:4xf32 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=zero --device=emulate iota:4xf32 | FileCheck %s --check-prefix=ZERO
// RUN: %if cuda %{ obs-run %s --entry=zero --device=cuda iota:4xf32 | FileCheck %s --check-prefix=ZERO %}
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX --implicit-check-not=selp.f32
// ZERO: [-0.0, 1.0, -0.0, -0.0]
// PTX: .entry zero
// PTX: selp.b32 {{.*}}, -2147483648, 1065353216
func.func @zero(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %zero = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %r = obs.map (%x = %a : !obs.pull<? x f32>) {
    %other = arith.cmpf une, %x, %one : f32
    %y = arith.select %other, %zero, %x : f32
    obs.yield %y : f32
  }
  %f = obs.force %r {kernel = "zero"} : !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}

// -|x| of a truth value as a number, which is -1 or -0: it makes 0 of the -0.
// RUN: obs-run %s --entry=sign --device=interpret iota:4xi32 | FileCheck %s --check-prefix=SIGN
// RUN: obs-run %s --entry=sign --device=emulate iota:4xi32 | FileCheck %s --check-prefix=SIGN
// RUN: %if cuda %{ obs-run %s --entry=sign --device=cuda iota:4xi32 | FileCheck %s --check-prefix=SIGN %}
// SIGN: [-0.0, -1.0, -0.0, -1.0]
// PTX: .entry sign
// PTX: selp.b32 {{.*}}, -1082130432, -2147483648
func.func @sign(%a: !obs.pull<? x i32>) -> !obs.pull<? x f32> {
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    %bit = arith.trunci %x : i32 to i1
    %y = arith.sitofp %bit : i1 to f32
    %other = arith.negf %y : f32
    %least = arith.minimumf %y, %other : f32
    obs.yield %least : f32
  }
  %f = obs.force %r {kernel = "sign"} : !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}

// a ^ (a | b), which is b and not a: it makes a. The arguments are bits 0 and 1 of 0 to 7.
// RUN: obs-run %s --entry=bits --device=interpret iota:8xi32 iota:8xi32 | FileCheck %s --check-prefix=BITS
// RUN: obs-run %s --entry=bits --device=emulate iota:8xi32 iota:8xi32 | FileCheck %s --check-prefix=BITS
// RUN: %if cuda %{ obs-run %s --entry=bits --device=cuda iota:8xi32 iota:8xi32 | FileCheck %s --check-prefix=BITS %}
// BITS: [false, false, true, false, false, false, true, false]
// PTX: .entry bits
// PTX-NOT: {{x?or.pred}}
// PTX: not.pred
func.func @bits(%n: !obs.pull<? x i32>, %m: !obs.pull<? x i32>) -> !obs.pull<? x i1> {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %r = obs.map (%x = %n, %y = %m : !obs.pull<? x i32>) {
    %first = arith.andi %x, %one : i32
    %second = arith.andi %y, %two : i32
    %a = arith.cmpi ne, %first, %zero : i32
    %b = arith.cmpi ne, %second, %zero : i32
    %either = arith.select %a, %a, %b : i1
    %d = arith.xori %a, %either : i1
    obs.yield %d : i1
  }
  %f = obs.force %r {kernel = "bits"} : !obs.pull<? x i1>
  return %f : !obs.pull<? x i1>
}

// A conversion to 16 bits in front of a loop, compared in the loop: iterations that come later compare the upper half of a
// register, too, which has another value. The comparison is -7 < (i + 7) & -8, for each i.
// RUN: obs-run %s --entry=numbers --device=interpret iota:40xf32 -7.25 | FileCheck %s --check-prefix=NUMBERS
// RUN: obs-run %s --entry=numbers --device=emulate --threads=1 --blocks=3 iota:40xf32 -7.25 | FileCheck %s --check-prefix=NUMBERS
// RUN: %if cuda %{ obs-run %s --entry=numbers --device=cuda --threads=1 --blocks=3 iota:40xf32 -7.25 | FileCheck %s --check-prefix=NUMBERS %}
// NUMBERS: [39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 39.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0]
// PTX: .entry numbers
// PTX-NOT: cvt.rzi.{{[su](8|16)}}
// PTX: cvt.rzi.s32.f32
func.func @numbers(%a: !obs.pull<40 x f32>, %x: f32) -> !obs.pull<40 x f32> {
  %last = arith.constant 39 : index
  %mask = arith.constant -8 : i8
  %n = arith.constant 32 : index
  %p = obs.fill onto %a : !obs.pull<40 x f32> par (%i) in (%n) {
    %number = arith.fptosi %x : f32 to i8
    %unsigned = arith.index_castui %number : i8 to index
    %at = arith.subi %i, %unsigned : index
    %from = arith.minui %at, %last : index
    %y = obs.get %a[%from] : !obs.pull<40 x f32>
    %byte = arith.index_castui %at : index to i8
    %bits = arith.andi %byte, %mask : i8
    %is = arith.cmpi slt, %number, %bits : i8
    scf.if %is {
      obs.write %y at [%i] : f32
    }
  } : !obs.push<grid, 40 x f32>
  %f = obs.force %p {kernel = "numbers"} : !obs.push<grid, 40 x f32> -> !obs.pull<40 x f32>
  return %f : !obs.pull<40 x f32>
}
