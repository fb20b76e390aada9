// Loops of blocks that carry arrays from one to the other, on the emulator.
//
// RUN: obs-run %s --entry=made --device=emulate iota:8xi32 | FileCheck %s --check-prefix=MADE
// RUN: obs-run %s --entry=made --device=emulate --threads=3 iota:8xi32 | FileCheck %s --check-prefix=MADE
// RUN: obs-run %s --entry=made --device=emulate --threads=96 --schedule=random --seed=2 iota:8xi32 | FileCheck %s --check-prefix=MADE
// RUN: obs-run %s --entry=swapped --device=emulate iota:8xi32 | FileCheck %s --check-prefix=SWAPPED
// RUN: obs-run %s --entry=swapped --device=emulate --threads=3 iota:8xi32 | FileCheck %s --check-prefix=SWAPPED
// RUN: obs-run %s --entry=swapped --device=emulate --threads=96 --schedule=random --seed=2 iota:8xi32 | FileCheck %s --check-prefix=SWAPPED
// RUN: obs-run %s --entry=again --device=emulate iota:8xi32 | FileCheck %s --check-prefix=AGAIN
// RUN: obs-run %s --entry=again --device=emulate --threads=3 iota:8xi32 | FileCheck %s --check-prefix=AGAIN
// RUN: obs-run %s --entry=again --device=emulate --threads=96 --schedule=random --seed=2 iota:8xi32 | FileCheck %s --check-prefix=AGAIN

// The condition region doubles four times, the other one reverses three times:
// 16 * (7 - i).
// MADE: {{^\[\[}}112, 96, 80, 64, 48, 32, 16, 0]]{{$}}
func.func @made(%a: !obs.pull<8 x i32>) -> !obs.pull<1 x 8 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 8 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r:2 = scf.while (%i = %c0, %x = %a) : (index, !obs.pull<8 x i32>) -> (index, !obs.pull<8 x i32>) {
      %more = arith.cmpi ult, %i, %c3 : index
      %g = obs.map (%e = %x : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
        %f = arith.addi %e, %e : i32
        obs.yield %f : i32
      }
      scf.condition(%more) %i, %g : index, !obs.pull<8 x i32>
    } do {
    ^bb0(%j: index, %y: !obs.pull<8 x i32>):
      %h = obs.reverse %y : !obs.pull<8 x i32>
      %j1 = arith.addi %j, %c1 : index
      scf.yield %j1, %h : index, !obs.pull<8 x i32>
    }
    %q = obs.push %r#1 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    obs.yield %q : !obs.push<block, 8 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 1 x 8 x i32> -> !obs.pull<1 x 8 x i32>
  return %f : !obs.pull<1 x 8 x i32>
}

// An inner loop works in the place of the array that its result is swapped with:
// x, z = z, x + 9 three times, then 3 * x - z = 30 - 4 * i.
// SWAPPED: {{^\[\[}}30, 26, 22, 18, 14, 10, 6, 2]]{{$}}
func.func @swapped(%a: !obs.pull<8 x i32>) -> !obs.pull<1 x 8 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 8 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %k3 = arith.constant 3 : i32
    %ra = obs.reverse %a : !obs.pull<8 x i32>
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %z = %ra) -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>) {
      %w = scf.for %j = %c0 to %c3 step %c1 iter_args(%y = %x) -> (!obs.pull<8 x i32>) {
        %h = obs.map (%he = %y : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
          %hk = arith.addi %he, %k3 : i32
          obs.yield %hk : i32
        }
        scf.yield %h : !obs.pull<8 x i32>
      }
      scf.yield %z, %w : !obs.pull<8 x i32>, !obs.pull<8 x i32>
    }
    %z9 = obs.map (%e = %r#0 : !obs.pull<8 x i32>, %f = %r#1 : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %k = arith.muli %e, %k3 : i32
      %g = arith.subi %k, %f : i32
      obs.yield %g : i32
    }
    %q9 = obs.push %z9 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    obs.yield %q9 : !obs.push<block, 8 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 1 x 8 x i32> -> !obs.pull<1 x 8 x i32>
  return %f : !obs.pull<1 x 8 x i32>
}

// The innermost loop begins with the same array again and again:
// x = 27 * (7 - i) - 13 * (x + 9) three times, then 3 * x - i.
// AGAIN: {{^\[\[}}33912, 14603, -4706, -24015, -43324, -62633, -81942, -101251]]{{$}}
func.func @again(%a: !obs.pull<8 x i32>) -> !obs.pull<1 x 8 x i32> {
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 8 x i32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %k3 = arith.constant 3 : i32
    %ra = obs.reverse %a : !obs.pull<8 x i32>
    %o = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> (!obs.pull<8 x i32>) {
      %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %ra) -> (!obs.pull<8 x i32>) {
        %w = scf.for %j = %c0 to %c3 step %c1 iter_args(%y = %x) -> (!obs.pull<8 x i32>) {
          %h2 = obs.map (%h2e = %y : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
            %h2k = arith.addi %h2e, %k3 : i32
            obs.yield %h2k : i32
          }
          scf.yield %h2 : !obs.pull<8 x i32>
        }
        %mx = obs.map (%e = %acc : !obs.pull<8 x i32>, %f = %w : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
          %kk = arith.muli %e, %k3 : i32
          %g = arith.subi %kk, %f : i32
          obs.yield %g : i32
        }
        scf.yield %mx : !obs.pull<8 x i32>
      }
      scf.yield %r : !obs.pull<8 x i32>
    }
    %z9 = obs.map (%e = %o : !obs.pull<8 x i32>, %f = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %k = arith.muli %e, %k3 : i32
      %g = arith.subi %k, %f : i32
      obs.yield %g : i32
    }
    %q9 = obs.push %z9 : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
    obs.yield %q9 : !obs.push<block, 8 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 1 x 8 x i32> -> !obs.pull<1 x 8 x i32>
  return %f : !obs.pull<1 x 8 x i32>
}
