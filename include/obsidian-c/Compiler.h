/*===- obsidian-c/Compiler.h - The compiler from C ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the Obsidian project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Compiles the text of obs programs, and reports on them.
 *
 * Threads: only one thread at a time may use a compiler, its programs and their
 * executables. Different threads may use different compilers at the same time.
 *
 * Errors: a function that fails returns NULL if it returns a pointer, and
 * OBS_FAILURE if it returns an obs_status. The messages of the compiler then
 * contain the reason. Arguments that the descriptions exclude, such as NULL for
 * a handle, are undefined behaviour.
 *
 * Versions: a structure that is passed in begins with its size, which the
 * caller sets to the size in its version of this header. Later versions add
 * functions, and members at the end of structures. They change nothing else
 * while OBS_API_VERSION is the same. */

#ifndef OBSIDIAN_C_COMPILER_H
#define OBSIDIAN_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define OBS_EXPORT __declspec(dllexport)
#else
#define OBS_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define OBS_API_VERSION 1

/* The OBS_API_VERSION with which the library was built. */
OBS_EXPORT uint32_t obs_get_api_version(void);
/* The version of Obsidian and of LLVM, as text. */
OBS_EXPORT const char *obs_get_version(void);

typedef enum { OBS_SUCCESS = 0, OBS_FAILURE = 1 } obs_status;

/* Text that ends with a 0, which `length` does not count. It is valid as long
 * as the object that returned it, unless the function names another time. */
typedef struct {
  const char *data;
  size_t length;
} obs_text;

/*===-- Compilers and their messages --------------------------------------===*/

typedef struct obs_compiler obs_compiler;

OBS_EXPORT obs_compiler *obs_compiler_create(void);
/* The programs and executables of the compiler must be destroyed before. */
OBS_EXPORT void obs_compiler_destroy(obs_compiler *compiler);

typedef enum {
  OBS_NOTE = 0,
  OBS_WARNING = 1,
  OBS_ERROR = 2,
  OBS_REMARK = 3
} obs_severity;

typedef struct {
  obs_severity severity;
  /* For a note, the number of its message; -1 for other messages. */
  int64_t parent;
  /* Empty, 0 and 0 if the location is unknown. Lines and columns count from 1.
   */
  obs_text file;
  uint32_t line, column;
  obs_text text;
} obs_message;

/* The messages of the last call for the compiler, its programs and
 * executables. They are valid until the next such call. Notes follow their
 * message. */
OBS_EXPORT size_t obs_compiler_get_num_messages(const obs_compiler *compiler);
OBS_EXPORT obs_message obs_compiler_get_message(const obs_compiler *compiler,
                                                size_t number);

/*===-- Programs ----------------------------------------------------------===*/

typedef struct obs_program obs_program;

enum {
  /* Collectives round floats in the same way in every run. */
  OBS_DETERMINISTIC = 1,
  /* Kernels check the extents that only kernels know. */
  OBS_RUNTIME_CHECKS = 2,
  /* Arrays do not share memory, so that the emulator finds all reads of
   * unwritten memory. */
  OBS_KEEP_ARRAYS_APART = 4,
  /* The text is a program of StableHLO in generic form. */
  OBS_STABLEHLO = 8,
  /* Threads execute one iteration of a loop over the grid at a time. */
  OBS_NO_TILES = 16,
  /* Collectives have the strategies of obs-expand-collectives{plain}. */
  OBS_PLAIN_COLLECTIVES = 32
};

typedef struct {
  size_t size; /* sizeof(obs_compile_options) */
  /* The function to compile; NULL for the only public one, or `main`. */
  const char *entry;
  /* The GPU to compile for; NULL for "sm_90". */
  const char *chip;
  /* Threads of a block and blocks of every launch. 0: the compiler chooses. */
  int64_t threads, blocks;
  uint32_t flags;
} obs_compile_options;

/* Compiles the `length` bytes of `text`, which `file` names in messages.
 * `options` may be NULL. */
OBS_EXPORT obs_program *obs_compile(obs_compiler *compiler, const char *text,
                                    size_t length, const char *file,
                                    const obs_compile_options *options);
/* The executables of the program must be destroyed before. */
OBS_EXPORT void obs_program_destroy(obs_program *program);

/* A program in the forms OBS_CONTRACT, OBS_PTX and OBS_KERNELS below. If `ptx`
 * is empty, it cannot run on a GPU. If `kernels` is empty, it cannot run on the
 * emulator. */
typedef struct {
  size_t size; /* sizeof(obs_saved_program) */
  /* The function of the contract; NULL for the only one, or `main`. */
  const char *entry;
  obs_text contract, ptx, kernels;
} obs_saved_program;

/* Reads a program that was compiled before. This call reads its contract only.
 * The kernels are read when the emulator loads them. The program has no source,
 * so the interpreter cannot run it, and it has no reports. */
OBS_EXPORT obs_program *obs_read(obs_compiler *compiler,
                                 const obs_saved_program *saved);

typedef enum {
  /* Kernels of the gpu dialect, and the host functions that launch them. */
  OBS_KERNELS = 0,
  OBS_PTX = 1,
  /* The launch contract, as JSON; docs/Interop.md describes it. */
  OBS_CONTRACT = 2,
  /* C for the CUDA driver. */
  OBS_HOST_C = 3,
  /* The cost report. */
  OBS_COST = 4,
  /* An empty text. The messages are the reasons for every barrier. */
  OBS_BARRIERS = 5,
  /* An empty text. The messages are the proofs that kernels have no races. A
   * race is a failure, whose messages name two threads. */
  OBS_RACES = 6,
  /* The same reports as JSON; docs/Embedding.md describes it. The messages are
   * those of the forms above. Races are no failure. */
  OBS_COST_JSON = 7,
  OBS_BARRIERS_JSON = 8,
  OBS_RACES_JSON = 9
} obs_form;

/* The program in another form. `text` may be NULL. */
OBS_EXPORT obs_status obs_program_show(obs_program *program, obs_form form,
                                       obs_text *text);

/*===-- Parameters and results --------------------------------------------===*/

typedef enum {
  OBS_I1 = 0, /* a byte that is 0 or 1 */
  OBS_I8 = 1,
  OBS_I16 = 2,
  OBS_I32 = 3,
  OBS_I64 = 4,
  OBS_F16 = 5,
  OBS_BF16 = 6,
  OBS_F32 = 7,
  OBS_F64 = 8,
  OBS_INDEX = 9 /* 8 bytes */
} obs_type;

/* One scalar or one array. An array of tuples has one slot for each component.
 */
typedef struct {
  obs_type type;
  /* The number of the parameter or result of the function. */
  uint32_t number;
  /* The number of dimensions; -1 for a scalar. */
  int32_t rank;
  /* `rank` numbers each, valid as long as the program. An extent that is not in
   * the type is negative. Its bound is then the number in `bounds`, which is
   * negative if there is no bound. */
  const int64_t *extents, *bounds;
} obs_slot;

OBS_EXPORT size_t obs_program_get_num_parameters(const obs_program *program);
OBS_EXPORT obs_slot obs_program_get_parameter(const obs_program *program,
                                              size_t number);
OBS_EXPORT size_t obs_program_get_num_results(const obs_program *program);
OBS_EXPORT obs_slot obs_program_get_result(const obs_program *program,
                                           size_t number);

#ifdef __cplusplus
}
#endif

#endif /* OBSIDIAN_C_COMPILER_H */
