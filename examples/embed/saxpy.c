/*===- saxpy.c - A program compiled and run from C
-------------------------===*\
|*                                                                            *|
|* Part of the Obsidian project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Compiles y = k x + y, prints the reports on its barriers and races, and runs
 * it on the emulator of kernels. Then prints the messages of a wrong program.
 */

#include "obsidian-c/Compiler.h"
#include "obsidian-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *saxpy =
    "func.func @main(%k: f32, %x: !obs.pull<? x f32>, %y: !obs.pull<? x f32>)\n"
    "    -> !obs.pull<? x f32> {\n"
    "  %r = obs.map (%a = %x, %b = %y : !obs.pull<? x f32>) {\n"
    "    %p = arith.mulf %k, %a : f32\n"
    "    %s = arith.addf %p, %b : f32\n"
    "    obs.yield %s : f32\n"
    "  }\n"
    "  %f = obs.force %r {kernel = \"saxpy\"} : !obs.pull<? x f32>\n"
    "  return %f : !obs.pull<? x f32>\n"
    "}\n";

static void print_messages(const obs_compiler *compiler) {
  static const char *names[] = {"note", "warning", "error", "remark"};
  size_t count = obs_compiler_get_num_messages(compiler);
  for (size_t i = 0; i < count; ++i) {
    obs_message message = obs_compiler_get_message(compiler, i);
    printf("%s:%u:%u: %s: %s\n", message.file.data, message.line,
           message.column, names[message.severity], message.text.data);
  }
}

static int fail(const obs_compiler *compiler) {
  print_messages(compiler);
  return EXIT_FAILURE;
}

int main(void) {
  if (obs_get_api_version() != OBS_API_VERSION)
    return EXIT_FAILURE;
  obs_compiler *compiler = obs_compiler_create();

  obs_compile_options options = {0};
  options.size = sizeof(options);
  options.threads = 128;
  obs_program *program =
      obs_compile(compiler, saxpy, strlen(saxpy), "saxpy.mlir", &options);
  if (!program)
    return fail(compiler);
  obs_text ptx;
  if (obs_program_show(program, OBS_PTX, &ptx) != OBS_SUCCESS)
    return fail(compiler);
  printf("PTX has the kernel: %d\n", strstr(ptx.data, ".entry saxpy") != NULL);
  if (obs_program_show(program, OBS_RACES, NULL) != OBS_SUCCESS)
    return fail(compiler);
  print_messages(compiler);

  /* One value for each parameter: the number, and two arrays. */
  float k = 2, x[1000], y[1000];
  for (int i = 0; i < 1000; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  int64_t extents[] = {1000};
  obs_value arguments[] = {{OBS_F32, -1, NULL, &k},
                           {OBS_F32, 1, extents, x},
                           {OBS_F32, 1, extents, y}};
  obs_executable *executable = obs_load(program, NULL);
  if (!executable || obs_run(executable, arguments, 3, NULL) != OBS_SUCCESS)
    return fail(compiler);
  obs_value result = obs_get_result(executable, 0);
  int wrong = 0;
  for (int i = 0; i < 1000; ++i)
    wrong += ((const float *)result.data)[i] != 2 * (float)i + 1;
  printf("%lld elements, %d wrong\n", (long long)result.extents[0], wrong);

  /* The lengths differ: rule R4 is checked when the program runs. */
  int64_t fewer[] = {999};
  arguments[2].extents = fewer;
  if (obs_run(executable, arguments, 3, NULL) != OBS_FAILURE)
    return EXIT_FAILURE;
  print_messages(compiler);

  obs_executable_destroy(executable);
  obs_program_destroy(program);
  const char *bad = "func.func @main() { obs.nothing }";
  if (obs_compile(compiler, bad, strlen(bad), "bad.mlir", NULL))
    return EXIT_FAILURE;
  print_messages(compiler);
  obs_compiler_destroy(compiler);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
