// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Reference/Compare.h"
#include "fxgraph/Reference/IO.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <limits>

using namespace fxgraph;

namespace {
class TensorFileTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fxgraph-io", folder)); }
  void TearDown() override { (void)llvm::sys::fs::remove_directories(folder); }
  std::string path(StringRef name) {
    llvm::SmallString<128> result(folder);
    llvm::sys::path::append(result, name);
    return std::string(result);
  }
  void write(StringRef name, StringRef data) {
    std::error_code code;
    llvm::raw_fd_ostream os(path(name), code);
    os << data;
  }
  /// Text of the error of opening a file, or of loading a tensor of it.
  std::string openError(StringRef name, StringRef tensor = "") {
    auto file = TensorFile::open(path(name), &context);
    if (!file)
      return llvm::toString(file.takeError());
    if (tensor.empty())
      return "";
    auto loaded = (*file)->load(tensor);
    return loaded ? "" : llvm::toString(loaded.takeError());
  }
  llvm::SmallString<128> folder;
  MLIRContext context;
};
} // namespace

static Tensor makeTensor(MLIRContext *context, StringRef type, ArrayRef<int64_t> shape) {
  Tensor tensor(mlir::parseType(type, context), shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setFromDouble(i, (i % 3) - 1);
  return tensor;
}

TEST_F(TensorFileTest, RoundTripsAllTypes) {
  std::vector<NamedTensor> tensors;
  for (StringRef type : {"i1", "i8", "ui8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"})
    tensors.emplace_back("t." + type.str(), makeTensor(&context, type, {2, 3}));
  tensors.emplace_back("scalar", makeTensor(&context, "f32", {}));
  tensors.emplace_back("empty", makeTensor(&context, "bf16", {0, 4}));
  tensors.emplace_back("odd/name with blanks", makeTensor(&context, "i64", {1}));
  for (StringRef name : {"all.npz", "all.safetensors"}) {
    ASSERT_FALSE(static_cast<bool>(writeTensorFile(path(name), tensors)));
    auto file = TensorFile::open(path(name), &context);
    ASSERT_TRUE(static_cast<bool>(file));
    EXPECT_EQ((*file)->getNames().size(), tensors.size());
    for (const auto &[key, tensor] : tensors) {
      auto loaded = (*file)->load(key);
      ASSERT_TRUE(static_cast<bool>(loaded)) << key;
      Comparison comparison = compareTensors(*loaded, tensor, {});
      EXPECT_TRUE(comparison.isEqual()) << name.str() << " " << key << ": "
                                        << describeMismatch(comparison, *loaded, tensor);
    }
  }
}

TEST_F(TensorFileTest, SameTensorsSameBytes) {
  std::vector<NamedTensor> tensors{{"x", makeTensor(&context, "f32", {4})}};
  for (StringRef suffix : {".npz", ".safetensors"}) {
    ASSERT_FALSE(static_cast<bool>(writeTensorFile(path(("a" + suffix).str()), tensors)));
    ASSERT_FALSE(static_cast<bool>(writeTensorFile(path(("b" + suffix).str()), tensors)));
    auto a = llvm::MemoryBuffer::getFile(path(("a" + suffix).str())),
         b = llvm::MemoryBuffer::getFile(path(("b" + suffix).str()));
    EXPECT_EQ((*a)->getBuffer(), (*b)->getBuffer());
  }
}

TEST_F(TensorFileTest, NothingIsWrittenOnFailure) {
  // Neither format has a place for f8E8M0FNU.
  std::vector<NamedTensor> tensors{{"x", Tensor(mlir::parseType("f8E8M0FNU", &context), {1})}};
  for (StringRef name : {"bad.npz", "bad.safetensors"}) {
    llvm::Error error = writeTensorFile(path(name), tensors);
    EXPECT_TRUE(static_cast<bool>(error));
    llvm::consumeError(std::move(error));
    EXPECT_FALSE(llvm::sys::fs::exists(path(name)));
  }
  std::error_code code;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(folder, code), llvm::sys::fs::directory_iterator());
}

TEST_F(TensorFileTest, NoTensors) {
  for (StringRef name : {"none.npz", "none.safetensors"}) {
    ASSERT_FALSE(static_cast<bool>(writeTensorFile(path(name), {})));
    auto file = TensorFile::open(path(name), &context);
    ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
    EXPECT_TRUE((*file)->getNames().empty());
  }
}

TEST_F(TensorFileTest, OutputPaths) {
  EXPECT_FALSE(static_cast<bool>(checkOutputPath(path("new.npz"))));
  // Errors name the path that was given, not that of a temporary file.
  for (StringRef name : {"none/new.npz", "none/new.safetensors"}) {
    std::string text = llvm::toString(writeTensorFile(path(name), {}));
    EXPECT_NE(text.find(path(name) + ": cannot be written: expected a folder but '" + path("none") + "' is none"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(llvm::toString(checkOutputPath(path("new.txt"))).find("ends in .npz or .safetensors"), std::string::npos);
}

TEST_F(TensorFileTest, NumpyHeaders) {
  auto npy = [](StringRef dictionary, StringRef data) {
    std::string text = "\x93NUMPY";
    text += '\x01';
    text += '\x00';
    text += static_cast<char>(dictionary.size());
    text += '\x00';
    return text + dictionary.str() + data.str();
  };
  // Column-major: the file holds 1 2 3 4 for [[1, 3], [2, 4]].
  write("f.npy", npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2), }", StringRef("\1\2\3\4", 4)));
  auto file = TensorFile::open(path("f.npy"), &context);
  ASSERT_TRUE(static_cast<bool>(file));
  auto tensor = (*file)->load("f");
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(tensor->ints().vec(), (std::vector<int64_t>{1, 3, 2, 4}));

  write("big.npy", npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", StringRef("\0\0\0\0", 4)));
  EXPECT_NE(openError("big.npy", "big").find("expected a little-endian bool, integer or float dtype but got '>f4'"),
            std::string::npos);
  write("short.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", StringRef("\0\0\0\0", 4)));
  EXPECT_NE(openError("short.npy", "short").find("expected 8 bytes of data but got 4"), std::string::npos);
  write("huge.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", ""));
  EXPECT_NE(openError("huge.npy", "huge").find("expected countable bytes"), std::string::npos);
  write("negative.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", ""));
  EXPECT_NE(openError("negative.npy", "negative").find("expected extents >= 0"), std::string::npos);
  write("record.npy", npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", ""));
  EXPECT_NE(openError("record.npy", "record").find("expected a plain dtype"), std::string::npos);
  write("text.npy", "hello");
  // Known when the file is opened, whoever asks for the tensor.
  EXPECT_NE(openError("text.npy").find("not a valid .npy file: expected NumPy's magic number"), std::string::npos);
}

TEST_F(TensorFileTest, DamagedFiles) {
  EXPECT_NE(openError("missing.npz").find("cannot be opened"), std::string::npos);
  EXPECT_NE(openError("missing.safetensors").find("cannot be opened"), std::string::npos);
  EXPECT_NE(openError("file.txt").find("expected a file name that ends in"), std::string::npos);
  write("text.npz", "hello");
  EXPECT_NE(openError("text.npz").find("not a valid .npz file: Not a zip archive"), std::string::npos);
  write("empty.npz", "");
  EXPECT_NE(openError("empty.npz").find("not a valid .npz file: "), std::string::npos);
  write("short.safetensors", "abc");
  EXPECT_NE(openError("short.safetensors").find("not a valid .safetensors file: expected 8 bytes or more but got 3"),
            std::string::npos);
  write("long.safetensors", StringRef("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10));
  EXPECT_NE(openError("long.safetensors").find("the file ends before"), std::string::npos);
  auto safetensors = [](StringRef header, StringRef data) {
    std::string text(8, '\0');
    text[0] = static_cast<char>(header.size());
    return text + header.str() + data.str();
  };
  write("json.safetensors", safetensors("{not json", ""));
  EXPECT_NE(openError("json.safetensors").find("expected a JSON header"), std::string::npos);
  std::string deep = std::string(200, '[');
  std::string nested = std::string("\xc8\0\0\0\0\0\0\0", 8) + deep;
  write("deep.safetensors", nested);
  EXPECT_NE(openError("deep.safetensors").find("expected a JSON header of a few levels"), std::string::npos);
  write("outside.safetensors", safetensors(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "ab"));
  EXPECT_NE(openError("outside.safetensors").find("expected data_offsets within the file"), std::string::npos);
  write("size.safetensors", safetensors(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd"));
  EXPECT_NE(openError("size.safetensors").find("expected 8 bytes but data_offsets span 4"), std::string::npos);
  write("dtype.safetensors", safetensors(R"({"x":{"dtype":"C64","shape":[0],"data_offsets":[0,0]}})", ""));
  EXPECT_EQ(openError("dtype.safetensors"), "");
  EXPECT_NE(openError("dtype.safetensors", "x").find("expected a dtype of bool, integers or floats but got C64"),
            std::string::npos);
  write("name.safetensors", safetensors(R"({"__metadata__":{"format":"pt"}})", ""));
  EXPECT_NE(openError("name.safetensors", "x").find("no tensor 'x'"), std::string::npos);
}
