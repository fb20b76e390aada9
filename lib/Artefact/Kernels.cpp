//===- Kernels.cpp - Descriptions of the kernels of a program -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is described by its body and one of its launches.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Scalars.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Interpreter/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::artefact;
namespace json = llvm::json;

namespace {
class KernelContract {
public:
  KernelContract(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch)
      : kernel(kernel), launch(launch) {
    for (Value operand : launch.getKernelOperands())
      arrays.push_back(isa<MemRefType>(operand.getType())
                           ? getUnderlyingMemory(operand)
                           : Value());
    nameParameters();
  }

  json::Object describe() {
    json::Array parameters;
    for (unsigned number : llvm::seq<unsigned>(0, names.size()))
      parameters.push_back(describeParameter(number));
    json::Object object{{"entry", kernel.getName().str()},
                        {"parameters", std::move(parameters)},
                        {"grid", getGrid()},
                        {"workspace", json::Array()}};
    if (auto size = kernel.getKnownBlockSize(); size && !size->empty())
      object["block"] = size->front();
    else
      object["block"] = toJSON(launch.getBlockSizeX());
    Value shared = launch.getDynamicSharedMemorySize();
    object["sharedBytes"] = shared ? toJSON(shared) : json::Value(0);
    return object;
  }

  std::string getGrid() { return express(launch.getGridSizeX()); }

private:
  /// Uses the names of the kernel, or else those of the program. Arrays are
  /// first, because extents are named after them.
  void nameParameters() {
    unsigned count = arrays.size();
    names.resize(count);
    auto give = [&](unsigned number, StringRef name) {
      std::string unique = name.str();
      for (unsigned k = 2; llvm::is_contained(names, unique); ++k)
        unique = (name + "_" + Twine(k)).str();
      names[number] = unique;
    };
    for (unsigned number : llvm::seq(count))
      if (auto name = getArgAttr<ObsDialect::NameAttrHelper>(kernel, number))
        give(number, name.getValue());
    for (unsigned number : llvm::seq(count)) {
      Value value = arrays[number]
                        ? arrays[number]
                        : stripCasts(launch.getKernelOperand(number));
      if (StringRef name = getGivenName(value);
          names[number].empty() && !name.empty())
        give(number, name);
    }
    for (unsigned number : llvm::seq(count)) {
      auto extent = names[number].empty() ? findExtent(number) : std::nullopt;
      if (!extent || names[extent->first].empty())
        continue;
      bool isOnly =
          cast<MemRefType>(arrays[extent->first].getType()).getRank() == 1;
      give(number, names[extent->first] + "_extent" +
                       (isOnly ? "" : std::to_string(extent->second)));
    }
    for (unsigned number : llvm::seq(count))
      if (names[number].empty())
        give(number, "arg" + std::to_string(number));
  }

  static Value stripCasts(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::TruncIOp>(op))
        break;
      value = op->getOperand(0);
    }
    return value;
  }

  /// The parameter that receives `array`, or else its name in the host
  /// function.
  std::string nameArray(Value array) {
    for (auto [name, candidate] : llvm::zip(names, arrays))
      if (candidate == array)
        return name;
    return nameHostValue(array);
  }

  static std::string nameHostValue(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function = dyn_cast<FunctionOpInterface>(
              argument.getOwner()->getParentOp())) {
        unsigned number = argument.getArgNumber();
        if (StringRef name = getGivenName(value); !name.empty())
          return name.str();
        return "host.arg" + std::to_string(number);
      }
    return "host.value";
  }

  json::Value toJSON(Value value) {
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant.getValue().getSExtValue();
    return express(value);
  }

  /// The name of a parameter that has the value; empty if there is none.
  StringRef findParameter(Value value) {
    for (auto [name, operand] : llvm::zip(names, launch.getKernelOperands()))
      if (operand == value)
        return name;
    return {};
  }

  /// `value` as an expression of the parameters.
  std::string express(Value value) {
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return llvm::toString(constant.getValue(), 10, /*Signed=*/true);
    if (StringRef name = findParameter(value); !name.empty())
      return name.str();
    Operation *op = value.getDefiningOp();
    if (!op)
      return nameHostValue(value);
    if (auto dim = dyn_cast<memref::DimOp>(op))
      return expressDim(dim);
    SmallVector<std::string> types;
    for (Value operand : op->getOperands())
      types.push_back(llvm::to_string(operand.getType()));
    SmallVector<Operand> operands;
    for (auto [operand, type] : llvm::zip(op->getOperands(), types))
      operands.push_back({express(operand), type});
    std::string text = artefact::express(spellOperation(op), operands,
                                         llvm::to_string(value.getType()));
    return text.empty() ? nameHostValue(value) : text;
  }

  std::string expressDim(memref::DimOp dim) {
    Value array = getUnderlyingMemory(dim.getSource());
    std::optional<unsigned> number = getKnownDimension(dim);
    if (!number || array != dim.getSource())
      return "dim(" + nameArray(array) + ", " + express(dim.getIndex()) + ")";
    json::Value extent = describeExtent(array, *number);
    std::optional<int64_t> constant = extent.getAsInteger();
    return constant ? std::to_string(*constant) : extent.getAsString()->str();
  }

  /// An extent as a number or as an expression.
  json::Value describeExtent(Value array, int64_t number) {
    // An extent that is a parameter has the name of the parameter.
    for (auto [name, operand] : llvm::zip(names, launch.getKernelOperands()))
      if (auto dim = operand.getDefiningOp<memref::DimOp>())
        if (dim.getSource() == array && getKnownDimension(dim) == number)
          return name;
    // The extents of an array that the host allocated are operands of the
    // allocation.
    if (auto alloc = array.getDefiningOp<gpu::AllocOp>())
      if (Value extent = getExtent(alloc, number))
        return toJSON(extent);
    return "dim(" + nameArray(array) + ", " + std::to_string(number) + ")";
  }

  /// The dynamic extent of dimension `number` of an allocation; null if static.
  static Value getExtent(gpu::AllocOp alloc, int64_t number) {
    MemRefType type = alloc.getType();
    if (number >= type.getRank() || !type.isDynamicDim(number))
      return {};
    return alloc.getDynamicSizes()[type.getDynamicDimIndex(number)];
  }

  json::Object describeParameter(unsigned number) {
    Value operand = launch.getKernelOperand(number);
    Type type = operand.getType();
    json::Object object{{"name", names[number]}};
    if (auto memory = dyn_cast<MemRefType>(type)) {
      describePointer(number, object);
      type = memory.getElementType();
    } else if (auto extent = findExtent(number)) {
      object["kind"] = "extent";
      object["pointer"] = names[extent->first];
      object["dimension"] = extent->second;
    } else {
      object["kind"] = "scalar";
    }
    object["elementType"] = llvm::to_string(type);
    object["size"] = getElementBytes(type);
    return object;
  }

  /// The view through which the kernel accesses the pointer in parameter
  /// `number`; null if the kernel does not use the extents.
  memref::ReinterpretCastOp getView(unsigned number) {
    for (Operation *user : kernel.getArgument(number).getUsers())
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user))
        return view;
    return {};
  }

  /// The same for a parameter that the kernel does not use, because another one
  /// is equal in all launches. Extents follow the parameter of their array.
  std::optional<std::pair<unsigned, int64_t>>
  findUnusedExtent(unsigned number) {
    unsigned pointer = number;
    while (pointer > 0 && !arrays[pointer] &&
           kernel.getArgument(pointer).getType().isIndex())
      --pointer;
    auto type = arrays[pointer]
                    ? dyn_cast<MemRefType>(arrays[pointer].getType())
                    : MemRefType();
    unsigned next = pointer;
    if (type && kernel.getArgument(number).use_empty())
      for (int64_t dim : llvm::seq<int64_t>(0, type.getRank()))
        if (type.isDynamicDim(dim) && ++next == number)
          return std::make_pair(pointer, dim);
    return std::nullopt;
  }

  /// The array parameter and its dimension whose extent is the index in
  /// parameter `number`.
  std::optional<std::pair<unsigned, int64_t>> findExtent(unsigned number) {
    Value operand = launch.getKernelOperand(number);
    if (arrays[number] || !operand.getType().isIndex())
      return std::nullopt;
    for (auto [pointer, array] : llvm::enumerate(arrays)) {
      auto view = array ? getView(pointer) : nullptr;
      if (!view)
        continue;
      for (auto [dim, size] : llvm::enumerate(view.getMixedSizes()))
        if (dyn_cast<Value>(size) == kernel.getArgument(number))
          return std::make_pair(unsigned(pointer), int64_t(dim));
    }
    if (auto extent = findUnusedExtent(number))
      return extent;
    for (auto [pointer, array] : llvm::enumerate(arrays)) {
      auto type = array ? dyn_cast<MemRefType>(array.getType()) : MemRefType();
      if (!type)
        continue;
      for (int64_t dim : llvm::seq<int64_t>(0, type.getRank())) {
        auto of = operand.getDefiningOp<memref::DimOp>();
        bool same = of && getUnderlyingMemory(of.getSource()) == array &&
                    getKnownDimension(of) == dim;
        if (auto alloc = array.getDefiningOp<gpu::AllocOp>())
          same |= getExtent(alloc, dim) == operand;
        if (same)
          return std::make_pair(unsigned(pointer), dim);
      }
    }
    return std::nullopt;
  }

  void describePointer(unsigned number, json::Object &object) {
    object["kind"] = "pointer";
    bool reads = false, writes = false, accumulates = false, vectors = false;
    SmallVector<Value> pending = {kernel.getArgument(number)};
    while (!pending.empty()) {
      Value memory = pending.pop_back_val();
      for (Operation *user : memory.getUsers()) {
        if (isa<ViewLikeOpInterface>(user)) {
          llvm::append_range(pending, user->getResults());
          continue;
        }
        auto publish = dyn_cast<PublishOp>(user);
        auto await = dyn_cast<AwaitOp>(user);
        bool isFlag = (publish && memory == publish.getFlags()) ||
                      (await && memory == await.getFlags());
        vectors |= isa<vector::LoadOp, vector::StoreOp>(user);
        reads |=
            isa<memref::LoadOp, vector::LoadOp>(user) || (await && !isFlag);
        writes |=
            isa<memref::StoreOp, vector::StoreOp>(user) || (publish && !isFlag);
        accumulates |= isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp,
                           CounterOpInterface>(user) ||
                       isFlag;
      }
    }
    StringRef access = "none";
    if ((reads && writes) || (accumulates && (reads || writes)))
      access = "readwrite";
    else if (accumulates)
      access = "accumulate";
    else if (writes)
      access = "write";
    else if (reads)
      access = "read";
    object["access"] = access;

    Value array = arrays[number];
    auto type = cast<MemRefType>(array.getType());
    int64_t alignment = getElementBytes(type.getElementType());
    if (vectors)
      alignment = std::max<int64_t>(alignment, 16);
    if (auto needed =
            kernel.getArgAttrOfType<IntegerAttr>(number, "llvm.align"))
      alignment = std::max(alignment, needed.getInt());
    object["alignment"] = alignment;

    json::Array extents;
    for (int64_t dim : llvm::seq<int64_t>(0, type.getRank())) {
      // A kernel that is launched with several static shapes has parameters for
      // the extents.
      StringRef name = findExtentParameter(number, dim);
      extents.push_back(!name.empty() ? json::Value(name.str())
                        : type.isDynamicDim(dim)
                            ? describeExtent(array, dim)
                            : json::Value(type.getDimSize(dim)));
    }
    object["extents"] = std::move(extents);

    // In later iterations of host loops, two parameters may be the same array.
    auto mayAlias = [&](unsigned parameter) {
      return getArgAttr<ObsDialect::MayAliasAttrHelper>(kernel, parameter) !=
             nullptr;
    };
    json::Array aliases;
    for (auto [other, candidate] : llvm::enumerate(arrays))
      if (other != number &&
          (candidate == array || (mayAlias(number) && mayAlias(other))))
        aliases.push_back(names[other]);
    object["aliases"] = std::move(aliases);
    describeInitial(array, object);
  }

  /// The parameter that is the extent of dimension `dim` of the pointer in
  /// parameter `number`; empty if there is none.
  StringRef findExtentParameter(unsigned number, int64_t dim) {
    auto view = getView(number);
    if (!view || dim >= view.getType().getRank())
      return {};
    auto argument = dyn_cast_or_null<BlockArgument>(
        dyn_cast<Value>(view.getMixedSizes()[dim]));
    if (!argument || argument.getOwner()->getParentOp() != kernel)
      return {};
    return names[argument.getArgNumber()];
  }

  /// Describes the initial contents that the host writes to `array` immediately
  /// before the launch.
  void describeInitial(Value array, json::Object &object) {
    for (Operation *op = launch->getPrevNode(); op; op = op->getPrevNode()) {
      if (isa<gpu::LaunchFuncOp>(op))
        return;
      if (auto fill = dyn_cast<gpu::MemsetOp>(op);
          fill && getUnderlyingMemory(fill.getDst()) == array) {
        Attribute value;
        json::Value text = "host.value";
        if (matchPattern(fill.getValue(), m_Constant(&value))) {
          if (auto integer = dyn_cast<IntegerAttr>(value))
            text = integer.getType().isInteger(1)
                       ? int64_t(integer.getValue().getZExtValue())
                       : integer.getValue().getSExtValue();
          else if (auto real = dyn_cast<FloatAttr>(value))
            text = describeFloat(real);
        }
        object["initial"] = json::Object{{"fill", std::move(text)}};
        return;
      }
      if (auto copy = dyn_cast<gpu::MemcpyOp>(op);
          copy && getUnderlyingMemory(copy.getDst()) == array) {
        object["initial"] = json::Object{
            {"copy", nameArray(getUnderlyingMemory(copy.getSrc()))}};
        return;
      }
    }
  }

  /// JSON has no infinities and no NaN.
  static json::Value describeFloat(FloatAttr value) {
    if (value.getValue().isFinite())
      return value.getValueAsDouble();
    SmallString<16> text;
    value.getValue().toString(text);
    return std::string(text);
  }

  gpu::GPUFuncOp kernel;
  gpu::LaunchFuncOp launch;
  SmallVector<std::string> names;
  /// The arrays of the host behind the pointers; null for other parameters.
  SmallVector<Value> arrays;
};
} // namespace

std::vector<Kernel> artefact::describeKernels(ModuleOp module) {
  SymbolTableCollection symbols;
  llvm::MapVector<Operation *, SmallVector<gpu::LaunchFuncOp>> launches;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel())
        launches[kernel];
  module.walk([&](gpu::LaunchFuncOp launch) {
    Operation *kernel =
        symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr());
    if (isa_and_nonnull<gpu::GPUFuncOp>(kernel))
      launches[kernel].push_back(launch);
  });

  std::vector<Kernel> kernels;
  for (auto &[op, sites] : launches) {
    auto function = cast<gpu::GPUFuncOp>(op);
    Kernel &kernel = kernels.emplace_back();
    kernel.name = function.getName().str();
    kernel.location = interpreter::formatLocation(function.getLoc());
    kernel.module = function->getParentOfType<gpu::GPUModuleOp>().getName();
    if (sites.empty())
      continue;
    kernel.contract = KernelContract(function, sites.front()).describe();
    json::Array places;
    for (gpu::LaunchFuncOp site : sites) {
      auto host = site->getParentOfType<func::FuncOp>();
      places.push_back(
          json::Object{{"function", host ? host.getName().str() : ""},
                       {"grid", KernelContract(function, site).getGrid()}});
    }
    kernel.contract["launches"] = std::move(places);
    kernel.contract["module"] = kernel.module;
  }
  return kernels;
}
