//===- Search.cpp - The candidates of a Dag program -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate determines which arrays and reductions are stored, and the
// schedule of each kernel. The times of the kernels of a program are added, so
// the schedule of each kernel is selected separately. Candidate k of a set of
// stored values gives every kernel its schedule number k, and the last
// candidate of the set gives every kernel its best one.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Obsidian/Pipelines/Pipelines.h"
#include "Obsidian/Reports/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

/// The maximum number of sets of stored values besides the default, and of
/// candidates.
static constexpr unsigned maxSets = 4, maxCandidates = 16;
/// No candidate is added after the reports of candidates have looked at this
/// number of points of loops, which takes about a second.
static constexpr int64_t maxPoints = 1 << 19;

namespace {
struct Candidate {
  Plan plan;
  Choices choices;
  double total = 0; ///< Microseconds of all kernels.
  std::string what;
};

class Search {
public:
  Search(Graph &graph, raw_ostream *explain) : graph(graph), explain(explain) {}

  Plan run(int number);

private:
  /// Adds the candidate. False if it cannot be compiled.
  bool add(Plan plan, const Twine &what);
  double score(const Choices::Kernel &kernel, const llvm::json::Object *report);
  void addSchedules(const Plan &base, const std::string &what);
  void print(const Candidate &candidate, unsigned number);

  Graph &graph;
  raw_ostream *explain;
  std::vector<Candidate> candidates;
  /// The number of candidates that are needed.
  size_t most = maxCandidates;
  /// Points of loops in the reports of candidates.
  int64_t points = 0;
};
} // namespace

/// The number of a count in the report; 0 if it is not known.
static double getNumber(std::optional<StringRef> count) {
  double number = 0;
  StringRef text = count.value_or("").ltrim();
  text.consume_front("at most ");
  text.take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
      .getAsDouble(number);
  return number;
}

/// The time of a kernel on a GPU, in microseconds, by a simple model. A launch
/// takes 3. Memory transfers 3000 bytes in a nanosecond in sectors of 32 bytes,
/// and caches 4 times as many. With fewer than 2^17 threads, memory transfers
/// less.
double Search::score(const Choices::Kernel &kernel,
                     const llvm::json::Object *report) {
  // A force that only copies an array launches no kernel.
  if (!report)
    return 0;
  const Schedule &schedule = kernel.taken;
  double sectors = 0, operations = 0;
  if (schedule.level == Level::Grid) {
    sectors = kernel.extents[0] * kernel.reads / 8;
  } else {
    for (auto &[kind, count] : *report->getObject("operations"))
      operations += getNumber(count.getAsString());
    for (const llvm::json::Value &value : *report->getArray("accesses")) {
      const llvm::json::Object &access = *value.getAsObject();
      if (access.getString("memory") != StringRef("global"))
        continue;
      double size = access.getString("type") == StringRef("i1") ? 1 : 4;
      sectors += getNumber(access.getString("bytes")) / (32 * size) *
                 access.getNumber("sectorsPerRequest").value_or(8);
    }
  }
  int64_t threads = 1;
  bool isFlat = schedule.level == Level::Grid || kernel.isFlat();
  for (auto [k, extent] : llvm::enumerate(kernel.extents))
    if (isFlat || k < schedule.prefix)
      threads =
          std::min<int64_t>(threads * std::max<int64_t>(extent, 1), 1 << 26);
  threads *= schedule.level == Level::Block  ? 128
             : schedule.level == Level::Warp ? 32
                                             : 1;
  // Each thread has 16 elements.
  if (schedule.isTiled)
    threads = kernel.extents[0] * kernel.extents[1] / 16;
  double share = std::min(1.0, threads / double(1 << 17));
  double seconds = std::max(sectors * 32 / 12e12, operations / 2e13) / share;
  return 3 + 1e6 * seconds;
}

/// Gives extents and ints of the function numbers. The arrays that all threads
/// of the grid combine have an unknown extent, because the time of a report
/// grows with this extent.
static void estimate(ModuleOp module, const Choices &choices) {
  auto function = *module.getOps<func::FuncOp>().begin();
  ScalarBuilder b(function.getLoc(), module.getContext());
  for (auto [value, number] : choices.estimates) {
    b.setInsertionPointAfterValue(value);
    value.replaceAllUsesWith(b.getNumber(value.getType(), number));
  }
  unsigned last = function.getNumArguments();
  (void)function.insertArgument(last, b.getIndexType(), {}, b.getLoc());
  for (Value array : choices.gridArrays)
    array.getDefiningOp<GenerateOp>().getExtentsMutable().assign(
        function.getArgument(last));
}

bool Search::add(Plan plan, const Twine &what) {
  if (candidates.size() >= most || points > maxPoints)
    return false;
  Candidate candidate{std::move(plan), {}, 0, what.str()};
  FailureOr<llvm::json::Value> report = failure();
  {
    // A candidate with an error is not an error of the program.
    ScopedDiagnosticHandler quiet(graph.diagnostics.context,
                                  [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module =
        Lowering(graph, candidate.plan, candidate.choices).run();
    graph.diagnostics.forget();
    if (module) {
      estimate(*module, candidate.choices);
      // These are values of the module, which is not kept.
      candidate.choices.estimates.clear();
      candidate.choices.gridArrays.clear();
      report = reportCost(*module, ObsToGPUOptions(), llvm::nulls(), &points);
    }
  }
  if (failed(report))
    return false;
  for (Choices::Kernel &kernel : candidate.choices.kernels) {
    const llvm::json::Object *found = nullptr;
    for (const llvm::json::Value &one :
         *report->getAsObject()->getArray("kernels"))
      if (one.getAsObject()->getString("name") == StringRef(kernel.name))
        found = one.getAsObject();
    kernel.time = score(kernel, found);
    candidate.total += kernel.time;
  }
  candidates.push_back(std::move(candidate));
  return true;
}

void Search::addSchedules(const Plan &base, const std::string &what) {
  size_t first = candidates.size();
  if (!add(base, what))
    return;
  size_t count = 1;
  std::vector<Choices::Kernel> kernels = candidates[first].choices.kernels;
  for (const Choices::Kernel &kernel : kernels)
    count = std::max(count, kernel.schedules.size());
  for (size_t k = 1; k < count; ++k) {
    Plan plan = base;
    for (const Choices::Kernel &kernel : kernels)
      plan.schedules[kernel.node] =
          kernel.schedules[std::min(k, kernel.schedules.size() - 1)];
    add(std::move(plan), what + ", schedules number " + Twine(k));
  }
  if (kernels.size() < 2 || candidates.size() == first + 1)
    return;
  // The best schedule of each kernel.
  Plan plan = base;
  for (const Choices::Kernel &kernel : kernels) {
    double best = INFINITY;
    for (const Candidate &candidate : ArrayRef(candidates).drop_front(first))
      for (const Choices::Kernel &other : candidate.choices.kernels)
        if (other.node == kernel.node && other.time < best) {
          best = other.time;
          plan.schedules[kernel.node] = other.taken;
        }
  }
  add(std::move(plan), what + ", the best schedule of each kernel");
}

void Search::print(const Candidate &candidate, unsigned number) {
  *explain << "candidate " << number << ": " << candidate.what << ": "
           << llvm::format("%.1f", candidate.total) << " us\n";
  for (const Choices::Kernel &kernel : candidate.choices.kernels) {
    auto place = cast<FileLineColLoc>(kernel.node->loc);
    *explain << "  kernel " << kernel.name << " (line " << place.getLine()
             << "): ";
    const Schedule &taken = kernel.taken;
    if (taken.level == Level::Grid)
      *explain << "all threads of the grid";
    else if (taken.isTiled)
      *explain << "each block a tile of 64 x 64 elements";
    else if (kernel.isFlat())
      *explain << "each thread an element";
    else
      *explain << "each " << stringifyLevel(taken.level) << " an iteration of "
               << taken.prefix << " of " << kernel.extents.size() << " loops";
    *explain << ", " << llvm::format("%.1f", kernel.time) << " us\n";
  }
}

Plan Search::run(int number) {
  // No later candidate changes an earlier one.
  if (number >= 0 && !explain)
    most = std::min<size_t>(most, number + 1);
  addSchedules(Plan(), "the default");
  if (candidates.empty())
    return Plan(); // The lowering reports why.
  std::vector<std::pair<Node *, bool>> stores = candidates[0].choices.stores;
  unsigned sets = 0;
  for (auto [node, isStored] : stores) {
    if (sets++ == maxSets)
      break;
    Plan plan;
    plan.stores[node] = !isStored;
    auto place = cast<FileLineColLoc>(node->loc);
    addSchedules(plan, (Twine(node->is(Node::Build) ? "array" : "reduction") +
                        " of line " + Twine(place.getLine()) +
                        (isStored ? " fused" : " stored"))
                           .str());
  }
  size_t best = 0;
  for (size_t k = 1; k < candidates.size(); ++k)
    if (candidates[k].total < 0.95 * candidates[best].total)
      best = k;
  if (explain) {
    *explain
        << "dag: " << candidates.size() << " candidates for '" << graph.name
        << "'; arrays of 2^20, 1024 x 1024, 128 x 128 x 128, ... elements\n";
    for (auto [k, candidate] : llvm::enumerate(candidates))
      print(candidate, k);
    *explain << "candidate " << best << " is taken: no other one is faster by "
             << "more than 5 percent\n";
  }
  if (number >= static_cast<int>(candidates.size()))
    graph.diagnostics.error(graph.result->loc,
                            "there is no candidate " + Twine(number) +
                                "; the last one is number " +
                                Twine(candidates.size() - 1));
  else if (number >= 0)
    best = number;
  return candidates[best].plan;
}

Plan mlir::obs::dag::search(Graph &graph, int number, raw_ostream *explain) {
  return Search(graph, explain).run(number);
}
