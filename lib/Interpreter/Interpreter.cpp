//===- Interpreter.cpp - Running a function on host values ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Interpreter/Interpreter.h"
#include "Machine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// HostValue
//===----------------------------------------------------------------------===//

HostValue HostValue::scalar(Scalar value) {
  HostValue result;
  result.elementType = value.type;
  result.isScalar = true;
  result.data.resize(getScalarBytes(value.type));
  result.set(0, value);
  return result;
}

Expected<HostValue> HostValue::array(Type elementType,
                                     ArrayRef<int64_t> extents) {
  HostValue result;
  result.elementType = elementType;
  result.extents.assign(extents.begin(), extents.end());
  int64_t bytes = getScalarBytes(elementType);
  bool fits = true;
  for (int64_t extent : extents)
    fits &= !llvm::MulOverflow(bytes, extent, bytes);
  if (llvm::is_contained(extents, 0)) {
    bytes = 0;
    fits = true;
  }
  if (!fits || !canAllocate(bytes))
    return llvm::createStringError("the host has no memory for an array of "
                                   "extents " +
                                   formatIndex(extents));
  result.data.resize(bytes);
  return result;
}

bool interpreter::canAllocate(uint64_t bytes) {
  if (bytes > PTRDIFF_MAX)
    return false;
  // Without `volatile`, an optimizer removes the pair, and assumes success.
  void *volatile memory = std::malloc(bytes);
  std::free(memory);
  return memory || bytes == 0;
}

int64_t HostValue::getNumElements() const {
  return interpreter::getNumElements(extents);
}

Scalar HostValue::get(int64_t position) const {
  return Scalar::load(elementType,
                      data.data() + position * getScalarBytes(elementType));
}

void HostValue::set(int64_t position, Scalar value) {
  value.store(data.data() + position * getScalarBytes(elementType));
}

SmallVector<Type> interpreter::getHostElementTypes(Type type) {
  if (auto pull = dyn_cast<PullType>(type)) {
    if (pull.isNested())
      return {};
    return llvm::to_vector(pull.getElementTypes());
  }
  Type elementType = type;
  if (auto memref = dyn_cast<MemRefType>(type))
    elementType = memref.getElementType();
  if (!isScalarType(elementType))
    return {};
  return {elementType};
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {

/// Moves values between the host and a call of one function.
class HostCall {
public:
  HostCall(Machine &machine, func::FuncOp function)
      : machine(machine), function(function) {}

  /// The values of all parameters.
  LogicalResult pass(MutableArrayRef<HostValue> hostValues, Data &arguments);
  /// Copies the contents of memory parameters back.
  void copyBack(MutableArrayRef<HostValue> hostValues, DataRef arguments);
  /// The results, evaluated.
  LogicalResult fetch(DataRef results, SmallVectorImpl<HostValue> &hostValues);

private:
  LogicalResult checkArgument(unsigned number, Type parameter, Type elementType,
                              const HostValue &value);
  Datum passArray(PullType type, ArrayRef<HostValue> components);
  LogicalResult fetchArray(PullType type, const PullArray &array,
                           SmallVectorImpl<HostValue> &hostValues);

  LogicalResult trap(const Twine &message) {
    return machine.trap(function.getLoc(), message);
  }

  Machine &machine;
  func::FuncOp function;
};

} // namespace

LogicalResult HostCall::checkArgument(unsigned number, Type parameter,
                                      Type elementType,
                                      const HostValue &value) {
  auto fail = [&](const Twine &reason) {
    return trap("argument " + Twine(number) + " of '" + function.getName() +
                "' of type " + llvm::to_string(parameter) + " " + reason);
  };
  ArrayRef<int64_t> extents;
  ArrayRef<int64_t> bounds;
  bool isScalar = false;
  if (auto pull = dyn_cast<PullType>(parameter)) {
    extents = pull.getExtents();
    bounds = pull.getBounds();
  } else if (auto memref = dyn_cast<MemRefType>(parameter)) {
    extents = memref.getShape();
  } else {
    isScalar = true;
  }
  if (value.isScalar != isScalar)
    return fail(isScalar ? "is given an array" : "is given a scalar");
  if (value.elementType != elementType)
    return fail("needs elements of type " + llvm::to_string(elementType) +
                ", not " + llvm::to_string(value.elementType));
  if (value.extents.size() != extents.size())
    return fail("needs " + Twine(extents.size()) + " extents, not " +
                Twine(value.extents.size()));
  for (auto [dim, extent] : llvm::enumerate(value.extents)) {
    bool isStatic = !ShapedType::isDynamic(extents[dim]);
    if (extent < 0 || (isStatic && extent != extents[dim]) ||
        (!bounds.empty() && !ShapedType::isDynamic(bounds[dim]) &&
         extent > bounds[dim]))
      return fail("is given extents " + formatIndex(value.extents));
  }
  if (int64_t(value.data.size()) !=
      value.getNumElements() * getScalarBytes(elementType))
    return fail("is given " + Twine(value.data.size()) + " bytes for extents " +
                formatIndex(value.extents));
  return success();
}

/// An array of the contents of several host arrays of the same extents.
Datum HostCall::passArray(PullType type, ArrayRef<HostValue> components) {
  std::shared_ptr<Store> store =
      Store::create(machine, function.getLoc(), components.front().extents,
                    type.getElementTypes());
  if (!store)
    return {};
  int64_t count = components.front().getNumElements();
  for (int64_t position = 0; position < count; ++position) {
    DataVector elements;
    for (const HostValue &component : components)
      elements.push_back(component.get(position));
    store->define(position, elements);
  }
  return Datum(machine.makeStored(function.getLoc(), store));
}

LogicalResult HostCall::pass(MutableArrayRef<HostValue> hostValues,
                             Data &arguments) {
  unsigned next = 0;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    SmallVector<Type> elementTypes = getHostElementTypes(type);
    if (elementTypes.empty())
      return trap("a value of type " + llvm::to_string(type) +
                  " cannot be passed to '" + function.getName() + "'");
    if (next + elementTypes.size() > hostValues.size())
      return trap("'" + function.getName() + "' needs more than the " +
                  Twine(hostValues.size()) + " arguments given");
    ArrayRef<HostValue> own = hostValues.slice(next, elementTypes.size());
    next += elementTypes.size();
    for (auto [value, elementType] : llvm::zip(own, elementTypes)) {
      if (failed(checkArgument(number, type, elementType, value)))
        return failure();
      if (value.extents != own.front().extents)
        return trap("the arrays of argument " + Twine(number) + " of '" +
                    function.getName() + "' have different extents");
    }
    if (auto pull = dyn_cast<PullType>(type)) {
      arguments.push_back(passArray(pull, own));
      if (!arguments.back().object)
        return failure();
    } else if (isa<MemRefType>(type)) {
      const HostValue &value = own.front();
      std::shared_ptr<Memory> memory = allocateMemory(
          machine, function.getLoc(), value.elementType, value.extents);
      if (!memory)
        return failure();
      for (auto [position, bits] : llvm::enumerate(memory->bits))
        bits = value.get(position).bits;
      memory->defined.assign(memory->defined.size(), true);
      auto reference = std::make_shared<Reference>();
      reference->memory = memory;
      arguments.push_back(Datum(reference));
    } else {
      arguments.push_back(own.front().get(0));
    }
  }
  if (next != hostValues.size())
    return trap("'" + function.getName() + "' needs " + Twine(next) +
                " arguments, not " + Twine(hostValues.size()));
  return success();
}

void HostCall::copyBack(MutableArrayRef<HostValue> hostValues,
                        DataRef arguments) {
  unsigned next = 0;
  for (auto [type, argument] :
       llvm::zip(function.getArgumentTypes(), arguments)) {
    if (isa<MemRefType>(type)) {
      const Memory &memory =
          *static_cast<const Reference &>(*argument.object).memory;
      for (auto [position, bits] : llvm::enumerate(memory.bits))
        hostValues[next].set(position, Scalar(memory.elementType, bits));
    }
    next += getHostElementTypes(type).size();
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult HostCall::fetchArray(PullType type, const PullArray &array,
                                   SmallVectorImpl<HostValue> &hostValues) {
  size_t first = hostValues.size();
  for (Type elementType : type.getElementTypes()) {
    Expected<HostValue> value = HostValue::array(elementType, array.extents);
    if (!value)
      return trap(llvm::toString(value.takeError()));
    hostValues.push_back(std::move(*value));
  }
  int64_t position = 0;
  DataVector elements;
  return forEachIndex(array.extents, [&](Index index) -> LogicalResult {
    elements.clear();
    if (failed(array.read(function.getLoc(), index, elements)))
      return failure();
    for (auto [k, element] : llvm::enumerate(elements))
      hostValues[first + k].set(position, element.scalar);
    ++position;
    return success();
  });
}

LogicalResult HostCall::fetch(DataRef results,
                              SmallVectorImpl<HostValue> &hostValues) {
  for (auto [number, type, result] :
       llvm::enumerate(function.getResultTypes(), results)) {
    if (getHostElementTypes(type).empty())
      return trap("result " + Twine(number) + " of '" + function.getName() +
                  "' has type " + llvm::to_string(type) +
                  ", which cannot be returned to the host");
    if (auto pull = dyn_cast<PullType>(type)) {
      if (failed(fetchArray(pull,
                            static_cast<const PullArray &>(*result.object),
                            hostValues)))
        return failure();
    } else if (isa<MemRefType>(type)) {
      const Memory &memory =
          *static_cast<const Reference &>(*result.object).memory;
      Expected<HostValue> value =
          HostValue::array(memory.elementType, memory.extents);
      if (!value)
        return trap(llvm::toString(value.takeError()));
      hostValues.push_back(std::move(*value));
      for (auto [position, bits] : llvm::enumerate(memory.bits))
        hostValues.back().set(position, Scalar(memory.elementType, bits));
    } else {
      hostValues.push_back(HostValue::scalar(result.scalar));
    }
  }
  return success();
}

llvm::Expected<SmallVector<HostValue>>
interpreter::interpret(func::FuncOp entry, MutableArrayRef<HostValue> arguments,
                       const InterpreterOptions &options) {
  Machine machine(entry.getContext(), options);
  HostCall call(machine, entry);
  DataVector values, results;
  SmallVector<HostValue> hostResults;
  if (failed(call.pass(arguments, values)) ||
      failed(machine.call(entry.getLoc(), entry, values, results)) ||
      failed(call.fetch(results, hostResults)))
    return machine.takeError();
  call.copyBack(arguments, values);
  return hostResults;
}
