//===- Operators.cpp - What combines several writes of one element --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kind of a contract `reduce` is the name of an operation of
// `memref.atomic_rmw`, or a function of two elements.
//
//===----------------------------------------------------------------------===//

#include "Verification.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;

static FunctionOpInterface lookupOperator(Operation *from, Attribute kind) {
  return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      from, cast<FlatSymbolRefAttr>(kind));
}

Value obs::buildAtomic(OpBuilder &builder, Location loc, Attribute kind,
                       Value value, Value memory, ValueRange indices,
                       Operation *from) {
  if (auto name = dyn_cast<StringAttr>(kind)) {
    auto known = arith::symbolizeAtomicRMWKind(name.getValue());
    return memref::AtomicRMWOp::create(builder, loc, *known, value, memory,
                                       indices);
  }
  auto atomic =
      memref::GenericAtomicRMWOp::create(builder, loc, memory, indices);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(atomic.getBody());
  SmallVector<Value> result =
      cloneBody(builder, lookupOperator(from, kind).getFunctionBody(),
                {atomic.getCurrentValue(), value});
  memref::AtomicYieldOp::create(builder, loc, result.front());
  return atomic.getResult();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Emits `[R7-kind]` unless elements of this type can be combined by an atomic
/// operation of the name.
static LogicalResult verifyReduceKind(Operation *op, StringRef name,
                                      Type element) {
  std::optional<arith::AtomicRMWKind> kind =
      arith::symbolizeAtomicRMWKind(name);
  if (!kind || *kind == arith::AtomicRMWKind::assign)
    return op->emitOpError("[R7-kind] '")
           << name
           << "' is not a commutative operation; use one of addi, muli, andi, "
              "ori, xori, mins, maxs, minu, maxu, addf, mulf, minimumf, "
              "maximumf, minnumf, maxnumf, or sort by key";
  bool isFloat = llvm::is_contained(
      {arith::AtomicRMWKind::addf, arith::AtomicRMWKind::mulf,
       arith::AtomicRMWKind::minimumf, arith::AtomicRMWKind::maximumf,
       arith::AtomicRMWKind::minnumf, arith::AtomicRMWKind::maxnumf},
      *kind);
  if (isFloat != isa<FloatType>(element))
    return op->emitOpError("[R7-kind] '")
           << name << "' combines " << (isFloat ? "floats" : "integers")
           << ", not " << element;
  return success();
}

LogicalResult verification::verifyContract(Operation *op, Contract contract,
                                           Attribute kind,
                                           ArrayRef<Type> elements) {
  if ((contract == Contract::Reduce) != static_cast<bool>(kind))
    return op->emitOpError("[contract-kind] has a kind exactly if its contract "
                           "is reduce; write reduce(addi), for instance");
  if (contract == Contract::Disjoint)
    return success();
  // An operation with a name combines each component on its own.
  auto name = dyn_cast_or_null<StringAttr>(kind);
  if (elements.size() != 1 && !name)
    return op->emitOpError("[R7-contract] contract ")
           << stringifyContract(contract) << (kind ? " by a function" : "")
           << " is for one element of at most 64 bits, not for "
           << elements.size()
           << " element types; sort by key, or use several fills";
  if (!kind)
    return success();
  for (Type element : elements) {
    if (element.isIndex())
      return op->emitOpError("[R7-kind] memory has no atomic operations on "
                             "index; use elements of type i32 or i64");
    if (name && failed(verifyReduceKind(op, name.getValue(), element)))
      return failure();
  }
  return success();
}

/// What straight-line code gives for two constants; null if that is not known.
static Attribute evaluate(Block &body, Attribute x, Attribute y) {
  if (!x || !y)
    return {};
  DenseMap<Value, Attribute> known{{body.getArgument(0), x},
                                   {body.getArgument(1), y}};
  for (Operation &op : body.without_terminator()) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) ||
        results.size() != op.getNumResults())
      return {};
    for (auto [result, folded] : llvm::zip(op.getResults(), results))
      known[result] = isa<Value>(folded) ? known.lookup(cast<Value>(folded))
                                         : cast<Attribute>(folded);
  }
  return known.lookup(body.getTerminator()->getOperand(0));
}

/// Emits `[R7-order]` if small numbers show that the order matters.
static LogicalResult verifyOrder(Operation *op, Attribute kind, Region &code,
                                 Type element) {
  Builder builder(op->getContext());
  SmallVector<Attribute> samples;
  for (int64_t number : {0, 1, 2, 3, -1, 6}) {
    if (isa<FloatType>(element))
      samples.push_back(builder.getFloatAttr(element, double(number)));
    else if (!element.isInteger(1) || number == 0 || number == 1)
      samples.push_back(builder.getIntegerAttr(element, number));
  }
  // Folding may change operations.
  Region copy;
  IRMapping mapping;
  code.cloneInto(&copy, mapping);
  Block &body = copy.front();
  for (Attribute a : samples)
    for (Attribute b : samples) {
      Attribute ab = evaluate(body, a, b), ba = evaluate(body, b, a);
      if (ab && ba && ab != ba)
        return op->emitOpError("[R7-order] ")
               << kind << " is not commutative: of " << a << " and " << b
               << " it makes " << ab << ", of " << b << " and " << a << ' '
               << ba << "; sort by key, or force first";
      for (Attribute start : samples) {
        Attribute x = evaluate(body, evaluate(body, start, a), b);
        Attribute y = evaluate(body, evaluate(body, start, b), a);
        if (x && y && x != y)
          return op->emitOpError("[R7-order] ")
                 << kind << " is not associative: " << start
                 << " combined with " << a << " and then " << b << " is " << x
                 << ", in the other order " << y
                 << "; sort by key, or force first";
      }
    }
  return success();
}

LogicalResult verification::verifyOperator(Operation *op, Attribute kind,
                                           ArrayRef<Type> elements,
                                           SymbolTableCollection &tables) {
  auto name = dyn_cast_or_null<FlatSymbolRefAttr>(kind);
  if (!name)
    return success();
  auto function = tables.lookupNearestSymbolFrom<FunctionOpInterface>(op, name);
  if (!function || !function.getFunctionBody().hasOneBlock())
    return op->emitOpError("[R7-operator] ")
           << name << " is no function with one block of code";
  Type element = elements.front();
  Type pair[] = {element, element};
  if (!llvm::equal(function.getArgumentTypes(), ArrayRef<Type>(pair)) ||
      !llvm::equal(function.getResultTypes(), ArrayRef<Type>(element)))
    return op->emitOpError("[R7-operator] ")
           << name << " combines other elements; it has to be a function ("
           << element << ", " << element << ") -> " << element;
  Block &body = function.getFunctionBody().front();
  for (Operation &inner : body.without_terminator())
    if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner) ||
        !llvm::all_of(inner.getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); })) {
      InFlightDiagnostic diagnostic = op->emitOpError("[R7-operator] ");
      diagnostic << name
                 << " is more than arithmetic on its arguments; write it "
                    "without memory, arrays, calls and control flow";
      diagnostic.attachNote(inner.getLoc()) << "as here";
      return diagnostic;
    }
  return verifyOrder(op, name, function.getFunctionBody(), element);
}

LogicalResult FillOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verification::verifyOperator(*this, getKindAttr(),
                                          getType().getElementTypes(), tables)))
    return failure();
  // Here because everything else, the body too, is verified by now.
  return verification::verifyDisjointWrites(*this);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verification::verifyOperator(
      *this, getKindAttr(), llvm::to_vector(getValues().getTypes()), tables);
}
