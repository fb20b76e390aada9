// RUN: %python %S/float-ops.py obs-run %s
// REQUIRES: python

// Fused multiply-add, conversions and the classes of floats are exact. Both
// executors have the results of rational arithmetic in Python, rounded once. The
// reciprocal root of f16 and bf16 is that of f32, whose two steps round.
// All arrays are of bits: numbers are written as the bits of f16 or
// bf16, and classes as bits 0 (infinity), 1 (normal), 2 (finite) and 3 (NaN).
func.func @main(%a: !obs.pull<? x i16>, %b: !obs.pull<? x i16>, %c: !obs.pull<? x i16>, %w: !obs.pull<? x i32>, %l: !obs.pull<? x i64>)
    -> (!obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>) {
  %all = obs.map (%xa = %a : !obs.pull<? x i16>, %xb = %b : !obs.pull<? x i16>, %xc = %c : !obs.pull<? x i16>,
      %xw = %w : !obs.pull<? x i32>, %xl = %l : !obs.pull<? x i64>)
      -> !obs.pull<? x i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16> {
    %a_f16 = arith.bitcast %xa : i16 to f16
    %b_f16 = arith.bitcast %xb : i16 to f16
    %c_f16 = arith.bitcast %xc : i16 to f16
    %fma_f16_r = math.fma %a_f16, %b_f16, %c_f16 : f16
    %fma_f16 = arith.bitcast %fma_f16_r : f16 to i16
    %rsqrt_f16_r = math.rsqrt %a_f16 : f16
    %rsqrt_f16 = arith.bitcast %rsqrt_f16_r : f16 to i16
    %a_bf16 = arith.bitcast %xa : i16 to bf16
    %b_bf16 = arith.bitcast %xb : i16 to bf16
    %c_bf16 = arith.bitcast %xc : i16 to bf16
    %fma_bf16_r = math.fma %a_bf16, %b_bf16, %c_bf16 : bf16
    %fma_bf16 = arith.bitcast %fma_bf16_r : bf16 to i16
    %rsqrt_bf16_r = math.rsqrt %a_bf16 : bf16
    %rsqrt_bf16 = arith.bitcast %rsqrt_bf16_r : bf16 to i16
    %w_f32 = arith.bitcast %xw : i32 to f32
    %l_f64 = arith.bitcast %xl : i64 to f64
    %si32_r = arith.sitofp %xw : i32 to bf16
    %si32 = arith.bitcast %si32_r : bf16 to i16
    %si64_r = arith.sitofp %xl : i64 to bf16
    %si64 = arith.bitcast %si64_r : bf16 to i16
    %ui32_r = arith.uitofp %xw : i32 to bf16
    %ui32 = arith.bitcast %ui32_r : bf16 to i16
    %ui64_r = arith.uitofp %xl : i64 to bf16
    %ui64 = arith.bitcast %ui64_r : bf16 to i16
    %f64_f16_r = arith.truncf %l_f64 : f64 to f16
    %f64_f16 = arith.bitcast %f64_f16_r : f16 to i16
    %f64_bf16_r = arith.truncf %l_f64 : f64 to bf16
    %f64_bf16 = arith.bitcast %f64_bf16_r : bf16 to i16
    %c1 = arith.constant 1 : i16
    %c2 = arith.constant 2 : i16
    %c3 = arith.constant 3 : i16
    %isinf_f16 = math.isinf %a_f16 : f16
    %isinf_f16_i = arith.extui %isinf_f16 : i1 to i16
    %isnormal_f16 = math.isnormal %a_f16 : f16
    %isnormal_f16_i = arith.extui %isnormal_f16 : i1 to i16
    %isnormal_f16_s = arith.shli %isnormal_f16_i, %c1 : i16
    %isnormal_f16_o = arith.ori %isinf_f16_i, %isnormal_f16_s : i16
    %isfinite_f16 = math.isfinite %a_f16 : f16
    %isfinite_f16_i = arith.extui %isfinite_f16 : i1 to i16
    %isfinite_f16_s = arith.shli %isfinite_f16_i, %c2 : i16
    %isfinite_f16_o = arith.ori %isnormal_f16_o, %isfinite_f16_s : i16
    %isnan_f16 = math.isnan %a_f16 : f16
    %isnan_f16_i = arith.extui %isnan_f16 : i1 to i16
    %isnan_f16_s = arith.shli %isnan_f16_i, %c3 : i16
    %class_f16 = arith.ori %isfinite_f16_o, %isnan_f16_s : i16
    %isinf_bf16 = math.isinf %a_bf16 : bf16
    %isinf_bf16_i = arith.extui %isinf_bf16 : i1 to i16
    %isnormal_bf16 = math.isnormal %a_bf16 : bf16
    %isnormal_bf16_i = arith.extui %isnormal_bf16 : i1 to i16
    %isnormal_bf16_s = arith.shli %isnormal_bf16_i, %c1 : i16
    %isnormal_bf16_o = arith.ori %isinf_bf16_i, %isnormal_bf16_s : i16
    %isfinite_bf16 = math.isfinite %a_bf16 : bf16
    %isfinite_bf16_i = arith.extui %isfinite_bf16 : i1 to i16
    %isfinite_bf16_s = arith.shli %isfinite_bf16_i, %c2 : i16
    %isfinite_bf16_o = arith.ori %isnormal_bf16_o, %isfinite_bf16_s : i16
    %isnan_bf16 = math.isnan %a_bf16 : bf16
    %isnan_bf16_i = arith.extui %isnan_bf16 : i1 to i16
    %isnan_bf16_s = arith.shli %isnan_bf16_i, %c3 : i16
    %class_bf16 = arith.ori %isfinite_bf16_o, %isnan_bf16_s : i16
    %isinf_f32 = math.isinf %w_f32 : f32
    %isinf_f32_i = arith.extui %isinf_f32 : i1 to i16
    %isnormal_f32 = math.isnormal %w_f32 : f32
    %isnormal_f32_i = arith.extui %isnormal_f32 : i1 to i16
    %isnormal_f32_s = arith.shli %isnormal_f32_i, %c1 : i16
    %isnormal_f32_o = arith.ori %isinf_f32_i, %isnormal_f32_s : i16
    %isfinite_f32 = math.isfinite %w_f32 : f32
    %isfinite_f32_i = arith.extui %isfinite_f32 : i1 to i16
    %isfinite_f32_s = arith.shli %isfinite_f32_i, %c2 : i16
    %isfinite_f32_o = arith.ori %isnormal_f32_o, %isfinite_f32_s : i16
    %isnan_f32 = math.isnan %w_f32 : f32
    %isnan_f32_i = arith.extui %isnan_f32 : i1 to i16
    %isnan_f32_s = arith.shli %isnan_f32_i, %c3 : i16
    %class_f32 = arith.ori %isfinite_f32_o, %isnan_f32_s : i16
    %isinf_f64 = math.isinf %l_f64 : f64
    %isinf_f64_i = arith.extui %isinf_f64 : i1 to i16
    %isnormal_f64 = math.isnormal %l_f64 : f64
    %isnormal_f64_i = arith.extui %isnormal_f64 : i1 to i16
    %isnormal_f64_s = arith.shli %isnormal_f64_i, %c1 : i16
    %isnormal_f64_o = arith.ori %isinf_f64_i, %isnormal_f64_s : i16
    %isfinite_f64 = math.isfinite %l_f64 : f64
    %isfinite_f64_i = arith.extui %isfinite_f64 : i1 to i16
    %isfinite_f64_s = arith.shli %isfinite_f64_i, %c2 : i16
    %isfinite_f64_o = arith.ori %isnormal_f64_o, %isfinite_f64_s : i16
    %isnan_f64 = math.isnan %l_f64 : f64
    %isnan_f64_i = arith.extui %isnan_f64 : i1 to i16
    %isnan_f64_s = arith.shli %isnan_f64_i, %c3 : i16
    %class_f64 = arith.ori %isfinite_f64_o, %isnan_f64_s : i16
    obs.yield %fma_f16, %fma_bf16, %rsqrt_f16, %rsqrt_bf16, %si32, %ui32, %si64, %ui64, %f64_f16, %f64_bf16, %class_f16, %class_bf16, %class_f32, %class_f64 : i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16
  }
  %p = obs.push %all : !obs.pull<? x i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16> -> !obs.push<grid, ? x i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16>
  %f = obs.force %p : !obs.push<grid, ? x i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16> -> !obs.pull<? x i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16>
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13 = obs.unzip %f : !obs.pull<? x i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16, i16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13 : !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>, !obs.pull<? x i16>
}
