// Kernels that only a GPU runs over all of their elements, for as many elements as there are at run time: the PTX
// compares with the extent and computes addresses in 64 bits, and no number of elements is truncated.
// RUN: obs-translate --no-tiles --obs-to-ptx %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// Threads are counted in 64 bits: (number of the block) * 256 + (number of the thread).
// CHECK-LABEL: .entry map(
// CHECK: ld.param.b64 [[N:%rd[0-9]+]], [map_param_1];
// CHECK: mul.wide.u32 [[BLOCK:%rd[0-9]+]], {{%r[0-9]+}}, 256;
// CHECK: setp.{{[lg][et]}}.s64 {{%p[0-9]+}}, {{%rd[0-9]+}}, [[N]];
// CHECK-NOT: cvt.u32.u64
// CHECK: setp.lt.s64 {{%p[0-9]+}}, {{%rd[0-9]+}}, [[N]];
// CHECK-NOT: cvt.u32.u64
// CHECK: ret;
func.func @map(%a: !obs.pull<? x i64>, %b: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %c = obs.map { arith.addi } %a, %b : !obs.pull<? x i64>
  %f = obs.force %c {kernel = "map"} : !obs.pull<? x i64>
  return %f : !obs.pull<? x i64>
}

// CHECK-LABEL: .entry moved(
// CHECK-NOT: cvt.u32.u64
// CHECK: mul.wide.u32
// CHECK: setp.{{[lg][et]}}.s64
// CHECK: ret;
// The quotient by 3 of an index of 64 bits.
// CHECK-LABEL: .entry interleave(
// CHECK-NOT: cvt.u32.u64
// CHECK: mul.hi.{{[su]}}64
// CHECK: ret;
func.func @moved(%a: !obs.pull<? x 3 x i64>) -> (!obs.pull<3 x ? x i64>, !obs.pull<? x i64>) {
  %t = obs.transpose %a [1, 0] : !obs.pull<? x 3 x i64>
  %r = obs.reverse %t dim 1 : !obs.pull<3 x ? x i64>
  %j = obs.join %a : !obs.pull<? x 3 x i64>
  %i = obs.interleave %j, %j, %j : !obs.pull<? x i64>
  %f = obs.force %r {kernel = "moved"} : !obs.pull<3 x ? x i64>
  %g = obs.force %i {kernel = "interleave"} : !obs.pull<? x i64>
  return %f, %g : !obs.pull<3 x ? x i64>, !obs.pull<? x i64>
}

// The second program of two begins 8 N bytes after the first.
// CHECK-LABEL: .entry concat(
// CHECK: ld.param.b64 [[N:%rd[0-9]+]], [concat_param_1];
// CHECK-NOT: cvt.u32.u64
// CHECK: shl.b64 {{%rd[0-9]+}}, [[N]], 3;
// CHECK-NOT: cvt.u32.u64
// CHECK: ret;
func.func @concat(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %p = obs.push grid %a : !obs.pull<? x i64>
  %c = obs.concat %p, %p : !obs.push<grid, ? x i64>
  %f = obs.force %c {kernel = "concat"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}

// A put at an offset of run time.
// CHECK-LABEL: .entry fill(
// CHECK-NOT: cvt.u32.u64
// CHECK: ld.param.b64 [[OFFSET:%rd[0-9]+]], [fill_param_3];
// CHECK-NOT: cvt.u32.u64
// CHECK: shl.b64 {{%rd[0-9]+}}, [[OFFSET]], 3;
// CHECK-NOT: cvt.u32.u64
// CHECK: ret;
func.func @fill(%a: !obs.pull<? x i64>, %m: index, %o: index) -> !obs.pull<? x i64> {
  %q = obs.push grid %a : !obs.pull<? x i64>
  %p = obs.fill [%m] {
    obs.put %q at [%o] : !obs.push<grid, ? x i64>
  } : !obs.push<grid, ? x i64>
  %f = obs.force %p {kernel = "fill"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}

// An index of 32 bits keeps its sign: -1 is outside of an array of 2^32 elements. Its product with 8 has 64 bits.
// CHECK-LABEL: .entry scatter32(
// CHECK: ld.global.b32 [[INDEX:%r[0-9]+]]
// CHECK: cvt.s64.s32 [[WIDE:%rd[0-9]+]], [[INDEX]];
// CHECK: setp.{{[lg][et]}}.u64 {{%p[0-9]+}}, {{(%rd[0-9]+, )?}}[[WIDE]]
// CHECK: mul.wide.s32 {{%rd[0-9]+}}, [[INDEX]], 8;
// CHECK: red.relaxed.gpu.global.add.u64
func.func @scatter32(%a: !obs.pull<? x i64>, %at: !obs.pull<? x i32>, %n: index) -> !obs.pull<? x i64> {
  %z = arith.constant 0 : i64
  %p = obs.scatter %a at %at init %z reduce(addi) [%n] : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, ? x i64>
  %f = obs.force %p {kernel = "scatter32"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}

// An index of 64 bits is compared in 64 bits, here with a static extent of 4.
// CHECK-LABEL: .entry scatter64(
// CHECK: ld.global.b64 [[INDEX:%rd[0-9]+]]
// CHECK: setp.{{[lg][et]}}.u64 {{%p[0-9]+}}, [[INDEX]], {{[34]}};
func.func @scatter64(%a: !obs.pull<? x i64>, %at: !obs.pull<? x i64>) -> !obs.pull<4 x i64> {
  %z = arith.constant 0 : i64
  %p = obs.scatter %a at %at init %z any : !obs.pull<? x i64>, !obs.pull<? x i64> -> !obs.push<grid, 4 x i64>
  %f = obs.force %p {kernel = "scatter64"} : !obs.push<grid, 4 x i64>
  return %f : !obs.pull<4 x i64>
}

// Chunks of 256 elements: chunk c begins 2048 c bytes after the first.
// CHECK-LABEL: .entry chunks(
// CHECK: mov.u32 [[BLOCK:%r[0-9]+]], %ctaid.x;
// CHECK: cvt.u64.u32 [[CHUNK:%rd[0-9]+]], [[BLOCK]];
// CHECK: shl.b64 {{%rd[0-9]+}}, [[CHUNK]], 11;
// CHECK: ret;
func.func @chunks(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %chunks = obs.split %a by [256] : !obs.pull<? x i64>
  %p = obs.distribute block in grid (%c = %chunks : !obs.pull<? x !obs.pull<256 x i64>>) {
    %s = obs.force %c in shared : !obs.pull<256 x i64>
    %r = obs.reverse %s : !obs.pull<256 x i64>
    %q = obs.push block %r : !obs.pull<256 x i64>
    obs.yield %q : !obs.push<block, 256 x i64>
  }
  %j = obs.join %p : !obs.push<grid, ? x 256 x i64>
  %f = obs.force %j {kernel = "chunks"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}

// Tiles of 4096 or 2048 elements: their number is a quotient of 64 bits, the first element of a tile is its number times
// their size, in 64 bits, and so is the number of elements from it to the end, with which positions are compared.
// CHECK-LABEL: .entry scan(
// CHECK: ld.param.b64 [[N:%rd[0-9]+]], [scan_param_1];
// CHECK: add.s64 [[ROUNDED:%rd[0-9]+]], [[N]], 4095;
// CHECK: shr.u64 [[TILES:%rd[0-9]+]], [[ROUNDED]], 12;
// CHECK: shl.b64 [[FIRST:%rd[0-9]+]], {{%rd[0-9]+}}, 12;
// CHECK: sub.s64 [[LEFT:%rd[0-9]+]], [[N]], {{%rd[0-9]+}};
// CHECK: setp.lt.s64 {{%p[0-9]+}}, [[LEFT]], {{[0-9]+}};
func.func @scan(%a: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %z = arith.constant 0 : i64
  %p = obs.scan grid inclusive { arith.addi } %a init %z {strategy = "one_pass"} : !obs.pull<? x i64>
  %f = obs.force %p {kernel = "scan"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}

// The same for compact, and for the segmented forms.
// CHECK-LABEL: .entry compact(
// CHECK: ld.param.b64 [[N:%rd[0-9]+]], [compact_param_1];
// CHECK: add.s64 [[ROUNDED:%rd[0-9]+]], [[N]], 4095;
// CHECK: shr.u64 {{%rd[0-9]+}}, [[ROUNDED]], 12;
// CHECK: shl.b64 [[FIRST:%rd[0-9]+]], {{%rd[0-9]+}}, 12;
// CHECK: sub.s64 [[LEFT:%rd[0-9]+]], [[N]], {{%rd[0-9]+}};
// CHECK: setp.lt.s64 {{%p[0-9]+}}, [[LEFT]], {{[0-9]+}};
func.func @compact(%a: !obs.pull<? x i64>, %b: !obs.pull<? x i1>) -> (!obs.pull<? x i64>, !obs.pull<1 x i64>) {
  %p, %q = obs.compact %a flags %b : !obs.pull<? x i64>, !obs.pull<? x i1> -> !obs.push<grid, ? x i64>, !obs.push<grid, 1 x i64>
  %f, %g = obs.force %p, %q {kernel = "compact"} : !obs.push<grid, ? x i64>, !obs.push<grid, 1 x i64>
  return %f, %g : !obs.pull<? x i64>, !obs.pull<1 x i64>
}

// CHECK-LABEL: .entry segments(
// CHECK: ld.param.b64 [[N:%rd[0-9]+]], [segments_param_1];
// CHECK: add.s64 [[ROUNDED:%rd[0-9]+]], [[N]], 2047;
// CHECK: shr.u64 {{%rd[0-9]+}}, [[ROUNDED]], 11;
// CHECK: shl.b64 [[FIRST:%rd[0-9]+]], {{%rd[0-9]+}}, 11;
// CHECK: sub.s64 [[LEFT:%rd[0-9]+]], [[N]], {{%rd[0-9]+}};
// CHECK: setp.lt.s64 {{%p[0-9]+}}, [[LEFT]], {{[0-9]+}};
func.func @segments(%a: !obs.pull<? x i64>, %b: !obs.pull<? x i1>) -> !obs.pull<? x i64> {
  %z = arith.constant 0 : i64
  %p = obs.segmented_scan grid inclusive { arith.addi } %a init %z flags %b : !obs.pull<? x i64>, !obs.pull<? x i1>
  %f = obs.force %p {kernel = "segments"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}

// One thread for each segment. It compares its offsets in 64 bits.
// CHECK-LABEL: .entry rows(
// CHECK-NOT: cvt.u32.u64
// CHECK: ld.global.b64 [[BEGIN:%rd[0-9]+]]
// CHECK: ld.global.b64 [[END:%rd[0-9]+]]
// CHECK: setp.{{[lg][et]}}.s64 {{%p[0-9]+}}, [[BEGIN]], [[END]];
// CHECK-NOT: cvt.u32.u64
// CHECK: ret;
func.func @rows(%a: !obs.pull<? x i64>, %o: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %z = arith.constant 0 : i64
  %p = obs.segmented_reduce grid { arith.addi } %a init %z offsets %o {strategy = "sequential"} : !obs.pull<? x i64>, !obs.pull<? x i64>
  %f = obs.force %p {kernel = "rows"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}

// At most 1024 parts: the length of one is a quotient of 64 bits.
// CHECK-LABEL: .entry reduce(
// CHECK: ld.param.b64 [[N:%rd[0-9]+]], [reduce_param_1];
// CHECK-NOT: cvt.u32.u64 {{%r[0-9]+}}, [[N]];
// CHECK: ret;
func.func @reduce(%a: !obs.pull<? x i64>) -> !obs.pull<1 x i64> {
  %z = arith.constant 0 : i64
  %p = obs.reduce grid { arith.addi } %a init %z {strategy = "one_kernel"} : !obs.pull<? x i64>
  %f = obs.force %p {kernel = "reduce"} : !obs.push<grid, 1 x i64>
  return %f : !obs.pull<1 x i64>
}

// The search of the length that the first element of a tile belongs to. Only positions in a tile of 4096 elements have
// 32 bits.
// CHECK-LABEL: .entry expand(
// CHECK-DAG: ld.param.b64 [[LENGTHS:%rd[0-9]+]], [expand_param_1];
// CHECK-DAG: ld.param.b64 [[N:%rd[0-9]+]], [expand_param_2];
// CHECK-NOT: cvt.u32.u64 {{%r[0-9]+}}, [[N]];
// CHECK: setp.{{[lg][et]}}.s64
// CHECK: st.global.b64
// CHECK-NOT: ld.global.b32
// CHECK: ret;
func.func @expand(%l: !obs.pull<? x i64>, %n: index) -> !obs.pull<? x i64> {
  %p, %q = obs.expand (%i, %j) = %l [%n] : !obs.pull<? x i64> -> !obs.push<grid, ? x i64>, !obs.push<grid, 1 x i64> {
    %x = arith.index_cast %j : index to i64
    obs.yield %x : i64
  }
  %f = obs.force %p {kernel = "expand"} : !obs.push<grid, ? x i64>
  return %f : !obs.pull<? x i64>
}
