//===- AssociativeScans.cpp - Scans that JAX has unrolled -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// jax.lax.associative_scan is no operation of StableHLO. For n elements, JAX
// emits about 2 log2(n) stages. With f for the function of the user, the scan
// R(X) of an array X, or of several arrays with equal extents, is
//
//   X                                          if X has one element,
//   interleave(concat(X[0:1], E), O)           otherwise, with
//     Y = f(X[0:n-1:2], X[1:n:2])              the pairs,
//     O = R(Y)                                 the odd elements of the result,
//     E = f(O[0:m], X[2:n:2])                  its even elements.
//
// This file finds such a result and replaces it by one operation. The proof
// that it is a scan has two parts. First, the arrays X of the stages are found.
// They begin with those of one result; the function of one stage reads other
// arrays too, and comparing the functions of two stages finds them at each
// stage. All functions have to be equal to that of the second stage, where two
// components are never the same array by chance. Then, from the result on, the
// even elements of each stage have to be the same function of the odd elements
// and of X. This also finds X of the last stages, if other arrays have to be
// known before.
//
// A function is found if it is elementwise in all dimensions and if the scan
// has at least 16 elements. Everything else stays as it is, which is right, but
// slow.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

static constexpr StringLiteral scanName = "stablehlo.associative_scan";

/// The operation of this name that defines `value`; null if another one does.
static Operation *getDefining(Value value, StringRef name) {
  Operation *op = value.getDefiningOp();
  return op && op->getName().getStringRef() == name ? op : nullptr;
}

static ArrayRef<int64_t> getList(Operation *op, StringRef name) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

/// True if all values of the operation are tensors of known extents.
static bool hasTensors(Operation *op) {
  return llvm::all_of(llvm::concat<Value>(op->getOperands(), op->getResults()),
                      [](Value v) {
                        auto tensor = dyn_cast<RankedTensorType>(v.getType());
                        return tensor && tensor.hasStaticShape();
                      });
}

namespace {
/// The elements `start`, `start + stride`, ... of an array in one dimension.
struct Part {
  Value array;
  int64_t start = 0, stride = 1, count = 0;
};

/// A result of a scan of at least two elements.
struct Stage {
  /// X and O of the head of this file, and E; null if E has no elements.
  Value array, odd, even;
};

/// An element of an operand of the function.
struct Leaf {
  bool isSecond;
  unsigned component;
};

class ScanFinder {
public:
  /// Replaces a scan whose result is `result`, if it is one.
  static bool replace(Value result);

private:
  using Bind = function_ref<bool(Leaf, Value)>;

  struct Component {
    /// X of each stage. The last ones may be unknown.
    SmallVector<Value> arrays;
    /// R of each stage, as far as it is needed.
    SmallVector<Value> results;
  };

  explicit ScanFinder(int64_t dim) : dim(dim) {}

  static std::optional<int64_t> findDim(Value result);
  int64_t getLength(Value v) const { return getShape(v)[dim]; }
  Part getPart(Value value) const;
  bool isPart(Value value, Value array, int64_t start, int64_t stride) const;
  std::optional<Stage> getStage(Value result) const;

  bool addComponents(Value result);
  bool collect(Value value);
  bool match(Value pattern, Value value, ArrayRef<int64_t> shape, Bind bind,
             DenseMap<Value, Value> &known) const;
  bool match(unsigned component, Value value, Bind bind) const;
  bool isArray(unsigned component, unsigned k, Value array);
  bool isHalf(unsigned component, unsigned k, Value value, int64_t start);
  bool matchPairs(unsigned count);
  bool matchResult(unsigned stage, unsigned component, Value result);
  Value buildElement(OpBuilder &b, Value value, IRMapping &map) const;
  void build(Value result);

  int64_t dim;
  /// Stages with more than one element.
  unsigned stages = 0;
  SmallVector<Component> components;
  /// Components and stages whose X is not proved to be that of the scan.
  SmallVector<std::pair<unsigned, unsigned>> unproved;
  /// The operands of the functions of the second stage.
  llvm::MapVector<Value, Leaf> leaves;
  /// All values of these functions.
  DenseSet<Value> collected;
};
} // namespace

//===----------------------------------------------------------------------===//
// One stage
//===----------------------------------------------------------------------===//

/// The one dimension in which elements are interleaved.
std::optional<int64_t> ScanFinder::findDim(Value result) {
  Operation *merge = result.getDefiningOp();
  if (!merge || merge->getNumOperands() != 2)
    return {};
  Operation *pad = getDefining(merge->getOperand(0), "stablehlo.pad");
  if (!pad)
    return {};
  ArrayRef<int64_t> holes = getList(pad, "interior_padding");
  const int64_t *found = llvm::find(holes, 1);
  return found == holes.end() ? std::nullopt
                              : std::optional(found - holes.begin());
}

/// The elements of an array that `value` is: all, if it is no slice.
Part ScanFinder::getPart(Value value) const {
  Part whole{value, 0, 1, getLength(value)};
  Operation *op = getDefining(value, "stablehlo.slice");
  if (!op || op->getNumOperands() != 1 || !hasTensors(op))
    return whole;
  Value array = op->getOperand(0);
  Part part{array, 0, 1, 0};
  ArrayRef<int64_t> starts = getList(op, "start_indices"),
                    limits = getList(op, "limit_indices"),
                    strides = getList(op, "strides"), from = getShape(array),
                    to = getShape(value);
  if (starts.size() != from.size() || limits.size() != from.size() ||
      strides.size() != from.size() || to.size() != from.size())
    return whole;
  for (auto [d, extent] : llvm::enumerate(from)) {
    bool isSliced = static_cast<int64_t>(d) == dim;
    if (starts[d] < 0 || starts[d] > limits[d] || limits[d] > extent ||
        strides[d] < 1 ||
        to[d] != static_cast<int64_t>(
                     llvm::divideCeil(limits[d] - starts[d], strides[d])) ||
        (!isSliced && to[d] != extent))
      return whole;
    if (isSliced)
      part = {array, starts[d], strides[d], to[d]};
  }
  return part;
}

/// True if `value` is a part of an array. Its number of elements is the same as
/// that of other values, and so is not compared.
bool ScanFinder::isPart(Value value, Value array, int64_t start,
                        int64_t stride) const {
  if (value == array)
    return start == 0 && stride == 1;
  Part part = getPart(value);
  return part.array == array && part.start == start &&
         (part.stride == stride || part.count == 1);
}

/// Reads the interleaved elements of a result. JAX adds two arrays with zeros
/// between their elements, or takes their `or` if these are bits.
std::optional<Stage> ScanFinder::getStage(Value result) const {
  Operation *merge = result.getDefiningOp();
  bool isBit = getElement(result).isInteger(1);
  if (!getDefining(result, isBit ? "stablehlo.or" : "stablehlo.add") ||
      merge->getNumOperands() != 2 || !hasTensors(merge))
    return {};
  Value parts[2];
  for (int64_t k : {0, 1}) {
    Operation *pad = getDefining(merge->getOperand(k), "stablehlo.pad");
    if (!pad || pad->getNumOperands() != 2 || !hasTensors(pad))
      return {};
    parts[k] = pad->getOperand(0);
    Operation *padding = getDefining(pad->getOperand(1), "stablehlo.constant");
    auto number = padding ? padding->getAttrOfType<DenseElementsAttr>("value")
                          : DenseElementsAttr();
    auto isZero = [](Attribute value) {
      if (auto real = dyn_cast<FloatAttr>(value))
        return real.getValue().isZero();
      auto integer = dyn_cast<IntegerAttr>(value);
      return integer && integer.getValue().isZero();
    };
    SmallVector<int64_t> low(getShape(result).size()), high(low), holes(low);
    low[dim] = k;
    high[dim] = getLength(result) % 2 == k;
    holes[dim] = 1;
    if (!number || !number.isSplat() ||
        !isZero(number.getSplatValue<Attribute>()) ||
        getShape(parts[k]).size() != low.size() ||
        getList(pad, "edge_padding_low") != ArrayRef(low) ||
        getList(pad, "edge_padding_high") != ArrayRef(high) ||
        getList(pad, "interior_padding") != ArrayRef(holes) ||
        getLength(parts[k]) != (getLength(result) + 1 - k) / 2)
      return {};
  }
  Operation *concat = getDefining(parts[0], "stablehlo.concatenate");
  if (!concat || !hasTensors(concat) || concat->getNumOperands() == 0)
    return {};
  Part first = getPart(concat->getOperand(0));
  Stage stage{first.array, parts[1], {}};
  if (first.start != 0 || first.count != 1 ||
      first.array.getType() != result.getType() ||
      getShape(stage.odd).size() != getShape(result).size())
    return {};
  if (concat->getNumOperands() == 2 && getLength(concat->getOperand(1)) > 0)
    stage.even = concat->getOperand(1);
  if (concat->getNumOperands() > 2 || (!stage.even && getLength(result) > 2))
    return {};
  return stage;
}

//===----------------------------------------------------------------------===//
// Equal functions
//===----------------------------------------------------------------------===//

static Attribute getSplat(Operation *constant) {
  auto value = constant->getAttrOfType<DenseElementsAttr>("value");
  return value && value.isSplat() ? value.getSplatValue<Attribute>()
                                  : Attribute();
}

/// True if the elements of the result are a function of those of the operands,
/// which have the extents of the result or none.
static bool isElementwise(Operation *op, ArrayRef<int64_t> shape) {
  if (!hasTensors(op) || op->getNumResults() != 1 ||
      getShape(op->getResult(0)) != shape || op->getNumRegions())
    return false;
  StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.constant")
    return static_cast<bool>(getSplat(op));
  auto fits = [&](Value operand) {
    return getShape(operand) == shape || getShape(operand).empty();
  };
  if (name == "stablehlo.broadcast_in_dim")
    return op->getNumOperands() == 1 && getShape(op->getOperand(0)).empty();
  return ElementOp::find(op) && llvm::all_of(op->getOperands(), fits);
}

/// Reads a function of the second stage from its result on: its operands are
/// parts of the arrays of components, which may be new ones.
bool ScanFinder::collect(Value value) {
  if (getShape(value).empty() || !collected.insert(value).second)
    return true;
  if (collected.size() > 1024)
    return false;
  Part part = getPart(value);
  if (part.array != value) {
    // X of the second stage, with half of the elements.
    auto isSame = [&](const Component &c) { return c.arrays[1] == part.array; };
    unsigned component = llvm::find_if(components, isSame) - components.begin();
    int64_t length = getLength(components[0].arrays[1]);
    if (getLength(part.array) != length || part.start > 1 ||
        !isPart(value, part.array, part.start, 2) || part.count != length / 2)
      return false;
    if (component == components.size()) {
      components.emplace_back();
      components.back().arrays.resize(stages + 1);
      components.back().results.resize(stages + 1);
      components.back().arrays[1] = part.array;
      unproved.push_back({component, 1});
    }
    leaves[value] = {part.start == 1, component};
    return true;
  }
  Operation *op = value.getDefiningOp();
  return op && isElementwise(op, getShape(value)) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return collect(v); });
}

/// True if `value` is what `pattern` is, but for its extents. `bind` says
/// whether a value may be an operand of the function.
bool ScanFinder::match(Value pattern, Value value, ArrayRef<int64_t> shape,
                       Bind bind, DenseMap<Value, Value> &known) const {
  if (!isa<RankedTensorType>(value.getType()) ||
      getElement(pattern) != getElement(value))
    return false;
  auto [before, isNew] = known.try_emplace(pattern, value);
  if (!isNew)
    return before->second == value;
  if (auto leaf = leaves.find(pattern); leaf != leaves.end())
    return getShape(value) == shape && bind(leaf->second, value);
  if (getShape(pattern).empty() && pattern == value)
    return true;
  Operation *op = pattern.getDefiningOp(), *other = value.getDefiningOp();
  bool isScalar = getShape(pattern).empty();
  if (!op || !other || op->getName() != other->getName() ||
      op->getNumOperands() != other->getNumOperands() ||
      !isElementwise(op, getShape(pattern)) ||
      !isElementwise(other, isScalar ? ArrayRef<int64_t>() : shape))
    return false;
  if (op->getName().getStringRef() == "stablehlo.constant")
    return getSplat(op) == getSplat(other);
  return op->getAttrDictionary() == other->getAttrDictionary() &&
         llvm::all_of_zip(
             op->getOperands(), other->getOperands(),
             [&](Value x, Value y) { return match(x, y, shape, bind, known); });
}

bool ScanFinder::match(unsigned component, Value value, Bind bind) const {
  DenseMap<Value, Value> known;
  return isa<RankedTensorType>(value.getType()) &&
         match(components[component].arrays[2], value, getShape(value), bind,
               known);
}

//===----------------------------------------------------------------------===//
// All stages
//===----------------------------------------------------------------------===//

/// Finds X of all stages, from one result on.
bool ScanFinder::addComponents(Value result) {
  Component first;
  for (Value odd = result; getLength(odd) > 1;) {
    std::optional<Stage> stage = getStage(odd);
    if (!stage)
      return false;
    first.arrays.push_back(stage->array);
    odd = stage->odd;
    if (getLength(odd) == 1)
      first.arrays.push_back(odd);
  }
  stages = first.arrays.size() - 1;
  first.results.resize(stages + 1);
  components.push_back(std::move(first));
  for (unsigned k = 1; k <= stages; ++k)
    unproved.push_back({0, k});
  // A stage has the arrays that are operands of the next one's.
  for (unsigned c = 0; c < components.size(); ++c)
    if (c > 16 || !components[c].arrays[1] || !components[c].arrays[2] ||
        !collect(components[c].arrays[2]) || !matchPairs(c + 1))
      return false;
  return true;
}

/// True if X of a component and a stage is `array`, or may be: then
/// `matchPairs` proves it.
bool ScanFinder::isArray(unsigned component, unsigned k, Value array) {
  Value &known = components[component].arrays[k];
  if (!known && getShape(array) == getShape(components[0].arrays[k])) {
    known = array;
    if (k > 0)
      unproved.push_back({component, k});
  }
  return known == array;
}

/// True if `value` is every second element of X from `start` on.
bool ScanFinder::isHalf(unsigned component, unsigned k, Value value,
                        int64_t start) {
  Part part = getPart(value);
  return part.array != value && isPart(value, part.array, start, 2) &&
         isArray(component, k, part.array);
}

/// Proves each X that is not proved, but only those of `count` components.
bool ScanFinder::matchPairs(unsigned count) {
  SmallVector<std::pair<unsigned, unsigned>> later;
  while (!unproved.empty()) {
    auto [c, k] = unproved.pop_back_val();
    if (c >= count)
      later.push_back({c, k});
    else if (!match(c, components[c].arrays[k], [&](Leaf leaf, Value value) {
               return isHalf(leaf.component, k - 1, value, leaf.isSecond);
             }))
      return false;
  }
  unproved = std::move(later);
  return true;
}

/// Checks a result of a component from one stage on.
bool ScanFinder::matchResult(unsigned k, unsigned component, Value result) {
  // A result of one element is X of the last stage.
  SmallVector<std::tuple<unsigned, unsigned, Value>> work = {
      {k, component, result}};
  while (!work.empty()) {
    auto [stageNumber, c, result] = work.pop_back_val();
    unsigned k = stageNumber;
    Component &own = components[c];
    if (own.results[k] && own.results[k] != result)
      return false;
    if (std::exchange(own.results[k], result))
      continue;
    auto isOperand = [&](Leaf leaf, Value value) {
      return isHalf(leaf.component, stages - 1, value, leaf.isSecond);
    };
    if (k == stages) {
      if (!match(c, result, isOperand))
        return false;
      continue;
    }
    std::optional<Stage> stage = getStage(result);
    if (!stage || !isArray(c, k, stage->array))
      return false;
    work.push_back({k + 1, c, stage->odd});
    if (stage->even && !match(c, stage->even, [&](Leaf leaf, Value value) {
          if (leaf.isSecond)
            return isHalf(leaf.component, k, value, 2);
          Part part = getPart(value);
          // A result of one element may have a slice, too, which is all of it.
          if (part.start != 0 || (part.stride != 1 && part.count != 1) ||
              getLength(part.array) != getLength(stage->odd))
            return false;
          work.push_back({k + 1, leaf.component, part.array});
          return true;
        }))
      return false;
  }
  return matchPairs(components.size());
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// The scalar of the function that is `value` for each element.
Value ScanFinder::buildElement(OpBuilder &b, Value value,
                               IRMapping &map) const {
  if (Value known = map.lookupOrNull(value))
    return known;
  if (getShape(value).empty())
    return value;
  Operation *op = value.getDefiningOp();
  Value element;
  if (op->getName().getStringRef() == "stablehlo.broadcast_in_dim") {
    element = op->getOperand(0);
  } else {
    for (Value operand : op->getOperands())
      map.map(operand, buildElement(b, operand, map));
    auto type = RankedTensorType::get({}, getElement(value));
    Operation *copy = op->clone(map);
    b.insert(copy);
    copy->getResult(0).setType(type);
    if (Attribute splat = getSplat(op))
      copy->setAttr("value", DenseElementsAttr::get(type, splat));
    element = copy->getResult(0);
  }
  map.map(value, element);
  return element;
}

/// Erases operations of StableHLO without uses, from `op` on.
static void eraseUnused(Operation *op) {
  SetVector<Operation *> work;
  work.insert(op);
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (!next->use_empty() || next->getNumRegions() ||
        next->getName().getDialectNamespace() != "stablehlo")
      continue;
    for (Value operand : next->getOperands())
      if (Operation *before = operand.getDefiningOp())
        work.insert(before);
    next->erase();
  }
}

/// Builds the operation and replaces all results of the scan by its results.
void ScanFinder::build(Value result) {
  SmallVector<Value> results(components.size());
  results[0] = result;
  Operation *first = result.getDefiningOp();
  for (unsigned c = 0; c < components.size(); ++c) {
    Value array = components[c].arrays[0];
    // The first elements of a result are those of X, three operations before.
    SmallVector<Operation *> users(array.getUsers());
    for (unsigned before = 0; before < 3; ++before) {
      llvm::SetVector<Operation *> next;
      for (Operation *op : users)
        if (is_contained(
                {"stablehlo.slice", "stablehlo.concatenate", "stablehlo.pad"},
                op->getName().getStringRef()))
          next.insert_range(op->getUsers());
      users = next.takeVector();
    }
    for (Operation *merge : users) {
      Value other = merge->getNumResults() == 1 ? merge->getResult(0) : Value();
      if (results[c] || !other || merge->getBlock() != first->getBlock() ||
          other.getType() != array.getType())
        continue;
      auto before = components;
      if (!matchResult(0, c, other)) {
        components = std::move(before);
        unproved.clear();
        continue;
      }
      results[c] = other;
      if (merge->isBeforeInBlock(first))
        first = merge;
    }
  }
  OperationState state(result.getLoc(), scanName);
  auto block = std::make_unique<Block>();
  for (unsigned half : {0, 1})
    for (const Component &component : components) {
      auto type = RankedTensorType::get({}, getElement(component.arrays[0]));
      block->addArgument(type, result.getLoc());
      if (half)
        continue;
      state.addOperands(component.arrays[0]);
      state.addTypes(component.arrays[0].getType());
    }
  OpBuilder b(result.getContext());
  state.addAttribute("dimension", b.getI64IntegerAttr(dim));
  b.setInsertionPointToEnd(block.get());
  IRMapping map;
  for (auto [value, leaf] : leaves)
    map.map(value, block->getArgument(leaf.component +
                                      leaf.isSecond * components.size()));
  OperationState end(result.getLoc(), "stablehlo.return");
  for (const Component &component : components)
    end.addOperands(buildElement(b, component.arrays[2], map));
  b.create(end);
  state.addRegion()->push_back(block.release());
  b.setInsertionPoint(first);
  Operation *scan = b.create(state);
  for (auto [old, found] : llvm::zip_equal(results, scan->getResults()))
    if (old) {
      old.replaceAllUsesWith(found);
      eraseUnused(old.getDefiningOp());
    }
}

bool ScanFinder::replace(Value result) {
  std::optional<int64_t> dim = findDim(result);
  if (!dim || !hasTensors(result.getDefiningOp()) ||
      static_cast<int64_t>(getShape(result).size()) <= *dim ||
      getShape(result)[*dim] < 16)
    return false;
  ScanFinder finder(*dim);
  if (!finder.addComponents(result) || !finder.matchResult(0, 0, result))
    return false;
  finder.build(result);
  return true;
}

LogicalResult Importer::findScans(Block &block) {
  auto isInterleaved = [](Operation &op) {
    return llvm::is_contained(getList(&op, "interior_padding"), 1);
  };
  bool hasScans = llvm::any_of(block, isInterleaved);
  // Each stage calls functions of its own.
  for (unsigned depth = 0; hasScans && depth < 8; ++depth)
    for (auto call : llvm::make_early_inc_range(block.getOps<func::CallOp>())) {
      FailureOr<func::FuncOp> callee = findCallee(call);
      if (failed(callee))
        return failure();
      OpBuilder builder(call);
      IRMapping map;
      Block &body = callee->getBody().front();
      map.map(body.getArguments(), call.getOperands());
      for (Operation &op : body.without_terminator())
        builder.clone(op, map);
      for (auto [result, value] :
           llvm::zip_equal(call.getResults(), body.back().getOperands()))
        result.replaceAllUsesWith(map.lookupOrDefault(value));
      call.erase();
    }
  while (hasScans)
    hasScans = llvm::any_of(llvm::reverse(block), [](Operation &op) {
      StringRef name = op.getName().getStringRef();
      return (name == "stablehlo.add" || name == "stablehlo.or") &&
             op.getNumResults() == 1 && ScanFinder::replace(op.getResult(0));
    });
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(findScans(inner)))
          return failure();
  return success();
}
