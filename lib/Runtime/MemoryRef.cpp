//===- MemoryRef.cpp - Buffers and views of them --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/MemoryRef.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::runtime;

//===----------------------------------------------------------------------===//
// Buffer
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<Buffer>>
Buffer::createOnDevice(Device &device, uint64_t bytes, MemoryUse use) {
  Expected<DevicePtr> address = device.allocate(bytes, use);
  if (!address)
    return address.takeError();
  std::shared_ptr<Buffer> buffer(new Buffer());
  buffer->device = &device;
  buffer->address = *address;
  buffer->bytes = bytes;
  return buffer;
}

Expected<std::shared_ptr<Buffer>> Buffer::createOnHost(uint64_t bytes) {
  if (!interpreter::canAllocate(bytes))
    return createStringError("the host has no memory for an array of " +
                             Twine(bytes) + " bytes");
  std::shared_ptr<Buffer> buffer(new Buffer());
  buffer->bytes = bytes;
  buffer->host.resize(bytes);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::createForeign(Device &device, DevicePtr address,
                                              uint64_t bytes) {
  std::shared_ptr<Buffer> buffer(new Buffer());
  buffer->device = &device;
  buffer->address = address;
  buffer->bytes = bytes;
  buffer->isForeign = true;
  return buffer;
}

Buffer::~Buffer() {
  // After a failed kernel, the release fails, too. The error of the kernel was
  // reported.
  llvm::consumeError(freeNow());
}

Error Buffer::freeNow() {
  if (freed)
    return Error::success();
  freed = true;
  return device && !isForeign ? device->free(address) : Error::success();
}

void Buffer::release() {
  if (device && !isForeign && !freed)
    device->release(address);
  isForeign = true;
}

//===----------------------------------------------------------------------===//
// MemoryRef
//===----------------------------------------------------------------------===//

/// The dense view of `sizes` on the buffer that `getBuffer` returns for its
/// number of bytes.
static Expected<MemoryRef>
makeDense(Type elementType, ArrayRef<int64_t> sizes,
          function_ref<Expected<std::shared_ptr<Buffer>>(uint64_t)> getBuffer) {
  MemoryRef ref;
  ref.elementType = elementType;
  ref.sizes.assign(sizes.begin(), sizes.end());
  ref.strides.resize(sizes.size());
  for (int64_t size : sizes)
    if (size < 0)
      return createStringError("an array cannot have " + Twine(size) +
                               " elements in a dimension");
  // The stride of an empty array does not matter, but it must not overflow.
  int64_t count = 1;
  bool overflow = false;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    ref.strides[dim] = count;
    overflow |=
        llvm::MulOverflow(count, std::max<int64_t>(sizes[dim], 1), count);
  }
  int64_t bytes;
  overflow |= llvm::MulOverflow<int64_t>(
      count, mlir::obs::interpreter::getScalarBytes(elementType), bytes);
  if (overflow)
    return createStringError(
        "an array of more than 2^63 bytes cannot be allocated");
  if (ref.getNumElements() == 0)
    bytes = 0;
  Expected<std::shared_ptr<Buffer>> buffer = getBuffer(bytes);
  if (!buffer)
    return buffer.takeError();
  ref.buffer = std::move(*buffer);
  return ref;
}

Expected<MemoryRef> MemoryRef::allocate(Device &device, Type elementType,
                                        ArrayRef<int64_t> sizes,
                                        MemoryUse use) {
  return makeDense(elementType, sizes, [&](uint64_t bytes) {
    return Buffer::createOnDevice(device, bytes, use);
  });
}

Expected<MemoryRef> MemoryRef::wrap(Device &device, Type elementType,
                                    ArrayRef<int64_t> sizes,
                                    DevicePtr address) {
  return makeDense(elementType, sizes, [&](uint64_t bytes) {
    return Buffer::createForeign(device, address, bytes);
  });
}

Expected<MemoryRef> MemoryRef::allocateOnHost(Type elementType,
                                              ArrayRef<int64_t> sizes) {
  return makeDense(elementType, sizes, Buffer::createOnHost);
}

Expected<MemoryRef> MemoryRef::getPart(int64_t offset,
                                       ArrayRef<int64_t> sizes) const {
  Expected<MemoryRef> dense =
      makeDense(elementType, sizes, [&](uint64_t) { return buffer; });
  if (!dense)
    return dense.takeError();
  MemoryRef part = std::move(*dense);
  int64_t count = part.getNumElements(), all = getNumElements();
  if (count > 0 && (offset < 0 || offset > all || count > all - offset))
    return createStringError("a part of " + Twine(count) +
                             " elements from element " + Twine(offset) +
                             " on of an array of " + Twine(all) + " elements");
  part.base = part.offset = this->offset + offset;
  return part;
}

int64_t MemoryRef::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool MemoryRef::isContiguous() const {
  if (llvm::is_contained(sizes, 0))
    return true;
  int64_t expected = 1;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    if (sizes[dim] != 1 && strides[dim] != expected)
      return false;
    expected *= sizes[dim];
  }
  return true;
}

Error MemoryRef::checkAccess() const {
  if (buffer->isFreed())
    return createStringError("an array is used after it was freed");
  for (int64_t size : sizes)
    if (size < 0)
      return createStringError("an array cannot have " + Twine(size) +
                               " elements in a dimension");
  if (getNumElements() == 0)
    return Error::success();
  int64_t first = offset, last = offset;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    (stride < 0 ? first : last) += (size - 1) * stride;
  int64_t count = buffer->getBytes() / getElementBytes();
  if (first >= 0 && last < count)
    return Error::success();
  return createStringError(
      (first == last ? "element " + Twine(first)
                     : "elements " + Twine(first) + " to " + Twine(last)) +
      " of an array of " + Twine(count) + " elements");
}

namespace {
/// A range of adjacent elements of one or two views, as offsets in elements.
struct Run {
  int64_t target, source, count;
};
} // namespace

/// Calls `fn` for ranges that together contain all elements of views of
/// `sizes`, in row-major order.
static Error forEachRun(const MemoryRef &target, const MemoryRef &source,
                        llvm::function_ref<Error(Run)> fn) {
  int64_t total = target.getNumElements();
  if (total == 0)
    return Error::success();
  if (target.isContiguous() && source.isContiguous())
    return fn({target.offset, source.offset, total});
  // The whole is not one range. The innermost dimension may be one.
  unsigned rank = target.sizes.size();
  bool isRow = target.strides[rank - 1] == 1 && source.strides[rank - 1] == 1;
  unsigned outer = isRow ? rank - 1 : rank;
  int64_t runLength = isRow ? target.sizes[rank - 1] : 1;
  SmallVector<int64_t> index(outer, 0);
  while (true) {
    int64_t targetAt = target.offset, sourceAt = source.offset;
    for (unsigned dim = 0; dim < outer; ++dim) {
      targetAt += index[dim] * target.strides[dim];
      sourceAt += index[dim] * source.strides[dim];
    }
    if (Error error = fn({targetAt, sourceAt, runLength}))
      return error;
    int64_t dim = static_cast<int64_t>(outer) - 1;
    while (dim >= 0 && ++index[dim] == target.sizes[dim])
      index[dim--] = 0;
    if (dim < 0)
      return Error::success();
  }
}

Error mlir::obs::runtime::copy(const MemoryRef &target,
                               const MemoryRef &source) {
  if (target.elementType != source.elementType || target.sizes != source.sizes)
    return createStringError("arrays of different extents cannot be copied");
  if (Error error = target.checkAccess())
    return error;
  if (Error error = source.checkAccess())
    return error;
  unsigned width = target.getElementBytes();
  Buffer &to = *target.buffer, &from = *source.buffer;
  return forEachRun(target, source, [&](Run run) -> Error {
    uint64_t bytes = run.count * width;
    uint64_t targetAt = run.target * width, sourceAt = run.source * width;
    if (to.isOnDevice() && from.isOnDevice())
      return to.getDevice()->copyOnDevice(to.getAddress() + targetAt,
                                          from.getAddress() + sourceAt, bytes);
    if (to.isOnDevice())
      return to.getDevice()->copyToDevice(to.getAddress() + targetAt,
                                          from.getHostData() + sourceAt, bytes);
    if (from.isOnDevice())
      return from.getDevice()->copyToHost(to.getHostData() + targetAt,
                                          from.getAddress() + sourceAt, bytes);
    std::memmove(to.getHostData() + targetAt, from.getHostData() + sourceAt,
                 bytes);
    return Error::success();
  });
}

Error mlir::obs::runtime::fill(const MemoryRef &target,
                               interpreter::Scalar value) {
  if (Error error = target.checkAccess())
    return error;
  unsigned width = target.getElementBytes();
  Buffer &to = *target.buffer;
  return forEachRun(target, target, [&](Run run) -> Error {
    uint64_t at = run.target * width;
    if (to.isOnDevice())
      return to.getDevice()->fill(to.getAddress() + at, value.bits, width,
                                  run.count);
    for (int64_t i = 0; i < run.count; ++i)
      value.store(to.getHostData() + at + i * width);
    return Error::success();
  });
}

Error MemoryRef::copyFrom(const void *data) const {
  if (buffer->isOnDevice() && isContiguous()) {
    if (Error error = checkAccess())
      return error;
    return buffer->getDevice()->copyToDevice(
        buffer->getAddress() + offset * getElementBytes(), data,
        getNumElements() * getElementBytes());
  }
  Expected<MemoryRef> host = allocateOnHost(elementType, sizes);
  if (!host)
    return host.takeError();
  if (host->buffer->getBytes())
    std::memcpy(host->buffer->getHostData(), data, host->buffer->getBytes());
  return copy(*this, *host);
}

Error MemoryRef::copyTo(void *data) const {
  if (buffer->isOnDevice() && isContiguous()) {
    if (Error error = checkAccess())
      return error;
    return buffer->getDevice()->copyToHost(
        data, buffer->getAddress() + offset * getElementBytes(),
        getNumElements() * getElementBytes());
  }
  Expected<MemoryRef> host = allocateOnHost(elementType, sizes);
  if (!host)
    return host.takeError();
  if (Error error = copy(*host, *this))
    return error;
  if (host->buffer->getBytes())
    std::memcpy(data, host->buffer->getHostData(), host->buffer->getBytes());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Expected<RuntimeValue>
mlir::obs::runtime::copyToDevice(Device &device, Type elementType,
                                 bool isScalar, ArrayRef<int64_t> extents,
                                 const void *data) {
  if (isScalar)
    return interpreter::Scalar::load(elementType, data);
  auto array = MemoryRef::allocate(device, elementType, extents);
  if (!array)
    return array.takeError();
  if (Error error = array->copyFrom(data))
    return std::move(error);
  return std::move(*array);
}

Expected<interpreter::HostValue>
mlir::obs::runtime::copyToHost(const RuntimeValue &value) {
  if (const auto *scalar = std::get_if<interpreter::Scalar>(&value))
    return interpreter::HostValue::scalar(*scalar);
  const auto &array = std::get<MemoryRef>(value);
  auto copied = interpreter::HostValue::array(array.elementType, array.sizes);
  if (!copied)
    return copied.takeError();
  if (Error error = array.copyTo(copied->data.data()))
    return std::move(error);
  return copied;
}
