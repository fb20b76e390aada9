// RUN: obs-opt %s --obs-expand-collectives=plain --canonicalize | FileCheck %s

// The flags are summed, and each element kept is written behind those before.
// CHECK-LABEL: @compact(
// CHECK-SAME: %[[A:.*]]: !obs.pull<4 x f32>, %[[F:.*]]: !obs.pull<4 x i1>, %[[Z:.*]]: f32
func.func @compact(%a: !obs.pull<4 x f32>, %f: !obs.pull<4 x i1>, %z: f32) -> !obs.push<block, 4 x f32> attributes {obs.level = #obs.level<block>} {
  // CHECK: %[[BIT:.*]] = obs.get %[[F]]
  // CHECK: arith.extui %[[BIT]] : i1 to i32
  // CHECK: obs.fill init %[[Z]] unchecked par (%[[I:.*]]) in (%{{.*}}) {
  // CHECK-NEXT: %[[KEPT:.*]] = obs.get %[[F]][%[[I]]]
  // CHECK-NEXT: scf.if %[[KEPT]] {
  // CHECK: %[[P:.*]] = arith.subi %{{.*}}, %c1 : index
  // CHECK: %[[X:.*]] = obs.get %[[A]][%[[I]]]
  // CHECK: obs.write %[[X]] at [%[[P]]] : f32
  %p, %n = obs.compact %a flags %f init %z : !obs.pull<4 x f32>, !obs.pull<4 x i1> -> !obs.push<block, 4 x f32>, !obs.push<block, 1 x index>
  return %p : !obs.push<block, 4 x f32>
}

// One thread stores nothing.
// CHECK-LABEL: @thread(
// CHECK-NOT: obs.force
func.func @thread(%a: !obs.pull<? x f32>, %f: !obs.pull<? x i1>, %k: !obs.pull<? x i8>) -> (!obs.push<thread, ? x f32>, !obs.push<thread, ? x i32>) attributes {obs.level = #obs.level<thread>} {
  // CHECK: obs.fill unchecked
  // CHECK: scf.for {{.*}} iter_args(%[[POSITION:.*]] = %c0)
  // CHECK: obs.write %{{.*}} at [%[[POSITION]]]
  %p, %n = obs.compact %a flags %f : !obs.pull<? x f32>, !obs.pull<? x i1> -> !obs.push<thread, ? x f32>, !obs.push<thread, 1 x index>
  // CHECK: obs.fill unchecked
  // CHECK: scf.for
  // CHECK-NEXT: scf.for
  %r, %c = obs.rank %k : !obs.pull<? x i8> -> !obs.push<thread, ? x i32>, !obs.push<thread, 8 x index>
  // CHECK: return
  return %p, %r : !obs.push<thread, ? x f32>, !obs.push<thread, ? x i32>
}

// A fill counts each of 16 keys in each of 2 chunks of 128. A warp ranks a chunk, 32 keys at a time: it adds the bits
// of its lanes to the words of their keys, and the difference of a word contains the lanes with an equal key. The
// lowest of them counts all.
// CHECK-LABEL: @rank(
// CHECK-SAME: %[[K:.*]]: !obs.pull<256 x i8>)
func.func @rank(%k: !obs.pull<256 x i8>) -> !obs.push<block, 256 x i32> attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.fill init %{{.*}} reduce(addi) par
  // CHECK: %[[TABLE:.*]] = obs.force %{{.*}} : !obs.push<block, 32 x i32>
  // CHECK: obs.fill {
  // CHECK-NEXT: %[[NEXT:.*]] = memref.alloc() : memref<2x16xi32, #obs.home<block, shared>>
  // CHECK-NEXT: %[[SEEN:.*]] = memref.alloc() : memref<2x16xi32, #obs.home<block, shared>>
  // CHECK: obs.get %[[TABLE]]
  // CHECK: memref.store %{{.*}}, %[[NEXT]]
  // CHECK-NEXT: memref.store %c0_i32, %[[SEEN]]
  // CHECK: obs.par warp (%[[CHUNK:.*]]) in (%c2)
  // CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[CHUNK]], %c128
  // CHECK-NEXT: %[[END:.*]] = arith.addi %[[FIRST]], %c128
  // CHECK-NEXT: scf.for %[[AT:.*]] = %[[FIRST]] to %[[END]] step %c32
  // CHECK: memref.load %[[SEEN]][%[[CHUNK]],
  // CHECK: arith.shli %c1_i32
  // CHECK: memref.atomic_rmw xori %{{.*}}, %[[SEEN]][%[[CHUNK]],
  // CHECK: %[[NOW:.*]] = memref.load %[[SEEN]][%[[CHUNK]],
  // CHECK: arith.xori %[[NOW]],
  // CHECK: math.ctpop
  // CHECK: memref.load %[[NEXT]][%[[CHUNK]],
  // CHECK: obs.write
  // CHECK: scf.if
  // CHECK: math.ctpop
  // CHECK: memref.atomic_rmw addi %{{.*}}, %[[NEXT]][%[[CHUNK]],
  %r, %c = obs.rank %k : !obs.pull<256 x i8> -> !obs.push<block, 256 x i32>, !obs.push<block, 16 x index>
  return %r : !obs.push<block, 256 x i32>
}

// The last chunk is not whole, so lanes test their index.
// CHECK-LABEL: @rank_rest(
func.func @rank_rest(%k: !obs.pull<? x i8 bound [200]>) -> !obs.push<warp, ? x i32 bound [200]> attributes {obs.level = #obs.level<warp>} {
  // CHECK: memref.alloc() : memref<1x16xi32, #obs.home<warp, shared>>
  // CHECK: obs.par warp (%{{.*}}) in (%c1)
  // CHECK: scf.for
  // CHECK: arith.minsi
  // CHECK: arith.cmpi slt
  // CHECK-NEXT: scf.if
  // CHECK: atomic_rmw xori
  %r, %c = obs.rank %k : !obs.pull<? x i8 bound [200]> -> !obs.push<warp, ? x i32 bound [200]>, !obs.push<warp, 16 x index>
  return %r : !obs.push<warp, ? x i32 bound [200]>
}

// Each element of the result looks for its length, in 7 steps for 64 of them.
// CHECK-LABEL: @expand(
func.func @expand(%l: !obs.pull<64 x i32>) -> !obs.push<block, 1000 x index> attributes {obs.level = #obs.level<block>} {
  // CHECK-DAG: %[[STEPS:.*]] = arith.constant 7 : index
  // CHECK: obs.fill par (%[[T:.*]]) in (%{{.*}}) {
  // CHECK: scf.for {{.*}} to %[[STEPS]] {{.*}} -> (index, index)
  // CHECK: obs.write %{{.*}} at [%[[T]]]
  %p, %n = obs.expand (%i, %j) = %l : !obs.pull<64 x i32> -> !obs.push<block, 1000 x index>, !obs.push<block, 1 x index> {
    obs.yield %i : index
  }
  return %p : !obs.push<block, 1000 x index>
}

// At level grid a block computes 4096 elements. Two warps look for the lengths of the first and the last one: 32 lanes
// compare elements in each step, and count those that are not larger. The other
// lengths mark their first element in shared memory, and the maximum of the marks up to an element is its length. A thread
// writes 16 elements, without a guard if the tile is full. Between many lengths, each element looks for its own.
// CHECK-LABEL: @expand_by_blocks(
// CHECK-SAME: %{{.*}}, %[[CAPACITY:.*]]: index)
func.func @expand_by_blocks(%l: !obs.pull<? x i32>, %n: index) -> !obs.push<grid, ? x index> {
  // CHECK: %[[SUMS:.*]] = obs.force {{.*}} : !obs.push<grid, ? x index>
  // CHECK: obs.fill unchecked [%[[CAPACITY]]] {
  // CHECK: obs.par block (%[[TILE:.*]]) in
  // CHECK-NEXT: arith.muli %[[TILE]], %c4096
  // CHECK: obs.distribute warp in block (%{{.*}} : !obs.pull<2 x index>)
  // CHECK: scf.for {{.*}} iter_args(%[[FIRST:.*]] = %c0, %[[END:.*]] = %{{.*}})
  // CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %[[FIRST]]
  // CHECK: arith.divui %[[LEFT]], %c33
  // CHECK: obs.generate
  // CHECK: obs.get %[[SUMS]]
  // CHECK: obs.force {{.*}} : !obs.push<warp, 32 x i32>
  // CHECK: scf.yield
  // CHECK: %[[BOUNDS:.*]] = obs.force {{.*}} : !obs.push<block, 2 x index>
  // CHECK: %[[LOW:.*]] = obs.get %[[BOUNDS]][%c0]
  // CHECK: %[[HIGH:.*]] = obs.get %[[BOUNDS]][%c1]
  // CHECK: %[[COUNT:.*]] = arith.subi %[[HIGH]], %[[LOW]]
  // CHECK: arith.cmpi slt, %[[COUNT]], %c65536
  // CHECK: obs.fill init %c0_i32 unchecked par
  // CHECK: obs.force {{.*}} : !obs.push<block, 4096 x i32>
  // CHECK: arith.maxui
  // CHECK: obs.par (%{{.*}}) in (%c256) {
  // CHECK-COUNT-16: obs.write %{{.*}} : index
  // CHECK: } else {
  // CHECK-COUNT-16: scf.if
  // CHECK: } else {
  // CHECK: obs.par
  // CHECK: scf.for
  // CHECK: obs.write %{{.*}} : index
  %p, %c = obs.expand (%i, %j) = %l [%n] : !obs.pull<? x i32> -> !obs.push<grid, ? x index>, !obs.push<grid, 1 x index> {
    obs.yield %i : index
  }
  return %p : !obs.push<grid, ? x index>
}

// CHECK-LABEL: @scatter(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[I:.*]]: !obs.pull<8 x i32>, %[[Z:.*]]: i32
func.func @scatter(%a: !obs.pull<8 x i32>, %i: !obs.pull<8 x i32>, %z: i32) -> !obs.push<block, 5 x i32> attributes {obs.level = #obs.level<block>} {
  // CHECK: obs.fill init %[[Z]] reduce(addi) par (%[[K:.*]]) in
  // CHECK: %[[N:.*]] = obs.get %[[I]][%[[K]]]
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[N]]
  // CHECK: %[[IS:.*]] = arith.cmpi ult, %[[INDEX]], %c5
  // CHECK: scf.if %[[IS]]
  // CHECK: %[[X:.*]] = obs.get %[[A]][%[[K]]]
  // CHECK: obs.write %[[X]] at [%[[INDEX]]]
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<block, 5 x i32>
  return %p : !obs.push<block, 5 x i32>
}

// The fetched values come from atomic operations on memory of the block.
// CHECK-LABEL: @fetch(
// CHECK-SAME: %[[A:.*]]: !obs.pull<8 x i32>, %[[I:.*]]: !obs.pull<8 x i32>, %[[Z:.*]]: i32
func.func @fetch(%a: !obs.pull<8 x i32>, %i: !obs.pull<8 x i32>, %z: i32) -> (!obs.push<block, 5 x i32>, !obs.push<block, 8 x i32>) attributes {obs.level = #obs.level<block>} {
  // CHECK: %[[M:.*]] = memref.alloc() : memref<5xi32, #obs.home<block, auto>>
  // CHECK: obs.fill {
  // CHECK: memref.store %[[Z]], %[[M]]
  // CHECK: obs.par
  // CHECK: %[[OLD:.*]] = scf.if %{{.*}} -> (i32) {
  // CHECK: memref.atomic_rmw addi %{{.*}}, %[[M]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[Z]]
  // CHECK: obs.write %[[OLD]]
  // CHECK: obs.force
  // CHECK: memref.load %[[M]]
  %p, %f = obs.scatter %a at %i init %z reduce(addi) fetch : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<block, 5 x i32>, !obs.push<block, 8 x i32>
  return %p, %f : !obs.push<block, 5 x i32>, !obs.push<block, 8 x i32>
}

// The choice of privatised copies without a strategy is tested in
// expand-copies-choice.mlir. A copy in registers starts from the neutral element.
// CHECK-LABEL: @in_registers(
// CHECK-SAME: %[[A:.*]]: !obs.pull<100000 x i32>, %[[Z:.*]]: i32
func.func @in_registers(%a: !obs.pull<100000 x i32>, %z: i32) -> !obs.pull<3 x i32> {
  // CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
  // CHECK: obs.fill init %[[Z]] reduce(maxs) {
  // CHECK: obs.par block (%{{.*}}) in (%c25)
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[LEAST]], %{{.*}} = %[[LEAST]], %{{.*}} = %[[LEAST]]) -> (i32, i32, i32)
  // CHECK: %[[I:.*]] = arith.index_cast %[[X:.*]] : i32 to index
  // CHECK: %[[IS:.*]] = arith.cmpi eq, %[[I]], %c0
  // CHECK: arith.select %[[IS]], %{{.*}}, %[[LEAST]]
  // CHECK: obs.force %{{.*}} : !obs.push<block, 768 x i32>
  // CHECK: obs.force %{{.*}} : !obs.push<block, 48 x i32>
  // CHECK: arith.cmpi ne, %[[BEST:.*]], %[[LEAST]]
  // CHECK: obs.write %[[BEST]] at
  %p = obs.scatter %a at %a init %z reduce(maxs) {strategy = "per_thread"} : !obs.pull<100000 x i32>, !obs.pull<100000 x i32> -> !obs.push<grid, 3 x i32>
  %r = obs.force %p : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  return %r : !obs.pull<3 x i32>
}

// A function has no neutral element to start from, so there is a flag for each.
// CHECK-LABEL: @function_in_registers(
func.func @function_in_registers(%a: !obs.pull<100000 x i32>, %z: i32) -> !obs.pull<2 x i32> {
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %false, %{{.*}} = %c0_i32, %{{.*}} = %false, %{{.*}} = %c0_i32) -> (i1, i32, i1, i32)
  // CHECK: scf.if %{{[0-9#]+}} {
  // CHECK-NEXT: obs.write
  %p = obs.scatter %a at %a init %z reduce(@sum) : !obs.pull<100000 x i32>, !obs.pull<100000 x i32> -> !obs.push<grid, 2 x i32>
  %r = obs.force %p : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}

// 128 bytes are in registers where memory does not have the operation.
// CHECK-LABEL: @loops(
// CHECK: obs.push<block, 8192 x i32>
func.func @loops(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<32 x i32> {
  %p = obs.scatter %a at %a init %z reduce(muli) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 32 x i32>
  %r = obs.force %p : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %r : !obs.pull<32 x i32>
}

// Copies of the warps of a block stand side by side.
// CHECK-LABEL: @warps(
// CHECK: %[[COPY:.*]] = obs.fill init %{{.*}} reduce(addi) par (%[[T:.*]]) in
// CHECK: %[[W:.*]] = arith.divui %[[T]], %c32
// CHECK: %[[K:.*]] = arith.remui %[[W]], %c8
// CHECK: obs.write %{{.*}} at [%[[K]], %{{.*}}]
// CHECK: %[[STORED:.*]] = obs.force %[[COPY]] : !obs.push<block, 8 x 17 x i32>
// CHECK-COUNT-8: obs.get %[[STORED]]
func.func @warps(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<17 x i32> {
  %p = obs.scatter %a at %a init %z reduce(addi) {strategy = "per_warp"} : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 17 x i32>
  %r = obs.force %p : !obs.push<grid, 17 x i32> -> !obs.pull<17 x i32>
  return %r : !obs.pull<17 x i32>
}

// One privatised copy of a block. The bound decides.
// CHECK-LABEL: @blocks(
// CHECK: %[[COPY:.*]] = obs.fill init %{{.*}} reduce(addi) [%{{.*}}] par
// CHECK: obs.push<block, ? x i32 bound [8192]>
// CHECK: %[[STORED:.*]] = obs.force %[[COPY]]
// CHECK-COUNT-1: obs.get %[[STORED]]
// CHECK-NOT: obs.get %[[STORED]]
func.func @blocks(%a: !obs.pull<? x i32>, %z: i32, %n: index) -> !obs.pull<? x i32 bound [8192]> {
  %p = obs.scatter %a at %a init %z reduce(addi) [%n] : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, ? x i32 bound [8192]>
  %r = obs.force %p : !obs.push<grid, ? x i32 bound [8192]> -> !obs.pull<? x i32 bound [8192]>
  return %r : !obs.pull<? x i32 bound [8192]>
}

// There are no privatised copies of a longer result,
// CHECK-LABEL: @long(
// CHECK-NOT: obs.par block
// CHECK: obs.fill init %{{.*}} reduce(addi) par
func.func @long(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<32769 x i32> {
  %p = obs.scatter %a at %a init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 32769 x i32>
  %r = obs.force %p : !obs.push<grid, 32769 x i32> -> !obs.pull<32769 x i32>
  return %r : !obs.pull<32769 x i32>
}

// for few elements,
// CHECK-LABEL: @few(
// CHECK-NOT: obs.par block
// CHECK: obs.fill init %{{.*}} reduce(addi) par
func.func @few(%a: !obs.pull<4096 x i32>, %z: i32) -> !obs.pull<8 x i32> {
  %p = obs.scatter %a at %a init %z reduce(addi) : !obs.pull<4096 x i32>, !obs.pull<4096 x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// and if somebody says so.
// CHECK-LABEL: @no_copies(
// CHECK-NOT: obs.par block
// CHECK: obs.fill init %{{.*}} reduce(addi) par
func.func @no_copies(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<8 x i32> {
  %p = obs.scatter %a at %a init %z reduce(addi) {strategy = "atomic"} : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

func.func private @sum(%x: i32, %y: i32) -> i32 {
  %z = arith.addi %x, %y : i32
  return %z : i32
}

// Forced together, elements and count are one kernel in one pass: the block of the last
// tile writes the count.
// CHECK-LABEL: @one_pass(
func.func @one_pass(%a: !obs.pull<? x i32>, %f: !obs.pull<? x i1>) -> (!obs.pull<1 x i32>, !obs.pull<? x i32>) {
  // CHECK: %[[COUNT:.*]] = memref.alloc() : memref<1xi32>
  // CHECK: %[[FILL:.*]] = obs.fill unchecked
  // CHECK: memref.store %{{.*}}, %[[COUNT]][%{{.*}}] {obs.contract = "disjoint"}
  // CHECK: %[[R:.*]] = obs.force %[[FILL]] {kernel = "kept", threads = 64 : i64}
  // CHECK: %[[C:.*]] = obs.view %[[COUNT]]
  // CHECK-NOT: obs.force
  // CHECK: return %[[C]], %[[R]]
  %p, %n = obs.compact %a flags %f : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %c, %r = obs.force %n, %p {kernel = "kept", threads = 64 : i64} : !obs.push<grid, 1 x i32>, !obs.push<grid, ? x i32> -> (!obs.pull<1 x i32>, !obs.pull<? x i32>)
  return %c, %r : !obs.pull<1 x i32>, !obs.pull<? x i32>
}

// The count is needed first, so the elements are counted before they move.
// CHECK-LABEL: @three_kernels(
func.func @three_kernels(%a: !obs.pull<? x i32>, %f: !obs.pull<? x i1>) -> (!obs.pull<1 x i32>, !obs.pull<? x i32>) {
  // CHECK: obs.force
  // CHECK: obs.force
  // CHECK: obs.fill unchecked
  // CHECK: obs.force %{{.*}} : !obs.push<grid, 1 x i32>
  // CHECK: obs.force %{{.*}} : !obs.push<grid, ? x i32>
  %p, %n = obs.compact %a flags %f : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %c = obs.force %n : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %c, %r : !obs.pull<1 x i32>, !obs.pull<? x i32>
}
