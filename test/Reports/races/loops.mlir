// Iterations of a loop meet: a barrier is missing at the end of an iteration, stands in
// an inner loop that may have no iterations, or in the body of a loop only, of which the
// condition reads what others write.

// RUN: obs-opt --obs-check-races %s --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // A sum in a loop over the distances 32, 16, ..., 1. Without a barrier in the loop
  // an iteration reads elements that the one before writes.
  gpu.func @sum_tree() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %k = %c0 to %c6 step %c1 {
      %d = arith.shrui %c32, %k : index
      %isLow = arith.cmpi ult, %t, %d : index
      scf.if %isLow {
        %i = arith.addi %t, %d : index
        %x = memref.load %a[%t] : memref<64xi32, #shared>
        // expected-note @+1 {{the first access is the read here}}
        %y = memref.load %a[%i] : memref<64xi32, #shared>
        %sum = arith.addi %x, %y : i32
        // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
        memref.store %sum, %a[%t] : memref<64xi32, #shared>
      }
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'sum_tree_mended' is proved free of races}}
  gpu.func @sum_tree_mended() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %k = %c0 to %c6 step %c1 {
      %d = arith.shrui %c32, %k : index
      %isLow = arith.cmpi ult, %t, %d : index
      scf.if %isLow {
        %i = arith.addi %t, %d : index
        %x = memref.load %a[%t] : memref<64xi32, #shared>
        %y = memref.load %a[%i] : memref<64xi32, #shared>
        %sum = arith.addi %x, %y : i32
        memref.store %sum, %a[%t] : memref<64xi32, #shared>
      }
      gpu.barrier
    }
    gpu.return
  }

  // The barrier stands between the write and the read of an iteration. The next one
  // overwrites elements that others still read. No value is carried between iterations.
  gpu.func @end_of_turn(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{[race] write of shared memory by another thread of the warp reaches what this access also reaches}}
      memref.store %v, %a[%t] : memref<32xi32, #shared>
      nvvm.bar.warp.sync %mask : i32
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%other] : memref<32xi32, #shared>
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'end_of_turn_mended' is proved free of races}}
  gpu.func @end_of_turn_mended(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<32xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %a[%t] : memref<32xi32, #shared>
      nvvm.bar.warp.sync %mask : i32
      %x = memref.load %a[%other] : memref<32xi32, #shared>
      nvvm.bar.warp.sync %mask : i32
    }
    gpu.return
  }

  // The only barrier is in a loop that may have no iterations.
  gpu.func @no_turns(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
    }
    // expected-error @+1 {{[race-unproved] read of shared memory by another warp of the block could not be proved to stay away from what this access reaches}}
    %x = memref.load %a[%other] : memref<64xi32, #shared>
    gpu.return
  }
  // It has two.
  // expected-remark @+1 {{kernel 'no_turns_mended' is proved free of races}}
  gpu.func @no_turns_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    scf.for %i = %c0 to %c2 step %c1 {
      gpu.barrier
    }
    %x = memref.load %a[%other] : memref<64xi32, #shared>
    gpu.return
  }

  // Every iteration but the first has a barrier: the writes of iteration 0 and the
  // reads of iteration 0 have none between them.
  gpu.func @not_first_turn(%v: i32, %n: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %v, %a[%t] : memref<64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      %isLater = arith.cmpi sgt, %i, %c0 : index
      scf.if %isLater {
        gpu.barrier
      }
      // expected-error @+1 {{[race-unproved] read of shared memory by another warp of the block could not be proved to stay away from what this access reaches}}
      %x = memref.load %a[%other] : memref<64xi32, #shared>
    }
    gpu.return
  }

  // Turns of the outer loop meet: the inner one has its barrier before the read.
  gpu.func @nested(%v: i32, %n: index, %m: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
      memref.store %v, %a[%t] : memref<64xi32, #shared>
      scf.for %j = %c0 to %m step %c1 {
        gpu.barrier
        // expected-note @+1 {{the first access is the read here}}
        %x = memref.load %a[%other] : memref<64xi32, #shared>
      }
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'nested_mended' is proved free of races}}
  gpu.func @nested_mended(%v: i32, %n: index, %m: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<64xi32, #shared>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %a[%t] : memref<64xi32, #shared>
      scf.for %j = %c0 to %m step %c1 {
        gpu.barrier
        %x = memref.load %a[%other] : memref<64xi32, #shared>
      }
      gpu.barrier
    }
    gpu.return
  }

  // All threads read a flag in the condition, and thread 0 lowers it in the body.
  // Another thread may not have read it yet.
  gpu.func @flag_in_condition(%zero: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %flag = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    scf.while : () -> () {
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %flag[%c0] : memref<1xi32, #shared>
      %isUp = arith.cmpi ne, %x, %zero : i32
      scf.condition(%isUp)
    } do {
      scf.if %isFirst {
        // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp could not be proved to stay away from what this access reaches}}
        memref.store %zero, %flag[%c0] : memref<1xi32, #shared>
      }
      gpu.barrier
      scf.yield
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'flag_in_condition_mended' is proved free of races}}
  gpu.func @flag_in_condition_mended(%zero: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %flag = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<1xi32, #shared>
    scf.while : () -> () {
      %x = memref.load %flag[%c0] : memref<1xi32, #shared>
      %isUp = arith.cmpi ne, %x, %zero : i32
      scf.condition(%isUp)
    } do {
      gpu.barrier
      scf.if %isFirst {
        memref.store %zero, %flag[%c0] : memref<1xi32, #shared>
      }
      gpu.barrier
      scf.yield
    }
    gpu.return
  }

  // Iteration i writes row i, and reads the row before from another thread. One warp can
  // be an iteration ahead of the other: it has only waited for its own lanes.
  gpu.func @rows_in_turn(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<8x64xi32, #shared>
    scf.for %i = %c1 to %c8 step %c1 {
      %before = arith.subi %i, %c1 : index
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%before, %other] : memref<8x64xi32, #shared>
      // expected-error @+1 {{[race] write of shared memory by another warp of the block reaches what this access also reaches}}
      memref.store %x, %a[%i, %t] : memref<8x64xi32, #shared>
      nvvm.bar.warp.sync %mask : i32
    }
    gpu.return
  }
  // expected-remark @+1 {{kernel 'rows_in_turn_mended' is proved free of races}}
  gpu.func @rows_in_turn_mended(%v: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #shared>
    %a = memref.view %s[%c0][] : memref<?xi8, #shared> to memref<8x64xi32, #shared>
    scf.for %i = %c1 to %c8 step %c1 {
      %before = arith.subi %i, %c1 : index
      %x = memref.load %a[%before, %other] : memref<8x64xi32, #shared>
      memref.store %x, %a[%i, %t] : memref<8x64xi32, #shared>
      gpu.barrier
    }
    gpu.return
  }
}
