// Scans that jax.lax.associative_scan has unrolled into stages: the recurrence x' = a x + b of 16
// elements, and its products of a.
// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: obs-run %t.mlir | FileCheck %s --check-prefix=VALUES
// A scan whose results are not used is no scan.
// RUN: sed 's/return"(%106, %111)/return"(%a, %b)/' %s | obs-opt --allow-unregistered-dialect --obs-import-stablehlo | FileCheck %s --check-prefix=UNUSED
// UNUSED-LABEL: @main
// UNUSED-NOT: obs.scan
// CHECK: obs.scan grid inclusive ({{[^=]*}}) = %{{[^ ]*}} : !obs.pull<16 x f32, f32> {
// CHECK-NOT: obs.scan
// CHECK-NOT: obs.generate

// The products are powers of 2, and the states are less by 1.
// VALUES: [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0]
// VALUES: [1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0, 255.0, 511.0, 1023.0, 2047.0, 4095.0, 8191.0, 16383.0, 32767.0, 65535.0]

// A stage with another function, another part of an array or another array is no part of a scan.
// DEFINE: %{wrong} =
// DEFINE: %{check} = sed '%{wrong}' %s | obs-opt --allow-unregistered-dialect --obs-import-stablehlo | FileCheck %s --check-prefix=OTHER
// REDEFINE: %{wrong} = s/%19 = "stablehlo.multiply"/%19 = "stablehlo.add"/
// RUN: %{check}
// REDEFINE: %{wrong} = /%97 = /s/stablehlo.add/stablehlo.subtract/
// RUN: %{check}
// REDEFINE: %{wrong} = /%94 = /s/array<i64: 2>, strides/array<i64: 3>, strides/
// RUN: %{check}
// REDEFINE: %{wrong} = /%94 = /s/%b/%a/
// RUN: %{check}
// REDEFINE: %{wrong} = /%101 = /s/(%100/(%98/
// RUN: %{check}
// REDEFINE: %{wrong} = /%111 = /s/%110/%108/
// RUN: %{check}
// OTHER-NOT: i1, f32, f32
// OTHER: return
// OTHER-NOT: i1, f32, f32
"func.func"() <{function_type = () -> (tensor<16xf32>, tensor<16xf32>), sym_name = "main"}> ({
  %a = "stablehlo.constant"() <{value = dense<2.0> : tensor<16xf32>}> : () -> tensor<16xf32>
  %b = "stablehlo.constant"() <{value = dense<1.0> : tensor<16xf32>}> : () -> tensor<16xf32>
  %0 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 15>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<16xf32>) -> tensor<8xf32>
  %1 = "stablehlo.slice"(%b) <{limit_indices = array<i64: 15>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<16xf32>) -> tensor<8xf32>
  %2 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 16>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<16xf32>) -> tensor<8xf32>
  %3 = "stablehlo.slice"(%b) <{limit_indices = array<i64: 16>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<16xf32>) -> tensor<8xf32>
  %4 = "stablehlo.multiply"(%0, %2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = "stablehlo.multiply"(%2, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %6 = "stablehlo.add"(%5, %3) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %7 = "stablehlo.slice"(%4) <{limit_indices = array<i64: 7>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<8xf32>) -> tensor<4xf32>
  %8 = "stablehlo.slice"(%6) <{limit_indices = array<i64: 7>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<8xf32>) -> tensor<4xf32>
  %9 = "stablehlo.slice"(%4) <{limit_indices = array<i64: 8>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<8xf32>) -> tensor<4xf32>
  %10 = "stablehlo.slice"(%6) <{limit_indices = array<i64: 8>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<8xf32>) -> tensor<4xf32>
  %11 = "stablehlo.multiply"(%7, %9) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %12 = "stablehlo.multiply"(%9, %8) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = "stablehlo.add"(%12, %10) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %14 = "stablehlo.slice"(%11) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2xf32>
  %15 = "stablehlo.slice"(%13) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2xf32>
  %16 = "stablehlo.slice"(%11) <{limit_indices = array<i64: 4>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2xf32>
  %17 = "stablehlo.slice"(%13) <{limit_indices = array<i64: 4>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2xf32>
  %18 = "stablehlo.multiply"(%14, %16) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %19 = "stablehlo.multiply"(%16, %15) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %20 = "stablehlo.add"(%19, %17) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %21 = "stablehlo.slice"(%18) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<2xf32>) -> tensor<1xf32>
  %22 = "stablehlo.slice"(%20) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 2>}> : (tensor<2xf32>) -> tensor<1xf32>
  %23 = "stablehlo.slice"(%18) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<2xf32>) -> tensor<1xf32>
  %24 = "stablehlo.slice"(%20) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<2xf32>) -> tensor<1xf32>
  %25 = "stablehlo.multiply"(%21, %23) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %26 = "stablehlo.multiply"(%23, %22) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %27 = "stablehlo.add"(%26, %24) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %28 = "stablehlo.slice"(%25) <{limit_indices = array<i64: 0>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<1xf32>) -> tensor<0xf32>
  %29 = "stablehlo.slice"(%27) <{limit_indices = array<i64: 0>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<1xf32>) -> tensor<0xf32>
  %30 = "stablehlo.slice"(%18) <{limit_indices = array<i64: 2>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<2xf32>) -> tensor<0xf32>
  %31 = "stablehlo.slice"(%20) <{limit_indices = array<i64: 2>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<2xf32>) -> tensor<0xf32>
  %32 = "stablehlo.multiply"(%28, %30) : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %33 = "stablehlo.multiply"(%30, %29) : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %34 = "stablehlo.add"(%33, %31) : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %35 = "stablehlo.slice"(%18) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>
  %36 = "stablehlo.concatenate"(%35, %32) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<0xf32>) -> tensor<1xf32>
  %37 = "stablehlo.slice"(%20) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>
  %38 = "stablehlo.concatenate"(%37, %34) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<0xf32>) -> tensor<1xf32>
  %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %40 = "stablehlo.pad"(%36, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %42 = "stablehlo.pad"(%25, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %43 = "stablehlo.add"(%40, %42) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %45 = "stablehlo.pad"(%38, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %47 = "stablehlo.pad"(%27, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %48 = "stablehlo.add"(%45, %47) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %49 = "stablehlo.slice"(%43) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>
  %50 = "stablehlo.slice"(%48) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>
  %51 = "stablehlo.slice"(%11) <{limit_indices = array<i64: 4>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<4xf32>) -> tensor<1xf32>
  %52 = "stablehlo.slice"(%13) <{limit_indices = array<i64: 4>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<4xf32>) -> tensor<1xf32>
  %53 = "stablehlo.multiply"(%49, %51) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %54 = "stablehlo.multiply"(%51, %50) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %55 = "stablehlo.add"(%54, %52) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %56 = "stablehlo.slice"(%11) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1xf32>
  %57 = "stablehlo.concatenate"(%56, %53) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %58 = "stablehlo.slice"(%13) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<1xf32>
  %59 = "stablehlo.concatenate"(%58, %55) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %61 = "stablehlo.pad"(%57, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %63 = "stablehlo.pad"(%43, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %64 = "stablehlo.add"(%61, %63) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %66 = "stablehlo.pad"(%59, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %68 = "stablehlo.pad"(%48, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %69 = "stablehlo.add"(%66, %68) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %70 = "stablehlo.slice"(%64) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<3xf32>
  %71 = "stablehlo.slice"(%69) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<3xf32>
  %72 = "stablehlo.slice"(%4) <{limit_indices = array<i64: 8>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<8xf32>) -> tensor<3xf32>
  %73 = "stablehlo.slice"(%6) <{limit_indices = array<i64: 8>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<8xf32>) -> tensor<3xf32>
  %74 = "stablehlo.multiply"(%70, %72) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %75 = "stablehlo.multiply"(%72, %71) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %76 = "stablehlo.add"(%75, %73) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %77 = "stablehlo.slice"(%4) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<1xf32>
  %78 = "stablehlo.concatenate"(%77, %74) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %79 = "stablehlo.slice"(%6) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<1xf32>
  %80 = "stablehlo.concatenate"(%79, %76) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %82 = "stablehlo.pad"(%78, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %84 = "stablehlo.pad"(%64, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %85 = "stablehlo.add"(%82, %84) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %87 = "stablehlo.pad"(%80, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %89 = "stablehlo.pad"(%69, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %90 = "stablehlo.add"(%87, %89) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %91 = "stablehlo.slice"(%85) <{limit_indices = array<i64: 7>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<7xf32>
  %92 = "stablehlo.slice"(%90) <{limit_indices = array<i64: 7>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<7xf32>
  %93 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 16>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<16xf32>) -> tensor<7xf32>
  %94 = "stablehlo.slice"(%b) <{limit_indices = array<i64: 16>, start_indices = array<i64: 2>, strides = array<i64: 2>}> : (tensor<16xf32>) -> tensor<7xf32>
  %95 = "stablehlo.multiply"(%91, %93) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %96 = "stablehlo.multiply"(%93, %92) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %97 = "stablehlo.add"(%96, %94) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %98 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1xf32>
  %99 = "stablehlo.concatenate"(%98, %95) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<7xf32>) -> tensor<8xf32>
  %100 = "stablehlo.slice"(%b) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1xf32>
  %101 = "stablehlo.concatenate"(%100, %97) <{dimension = 0 : i64}> : (tensor<1xf32>, tensor<7xf32>) -> tensor<8xf32>
  %103 = "stablehlo.pad"(%99, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %105 = "stablehlo.pad"(%85, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %106 = "stablehlo.add"(%103, %105) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %108 = "stablehlo.pad"(%101, %zero) <{edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %110 = "stablehlo.pad"(%90, %zero) <{edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %111 = "stablehlo.add"(%108, %110) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  "func.return"(%106, %111) : (tensor<16xf32>, tensor<16xf32>) -> ()
}) : () -> ()
