// The forms of arguments, and the printed results.
//
// RUN: obs-run %s --entry=array zeros:3xi32 | FileCheck %s --check-prefix=ZEROS
// ZEROS: {{^}}[0, 0, 0]{{$}}
// RUN: obs-run %s --entry=array iota:1001xi32 | FileCheck %s --check-prefix=IOTA
// IOTA: {{^}}[0, 1, 2, ..., 998, 999, 1000]{{$}}
// RUN: obs-run %s --entry=array zeros:0xi32 | FileCheck %s --check-prefix=EMPTY
// EMPTY: {{^}}[]{{$}}

// A random array is that of SplitMix64: 0xe220a8397b1dcdaf is its first number
// for the seed 0, and 0x7b1dcdaf the lower half of that.
// RUN: obs-run %s --entry=array random:1xi32:0 | FileCheck %s --check-prefix=RANDOM
// RANDOM: {{^}}[2065550767]{{$}}

// RUN: obs-run %s --entry=matrix iota:2x3xf32 | FileCheck %s --check-prefix=MATRIX
// MATRIX:      {{^}}{{\[\[}}0.0, 1.0, 2.0],{{$}}
// MATRIX-NEXT: {{^}} [3.0, 4.0, 5.0]]{{$}}
// RUN: obs-run %s --entry=matrix iota:400x3xf32 | FileCheck %s --check-prefix=ROWS
// ROWS:      {{^}} [6.0, 7.0, 8.0],{{$}}
// ROWS-NEXT: {{^}} ...,{{$}}
// ROWS-NEXT: {{^}} [1191.0, 1192.0, 1193.0],{{$}}

// Raw files: the bytes 01 00 00 00 ff ff ff ff.
// RUN: %python -c "import sys; sys.stdout.buffer.write(bytes([1,0,0,0,255,255,255,255]))" > %t.bin
// RUN: obs-run %s --entry=array %t.bin:i32 | FileCheck %s --check-prefix=RAW
// RUN: obs-run %s --entry=array %t.bin:2xi32 | FileCheck %s --check-prefix=RAW
// RAW: {{^}}[1, -1]{{$}}
// RUN: %python -c "import sys; sys.stdout.buffer.write(bytes(24))" > %t.matrix.bin
// RUN: obs-run %s --entry=matrix %t.matrix.bin:f32 | FileCheck %s --check-prefix=RAWMATRIX
// RAWMATRIX:      {{^}}{{\[\[}}0.0, 0.0, 0.0],{{$}}
// RAWMATRIX-NEXT: {{^}} [0.0, 0.0, 0.0]]{{$}}

// RUN: obs-run %s --entry=scalars -3 0x1f true -0.5 1e-3 12 | FileCheck %s --check-prefix=SCALARS
// SCALARS:      {{^}}-3{{$}}
// SCALARS-NEXT: {{^}}31{{$}}
// SCALARS-NEXT: {{^}}true{{$}}
// SCALARS-NEXT: {{^}}-0.5{{$}}
// SCALARS-NEXT: {{^}}0.001{{$}}
// SCALARS-NEXT: {{^}}12{{$}}

// One argument and one result for each element type of an array of pairs.
// RUN: obs-run %s --entry=pairs iota:2xi32 zeros:2xf32 | FileCheck %s --check-prefix=PAIRS
// PAIRS:      {{^}}[0, 1]{{$}}
// PAIRS-NEXT: {{^}}[0.0, 0.0]{{$}}

func.func @array(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  return %a : !obs.pull<? x i32>
}
func.func @matrix(%a: !obs.pull<? x 3 x f32>) -> !obs.pull<? x 3 x f32> {
  return %a : !obs.pull<? x 3 x f32>
}
func.func @scalars(%a: i32, %b: i8, %c: i1, %d: f16, %e: f64, %f: index)
    -> (i32, i8, i1, f16, f64, index) {
  return %a, %b, %c, %d, %e, %f : i32, i8, i1, f16, f64, index
}
func.func @pairs(%a: !obs.pull<? x i32, f32>) -> !obs.pull<? x i32, f32> {
  return %a : !obs.pull<? x i32, f32>
}
