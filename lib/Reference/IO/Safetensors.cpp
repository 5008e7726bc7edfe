// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hugging Face's safetensors: eight bytes with the length of a JSON header, the
// header, the data. {"x": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}

#include "Formats.h"
#include "fxgraph/Support/Nesting.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

namespace {
struct Dtype {
  StringRef name;
  Type (*get)(MLIRContext *);
};
} // namespace

template <unsigned width>
static Type getInteger(MLIRContext *context) {
  return IntegerType::get(context, width);
}
template <unsigned width>
static Type getUnsigned(MLIRContext *context) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}
template <typename T>
static Type getFloat(MLIRContext *context) {
  return T::get(context);
}

static const Dtype kDtypes[] = {
    {"BOOL", getInteger<1>},
    {"I8", getInteger<8>},
    {"I16", getInteger<16>},
    {"I32", getInteger<32>},
    {"I64", getInteger<64>},
    {"U8", getUnsigned<8>},
    {"U16", getUnsigned<16>},
    {"U32", getUnsigned<32>},
    {"U64", getUnsigned<64>},
    {"F64", getFloat<mlir::Float64Type>},
    {"F32", getFloat<mlir::Float32Type>},
    {"F16", getFloat<mlir::Float16Type>},
    {"BF16", getFloat<mlir::BFloat16Type>},
    {"F8_E4M3", getFloat<mlir::Float8E4M3FNType>},
    {"F8_E5M2", getFloat<mlir::Float8E5M2Type>},
};

namespace {
class SafetensorsFile : public TensorFile {
public:
  SafetensorsFile(StringRef path, MLIRContext *context) : TensorFile(path, context) {}

  llvm::Error parse(std::unique_ptr<llvm::MemoryBuffer> file) {
    buffer = std::move(file);
    StringRef bytes = buffer->getBuffer();
    auto fail = [&](const Twine &reason) {
      return makeError("%s: not a valid .safetensors file: %s", path.c_str(), reason.str().c_str());
    };
    if (bytes.size() < 8)
      return fail("expected 8 bytes or more but got " + Twine(bytes.size()));
    uint64_t length = llvm::support::endian::read64le(bytes.data());
    if (length > bytes.size() - 8)
      return fail("expected a header of " + Twine(length) + " bytes but the file ends before");
    data = bytes.drop_front(8 + length);
    if (!isShallow(bytes.substr(8, length)))
      return fail("expected a JSON header of a few levels");
    llvm::Expected<llvm::json::Value> json = llvm::json::parse(bytes.substr(8, length));
    if (!json)
      return fail("expected a JSON header: " + llvm::toString(json.takeError()));
    llvm::json::Object *object = json->getAsObject();
    if (!object)
      return fail("expected a JSON object as header");
    for (auto &[key, value] : *object) {
      StringRef name = key;
      if (name == "__metadata__")
        continue;
      if (llvm::Error error = parseEntry(name, value))
        return error;
    }
    // A JSON object has no order: that of the data is the writer's.
    llvm::sort(names, [&](const std::string &a, const std::string &b) {
      return std::make_tuple(entries[a].begin, a) < std::make_tuple(entries[b].begin, b);
    });
    return llvm::Error::success();
  }

  llvm::Expected<Tensor> load(StringRef name) override {
    auto it = entries.find(name);
    if (it == entries.end())
      return makeError("%s: no tensor '%s'", path.c_str(), name.str().c_str());
    const Entry &entry = it->second;
    if (!entry.type)
      return makeError("%s: '%s': expected a dtype of bool, integers or floats but got %s", path.c_str(),
                       name.str().c_str(), entry.dtype.c_str());
    StringRef bytes = data.slice(entry.begin, entry.end);
    Tensor tensor = Tensor::fromBytes(entry.type, entry.shape, ArrayRef<char>(bytes.data(), bytes.size()));
    if (tensor.isNull())
      return makeError("%s: '%s': expected the bytes of %s%s but got %zu", path.c_str(), name.str().c_str(),
                       formatType(entry.type).c_str(), formatShape(entry.shape).c_str(), bytes.size());
    return tensor;
  }

private:
  struct Entry {
    Type type; // null for a dtype that MLIR's tensors do not have here
    std::string dtype;
    SmallVector<int64_t> shape;
    uint64_t begin = 0, end = 0;
  };

  llvm::Error parseEntry(StringRef name, const llvm::json::Value &value) {
    std::string label = path + ": '" + name.str() + "'";
    const llvm::json::Object *fields = value.getAsObject();
    const llvm::json::Array *shape = fields ? fields->getArray("shape") : nullptr;
    const llvm::json::Array *offsets = fields ? fields->getArray("data_offsets") : nullptr;
    std::optional<StringRef> dtype = fields ? fields->getString("dtype") : std::nullopt;
    if (!shape || !offsets || !dtype || offsets->size() != 2)
      return makeError("%s: expected dtype, shape and data_offsets", label.c_str());
    Entry entry;
    for (const Dtype &known : kDtypes)
      if (known.name == *dtype)
        entry.type = known.get(context);
    // Tensors of other dtypes may lie in the file; only a use is an error.
    if (!entry.type) {
      entry.dtype = dtype->str();
      names.push_back(name.str());
      entries[name] = std::move(entry);
      return llvm::Error::success();
    }
    uint64_t bytes = getElementBytes(entry.type);
    for (const llvm::json::Value &extent : *shape) {
      std::optional<int64_t> number = extent.getAsInteger();
      bool overflows = false;
      if (number && *number >= 0)
        bytes = llvm::SaturatingMultiply<uint64_t>(bytes, *number, &overflows);
      if (!number || *number < 0 || overflows)
        return makeError("%s: expected extents >= 0", label.c_str());
      entry.shape.push_back(*number);
    }
    std::optional<int64_t> begin = (*offsets)[0].getAsInteger(), end = (*offsets)[1].getAsInteger();
    if (!begin || !end || *begin < 0 || *end < *begin || static_cast<uint64_t>(*end) > data.size())
      return makeError("%s: expected data_offsets within the file", label.c_str());
    entry.begin = *begin;
    entry.end = *end;
    if (entry.end - entry.begin != bytes)
      return makeError("%s: expected %llu bytes but data_offsets span %llu", label.c_str(),
                       static_cast<unsigned long long>(bytes),
                       static_cast<unsigned long long>(entry.end - entry.begin));
    names.push_back(name.str());
    entries[name] = std::move(entry);
    return llvm::Error::success();
  }

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  StringRef data;
  llvm::StringMap<Entry> entries;
};
} // namespace

llvm::Expected<std::unique_ptr<TensorFile>> fxgraph::openSafetensors(StringRef path, MLIRContext *context) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("%s: cannot be opened: %s", path.str().c_str(), buffer.getError().message().c_str());
  auto file = std::make_unique<SafetensorsFile>(path, context);
  if (llvm::Error error = file->parse(std::move(*buffer)))
    return std::move(error);
  return std::unique_ptr<TensorFile>(std::move(file));
}

llvm::Error fxgraph::writeSafetensors(StringRef path, StringRef given, ArrayRef<NamedTensor> tensors) {
  std::string header;
  llvm::raw_string_ostream text(header);
  llvm::json::OStream json(text);
  uint64_t offset = 0;
  std::string failure;
  json.object([&] {
    for (const auto &[name, tensor] : tensors) {
      StringRef dtype;
      for (const Dtype &known : kDtypes)
        if (known.get(tensor.getElementType().getContext()) == tensor.getElementType())
          dtype = known.name;
      if (tensor.getElementType().isIndex())
        dtype = "I64";
      if (dtype.empty() && failure.empty())
        failure = "'" + name + "': safetensors has no type for " + formatType(tensor.getElementType());
      json.attributeObject(name, [&, &tensor = tensor] {
        json.attribute("dtype", dtype);
        json.attributeArray("shape", [&] {
          for (int64_t extent : tensor.getShape())
            json.value(extent);
        });
        json.attributeArray("data_offsets", [&] {
          json.value(static_cast<int64_t>(offset));
          offset += tensor.getByteSize();
          json.value(static_cast<int64_t>(offset));
        });
      });
    }
  });
  if (!failure.empty())
    return makeError("%s", failure.c_str());
  // Aligned data can be mapped by other readers.
  while (header.size() % 8 != 0)
    header += ' ';

  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::OF_None);
  if (code)
    return makeError("%s: cannot be written: %s", given.str().c_str(), code.message().c_str());
  char length[8];
  llvm::support::endian::write64le(length, header.size());
  os.write(length, sizeof(length));
  os << header;
  std::vector<char> bytes;
  for (const auto &[name, tensor] : tensors) {
    bytes.resize(tensor.getByteSize());
    tensor.toBytes(bytes);
    os.write(bytes.data(), bytes.size());
  }
  os.flush();
  if (os.has_error()) {
    code = os.error();
    os.clear_error();
    return makeError("%s: cannot be written: %s", given.str().c_str(), code.message().c_str());
  }
  return llvm::Error::success();
}
