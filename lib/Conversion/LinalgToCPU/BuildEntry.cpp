// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-entry: a function on tensors becomes the function that the
// runtime calls (CPULowering.h). Results are materialised in the caller's memory,
// so that bufferization computes them there. A result of dynamic extents asks the
// runtime for memory once its extents are known. Linear.

#include "CPULowering.h"
#include "fxgraph/Backend/CPUArtifact.h"
#include "fxgraph/Conversion/LinalgToCPU.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Support/RuntimeDtype.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUENTRYPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace mlir;

namespace {
struct FxGraphCPUEntryPass : public fxgraph::impl::FxGraphCPUEntryPassBase<FxGraphCPUEntryPass> {
  void runOnOperation() override {
    // Graphs only: the runtime's functions have no tensors in their types.
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FunctionType type = function.getFunctionType();
      if (!llvm::any_of(llvm::concat<const Type>(type.getInputs(), type.getResults()), llvm::IsaPred<TensorType>))
        continue;
      if (function.isDeclaration()) {
        function.emitError() << "expected a function with a body but '" << function.getName() << "' is a declaration";
        return signalPassFailure();
      }
      if (!function.isPublic()) {
        function.emitError() << "expected public functions alone but '" << function.getName()
                             << "' is private; run --inline and --symbol-dce first";
        return signalPassFailure();
      }
      auto found = function.walk([&](func::CallOp call) {
        if (!llvm::any_of(call.getOperandTypes(), llvm::IsaPred<TensorType>))
          return WalkResult::advance();
        call.emitOpError("expected a graph without calls of graphs; run --inline first");
        return WalkResult::interrupt();
      });
      if (found.wasInterrupted())
        return signalPassFailure();
    }
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isDeclaration() && function.isPublic() && !cpu::isEntry(function) && failed(convert(function)))
        return signalPassFailure();
  }

  LogicalResult convert(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitError("expected a graph of one block");
    FunctionType type = function.getFunctionType();
    for (Type tensor : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
      if (tensor.isIndex())
        continue;
      auto ranked = dyn_cast<RankedTensorType>(tensor);
      if (!ranked || ranked.getElementType().isIndex())
        return function.emitError() << "expected only ranked tensors and index numbers in the graph's type but got "
                                    << tensor;
      if (ranked.getRank() > FX_MAX_RANK)
        return function.emitError() << "expected rank " << FX_MAX_RANK << " or less but got " << ranked;
    }
    ArrayRef<int64_t> mutated;
    if (auto attribute = function->getAttrOfType<DenseI64ArrayAttr>(kMutatedArgumentsAttr))
      mutated = attribute;
    SmallVector<int64_t> meta{static_cast<int64_t>(type.getNumInputs()), static_cast<int64_t>(type.getNumResults()),
                              static_cast<int64_t>(mutated.size())};
    SmallVector<Attribute> names;
    OpBuilder b(function.getContext());
    size_t outputs = type.getNumResults() - mutated.size();
    auto describe = [&](Type tensor, DenseI64ArrayAttr dtypes, ArrayAttr extents, size_t i, int64_t argument,
                        DenseI64ArrayAttr order = {}) {
      if (tensor.isIndex()) { // A number: one i64.
        meta.append({FX_I64, 0, argument});
        return;
      }
      auto ranked = cast<RankedTensorType>(tensor);
      // Without the pass that converted the function, bool and uint8 are the i8 that they are stored as.
      meta.push_back(dtypes ? dtypes[i] : getRuntimeDtype(ranked.getElementType()));
      meta.push_back(ranked.getRank() + (order ? cpu::kOrdered : 0));
      if (order) { // Of static extents; the caller's are in the graph's own order.
        for (int64_t dim : invertPermutationVector(order.asArrayRef()))
          meta.push_back(ranked.getDimSize(dim));
        llvm::append_range(meta, order.asArrayRef());
        meta.push_back(argument);
        return;
      }
      ArrayRef<int64_t> recorded = extents ? cast<DenseI64ArrayAttr>(extents[i]).asArrayRef() : ArrayRef<int64_t>();
      for (auto [dim, extent] : llvm::enumerate(ranked.getShape()))
        meta.push_back(ShapedType::isStatic(extent) ? extent : extents ? recorded[dim] : -1);
      meta.push_back(argument);
    };
    auto argumentTypes = function->getAttrOfType<DenseI64ArrayAttr>(kArgumentDtypesAttr);
    auto resultTypes = function->getAttrOfType<DenseI64ArrayAttr>(kResultDtypesAttr);
    auto argumentExtents = function->getAttrOfType<ArrayAttr>(kArgumentExtentsAttr);
    auto resultExtents = function->getAttrOfType<ArrayAttr>(kResultExtentsAttr);
    for (auto [i, tensor] : llvm::enumerate(type.getInputs())) {
      describe(tensor, argumentTypes, argumentExtents, i, llvm::is_contained(mutated, i) ? i : -1,
               function.getArgAttrOfType<DenseI64ArrayAttr>(i, cpu::kOrderAttr));
      auto name = function.getArgAttrOfType<StringAttr>(i, "fxgraph.name");
      names.push_back(name ? name : b.getStringAttr("arg" + Twine(i)));
    }
    for (auto [i, tensor] : llvm::enumerate(type.getResults())) {
      describe(tensor, resultTypes, resultExtents, i, i < outputs ? -1 : mutated[i - outputs]);
      auto name = function.getResultAttrOfType<StringAttr>(i, "fxgraph.name");
      names.push_back(name ? name : b.getStringAttr("out" + Twine(i)));
    }

    Location loc = function.getLoc();
    Block &body = function.getBody().front();
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    size_t inputs = body.getNumArguments();
    for (int i = 0; i < cpu::kEntryArguments; ++i)
      body.addArgument(ptr, loc);
    auto argument = [&](cpu::EntryArgument which) { return body.getArgument(inputs + which); };
    b.setInsertionPointToStart(&body);
    auto load = [&](Value array, Type element, int64_t i) -> Value {
      Value address = LLVM::GEPOp::create(b, loc, ptr, element, array, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      return LLVM::LoadOp::create(b, loc, element, address);
    };
    int64_t extent = 0;
    for (size_t i = 0; i < inputs; ++i) {
      if (body.getArgument(i).getType().isIndex()) {
        Value number = load(load(argument(cpu::kInputs), ptr, i), b.getI64Type(), 0);
        body.getArgument(i).replaceAllUsesWith(arith::IndexCastOp::create(b, loc, b.getIndexType(), number));
        continue;
      }
      auto tensor = cast<RankedTensorType>(body.getArgument(i).getType());
      SmallVector<Value> sizes;
      for (int64_t j = 0; j < static_cast<int64_t>(tensor.getNumDynamicDims()); ++j)
        sizes.push_back(arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                                   load(argument(cpu::kExtents), b.getI64Type(), extent++)));
      auto memref = MemRefType::get(tensor.getShape(), tensor.getElementType());
      Value buffer = cpu::buildMemRef(b, loc, load(argument(cpu::kInputs), ptr, i), memref, sizes);
      body.getArgument(i).replaceAllUsesWith(
          bufferization::ToTensorOp::create(b, loc, tensor, buffer, /*restrict=*/true));
    }

    Operation *terminator = body.getTerminator();
    SmallVector<Value> results(terminator->getOperands());
    // Memory of static results, in front of what computes them.
    SmallVector<Value> memory(results.size());
    for (auto [i, result] : llvm::enumerate(results)) {
      auto tensor = dyn_cast<RankedTensorType>(result.getType());
      if (tensor && tensor.hasStaticShape())
        memory[i] = cpu::buildMemRef(b, loc, load(argument(cpu::kOutputs), ptr, i),
                                     MemRefType::get(tensor.getShape(), tensor.getElementType()));
    }
    b.setInsertionPoint(terminator);
    for (auto [i, result] : llvm::enumerate(results)) {
      if (result.getType().isIndex()) {
        Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), result);
        LLVM::StoreOp::create(b, loc, number, load(argument(cpu::kOutputs), ptr, i));
        continue;
      }
      if (!memory[i])
        memory[i] = askForMemory(b, loc, result, i, argument(cpu::kContext));
      bufferization::MaterializeInDestinationOp::create(b, loc, TypeRange(), result, memory[i], /*restrict=*/true,
                                                        /*writable=*/true);
    }
    Value fine = arith::ConstantIntOp::create(b, loc, b.getI32Type(), FX_OK);
    func::ReturnOp::create(b, loc, fine);
    terminator->erase();

    body.eraseArguments(0, inputs);
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
    function.setFunctionType(b.getFunctionType(SmallVector<Type>(cpu::kEntryArguments, ptr), b.getI32Type()));
    for (StringRef attribute :
         {StringRef(kMutatedArgumentsAttr), StringRef(kArgumentDtypesAttr), StringRef(kResultDtypesAttr),
          StringRef(kArgumentExtentsAttr), StringRef(kResultExtentsAttr)})
      function->removeAttr(attribute);
    function->setAttr(cpu::kEntryAttr, b.getDenseI64ArrayAttr(meta));
    function->setAttr(cpu::kNamesAttr, b.getArrayAttr(names));
    return success();
  }

  /// Memory for a result of dynamic extents: fxcpu_output(context, index, extents).
  static Value askForMemory(OpBuilder &b, Location loc, Value result, int64_t index, Value context) {
    auto tensor = cast<RankedTensorType>(result.getType());
    Type i64 = b.getI64Type();
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    Value count = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(std::max<int64_t>(tensor.getRank(), 1)));
    Value extents = LLVM::AllocaOp::create(b, loc, ptr, i64, count);
    SmallVector<Value> dynamic;
    for (int64_t i = 0; i < tensor.getRank(); ++i) {
      Value size = tensor::DimOp::create(b, loc, result, i);
      if (tensor.isDynamicDim(i))
        dynamic.push_back(size);
      Value address = LLVM::GEPOp::create(b, loc, ptr, i64, extents, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, loc, arith::IndexCastOp::create(b, loc, i64, size), address);
    }
    Value which = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(index));
    Value pointer = cpu::callRuntime(b, loc, "fxcpu_output", ptr, {context, which, extents});
    // Null: the caller's memory has other extents, or there is none; the message is set.
    Value null = LLVM::ZeroOp::create(b, loc, ptr);
    Value given = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, pointer, null);
    cf::AssertOp::create(b, loc, given, b.getStringAttr(""));
    return cpu::buildMemRef(b, loc, pointer, MemRefType::get(tensor.getShape(), tensor.getElementType()), dynamic);
  }
};
} // namespace
