// RUN: obs-opt %s --obs-report-cost -o /dev/null 2>&1 | FileCheck %s

// In a volume, the report looks at a row and a plane in the middle.
// CHECK-LABEL: kernel 'volume'
// CHECK-COUNT-2: read global f32 at {{.*}}, 4 sectors per request inside of large arrays
func.func @volume(%a: !obs.pull<? x ? x ? x f32>) -> !obs.pull<? x ? x ? x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = obs.dim %a, 0 : !obs.pull<? x ? x ? x f32>
  %h = obs.dim %a, 1 : !obs.pull<? x ? x ? x f32>
  %w = obs.dim %a, 2 : !obs.pull<? x ? x ? x f32>
  %b = obs.generate (%z, %y, %x) [%d, %h, %w] {
    %above = arith.subi %y, %c1 : index
    %row = arith.maxsi %above, %c0 : index
    %before = arith.subi %z, %c1 : index
    %plane = arith.maxsi %before, %c0 : index
    %u = obs.get %a[%z, %row, %x] : !obs.pull<? x ? x ? x f32>
    %v = obs.get %a[%plane, %y, %x] : !obs.pull<? x ? x ? x f32>
    %s = arith.addf %u, %v : f32
    obs.yield %s : f32
  } : !obs.pull<? x ? x ? x f32>
  %f = obs.force %b {kernel = "volume"} : !obs.pull<? x ? x ? x f32>
  return %f : !obs.pull<? x ? x ? x f32>
}
