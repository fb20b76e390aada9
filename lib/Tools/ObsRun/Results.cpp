//===- Results.cpp - Printing and writing results -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"
#include "Obsidian/Runtime/Npy.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::run;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints the part of `value` from `position` on along the dimensions from
/// `dim` on; returns the position after it.
static int64_t printDimension(raw_ostream &os, const HostValue &value,
                              unsigned dim, int64_t position, bool abbreviate) {
  if (dim == value.extents.size()) {
    os << value.get(position);
    return position + 1;
  }
  constexpr int64_t edge = 3;
  int64_t extent = value.extents[dim];
  int64_t size = 1;
  for (unsigned inner = dim + 1; inner < value.extents.size(); ++inner)
    size *= value.extents[inner];
  bool isInnermost = dim + 1 == value.extents.size();
  auto separate = [&] {
    if (isInnermost) {
      os << ", ";
      return;
    }
    os << ",\n";
    os.indent(dim + 1);
  };
  os << '[';
  for (int64_t i = 0; i < extent; ++i) {
    if (i)
      separate();
    if (abbreviate && extent > 2 * edge && i == edge) {
      os << "...";
      i = extent - edge - 1;
      continue;
    }
    printDimension(os, value, dim + 1, position + i * size, abbreviate);
  }
  os << ']';
  return position + extent * size;
}

void mlir::obs::run::printValue(raw_ostream &os, const HostValue &value) {
  constexpr int64_t limit = 1000;
  // Empty rows take space, too.
  int64_t size = 1;
  for (int64_t extent : value.extents)
    size =
        std::min(limit + 1, size * std::clamp<int64_t>(extent, 1, limit + 1));
  // The interpreter and the devices agree that a scalar has no extents.
  printDimension(os, value, 0, 0, size > limit);
  os << '\n';
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Error fail(StringRef path, const Twine &reason) {
  return createStringError(path + ": cannot be written: " + reason);
}

/// True for a file that is not regular, as /dev/null. It is written to
/// directly.
static bool isSpecialFile(StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         status.type() != llvm::sys::fs::file_type::file_not_found &&
         status.type() != llvm::sys::fs::file_type::regular_file;
}

static Expected<llvm::sys::fs::TempFile> createBeside(StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return fail(path, "it is a directory");
  auto file = llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%");
  if (!file) {
    std::error_code code = llvm::errorToErrorCode(file.takeError());
    return fail(path, code.message());
  }
  return file;
}

Error mlir::obs::run::checkWritable(ArrayRef<std::string> paths) {
  for (const std::string &path : paths) {
    if (path == "-" ||
        (isSpecialFile(path) && !llvm::sys::fs::is_directory(path)))
      continue;
    Expected<llvm::sys::fs::TempFile> file = createBeside(path);
    if (!file)
      return file.takeError();
    llvm::consumeError(file->discard());
  }
  return Error::success();
}

static std::string format(const HostValue &value, StringRef path) {
  if (path.ends_with(".npy"))
    return runtime::formatNpy(value.elementType, value.extents, value.data);
  return std::string(value.data.begin(), value.data.end());
}

Error mlir::obs::run::writeValues(ArrayRef<HostValue> values,
                                  ArrayRef<std::string> paths,
                                  raw_ostream &os) {
  std::vector<std::pair<StringRef, llvm::sys::fs::TempFile>> files;
  llvm::scope_exit discard([&] {
    for (auto &[path, file] : files)
      llvm::consumeError(file.discard());
  });
  for (auto [value, path] : llvm::zip_equal(values, paths)) {
    if (path == "-") {
      printValue(os, value);
      continue;
    }
    if (isSpecialFile(path) && !llvm::sys::fs::is_directory(path)) {
      std::error_code code;
      llvm::raw_fd_ostream stream(path, code);
      if (code)
        return fail(path, code.message());
      stream << format(value, path);
      stream.flush();
      if (stream.has_error()) {
        code = stream.error();
        stream.clear_error();
        return fail(path, code.message());
      }
      continue;
    }
    Expected<llvm::sys::fs::TempFile> file = createBeside(path);
    if (!file)
      return file.takeError();
    files.emplace_back(path, std::move(*file));
    llvm::raw_fd_ostream stream(files.back().second.FD, /*shouldClose=*/false);
    stream << format(value, path);
    stream.flush();
    if (stream.has_error()) {
      std::error_code code = stream.error();
      stream.clear_error();
      return fail(path, code.message());
    }
  }
  for (auto &[path, file] : files) {
    // A temporary file is for its owner only; a result is an ordinary file.
    llvm::sys::fs::setPermissions(
        file.FD,
        static_cast<llvm::sys::fs::perms>(0666 & ~llvm::sys::fs::getUmask()));
    if (Error error = file.keep(path)) {
      std::error_code code = llvm::errorToErrorCode(std::move(error));
      return fail(path, code.message());
    }
  }
  return Error::success();
}
