// The way to a GPU, as far as a machine without one can go: PTX is made for the
// chip of the device, loaded, and launched with the right shape.
//
// REQUIRES: fake-cuda
// DEFINE: %{run} = env OBS_CUDA_DRIVER=%fake_cuda obs-run %s --device=cuda

// RUN: %{run} --entry=main iota:1000xi32 --threads=128 --blocks=5 --report --time --repeat=2 --out=/dev/null \
// RUN:   | FileCheck %s
// CHECK: launch: kernel=negate blocks=5 threads=128 shared-bytes=0{{$}}
// CHECK: time: kernel negate: 1.2500 ms (median of 2; 1.2500 to 1.2500)
// CHECK: time: whole run on Fake GPU: {{.*}} ms

// The fake GPU can scale an array in place, and does so once a run.
// RUN: %{run} --entry=scaled iota:5xi32 3 --graph --report --time --repeat=3 | FileCheck %s --check-prefix=GRAPH
// GRAPH: [0, 3, 6, 9, 12]
// GRAPH-NEXT: launch: kernel=scale blocks=1
// GRAPH-NEXT: graph: steps=1
// GRAPH-NEXT: time: whole run on Fake GPU: {{.*}} (median of 3;
// A loop is recorded by iterations: the graph has as many steps as the first run had.
// RUN: %{run} --entry=turns iota:5xi32 3 4 --graph --report --repeat=3 | FileCheck %s --check-prefix=TURNS
// TURNS: [0, 81, 162, 243, 324]
// TURNS: graph: steps=4
// RUN: not %{run} --entry=first iota:5xi32 --graph 2>&1 | FileCheck %s --check-prefix=READ --implicit-check-not=error:
// READ: cuda-fake.mlir:[[#@LINE+53]]:{{.*}}: error: the host reads from the GPU between launches, so these cannot be recorded as one piece of work

// RUN: not %{run} --entry=main iota:1000xi32 --gpu=7 2>&1 | FileCheck %s --check-prefix=INDEX --implicit-check-not=error:
// INDEX: error: cannot use device cuda: there is no GPU 7: this machine has 2, and the first is 0
// RUN: not env OBS_DEVICE=x %{run} --entry=main iota:1000xi32 2>&1 | FileCheck %s --check-prefix=DEVICE --implicit-check-not=error:
// DEVICE: error: cannot use device cuda: OBS_DEVICE must be the index of a GPU, not 'x'
// RUN: not env FAKE_CUDA_NO_GPU=1 %{run} --entry=main iota:1000xi32 2>&1 | FileCheck %s --check-prefix=NOGPU --implicit-check-not=error:
// NOGPU: error: cannot use device cuda: the CUDA driver finds no GPU on this machine

// The fake GPU has 1 MiB.
// RUN: not %{run} --entry=main zeros:1000000xi32 2>&1 | FileCheck %s --check-prefix=MEMORY --implicit-check-not=error:
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

func.func @scaled(%m: memref<?xi32>, %by: i32) -> !obs.pull<? x i32> {
  %a = obs.view %m : memref<?xi32>
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %x, %by : i32
    obs.yield %y : i32
  }
  %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %p into %m {kernel = "scale"} : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

func.func @turns(%m: memref<?xi32>, %by: i32, %turns: index) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %turns step %c1 {
    %a = obs.view %m : memref<?xi32>
    %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %y = arith.muli %x, %by : i32
      obs.yield %y : i32
    }
    %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
    %f = obs.force %p into %m {kernel = "scale"} : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
  }
  %r = obs.view %m : memref<?xi32>
  return %r : !obs.pull<? x i32>
}

func.func @first(%a: !obs.pull<? x i32>) -> i32 {
  %c0 = arith.constant 0 : index
  %x = obs.get %a[%c0] : !obs.pull<? x i32>
  return %x : i32
}
