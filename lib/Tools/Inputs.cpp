//===- Inputs.cpp - Files that tools read ---------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Tools/Inputs.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace mlir::obs;
namespace fs = llvm::sys::fs;

/// The most bytes that are read from a pipe: more than the text of any program.
constexpr uint64_t maxPipeBytes = uint64_t(1) << 30;

static fs::file_status getStatus(const Twine &path) {
  fs::file_status status;
  std::string name = path.str();
  if (name == "-" ? fs::status(STDIN_FILENO, status) : fs::status(name, status))
    return fs::file_status();
  return status;
}

bool obs::isEndlessDevice(const Twine &path) {
  fs::file_status status = getStatus(path), null = getStatus("/dev/null");
  if (status.type() != fs::file_type::character_file ||
      (fs::exists(null) && status.getUniqueID() == null.getUniqueID()))
    return false;
  return path.str() != "-" || !isatty(STDIN_FILENO);
}

bool obs::isPipe(const Twine &path) {
  fs::file_type type = getStatus(path).type();
  return type == fs::file_type::fifo_file || type == fs::file_type::socket_file;
}

static std::string getName(StringRef path) {
  return path == "-" ? "the standard input" : ("'" + path + "'").str();
}

/// Passes the bytes of the pipe `path` to `take`.
static llvm::Error readPipe(StringRef path,
                            llvm::function_ref<llvm::Error(StringRef)> take) {
  int file = STDIN_FILENO;
  auto fail = [&](std::error_code error) {
    return llvm::createStringError("cannot read " + getName(path) + ": " +
                                   error.message());
  };
  if (path != "-")
    if (std::error_code error = fs::openFileForRead(path, file))
      return fail(error);
  auto close = llvm::scope_exit([&] {
    if (path != "-")
      fs::closeFile(file);
  });
  std::vector<char> bytes(1 << 20);
  for (uint64_t total = 0;;) {
    llvm::Expected<size_t> count = fs::readNativeFile(file, bytes);
    if (!count)
      return fail(llvm::errorToErrorCode(count.takeError()));
    if (*count == 0)
      return llvm::Error::success();
    total += *count;
    if (total > maxPipeBytes)
      return llvm::createStringError(
          "cannot read " + getName(path) +
          ": it has more than 2^30 bytes, and a pipe may have no end");
    if (llvm::Error error = take(StringRef(bytes.data(), *count)))
      return error;
  }
}

/// Fails if `path` is a device that may have no end.
static llvm::Error checkHasEnd(StringRef path) {
  if (!isEndlessDevice(path))
    return llvm::Error::success();
  return llvm::createStringError(
      "cannot read " + getName(path) +
      ": a device may have no end; give a file or a pipe");
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
obs::readInput(StringRef path) {
  if (llvm::Error error = checkHasEnd(path))
    return std::move(error);
  StringRef name = path == "-" ? "<stdin>" : path;
  if (isPipe(path)) {
    SmallVector<char, 0> text;
    if (llvm::Error error = readPipe(path, [&](StringRef bytes) {
          text.append(bytes.begin(), bytes.end());
          return llvm::Error::success();
        }))
      return std::move(error);
    return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(text),
                                                           name);
  }
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file)
    return llvm::createStringError("cannot open input file '" + path +
                                   "': " + file.getError().message());
  return std::move(*file);
}

llvm::Expected<std::string> obs::prepareInput(StringRef path) {
  if (llvm::Error error = checkHasEnd(path))
    return std::move(error);
  if (!isPipe(path))
    return path.str();
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::tmpfile(), std::fclose);
  auto fail = [&] {
    return llvm::createStringError("cannot store " + getName(path) + ": " +
                                   std::strerror(errno));
  };
  if (!file)
    return fail();
  if (llvm::Error error = readPipe(path, [&](StringRef bytes) -> llvm::Error {
        if (fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
          return fail();
        return llvm::Error::success();
      }))
    return std::move(error);
  if (std::fflush(file.get()) || std::fseek(file.get(), 0, SEEK_SET) ||
      dup2(fileno(file.get()), STDIN_FILENO) < 0)
    return fail();
  return "-";
}

llvm::Error obs::prepareInputs(MutableArrayRef<char *> arguments) {
  static char standardInput[] = "-";
  bool hasFile = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "-o") {
      ++i;
    } else if (argument != "-" && !argument.starts_with("-")) {
      llvm::Expected<std::string> prepared = prepareInput(argument);
      if (!prepared)
        return prepared.takeError();
      hasFile |= fs::exists(argument);
      if (*prepared != argument)
        arguments[i] = standardInput;
    }
  }
  return hasFile ? llvm::Error::success() : prepareInput("-").takeError();
}
