/*===- obsidian-c/Runtime.h - Programs on devices, from C ---------*- C -*-===*\
|*                                                                            *|
|* Part of the Obsidian project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Runs compiled programs on the interpreter, on the emulator of kernels, and on
 * GPUs. The rules of Compiler.h for threads, errors and versions apply. */

#ifndef OBSIDIAN_C_RUNTIME_H
#define OBSIDIAN_C_RUNTIME_H

#include "obsidian-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct obs_executable obs_executable;

typedef enum {
  /* The reference semantics of the program. */
  OBS_INTERPRETER = 0,
  /* The kernels, on the processor. */
  OBS_EMULATOR = 1,
  OBS_CUDA = 2
} obs_device_kind;

enum {
  /* The emulator finds races. */
  OBS_CHECK_RACES = 1,
  /* The emulator finds reads of memory that was never written. */
  OBS_CHECK_UNINIT = 2,
  /* The emulator runs threads in a random order, which the seed determines. */
  OBS_RANDOM_SCHEDULE = 4
};

typedef struct {
  size_t size; /* sizeof(obs_device_options) */
  obs_device_kind kind;
  /* The number of the GPU; -1 for the one that OBS_DEVICE names, or the first.
   */
  int32_t index;
  uint32_t flags;
  uint64_t seed;
  /* Functions of the caller for memory of the GPU, such as the allocator of a
   * framework. Either both are NULL, or none. `allocate` returns an address
   * that is a multiple of 16, or 0 if there is no memory left. The memory is
   * used on the stream of the run only, and is freed in the order of the
   * stream. The caller frees the arrays that a run returns. */
  uint64_t (*allocate)(void *user, uint64_t bytes);
  void (*free)(void *user, uint64_t pointer);
  void *user;
  /* Memory that the caller allocates before a run, so that the run need not
   * call `allocate`: NULL, or `num_prepared` pairs of words. The pair `i` is
   * for the allocation `i` of a run: the number of bytes, and the address, or 0
   * for no memory. A run that needs this number of bytes uses the memory like
   * that of `allocate`, and sets the address to 0. Otherwise it calls
   * `allocate`. */
  uint64_t *prepared;
  size_t num_prepared;
} obs_device_options;

/* Loads a program onto a device. `options` may be NULL, for the emulator. */
OBS_EXPORT obs_executable *obs_load(obs_program *program,
                                    const obs_device_options *options);
OBS_EXPORT void obs_executable_destroy(obs_executable *executable);

typedef struct {
  obs_type type;
  /* The number of dimensions; -1 for a scalar. */
  int32_t rank;
  /* `rank` numbers. */
  const int64_t *extents;
  /* All elements, in row-major order. Scalars are in memory of the host. Arrays
   * are in memory of the GPU if the program runs there, and otherwise in memory
   * of the host. */
  void *data;
} obs_value;

/* Runs a program with one value for each parameter slot. On a GPU, all work is
 * enqueued on `stream`, a CUstream. The host waits only if the program reads an
 * element on the host. If `stream` is NULL, the program runs on a separate
 * stream, and has finished when the call returns. */
OBS_EXPORT obs_status obs_run(obs_executable *executable,
                              const obs_value *arguments, size_t num_arguments,
                              void *stream);

/* The results of the last run, one for each result slot. Their data is valid
 * until the next run of the executable, or until it is destroyed. An array on a
 * GPU that `allocate` returned is valid until the caller frees it. A result may
 * be an argument or a part of an argument. If the last run has no such result,
 * because it failed, for example, `rank` is -1, `data` is NULL, and there is a
 * message. */
OBS_EXPORT obs_value obs_get_result(const obs_executable *executable,
                                    size_t number);

/* Runs a program on a GPU like obs_run, with less overhead for each call. Each
 * parameter slot is the bits of a scalar in a word, or the address of an array
 * followed by its extents. The result slots are written to `results` in the
 * same form, and obs_get_result must not be used. */
OBS_EXPORT obs_status obs_run_packed(obs_executable *executable,
                                     const uint64_t *arguments,
                                     uint64_t *results, void *stream);

/* The output of obs.print in the last run, valid until the next run. Kernels on
 * a GPU print to the standard output. */
OBS_EXPORT obs_text obs_get_output(const obs_executable *executable);

#ifdef __cplusplus
}
#endif

#endif /* OBSIDIAN_C_RUNTIME_H */
