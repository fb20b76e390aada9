// RUN: obs-opt --pass-pipeline='builtin.module(inline,func.func(obs-fuse-arrays))' %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=remark:
// RUN: obs-opt --pass-pipeline='builtin.module(inline,func.func(obs-fuse-arrays))' %s -o /dev/null 2>&1 \
// RUN:   | grep -c remark: | FileCheck %s --check-prefix=COUNT

// Two places compute the array: the remark appears once, though the function is
// in two copies.
// COUNT: {{^1$}}
// CHECK: fuse-arrays-remark.mlir:[[#@LINE+2]]:{{.*}}: remark: each element is computed in 2 places; force the array to compute it once
func.func private @twice(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %s = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.reverse %s : !obs.pull<8 x i32>
  %m = obs.map (%x = %s : !obs.pull<8 x i32>, %y = %r : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  return %m : !obs.pull<8 x i32>
}

func.func @main(%a: !obs.pull<8 x i32>) -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>) {
  %b = func.call @twice(%a) : (!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
  %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %f = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %c = func.call @twice(%f) : (!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
  %q = obs.push %c : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %g = obs.force %q : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %f, %g : !obs.pull<8 x i32>, !obs.pull<8 x i32>
}
