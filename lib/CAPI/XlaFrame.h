//===- XlaFrame.h - The call frame of XLA's custom calls --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of major version 0 of the interface, as `xla/ffi/api/c_api.h`
// of jaxlib describes them. Newer minor versions add members at the end.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_CAPI_XLAFRAME_H
#define OBSIDIAN_LIB_CAPI_XLAFRAME_H

#include <cstddef>
#include <cstdint>

namespace mlir::obs::xla {

enum : int { StageExecute = 3, ExtensionMetadata = 1, ErrorInternal = 13 };

/// The numbers of element types. Those up to `F64` follow each other.
// clang-format off
enum Type : int {
  Pred = 1, S8, S16, S32, S64, U8, U16, U32, U64, F16, F32, F64, BF16 = 16
};
// clang-format on

/// The bytes of an element; 0 for types that programs do not have.
inline unsigned getElementBytes(Type type) {
  switch (type) {
  case Pred:
  case S8:
  case U8:
    return 1;
  case S16:
  case U16:
  case F16:
  case BF16:
    return 2;
  case S32:
  case U32:
  case F32:
    return 4;
  case S64:
  case U64:
  case F64:
    return 8;
  }
  return 0;
}

inline bool isSigned(Type type) { return type >= S8 && type <= S64; }

struct Version {
  size_t size;
  void *extension;
  int major, minor;
};

struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};

struct Extension {
  size_t size;
  int type;
  Extension *next;
  /// Of ExtensionMetadata.
  Metadata *metadata;
};

struct ErrorArguments {
  size_t size;
  void *extension;
  const char *message;
  int code;
};

/// An error to destroy.
struct Destroyed {
  size_t size;
  void *extension;
  void *error;
};

struct StreamArguments {
  size_t size;
  void *extension;
  void *context;
  void *stream;
};

struct Allocation {
  size_t size;
  void *extension;
  void *context;
  size_t bytes, alignment;
  void *data;
};

struct Deallocation {
  size_t size;
  void *extension;
  void *context;
  size_t bytes;
  void *data;
};

struct Api {
  size_t size;
  void *extension;
  Version version;
  const void *internal;
  void *(*createError)(ErrorArguments *);
  void *getMessage;
  void (*destroyError)(Destroyed *);
  void *registerHandler;
  void *(*getStream)(StreamArguments *);
  void *registerType, *getContext, *setState, *getState;
  void *(*allocate)(Allocation *);
  void *(*free)(Deallocation *);
};

struct Buffer {
  size_t size;
  void *extension;
  Type type;
  void *data;
  int64_t rank;
  int64_t *extents;
};

/// The arguments, or the results.
struct Buffers {
  size_t size;
  void *extension;
  int64_t count;
  int *kinds;
  Buffer **buffers;
};

/// The value of an attribute that is a string, and the name of each attribute.
struct Text {
  const char *data;
  size_t length;
};

/// The value of an attribute that is a number.
struct Scalar {
  int type;
  void *value;
};

struct Attributes {
  size_t size;
  void *extension;
  int64_t count;
  int *kinds;
  Text **names;
  void **values;
};

/// One call of a handler.
struct Frame {
  size_t size;
  Extension *extension;
  const Api *api;
  void *context;
  int stage;
  Buffers arguments, results;
  Attributes attributes;
};

} // namespace mlir::obs::xla

#endif // OBSIDIAN_LIB_CAPI_XLAFRAME_H
