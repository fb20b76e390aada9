// RUN: obs-opt %s --obs-report-cost -o /dev/null 2>&1 | FileCheck %s

// Four structures of 12 bytes are three accesses of 16 bytes: a request for 32 elements of 4 bytes has 4 sectors of 32 bytes.
// Without neighbours, 32 lanes would be 12 bytes apart, in 12 sectors.
// CHECK-LABEL: kernel 'whole'
// CHECK: 4 of a thread side by side
// CHECK-COUNT-3: read global f32 at {{.*}}, 4 sectors per request, 4 * arg0.dim0 bytes
// CHECK: write global f32 at {{.*}}, 4 sectors per request
func.func @whole(%a: !obs.pull<? x 3 x f32>) -> !obs.pull<? x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = obs.dim %a, 0 : !obs.pull<? x 3 x f32>
  %b = obs.generate (%i) [%n] {
    %x = obs.get %a[%i, %c0] : !obs.pull<? x 3 x f32>
    %y = obs.get %a[%i, %c1] : !obs.pull<? x 3 x f32>
    %z = obs.get %a[%i, %c2] : !obs.pull<? x 3 x f32>
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %z : f32
    obs.yield %t : f32
  } : !obs.pull<? x f32>
  %f = obs.force %b {kernel = "whole"} : !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}

// Two of three elements are no structure: lanes access elements that are 12 bytes apart.
// CHECK-LABEL: kernel 'part'
// CHECK-COUNT-2: read global f32 at {{.*}}, 12 sectors per request
func.func @part(%a: !obs.pull<? x 3 x f32>) -> !obs.pull<? x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !obs.pull<? x 3 x f32>
  %b = obs.generate (%i) [%n] {
    %x = obs.get %a[%i, %c0] : !obs.pull<? x 3 x f32>
    %y = obs.get %a[%i, %c1] : !obs.pull<? x 3 x f32>
    %s = arith.addf %x, %y : f32
    obs.yield %s : f32
  } : !obs.pull<? x f32>
  %f = obs.force %b {kernel = "part"} : !obs.pull<? x f32>
  return %f : !obs.pull<? x f32>
}

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
