// A map of the combined privatised copies of blocks: the part that is done with an element
// last maps it, in the same kernel.
// RUN: obs-opt %s --obs-expand-collectives --canonicalize | FileCheck %s
// RUN: obs-opt %s --canonicalize --obs-expand-collectives --obs-fuse-arrays --canonicalize --obs-to-launches -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN

// Elements and their counters begin with 0, so they are one array.
// CHECK-LABEL: func.func @counts
// CHECK: %[[MEMORY:.*]] = memref.alloc() : memref<20xi32>
// CHECK-NEXT: gpu.memset %[[MEMORY]], %c0_i32
// CHECK: obs.fill unchecked {
// CHECK: obs.par block
// CHECK: %[[COPY:.*]] = obs.force
// CHECK: obs.par (%[[I:.*]]) in (%c10)
// CHECK-NEXT: %[[OWN:.*]] = obs.get %[[COPY]][%[[I]]]
// CHECK: memref.atomic_rmw addi %[[OWN]], %[[MEMORY]][%[[I]]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[I]], %c10
// CHECK: %[[LAST:.*]] = obs.arrive %[[MEMORY]][%[[PLACE]]] after %{{[^ ]*}} : memref<20xi32>
// CHECK-NEXT: scf.if %[[LAST]]
// CHECK-NEXT: %[[FINAL:.*]] = memref.load %[[MEMORY]][%[[I]]]
// CHECK: %[[FLOAT:.*]] = arith.sitofp %[[FINAL]] : i32 to f32
// CHECK: obs.write %[[FLOAT]] at [%[[I]]]
// CHECK-NOT: obs.map
// CHECK: return
// PLAN: plan of 'counts': 1 kernel, 1 memset,
func.func @counts(%keys: !obs.pull<? x i32>) -> !obs.pull<10 x f32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %ones = obs.splat %one [%n] : !obs.pull<? x i32>
  %p = obs.scatter %ones at %keys init %zero reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 10 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 10 x i32>) -> !obs.push<grid, 10 x f32> {
    %y = arith.sitofp %x : i32 to f32
    obs.yield %y : f32
  }
  %f = obs.force %q : !obs.push<grid, 10 x f32> -> !obs.pull<10 x f32>
  return %f : !obs.pull<10 x f32>
}

// Pairs are two arrays, and the counters one.
// PLAN: plan of 'pairs': 1 kernel, 3 memsets,
func.func @pairs(%keys: !obs.pull<? x i32>, %values: !obs.pull<? x i32, i64>) -> !obs.pull<10 x i64> {
  %zero = arith.constant 0 : i32
  %zero_64 = arith.constant 0 : i64
  %p = obs.scatter %values at %keys init %zero, %zero_64 reduce(addi) {strategy = "per_block"} : !obs.pull<? x i32, i64>, !obs.pull<? x i32> -> !obs.push<grid, 10 x i32, i64>
  %q = obs.map (%x, %y = %p : !obs.push<grid, 10 x i32, i64>) -> !obs.push<grid, 10 x i64> {
    %z = arith.extsi %x : i32 to i64
    %s = arith.addi %z, %y : i64
    obs.yield %s : i64
  }
  %f = obs.force %q : !obs.push<grid, 10 x i64> -> !obs.pull<10 x i64>
  return %f : !obs.pull<10 x i64>
}

// Each of 256 threads has a column of the elements, and a counter for it.
// CHECK-LABEL: func.func @columns
// CHECK: memref.alloc() : memref<768xi32>
// CHECK: obs.par (%[[W:.*]]) in (%c256
// CHECK-NEXT: scf.for %{{.*}} = %[[W]] to %c512 step %c256
// CHECK: memref.atomic_rmw addi
// CHECK: obs.arrive
// CHECK-NEXT: scf.if
// CHECK-NEXT: scf.for %{{.*}} = %[[W]] to %c512 step %c256
// CHECK: obs.write
// CHECK: return
// PLAN: plan of 'columns': 1 kernel, 1 memset,
func.func @columns(%keys: !obs.pull<? x i32>) -> !obs.pull<512 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %ones = obs.splat %one [%n] : !obs.pull<? x i32>
  %p = obs.scatter %ones at %keys init %zero reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 512 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 512 x i32>) -> !obs.push<grid, 512 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 512 x i32> -> !obs.pull<512 x i32>
  return %f : !obs.pull<512 x i32>
}

// Of more elements a block would have many to map; a kernel behind it does that sooner.
// PLAN: plan of 'many': 2 kernels, 1 memset,
func.func @many(%keys: !obs.pull<? x i32>) -> !obs.pull<513 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %ones = obs.splat %one [%n] : !obs.pull<? x i32>
  %p = obs.scatter %ones at %keys init %zero reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 513 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 513 x i32>) -> !obs.push<grid, 513 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 513 x i32> -> !obs.pull<513 x i32>
  return %f : !obs.pull<513 x i32>
}

// Few values are one part, which could do without a copy of the result but for the map.
// PLAN: plan of 'one_part': 1 kernel, 1 memset,
func.func @one_part(%keys: !obs.pull<1000 x i32>) -> !obs.pull<100 x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = obs.splat %one : !obs.pull<1000 x i32>
  %p = obs.scatter %ones at %keys init %zero reduce(addi) : !obs.pull<1000 x i32>, !obs.pull<1000 x i32> -> !obs.push<grid, 100 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 100 x i32>) -> !obs.push<grid, 100 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 100 x i32> -> !obs.pull<100 x i32>
  return %f : !obs.pull<100 x i32>
}

// The initial contents may be an array. It is not changed: a kernel copies it.
// PLAN: plan of 'onto': 2 kernels, 1 memset,
func.func @onto(%keys: !obs.pull<? x i32>, %start: !obs.pull<100 x i32>) -> !obs.pull<100 x i32> {
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %p = obs.fill onto %start : !obs.pull<100 x i32> reduce(addi) par (%i) in (%n) {
    %k = obs.get %keys[%i] : !obs.pull<? x i32>
    %j = arith.index_castui %k : i32 to index
    obs.write %one at [%j] : i32
  } : !obs.push<grid, 100 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 100 x i32>) -> !obs.push<grid, 100 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 100 x i32> -> !obs.pull<100 x i32>
  return %f : !obs.pull<100 x i32>
}

func.func private @sum_and_most(%x: i32, %i: i32, %y: i32, %j: i32) -> (i32, i32) {
  %z = arith.addi %x, %y : i32
  %k = arith.maxsi %i, %j : i32
  return %z, %k : i32, i32
}

// Pairs that a function combines are words, which the same kernel takes apart.
// PLAN: plan of 'words': 1 kernel, 2 memsets,
func.func @words(%keys: !obs.pull<? x i32>, %values: !obs.pull<? x i32, i32>) -> !obs.pull<10 x i32, i32> {
  %zero = arith.constant 0 : i32
  %p = obs.scatter %values at %keys init %zero, %zero reduce(@sum_and_most) : !obs.pull<? x i32, i32>, !obs.pull<? x i32> -> !obs.push<grid, 10 x i32, i32>
  %f = obs.force %p : !obs.push<grid, 10 x i32, i32> -> !obs.pull<10 x i32, i32>
  return %f : !obs.pull<10 x i32, i32>
}

// The counters are used up by one run.
// PLAN: plan of 'twice': 4 kernels, 2 memsets,
func.func @twice(%keys: !obs.pull<? x i32>) -> (!obs.pull<10 x i32>, !obs.pull<10 x i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %ones = obs.splat %one [%n] : !obs.pull<? x i32>
  %p = obs.scatter %ones at %keys init %zero reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 10 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 10 x i32>) -> !obs.push<grid, 10 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  %g = obs.force %q : !obs.push<grid, 10 x i32> -> !obs.pull<10 x i32>
  return %f, %g : !obs.pull<10 x i32>, !obs.pull<10 x i32>
}

// The array that the map reads may be made behind the scatter, and its extent may be asked for.
// PLAN: plan of 'behind': 1 kernel, 1 memset,
func.func @behind(%keys: !obs.pull<? x i32>, %bins: index) -> !obs.pull<? x i32 bound [128]> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %ones = obs.splat %one [%n] : !obs.pull<? x i32>
  %p = obs.scatter %ones at %keys init %zero reduce(addi) [%bins] : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, ? x i32 bound [128]>
  %m = obs.dim %p, 0 : !obs.push<grid, ? x i32 bound [128]>
  %iota = obs.iota [%m] : !obs.pull<? x i32>
  %q = obs.map (%x = %p : !obs.push<grid, ? x i32 bound [128]>, %i = %iota : !obs.pull<? x i32>) -> !obs.push<grid, ? x i32 bound [128]> {
    %y = arith.muli %x, %i : i32
    obs.yield %y : i32
  }
  %f = obs.force %q : !obs.push<grid, ? x i32 bound [128]> -> !obs.pull<? x i32 bound [128]>
  return %f : !obs.pull<? x i32 bound [128]>
}
