// Options of obs-set-launch that no GPU has.
// RUN: not obs-opt %s --obs-set-launch=threads=1025 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not obs-opt %s --obs-set-launch=blocks=2147483648 2>&1 | FileCheck %s --check-prefix=BLOCKS

// THREADS: error: 'obs.kernel' op [launch-threads] asks for 1025 threads; a block has 1 to 1024
// BLOCKS: error: [launch-blocks] asks for 2147483648 blocks; a grid has 1 to 2147483647
obs.kernel @zero(%out: memref<?xf32>) {
}
func.func @main(%m: memref<?xf32>, %n: index) {
  obs.launch @zero work [%n] [thread] args(%m) : memref<?xf32>
  return
}
