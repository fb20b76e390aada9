//===- OutlineKernels.cpp - One kernel for each force at grid level -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fused programs over arrays, and no force inside of the program of another
// one. Out: a kernel and a launch for each force of level grid. The memory of
// the results is allocated, and is set to its initial contents, before the
// launch. Host code still has arrays: a cast stands for the memory of an array
// that a function takes or that control flow passes on.
//
// Upstream's gpu-kernel-outlining orders arguments by use. In this pass, they
// have the order of the source, and results are last, because other programs
// call the entry point.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSOUTLINEKERNELSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostExtents.h"
#include "HostMemory.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

namespace {
/// Builds the kernel of one force.
class Outliner {
public:
  Outliner(ForceOp force, SymbolTable &symbols, StringRef name)
      : force(force), symbols(symbols), name(name), host(force),
        inside(force.getContext()) {}

  LogicalResult run();

private:
  void allocateOutputs();
  void launch(ArrayRef<FillOp> fills, StringRef name);
  ValueRange getMemory(Value array);
  void collect(Value value);
  Value build(Value value);
  Value addArgument(Value value);
  void clampExtents(FillOp fill);
  Value multiplyWork(Location loc, Value total, Value factor);
  void addWork(FillOp fill);
  Value onHost(Value value, IRMapping &clones);

  ForceOp force;
  SymbolTable &symbols;
  StringRef name;
  OpBuilder host, inside;
  KernelOp kernel;
  SmallVector<Value> outputs;
  /// The memory of arrays that are not views.
  llvm::SmallDenseMap<Value, UnrealizedConversionCastOp> memories;
  /// Host values that are arguments of the kernel.
  SetVector<Value> captured;
  IRMapping mapping;
  SmallVector<Value> work;
  SmallVector<Attribute> units;
};
} // namespace

/// The memory of an array of the host; empty for arrays that are not stored as
/// a whole.
ValueRange Outliner::getMemory(Value array) {
  if (auto view = array.getDefiningOp<ViewOp>())
    return view.getMemory();
  auto type = dyn_cast<PullType>(array.getType());
  if (!type ||
      !isa_and_nonnull<func::FuncOp, RegionBranchOpInterface>(
          isa<BlockArgument>(array) ? array.getParentBlock()->getParentOp()
                                    : array.getDefiningOp()))
    return {};
  UnrealizedConversionCastOp &cast = memories[array];
  if (!cast)
    cast = UnrealizedConversionCastOp::create(host, force.getLoc(),
                                              getMemoryTypes(type), array);
  return cast.getResults();
}

/// Device memory for the results, with their initial contents.
void Outliner::allocateOutputs() {
  Location loc = force.getLoc();
  unsigned next = 0;
  for (auto [array, result] :
       llvm::zip(force.getArrays(), force.getResults())) {
    auto fill = array.getDefiningOp<FillOp>();
    auto type = cast<PullType>(result.getType());
    bool isInPlace = fill.getOnto() && !force.getInto().empty() &&
                     isContentsOf(fill.getOnto(), getViewedMemory(result));
    for (auto [k, memoryType] : llvm::enumerate(getMemoryTypes(type))) {
      Value memory;
      if (!force.getInto().empty()) {
        memory = force.getInto()[next++];
      } else {
        memory =
            gpu::AllocOp::create(host, loc, memoryType, Type(), ValueRange(),
                                 fill.getExtents(), ValueRange())
                .getMemref();
      }
      if (!fill.getInit().empty())
        gpu::MemsetOp::create(host, loc, Type(), ValueRange(), memory,
                              fill.getInit()[k]);
      if (Value onto = fill.getOnto(); onto && !isInPlace)
        gpu::MemcpyOp::create(host, loc, Type(), ValueRange(), memory,
                              getMemory(onto)[k]);
      outputs.push_back(memory);
    }
  }
}

/// Pure scalar operations are computed again in the kernel and are not passed.
static bool isCheap(Operation *op) {
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<GetOp>(op);
}

/// Collects the arguments that are needed to compute `value`, which is defined
/// in host code.
void Outliner::collect(Value value) {
  Operation *op = value.getDefiningOp();
  if (ValueRange memory = getMemory(value); !memory.empty()) {
    captured.insert_range(memory);
  } else if (isCheap(op)) {
    for (Value operand : op->getOperands())
      collect(operand);
  } else {
    captured.insert(value);
  }
}

/// The value of the host value `value` in the kernel.
Value Outliner::build(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (ValueRange memory = getMemory(value); !memory.empty()) {
    auto arguments = llvm::map_to_vector(
        memory, [&](Value part) { return mapping.lookup(part); });
    Value view = buildView(inside, value.getLoc(),
                           cast<PullType>(value.getType()), arguments);
    mapping.map(value, view);
    return view;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    build(operand);
  inside.clone(*op, mapping);
  return mapping.lookup(value);
}

Value Outliner::addArgument(Value value) {
  Block &body = kernel.getBody().front();
  return body.addArgument(value.getType(), value.getLoc());
}

/// The value of `value`, which is used in a fill of the force, in host code.
/// Null if it depends on values that the host does not know.
Value Outliner::onHost(Value value, IRMapping &clones) {
  if (force->getParentRegion()->isAncestor(value.getParentRegion()) &&
      value.getParentRegion() != force->getParentRegion()) {
    if (Value known = clones.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!isCheap(op))
      return {};
    for (Value operand : op->getOperands()) {
      Value outside = onHost(operand, clones);
      if (!outside)
        return {};
      clones.map(operand, outside);
    }
    host.clone(*op, clones);
    return clones.lookup(value);
  }
  return value;
}

/// True if an assertion before `op` checks that `number` is not negative.
static bool isCheckedBefore(Operation *op, Value number) {
  return llvm::any_of(number.getUsers(), [&](Operation *user) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    if (!compare || compare.getLhs() != number)
      return false;
    // As an unsigned number, a negative number is larger than any size.
    arith::CmpIPredicate predicate = compare.getPredicate();
    if (!(predicate == arith::CmpIPredicate::sge &&
          isConstantIntValue(compare.getRhs(), 0)) &&
        !(predicate == arith::CmpIPredicate::ule &&
          isNotNegative(compare.getRhs())))
      return false;
    return llvm::any_of(compare->getUsers(), [&](Operation *check) {
      Operation *later = check->getBlock()->findAncestorOpInBlock(*op);
      return isa<AssertOp>(check) && later && check->isBeforeInBlock(later);
    });
  });
}

/// The iterations of `factor` loops of `total`, natural numbers; the host
/// checks that they are a number.
Value Outliner::multiplyWork(Location loc, Value total, Value factor) {
  IndexBuilder index{host, loc};
  Value most = index.constant(std::numeric_limits<int64_t>::max());
  Value room = index.div(most, index.divisor(factor));
  Value fits = index.compare(arith::CmpIPredicate::ule, total, room);
  if (!isConstantIntValue(fits, 1) && !isConstantIntValue(fits, -1))
    cf::AssertOp::create(
        host, loc, fits,
        "[R4-extents] a loop over the grid has more than 2^63 iterations");
  return index.mul(total, factor);
}

/// Collects the number of iterations of every loop over the grid.
void Outliner::addWork(FillOp fill) {
  // If the result was allocated, its number of elements has at most 47 bits, so
  // it may be multiplied by numbers of 16 bits.
  auto isChecked = [&](OperandRange extents) {
    int64_t product = 1;
    return llvm::all_of(extents, [&](Value value) {
      if (std::optional<int64_t> constant = getConstantIntValue(value))
        return !llvm::MulOverflow(product, *constant, product) &&
               product <= int64_t(1) << 16;
      return force.getInto().empty() &&
             llvm::is_contained(fill.getExtents(), value);
    });
  };
  Block &body = fill.getBody().front();
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FillOp>(op))
      return WalkResult::skip();
    auto par = dyn_cast<ParOp>(op);
    if (!par)
      return WalkResult::advance();
    IRMapping clones;
    Value total;
    for (Value extent : par.getExtents()) {
      Value known = onHost(extent, clones);
      if (!known)
        return WalkResult::skip();
      // A loop to a negative number has no iterations.
      if (!isNotNegative(known) && !isCheckedBefore(force, known))
        known = IndexBuilder{host, par.getLoc()}.natural(known);
      total = !total ? known
              : isChecked(par.getExtents())
                  ? host.createOrFold<arith::MulIOp>(par.getLoc(), total, known)
                  : multiplyWork(par.getLoc(), total, known);
    }
    if (total) {
      work.push_back(total);
      units.push_back(LevelAttr::get(par.getContext(), par.getUnit()));
    }
    return WalkResult::skip();
  });
}

/// The outermost loops of `fill`.
static SmallVector<ParOp> getLoops(FillOp fill) {
  SmallVector<ParOp> loops;
  fill.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto par = dyn_cast<ParOp>(op))
      loops.push_back(par);
    return isa<ParOp, FillOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return loops;
}

/// If a loop over the grid writes only the initial contents of a part of the
/// result, the nesting depth of the fill of this part; 0 for other loops. A
/// unit orders the initial contents and the other writes of its own part.
static unsigned getInitialNesting(ParOp par) {
  std::optional<unsigned> least;
  par.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FillOp>(op))
      return WalkResult::skip();
    if (isa<WriteOp>(op))
      least = std::min(least.value_or(~0u), getInitialNesting(op));
    return WalkResult::advance();
  });
  return least.value_or(0);
}

/// A loop has no iterations if one of its extents is negative, for any product
/// of the extents.
void Outliner::clampExtents(FillOp fill) {
  for (ParOp par : getLoops(fill)) {
    if (par.getExtents().size() == 1)
      continue;
    OpBuilder builder(par);
    for (OpOperand &extent : par.getExtentsMutable())
      if (!isNotNegative(extent.get()) && !isCheckedBefore(force, extent.get()))
        extent.set(arith::MaxSIOp::create(
            builder, par.getLoc(), extent.get(),
            arith::ConstantIndexOp::create(builder, par.getLoc(), 0)));
  }
}

/// True if `fill` only copies its initial contents, which needs no kernel.
static bool isInitialOnly(FillOp fill) {
  return (!fill.getInit().empty() || fill.getOnto()) &&
         llvm::all_of(fill.getBody().front(),
                      [](Operation &op) { return isMemoryEffectFree(&op); });
}

/// A copy of `fill` that contains only the loops that write initial contents of
/// parts at this nesting depth; for depth 0, only the other loops.
static FillOp selectLoops(OpBuilder &builder, FillOp fill, unsigned nesting) {
  auto copy = cast<FillOp>(builder.clone(*fill));
  for (ParOp par : getLoops(copy))
    if (getInitialNesting(par) != nesting)
      par.erase();
  return copy;
}

LogicalResult Outliner::run() {
  SmallVector<FillOp> fills;
  for (Value array : force.getArrays()) {
    auto fill = array.getDefiningOp<FillOp>();
    if (!fill || (fill.getOnto() && getMemory(fill.getOnto()).empty()))
      return force.emitOpError("is not fused; run obs-fuse-arrays first");
    fills.push_back(fill);
  }
  allocateOutputs();

  // No barrier orders two loops over the whole grid in one kernel. So a
  // separate kernel before writes the initial contents of parts of the result:
  // one for each nesting depth, from the outside inwards.
  llvm::SmallSetVector<unsigned, 4> depths;
  for (FillOp fill : fills)
    for (ParOp par : getLoops(fill))
      depths.insert(getInitialNesting(par));
  SmallVector<unsigned> nestings = depths.takeVector();
  llvm::sort(nestings);
  if (nestings.size() > 1) {
    // The program itself comes last.
    llvm::erase(nestings, 0u);
    nestings.push_back(0);
    for (unsigned nesting : nestings) {
      SmallVector<FillOp> selected = llvm::map_to_vector(
          fills, [&](FillOp fill) { return selectLoops(host, fill, nesting); });
      std::string suffix = nesting == 0   ? ""
                           : nesting == 1 ? "_init"
                                          : "_init" + std::to_string(nesting);
      launch(selected, (name + suffix).str());
      for (FillOp fill : selected)
        fill.erase();
    }
  } else if (!llvm::all_of(fills, isInitialOnly)) {
    launch(fills, name);
  }

  // The results are the memory that the kernel wrote.
  ArrayRef<Value> rest = outputs;
  for (Value result : force.getResults()) {
    auto type = cast<PullType>(result.getType());
    SmallVector<Type> types = getMemoryTypes(type);
    ArrayRef<Value> memory = rest.take_front(types.size());
    rest = rest.drop_front(types.size());
    if (result.use_empty())
      continue;
    // Memory that a strategy has prepared may have another type.
    result.replaceAllUsesWith(buildView(
        host, force.getLoc(), type,
        llvm::map_to_vector(llvm::zip_equal(memory, types), [&](auto pair) {
          auto [part, target] = pair;
          return castTo(host, part, target);
        })));
  }
  force.erase();
  // The kernel has a copy of the program.
  for (FillOp fill : llvm::SetVector<FillOp>(fills.begin(), fills.end()))
    if (fill->use_empty())
      fill.erase();
  return success();
}

/// Builds a kernel that runs `fills`, and its launch.
void Outliner::launch(ArrayRef<FillOp> fills, StringRef name) {
  Location loc = force.getLoc();
  captured.clear();
  mapping.clear();
  work.clear();
  units.clear();

  SetVector<Value> used;
  for (FillOp fill : fills) {
    clampExtents(fill);
    used.insert_range(fill.getExtents());
    getUsedValuesDefinedAbove(fill.getBody(), used);
  }
  for (Value value : used)
    collect(value);

  // Source order: arguments of the function, then values in the order of their
  // definitions.
  SmallVector<Value> arguments = captured.takeVector();
  llvm::DenseMap<Operation *, unsigned> order;
  force->getParentOfType<func::FuncOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order[op] = order.size(); });
  auto key = [&](Value value) -> std::pair<unsigned, unsigned> {
    // The memory of an array has the place of the array.
    if (auto memory = value.getDefiningOp<UnrealizedConversionCastOp>())
      value = memory.getInputs().front();
    if (auto argument = dyn_cast<BlockArgument>(value))
      return {order[argument.getOwner()->getParentOp()],
              argument.getArgNumber()};
    return {order[value.getDefiningOp()],
            cast<OpResult>(value).getResultNumber()};
  };
  llvm::stable_sort(arguments,
                    [&](Value a, Value b) { return key(a) < key(b); });
  // Memory that is read and written is one argument.
  for (Value output : outputs)
    if (!llvm::is_contained(arguments, output))
      arguments.push_back(output);

  SmallVector<Type> types;
  for (Value argument : arguments)
    types.push_back(argument.getType());
  inside.setInsertionPoint(force->getParentOfType<func::FuncOp>());
  // The entry point keeps its name when a host function has the same.
  kernel = KernelOp::create(
      inside, loc, name, FunctionType::get(force.getContext(), types, {}),
      ArrayAttr(), ArrayAttr(), /*entry=*/inside.getStringAttr(name),
      /*unnamed=*/force.getKernel().value_or("").empty(),
      force.getThreadsAttr(), /*shared_bytes=*/IntegerAttr());
  symbols.insert(kernel);
  inside.createBlock(&kernel.getBody());
  for (Value argument : arguments)
    mapping.map(argument, addArgument(argument));
  for (Value value : used)
    build(value);

  SmallVector<Value> programs, into;
  for (FillOp fill : fills) {
    for (Value extent : fill.getExtents())
      build(extent);
    // If a fill occurs twice, its regions are mapped already.
    IRMapping own = mapping;
    auto clone = cast<FillOp>(inside.clone(*fill, own));
    // The memory has initial contents.
    if (!fill.getInit().empty() || fill.getOnto())
      clone.setStarted(true);
    clone.getInitMutable().clear();
    clone.getOntoMutable().clear();
    programs.push_back(clone);
  }
  for (Value output : outputs)
    into.push_back(mapping.lookup(output));
  ForceOp::create(inside, loc, force.getResultTypes(), programs, into,
                  // The memory is given, wherever it is.
                  StorageAttr::get(force.getContext(), Storage::Auto),
                  StringAttr(), IntegerAttr(), inside.getUnitAttr());

  for (FillOp fill : fills)
    addWork(fill);
  LaunchOp::create(host, loc, FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                   Value(), work, arguments, host.getArrayAttr(units));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OutlineKernels : obs::impl::ObsOutlineKernelsPassBase<OutlineKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      // Functions of a level were inlined where they are called. The functions
      // that are left combine elements in a contract.
      if (isHostFunction(function))
        functions.push_back(function);
      else if (SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function.erase();
    }
    for (func::FuncOp function : functions)
      if (failed(outline(function, symbols)))
        return signalPassFailure();
  }

  static LogicalResult outline(func::FuncOp function, SymbolTable &symbols) {
    for (ForceOp force : getHostForces(function)) {
      std::string name = force.getKernel().value_or("").str();
      if (name.empty()) {
        // Functions may have names that kernels cannot have.
        for (char c : function.getName())
          name += llvm::isAlnum(c) ? c : '_';
        name = (llvm::isAlpha(name.front()) ? name : "f" + name) + "_kernel";
      }
      if (failed(Outliner(force, symbols, name).run()))
        return failure();
    }
    return success();
  }
};
} // namespace
