// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-to-llvm.

#include "CPULowering.h"
#include "fxgraph/Backend/CPUArtifact.h"
#include "fxgraph/Conversion/LinalgToCPU.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Support/Place.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUTOLLVMPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

/// The most calls of an entry whose kernels LLVM may inline.
static constexpr int64_t kMostInlinedCalls = 64;

/// Asserts of an entry or a part of it: on failure tell the runtime and return.
static LogicalResult lowerAsserts(func::FuncOp function, unsigned &counter, llvm::StringMap<std::string> &messages) {
  SmallVector<cf::AssertOp> asserts;
  auto result = function.walk([&](cf::AssertOp op) {
    if (op->getParentOp() != function) {
      op.emitError("expected asserts at the top of the graph only");
      return WalkResult::interrupt();
    }
    asserts.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  auto module = function->getParentOfType<ModuleOp>();
  IRRewriter rewriter(function.getContext());
  auto ptr = LLVM::LLVMPointerType::get(function.getContext());
  for (cf::AssertOp op : asserts) {
    Location loc = op.getLoc();
    // An empty message: the runtime has set one.
    std::string text = op.getMsg().empty() ? "" : describePlace(loc) + op.getMsg().str();
    std::string &symbol = messages[text];
    if (symbol.empty()) {
      do
        symbol = "fx_message_" + std::to_string(counter++);
      while (module.lookupSymbol(symbol));
      rewriter.setInsertionPointToStart(module.getBody());
      std::string terminated = text;
      terminated.push_back('\0');
      auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), terminated.size());
      LLVM::GlobalOp::create(rewriter, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
                             rewriter.getStringAttr(terminated));
    }
    Block *before = op->getBlock();
    Block *after = rewriter.splitBlock(before, std::next(Block::iterator(op)));
    Block *failed = rewriter.createBlock(&function.getBody(), function.getBody().end());
    Value address = LLVM::AddressOfOp::create(rewriter, loc, ptr, symbol);
    callRuntime(rewriter, loc, "fxcpu_fail", Type(), {function.getArgument(kContext), address});
    Value status = arith::ConstantIntOp::create(rewriter, loc, rewriter.getI32Type(), FX_RUN_FAILED);
    func::ReturnOp::create(rewriter, loc, status);
    rewriter.setInsertionPoint(op);
    cf::CondBranchOp::create(rewriter, loc, op.getArg(), after, failed);
    rewriter.eraseOp(op);
  }
  return success();
}

/// What the runtime reads: fxgraph_meta, fxgraph_names, fxgraph_workspace_bytes; the
/// entry itself is fxgraph_entry.
static LogicalResult emitArtifactSymbols(ModuleOp module) {
  SmallVector<func::FuncOp> entries = llvm::filter_to_vector(module.getOps<func::FuncOp>(), isEntry);
  if (entries.empty())
    return success();
  if (entries.size() > 1)
    return entries[1].emitError() << "expected one graph but got several: '" << entries[0].getSymName() << "' and '"
                                  << entries[1].getSymName() << "'";
  func::FuncOp entry = entries.front();
  Location loc = entry.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string names = entry.getSymName().str();
  names.push_back('\0');
  for (Attribute name : entry->getAttrOfType<ArrayAttr>(kNamesAttr)) {
    names += cast<StringAttr>(name).getValue();
    names.push_back('\0');
  }
  auto meta = entry->getAttrOfType<DenseI64ArrayAttr>(kEntryAttr);
  int64_t workspace = 0;
  if (auto bytes = entry->getAttrOfType<IntegerAttr>(kWorkspaceAttr))
    workspace = bytes.getInt();
  Type i64 = b.getI64Type();
  auto global = [&](StringRef symbol, Type type, Attribute value) {
    LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::External, symbol, value);
  };
  auto metaType = RankedTensorType::get(meta.size(), i64);
  global("fxgraph_meta", LLVM::LLVMArrayType::get(i64, meta.size()),
         DenseElementsAttr::get(metaType, meta.asArrayRef()));
  global("fxgraph_names", LLVM::LLVMArrayType::get(b.getI8Type(), names.size()), b.getStringAttr(names));
  global("fxgraph_workspace_bytes", i64, b.getI64IntegerAttr(workspace));
  for (StringRef attribute : {StringRef(kEntryAttr), StringRef(kNamesAttr), StringRef(kWorkspaceAttr)})
    entry->removeAttr(attribute);
  if (failed(SymbolTable::replaceAllSymbolUses(entry, b.getStringAttr("fxgraph_entry"), module)))
    return failure();
  entry.setSymName("fxgraph_entry");
  return success();
}

namespace {
/// The vector of these that a type is, or the element itself.
Type withElement(Type like, Type element) {
  auto shaped = dyn_cast<ShapedType>(like);
  return shaped ? Type(shaped.clone(element)) : element;
}
Value createInteger(ImplicitLocOpBuilder &b, Type type, int32_t value) {
  Attribute attribute = b.getI32IntegerAttr(value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, attribute);
  return arith::ConstantOp::create(b, cast<TypedAttr>(attribute));
}

/// bf16 to f32 by integer ops. LLVM would compute in bf16 what rounds to itself in f32 (floor, comparisons), by a call for
/// each element.
struct WidenBFloat16 : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value).isBF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type i32 = withElement(value.getType(), b.getI32Type()), i16 = withElement(value.getType(), b.getI16Type());
    Value bits = arith::ExtUIOp::create(b, i32, arith::BitcastOp::create(b, i16, value));
    Value high = arith::ShLIOp::create(b, bits, createInteger(b, i32, 16));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), high);
    return success();
  }
};

/// f32 to bf16 by integer ops, which are vectorised everywhere: to nearest even, NaNs made
/// quiet. Processors without an instruction for it would call a function for each element,
/// and the instruction flushes subnormals. Unlike upstream's pattern there is no constant
/// for NaNs: LLVM would make a choice between values of type bf16 of it.
struct RoundToBFloat16 : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value).isF32() || !getElementTypeOrSelf(op.getType()).isBF16())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type i32 = withElement(value.getType(), b.getI32Type()), i16 = withElement(value.getType(), b.getI16Type());
    auto number = [&](int32_t value) { return createInteger(b, i32, value); };
    Value bits = arith::BitcastOp::create(b, i32, value), width = number(16);
    Value odd = arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, width), number(1));
    Value rounded = arith::AddIOp::create(b, arith::AddIOp::create(b, bits, number(0x7FFF)), odd);
    Value quiet = arith::OrIOp::create(b, bits, number(0x400000));
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
    Value chosen = arith::SelectOp::create(b, isNaN, quiet, rounded);
    Value high = arith::TruncIOp::create(b, i16, arith::ShRUIOp::create(b, chosen, width));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), high);
    return success();
  }
};

struct FxGraphCPUToLLVMPass : public fxgraph::impl::FxGraphCPUToLLVMPassBase<FxGraphCPUToLLVMPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    // Kernels of a short graph may become part of its entry, which saves microseconds.
    // Inlined into a long one they would make LLVM's work more than linear.
    int64_t calls = 0;
    for (auto function : module.getOps<func::FuncOp>())
      if (isEntry(function) || function->hasAttr(kPartAttr))
        function.walk([&](func::CallOp) { ++calls; });
    bool manyCalls = calls > kMostInlinedCalls;
    // What asserts do can only be said of blocks of the function.
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!isEntry(function) || llvm::none_of(function.getOps(), [](Operation &op) { return isControlFlow(&op); }))
        continue;
      RewritePatternSet patterns(context);
      populateSCFToControlFlowConversionPatterns(patterns);
      ConversionTarget target(*context);
      target.addIllegalDialect<scf::SCFDialect>();
      target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
      if (failed(applyPartialConversion(function, target, std::move(patterns))))
        return signalPassFailure();
    }
    unsigned counter = 0;
    llvm::StringMap<std::string> messages; // to their symbols
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if ((isEntry(function) || function->hasAttr(kPartAttr)) && failed(lowerAsserts(function, counter, messages)))
        return signalPassFailure();
    if (failed(emitArtifactSymbols(module)))
      return signalPassFailure();
    module.walk([](UnrealizedConversionCastOp op) {
      auto type = dyn_cast<MemRefType>(op.getResult(0).getType());
      if (!type || !isa<LLVM::LLVMPointerType>(op.getOperand(0).getType()))
        return;
      OpBuilder b(op);
      op.getResult(0).replaceAllUsesWith(buildDescriptor(b, op.getLoc(), op.getOperand(0), type));
      op.erase();
    });
    {
      RewritePatternSet patterns(context);
      memref::populateExpandStridedMetadataPatterns(patterns);
      arith::populateCeilFloorDivExpandOpsPatterns(patterns);
      patterns.add<WidenBFloat16, RoundToBFloat16>(context);
      vector::populateVectorBroadcastLoweringPatterns(patterns);
      vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::Shuffle16x16);
      vector::populateVectorMaskOpLoweringPatterns(patterns);
      populateElementaryFunctionPatterns(patterns);
      GreedyRewriteConfig config;
      config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled); // That is LLVM's.
      if (failed(applyPatternsGreedily(module, std::move(patterns), config)))
        return signalPassFailure();
    }
    {
      RewritePatternSet patterns(context);
      populateAffineToStdConversionPatterns(patterns);
      populateSCFToControlFlowConversionPatterns(patterns);
      ConversionTarget target(*context);
      target.addIllegalDialect<affine::AffineDialect, scf::SCFDialect>();
      target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
      if (failed(applyPartialConversion(module, target, std::move(patterns))))
        return signalPassFailure();
    }
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    // Where both apply, intrinsics, which loops of vectors may have; libm for what has none or only an inexact one.
    populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false, /*benefit=*/2);
    populateMathToLibmConversionPatterns(patterns, /*benefit=*/1);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(kPartAttr) || (manyCalls && function->hasAttr(kKernelAttr)))
        function.setNoInline(true);
    SmallVector<UnrealizedConversionCastOp> casts, remaining;
    module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
    reconcileUnrealizedCasts(casts, &remaining);
    for (UnrealizedConversionCastOp op : remaining) {
      op.emitError("expected no cast to be left");
      return signalPassFailure();
    }
  }
};
} // namespace
