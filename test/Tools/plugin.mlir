// The stock mlir-opt with the dialect and the passes as a plugin.
// REQUIRES: mlir-opt
// RUN: mlir-opt --load-dialect-plugin=%obs_lib/ObsPlugin.so --load-pass-plugin=%obs_lib/ObsPlugin.so --pass-pipeline='builtin.module(obs-to-gpu{threads=64})' %s | FileCheck %s

// CHECK: gpu.func @scale
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %three = arith.constant 3 : i32
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    %y = arith.muli %x, %three : i32
    obs.yield %y : i32
  }
  %f = obs.force %r {kernel = "scale"} : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
