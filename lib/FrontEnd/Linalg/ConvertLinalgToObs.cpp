//===- ConvertLinalgToObs.cpp - Programs of linalg as programs of obs -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table from operations on tensors to operations of the builder of whole
// arrays. All structured operations of linalg, named or generic, are one case:
// one interface has their iteration domain, index maps and elementwise
// function.
//
// A tensor of rank 0 is an array of extents [1]. The new functions are beside
// the old ones, and replace them if all of them could be converted.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/Passes.h"

#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::obs {
#define GEN_PASS_DEF_CONVERTLINALGTOOBSPASS
#include "Obsidian/FrontEnd/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
using Values = SmallVector<Value>;
using Numbers = SmallVector<int64_t>;
using Extents = SmallVector<OpFoldResult>;

/// A structured operation with the results of its analysis.
struct Structured {
  explicit Structured(linalg::LinalgOp op)
      : op(op), body(op.getBlock()), inputs(op.getNumDpsInputs()),
        outputs(op.getNumDpsInits()), maps(op.getIndexingMapsArray()) {}

  Operation *op;
  Block *body;
  unsigned inputs, outputs;
  SmallVector<AffineMap> maps;
  /// The numbers of its dimensions, by their iterator types.
  Numbers kept, reduced;
  /// The lowered operands: arrays, or scalars.
  Values operands;
  /// The extents of the dimensions.
  Extents domain;

  /// The argument of the body for the elements of an operand; null if none.
  Value getArgument(unsigned operand) const {
    return operand < body->getNumArguments() ? body->getArgument(operand)
                                             : Value();
  }
  Value getOutput(unsigned k) const { return getArgument(inputs + k); }
  AffineMap getOutputMap(unsigned k) const { return maps[inputs + k]; }
  Operation *getYield() const { return body->getTerminator(); }
  /// The positions of the dimensions of a result among the kept dimensions.
  Numbers getOrder(unsigned k) const {
    return llvm::map_to_vector(
        getOutputMap(k).getResults(), [&](AffineExpr expr) -> int64_t {
          return llvm::find(kept, cast<AffineDimExpr>(expr).getPosition()) -
                 kept.begin();
        });
  }
};

class Converter {
public:
  explicit Converter(ModuleOp module)
      : module(module), tables(module),
        b(module.getLoc(), module.getContext()) {}
  LogicalResult run();

private:
  // Functions and blocks.
  bool isTarget(func::FuncOp function);
  LogicalResult convertFunction(func::FuncOp function);
  FailureOr<Values> convertBlock(Block &block);
  LogicalResult convertOp(Operation *op);
  LogicalResult convertScalar(Operation *op);
  LogicalResult convertCall(func::CallOp op);

  // Checks. Each one emits an error at the operation.
  LogicalResult verifyType(Operation *op, Type type);
  LogicalResult verifyBody(Operation *op, Block &body);
  LogicalResult verifyMaps(Structured &s);
  LogicalResult findDomain(Structured &s);
  void assertSame(OpFoldResult extent, OpFoldResult other, StringRef message);

  // Values.
  Value lookup(Value value) { return values.lookup(value); }
  Value getArray(Value value);
  Extents getNumbers(ArrayRef<OpFoldResult> numbers);
  /// The extents of a type.
  Extents getShape(Type type, ValueRange dynamic);
  /// Rank 0 becomes one dimension of extent 1.
  Extents orOne(Extents extents) {
    return extents.empty() ? Extents{b.getIndexAttr(1)} : extents;
  }
  Values orZero(Values place) {
    return place.empty() ? Values{b.getIndex(0)} : place;
  }
  void define(Value result, Value array);
  void write(ValueRange arrays, ValueRange memory);

  // Elementwise functions.
  Value buildValue(Value value, IRMapping &map, ValueRange indices);
  Value buildCode(Block &body, ValueRange arguments);
  Values getPlace(AffineMap map, ValueRange indices);
  Value align(const Structured &s, unsigned operand);
  Value buildPoints(const Structured &s, ValueRange wanted);

  // Operations.
  LogicalResult convertStructured(linalg::LinalgOp op);
  Values update(const Structured &s, ArrayRef<unsigned> results,
                ValueRange elements, ValueRange values);
  Values reduceAssociative(const Structured &s, ValueRange elements);
  Value contract(const Structured &s, Value element, Value init,
                 ScalarCode combine);
  Values reduceInOrder(const Structured &s);
  LogicalResult convertConstant(arith::ConstantOp op);
  LogicalResult convertElementwise(Operation *op);
  LogicalResult convertSlice(tensor::ExtractSliceOp op);
  LogicalResult convertInsert(tensor::InsertSliceOp op);
  LogicalResult convertGather(tensor::GatherOp op);
  LogicalResult convertPad(tensor::PadOp op);
  LogicalResult convertExtract(tensor::ExtractOp op);

  ModuleOp module;
  SymbolTable tables;
  ArrayBuilder b;
  DenseMap<Value, Value> values;
  /// The current contents of each memref.
  DenseMap<Value, Value> contents;
  /// The functions whose calls are being inlined.
  SmallVector<Operation *> calls;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool isElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

LogicalResult Converter::verifyType(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto memref = dyn_cast<MemRefType>(type);
  if (!isElement(shaped ? shaped.getElementType() : type) ||
      (tensor && tensor.getEncoding()))
    return op->emitOpError("has a value of a type that obs does not have: ")
           << type;
  if (shaped && !shaped.hasRank())
    return op->emitOpError("has a value without a rank: cast it to a ranked "
                           "type");
  if (memref && (!memref.getLayout().isIdentity() || memref.getMemorySpace()))
    return op->emitOpError("has memory whose elements are not in row-major "
                           "order in the default memory space: copy it to such "
                           "memory first");
  int64_t size = 1;
  for (int64_t extent : shaped ? shaped.getShape() : ArrayRef<int64_t>())
    if (!ShapedType::isDynamic(extent) &&
        (llvm::MulOverflow(size, extent, size) || size > int64_t(1) << 48))
      return op->emitOpError("has a value of more than 2^48 elements");
  return success();
}

/// The body consists of scalar operations, and reads outer tensors by
/// `tensor.extract` only.
LogicalResult Converter::verifyBody(Operation *op, Block &body) {
  WalkResult result = body.walk([&](Operation *inner) -> WalkResult {
    StringRef dialect = inner->getName().getDialectNamespace();
    bool isKnown = llvm::is_contained({"arith", "math", "scf"}, dialect) &&
                   !isa<scf::ForallOp, scf::ParallelOp>(inner);
    if (!isKnown && !isa<linalg::IndexOp, linalg::YieldOp, tensor::YieldOp,
                         tensor::ExtractOp>(inner))
      return inner->emitOpError("is not supported in the function of elements "
                                "of '")
             << op->getName()
             << "': compute it by an operation on tensors before";
    for (Value value :
         llvm::concat<Value>(inner->getOperands(), inner->getResults()))
      if (!isElement(value.getType()) &&
          !(isa<tensor::ExtractOp>(inner) && lookup(value)))
        return inner->emitOpError("in the function of elements of '")
               << op->getName()
               << "' has a value that is no element: " << value.getType();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// True if the expression is a sum of multiples of dimensions.
static bool isSum(AffineExpr expr) {
  bool isSum = true;
  expr.walk([&](AffineExpr part) {
    isSum &=
        llvm::is_contained({AffineExprKind::Add, AffineExprKind::Mul,
                            AffineExprKind::Constant, AffineExprKind::DimId},
                           part.getKind());
  });
  return isSum;
}

LogicalResult Converter::verifyMaps(Structured &s) {
  for (AffineMap map : s.maps)
    if (!llvm::all_of(map.getResults(), isSum) || map.getNumSymbols())
      return s.op->emitOpError("has the index map ")
             << AffineMapAttr::get(map)
             << ", which is no sum of multiples of dimensions: compute "
             << "the index in the body and read by tensor.extract";
  for (unsigned k = 0; k < s.outputs; ++k) {
    AffineMap map = s.getOutputMap(k);
    Numbers dims;
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims.push_back(dim.getPosition());
    if (dims.size() == map.getNumResults())
      for (int64_t dim : s.reduced)
        if (llvm::is_contained(dims, dim))
          return s.op->emitOpError("writes a result at an index of the "
                                   "reduction dimension d")
                 << dim << ": make an operation of its own for this result";
    llvm::sort(dims);
    if (dims != s.kept || dims.size() != map.getNumResults())
      return s.op->emitOpError("has a result with the index map ")
             << AffineMapAttr::get(map)
             << ", which is no permutation of the parallel dimensions: "
             << "reshape the result after the operation";
  }
  return success();
}

/// True if two extents are known to be equal.
static bool isSameExtent(OpFoldResult a, OpFoldResult b) {
  if (isEqualConstantIntOrValue(a, b))
    return true;
  auto x = dyn_cast<Value>(a), y = dyn_cast<Value>(b);
  auto p = x ? x.getDefiningOp<DimOp>() : DimOp(),
       q = y ? y.getDefiningOp<DimOp>() : DimOp();
  return p && q && p.getArray() == q.getArray() &&
         p.getDimension() == q.getDimension();
}

void Converter::assertSame(OpFoldResult extent, OpFoldResult other,
                           StringRef message) {
  if (isSameExtent(extent, other))
    return;
  Value isSame = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       b.getIndex(extent), b.getIndex(other));
  AssertOp::create(b, isSame, b.getStringAttr(message));
}

/// Finds the extent of each dimension in an operand that is indexed by it
/// alone.
LogicalResult Converter::findDomain(Structured &s) {
  s.domain.resize(s.kept.size() + s.reduced.size());
  auto visit = [&](llvm::function_ref<void(OpFoldResult &, OpFoldResult)> use) {
    for (auto [operand, map] : llvm::zip_equal(s.operands, s.maps))
      if (isa<PullType>(operand.getType()))
        for (auto [d, expr] : llvm::enumerate(map.getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            use(s.domain[dim.getPosition()], b.getExtent(operand, d));
  };
  visit([](OpFoldResult &extent, OpFoldResult found) {
    if (!extent || (getConstantIntValue(found) && !getConstantIntValue(extent)))
      extent = found;
  });
  for (auto [d, extent] : llvm::enumerate(s.domain))
    if (!extent)
      return s.op->emitOpError("has no operand with the index d")
             << d << ", which would tell its extent: add one, as poolings have";
  LogicalResult result = success();
  visit([&](OpFoldResult &extent, OpFoldResult found) {
    if (getConstantIntValue(extent) && getConstantIntValue(found) &&
        !isSameExtent(extent, found))
      result = failure();
    else
      assertSame(
          extent, found,
          ("the extents of '" + s.op->getName().getStringRef() + "' do not fit")
              .str());
  });
  if (failed(result))
    return s.op->emitOpError("has operands whose extents do not fit");
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The lowered tensor, the contents of memory, or the scalar.
Value Converter::getArray(Value value) {
  Value lowered = lookup(value);
  if (!isa<MemRefType>(lowered.getType()))
    return lowered;
  Value &array = contents[lowered];
  if (!array)
    array = ViewOp::create(b, lowered, DenseI64ArrayAttr());
  return array;
}

Extents Converter::getNumbers(ArrayRef<OpFoldResult> numbers) {
  Extents lowered;
  for (OpFoldResult number : numbers) {
    auto value = dyn_cast<Value>(number);
    lowered.push_back(value ? OpFoldResult(lookup(value)) : number);
    if (auto known = getConstantIntValue(lowered.back()))
      lowered.back() = b.getIndexAttr(*known);
  }
  return lowered;
}

Extents Converter::getShape(Type type, ValueRange dynamic) {
  return orOne(getNumbers(
      getMixedValues(cast<ShapedType>(type).getShape(), dynamic, b)));
}

/// Binds `result` to `array`, which has at least the static extents of its
/// type.
void Converter::define(Value result, Value array) {
  auto type = cast<ShapedType>(result.getType());
  Extents extents = b.getExtents(array);
  bool isKnown = true;
  for (auto [extent, known] : llvm::zip(extents, type.getShape()))
    if (!ShapedType::isDynamic(known) && !getConstantIntValue(extent)) {
      assertSame(extent, b.getIndexAttr(known),
                 "a tensor does not have the extents of its type");
      extent = b.getIndexAttr(known);
      isKnown = false;
    }
  values[result] = isKnown ? array : b.reshape(array, extents);
}

/// One kernel writes all arrays, since each may read memory that others
/// replace.
void Converter::write(ValueRange arrays, ValueRange memory) {
  // Memory whose elements are all equal need not be read.
  auto force = ForceOp::create(b, arrays, memory);
  for (auto [array, written, place] :
       llvm::zip_equal(arrays, force.getResults(), memory))
    contents[place] = array.getDefiningOp<SplatOp>() ? array : Value(written);
}

//===----------------------------------------------------------------------===//
// Elementwise functions
//===----------------------------------------------------------------------===//

/// The values from outside that an operation and its regions read.
static llvm::SetVector<Value> getReads(Operation *op) {
  llvm::SetVector<Value> reads;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()) ||
          inner == op)
        reads.insert(operand);
  });
  return reads;
}

/// Builds the code of a value of a body from the values in `map` and the
/// `indices` of the iteration, unless it exists already.
Value Converter::buildValue(Value value, IRMapping &map, ValueRange indices) {
  if (Value known = map.lookupOrNull(value))
    return known;
  if (Value outer = lookup(value))
    return outer;
  Operation *op = value.getDefiningOp();
  for (Value read : getReads(op))
    if (isElement(read.getType()))
      map.map(read, buildValue(read, map, indices));
  Operation *copy = b.clone(*op, map);
  // The copy may be an operation of linalg or tensor, or contain some.
  SmallVector<Operation *> others;
  copy->walk([&](Operation *inner) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      others.push_back(inner);
  });
  for (Operation *inner : others) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner);
    Value result;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      result = indices[index.getDim()];
    } else {
      auto extract = cast<tensor::ExtractOp>(inner);
      result = b.getOne(lookup(extract.getTensor()),
                        orZero(Values(extract.getIndices())));
    }
    if (inner == copy)
      map.map(value, result);
    inner->replaceAllUsesWith(ValueRange(result));
    inner->erase();
  }
  return map.lookup(value);
}

/// The element that the block of a `tensor.generate` or `tensor.pad` yields.
Value Converter::buildCode(Block &body, ValueRange arguments) {
  IRMapping map;
  map.map(body.getArguments(), arguments.take_front(body.getNumArguments()));
  return buildValue(body.getTerminator()->getOperand(0), map, {});
}

Values Converter::getPlace(AffineMap map, ValueRange indices) {
  std::function<Value(AffineExpr)> build = [&](AffineExpr expr) -> Value {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return indices[dim.getPosition()];
    if (auto number = dyn_cast<AffineConstantExpr>(expr))
      return b.getIndex(number.getValue());
    auto both = cast<AffineBinaryOpExpr>(expr);
    Value left = build(both.getLHS()), right = build(both.getRHS());
    return expr.getKind() == AffineExprKind::Add
               ? b.createOrFold<arith::AddIOp>(left, right)
               : b.createOrFold<arith::MulIOp>(left, right);
  };
  return orZero(Values(llvm::map_range(map.getResults(), build)));
}

/// The operand as an array over the domain. A scalar stays a scalar.
Value Converter::align(const Structured &s, unsigned operand) {
  Value lowered = s.operands[operand];
  AffineMap map = s.maps[operand];
  if (auto same = lowered.getDefiningOp<SplatOp>())
    return same.getValues().front();
  if (!isa<PullType>(lowered.getType()) || map.isIdentity())
    return lowered;
  if (map.isPermutation()) {
    Numbers order;
    for (unsigned d = 0; d < map.getNumDims(); ++d)
      order.push_back(*map.getResultPosition(b.getAffineDimExpr(d)));
    return b.transpose(lowered, order);
  }
  return b.gather(lowered, orOne(s.domain),
                  [&](ValueRange i) { return getPlace(map, i); });
}

/// One array over the domain, whose components are values of the body.
Value Converter::buildPoints(const Structured &s, ValueRange wanted) {
  // The values in the body on which the wanted values depend.
  llvm::SetVector<Value> needed(wanted.begin(), wanted.end());
  llvm::SmallSetVector<int64_t, 4> dims;
  for (unsigned k = 0; k < needed.size(); ++k)
    if (Operation *op = needed[k].getDefiningOp();
        op && op->getBlock() == s.body) {
      for (Value read : getReads(op))
        needed.insert(read);
      op->walk([&](linalg::IndexOp index) { dims.insert(index.getDim()); });
    }
  Extents domain = orOne(s.domain);
  IRMapping known;
  Values arrays, arguments;
  for (unsigned k = 0; k < s.operands.size(); ++k)
    if (Value argument = s.getArgument(k);
        argument && needed.contains(argument)) {
      Value aligned = align(s, k);
      if (!isa<PullType>(aligned.getType())) {
        known.map(argument, aligned);
        continue;
      }
      arrays.push_back(aligned);
      arguments.push_back(argument);
      if (wanted.size() == 1 && wanted.front() == argument)
        return aligned;
    }
  for (int64_t dim : dims)
    arrays.push_back(
        b.generate(domain, [&](ValueRange i) -> Values { return {i[dim]}; }));
  auto code = [&](ValueRange elements) {
    IRMapping map = known;
    map.map(ValueRange(arguments), elements.take_front(arguments.size()));
    Values indices(s.domain.size());
    for (auto [dim, index] :
         llvm::zip(dims, elements.drop_front(arguments.size())))
      indices[dim] = index;
    return llvm::map_to_vector(
        wanted, [&](Value value) { return buildValue(value, map, indices); });
  };
  if (!arrays.empty())
    return b.map(arrays, code);
  Values scalars;
  for (Value value : wanted)
    if (Value scalar =
            known.contains(value) ? known.lookup(value) : lookup(value))
      scalars.push_back(scalar);
  if (scalars.size() == wanted.size())
    return b.splat(scalars, domain);
  return b.generate(domain, [&](ValueRange) { return code({}); });
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

/// The neutral element of an associative and commutative operator; null for
/// other operations.
static TypedAttr getNeutral(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      (op->getResult(0).getType().isIndex() &&
       !isa<arith::AddIOp, arith::MulIOp>(op)))
    return {};
  // The neutral element is -0, because 0 + -0 is 0.
  if (isa<arith::AddFOp>(op)) {
    auto type = cast<FloatType>(op->getResult(0).getType());
    return FloatAttr::get(
        type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  }
  return arith::getNeutralElement(op).value_or(TypedAttr());
}

/// True if the condition compares the element with the current result.
static bool isKey(const Structured &s, arith::SelectOp select, unsigned k,
                  Value element) {
  auto operands = select.getCondition().getDefiningOp()->getOperands();
  return llvm::is_contained(operands, s.getOutput(k)) &&
         llvm::is_contained(operands, element);
}

/// True if one comparison chooses all results: if the key of the element is
/// larger (or smaller) than the current key, each result takes its element.
static bool isChoice(const Structured &s, ArrayRef<Value> elements) {
  Value condition;
  bool hasKey = false;
  for (auto [k, value] : llvm::enumerate(s.getYield()->getOperands())) {
    auto select = value.getDefiningOp<arith::SelectOp>();
    if (!select || (condition && condition != select.getCondition()))
      return false;
    condition = select.getCondition();
    Operation *compare = condition.getDefiningOp();
    Value output = s.getOutput(k);
    // The comparison must be strict and false for a NaN.
    auto real = dyn_cast_or_null<arith::CmpFOp>(compare);
    auto integer = dyn_cast_or_null<arith::CmpIOp>(compare);
    using Real = arith::CmpFPredicate;
    using Int = arith::CmpIPredicate;
    bool isStrict =
        real ? llvm::is_contained({Real::OGT, Real::OLT}, real.getPredicate())
             : integer &&
                   llvm::is_contained({Int::sgt, Int::slt, Int::ugt, Int::ult},
                                      integer.getPredicate());
    if (!isStrict || !llvm::all_of(output.getUsers(), [&](Operation *user) {
          return user == select || user == compare;
        }))
      return false;
    hasKey |= isKey(s, select, k, elements[k]);
  }
  return hasKey;
}

/// The elements that update the results, one for each, if the update is
/// associative: operators, or a choice. Empty otherwise.
static Values matchElements(const Structured &s) {
  DenseSet<Value> dependent;
  for (unsigned k = 0; k < s.outputs; ++k)
    dependent.insert(s.getOutput(k));
  for (Operation &op : s.body->without_terminator())
    if (llvm::any_of(getReads(&op),
                     [&](Value read) { return dependent.contains(read); }))
      dependent.insert_range(op.getResults());
  Values elements;
  bool areOperators = true;
  for (auto [k, value] : llvm::enumerate(s.getYield()->getOperands())) {
    Operation *op = value.getDefiningOp();
    Value output = s.getOutput(k);
    if (!op || op->getBlock() != s.body || !output ||
        !llvm::is_contained(op->getOperands(), output))
      return {};
    bool isOperator = getNeutral(op) && output.hasOneUse();
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!isOperator && !(select && select.getFalseValue() == output))
      return {};
    areOperators &= isOperator;
    elements.push_back(
        select ? select.getTrueValue()
               : op->getOperand(op->getOperand(0) == output ? 1 : 0));
    if (dependent.contains(elements.back()))
      return {};
  }
  return areOperators || isChoice(s, elements) ? elements : Values();
}

/// The updated values of some results, from the current values followed by the
/// elements. Two results may share an element in the body, but their partial
/// results differ.
Values Converter::update(const Structured &s, ArrayRef<unsigned> results,
                         ValueRange elements, ValueRange values) {
  Value condition;
  Values updated;
  auto build = [&](Value value, unsigned place, Value chooser = {}) {
    IRMapping map;
    if (chooser)
      map.map(chooser, condition);
    map.map(s.getOutput(results[place]), values[place]);
    map.map(elements[results[place]], values[results.size() + place]);
    return buildValue(value, map, {});
  };
  for (auto [place, k] : llvm::enumerate(results))
    if (auto select =
            s.getYield()->getOperand(k).getDefiningOp<arith::SelectOp>())
      if (isKey(s, select, k, elements[k]))
        condition = build(select.getCondition(), place);
  for (auto [place, k] : llvm::enumerate(results)) {
    Value value = s.getYield()->getOperand(k);
    auto select = value.getDefiningOp<arith::SelectOp>();
    updated.push_back(
        build(value, place, select ? select.getCondition() : Value()));
  }
  return updated;
}

/// The results over the kept dimensions, in order.
Values Converter::reduceAssociative(const Structured &s, ValueRange elements) {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, s.outputs));
  Values init;
  bool isUniform = true, isChosen = false;
  Choice choice;
  choice.neutral = choice.commutative = true;
  for (unsigned k : all) {
    auto same = s.operands[s.inputs + k].getDefiningOp<SplatOp>();
    isUniform &= bool(same);
    init.push_back(same ? same.getValues().front() : Value());
  }
  for (unsigned k : all) {
    Operation *op = s.getYield()->getOperand(k).getDefiningOp();
    isChosen |= isa<arith::SelectOp>(op);
    // Sums and products of floats keep their order.
    if (isa<arith::AddFOp, arith::MulFOp, arith::SelectOp>(op))
      choice.commutative = false;
    TypedAttr neutral = getNeutral(op);
    // A sum of floats that begins with 0 may begin with 0 a second time.
    Attribute known;
    if (isChosen)
      continue;
    if (!isUniform)
      init[k] = arith::ConstantOp::create(b, neutral);
    else if (!matchPattern(init[k], m_Constant(&known)) ||
             (known != neutral &&
              !(isa<arith::AddFOp>(op) &&
                cast<FloatAttr>(known).getValue().isZero())))
      choice.neutral = false;
  }
  if (isChosen && !isUniform)
    return reduceInOrder(s);
  auto combine = [&](ValueRange e) { return update(s, all, elements, e); };
  Value result = contract(s, elements.front(), init.front(), combine);
  if (!result) {
    Value points = buildPoints(s, elements);
    // An element that the initial value excludes is never chosen. Without such
    // elements, to which NaNs belong, the order is total.
    if (isChosen)
      points = b.map(points, [&](ValueRange e) {
        Values both(init);
        llvm::append_range(both, e);
        return combine(both);
      });
    result = b.reduce(points, init, s.reduced, combine, choice);
  }
  Values results = b.unzip(result);
  if (isUniform)
    return results;
  // The initial value of each result is combined once, after the elements.
  for (unsigned k : all)
    results[k] = b.map({b.transpose(s.operands[s.inputs + k],
                                    invertPermutationVector(s.getOrder(k))),
                        results[k]},
                       [&](ValueRange e) { return update(s, k, elements, e); });
  return results;
}

/// The product of two operands as matrices; null for other operations.
Value Converter::contract(const Structured &s, Value element, Value init,
                          ScalarCode combine) {
  if (s.inputs != 2 || s.outputs != 1 ||
      !llvm::all_of(s.maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(s.maps);
  if (failed(dims) || dims->m.empty() || dims->n.empty() ||
      dims->batch.size() + dims->m.size() + dims->n.size() + dims->k.size() !=
          s.domain.size())
    return {};
  // Each product is a function of one side times a function of the other side.
  Operation *product = element.getDefiningOp();
  if (!product || !isa<arith::MulFOp, arith::MulIOp>(product) ||
      product->getBlock() != s.body)
    return {};
  Values factors(product->getOperands());
  SmallVector<ArrayBuilder::Side> sides;
  for (unsigned side : {0, 1}) {
    llvm::SetVector<Value> needed;
    needed.insert(factors[side]);
    for (unsigned k = 0; k < needed.size(); ++k)
      if (Operation *op = needed[k].getDefiningOp();
          op && op->getBlock() == s.body) {
        if (isa<linalg::IndexOp, tensor::ExtractOp>(op) || op->getNumRegions())
          return {};
        needed.insert_range(op->getOperands());
      }
    Value array = s.operands[side];
    if (!needed.contains(s.getArgument(side)) ||
        needed.contains(s.getArgument(1 - side)) ||
        !isa<PullType>(array.getType()))
      return {};
    if (factors[side] != s.getArgument(side))
      array = b.map(array, [&](ValueRange e) -> Values {
        IRMapping map;
        map.map(s.getArgument(side), e.front());
        return {buildValue(factors[side], map, {})};
      });
    auto locate = [&](ArrayRef<unsigned> some) {
      return llvm::map_to_vector(some, [&](unsigned dim) -> int64_t {
        return *s.maps[side].getResultPosition(b.getAffineDimExpr(dim));
      });
    };
    sides.push_back({array, locate(dims->batch),
                     locate(side ? dims->n : dims->m), locate(dims->k)});
  }
  Value result = b.contract(
      sides[0], sides[1], init,
      [&](ValueRange e) -> Values {
        IRMapping map;
        map.map(ValueRange(factors), e);
        return {b.clone(*product, map)->getResult(0)};
      },
      combine);
  // The kept dimensions in order.
  SmallVector<unsigned, 2> found(dims->batch);
  llvm::append_range(found, dims->m);
  llvm::append_range(found, dims->n);
  return b.transpose(result,
                     llvm::map_to_vector(s.kept, [&](int64_t dim) -> int64_t {
                       return llvm::find(found, dim) - found.begin();
                     }));
}

/// The results of any body: one thread computes each element, with the loops of
/// the operation.
Values Converter::reduceInOrder(const Structured &s) {
  Extents outer;
  for (int64_t dim : s.kept)
    outer.push_back(s.domain[dim]);
  auto read = [&](unsigned operand, ValueRange at) {
    Value lowered = s.operands[operand];
    return isa<PullType>(lowered.getType())
               ? b.getOne(lowered, getPlace(s.maps[operand], at))
               : lowered;
  };
  Value result = b.generate(orOne(outer), [&](ValueRange i) {
    Values at(s.domain.size()), init, first, last, step;
    for (auto [dim, index] : llvm::zip(s.kept, i))
      at[dim] = index;
    for (unsigned k = 0; k < s.outputs; ++k)
      init.push_back(read(s.inputs + k, at));
    for (int64_t dim : s.reduced) {
      first.push_back(b.getIndex(0));
      last.push_back(b.getIndex(s.domain[dim]));
      step.push_back(b.getIndex(1));
    }
    scf::LoopNest nest = scf::buildLoopNest(
        b, b.getLoc(), first, last, step, init,
        [&](OpBuilder &, Location, ValueRange j, ValueRange carried) {
          for (auto [dim, index] : llvm::zip_equal(s.reduced, j))
            at[dim] = index;
          IRMapping map;
          for (unsigned k = 0; k < s.inputs; ++k)
            map.map(s.getArgument(k), read(k, at));
          for (auto [k, value] : llvm::enumerate(carried))
            if (Value output = s.getOutput(k))
              map.map(output, value);
          return llvm::map_to_vector(
              s.getYield()->getOperands(),
              [&](Value value) { return buildValue(value, map, at); });
        });
    return Values(nest.results);
  });
  return b.unzip(b.store(result).front());
}

LogicalResult Converter::convertStructured(linalg::LinalgOp op) {
  Structured s(op);
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == utils::IteratorType::parallel ? s.kept : s.reduced).push_back(d);
  if (failed(verifyMaps(s)) || failed(verifyBody(op, *s.body)))
    return failure();
  for (Value operand : op->getOperands())
    s.operands.push_back(getArray(operand));
  if (failed(findDomain(s)))
    return failure();
  Values results;
  if (s.reduced.empty())
    results = b.unzip(buildPoints(s, s.getYield()->getOperands()));
  else if (Values elements = matchElements(s); !elements.empty())
    results = reduceAssociative(s, elements);
  else
    results = reduceInOrder(s);
  Values memory;
  auto next = op->result_begin();
  for (auto [k, result] : llvm::enumerate(results)) {
    result = b.transpose(result, s.getOrder(k));
    Value init = lookup(op.getDpsInits()[k]);
    if (isa<MemRefType>(init.getType()))
      memory.push_back(init);
    else
      define(*next++, result);
  }
  if (!memory.empty() && memory.size() != results.size())
    return op->emitOpError("has results in tensors and in memory");
  if (!memory.empty())
    write(results, memory);
  return success();
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.emitOpError("has elements that are not in the program: "
                          "give them as a parameter");
  if (dense.empty() || dense.isSplat()) {
    auto number = dense.empty() ? b.getZeroAttr(dense.getElementType())
                                : dense.getSplatValue<Attribute>();
    Value scalar = arith::ConstantOp::create(b, cast<TypedAttr>(number));
    values[op] = b.splat(scalar, getShape(op.getType(), {}));
    return success();
  }
  if (dense.getNumElements() > 1 << 24)
    return op.emitOpError("has more than 2^24 elements: give them as a "
                          "parameter");
  values[op] = ConstantOp::create(b, dense);
  return success();
}

/// An operation of `arith` or `math` on tensors.
LogicalResult Converter::convertElementwise(Operation *op) {
  Values arrays, scalars;
  for (Value operand : op->getOperands()) {
    Value lowered = lookup(operand);
    bool isArray = isa<PullType>(lowered.getType());
    scalars.push_back(isArray ? Value() : lowered);
    if (isArray)
      arrays.push_back(lowered);
  }
  define(op->getResult(0), b.map(arrays, [&](ValueRange e) -> Values {
    IRMapping map;
    auto next = e.begin();
    for (auto [operand, scalar] : llvm::zip(op->getOperands(), scalars)) {
      Value element = scalar ? scalar : *next++;
      map.map(operand, element);
    }
    Operation *copy = b.clone(*op, map);
    copy->getResult(0).setType(getElementTypeOrSelf(op->getResult(0)));
    return {copy->getResult(0)};
  }));
  return success();
}

LogicalResult Converter::convertSlice(tensor::ExtractSliceOp op) {
  Value array = lookup(op.getSource());
  Extents sizes = getNumbers(op.getMixedSizes());
  if (!sizes.empty()) {
    if (llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s < 1; }))
      return op.emitOpError("has a stride that is not known, or less than 1: "
                            "write it as a linalg.generic with tensor.extract");
    array = b.slice(array, getNumbers(op.getMixedOffsets()), sizes,
                    op.getStaticStrides());
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Extents extents;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      extents.push_back(size);
  define(op, dropped.any() ? b.reshape(array, orOne(extents)) : array);
  return success();
}

LogicalResult Converter::convertInsert(tensor::InsertSliceOp op) {
  Extents sizes = getNumbers(op.getMixedSizes()),
          offsets = getNumbers(op.getMixedOffsets());
  Value source = lookup(op.getSource());
  if (llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s < 1; }))
    return op.emitOpError("has a stride that is not known, or less than 1");
  if (sizes.empty()) {
    values[op] = source;
    return success();
  }
  source = b.reshape(source, sizes);
  define(op, b.scatter(
                 lookup(op.getDest()), sizes,
                 [&](ValueRange i) {
                   Target target;
                   for (auto [d, index] : llvm::enumerate(i))
                     target.indices.push_back(b.createOrFold<arith::AddIOp>(
                         b.createOrFold<arith::MulIOp>(
                             index, b.getIndex(op.getStaticStrides()[d])),
                         b.getIndex(offsets[d])));
                   target.values = b.get(source, i);
                   return target;
                 },
                 WriteContract()));
  return success();
}

LogicalResult Converter::convertGather(tensor::GatherOp op) {
  Value source = lookup(op.getSource()), indices = lookup(op.getIndices());
  ArrayRef<int64_t> dims = op.getGatherDims();
  unsigned leading = op.getIndicesType().getRank() - 1;
  bool isReduced =
      op.getResultType().getRank() != leading + op.getSourceType().getRank();
  Extents extents = b.getExtents(indices);
  extents.truncate(leading);
  // The index of the result for each dimension of the source.
  Numbers places;
  for (auto [d, extent] : llvm::enumerate(b.getExtents(source))) {
    bool isGathered = llvm::is_contained(dims, d);
    places.push_back(isGathered ? -1 : extents.size());
    if (!isGathered || !isReduced)
      extents.push_back(isGathered ? b.getIndexAttr(1) : extent);
  }
  define(op, b.gather(source, orOne(extents), [&](ValueRange i) {
    Values place;
    for (auto [d, from] : llvm::enumerate(places)) {
      if (from >= 0) {
        place.push_back(i[from]);
        continue;
      }
      Values at(i.take_front(leading));
      at.push_back(b.getIndex(llvm::find(dims, d) - dims.begin()));
      Value index = b.getOne(indices, at);
      place.push_back(
          index.getType().isIndex()
              ? index
              : arith::IndexCastOp::create(b, b.getIndexType(), index));
    }
    return place;
  }));
  return success();
}

LogicalResult Converter::convertPad(tensor::PadOp op) {
  Block &body = op.getRegion().front();
  if (failed(verifyBody(op, body)))
    return failure();
  Value source = lookup(op.getSource());
  unsigned rank = op.getSourceType().getRank();
  define(op, rank ? b.pad(source, getNumbers(op.getMixedLowPad()),
                          getNumbers(op.getMixedHighPad()), Numbers(rank, 0),
                          [&](ValueRange i) -> Values {
                            return {buildCode(body, i)};
                          })
                  : source);
  return success();
}

/// A scalar of the host.
LogicalResult Converter::convertExtract(tensor::ExtractOp op) {
  Value array = lookup(op.getTensor());
  if (auto same = array.getDefiningOp<SplatOp>()) {
    values[op] = same.getValues().front();
    return success();
  }
  array = b.store(array).front();
  values[op.getTensor()] = array;
  Values place = llvm::map_to_vector(
      op.getIndices(), [&](Value index) { return lookup(index); });
  values[op] = b.getOne(array, orZero(place));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// True if the function has one block, which ends with a return.
static bool hasPlainBody(func::FuncOp function) {
  Region &body = function.getBody();
  return body.hasOneBlock() && !body.front().empty() &&
         isa<func::ReturnOp>(body.front().back());
}

LogicalResult Converter::convertScalar(Operation *op) {
  IRMapping map;
  for (Value operand : op->getOperands())
    map.map(operand, lookup(operand));
  Operation *copy = b.clone(*op, map);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    values[result] = value;
  return success();
}

LogicalResult Converter::convertCall(func::CallOp op) {
  auto callee = tables.lookup<func::FuncOp>(op.getCallee());
  if (!isTarget(callee))
    return convertScalar(op);
  if (!hasPlainBody(callee))
    return op.emitOpError("calls a function without a body of one block");
  if (llvm::is_contained(calls, callee))
    return op.emitOpError("calls a function that calls itself: write a loop "
                          "of linalg instead");
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), op.getOperands()))
    values[argument] = lookup(operand);
  calls.push_back(callee);
  FailureOr<Values> results = convertBlock(callee.getBody().front());
  calls.pop_back();
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *results))
    values[result] = value;
  return success();
}

LogicalResult Converter::convertOp(Operation *op) {
  b.setLoc(op->getLoc());
  bool hasArrays = false;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    if (failed(verifyType(op, value.getType())))
      return failure();
    hasArrays |= isa<ShapedType>(value.getType());
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return convertStructured(structured);
  auto convert = [&](Value result, Value array) {
    define(result, array);
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp op) {
        return hasArrays ? convertConstant(op) : convertScalar(op);
      })
      .Case([&](bufferization::MaterializeInDestinationOp op) {
        Value source = lookup(op.getSource()), place = lookup(op.getDest());
        if (!isa<MemRefType>(place.getType()))
          return convert(op.getResult(), source);
        write(source, place);
        return success();
      })
      .Case([&](bufferization::ToTensorOp op) {
        return convert(op, getArray(op.getBuffer()));
      })
      .Case([&](func::CallOp op) { return convertCall(op); })
      .Case([&](memref::CopyOp op) {
        write(getArray(op.getSource()), lookup(op.getTarget()));
        return success();
      })
      .Case<memref::DimOp, tensor::DimOp>([&](auto op) -> LogicalResult {
        std::optional<int64_t> dim = op.getConstantIndex();
        int64_t rank = cast<ShapedType>(op.getSource().getType()).getRank();
        if (!dim || *dim < 0 || *dim >= rank)
          return op.emitOpError("needs a constant dimension of the array");
        values[op] = b.getIndex(b.getExtent(getArray(op.getSource()), *dim));
        return success();
      })
      .Case([&](tensor::CastOp op) {
        return convert(op, lookup(op.getSource()));
      })
      .Case([&](tensor::CollapseShapeOp op) {
        Extents from = b.getExtents(lookup(op.getSrc())), to;
        for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
          Extents part;
          for (int64_t dim : group)
            part.push_back(from[dim]);
          to.push_back(b.getProduct(part));
        }
        return convert(op, b.reshape(lookup(op.getSrc()), orOne(to)));
      })
      .Case([&](tensor::ConcatOp op) {
        Values parts = llvm::map_to_vector(
            op.getInputs(), [&](Value input) { return lookup(input); });
        return convert(op, b.concat(parts, op.getDim()));
      })
      .Case([&](tensor::EmptyOp op) {
        // The elements do not matter.
        Value zero = arith::ConstantOp::create(
            b, cast<TypedAttr>(b.getZeroAttr(op.getType().getElementType())));
        return convert(
            op, b.splat(zero, getShape(op.getType(), op.getDynamicSizes())));
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return convert(op,
                       b.reshape(lookup(op.getSrc()),
                                 orOne(getNumbers(op.getMixedOutputShape()))));
      })
      .Case([&](tensor::ExtractOp op) { return convertExtract(op); })
      .Case([&](tensor::ExtractSliceOp op) { return convertSlice(op); })
      .Case([&](tensor::FromElementsOp op) -> LogicalResult {
        if (op.getElements().size() > 64 || op.getElements().empty())
          return op.emitOpError("is supported for 1 to 64 elements: give more "
                                "of them as a parameter");
        Values parts;
        for (Value element : op.getElements())
          parts.push_back(b.splat(lookup(element), orOne({})));
        return convert(
            op, b.reshape(b.concat(parts, 0), getShape(op.getType(), {})));
      })
      .Case([&](tensor::GatherOp op) { return convertGather(op); })
      .Case([&](tensor::GenerateOp op) -> LogicalResult {
        Block &body = op.getBody().front();
        if (failed(verifyBody(op, body)))
          return failure();
        return convert(
            op, b.generate(getShape(op.getType(), op.getDynamicExtents()),
                           [&](ValueRange i) -> Values {
                             return {buildCode(body, i)};
                           }));
      })
      .Case([&](tensor::InsertSliceOp op) { return convertInsert(op); })
      .Case([&](tensor::PadOp op) { return convertPad(op); })
      .Case([&](tensor::SplatOp op) {
        return convert(op,
                       b.splat(lookup(op.getInput()),
                               getShape(op.getType(), op.getDynamicSizes())));
      })
      .Default([&](Operation *op) -> LogicalResult {
        bool isScalar = llvm::is_contained({"arith", "math"},
                                           op->getName().getDialectNamespace());
        if (isScalar && hasArrays && op->hasTrait<OpTrait::Elementwise>())
          return convertElementwise(op);
        if (isScalar && !hasArrays)
          return convertScalar(op);
        return op->emitOpError("has no counterpart in obs: rewrite it by "
                               "linalg.generic and operations of tensor");
      });
}

/// The returned values of the block. Its arguments have values.
FailureOr<Values> Converter::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convertOp(&op)))
      return failure();
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return lookup(value); });
}

/// False for functions of obs and functions without arrays, which stay.
bool Converter::isTarget(func::FuncOp function) {
  auto hasTensor = [](TypeRange types) {
    return llvm::any_of(types, llvm::IsaPred<TensorType>);
  };
  WalkResult found = function.walk([&](Operation *op) {
    return isa<linalg::LinalgDialect, tensor::TensorDialect,
               bufferization::BufferizationDialect>(op->getDialect()) ||
                   hasTensor(op->getResultTypes())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return hasTensor(function.getArgumentTypes()) ||
         hasTensor(function.getResultTypes()) || found.wasInterrupted();
}

LogicalResult Converter::convertFunction(func::FuncOp function) {
  if (!hasPlainBody(function))
    return function.emitOpError("needs a body of one block");
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (failed(verifyType(function, type)))
      return failure();
  for (Type type : function.getArgumentTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    Numbers extents(shaped ? shaped.getShape() : ArrayRef<int64_t>());
    if (extents.empty())
      extents.push_back(1);
    types.push_back(
        !shaped ? type
        : isa<MemRefType>(type)
            ? Type(MemRefType::get(extents, shaped.getElementType()))
            : PullType::get(b.getContext(), extents, shaped.getElementType()));
  }
  OpBuilder::InsertionGuard guard(b);
  b.setLoc(function.getLoc());
  b.setInsertionPoint(function);
  auto lowered =
      func::FuncOp::create(b, function.getName(), b.getFunctionType(types, {}));
  Block *entry = lowered.addEntryBlock();
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), entry->getArguments()))
    values[argument] = value;
  b.setInsertionPointToEnd(entry);
  calls.assign(1, function);
  contents.clear();
  FailureOr<Values> results = convertBlock(function.getBody().front());
  if (failed(results)) {
    lowered.erase();
    return failure();
  }
  b.setLoc(function.getBody().front().back().getLoc());
  Values arrays;
  for (Value result : *results)
    if (isa<PullType>(result.getType()))
      arrays.push_back(result);
  arrays = b.store(arrays);
  auto next = arrays.begin();
  for (Value &result : *results)
    if (isa<PullType>(result.getType()))
      result = *next++;
  func::ReturnOp::create(b, *results);
  lowered.setFunctionType(
      b.getFunctionType(types, ValueRange(*results).getTypes()));
  b.finish(lowered);
  lowered.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  return success();
}

LogicalResult Converter::run() {
  SmallVector<func::FuncOp> sources, lowered;
  for (auto function : module.getOps<func::FuncOp>())
    if (isTarget(function))
      sources.push_back(function);
  LogicalResult result = success();
  for (func::FuncOp function : sources) {
    if (!function.isPublic())
      continue;
    result = convertFunction(function);
    if (failed(result))
      break;
    lowered.push_back(cast<func::FuncOp>(function->getPrevNode()));
    result = verify(lowered.back());
    if (failed(result))
      break;
  }
  for (func::FuncOp function : succeeded(result) ? sources : lowered)
    function.erase();
  return result;
}

namespace {
struct ConvertLinalgToObsPass
    : public mlir::obs::impl::ConvertLinalgToObsPassBase<
          ConvertLinalgToObsPass> {
  void runOnOperation() override {
    if (failed(convertLinalgToObs(getOperation())))
      signalPassFailure();
  }
};
} // namespace

LogicalResult obs::convertLinalgToObs(ModuleOp module) {
  return Converter(module).run();
}
