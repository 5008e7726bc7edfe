// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy header and the .npz archive around it. The header is a magic
// number, a version, a length and a Python dictionary as text:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
// padded with blanks so that the data start at a multiple of 64 bytes.

#include "Formats.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <zip.h>

using namespace fxgraph;

static constexpr StringRef kMagic = "\x93NUMPY";

namespace {
/// Dtypes that NumPy lacks: the suffix of the name and the carrier.
struct Disguise {
  StringRef suffix;
  StringRef descr;
  Type (*get)(MLIRContext *);
};
} // namespace

static const Disguise kDisguises[] = {
    {".bf16", "<u2", [](MLIRContext *context) -> Type { return mlir::BFloat16Type::get(context); }},
    {".f8e4m3fn", "|u1", [](MLIRContext *context) -> Type { return mlir::Float8E4M3FNType::get(context); }},
    {".f8e5m2", "|u1", [](MLIRContext *context) -> Type { return mlir::Float8E5M2Type::get(context); }},
};

/// Element type of a NumPy type string; null if there is none.
static Type parseDescr(StringRef descr, MLIRContext *context) {
  if (descr == "|b1" || descr == "?")
    return IntegerType::get(context, 1);
  if (descr.size() < 3)
    return {};
  unsigned bytes;
  // Single bytes have no order; everything else must be little-endian.
  if (descr.drop_front(2).getAsInteger(10, bytes) ||
      (descr[0] != '<' && !(bytes == 1 && (descr[0] == '|' || descr[0] == '='))))
    return {};
  if (!llvm::is_contained({1u, 2u, 4u, 8u}, bytes))
    return {};
  switch (descr[1]) {
  case 'f':
    if (bytes == 2)
      return mlir::Float16Type::get(context);
    if (bytes == 4)
      return mlir::Float32Type::get(context);
    return bytes == 8 ? Type(mlir::Float64Type::get(context)) : Type();
  case 'i':
    return IntegerType::get(context, 8 * bytes);
  case 'u':
    return IntegerType::get(context, 8 * bytes, IntegerType::Unsigned);
  default:
    return {};
  }
}

/// NumPy's type string and the suffix for the name.
static std::pair<std::string, std::string> getDescr(Type type) {
  for (const Disguise &disguise : kDisguises)
    if (disguise.get(type.getContext()) == type)
      return {disguise.descr.str(), disguise.suffix.str()};
  if (type.isInteger(1))
    return {"|b1", ""};
  if (type.isIndex())
    return {"<i8", ""};
  unsigned bytes = getElementBytes(type);
  if (auto real = dyn_cast<FloatType>(type))
    return {type.isF16() || type.isF32() || type.isF64() ? "<f" + std::to_string(bytes) : "", ""};
  char kind = type.isUnsignedInteger() ? 'u' : 'i';
  bool whole = llvm::is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
  return {whole ? (bytes == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(bytes) : "", ""};
}

namespace {
struct NpyHeader {
  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;
  size_t dataOffset = 0;
};
} // namespace

/// The text after `'key':` in the header's dictionary.
static StringRef findField(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  StringRef rest = header.drop_front(at + key.size() + 2).ltrim();
  return rest.consume_front(":") ? rest.ltrim() : StringRef();
}

static llvm::Expected<NpyHeader> parseHeader(StringRef data, StringRef label) {
  auto fail = [&](const Twine &reason) {
    return makeError("%s: not a valid .npy file: %s", label.str().c_str(), reason.str().c_str());
  };
  if (!data.starts_with(kMagic) || data.size() < 10)
    return fail("expected NumPy's magic number");
  unsigned major = static_cast<unsigned char>(data[6]);
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3 || data.size() < 8 + lengthBytes)
    return fail("expected version 1, 2 or 3 but got " + Twine(major));
  size_t length =
      major == 1 ? llvm::support::endian::read16le(data.data() + 8) : llvm::support::endian::read32le(data.data() + 8);
  NpyHeader header;
  header.dataOffset = 8 + lengthBytes + length;
  if (header.dataOffset > data.size())
    return fail("expected a header of " + Twine(length) + " bytes but the data end before");
  StringRef dictionary = data.substr(8 + lengthBytes, length);

  StringRef descr = findField(dictionary, "descr"), order = findField(dictionary, "fortran_order"),
            shape = findField(dictionary, "shape");
  if (!descr.consume_front("'") || descr.find('\'') == StringRef::npos)
    return fail("expected a plain dtype in the header");
  header.descr = descr.take_until([](char c) { return c == '\''; }).str();
  header.fortranOrder = order.starts_with("True");
  size_t close = shape.find(')');
  if (!shape.consume_front("(") || close == StringRef::npos)
    return fail("expected a shape in the header");
  SmallVector<StringRef> parts;
  shape.take_front(close - 1).split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return fail("expected extents >= 0 in the header but got '" + part + "'");
    header.shape.push_back(extent);
  }
  return header;
}

/// Column-major elements in row-major order.
static Tensor fromFortranOrder(const Tensor &reversed, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = 1; i < shape.size(); ++i)
    strides[i] = strides[i - 1] * shape[i - 1];
  Tensor result(reversed.getElementType(), shape);
  int64_t out = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t from = 0;
    for (auto [i, stride] : llvm::zip_equal(index, strides))
      from += i * stride;
    result.setFrom(out++, reversed, from);
  });
  return result;
}

/// Number of bytes of a shape; nullopt on overflow.
static std::optional<uint64_t> countBytes(ArrayRef<int64_t> shape, uint64_t elementBytes) {
  uint64_t bytes = elementBytes;
  for (int64_t extent : shape) {
    bool overflows = false;
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent, &overflows);
    if (overflows)
      return std::nullopt;
  }
  return bytes;
}

static llvm::Expected<Tensor> parseNpy(StringRef data, StringRef label, const Disguise *disguise,
                                       MLIRContext *context) {
  llvm::Expected<NpyHeader> header = parseHeader(data, label);
  if (!header)
    return header.takeError();
  Type type = parseDescr(header->descr, context);
  if (disguise && header->descr == disguise->descr)
    type = disguise->get(context);
  if (!type)
    return makeError("%s: expected a little-endian bool, integer or float dtype but got '%s'", label.str().c_str(),
                     header->descr.c_str());
  StringRef bytes = data.drop_front(header->dataOffset);
  std::optional<uint64_t> expected = countBytes(header->shape, getElementBytes(type));
  if (!expected || *expected != bytes.size())
    return makeError("%s: not a valid .npy file: expected %s bytes of data but got %zu", label.str().c_str(),
                     expected ? std::to_string(*expected).c_str() : "countable", bytes.size());
  Tensor tensor = Tensor::fromBytes(type, header->shape, ArrayRef<char>(bytes.data(), bytes.size()));
  return header->fortranOrder ? fromFortranOrder(tensor, header->shape) : tensor;
}

/// The whole .npy text of a tensor.
static llvm::Expected<std::string> formatNpy(const Tensor &tensor, StringRef name) {
  std::string descr = getDescr(tensor.getElementType()).first;
  if (descr.empty())
    return makeError("'%s': NumPy has no type for %s; write .safetensors", name.str().c_str(),
                     formatType(tensor.getElementType()).c_str());
  std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.getShape())
    dictionary += std::to_string(extent) + ", ";
  // NumPy writes (2, 3) and (2,); a trailing comma reads the same.
  dictionary += "), }";
  size_t prefix = kMagic.size() + 2;
  size_t lengthBytes = dictionary.size() + 64 < 65536 ? 2 : 4;
  size_t total = (prefix + lengthBytes + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(total - prefix - lengthBytes - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string out(total + tensor.getByteSize(), '\0');
  std::copy(kMagic.begin(), kMagic.end(), out.begin());
  out[6] = lengthBytes == 2 ? 1 : 2;
  if (lengthBytes == 2)
    llvm::support::endian::write16le(&out[8], dictionary.size());
  else
    llvm::support::endian::write32le(&out[8], dictionary.size());
  std::copy(dictionary.begin(), dictionary.end(), out.begin() + prefix + lengthBytes);
  tensor.toBytes(MutableArrayRef<char>(out.data() + total, tensor.getByteSize()));
  return out;
}

/// The disguise that the suffix of a stored name announces.
static const Disguise *findDisguise(StringRef storedName) {
  for (const Disguise &disguise : kDisguises)
    if (storedName.ends_with(disguise.suffix))
      return &disguise;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

namespace {
class NpzFile : public TensorFile {
public:
  NpzFile(StringRef path, MLIRContext *context, zip_t *archive) : TensorFile(path, context), archive(archive) {
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
      StringRef stored = zip_get_name(archive, i, 0);
      stored.consume_back(".npy");
      const Disguise *disguise = findDisguise(stored);
      if (disguise)
        stored.consume_back(disguise->suffix);
      names.push_back(stored.str());
      entries.try_emplace(stored, Entry{i, disguise});
    }
  }
  ~NpzFile() override { zip_discard(archive); }

  llvm::Expected<Tensor> load(StringRef name) override {
    std::string label = path + ": " + name.str();
    auto it = entries.find(name);
    if (it == entries.end())
      return makeError("%s: no such tensor", label.c_str());
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_stat_index(archive, it->second.index, 0, &status) != 0 || !(status.valid & ZIP_STAT_SIZE))
      return makeError("%s: cannot be read: %s", label.c_str(), zip_strerror(archive));
    zip_file_t *file = zip_fopen_index(archive, it->second.index, 0);
    if (!file)
      return makeError("%s: cannot be read: %s", label.c_str(), zip_strerror(archive));
    std::string data(status.size, '\0');
    zip_int64_t got = zip_fread(file, data.data(), data.size());
    // libzip checks the CRC when a read meets the end.
    char beyond;
    zip_int64_t atEnd = zip_fread(file, &beyond, 1);
    zip_fclose(file);
    if (got != static_cast<zip_int64_t>(data.size()) || atEnd != 0)
      return makeError("%s: the archive is damaged", label.c_str());
    return parseNpy(data, label, it->second.disguise, context);
  }

private:
  struct Entry {
    zip_int64_t index;
    const Disguise *disguise;
  };
  zip_t *archive;
  llvm::StringMap<Entry> entries;
};

class NpyFile : public TensorFile {
public:
  NpyFile(StringRef path, MLIRContext *context, std::unique_ptr<llvm::MemoryBuffer> buffer)
      : TensorFile(path, context), buffer(std::move(buffer)) {
    StringRef stem = llvm::sys::path::stem(path);
    disguise = findDisguise(stem);
    if (disguise)
      stem.consume_back(disguise->suffix);
    names.push_back(stem.str());
  }
  llvm::Expected<Tensor> load(StringRef name) override {
    if (name != names.front())
      return makeError("%s: expected the tensor '%s' but was asked for '%s'", path.c_str(), names.front().c_str(),
                       name.str().c_str());
    return parseNpy(buffer->getBuffer(), path, disguise, context);
  }

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  const Disguise *disguise;
};
} // namespace

static std::string describeZipError(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

llvm::Expected<std::unique_ptr<TensorFile>> fxgraph::openNpz(StringRef path, MLIRContext *context) {
  int code = 0;
  zip_t *archive = zip_open(path.str().c_str(), ZIP_RDONLY, &code);
  if (archive)
    return std::make_unique<NpzFile>(path, context, archive);
  bool isRead = code != ZIP_ER_NOENT && code != ZIP_ER_OPEN && code != ZIP_ER_READ && code != ZIP_ER_MEMORY;
  return makeError(isRead ? "%s: not a valid .npz file: %s" : "%s: cannot be opened: %s", path.str().c_str(),
                   describeZipError(code).c_str());
}

llvm::Expected<std::unique_ptr<TensorFile>> fxgraph::openNpy(StringRef path, MLIRContext *context) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("%s: cannot be opened: %s", path.str().c_str(), buffer.getError().message().c_str());
  // Now, and not when its tensor is asked for: nobody may ask for it.
  if (llvm::Expected<NpyHeader> header = parseHeader((*buffer)->getBuffer(), path); !header)
    return header.takeError();
  return std::make_unique<NpyFile>(path, context, std::move(*buffer));
}

llvm::Error fxgraph::writeNpz(StringRef path, StringRef given, ArrayRef<NamedTensor> tensors) {
  if (tensors.empty()) {
    // libzip makes no file of an empty archive: its end record is all that there is.
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return makeError("%s: cannot be written: %s", given.str().c_str(), error.message().c_str());
    os << StringRef("PK\5\6", 4);
    os.write_zeros(18);
    return llvm::Error::success();
  }
  int code = 0;
  zip_t *archive = zip_open(path.str().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!archive)
    return makeError("%s: cannot be written: %s", given.str().c_str(), describeZipError(code).c_str());
  // libzip reads the buffers when the archive is closed.
  std::vector<std::string> texts;
  texts.reserve(tensors.size());
  auto fail = [&](llvm::Error error) {
    zip_discard(archive);
    return error;
  };
  for (const auto &[name, tensor] : tensors) {
    llvm::Expected<std::string> text = formatNpy(tensor, name);
    if (!text)
      return fail(text.takeError());
    texts.push_back(std::move(*text));
    std::string stored = name + getDescr(tensor.getElementType()).second + ".npy";
    zip_source_t *source = zip_source_buffer(archive, texts.back().data(), texts.back().size(), 0);
    zip_int64_t index = source ? zip_file_add(archive, stored.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
      if (source)
        zip_source_free(source);
      return fail(makeError("%s: cannot be written: %s", given.str().c_str(), zip_strerror(archive)));
    }
    // As numpy.savez: not compressed. A fixed date makes the bytes reproducible.
    zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive, index, /*dostime=*/0, /*dosdate=*/(1 << 5) | 1, 0);
  }
  if (zip_close(archive) != 0)
    return fail(makeError("%s: cannot be written: %s", given.str().c_str(), zip_strerror(archive)));
  return llvm::Error::success();
}
