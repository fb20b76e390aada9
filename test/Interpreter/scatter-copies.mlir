// RUN: obs-run %s --device=interpret --entry=scatter iota:2000xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --entry=scatter iota:2000xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --entry=scatter --threads=96 --schedule=random --seed=3 iota:2000xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --entry=fill --threads=17 iota:2000xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate --check --entry=fill --threads=1024 --schedule=random --seed=3 iota:2000xi32 | FileCheck %s

// Copies below level grid, for warps and for threads of a block, of a function and of an
// operation with a name. 8 * (0 + ... + 249) + 250 * k for k = 0, ..., 3.
// CHECK: [249000, 249250, 249500, 249750]
// CHECK-NEXT: [249000, 249250, 249500, 249750]

!values = !obs.pull<2000 x i32>
!result = !obs.pull<1 x 4 x i32>

func.func @scatter(%a: !values) -> (!result, !result) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %one = obs.iota : !obs.pull<1 x index>
  %at = obs.map (%x = %a : !values) -> !values {
    %k = arith.andi %x, %seven : i32
    obs.yield %k : i32
  }
  %p, %q = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> (!obs.push<grid, 1 x 4 x i32>, !obs.push<grid, 1 x 4 x i32>) {
    %s = obs.scatter %a at %at init %zero reduce(@sum) {strategy = "per_warp"} : !values, !values -> !obs.push<block, 4 x i32>
    %t = obs.scatter %a at %at init %zero reduce(@sum) {strategy = "per_thread"} : !values, !values -> !obs.push<block, 4 x i32>
    obs.yield %s, %t : !obs.push<block, 4 x i32>, !obs.push<block, 4 x i32>
  }
  %r:2 = obs.force %p, %q : !obs.push<grid, 1 x 4 x i32>, !obs.push<grid, 1 x 4 x i32> -> (!result, !result)
  return %r#0, %r#1 : !result, !result
}

func.func @fill(%a: !values) -> (!result, !result) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %four = arith.constant 4 : i32
  %n = arith.constant 2000 : index
  %one = obs.iota : !obs.pull<1 x index>
  %p, %q = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> (!obs.push<grid, 1 x 4 x i32>, !obs.push<grid, 1 x 4 x i32>) {
    %s = obs.fill init %zero reduce(@sum) par (%t) in (%n) {
      %x = obs.get %a[%t] : !values
      %k = arith.andi %x, %seven : i32
      %is = arith.cmpi ult, %k, %four : i32
      scf.if %is {
        %i = arith.index_cast %k : i32 to index
        obs.write %x at [%i] : i32
      }
    } {strategy = "per_thread"} : !obs.push<block, 4 x i32>
    %u = obs.fill init %zero reduce(addi) par (%t) in (%n) {
      %x = obs.get %a[%t] : !values
      %k = arith.andi %x, %seven : i32
      %is = arith.cmpi ult, %k, %four : i32
      scf.if %is {
        %i = arith.index_cast %k : i32 to index
        obs.write %x at [%i] : i32
      }
    } {strategy = "per_warp"} : !obs.push<block, 4 x i32>
    obs.yield %s, %u : !obs.push<block, 4 x i32>, !obs.push<block, 4 x i32>
  }
  %r:2 = obs.force %p, %q : !obs.push<grid, 1 x 4 x i32>, !obs.push<grid, 1 x 4 x i32> -> (!result, !result)
  return %r#0, %r#1 : !result, !result
}

func.func private @sum(%x: i32, %y: i32) -> i32 {
  %z = arith.addi %x, %y : i32
  return %z : i32
}
