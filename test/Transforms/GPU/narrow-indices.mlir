// RUN: obs-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-narrow-indices)))' \
// RUN:   | FileCheck %s

gpu.module @kernels {
  // Ids of threads and lanes, constants, masks, shifts and remainders fit.
  // CHECK-LABEL: gpu.func @ids(
  gpu.func @ids(%a: memref<i32>, %n: index, %x: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c2 = arith.constant 2 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    // CHECK: %[[T:.*]] = gpu.thread_id x
    // CHECK: %[[T32:.*]] = arith.index_castui %[[T]] : index to i32
    %t = gpu.thread_id x
    // CHECK: %[[W:.*]] = arith.divui %[[T32]], %{{.*}} : i32
    %w = arith.divui %t, %c32 : index
    // CHECK: %[[L:.*]] = arith.andi %[[T32]], %{{.*}} : i32
    %l = arith.andi %t, %c31 : index
    // CHECK: %[[P:.*]] = arith.muli %[[W]], %[[L]] overflow<nsw, nuw> : i32
    %p = arith.muli %w, %l : index
    // CHECK: %[[S:.*]] = arith.shli %[[P]], %{{.*}} overflow<nsw, nuw> : i32
    %s = arith.shli %p, %c2 : index
    // CHECK: %[[WIDE:.*]] = arith.index_castui %[[S]] : i32 to index
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[WIDE]]]
    memref.store %x, %v[%s] : memref<?xi32>
    // The lower half of a sum is that of the lower halves.
    // CHECK: %[[N32:.*]] = arith.index_castui %{{.*}} : index to i32
    // CHECK: %[[M:.*]] = arith.andi %[[N32]], %{{.*}} : i32
    // CHECK: %[[WIDE:.*]] = arith.index_castui %[[M]] : i32 to index
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[WIDE]]]
    %sum = arith.addi %n, %t : index
    %m = arith.andi %sum, %c31 : index
    memref.store %x, %v[%m] : memref<?xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // A number that only the launch knows is wide, and so is the first index of a block.
  // CHECK-LABEL: gpu.func @extent(
  // CHECK-SAME: %{{.*}}: memref<i32>, %[[N:.*]]: index, %{{.*}}: i32)
  gpu.func @extent(%a: memref<i32>, %n: index, %x: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    // CHECK: %[[T32:.*]] = arith.index_castui %{{.*}} : index to i32
    %t = gpu.thread_id x
    // CHECK: %[[B:.*]] = gpu.block_id x
    %b = gpu.block_id x
    // CHECK: %[[Q:.*]] = arith.divui %[[T32]], %{{.*}} : i32
    // CHECK: %[[QW:.*]] = arith.index_castui %[[Q]] : i32 to index
    %q = arith.divui %t, %c4 : index
    // CHECK: %[[O:.*]] = arith.muli %[[B]], %{{.*}} : index
    %o = arith.muli %b, %c512 : index
    // CHECK: %[[I:.*]] = arith.addi %[[O]], %[[QW]] : index
    %i = arith.addi %o, %q : index
    // CHECK: arith.cmpi ult, %[[I]], %[[N]] : index
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      // CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]]]
      memref.store %x, %v[%i] : memref<?xi32>
      // An extent is not negative, but wide: there is nothing to gain.
      // CHECK: %[[R:.*]] = arith.remsi %[[I]], %[[N]] : index
      %r = arith.remsi %i, %n : index
      // CHECK: memref.store %{{.*}}, %{{.*}}[%[[R]]]
      memref.store %x, %v[%r] : memref<?xi32>
    }
    gpu.return
  }

  // Blocks are numbered in 31 bits, so the sum of two numbers fits in 32.
  // CHECK-LABEL: gpu.func @blocks(
  gpu.func @blocks(%a: memref<8589934592xi8>, %x: i8) kernel {
    // CHECK-DAG: %[[B:.*]] = arith.index_castui %{{.*}} : index to i32
    %b = gpu.block_id x
    // CHECK-DAG: %[[G:.*]] = arith.index_castui %{{.*}} : index to i32
    %g = gpu.grid_dim x
    // CHECK: %[[S:.*]] = arith.addi %[[B]], %[[G]] overflow<nuw> : i32
    // CHECK: %[[WIDE:.*]] = arith.index_castui %[[S]] : i32 to index
    %s = arith.addi %b, %g : index
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[WIDE]]]
    memref.store %x, %a[%s] : memref<8589934592xi8>
    // CHECK: %[[T:.*]] = arith.addi %[[WIDE]], %{{.*}} : index
    %t = arith.addi %s, %g : index
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[T]]]
    memref.store %x, %a[%t] : memref<8589934592xi8>
    gpu.return
  }
}

// -----

// Loops at the edges: the index after the last one is computed, too.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @loops(
  gpu.func @loops(%a: memref<?xi8>, %x: i8) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c2147483646 = arith.constant 2147483646 : index
    %c2147483647 = arith.constant 2147483647 : index
    %c2147483648 = arith.constant 2147483648 : index
    %c4294967294 = arith.constant 4294967294 : index
    %c4294967295 = arith.constant 4294967295 : index
    %c4294967296 = arith.constant 4294967296 : index
    %c-2147483648 = arith.constant -2147483648 : index
    %g = gpu.grid_dim x
    // CHECK: %[[STEP:.*]] = arith.minui %{{.*}}, %{{.*}} : i32
    // CHECK: %[[WIDE:.*]] = arith.index_castui %[[STEP]] : i32 to index
    %step = arith.minui %g, %c2 : index
    // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c2147483646_i32 step %[[STEP]] : i32
    // CHECK-NEXT: arith.index_castui %[[I]] : i32 to index
    scf.for %i = %c0 to %c2147483646 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %c2147483647_i32 step %[[STEP]] : i32
    scf.for %i = %c0 to %c2147483647 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %c-2147483648_i32 step %[[STEP]] : i32
    scf.for %i = %c0 to %c2147483648 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %c-2_i32 step %[[STEP]] : i32
    scf.for %i = %c0 to %c4294967294 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    // CHECK: scf.for %[[I:.*]] = %c0 to %c4294967295 step %[[WIDE]] {
    // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
    scf.for %i = %c0 to %c4294967295 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    // CHECK: scf.for %{{.*}} = %c0 to %c4294967296 step %[[WIDE]] {
    scf.for %i = %c0 to %c4294967296 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    // CHECK: scf.for %[[I:.*]] = %c-2147483648_i32{{.*}} to %c2147483646_i32{{.*}} step %[[STEP]] : i32
    // CHECK-NEXT: arith.index_cast %[[I]] : i32 to index
    scf.for %i = %c-2147483648 to %c2147483646 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    // CHECK: scf.for %{{.*}} = %c-2147483648 to %c2147483647 step %[[WIDE]] {
    scf.for %i = %c-2147483648 to %c2147483647 step %step {
      memref.store %x, %a[%i] : memref<?xi8>
    }
    gpu.return
  }

  // With a constant step the loop is as it was, and sums and products of its index are wide,
  // unless there is a quotient, too.
  // CHECK-LABEL: gpu.func @constant_step(
  gpu.func @constant_step(%a: memref<?xi8>, %x: i8) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c18 = arith.constant 18 : index
    %c1000 = arith.constant 1000 : index
    // CHECK: scf.for %[[I:.*]] = %c0 to %c1000 step %c1 {
    scf.for %i = %c0 to %c1000 step %c1 {
      // CHECK: %[[J:.*]] = arith.muli %[[I]], %c18 : index
      %j = arith.muli %i, %c18 : index
      // CHECK: %[[K:.*]] = arith.addi %[[J]], %c1 : index
      %k = arith.addi %j, %c1 : index
      // CHECK: memref.store %{{.*}}, %{{.*}}[%[[K]]]
      memref.store %x, %a[%k] : memref<?xi8>
    }
    // CHECK: scf.for %[[I:.*]] = %c0 to %c1000 step %c1 {
    scf.for %i = %c0 to %c1000 step %c1 {
      // CHECK: %[[J:.*]] = arith.muli %{{.*}}, %c18_i32 overflow<nsw, nuw> : i32
      %j = arith.muli %i, %c18 : index
      // CHECK: %[[Q:.*]] = arith.divui %{{.*}}, %c18_i32 : i32
      %q = arith.divui %i, %c18 : index
      // CHECK: %[[R:.*]] = arith.addi %[[Q]], %[[J]] overflow<nsw, nuw> : i32
      %r = arith.addi %q, %j : index
      // CHECK: %[[WIDE:.*]] = arith.index_castui %[[R]] : i32 to index
      // CHECK: memref.store %{{.*}}, %{{.*}}[%[[WIDE]]]
      memref.store %x, %a[%r] : memref<?xi8>
    }
    gpu.return
  }

  // Arrays of as many elements as fit, and one more.
  // CHECK-LABEL: gpu.func @lengths(
  gpu.func @lengths(%n: index, %x: i8,
                    %a: memref<2147483647xi8>, %b: memref<2147483648xi8>, %c: memref<2147483649xi8>,
                    %d: memref<4294967295xi8>, %e: memref<4294967296xi8>, %f: memref<4294967297xi8>) kernel {
    %last_a = arith.constant 2147483646 : index
    %i_a = arith.minui %n, %last_a : index
    // CHECK: arith.subi %c2147483646_i32, %{{.*}} overflow<nsw, nuw> : i32
    %j_a = arith.subi %last_a, %i_a : index
    memref.store %x, %a[%j_a] : memref<2147483647xi8>
    %last_b = arith.constant 2147483647 : index
    %i_b = arith.minui %n, %last_b : index
    // CHECK: arith.subi %c2147483647_i32, %{{.*}} overflow<nsw, nuw> : i32
    %j_b = arith.subi %last_b, %i_b : index
    memref.store %x, %b[%j_b] : memref<2147483648xi8>
    %last_c = arith.constant 2147483648 : index
    %i_c = arith.minui %n, %last_c : index
    // CHECK: arith.subi %c-2147483648_i32, %{{.*}} overflow<nuw> : i32
    %j_c = arith.subi %last_c, %i_c : index
    memref.store %x, %c[%j_c] : memref<2147483649xi8>
    %last_d = arith.constant 4294967294 : index
    %i_d = arith.minui %n, %last_d : index
    // CHECK: arith.subi %c-2_i32, %{{.*}} overflow<nuw> : i32
    %j_d = arith.subi %last_d, %i_d : index
    memref.store %x, %d[%j_d] : memref<4294967295xi8>
    %last_e = arith.constant 4294967295 : index
    %i_e = arith.minui %n, %last_e : index
    // CHECK: arith.subi %c-1_i32, %{{.*}} overflow<nuw> : i32
    %j_e = arith.subi %last_e, %i_e : index
    memref.store %x, %e[%j_e] : memref<4294967296xi8>
    %last_f = arith.constant 4294967296 : index
    %i_f = arith.minui %n, %last_f : index
    // CHECK: %[[J:.*]] = arith.subi %c4294967296, %{{.*}} : index
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[J]]]
    %j_f = arith.subi %last_f, %i_f : index
    memref.store %x, %f[%j_f] : memref<4294967297xi8>
    gpu.return
  }

  // The blocks that a loop goes through are few; the step may be anything.
  // CHECK-LABEL: gpu.func @grid_loop(
  gpu.func @grid_loop(%a: memref<100xi8>, %x: i8) kernel {
    %c100 = arith.constant 100 : index
    %b = gpu.block_id x
    %g = gpu.grid_dim x
    // CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32
    scf.for %i = %b to %c100 step %g {
      memref.store %x, %a[%i] : memref<100xi8>
    }
    gpu.return
  }

  // That a loop has no sign is not known by the analysis of ranges.
  // CHECK-LABEL: gpu.func @no_sign(
  gpu.func @no_sign(%a: memref<?xi8>, %x: i8) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %last = arith.constant -16 : i32
    %c1i = arith.constant 1 : index
    scf.for unsigned %i = %c0 to %last step %c1 : i32 {
      %j = arith.index_castui %i : i32 to index
      // CHECK: %[[K:.*]] = arith.addi %{{.*}}, %{{.*}} : index
      // CHECK: memref.store %{{.*}}, %{{.*}}[%[[K]]]
      %k = arith.addi %j, %c1i : index
      memref.store %x, %a[%k] : memref<?xi8>
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Indices before the first element keep their sign.
  // CHECK-LABEL: gpu.func @negative(
  gpu.func @negative(%a: memref<?xi32>, %x: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    // CHECK: %[[S:.*]] = arith.subi %{{.*}}, %{{.*}} overflow<nsw> : i32
    // CHECK: %[[WIDE:.*]] = arith.index_cast %[[S]] : i32 to index
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[WIDE]]]
    %s = arith.subi %t, %c5 : index
    memref.store %x, %a[%s] : memref<?xi32>
    // CHECK: %[[P:.*]] = arith.maxsi %[[S]], %{{.*}} : i32
    %p = arith.maxsi %s, %c0 : index
    // A number that is not negative has no sign.
    // CHECK: %[[Q:.*]] = arith.minui %[[P]], %{{.*}} : i32
    %q = arith.minsi %p, %c63 : index
    // CHECK: %[[WIDE:.*]] = arith.index_castui %[[Q]] : i32 to index
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[WIDE]]]
    memref.store %x, %a[%q] : memref<?xi32>
    // CHECK: arith.cmpi slt, %[[S]], %{{.*}} : i32
    %below = arith.cmpi slt, %s, %c0 : index
    scf.if %below {
      memref.store %x, %a[%c0] : memref<?xi32>
    }
    // In 64 bits, without sign, minus one is more than 63.
    // CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : index
    %outside = arith.cmpi ult, %s, %c63 : index
    scf.if %outside {
      memref.store %x, %a[%c0] : memref<?xi32>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @quotient(
  gpu.func @quotient(%a: memref<?xi64>, %x: i32, %y: i32) kernel {
    %c0 = arith.constant 0 : index
    %p = arith.extsi %x : i32 to i64
    %q = arith.extsi %y : i32 to i64
    // The least number of 32 bits has no remainder by minus one there.
    // CHECK: arith.remsi %{{.*}}, %{{.*}} : i64
    %r = arith.remsi %p, %q : i64
    memref.store %r, %a[%c0] : memref<?xi64>
    gpu.return
  }

  // A number of 32 bits cannot be shifted by 32.
  // CHECK-LABEL: gpu.func @shift(
  gpu.func @shift(%a: memref<?xi32>, %x: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c31 = arith.constant 31 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %most = arith.andi %t, %c63 : index
    // CHECK: arith.shrui %{{.*}}, %{{.*}} : index
    %s = arith.shrui %t, %most : index
    memref.store %x, %a[%s] : memref<?xi32>
    %less = arith.andi %t, %c31 : index
    // CHECK: arith.shrui %{{.*}}, %{{.*}} : i32
    %u = arith.shrui %t, %less : index
    memref.store %x, %a[%u] : memref<?xi32>
    gpu.return
  }

  // That 64 bits do not overflow says nothing of 32.
  // CHECK-LABEL: gpu.func @flags(
  gpu.func @flags(%a: memref<?xi8>, %x: i8) kernel {
    %b = gpu.block_id x
    // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nuw> : i32
    %s = arith.addi %b, %b overflow<nsw, nuw> : index
    memref.store %x, %a[%s] : memref<?xi8>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Indices are carried by loops without a counter, and are results of branches.
  // CHECK-LABEL: gpu.func @carried(
  gpu.func @carried(%a: memref<?xi32>, %x: i32, %f: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    // CHECK: %{{.*}} = scf.if %{{.*}} -> (i32) {
    // CHECK-NEXT: scf.yield %{{.*}} : i32
    %i = scf.if %f -> (index) {
      scf.yield %c1 : index
    } else {
      scf.yield %c7 : index
    }
    memref.store %x, %a[%i] : memref<?xi32>
    // CHECK: scf.while (%[[P:.*]] = %{{.*}}) : (i32) -> i32 {
    %w = scf.while (%p = %i) : (index) -> index {
      %q = arith.shrui %p, %c1 : index
      // CHECK: %[[MORE:.*]] = arith.cmpi ugt, %{{.*}}, %{{.*}} : i32
      %go = arith.cmpi ugt, %q, %c0 : index
      // CHECK: scf.condition(%[[MORE]]) %{{.*}} : i32
      scf.condition(%go) %q : index
    } do {
    ^bb0(%q: index):
      memref.store %x, %a[%q] : memref<?xi32>
      // CHECK: scf.yield %{{.*}} : i32
      scf.yield %q : index
    }
    memref.store %x, %a[%w] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @select(
  gpu.func @select(%a: memref<?xf32>, %n: index, %f: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    // CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
    %s = arith.select %f, %t, %c0 : index
    // Always so.
    // CHECK-NOT: arith.cmpi
    %in = arith.cmpi ult, %s, %c128 : index
    %wide = arith.index_cast %s : index to i64
    // CHECK: %[[X:.*]] = arith.uitofp %[[S]] : i32 to f32
    %x = arith.sitofp %wide : i64 to f32
    scf.if %in {
      // CHECK: memref.store %[[X]]
      memref.store %x, %a[%s] : memref<?xf32>
    }
    gpu.return
  }
}

// -----

// The kernel states the range of a parameter.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @ranged(
  gpu.func @ranged(%a: memref<i32>, %n: index {llvm.range = #llvm.constant_range<i64, 0, 4294967296>},
                   %m: index {llvm.range = #llvm.constant_range<i64, 0, 4294967297>}, %x: i32) kernel {
    %c7 = arith.constant 7 : index
    %v = memref.reinterpret_cast %a to offset: [0], sizes: [7], strides: [1] : memref<i32> to memref<7xi32>
    // CHECK: arith.divui %{{.*}}, %{{.*}} : i32
    %q = arith.divui %n, %c7 : index
    memref.store %x, %v[%q] : memref<7xi32>
    // CHECK: arith.divui %{{.*}}, %{{.*}} : index
    %p = arith.divui %m, %c7 : index
    memref.store %x, %v[%p] : memref<7xi32>
    gpu.return
  }
}

// -----

// A quotient of the least number, rounded up, is negative. Upstream's range of it is not.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @least(
  // CHECK-NOT: constant 922337203685477580
  // CHECK: %[[Q:.*]] = arith.ceildivsi %{{.*}}, %{{.*}} : index
  // CHECK: arith.minsi %[[Q]]
  // CHECK: arith.maxsi
  gpu.func @least(%a: memref<?xi32>, %x: i32) kernel {
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c19 = arith.constant 19 : index
    %min = arith.constant -9223372036854775808 : index
    %q = arith.ceildivsi %min, %c10 : index
    %s = arith.minsi %q, %c19 : index
    %t = arith.maxsi %s, %c0 : index
    memref.store %x, %a[%t] : memref<?xi32>
    gpu.return
  }
}
