// RUN: obs-opt --obs-report-cost=json %s -o /dev/null > %t
// RUN: %python -m json.tool --sort-keys %t | FileCheck %s

// The report as JSON, which docs/Embedding.md describes. In each array, the members are sorted by name.

#block = #obs.map<block, thread>
#warp = #obs.map<warp, thread>

// CHECK: "kernels": [
// CHECK-NEXT: {
// CHECK-NEXT: "accesses": [

// 64 threads read every second number: two requests of 8 sectors.
// CHECK: "bytes": "256"
// CHECK-NEXT: "kind": "read"
// CHECK-NEXT: "level": null
// CHECK-NEXT: "location": {
// CHECK-NEXT: "column": 10,
// CHECK-NEXT: "file": "{{.*}}report-cost-json.mlir"
// CHECK-NEXT: "line": [[@LINE+50]]
// CHECK: "memory": "global"
// CHECK-NEXT: "requests": "8 sectors per request"
// CHECK-NEXT: "sectors": "16"
// CHECK-NEXT: "sectorsPerRequest": 8
// CHECK-NEXT: "type": "f32"

// A stride of 2 in shared memory: each request takes two wavefronts, one of which is a conflict.
// CHECK: "bytes": "256"
// CHECK-NEXT: "conflictDegree": 2
// CHECK-NEXT: "conflicts": "2"
// CHECK-NEXT: "kind": "write"
// CHECK: "memory": "shared"
// CHECK: "wavefronts": "4"

// All threads of the grid.
// CHECK: "bytes": "4"
// CHECK-NEXT: "kind": "read"
// CHECK-NEXT: "level": "grid"
// CHECK: "sectors": "?"
// CHECK-NEXT: "sectorsPerRequest": 1

// CHECK: "arrays": [
// CHECK-NEXT: {
// CHECK-NEXT: "begin": 0,
// CHECK-NEXT: "end": 512,
// CHECK: "level": "block"
// CHECK: "type": "128 x f32"

// CHECK: "barriers": {
// CHECK-NEXT: "block": 0,
// CHECK-NEXT: "executedBlock": "0",
// CHECK-NEXT: "executedWarp": "0",
// CHECK-NEXT: "warp": 0
// CHECK: "launchedThreads": 64
// CHECK: "iterations": "64"
// CHECK: "memory": {
// CHECK-NEXT: "global": {
// CHECK-NEXT: "atomic": "0"
// CHECK-NEXT: "read": "260"
// CHECK-NEXT: "written": "0"
// CHECK: "name": "counted"
// CHECK: "sharedBytes": 512
// CHECK: "version": 1
obs.kernel @counted(%a: memref<4096xf32>) attributes {threads = 64 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %s = memref.alloc() {obs.offset = 0 : i64} : memref<128xf32, #obs.home<block, shared>>
  scf.forall (%t) in (64) {
    %i = arith.muli %t, %c2 : index
    %x = memref.load %a[%i] : memref<4096xf32>
    memref.store %x, %s[%i] : memref<128xf32, #obs.home<block, shared>>
  } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
  %u = memref.load %a[%c0] : memref<4096xf32>
}
