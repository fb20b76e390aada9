//===- DeviceMemoryTest.cpp - Allocations of the emulated device ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Emulator/DeviceMemory.h"

#include "gtest/gtest.h"

using namespace mlir::obs::emulator;

static bool failed(llvm::Error error) {
  bool result = static_cast<bool>(error);
  llvm::consumeError(std::move(error));
  return result;
}

TEST(DeviceMemory, AllocationsAreAlignedPoisonedAndApart) {
  DeviceMemory memory;
  std::vector<char *> bases;
  for (size_t bytes : {0, 1, 255, 256, 257, 4096}) {
    llvm::Expected<void *> address = memory.allocate(bytes);
    ASSERT_TRUE(static_cast<bool>(address));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*address) % 256, 0u);
    auto *base = static_cast<unsigned char *>(*address);
    for (size_t i = 0; i < bytes; ++i)
      EXPECT_EQ(base[i], kPoisonByte);
    for (char *other : bases)
      EXPECT_NE(other, *address);
    bases.push_back(static_cast<char *>(*address));
    // Neither side belongs to an allocation.
    EXPECT_EQ(memory.find(base - 1).base, nullptr);
    EXPECT_EQ(memory.find(base + bytes).base, nullptr);
    EXPECT_EQ(memory.find(base + bytes + 255).base, nullptr);
  }
  EXPECT_EQ(memory.numAllocations(), 6u);
  EXPECT_EQ(memory.bytesInUse(), 0u + 1 + 255 + 256 + 257 + 4096);
}

TEST(DeviceMemory, FindGivesTheAllocationOfAnInnerAddress) {
  DeviceMemory memory;
  char *base = static_cast<char *>(llvm::cantFail(memory.allocate(100)));
  EXPECT_EQ(memory.find(base + 99).base, base);
  EXPECT_EQ(memory.find(base + 99).bytes, 100u);
  EXPECT_FALSE(failed(memory.check(base + 60, 40, "copy")));
  EXPECT_TRUE(failed(memory.check(base + 61, 40, "copy")));
  EXPECT_FALSE(failed(memory.check(nullptr, 0, "copy")));
  EXPECT_EQ(memory.describe(base + 103),
            "3 bytes past the end of an allocation of 100 bytes");
  EXPECT_EQ(memory.describe(base - 5), "5 bytes before an allocation of 100 "
                                       "bytes");
}

TEST(DeviceMemory, FreeOfWhatIsNotLiveIsAnError) {
  DeviceMemory memory;
  char *base = static_cast<char *>(llvm::cantFail(memory.allocate(16)));
  EXPECT_TRUE(failed(memory.free(base + 1)));
  EXPECT_FALSE(failed(memory.free(nullptr)));
  EXPECT_FALSE(failed(memory.free(base)));
  EXPECT_TRUE(failed(memory.free(base)));
  EXPECT_EQ(memory.bytesInUse(), 0u);
}

TEST(DeviceMemory, TooLargeIsAnError) {
  DeviceMemory memory;
  llvm::Expected<void *> address = memory.allocate(SIZE_MAX - 100);
  ASSERT_FALSE(static_cast<bool>(address));
  EXPECT_NE(llvm::toString(address.takeError()).find("out of memory"),
            std::string::npos);
}
