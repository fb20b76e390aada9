// The way to a GPU, as far as a machine without one can go: PTX is made for the
// chip of the device, loaded, and launched with the right shape.
//
// REQUIRES: fake-cuda
// DEFINE: %{run} = env OBS_CUDA_DRIVER=%fake_cuda obs-run %s --device=cuda

// RUN: %{run} iota:1000xi32 --threads=128 --blocks=5 --report --time --repeat=2 --out=/dev/null \
// RUN:   | FileCheck %s
// CHECK: launch: kernel=negate blocks=5 threads=128 shared-bytes=0{{$}}
// CHECK: time: kernel negate: 1.2500 ms (median of 2; 1.2500 to 1.2500)
// CHECK: time: whole run on Fake GPU: {{.*}} ms

// RUN: not %{run} iota:1000xi32 --gpu=7 2>&1 | FileCheck %s --check-prefix=INDEX --implicit-check-not=error:
// INDEX: error: cannot use device cuda: there is no GPU 7: this machine has 2, and the first is 0
// RUN: not env OBS_DEVICE=x %{run} iota:1000xi32 2>&1 | FileCheck %s --check-prefix=DEVICE --implicit-check-not=error:
// DEVICE: error: cannot use device cuda: OBS_DEVICE must be the index of a GPU, not 'x'
// RUN: not env FAKE_CUDA_NO_GPU=1 %{run} iota:1000xi32 2>&1 | FileCheck %s --check-prefix=NOGPU --implicit-check-not=error:
// NOGPU: error: cannot use device cuda: the CUDA driver finds no GPU on this machine

// The fake GPU has 1 MiB.
// RUN: not %{run} zeros:1000000xi32 2>&1 | FileCheck %s --check-prefix=MEMORY --implicit-check-not=error:
// MEMORY: error: out of device memory: 4000000 bytes were asked of Fake GPU, of which 1048576 of 1048576 bytes are free

func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %b = obs.map (%v = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %r = arith.subi %zero, %v : i32
    obs.yield %r : i32
  }
  %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "negate"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
