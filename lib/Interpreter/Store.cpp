//===- Store.cpp - Elements in memory -------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

using llvm::APFloat;
using llvm::FailureOr;

/// Traps if an array of these extents would not fit into memory, in which an
/// element has `width` bytes.
static LogicalResult checkSize(Machine &machine, Location loc, Index extents,
                               size_t width) {
  // A limit of the interpreter: 8 GiB of bits for each element type.
  constexpr int64_t maxElements = int64_t(1) << 30;
  int64_t count = 1;
  for (int64_t extent : extents) {
    if (extent < 0)
      return machine.trap(loc,
                          "an extent is negative: " + formatIndex(extents));
    if (extent == 0)
      return success();
  }
  for (int64_t extent : extents) {
    if (extent > maxElements / count)
      return machine.trap(loc, "an array of extents " + formatIndex(extents) +
                                   " is too large for the interpreter");
    count *= extent;
  }
  if (!canAllocate(count * width))
    return machine.trap(loc, "the host has no memory for an array of extents " +
                                 formatIndex(extents));
  return success();
}

std::shared_ptr<Memory> interpreter::allocateMemory(Machine &machine,
                                                    Location loc,
                                                    Type elementType,
                                                    Index extents) {
  if (!isScalarType(elementType)) {
    (void)machine.trap(loc, "the interpreter has no memory for this type of "
                            "element");
    return nullptr;
  }
  // The bits, and a flag.
  if (failed(checkSize(machine, loc, extents, sizeof(uint64_t) + 1)))
    return nullptr;
  auto memory = std::make_shared<Memory>();
  memory->elementType = elementType;
  memory->extents = IndexVector(extents);
  memory->bits.resize(getNumElements(extents));
  memory->defined.resize(getNumElements(extents));
  return memory;
}

std::shared_ptr<Store> Store::create(Machine &machine, Location loc,
                                     Index extents, ArrayRef<Type> types) {
  // The bits of each component, a writer, and a flag.
  if (failed(checkSize(machine, loc, extents,
                       (types.size() + 1) * sizeof(uint64_t) + 1)))
    return nullptr;
  auto store = std::make_shared<Store>();
  int64_t count = getNumElements(extents);
  store->extents = IndexVector(extents);
  store->types.assign(types.begin(), types.end());
  store->planes.resize(types.size());
  for (std::vector<uint64_t> &plane : store->planes)
    plane.resize(count);
  store->defined.resize(count);
  store->writers.resize(count);
  return store;
}

void Store::define(int64_t position, DataRef values) {
  for (auto [plane, value] : llvm::zip(planes, values))
    plane[position] = value.scalar.bits;
  defined[position] = true;
}

void Store::read(int64_t position, Data &out) const {
  for (auto [plane, type] : llvm::zip(planes, types))
    out.push_back(Scalar(type, plane[position]));
}

Location Store::getWriteLoc(int64_t position, Location fallback) const {
  const void *writer = writers[position];
  return writer ? Location::getFromOpaquePointer(writer) : fallback;
}

LogicalResult Store::write(Machine &machine, Location loc, DataRef values,
                           Index index, const WriteRule &rule) {
  int64_t position = linearize(index, extents);
  switch (rule.contract) {
  case Contract::Disjoint:
    // No two writes reach one element.
    if (const void *first = writers[position])
      return machine.trap(
          loc, "[R5-disjoint] element " + formatIndex(index) +
                   " is written twice, here and at " +
                   formatLocation(Location::getFromOpaquePointer(first)));
    writers[position] = loc.getAsOpaquePointer();
    define(position, values);
    return success();
  case Contract::Any:
    // One of the writes wins. Here it is the last one.
    define(position, values);
    return success();
  case Contract::Reduce:
    // The writes are combined, with the initial element if there is one.
    if (!defined[position]) {
      define(position, values);
      return success();
    }
    if (rule.function) {
      DataVector operands, results;
      read(position, operands);
      operands.append(values.begin(), values.end());
      if (failed(machine.call(loc, rule.function, operands, results)))
        return failure();
      define(position, results);
      return success();
    }
    for (auto [plane, type, value] : llvm::zip(planes, types, values))
      plane[position] =
          combine(rule.kind, Scalar(type, plane[position]), value.scalar).bits;
    return success();
  }
  llvm_unreachable("unknown contract");
}

Scalar interpreter::combine(arith::AtomicRMWKind kind, Scalar a, Scalar b) {
  using Kind = arith::AtomicRMWKind;
  auto ofFloat = [&](const APFloat &value) {
    return Scalar(a.type, value.bitcastToAPInt().getZExtValue());
  };
  auto sum = [&](APFloat x, const APFloat &y) {
    x.add(y, APFloat::rmNearestTiesToEven);
    return ofFloat(x);
  };
  auto product = [&](APFloat x, const APFloat &y) {
    x.multiply(y, APFloat::rmNearestTiesToEven);
    return ofFloat(x);
  };
  switch (kind) {
  case Kind::assign:
    return b;
  case Kind::addi:
    return Scalar(a.type, a.bits + b.bits);
  case Kind::muli:
    return Scalar(a.type, a.bits * b.bits);
  case Kind::andi:
    return Scalar(a.type, a.bits & b.bits);
  case Kind::ori:
    return Scalar(a.type, a.bits | b.bits);
  case Kind::xori:
    return Scalar(a.type, a.bits ^ b.bits);
  case Kind::maxs:
    return a.getSInt() < b.getSInt() ? b : a;
  case Kind::mins:
    return b.getSInt() < a.getSInt() ? b : a;
  case Kind::maxu:
    return a.bits < b.bits ? b : a;
  case Kind::minu:
    return b.bits < a.bits ? b : a;
  case Kind::addf:
    return sum(a.getAPFloat(), b.getAPFloat());
  case Kind::mulf:
    return product(a.getAPFloat(), b.getAPFloat());
  case Kind::maximumf:
    return ofFloat(llvm::maximum(a.getAPFloat(), b.getAPFloat()));
  case Kind::minimumf:
    return ofFloat(llvm::minimum(a.getAPFloat(), b.getAPFloat()));
  case Kind::maxnumf:
    return ofFloat(llvm::maxnum(a.getAPFloat(), b.getAPFloat()));
  case Kind::minnumf:
    return ofFloat(llvm::minnum(a.getAPFloat(), b.getAPFloat()));
  }
  llvm_unreachable("unknown kind of reduction");
}

//===----------------------------------------------------------------------===//
// Arrays in memory
//===----------------------------------------------------------------------===//

PullPtr Machine::makeStored(Location loc,
                            const std::shared_ptr<const Store> &store) {
  auto array = std::make_shared<PullArray>();
  array->extents = IndexVector(store->getExtents());
  array->isStored = true;
  array->read = [this, loc, store](Location reader, Index index, Data &out) {
    // Only the extents are needed, of an array without elements.
    if (isProbing() && !isInRange(index, store->getExtents()))
      return failure();
    int64_t position = linearize(index, store->getExtents());
    if (!store->isDefined(position))
      return trapUnwritten(reader,
                           "element " + formatIndex(index) +
                               " was never written (the array is made at " +
                               formatLocation(loc) + ")");
    store->read(position, out);
    return success();
  };
  return array;
}

FailureOr<PullPtr> Machine::materialize(Location loc, PullPtr array,
                                        PullType type) {
  // Arrays of arrays are always virtual.
  if (array->isStored || type.isNested() || isProbing())
    return array;
  std::shared_ptr<Store> store =
      Store::create(*this, loc, array->extents, type.getElementTypes());
  if (!store)
    return failure();
  int64_t position = 0;
  DataVector elements;
  auto copy = [&](Index index) {
    elements.clear();
    if (failed(array->read(loc, index, elements)))
      return failure();
    store->define(position++, elements);
    return success();
  };
  if (failed(forEachIndex(array->extents, copy)))
    return failure();
  return makeStored(loc, store);
}

LogicalResult Machine::materialize(Location loc, Type type, Datum &value) {
  auto pull = dyn_cast<PullType>(type);
  if (!pull)
    return success();
  FailureOr<PullPtr> stored = materialize(
      loc, std::static_pointer_cast<const PullArray>(value.object), pull);
  if (failed(stored))
    return failure();
  value = Datum(*stored);
  return success();
}
