// Programs that crashed in lowering, or without a location.
// RUN: split-file %s %t
// RUN: not obs-translate --obs-to-ptx %t/forall.mlir 2>&1 | FileCheck %s --check-prefix=FORALL
// RUN: not obs-translate --obs-to-launch-json %t/push.mlir 2>&1 | FileCheck %s --check-prefix=PUSH
// RUN: not obs-translate --obs-to-ptx %t/nested.mlir 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not obs-translate --obs-to-ptx %t/block-size.mlir 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not obs-translate --obs-to-ptx %t/copies.mlir 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not obs-opt %t/view.mlir 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not obs-opt %t/zip.mlir 2>&1 | FileCheck %s --check-prefix=ZIP
// RUN: not obs-opt %t/f80.mlir 2>&1 | FileCheck %s --check-prefix=F80

// FORALL: forall.mlir:2:3: error: 'scf.forall' op [levels-leaf]
// PUSH: push.mlir:1:1: error: 'func.func' op [R2-memory] is a host function, but its argument 0 is '!obs.push<grid, ? x i32>'
// NESTED: nested.mlir:1:1: error: 'func.func' op [R2-memory]
// SIZE: block-size.mlir:2:3: error: 'gpu.func' op has a known size of -2147483648
// COPIES: copies.mlir:3:8: error: 'obs.scatter' op [R7-room] strategy 'per_warp' stores copies
// VIEW: view.mlir:2:8: error: [view-memory]
// ZIP: zip.mlir:2:21: error: custom op 'obs.zip' expected a pull or push array type
// F80: f80.mlir:1:1: error: 'obs.kernel' op [kernel-arguments] cannot take 'f80'

//--- forall.mlir
obs.kernel @divergent_barrier(%n: index) {
  scf.forall (%i) in (%n) {
    obs.barrier block
  }
}
//--- push.mlir
func.func @push(%a: !obs.push<grid, ? x i32>) {
  return
}
//--- nested.mlir
func.func @nested(%a: !obs.pull<4 x !obs.pull<8 x i32>>, %z: i32) -> !obs.pull<4 x i32> {
  %b = obs.map (%row = %a : !obs.pull<4 x !obs.pull<8 x i32>>) {
    %s = obs.reduce { arith.addi } %row init %z : !obs.pull<8 x i32>
    obs.yield %s : i32
  }
  return %b : !obs.pull<4 x i32>
}
//--- block-size.mlir
gpu.module @kernels {
  gpu.func @carried(%n: index) kernel attributes {known_block_size = array<i32: 64, 2147483648, 1>} {
    gpu.return
  }
}
//--- copies.mlir
func.func @per_warp(%keys: !obs.pull<? x i32>, %weights: !obs.pull<? x i32>) -> !obs.pull<281474976710656 x i32> {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %weights at %keys init %zero reduce(addi) {strategy = "per_warp"} : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 281474976710656 x i32>
  %r = obs.force %p : !obs.push<grid, 281474976710656 x i32>
  return %r : !obs.pull<281474976710656 x i32>
}
//--- view.mlir
func.func @f(%m: !obs.push<warp, 80 x i32>) {
  %0 = obs.view %m : !obs.push<warp, 80 x i32>
  return
}
//--- zip.mlir
func.func @f(%m: memref<?xi32>) {
  %0 = obs.zip %m : memref<?xi32>
  return
}
//--- f80.mlir
obs.kernel @kernel(%n: f80) {
}
