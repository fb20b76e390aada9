// The host asks whether a copy between results of one-pass scans is needed. One of its extents is a parameter, which no
// operation defines.

// RUN: obs-translate --obs-to-ptx %s 2>/dev/null | FileCheck %s --check-prefix=PTX
// PTX-COUNT-2: .entry
// DEFINE: %{args} = iota:1x1xi8 iota:1x1xi32 zeros:2x2x1xi1 zeros:2x2x1xf32 zeros:2x2x1xbf16 random:31xi32:1 random:31xf64:2 3
// RUN: obs-run %s --device=interpret %{args} 2>/dev/null | FileCheck %s
// RUN: obs-run %s --device=emulate --check=all %{args} 2>/dev/null | FileCheck %s
// The operator keeps its left operand unless this is 0, and the first one is 100 with 0.375.
// CHECK-COUNT-31: 100{{[],]}}
// CHECK-COUNT-31: 0.375{{[],]}}
// CHECK-COUNT-31: 100{{[],]}}
// CHECK-COUNT-31: 0.375{{[],]}}

func.func @main(%in0: !obs.pull<1 x 1 x i8, i32>, %in1: !obs.pull<? x 2 x 1 x i1, f32, bf16>, %in2: !obs.pull<? x i32, f64 bound [34]>, %s0: i16) -> (!obs.pull<? x i32, f64 bound [34]>, !obs.pull<31 x i32, f64>) {
%v3 = obs.map (%v1, %v2 = %in2 : !obs.pull<? x i32, f64 bound [34]>) -> !obs.pull<? x i1 bound [34]> {
%v4 = arith.constant -2.5 : f32
%v5 = arith.constant 100.0 : f32
%v6 = arith.remf %v4, %v5 : f32
%v7 = arith.constant -2147483648 : i32
%v8 = arith.subi %v1, %v7 : i32
%v9 = arith.addf %v2, %v2 : f64
%v10 = arith.constant 1.0 : f64
%v11 = arith.mulf %v2, %v10 : f64
%v12 = arith.trunci %v1 : i32 to i1
obs.yield %v12 : i1
}
%v19 = arith.constant -7 : i32
%v20 = arith.constant 1.0 : f64
%v21 = obs.segmented_scan inclusive (%v13, %v14, %v15, %v16) = %in2 init %v19, %v20 flags %v3 {strategy = "one_pass"} : !obs.pull<? x i32, f64 bound [34]>, !obs.pull<? x i1 bound [34]> -> !obs.push<grid, ? x i32, f64 bound [34]> {
%v17 = arith.maxui %v13, %v15 : i32
%v18 = arith.maximumf %v14, %v16 : f64
obs.yield %v17, %v18 : i32, f64
}
%v22 = arith.constant true
%v23 = arith.constant 100.0 : f32
%v24 = arith.constant 0.0 : bf16
%v25 = obs.split %in1 strided by [8, 4, 2] pad %v22, %v23, %v24 : !obs.pull<? x 2 x 1 x i1, f32, bf16> -> !obs.pull<? x 1 x 1 x !obs.pull<8 x 4 x 2 x i1, f32, bf16>>
%v26 = arith.constant 5 : index
%v27 = arith.constant 1 : index
%v28 = obs.join %v25 strided to [%v26, 2, %v27] : !obs.pull<? x 1 x 1 x !obs.pull<8 x 4 x 2 x i1, f32, bf16>> -> !obs.pull<? x 2 x ? x i1, f32, bf16>
%v29 = obs.force %v21 : !obs.push<grid, ? x i32, f64 bound [34]> -> !obs.pull<? x i32, f64 bound [34]>
%v30 = obs.iota : !obs.pull<2 x index>
%v37 = obs.distribute thread (%v31 = %v30 : !obs.pull<2 x index>) -> !obs.push<grid, 2 x ? x i32, f64 bound [2, 34]> {
%v32 = obs.transpose %in1 [0, 1, 2] : !obs.pull<? x 2 x 1 x i1, f32, bf16>
%v33 = obs.push %v29 : !obs.pull<? x i32, f64 bound [34]> -> !obs.push<thread, ? x i32, f64 bound [34]>
%v34, %v35 = obs.force %v33, %v33 : !obs.push<thread, ? x i32, f64 bound [34]>, !obs.push<thread, ? x i32, f64 bound [34]> -> (!obs.pull<? x i32, f64 bound [34]>, !obs.pull<? x i32, f64 bound [34]>)
%v36 = obs.push %in2 : !obs.pull<? x i32, f64 bound [34]> -> !obs.push<thread, ? x i32, f64 bound [34]>
obs.yield %v36 : !obs.push<thread, ? x i32, f64 bound [34]>
}
%v38 = obs.join %v37 strided : !obs.push<grid, 2 x ? x i32, f64 bound [2, 34]> -> !obs.push<grid, ? x i32, f64 bound [68]>
%v39 = obs.zip %in0, %in0 : !obs.pull<1 x 1 x i8, i32>, !obs.pull<1 x 1 x i8, i32>
%v48 = arith.constant 100 : i32
%v49 = arith.constant 0.375 : f64
%v50 = obs.scan inclusive (%v40, %v41, %v42, %v43) = %in2 init %v48, %v49 {strategy = "one_pass"} : !obs.pull<? x i32, f64 bound [34]> -> !obs.push<grid, ? x i32, f64 bound [34]> {
%v44 = arith.constant 0 : i32
%v45 = arith.cmpi ne, %v40, %v44 : i32
%v46 = arith.select %v45, %v40, %v42 : i32
%v47 = arith.select %v45, %v41, %v43 : f64
obs.yield %v46, %v47 : i32, f64
}
%v51 = obs.reshape %v50 : !obs.push<grid, ? x i32, f64 bound [34]> -> !obs.push<grid, 31 x i32, f64>
%v52 = obs.split %in0 by [1, 1] : !obs.pull<1 x 1 x i8, i32> -> !obs.pull<1 x 1 x !obs.pull<1 x 1 x i8, i32>>
%v53 = obs.reverse %v52 : !obs.pull<1 x 1 x !obs.pull<1 x 1 x i8, i32>>
%v54 = obs.join %v53 : !obs.pull<1 x 1 x !obs.pull<1 x 1 x i8, i32>> -> !obs.pull<1 x 1 x i8, i32>
%v55 = obs.force %v38 : !obs.push<grid, ? x i32, f64 bound [68]> -> !obs.pull<? x i32, f64 bound [68]>
%v56 = obs.force %v50 : !obs.push<grid, ? x i32, f64 bound [34]> -> !obs.pull<? x i32, f64 bound [34]>
%v57 = obs.force %v51 : !obs.push<grid, 31 x i32, f64> -> !obs.pull<31 x i32, f64>
return %v56, %v57 : !obs.pull<? x i32, f64 bound [34]>, !obs.pull<31 x i32, f64>
}
