// RUN: obs-run %s --entry=dim iota:2x3xi32 | FileCheck %s --check-prefix=DIM
// RUN: obs-run %s --device=emulate --threads=17 --entry=dim iota:2x3xi32 | FileCheck %s --check-prefix=DIM
// RUN: obs-run %s --entry=dim iota:0x3xi32 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=dim iota:0x3xi32 | FileCheck %s --check-prefix=NONE

// Of a pull array, of a push array, of a static extent.
// DIM: {{^}}2{{$}}
// DIM-NEXT: {{^}}6{{$}}
// DIM-NEXT: {{^}}3{{$}}
// NONE: {{^}}0{{$}}
// NONE-NEXT: {{^}}0{{$}}
// NONE-NEXT: {{^}}3{{$}}
func.func @dim(%a: !obs.pull<? x 3 x i32>) -> (index, index, index) {
  %d = obs.dim %a, 0 : !obs.pull<? x 3 x i32>
  %p = obs.push %a : !obs.pull<? x 3 x i32> -> !obs.push<grid, ? x 3 x i32>
  %j = obs.join %p : !obs.push<grid, ? x 3 x i32> -> !obs.push<grid, ? x i32>
  %e = obs.dim %j, 0 : !obs.push<grid, ? x i32>
  %f = obs.dim %p, 1 : !obs.push<grid, ? x 3 x i32>
  return %d, %e, %f : index, index, index
}
