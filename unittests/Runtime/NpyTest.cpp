//===- NpyTest.cpp - Files as NumPy writes them ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/Npy.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::obs::runtime;

namespace {

class NpyTest : public ::testing::Test {
protected:
  /// A file by the format's description: magic, version, length of the header,
  /// header, elements.
  static std::string make(StringRef header, StringRef data, int version = 1) {
    std::string file = "\x93NUMPY";
    file += static_cast<char>(version);
    file += '\0';
    file += static_cast<char>(header.size());
    file += static_cast<char>(header.size() >> 8);
    if (version > 1)
      file += std::string(2, '\0');
    return file + header.str() + data.str();
  }

  static llvm::Expected<NpyArray> parse(StringRef bytes) {
    return parseNpy(llvm::MemoryBuffer::getMemBufferCopy(bytes), "a.npy");
  }

  static std::string error(StringRef bytes) {
    auto array = parse(bytes);
    if (array)
      return "no error";
    return llvm::toString(array.takeError());
  }

  /// The error for an array of `descr` with no data of its own.
  static std::string errorOfType(StringRef descr) {
    return error(make("{'descr': '" + descr.str() +
                          "', 'fortran_order': False, 'shape': (0,), }\n",
                      ""));
  }

  MLIRContext context;
  Builder b{&context};
};

TEST_F(NpyTest, ReadsWhatNumPyWrites) {
  // np.save of np.array([[1, 2, 3], [4, 5, -6]], dtype=np.int16): 64 bytes of
  // header, as NumPy pads it.
  std::string header =
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(118 - 1, ' ');
  header += '\n';
  int16_t data[] = {1, 2, 3, 4, 5, -6};
  StringRef bytes(reinterpret_cast<char *>(data), sizeof(data));
  for (int version : {1, 2, 3}) {
    auto array = parse(make(header, bytes, version));
    ASSERT_TRUE(bool(array));
    EXPECT_EQ(array->kind, 'i');
    EXPECT_EQ(array->elementBytes, 2u);
    EXPECT_EQ(array->shape, (SmallVector<int64_t>{2, 3}));
    EXPECT_EQ(StringRef(array->data.data(), array->data.size()), bytes);
    EXPECT_EQ(array->getTypeName(), "int16");
  }
}

TEST_F(NpyTest, HeaderMayBeWrittenInOtherWays) {
  for (StringRef header :
       {"{\"shape\": (2L,), \"descr\": \"<u2\", \"fortran_order\": False}",
        "{ 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '<u2' } "
        " "}) {
    auto array = parse(make(header, "abcd"));
    ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
    EXPECT_EQ(array->shape, (SmallVector<int64_t>{2}));
    EXPECT_EQ(array->kind, 'u');
  }
}

TEST_F(NpyTest, WritesWhatTheFormatSays) {
  int32_t data[] = {7, 8, 9};
  std::string file =
      formatNpy(b.getI32Type(), {3},
                ArrayRef(reinterpret_cast<char *>(data), sizeof(data)));
  // The header ends in a newline, and the data begin at a multiple of 64.
  EXPECT_EQ(StringRef(file).take_front(8), StringRef("\x93NUMPY\x01\x00", 8));
  size_t length = static_cast<unsigned char>(file[8]) |
                  static_cast<unsigned char>(file[9]) << 8;
  EXPECT_EQ((10 + length) % 64, 0u);
  StringRef header = StringRef(file).substr(10, length);
  EXPECT_TRUE(header.ends_with(" \n"));
  EXPECT_EQ(header.trim(),
            "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(StringRef(file).drop_front(10 + length),
            StringRef(reinterpret_cast<char *>(data), sizeof(data)));
}

TEST_F(NpyTest, RoundTripsAllTypesAndShapes) {
  struct {
    Type type;
    StringRef name;
    unsigned bytes;
  } types[] = {{b.getI1Type(), "bool", 1},     {b.getI8Type(), "int8", 1},
               {b.getI16Type(), "int16", 2},   {b.getI32Type(), "int32", 4},
               {b.getI64Type(), "int64", 8},   {b.getIndexType(), "int64", 8},
               {b.getF16Type(), "float16", 2}, {b.getBF16Type(), "uint16", 2},
               {b.getF32Type(), "float32", 4}, {b.getF64Type(), "float64", 8}};
  SmallVector<int64_t> shapes[] = {{},     {1},       {5},         {0},
                                   {2, 3}, {4, 0, 2}, {2, 1, 3, 2}};
  for (auto &row : types)
    for (ArrayRef<int64_t> shape : shapes) {
      size_t bytes = row.bytes;
      for (int64_t extent : shape)
        bytes *= extent;
      std::string data;
      for (size_t i = 0; i < bytes; ++i)
        data += static_cast<char>(row.type.isInteger(1) ? i % 2 : 3 * i);
      auto array =
          parse(formatNpy(row.type, shape, ArrayRef(data.data(), data.size())));
      ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
      EXPECT_EQ(array->getTypeName(), row.name);
      EXPECT_TRUE(array->holds(row.type));
      EXPECT_EQ(ArrayRef<int64_t>(array->shape), shape);
      EXPECT_EQ(StringRef(array->data.data(), array->data.size()), data);
      // An array accepts elements of its size and kind, and no others.
      for (auto &other : types)
        if (other.bytes != row.bytes ||
            isa<FloatType>(other.type) != isa<FloatType>(row.type))
          if (!isa<BFloat16Type>(other.type) && !isa<BFloat16Type>(row.type))
            EXPECT_FALSE(array->holds(other.type));
    }
}

TEST_F(NpyTest, ManyDimensionsNeedALongHeader) {
  SmallVector<int64_t> shape(30000, 1);
  char byte = 5;
  std::string file = formatNpy(b.getI8Type(), shape, ArrayRef(&byte, 1));
  EXPECT_EQ(file[6], 2);
  auto array = parse(file);
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(array->shape, shape);
}

TEST_F(NpyTest, RefusesBadFiles) {
  std::string good =
      make("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n",
           "12345678");
  ASSERT_EQ(error(good), "no error");
  // Every proper prefix is truncated.
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(error(StringRef(good).take_front(size)).find("truncated"),
              std::string::npos)
        << size;
  EXPECT_EQ(error(StringRef(good).drop_back(1)),
            "a.npy: the file is truncated: it has 7 of 8 bytes of elements");
  EXPECT_EQ(error(good + "9"), "a.npy: the file has 9 bytes of elements, and "
                               "its shape needs 8");
  EXPECT_EQ(error("PK\x03\x04 something else"), "a.npy: it is not a .npy file");
  std::string version = good;
  version[6] = 9;
  EXPECT_EQ(error(version), "a.npy: version 9 of .npy is not known");
  EXPECT_EQ(errorOfType(">i4"), "a.npy: its elements ('>i4') are big-endian; "
                                "only little-endian ones are read");
  for (StringRef type :
       {"<c8", "<U4", "|O", "<f16", "<i3", "", "<", "<i", "M8"})
    EXPECT_EQ(errorOfType(type),
              "a.npy: its element type '" + type.str() + "' is not supported");
  EXPECT_EQ(error(make("{'descr': '<i4', 'fortran_order': True, 'shape': (2, "
                       "2), }\n",
                       "0123456789abcdef")),
            "a.npy: it is in Fortran order; only C order is read");
  EXPECT_EQ(error(make("{'descr': '<i4', 'fortran_order': True, 'shape': (2, "
                       "1), }\n",
                       "01234567")),
            "no error");
  EXPECT_EQ(error(make("{'descr': [('a', '<i4')], 'fortran_order': False, "
                       "'shape': (2,), }\n",
                       "01234567")),
            "a.npy: it holds records, not an array of numbers");
  EXPECT_EQ(error(make("{'descr': '<i4', 'shape': (2,), }\n", "01234567")),
            "a.npy: its header lacks a key");
  EXPECT_EQ(error(make("{'descr': '<i4', 'fortran_order': False, 'shape': "
                       "(-2,), }\n",
                       "")),
            "a.npy: its shape is malformed");
  EXPECT_EQ(error(make("{'descr': '<i4', 'fortran_order': False, 'shape': "
                       "(4611686018427387904, 8), }\n",
                       "")),
            "a.npy: its shape is too large");
  EXPECT_EQ(error(make("{'descr': '|b1', 'fortran_order': False, 'shape': "
                       "(2,), }\n",
                       StringRef("\0\2", 2))),
            "a.npy: it has booleans that are neither 0 nor 1");
  EXPECT_EQ(error(make("not a dictionary\n", "")),
            "a.npy: its header is not a dictionary");
}

TEST_F(NpyTest, NamesTheFileThatCannotBeRead) {
  auto array = readNpy("/nonexistent/a.npy");
  ASSERT_FALSE(array);
  EXPECT_EQ(llvm::toString(array.takeError()),
            "/nonexistent/a.npy: cannot be read: No such file or directory");
}

} // namespace
