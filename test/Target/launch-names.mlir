// Parameters and results are called what the program calls them.

// RUN: obs-translate --obs-to-launch-json %s | %python %S/Inputs/print-names.py | FileCheck %s --check-prefix=JSON
// RUN: obs-translate --obs-to-host-c %s | FileCheck %s --check-prefix=C
// RUN: obs-opt --obs-to-gpu %s | FileCheck %s --check-prefix=IR
// REQUIRES: python

// JSON: kernel scale: keys keys_extent weight scaled scaled_extent
// JSON-NEXT: kernel swap: pairs_0 pairs_0_extent pairs_1 pairs_1_extent arg4 arg5 arg6 arg7
// JSON-NEXT: kernel table: table table_extent0 table_extent1 arg3 arg4 arg5
// JSON-NEXT: function main: keys weight -> scaled
// JSON-NEXT: function tuples: pairs_0 pairs_1 -> v{{[0-9]+}} v{{[0-9]+}}
// JSON-NEXT: function flip: table -> v{{[0-9]+}}
// JSON-NEXT: function operator: arg0 -> arg0
// JSON-NEXT: function reserved: double -> double

// C: CUresult obs_main(const obs_array *keys, float weight, obs_array *result0) {
// C: CUresult obs_tuples(const obs_array *pairs_0, const obs_array *pairs_1, obs_array *result0, obs_array *result1) {
// A name of C itself is not the name of a function in C.
// C: CUresult obs_reserved(const obs_array *arg0, obs_array *result0) {

// IR: func.func @main(%{{[a-z0-9]+}}: memref<?xf32> {obs.name = "keys"}, %{{[a-z0-9]+}}: f32 {obs.name = "weight"})
// IR-SAME: -> (memref<?xf32> {obs.name = "scaled"})
func.func @main(%a: !obs.pull<? x f32> {obs.name = "keys"}, %w: f32 {obs.name = "weight"})
    -> (!obs.pull<? x f32> {obs.name = "scaled"}) {
  %m = obs.map (%e = %a : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
    %y = arith.mulf %w, %e : f32
    obs.yield %y : f32
  }
  %p = obs.push %m : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
  %f = obs.force %p {kernel = "scale"} : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}

func.func @tuples(%a: !obs.pull<? x i32, f32> {obs.name = "pairs"}) -> !obs.pull<? x f32, i32> {
  %m = obs.map (%x, %y = %a : !obs.pull<? x i32, f32>) -> !obs.pull<? x f32, i32> {
    obs.yield %y, %x : f32, i32
  }
  %p = obs.push %m : !obs.pull<? x f32, i32> -> !obs.push<grid, ? x f32, i32>
  %f = obs.force %p {kernel = "swap"} : !obs.push<grid, ? x f32, i32> -> !obs.pull<? x f32, i32>
  return %f : !obs.pull<? x f32, i32>
}

func.func @flip(%a: !obs.pull<? x ? x i32> {obs.name = "table"}) -> !obs.pull<? x ? x i32> {
  %t = obs.transpose %a [1, 0] : !obs.pull<? x ? x i32>
  %p = obs.push %t : !obs.pull<? x ? x i32> -> !obs.push<grid, ? x ? x i32>
  %f = obs.force %p {kernel = "table"} : !obs.push<grid, ? x ? x i32> -> !obs.pull<? x ? x i32>
  return %f : !obs.pull<? x ? x i32>
}

func.func @operator(%a: !obs.pull<4 x i32> {obs.name = "max"}) -> !obs.pull<4 x i32> {
  return %a : !obs.pull<4 x i32>
}

func.func @reserved(%a: !obs.pull<4 x i32> {obs.name = "double"}) -> !obs.pull<4 x i32> {
  return %a : !obs.pull<4 x i32>
}
