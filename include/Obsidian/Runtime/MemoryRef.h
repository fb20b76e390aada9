//===- MemoryRef.h - Buffers and views of them ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_MEMORYREF_H
#define OBSIDIAN_RUNTIME_MEMORYREF_H

#include "Obsidian/Interpreter/Interpreter.h"
#include "Obsidian/Runtime/Device.h"
#include <memory>
#include <variant>
#include <vector>

namespace mlir::obs::runtime {

/// Memory of a device, or of the host if `device` is null. It is freed when the
/// last reference is destroyed.
class Buffer {
public:
  static Expected<std::shared_ptr<Buffer>>
  createOnDevice(Device &device, uint64_t bytes,
                 MemoryUse use = MemoryUse::Any);
  static Expected<std::shared_ptr<Buffer>> createOnHost(uint64_t bytes);
  /// Memory of `device` that the caller has allocated and frees.
  static std::shared_ptr<Buffer>
  createForeign(Device &device, DevicePtr address, uint64_t bytes);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  bool isOnDevice() const { return device != nullptr; }
  Device *getDevice() const { return device; }
  uint64_t getBytes() const { return bytes; }
  /// The address on the device. The memory is on a device and is not freed.
  DevicePtr getAddress() const { return address; }
  char *getHostData() { return host.data(); }

  /// Frees the memory before the last reference is destroyed. `isFreed` then
  /// returns true.
  Error freeNow();
  bool isFreed() const { return freed; }
  /// Leaves the memory to the caller, who frees it. It stays in use.
  void release();

private:
  Buffer() = default;

  Device *device = nullptr;
  DevicePtr address = 0;
  uint64_t bytes = 0;
  bool freed = false;
  bool isForeign = false;
  std::vector<char> host;
};

/// A strided view of a buffer: a memref at run time. Offsets and strides count
/// elements. Offsets begin at the start of the buffer.
struct MemoryRef {
  std::shared_ptr<Buffer> buffer;
  Type elementType;
  int64_t offset = 0;
  /// The position at which the offset of the memref's layout begins. For a part
  /// of an array, it differs from the start of the buffer.
  int64_t base = 0;
  SmallVector<int64_t, 4> sizes, strides;

  /// A new dense array of `sizes` on `device`, with undefined contents.
  static Expected<MemoryRef> allocate(Device &device, Type elementType,
                                      ArrayRef<int64_t> sizes,
                                      MemoryUse use = MemoryUse::Any);
  /// The same on the host.
  static Expected<MemoryRef> allocateOnHost(Type elementType,
                                            ArrayRef<int64_t> sizes);

  /// A dense array of `sizes` in memory of `device` that the caller owns.
  static Expected<MemoryRef> wrap(Device &device, Type elementType,
                                  ArrayRef<int64_t> sizes, DevicePtr address);

  /// The part that begins at element `offset` in row-major order and has as
  /// many elements as an array of `sizes`; an error if there are fewer. The
  /// elements of this view are adjacent.
  Expected<MemoryRef> getPart(int64_t offset, ArrayRef<int64_t> sizes) const;

  unsigned getElementBytes() const {
    return interpreter::getScalarBytes(elementType);
  }
  int64_t getNumElements() const;
  /// True if the elements are adjacent, in row-major order.
  bool isContiguous() const;
  /// An error if an element is outside of the buffer, a size is negative, or
  /// the buffer was freed.
  Error checkAccess() const;

  /// Copies all elements from or to `data`, dense and in row-major order.
  Error copyFrom(const void *data) const;
  Error copyTo(void *data) const;
};

/// Copies between any two views of equal sizes and element types.
Error copy(const MemoryRef &target, const MemoryRef &source);

/// Stores `value` in every element.
Error fill(const MemoryRef &target, interpreter::Scalar value);

/// The run-time value of an SSA value of a host function.
using RuntimeValue = std::variant<interpreter::Scalar, MemoryRef>;

/// The scalar in `data`, or a new array on `device` with the elements in
/// `data`, which are in row-major order.
Expected<RuntimeValue> copyToDevice(Device &device, Type elementType,
                                    bool isScalar, ArrayRef<int64_t> extents,
                                    const void *data);

/// All elements of `value`.
Expected<interpreter::HostValue> copyToHost(const RuntimeValue &value);

} // namespace mlir::obs::runtime

#endif // OBSIDIAN_RUNTIME_MEMORYREF_H
