// The product of the extents of a loop is more than 2^63.
// RUN: obs-opt --obs-set-launch %s | FileCheck %s






// CHECK: obs.kernel @k({{.*}}) attributes {threads = 256 : i64}
obs.kernel @k(%m: memref<?xi8>) {
  %a = arith.constant 153092023 : index
  %b = arith.constant 92737 : index
  %c = arith.constant 649657 : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %v = arith.constant 1 : i32
  obs.par block (%x) in (%one) {
    %p = obs.fill any {
      obs.par (%i, %j, %k) in (%a, %b, %c) {
        obs.write %v at [%zero] : i32
      }
    } : !obs.push<block, 4 x i32>
    %f = obs.force %p : !obs.push<block, 4 x i32>
  }
}
