// A loop without iterations accesses no element of an array in registers.
// RUN: obs-opt --obs-to-gpu=threads=32 %s | FileCheck %s
// CHECK: gpu.func
module {
  func.func @main(%arg0: !obs.pull<71 x i16>, %arg1: !obs.pull<55 x i64>, %arg2: !obs.pull<? x bf16>, %arg3: !obs.pull<? x i32>, %arg4: !obs.pull<? x ? x 10 x ? x f64>, %arg6: !obs.pull<? x 5 x 6 x f32>, %arg7: !obs.pull<0 x i64, i16>) -> (!obs.pull<? x index>, !obs.pull<? x i32>, !obs.pull<? x index>, !obs.pull<1 x index>) {
    %c-6 = arith.constant -6 : index
    %c552796872_i32 = arith.constant 552796872 : i32
    %c63 = arith.constant 63 : index
    %c10_i16 = arith.constant 10 : i16
    %c11_i64 = arith.constant 11 : i64
    %cst = arith.constant 5.968750: bf16
    %0 = obs.split %arg2 by [4] pad %cst : !obs.pull<? x bf16> -> !obs.pull<? x !obs.pull<4 x bf16>>
    %1 = obs.dim %0, 0 : !obs.pull<? x !obs.pull<4 x bf16>>
    %2 = obs.iota[%1] : !obs.pull<? x index>
    %3 = obs.distribute thread (%arg8 = %0 : !obs.pull<? x !obs.pull<4 x bf16>>, %arg9 = %2 : !obs.pull<? x index>) -> !obs.push<grid, ? x 0 x index> {
      %13 = obs.split %arg1 by [19] pad %c11_i64 : !obs.pull<55 x i64> -> !obs.pull<3 x !obs.pull<19 x i64>>
      %14 = obs.iota : !obs.pull<3 x index>
      %15 = obs.distribute thread (%arg10 = %13 : !obs.pull<3 x !obs.pull<19 x i64>>, %arg11 = %14 : !obs.pull<3 x index>) -> !obs.push<thread, 3 x 0 x index> {
        %19 = obs.map (%arg12, %arg13 = %arg7 : !obs.pull<0 x i64, i16>, %arg14, %arg15 = %arg7 : !obs.pull<0 x i64, i16>) -> !obs.pull<0 x index> {
          %21 = arith.divui %arg13, %c10_i16 : i16
          %22 = arith.trunci %arg14 : i64 to i16
          %23 = arith.ori %21, %22 : i16
          %24 = arith.cmpi ult, %21, %23 : i16
          %25 = arith.index_castui %24 : i1 to index
          %26 = arith.andi %25, %c63 : index
          %27 = arith.shli %arg11, %26 : index
          %28 = arith.muli %25, %26 : index
          %29 = arith.select %24, %27, %28 : index
          obs.yield %29 : index
        }
        %20 = obs.push %19 : !obs.pull<0 x index> -> !obs.push<thread, 0 x index>
        obs.yield %20 : !obs.push<thread, 0 x index>
      }
      %16 = obs.join %15 strided : !obs.push<thread, 3 x 0 x index> -> !obs.push<thread, 0 x index>
      %17 = obs.force %16 : !obs.push<thread, 0 x index> -> !obs.pull<0 x index>
      %18 = obs.push %17 : !obs.pull<0 x index> -> !obs.push<thread, 0 x index>
      obs.yield %18 : !obs.push<thread, 0 x index>
    }
    %4 = obs.join %3 : !obs.push<grid, ? x 0 x index> -> !obs.push<grid, ? x index>
    %5 = obs.force %4 : !obs.push<grid, ? x index> -> !obs.pull<? x index>
    %6 = obs.split %arg3 by [8] pad %c552796872_i32 : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<8 x i32>>
    %7 = obs.distribute block (%arg8 = %6 : !obs.pull<? x !obs.pull<8 x i32>>) -> !obs.push<grid, ? x 8 x i32> {
      %13 = obs.push %arg8 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
      obs.yield %13 : !obs.push<block, 8 x i32>
    }
    %8 = obs.join %7 : !obs.push<grid, ? x 8 x i32> -> !obs.push<grid, ? x i32>
    %9 = obs.force %8 : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
    %result = obs.scan exclusive (%arg8, %arg9) = %5 init %c-6 {strategy = "three_kernels"} : !obs.pull<? x index> -> !obs.push<grid, ? x index> {
      %13 = arith.minsi %arg8, %arg9 : index
      obs.yield %13 : index
    }
    %10 = obs.force %result : !obs.push<grid, ? x index> -> !obs.pull<? x index>
    %11 = obs.reduce (%arg8, %arg9) = %10 init %c-6 : !obs.pull<? x index> -> !obs.push<grid, 1 x index> {
      obs.yield %arg9 : index
    }
    %12 = obs.force %11 : !obs.push<grid, 1 x index> -> !obs.pull<1 x index>
    return %5, %9, %10, %12 : !obs.pull<? x index>, !obs.pull<? x i32>, !obs.pull<? x index>, !obs.pull<1 x index>
  }
}
