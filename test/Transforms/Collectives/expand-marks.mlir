// RUN: obs-opt %s --obs-expand-collectives --canonicalize --cse | FileCheck %s
// RUN: obs-opt %s --obs-expand-collectives=plain --canonicalize | FileCheck %s --check-prefix=PLAIN

// A fill that only marks elements is a fill of words with 32 marks each, which are combined by `or`. So it
// has privatised copies. Each mark that is read is one bit of a word.

// CHECK-LABEL: @marks(
// CHECK-SAME: %{{.*}}: !obs.pull<? x index>, %[[SIZE:.*]]: index
// CHECK: %[[COUNT:.*]] = arith.divui %{{.*}}, %c32
// CHECK: %[[WORDS:.*]] = scf.if %{{.*}} -> (!obs.pull<? x i32>) {
// CHECK: obs.fill init %c0_i32 reduce(ori) [%[[COUNT]]]
// CHECK: %[[K:.*]] = obs.get
// An index that is too large stays too large.
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[K]], %[[SIZE]]
// CHECK: %[[W:.*]] = arith.shrui %[[K]], %c5
// CHECK: %[[PLACE:.*]] = arith.select %[[IN]], %[[W]], %[[K]]
// CHECK: %[[BIT:.*]] = arith.andi %[[K]], %c31
// CHECK: %[[MARK:.*]] = arith.shli %c1_i32, %{{.*}}
// CHECK: obs.write %[[MARK]] at [%[[PLACE]]]
// CHECK: obs.generate
// CHECK: arith.shrui %{{.*}}, %c5
// CHECK: arith.trunci %{{.*}} : i32 to i1
// PLAIN-LABEL: @marks(
// PLAIN: obs.fill init %false any
func.func @marks(%keys: !obs.pull<? x index>, %size: index) -> !obs.pull<? x i32> {
  %no = arith.constant false
  %yes = arith.constant true
  %n = obs.dim %keys, 0 : !obs.pull<? x index>
  %m = obs.fill init %no any [%size] par (%i) in (%n) {
    %k = obs.get %keys[%i] : !obs.pull<? x index>
    obs.write %yes at [%k] : i1
  } : !obs.push<grid, ? x i1>
  %marks = obs.force %m {kernel = "mark"} : !obs.push<grid, ? x i1>
  %r = obs.map (%x = %marks : !obs.pull<? x i1>) {
    %y = arith.extui %x : i1 to i32
    obs.yield %y : i32
  }
  %f = obs.force %r : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

// Arrays of marks stay if they are returned, if they start from true, or if a write is not the constant.

// CHECK-LABEL: @returned(
// CHECK: obs.fill init %false any
func.func @returned(%keys: !obs.pull<? x index>, %size: index) -> !obs.pull<? x i1> {
  %no = arith.constant false
  %yes = arith.constant true
  %n = obs.dim %keys, 0 : !obs.pull<? x index>
  %m = obs.fill init %no any [%size] par (%i) in (%n) {
    %k = obs.get %keys[%i] : !obs.pull<? x index>
    obs.write %yes at [%k] : i1
  } : !obs.push<grid, ? x i1>
  %marks = obs.force %m : !obs.push<grid, ? x i1>
  %r = obs.reverse %marks : !obs.pull<? x i1>
  return %r : !obs.pull<? x i1>
}

// CHECK-LABEL: @cleared(
// CHECK: obs.fill init %true any
// CHECK: obs.fill init %false any
func.func @cleared(%keys: !obs.pull<? x index>, %size: index, %value: i1)
    -> (!obs.pull<? x i1>, !obs.pull<? x i1>) {
  %no = arith.constant false
  %yes = arith.constant true
  %n = obs.dim %keys, 0 : !obs.pull<? x index>
  %m = obs.fill init %yes any [%size] par (%i) in (%n) {
    %k = obs.get %keys[%i] : !obs.pull<? x index>
    obs.write %yes at [%k] : i1
  } : !obs.push<grid, ? x i1>
  %marks = obs.force %m : !obs.push<grid, ? x i1>
  %a = obs.map { arith.andi } %marks, %marks : !obs.pull<? x i1>
  %r = obs.force %a : !obs.pull<? x i1>
  %p = obs.fill init %no any [%size] par (%i) in (%n) {
    %k = obs.get %keys[%i] : !obs.pull<? x index>
    obs.write %value at [%k] : i1
  } : !obs.push<grid, ? x i1>
  %values = obs.force %p : !obs.push<grid, ? x i1>
  %b = obs.map { arith.andi } %values, %values : !obs.pull<? x i1>
  %s = obs.force %b : !obs.pull<? x i1>
  return %r, %s : !obs.pull<? x i1>, !obs.pull<? x i1>
}
