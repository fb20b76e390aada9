//===- MergeKernels.cpp - Equal kernels become one ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels are compared by their keys: copies without the numbers that the
// host can also pass. These are bounds of loops over the iterations of a grid;
// first extents of arrays, on which no address depends; and numbers that
// iterations are subtracted from, if they are the bound of such a loop, plus or
// minus a constant. In `n - 1 - i`, a parameter costs one addition outside of
// the loop. Kernels that differ in other numbers stay separate: later passes
// compute with sizes of shared memory, offsets, strides and divisors.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSMERGEKERNELSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "Obsidian/Dialect/Obs/IR/ObsDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

using namespace mlir;
using namespace mlir::obs;

/// The name in the source.
static StringRef getEntry(gpu::GPUFuncOp kernel) {
  auto entry = getAttr<ObsDialect::EntryAttrHelper>(kernel);
  return entry ? entry.getValue() : kernel.getName();
}

static bool isUnnamed(gpu::GPUFuncOp kernel) {
  return hasAttr<ObsDialect::UnnamedAttrHelper>(kernel);
}

/// All attributes but names.
static DictionaryAttr getProperties(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  attributes.erase(ObsDialect::EntryAttrHelper::getNameStr());
  attributes.erase(ObsDialect::UnnamedAttrHelper::getNameStr());
  return attributes.getDictionary(kernel.getContext());
}

/// True for a step that grows with the number of blocks.
static bool isGridStep(Value step) {
  if (step.getDefiningOp<gpu::GridDimOp>())
    return true;
  auto product = step.getDefiningOp<arith::MulIOp>();
  return product && llvm::any_of(product->getOperands(), [](Value factor) {
           return factor.getDefiningOp<gpu::GridDimOp>();
         });
}

/// The loops of `kernel` over iterations of a grid, to a constant. Their
/// numbers of iterations depend on the launch anyway.
static SmallVector<scf::ForOp> getGridLoops(gpu::GPUFuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (isGridStep(loop.getStep()) &&
        loop.getUpperBound().getType().isIndex() &&
        getConstantIntValue(loop.getUpperBound()))
      loops.push_back(loop);
  });
  return loops;
}

/// The constants of `kernel` that iterations of a grid are subtracted from. A
/// subtraction from a parameter needs no more instructions. A comparison with a
/// parameter does, because a constant could include the numbers that are added
/// to indices.
static SmallVector<OpOperand *> getLimits(gpu::GPUFuncOp kernel) {
  SmallVector<OpOperand *> limits;
  kernel.walk([&](arith::SubIOp difference) {
    auto turn = dyn_cast<BlockArgument>(difference.getRhs());
    auto loop = turn ? dyn_cast<scf::ForOp>(turn.getOwner()->getParentOp())
                     : scf::ForOp();
    if (loop && turn == loop.getInductionVar() && isGridStep(loop.getStep()) &&
        turn.getType().isIndex() && getConstantIntValue(difference.getLhs()))
      limits.push_back(&difference.getLhsMutable());
  });
  return limits;
}

/// The views of `kernel` whose first extent is a constant.
static SmallVector<memref::ReinterpretCastOp> getViews(gpu::GPUFuncOp kernel) {
  SmallVector<memref::ReinterpretCastOp> views;
  kernel.walk([&](memref::ReinterpretCastOp view) {
    MemRefType type = view.getType();
    if (type.getRank() != 0 && !type.isDynamicDim(0))
      views.push_back(view);
  });
  return views;
}

/// Changes the first extent of `view`, a constant, to `extent`.
static void setExtent(memref::ReinterpretCastOp view, OpFoldResult extent) {
  MemRefType type = view.getType();
  SmallVector<int64_t> shape(type.getShape()), sizes(view.getStaticSizes());
  if (auto value = dyn_cast<Value>(extent)) {
    shape[0] = sizes[0] = ShapedType::kDynamic;
    SmallVector<Value> operands = {value};
    llvm::append_range(operands, view.getSizes());
    view.getSizesMutable().assign(operands);
  } else {
    shape[0] = sizes[0] = *getConstantIntValue(extent);
  }
  view.getResult().setType(MemRefType::get(
      shape, type.getElementType(), type.getLayout(), type.getMemorySpace()));
  view.setStaticSizes(sizes);
}

/// Puts the constants of `body` in the order of their uses and erases those
/// without.
static void orderConstants(Block &body) {
  llvm::SetVector<Operation *> used;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
        if (constant->getBlock() == &body)
          used.insert(constant);
  });
  for (auto constant :
       llvm::make_early_inc_range(body.getOps<arith::ConstantOp>()))
    if (constant->use_empty())
      constant.erase();
  for (Operation *constant : llvm::reverse(used))
    constant->moveBefore(&body, body.begin());
}

namespace {
/// A kernel and the numbers that the host can pass to it.
struct Kernel {
  explicit Kernel(gpu::GPUFuncOp kernel);

  /// True if launches of this kernel may become launches of the kernel of
  /// `other`: the code is equal, and their names in the source do not differ.
  bool isLike(const Kernel &other) const;

  gpu::GPUFuncOp op;
  OwningOpRef<gpu::GPUFuncOp> key;
  /// In the order of `getGridLoops`, `getViews` and `getLimits`.
  SmallVector<int64_t> bounds, extents, limits;
};

/// Kernels that the first of them can replace.
struct Group {
  std::vector<Kernel> members;

  /// The values of one number of the kernels, one for each of them.
  using Column = SmallVector<int64_t>;
  Column getColumn(SmallVector<int64_t> Kernel::*numbers, unsigned i) const {
    return llvm::map_to_vector(
        members, [&](const Kernel &k) { return (k.*numbers)[i]; });
  }
  /// The loop over the grid whose bound plus a constant is `limits`, a column;
  /// null if there is none.
  std::optional<unsigned> findBound(const Column &limits) const;
  /// True if this group can also contain `kernel`.
  bool accepts(const Kernel &kernel);
  /// Makes the first kernel suitable for all. Returns its new parameters.
  SmallVector<Column> generalize();
};
} // namespace

Kernel::Kernel(gpu::GPUFuncOp kernel) : op(kernel), key(kernel.clone()) {
  Block &body = key->getBody().front();
  for (scf::ForOp loop : getGridLoops(*key)) {
    bounds.push_back(*getConstantIntValue(loop.getUpperBound()));
    loop.setUpperBound(
        body.addArgument(loop.getUpperBound().getType(), loop.getLoc()));
  }
  for (memref::ReinterpretCastOp view : getViews(*key)) {
    extents.push_back(view.getType().getDimSize(0));
    setExtent(view, OpBuilder(view).getIndexAttr(0));
  }
  for (OpOperand *limit : getLimits(*key)) {
    limits.push_back(*getConstantIntValue(limit->get()));
    limit->set(
        body.addArgument(limit->get().getType(), limit->getOwner()->getLoc()));
  }
  orderConstants(body);
}

bool Kernel::isLike(const Kernel &other) const {
  if (!isUnnamed(op) && getEntry(op) != getEntry(other.op))
    return false;
  // The parameters of an entry point do not change, because other programs
  // launch it.
  if (bounds != other.bounds && isUnnamed(op) != isUnnamed(other.op))
    return false;
  gpu::GPUFuncOp left = *other.key, right = *key;
  return getProperties(other.op) == getProperties(op) &&
         OperationEquivalence::isRegionEquivalentTo(
             &left.getBody(), &right.getBody(),
             OperationEquivalence::IgnoreLocations);
}

std::optional<unsigned> Group::findBound(const Column &limits) const {
  for (unsigned i : llvm::seq(members.front().bounds.size())) {
    Column bounds = getColumn(&Kernel::bounds, i);
    if (llvm::all_of(llvm::zip_equal(limits, bounds), [&](const auto &pair) {
          auto [limit, bound] = pair;
          return limit - bound == limits.front() - bounds.front();
        }))
      return i;
  }
  return std::nullopt;
}

bool Group::accepts(const Kernel &kernel) {
  if (llvm::none_of(
          members, [&](const Kernel &member) { return kernel.isLike(member); }))
    return false;
  for (unsigned i : llvm::seq(kernel.limits.size())) {
    Column limits = getColumn(&Kernel::limits, i);
    limits.push_back(kernel.limits[i]);
    if (llvm::all_equal(limits))
      continue;
    auto isFar = [&](unsigned k) {
      return llvm::any_of(members, [&](const Kernel &member) {
        return member.limits[i] - member.bounds[k] !=
               kernel.limits[i] - kernel.bounds[k];
      });
    };
    if (llvm::all_of(llvm::seq<unsigned>(0, kernel.bounds.size()), isFar))
      return false;
  }
  return true;
}

SmallVector<Group::Column> Group::generalize() {
  gpu::GPUFuncOp kernel = members.front().op;
  OpBuilder builder(kernel.getContext());
  SmallVector<Column> columns;
  // Loops to the same bound share a parameter.
  auto getParameter = [&](const Column &column) -> Value {
    auto *found = llvm::find(columns, column);
    return found == columns.end()
               ? Value()
               : kernel.getArgument(kernel.getNumArguments() - columns.size() +
                                    (found - columns.begin()));
  };
  // Loops are found by their constants, and so are limits.
  SmallVector<OpOperand *> limits = getLimits(kernel);
  SmallVector<scf::ForOp> loops = getGridLoops(kernel);
  for (auto [i, loop] : llvm::enumerate(loops)) {
    Column column = getColumn(&Kernel::bounds, i);
    if (llvm::all_equal(column))
      continue;
    if (!getParameter(column)) {
      // Indices that fit into 32 bits still do.
      auto range = LLVM::ConstantRangeAttr::get(
          builder.getContext(), APInt(64, *llvm::min_element(column)),
          APInt(64, *llvm::max_element(column)) + 1);
      NamedAttribute attribute(LLVM::LLVMDialect::getRangeAttrName(), range);
      LogicalResult inserted = kernel.insertArgument(
          kernel.getNumArguments(), builder.getIndexType(),
          builder.getDictionaryAttr(attribute), loop.getLoc());
      assert(succeeded(inserted) && "kernels are functions");
      (void)inserted;
      columns.push_back(column);
    }
    Value old = loop.getUpperBound();
    loop.setUpperBound(getParameter(column));
    if (old.use_empty())
      old.getDefiningOp()->erase();
  }
  builder.setInsertionPointToStart(&kernel.getBody().front());
  for (auto [i, limit] : llvm::enumerate(limits)) {
    Column column = getColumn(&Kernel::limits, i);
    if (llvm::all_equal(column))
      continue;
    unsigned bound = *findBound(column);
    Value old = limit->get(), value = loops[bound].getUpperBound();
    Location loc = limit->getOwner()->getLoc();
    if (int64_t more = column.front() - members.front().bounds[bound])
      value = arith::AddIOp::create(
          builder, loc, value,
          arith::ConstantIndexOp::create(builder, loc, more));
    limit->set(value);
    if (old.use_empty())
      old.getDefiningOp()->erase();
  }
  for (auto [i, view] : llvm::enumerate(getViews(kernel))) {
    Column column = getColumn(&Kernel::extents, i);
    if (llvm::all_equal(column))
      continue;
    if (Value parameter = getParameter(column))
      setExtent(view, parameter);
    else
      setExtent(view, builder.getIndexAttr(*llvm::max_element(column)));
  }
  return columns;
}

namespace {
struct MergeKernels : obs::impl::ObsMergeKernelsPassBase<MergeKernels> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      mergeIn(module);
  }

  void mergeIn(gpu::GPUModuleOp module) {
    SmallVector<gpu::GPUFuncOp> kernels(module.getOps<gpu::GPUFuncOp>());
    // Names from the source are kept.
    llvm::stable_sort(kernels, [](gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
      return !isUnnamed(a) && isUnnamed(b);
    });
    std::vector<Group> groups;
    for (gpu::GPUFuncOp op : kernels) {
      Kernel kernel(op);
      auto found = llvm::find_if(
          groups, [&](Group &group) { return group.accepts(kernel); });
      if (found == groups.end()) {
        groups.emplace_back();
        found = std::prev(groups.end());
      }
      found->members.push_back(std::move(kernel));
    }

    llvm::DenseMap<StringAttr, Replacement> replacements;
    for (Group &group : groups) {
      SmallVector<Group::Column> columns = group.generalize();
      gpu::GPUFuncOp kept = group.members.front().op;
      for (auto [i, member] : llvm::enumerate(group.members)) {
        Replacement &by = replacements[member.op.getNameAttr()];
        by.name = kept.getNameAttr();
        for (const Group::Column &column : columns)
          by.operands.push_back(column[i]);
        if (i != 0) {
          member.op.erase();
          ++merged;
        }
      }
      removeAttr<ObsDialect::EntryAttrHelper>(kept);
      removeAttr<ObsDialect::UnnamedAttrHelper>(kept);
    }
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto found = replacements.find(launch.getKernelName());
      if (launch.getKernelModuleName() == module.getNameAttr() &&
          found != replacements.end())
        replace(launch, found->second);
    });
  }

private:
  /// The kernel to launch, and the additional arguments.
  struct Replacement {
    StringAttr name;
    SmallVector<int64_t> operands;
  };

  static void replace(gpu::LaunchFuncOp launch, const Replacement &by) {
    launch.setKernelAttr(SymbolRefAttr::get(launch.getKernelModuleName(),
                                            {FlatSymbolRefAttr::get(by.name)}));
    OpBuilder builder(launch);
    for (int64_t number : by.operands)
      launch.getKernelOperandsMutable().append(Value(
          arith::ConstantIndexOp::create(builder, launch.getLoc(), number)));
  }
};
} // namespace
