//===- ObsDialect.cpp - The obs dialect and its helpers -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Identifiers.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Verification.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

#include "Obsidian/Dialect/Obs/IR/ObsDialect.cpp.inc"
#include "Obsidian/Dialect/Obs/IR/ObsEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsAttrs.cpp.inc"
#include "Obsidian/Dialect/Obs/IR/ObsInterfaces.cpp.inc"

namespace {
/// Array code may be inlined anywhere: R1 is verified on the result.
struct ObsInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void ObsDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Obsidian/Dialect/Obs/IR/ObsAttrs.cpp.inc"
      >();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "Obsidian/Dialect/Obs/IR/ObsOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Obsidian/Dialect/Obs/IR/ObsCollectiveOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Obsidian/Dialect/Obs/IR/ObsIrregularOps.cpp.inc"
      >();
  addInterfaces<ObsInlinerInterface>();
}

/// True if `value` is no number, or one that `IntegerAttr::getInt` has.
static bool hasPlainType(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return !number || number.getType().isIndex() ||
         number.getType().isSignlessInteger(32) ||
         number.getType().isSignlessInteger(64);
}

/// Verifies an attribute whose place allows those of `known`.
static LogicalResult
verifyAttribute(Operation *op, NamedAttribute attribute,
                ArrayRef<ObsDialect::DiscardableAttr> known, StringRef place,
                function_ref<bool(StringRef name, Attribute value)> isValid) {
  StringRef name = attribute.getName().getValue();
  auto found =
      llvm::find_if(known, [&](const ObsDialect::DiscardableAttr &attr) {
        return attr.name == name;
      });
  if (found == known.end())
    return op->emitError("[obs-attribute] unknown attribute '")
           << name << "' of the obs dialect" << place
           << "; correct its name, or remove it";
  if (!found->hasClass(attribute.getValue()) ||
      !hasPlainType(attribute.getValue()) ||
      !isValid(name, attribute.getValue()))
    return op->emitError("[")
           << found->rule << "] '" << name << "' " << found->correction
           << "; write " << found->example;
  return success();
}

LogicalResult ObsDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return verifyAttribute(
      op, attribute, getDiscardableAttrs(), "",
      [&](StringRef name, Attribute value) {
        if (name == LevelAttrHelper::getNameStr())
          return isa<FunctionOpInterface>(op);
        if (name == ItemsAttrHelper::getNameStr())
          return llvm::is_contained({2, 4, 8, 16},
                                    cast<IntegerAttr>(value).getInt());
        if (name == ContractAttrHelper::getNameStr())
          return symbolizeWriteMark(cast<StringAttr>(value).getValue())
              .has_value();
        return true;
      });
}

/// Verifies an attribute of a parameter or a result of a function.
static LogicalResult verifyParameterAttribute(Operation *op,
                                              NamedAttribute attribute) {
  return verifyAttribute(
      op, attribute, ObsDialect::getParameterAttrs(),
      " at a parameter or a result", [](StringRef name, Attribute value) {
        return name != ObsDialect::NameAttrHelper::getNameStr() ||
               isIdentifier(cast<StringAttr>(value).getValue());
      });
}

LogicalResult ObsDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned number,
                                                   NamedAttribute attribute) {
  if (failed(verifyParameterAttribute(op, attribute)))
    return failure();
  // Passes number the names of the parameters of lowered functions.
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || attribute.getName() != NameAttrHelper::getNameStr() ||
      isa<BaseMemRefType>(function.getArgumentTypes()[number]))
    return success();
  for (unsigned other : llvm::seq(number))
    if (getArgAttr<ObsDialect::NameAttrHelper>(function, other) ==
        attribute.getValue())
      return op->emitError("[obs-name] two parameters have the name ")
             << attribute.getValue() << "; give each of them its own name";
  return success();
}

LogicalResult
ObsDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return verifyParameterAttribute(op, attribute);
}

//===----------------------------------------------------------------------===//
// DeviceMappingAttrInterface
//===----------------------------------------------------------------------===//

int64_t MapAttr::getMappingId() const {
  return static_cast<int64_t>(getScope()) * 4 + static_cast<int64_t>(getUnit());
}
bool MapAttr::isLinearMapping() const { return true; }
int64_t MapAttr::getRelativeIndex() const { return 0; }

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

ScopeInfo obs::getEnclosingScope(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (auto scope = dyn_cast<LevelScopeOpInterface>(parent))
      return {scope.getScopeLevel(), scope.isScalarScope()};
    if (isa<FunctionOpInterface>(parent)) {
      if (auto level = getAttr<ObsDialect::LevelAttrHelper>(parent))
        return {level.getValue(), false};
      return {Level::Grid, false};
    }
  }
  return {Level::Grid, false};
}

FillOp obs::getEnclosingFill(Operation *op) {
  return op->getParentOfType<FillOp>();
}

Level FillOp::getScopeLevel() { return getResult().getType().getLevel(); }
Level ParOp::getScopeLevel() { return getUnit(); }
Level DistributeOp::getScopeLevel() { return getLevel(); }
Level KernelOp::getScopeLevel() { return Level::Grid; }

Level ForceOp::getArrayLevel() {
  for (Type type : getArrays().getTypes())
    if (auto push = dyn_cast<PushType>(type))
      return push.getLevel();
  return getEnclosingScope(*this).level;
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> obs::getArrayExtents(Type type) {
  if (auto pull = dyn_cast<PullType>(type))
    return pull.getExtents();
  return cast<PushType>(type).getExtents();
}

ArrayRef<Type> obs::getArrayElementTypes(Type type) {
  if (auto pull = dyn_cast<PullType>(type))
    return pull.getElementTypes();
  return cast<PushType>(type).getElementTypes();
}

int64_t obs::getArrayBound(Type type, unsigned dim) {
  if (auto pull = dyn_cast<PullType>(type))
    return pull.getExtentBound(dim);
  return cast<PushType>(type).getExtentBound(dim);
}

Value obs::buildExtent(OpBuilder &builder, Location loc, Value array,
                       unsigned dim) {
  int64_t extent = getArrayExtents(array.getType())[dim];
  if (!ShapedType::isDynamic(extent))
    return arith::ConstantIndexOp::create(builder, loc, extent);
  return DimOp::create(builder, loc, builder.getIndexType(), array,
                       builder.getI64IntegerAttr(dim));
}

std::optional<WriteMark> obs::getWriteMark(Operation *op) {
  auto mark = getAttr<ObsDialect::ContractAttrHelper>(op);
  return mark ? symbolizeWriteMark(mark.getValue()) : std::nullopt;
}

void obs::setWriteMark(Operation *op, WriteMark mark) {
  setAttr<ObsDialect::ContractAttrHelper>(
      op, StringAttr::get(op->getContext(), stringifyWriteMark(mark)));
}

unsigned obs::getInitialNesting(Operation *op) {
  if (getWriteMark(op) != WriteMark::Initial)
    return 0;
  auto write = dyn_cast<WriteOp>(op);
  return write ? write.getNesting() : 1;
}

std::optional<unsigned> obs::getKnownDimension(memref::DimOp dim) {
  std::optional<int64_t> number = dim.getConstantIndex();
  auto type = dyn_cast<MemRefType>(dim.getSource().getType());
  if (!number || !type || *number < 0 || *number >= type.getRank())
    return std::nullopt;
  return *number;
}

bool obs::canSpeculate(Operation *op) {
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    // -1 is the other divisor that has no result for some numbers.
    std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
    return divisor && *divisor != 0 && *divisor != -1;
  }
  return isSpeculatable(op) && isMemoryEffectFree(op);
}

SmallVector<Value> obs::buildExtents(OpBuilder &builder, Location loc,
                                     Value array) {
  SmallVector<Value> extents;
  for (unsigned d = 0, e = getArrayExtents(array.getType()).size(); d < e; ++d)
    extents.push_back(buildExtent(builder, loc, array, d));
  return extents;
}

Value obs::buildView(OpBuilder &builder, Location loc, PullType type,
                     ValueRange memory) {
  DenseI64ArrayAttr bounds;
  if (!type.getBounds().empty())
    bounds = builder.getDenseI64ArrayAttr(type.getBounds());
  return ViewOp::create(builder, loc, TypeRange(type), memory, bounds)
      .getResult();
}

SmallVector<Value> obs::buildGet(OpBuilder &builder, Location loc, Value array,
                                 ValueRange indices) {
  auto get = GetOp::create(builder, loc,
                           TypeRange(getArrayElementTypes(array.getType())),
                           array, indices);
  return llvm::to_vector_of<Value>(get.getResults());
}

Value obs::buildAnyElement(OpBuilder &builder, Location loc, Value array) {
  SmallVector<Value> zeros(getArrayExtents(array.getType()).size(),
                           arith::ConstantIndexOp::create(builder, loc, 0));
  Value element = buildGet(builder, loc, array, zeros).front();
  element.getDefiningOp<GetOp>().setExtentRead(true);
  return element;
}

SmallVector<Value> obs::cloneBody(OpBuilder &builder, Region &region,
                                  ValueRange arguments) {
  Block &body = region.front();
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

SmallVector<Value> obs::buildMixed(OpBuilder &builder, Location loc,
                                   ValueRange dynamic,
                                   ArrayRef<int64_t> statics) {
  return getValueOrCreateConstantIndexOp(
      builder, loc, getMixedValues(statics, dynamic, builder));
}
