//===- ErrorHandlers.cpp - Errors of the system in tools ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Tools/ErrorHandlers.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

/// `name: error: `. It is built early, since memory may be exhausted later.
static std::string prefix;

static void print(const char *text) {
  // If this fails, too, there is no way to report it.
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

[[noreturn]] static void fail(const char *reason) {
  print(prefix.c_str());
  print(reason);
  print("\n");
  _exit(EXIT_FAILURE);
}

static void handleOutOfMemory(void *, const char *, bool) {
  fail("out of memory");
}

/// Handles errors that LLVM does not return to its caller. An example is an
/// error of a stream that is flushed when it is destroyed.
static void handleFatalError(void *, const char *reason, bool isCrash) {
  // A crash is a defect of this project: LLVM prints the stack.
  if (isCrash) {
    print("LLVM ERROR: ");
    print(reason);
    print("\n");
    return;
  }
  constexpr llvm::StringLiteral io = "IO failure on output stream: ";
  llvm::StringRef text(reason);
  if (!text.consume_front(io))
    fail(reason);
  if (text == std::strerror(EPIPE))
    _exit(EXIT_FAILURE);
  fail(("the output cannot be written: " + text).str().c_str());
}

void mlir::obs::installErrorHandlers(llvm::StringRef tool) {
  prefix = (tool + ": error: ").str();
  llvm::setBugReportMsg("PLEASE submit a bug report to the Obsidian project "
                        "with the crash backtrace and the input file.\n");
  llvm::install_bad_alloc_error_handler(handleOutOfMemory);
  llvm::install_out_of_memory_new_handler();
  llvm::install_fatal_error_handler(handleFatalError);
}
