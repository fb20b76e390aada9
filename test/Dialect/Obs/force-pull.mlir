// A force of a pull array pushes it at the level of its region.
// RUN: obs-opt %s --verify-diagnostics --split-input-file | FileCheck %s
// RUN: obs-opt %s --verify-diagnostics --split-input-file --obs-fuse-arrays | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: @levels
// FUSED-LABEL: @levels
func.func @levels(%a: !obs.pull<? x i32>) -> (!obs.pull<? x 4 x i32>, !obs.pull<? x i32>) {
  %one = arith.constant 1 : i32
  %rows = obs.split %a by [4] pad %one : !obs.pull<? x i32>
  %sorted = obs.distribute warp in grid (%r = %rows : !obs.pull<? x !obs.pull<4 x i32>>) {
    %s = obs.map { arith.addi } %r, %r : !obs.pull<4 x i32>
    // CHECK: %[[F:.*]] = obs.force %{{.*}} in shared : !obs.pull<4 x i32>{{$}}
    // CHECK-NEXT: obs.reverse %[[F]] : !obs.pull<4 x i32>
    // FUSED: obs.force %{{.*}} in shared : !obs.push<warp, 4 x i32>
    %f = obs.force %s in shared : !obs.pull<4 x i32>
    %b = obs.reverse %f : !obs.pull<4 x i32>
    %p = obs.push warp %b : !obs.pull<4 x i32>
    obs.yield %p : !obs.push<warp, 4 x i32>
  }
  %twice = obs.map { arith.addi } %a, %a : !obs.pull<? x i32>
  // One force takes both kinds.
  // CHECK: obs.force %{{.*}}, %{{.*}} {kernel = "both"} : !obs.push<grid, ? x 4 x i32>, !obs.pull<? x i32>{{$}}
  // FUSED: obs.force %{{.*}}, %{{.*}} {kernel = "both"} : !obs.push<grid, ? x 4 x i32>, !obs.push<grid, ? x i32>{{$}}
  %x, %y = obs.force %sorted, %twice {kernel = "both"} : !obs.push<grid, ? x 4 x i32>, !obs.pull<? x i32>
  return %x, %y : !obs.pull<? x 4 x i32>, !obs.pull<? x i32>
}

// CHECK-LABEL: @into
func.func @into(%a: !obs.pull<? x i32>, %m: memref<?xi32>) {
  // CHECK: obs.force %{{.*}} into %{{.*}} : !obs.pull<? x i32> into memref<?xi32>{{$}}
  // FUSED: obs.force %{{.*}} into %{{.*}} : !obs.push<grid, ? x i32> into memref<?xi32>
  %f = obs.force %a into %m : !obs.pull<? x i32> into memref<?xi32>
  return
}

// -----

func.func @nested(%a: !obs.pull<8 x i32>) {
  %rows = obs.split %a by [4] : !obs.pull<8 x i32>
  // expected-error@+1 {{[R2-nested] the elements are arrays; join them first, or distribute over them}}
  %f = obs.force %rows : !obs.pull<2 x !obs.pull<4 x i32>>
  return
}

// -----

func.func @scalar(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %r = obs.generate (%i) {
    // expected-error@+1 {{[R1-scalar] stands in a region that computes one element}}
    %f = obs.force %a : !obs.pull<8 x i32>
    %x = obs.get %f[%i] : !obs.pull<8 x i32>
    obs.yield %x : i32
  } : !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// -----

func.func @unbounded(%a: !obs.pull<? x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R2-bounded] forces an array of unknown extent below level grid}}
  %f = obs.force %a : !obs.pull<? x i32>
  return
}
