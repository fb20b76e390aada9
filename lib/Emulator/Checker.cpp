//===- Checker.cpp - Finds races and reads of unwritten memory ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Emulator/Checker.h"

#include "SyncOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstring>
#include <deque>
#include <optional>

using namespace mlir::obs::emulator;

/// The number of accesses of a launch that are made after one to unwritten
/// memory, whose result may be the bound of a loop.
static constexpr uint64_t kMaxPending = 1 << 20;

namespace {

/// A `memref.alloca` of a thread.
struct PrivateArray {
  const char *base;
  std::vector<unsigned char> written;
};

/// The state of a block after its first event.
struct BlockState {
  BlockClock clock;
  std::vector<unsigned char> written;
  std::unique_ptr<CellTable> cells;
  std::vector<llvm::SmallVector<PrivateArray, 1>> privates;
  /// For each thread, which bytes were written of the elements that it has
  /// loaded for copies and not stored yet, in their order.
  std::vector<std::deque<llvm::SmallVector<unsigned char, 16>>> copied;
};

/// A block that has begun. It has no state before its first event, so that
/// blocks without work cost nothing.
struct LiveBlock {
  const char *shared = nullptr;
  uint64_t sharedBytes = 0;
  std::unique_ptr<BlockState> state;
};

/// The known properties of a site of the machine.
struct SiteInfo {
  llvm::StringRef location, buffer;
  /// The number of the force that updates the buffer by a store, or 0.
  uint32_t update = 0;
  StoreContract contract = StoreContract::None;
  /// The range that the last access to global memory was in.
  DeviceMemory::Range range;
  CellTable *cells = nullptr;
};

/// True if two stores belong to one force.
bool isOneForce(const SiteInfo &a, const SiteInfo &b) {
  return a.buffer == b.buffer && a.update == b.update;
}

llvm::StringRef nameOf(AccessKind kind) {
  // In the order of the kinds.
  static constexpr llvm::StringLiteral names[] = {
      "load", "store", "volatile or atomic load", "volatile or atomic store",
      "atomic operation"};
  return names[static_cast<unsigned>(kind)];
}

llvm::StringRef nameOf(AccessClass kind) {
  switch (kind) {
  case AccessClass::Read:
    return "load";
  case AccessClass::SyncRead:
    return "volatile or atomic load";
  case AccessClass::Write:
    return "store";
  case AccessClass::AnyWrite:
    return "store with the contract 'any'";
  case AccessClass::SyncWrite:
    return "atomic operation or volatile store";
  default:
    llvm_unreachable("not an access");
  }
}

AccessClass classOf(const AccessEvent &event) {
  switch (event.kind) {
  case AccessKind::Load:
    // The load saves a store, and has the same conflicts as this store.
    return event.contract == StoreContract::Any ? AccessClass::AnyWrite
                                                : AccessClass::Read;
  case AccessKind::SyncLoad:
    return AccessClass::SyncRead;
  case AccessKind::Store:
    return event.contract == StoreContract::Any ? AccessClass::AnyWrite
                                                : AccessClass::Write;
  case AccessKind::SyncStore:
  case AccessKind::Atomic:
    return AccessClass::SyncWrite;
  }
  llvm_unreachable("not a kind");
}

bool isRead(AccessClass kind) {
  return kind == AccessClass::Read || kind == AccessClass::SyncRead;
}

bool isSync(AccessClass kind) {
  return kind == AccessClass::SyncRead || kind == AccessClass::SyncWrite;
}

std::string describe(const Access &access) {
  return ("thread " + llvm::Twine(access.thread) + " of block " +
          llvm::Twine(access.block))
      .str();
}

} // namespace

struct Checker::Impl {
  Impl(CheckOptions options, std::shared_ptr<DeviceMemory> memory)
      : options(options), memory(std::move(memory)) {}

  LiveBlock &findBlock(uint64_t number) {
    if (!lastBlock || lastNumber != number) {
      lastBlock = &blocks.find(number)->second;
      lastNumber = number;
      if (!lastBlock->state)
        lastBlock->state = makeState(lastBlock->sharedBytes);
    }
    return *lastBlock;
  }
  BlockState &blockState(uint64_t number) { return *findBlock(number).state; }
  std::unique_ptr<BlockState> makeState(uint64_t sharedBytes);
  SiteInfo &siteInfo(const AccessEvent &event) {
    if (event.site >= sites.size())
      sites.resize(event.site + 1);
    SiteInfo &info = sites[event.site];
    info.location = event.location;
    info.buffer = event.buffer;
    info.update = event.update;
    info.contract = event.contract;
    return info;
  }

  bool checkPrivate(const AccessEvent &event, std::string &message);
  bool checkWritten(const AccessEvent &event, unsigned char *written,
                    llvm::StringRef memoryName, llvm::StringRef source,
                    std::string &message);
  bool checkMemory(const AccessEvent &event, unsigned char *written,
                   llvm::StringRef source, std::string &message);
  void endPending(uint64_t block) {
    if (pending && pending->isShared && pending->block == block)
      pending->isOver = true;
  }
  bool checkCell(const AccessEvent &event, Cell &cell, const Access &access,
                 std::string &message);
  bool checkClaim(const AccessEvent &event, const Cell &cell,
                  const Access &access, std::string &message);
  bool conflicts(const Access &earlier, const Access &later) const;
  bool isOrdered(const Access &earlier, const Access &later) const {
    return (earlier.block == later.block &&
            clock->isOrdered(earlier, later.thread)) ||
           syncOrder.isOrdered(earlier, later.block, later.thread);
  }
  void update(Cell &cell, const Access &access);
  void add(Access (&pair)[2], const Access &access);

  CheckOptions options;
  std::shared_ptr<DeviceMemory> memory;
  uint32_t numThreads = 0;
  llvm::DenseMap<uint64_t, LiveBlock> blocks;
  /// States of blocks that have ended.
  std::vector<std::unique_ptr<BlockState>> unused;
  LiveBlock *lastBlock = nullptr;
  uint64_t lastNumber = 0;
  std::vector<SiteInfo> sites;
  llvm::DenseMap<const char *, std::unique_ptr<CellTable>> globalCells;
  /// By address, the iteration of the thread that stored to it last by a store
  /// with the contract `disjoint`.
  llvm::DenseMap<const void *, uint64_t> claims;
  SyncOrder syncOrder;

  /// A load of unwritten memory, which is an error unless a race explains it.
  struct Pending {
    std::string message;
    uint64_t block;
    bool isShared;
    /// Nothing that happens later can be in a race with it.
    bool isOver = false;
    uint64_t accesses = 0;
  };
  std::optional<Pending> pending;

  // Of the access that is being checked.
  const BlockClock *clock = nullptr;
  bool isShared = false;
};

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

bool Checker::Impl::conflicts(const Access &earlier,
                              const Access &later) const {
  if (isRead(earlier.kind) && isRead(later.kind))
    return false;
  if (isSync(earlier.kind) && isSync(later.kind))
    return false;
  // Two forces may store into memory that they share: that is no choice.
  return earlier.kind != AccessClass::AnyWrite ||
         later.kind != AccessClass::AnyWrite ||
         !isOneForce(sites[earlier.site], sites[later.site]);
}

/// Adds to two accesses of one class, of which those that come before the new
/// one are not needed any more: an access that conflicts with them and is not
/// ordered after them is not after the new one either. If there is no place,
/// two of different blocks, else two of different warps stay.
void Checker::Impl::add(Access (&pair)[2], const Access &access) {
  for (Access &old : pair)
    if (old && isOrdered(old, access))
      old = Access();
  if (!pair[0]) {
    pair[0] = pair[1];
    pair[1] = Access();
  }
  if (!pair[0])
    pair[0] = access;
  else if (!pair[1])
    pair[1] = access;
  else if (pair[0].block == pair[1].block &&
           (access.block != pair[0].block ||
            (pair[0].warp() == pair[1].warp() &&
             access.warp() != pair[0].warp())))
    pair[1] = access;
}

void Checker::Impl::update(Cell &cell, const Access &access) {
  if (isRead(access.kind))
    return add(cell.reads, access);
  if (access.kind == AccessClass::Write) {
    cell = Cell();
    cell.writes[0] = access;
    return;
  }
  // A read that does not race with it comes before it, except for sync reads.
  for (Access &read : cell.reads)
    if (read.kind != AccessClass::SyncRead || isOrdered(read, access))
      read = Access();
  add(cell.writes, access);
}

/// The synchronisation that is missing between two accesses.
static llvm::StringRef missing(const Access &a, const Access &b) {
  if (a.block != b.block)
    return "no release and acquire order the two blocks";
  if (a.warp() == b.warp())
    return "no barrier of their warp or block is between them";
  return "no barrier of their block is between them";
}

bool Checker::Impl::checkCell(const AccessEvent &event, Cell &cell,
                              const Access &access, std::string &message) {
  auto check = [&](Access &earlier) {
    if (!earlier)
      return true;
    // A block that has ended used the memory before.
    if (isShared && earlier.block != access.block) {
      earlier = Access();
      return true;
    }
    if (!conflicts(earlier, access) || isOrdered(earlier, access))
      return true;
    const SiteInfo &other = sites[earlier.site];
    bool isClaim = event.contract == StoreContract::Disjoint &&
                   other.contract == StoreContract::Disjoint &&
                   isOneForce(other, sites[event.site]);
    message =
        (event.location + ": " +
         (isClaim ? "false-claim: [R5-disjoint] " : "race: ") +
         nameOf(event.kind) + " of " + llvm::Twine(event.bytes) + " bytes of " +
         (isShared ? "shared" : "global") + " memory by " + describe(access) +
         " and a " + nameOf(earlier.kind) + " by " + describe(earlier) +
         (isClaim ? ": the contract 'disjoint' promises that no element "
                    "is written twice"
                  : ": " + missing(earlier, access)) +
         "\n" + other.location + ": note: the other access")
            .str();
    return false;
  };
  return check(cell.writes[0]) && check(cell.writes[1]) &&
         check(cell.reads[0]) && check(cell.reads[1]);
}

/// A second store by one thread, which is no race.
bool Checker::Impl::checkClaim(const AccessEvent &event, const Cell &cell,
                               const Access &access, std::string &message) {
  auto [it, isFirst] = claims.try_emplace(event.address, event.iteration);
  uint64_t lastIteration = it->second;
  it->second = event.iteration;
  const Access &earlier = cell.writes[0];
  if (isFirst || lastIteration != event.iteration ||
      earlier.kind != AccessClass::Write || !earlier.isSameThread(access) ||
      earlier.time != access.time || cell.reads[0])
    return true;
  const SiteInfo &other = sites[earlier.site];
  if (other.contract != StoreContract::Disjoint ||
      !isOneForce(other, sites[event.site]))
    return true;
  message =
      (event.location + ": false-claim: [R5-disjoint] store of " +
       llvm::Twine(event.bytes) + " bytes of " +
       (isShared ? "shared" : "global") + " memory by " + describe(access) +
       ", which stored to the element before: the contract 'disjoint' "
       "promises that no element is written twice\n" +
       other.location + ": note: the other store")
          .str();
  return false;
}

//===----------------------------------------------------------------------===//
// Unwritten memory
//===----------------------------------------------------------------------===//

/// `written` has a byte for each byte of the access.
bool Checker::Impl::checkWritten(const AccessEvent &event,
                                 unsigned char *written,
                                 llvm::StringRef memoryName,
                                 llvm::StringRef source, std::string &message) {
  bool reads =
      event.kind != AccessKind::Store && event.kind != AccessKind::SyncStore;
  if (event.contract == StoreContract::Copy) {
    auto &copied = blockState(event.block).copied[event.thread];
    if (reads) {
      copied.emplace_back(written, written + event.bytes);
      return true;
    }
    // Passes may have made one load of several, or dropped a store.
    while (!copied.empty() && copied.front().size() != event.bytes)
      copied.pop_front();
    if (copied.empty()) {
      std::memset(written, 1, event.bytes);
      return true;
    }
    llvm::copy(copied.front(), written);
    copied.pop_front();
    return true;
  }
  if (reads && std::memchr(written, 0, event.bytes)) {
    message =
        (event.location + ": uninit: " + nameOf(event.kind) + " of " +
         llvm::Twine(event.bytes) + " bytes of " + memoryName +
         " memory that were never written, by "
         "thread " +
         llvm::Twine(event.thread) + " of block " + llvm::Twine(event.block))
            .str();
    if (!source.empty())
      message += ("\n" + source + ": note: the memory is made here").str();
    return false;
  }
  if (event.kind != AccessKind::Load && event.kind != AccessKind::SyncLoad)
    std::memset(written, 1, event.bytes);
  return true;
}

/// Of shared or global memory.
bool Checker::Impl::checkMemory(const AccessEvent &event,
                                unsigned char *written, llvm::StringRef source,
                                std::string &message) {
  bool isShared = event.space == MemorySpace::Shared;
  std::string text;
  if (!checkWritten(event, written, isShared ? "shared" : "global", source,
                    text)) {
    if (!options.races) {
      message = std::move(text);
      return false;
    }
    if (!pending)
      pending = Pending{std::move(text), event.block, isShared};
  }
  if (!pending || (!pending->isOver && ++pending->accesses < kMaxPending))
    return true;
  message = std::move(pending->message);
  pending.reset();
  return false;
}

bool Checker::Impl::checkPrivate(const AccessEvent &event,
                                 std::string &message) {
  if (!options.uninit)
    return true;
  for (PrivateArray &array : blockState(event.block).privates[event.thread]) {
    uint64_t offset = static_cast<const char *>(event.address) - array.base;
    if (offset < array.written.size() &&
        array.written.size() - offset >= event.bytes)
      return checkWritten(event, array.written.data() + offset, "private",
                          event.buffer, message);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Checker::Checker(CheckOptions options, std::shared_ptr<DeviceMemory> memory)
    : impl(std::make_unique<Impl>(options, std::move(memory))) {
  if (options.uninit)
    impl->memory->trackWrites();
}

Checker::~Checker() = default;

void Checker::launchBegins(llvm::StringRef, Dim3, Dim3 block) {
  impl->numThreads = block.count();
}

bool Checker::launchEnds(std::string &message) {
  // Every other error may come from it.
  bool ok = !impl->pending;
  if (!ok)
    message = std::move(impl->pending->message);
  impl->pending.reset();
  // Launches are ordered, and the next one may be of another machine.
  impl->blocks.clear();
  impl->unused.clear();
  impl->lastBlock = nullptr;
  impl->sites.clear();
  impl->globalCells.clear();
  impl->claims.clear();
  impl->syncOrder = SyncOrder();
  return ok;
}

std::unique_ptr<BlockState> Checker::Impl::makeState(uint64_t sharedBytes) {
  std::unique_ptr<BlockState> state;
  if (unused.empty()) {
    state = std::make_unique<BlockState>();
    state->cells = std::make_unique<CellTable>(sharedBytes);
    state->privates.resize(numThreads);
    state->copied.resize(numThreads);
  } else {
    state = std::move(unused.back());
    unused.pop_back();
  }
  state->clock.reset(numThreads);
  state->written.assign(sharedBytes, 0);
  for (auto &arrays : state->privates)
    arrays.clear();
  for (auto &copies : state->copied)
    copies.clear();
  return state;
}

void Checker::blockBegins(uint64_t number, const void *shared,
                          uint64_t sharedBytes) {
  impl->blocks[number] = {static_cast<const char *>(shared), sharedBytes,
                          nullptr};
  impl->lastBlock = nullptr;
}

void Checker::blockEnds(uint64_t number) {
  impl->endPending(number);
  auto found = impl->blocks.find(number);
  if (found->second.state)
    impl->unused.push_back(std::move(found->second.state));
  impl->blocks.erase(found);
  impl->lastBlock = nullptr;
}

void Checker::privateBegins(uint64_t block, uint32_t thread, const void *base,
                            uint64_t bytes) {
  auto &arrays = impl->blockState(block).privates[thread];
  auto *address = static_cast<const char *>(base);
  auto *found = llvm::find_if(
      arrays, [&](PrivateArray &array) { return array.base == address; });
  if (found == arrays.end())
    found = &arrays.emplace_back(PrivateArray{address, {}});
  found->written.assign(bytes, 0);
}

void Checker::blockBarrier(uint64_t block, llvm::StringRef) {
  impl->endPending(block);
  impl->blockState(block).clock.passBlockBarrier();
  impl->syncOrder.barrier(block, 0, impl->numThreads, ~0u);
}

void Checker::warpBarrier(uint64_t block, uint32_t warp, uint32_t mask,
                          llvm::StringRef) {
  impl->blockState(block).clock.passWarpBarrier(warp, mask);
  uint32_t first = warp * kWarpSize;
  impl->syncOrder.barrier(block, first,
                          std::min(kWarpSize, impl->numThreads - first), mask);
}

void Checker::fence(uint64_t block, uint32_t thread, bool acquires,
                    bool releases) {
  impl->syncOrder.fence(block, thread, impl->blockState(block).clock, acquires,
                        releases);
}

bool Checker::access(const AccessEvent &event, std::string &message) {
  if (event.space == MemorySpace::Constant)
    return true;
  if (event.space == MemorySpace::Private)
    return impl->checkPrivate(event, message);

  LiveBlock &block = impl->findBlock(event.block);
  BlockState &state = *block.state;
  SiteInfo &site = impl->siteInfo(event);
  auto *address = static_cast<const char *>(event.address);
  bool isShared = event.space == MemorySpace::Shared;
  uint64_t offset;
  CellTable *cells;
  if (isShared) {
    offset = address - block.shared;
    cells = state.cells.get();
    if (impl->options.uninit &&
        !impl->checkMemory(event, state.written.data() + offset, event.buffer,
                           message))
      return false;
  } else {
    if (static_cast<uint64_t>(address - site.range.base) >= site.range.bytes) {
      site.range = impl->memory->find(address);
      std::unique_ptr<CellTable> &table = impl->globalCells[site.range.base];
      if (!table)
        table = std::make_unique<CellTable>(site.range.bytes);
      site.cells = table.get();
    }
    offset = address - site.range.base;
    cells = site.cells;
    if (impl->options.uninit && site.range.written &&
        !impl->checkMemory(event, site.range.written + offset,
                           site.range.location, message))
      return false;
  }
  if (!impl->options.races)
    return true;

  bool isStore = event.kind == AccessKind::SyncStore;
  bool isAtomic = event.kind == AccessKind::Atomic;
  if (isAtomic || event.kind == AccessKind::SyncLoad)
    impl->syncOrder.read(address, event.block, event.thread, event.acquires);

  Access access;
  access.block = event.block;
  access.thread = event.thread;
  access.kind = classOf(event);
  access.time = state.clock.timeOf(event.thread);
  access.site = event.site;
  impl->clock = &state.clock;
  impl->isShared = isShared;
  bool isFirst = true;
  bool ok = cells->forEachCell(offset, event.bytes, [&](Cell &cell) {
    if (!impl->checkCell(event, cell, access, message) ||
        (isFirst && event.contract == StoreContract::Disjoint &&
         !impl->checkClaim(event, cell, access, message))) {
      impl->pending.reset();
      return false;
    }
    isFirst = false;
    impl->update(cell, access);
    return true;
  });
  if (ok && (isAtomic || isStore))
    impl->syncOrder.write(address, event.block, event.thread, state.clock,
                          event.releases, isAtomic);
  return ok;
}
