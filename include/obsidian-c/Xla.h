/*===- obsidian-c/Xla.h - Programs as foreign functions of XLA ----*- C -*-===*\
|*                                                                            *|
|* Part of the Obsidian project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Handlers for custom calls of XLA (its "FFI", of major version 0), such as
 * those of `jax.ffi.ffi_call`. One call runs one program. It has these
 * attributes:
 *
 *   program     a string: the name of the program, as obs_xla_add got it
 *   number_N    64 bits: the bits of the scalar of parameter slot N, if the
 *               call has no buffer for this slot
 *
 * The other parameter slots are the arguments of the call, in order. The result
 * slots are its results. A buffer without dimensions may stand for a scalar, or
 * for an array of one element. Elements keep their bits: an unsigned type
 * stands for the type of the same length.
 *
 * The handlers may be called by several threads. A program runs for one call of
 * a device at a time. */

#ifndef OBSIDIAN_C_XLA_H
#define OBSIDIAN_C_XLA_H

#include "obsidian-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the program to `saved`, whose texts stay valid until this thread calls
 * the function again. `kind` is OBS_EMULATOR or OBS_CUDA: `kernels` or `ptx` is
 * enough. Returns NULL, or the reason of a failure, which is valid as long. */
typedef const char *(*obs_xla_source)(void *user, obs_device_kind kind,
                                      obs_saved_program *saved);

/* Makes a program known to the handlers. They call `source` when they load the
 * program onto a device. A name that is known already keeps its program. */
OBS_EXPORT void obs_xla_add(const char *name, obs_xla_source source,
                            void *user);

/* The handler for the platform "cpu": the program runs on the emulator. `frame`
 * is an XLA_FFI_CallFrame, and the result is an XLA_FFI_Error or NULL. */
OBS_EXPORT void *obs_xla_run_on_host(void *frame);

/* The handler for the platform "CUDA": the program runs on the stream of XLA,
 * in memory that XLA allocates. Kernels write the results to the buffers of
 * XLA, except in the first run. The host waits only for scalars in buffers, and
 * if the program reads an element on the host. */
OBS_EXPORT void *obs_xla_run_on_gpu(void *frame);

#ifdef __cplusplus
}
#endif

#endif /* OBSIDIAN_C_XLA_H */
