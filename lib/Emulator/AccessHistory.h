//===- AccessHistory.h - The order of accesses ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time within a block is the number of barriers, of the block or of one of its
// warps, and of releases so far. The time of an access is that of the last of
// these in which its thread took part.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_ACCESSHISTORY_H
#define OBSIDIAN_LIB_EMULATOR_ACCESSHISTORY_H

#include "RuntimeABI.h"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace mlir::obs::emulator {

/// The class of an access in the check of races. An atomic or volatile access
/// is Sync.
enum class AccessClass : uint8_t {
  None,
  Read,
  SyncRead,
  Write,
  AnyWrite,
  SyncWrite,
  /// A cell of a word, each byte of which has a separate cell.
  Split
};

struct Access {
  uint32_t block = 0;
  uint16_t thread = 0;
  AccessClass kind = AccessClass::None;
  uint32_t time = 0;
  /// The number of the site in the source. For Split, the number of the cells.
  uint32_t site = 0;

  explicit operator bool() const { return kind != AccessClass::None; }
  uint32_t warp() const { return thread / kWarpSize; }
  bool isSameThread(const Access &other) const {
    return thread == other.thread && block == other.block;
  }
};

/// The past accesses of a word, or of a byte.
struct Cell {
  /// The last write, or two unordered atomics or `any` writes.
  Access writes[2];
  /// Two unordered reads since then.
  Access reads[2];
};

/// The barriers that the threads of a block have passed.
class BlockClock {
public:
  void reset(uint32_t numThreads);
  void passBlockBarrier() { barrierTime = ++now; }
  void passWarpBarrier(uint32_t warp, uint32_t mask);

  /// Later accesses of `thread` have another time than its accesses so far.
  void advance(uint32_t thread);

  uint32_t timeOf(uint32_t thread) const;
  uint32_t timeOfBlockBarrier() const { return barrierTime; }
  /// The time of the last barrier of all lanes of the thread's warp.
  uint32_t timeOfWarpBarrier(uint32_t thread) const {
    return warps[thread / kWarpSize].barrierTime;
  }
  /// True if `earlier`, of this block, is ordered before all later accesses of
  /// `thread`.
  bool isOrdered(const Access &earlier, uint32_t thread) const;

private:
  struct Warp {
    uint32_t allLanes;
    /// The time of the last barrier of all lanes.
    uint32_t barrierTime = 0;
    /// For barriers of some lanes, and releases. The first of these creates it.
    /// `times` is the time of each lane. `known[i][j]` is the time before which
    /// accesses of lane j are ordered before those of lane i.
    struct Partial {
      std::array<uint32_t, kWarpSize> times{};
      std::array<std::array<uint32_t, kWarpSize>, kWarpSize> known{};
    };
    std::unique_ptr<Partial> partial;
  };
  uint32_t now = 1, barrierTime = 1;
  std::vector<Warp> warps;
};

/// The cells of one range of memory. A page of cells is created at its first
/// access.
class CellTable {
public:
  explicit CellTable(uint64_t bytes) : pages(bytes / kPageBytes + 1) {}

  /// Calls `visit` for each cell of [offset, offset + bytes) until it returns
  /// false.
  template <typename Visit>
  bool forEachCell(uint64_t offset, uint32_t bytes, Visit visit) {
    uint64_t end = offset + bytes;
    while (offset < end) {
      uint64_t wordEnd = (offset & ~uint64_t(3)) + 4;
      Cell &word = cellAt(offset);
      bool isWhole = (offset & 3) == 0 && wordEnd <= end;
      if (isWhole && word.writes[0].kind != AccessClass::Split) {
        if (!visit(word))
          return false;
        offset = wordEnd;
        continue;
      }
      auto &parts = split(word);
      for (; offset < std::min(end, wordEnd); ++offset)
        if (!visit(parts[offset & 3]))
          return false;
    }
    return true;
  }

private:
  static constexpr uint64_t kPageBytes = 4096;

  Cell &cellAt(uint64_t offset) {
    std::unique_ptr<Cell[]> &page = pages[offset / kPageBytes];
    if (!page)
      page = std::make_unique<Cell[]>(kPageBytes / 4);
    return page[offset % kPageBytes / 4];
  }
  std::array<Cell, 4> &split(Cell &word) {
    if (word.writes[0].kind != AccessClass::Split) {
      splitCells.push_back({word, word, word, word});
      word = Cell();
      word.writes[0].kind = AccessClass::Split;
      word.writes[0].site = splitCells.size() - 1;
    }
    return splitCells[word.writes[0].site];
  }

  std::vector<std::unique_ptr<Cell[]>> pages;
  std::deque<std::array<Cell, 4>> splitCells;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_ACCESSHISTORY_H
