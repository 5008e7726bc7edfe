//===- LaunchPlan.cpp - Parse and validate launch plans -------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"
#include "Error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

using namespace fxgraph::runtime;
using Json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct DTypeRecord {
  DType dtype;
  const char *name;
  uint64_t bytes;
};
} // namespace

static const DTypeRecord dtypes[] = {
    {DType::I1, "i1", 1},
    {DType::I8, "i8", 1},
    {DType::I16, "i16", 2},
    {DType::I32, "i32", 4},
    {DType::I64, "i64", 8},
    {DType::UI8, "ui8", 1},
    {DType::UI16, "ui16", 2},
    {DType::UI32, "ui32", 4},
    {DType::UI64, "ui64", 8},
    {DType::F8E4M3FN, "f8E4M3FN", 1},
    {DType::F8E5M2, "f8E5M2", 1},
    {DType::F16, "f16", 2},
    {DType::BF16, "bf16", 2},
    {DType::F32, "f32", 4},
    {DType::F64, "f64", 8},
    {DType::ComplexF16, "complex<f16>", 4},
    {DType::ComplexF32, "complex<f32>", 8},
    {DType::ComplexF64, "complex<f64>", 16},
};

const char *fxgraph::runtime::getDTypeName(DType dtype) { return dtypes[static_cast<size_t>(dtype)].name; }

uint64_t fxgraph::runtime::getDTypeBytes(DType dtype) { return dtypes[static_cast<size_t>(dtype)].bytes; }

bool fxgraph::runtime::hasBias(Epilogue epilogue) {
  return epilogue == Epilogue::Bias || epilogue == Epilogue::ReluBias || epilogue == Epilogue::GeluTanhBias;
}

const char *fxgraph::runtime::getCollectiveName(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::Broadcast:
    return "broadcast";
  case CollectiveKind::AllToAll:
    break;
  }
  return "all_to_all";
}

//===----------------------------------------------------------------------===//
// Typed reading of JSON, with the path of the value in every message
//===----------------------------------------------------------------------===//

namespace {

/// The largest size that the plan may state: sums and products of a few of them
/// are checked, and the driver takes signed 64-bit values in places.
constexpr uint64_t maxSize = uint64_t(1) << 62;

class Reader {
public:
  Reader(const Json &value, std::string path) : value(value), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &message) const {
    throw Error(FXRT_INVALID_PLAN, "launch plan: " + path + ": " + message);
  }

  [[noreturn]] void failType(const char *expected) const {
    fail(std::string("expected ") + expected + " but got " + describe());
  }

  /// The value for a message: short, and never a whole subtree.
  std::string describe() const {
    if (value.is_object())
      return "an object";
    if (value.is_array())
      return "an array of " + std::to_string(value.size());
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() > 60 ? text.substr(0, 57) + "..." : text;
  }

  /// Fails unless this is an object whose fields are all in `allowed`.
  void expectFields(std::initializer_list<const char *> allowed) const {
    if (!value.is_object())
      failType("an object");
    for (auto it = value.begin(); it != value.end(); ++it)
      if (std::none_of(allowed.begin(), allowed.end(), [&](const char *name) { return it.key() == name; }))
        fail("unknown field '" + it.key() + "'");
  }

  bool has(const char *name) const { return value.contains(name); }

  Reader operator[](const char *name) const {
    if (!value.is_object())
      failType("an object");
    auto it = value.find(name);
    if (it == value.end())
      fail(std::string("missing field '") + name + "'");
    return Reader(*it, path + "." + name);
  }

  std::vector<Reader> elements() const {
    if (!value.is_array())
      failType("an array");
    std::vector<Reader> result;
    result.reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i)
      result.emplace_back(value[i], path + "[" + std::to_string(i) + "]");
    return result;
  }

  uint64_t size(uint64_t maximum = maxSize, uint64_t minimum = 0) const {
    if (!value.is_number_unsigned())
      failType(minimum ? "a positive integer" : "a non-negative integer");
    uint64_t result = value.get<uint64_t>();
    if (result < minimum || result > maximum)
      fail("expected an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum) + " but got " +
           std::to_string(result));
    return result;
  }

  /// A signed or unsigned integer of `bits` bits, as its bit pattern.
  uint64_t integerBits(unsigned bits) const {
    if (value.is_number_unsigned()) {
      uint64_t result = value.get<uint64_t>();
      if (bits == 64 || result >> bits == 0)
        return result;
    } else if (value.is_number_integer()) {
      int64_t result = value.get<int64_t>();
      if (bits == 64)
        return static_cast<uint64_t>(result);
      if (result >= -(int64_t(1) << (bits - 1)))
        return static_cast<uint64_t>(result) & ((uint64_t(1) << bits) - 1);
    }
    failType(bits == 64 ? "a 64-bit integer" : "a 32-bit integer");
  }

  /// JSON has no infinities: they and NaN are the strings "inf", "-inf", "nan".
  double number() const {
    if (value.is_number())
      return value.get<double>();
    if (value.is_string()) {
      const std::string &text = value.get_ref<const std::string &>();
      if (text == "inf")
        return std::numeric_limits<double>::infinity();
      if (text == "-inf")
        return -std::numeric_limits<double>::infinity();
      if (text == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    }
    failType("a number, \"inf\", \"-inf\" or \"nan\"");
  }

  bool boolean() const {
    if (!value.is_boolean())
      failType("true or false");
    return value.get<bool>();
  }

  const std::string &string() const {
    if (!value.is_string())
      failType("a string");
    return value.get_ref<const std::string &>();
  }

  DType dtype() const {
    const std::string &text = string();
    for (const DTypeRecord &record : dtypes)
      if (text == record.name)
        return record.dtype;
    fail("unknown dtype '" + text + "'");
  }

  /// One of `names`, as its index.
  size_t keyword(std::initializer_list<const char *> names) const {
    const std::string &text = string();
    std::string all;
    size_t index = 0;
    for (const char *name : names) {
      if (text == name)
        return index;
      ++index;
      all += std::string(all.empty() ? "'" : ", '") + name + "'";
    }
    fail("expected one of " + all + " but got '" + text + "'");
  }

  std::array<uint32_t, 3> dim3(const std::array<uint64_t, 3> &maximum, uint64_t minimum) const {
    std::vector<Reader> list = elements();
    if (list.size() != 3)
      fail("expected 3 sizes but got " + std::to_string(list.size()));
    std::array<uint32_t, 3> result;
    for (size_t i = 0; i < 3; ++i)
      result[i] = static_cast<uint32_t>(list[i].size(maximum[i], minimum));
    return result;
  }

  std::vector<int64_t> sizes(uint64_t minimum = 0) const {
    std::vector<int64_t> result;
    for (const Reader &element : elements())
      result.push_back(static_cast<int64_t>(element.size(maxSize, minimum)));
    return result;
  }

private:
  const Json &value;
  std::string path;
};

/// a * b + c, failing where the result exceeds maxSize.
uint64_t multiplyAdd(const Reader &at, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t result;
  if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result) || result > maxSize)
    at.fail("the sizes overflow 62 bits");
  return result;
}

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

uint64_t LaunchPlan::getBufferBytes(const BufferRef &ref) const {
  switch (ref.kind) {
  case BufferKind::Input:
    return inputs[ref.index].bytes;
  case BufferKind::Output:
    return outputs[ref.index].bytes;
  case BufferKind::Constant:
    return constants[ref.index].bytes;
  case BufferKind::Workspace:
    break;
  }
  return workspaceBytes;
}

uint64_t LaunchPlan::getAlignment(const BufferRef &ref) const {
  uint64_t base = 256;
  if (ref.kind == BufferKind::Input)
    base = inputs[ref.index].align;
  else if (ref.kind == BufferKind::Output)
    base = outputs[ref.index].align;
  uint64_t lowest = ref.offset & (~ref.offset + 1);
  return ref.offset ? std::min(base, lowest) : base;
}

size_t LaunchPlan::getNumInnerSteps(size_t index) const {
  if (auto *branch = std::get_if<BranchStep>(&steps[index].body))
    return branch->thenSteps + branch->otherwiseSteps;
  if (auto *loop = std::get_if<LoopStep>(&steps[index].body))
    return loop->conditionSteps + loop->bodySteps;
  return 0;
}

std::optional<size_t> LaunchPlan::findDecision() const {
  for (size_t i = 0; i < steps.size(); ++i)
    if (std::holds_alternative<BranchStep>(steps[i].body) || std::holds_alternative<LoopStep>(steps[i].body))
      return i;
  return std::nullopt;
}

std::string LaunchPlan::describeStep(size_t index) const {
  const Step &step = steps[index];
  std::string text = "step " + std::to_string(index) + " (";
  if (auto *kernel = std::get_if<KernelStep>(&step.body))
    text += "kernel '" + kernel->name + "'";
  else if (std::holds_alternative<MatmulStep>(step.body))
    text += "matmul";
  else if (std::holds_alternative<ConvStep>(step.body))
    text += "conv";
  else if (auto *collective = std::get_if<CollectiveStep>(&step.body))
    text += std::string(getCollectiveName(collective->kind)) + " of group '" + collective->group + "'";
  else if (std::holds_alternative<WaitStep>(step.body))
    text += "wait";
  else if (std::holds_alternative<BranchStep>(step.body))
    text += "branch";
  else if (std::holds_alternative<LoopStep>(step.body))
    text += "loop";
  else if (std::holds_alternative<CopyStep>(step.body))
    text += "copy";
  else
    text += "fill";
  if (!step.location.empty())
    text += ", " + step.location;
  return text + ")";
}

/// Elements from the first to the last element's end; 0 for an empty tensor.
static uint64_t getExtent(const Reader &at, const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  for (int64_t size : shape)
    if (size == 0)
      return 0;
  uint64_t extent = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    extent = multiplyAdd(at, shape[i] - 1, strides[i], extent);
  return extent;
}

static std::vector<int64_t> getRowMajorStrides(const Reader &at, const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  uint64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    // As PyTorch does: a size of 0 counts as 1.
    stride = multiplyAdd(at, stride, std::max<int64_t>(shape[i], 1), 0);
  }
  return strides;
}

static TensorSpec readTensor(const Reader &at, bool isInput) {
  if (isInput)
    at.expectFields({"name", "dtype", "shape", "strides", "bytes", "align", "mutated"});
  else
    at.expectFields({"name", "dtype", "shape", "strides", "bytes", "align"});
  TensorSpec spec;
  spec.name = at["name"].string();
  spec.dtype = at["dtype"].dtype();
  spec.shape = at["shape"].sizes();
  if (at.has("strides")) {
    spec.strides = at["strides"].sizes();
    if (spec.strides.size() != spec.shape.size())
      at.fail("expected " + std::to_string(spec.shape.size()) + " strides but got " +
              std::to_string(spec.strides.size()));
  } else {
    spec.strides = getRowMajorStrides(at, spec.shape);
  }
  uint64_t bytes = multiplyAdd(at, getExtent(at, spec.shape, spec.strides), getDTypeBytes(spec.dtype), 0);
  spec.bytes = at["bytes"].size();
  if (spec.bytes != bytes)
    at.fail("expected bytes to be " + std::to_string(bytes) + ", as dtype, shape and strides say, but got " +
            std::to_string(spec.bytes));
  if (at.has("align")) {
    spec.align = at["align"].size(/*maximum=*/1 << 20, /*minimum=*/1);
    if (spec.align & (spec.align - 1))
      at.fail("expected align to be a power of two but got " + std::to_string(spec.align));
  }
  if (isInput && at.has("mutated"))
    spec.mutated = at["mutated"].boolean();
  return spec;
}

static ConstantSpec readConstant(const Reader &at) {
  at.expectFields({"name", "offset", "bytes"});
  ConstantSpec spec;
  spec.name = at["name"].string();
  spec.offset = at["offset"].size();
  spec.bytes = at["bytes"].size();
  multiplyAdd(at, spec.bytes, 1, spec.offset);
  return spec;
}

namespace {

/// Reads steps into a plan whose buffers are there.
class StepReader {
public:
  explicit StepReader(LaunchPlan &plan) : plan(plan) {}

  void readAll(const Reader &at) { readList(at, /*depth=*/0); }

private:
  /// Appends steps, and those that belong to them; returns how many.
  size_t readList(const Reader &at, unsigned depth);
  void read(const Reader &at, unsigned depth);
  Step readSimple(const Reader &at, size_t op) const;
  /// A bool that the device leaves and the host reads.
  BufferRef readPredicate(const Reader &at) const;
  void readBranch(const Reader &at, unsigned depth);
  void readLoop(const Reader &at, unsigned depth);

  /// Fields of a reference, which a kernel argument carries in its own object.
  BufferRef readRefFields(const Reader &at, size_t kind) const;
  BufferRef readRef(const Reader &at) const;
  /// Fails unless `bytes` bytes from `ref` on lie inside its buffer.
  void expectInside(const Reader &at, const BufferRef &ref, uint64_t bytes) const;
  void expectWritable(const Reader &at, const BufferRef &ref) const;
  void expectAligned(const Reader &at, const BufferRef &ref, DType dtype) const;

  KernelArg readKernelArg(const Reader &at) const;
  TensorMapSpec readTensorMap(const Reader &at) const;
  KernelStep readKernel(const Reader &at) const;
  MatmulStep readMatmul(const Reader &at) const;
  ConvStep readConv(const Reader &at) const;
  CollectiveTensor readCollectiveTensor(const Reader &at, const CollectiveStep &step) const;
  CollectiveStep readCollective(const Reader &at) const;
  WaitStep readWait(const Reader &at) const;
  CopyStep readCopy(const Reader &at) const;
  FillStep readFill(const Reader &at) const;

  LaunchPlan &plan;
};

} // namespace

BufferRef StepReader::readRefFields(const Reader &at, size_t kind) const {
  BufferRef ref;
  ref.kind = static_cast<BufferKind>(kind);
  size_t count = 1;
  const char *what = "workspace";
  if (ref.kind == BufferKind::Input) {
    count = plan.inputs.size();
    what = "inputs";
  } else if (ref.kind == BufferKind::Output) {
    count = plan.outputs.size();
    what = "outputs";
  } else if (ref.kind == BufferKind::Constant) {
    count = plan.constants.size();
    what = "constants";
  }
  uint64_t index = 0;
  if (ref.kind != BufferKind::Workspace)
    index = at["index"].size();
  else if (at.has("index"))
    index = at["index"].size(/*maximum=*/0);
  if (index >= count)
    at.fail("index " + std::to_string(index) + " is out of range: there are " + std::to_string(count) + " " + what);
  ref.index = static_cast<uint32_t>(index);
  if (at.has("offset"))
    ref.offset = at["offset"].size();
  if (ref.offset > plan.getBufferBytes(ref))
    at.fail("offset " + std::to_string(ref.offset) + " lies beyond the buffer of " +
            std::to_string(plan.getBufferBytes(ref)) + " bytes");
  return ref;
}

BufferRef StepReader::readRef(const Reader &at) const {
  at.expectFields({"kind", "index", "offset"});
  return readRefFields(at, at["kind"].keyword({"input", "output", "workspace", "constant"}));
}

void StepReader::expectInside(const Reader &at, const BufferRef &ref, uint64_t bytes) const {
  uint64_t available = plan.getBufferBytes(ref) - ref.offset;
  if (bytes > available)
    at.fail("needs " + std::to_string(bytes) + " bytes but the buffer has " + std::to_string(available) +
            " from offset " + std::to_string(ref.offset) + " on");
}

void StepReader::expectWritable(const Reader &at, const BufferRef &ref) const {
  if (ref.kind == BufferKind::Constant)
    at.fail("a constant cannot be written");
  if (ref.kind == BufferKind::Input && !plan.inputs[ref.index].mutated)
    at.fail("input " + std::to_string(ref.index) + " cannot be written: it is not marked mutated");
}

void StepReader::expectAligned(const Reader &at, const BufferRef &ref, DType dtype) const {
  if (plan.getAlignment(ref) < std::min<uint64_t>(getDTypeBytes(dtype), 16))
    at.fail("the address is not known to be a multiple of the " + std::to_string(getDTypeBytes(dtype)) + " bytes of " +
            getDTypeName(dtype));
}

TensorMapSpec StepReader::readTensorMap(const Reader &at) const {
  at.expectFields({"kind", "buffers", "dtype", "dims", "strides_bytes", "box", "element_strides", "swizzle",
                   "l2_promotion", "oob_fill"});
  TensorMapSpec spec;
  spec.dtype = at["dtype"].dtype();
  switch (spec.dtype) {
  case DType::ComplexF16:
  case DType::ComplexF32:
  case DType::ComplexF64:
    at.fail("tensor maps have no complex type");
  default:
    break;
  }
  for (int64_t size : at["dims"].sizes(/*minimum=*/1))
    spec.dims.push_back(size);
  for (int64_t size : at["strides_bytes"].sizes(/*minimum=*/1))
    spec.stridesBytes.push_back(size);
  size_t rank = spec.dims.size();
  if (rank < 1 || rank > 5)
    at.fail("expected 1 to 5 dims but got " + std::to_string(rank));
  if (spec.stridesBytes.size() != rank - 1)
    at.fail("expected " + std::to_string(rank - 1) + " strides_bytes but got " +
            std::to_string(spec.stridesBytes.size()));
  for (const Reader &element : at["box"].elements())
    spec.box.push_back(static_cast<uint32_t>(element.size(256, 1)));
  if (spec.box.size() != rank)
    at.fail("expected " + std::to_string(rank) + " box sizes but got " + std::to_string(spec.box.size()));
  spec.elementStrides.assign(rank, 1);
  if (at.has("element_strides")) {
    spec.elementStrides.clear();
    for (const Reader &element : at["element_strides"].elements())
      spec.elementStrides.push_back(static_cast<uint32_t>(element.size(8, 1)));
    if (spec.elementStrides.size() != rank)
      at.fail("expected " + std::to_string(rank) + " element_strides but got " +
              std::to_string(spec.elementStrides.size()));
  }
  if (at.has("swizzle"))
    spec.swizzle = at["swizzle"].keyword({"none", "32b", "64b", "128b"});
  if (at.has("l2_promotion"))
    spec.l2Promotion = at["l2_promotion"].keyword({"none", "64b", "128b", "256b"});
  if (at.has("oob_fill"))
    spec.oobFill = at["oob_fill"].keyword({"zero", "nan"});
  uint64_t bytes = getDTypeBytes(spec.dtype);
  uint64_t extent = multiplyAdd(at, spec.dims[0], bytes, 0);
  for (size_t i = 1; i < rank; ++i) {
    if (spec.stridesBytes[i - 1] % 16)
      at.fail("expected strides_bytes to be multiples of 16 but got " + std::to_string(spec.stridesBytes[i - 1]));
    extent = multiplyAdd(at, spec.dims[i] - 1, spec.stridesBytes[i - 1], extent);
  }
  for (const Reader &element : at["buffers"].elements()) {
    BufferRef ref = readRef(element);
    expectInside(element, ref, extent);
    if (plan.getAlignment(ref) < 16)
      element.fail("a tensor map needs an address known to be a multiple of "
                   "16 bytes");
    spec.buffers.push_back(ref);
  }
  if (spec.buffers.empty())
    at.fail("expected at least one buffer");
  return spec;
}

KernelArg StepReader::readKernelArg(const Reader &at) const {
  size_t kind = at["kind"].keyword(
      {"input", "output", "workspace", "constant", "i32", "i64", "f32", "f64", "pointers", "tensor_map"});
  if (kind < 4)
    return readRef(at);
  if (kind == 9)
    return readTensorMap(at);
  if (kind == 8) {
    at.expectFields({"kind", "buffers"});
    PointerTable table;
    for (const Reader &element : at["buffers"].elements())
      table.buffers.push_back(readRef(element));
    if (table.buffers.empty())
      at.fail("expected at least one buffer");
    return table;
  }
  at.expectFields({"kind", "value"});
  Reader value = at["value"];
  ScalarArg scalar;
  scalar.bytes = kind == 4 || kind == 6 ? 4 : 8;
  if (kind <= 5) {
    scalar.bits = value.integerBits(scalar.bytes * 8);
    return scalar;
  }
  double number = value.number();
  if (kind == 7) {
    std::memcpy(&scalar.bits, &number, 8);
    return scalar;
  }
  float narrow = static_cast<float>(number);
  if (std::isinf(narrow) && !std::isinf(number))
    value.fail("the value exceeds f32");
  std::memcpy(&scalar.bits, &narrow, 4);
  return scalar;
}

KernelStep StepReader::readKernel(const Reader &at) const {
  at.expectFields({"op", "loc", "name", "grid", "block", "cluster", "shared_bytes", "programmatic", "args"});
  KernelStep step;
  step.name = at["name"].string();
  if (step.name.empty())
    at.fail("expected a kernel name but got an empty string");
  step.grid = at["grid"].dim3({0x7fffffff, 65535, 65535}, 0);
  step.block = at["block"].dim3({1024, 1024, 64}, 1);
  uint64_t threads = uint64_t(step.block[0]) * step.block[1] * step.block[2];
  if (threads > 1024)
    at.fail("expected at most 1024 threads per block but got " + std::to_string(threads));
  if (at.has("shared_bytes"))
    step.sharedBytes = static_cast<uint32_t>(at["shared_bytes"].size(0x7fffffff));
  if (at.has("cluster")) {
    step.cluster = at["cluster"].dim3({16, 16, 16}, 1);
    uint64_t blocks = uint64_t(step.cluster[0]) * step.cluster[1] * step.cluster[2];
    if (blocks > 16)
      at.fail("expected at most 16 blocks per cluster but got " + std::to_string(blocks));
    for (size_t i = 0; i < 3; ++i)
      if (step.grid[i] % step.cluster[i])
        at.fail("expected the grid to be a multiple of the cluster but got " + std::to_string(step.grid[i]) + " and " +
                std::to_string(step.cluster[i]));
  }
  if (at.has("programmatic"))
    step.programmatic = at["programmatic"].boolean();
  for (const Reader &element : at["args"].elements())
    step.args.push_back(readKernelArg(element));
  return step;
}

MatmulStep StepReader::readMatmul(const Reader &at) const {
  at.expectFields({"op",        "loc",        "m",        "n",        "k",        "batch",       "dtype",
                   "dtype_out", "dtype_bias", "trans_a",  "trans_b",  "lda",      "ldb",         "ldc",
                   "ldd",       "stride_a",   "stride_b", "stride_c", "stride_d", "stride_bias", "alpha",
                   "beta",      "epilogue",   "a",        "b",        "c",        "d",           "bias"});
  // cuBLASLt takes leading dimensions up to 2^31 - 1 and so do sizes here.
  constexpr uint64_t limit = 0x7fffffff;
  MatmulStep step;
  step.m = at["m"].size(limit);
  step.n = at["n"].size(limit);
  step.k = at["k"].size(limit);
  if (at.has("batch"))
    step.batch = at["batch"].size(limit);
  step.dtype = at["dtype"].dtype();
  step.dtypeOut = at.has("dtype_out") ? at["dtype_out"].dtype() : step.dtype;
  step.dtypeBias = at.has("dtype_bias") ? at["dtype_bias"].dtype() : step.dtypeOut;
  bool supported = step.dtype == step.dtypeOut && (step.dtype == DType::F32 || step.dtype == DType::F64 ||
                                                   step.dtype == DType::F16 || step.dtype == DType::BF16);
  supported |= (step.dtype == DType::F16 || step.dtype == DType::BF16) && step.dtypeOut == DType::F32;
  if (!supported)
    at.fail(std::string("expected dtype and dtype_out to be f32, f64, f16 or "
                        "bf16 alike, or f16 or bf16 to f32, but got ") +
            getDTypeName(step.dtype) + " to " + getDTypeName(step.dtypeOut));
  if (step.dtypeBias != step.dtypeOut && !(step.dtypeOut == DType::F32 && step.dtypeBias == step.dtype))
    at.fail(std::string("expected dtype_bias to be ") + getDTypeName(step.dtypeOut) + " but got " +
            getDTypeName(step.dtypeBias));
  if (at.has("trans_a"))
    step.transA = at["trans_a"].boolean();
  if (at.has("trans_b"))
    step.transB = at["trans_b"].boolean();
  if (at.has("alpha"))
    step.alpha = at["alpha"].number();
  if (at.has("beta"))
    step.beta = at["beta"].number();
  if (at.has("epilogue")) {
    const std::string &text = at["epilogue"].string();
    if (text == "gelu" || text == "gelu_bias")
      at["epilogue"].fail("'" + text +
                          "' is ambiguous: cuBLASLt has the tanh form only; "
                          "write 'gelu_tanh" +
                          text.substr(4) + "' if that is meant");
    step.epilogue = static_cast<Epilogue>(
        at["epilogue"].keyword({"none", "bias", "relu", "relu_bias", "gelu_tanh", "gelu_tanh_bias"}));
  }

  // A matrix as stored: rows x columns, row-major with leading dimension ld.
  auto readMatrix = [&](const char *name, const char *ldName, const char *strideName, uint64_t rows, uint64_t columns,
                        DType dtype, BufferRef &ref, uint64_t &ld, uint64_t &stride) {
    ld = at.has(ldName) ? at[ldName].size(limit) : std::max<uint64_t>(columns, 1);
    if (ld < columns || ld == 0)
      at[ldName].fail("expected a leading dimension of at least " + std::to_string(std::max<uint64_t>(columns, 1)) +
                      " but got " + std::to_string(ld));
    stride = at.has(strideName) ? at[strideName].size() : multiplyAdd(at, rows, ld, 0);
    Reader matrix = at[name];
    ref = readRef(matrix);
    uint64_t extent = 0;
    if (rows && columns && step.batch) {
      extent = multiplyAdd(matrix, rows - 1, ld, columns);
      extent = multiplyAdd(matrix, step.batch - 1, stride, extent);
    }
    expectInside(matrix, ref, multiplyAdd(matrix, extent, getDTypeBytes(dtype), 0));
    expectAligned(matrix, ref, dtype);
  };
  readMatrix("a", "lda", "stride_a", step.transA ? step.k : step.m, step.transA ? step.m : step.k, step.dtype, step.a,
             step.lda, step.strideA);
  readMatrix("b", "ldb", "stride_b", step.transB ? step.n : step.k, step.transB ? step.k : step.n, step.dtype, step.b,
             step.ldb, step.strideB);
  readMatrix("d", "ldd", "stride_d", step.m, step.n, step.dtypeOut, step.d, step.ldd, step.strideD);
  expectWritable(at["d"], step.d);
  if (step.batch > 1 && step.m && step.n && step.strideD < multiplyAdd(at, step.m - 1, step.ldd, step.n))
    at.fail("stride_d makes the results of the batch overlap");
  if (at.has("c")) {
    readMatrix("c", "ldc", "stride_c", step.m, step.n, step.dtypeOut, step.c, step.ldc, step.strideC);
    if (step.beta == 0)
      at.fail("c has no effect: beta is 0");
  } else {
    if (at.has("ldc") || at.has("stride_c"))
      at.fail("ldc and stride_c need c");
    step.c = step.d;
    step.ldc = step.ldd;
    step.strideC = step.strideD;
  }
  if (hasBias(step.epilogue)) {
    Reader bias = at["bias"];
    step.bias = readRef(bias);
    if (at.has("stride_bias"))
      step.strideBias = at["stride_bias"].size();
    uint64_t extent = 0;
    if (step.n && step.batch)
      extent = multiplyAdd(bias, step.batch - 1, step.strideBias, step.n);
    expectInside(bias, step.bias, multiplyAdd(bias, extent, getDTypeBytes(step.dtypeBias), 0));
    expectAligned(bias, step.bias, step.dtypeBias);
  } else if (at.has("bias") || at.has("stride_bias") || at.has("dtype_bias")) {
    at.fail("bias has no effect: the epilogue has none");
  }
  if (step.k == 0 && (step.epilogue != Epilogue::None || step.beta != 0) && step.m && step.n && step.batch)
    at.fail("a matmul with k = 0 must have no epilogue and beta = 0: lower it "
            "to a kernel");
  return step;
}

ConvStep StepReader::readConv(const Reader &at) const {
  at.expectFields({"op", "loc", "dtype", "layout", "input_shape", "filter_shape", "stride", "padding", "dilation",
                   "groups", "activation", "workspace_limit_bytes", "input", "filter", "bias", "output"});
  ConvStep step;
  step.dtype = at["dtype"].dtype();
  if (step.dtype != DType::F32 && step.dtype != DType::F64 && step.dtype != DType::F16 && step.dtype != DType::BF16)
    at.fail(std::string("expected dtype to be f32, f64, f16 or bf16 but got ") + getDTypeName(step.dtype));
  if (at.has("layout"))
    step.layout = static_cast<ConvLayout>(at["layout"].keyword({"nchw", "nhwc"}));
  step.inputShape = at["input_shape"].sizes();
  step.filterShape = at["filter_shape"].sizes(/*minimum=*/1);
  size_t rank = step.inputShape.size();
  if (rank < 3 || rank > 5)
    at.fail("expected input_shape to have 3 to 5 sizes but got " + std::to_string(rank));
  if (step.filterShape.size() != rank)
    at.fail("expected filter_shape to have " + std::to_string(rank) + " sizes but got " +
            std::to_string(step.filterShape.size()));
  size_t spatial = rank - 2;
  auto readSpatial = [&](const char *name, int64_t byDefault, uint64_t minimum) {
    if (!at.has(name))
      return std::vector<int64_t>(spatial, byDefault);
    std::vector<int64_t> sizes = at[name].sizes(minimum);
    if (sizes.size() != spatial)
      at[name].fail("expected " + std::to_string(spatial) + " sizes but got " + std::to_string(sizes.size()));
    for (int64_t size : sizes)
      if (size > (1 << 20))
        at[name].fail("expected sizes up to 1048576 but got " + std::to_string(size));
    return sizes;
  };
  step.stride = readSpatial("stride", 1, 1);
  step.padding = readSpatial("padding", 0, 0);
  step.dilation = readSpatial("dilation", 1, 1);
  for (const std::vector<int64_t> *shape : {&step.inputShape, &step.filterShape})
    for (int64_t size : *shape)
      if (size > 0x7fffffff)
        at.fail("expected sizes up to 2147483647 but got " + std::to_string(size));
  if (at.has("groups"))
    step.groups = static_cast<int64_t>(at["groups"].size(0x7fffffff, 1));
  if (step.inputShape[1] != step.filterShape[1] * step.groups)
    at.fail("expected input_shape[1] to be filter_shape[1] times groups, " +
            std::to_string(step.filterShape[1] * step.groups) + ", but got " + std::to_string(step.inputShape[1]));
  if (step.filterShape[0] % step.groups)
    at.fail("expected filter_shape[0] to be a multiple of groups but got " + std::to_string(step.filterShape[0]) +
            " and " + std::to_string(step.groups));
  step.outputShape = {step.inputShape[0], step.filterShape[0]};
  for (size_t i = 0; i < spatial; ++i) {
    int64_t window = (step.filterShape[i + 2] - 1) * step.dilation[i] + 1;
    int64_t room = step.inputShape[i + 2] + 2 * step.padding[i] - window;
    if (room < 0)
      at.fail("the filter's window of " + std::to_string(window) + " exceeds the padded input in spatial dimension " +
              std::to_string(i));
    step.outputShape.push_back(room / step.stride[i] + 1);
  }
  if (at.has("activation"))
    step.relu = at["activation"].keyword({"none", "relu"}) == 1;
  step.workspaceLimit = at.has("workspace_limit_bytes") ? at["workspace_limit_bytes"].size() : uint64_t(256) << 20;
  auto readOperand = [&](const char *name, const std::vector<int64_t> &shape) {
    Reader operand = at[name];
    BufferRef ref = readRef(operand);
    uint64_t bytes = getDTypeBytes(step.dtype);
    for (int64_t size : shape)
      bytes = multiplyAdd(operand, bytes, size, 0);
    expectInside(operand, ref, bytes);
    expectAligned(operand, ref, step.dtype);
    return ref;
  };
  step.input = readOperand("input", step.inputShape);
  step.filter = readOperand("filter", step.filterShape);
  step.output = readOperand("output", step.outputShape);
  expectWritable(at["output"], step.output);
  step.hasBias = at.has("bias");
  if (step.hasBias)
    step.bias = readOperand("bias", {step.filterShape[0]});
  return step;
}

/// Whether ranges of one buffer have a byte in common.
static bool overlap(const BufferRef &a, uint64_t aBytes, const BufferRef &b, uint64_t bBytes) {
  return a.kind == b.kind && a.index == b.index && a.offset < b.offset + bBytes && b.offset < a.offset + aBytes;
}

CollectiveTensor StepReader::readCollectiveTensor(const Reader &at, const CollectiveStep &step) const {
  at.expectFields({"dtype", "elements", "input", "output"});
  CollectiveTensor tensor;
  tensor.dtype = at["dtype"].dtype();
  bool gathers = step.kind == CollectiveKind::AllGather, scatters = step.kind == CollectiveKind::ReduceScatter;
  bool exchanges = step.kind == CollectiveKind::AllToAll;
  if (step.reduces()) {
    switch (tensor.dtype) {
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
      break;
    case DType::I8:
    case DType::UI8:
    case DType::I32:
    case DType::UI32:
    case DType::I64:
    case DType::UI64:
      if (step.reduceOp != ReduceOp::Avg)
        break;
      [[fallthrough]];
    default:
      at["dtype"].fail(std::string("expected ") +
                       (step.reduceOp == ReduceOp::Avg ? "f16, bf16, f32 or f64 for a mean"
                                                       : "f16, bf16, f32, f64, i8, i32 or i64, signed or not,") +
                       " but got " + getDTypeName(tensor.dtype));
    }
  }
  tensor.elements = at["elements"].size();
  uint64_t bytes = multiplyAdd(at, tensor.elements, getDTypeBytes(tensor.dtype), 0);
  uint64_t all = gathers || scatters ? multiplyAdd(at, bytes, step.groupSize, 0) : bytes;
  uint64_t inputBytes = scatters ? all : bytes, outputBytes = gathers ? all : bytes;
  if (exchanges) {
    auto addUp = [&](const std::vector<uint64_t> &counts) {
      uint64_t sum = 0;
      for (uint64_t count : counts)
        sum = multiplyAdd(at, count, 1, sum);
      return sum;
    };
    if (uint64_t given = addUp(step.given); given != tensor.elements)
      at["elements"].fail("expected " + std::to_string(given) + ", which is given in all, but got " +
                          std::to_string(tensor.elements));
    outputBytes = multiplyAdd(at, addUp(step.taken), getDTypeBytes(tensor.dtype), 0);
  }
  tensor.input = readRef(at["input"]);
  tensor.output = readRef(at["output"]);
  expectInside(at["input"], tensor.input, inputBytes);
  expectInside(at["output"], tensor.output, outputBytes);
  expectWritable(at["output"], tensor.output);
  expectAligned(at["input"], tensor.input, tensor.dtype);
  expectAligned(at["output"], tensor.output, tensor.dtype);
  bool isInPlace = !gathers && !scatters && !exchanges && tensor.input.offset == tensor.output.offset;
  if (!isInPlace && overlap(tensor.input, inputBytes, tensor.output, outputBytes))
    at.fail("the input and the output overlap");
  return tensor;
}

CollectiveStep StepReader::readCollective(const Reader &at) const {
  at.expectFields({"op", "loc", "kind", "reduce_op", "group", "group_size", "src", "given", "taken", "tensors"});
  constexpr uint64_t mostProcesses = 0x7fffffff;
  CollectiveStep step;
  step.kind = static_cast<CollectiveKind>(
      at["kind"].keyword({"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"}));
  auto has = [&](const char *field, bool isWanted) {
    if (!isWanted && at.has(field))
      at[field].fail(std::string("has no meaning for ") + getCollectiveName(step.kind));
    return isWanted;
  };
  if (has("reduce_op", step.reduces()))
    step.reduceOp = static_cast<ReduceOp>(at["reduce_op"].keyword({"sum", "avg", "product", "min", "max"}));
  step.group = at["group"].string();
  bool needsSize = step.kind != CollectiveKind::AllReduce && step.kind != CollectiveKind::Broadcast;
  if (needsSize || at.has("group_size"))
    step.groupSize = at["group_size"].size(mostProcesses, /*minimum=*/1);
  if (has("src", step.kind == CollectiveKind::Broadcast)) {
    step.source = static_cast<uint32_t>(at["src"].size(mostProcesses - 1));
    if (step.groupSize && step.source >= step.groupSize)
      at["src"].fail("expected a rank below " + std::to_string(step.groupSize) + " but got " +
                     std::to_string(step.source));
  }
  for (auto [field, counts] : {std::make_pair("given", &step.given), std::make_pair("taken", &step.taken)}) {
    if (!has(field, step.kind == CollectiveKind::AllToAll))
      continue;
    for (const Reader &element : at[field].elements())
      counts->push_back(element.size());
    if (counts->size() != step.groupSize)
      at[field].fail("expected counts for " + std::to_string(step.groupSize) + " processes but got " +
                     std::to_string(counts->size()));
  }
  for (const Reader &element : at["tensors"].elements())
    step.tensors.push_back(readCollectiveTensor(element, step));
  if (step.tensors.empty())
    at["tensors"].fail("expected at least one tensor");
  if (step.kind == CollectiveKind::AllToAll && step.tensors.size() != 1)
    at["tensors"].fail("expected one tensor but got " + std::to_string(step.tensors.size()));
  return step;
}

WaitStep StepReader::readWait(const Reader &at) const {
  at.expectFields({"op", "loc", "steps"});
  WaitStep wait;
  for (const Reader &element : at["steps"].elements()) {
    uint64_t index = element.size();
    if (index >= plan.steps.size() || !std::holds_alternative<CollectiveStep>(plan.steps[index].body))
      element.fail("expected the number of an earlier collective but got " + std::to_string(index));
    wait.steps.push_back(static_cast<uint32_t>(index));
  }
  if (wait.steps.empty())
    at["steps"].fail("expected at least one collective");
  return wait;
}

/// What is started has ended when the run has: the memory is the caller's again.
static void expectWaits(const Reader &at, const LaunchPlan &plan) {
  std::vector<bool> awaited(plan.steps.size());
  for (const Step &step : plan.steps)
    if (auto *wait = std::get_if<WaitStep>(&step.body))
      for (uint32_t index : wait->steps)
        awaited[index] = true;
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (std::holds_alternative<CollectiveStep>(plan.steps[i].body) && !awaited[i])
      at.fail("expected a wait for " + plan.describeStep(i) + " but got none");
}

CopyStep StepReader::readCopy(const Reader &at) const {
  at.expectFields({"op", "loc", "from", "to", "bytes"});
  CopyStep step;
  step.from = readRef(at["from"]);
  step.to = readRef(at["to"]);
  step.bytes = at["bytes"].size();
  expectInside(at["from"], step.from, step.bytes);
  expectInside(at["to"], step.to, step.bytes);
  expectWritable(at["to"], step.to);
  if (overlap(step.from, step.bytes, step.to, step.bytes))
    at.fail("the source and the destination overlap");
  return step;
}

FillStep StepReader::readFill(const Reader &at) const {
  at.expectFields({"op", "loc", "to", "bytes", "byte", "word"});
  FillStep step;
  step.to = readRef(at["to"]);
  step.bytes = at["bytes"].size();
  expectInside(at["to"], step.to, step.bytes);
  expectWritable(at["to"], step.to);
  if (at.has("byte") == at.has("word"))
    at.fail("expected one of 'byte' and 'word'");
  step.is32Bit = at.has("word");
  step.pattern = static_cast<uint32_t>(step.is32Bit ? at["word"].integerBits(32) : at["byte"].size(255));
  if (step.is32Bit) {
    if (step.bytes % 4)
      at.fail("expected bytes to be a multiple of 4 but got " + std::to_string(step.bytes));
    if (plan.getAlignment(step.to) < 4)
      at["to"].fail("the address is not known to be a multiple of 4");
  }
  return step;
}

BufferRef StepReader::readPredicate(const Reader &at) const {
  BufferRef ref = readRef(at);
  expectInside(at, ref, getDTypeBytes(DType::I1));
  return ref;
}

// Lists are read behind the step that they belong to, whose place may move then.
void StepReader::readBranch(const Reader &at, unsigned depth) {
  at.expectFields({"op", "loc", "predicate", "then", "else"});
  size_t index = plan.steps.size() - 1;
  BranchStep step;
  step.predicate = readPredicate(at["predicate"]);
  step.thenSteps = readList(at["then"], depth + 1);
  step.otherwiseSteps = readList(at["else"], depth + 1);
  plan.steps[index].body = step;
}

void StepReader::readLoop(const Reader &at, unsigned depth) {
  at.expectFields({"op", "loc", "condition", "predicate", "body"});
  size_t index = plan.steps.size() - 1;
  LoopStep step;
  step.predicate = readPredicate(at["predicate"]);
  step.conditionSteps = readList(at["condition"], depth + 1);
  step.bodySteps = readList(at["body"], depth + 1);
  // The predicate of every turn but the first would be that of the one before.
  if (step.conditionSteps == 0 && step.bodySteps == 0)
    at.fail("expected steps that may change the predicate but got none");
  plan.steps[index].body = step;
}

size_t StepReader::readList(const Reader &at, unsigned depth) {
  constexpr unsigned mostNested = 64;
  if (depth > mostNested)
    at.fail("expected branches and loops at most " + std::to_string(mostNested) + " deep");
  size_t first = plan.steps.size();
  for (const Reader &element : at.elements())
    read(element, depth);
  return plan.steps.size() - first;
}

void StepReader::read(const Reader &at, unsigned depth) {
  size_t op = at["op"].keyword({"kernel", "matmul", "conv", "copy", "fill", "collective", "wait", "branch", "loop"});
  constexpr size_t collective = 5, wait = 6, branch = 7;
  if (op < branch) {
    // All processes start the same collectives: what one of them decides for itself is no place for them.
    if (depth > 0 && (op == collective || op == wait))
      at.fail("expected no collective in a branch or loop");
    plan.steps.push_back(readSimple(at, op));
    return;
  }
  Step step;
  if (at.has("loc"))
    step.location = at["loc"].string();
  plan.steps.push_back(std::move(step));
  if (op == branch)
    readBranch(at, depth);
  else
    readLoop(at, depth);
}

Step StepReader::readSimple(const Reader &at, size_t op) const {
  Step step;
  if (at.has("loc"))
    step.location = at["loc"].string();
  switch (op) {
  case 0:
    step.body = readKernel(at);
    break;
  case 1:
    step.body = readMatmul(at);
    break;
  case 2:
    step.body = readConv(at);
    break;
  case 3:
    step.body = readCopy(at);
    break;
  case 4:
    step.body = readFill(at);
    break;
  case 5:
    step.body = readCollective(at);
    break;
  default:
    step.body = readWait(at);
    break;
  }
  return step;
}

/// "sm_90", "sm_90a", "sm_103f" or "any".
static bool isChip(const std::string &text) {
  if (text == "any")
    return true;
  if (text.compare(0, 3, "sm_") != 0)
    return false;
  size_t end = text.size();
  if (text.back() == 'a' || text.back() == 'f')
    --end;
  if (end < 5 || end > 6)
    return false;
  return std::all_of(text.begin() + 3, text.begin() + end, [](char c) { return c >= '0' && c <= '9'; });
}

static Json parseJson(const char *text, size_t bytes) {
  try {
    return Json::parse(text, text + bytes);
  } catch (const Json::parse_error &error) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i + 1 < error.byte && i < bytes; ++i) {
      ++column;
      if (text[i] == '\n') {
        ++line;
        column = 1;
      }
    }
    throw Error(FXRT_INVALID_PLAN,
                "launch plan: not valid JSON at line " + std::to_string(line) + ", column " + std::to_string(column));
  }
}

LaunchPlan fxgraph::runtime::parseLaunchPlan(const char *text, size_t bytes) {
  if (!text)
    throw Error(FXRT_INVALID_ARGUMENT, "expected a launch plan but got null");
  Json json = parseJson(text, bytes);
  Reader root(json, "plan");
  // The version comes first: a later version may have other fields.
  Reader version = root["fxgraph-plan"];
  uint64_t number = version.size();
  if (number != 1)
    version.fail("expected version 1 but got " + std::to_string(number) +
                 ": use the runtime of the compiler that wrote the plan");
  root.expectFields({"fxgraph-plan", "name", "chip", "inputs", "outputs", "constants", "workspace_bytes",
                     "library_workspace_bytes", "error_word", "allow_tf32", "steps"});
  LaunchPlan plan;
  plan.name = root["name"].string();
  plan.chip = root["chip"].string();
  if (!isChip(plan.chip))
    root["chip"].fail("expected a chip such as 'sm_90a', or 'any', but got '" + plan.chip + "'");
  for (const Reader &element : root["inputs"].elements())
    plan.inputs.push_back(readTensor(element, /*isInput=*/true));
  for (const Reader &element : root["outputs"].elements())
    plan.outputs.push_back(readTensor(element, /*isInput=*/false));
  if (root.has("constants"))
    for (const Reader &element : root["constants"].elements())
      plan.constants.push_back(readConstant(element));
  plan.workspaceBytes = root["workspace_bytes"].size();
  if (root.has("library_workspace_bytes"))
    plan.libraryWorkspaceBytes = root["library_workspace_bytes"].size();
  if (root.has("error_word")) {
    plan.errorWord = root["error_word"].size();
    if (*plan.errorWord % 4 != 0 || plan.workspaceBytes < 4 || *plan.errorWord > plan.workspaceBytes - 4)
      root["error_word"].fail("expected 4 bytes of the workspace, at a multiple of 4, but got offset " +
                              std::to_string(*plan.errorWord) + " of " + std::to_string(plan.workspaceBytes) +
                              " bytes");
  }
  if (root.has("allow_tf32"))
    plan.allowTF32 = root["allow_tf32"].boolean();
  StepReader(plan).readAll(root["steps"]);
  expectWaits(root["steps"], plan);
  return plan;
}
