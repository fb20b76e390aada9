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

namespace {
struct Candidate {
  Plan plan;
  Choices choices;
  std::map<Node *, double> scores; ///< Microseconds of each kernel.
  double total = 0;
  std::string what;
};

class Search {
public:
  Search(Graph &graph, StringRef name, raw_ostream *explain)
      : graph(graph), name(name), explain(explain) {}

  Plan run(int number);

private:
  /// Adds the candidate. False if it cannot be compiled.
  bool add(Plan plan, const Twine &what);
  double score(const Choices::Kernel &kernel, StringRef report);
  void addSchedules(const Plan &base, const std::string &what);
  void print(const Candidate &candidate, unsigned number);

  Graph &graph;
  StringRef name;
  raw_ostream *explain;
  std::vector<Candidate> candidates;
};
} // namespace

/// The first number of `text`; empty for `?`.
static std::optional<double> getNumber(StringRef text) {
  text = text.ltrim();
  text.consume_front("at most ");
  double number;
  StringRef digits =
      text.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  if (digits.empty() || digits.getAsDouble(number))
    return std::nullopt;
  return number;
}

/// The time of a kernel on a GPU, in microseconds, by a simple model. A launch
/// takes 3. Memory transfers 3000 bytes in a nanosecond in sectors of 32 bytes,
/// and caches 4 times as many. With fewer than 2^17 threads, memory transfers
/// less.
double Search::score(const Choices::Kernel &kernel, StringRef report) {
  double sectors = 0, operations = 0;
  // A force that only copies an array launches no kernel.
  if (report.empty())
    return 0;
  SmallVector<StringRef> lines;
  if (kernel.taken.level != Level::Grid)
    report.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.ltrim();
    if (line.starts_with("in loops over threads: ")) {
      // "X float, Y integer and Z index operations"
      StringRef rest = line.drop_front(23);
      while (!rest.empty()) {
        operations += getNumber(rest).value_or(0);
        size_t comma = std::min(rest.find(", "), rest.find(" and "));
        rest = comma == StringRef::npos ? ""
                                        : rest.drop_front(comma).ltrim(", and");
      }
      continue;
    }
    bool isAccess = line.consume_front("read global ") ||
                    line.consume_front("write global ") ||
                    line.consume_front("atomic global ");
    if (!isAccess)
      continue;
    double size = line.starts_with("i1") && !line.starts_with("i16") ? 1 : 4;
    double bytes = getNumber(line.rsplit(", ").second).value_or(0);
    // "at FILE:1:2, 4 sectors per request inside of large arrays, N bytes"
    double perRequest = 8;
    size_t end = line.find(" sector");
    if (end != StringRef::npos)
      perRequest =
          getNumber(line.take_front(end).rsplit(", ").second).value_or(8);
    sectors += bytes / (32 * size) * perRequest;
  }
  int64_t threads = 1;
  const Schedule &schedule = kernel.taken;
  bool isFlat = schedule.level == Level::Grid ||
                (schedule.level == Level::Thread &&
                 schedule.prefix == kernel.extents.size());
  for (auto [k, extent] : llvm::enumerate(kernel.extents))
    if (isFlat || k < schedule.prefix)
      threads =
          std::min<int64_t>(threads * std::max<int64_t>(extent, 1), 1 << 26);
  if (schedule.level == Level::Grid)
    sectors = kernel.extents[0] * kernel.reads / 8;
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

bool Search::add(Plan plan, const Twine &what) {
  if (candidates.size() >= maxCandidates)
    return false;
  Candidate candidate{std::move(plan), {}, {}, 0, what.str()};
  candidate.plan.isEstimate = true;
  std::string report;
  {
    // A candidate with an error is not an error of the program.
    ScopedDiagnosticHandler quiet(graph.diagnostics.context,
                                  [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module =
        lower(graph, name, candidate.plan, candidate.choices);
    llvm::raw_string_ostream os(report);
    graph.diagnostics.forget();
    if (!module || failed(reportCost(*module, ObsToGPUOptions(), os)))
      return false;
  }
  candidate.plan.isEstimate = false;
  for (const Choices::Kernel &kernel : candidate.choices.kernels) {
    size_t begin = report.find("kernel '" + kernel.name + "'");
    StringRef rest = begin == std::string::npos
                         ? StringRef()
                         : StringRef(report).substr(begin);
    rest = rest.take_front(rest.find("\nkernel '", 1));
    candidate.scores[kernel.node] = score(kernel, rest);
    candidate.total += candidate.scores[kernel.node];
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
        if (other.node == kernel.node &&
            candidate.scores.at(kernel.node) < best) {
          best = candidate.scores.at(kernel.node);
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
    else if (taken.level == Level::Thread &&
             taken.prefix == kernel.extents.size())
      *explain << "each thread an element";
    else
      *explain << "each " << stringifyLevel(taken.level) << " an iteration of "
               << taken.prefix << " of " << kernel.extents.size() << " loops";
    *explain << ", " << llvm::format("%.1f", candidate.scores.at(kernel.node))
             << " us\n";
  }
}

Plan Search::run(int number) {
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
        << "dag: " << candidates.size() << " candidates for '" << name
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

Plan mlir::obs::dag::search(Graph &graph, StringRef name, int number,
                            raw_ostream *explain) {
  return Search(graph, name, explain).run(number);
}
