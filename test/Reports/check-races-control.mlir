// RUN: obs-opt --obs-check-races %s --split-input-file --verify-diagnostics -o /dev/null

// The condition of a while loop is evaluated at least once, so its barrier is
// one between what is before the loop and what is after it.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'condition' is proved free of races, with blocks of 32 threads}}
  gpu.func @condition(%data: memref<i32>, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    memref.store %one, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %turns = scf.while (%k = %zero) : (i32) -> i32 {
      nvvm.bar.warp.sync %mask : i32
      %more = arith.cmpi slt, %k, %n : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
    %other = arith.subi %c31, %t : index
    %x = memref.load %a[%other] : memref<32xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The body need not run. Whether it does, the numbers do not tell: threads that
// may meet are named, as such.

gpu.module @kernels {
  gpu.func @body(%data: memref<i32>, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %one, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %turns = scf.while (%k = %zero) : (i32) -> i32 {
      %more = arith.cmpi slt, %k, %n : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      nvvm.bar.warp.sync %mask : i32
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
    %other = arith.subi %c31, %t : index
    // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp could not be proved to stay away from what this access reaches, without a barrier between them: it may for threads}}
    %x = memref.load %a[%other] : memref<32xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The same with a barrier that a branch passes by.

gpu.module @kernels {
  gpu.func @branch(%data: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xi32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the first access is the write here}}
    memref.store %zero, %a[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    %x = memref.load %data[] : memref<i32>
    %wait = arith.cmpi sge, %x, %zero : i32
    scf.if %wait {
      gpu.barrier
    }
    %other = arith.subi %c31, %t : index
    // expected-error @+1 {{[race-unproved] read of shared memory by another thread of the warp}}
    %y = memref.load %a[%other] : memref<32xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The results of a while loop are those of its last iteration: the half that the
// loop has written last is not the one that is written after it.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'result' is proved free of races, with blocks of 32 threads}}
  gpu.func @result(%n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x32xi32, #gpu.address_space<workgroup>>
    %last, %turns = scf.while (%slot = %c0, %k = %zero) : (index, i32) -> (index, i32) {
      nvvm.bar.warp.sync %mask : i32
      %x = memref.load %a[%slot, %other] : memref<2x32xi32, #gpu.address_space<workgroup>>
      %more = arith.cmpi slt, %k, %n : i32
      scf.condition(%more) %slot, %k : index, i32
    } do {
    ^bb0(%slot: index, %k: i32):
      %to = arith.subi %c1, %slot : index
      memref.store %one, %a[%to, %t] : memref<2x32xi32, #gpu.address_space<workgroup>>
      %next = arith.addi %k, %one : i32
      scf.yield %to, %next : index, i32
    }
    %free = arith.subi %c1, %last : index
    memref.store %one, %a[%free, %t] : memref<2x32xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
  gpu.func @same_half(%n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x32xi32, #gpu.address_space<workgroup>>
    %last, %turns = scf.while (%slot = %c0, %k = %zero) : (index, i32) -> (index, i32) {
      nvvm.bar.warp.sync %mask : i32
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%slot, %other] : memref<2x32xi32, #gpu.address_space<workgroup>>
      %more = arith.cmpi slt, %k, %n : i32
      scf.condition(%more) %slot, %k : index, i32
    } do {
    ^bb0(%slot: index, %k: i32):
      %to = arith.subi %c1, %slot : index
      memref.store %one, %a[%to, %t] : memref<2x32xi32, #gpu.address_space<workgroup>>
      %next = arith.addi %k, %one : i32
      scf.yield %to, %next : index, i32
    }
    // expected-error @+1 {{[race-unproved] write of shared memory by another thread of the warp}}
    memref.store %one, %a[%last, %t] : memref<2x32xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// All lanes of a warp get what one lane has, and decide alike by it: the barrier
// is one for all of them, and no lane takes the other branch.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'broadcast' is proved free of races, with blocks of 64 threads}}
  gpu.func @broadcast(%n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %width = arith.constant 32 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %number = arith.index_cast %t : index to i32
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xi32, #gpu.address_space<workgroup>>
    %other = arith.xori %t, %c1 : index
    %all, %valid = gpu.shuffle idx %number, %zero, %width : i32
    %choice = arith.cmpi slt, %all, %n : i32
    scf.if %choice {
      memref.store %zero, %a[%t] : memref<64xi32, #gpu.address_space<workgroup>>
      nvvm.bar.warp.sync %mask : i32
      %x = memref.load %a[%other] : memref<64xi32, #gpu.address_space<workgroup>>
    } else {
      memref.store %zero, %a[%other] : memref<64xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// A shuffle up gives each lane something else, and a shuffle of 16 lanes each
// half of the warp.

gpu.module @kernels {
  gpu.func @up(%n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %number = arith.index_cast %t : index to i32
    %below, %valid = gpu.shuffle up %number, %one, %width : i32
    %choice = arith.cmpi slt, %below, %n : i32
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here}}
    scf.if %choice {
      nvvm.bar.warp.sync %mask : i32
    }
    gpu.return
  }
  gpu.func @halves(%n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0 : i32
    %width = arith.constant 16 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %number = arith.index_cast %t : index to i32
    %half, %valid = gpu.shuffle idx %number, %zero, %width : i32
    %choice = arith.cmpi slt, %half, %n : i32
    // expected-error @+1 {{[barrier-divergence] holds a barrier of a warp, and its threads can take different branches here}}
    scf.if %choice {
      nvvm.bar.warp.sync %mask : i32
    }
    gpu.return
  }
}

// -----

// The last of two warps has 8 lanes: no thread 40 or more is named, for the read
// of what only those would write.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'part' is proved free of races, with blocks of 40 threads}}
  gpu.func @part() kernel attributes {known_block_size = array<i32: 40, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xi32, #gpu.address_space<workgroup>>
    %far = arith.cmpi uge, %t, %c40 : index
    scf.if %far {
      memref.store %zero, %a[%c8] : memref<64xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// Three iterations of the inner loop end in half 1, and the next one of the outer loop
// begins with half 0.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'odd' is proved free of races, with blocks of 32 threads}}
  gpu.func @odd(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x32xi32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %a[%c0, %t] : memref<2x32xi32, #gpu.address_space<workgroup>>
      %half = scf.for %j = %c0 to %c3 step %c1 iter_args(%h = %c0) -> (index) {
        %next = arith.subi %c1, %h : index
        nvvm.bar.warp.sync %mask : i32
        scf.yield %next : index
      }
      %x = memref.load %a[%half, %other] : memref<2x32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// Four iterations end in half 0.

gpu.module @kernels {
  gpu.func @even(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x32xi32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{[race] write of shared memory by another thread of the warp}}
      memref.store %zero, %a[%c0, %t] : memref<2x32xi32, #gpu.address_space<workgroup>>
      %half = scf.for %j = %c0 to %c4 step %c1 iter_args(%h = %c0) -> (index) {
        %next = arith.subi %c1, %h : index
        nvvm.bar.warp.sync %mask : i32
        scf.yield %next : index
      }
      // expected-note @+1 {{the first access is the read here}}
      %x = memref.load %a[%half, %other] : memref<2x32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

// The launch gives the number of iterations; the half is known from it.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'counted' is proved free of races, with blocks of 32 threads}}
  gpu.func @counted(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2x32xi32, #gpu.address_space<workgroup>>
    %half = scf.for %j = %c0 to %n step %c1 iter_args(%h = %c0) -> (index) {
      %next = arith.subi %c1, %h : index
      nvvm.bar.warp.sync %mask : i32
      scf.yield %next : index
    }
    %x = memref.load %a[%half, %other] : memref<2x32xi32, #gpu.address_space<workgroup>>
    %positive = arith.cmpi sgt, %n, %c0 : index
    scf.if %positive {
      %even = arith.andi %n, %c1 : index
      %free = arith.subi %c1, %even : index
      memref.store %zero, %a[%free, %t] : memref<2x32xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @unsigned(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{[race-stage] is a loop that compares without signs, which obs-to-gpu does not make}}
    scf.for unsigned %i = %c0 to %n step %c1 {
    }
    gpu.return
  }
}

// -----

// Whole warps multiply matrices, or none of their lanes: threads 0 to 31, and
// 64 to 95.

gpu.module @kernels {
  // expected-remark @+1 {{kernel 'warps' is proved free of races, with blocks of 96 threads}}
  gpu.func @warps(%x: f16, %s: f32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %t = gpu.thread_id x
    %next = arith.addi %t, %c64 : index
    %isFirst = arith.cmpi ult, %next, %c96 : index
    scf.if %isFirst {
      %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%x, %x, %x, %x) plus (%s, %s, %s, %s) : f16
    }
    %isLast = arith.cmpi sge, %t, %c64 : index
    scf.if %isLast {
      %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%x, %x, %x, %x) plus (%s, %s, %s, %s) : f16
    }
    gpu.return
  }
  gpu.func @lanes(%x: f16, %s: f32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c40 = arith.constant 40 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi ult, %t, %c40 : index
    // expected-error @+1 {{[barrier-divergence] holds a product of a warp, and its threads can take different branches here}}
    scf.if %isFirst {
      %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%x, %x, %x, %x) plus (%s, %s, %s, %s) : f16
    }
    gpu.return
  }
  gpu.func @shifted(%x: f16, %s: f32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %next = arith.addi %t, %c8 : index
    %isFirst = arith.cmpi ult, %next, %c64 : index
    // expected-error @+1 {{[barrier-divergence] holds a product of a warp, and its threads can take different branches here}}
    scf.if %isFirst {
      %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%x, %x, %x, %x) plus (%s, %s, %s, %s) : f16
    }
    gpu.return
  }
}
