// RUN: obs-translate --obs-to-host-c %s -o %t.c
// RUN: FileCheck %s --input-file=%t.c
// RUN: %cc -std=c99 -fsyntax-only -Wall -Wextra -Werror -I %S/Inputs/cuda %t.c
// RUN: obs-translate --obs-to-host-c %examples/matmul.mlir -o %t.c
// RUN: %cc -std=c99 -fsyntax-only -Wall -Wextra -Werror -I %S/Inputs/cuda %t.c
// RUN: not obs-translate --obs-to-host-c %S/Inputs/half-on-host.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not obs-translate --obs-to-host-c %S/Inputs/rank-9.mlir 2>&1 | FileCheck %s --check-prefix=RANK
// REQUIRES: c-compiler

// On older chips, and with older headers, a kernel is launched after the end of the one before it.
// RUN: obs-translate --obs-to-host-c --chip=sm_80 %s | FileCheck %s --check-prefix=SM80
// SM80: OBS_CALL(obsrt_launch(&program, "step", {{[^,]*, [^,]*, [^,]*}}, 0, parameters
// RUN: sed 's/#include <cuda.h>/&\n#undef CUDA_VERSION/' %t.c > %t.old.c
// RUN: %cc -std=c99 -fsyntax-only -Wall -Wextra -Werror -I %S/Inputs/cuda %t.old.c

// CHECK: static const char obsrt_ptx[] =
// CHECK: .visible .entry step(
// CHECK: CUresult obs_main(const obs_array *arg0, float arg1, obs_array *result0) {
// CHECK: OBS_CALL(obsrt_begin(&program));
// CHECK: OBS_CALL(obsrt_allocate(
// CHECK: for (int64_t
// CHECK: OBS_CALL(obsrt_launch(&program, "step", {{[^,]*, [^,]*, [^,]*}}, 1, parameters
// Memory of an iteration that is not carried on is freed.
// CHECK: obsrt_sweep(&program, mark
// CHECK: printf("100%%: %lld, %s\n", (long long)v{{[0-9]+}}, v{{[0-9]+}} ? "true" : "false");
// CHECK: done:;
// CHECK: obsrt_end(&program, kept, 1);

// RUN: sed 's/@main/@"foo-bar"/' %S/Inputs/rank-9.mlir | not obs-translate --obs-to-host-c 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: {{.*}}[host-c] has a name that is not valid in C; use letters, digits and '_'
// RANK: error: {{.*}}[host-c] an array of a C program has at most 8 dimensions; reshape it
// HALF: error: 'arith.truncf' op [host-c] has no translation to C; keep it out of host code
func.func @main(%a: !obs.pull<? x f32>, %w: f32) -> !obs.pull<? x f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = obs.dim %a, 0 : !obs.pull<? x f32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %a) -> !obs.pull<? x f32> {
    %m = obs.map (%e = %x : !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %y = arith.mulf %e, %w : f32
      obs.yield %y : f32
    }
    %p = obs.push %m : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
    %f = obs.force %p {kernel = "step"} : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
    scf.yield %f : !obs.pull<? x f32>
  }
  %big = arith.cmpi ugt, %n, %c9 : index
  obs.print "100%: {}, {}", %n, %big : index, i1
  return %r : !obs.pull<? x f32>
}

// Compilers warn of parameters that nobody uses.
// CHECK: CUresult obs_unused(const obs_array *arg0, float arg1, float *result0) {
// CHECK: (void)(*arg0);
// CHECK-NOT: (void)arg1;
// CHECK: done:;
func.func @unused(%a: !obs.pull<? x f32>, %w: f32) -> f32 {
  return %w : f32
}
