/*===- obsidian-c/Runtime.h - Programs on devices, from C ---------*- C -*-===*\
|*                                                                            *|
|* Part of the Obsidian project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Runs compiled programs on the interpreter, on the emulator of kernels, and on
 * GPUs. Compiler.h says what holds for threads, errors and versions. */

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
  /* Of the emulator: find races, and reads of memory that was never written. */
  OBS_CHECK_RACES = 1,
  OBS_CHECK_UNINIT = 2,
  /* The seed decides which thread runs next. */
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
  /* Memory of the GPU from the caller, such as the allocator of a framework;
   * both or neither may be NULL. `allocate` returns 0 if there is no memory
   * left. Memory is used on the stream of the run only, and freed in its
   * order. The arrays that a run returns are the caller's to free. */
  uint64_t (*allocate)(void *user, uint64_t bytes);
  void (*free)(void *user, uint64_t pointer);
  void *user;
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
  /* All elements, row by row. Memory of the GPU for the arrays of a program
   * that runs there; otherwise, and for scalars, of the host. */
  void *data;
} obs_value;

/* Runs a program with one value for each parameter slot. On a GPU, `stream` is
 * the CUstream on which everything is enqueued, and nobody waits for it unless
 * the program reads an element on the host; if it is NULL, the program runs on
 * a stream of its own, and has run when the call returns. */
OBS_EXPORT obs_status obs_run(obs_executable *executable,
                              const obs_value *arguments, size_t num_arguments,
                              void *stream);

/* The results of the last run, one for each result slot. The data that they
 * point to lives until the next run of the executable, or until it is
 * destroyed. An array on a GPU that `allocate` returned lives until the caller
 * frees it. A result may be, or be a part of, an argument. */
OBS_EXPORT obs_value obs_get_result(const obs_executable *executable,
                                    size_t number);

/* The same for a program on a GPU, with less to do for each call. Each
 * parameter slot is the bits of a scalar in a word, or the address of an array
 * and then its extents; `results` gets the result slots in the same form, and
 * obs_get_result gives nothing. */
OBS_EXPORT obs_status obs_run_packed(obs_executable *executable,
                                     const uint64_t *arguments,
                                     uint64_t *results, void *stream);

/* The output of obs.print of the program in the last run; lives until the next.
 * Kernels on a GPU print to the standard output. */
OBS_EXPORT obs_text obs_get_output(const obs_executable *executable);

#ifdef __cplusplus
}
#endif

#endif /* OBSIDIAN_C_RUNTIME_H */
