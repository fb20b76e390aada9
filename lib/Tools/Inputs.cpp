//===- Inputs.cpp - Files that tools read ---------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Tools/Inputs.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::obs;
namespace fs = llvm::sys::fs;

bool obs::isEndlessDevice(const Twine &path) {
  std::string name = path.str();
  bool isStandardInput = name == "-";
  fs::file_status status, null;
  if (isStandardInput ? fs::status(STDIN_FILENO, status)
                      : fs::status(name, status))
    return false;
  if (status.type() != fs::file_type::character_file)
    return false;
  if (!fs::status("/dev/null", null) &&
      status.getUniqueID() == null.getUniqueID())
    return false;
  return !isStandardInput || !isatty(STDIN_FILENO);
}

llvm::Error obs::checkHasEnd(StringRef path) {
  if (!isEndlessDevice(path))
    return llvm::Error::success();
  return llvm::createStringError(
      "cannot read " +
      (path == "-" ? Twine("the standard input") : "'" + path + "'") +
      ": a device may have no end; give a file or a pipe");
}

llvm::Error obs::checkInputsHaveEnd(ArrayRef<const char *> arguments) {
  bool hasFile = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "-o")
      ++i;
    else if (argument != "-" && !argument.starts_with("-")) {
      if (llvm::Error error = checkHasEnd(argument))
        return error;
      hasFile |= fs::exists(argument);
    }
  }
  return hasFile ? llvm::Error::success() : checkHasEnd("-");
}
