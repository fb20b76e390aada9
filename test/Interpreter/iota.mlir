// RUN: obs-run %s --entry=iota 5 | FileCheck %s --check-prefix=FIVE
// RUN: obs-run %s --device=emulate --threads=17 --entry=iota 5 | FileCheck %s --check-prefix=FIVE
// RUN: obs-run %s --entry=iota 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --device=emulate --threads=17 --entry=iota 0 | FileCheck %s --check-prefix=ZERO
// RUN: obs-run %s --entry=wraps | FileCheck %s --check-prefix=WRAPS
// RUN: obs-run %s --device=emulate --threads=17 --entry=wraps | FileCheck %s --check-prefix=WRAPS
// RUN: not obs-run %s --entry=iota -- -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not obs-run %s --entry=bounded 5 2>&1 | FileCheck %s --check-prefix=BOUNDED

// FIVE: {{^}}[0, 1, 2, 3, 4]{{$}}
// ZERO: {{^}}[]{{$}}
// NEGATIVE: iota.mlir:[[#@LINE+2]]:8: error: [R4-extents] extent 0 of the array would be -1
func.func @iota(%n: index) -> !obs.pull<? x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  return %a : !obs.pull<? x index>
}

// 130 as a signed byte is 130 - 256.
// WRAPS: {{^}}[126, 127, -128, -127, -126]{{$}}
func.func @wraps() -> !obs.pull<5 x i8> {
  %a = obs.iota : !obs.pull<131 x i8>
  %b = obs.slice %a [126] [5] [1] : !obs.pull<131 x i8> -> !obs.pull<5 x i8>
  return %b : !obs.pull<5 x i8>
}

// BOUNDED: iota.mlir:[[#@LINE+2]]:8: error: [R4-extents] extent 0 of the array would be 5, but its type says at most 4
func.func @bounded(%n: index) -> index {
  %a = obs.iota [%n] : !obs.pull<? x i32 bound [4]>
  %d = obs.dim %a, 0 : !obs.pull<? x i32 bound [4]>
  return %d : index
}
