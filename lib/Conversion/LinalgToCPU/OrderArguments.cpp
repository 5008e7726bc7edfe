// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes arguments as they lay in memory when the graph was captured: their dimensions
// in that order, and a permutation behind them, which loops read through. Without it
// the runtime copies whatever is not row-major, in each call. Those that the graph
// writes stay as they are: a write is to an argument.

#include "CPULowering.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/MemoryOrder.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/StringSet.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUORDERARGUMENTSPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace mlir;

namespace {
struct FxGraphCPUOrderArgumentsPass
    : public fxgraph::impl::FxGraphCPUOrderArgumentsPassBase<FxGraphCPUOrderArgumentsPass> {
  void runOnOperation() override {
    llvm::StringSet<> called;
    getOperation().walk([&](func::CallOp call) { called.insert(call.getCallee()); });
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.isPublic() && !called.contains(function.getName()))
        order(function);
  }

  static bool isWritten(BlockArgument argument) {
    return llvm::any_of(argument.getUsers(), [&](Operation *user) {
      auto write = dyn_cast<CopyUnderscoreOp>(user);
      return write && write.getDst() == argument;
    });
  }

  static void order(func::FuncOp function) {
    Block &entry = function.getBody().front();
    SmallVector<Type> types(function.getArgumentTypes());
    auto b = OpBuilder::atBlockBegin(&entry);
    for (BlockArgument argument : entry.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto order = function.getArgAttrOfType<DenseI64ArrayAttr>(number, kMemoryOrderAttr);
      if (!order)
        continue;
      function.removeArgAttr(number, kMemoryOrderAttr);
      auto type = cast<RankedTensorType>(argument.getType());
      // Of symbolic extents the encoding speaks in the tensor's own order.
      if (isWritten(argument) || !type.hasStaticShape())
        continue;
      SmallVector<int64_t> shape;
      for (int64_t dim : order.asArrayRef())
        shape.push_back(type.getDimSize(dim));
      types[number] = type.clone(shape);
      argument.setType(types[number]);
      function.setArgAttr(number, cpu::kOrderAttr, order);
      auto permuted = PermuteOp::create(b, function.getLoc(), argument, invertPermutationVector(order.asArrayRef()));
      permuted.getResult().setType(type);
      argument.replaceAllUsesExcept(permuted, permuted);
    }
    function.setType(b.getFunctionType(types, function.getResultTypes()));
  }
};
} // namespace
