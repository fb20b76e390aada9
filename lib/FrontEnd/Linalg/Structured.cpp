//===- Structured.cpp - Structured operations of linalg -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an operation with an iteration domain. Out: a map, a reduction or a
// product of matrices by the builder of whole arrays.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::fromlinalg;

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
static SmallVector<Value> matchElements(const Structured &s) {
  SmallVector<Value> elements;
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
    // The elements do not depend on the results.
    llvm::SetVector<Value> needed = s.getNeeded(elements.back());
    if (llvm::any_of(s.body->getArguments().drop_front(s.inputs),
                     [&](Value result) { return needed.contains(result); }))
      return {};
  }
  return areOperators || isChoice(s, elements) ? elements
                                               : SmallVector<Value>();
}

/// The updated values of some results, from the current values followed by the
/// elements. Two results may share an element in the body, but their partial
/// results differ.
SmallVector<Value> Converter::update(const Structured &s,
                                     ArrayRef<unsigned> results,
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

/// Results over the kept dimensions, with the dimensions of the results.
SmallVector<Value> Converter::arrange(const Structured &s, Values results) {
  for (auto [k, result] : llvm::enumerate(results))
    result = b.transpose(result, s.getOrder(k));
  return results;
}

/// The results, by associative operators.
SmallVector<Value> Converter::reduceAssociative(const Structured &s,
                                                ValueRange elements) {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, s.outputs));
  Values init;
  bool isUniform = true, isChosen = false;
  CollectiveOptions options;
  options.neutral = options.commutative = true;
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
      options.commutative = false;
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
      options.neutral = false;
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
    result = b.reduce(points, init, s.reduced, combine, options);
  }
  Values results = arrange(s, b.unzip(result));
  if (isUniform)
    return results;
  // The initial value of each result is combined once, after the elements.
  for (unsigned k : all)
    results[k] = b.map({s.operands[s.inputs + k], results[k]},
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
    llvm::SetVector<Value> needed = s.getNeeded(factors[side]);
    if (llvm::any_of(needed, [&](Value value) {
          Operation *op = value.getDefiningOp();
          return op && op->getBlock() == s.body &&
                 (isa<linalg::IndexOp, tensor::ExtractOp>(op) ||
                  op->getNumRegions());
        }))
      return {};
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
SmallVector<Value> Converter::reduceInOrder(const Structured &s) {
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
  return arrange(s, b.unzip(b.store(result).front()));
}

void Structured::numberByResult() {
  if (kept.empty())
    return;
  SmallVector<int64_t> order = getOrder(0);
  places = invertPermutationVector(order);
  AffineMap renumber = AffineMap::getPermutationMap(places, op->getContext());
  for (AffineMap &map : maps)
    map = map.compose(renumber);
  applyPermutationToVector(domain, order);
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
  if (s.reduced.empty()) {
    s.numberByResult();
    results = arrange(s, b.unzip(buildPoints(s, s.getYield()->getOperands())));
  } else if (Values elements = matchElements(s); !elements.empty()) {
    results = reduceAssociative(s, elements);
  } else {
    results = reduceInOrder(s);
  }
  Values memory;
  auto next = op->result_begin();
  for (auto [k, result] : llvm::enumerate(results)) {
    Value init = lookup(op.getDpsInits()[k]);
    if (isa<MemRefType>(init.getType()))
      memory.push_back(init);
    else
      (void)defineArray(*next++, result);
  }
  if (!memory.empty() && memory.size() != results.size())
    return op->emitOpError("has results in tensors and in memory");
  if (!memory.empty())
    write(results, memory);
  return success();
}
