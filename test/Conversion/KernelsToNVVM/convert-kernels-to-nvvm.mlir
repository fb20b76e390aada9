// RUN: obs-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(gpu.module(convert-scf-to-cf,convert-kernels-to-nvvm{libdevice=none}))' \
// RUN:   | FileCheck %s

// Arguments are plain, in the order of the source. Dynamic shared memory is
// external, so that the launch decides on its size.
gpu.module @kernels {
  // CHECK: llvm.mlir.global external @[[SHARED:.*]]() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.func @arguments(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: f32, %{{.*}}: !llvm.ptr, %{{.*}}: i1)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 96, 1, 1>
  gpu.func @arguments(%a: memref<f32>, %n: index, %x: f32, %b: memref<i8>, %f: i1)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    // CHECK: llvm.mlir.addressof @[[SHARED]]
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %shared = memref.view %arena[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<96xf32, #gpu.address_space<workgroup>>
    // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
    memref.store %x, %shared[%n] : memref<96xf32, #gpu.address_space<workgroup>>
    // CHECK: nvvm.barrier
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @atomics(
  // CHECK-SAME: %[[A:.*]]: !llvm.ptr, %[[F:.*]]: !llvm.ptr, %[[X:.*]]: i32, %[[Y:.*]]: f32)
  gpu.func @atomics(%a: memref<i32>, %f: memref<f32>, %x: i32, %y: f32) kernel {
    // CHECK: llvm.inline_asm has_side_effects{{.*}}"red.relaxed.gpu.global.add.u32 [$0], $1;", "l,r,~{memory}" %{{.*}}, %[[X]]
    %0 = memref.atomic_rmw addi %x, %a[] : (i32, memref<i32>) -> i32
    // The old value is wanted.
    // CHECK: llvm.atomicrmw fadd %{{.*}}, %[[Y]] syncscope("device") monotonic
    %1 = memref.atomic_rmw addf %y, %f[] : (f32, memref<f32>) -> f32
    memref.store %1, %f[] : memref<f32>
    // CHECK: llvm.atomicrmw fmaximum %{{.*}}, %[[Y]] syncscope("device") monotonic
    %2 = memref.atomic_rmw maximumf %y, %f[] : (f32, memref<f32>) -> f32
    gpu.return
  }

  // A thread waits by atomic loads, which are an `or` with 0. Then a multiprocessor executes at least 1024 threads. An
  // exchange whose result is not used is no store.
  // CHECK-LABEL: llvm.func @waits(
  // CHECK-SAME: nvvm.minctasm = 4 : i32
  gpu.func @waits(%a: memref<i64>, %x: i64) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK: llvm.atomicrmw xchg %{{.*}}, %{{.*}} syncscope("device") monotonic
    %0 = memref.atomic_rmw assign %x, %a[] : (i64, memref<i64>) -> i64
    cf.br ^wait
  ^wait:
    %zero = arith.constant 0 : i64
    // CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
    %1 = memref.atomic_rmw ori %zero, %a[] : (i64, memref<i64>) -> i64
    %2 = arith.cmpi ult, %1, %x : i64
    cf.cond_br %2, ^wait, ^end
  ^end:
    gpu.return
  }

  // CHECK-LABEL: llvm.func @shared_atomic
  gpu.func @shared_atomic(%x: i32) kernel {
    %c0 = arith.constant 0 : index
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %shared = memref.view %arena[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>>
    // CHECK: llvm.inline_asm has_side_effects{{.*}}"red.relaxed.cta.shared.min.u32 [$0], $1;", "l,r,~{memory}" %{{.*}} : (!llvm.ptr<3>, i32) -> ()
    %0 = memref.atomic_rmw minu %x, %shared[%c0] : (i32, memref<8xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.return
  }

  // Any atomic operation may say how many threads a multiprocessor executes.
  // CHECK-LABEL: llvm.func @has_least_threads(
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  gpu.func @has_least_threads(%a: memref<i32>, %x: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %0 = memref.atomic_rmw addi %x, %a[] {obs.least_threads = 512 : i32} : (i32, memref<i32>) -> i32
    gpu.return
  }

  // Blocks of 1024 threads that combine in shared memory: two are resident, if there is room for their memory.
  // CHECK-LABEL: llvm.func @combines(
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  gpu.func @combines(%x: i32, %i: index) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %c256 = arith.constant 256 : index
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %shared = memref.view %arena[%c256][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16320xi32, #gpu.address_space<workgroup>>
    %0 = memref.atomic_rmw ori %x, %shared[%i] : (i32, memref<16320xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.return
  }
  // CHECK-LABEL: llvm.func @combines_in_more(
  // CHECK-NOT: nvvm.minctasm
  // CHECK-LABEL: llvm.func @product(
  gpu.func @combines_in_more(%x: i32, %i: index) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
    %c256 = arith.constant 256 : index
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %shared = memref.view %arena[%c256][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16321xi32, #gpu.address_space<workgroup>>
    %0 = memref.atomic_rmw ori %x, %shared[%i] : (i32, memref<16321xi32, #gpu.address_space<workgroup>>) -> i32
    gpu.return
  }

  // Without an instruction: a loop until nothing came in between. The result is
  // the old value.
  gpu.func @product(%f: memref<f32>, %y: f32) kernel {
    // CHECK: %[[FIRST:.*]] = llvm.load %[[POINTER:.*]] atomic syncscope("device") monotonic {{.*}} -> i32
    // CHECK: llvm.br ^[[LOOP:.*]](%[[FIRST]] : i32)
    // CHECK: ^[[LOOP]](%[[EXPECTED:.*]]: i32):
    // CHECK: %[[OLD:.*]] = llvm.bitcast %[[EXPECTED]] : i32 to f32
    // CHECK: %[[PRODUCT:.*]] = llvm.fmul %[[OLD]], %{{.*}} : f32
    // CHECK: %[[NEW:.*]] = llvm.bitcast %[[PRODUCT]] : f32 to i32
    // CHECK: %[[PAIR:.*]] = llvm.cmpxchg %[[POINTER]], %[[EXPECTED]], %[[NEW]] syncscope("device") monotonic monotonic
    // CHECK: %[[FOUND:.*]] = llvm.extractvalue %[[PAIR]][0]
    // CHECK: %[[DONE:.*]] = llvm.extractvalue %[[PAIR]][1]
    // CHECK: llvm.cond_br %[[DONE]], ^[[END:.*]], ^[[LOOP]](%[[FOUND]] : i32)
    // CHECK: ^[[END]]:
    // CHECK: %[[RESULT:.*]] = llvm.bitcast %[[FOUND]] : i32 to f32
    // CHECK: llvm.store %[[RESULT]]
    %old = memref.atomic_rmw mulf %y, %f[] : (f32, memref<f32>) -> f32
    memref.store %old, %f[] : memref<f32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @bits(
  gpu.func @bits(%b: memref<i1>, %x: i1) kernel {
    // CHECK: %[[BYTE:.*]] = llvm.zext %{{.*}} : i1 to i8
    // CHECK: llvm.atomicrmw _or %{{.*}}, %[[BYTE]] syncscope("device") monotonic
    %0 = memref.atomic_rmw ori %x, %b[] : (i1, memref<i1>) -> i1
    gpu.return
  }

  // CHECK-LABEL: llvm.func @generic(
  gpu.func @generic(%f: memref<f64>, %y: f64) kernel {
    // CHECK: llvm.fsub
    // CHECK: llvm.cmpxchg %{{.*}} syncscope("device") monotonic monotonic : !llvm.ptr, i64
    %0 = memref.generic_atomic_rmw %f[] : memref<f64> {
    ^bb0(%old: f64):
      %new = arith.subf %y, %old : f64
      memref.atomic_yield %new : f64
    }
    gpu.return
  }
}

// -----

// None of these needs libdevice, and none is an approximation.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @math(
  // CHECK-NOT: __nv_
  gpu.func @math(%o: memref<f32>, %h: memref<f16>, %i: memref<i32>, %x: f32, %y: f16, %n: i32) kernel {
    // CHECK: llvm.intr.sqrt
    %0 = math.sqrt %x : f32
    // CHECK: %[[ROOT:.*]] = llvm.intr.sqrt
    // CHECK: llvm.fdiv %{{.*}}, %[[ROOT]]
    %1 = math.rsqrt %0 : f32
    // CHECK: llvm.intr.fma
    %2 = math.fma %1, %x, %x : f32
    // CHECK: llvm.intr.maxnum
    %3 = arith.maxnumf %2, %x : f32
    memref.store %3, %o[] : memref<f32>
    // CHECK: llvm.intr.roundeven
    %4 = math.roundeven %y : f16
    // CHECK: llvm.fdiv {{.*}} : f32
    // CHECK-NEXT: llvm.fptrunc
    %half = math.rsqrt %4 : f16
    memref.store %half, %h[] : memref<f16>
    // CHECK: "llvm.intr.ctlz"(%{{.*}}) <{is_zero_poison = false}>
    %5 = math.ctlz %n : i32
    // CHECK: "llvm.intr.abs"(%{{.*}}) <{is_int_min_poison = false}>
    %6 = math.absi %5 : i32
    // CHECK: llvm.intr.is.fpclass
    %7 = math.isnan %x : f32
    %8 = arith.extui %7 : i1 to i32
    // CHECK: llvm.sdiv
    %9 = arith.ceildivsi %6, %8 : i32
    memref.store %9, %i[] : memref<i32>
    gpu.return
  }
}

// -----

// A table of constants, and a part of an array.
gpu.module @kernels {
  // CHECK: llvm.mlir.global private constant @table(dense<[1, 2, 3, 4]>
  memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
  // CHECK-LABEL: llvm.func @table_and_part
  gpu.func @table_and_part(%a: memref<i32>, %n: index, %i: index) kernel {
    %table = memref.get_global @table : memref<4xi32>
    %x = memref.load %table[%i] : memref<4xi32>
    %all = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
    %part = memref.subview %all[%i] [4] [1] : memref<?xi32> to memref<4xi32, strided<[1], offset: ?>>
    // CHECK: llvm.store
    memref.store %x, %part[%i] : memref<4xi32, strided<[1], offset: ?>>
    gpu.return
  }
}

// -----

// Constants of indices are constants of addresses, so that accesses to neighbours differ in these only. The cast of a sum
// that may wrap is not the sum of the casts, and a negative number is none without its sign.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @distances(
  // CHECK-SAME: %[[A:.*]]: !llvm.ptr, %[[I:.*]]: i64, %[[K:.*]]: i32
  gpu.func @distances(%a: memref<f32>, %i: index, %k: i32, %f: f32) kernel {
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : i32
    %minus = arith.constant -2 : i32
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [100], strides: [1] : memref<f32> to memref<100xf32>
    // CHECK: %[[P:.*]] = llvm.getelementptr {{.*}}[%[[I]]]
    // CHECK: llvm.getelementptr %[[P]][-3]
    %before = arith.subi %i, %c3 : index
    memref.store %f, %x[%before] : memref<100xf32>
    // CHECK: %[[W:.*]] = llvm.sext %[[K]] : i32 to i64
    // CHECK: %[[Q:.*]] = llvm.getelementptr {{.*}}[%[[W]]]
    // CHECK: llvm.getelementptr %[[Q]][-2]
    %signed = arith.addi %k, %minus overflow<nsw> : i32
    %j = arith.index_cast %signed : i32 to index
    memref.store %f, %x[%j] : memref<100xf32>
    // CHECK: %[[Z:.*]] = llvm.zext %[[K]] : i32 to i64
    // CHECK: %[[R:.*]] = llvm.getelementptr {{.*}}[%[[Z]]]
    // CHECK: llvm.getelementptr %[[R]][-2]
    %unsigned = arith.subi %k, %c2 overflow<nuw> : i32
    %l = arith.index_castui %unsigned : i32 to index
    memref.store %f, %x[%l] : memref<100xf32>
    // CHECK-NOT: llvm.getelementptr {{.*}}[-
    %wrapped = arith.addi %k, %minus overflow<nuw> : i32
    %m = arith.index_castui %wrapped : i32 to index
    memref.store %f, %x[%m] : memref<100xf32>
    %open = arith.subi %k, %c2 : i32
    %n = arith.index_cast %open : i32 to index
    memref.store %f, %x[%n] : memref<100xf32>
    // CHECK: llvm.return
    gpu.return
  }
}

// -----

// The constant may be a part of the second operand of a sum.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @distances_in_sums(
  // CHECK-SAME: %[[A:.*]]: !llvm.ptr, %[[I:.*]]: i64, %[[K:.*]]: i32, %[[L:.*]]: i32
  gpu.func @distances_in_sums(%a: memref<f32>, %i: index, %k: i32, %l: i32, %f: f32) kernel {
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : i32
    %x = memref.reinterpret_cast %a to offset: [0], sizes: [100], strides: [1] : memref<f32> to memref<100xf32>
    // CHECK: %[[S:.*]] = llvm.add %[[I]], %[[I]]
    // CHECK: %[[P:.*]] = llvm.getelementptr {{.*}}[%[[S]]]
    // CHECK: llvm.getelementptr %[[P]][-3]
    %before = arith.subi %i, %c3 : index
    %m = arith.addi %i, %before : index
    memref.store %f, %x[%m] : memref<100xf32>
    // CHECK: %[[T:.*]] = llvm.add %[[K]], %[[L]] overflow<nuw>
    // CHECK: %[[Z:.*]] = llvm.zext %[[T]] : i32 to i64
    // CHECK: %[[Q:.*]] = llvm.getelementptr {{.*}}[%[[Z]]]
    // CHECK: llvm.getelementptr %[[Q]][7]
    %inner = arith.addi %l, %c7 overflow<nsw, nuw> : i32
    %outer = arith.addi %k, %inner overflow<nsw, nuw> : i32
    %n = arith.index_castui %outer : i32 to index
    memref.store %f, %x[%n] : memref<100xf32>
    // The sum of %k and %l may wrap in these.
    // CHECK-NOT: llvm.getelementptr {{.*}}[7]
    // CHECK-NOT: llvm.getelementptr {{.*}}[-7]
    %open = arith.addi %k, %inner : i32
    %o = arith.index_castui %open : i32 to index
    memref.store %f, %x[%o] : memref<100xf32>
    %less = arith.subi %l, %c7 overflow<nsw, nuw> : i32
    %sum = arith.addi %k, %less overflow<nsw, nuw> : i32
    %p = arith.index_castui %sum : i32 to index
    memref.store %f, %x[%p] : memref<100xf32>
    %q = arith.index_cast %sum : i32 to index
    memref.store %f, %x[%q] : memref<100xf32>
    // CHECK: llvm.return
    gpu.return
  }
}

// -----

// A register has two elements; two bf16 are an integer.

// CHECK-LABEL: llvm.func @products
// CHECK:         nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {{.*}} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK:         llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK:         nvvm.mma.sync {{.*}}bf16{{.*}} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  gpu.func @products(%out: memref<8xf32>, %x: f16, %y: bf16, %s: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %d:4 = obs.mma(%x, %x, %x, %x, %x, %x, %x, %x) times (%x, %x, %x, %x) plus (%s, %s, %s, %s) : f16
    memref.store %d#1, %out[%c0] : memref<8xf32>
    %e:4 = obs.mma(%y, %y, %y, %y, %y, %y, %y, %y) times (%y, %y, %y, %y) plus (%s, %s, %s, %s) : bf16
    memref.store %e#2, %out[%c1] : memref<8xf32>
    gpu.return
  }
}
