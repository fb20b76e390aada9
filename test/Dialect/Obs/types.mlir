// Types and attributes survive printing and parsing.
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s
// RUN: obs-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: func.func private @pull(
// CHECK-SAME: !obs.pull<512 x f32>
// CHECK-SAME: !obs.pull<? x 4 x ? x i1>
// CHECK-SAME: !obs.pull<0 x index>
func.func private @pull(!obs.pull<512 x f32>, !obs.pull<? x 4 x ? x i1>, !obs.pull<0xindex>)

// CHECK-LABEL: func.func private @elements(
// CHECK-SAME: !obs.pull<2 x i8, i16, i32, i64, f16, bf16, f32, f64>
func.func private @elements(!obs.pull<2 x i8, i16, i32, i64, f16, bf16, f32, f64>)

// CHECK-LABEL: func.func private @nested(
// CHECK-SAME: !obs.pull<? x !obs.pull<512 x f32, i32>>
func.func private @nested(!obs.pull<? x !obs.pull<512 x f32, i32>>)

// CHECK-LABEL: func.func private @bounds(
// CHECK-SAME: !obs.pull<? x i32 bound [1024]>
// CHECK-SAME: !obs.push<warp, 4 x ? x f32 bound [4, 64]>
// CHECK-SAME: !obs.pull<? x ? x i32 bound [?, 8]>
func.func private @bounds(!obs.pull<? x i32 bound [1024]>, !obs.push<warp, 4 x ? x f32 bound [4, 64]>, !obs.pull<? x ? x i32 bound [?, 8]>)

// A bound that says nothing new is dropped, so that equal types are one.
// CHECK-LABEL: func.func private @no_bounds(
// CHECK-SAME: !obs.pull<4 x i32>, !obs.pull<? x i32>)
func.func private @no_bounds(!obs.pull<4 x i32 bound [4]>, !obs.pull<? x i32 bound [?]>)

// CHECK-LABEL: func.func private @levels(
// CHECK-SAME: !obs.push<thread, 1 x i32>, !obs.push<warp, 2 x i32>, !obs.push<block, 3 x i32>, !obs.push<grid, ? x i32>
func.func private @levels(!obs.push<thread, 1 x i32>, !obs.push<warp, 2 x i32>, !obs.push<block, 3 x i32>, !obs.push<grid, ? x i32>)

// CHECK-LABEL: func.func private @attributes(
// CHECK-SAME: {a = #obs.map<block, warp>, b = #obs.home<block, shared>, c = #obs.distribution<blocked>, d = #obs.storage<registers>, e = #obs.contract<any>, obs.level = #obs.level<warp>}
func.func private @attributes() attributes {a = #obs.map<block, warp>, b = #obs.home<block, shared>, c = #obs.distribution<blocked>, d = #obs.storage<registers>, e = #obs.contract<any>, obs.level = #obs.level<warp>}
