//===- Recomputation.cpp - Remarks on repeated computations ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

/// The location of `op` in the source, without those of its callers.
static Location getInnermostLoc(Operation *op) {
  Location loc = op->getLoc();
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCallee();
  return loc;
}

/// The number of places in `block` where `readers` stand, on one path of
/// execution. The copies of one operation of the source within an operation of
/// the block count once: copies side by side, and copies in the arms of a
/// choice of the host.
static unsigned countPlaces(Block *block, ArrayRef<Operation *> readers) {
  llvm::MapVector<Operation *, SmallVector<Operation *>> readersIn;
  for (Operation *reader : readers)
    readersIn[block->findAncestorOpInBlock(*reader)].push_back(reader);
  unsigned count = 0;
  for (auto &[op, inside] : readersIn) {
    if (isa<scf::IfOp>(op)) {
      unsigned most = 0;
      for (Region &region : op->getRegions()) {
        SmallVector<Operation *> arm;
        llvm::copy_if(inside, std::back_inserter(arm), [&](Operation *reader) {
          return region.isAncestor(reader->getParentRegion());
        });
        if (!arm.empty())
          most = std::max(most, countPlaces(&region.front(), arm));
      }
      count += most;
      continue;
    }
    llvm::SmallDenseSet<Location> places;
    for (Operation *reader : inside)
      places.insert(reader->getLoc());
    count += places.size();
  }
  return count;
}

/// The cost of an element that a kernel should not compute twice. A simple
/// operation costs 1 and a read of memory 4. From about four reads on, it is
/// faster to store the element, and to read it in each place.
static constexpr unsigned expensive = 16;
static constexpr unsigned costOfRead = 4;

/// The cost of one operation of scalar code, without that of its regions.
static unsigned costOf(Operation *op) {
  if (isa<LoopLikeOpInterface>(op))
    return expensive;
  // A division by a constant becomes a product.
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::DivFOp, arith::DivSIOp,
          arith::DivUIOp, arith::FloorDivSIOp, arith::RemFOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return matchPattern(op->getOperand(1), m_Constant()) ? costOfRead
                                                         : expensive;
  // These are one or two instructions.
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
          math::CountLeadingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
          math::RoundEvenOp, math::TruncOp>(op))
    return 1;
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return expensive;
  return isa<arith::ConstantOp>(op) || op->hasTrait<OpTrait::IsTerminator>()
             ? 0
             : 1;
}

namespace {
/// The virtual arrays below an operation: the cost of an element of each, and
/// the operations that read it.
class VirtualArrays {
public:
  explicit VirtualArrays(Operation *root) {
    SmallVector<Operation *> operations;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<PullOpInterface>(op))
        operations.push_back(op);
    });
    // Operands stand before their users: no recursion is needed.
    for (Operation *op : operations)
      costs[op] = measure(op);
    for (Operation *op : llvm::reverse(operations))
      for (Value array : op->getResults())
        findReaders(array);
  }

  /// True if a second computation of an element takes longer than a read.
  bool isExpensive(Operation *op) const {
    return costs.lookup(op) >= expensive;
  }

  /// The number of places that read elements of `array` at different indices,
  /// or in different kernels. Zero if the remark on another array is enough.
  unsigned countReaders(Value array) const;

private:
  using Readers = llvm::SmallSetVector<Operation *, 2>;

  unsigned costOfElement(Value array) const {
    return std::max(costOfRead, costs.lookup(array.getDefiningOp()));
  }
  unsigned measure(Operation *op) const;
  void findReaders(Value array);

  llvm::DenseMap<Operation *, unsigned> costs;
  llvm::DenseMap<Value, Readers> readers;
};
} // namespace

/// True if the results of `op` have element i of its operands in element i.
static bool keepsIndices(Operation *op) {
  return isa<MapOp, ZipOp, UnzipOp>(op) &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<PullType>);
}

unsigned VirtualArrays::measure(Operation *op) const {
  unsigned cost = 0;
  auto add = [&](unsigned more) { cost = std::min(cost + more, expensive); };
  llvm::SmallDenseSet<Value> inputs;
  for (Value operand : op->getOperands())
    if (isa<PullType>(operand.getType()) && inputs.insert(operand).second)
      add(costOfElement(operand));
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      auto get = dyn_cast<GetOp>(inner);
      add(get ? costOfElement(get.getArray()) : costOf(inner));
    });
  return cost;
}

void VirtualArrays::findReaders(Value array) {
  Readers found;
  for (Operation *user : array.getUsers()) {
    if (isa<DimOp>(user))
      continue;
    if (!keepsIndices(user)) {
      found.insert(user);
      continue;
    }
    // An element of the result reads the same element of the array. Results of
    // an unzip read different components, so those of one of them count.
    Value widest =
        *llvm::max_element(user->getResults(), [&](Value x, Value y) {
          return readers[x].size() < readers[y].size();
        });
    found.insert_range(readers[widest]);
  }
  readers[array] = std::move(found);
}

unsigned VirtualArrays::countReaders(Value array) const {
  const Readers &all = readers.find(array)->second;
  // If only one map reads the array, this map has the remark.
  for (Operation *user : array.getUsers())
    if (isa<MapOp>(user) && keepsIndices(user) &&
        readers.find(user->getResult(0))->second == all)
      return 0;
  SmallVector<Operation *> places;
  bool isWhole = false;
  for (Operation *reader : all) {
    isWhole |= !isa<TakeOp, SliceOp>(reader);
    // Two reads of one element are one.
    auto get = dyn_cast<GetOp>(reader);
    if (!get || llvm::none_of(places, [&](Operation *other) {
          auto before = dyn_cast<GetOp>(other);
          return before && before->getBlock() == get->getBlock() &&
                 llvm::equal(before.getOperands(), get.getOperands());
        }))
      places.push_back(reader);
  }
  return isWhole ? countPlaces(array.getParentBlock(), places) : 1;
}

/// True if a program reads extents of an array or of its elements, and nothing
/// else of it.
static bool isOnlyMeasured(Value array) {
  return llvm::all_of(array.getUsers(), [](Operation *user) {
    auto get = dyn_cast<GetOp>(user);
    return isa<DimOp>(user) ||
           (get && llvm::all_of(get->getResults(), [](Value result) {
              return isa<PullType>(result.getType()) && isOnlyMeasured(result);
            }));
  });
}

void obs::remarkRecomputation(Operation *root) {
  VirtualArrays arrays(root);
  llvm::DenseSet<Location> places;
  root->walk([&](Operation *op) {
    // An earlier run of the pass has fused the elements of such an array.
    for (Operation *around = op; around != root; around = around->getParentOp())
      if (isa<PullOpInterface>(around) &&
          llvm::all_of(around->getResults(), isOnlyMeasured))
        return;
    Location loc = getInnermostLoc(op);
    bool isScalar = getEnclosingScope(op).isScalar;
    if (isa<MapOp, GenerateOp>(op) &&
        isa<PullType>(op->getResult(0).getType()) && arrays.isExpensive(op))
      if (unsigned readers = arrays.countReaders(op->getResult(0));
          readers > 1 && places.insert(loc).second)
        emitRemark(loc) << "each element is computed in " << readers
                        << " places; "
                        << (isScalar ? "distribute over the elements around "
                                       "it, and force it in each"
                                     : "force the array to compute it once");
    if (!isScalar || !isa<scf::ForOp, scf::WhileOp>(op))
      return;
    // A loop of a reduction; what reads it here computes elements.
    bool isRepeated = llvm::any_of(op->getUsers(), [&](Operation *user) {
      Operation *array = op->getBlock()->findAncestorOpInBlock(*user);
      return array && array != user && isa<PullOpInterface>(array);
    });
    if (isRepeated && places.insert(loc).second)
      emitRemark(loc) << "this loop is repeated for each element of the array "
                         "that uses its result; distribute over the elements "
                         "around it (obs.distribute), and force the array in "
                         "each, to run it once";
  });
}
