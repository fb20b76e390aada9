// RUN: obs-run %s --entry=order 2 3 | FileCheck %s --check-prefix=ORDER
// RUN: obs-run %s --entry=order 2 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --device=emulate --threads=17 --entry=order 2 0 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=levels iota:4x8xi32 | FileCheck %s --check-prefix=LEVELS
// RUN: obs-run %s --device=emulate --threads=17 --entry=levels iota:4x8xi32 | FileCheck %s --check-prefix=LEVELS

// The interpreter runs iterations in row-major order, the last to win. With no
// iteration the element keeps -1.
// ORDER: {{^}}(0, 0){{$}}
// ORDER-NEXT: {{^}}(0, 1){{$}}
// ORDER-NEXT: {{^}}(0, 2){{$}}
// ORDER-NEXT: {{^}}(1, 0){{$}}
// ORDER-NEXT: {{^}}(1, 1){{$}}
// ORDER-NEXT: {{^}}(1, 2){{$}}
// ORDER-NEXT: {{^}}[3]{{$}}
// NONE: {{^}}[-1]{{$}}
func.func @order(%m: index, %n: index) -> !obs.pull<1 x index> {
  %c0 = arith.constant 0 : index
  %init = arith.constant -1 : index
  %p = obs.fill init %init any par (%i, %j) in (%m, %n) {
    obs.print "({}, {})", %i, %j : index, index
    %s = arith.addi %i, %j : index
    obs.write %s at [%c0] : index
  } : !obs.push<grid, 1 x index>
  %r = obs.force %p : !obs.push<grid, 1 x index> -> !obs.pull<1 x index>
  return %r : !obs.pull<1 x index>
}

// A loop over blocks around a loop over threads: a transpose. Element (j, i) is
// 8 i + j; row 7 is the last.
// LEVELS: {{^}}[7, 15, 23, 31]{{$}}
func.func @levels(%a: !obs.pull<4 x 8 x i32>) -> !obs.pull<4 x i32> {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %p = obs.fill {
    obs.par block (%i) in (%c4) {
      obs.par (%j) in (%c8) {
        %x = obs.get %a[%i, %j] : !obs.pull<4 x 8 x i32>
        obs.write %x at [%j, %i] : i32
      }
    }
  } : !obs.push<grid, 8 x 4 x i32>
  %f = obs.force %p : !obs.push<grid, 8 x 4 x i32> -> !obs.pull<8 x 4 x i32>
  %r = obs.reindex (%i) = %f {
    %c7 = arith.constant 7 : index
    obs.yield %c7, %i : index, index
  } : !obs.pull<8 x 4 x i32> -> !obs.pull<4 x i32>
  return %r : !obs.pull<4 x i32>
}
