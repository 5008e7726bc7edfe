// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `ref`: the interpreter behind the interface of all targets. It holds a
// clone of the entry and its callees, and makes tensors of its own from what it is given.
//
// Settings: those of a grid of processes (GridSettings.h), whose tensors follow each other
// rank by rank.

#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Backend/Executable.h"
#include "fxgraph/Backend/GridSettings.h"
#include "fxgraph/Backend/Signature.h"
#include "fxgraph/Runtime/Arguments.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/TypeUtilities.h"
#include <cstdlib>

using namespace fxgraph;

/// The elements of a strided tensor, copied.
static Tensor readTensor(Type elementType, const FxTensorDesc &descriptor) {
  ArrayRef<int64_t> shape(descriptor.sizes, descriptor.rank);
  int64_t width = fxDtypeBytes(descriptor.dtype);
  std::vector<char> bytes(countElements(shape) * width);
  char *to = bytes.data();
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (auto [i, stride] : llvm::zip_first(index, ArrayRef(descriptor.strides, descriptor.rank)))
      offset += i * stride;
    std::memcpy(to, static_cast<const char *>(descriptor.data) + offset * width, width);
    to += width;
  });
  return Tensor::fromBytes(elementType, shape, bytes);
}

/// The reverse.
static void writeTensor(const Tensor &tensor, const FxTensorDesc &descriptor) {
  int64_t width = fxDtypeBytes(descriptor.dtype);
  std::vector<char> bytes(tensor.getByteSize());
  tensor.toBytes(bytes);
  const char *from = bytes.data();
  forEachIndex(tensor.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t offset = 0;
    for (auto [i, stride] : llvm::zip_first(index, ArrayRef(descriptor.strides, descriptor.rank)))
      offset += i * stride;
    std::memcpy(static_cast<char *>(descriptor.data) + offset * width, from, width);
    from += width;
  });
}

namespace {
class ReferenceExecutable : public Executable {
public:
  ReferenceExecutable(mlir::func::FuncOp entry, const ExecutableOptions &options, std::optional<GridOptions> grid)
      : module(cloneWithCallees(entry)), function(module->lookupSymbol<mlir::func::FuncOp>(entry.getName())),
        signature(grid ? std::make_unique<Signature>(function, grid->numRanks) : std::make_unique<Signature>(function)),
        options(getOptions(options)), grid(std::move(grid)) {}

  const FxGraphInfo &getInfo() const override { return signature->getInfo(); }
  bool needsContext() const override { return true; }

  FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs, const FxRunOptions &runOptions,
               std::string &error) override {
    char message[1024];
    if (int status = fxCheckCall(&getInfo(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), message,
                                 sizeof(message))) {
      error = message;
      return static_cast<FxStatus>(status);
    }
    SmallVector<SmallVector<Tensor>> arguments(grid ? grid->numRanks : 1);
    ArrayRef<FxTensorDesc> given = inputs;
    for (SmallVector<Tensor> &ofRank : arguments)
      for (Type type : function.getArgumentTypes()) {
        ofRank.push_back(readTensor(type.isIndex() ? type : mlir::getElementTypeOrSelf(type), given.front()));
        given = given.drop_front();
      }
    FailureOr<Outcome> outcome = evaluate(arguments, error);
    if (failed(outcome))
      return FX_RUN_FAILED;
    // Memory for all outputs before the first is written.
    std::vector<FxTensorDesc> placed(outputs.begin(), outputs.end());
    SmallVector<void *> owned;
    auto giveUp = [&](FxStatus status) {
      llvm::for_each(owned, std::free);
      return status;
    };
    for (auto [i, tensor] : llvm::enumerate(outcome->results))
      if (FxStatus status = placeOutput(i, tensor, runOptions, placed[i], owned, error); status != FX_OK)
        return giveUp(status);
    for (auto [tensor, descriptor] : llvm::zip_equal(outcome->results, placed))
      writeTensor(tensor, descriptor);
    // The interpreter has seen that values which are written fit.
    for (const MutatedArgument &entry : outcome->mutated)
      writeTensor(entry.value, inputs[entry.argument]);
    llvm::copy(placed, outputs.begin());
    return FX_OK;
  }

private:
  /// The outcomes of all ranks as one, numbered as the signature numbers them.
  FailureOr<Outcome> evaluate(ArrayRef<SmallVector<Tensor>> arguments, std::string &error) {
    if (!grid) {
      Interpreter interpreter(options);
      FailureOr<Outcome> outcome = interpreter.run(function, arguments.front());
      if (failed(outcome))
        error = interpreter.getError().describe();
      return outcome;
    }
    ProcessGrid processes(*grid, options);
    FailureOr<SmallVector<Outcome>> outcomes = processes.run(function, arguments);
    if (failed(outcomes)) {
      error = processes.getError().describe();
      return failure();
    }
    Outcome all;
    for (auto [rank, outcome] : llvm::enumerate(*outcomes)) {
      llvm::append_range(all.results, outcome.results);
      for (const MutatedArgument &entry : outcome.mutated)
        all.mutated.push_back({static_cast<unsigned>(rank * function.getNumArguments() + entry.argument), entry.value});
    }
    return all;
  }

  static InterpreterOptions getOptions(const ExecutableOptions &options) {
    InterpreterOptions result;
    result.seed = options.seed;
    result.accumulateF32 = options.accumulateF32;
    return result;
  }

  /// Memory for one output: the caller's, from the caller's function, or our own.
  FxStatus placeOutput(size_t i, const Tensor &tensor, const FxRunOptions &runOptions, FxTensorDesc &output,
                       SmallVectorImpl<void *> &owned, std::string &error) {
    std::string label = "output " + std::to_string(i) + " ('" + getInfo().outputs[i].name + "'): ";
    if (output.data) {
      for (auto [dim, expected] : llvm::enumerate(tensor.getShape()))
        if (output.sizes[dim] != expected) {
          error = label + "expected extent " + std::to_string(expected) + " in dim " + std::to_string(dim) +
                  " but got " + std::to_string(output.sizes[dim]);
          return FX_BAD_ARGUMENT;
        }
      return FX_OK;
    }
    FxTensorDesc needed = {};
    needed.dtype = getInfo().outputs[i].dtype;
    needed.rank = tensor.getRank();
    llvm::copy(tensor.getShape(), needed.sizes);
    fxSetRowMajorStrides(&needed);
    if (runOptions.allocate) {
      needed.data = runOptions.allocate(runOptions.user, i, &needed);
    } else if (tensor.getNumElements()) {
      needed.data = std::malloc(tensor.getByteSize());
      owned.push_back(needed.data);
    }
    if (!needed.data && tensor.getNumElements()) {
      error = label + "out of memory: expected " + std::to_string(tensor.getByteSize()) + " bytes";
      return FX_OUT_OF_MEMORY;
    }
    output = needed;
    return FX_OK;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::unique_ptr<Signature> signature;
  InterpreterOptions options;
  std::optional<GridOptions> grid;
};
} // namespace

void fxgraph::registerReferenceTarget() {
  registerTarget(
      "ref", [](mlir::func::FuncOp entry, const ExecutableOptions &options) -> FailureOr<std::unique_ptr<Executable>> {
        std::optional<GridOptions> grid;
        SmallVector<std::pair<std::string, std::string>> others;
        Location loc = entry->getParentOfType<mlir::ModuleOp>().getLoc();
        if (failed(readGridSettings(loc, options.settings, grid, others)))
          return failure();
        if (!others.empty())
          return LogicalResult(mlir::emitError(loc) << "expected a setting of the target ref (ranks, group) but got '"
                                                    << others[0].first << "=" << others[0].second << "'");
        return std::unique_ptr<Executable>(std::make_unique<ReferenceExecutable>(entry, options, std::move(grid)));
      });
}
