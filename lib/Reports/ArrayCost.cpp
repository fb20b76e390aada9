//===- ArrayCost.cpp - Registers and memory of arrays ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayCost.h"
#include "CodeModel.h"
#include "Levels.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

/// Registers of 32 bits that a value takes.
static int64_t getRegisters(Type type) {
  return type.isIntOrIndexOrFloat() ? llvm::divideCeil(getElementBytes(type), 4)
                                    : 0;
}

namespace {
struct Array {
  memref::AllocOp alloc;
  HomeAttr home;
  /// Registers in each thread, or bytes at an offset.
  int64_t size = 0;
  int64_t offset = 0;
  /// Positions of the operations while it is alive, and its first and last
  /// users.
  unsigned first = ~0u, last = 0;
  Operation *firstUser = nullptr, *lastUser = nullptr;
};

class Arrays {
public:
  explicit Arrays(KernelOp kernel) : kernel(kernel) {
    kernel.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { position.try_emplace(op, position.size()); });
    kernel.walk([&](memref::AllocOp alloc) { add(alloc); });
  }
  void report(raw_ostream &os);
  void addTo(llvm::json::Object &data);
  void reportStorage(const Source &source, raw_ostream &os);

private:
  void add(memref::AllocOp alloc);
  void setLifetime(Array &array);
  int64_t getMostRegisters(StringRef place = "");
  int64_t getSharedBytes(StringRef place);
  std::string getType(Array &array);
  bool isInMemory(Array &array);
  std::string describe(Array &array);
  int64_t getCarried();

  KernelOp kernel;
  llvm::DenseMap<Operation *, unsigned> position;
  SmallVector<Array> arrays;
};
} // namespace

void Arrays::setLifetime(Array &array) {
  SmallVector<Operation *> users(array.alloc->user_begin(),
                                 array.alloc->user_end());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    for (Value result : user->getResults())
      if (isa<MemRefType>(result.getType()))
        users.append(result.user_begin(), result.user_end());
    if (!array.firstUser || position[user] < position[array.firstUser])
      array.firstUser = user;
    if (!array.lastUser || position[user] > position[array.lastUser])
      array.lastUser = user;
    // A loop around keeps it alive as a whole.
    Operation *top = array.alloc->getBlock()->findAncestorOpInBlock(*user);
    array.first = std::min(array.first, position[top]);
    top->walk([&](Operation *inner) {
      array.last = std::max(array.last, position[inner]);
    });
  }
}

void Arrays::add(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  HomeAttr home = getHome(alloc);
  if (!home)
    return;
  Array array{alloc, home};
  int64_t elements = type.getNumElements();
  if (home.getStorage() == Storage::Registers) {
    // Lanes have equal parts of an array of a warp. Threads have the elements
    // of an array of a block that they use.
    auto owned = getAttr<ObsDialect::RegistersAttrHelper>(alloc);
    int64_t held = home.getOwner() == Level::Thread ? elements
                   : home.getOwner() == Level::Warp
                       ? llvm::divideCeil(elements, warpSize)
                   : owned ? owned.getInt()
                           : 1;
    array.size = held * getRegisters(type.getElementType());
  } else {
    array.size = elements * getElementBytes(type.getElementType());
    if (auto offset = getAttr<ObsDialect::OffsetAttrHelper>(alloc))
      array.offset = offset.getInt();
    if (home.getOwner() == Level::Warp)
      array.size = getSliceBytes(type) *
                   llvm::divideCeil(kernel.getThreads().value_or(1), warpSize);
  }
  setLifetime(array);
  arrays.push_back(array);
}

/// The most registers that arrays alive at one time take; only those made at
/// `place`, if one is given.
int64_t Arrays::getMostRegisters(StringRef place) {
  int64_t most = 0;
  auto isHeld = [&](Array &array) {
    return array.home.getStorage() == Storage::Registers && array.firstUser &&
           (place.empty() || getPlace(array.alloc.getLoc()) == place);
  };
  for (Array &start : arrays) {
    if (!isHeld(start))
      continue;
    int64_t sum = 0;
    for (Array &other : arrays)
      if (isHeld(other) && other.first <= start.first &&
          start.first <= other.last)
        sum += other.size;
    most = std::max(most, sum);
  }
  return most;
}

/// The bytes of shared memory that arrays made at `place` take. Those that
/// share bytes count once.
int64_t Arrays::getSharedBytes(StringRef place) {
  SmallVector<std::pair<int64_t, int64_t>> parts;
  for (Array &array : arrays)
    if (array.home.getStorage() != Storage::Registers &&
        getPlace(array.alloc.getLoc()) == place)
      parts.push_back({array.offset, array.offset + array.size});
  llvm::sort(parts);
  int64_t sum = 0, end = 0;
  for (auto [from, to] : parts) {
    sum += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return sum;
}

/// The most registers that loops inside of each other carry.
int64_t Arrays::getCarried() {
  int64_t most = 0;
  kernel.walk([&](LoopLikeOpInterface inner) {
    int64_t sum = 0;
    for (Operation *op = inner; op != kernel; op = op->getParentOp())
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        for (Value value : loop.getRegionIterArgs())
          sum += getRegisters(value.getType());
    most = std::max(most, sum);
  });
  return most;
}

/// True if some access of the array has an index that is no constant.
static bool isIndexed(memref::AllocOp alloc) {
  return llvm::any_of(alloc->getUsers(), [](Operation *user) {
    std::optional<ElementAccess> access = ElementAccess::get(user);
    return !access || llvm::any_of(access->indices, [](Value index) {
      return !getConstantIntValue(index);
    });
  });
}

std::string Arrays::getType(Array &array) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : array.alloc.getType().getShape())
    os << extent << " x ";
  os << array.alloc.getType().getElementType();
  return text;
}

/// True if the array is in local memory, unless its indices become constants.
bool Arrays::isInMemory(Array &array) {
  return array.home.getOwner() == Level::Thread && isIndexed(array.alloc);
}

std::string Arrays::describe(Array &array) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getType(array) << " of a " << stringifyLevel(array.home.getOwner())
     << " at " << getPlace(array.alloc.getLoc());
  if (isInMemory(array))
    os << ", in local memory unless its indices become constants";
  return text + getLife(array.firstUser, array.lastUser);
}

void Arrays::report(raw_ostream &os) {
  os << "  registers of a thread: " << getMostRegisters()
     << " hold arrays at one time, " << getCarried()
     << " carry values around loops\n";
  // Arrays that differ in nothing are one line.
  SmallVector<std::pair<std::string, int64_t>> inRegisters;
  for (Array &array : arrays) {
    if (array.home.getStorage() != Storage::Registers)
      continue;
    std::string text = std::to_string(array.size) + ": " + describe(array);
    auto *found = llvm::find_if(inRegisters,
                                [&](auto &line) { return line.first == text; });
    if (found == inRegisters.end())
      inRegisters.push_back({text, 1});
    else
      ++found->second;
  }
  for (auto &[text, number] : inRegisters) {
    os << "    ";
    if (number > 1)
      os << number << " times ";
    os << text << '\n';
  }
  os << "  shared memory of a block: " << kernel.getSharedBytes().value_or(0)
     << " bytes\n";
  for (Array &array : arrays)
    if (array.home.getStorage() != Storage::Registers)
      os << "    " << array.offset << " to " << array.offset + array.size - 1
         << ": " << describe(array) << '\n';
}

void Arrays::addTo(llvm::json::Object &data) {
  data["sharedBytes"] = kernel.getSharedBytes().value_or(0);
  data["registers"] = llvm::json::Object{{"arrays", getMostRegisters()},
                                         {"loops", getCarried()}};
  llvm::json::Array all;
  for (Array &array : arrays) {
    auto place = [](Operation *op) {
      return op ? toJSON(op->getLoc()) : llvm::json::Value(nullptr);
    };
    llvm::json::Object one{{"type", getType(array)},
                           {"level", stringifyLevel(array.home.getOwner())},
                           {"location", place(array.alloc)},
                           {"first", place(array.firstUser)},
                           {"last", place(array.lastUser)}};
    if (array.home.getStorage() == Storage::Registers) {
      one["registers"] = array.size;
      one["isIndexed"] = isInMemory(array);
    } else {
      one["begin"] = array.offset;
      one["end"] = array.offset + array.size;
    }
    all.push_back(std::move(one));
  }
  data["arrays"] = std::move(all);
}

void Arrays::reportStorage(const Source &source, raw_ostream &os) {
  llvm::SetVector<StringRef> places;
  for (Array &array : arrays) {
    auto found = source.storing.find(getPlace(array.alloc.getLoc()));
    if (found != source.storing.end())
      places.insert(found->first());
  }
  for (StringRef place : places)
    os << "  " << source.storing.lookup(place) << " at " << place << " takes "
       << getSharedBytes(place) << " bytes of shared memory and "
       << getMostRegisters(place) << " registers of a thread\n";
}

void obs::reportArrays(KernelOp kernel, const Source &source, raw_ostream &os,
                       llvm::json::Object &data) {
  Arrays arrays(kernel);
  arrays.report(os);
  arrays.addTo(data);
  arrays.reportStorage(source, os);
}
