//===- Values.cpp - The values of the nodes of a Dag program --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a node that is not stored, or an element of a stored one. Out: operations
// of arith, math and scf in the scope to which the value belongs, and
// reductions by a thread or by the threads of a level.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;
using Order = ScalarBuilder::Order;

//===----------------------------------------------------------------------===//
// Types and scopes
//===----------------------------------------------------------------------===//

void Lowering::addTypes(const DagType *type, Types &types) {
  switch (type->kind) {
  case DagType::Int:
    return types.push_back(b.getI32Type());
  case DagType::Float:
    return types.push_back(b.getF32Type());
  case DagType::Bool:
    return types.push_back(b.getI1Type());
  case DagType::Struct:
    for (const Variable &field : type->fields)
      addTypes(field.type, types);
    return;
  case DagType::Array:
    addTypes(type->element, types);
  }
}

Lowering::Types Lowering::getTypes(const DagType *type) {
  Types types;
  addTypes(type, types);
  return types;
}

unsigned Lowering::getDepth(ValueRange values) {
  unsigned depth = 0;
  for (Value value : values)
    for (unsigned k = getDepth(); k > depth; --k)
      if (scopes[k].block == value.getParentBlock())
        depth = k;
  return depth;
}

unsigned Lowering::getLoopDepth(Node *node) {
  // In a kernel, it is never the scope of the host.
  unsigned depth = std::min(getDepth(), 1u);
  for (Node *variable : node->getDependences()) {
    auto it = bindings.find(variable);
    if (it == bindings.end())
      continue;
    depth = std::max(depth, getDepth(it->second));
    for (unsigned k = getDepth(); k > depth; --k)
      if (scopes[k].indexInRow && it->second[0] == scopes[k].indexInRow)
        depth = k;
  }
  return depth;
}

Lowering::Values Lowering::at(unsigned depth, Body work) {
  OpBuilder::InsertionGuard guard(b);
  std::vector<Scope> open(std::make_move_iterator(scopes.begin() + depth + 1),
                          std::make_move_iterator(scopes.end()));
  scopes.erase(scopes.begin() + depth + 1, scopes.end());
  // The operations that contain the inner scopes do not exist yet.
  b.setInsertionPointToEnd(scopes[depth].block);
  Values values = work();
  llvm::move(open, std::back_inserter(scopes));
  return values;
}

Lowering::Values Lowering::inside(Level level, Body work) {
  scopes.push_back(Scope{b.getInsertionBlock(), level, {}});
  Values values = work();
  scopes.pop_back();
  return values;
}

std::vector<const void *> Lowering::getKey(Node *node, bool isIndex) {
  std::vector<const void *> key{node, isIndex ? node : nullptr};
  for (Node *variable : node->getDependences())
    if (auto it = bindings.find(variable); it != bindings.end())
      for (Value value : it->second)
        key.push_back(value.getAsOpaquePointer());
  return key;
}

Lowering::Values Lowering::getZeros(TypeRange types) {
  return llvm::map_to_vector(
      types, [&](mlir::Type type) { return b.getNumber(type, 0); });
}

Lowering::Values Lowering::choose(Value condition, ArrayRef<Value> others,
                                  Body body) {
  return b.choose(
      condition, [&] { return inside(getLevel(), body); },
      [&] { return Values(others); });
}

Lowering::Values Lowering::chooseInRow(Node *length, Value index,
                                       const DagType *type, Body body) {
  // If all rows have equal lengths, no condition is needed. The same holds for
  // a value that does not depend on the row.
  if (!length || length->free.empty() ||
      llvm::any_of(length->free, [&](Node *v) { return !bindings.count(v); }))
    return body();
  Value isInside = b.compare(Order::LT, index, emitIndex(length));
  return choose(isInside, getZeros(getTypes(type)), [&] {
    scopes.back().indexInRow = index;
    return body();
  });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Lowering::Values Lowering::emit(Node *node, bool isIndex) {
  node = resolve(node);
  std::vector<const void *> key = getKey(node, isIndex);
  for (Scope &scope : scopes)
    if (auto it = scope.known.find(key); it != scope.known.end())
      return it->second;
  Location outer = b.getLoc();
  b.setLoc(node->loc);
  Values values = isIndex ? Values{computeIndex(node)} : compute(node);
  b.setLoc(outer);
  return scopes[getDepth(values)].known[key] = values;
}

Value Lowering::computeFrom(Node *node, bool isIndex,
                            llvm::function_ref<Value(ValueRange)> function) {
  Values operands;
  for (Node *op : node->ops)
    operands.push_back(emit(op, isIndex)[0]);
  unsigned depth = node->isSafe ? 0 : getLoopDepth(node);
  return at(std::max(depth, getDepth(operands)),
            [&] { return Values{function(operands)}; })[0];
}

/// True for a number that is computed from indices and extents only. With 64
/// bits, it has the same value as with 32 bits.
static bool isAffine(Node *node) {
  if (node->is(Node::Scalar))
    return node->opcode() <= Opcode::Rem && isAffine(node->ops[0]) &&
           isAffine(node->ops[1]);
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         node->is(Node::Const) || node->is(Node::Param);
}

/// True for an affine number that is never negative.
static bool isNatural(Node *node) {
  if (node->is(Node::Scalar))
    return !node->is(Opcode::Sub) && isNatural(node->ops[0]) &&
           isNatural(node->ops[1]);
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         node->isBetween(0, INT64_MAX);
}

Value Lowering::computeIndex(Node *node) {
  if (node->is(Node::LoopVar))
    return bindings.at(node)[0];
  if (node->is(Node::ParamDim) || node->is(Node::Const))
    return at(0, [&]() -> Values {
      if (node->is(Node::Const))
        return {b.getIndex(node->attr)};
      Value dim = DimOp::create(b, bindings.at(node->ops[0])[0], node->attr);
      choices.estimates.emplace_back(dim, graph.estimate(node));
      return {dim};
    })[0];
  if (node->is(Node::Scalar) && isAffine(node))
    return computeFrom(node, /*isIndex=*/true, [&](ValueRange x) -> Value {
      if (node->is(Opcode::Div) && isNatural(node))
        return arith::DivUIOp::create(b, x[0], x[1]);
      if (node->is(Opcode::Rem) && isNatural(node))
        return arith::RemUIOp::create(b, x[0], x[1]);
      return computeScalar(node->opcode(), x);
    });
  Values number = emit(node);
  return at(getDepth(number),
            [&] { return Values{b.castToIndex(number[0])}; })[0];
}

Value Lowering::computeScalar(Opcode op, ValueRange x) {
  using namespace arith;
  mlir::Type i32 = b.getI32Type();
  switch (op) {
  case Opcode::Add:
    return b.add(x[0], x[1]);
  case Opcode::Sub:
    return b.sub(x[0], x[1]);
  case Opcode::Mul:
    return b.mul(x[0], x[1]);
  case Opcode::Div:
    return b.build<DivFOp, DivSIOp>(x[0], x[1]);
  case Opcode::Rem:
    return b.build<RemFOp, RemSIOp>(x[0], x[1]);
  case Opcode::Shl:
    return ShLIOp::create(b, x[0], x[1]);
  case Opcode::Shr:
    return ShRSIOp::create(b, x[0], x[1]);
  case Opcode::And:
  case Opcode::AndAnd:
    return AndIOp::create(b, x[0], x[1]);
  case Opcode::Or:
  case Opcode::OrOr:
    return OrIOp::create(b, x[0], x[1]);
  case Opcode::Xor:
    return XOrIOp::create(b, x[0], x[1]);
  case Opcode::Lt:
    return b.compare(Order::LT, x[0], x[1]);
  case Opcode::Le:
    return b.compare(Order::LE, x[0], x[1]);
  case Opcode::Gt:
    return b.compare(Order::GT, x[0], x[1]);
  case Opcode::Ge:
    return b.compare(Order::GE, x[0], x[1]);
  case Opcode::Neg:
    return b.negate(x[0]);
  case Opcode::Not:
    return XOrIOp::create(b, x[0], b.getNumber(i32, -1));
  case Opcode::Min:
  case Opcode::Max: {
    bool isMin = op == Opcode::Min;
    if (!isa<FloatType>(x[0].getType()))
      return isMin ? MinSIOp::create(b, x[0], x[1]).getResult()
                   : MaxSIOp::create(b, x[0], x[1]).getResult();
    // If both are equal, the result is the first one.
    Value isFirst = b.compare(isMin ? Order::LE : Order::GE, x[0], x[1]);
    return b.select(isFirst, x[0], x[1]);
  }
  case Opcode::Log2: {
    Value positive = MaxSIOp::create(b, x[0], b.getNumber(i32, 1));
    Value zeros = math::CountLeadingZerosOp::create(b, positive);
    return b.sub(b.getNumber(i32, 31), zeros);
  }
  case Opcode::FloatOfInt:
    return b.convert(x[0], b.getF32Type());
  case Opcode::IntOfFloat:
  case Opcode::IntOfBool:
    return b.convert(x[0], i32);
  }
  llvm_unreachable("all operations are above");
}

/// The second operand may read out of bounds if the first one determines the
/// result.
Lowering::Values Lowering::computeLazily(Node *node) {
  Values left = emit(node->ops[0]);
  return at(std::max(getDepth(left), getLoopDepth(node)), [&] {
    bool isAnd = node->is(Opcode::AndAnd);
    Value decided = b.getNumber(b.getI1Type(), !isAnd);
    Value condition = left[0];
    if (!isAnd)
      condition = arith::XOrIOp::create(b, condition, decided);
    Values values = choose(condition, decided, [&] {
      // The guard has no value: any value of this scope stands for it.
      bindings[node->ops[2]] = {b.getIndex(0)};
      return emit(node->ops[1]);
    });
    bindings.erase(node->ops[2]);
    return values;
  });
}

Lowering::Values Lowering::compute(Node *node) {
  switch (node->kind) {
  case Node::Const:
    return at(0, [&]() -> Values {
      mlir::Type type = getTypes(node->type)[0];
      return {b.getNumber(type, isa<FloatType>(type) ? node->number
                                                     : double(node->attr))};
    });
  case Node::Param:
  case Node::OpVar:
    return bindings.at(node);
  case Node::ParamDim:
  case Node::LoopVar: {
    Value index = emitIndex(node);
    return at(getDepth(index), [&]() -> Values {
      return {arith::IndexCastOp::create(b, b.getI32Type(), index)};
    });
  }
  case Node::Count: {
    const Stored &filter = stored.at(node->ops[0]);
    // The host knows the number of elements of a filter without loops.
    if (!filter.loops.empty())
      return readStored(filter.count, filter.loops, {}, getLoopDepth(node));
    return at(0, [&] {
      Values count = b.get(filter.count, b.getIndex(0));
      choices.estimates.emplace_back(count[0], graph.estimate(node));
      return count;
    });
  }
  case Node::Scalar:
    if (node->ops.size() == 3)
      return computeLazily(node);
    return {computeFrom(node, /*isIndex=*/false, [&](ValueRange x) {
      return computeScalar(node->opcode(), x);
    })};
  case Node::Tuple: {
    Values values;
    for (Node *op : node->ops)
      llvm::append_range(values, emit(op));
    return values;
  }
  case Node::Field: {
    unsigned first = 0;
    ArrayRef<Variable> fields = node->ops[0]->type->fields;
    for (const Variable &field : fields.take_front(node->attr))
      first += getTypes(field.type).size();
    Values whole = emit(node->ops[0]);
    return Values(ArrayRef(whole).slice(first, getTypes(node->type).size()));
  }
  case Node::Index:
    return access(node->ops[0], {emitIndex(node->ops[1])},
                  node->isSafe ? 0 : getLoopDepth(node));
  case Node::Reduce:
    if (isStored(node))
      return access(node, {});
    return at(getLoopDepth(node), [&] {
      bool isLoop = getLevel() == Level::Thread || getLevel() == Level::Grid ||
                    !isAssociative(node);
      return isLoop ? reduceByLoop(node) : reduceByLevel(node);
    });
  default:
    llvm_unreachable("arrays have no values");
  }
}

Lowering::Values Lowering::readStored(Value memory, ArrayRef<Node *> loops,
                                      ValueRange indices, unsigned depth) {
  auto zero = [&] { return at(0, [&] { return Values{b.getIndex(0)}; }); };
  Values all;
  SmallVector<int64_t> closed;
  for (auto [number, loop] : llvm::enumerate(loops)) {
    auto it = bindings.find(loop);
    if (it == bindings.end())
      closed.push_back(number);
    llvm::append_range(all, it == bindings.end() ? zero() : it->second);
  }
  llvm::append_range(all, indices);
  if (all.empty())
    all = zero();
  auto read = [&]() -> Values { return b.get(memory, all); };
  return at(std::max({depth, std::min(getDepth(), 1u), getDepth(all)}), [&] {
    if (closed.empty())
      return read();
    Value hasIterations;
    for (int64_t dim : closed) {
      Value hasSome =
          b.compare(Order::LT, b.getIndex(0), DimOp::create(b, memory, dim));
      hasIterations = hasIterations
                          ? arith::AndIOp::create(b, hasIterations, hasSome)
                          : hasSome;
    }
    auto type = cast<PullType>(memory.getType());
    return choose(hasIterations, getZeros(type.getElementTypes()), read);
  });
}

Lowering::Values Lowering::access(Node *array, Values indices, unsigned depth) {
  if (array->is(Node::Param))
    return readStored(bindings.at(array)[0], {}, indices, depth);
  if (isStored(array)) {
    const Stored &source = stored.at(array);
    return readStored(source.array, source.loops, indices, depth);
  }
  if (array->is(Node::Index)) {
    indices.insert(indices.begin(), emitIndex(array->ops[1]));
    return access(array->ops[0], indices, depth);
  }
  assert(array->is(Node::Build) && "all other arrays are stored");
  // The variable of the loop has another value for the time of this access.
  Node *variable = array->ops[1];
  std::map<Node *, Values>::node_type outer = bindings.extract(variable);
  bindings[variable] = {indices.front()};
  indices.erase(indices.begin());
  Values values = indices.empty() ? emit(array->ops[2])
                                  : access(array->ops[2], indices, depth);
  bindings.erase(variable);
  bindings.insert(std::move(outer));
  return values;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::pair<Node *, Node *> Lowering::getReduced(Node *node) {
  Node *array = node->ops[1];
  if (array->is(Node::Filter) && !isStored(array))
    return {array->ops[0], array->ops[1]};
  return {array, nullptr};
}

Lowering::Values Lowering::reduceByLoop(Node *node) {
  auto [array, flags] = getReduced(node);
  Value length = emitIndex(graph.getDim(array, 0));
  Values init = emit(node->ops[0]);
  auto step = [&, source = array, bools = flags](Value k, Values sum) {
    auto next = [&] {
      Values both = sum;
      llvm::append_range(both, access(source, {k}));
      return combine(node, both);
    };
    return bools ? choose(access(bools, {k})[0], sum, next) : next();
  };
  auto loop =
      scf::ForOp::create(b, b.getIndex(0), length, b.getIndex(1), init,
                         [&](OpBuilder &, Location, Value k, ValueRange sum) {
                           scf::YieldOp::create(b, inside(getLevel(), [&] {
                                                  return step(k, Values(sum));
                                                }));
                         });
  return Values(loop.getResults());
}

Lowering::Values Lowering::combine(Node *node, ValueRange elements) {
  unsigned count = elements.size() / 2;
  Values x(elements.take_front(count)), y(elements.drop_front(count));
  if (count == getTypes(node->ops[2]->type).size()) {
    bindings[node->ops[2]] = x;
    bindings[node->ops[3]] = y;
    Values values = emit(node->ops[4]);
    bindings.erase(node->ops[2]);
    bindings.erase(node->ops[3]);
    return values;
  }
  auto select = [&](Value condition, ArrayRef<Value> yes, ArrayRef<Value> no) {
    Values chosen;
    for (auto [u, v] : llvm::zip(yes, no))
      chosen.push_back(b.select(condition, u, v));
    return chosen;
  };
  Values xs(ArrayRef(x).drop_front()), ys(ArrayRef(y).drop_front()), pair = xs;
  llvm::append_range(pair, ys);
  Value one = arith::OrIOp::create(b, x[0], y[0]);
  Value two = arith::AndIOp::create(b, x[0], y[0]);
  Values single = select(x[0], xs, ys);
  Values next = node->ops[4]->isSafe
                    ? select(two, combine(node, pair), single)
                    : choose(two, single, [&] { return combine(node, pair); });
  next.insert(next.begin(), one);
  return next;
}

/// The first value of a reduction, which is always combined.
Lowering::Values Lowering::getFirst(Node *node) {
  Values init = emit(node->ops[0]);
  if (getReduced(node).second)
    init.insert(init.begin(), b.getNumber(b.getI1Type(), true));
  return init;
}

Lowering::Values Lowering::reduceByLevel(Node *node) {
  auto [array, flags] = getReduced(node);
  Value length = emitIndex(graph.getDim(array, 0));
  Values init = getFirst(node);
  Values sum = b.fold(
      read({flags, array}, length), init,
      [&](ValueRange e) { return combineElements(node, e); },
      /*commutative=*/node->attr != 0);
  if (flags)
    sum.erase(sum.begin());
  return sum;
}
