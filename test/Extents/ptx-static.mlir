// Kernels that only a GPU runs over all of their elements, with static extents of 2^31 and 2^32: the PTX compares with
// these numbers, and computes addresses in 64 bits.
// RUN: obs-translate --no-tiles --obs-to-ptx %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// The last of 2^31 bytes, counted from the first one, and the end of the loop.
// CHECK-LABEL: .entry reverse31(
// CHECK: add.s64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, 2147483647;
// CHECK: setp.lt.u64 {{%p[0-9]+}}, {{%rd[0-9]+}}, 2147483648;
// CHECK: ret;
func.func @reverse31(%a: !obs.pull<2147483648 x i8>) -> !obs.pull<2147483648 x i8> {
  %r = obs.reverse %a : !obs.pull<2147483648 x i8>
  %f = obs.force %r {kernel = "reverse31"} : !obs.pull<2147483648 x i8>
  return %f : !obs.pull<2147483648 x i8>
}

// CHECK-LABEL: .entry reverse32(
// CHECK: add.s64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, 4294967295;
// CHECK: setp.lt.u64 {{%p[0-9]+}}, {{%rd[0-9]+}}, 4294967296;
// CHECK: ret;
func.func @reverse32(%a: !obs.pull<4294967296 x i8>) -> !obs.pull<4294967296 x i8> {
  %r = obs.reverse %a : !obs.pull<4294967296 x i8>
  %f = obs.force %r {kernel = "reverse32"} : !obs.pull<4294967296 x i8>
  return %f : !obs.pull<4294967296 x i8>
}

// The second half of 2^32 elements of 8 bytes begins 2^34 bytes after the first.
// CHECK-LABEL: .entry half(
// CHECK: 17179869184;
// CHECK: setp.lt.u64 {{%p[0-9]+}}, {{%rd[0-9]+}}, 2147483648;
// CHECK: ret;
func.func @half(%a: !obs.pull<4294967296 x i64>) -> !obs.pull<2147483648 x i64> {
  %s = obs.slice %a [2147483648] [2147483648] [1] : !obs.pull<4294967296 x i64>
  %m = obs.map { arith.addi } %s, %s : !obs.pull<2147483648 x i64>
  %f = obs.force %m {kernel = "half"} : !obs.pull<2147483648 x i64>
  return %f : !obs.pull<2147483648 x i64>
}

// The second of two programs writes its 2^32 elements of 8 bytes 2^35 bytes after the first.
// CHECK-LABEL: .entry concat(
// CHECK: 34359738368;
// CHECK: setp.lt.u64 {{%p[0-9]+}}, {{%rd[0-9]+}}, 4294967296;
// CHECK: ret;
func.func @concat(%a: !obs.pull<4294967296 x i64>) -> !obs.pull<8589934592 x i64> {
  %p = obs.push grid %a : !obs.pull<4294967296 x i64>
  %c = obs.concat %p, %p : !obs.push<grid, 4294967296 x i64>
  %f = obs.force %c {kernel = "concat"} : !obs.push<grid, 8589934592 x i64>
  return %f : !obs.pull<8589934592 x i64>
}

// An offset of 2^31 elements of 8 bytes is 2^34 bytes.
// CHECK-LABEL: .entry put(
// CHECK: 17179869184
// CHECK: ret;
func.func @put(%a: !obs.pull<2147483648 x i64>) -> !obs.pull<4294967296 x i64> {
  %o = arith.constant 2147483648 : index
  %p = obs.push grid %a : !obs.pull<2147483648 x i64>
  %q = obs.fill {
    obs.put %p at [%o] : !obs.push<grid, 2147483648 x i64>
  } : !obs.push<grid, 4294967296 x i64>
  %f = obs.force %q {kernel = "put"} : !obs.push<grid, 4294967296 x i64>
  return %f : !obs.pull<4294967296 x i64>
}

// Three rows of 2^32 elements: the loop has 3 * 2^32 iterations.
// CHECK-LABEL: .entry transpose(
// CHECK: setp.lt.u64 {{%p[0-9]+}}, {{%rd[0-9]+}}, 12884901888;
// CHECK: ret;
func.func @transpose(%a: !obs.pull<3 x 4294967296 x i64>) -> !obs.pull<4294967296 x 3 x i64> {
  %t = obs.transpose %a [1, 0] : !obs.pull<3 x 4294967296 x i64>
  %f = obs.force %t {kernel = "transpose"} : !obs.pull<4294967296 x 3 x i64>
  return %f : !obs.pull<4294967296 x 3 x i64>
}

// 2^32 / 4096 tiles.
// CHECK-LABEL: .entry scan(
// CHECK: setp.{{[lg][et]}}.u{{32|64}} {{%p[0-9]+}}, {{%rd?[0-9]+}}, {{1048575|1048576}};
// CHECK: ld.shared.b64 [[TILE:%rd[0-9]+]]
// CHECK: shl.b64 {{%rd[0-9]+}}, [[TILE]], 12;
// CHECK: ret;
func.func @scan(%a: !obs.pull<4294967296 x i64>) -> !obs.pull<4294967296 x i64> {
  %z = arith.constant 0 : i64
  %p = obs.scan grid inclusive { arith.addi } %a init %z {strategy = "one_pass"} : !obs.pull<4294967296 x i64>
  %f = obs.force %p {kernel = "scan"} : !obs.push<grid, 4294967296 x i64>
  return %f : !obs.pull<4294967296 x i64>
}

// Indices of 32 bits with a sign, for a result of 2^32 elements: those from 0 on are inside, and -1 is not.
// CHECK-LABEL: .entry scatter(
// CHECK: ld.global.b32 [[INDEX:%r[0-9]+]]
// CHECK: setp.lt.s32 {{%p[0-9]+}}, [[INDEX]], 0;
// CHECK: mul.wide.u32 {{%rd[0-9]+}}, [[INDEX]], 8;
// CHECK: st.global.b64
func.func @scatter(%a: !obs.pull<2147483648 x i64>, %at: !obs.pull<2147483648 x i32>) -> !obs.pull<4294967296 x i64> {
  %p = obs.scatter %a at %at any : !obs.pull<2147483648 x i64>, !obs.pull<2147483648 x i32> -> !obs.push<grid, 4294967296 x i64>
  %f = obs.force %p {kernel = "scatter"} : !obs.push<grid, 4294967296 x i64>
  return %f : !obs.pull<4294967296 x i64>
}
