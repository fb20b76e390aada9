// Extents and indices of 33 bits are printed whole: on the host and in threads. A loop without iterations prints nothing.
// RUN: obs-run %s --device=interpret 4294967296 0 | FileCheck %s
// RUN: obs-run %s --device=emulate 4294967296 0 | FileCheck %s
// CHECK-NOT: never
// CHECK-DAG: extent 4294967296, half 2147483648
// CHECK-DAG: index 4294967295
// CHECK: {{^}}[4294967295]{{$}}
// CHECK-NOT: never
func.func @main(%n: index, %none: index) -> !obs.pull<1 x index> {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %a = obs.iota [%n] : !obs.pull<? x index>
  %d = obs.dim %a, 0 : !obs.pull<? x index>
  %half = arith.shrui %d, %one : index
  obs.print "extent {}, half {}", %d, %half : index, index
  %last = arith.subi %d, %one : index
  %p = obs.fill {
    obs.par (%i) in (%one) {
      %j = arith.addi %i, %last : index
      %x = obs.get %a[%j] : !obs.pull<? x index>
      obs.print "index {}", %x : index
      obs.write %x at [%i] : index
    }
    obs.par (%i, %j) in (%n, %none) {
      obs.print "never {}", %i : index
    }
  } : !obs.push<grid, 1 x index>
  %f = obs.force %p : !obs.push<grid, 1 x index>
  return %f : !obs.pull<1 x index>
}
