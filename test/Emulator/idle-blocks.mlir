// RUN: obs-opt %s --convert-gpu-to-emulator --split-input-file | FileCheck %s

// All threads of a block take the same way through the outermost loop. At its
// start the thread is active. A block whose first thread ends before that is
// idle.
// CHECK-LABEL: func.func @kernel.over_blocks
// CHECK-SAME: may_be_idle
// CHECK: scf.for
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[ACTIVE:.*]] = llvm.getelementptr
// CHECK-NEXT: llvm.store %[[ONE]], %[[ACTIVE]]
gpu.module @m0 {
  gpu.func @over_blocks(%a: memref<i32>, %n: index, %x: i32) kernel {
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %g = gpu.grid_dim x
    scf.for %i = %b to %n step %g {
      %mine = arith.cmpi eq, %t, %i : index
      scf.if %mine {
        memref.store %x, %v[%i] : memref<?xi32>
      }
    }
    gpu.return
  }
}

// -----

// The first thread of a block has the least start.
// CHECK-LABEL: func.func @kernel.over_threads
// CHECK-SAME: may_be_idle
gpu.module @m1 {
  gpu.func @over_threads(%a: memref<i32>, %n: index, %x: i32) kernel {
    %c128 = arith.constant 128 : index
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %g = gpu.grid_dim x
    %start = arith.muli %b, %c128 : index
    %first = arith.addi %start, %t : index
    %step = arith.muli %g, %c128 : index
    scf.for %i = %first to %n step %step {
      memref.store %x, %v[%i] : memref<?xi32>
    }
    gpu.return
  }
}

// -----

// Another thread than the first may take the branch.
// CHECK-LABEL: func.func @kernel.by_thread
// CHECK-NOT: may_be_idle
// CHECK: return
gpu.module @m2 {
  gpu.func @by_thread(%a: memref<i32>, %x: i32) kernel {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %mine = arith.cmpi eq, %t, %c1 : index
    scf.if %mine {
      memref.store %x, %a[] : memref<i32>
    }
    gpu.return
  }
}

// -----

// A later thread may begin a loop that counts down from its number.
// CHECK-LABEL: func.func @kernel.least_in_last_thread
// CHECK-NOT: may_be_idle
// CHECK: return
gpu.module @m3 {
  gpu.func @least_in_last_thread(%a: memref<i32>, %n: index, %x: i32) kernel {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %first = arith.subi %n, %t : index
    scf.for %i = %first to %n step %c1 {
      memref.store %x, %a[] : memref<i32>
    }
    gpu.return
  }
}

// -----

// A shuffle gives each lane a value of its own.
// CHECK-LABEL: func.func @kernel.after_shuffle
// CHECK-NOT: may_be_idle
// CHECK: return
gpu.module @m4 {
  gpu.func @after_shuffle(%a: memref<i32>, %n: i32, %x: i32) kernel {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %y, %valid = gpu.shuffle up %n, %c1, %c32 : i32
    scf.if %valid {
      memref.store %x, %a[] : memref<i32>
    }
    gpu.return
  }
}

// -----

// A division may fail in one thread alone; a store or a barrier is something
// that the block does.
// CHECK-LABEL: func.func @kernel.divides
// CHECK-NOT: may_be_idle
// CHECK-LABEL: func.func @kernel.stores
// CHECK-NOT: may_be_idle
// CHECK-LABEL: func.func @kernel.waits
// CHECK-NOT: may_be_idle
// CHECK: return
gpu.module @m5 {
  gpu.func @divides(%a: memref<i32>, %n: index, %x: i32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %q = arith.divui %n, %t : index
    scf.for %i = %c0 to %n step %c1 {
      %r = arith.index_cast %q : index to i32
      memref.store %r, %a[] : memref<i32>
    }
    gpu.return
  }
  gpu.func @stores(%a: memref<i32>, %x: i32) kernel {
    memref.store %x, %a[] : memref<i32>
    gpu.return
  }
  gpu.func @waits() kernel {
    gpu.barrier
    gpu.return
  }
}
