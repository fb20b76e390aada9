// RUN: obs-opt --obs-report-cost %s -o /dev/null | FileCheck %s

// The distance of two accesses can be any number.
// CHECK-LABEL: kernel 'far'
// CHECK: read global i8
obs.kernel @far(%a: memref<?xi8>, %o: memref<?xi8>) attributes {threads = 64 : i64} {
  scf.forall (%t) in (64) {
    %first = arith.constant 0 : index
    %last = arith.constant 9223372036854775807 : index
    %x = memref.load %a[%first] : memref<?xi8>
    %y = memref.load %a[%last] : memref<?xi8>
    %z = arith.addi %x, %y : i8
    memref.store %z, %o[%t] : memref<?xi8>
  } {mapping = [#obs.map<block, thread>]}
}

// Requests of warps, in kernels of one block part each.

#block = #obs.map<block, thread>
#warp = #obs.map<warp, thread>

// CHECK-LABEL: kernel 'sectors'
obs.kernel @sectors(%a: memref<4096xf32>, %b: memref<?x?xf64>, %h: memref<4096xf16>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  scf.forall (%t) in (64) {
    // 32 times 4 bytes are 4 sectors; 64 threads read 256 bytes.
    // CHECK: read global f32 at {{.*}}:[[@LINE+1]]:10, 4 sectors per request, 256 bytes
    %0 = memref.load %a[%t] : memref<4096xf32>
    // Four begin in one sector and end in the fifth.
    // CHECK: read global f32 at {{.*}}:[[@LINE+2]]:10, 5 sectors per request, 256 bytes
    %i1 = arith.addi %t, %c5 : index
    %1 = memref.load %a[%i1] : memref<4096xf32>
    // CHECK: read global f32 at {{.*}}:[[@LINE+2]]:10, 8 sectors per request, 256 bytes
    %i2 = arith.muli %t, %c2 : index
    %2 = memref.load %a[%i2] : memref<4096xf32>
    // CHECK: read global f32 at {{.*}}:[[@LINE+2]]:10, 32 sectors per request, 256 bytes
    %i3 = arith.muli %t, %c8 : index
    %3 = memref.load %a[%i3] : memref<4096xf32>
    // All want the same.
    // CHECK: read global f32 at {{.*}}:[[@LINE+1]]:10, 1 sector per request, 256 bytes
    %4 = memref.load %a[%c5] : memref<4096xf32>
    // CHECK: read global f16 at {{.*}}:[[@LINE+1]]:10, 2 sectors per request, 128 bytes
    %5 = memref.load %h[%t] : memref<4096xf16>
    // Along a row of unknown length, then down a column: a sector for each lane
    // unless the array is very narrow.
    // CHECK: read global f64 at {{.*}}:[[@LINE+1]]:10, 8 sectors per request, 512 bytes
    %6 = memref.load %b[%c2, %t] : memref<?x?xf64>
    // CHECK: read global f64 at {{.*}}:[[@LINE+1]]:10, 32 sectors per request inside of large arrays, 512 bytes
    %7 = memref.load %b[%t, %c2] : memref<?x?xf64>
    // 8 of each 32 lanes.
    %lane = arith.remui %t, %c32 : index
    %few = arith.cmpi ult, %lane, %c8 : index
    scf.if %few {
      // CHECK: write global f32 at {{.*}}:[[@LINE+1]]:7, 1 sector per request, 64 bytes
      memref.store %0, %a[%t] : memref<4096xf32>
    } else {
      // CHECK: write global f32 at {{.*}}:[[@LINE+1]]:7, 3 sectors per request, 192 bytes
      memref.store %1, %a[%t] : memref<4096xf32>
    }
    memref.store %2, %a[%t] : memref<4096xf32>
    memref.store %3, %a[%t] : memref<4096xf32>
    memref.store %4, %a[%t] : memref<4096xf32>
    memref.store %5, %h[%t] : memref<4096xf16>
    memref.store %6, %b[%c0, %t] : memref<?x?xf64>
    memref.store %7, %b[%c1, %t] : memref<?x?xf64>
  } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
  // Neighbours are iterations of one thread: four apart for two lanes.
  scf.forall (%t) in (256) {
    // CHECK: atomic global f32 at {{.*}}:[[@LINE+3]]:10, 16 sectors per request, 1024 bytes
    %x = memref.load %h[%t] : memref<4096xf16>
    %y = arith.extf %x : f16 to f32
    %0 = memref.atomic_rmw addf %y, %a[%t] : (f32, memref<4096xf32>) -> f32
  } {mapping = [#block], obs.distribution = #obs.distribution<blocked>}
  // CHECK: read global f32 at {{.*}}:[[@LINE+1]]:8 by all threads of a grid, 1 sector per request, 4 bytes
  %u = memref.load %a[%c0] : memref<4096xf32>
}

// CHECK-LABEL: kernel 'banks'
obs.kernel @banks(%n: index) attributes {threads = 64 : i64, shared_bytes = 33024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c17 = arith.constant 17 : index
  %c32 = arith.constant 32 : index
  %cf = arith.constant 0.0 : f32
  %s = memref.alloc() {obs.offset = 0 : i64} : memref<4096xf32, #obs.home<block, shared>>
  %d = memref.alloc() {obs.offset = 16384 : i64} : memref<2048xf64, #obs.home<block, shared>>
  %p = memref.alloc() {obs.offset = 32768 : i64} : memref<64xf32, #obs.home<block, shared>>
  %cd = arith.constant 0.0 : f64
  scf.forall (%t) in (64) {
    // CHECK: write shared f32 at {{.*}}:[[@LINE+1]]:5, bank-conflict degree 1, 256 bytes
    memref.store %cf, %s[%t] : memref<4096xf32, #obs.home<block, shared>>
    // CHECK: write shared f32 at {{.*}}:[[@LINE+2]]:5, bank-conflict degree 2, 256 bytes
    %i1 = arith.muli %t, %c2 : index
    memref.store %cf, %s[%i1] : memref<4096xf32, #obs.home<block, shared>>
    // CHECK: write shared f32 at {{.*}}:[[@LINE+2]]:5, bank-conflict degree 1, 256 bytes
    %i2 = arith.muli %t, %c17 : index
    memref.store %cf, %s[%i2] : memref<4096xf32, #obs.home<block, shared>>
    // CHECK: write shared f32 at {{.*}}:[[@LINE+2]]:5, bank-conflict degree 32, 256 bytes
    %i3 = arith.muli %t, %c32 : index
    memref.store %cf, %s[%i3] : memref<4096xf32, #obs.home<block, shared>>
    // 8 bytes in two halves of a warp: no conflict.
    // CHECK: write shared f64 at {{.*}}:[[@LINE+1]]:5, bank-conflict degree 1, 512 bytes
    memref.store %cd, %d[%t] : memref<2048xf64, #obs.home<block, shared>>
    // The first warp writes every element, the second every eighth.
    // CHECK: write shared f32 at {{.*}}:[[@LINE+4]]:5, bank-conflict degree 8 (4.5 on average), 256 bytes
    %second = arith.cmpi uge, %t, %c32 : index
    %stride = arith.select %second, %c8, %c1 : index
    %i4 = arith.muli %t, %stride : index
    memref.store %cf, %s[%i4] : memref<4096xf32, #obs.home<block, shared>>
  } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
  // Strides 1, 2 and 4: 64, 32 and 16 threads write 4 bytes. 64 make two
  // requests, the others one.
  scf.for %k = %c0 to %c3 step %c1 {
    %stride = arith.shli %c1, %k : index
    %c64 = arith.constant 64 : index
    %extent = arith.shrui %c64, %k : index
    scf.forall (%t) in (%extent) {
      %i = arith.muli %t, %stride : index
      // CHECK: write shared f32 at {{.*}}:[[@LINE+1]]:7, bank-conflict degree 2 (1.5 on average), 448 bytes
      memref.store %cf, %p[%i] : memref<64xf32, #obs.home<block, shared>>
    } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
  }
  // CHECK: shared memory: 0 bytes read, 2240 bytes written
}

// The cost of addresses that depend on data is not known before.
// CHECK-LABEL: kernel 'data'
obs.kernel @data(%a: memref<?xi32>, %b: memref<?xi32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  %half = arith.divui %n, %c2 : index
  scf.forall (%t) in (%half) {
    // CHECK: read global i32 at {{.*}}:[[@LINE+1]]:10, 4 sectors per request, 4 * floor(arg0.dim0 / 2) bytes
    %x = memref.load %a[%t] : memref<?xi32>
    %i = arith.index_castui %x : i32 to index
    // CHECK: write global i32 at {{.*}}:[[@LINE+1]]:5, ? sectors per request, 4 * floor(arg0.dim0 / 2) bytes
    memref.store %x, %b[%i] : memref<?xi32>
    // CHECK: read global i32 at {{.*}}:[[@LINE+2]]:12, 1 sector per request, ? bytes
    scf.for %k = %c0 to %i step %c2 {
      %y = memref.load %b[%c0] : memref<?xi32>
      // CHECK: write global i32 at {{.*}}:[[@LINE+1]]:7, 1 sector per request, ? bytes
      memref.store %y, %b[%k] : memref<?xi32>
    }
  } {mapping = [#obs.map<grid, thread>], obs.distribution = #obs.distribution<striped>}
  // CHECK: global memory: ? bytes read, ? bytes written
}

// Vectors are 4 numbers of a lane at once: 512 bytes in a request.
// CHECK-LABEL: kernel 'vectors'
obs.kernel @vectors(%a: memref<4096xf32>) attributes {threads = 64 : i64} {
  %c4 = arith.constant 4 : index
  %cst = arith.constant 0.0 : f32
  scf.forall (%t) in (64) {
    %i = arith.muli %t, %c4 : index
    // CHECK: read global 4 x f32 at {{.*}}:[[@LINE+1]]:10, 16 sectors per request, 1024 bytes
    %v = vector.load %a[%i] : memref<4096xf32>, vector<4xf32>
    // CHECK: write global 4 x f32 at {{.*}}:[[@LINE+1]]:5, 16 sectors per request, 1024 bytes
    vector.store %v, %a[%i] : memref<4096xf32>, vector<4xf32>
  } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
}

// The distance of lanes must not follow from the size of another array.
// CHECK-LABEL: kernel 'filter'
obs.kernel @filter(%a: memref<?x?xf32>, %f: memref<?xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %f, %c0 : memref<?xf32>
  %cst = arith.constant 0.0 : f32
  scf.forall (%t) in (64) {
    %i = arith.muli %t, %n : index
    // CHECK: write global f32 at {{.*}}:[[@LINE+1]]:5, ? sectors per request, 256 bytes
    memref.store %cst, %a[%c0, %i] : memref<?x?xf32>
  } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
}

// Accesses of a thread side by side become one.
// CHECK-LABEL: kernel 'joined'
obs.kernel @joined(%a: memref<4096xf32>) attributes {threads = 64 : i64, shared_bytes = 1024 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %s = memref.alloc() {obs.offset = 0 : i64} : memref<256xf32, #obs.home<block, shared>>
  scf.forall (%t) in (64) {
    // 16 bytes of each lane are 512 bytes, and 16 sectors for four numbers. The fifth number is on its own.
    %i = arith.muli %t, %c4 : index
    %i1 = arith.addi %i, %c1 : index
    %i2 = arith.addi %i, %c2 : index
    %i3 = arith.addi %i, %c3 : index
    %i7 = arith.addi %i, %c7 : index
    // CHECK-COUNT-4: read global f32 at {{.*}}, 4 sectors per request, 256 bytes
    %0 = memref.load %a[%i] : memref<4096xf32>
    %1 = memref.load %a[%i2] : memref<4096xf32>
    %2 = memref.load %a[%i1] : memref<4096xf32>
    %3 = memref.load %a[%i3] : memref<4096xf32>
    // Byte 28 of the first lane is in sector 0, and byte 524 of the last one in sector 16.
    // CHECK: read global f32 at {{.*}}, 17 sectors per request, 256 bytes
    %4 = memref.load %a[%i7] : memref<4096xf32>
    // On their own, these writes have a stride of two numbers, and two lanes share a bank.
    %j = arith.muli %t, %c2 : index
    %j1 = arith.addi %j, %c1 : index
    // CHECK-COUNT-2: write shared f32 at {{.*}}, bank-conflict degree 1, 256 bytes
    memref.store %0, %s[%j] : memref<256xf32, #obs.home<block, shared>>
    memref.store %1, %s[%j1] : memref<256xf32, #obs.home<block, shared>>
    // CHECK: write global f32
    memref.store %2, %a[%i] : memref<4096xf32>
  } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
}

// Lanes that begin at any number do not join what they access.
// CHECK-LABEL: kernel 'unaligned'
obs.kernel @unaligned(%a: memref<4096xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%t) in (64) {
    %t1 = arith.addi %t, %c1 : index
    // CHECK: read global f32 at {{.*}}, 4 sectors per request, 256 bytes
    %0 = memref.load %a[%t] : memref<4096xf32>
    // CHECK: read global f32 at {{.*}}, 5 sectors per request, 256 bytes
    %1 = memref.load %a[%t1] : memref<4096xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %a[%t] : memref<4096xf32>
  } {mapping = [#block], obs.distribution = #obs.distribution<striped>}
}
