// RUN: obs-opt %s --convert-obs-to-scf --canonicalize --cse | FileCheck %s

// A loop over the grid's threads; reading and writing are a load and a store.
// CHECK-LABEL: obs.kernel @copy
// CHECK: scf.forall (%[[I:.*]]) in (64)
// CHECK-NEXT: %[[X:.*]] = memref.load %arg0[%[[I]]]
// CHECK-NEXT: memref.store %[[X]], %arg1[%[[I]]]
// CHECK-NEXT: mapping = [#obs.map<grid, thread>]
obs.kernel @copy(%a: memref<64xi32>, %out: memref<64xi32>) attributes {threads = 32 : i64} {
  %v = obs.view %a : memref<64xi32>
  %c64 = arith.constant 64 : index
  %p = obs.fill par (%i) in (%c64) {
    %x = obs.get %v[%i] : !obs.pull<64 x i32>
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 64 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 64 x i32> into memref<64xi32> -> !obs.pull<64 x i32>
}

// Blocks, warps and lanes: virtualised loops around a leaf, one array each.
// CHECK-LABEL: obs.kernel @levels
// CHECK: obs.worker_id <grid, block>
// CHECK: scf.for
// CHECK: obs.worker_id <block, warp>
// CHECK: scf.for
// CHECK: memref.alloc() : memref<40xi32, #obs.home<warp, auto>>
// CHECK: mapping = [#obs.map<warp, thread>]
// CHECK: obs.map = #obs.map<block, warp>
// CHECK: obs.map = #obs.map<grid, block>
obs.kernel @levels(%n: index, %out: memref<?xi32>) attributes {threads = 64 : i64} {
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %x = arith.constant 1 : i32
  %p = obs.fill [%n] {
    obs.par block (%b) in (%n) {
      obs.par warp (%w) in (%c4) {
        %q = obs.fill par (%l) in (%c40) {
          obs.write %x at [%l] : i32
        } : !obs.push<warp, 40 x i32>
        %f = obs.force %q : !obs.push<warp, 40 x i32> -> !obs.pull<40 x i32>
        obs.par (%l) in (%c40) {
          %y = obs.get %f[%l] : !obs.pull<40 x i32>
          obs.write %y at [%l] : i32
        }
      }
    }
  } : !obs.push<grid, ? x i32>
  %r = obs.force %p into %out : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
}

// A carried array is a ring: slot s is read, slot 1 - s written.
// CHECK-LABEL: obs.kernel @ring
// CHECK: %[[R:.*]] = memref.alloc() : memref<2x16xi32, #obs.home<block, auto>>
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %c0)
// CHECK: %[[T:.*]] = arith.subi %c1, %[[S]]
// CHECK: memref.load %[[R]][%[[S]], %
// CHECK: memref.store %{{.*}}, %[[R]][%[[T]], %
// CHECK: scf.yield %[[T]]
obs.kernel @ring(%n: index, %out: memref<1x16xi32>) attributes {threads = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %x = arith.constant 0 : i32
  %p = obs.fill {
    obs.par block (%b) in (%c2) {
      %q = obs.fill par (%t) in (%c16) {
        obs.write %x at [%t] : i32
      } : !obs.push<block, 16 x i32>
      %f = obs.force %q : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
      %l = scf.for %i = %c0 to %n step %c1 iter_args(%y = %f) -> !obs.pull<16 x i32> {
        %g = obs.fill par (%t) in (%c16) {
          %j = arith.subi %c15, %t : index
          %z = obs.get %y[%j] : !obs.pull<16 x i32>
          obs.write %z at [%t] : i32
        } : !obs.push<block, 16 x i32>
        %h = obs.force %g : !obs.push<block, 16 x i32> -> !obs.pull<16 x i32>
        scf.yield %h : !obs.pull<16 x i32>
      }
      obs.par (%t) in (%c16) {
        %z = obs.get %l[%t] : !obs.pull<16 x i32>
        obs.write %z at [%b, %t] : i32
      }
    }
  } : !obs.push<grid, 1 x 16 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 1 x 16 x i32> into memref<1x16xi32> -> !obs.pull<1 x 16 x i32>
}

// Contracts: `reduce` is an atomic, `any` stays on the store.
// CHECK-LABEL: obs.kernel @contracts
// CHECK: memref.atomic_rmw addi
// CHECK: memref.store {{.*}} {obs.contract = "any"}
obs.kernel @contracts(%n: index, %a: memref<8xi32>, %b: memref<8xi32>) attributes {threads = 16 : i64} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %p = obs.fill reduce(addi) par (%t) in (%n) {
    obs.write %one at [%c0] : i32
  } : !obs.push<grid, 8 x i32>
  %q = obs.fill any par (%t) in (%n) {
    obs.write %one at [%c0] : i32
  } : !obs.push<grid, 8 x i32>
  %r, %s = obs.force %p, %q into %a, %b : !obs.push<grid, 8 x i32>, !obs.push<grid, 8 x i32> into memref<8xi32>, memref<8xi32> -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>)
}

// A value that is in memory already is not written again, if there are initial contents. Bits are compared.
// CHECK-LABEL: obs.kernel @tested
// CHECK: %[[OLD:.*]] = memref.load %{{.*}}[%[[I:.*]]] {obs.contract = "any"} : memref<8xf32>
// CHECK-DAG: %[[A:.*]] = arith.bitcast %[[OLD]] : f32 to i32
// CHECK-DAG: %[[B:.*]] = arith.bitcast %[[NEW:.*]] : f32 to i32
// CHECK: %[[DIFFERS:.*]] = arith.cmpi ne, %[[A]], %[[B]] : i32
// CHECK: scf.if %[[DIFFERS]] {
// CHECK-NEXT: memref.store %[[NEW]], %{{.*}}[%[[I]]] {obs.contract = "any"} : memref<8xf32>
obs.kernel @tested(%n: index, %x: f32, %a: memref<8xf32>) attributes {threads = 16 : i64} {
  %c0 = arith.constant 0 : index
  %p = obs.fill any par (%t) in (%n) {
    obs.write %x at [%c0] : f32
  } {started} : !obs.push<grid, 8 x f32>
  %r = obs.force %p into %a {unchecked} : !obs.push<grid, 8 x f32> into memref<8xf32> -> !obs.pull<8 x f32>
}

// A combination that does not change an element is not written. An `or` with 0 is an atomic load. A sum always
// changes the element.
// CHECK-LABEL: obs.kernel @combined
// CHECK: %[[OLD:.*]] = memref.atomic_rmw ori %c0_i32, %[[A:.*]][%[[I:.*]]] :
// CHECK: %[[NEXT:.*]] = arith.maxsi %[[OLD]], %[[X:.*]] : i32
// CHECK: %[[CHANGES:.*]] = arith.cmpi ne, %[[NEXT]], %[[OLD]] : i32
// CHECK: scf.if %[[CHANGES]] {
// CHECK-NEXT: memref.atomic_rmw maxs %[[X]], %[[A]][%[[I]]]
// CHECK-NOT: ori
// CHECK-NOT: scf.if
// CHECK: memref.atomic_rmw addi
obs.kernel @combined(%n: index, %x: i32, %a: memref<8xi32>, %b: memref<8xi32>) attributes {threads = 16 : i64} {
  %c0 = arith.constant 0 : index
  %p = obs.fill reduce(maxs) par (%t) in (%n) {
    obs.write %x at [%c0] : i32
  } {started} : !obs.push<grid, 8 x i32>
  %q = obs.fill reduce(addi) par (%t) in (%n) {
    obs.write %x at [%c0] : i32
  } {started} : !obs.push<grid, 8 x i32>
  %r, %s = obs.force %p, %q into %a, %b {unchecked} : !obs.push<grid, 8 x i32>, !obs.push<grid, 8 x i32> into memref<8xi32>, memref<8xi32> -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>)
}

// The bit operations in arith: x ^ 2^i, x + (x & ~(2^i - 1)).
// CHECK-LABEL: obs.kernel @bits
// CHECK: %[[P:.*]] = arith.shli %c1
// CHECK: arith.xori %{{.*}}, %[[P]]
// CHECK-NOT: obs.bit
// CHECK: mapping
obs.kernel @bits(%i: index, %out: memref<8xindex>) attributes {threads = 16 : i64} {
  %c8 = arith.constant 8 : index
  %p = obs.fill par (%t) in (%c8) {
    %x = obs.bit.flip %t, %i : index
    %y = obs.bit.insert_zero %x, %i : index
    %z = obs.bit.flip_low %y, %i : index
    %u = obs.bit.swap %z, %i, %i : index
    %v = obs.bit.reverse %u, %c8 : index
    %w = obs.bit.rotate %v, %i, %c8 : index
    obs.write %w at [%t] : index
  } : !obs.push<grid, 8 x index>
  %r = obs.force %p into %out : !obs.push<grid, 8 x index> into memref<8xindex> -> !obs.pull<8 x index>
}

// Assertions at any level; one worker prints.
// CHECK-LABEL: obs.kernel @checks
// CHECK: cf.assert
// CHECK: scf.forall ({{.*}}) in (1)
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: gpu.printf "block %lld\0A"
obs.kernel @checks(%n: index, %ok: i1, %out: memref<8xi32>) attributes {threads = 16 : i64} {
  %p = obs.fill {
    obs.par block (%b) in (%n) {
      obs.assert %ok, "not ok"
      obs.print "block {}", %b : index
    }
  } : !obs.push<grid, 8 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
}
