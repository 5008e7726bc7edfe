// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of targets, and what all executables share.

#include "fxgraph/Backend/Executable.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Backend/Signature.h"
#include "fxgraph/Runtime/Arguments.h"
#include "fxgraph/Support/Place.h"
#include "fxgraph/Support/RuntimeDtype.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

namespace {
struct TargetRegistry {
  std::mutex mutex;
  std::map<std::string, TargetFactory> factories;
};
} // namespace

static TargetRegistry &getRegistry() {
  static TargetRegistry registry;
  return registry;
}

void fxgraph::registerTarget(StringRef name, TargetFactory factory) {
  TargetRegistry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.factories[name.str()] = std::move(factory);
}

std::vector<std::string> fxgraph::getTargetNames() {
  TargetRegistry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<std::string> names;
  for (const auto &entry : registry.factories)
    names.push_back(entry.first);
  return names;
}

FailureOr<std::unique_ptr<Executable>> fxgraph::compileGraph(StringRef target, mlir::ModuleOp module, StringRef entry,
                                                             const ExecutableOptions &options) {
  TargetFactory factory;
  {
    TargetRegistry &registry = getRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    auto it = registry.factories.find(target.str());
    if (it != registry.factories.end())
      factory = it->second;
  }
  if (!factory)
    return mlir::emitError(module.getLoc())
           << "expected a target among " << llvm::join(getTargetNames(), ", ") << " but got '" << target << "'";
  FailureOr<mlir::func::FuncOp> found = lookupEntry(module, entry);
  if (failed(found) || failed(checkCalls(*found)))
    return failure();
  mlir::func::FuncOp function = *found;
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!type.isIndex() && (!tensor || !getRuntimeDtype(tensor.getElementType())))
      return function.emitError()
             << "expected ranked tensors of numbers, and index numbers, in the graph's type but got " << type;
    if (tensor && tensor.getRank() > FX_MAX_RANK)
      return function.emitError() << "expected rank " << FX_MAX_RANK << " or less but got " << tensor;
  }
  return factory(function, options);
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

double BenchResult::getMedian() const {
  if (seconds.empty())
    return 0.0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

double BenchResult::getMin() const { return seconds.empty() ? 0.0 : *std::min_element(seconds.begin(), seconds.end()); }

Executable::~Executable() = default;

LogicalResult Executable::setProcessGroup(StringRef name, FxrtProcessGroup *, std::string &error) {
  error = "expected a graph on a GPU with collectives of group '" + name.str() + "' but this one has no process groups";
  return failure();
}

void *Executable::allocateMemory(int64_t bytes) { return std::malloc(std::max<int64_t>(bytes, 1)); }
void Executable::freeMemory(void *memory) { std::free(memory); }

LogicalResult Executable::copyIn(void *memory, const void *host, int64_t bytes, std::string &) {
  if (bytes)
    std::memcpy(memory, host, bytes);
  return success();
}

LogicalResult Executable::copyOut(void *host, const void *memory, int64_t bytes, std::string &) {
  if (bytes)
    std::memcpy(host, memory, bytes);
  return success();
}

FailureOr<BenchResult> Executable::bench(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                                         unsigned iterations, std::string &error) {
  // The first run leaves the outputs' memory for all others.
  if (run(inputs, outputs, {}, error) != FX_OK)
    return failure();
  BenchResult result;
  for (unsigned i = 0; i < iterations; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (run(inputs, outputs, {}, error) != FX_OK)
      return failure();
    result.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors of the interpreter
//===----------------------------------------------------------------------===//

static FxTensorDesc describe(const Tensor &tensor, void *data) {
  FxTensorDesc result = {};
  result.data = data;
  result.dtype = getRuntimeDtype(tensor.getElementType());
  result.rank = tensor.getRank();
  llvm::copy(tensor.getShape(), result.sizes);
  fxSetRowMajorStrides(&result);
  return result;
}

/// The rank that descriptors have room for.
static LogicalResult checkRanks(mlir::func::FuncOp function, ArrayRef<Tensor> tensors) {
  for (const Tensor &tensor : tensors)
    if (tensor.getRank() > FX_MAX_RANK)
      return function.emitError() << "expected rank " << FX_MAX_RANK << " or less but got " << tensor.describe();
  return success();
}

LogicalResult fxgraph::checkArguments(mlir::func::FuncOp function, ArrayRef<Tensor> arguments) {
  if (failed(checkRanks(function, arguments)))
    return failure();
  // Addresses are not what is checked: each tensor gets one that no other has.
  Signature signature(function);
  std::vector<FxTensorDesc> descriptors;
  uintptr_t address = 4096;
  for (const Tensor &tensor : arguments) {
    descriptors.push_back(describe(tensor, reinterpret_cast<void *>(address)));
    address += llvm::alignTo(tensor.getByteSize() + 1, 4096);
  }
  std::vector<FxTensorDesc> outputs(signature.getInfo().outputCount, FxTensorDesc{});
  char message[1024];
  if (fxCheckCall(&signature.getInfo(), descriptors.data(), descriptors.size(), outputs.data(), outputs.size(), message,
                  sizeof(message)) == FX_OK)
    return success();
  return function.emitError() << message;
}

/// The text of a failed run as an error at the op that it speaks of.
static LogicalResult reportFailure(mlir::func::FuncOp function, StringRef message) {
  std::optional<Location> place;
  function->getParentOfType<mlir::ModuleOp>().walk([&](Operation *op) {
    std::string text = describePlace(op->getLoc());
    if (text.empty() || !message.consume_front(text))
      return mlir::WalkResult::advance();
    place = op->getLoc();
    return mlir::WalkResult::interrupt();
  });
  return mlir::emitError(place.value_or(function.getLoc())) << (place ? "" : "the graph failed: ") << message;
}

/// The bytes of a dense tensor in row-major order, and of a row-major one in the order that the strides say.
static std::vector<char> reorder(const FxTensorDesc &tensor, std::vector<char> bytes, bool toRowMajor) {
  FxTensorDesc rowMajor = tensor;
  fxSetRowMajorStrides(&rowMajor);
  if (bytes.empty() || std::equal(tensor.strides, tensor.strides + tensor.rank, rowMajor.strides))
    return bytes;
  size_t size = fxDtypeBytes(tensor.dtype);
  std::vector<char> sorted(bytes.size());
  for (size_t i = 0; i < bytes.size() / size; ++i) {
    int64_t rest = i, place = 0;
    for (int dim = 0; dim < tensor.rank; ++dim) {
      place += rest / rowMajor.strides[dim] * tensor.strides[dim];
      rest %= rowMajor.strides[dim];
    }
    size_t from = toRowMajor ? place : i, to = toRowMajor ? i : place;
    std::copy_n(bytes.begin() + from * size, size, sorted.begin() + to * size);
  }
  return sorted;
}

namespace {
/// Memory of the executable's for the tensors of one call.
class PlacedTensors {
public:
  explicit PlacedTensors(Executable &executable) : executable(executable) {}
  ~PlacedTensors() {
    for (const FxTensorDesc &tensor : llvm::concat<const FxTensorDesc>(inputs, outputs))
      executable.freeMemory(tensor.data);
  }

  LogicalResult place(ArrayRef<Tensor> tensors, std::string &error) {
    for (const Tensor &tensor : tensors) {
      std::vector<char> bytes(tensor.getByteSize());
      tensor.toBytes(bytes);
      FxTensorDesc descriptor = describe(tensor, executable.allocateMemory(bytes.size()));
      const FxGraphInfo &info = executable.getInfo();
      size_t number = inputs.size();
      if (number < static_cast<size_t>(info.inputCount) && info.inputs[number].strides)
        std::copy_n(info.inputs[number].strides, descriptor.rank, descriptor.strides);
      inputs.push_back(descriptor);
      bytes = reorder(descriptor, std::move(bytes), /*toRowMajor=*/false);
      if (!descriptor.data && !bytes.empty()) {
        error = "out of memory: expected " + std::to_string(bytes.size()) + " bytes";
        return failure();
      }
      if (failed(executable.copyIn(descriptor.data, bytes.data(), bytes.size(), error)))
        return failure();
    }
    outputs.resize(executable.getInfo().outputCount, FxTensorDesc{});
    return success();
  }

  FailureOr<Tensor> fetch(const FxTensorDesc &descriptor, Type elementType, std::string &error) {
    ArrayRef<int64_t> shape(descriptor.sizes, descriptor.rank);
    size_t size = fxDtypeBytes(descriptor.dtype);
    std::vector<char> bytes(countElements(shape) * size);
    if (failed(executable.copyOut(bytes.data(), descriptor.data, bytes.size(), error)))
      return failure();
    return Tensor::fromBytes(elementType, shape, reorder(descriptor, std::move(bytes), /*toRowMajor=*/true));
  }

  std::vector<FxTensorDesc> inputs, outputs;

private:
  Executable &executable;
};
} // namespace

LogicalResult fxgraph::runOnTensors(Executable &executable, mlir::func::FuncOp function, ArrayRef<Tensor> inputs,
                                    SmallVectorImpl<Tensor> &outputs, SmallVectorImpl<MutatedArgument> &mutated) {
  if (failed(checkRanks(function, inputs)))
    return failure();
  PlacedTensors placed(executable);
  std::string error;
  if (failed(placed.place(inputs, error)) ||
      executable.run(placed.inputs, placed.outputs, FxRunOptions{}, error) != FX_OK)
    return reportFailure(function, error);
  outputs.clear();
  mutated.clear();
  // A grid gives the results of one rank after the other.
  for (auto [i, descriptor] : llvm::enumerate(placed.outputs)) {
    Type type = function.getResultTypes()[i % function.getNumResults()];
    FailureOr<Tensor> tensor = placed.fetch(descriptor, type.isIndex() ? type : getElementTypeOrSelf(type), error);
    if (failed(tensor))
      return reportFailure(function, error);
    outputs.push_back(std::move(*tensor));
  }
  for (unsigned i = 0; i < inputs.size(); ++i) {
    if (!executable.getInfo().inputs[i].mutated)
      continue;
    FailureOr<Tensor> tensor = placed.fetch(placed.inputs[i], inputs[i].getElementType(), error);
    if (failed(tensor))
      return reportFailure(function, error);
    mutated.push_back({i, std::move(*tensor)});
  }
  return success();
}

FailureOr<BenchResult> fxgraph::benchOnTensors(Executable &executable, mlir::func::FuncOp function,
                                               ArrayRef<Tensor> inputs, unsigned iterations) {
  if (failed(checkRanks(function, inputs)))
    return failure();
  PlacedTensors placed(executable);
  std::string error;
  if (failed(placed.place(inputs, error)))
    return reportFailure(function, error);
  FailureOr<BenchResult> result = executable.bench(placed.inputs, placed.outputs, iterations, error);
  if (failed(result))
    return reportFailure(function, error);
  return result;
}
