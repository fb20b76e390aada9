// A kernel waits before its first operation that has an effect on memory.

// RUN: obs-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-wait-for-kernels)))' | FileCheck %s
// RUN: obs-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-wait-for-kernels,obs-wait-for-kernels)))' | FileCheck %s

gpu.module @kernels {
  // The example of the description.
  // CHECK-LABEL: gpu.func @load
  // CHECK-NEXT: gpu.thread_id
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: memref.load
  // CHECK-NOT: nvvm.griddepcontrol
  gpu.func @load(%a: memref<?xf32>, %b: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %b[%i] : memref<?xf32>
    gpu.return
  }

  // Not all threads execute the branch.
  // CHECK-LABEL: gpu.func @branch
  // CHECK: arith.cmpi
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: memref.store
  // CHECK-NOT: nvvm.griddepcontrol
  gpu.func @branch(%b: memref<?xf32>, %n: index, %x: f32) kernel {
    %i = gpu.thread_id x
    %c = arith.cmpi ult, %i, %n : index
    scf.if %c {
      memref.store %x, %b[%i] : memref<?xf32>
    }
    gpu.return
  }

  // The same, without structured control flow.
  // CHECK-LABEL: gpu.func @blocks
  // CHECK: nvvm.griddepcontrol wait
  // CHECK-NEXT: cf.cond_br
  // CHECK-NOT: nvvm.griddepcontrol
  gpu.func @blocks(%b: memref<?xf32>, %n: index, %x: f32) kernel {
    %i = gpu.thread_id x
    %c = arith.cmpi ult, %i, %n : index
    cf.cond_br %c, ^store, ^end
  ^store:
    memref.store %x, %b[%i] : memref<?xf32>
    cf.br ^end
  ^end:
    gpu.return
  }

  // A kernel without effects waits, too: otherwise the kernel after it would
  // not wait for the kernel before it.
  // CHECK-LABEL: gpu.func @nothing
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: gpu.return
  gpu.func @nothing() kernel {
    gpu.return
  }

  // Another instruction of the same operation does not wait.
  // CHECK-LABEL: gpu.func @launches
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  gpu.func @launches() kernel {
    nvvm.griddepcontrol launch_dependents
    gpu.return
  }

  // Only kernels are launched.
  // CHECK-LABEL: gpu.func @function
  // CHECK-NOT: nvvm.griddepcontrol
  gpu.func @function(%b: memref<?xf32>, %x: f32) {
    %i = gpu.thread_id x
    memref.store %x, %b[%i] : memref<?xf32>
    gpu.return
  }
}
