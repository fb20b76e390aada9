// obs-map-levels names the passes that have to run before it.
// RUN: obs-opt %s --split-input-file --verify-diagnostics --obs-map-levels

// expected-error@+1 {{has no number of threads; run obs-set-launch first}}
obs.kernel @threads(%m: memref<?xf32>) {
}

// -----

obs.kernel @blocks(%m: memref<?xf32>) attributes {threads = 64 : i64} {
}
func.func @main(%m: memref<?xf32>, %n: index) {
  // expected-error@+1 {{has no number of blocks; run obs-set-launch first}}
  obs.launch @blocks work [%n] [thread] args(%m) : memref<?xf32>
  return
}

// -----

obs.kernel @home() attributes {threads = 64 : i64} {
  // expected-error@+1 {{has no home yet; run obs-assign-homes first}}
  %a = memref.alloc() : memref<64xi32, #obs.home<block, auto>>
}

// -----

obs.kernel @place() attributes {threads = 64 : i64} {
  // expected-error@+1 {{has no place in shared memory yet; run obs-plan-shared first}}
  %a = memref.alloc() : memref<64xi32, #obs.home<block, shared>>
}

// -----

obs.kernel @unmapped(%n: index) attributes {threads = 64 : i64} {
  // expected-error@+1 {{is not mapped to threads; see obs-verify-levels}}
  scf.forall (%i) in (%n) {
  }
}

// -----

// expected-error@+1 {{has an argument of type 'memref<?xf32, strided<[2]>>'; only arrays without gaps can be passed as pointers}}
obs.kernel @gaps(%m: memref<?xf32, strided<[2]>>) attributes {threads = 64 : i64} {
}

// -----

// Thread t reads what thread 31 - t wrote.
obs.kernel @not_owned(%x: f32) attributes {threads = 32 : i64} {
  %c31 = arith.constant 31 : index
  // expected-error@+1 {{cannot live in registers as it is used; run obs-assign-homes first}}
  %a = memref.alloc() : memref<32xf32, #obs.home<block, registers>>
  scf.forall (%t) in (32) {
    memref.store %x, %a[%t] : memref<32xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
  scf.forall (%t) in (32) {
    %e = arith.subi %c31, %t : index
    %y = memref.load %a[%e] : memref<32xf32, #obs.home<block, registers>>
  } {mapping = [#obs.map<block, thread>]}
}

// -----

// expected-error@-2 {{[constant-limit] tables in constant memory take 81920 bytes, but there are 65536; leave out 'in constant' for some}}
// expected-note@+1 {{40960 bytes}}
memref.global "private" constant @a : memref<10240xi32> = dense<1> {obs.constant}
// expected-note@+1 {{40960 bytes}}
memref.global "private" constant @b : memref<5120xi64> = dense<1> {obs.constant}
obs.kernel @tables(%out: memref<64xi32>) attributes {threads = 64 : i64} {
  %a = memref.get_global @a : memref<10240xi32>
  %b = memref.get_global @b : memref<5120xi64>
}
