// RUN: obs-translate --obs-to-launch-json --threads-per-block=64 --blocks-per-grid=3 %s | FileCheck %s
// RUN: obs-translate --obs-to-ptx --threads-per-block=64 %s | FileCheck %s --check-prefix=PTX
// RUN: not obs-translate --obs-to-ptx --threads-per-block=2000 %s 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not obs-translate --obs-to-ptx --blocks-per-grid=-1 %s 2>&1 | FileCheck %s --check-prefix=BLOCKS

// CHECK: "block": "64",
// CHECK-NEXT: "grid": "3",
// CHECK-NEXT: "kernel": "copy",
// PTX: .maxntid 64, 1, 1
// THREADS: translate-options.mlir:[[@LINE+4]]:8: error: {{.*}}[launch-threads] asks for 2000 threads
// BLOCKS: error: [launch-blocks] asks for -1 blocks
func.func @main(%a: !obs.pull<1000 x i32>) -> !obs.pull<1000 x i32> {
  %p = obs.push %a : !obs.pull<1000 x i32> -> !obs.push<grid, 1000 x i32>
  %r = obs.force %p {kernel = "copy"} : !obs.push<grid, 1000 x i32> -> !obs.pull<1000 x i32>
  return %r : !obs.pull<1000 x i32>
}
