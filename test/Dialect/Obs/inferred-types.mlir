// Types that follow from operands, attributes and regions need not be spelt, and
// are not printed. The spelt ones are read; those that differ are printed.
// RUN: obs-opt %s | FileCheck %s
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s

// CHECK-LABEL: @index_maps
func.func @index_maps(%a: !obs.pull<? x i32>, %b: !obs.pull<100 x i32>, %c: !obs.pull<? x i32 bound [64]>, %n: index) {
  // CHECK: obs.slice %{{.*}} [0] [8] [1] : !obs.pull<? x i32>{{$}}
  %s0 = obs.slice %a [0] [8] [1] : !obs.pull<? x i32>
  // CHECK: obs.slice %{{.*}} [0] [8] [1] : !obs.pull<? x i32>{{$}}
  %s1 = obs.slice %a [0] [8] [1] : !obs.pull<? x i32> -> !obs.pull<8 x i32>
  // CHECK: obs.slice %{{.*}} [0] [8] [1] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  %s2 = obs.slice %a [0] [8] [1] : !obs.pull<? x i32> -> !obs.pull<? x i32>
  // A part of an array is no longer than the array.
  // CHECK: %[[S:.*]] = obs.slice %{{.*}} [0] [%{{.*}}] [3] : !obs.pull<100 x i32>{{$}}
  // CHECK-NEXT: obs.push grid %[[S]] : !obs.pull<? x i32 bound [34]>
  %s3 = obs.slice %b [0] [%n] [3] : !obs.pull<100 x i32>
  %p3 = obs.push grid %s3 : !obs.pull<? x i32 bound [34]>
  // CHECK: %[[T:.*]] = obs.take
  // CHECK-NEXT: obs.push grid %[[T]] : !obs.pull<? x i32 bound [64]>
  %t = obs.take %c [%n] : !obs.pull<? x i32 bound [64]>
  %pt = obs.push grid %t : !obs.pull<? x i32 bound [64]>
  // CHECK: %[[C:.*]] = obs.split %{{.*}} by [7] pad
  // CHECK-NEXT: obs.join %[[C]] : !obs.pull<15 x !obs.pull<7 x i32>>{{$}}
  %zero = arith.constant 0 : i32
  %chunks = obs.split %b by [7] pad %zero : !obs.pull<100 x i32>
  %j = obs.join %chunks : !obs.pull<15 x !obs.pull<7 x i32>>
  // CHECK: obs.join %{{.*}} to [100] : !obs.pull<15 x !obs.pull<7 x i32>>{{$}}
  %k = obs.join %chunks to [100] : !obs.pull<15 x !obs.pull<7 x i32>> -> !obs.pull<100 x i32>
  // CHECK: %[[B:.*]] = obs.split %{{.*}} by [10] : !obs.pull<? x i32 bound [64]>{{$}}
  // CHECK-NEXT: obs.join %[[B]] : !obs.pull<? x !obs.pull<10 x i32> bound [7]>
  %few = obs.split %c by [10] : !obs.pull<? x i32 bound [64]>
  %l = obs.join %few : !obs.pull<? x !obs.pull<10 x i32> bound [7]>
  %pl = obs.push grid %l : !obs.pull<? x i32 bound [70]>
  // One type is that of all operands.
  // CHECK: %[[D:.*]] = obs.concat %{{.*}}, %{{.*}} : !obs.pull<100 x i32>{{$}}
  // CHECK-NEXT: %[[E:.*]] = obs.concat %[[D]], %{{.*}} : !obs.pull<200 x i32>, !obs.pull<? x i32 bound [64]>{{$}}
  // CHECK-NEXT: obs.push grid %[[E]] : !obs.pull<? x i32 bound [264]>
  %d = obs.concat %b, %b : !obs.pull<100 x i32>
  %e = obs.concat %d, %c : !obs.pull<200 x i32>, !obs.pull<? x i32 bound [64]>
  %pe = obs.push grid %e : !obs.pull<? x i32 bound [264]>
  // CHECK: %[[I:.*]] = obs.interleave %{{.*}}, %{{.*}} : !obs.pull<100 x i32>, !obs.pull<? x i32 bound [100]>{{$}}
  // CHECK-NEXT: obs.push grid %[[I]] : !obs.pull<200 x i32>
  %v = obs.take %b [%n] : !obs.pull<100 x i32>
  %i = obs.interleave %b, %v : !obs.pull<100 x i32>, !obs.pull<? x i32 bound [100]>
  %pi = obs.push grid %i : !obs.pull<200 x i32>
  // CHECK: obs.zip %{{.*}}, %{{.*}} : !obs.pull<100 x i32>{{$}}
  %z = obs.zip %b, %b : !obs.pull<100 x i32>
  return
}

// CHECK-LABEL: @programs
func.func @programs(%a: !obs.pull<? x i32>, %z: i32) -> (!obs.pull<? x 64 x i32>, !obs.pull<? x 1 x i32>, !obs.pull<1 x i32>) {
  %tiles = obs.split %a by [64] pad %z : !obs.pull<? x i32>
  // CHECK: obs.distribute block in grid (%{{.*}} = %{{.*}} : !obs.pull<? x !obs.pull<64 x i32>>) {
  %o, %t = obs.distribute block in grid (%c = %tiles : !obs.pull<? x !obs.pull<64 x i32>>) {
    // CHECK: %{{.*}}, %{{.*}} = obs.scan block exclusive { arith.addi } %{{.*}} init %{{.*}} total : !obs.pull<64 x i32>{{$}}
    %p, %total = obs.scan block exclusive { arith.addi } %c init %z total : !obs.pull<64 x i32>
    // CHECK: obs.reduce { arith.maxsi } %{{.*}} init %{{.*}} {commutative} : !obs.pull<64 x i32>{{$}}
    %m = obs.reduce { arith.maxsi } %c init %z {commutative} : !obs.pull<64 x i32>
    %s = arith.addi %total, %m : i32
    %one = obs.splat %s : !obs.pull<1 x i32>
    // CHECK: obs.push block %{{.*}} : !obs.pull<1 x i32>{{$}}
    %q = obs.push block %one : !obs.pull<1 x i32>
    obs.yield %p, %q : !obs.push<block, 64 x i32>, !obs.push<block, 1 x i32>
  }
  // CHECK: obs.reduce grid { arith.addi }
  %sum = obs.reduce grid { arith.addi } %a init %z : !obs.pull<? x i32>
  // CHECK: %{{.*}}:3 = obs.force %{{.*}}#0, %{{.*}}#1, %{{.*}} : !obs.push<grid, ? x 64 x i32>, !obs.push<grid, ? x 1 x i32>, !obs.push<grid, 1 x i32>{{$}}
  %r:3 = obs.force %o, %t, %sum : !obs.push<grid, ? x 64 x i32>, !obs.push<grid, ? x 1 x i32>, !obs.push<grid, 1 x i32>
  return %r#0, %r#1, %r#2 : !obs.pull<? x 64 x i32>, !obs.pull<? x 1 x i32>, !obs.pull<1 x i32>
}

// A type in a list of bindings is that of all arrays before it that have none.
// CHECK-LABEL: @bindings
func.func @bindings(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x f32>) -> !obs.pull<8 x i1, f32> {
  // CHECK: obs.map (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}} : !obs.pull<8 x i32>, %{{.*}} = %{{.*}} : !obs.pull<8 x f32>) {
  %r = obs.map (%x = %a, %y = %a : !obs.pull<8 x i32>, %z = %b : !obs.pull<8 x f32>) {
    %l = arith.cmpi slt, %x, %y : i32
    obs.yield %l, %z : i1, f32
  }
  // CHECK: obs.map { arith.cmpi {predicate = 2 : i64} } %{{.*}}, %{{.*}} : !obs.pull<8 x i32>{{$}}
  %s = obs.map (%x = %a : !obs.pull<8 x i32>, %y = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i1> {
    %l = arith.cmpi slt, %x, %y : i32
    obs.yield %l : i1
  }
  // Arguments in another order are no short form.
  // CHECK: obs.map (%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}} : !obs.pull<8 x i32>) {
  // CHECK-NEXT: arith.subi %[[Y]], %[[X]]
  %t = obs.map (%x = %a, %y = %a : !obs.pull<8 x i32>) {
    %d = arith.subi %y, %x : i32
    obs.yield %d : i32
  }
  // CHECK: obs.map { math.fma {fastmath = #arith.fastmath<contract>} } %{{.*}}, %{{.*}}, %{{.*}} : !obs.pull<8 x f32>{{$}}
  %f = obs.map { math.fma {fastmath = #arith.fastmath<contract>} } %b, %b, %b : !obs.pull<8 x f32>
  return %r : !obs.pull<8 x i1, f32>
}

// CHECK-LABEL: @segments
func.func @segments(%a: !obs.pull<8 x i32>, %f: !obs.pull<8 x i1>, %o: !obs.pull<5 x index>, %z: i32, %n: index) attributes {obs.level = #obs.level<warp>} {
  // CHECK: %[[P:.*]] = obs.segmented_reduce warp { arith.addi } %{{.*}} init %{{.*}} offsets %{{.*}} : !obs.pull<8 x i32>, !obs.pull<5 x index>{{$}}
  // CHECK-NEXT: obs.force %[[P]] : !obs.push<warp, 4 x i32>
  %p = obs.segmented_reduce warp { arith.addi } %a init %z offsets %o : !obs.pull<8 x i32>, !obs.pull<5 x index>
  %r = obs.force %p : !obs.push<warp, 4 x i32>
  // CHECK: obs.segmented_reduce warp { arith.addi } %{{.*}} init %{{.*}} flags %{{.*}} [%{{.*}}] : !obs.pull<8 x i32>, !obs.pull<8 x i1>{{$}}
  %q = obs.segmented_reduce warp { arith.addi } %a init %z flags %f [%n] : !obs.pull<8 x i32>, !obs.pull<8 x i1>
  // CHECK: obs.segmented_scan warp inclusive { arith.addi }
  %s = obs.segmented_scan warp inclusive { arith.addi } %a init %z flags %f : !obs.pull<8 x i32>, !obs.pull<8 x i1>
  return
}
