//===- Operators.cpp - Operators of contracts and collectives -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kind of a contract `reduce` is the name of an operation of
// `memref.atomic_rmw`, or a function of two elements. Elements of several types
// are packed into one word for the function, or have copies for each thread.
// The operators of contracts and of collectives are tested on small numbers.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Verification.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;

unsigned obs::countElementBits(ArrayRef<Type> elements) {
  unsigned bits = 0;
  for (Type type : elements)
    bits += type.getIntOrFloatBitWidth();
  return bits;
}

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
  if (elements.size() != 1 && !kind)
    return op->emitOpError("[R7-contract] contract any is for one element of "
                           "at most 64 bits, not for ")
           << elements.size()
           << " element types; sort by key, or use several fills";
  if (!kind)
    return success();
  // An operation with a name combines each component on its own.
  auto name = dyn_cast<StringAttr>(kind);
  if (elements.size() != 1 && !name && isa<WriteOp>(op))
    return op->emitOpError("[R7-contract] a function combines elements of ")
           << elements.size()
           << " types only if it is the kind of all writes; make it the kind "
              "of the fill";
  for (Type element : elements) {
    if (element.isIndex())
      return op->emitOpError("[R7-kind] memory has no atomic operations on "
                             "index; use elements of type i32 or i64");
    if (name && failed(verifyReduceKind(op, name.getValue(), element)))
      return failure();
  }
  return success();
}

using Element = SmallVector<Attribute>;

/// The result of code for two constant elements, component by component; null
/// where it is not known.
static Element evaluate(Block &body, const Element &x, const Element &y) {
  Element both(x);
  llvm::append_range(both, y);
  DenseMap<Value, Attribute> known;
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), both))
    known[argument] = value;
  auto lookup = [&](Value value) {
    Attribute constant = known.lookup(value);
    if (!constant && value.getParentBlock() != &body)
      matchPattern(value, m_Constant(&constant));
    return constant;
  };
  for (Operation &op : body.without_terminator()) {
    if (op.getNumRegions() != 0)
      continue;
    SmallVector<Attribute> operands =
        llvm::map_to_vector(op.getOperands(), lookup);
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) ||
        results.size() != op.getNumResults())
      continue;
    for (auto [result, folded] : llvm::zip(op.getResults(), results))
      known[result] = isa<Value>(folded) ? lookup(cast<Value>(folded))
                                         : cast<Attribute>(folded);
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), lookup);
}

/// True if two results are numbers that rounding cannot explain: floats differ
/// in the first half of their digits.
static bool differ(Attribute a, Attribute b) {
  auto x = dyn_cast_or_null<FloatAttr>(a), y = dyn_cast_or_null<FloatAttr>(b);
  if (!x || !y)
    return isa_and_nonnull<IntegerAttr>(a) && isa_and_nonnull<IntegerAttr>(b) &&
           a != b;
  double u = x.getValueAsDouble(), v = y.getValueAsDouble();
  if (!std::isfinite(u) || !std::isfinite(v))
    return false;
  int digits = cast<FloatType>(x.getType()).getFPMantissaWidth();
  double scale = std::max({std::abs(u), std::abs(v), 1.0});
  return std::abs(u - v) > std::ldexp(scale, -digits / 2);
}

/// True if a component is known for both elements and differs.
static bool differ(const Element &x, const Element &y) {
  return llvm::any_of(llvm::zip_equal(x, y), [](auto pair) {
    return differ(std::get<0>(pair), std::get<1>(pair));
  });
}

static std::string toText(const Element &element) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (element.size() != 1)
    os << '(';
  llvm::interleaveComma(element, os, [&](Attribute component) {
    if (component)
      os << component;
    else
      os << '?';
  });
  if (element.size() != 1)
    os << ')';
  return text;
}

/// Elements of small numbers: the numbers of even components, and those of odd
/// ones.
static SmallVector<Element> getSamples(ArrayRef<Type> types,
                                       ArrayRef<int64_t> even,
                                       ArrayRef<int64_t> odd) {
  SmallVector<Element> samples;
  for (unsigned k = 0; k < even.size(); ++k) {
    Element element;
    for (auto [component, type] : llvm::enumerate(types)) {
      int64_t number =
          (component % 2 ? odd : even)[(k + component / 2) % even.size()];
      if (auto floatType = dyn_cast<FloatType>(type))
        element.push_back(FloatAttr::get(floatType, double(number)));
      else
        element.push_back(
            IntegerAttr::get(type, type.isInteger(1) ? number & 1 : number));
    }
    if (!llvm::is_contained(samples, element))
      samples.push_back(element);
  }
  return samples;
}

/// Emits `[R7-order]` if small numbers show that the order matters.
static LogicalResult verifyOrder(Operation *op, Attribute kind, Region &code,
                                 ArrayRef<Type> types) {
  // Some pairs agree in one component only.
  SmallVector<Element> samples =
      getSamples(types, {0, 1, 2, 3, -1, 6, 0}, {0, 0, 2, 1, 3, -1, 6});
  // Folding may change operations.
  Region copy;
  IRMapping mapping;
  code.cloneInto(&copy, mapping);
  Block &body = copy.front();
  for (const Element &a : samples)
    for (const Element &b : samples) {
      Element ab = evaluate(body, a, b), ba = evaluate(body, b, a);
      if (differ(ab, ba))
        return op->emitOpError("[R7-order] ")
               << kind << " is not commutative: of " << toText(a) << " and "
               << toText(b) << " it makes " << toText(ab) << ", of "
               << toText(b) << " and " << toText(a) << ' ' << toText(ba)
               << "; sort by key, or force first";
      for (const Element &start : samples) {
        Element x = evaluate(body, evaluate(body, start, a), b);
        Element y = evaluate(body, evaluate(body, start, b), a);
        if (differ(x, y))
          return op->emitOpError("[R7-order] ")
                 << kind << " is not associative: " << toText(start)
                 << " combined with " << toText(a) << " and then " << toText(b)
                 << " is " << toText(x) << ", in the other order " << toText(y)
                 << "; sort by key, or force first";
      }
    }
  return success();
}

LogicalResult obs::detail::verifyAssociative(Operation *collective) {
  auto op = cast<CollectiveOpInterface>(collective);
  StringRef strategy = op.getStrategy().value_or("");
  bool isInOrder = strategy.empty()
                       ? getEnclosingScope(op).level == Level::Thread
                       : strategy == "sequential";
  // The components of a tuple often depend on each other, as in a sorted list,
  // so that numbers of our choice would refuse operators that are associative.
  auto types = getArrayElementTypes(op.getArray().getType());
  if (isInOrder || types.size() != 1)
    return success();
  SmallVector<Element> samples = getSamples(types, {2, 3, 5}, {});
  // Folding may change operations.
  Region copy;
  IRMapping mapping;
  op.getBody().cloneInto(&copy, mapping);
  Block &body = copy.front();
  size_t n = samples.size(), differing = 0;
  std::string example;
  for (size_t k = 0; k < n * n * n; ++k) {
    // The first three elements are different.
    const Element &a = samples[k / (n * n)], &b = samples[(k / n + 1) % n],
                  &c = samples[(k + 2) % n];
    Element fromLeft = evaluate(body, evaluate(body, a, b), c);
    Element fromRight = evaluate(body, a, evaluate(body, b, c));
    if (!differ(fromLeft, fromRight))
      continue;
    if (++differing == 1)
      example = "of " + toText(a) + ", " + toText(b) + " and " + toText(c) +
                " it makes " + toText(fromLeft) + " from the left and " +
                toText(fromRight) + " from the right";
  }
  if (2 * differing <= n * n * n)
    return success();
  return op->emitOpError("[collective-order] the operator is not associative: ")
         << example
         << "; write an associative operator, or combine the elements one "
            "after "
            "the other: in scalar code, at level thread, or by the strategy "
            "sequential";
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
           << name << " is not a function with one block";
  SmallVector<Type> pair(elements);
  llvm::append_range(pair, elements);
  if (!llvm::equal(function.getArgumentTypes(), pair) ||
      !llvm::equal(function.getResultTypes(), elements)) {
    InFlightDiagnostic diagnostic = op->emitOpError("[R7-operator] ");
    diagnostic << name << " combines other elements; it has to be a function ("
               << pair << ") -> ";
    if (elements.size() == 1)
      return diagnostic << elements.front();
    return diagnostic << '(' << elements << ')';
  }
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
  // A word that no number was packed into is no sample.
  if (hasAttr<ObsDialect::PackedAttrHelper>(function))
    return success();
  return verifyOrder(op, name, function.getFunctionBody(), elements);
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
