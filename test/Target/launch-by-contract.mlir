// The PTX and the launch contract are all that another language needs.

// REQUIRES: cuda, python
// RUN: obs-translate --obs-to-ptx %s -o %t.ptx
// RUN: obs-translate --obs-to-launch-json %s -o %t.json
// RUN: %python %S/Inputs/launch.py %t.ptx %t.json | FileCheck %s
// CHECK: 100000 elements in {{[0-9]+}} blocks: as expected

func.func @main(%a: !obs.pull<? x i32>, %x: i32) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %chunks = obs.split %a by [512] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<512 x i32>>
  %woven = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<512 x i32>>) -> !obs.push<grid, ? x 512 x i32> {
    %p = obs.push %c : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    %f = obs.force %p : !obs.push<block, 512 x i32> -> !obs.pull<512 x i32>
    %r = obs.reverse %f : !obs.pull<512 x i32>
    %s = obs.map (%u = %f : !obs.pull<512 x i32>, %v = %r : !obs.pull<512 x i32>) -> !obs.pull<512 x i32> {
      %m = arith.muli %u, %x : i32
      %y = arith.addi %m, %v : i32
      obs.yield %y : i32
    }
    %q = obs.push %s : !obs.pull<512 x i32> -> !obs.push<block, 512 x i32>
    obs.yield %q : !obs.push<block, 512 x i32>
  }
  %flat = obs.join %woven : !obs.push<grid, ? x 512 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %flat {kernel = "weave"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
