// Extents of run time around 2^31 and 2^32: the interpreter and the host refuse the same numbers.
// DEFINE: %{interpret} = not obs-run %s --device=interpret
// DEFINE: %{emulate} = not obs-run %s --device=emulate

// RUN: %{interpret} --entry=slice 4294967296 4294967295 2 1 2>&1 | FileCheck %s --check-prefix=SLICE-I
// RUN: %{emulate} --entry=slice 4294967296 4294967295 2 1 2>&1 | FileCheck %s --check-prefix=SLICE-E
// RUN: %{interpret} --entry=slice 4294967296 2147483648 2 2147483648 2>&1 | FileCheck %s --check-prefix=SLICE-STRIDE-I
// RUN: %{emulate} --entry=slice 4294967296 2147483648 2 2147483648 2>&1 | FileCheck %s --check-prefix=SLICE-E
// The steps from the first to the last element are 2^32 * 2^32.
// RUN: %{interpret} --entry=slice 4294967296 0 4294967297 4294967296 2>&1 | FileCheck %s --check-prefix=SLICE-WRAP-I
// RUN: %{emulate} --entry=slice 4294967296 0 4294967297 4294967296 2>&1 | FileCheck %s --check-prefix=SLICE-E
// RUN: %{interpret} --entry=slice 0 4294967296 1 1 2>&1 | FileCheck %s --check-prefix=SLICE-NONE-I
// RUN: %{emulate} --entry=slice 0 4294967296 1 1 2>&1 | FileCheck %s --check-prefix=SLICE-E
// RUN: obs-run %s --device=interpret --entry=slice 4294967296 4294967295 1 4294967296 | FileCheck %s --check-prefix=SLICE-LAST
// RUN: obs-run %s --device=emulate --entry=slice 4294967296 4294967295 1 4294967296 | FileCheck %s --check-prefix=SLICE-LAST
// SLICE-I: host-checks.mlir:[[#@LINE+8]]:8: error: [R4-range] the slice [4294967295] [2] [1] leaves the extent 4294967296 of dimension 0
// SLICE-STRIDE-I: host-checks.mlir:[[#@LINE+7]]:8: error: [R4-range] the slice [2147483648] [2] [2147483648] leaves the extent 4294967296 of dimension 0
// SLICE-WRAP-I: host-checks.mlir:[[#@LINE+6]]:8: error: [R4-range] the slice [0] [4294967297] [4294967296] leaves the extent 4294967296 of dimension 0
// SLICE-NONE-I: host-checks.mlir:[[#@LINE+5]]:8: error: [R4-range] the slice [4294967296] [1] [1] leaves the extent 0 of dimension 0
// SLICE-E: host-checks.mlir:[[#@LINE+4]]:8: error: assertion-failed: [R4-extents] obs.slice: the slice leaves the array
// SLICE-LAST: {{^}}[4294967295]{{$}}
func.func @slice(%n: index, %o: index, %k: index, %s: index) -> !obs.pull<1 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.slice %a [%o] [%k] [%s] : !obs.pull<? x index>
  %c = obs.take %b [1] : !obs.pull<? x index>
  %f = obs.force %c : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// RUN: %{interpret} --entry=take 4294967296 4294967297 2>&1 | FileCheck %s --check-prefix=TAKE-I
// RUN: %{emulate} --entry=take 4294967296 4294967297 2>&1 | FileCheck %s --check-prefix=TAKE-E
// RUN: %{emulate} --entry=take 0 4294967296 2>&1 | FileCheck %s --check-prefix=TAKE-E
// TAKE-I: host-checks.mlir:[[#@LINE+4]]:8: error: [R4-range] takes [4294967297] elements of an array with extents [4294967296]
// TAKE-E: host-checks.mlir:[[#@LINE+3]]:8: error: assertion-failed: [R4-extents] obs.take: takes more than there is
func.func @take(%n: index, %k: index) -> !obs.pull<1 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.take %a [%k] : !obs.pull<? x index>
  %c = obs.take %b [1] : !obs.pull<? x index>
  %f = obs.force %c : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// Extents that are equal in their lower 32 bits.
// RUN: %{interpret} --entry=map 4294967300 4 2>&1 | FileCheck %s --check-prefix=MAP-I
// RUN: %{emulate} --entry=map 4294967300 4 2>&1 | FileCheck %s --check-prefix=MAP-E
// RUN: %{interpret} --entry=map 4294967296 0 2>&1 | FileCheck %s --check-prefix=MAP-NONE-I
// RUN: %{emulate} --entry=map 4294967296 0 2>&1 | FileCheck %s --check-prefix=MAP-E
// MAP-I: host-checks.mlir:[[#@LINE+6]]:8: error: [R4-extents] the arrays have extents {{.*4294967300}}
// MAP-NONE-I: host-checks.mlir:[[#@LINE+5]]:8: error: [R4-extents] the arrays have extents {{.*4294967296}}
// MAP-E: host-checks.mlir:[[#@LINE+4]]:8: error: assertion-failed: [R4-extents] obs.map: the arrays have different extents
func.func @map(%n: index, %m: index) -> !obs.pull<1 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.iota [%m] : !obs.pull<? x index>
  %c = obs.map { arith.addi } %a, %b : !obs.pull<? x index>
  %d = obs.take %c [1] : !obs.pull<? x index>
  %f = obs.force %d : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// RUN: %{interpret} --entry=zip 4294967300 4 2>&1 | FileCheck %s --check-prefix=ZIP-I
// RUN: %{emulate} --entry=zip 4294967300 4 2>&1 | FileCheck %s --check-prefix=ZIP-E
// ZIP-I: host-checks.mlir:[[#@LINE+5]]:8: error: [R4-extents] the arrays have extents {{.*4294967300}}
// ZIP-E: host-checks.mlir:[[#@LINE+4]]:8: error: assertion-failed: [R4-extents] obs.zip: the arrays have different extents
func.func @zip(%n: index, %m: index) -> !obs.pull<1 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.iota [%m] : !obs.pull<? x index>
  %c = obs.zip %a, %b : !obs.pull<? x index>
  %u, %v = obs.unzip %c : !obs.pull<? x index, index>
  %d = obs.take %u [1] : !obs.pull<? x index>
  %f = obs.force %d : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// RUN: %{interpret} --entry=interleave 4294967300 4 2>&1 | FileCheck %s --check-prefix=INTERLEAVE-I
// RUN: %{emulate} --entry=interleave 4294967300 4 2>&1 | FileCheck %s --check-prefix=INTERLEAVE-E
// INTERLEAVE-I: host-checks.mlir:[[#@LINE+5]]:8: error: [R4-extents] the arrays have extents {{.*4294967300}}
// INTERLEAVE-E: host-checks.mlir:[[#@LINE+4]]:8: error: assertion-failed: [R4-extents] obs.interleave: the arrays have different extents
func.func @interleave(%n: index, %m: index) -> !obs.pull<1 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.iota [%m] : !obs.pull<? x index>
  %c = obs.interleave %a, %b : !obs.pull<? x index>
  %d = obs.take %c [1] : !obs.pull<? x index>
  %f = obs.force %d : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// RUN: %{interpret} --entry=split 4294967296 3 2>&1 | FileCheck %s --check-prefix=SPLIT-I
// RUN: %{emulate} --entry=split 4294967296 3 2>&1 | FileCheck %s --check-prefix=SPLIT-E
// RUN: %{emulate} --entry=split 4294967296 8589934592 2>&1 | FileCheck %s --check-prefix=SPLIT-E
// RUN: %{interpret} --entry=split 4294967296 0 2>&1 | FileCheck %s --check-prefix=SPLIT-NONE
// RUN: %{emulate} --entry=split 4294967296 0 2>&1 | FileCheck %s --check-prefix=SPLIT-NONE
// RUN: obs-run %s --device=interpret --entry=split 4294967296 2147483648 | FileCheck %s --check-prefix=SPLIT-TWO
// RUN: obs-run %s --device=emulate --entry=split 4294967296 2147483648 | FileCheck %s --check-prefix=SPLIT-TWO
// SPLIT-I: host-checks.mlir:[[#@LINE+6]]:8: error: [R4-split] extent 4294967296 is not a multiple of the chunk size 3
// SPLIT-E: host-checks.mlir:[[#@LINE+5]]:8: error: assertion-failed: [R4-extents] obs.split: the chunk size does not divide the extent
// SPLIT-NONE: host-checks.mlir:[[#@LINE+4]]:8: error:
// SPLIT-TWO: {{^}}[2]{{$}}
func.func @split(%n: index, %k: index) -> !obs.pull<1 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.split %a by [%k] : !obs.pull<? x index>
  %d = obs.dim %b, 0 : !obs.pull<? x !obs.pull<? x index>>
  %c = obs.splat %d : !obs.pull<1 x index>
  %f = obs.force %c : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// RUN: %{interpret} --entry=reshape 4294967296 4294967296 2 2>&1 | FileCheck %s --check-prefix=RESHAPE-I
// RUN: %{emulate} --entry=reshape 4294967296 4294967296 2 2>&1 | FileCheck %s --check-prefix=RESHAPE-E
// RUN: %{interpret} --entry=reshape 4294967296 4294967296 0 2>&1 | FileCheck %s --check-prefix=RESHAPE-NONE-I
// RUN: %{emulate} --entry=reshape 4294967296 4294967296 0 2>&1 | FileCheck %s --check-prefix=RESHAPE-E
// RUN: obs-run %s --device=emulate --entry=reshape 4294967296 2 2147483648 | FileCheck %s --check-prefix=RESHAPE-TWO
// RESHAPE-I: host-checks.mlir:[[#@LINE+6]]:8: error: [R4-size] cannot reshape extents [4294967296] to [4294967296, 2]
// RESHAPE-NONE-I: host-checks.mlir:[[#@LINE+5]]:8: error: [R4-size] cannot reshape extents [4294967296] to [4294967296, 0]
// RESHAPE-E: host-checks.mlir:[[#@LINE+4]]:8: error: assertion-failed: [R4-extents] obs.reshape: the numbers of elements differ
// RESHAPE-TWO: {{^}}[2147483648]{{$}}
func.func @reshape(%n: index, %k: index, %l: index) -> !obs.pull<1 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.reshape %a [%k, %l] : !obs.pull<? x index> -> !obs.pull<? x ? x index>
  %t = obs.transpose %b [1, 0] : !obs.pull<? x ? x index>
  %d = obs.dim %t, 0 : !obs.pull<? x ? x index>
  %c = obs.splat %d : !obs.pull<1 x index>
  %f = obs.force %c : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// More than the chunks have.
// RUN: %{interpret} --entry=join 4294967296 17179869185 2>&1 | FileCheck %s --check-prefix=JOIN-I
// RUN: %{emulate} --entry=join 4294967296 17179869185 2>&1 | FileCheck %s --check-prefix=JOIN-E
// RUN: %{emulate} --entry=join 0 1 2>&1 | FileCheck %s --check-prefix=JOIN-E
// RUN: obs-run %s --device=emulate --entry=join 4294967296 17179869184 | FileCheck %s --check-prefix=JOIN-ALL
// JOIN-I: host-checks.mlir:[[#@LINE+8]]:8: error: [R4-range] joins extents [17179869184] to [17179869185]
// JOIN-E: host-checks.mlir:[[#@LINE+7]]:8: error: assertion-failed: [R4-extents] obs.join: joins to more than there is
// JOIN-ALL: {{^}}[17179869184]{{$}}
func.func @join(%n: index, %m: index) -> !obs.pull<1 x index> {
  %four = arith.constant 4 : index
  %a = obs.generate (%i, %j) [%n, %four] {
    obs.yield %i : index
  } : !obs.pull<? x ? x index>
  %b = obs.join %a to [%m] : !obs.pull<? x ? x index>
  %d = obs.dim %b, 0 : !obs.pull<? x index>
  %c = obs.splat %d : !obs.pull<1 x index>
  %f = obs.force %c : !obs.pull<1 x index>
  return %f : !obs.pull<1 x index>
}

// RUN: %{interpret} --entry=put 4294967296 2>&1 | FileCheck %s --check-prefix=PUT-I
// RUN: %{emulate} --entry=put 4294967296 2>&1 | FileCheck %s --check-prefix=PUT-E
// PUT-I: host-checks.mlir:[[#@LINE+6]]:5: error: writes index [4294967296], outside of the extents [4]
// PUT-E: host-checks.mlir:[[#@LINE+5]]:5: error: assertion-failed: [R4-extents] obs.put: the array leaves that of the fill
func.func @put(%o: index) -> !obs.pull<4 x index> {
  %a = obs.iota : !obs.pull<4 x index>
  %p = obs.push grid %a : !obs.pull<4 x index>
  %b = obs.fill {
    obs.put %p at [%o] : !obs.push<grid, 4 x index>
  } : !obs.push<grid, 4 x index>
  %f = obs.force %b : !obs.push<grid, 4 x index>
  return %f : !obs.pull<4 x index>
}

// Writes whose lower 32 bits are inside.
// RUN: %{interpret} --entry=write 4294967296 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: %{emulate} --entry=write 4294967296 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: host-checks.mlir:[[#@LINE+5]]:5: error: {{.*}}4294967296
func.func @write(%o: index) -> !obs.pull<4 x index> {
  %c1 = arith.constant 1 : index
  %b = obs.fill par (%i) in (%c1) {
    %at = arith.addi %i, %o : index
    obs.write %i at [%at] : index
  } : !obs.push<grid, 4 x index>
  %f = obs.force %b : !obs.push<grid, 4 x index>
  return %f : !obs.pull<4 x index>
}

// Reads, too.
// RUN: %{interpret} --entry=get iota:4xi32 4294967296 2>&1 | FileCheck %s --check-prefix=GET
// RUN: %{emulate} --entry=get iota:4xi32 4294967296 2>&1 | FileCheck %s --check-prefix=GET
// GET: host-checks.mlir:[[#@LINE+4]]:10: error: {{.*}}4294967296
func.func @get(%a: !obs.pull<4 x i32>, %o: index) -> !obs.pull<1 x i32> {
  %b = obs.generate (%i) {
    %at = arith.addi %i, %o : index
    %x = obs.get %a[%at] : !obs.pull<4 x i32>
    obs.yield %x : i32
  } : !obs.pull<1 x i32>
  %f = obs.force %b : !obs.pull<1 x i32>
  return %f : !obs.pull<1 x i32>
}

// Types of counts.
// RUN: %{interpret} --entry=compact 2147483648 2>&1 | FileCheck %s --check-prefix=COMPACT-I
// RUN: %{emulate} --entry=compact 2147483648 2>&1 | FileCheck %s --check-prefix=COMPACT-E
// RUN: %{emulate} --entry=compact 4294967296 2>&1 | FileCheck %s --check-prefix=COMPACT-E
// COMPACT-I: host-checks.mlir:[[#@LINE+6]]:12: error: [count-range] there may be 2147483648 elements, more than i32 can count
// COMPACT-E: host-checks.mlir:[[#@LINE+5]]:12: error: assertion-failed: [count-range] obs.compact: there may be more elements than i32 can count
func.func @compact(%n: index) -> !obs.pull<1 x i32> {
  %a = obs.iota [%n] : !obs.pull<? x i32>
  %t = arith.constant true
  %fl = obs.splat %t [%n] : !obs.pull<? x i1>
  %b, %c = obs.compact %a flags %fl : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %f = obs.force %c : !obs.push<grid, 1 x i32>
  return %f : !obs.pull<1 x i32>
}

// RUN: %{interpret} --entry=expand 4294967296 2>&1 | FileCheck %s --check-prefix=EXPAND-I
// RUN: %{emulate} --entry=expand 4294967296 2>&1 | FileCheck %s --check-prefix=EXPAND-E
// RUN: obs-run %s --device=interpret --entry=expand 2147483647 | FileCheck %s --check-prefix=EXPAND
// RUN: obs-run %s --device=emulate --entry=expand 2147483647 | FileCheck %s --check-prefix=EXPAND
// EXPAND-I: host-checks.mlir:[[#@LINE+5]]:12: error: [count-range] there may be 4294967296 elements, more than i32 can count
// EXPAND-E: host-checks.mlir:[[#@LINE+4]]:12: error: assertion-failed: [count-range] obs.expand: there may be more elements than i32 can count
// EXPAND: {{^}}[3]{{$}}
func.func @expand(%n: index) -> !obs.pull<1 x i32> {
  %l = obs.constant dense<[1, 2]> : tensor<2xi32>
  %b, %c = obs.expand (%i, %j) = %l [%n] : !obs.pull<2 x i32> -> !obs.push<grid, ? x index>, !obs.push<grid, 1 x i32> {
    obs.yield %i : index
  }
  %f = obs.force %c : !obs.push<grid, 1 x i32>
  return %f : !obs.pull<1 x i32>
}

// Lengths and the last offset of segments.
// RUN: %{interpret} --entry=offsets 4294967296 2>&1 | FileCheck %s --check-prefix=OFFSETS
// OFFSETS: error: {{.*}}[segment-offsets]
func.func @offsets(%n: index) -> !obs.pull<1 x index> {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = obs.iota [%one] : !obs.pull<? x index>
  %zero = obs.splat %z : !obs.pull<1 x index>
  %last = obs.splat %n : !obs.pull<1 x index>
  %o = obs.concat %zero, %last : !obs.pull<1 x index>
  %p = obs.segmented_reduce grid { arith.addi } %a init %z offsets %o : !obs.pull<? x index>, !obs.pull<2 x index>
  %f = obs.force %p : !obs.push<grid, 1 x index>
  return %f : !obs.pull<1 x index>
}

// One more than the most elements of an array, and a negative number.
// RUN: %{interpret} --entry=sources 281474976710657 0 0 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: %{emulate} --entry=sources 281474976710657 0 0 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: %{interpret} --entry=sources 0 -4294967296 0 2>&1 | FileCheck %s --check-prefix=SPLAT
// RUN: %{emulate} --entry=sources 0 -4294967296 0 2>&1 | FileCheck %s --check-prefix=SPLAT
// RUN: %{interpret} --entry=sources 0 0 281474976710657 2>&1 | FileCheck %s --check-prefix=GENERATE
// RUN: %{emulate} --entry=sources 0 0 281474976710657 2>&1 | FileCheck %s --check-prefix=GENERATE
// RUN: obs-run %s --device=interpret --entry=sources 281474976710656 4294967296 281474976710656 | FileCheck %s --check-prefix=MOST
// RUN: obs-run %s --device=emulate --entry=sources 281474976710656 4294967296 281474976710656 | FileCheck %s --check-prefix=MOST
// IOTA: host-checks.mlir:[[#@LINE+5]]:8: error: {{.*}}[R4-extents]
// SPLAT: host-checks.mlir:[[#@LINE+5]]:8: error: {{.*}}[R4-extents]
// GENERATE: host-checks.mlir:[[#@LINE+5]]:8: error: {{.*}}[R4-extents]
// MOST: {{^}}[281474976710656, 4294967296, 281474976710656]{{$}}
func.func @sources(%n: index, %m: index, %k: index) -> !obs.pull<3 x index> {
  %a = obs.iota [%n] : !obs.pull<? x index>
  %b = obs.splat %n [%m] : !obs.pull<? x index>
  %c = obs.generate (%i) [%k] {
    obs.yield %i : index
  } : !obs.pull<? x index>
  %da = obs.dim %a, 0 : !obs.pull<? x index>
  %db = obs.dim %b, 0 : !obs.pull<? x index>
  %dc = obs.dim %c, 0 : !obs.pull<? x index>
  %ea = obs.splat %da : !obs.pull<1 x index>
  %eb = obs.splat %db : !obs.pull<1 x index>
  %ec = obs.splat %dc : !obs.pull<1 x index>
  %e = obs.concat %ea, %eb, %ec : !obs.pull<1 x index>
  %f = obs.force %e : !obs.pull<3 x index>
  return %f : !obs.pull<3 x index>
}

// A loop over the grid with 2^64 iterations.
// RUN: %{emulate} --entry=par 4294967296 2>&1 | FileCheck %s --check-prefix=PAR
// PAR: host-checks.mlir:[[#@LINE+5]]:8: error: assertion-failed: [R4-extents] a loop over the grid has more than 2^63 iterations
func.func @par(%n: index) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %p = obs.fill init %zero any par (%i, %j) in (%n, %n) {
    obs.write %one at [%c0] : i32
  } : !obs.push<grid, 1 x i32>
  %f = obs.force %p : !obs.push<grid, 1 x i32>
  return %f : !obs.pull<1 x i32>
}
