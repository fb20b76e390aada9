// An integer holds the low bits of an index, also where a cast to it and one back meet.
// RUN: obs-opt %s --canonicalize | FileCheck %s
// RUN: obs-run %s --device=interpret --entry=wraps | FileCheck %s --check-prefix=WRAPS
// RUN: obs-run %s --device=emulate --check=all --entry=wraps | FileCheck %s --check-prefix=WRAPS
// RUN: obs-run %s --device=emulate --check=all --entry=iota | FileCheck %s --check-prefix=WRAPS

// CHECK-LABEL: func.func @wraps
// CHECK: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT: %[[LOW:.*]] = arith.trunci %[[WIDE]] : i64 to i8
// CHECK-NEXT: arith.index_cast %[[LOW]] : i8 to index
// Nothing is lost in 64 bits.
// CHECK-NEXT: obs.yield

// 126, 127, then from the least on.
// WRAPS: [126, 127, -128, -127]
func.func @wraps() -> !obs.pull<4 x index> {
  %first = arith.constant 126 : index
  %g = obs.generate (%i) {
    %j = arith.addi %i, %first : index
    %x = arith.index_castui %j : index to i8
    %k = arith.index_cast %x : i8 to index
    %y = arith.index_cast %k : index to i64
    %z = arith.index_cast %y : i64 to index
    obs.yield %z : index
  } : !obs.pull<4 x index>
  %p = obs.push %g : !obs.pull<4 x index> -> !obs.push<grid, 4 x index>
  %f = obs.force %p : !obs.push<grid, 4 x index> -> !obs.pull<4 x index>
  return %f : !obs.pull<4 x index>
}

func.func @iota() -> !obs.pull<4 x index> {
  %first = arith.constant 126 : index
  %i = obs.iota : !obs.pull<130 x i8>
  %s = obs.slice %i [126] [4] [1] : !obs.pull<130 x i8> -> !obs.pull<4 x i8>
  %m = obs.map (%x = %s : !obs.pull<4 x i8>) -> !obs.pull<4 x index> {
    %y = arith.index_cast %x : i8 to index
    obs.yield %y : index
  }
  %p = obs.push %m : !obs.pull<4 x index> -> !obs.push<grid, 4 x index>
  %f = obs.force %p : !obs.push<grid, 4 x index> -> !obs.pull<4 x index>
  return %f : !obs.pull<4 x index>
}
