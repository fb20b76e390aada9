//===- Lowering.cpp - From the graph of a Dag program to obs --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every node is virtual or stored. A stored node inside of loops is stored for
// all iterations of these loops, by a separate kernel before the kernel that
// reads it. So kernels never need additional memory, and extents need no static
// bound.
//
// The code of a kernel is a stack of scopes: the host, the region of a level,
// the region of one element, loops. Each value is computed once, in the
// outermost scope in which all loops that it depends on are open.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

namespace {
/// The components of a value, and the number of the scope that computes them.
struct Result {
  SmallVector<Value, 4> values;
  unsigned depth = 0;
};

struct Scope {
  Block *block;
  Level level;
  /// Code of this scope is inserted before this operation, which contains the
  /// inner scopes. If it is null, code is inserted at the end of the block.
  Operation *inner = nullptr;
  std::map<std::pair<std::vector<void *>, bool>, Result> known;
};

class Lowering {
public:
  Lowering(Graph &graph, StringRef name, const Plan &plan, Choices &choices)
      : graph(graph), name(name), plan(plan), choices(choices),
        context(graph.diagnostics.context), builder(context),
        indexType(builder.getIndexType()) {}

  OwningOpRef<ModuleOp> run();

private:
  using Types = SmallVector<mlir::Type, 4>;
  using Body = llvm::function_ref<SmallVector<Value, 4>()>;

  // Decides which values are stored.
  void analyze();
  void visit(Node *node);
  Node *resolve(Node *node);
  bool isStored(Node *node);
  bool canBeStored(Node *node);
  SmallVector<Node *, 4> getLoops(Node *node);
  void collectStored(Node *node, std::set<Node *> &seen,
                     SmallVectorImpl<Node *> &found);
  void collectReductions(Node *node, std::set<Node *> &seen,
                         SmallVectorImpl<Node *> &found);
  bool isHeavy(Node *node);
  Schedule getSchedule(Node *node, ArrayRef<Node *> loops, unsigned rank);

  // Types.
  void addTypes(const DagType *type, Types &types);
  Types getTypes(const DagType *type);
  PullType pull(unsigned rank, ArrayRef<mlir::Type> types) {
    return PullType::get(
        context, SmallVector<int64_t>(rank, ShapedType::kDynamic), types);
  }
  PushType push(Level level, ArrayRef<int64_t> extents,
                ArrayRef<mlir::Type> types) {
    return PushType::get(context, level, extents, types);
  }

  // Scopes.
  /// Runs `work` with the insertion point in scope `depth`. Scopes inside of it
  /// are closed during this time.
  void at(unsigned depth, llvm::function_ref<void()> work);
  /// Runs `work` in a new scope for `block` of `op`. `op` is in the current
  /// innermost scope.
  void inside(Operation *op, Block *block, Level level,
              llvm::function_ref<void()> work);
  void bind(Node *variable, ArrayRef<Value> values);
  Level getLevel() const { return scopes.back().level; }
  unsigned getDepth() const { return scopes.size() - 1; }
  unsigned getLoopDepth(Node *node);
  Result getBinding(Node *loop);
  std::vector<void *> getKey(Node *node);

  // Values.
  Result emit(Node *node);
  Result compute(Node *node);
  /// An int as a value of type `index`.
  Result emitIndex(Node *node);
  Result computeIndex(Node *node);
  Result computeLazily(Node *node);
  Value computeBinary(Opcode op, Value a, Value b);
  Value computeMath(Node *node, ValueRange values);
  /// The element of `array`. It is not computed outside of scope `depth`.
  Result access(Node *array, SmallVector<Result, 4> indices,
                unsigned depth = 0);
  Result reduce(Node *node);
  Result reduceByLoop(Node *node, Node *array, Node *flags);
  SmallVector<Value, 4> reduceByLevel(Node *node, Node *array, Node *flags,
                                      Level level);
  void addOperator(Region &region, Node *node, bool hasFlags);
  Value constantIndex(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value zero(mlir::Type type) {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  /// The values of `body` if `condition` is true, else `others`.
  SmallVector<Value, 4> choose(Value condition, ArrayRef<Value> others,
                               Body body);

  // Arrays and kernels.
  struct Stored {
    Value array;
    Value count; ///< The number of elements of a filter in loops.
    SmallVector<Node *, 4> loops;
  };
  Value generate(ValueRange extents, ArrayRef<mlir::Type> types,
                 llvm::function_ref<SmallVector<Value, 4>(ValueRange)> element);
  Value getExtent(Node *bound);
  Value addGridKernel(Node *node, Node *array, Value extent);
  void store(Node *node);
  void storeElements(Node *node, Stored &stored);
  void storeCollective(Node *node, Stored &stored);
  /// The factors of a matrix product. The first depends on the rows of the
  /// result, the second on the columns. Null if `node` is not a matrix product.
  std::pair<Node *, Node *> getFactors(Node *node);
  Value storeProduct(Node *node);
  Value getFactor(Node *factor, Node *outer, Node *inner);
  SmallVector<Value, 4> runCollective(Node *node, Level level, Value extent);
  SmallVector<Value, 4> emitElement(Node *node, ArrayRef<Node *> loops,
                                    ArrayRef<Value> indices, Node *current,
                                    unsigned firstLoop = 0);
  Node *open(Node *array);
  SmallVector<Value, 4>
  distribute(Level level, ArrayRef<Value> extents, ArrayRef<Node *> loops,
             llvm::function_ref<SmallVector<Value, 4>()> body);
  void nameKernel(ForceOp op);
  SmallVector<Value, 4> force(ValueRange arrays);
  void returnValue(Node *node, SmallVectorImpl<Value> &values,
                   const std::string &valueName);
  void checkExpectations();
  void fail(Node *node, const Twine &message) {
    graph.diagnostics.error(node->loc, message);
  }
  bool hasFailed() const { return graph.diagnostics.hasFailed(); }

  Graph &graph;
  StringRef name;
  const Plan &plan;
  Choices &choices;
  MLIRContext *context;
  OpBuilder builder;
  mlir::Type indexType;
  Location loc = builder.getUnknownLoc();
  func::FuncOp function;

  std::vector<std::string> resultNames;
  std::vector<Scope> scopes;
  std::map<Node *, Result> bindings;
  std::map<Node *, Stored> stored;
  /// The stored node of the current kernel.
  Node *root = nullptr;

  // Results of the analysis.
  std::set<Node *> visited, results, readFilters, storedByDefault;
  std::map<Node *, std::set<Node *>> reads;
  std::map<Node *, bool> heavy;
};
} // namespace

//===----------------------------------------------------------------------===//
// Stored values
//===----------------------------------------------------------------------===//

/// The array that a chain of Index reads, and the indices.
static Node *getBase(Node *node, SmallVectorImpl<Node *> *indices = nullptr) {
  while (node->is(Node::Index)) {
    if (indices)
      indices->push_back(node->ops[1]);
    node = node->ops[0];
  }
  return node;
}

void Lowering::visit(Node *node) {
  if (!visited.insert(node).second)
    return;
  if (node->is(Node::Index)) {
    Node *base = getBase(node);
    if (base->is(Node::Build) && !node->type->isArray())
      reads[base].insert(node);
  }
  bool isCollective =
      node->is(Node::Reduce) || node->is(Node::Scan) || node->is(Node::Filter);
  for (Node *op : node->ops) {
    if (isCollective && op->is(Node::Build))
      reads[op].insert(node);
    // A filter is not stored if it is only counted or reduced.
    if (op->is(Node::Filter) && !node->is(Node::Count) &&
        !node->is(Node::Reduce))
      readFilters.insert(op);
    visit(op);
  }
}

void Lowering::analyze() {
  auto addResult = [&](auto &self, Node *node) -> void {
    if (node->is(Node::Tuple)) {
      for (Node *op : node->ops)
        self(self, op);
      return;
    }
    if (node->is(Node::Filter))
      readFilters.insert(node);
    results.insert(node);
    visit(node);
  };
  addResult(addResult, graph.result);
  // An array is stored if its elements are expensive and it is read more than
  // once.
  for (auto &[array, nodes] : reads) {
    if (results.count(array) || !canBeStored(array) || !isHeavy(array))
      continue;
    bool isReadTwice = nodes.size() > 1;
    for (Node *read : nodes) {
      // A filter reads its elements twice.
      isReadTwice |= read->is(Node::Filter);
      SmallVector<Node *> indices;
      getBase(read, &indices);
      for (Node *loop : read->chain)
        isReadTwice |=
            !loop->is(Node::Guard) && !array->dependsOn(loop) &&
            llvm::none_of(indices, [&](Node *i) { return i->dependsOn(loop); });
    }
    if (isReadTwice)
      storedByDefault.insert(array);
    choices.stores.emplace_back(array, isReadTwice);
  }
}

/// True if an element of `node` contains a reduction, or much arithmetic.
bool Lowering::isHeavy(Node *node) {
  if (auto it = heavy.find(node); it != heavy.end())
    return it->second;
  std::set<Node *> seen;
  unsigned operations = 0;
  auto count = [&](auto &self, Node *part) -> void {
    if (!seen.insert(part).second)
      return;
    if (part->is(Node::Reduce) && !isStored(part))
      operations += 100;
    operations += part->is(Node::Binary) || part->is(Node::Math);
    // The array that is read is included, unless it is in memory.
    if (!part->is(Node::Scan) && !part->is(Node::Filter) &&
        !part->is(Node::LoopVar))
      for (Node *op : part->ops)
        self(self, op);
  };
  count(count, node);
  return heavy[node] = operations >= 16;
}

/// The count of a filter that is not stored is a sum.
Node *Lowering::resolve(Node *node) {
  return node->is(Node::Count) && !isStored(node->ops[0])
             ? graph.getCountAsSum(node->ops[0])
             : node;
}

bool Lowering::isStored(Node *node) {
  if (node == root)
    return false;
  switch (node->kind) {
  case Node::Scan:
    return true;
  case Node::Filter:
    return readFilters.count(node);
  case Node::Reduce:
    if (getLoops(node).empty() && canBeStored(node))
      return true;
    break;
  case Node::Build:
    if (results.count(node))
      return true;
    break;
  default:
    return results.count(node) && node->type->isArray() &&
           !node->is(Node::ParamArray);
  }
  auto it = plan.stores.find(node);
  return it != plan.stores.end() ? it->second : storedByDefault.count(node) > 0;
}

/// The loops around the kernel that stores `node`.
SmallVector<Node *, 4> Lowering::getLoops(Node *node) {
  SmallVector<Node *, 4> loops = node->getDependences();
  llvm::erase_if(loops, [](Node *v) { return !v->is(Node::LoopVar); });
  return loops;
}

bool Lowering::canBeStored(Node *node) {
  for (Node *variable : node->getDependences())
    if (variable->is(Node::OpVar) ||
        (variable->is(Node::LoopVar) && !graph.getBound(variable->ops[0])))
      return false;
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    if (!graph.getBound(node, k))
      return false;
  return !node->type->getScalar()->hasArrays();
}

void Lowering::collectStored(Node *node, std::set<Node *> &seen,
                             SmallVectorImpl<Node *> &found) {
  node = resolve(node);
  if (!seen.insert(node).second)
    return;
  if (isStored(node)) {
    found.push_back(node);
    return;
  }
  for (Node *op : node->ops)
    collectStored(op, seen, found);
}

void Lowering::collectReductions(Node *node, std::set<Node *> &seen,
                                 SmallVectorImpl<Node *> &found) {
  node = resolve(node);
  if (isStored(node) || !seen.insert(node).second)
    return;
  if (node->is(Node::Reduce))
    found.push_back(node);
  else if (!node->is(Node::LoopVar))
    for (Node *op : node->ops)
      collectReductions(op, seen, found);
}

/// True for an operator whose order of combination does not matter.
static bool isAssociative(Node *node) {
  Opcode op = static_cast<Opcode>(node->attr - 1);
  return node->attr == 0 || op == Opcode::Add || op == Opcode::Mul ||
         op == Opcode::AndAnd || op == Opcode::OrOr || op == Opcode::And ||
         op == Opcode::Or || op == Opcode::Xor;
}

Schedule Lowering::getSchedule(Node *node, ArrayRef<Node *> loops,
                               unsigned rank) {
  unsigned all = rank;
  Choices::Kernel kernel;
  kernel.node = node;
  for (Node *loop : loops)
    kernel.extents.push_back(graph.estimate(graph.getBound(loop->ops[0])));
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    kernel.extents.push_back(graph.estimate(graph.getBound(node, k)));
  auto add = [&](Level level, unsigned prefix) {
    Schedule schedule{level, prefix};
    if (!llvm::is_contained(kernel.schedules, schedule))
      kernel.schedules.push_back(schedule);
  };
  bool isCollective = node->is(Node::Scan) || node->is(Node::Filter);
  if (isCollective) {
    for (Level level : {Level::Block, Level::Warp, Level::Thread})
      if (level == Level::Thread || node->is(Node::Filter) ||
          isAssociative(node))
        add(level, rank);
  } else {
    // The loops in order: those around the array, then its own.
    SmallVector<Node *, 4> nest(loops.begin(), loops.end());
    bool isRagged = false;
    for (Node *part = node; part->is(Node::Build) && nest.size() < rank;
         part = part->ops[2])
      nest.push_back(part->ops[1]);
    SmallVector<Node *> sums;
    std::set<Node *> seen;
    collectReductions(node, seen, sums);
    unsigned shortest = all;
    bool isShared = false, isLong = false;
    for (Node *sum : sums) {
      unsigned prefix = 0;
      bool isKnown = isAssociative(sum);
      for (Node *loop : sum->getDependences()) {
        auto it = llvm::find(nest, loop);
        prefix = std::max<unsigned>(prefix, it - nest.begin() + 1);
        isKnown &= it != nest.end();
      }
      if (!isKnown || prefix == 0)
        continue;
      isShared = true;
      if (sum->getDependences().size() < all && canBeStored(sum))
        choices.stores.emplace_back(sum, false);
      shortest = std::min(shortest, prefix);
      Node *length = resolve(sum->ops[1]->is(Node::Filter)
                                 ? graph.getDim(sum->ops[1]->ops[0], 0)
                                 : graph.getDim(sum->ops[1], 0));
      isLong |= !length->is(Node::Const);
    }
    for (Node *loop : ArrayRef(nest).take_front(shortest))
      isRagged |= !loop->ops[0]->free.empty();
    if (isShared && !isRagged && (shortest < all || (all == 1 && isLong)))
      add(Level::Block, shortest);
    add(Level::Thread, all);
    if (isShared && !isRagged)
      for (Level level : {Level::Block, Level::Warp, Level::Thread})
        if (level != Level::Thread || shortest < all)
          add(level, shortest);
    // Each thread executes the inner loops of a nest without reductions.
    if (!isShared && all > 1 && nest.size() == all &&
        llvm::all_of(nest,
                     [](Node *loop) { return loop->ops[0]->free.empty(); }))
      for (Level level : {Level::Block, Level::Thread})
        add(level, all - 1);
  }
  if (loops.empty() && getFactors(node).first)
    kernel.schedules.push_back(Schedule{Level::Block, 0, /*isTiled=*/true});
  auto it = plan.schedules.find(node);
  Schedule schedule =
      it != plan.schedules.end() ? it->second : kernel.schedules.front();
  kernel.taken = schedule;
  choices.kernels.push_back(std::move(kernel));
  return schedule;
}

//===----------------------------------------------------------------------===//
// Types and scopes
//===----------------------------------------------------------------------===//

void Lowering::addTypes(const DagType *type, Types &types) {
  switch (type->kind) {
  case DagType::Int:
    types.push_back(builder.getI32Type());
    break;
  case DagType::Float:
    types.push_back(builder.getF32Type());
    break;
  case DagType::Bool:
    types.push_back(builder.getI1Type());
    break;
  case DagType::Struct:
    for (const Parameter &field : type->decl->fields)
      addTypes(field.type, types);
    break;
  case DagType::Array:
    addTypes(type->element, types);
    break;
  }
}

Lowering::Types Lowering::getTypes(const DagType *type) {
  Types types;
  addTypes(type, types);
  return types;
}

void Lowering::at(unsigned depth, llvm::function_ref<void()> work) {
  OpBuilder::InsertionGuard guard(builder);
  std::vector<Scope> open(std::make_move_iterator(scopes.begin() + depth + 1),
                          std::make_move_iterator(scopes.end()));
  scopes.resize(depth + 1, Scope{nullptr, Level::Grid, nullptr, {}});
  Operation *inner = scopes[depth].inner;
  if (inner)
    builder.setInsertionPoint(inner);
  else
    builder.setInsertionPointToEnd(scopes[depth].block);
  work();
  scopes[depth].inner = inner;
  for (Scope &scope : open)
    scopes.push_back(std::move(scope));
}

void Lowering::inside(Operation *op, Block *block, Level level,
                      llvm::function_ref<void()> work) {
  OpBuilder::InsertionGuard guard(builder);
  Operation *outer = scopes.back().inner;
  scopes.back().inner = op;
  scopes.push_back(Scope{block, level, nullptr, {}});
  builder.setInsertionPointToEnd(block);
  work();
  scopes.pop_back();
  scopes.back().inner = outer;
}

void Lowering::bind(Node *variable, ArrayRef<Value> values) {
  bindings[variable] =
      Result{SmallVector<Value, 4>(values.begin(), values.end()), getDepth()};
}

/// The scope of the innermost loop that `node` depends on. In a kernel, it is
/// never the scope of the host.
unsigned Lowering::getLoopDepth(Node *node) {
  unsigned depth = std::min(getDepth(), 1u);
  for (Node *variable : node->getDependences())
    if (auto it = bindings.find(variable); it != bindings.end())
      depth = std::max(depth, it->second.depth);
  return std::min(depth, getDepth());
}

/// The index of a loop around a stored value. If the loop is not open here, the
/// value is equal for all iterations.
Result Lowering::getBinding(Node *loop) {
  auto it = bindings.find(loop);
  if (it != bindings.end())
    return it->second;
  Result first;
  at(0, [&] { first.values = {constantIndex(0)}; });
  return first;
}

std::vector<void *> Lowering::getKey(Node *node) {
  std::vector<void *> key{node};
  for (Node *variable : node->getDependences())
    if (auto it = bindings.find(variable); it != bindings.end())
      for (Value value : it->second.values)
        key.push_back(value.getAsOpaquePointer());
  return key;
}

SmallVector<Value, 4> Lowering::choose(Value condition, ArrayRef<Value> others,
                                       Body body) {
  auto op = scf::IfOp::create(builder, loc, ValueRange(others).getTypes(),
                              condition, /*withElseRegion=*/true);
  // Builders of operations may have put a terminator into each block.
  for (Region &region : op->getRegions())
    region.front().clear();
  inside(op, op.thenBlock(), getLevel(),
         [&] { scf::YieldOp::create(builder, loc, body()); });
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(builder, loc, others);
  return SmallVector<Value, 4>(op.getResults());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Result Lowering::emit(Node *node) {
  node = resolve(node);
  std::pair<std::vector<void *>, bool> key(getKey(node), false);
  for (Scope &scope : scopes)
    if (auto it = scope.known.find(key); it != scope.known.end())
      return it->second;
  Location outer = loc;
  loc = node->loc;
  Result result = compute(node);
  loc = outer;
  return scopes[result.depth].known[key] = result;
}

Result Lowering::emitIndex(Node *node) {
  node = resolve(node);
  std::pair<std::vector<void *>, bool> key(getKey(node), true);
  for (Scope &scope : scopes)
    if (auto it = scope.known.find(key); it != scope.known.end())
      return it->second;
  Location outer = loc;
  loc = node->loc;
  Result result = computeIndex(node);
  loc = outer;
  return scopes[result.depth].known[key] = result;
}

/// True for a number that is computed from indices and extents only. With 64
/// bits, it has the same value as with 32 bits.
static bool isAffine(Node *node) {
  if (node->is(Node::Binary)) {
    Opcode op = static_cast<Opcode>(node->attr);
    return (op == Opcode::Add || op == Opcode::Sub || op == Opcode::Mul ||
            op == Opcode::Div || op == Opcode::Rem) &&
           isAffine(node->ops[0]) && isAffine(node->ops[1]);
  }
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         node->is(Node::Const) || node->is(Node::ParamScalar);
}

/// True for an affine number that is never negative.
static bool isNatural(Node *node) {
  if (node->is(Node::Binary))
    return static_cast<Opcode>(node->attr) != Opcode::Sub &&
           isNatural(node->ops[0]) && isNatural(node->ops[1]);
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         (node->is(Node::Const) && node->attr >= 0);
}

Result Lowering::computeIndex(Node *node) {
  Result result;
  if (node->is(Node::LoopVar))
    return bindings.at(node);
  if (node->is(Node::ParamDim)) {
    at(0, [&] {
      if (plan.isEstimate) {
        result.values = {constantIndex(graph.estimate(node))};
        return;
      }
      Value array = bindings.at(node->ops[0]).values[0];
      result.values = {DimOp::create(builder, loc, array, node->attr)};
    });
    return result;
  }
  if (node->is(Node::Const)) {
    at(0, [&] { result.values = {constantIndex(node->attr)}; });
    return result;
  }
  if (node->is(Node::Binary) && isAffine(node)) {
    Opcode op = static_cast<Opcode>(node->attr);
    Result a = emitIndex(node->ops[0]), b = emitIndex(node->ops[1]);
    result.depth = std::max(a.depth, b.depth);
    if (!node->isSafe)
      result.depth = std::max(result.depth, getLoopDepth(node));
    at(result.depth, [&] {
      Value x = a.values[0], y = b.values[0];
      bool isUnsigned = isNatural(node);
      if (op == Opcode::Div && isUnsigned)
        result.values = {arith::DivUIOp::create(builder, loc, x, y)};
      else if (op == Opcode::Rem && isUnsigned)
        result.values = {arith::RemUIOp::create(builder, loc, x, y)};
      else
        result.values = {computeBinary(op, x, y)};
    });
    return result;
  }
  Result number = emit(node);
  result.depth = number.depth;
  at(result.depth, [&] {
    result.values = {
        arith::IndexCastOp::create(builder, loc, indexType, number.values[0])};
  });
  return result;
}

Value Lowering::computeBinary(Opcode op, Value a, Value b) {
  bool isFloat = isa<FloatType>(a.getType());
  auto compare = [&](arith::CmpIPredicate i, arith::CmpFPredicate f) -> Value {
    if (isFloat)
      return arith::CmpFOp::create(builder, loc, f, a, b);
    return arith::CmpIOp::create(builder, loc, i, a, b);
  };
  switch (op) {
  case Opcode::Add:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case Opcode::Sub:
    if (isFloat)
      return arith::SubFOp::create(builder, loc, a, b);
    return arith::SubIOp::create(builder, loc, a, b);
  case Opcode::Mul:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case Opcode::Div:
    if (isFloat)
      return arith::DivFOp::create(builder, loc, a, b);
    return arith::DivSIOp::create(builder, loc, a, b);
  case Opcode::Rem:
    if (isFloat)
      return arith::RemFOp::create(builder, loc, a, b);
    return arith::RemSIOp::create(builder, loc, a, b);
  case Opcode::Shl:
    return arith::ShLIOp::create(builder, loc, a, b);
  case Opcode::Shr:
    return arith::ShRSIOp::create(builder, loc, a, b);
  case Opcode::And:
  case Opcode::AndAnd:
    return arith::AndIOp::create(builder, loc, a, b);
  case Opcode::Or:
  case Opcode::OrOr:
    return arith::OrIOp::create(builder, loc, a, b);
  case Opcode::Xor:
    return arith::XOrIOp::create(builder, loc, a, b);
  case Opcode::Lt:
    return compare(arith::CmpIPredicate::slt, arith::CmpFPredicate::OLT);
  case Opcode::Le:
    return compare(arith::CmpIPredicate::sle, arith::CmpFPredicate::OLE);
  case Opcode::Gt:
    return compare(arith::CmpIPredicate::sgt, arith::CmpFPredicate::OGT);
  case Opcode::Ge:
    return compare(arith::CmpIPredicate::sge, arith::CmpFPredicate::OGE);
  case Opcode::Neg:
  case Opcode::Not:
    break;
  }
  llvm_unreachable("the operator takes one value");
}

Value Lowering::computeMath(Node *node, ValueRange values) {
  mlir::Type type = values[0].getType();
  switch (static_cast<Primitive>(node->attr)) {
  case Primitive::Min:
  case Primitive::Max: {
    // If both are equal, the result is the first one.
    bool isMin = static_cast<Primitive>(node->attr) == Primitive::Min;
    if (!isa<FloatType>(type)) {
      if (isMin)
        return arith::MinSIOp::create(builder, loc, values[0], values[1]);
      return arith::MaxSIOp::create(builder, loc, values[0], values[1]);
    }
    Value isFirst =
        computeBinary(isMin ? Opcode::Le : Opcode::Ge, values[0], values[1]);
    return arith::SelectOp::create(builder, loc, isFirst, values[0], values[1]);
  }
  case Primitive::Log2: {
    auto number = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(value));
    };
    Value positive = arith::MaxSIOp::create(builder, loc, values[0], number(1));
    Value zeros = math::CountLeadingZerosOp::create(builder, loc, positive);
    return arith::SubIOp::create(builder, loc, number(31), zeros);
  }
  case Primitive::FloatOfInt:
    return arith::SIToFPOp::create(builder, loc, builder.getF32Type(),
                                   values[0]);
  case Primitive::IntOfFloat:
    return arith::FPToSIOp::create(builder, loc, builder.getI32Type(),
                                   values[0]);
  case Primitive::FilterWith:
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(),
                                  values[0]);
  default:
    llvm_unreachable("the primitive has arrays");
  }
}

/// The second operand may read out of bounds if the first one determines the
/// result.
Result Lowering::computeLazily(Node *node) {
  Result left = emit(node->ops[0]), result;
  result.depth = std::max(left.depth, getLoopDepth(node));
  at(result.depth, [&] {
    bool isAnd = static_cast<Opcode>(node->attr) == Opcode::AndAnd;
    Value decided =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(!isAnd));
    Value condition = left.values[0];
    if (!isAnd)
      condition = arith::XOrIOp::create(builder, loc, condition, decided);
    result.values = choose(condition, decided, [&] {
      bind(node->ops[2], {});
      return emit(node->ops[1]).values;
    });
    bindings.erase(node->ops[2]);
  });
  return result;
}

Result Lowering::compute(Node *node) {
  Result result;
  switch (node->kind) {
  case Node::Const:
    at(0, [&] {
      mlir::Type type = getTypes(node->type)[0];
      TypedAttr value =
          isa<FloatType>(type)
              ? TypedAttr(builder.getFloatAttr(type, node->number))
              : TypedAttr(builder.getIntegerAttr(type, node->attr));
      result.values = {arith::ConstantOp::create(builder, loc, value)};
    });
    return result;
  case Node::ParamScalar:
  case Node::OpVar:
    return bindings.at(node);
  case Node::ParamDim:
  case Node::LoopVar: {
    Result index = emitIndex(node);
    result.depth = index.depth;
    at(result.depth, [&] {
      result.values = {arith::IndexCastOp::create(
          builder, loc, builder.getI32Type(), index.values[0])};
    });
    return result;
  }
  case Node::Count: {
    const Stored &filter = stored.at(node->ops[0]);
    SmallVector<Result, 4> indices;
    for (Node *loop : filter.loops)
      indices.push_back(getBinding(loop));
    unsigned depth = getLoopDepth(node);
    for (Result &index : indices)
      depth = std::max(depth, index.depth);
    if (filter.loops.empty())
      depth = 0; // The host knows it already.
    result.depth = depth;
    at(depth, [&] {
      SmallVector<Value> at;
      for (Result &index : indices)
        at.push_back(index.values[0]);
      if (filter.loops.empty())
        at.push_back(constantIndex(0));
      result.values = {
          GetOp::create(builder, loc, filter.count, at).getResult(0)};
      if (plan.isEstimate && filter.loops.empty())
        result.values = {arith::ConstantOp::create(
            builder, loc, builder.getI32IntegerAttr(graph.estimate(node)))};
    });
    return result;
  }
  case Node::Unary:
  case Node::Binary:
  case Node::Math: {
    if (node->ops.size() == 3)
      return computeLazily(node);
    SmallVector<Value, 4> values;
    for (Node *op : node->ops) {
      Result operand = emit(op);
      values.push_back(operand.values[0]);
      result.depth = std::max(result.depth, operand.depth);
    }
    if (!node->isSafe)
      result.depth = std::max(result.depth, getLoopDepth(node));
    at(result.depth, [&] {
      if (node->is(Node::Math)) {
        result.values = {computeMath(node, values)};
      } else if (node->is(Node::Binary)) {
        result.values = {computeBinary(static_cast<Opcode>(node->attr),
                                       values[0], values[1])};
      } else if (isa<FloatType>(values[0].getType())) {
        result.values = {arith::NegFOp::create(builder, loc, values[0])};
      } else {
        bool isNeg = static_cast<Opcode>(node->attr) == Opcode::Neg;
        Value other = arith::ConstantOp::create(
            builder, loc, builder.getI32IntegerAttr(isNeg ? 0 : -1));
        result.values = {isNeg ? computeBinary(Opcode::Sub, other, values[0])
                               : computeBinary(Opcode::Xor, values[0], other)};
      }
    });
    return result;
  }
  case Node::Tuple:
    for (Node *op : node->ops) {
      Result part = emit(op);
      llvm::append_range(result.values, part.values);
      result.depth = std::max(result.depth, part.depth);
    }
    return result;
  case Node::Field: {
    Result whole = emit(node->ops[0]);
    unsigned first = 0;
    const std::vector<Parameter> &fields = node->ops[0]->type->decl->fields;
    for (const Parameter &field : ArrayRef(fields).take_front(node->attr))
      first += getTypes(field.type).size();
    llvm::append_range(
        result.values,
        ArrayRef(whole.values).slice(first, getTypes(node->type).size()));
    result.depth = whole.depth;
    return result;
  }
  case Node::Index:
    return access(node->ops[0], {emitIndex(node->ops[1])},
                  node->isSafe ? 0 : getLoopDepth(node));
  case Node::Reduce:
    return reduce(node);
  default:
    llvm_unreachable("arrays have no values");
  }
}

Result Lowering::access(Node *array, SmallVector<Result, 4> indices,
                        unsigned depth) {
  Value memory;
  if (array->is(Node::ParamArray)) {
    memory = bindings.at(array).values[0];
  } else if (isStored(array)) {
    const Stored &source = stored.at(array);
    memory = source.array;
    SmallVector<Result, 4> all;
    for (Node *loop : source.loops)
      all.push_back(getBinding(loop));
    all.append(indices);
    if (all.empty()) {
      all.emplace_back();
      at(0, [&] { all[0].values = {constantIndex(0)}; });
    }
    indices = all;
  }
  if (memory) {
    Result result;
    result.depth = std::max(depth, std::min(getDepth(), 1u));
    SmallVector<Value> at;
    for (Result &index : indices) {
      at.push_back(index.values[0]);
      result.depth = std::max(result.depth, index.depth);
    }
    this->at(result.depth, [&] {
      auto get = GetOp::create(builder, loc, memory, at);
      llvm::append_range(result.values, get.getResults());
    });
    return result;
  }
  if (array->is(Node::Index)) {
    indices.insert(indices.begin(), emitIndex(array->ops[1]));
    return access(array->ops[0], indices, depth);
  }
  assert(array->is(Node::Build) && "all other arrays are stored");
  Node *variable = array->ops[1];
  std::optional<Result> outer;
  if (auto it = bindings.find(variable); it != bindings.end())
    outer = it->second;
  bindings[variable] = indices.front();
  indices.erase(indices.begin());
  Result result = indices.empty() ? emit(array->ops[2])
                                  : access(array->ops[2], indices, depth);
  if (outer)
    bindings[variable] = *outer;
  else
    bindings.erase(variable);
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Result Lowering::reduce(Node *node) {
  if (isStored(node))
    return access(node, {});
  // A filter that nothing else reads is a condition.
  Node *array = node->ops[1], *flags = nullptr;
  if (array->is(Node::Filter) && !isStored(array)) {
    flags = array->ops[1];
    array = array->ops[0];
  }
  Result result;
  result.depth = getLoopDepth(node);
  at(result.depth, [&] {
    Level level = getLevel();
    if (level == Level::Thread || level == Level::Grid || !isAssociative(node))
      result.values = reduceByLoop(node, array, flags).values;
    else
      result.values = reduceByLevel(node, array, flags, level);
  });
  return result;
}

Result Lowering::reduceByLoop(Node *node, Node *array, Node *flags) {
  Value length = emitIndex(graph.getDim(array, 0)).values[0];
  SmallVector<Value, 4> init = emit(node->ops[0]).values;
  auto loop = scf::ForOp::create(builder, loc, constantIndex(0), length,
                                 constantIndex(1), init);
  loop.getBody()->clear();
  inside(loop, loop.getBody(), getLevel(), [&] {
    Result k{{loop.getInductionVar()}, getDepth()};
    SmallVector<Value, 4> sum = SmallVector<Value, 4>(loop.getRegionIterArgs());
    auto combine = [&] {
      bind(node->ops[2], sum);
      bindings[node->ops[3]] = access(array, {k});
      return emit(node->ops[4]).values;
    };
    SmallVector<Value, 4> next =
        flags ? choose(access(flags, {k}).values[0], sum, combine) : combine();
    scf::YieldOp::create(builder, loc, next);
  });
  bindings.erase(node->ops[2]);
  bindings.erase(node->ops[3]);
  return Result{SmallVector<Value, 4>(loop.getResults()), getDepth()};
}

/// Fills the region of a reduction or scan. With flags, the first component of
/// an element is true if the element is combined.
void Lowering::addOperator(Region &region, Node *node, bool hasFlags) {
  Types types = getTypes(node->ops[2]->type);
  if (hasFlags)
    types.insert(types.begin(), builder.getI1Type());
  unsigned count = types.size();
  Types both = types;
  both.append(types);
  Block *block;
  {
    OpBuilder::InsertionGuard guard(builder);
    block = builder.createBlock(&region, {}, both,
                                SmallVector<Location>(both.size(), loc));
  }
  inside(region.getParentOp(), block, Level::Thread, [&] {
    SmallVector<Value, 4> x(block->getArguments().take_front(count)),
        y(block->getArguments().drop_front(count));
    auto combine = [&](ArrayRef<Value> a, ArrayRef<Value> b) {
      bind(node->ops[2], a);
      bind(node->ops[3], b);
      return emit(node->ops[4]).values;
    };
    SmallVector<Value, 4> next;
    if (!hasFlags) {
      next = combine(x, y);
    } else {
      auto xs = ArrayRef(x).drop_front(), ys = ArrayRef(y).drop_front();
      Value one = arith::OrIOp::create(builder, loc, x[0], y[0]);
      Value two = arith::AndIOp::create(builder, loc, x[0], y[0]);
      SmallVector<Value, 4> single;
      for (auto [a, b] : llvm::zip(xs, ys))
        single.push_back(arith::SelectOp::create(builder, loc, x[0], a, b));
      if (node->ops[4]->isSafe) {
        for (auto [a, b] : llvm::zip(combine(xs, ys), single))
          next.push_back(arith::SelectOp::create(builder, loc, two, a, b));
      } else {
        next = choose(two, single, [&] { return combine(xs, ys); });
      }
      next.insert(next.begin(), one);
    }
    YieldOp::create(builder, loc, next);
  });
  bindings.erase(node->ops[2]);
  bindings.erase(node->ops[3]);
}

SmallVector<Value, 4> Lowering::reduceByLevel(Node *node, Node *array,
                                              Node *flags, Level level) {
  Value length = emitIndex(graph.getDim(array, 0)).values[0];
  if (level == Level::Grid)
    length = addGridKernel(node, array, length);
  SmallVector<Value, 4> init = emit(node->ops[0]).values;
  Types types = getTypes(node->type);
  if (flags) {
    types.insert(types.begin(), builder.getI1Type());
    init.insert(init.begin(), arith::ConstantOp::create(
                                  builder, loc, builder.getBoolAttr(true)));
  }
  Value elements = generate(length, types, [&](ValueRange k) {
    Result i{{k[0]}, getDepth()};
    SmallVector<Value, 4> values = access(array, {i}).values;
    if (flags)
      values.insert(values.begin(), access(flags, {i}).values[0]);
    return values;
  });
  SmallVector<mlir::Type> results;
  if (level == Level::Grid)
    results = {push(level, {1}, types)};
  else
    results.assign(types.begin(), types.end());
  auto reduce = ReduceOp::create(
      builder, loc, TypeRange(results), elements, init,
      level == Level::Grid ? LevelAttr::get(context, level) : LevelAttr(),
      /*commutative=*/node->attr != 0, StringAttr());
  addOperator(reduce.getBody(), node, flags != nullptr);
  SmallVector<Value, 4> values = SmallVector<Value, 4>(reduce.getResults());
  if (flags && level != Level::Grid)
    values.erase(values.begin());
  return values;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Value Lowering::generate(
    ValueRange extents, ArrayRef<mlir::Type> types,
    llvm::function_ref<SmallVector<Value, 4>(ValueRange)> element) {
  auto op =
      GenerateOp::create(builder, loc, pull(extents.size(), types), extents);
  Block *block;
  {
    OpBuilder::InsertionGuard guard(builder);
    block = builder.createBlock(
        &op.getBody(), {}, SmallVector<mlir::Type>(extents.size(), indexType),
        SmallVector<Location>(extents.size(), loc));
  }
  inside(op, block, Level::Thread, [&] {
    YieldOp::create(builder, loc, element(block->getArguments()));
  });
  return op;
}

/// The extent on the host. Only a bound can be negative.
Value Lowering::getExtent(Node *bound) {
  Value extent = emitIndex(bound).values[0];
  if (bound->is(Node::Binary))
    extent = arith::MaxSIOp::create(builder, loc, extent, constantIndex(0));
  return extent;
}

/// Adds the kernel of a collective at level grid to the choices. Returns
/// `extent`. For reports, it returns an unknown extent, because the time of a
/// report grows with the extent.
Value Lowering::addGridKernel(Node *node, Node *array, Value extent) {
  Schedule schedule{Level::Grid, 0};
  Choices::Kernel kernel;
  kernel.node = node;
  kernel.schedules = {schedule};
  kernel.taken = schedule;
  kernel.extents.push_back(graph.estimate(graph.getBound(array, 0)));
  // The reads of an element. A read in a reduction counts as one sector.
  SmallVector<Node *> sums;
  std::set<Node *> seen;
  for (Node *op : node->ops)
    collectReductions(op, seen, sums);
  for (Node *sum : sums)
    kernel.reads += 8 * graph.estimate(graph.getDim(sum->ops[1], 0));
  choices.kernels.push_back(std::move(kernel));
  return plan.isEstimate ? function.getArguments().back() : extent;
}

void Lowering::nameKernel(ForceOp op) {
  op.setKernel(("dag_" + name + "_" + Twine(choices.kernels.size())).str());
  choices.kernels.back().name = op.getKernel()->str();
}

SmallVector<Value, 4> Lowering::force(ValueRange arrays) {
  auto op = ForceOp::create(builder, loc, arrays, ValueRange());
  nameKernel(op);
  return SmallVector<Value, 4>(op.getResults());
}

/// The node that computes row ops[1] of the array ops[0], with its loops bound.
Node *Lowering::open(Node *array) {
  if (!array->is(Node::Index))
    return array;
  Node *outer = open(array->ops[0]);
  if (!outer->is(Node::Build) || isStored(outer))
    return graph.index(outer, array->ops[1], array->isSafe);
  bindings[outer->ops[1]] = emitIndex(array->ops[1]);
  return open(outer->ops[2]);
}

/// Element `indices` of `node` inside of `loops`. The loops of `current` are
/// bound one after the other. Past the end of a row, the element is 0.
SmallVector<Value, 4> Lowering::emitElement(Node *node, ArrayRef<Node *> loops,
                                            ArrayRef<Value> indices,
                                            Node *current, unsigned firstLoop) {
  auto guarded = [&](Node *length, Body body) {
    // If all rows have equal lengths, no condition is needed. The same holds
    // for a value that does not depend on the row.
    if (!length || length->free.empty() ||
        llvm::any_of(length->free, [&](Node *v) { return !bindings.count(v); }))
      return body();
    Value end = emitIndex(length).values[0];
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, indices.front(), end);
    SmallVector<Value, 4> zeros;
    for (mlir::Type type : getTypes(node->type))
      zeros.push_back(zero(type));
    return choose(isInside, zeros, body);
  };
  if (!loops.empty())
    return guarded(loops.front()->ops[0], [&] {
      bind(loops.front(), indices.front());
      return emitElement(node, loops.drop_front(), indices.drop_front(),
                         current);
    });
  if (indices.empty())
    return emit(current).values;
  current = open(current);
  if (current->is(Node::Build) && !isStored(current))
    return guarded(current->ops[0], [&] {
      bind(current->ops[1], indices.front());
      return emitElement(node, {}, indices.drop_front(), current->ops[2]);
    });
  // Other arrays are in memory. Their rows may have different lengths.
  if (indices.size() == 1)
    return guarded(graph.getDim(current, 0), [&] {
      return access(current, {Result{{indices[0]}, getDepth()}}).values;
    });
  SmallVector<Result, 4> at;
  for (Value index : indices)
    at.push_back(Result{{index}, getDepth()});
  return access(current, at).values;
}

SmallVector<Value, 4>
Lowering::distribute(Level level, ArrayRef<Value> extents,
                     ArrayRef<Node *> loops,
                     llvm::function_ref<SmallVector<Value, 4>()> body) {
  Value count = extents[0];
  for (Value extent : extents.drop_front())
    count = arith::MulIOp::create(builder, loc, count, extent);
  Value numbers = IotaOp::create(builder, loc, pull(1, indexType), count);
  Region region;
  Block *block = new Block;
  region.push_back(block);
  block->addArgument(indexType, loc);
  // The types of the results follow from the body, so the operation is created
  // last. A placeholder represents it until then.
  auto holder = scf::ExecuteRegionOp::create(builder, loc, TypeRange());
  holder.getRegion().takeBody(region);
  SmallVector<Value, 4> parts;
  inside(holder, block, level, [&] {
    Value rest = block->getArgument(0);
    SmallVector<Value, 4> indices(extents.size());
    for (unsigned k = extents.size(); k-- > 0;) {
      indices[k] = k == 0
                       ? rest
                       : arith::RemUIOp::create(builder, loc, rest, extents[k])
                             .getResult();
      if (k > 0)
        rest = arith::DivUIOp::create(builder, loc, rest, extents[k]);
    }
    for (auto [loop, index] : llvm::zip(loops, indices))
      bind(loop, index);
    parts = body();
    YieldOp::create(builder, loc, parts);
  });
  SmallVector<mlir::Type> types;
  for (Value part : parts) {
    auto type = cast<PushType>(part.getType());
    SmallVector<int64_t> all{ShapedType::kDynamic};
    llvm::append_range(all, type.getExtents());
    types.push_back(push(Level::Grid, all, type.getElementTypes()));
  }
  auto op =
      DistributeOp::create(builder, loc, types, numbers, level, Level::Grid);
  op.getBody().takeBody(holder.getRegion());
  holder.erase();
  return SmallVector<Value, 4>(op.getResults());
}

std::pair<Node *, Node *> Lowering::getFactors(Node *node) {
  if (!node->is(Node::Build) || !node->ops[2]->is(Node::Build))
    return {};
  Node *row = node->ops[1], *column = node->ops[2]->ops[1],
       *sum = node->ops[2]->ops[2];
  if (isStored(node->ops[2]) || !sum->is(Node::Reduce) || isStored(sum) ||
      sum->attr != 1 + static_cast<int64_t>(Opcode::Add) ||
      !sum->ops[0]->is(Node::Const) || !sum->ops[1]->is(Node::Build) ||
      isStored(sum->ops[1]))
    return {};
  Node *product = sum->ops[1]->ops[2];
  if (!product->is(Node::Binary) ||
      product->attr != static_cast<int64_t>(Opcode::Mul) ||
      !sum->ops[1]->ops[0]->free.empty() || !node->ops[2]->ops[0]->free.empty())
    return {};
  Node *a = product->ops[0], *b = product->ops[1];
  if (a->dependsOn(column))
    std::swap(a, b);
  // Elements are computed for all rows, columns and products.
  if (a->dependsOn(column) || b->dependsOn(row) || !a->isSafe || !b->isSafe)
    return {};
  return {a, b};
}

/// The array [1, outer, inner] with the values of `factor`.
Value Lowering::getFactor(Node *factor, Node *outer, Node *inner) {
  SmallVector<Value> extents{constantIndex(1),
                             emitIndex(outer->ops[0]).values[0],
                             emitIndex(inner->ops[0]).values[0]};
  Types types = getTypes(factor->type);
  // A whole matrix in memory is not copied.
  if (!isStored(getBase(factor)))
    factor = graph.beta(factor); // Through transpositions.
  SmallVector<Node *> indices;
  Node *base = getBase(factor, &indices);
  auto isEqual = [&](Node *a, Node *b) {
    return a == b ||
           llvm::any_of(graph.expectations, [&](const Expectation &e) {
             return (e.a == a && e.b == b) || (e.a == b && e.b == a);
           });
  };
  bool isMemory = base->is(Node::ParamArray) ||
                  (isStored(base) && stored.at(base).loops.empty());
  if (factor->is(Node::Index) && isMemory && indices.size() == 2 &&
      indices[1] == outer && indices[0] == inner &&
      isEqual(graph.getDim(base, 0), outer->ops[0]) && graph.getDim(base, 1) &&
      isEqual(graph.getDim(base, 1), inner->ops[0])) {
    Value memory = base->is(Node::ParamArray) ? bindings.at(base).values[0]
                                              : stored.at(base).array;
    return ReshapeOp::create(
        builder, loc,
        PullType::get(context, {1, ShapedType::kDynamic, ShapedType::kDynamic},
                      types),
        memory, ArrayRef(extents).drop_front());
  }
  return generate(extents, types, [&](ValueRange at) {
    bind(outer, at[1]);
    bind(inner, at[2]);
    return emit(factor).values;
  });
}

Value Lowering::storeProduct(Node *node) {
  auto [left, right] = getFactors(node);
  Node *sum = node->ops[2]->ops[2], *k = sum->ops[1]->ops[1];
  Value x = getFactor(left, node->ops[1], k);
  Value y = getFactor(right, k, node->ops[2]->ops[1]);
  Value first = emit(sum->ops[0]).values[0];
  ArrayBuilder arrays(loc, context);
  arrays.restoreInsertionPoint(builder.saveInsertionPoint());
  auto combine = [&](Opcode op) {
    return [this, op, &arrays](ValueRange values) -> SmallVector<Value> {
      OpBuilder::InsertionGuard guard(builder);
      builder.restoreInsertionPoint(arrays.saveInsertionPoint());
      return {computeBinary(op, values[0], values[1])};
    };
  };
  auto multiply = combine(Opcode::Mul), add = combine(Opcode::Add);
  Value product = arrays.contract(x, y, first, multiply, add);
  if (auto force = product.getDefiningOp<ForceOp>())
    nameKernel(force);
  builder.restoreInsertionPoint(arrays.saveInsertionPoint());
  SmallVector<Value> extents{emitIndex(node->ops[0]).values[0],
                             emitIndex(node->ops[2]->ops[0]).values[0]};
  return ReshapeOp::create(builder, loc, pull(2, getTypes(node->type)), product,
                           extents);
}

void Lowering::storeElements(Node *node, Stored &result) {
  unsigned dims = node->type->getRank(), rank = result.loops.size() + dims;
  SmallVector<Value> extents;
  for (Node *loop : result.loops)
    extents.push_back(getExtent(graph.getBound(loop->ops[0])));
  for (unsigned k = 0; k < dims; ++k)
    extents.push_back(getExtent(graph.getBound(node, k)));
  Types types = getTypes(node->type);
  Schedule schedule = getSchedule(node, result.loops, rank);
  if (schedule.isTiled) {
    result.array = storeProduct(node);
    return;
  }
  if (schedule.level == Level::Thread && schedule.prefix == rank) {
    Value all = generate(extents, types, [&](ValueRange indices) {
      return emitElement(node, result.loops, SmallVector<Value>(indices), node);
    });
    result.array = force(all)[0];
    return;
  }

  // The outer loops are those of the region of a level. Loops around the array
  // are first.
  unsigned prefix = schedule.prefix, inner = rank - prefix;
  SmallVector<Node *, 4> nest = result.loops;
  for (Node *part = node; nest.size() < prefix; part = part->ops[2])
    nest.push_back(part->ops[1]);
  nest.truncate(prefix);
  SmallVector<Node *, 4> innerLoops(
      ArrayRef(result.loops)
          .drop_front(std::min<size_t>(prefix, result.loops.size())));
  Node *row = node;
  for (unsigned k = result.loops.size(); k < prefix; ++k)
    row = row->ops[2];
  Level level = schedule.level;
  Value parts =
      distribute(level, ArrayRef(extents).take_front(prefix), nest, [&] {
        Value values;
        if (inner == 0)
          values =
              SplatOp::create(builder, loc, PullType::get(context, {1}, types),
                              emit(row).values, ValueRange());
        else
          values =
              generate(ArrayRef(extents).drop_front(prefix), types,
                       [&](ValueRange indices) {
                         return emitElement(node, innerLoops,
                                            SmallVector<Value>(indices), row);
                       });
        return SmallVector<Value, 4>{
            PushOp::create(builder, loc, level, values)};
      })[0];
  if (inner == 0) {
    Value count = extents[0];
    for (Value extent : ArrayRef(extents).drop_front())
      count = arith::MulIOp::create(builder, loc, count, extent);
    parts = JoinOp::create(
        builder, loc, push(Level::Grid, {ShapedType::kDynamic}, types), parts,
        ValueRange(count),
        builder.getDenseI64ArrayAttr({ShapedType::kDynamic}));
  }
  result.array = force(parts)[0];
  if (prefix != 1)
    result.array = ReshapeOp::create(builder, loc, pull(rank, types),
                                     result.array, extents);
}

/// A scan or filter at `level` of arrays of `extent` elements.
SmallVector<Value, 4> Lowering::runCollective(Node *node, Level level,
                                              Value extent) {
  bool isScan = node->is(Node::Scan);
  Node *array = node->ops[isScan];
  Types types = getTypes(node->type);
  auto read = [&](Node *from, Types elements) {
    return generate(extent, elements, [&](ValueRange k) {
      Result i{{k[0]}, getDepth()};
      Node *length = graph.getDim(from, 0);
      if (length->free.empty())
        return access(from, {i}).values;
      Value isInside =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, k[0],
                                emitIndex(length).values[0]);
      SmallVector<Value, 4> others;
      for (mlir::Type type : elements)
        others.push_back(zero(type));
      return choose(isInside, others, [&] { return access(from, {i}).values; });
    });
  };
  Value elements = read(array, types);
  if (isScan) {
    SmallVector<Value, 4> init = emit(node->ops[0]).values;
    auto scan = ScanOp::create(
        builder, loc, push(level, {ShapedType::kDynamic}, types), TypeRange(),
        elements, init, level, /*exclusive=*/true, /*total=*/false,
        /*commutative=*/node->attr != 0,
        isAssociative(node) ? StringAttr()
                            : builder.getStringAttr("sequential"));
    addOperator(scan.getBody(), node, /*hasFlags=*/false);
    return {scan.getResult()};
  }
  Value flags = read(node->ops[1], {builder.getI1Type()});
  SmallVector<Value, 4> init;
  for (mlir::Type type : types)
    init.push_back(zero(type));
  auto compact = CompactOp::create(builder, loc,
                                   push(level, {ShapedType::kDynamic}, types),
                                   push(level, {1}, builder.getI32Type()),
                                   elements, flags, init, StringAttr());
  return {compact.getResult(), compact.getCount()};
}

void Lowering::storeCollective(Node *node, Stored &result) {
  Node *bound = graph.getBound(node->is(Node::Scan) ? node : node->ops[0], 0);
  Value extent = getExtent(bound);
  SmallVector<Value, 4> arrays;
  // An operator that is not associative needs one thread.
  bool isSequential = node->is(Node::Scan) && !isAssociative(node);
  if (result.loops.empty() && !isSequential) {
    extent =
        addGridKernel(node, node->is(Node::Scan) ? node : node->ops[0], extent);
    arrays = force(runCollective(node, Level::Grid, extent));
  } else {
    SmallVector<Value> extents;
    if (result.loops.empty())
      extents.push_back(constantIndex(1));
    for (Node *loop : result.loops)
      extents.push_back(getExtent(graph.getBound(loop->ops[0])));
    unsigned rank = extents.size();
    Level level = getSchedule(node, result.loops, rank).level;
    arrays = force(distribute(level, extents, result.loops, [&] {
      return runCollective(node, level, extent);
    }));
    for (Value &array : arrays) {
      bool isCount = &array != &arrays.front();
      auto type = cast<PullType>(array.getType());
      SmallVector<Value> all = extents;
      if (result.loops.empty())
        all.clear();
      if (!isCount)
        all.push_back(extent);
      if (all.size() != type.getExtents().size())
        array = ReshapeOp::create(
            builder, loc, pull(all.size(), type.getElementTypes()), array, all);
    }
  }
  result.array = arrays[0];
  if (node->is(Node::Scan))
    return;
  result.count = arrays[1];
  if (!result.loops.empty())
    return;
  // The host knows the number of elements, so the result is the first part of
  // the array.
  Value zero = constantIndex(0);
  Value count = GetOp::create(builder, loc, result.count, zero).getResult(0);
  count = arith::IndexCastOp::create(builder, loc, indexType, count);
  if (plan.isEstimate)
    count = constantIndex(graph.estimate(graph.getDim(node, 0)));
  result.array = TakeOp::create(builder, loc, result.array.getType(),
                                result.array, ValueRange(count),
                                ArrayRef<int64_t>{ShapedType::kDynamic});
}

void Lowering::store(Node *node) {
  if (stored.count(node) || hasFailed())
    return;
  // The arrays that the kernel reads are stored before.
  Node *outer = root;
  root = node;
  SmallVector<Node *> sources;
  std::set<Node *> seen;
  collectStored(node, seen, sources);
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    if (Node *bound = graph.getBound(node, k))
      collectStored(bound, seen, sources);
  Stored result;
  result.loops = getLoops(node);
  for (Node *loop : result.loops)
    if (Node *bound = graph.getBound(loop->ops[0]))
      collectStored(bound, seen, sources);
  root = outer;
  for (Node *source : sources)
    store(source);
  if (hasFailed())
    return;
  if (!canBeStored(node))
    return fail(node, "this array has to be in memory, and its length depends "
                      "on a value that is only known inside of a loop or of an "
                      "operator; give it a length that is known before");

  root = node;
  std::map<Node *, Result> outerBindings = bindings;
  Location outerLoc = loc;
  loc = node->loc;
  at(0, [&] {
    if (node->is(Node::Scan) || node->is(Node::Filter)) {
      storeCollective(node, result);
    } else if (node->is(Node::Reduce) && result.loops.empty()) {
      Node *array = node->ops[1], *flags = nullptr;
      if (array->is(Node::Filter) && !isStored(array)) {
        flags = array->ops[1];
        array = array->ops[0];
      }
      Types types = getTypes(node->type);
      if (isAssociative(node)) {
        Value sum = force(reduceByLevel(node, array, flags, Level::Grid))[0];
        if (flags) {
          SmallVector<mlir::Type> parts(types.size() + 1);
          auto unzip = UnzipOp::create(builder, loc, sum);
          if (types.size() == 1)
            sum = unzip.getResult(1);
          else
            sum = ZipOp::create(builder, loc, unzip.getResults().drop_front());
        }
        result.array = sum;
      } else {
        Choices::Kernel kernel;
        kernel.node = node;
        kernel.schedules = {Schedule()};
        choices.kernels.push_back(kernel);
        result.array = force(generate(constantIndex(1), types, [&](ValueRange) {
          return reduceByLoop(node, array, flags).values;
        }))[0];
      }
    } else {
      storeElements(node, result);
    }
  });
  root = outer;
  bindings = std::move(outerBindings);
  loc = outerLoc;
  stored[node] = result;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void Lowering::returnValue(Node *node, SmallVectorImpl<Value> &values,
                           const std::string &valueName) {
  if (node->is(Node::Tuple)) {
    for (auto [field, op] : llvm::zip(node->type->decl->fields, node->ops))
      returnValue(op, values, valueName + "_" + field.name.str());
    return;
  }
  // A struct that is not a Tuple has several values.
  auto addNames = [&](size_t count) {
    for (size_t k = 0; k < count; ++k)
      resultNames.push_back(count == 1 ? valueName
                                       : valueName + "_" + std::to_string(k));
  };
  if (!node->type->isArray()) {
    SmallVector<Node *> sources;
    std::set<Node *> seen;
    collectStored(node, seen, sources);
    for (Node *source : sources)
      store(source);
    if (hasFailed())
      return;
    Result result = emit(node);
    addNames(result.values.size());
    llvm::append_range(values, result.values);
    return;
  }
  if (node->type->getScalar()->hasArrays())
    return fail(node, "an array of structs that contain arrays cannot be "
                      "returned; return the arrays");
  addNames(1);
  if (!node->is(Node::ParamArray)) {
    store(node);
    if (hasFailed())
      return;
    values.push_back(stored.at(node).array);
  } else {
    values.push_back(bindings.at(node).values[0]);
  }
  // Rows of different lengths are returned together with their lengths.
  for (unsigned k = 1; k < node->type->getRank(); ++k)
    if (!graph.getDim(node, k)) {
      Node *lengths = graph.getLengths(node, k);
      results.insert(lengths);
      store(lengths);
      if (hasFailed())
        return;
      resultNames.push_back(valueName + "_lengths" + std::to_string(k));
      values.push_back(stored.at(lengths).array);
    }
}

void Lowering::checkExpectations() {
  for (const Expectation &expectation : graph.expectations) {
    if (!visited.count(expectation.a) && !visited.count(expectation.b))
      continue;
    SmallVector<Node *> sources;
    std::set<Node *> seen;
    collectStored(expectation.a, seen, sources);
    collectStored(expectation.b, seen, sources);
    if (!sources.empty())
      continue;
    loc = expectation.loc;
    Value a = emitIndex(expectation.a).values[0];
    Value b = emitIndex(expectation.b).values[0];
    Value areEqual =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
    AssertOp::create(builder, loc, areEqual, expectation.message);
  }
}

OwningOpRef<ModuleOp> Lowering::run() {
  analyze();
  if (hasFailed())
    return {};
  loc = graph.result->loc;
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<mlir::Type> params;
  for (const DagType *type : graph.paramTypes)
    params.push_back(type->isArray() ? pull(type->getRank(), getTypes(type))
                                     : getTypes(type)[0]);
  if (plan.isEstimate)
    params.push_back(indexType);
  function = func::FuncOp::create(builder, loc, name,
                                  builder.getFunctionType(params, {}));
  Block *block = function.addEntryBlock();
  scopes.push_back(Scope{block, Level::Grid, nullptr, {}});
  builder.setInsertionPointToEnd(block);
  for (Node *param : graph.params) {
    Value value = block->getArgument(param->attr);
    if (plan.isEstimate && param->type == graph.intType)
      value = arith::ConstantOp::create(
          builder, loc, builder.getI32IntegerAttr(graph.estimate(param)));
    bindings[param] = Result{{value}, 0};
  }
  for (auto [number, paramName] : llvm::enumerate(graph.paramNames))
    function.setArgAttr(number, "obs.name", builder.getStringAttr(paramName));
  checkExpectations();
  SmallVector<Value> values;
  returnValue(graph.result, values, "result");
  if (hasFailed())
    return {};
  func::ReturnOp::create(builder, loc, values);
  function.setFunctionType(
      builder.getFunctionType(params, ValueRange(values).getTypes()));
  for (auto [number, resultName] : llvm::enumerate(resultNames))
    function.setResultAttr(number, "obs.name",
                           builder.getStringAttr(resultName));
  if (failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> mlir::obs::dag::lower(Graph &graph, StringRef name,
                                            const Plan &plan,
                                            Choices &choices) {
  return Lowering(graph, name, plan, choices).run();
}
