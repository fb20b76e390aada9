//===- Source.cpp - The source of a program in its kernels ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "Levels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::obs;

/// The number of elements of an array that is made once in each sub-program
/// around; nothing if it depends on more.
static std::optional<int64_t> getElements(Operation *op) {
  auto type = dyn_cast<PullType>(op->getResult(0).getType());
  if (!type || type.isNested() ||
      !isa<func::FuncOp, DistributeOp>(op->getParentOp()))
    return std::nullopt;
  int64_t elements = 1;
  for (int64_t extent : type.getExtents()) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    elements *= extent;
  }
  return elements;
}

/// True for operations that force arrays themselves.
static bool isCollective(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"obs.reduce", "obs.scan", "obs.segmented_reduce",
              "obs.segmented_scan", "obs.rank", "obs.compact", "obs.expand"},
             true)
      .Default(false);
}

static unsigned getDepth(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOp()))
    if (auto distribute = dyn_cast<DistributeOp>(op))
      depth += distribute.getLevel() != Level::Thread;
  return depth;
}

static Source::Kind getKind(Operation *op) {
  return {op->getName(),
          op->getNumResults() ? op->getResult(0).getType() : Type()};
}

Source Source::get(ModuleOp module) {
  Source source;
  if (!module.getOps<KernelOp>().empty())
    return source;
  module.walk([&](Operation *op) {
    if (!isa<ObsDialect>(op->getDialect()))
      return;
    std::string place = getPlace(op->getLoc());
    std::string name = op->getName().getStringRef().str();
    if (isCollective(op->getName().getStringRef()))
      source.storing[place] = name;
    if (!isa<MapOp, GenerateOp>(op))
      return;
    Pull pull{name, op->getLoc(), {}, getDepth(op), getElements(op)};
    for (Operation &inner : op->getRegion(0).front().without_terminator())
      pull.body.emplace_back(getPlace(inner.getLoc()), getKind(&inner));
    auto same = llvm::find_if(source.pulls, [&](const Pull &other) {
      return other.name == name && getPlace(other.location) == place &&
             other.body == pull.body && other.depth == pull.depth;
    });
    if (same == source.pulls.end()) {
      source.pulls.push_back(std::move(pull));
      return;
    }
    ++same->numArrays;
    same->elements = same->elements && pull.elements
                         ? std::optional(*same->elements + *pull.elements)
                         : std::nullopt;
  });
  return source;
}

/// The loop over units around `op` that runs the sub-programs of depth `depth`,
/// counted from outside; the kernel for 0. Null if there are fewer loops.
static Operation *getInstance(Operation *op, unsigned depth) {
  SmallVector<Operation *> loops;
  for (; !isa<KernelOp>(op); op = op->getParentOp())
    if (isa<scf::ForOp>(op) && hasAttr<ObsDialect::MapAttrHelper>(op))
      loops.push_back(op);
  loops.push_back(op);
  return depth < loops.size() ? loops.rbegin()[depth] : nullptr;
}

llvm::json::Array
obs::reportPulls(KernelOp kernel, const Source &source,
                 llvm::function_ref<CodeModel &(Operation *)> getModel,
                 raw_ostream &os) {
  llvm::StringMap<SmallVector<Operation *>> opsAt;
  kernel.walk(
      [&](Operation *op) { opsAt[getPlace(op->getLoc())].push_back(op); });
  llvm::json::Array data;
  for (const Source::Pull &pull : source.pulls) {
    // Operations that were simplified away are not computed, so the number is
    // that of the operation with the most copies.
    Count all;
    std::optional<int64_t> most;
    size_t places = 0;
    for (const auto &[place, sourceKind] : pull.body) {
      auto ops = opsAt.find(place);
      if (ops == opsAt.end())
        continue;
      // Several operations can come from one, and several of the source can
      // have one place; count one kind of them, the same as in the source if
      // there is one.
      llvm::MapVector<Source::Kind, SmallVector<Operation *>> kinds;
      for (Operation *op : ops->second)
        if (op->getParentOfType<scf::ForallOp>() &&
            !op->hasTrait<OpTrait::IsTerminator>())
          kinds[getKind(op)].push_back(op);
      if (auto same = kinds.find(sourceKind); same != kinds.end()) {
        SmallVector<Operation *> copies = std::move(same->second);
        kinds.clear();
        kinds[sourceKind] = std::move(copies);
      }
      for (auto &[name, copies] : kinds) {
        Count sum;
        std::optional<int64_t> runs = 0;
        for (Operation *op : copies) {
          CodeModel &model = getModel(op);
          sum += model.getRuns(op->getBlock(), kernel);
          Operation *instance = getInstance(op, pull.depth);
          std::optional<int64_t> part =
              instance ? model.getRuns(op->getBlock(), instance).getConstant()
                       : std::nullopt;
          runs = runs && part ? std::optional(*runs + *part) : std::nullopt;
        }
        if (copies.size() > places ||
            (copies.size() == places && runs > most)) {
          places = copies.size();
          most = runs;
          all = sum;
        }
      }
    }
    if (places == 0)
      continue;
    if (data.empty())
      os << "  virtual arrays computed:\n";
    std::string computed =
        most && pull.elements && *pull.elements > 0
            ? getRatio(*most, *pull.elements) +
                  (*most == *pull.elements ? " time" : " times") +
                  " each element"
            : all.str() + " elements";
    os << "    " << pull.name << " at " << getPlace(pull.location);
    if (pull.numArrays > 1)
      os << ", " << pull.numArrays << " arrays";
    os << ", in " << places << (places == 1 ? " place: " : " places: ")
       << computed << '\n';
    data.push_back(llvm::json::Object{{"operation", pull.name},
                                      {"location", toJSON(pull.location)},
                                      {"arrays", pull.numArrays},
                                      {"places", int64_t(places)},
                                      {"computed", computed}});
  }
  return data;
}
