// RUN: obs-opt %s --obs-expand-collectives --canonicalize | FileCheck %s
// RUN: obs-opt %s --obs-expand-collectives=plain --canonicalize | FileCheck %s --check-prefix=PLAIN

// Privatised copies of a result whose number of elements is known at run time: the host selects one of
// several kernels. The last one has no copies.

!ints = !obs.pull<? x i32>

// A thread loads two groups of four neighbours, and then writes. The remaining elements are processed one
// by one. Blocks are wide, so that there are few copies.
// CHECK-LABEL: @bins(
// CHECK-SAME: %[[KEYS:.*]]: !obs.pull<? x i32>, %[[BINS:.*]]: index
// CHECK: %[[SMALL:.*]] = arith.cmpi slt, %[[BINS]], %c16385
// CHECK: %[[R:.*]] = scf.if %[[SMALL]] -> (!obs.pull<? x i32>) {
// CHECK: obs.par block
// CHECK: %[[CHUNKS:.*]] = arith.divui %{{.*}}, %c2048
// CHECK: %[[WORK:.*]] = arith.muli %[[CHUNKS]], %c256
// CHECK: obs.par (%{{.*}}) in (%[[WORK]])
// CHECK-COUNT-8: obs.get %[[KEYS]]
// CHECK-NOT: obs.get
// CHECK-COUNT-8: obs.write
// CHECK: obs.par (%[[T:.*]]) in
// CHECK: obs.get %[[KEYS]]
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [16384]>
// CHECK: obs.force %{{.*}} {kernel = "count", threads = 1024 : i64}
// CHECK: } else {
// CHECK: %[[LARGE:.*]] = arith.cmpi slt, %[[BINS]], %c131073
// CHECK: scf.if %[[LARGE]]

// Up to four blocks read the same keys. Each counts those of a range. A multiprocessor has room for one
// block, so a thread loads four groups, and there are half as many parts.
// CHECK: arith.divui %{{.*}}, %c128
// CHECK: arith.divui %{{.*}}, %c128
// CHECK: %[[RANGES:.*]] = arith.divui %{{.*}}, %c32768
// CHECK: arith.muli %{{.*}}, %[[RANGES]]
// CHECK: obs.par block (%[[B:.*]]) in
// CHECK: %[[RANGE:.*]] = arith.remui %[[B]], %[[RANGES]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANGE]], %c32768
// CHECK: arith.minsi %{{.*}}, %c32768
// CHECK: arith.divui %{{.*}}, %c4096
// CHECK-COUNT-16: obs.get %[[KEYS]]
// CHECK: %[[PLACE:.*]] = arith.subi %{{.*}}, %[[FIRST]]
// CHECK-NEXT: arith.cmpi ult, %[[PLACE]], %{{.*}}
// CHECK: obs.write %{{.*}} at [%[[PLACE]]]
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [32768]>
// CHECK: obs.force %{{.*}} {kernel = "count", threads = 1024 : i64}
// CHECK: } else {
// CHECK-NOT: obs.par block
// CHECK: obs.force %{{.*}} {kernel = "count"}
// CHECK: return %[[R]]

// PLAIN-LABEL: @bins(
// PLAIN-NOT: scf.if
// PLAIN-NOT: obs.par block
// PLAIN: obs.force %{{.*}} {kernel = "count"}
func.func @bins(%keys: !ints, %bins: index) -> !ints {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !ints
  %p = obs.fill init %zero reduce(addi) [%bins] par (%i) in (%n) {
    %x = obs.get %keys[%i] : !ints
    %k = arith.index_cast %x : i32 to index
    obs.write %one at [%k] : i32
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p {kernel = "count"} : !obs.push<grid, ? x i32> -> !ints
  return %r : !ints
}

// If memory needs a loop for an update, the warps of a block have copies of a few elements. A number of
// threads that the program requests is kept.
// CHECK-LABEL: @floats(
// CHECK: arith.cmpi slt, %{{.*}}, %c1025
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x ? x f32 bound [8, 1024]>
// CHECK: obs.force %{{.*}} {threads = 96 : i64}
// CHECK: arith.cmpi slt, %{{.*}}, %c2049
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x f32 bound [2048]>
// CHECK: obs.force %{{.*}} {threads = 96 : i64}
// CHECK: arith.cmpi slt, %{{.*}}, %c131073
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x f32 bound [32768]>
// CHECK: obs.force %{{.*}} {threads = 96 : i64}
// CHECK-NOT: obs.par block
// CHECK: obs.force %{{.*}} {threads = 96 : i64}
func.func @floats(%values: !obs.pull<? x f32>, %keys: !ints, %bins: index, %z: f32) -> !obs.pull<? x f32> {
  %p = obs.scatter %values at %keys init %z reduce(addf) [%bins] : !obs.pull<? x f32>, !ints -> !obs.push<grid, ? x f32>
  %r = obs.force %p {threads = 96 : i64} : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
  return %r : !obs.pull<? x f32>
}

// A map of the result reads what the chosen kernel has stored.
// CHECK-LABEL: @mapped(
// CHECK: %[[STORED:.*]] = scf.if
// CHECK: %[[PUSH:.*]] = obs.push grid %[[STORED]]
// CHECK: %[[MAPPED:.*]] = obs.map (%{{.*}} = %[[PUSH]]
// CHECK: obs.force %[[MAPPED]] {kernel = "mapped"}
func.func @mapped(%keys: !ints, %bins: index) -> !ints {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %keys at %keys init %zero reduce(addi) [%bins] : !ints, !ints -> !obs.push<grid, ? x i32>
  %q = obs.map (%x = %p : !obs.push<grid, ? x i32>) -> !obs.push<grid, ? x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.force %q {kernel = "mapped"} : !obs.push<grid, ? x i32> -> !ints
  return %r : !ints
}

// A static number of elements needs no choice; up to four copies hold it,
// CHECK-LABEL: @static(
// CHECK-NOT: scf.if {{.*}} -> (!obs.pull
// CHECK: obs.par block
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [32768]>
// CHECK: obs.force %{{.*}} {threads = 1024 : i64}
func.func @static(%keys: !ints) -> !obs.pull<131072 x i32> {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %keys at %keys init %zero reduce(addi) : !ints, !ints -> !obs.push<grid, 131072 x i32>
  %r = obs.force %p : !obs.push<grid, 131072 x i32> -> !obs.pull<131072 x i32>
  return %r : !obs.pull<131072 x i32>
}

// and no more.
// CHECK-LABEL: @more(
// CHECK-NOT: obs.par block
// CHECK: return
func.func @more(%keys: !ints) -> !obs.pull<131073 x i32> {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %keys at %keys init %zero reduce(addi) : !ints, !ints -> !obs.push<grid, 131073 x i32>
  %r = obs.force %p : !obs.push<grid, 131073 x i32> -> !obs.pull<131073 x i32>
  return %r : !obs.pull<131073 x i32>
}

// One part of few keys has no copies, and the program may forbid them.
// CHECK-LABEL: @few(
// CHECK-NOT: scf.if {{.*}} -> (!obs.pull
// CHECK-NOT: obs.par block
// CHECK: return
func.func @few(%keys: !obs.pull<4096 x i32>, %others: !ints, %bins: index) -> (!ints, !ints) {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %keys at %keys init %zero reduce(addi) [%bins] : !obs.pull<4096 x i32>, !obs.pull<4096 x i32> -> !obs.push<grid, ? x i32>
  %q = obs.scatter %others at %others init %zero reduce(addi) [%bins] {strategy = "atomic"} : !ints, !ints -> !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !ints
  %s = obs.force %q : !obs.push<grid, ? x i32> -> !ints
  return %r, %s : !ints, !ints
}

// Iterations with a loop run one at a time.
// CHECK-LABEL: @loop(
// CHECK: scf.if
// CHECK: obs.par block
// CHECK-NOT: obs.par
// CHECK: obs.fill {{.*}} par (%[[T:.*]]) in
// CHECK-NEXT: arith.addi %{{.*}}, %[[T]]
// CHECK-NEXT: obs.get
// CHECK: scf.for
func.func @loop(%keys: !ints, %bins: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = obs.dim %keys, 0 : !ints
  %p = obs.fill init %zero reduce(addi) [%bins] par (%i) in (%n) {
    %x = obs.get %keys[%i] : !ints
    %k = arith.index_cast %x : i32 to index
    scf.for %j = %c0 to %k step %c1 {
      obs.write %x at [%j] : i32
    }
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !ints
  return %r : !ints
}

// Several results of one force are one kernel, whichever it is. They share the memory of a block.
// CHECK-LABEL: @together(
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [8192]>
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [8192]>
// CHECK: obs.force %{{.*}}, %{{.*}} {kernel = "sums", threads = 1024 : i64}
// CHECK: arith.cmpi slt, %{{.*}}, %c65537
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [16384]>
// CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [16384]>
// CHECK: obs.force %{{.*}}, %{{.*}} {kernel = "sums", threads = 1024 : i64}
// CHECK: obs.force %{{.*}}, %{{.*}} {kernel = "sums"}
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @together(%keys: !ints, %bins: index) -> (!ints, !ints) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !ints
  %p = obs.fill init %zero reduce(addi) [%bins] par (%i) in (%n) {
    %x = obs.get %keys[%i] : !ints
    %k = arith.index_cast %x : i32 to index
    obs.write %one at [%k] : i32
  } : !obs.push<grid, ? x i32>
  %q = obs.fill init %zero reduce(addi) [%bins] par (%i) in (%n) {
    %x = obs.get %keys[%i] : !ints
    %k = arith.index_cast %x : i32 to index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, ? x i32>
  %r, %s = obs.force %q, %p {kernel = "sums"} : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> -> (!ints, !ints)
  return %s, %r : !ints, !ints
}
