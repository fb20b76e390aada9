// RUN: obs-opt %s --obs-expand-collectives=plain --canonicalize | FileCheck %s

// A fill has privatised copies, as a scatter has. The choice of their level is in
// expand-copies-choice.mlir. In registers of each of 256 threads, which compares each index
// with all places.
// CHECK-LABEL: @registers(
// CHECK: obs.fill init %{{.*}} reduce(addi) {
// CHECK-NEXT: obs.par block
// CHECK: obs.fill par (%{{.*}}) in (%c256)
// CHECK: %[[ROW:.*]]:16 = scf.for
// CHECK: %[[K:.*]] = arith.andi
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %[[K]], %c0
// CHECK: arith.select %[[HERE]], %{{.*}}, %c0_i32
// CHECK: obs.push<block, 4096 x i32>
func.func @registers(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<16 x i32> {
  %c15 = arith.constant 15 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %z reduce(addi) par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    %i = arith.index_castui %x : i32 to index
    %k = arith.andi %i, %c15 : index
    obs.write %x at [%k] : i32
  } {strategy = "per_thread"} : !obs.push<grid, 16 x i32>
  %r = obs.force %p : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
  return %r : !obs.pull<16 x i32>
}

// Branches and loops that write give the registers back. A function has flags.
// CHECK-LABEL: @control(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %false, %{{.*}} = %c0_i32, %{{.*}} = %false, %{{.*}} = %c0_i32)
// CHECK: %[[LESS:.*]] = arith.cmpi slt
// CHECK: scf.if %[[LESS]] -> (
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK: scf.for {{.*}} to %c5 {{.*}} -> (i32, i32, i1, i32)
// CHECK-NOT: obs.write
// CHECK: scf.yield
func.func @control(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<2 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %z reduce(@sum) par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    %b = arith.cmpi slt, %x, %z : i32
    scf.if %b {
      obs.write %x at [%c0] : i32
    }
    %s = scf.for %k = %c0 to %c5 step %c1 iter_args(%y = %x) -> (i32) {
      obs.write %y at [%c1] : i32
      %w = arith.addi %y, %z : i32
      scf.yield %w : i32
    }
    obs.write %s at [%c0] : i32
  } : !obs.push<grid, 2 x i32>
  %r = obs.force %p : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}

// A write in a while loop has no privatised copy in registers.
// CHECK-LABEL: @while(
// CHECK: obs.push<block, 8 x 2 x i32>
func.func @while(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<2 x i32> {
  %c0 = arith.constant 0 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %z reduce(muli) par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    %s = scf.while (%y = %x) : (i32) -> i32 {
      %b = arith.cmpi slt, %y, %z : i32
      scf.condition(%b) %y : i32
    } do {
    ^body(%y: i32):
      obs.write %y at [%c0] : i32
      %w = arith.addi %y, %x : i32
      scf.yield %w : i32
    }
  } : !obs.push<grid, 2 x i32>
  %r = obs.force %p : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
  return %r : !obs.pull<2 x i32>
}

// Privatised copies of warps. All writes go there, but those of a fill inside.
// CHECK-LABEL: @warps(
// CHECK: %[[COPY:.*]] = obs.fill init %c0_i32 reduce(addi) par (%[[T:.*]]) in
// CHECK: %[[I:.*]] = arith.addi %{{.*}}, %[[T]]
// CHECK: %[[W:.*]] = arith.divui %[[T]], %c32
// CHECK: %[[K:.*]] = arith.remui %[[W]], %c8
// CHECK: obs.get %{{.*}}[%[[I]]]
// CHECK: obs.fill {
// CHECK-NEXT: obs.write %{{.*}} at [%c0]
// CHECK: %[[KEY:.*]] = arith.andi
// CHECK: obs.write %{{.*}} at [%[[K]], %[[KEY]]]
// CHECK: obs.write %{{.*}} at [%[[K]], %c0]
// CHECK: obs.force %[[COPY]] : !obs.push<block, 8 x 17 x i32>
func.func @warps(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<17 x i32> {
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %z reduce(addi) par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<? x i32>
    %q = obs.fill {
      obs.write %x at [%c0] : i32
    } : !obs.push<thread, 1 x i32>
    %s = obs.force %q : !obs.push<thread, 1 x i32> -> !obs.pull<1 x i32>
    %y = obs.get %s[%c0] : !obs.pull<1 x i32>
    %i = arith.index_castui %y : i32 to index
    %k = arith.andi %i, %c15 : index
    obs.write %x at [%k] : i32
    obs.write %x at [%c0] : i32
  } {strategy = "per_warp"} : !obs.push<grid, 17 x i32>
  %r = obs.force %p : !obs.push<grid, 17 x i32> -> !obs.pull<17 x i32>
  return %r : !obs.pull<17 x i32>
}

// In one copy of a block. A loop of two dimensions is one.
// CHECK-LABEL: @block(
// CHECK: obs.par block
// CHECK: %[[COPY:.*]] = obs.fill init %c0_i32 reduce(addi) par (%[[T:.*]]) in
// CHECK: %[[I:.*]] = arith.addi %{{.*}}, %[[T]]
// CHECK: %[[X:.*]] = arith.remui %[[I]], %[[N:.*]] :
// CHECK: %[[Y:.*]] = arith.divui %[[I]], %[[N]] :
// CHECK: obs.get %{{.*}}[%[[Y]], %[[X]]]
// CHECK: obs.force %[[COPY]] : !obs.push<block, 257 x i32>
func.func @block(%a: !obs.pull<? x ? x i32>, %z: i32) -> !obs.pull<257 x i32> {
  %h = obs.dim %a, 0 : !obs.pull<? x ? x i32>
  %w = obs.dim %a, 1 : !obs.pull<? x ? x i32>
  %p = obs.fill init %z reduce(addi) par (%i, %j) in (%h, %w) {
    %x = obs.get %a[%i, %j] : !obs.pull<? x ? x i32>
    %k = arith.index_castui %x : i32 to index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 257 x i32>
  %r = obs.force %p : !obs.push<grid, 257 x i32> -> !obs.pull<257 x i32>
  return %r : !obs.pull<257 x i32>
}

// More bytes have none,
// CHECK-LABEL: @long(
// CHECK-NOT: obs.par block
// CHECK: obs.fill init %{{.*}} reduce(addi) par
func.func @long(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<32769 x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %z reduce(addi) par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    %k = arith.index_castui %x : i32 to index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 32769 x i32>
  %r = obs.force %p : !obs.push<grid, 32769 x i32> -> !obs.pull<32769 x i32>
  return %r : !obs.pull<32769 x i32>
}

// nor have 4096 iterations,
// CHECK-LABEL: @few(
// CHECK-NOT: obs.par block
// CHECK: obs.fill init %{{.*}} reduce(addi) par
func.func @few(%a: !obs.pull<4096 x i32>, %z: i32) -> !obs.pull<8 x i32> {
  %n = obs.dim %a, 0 : !obs.pull<4096 x i32>
  %p = obs.fill init %z reduce(addi) par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<4096 x i32>
    %k = arith.index_castui %x : i32 to index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// but 4097 have; the initial contents may be an array.
// CHECK-LABEL: @more(
// CHECK: obs.fill onto %{{.*}} : !obs.pull<8 x i32> reduce(addi) {
// CHECK-NEXT: obs.par block (%{{.*}}) in (%c2)
func.func @more(%a: !obs.pull<4097 x i32>, %b: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %n = arith.constant 4097 : index
  %p = obs.fill onto %b : !obs.pull<8 x i32> reduce(addi) par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<4097 x i32>
    %k = arith.index_castui %x : i32 to index
    obs.write %x at [%k] : i32
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// The strategy `atomic` asks for no privatised copies. The attribute is gone afterwards.
// CHECK-LABEL: @asked(
// CHECK-NOT: obs.par block
// CHECK-NOT: strategy
// CHECK: obs.fill init %{{.*}} reduce(addi) par
// CHECK-NOT: strategy
// CHECK: return
func.func @asked(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<8 x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %p = obs.fill init %z reduce(addi) par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    %k = arith.index_castui %x : i32 to index
    obs.write %x at [%k] : i32
  } {strategy = "atomic"} : !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// Below level grid a fill has privatised copies if it asks: here one for each warp.
// CHECK-LABEL: @below(
// CHECK: obs.fill init %{{.*}} reduce(addi) {
// CHECK-NEXT: obs.par warp
// CHECK: obs.push<warp, 8 x i32>
func.func @below(%a: !obs.pull<5000 x i32>, %z: i32) -> !obs.push<block, 8 x i32> attributes {obs.level = #obs.level<block>} {
  %n = arith.constant 5000 : index
  %p = obs.fill init %z reduce(addi) par (%i) in (%n) {
    %x = obs.get %a[%i] : !obs.pull<5000 x i32>
    %k = arith.index_castui %x : i32 to index
    obs.write %x at [%k] : i32
  } {strategy = "per_warp"} : !obs.push<block, 8 x i32>
  return %p : !obs.push<block, 8 x i32>
}

// A function over more than registers hold: a word that holds the mark -2147483647 has
// nothing yet. A value that is the mark goes to the result, not into the copy.
// CHECK-LABEL: @function(
// CHECK-DAG: %[[MARK:.*]] = arith.constant -2147483647 : i32
// CHECK: obs.fill init %{{.*}} reduce(@sum) {
// CHECK-NEXT: obs.par block
// CHECK: %[[M:.*]] = memref.alloc() : memref<8x33xi32, #obs.home<block, auto>>
// CHECK-COUNT-8: memref.store %[[MARK]], %[[M]]
// CHECK: %[[OLD:.*]] = memref.generic_atomic_rmw %[[M]][%[[K:.*]], %[[I:.*]]] : {{.*}} {
// CHECK-NEXT: ^{{.*}}(%[[HELD:.*]]: i32):
// CHECK-NEXT: %[[NONE:.*]] = arith.cmpi eq, %[[HELD]], %[[MARK]]
// CHECK-NEXT: %[[SAFE:.*]] = arith.select %[[NONE]], %[[X:.*]], %[[HELD]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.addi %[[SAFE]], %[[X]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.select %[[NONE]], %[[X]], %[[BOTH]]
// CHECK-NEXT: memref.atomic_yield %[[NEXT]]
// CHECK: arith.select
// CHECK: %[[NOW:.*]] = arith.select
// CHECK-NEXT: %[[LOST:.*]] = arith.cmpi eq, %[[NOW]], %[[MARK]]
// CHECK-NEXT: scf.if %[[LOST]] {
// CHECK-NEXT: obs.write %[[NOW]] at [%[[I]]]
// CHECK-COUNT-8: memref.load %[[M]]
func.func @function(%a: !obs.pull<100000 x i32>, %z: i32) -> !obs.pull<33 x i32> {
  %p = obs.scatter %a at %a init %z reduce(@sum) : !obs.pull<100000 x i32>, !obs.pull<100000 x i32> -> !obs.push<grid, 33 x i32>
  %r = obs.force %p : !obs.push<grid, 33 x i32> -> !obs.pull<33 x i32>
  return %r : !obs.pull<33 x i32>
}

// Floats are compared bit by bit, since the mark would be equal to others.
// CHECK-LABEL: @float_function(
// CHECK: memref.alloc() : memref<8192xf32, #obs.home<block, auto>>
// CHECK: memref.generic_atomic_rmw
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.cmpi eq
func.func @float_function(%a: !obs.pull<? x f32>, %i: !obs.pull<? x i32>, %z: f32) -> !obs.pull<8192 x f32> {
  %p = obs.scatter %a at %i init %z reduce(@least) : !obs.pull<? x f32>, !obs.pull<? x i32> -> !obs.push<grid, 8192 x f32>
  %r = obs.force %p : !obs.push<grid, 8192 x f32> -> !obs.pull<8192 x f32>
  return %r : !obs.pull<8192 x f32>
}

// CHECK-LABEL: @long_function(
// CHECK-NOT: obs.par block
// CHECK: obs.fill init %{{.*}} reduce(@least) par
func.func @long_function(%a: !obs.pull<? x f32>, %i: !obs.pull<? x i32>, %z: f32) -> !obs.pull<32769 x f32> {
  %p = obs.scatter %a at %i init %z reduce(@least) : !obs.pull<? x f32>, !obs.pull<? x i32> -> !obs.push<grid, 32769 x f32>
  %r = obs.force %p : !obs.push<grid, 32769 x f32> -> !obs.pull<32769 x f32>
  return %r : !obs.pull<32769 x f32>
}

func.func private @sum(%x: i32, %y: i32) -> i32 {
  %z = arith.addi %x, %y : i32
  return %z : i32
}

func.func private @least(%x: f32, %y: f32) -> f32 {
  %z = arith.minimumf %x, %y : f32
  return %z : f32
}
