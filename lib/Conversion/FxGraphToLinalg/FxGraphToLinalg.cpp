// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-to-linalg: checks that the graph can run, turns writes into
// results, then converts all ops with the patterns of the groups. Linear.

#include "ControlFlow.h"
#include "LoweringUtils.h"
#include "PopulatePatterns.h"
#include "RuntimeCalls.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Support/RuntimeDtype.h"
#include "fxgraph/Support/TensorSize.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHTOLINALGPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace fxgraph::lowering;

void fxgraph::populateFxGraphToLinalgTypeConversions(mlir::TypeConverter &converter) {
  converter.addConversion([](Type type) -> std::optional<Type> {
    if (isa<RankedTensorType>(type))
      return std::nullopt;
    return type;
  });
  converter.addConversion([](RankedTensorType type) -> std::optional<Type> {
    Type element = type.getElementType();
    if (!element.isIndex() && !isSupportedDtype(element))
      return Type();
    return RankedTensorType::get(type.getShape(), element.isIndex() ? element : getStorageType(element));
  });
}

void fxgraph::populateFxGraphToLinalgPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                                              const LinalgOptions &options) {
  populatePointwise(converter, patterns);
  populateView(converter, patterns, options);
  populateSplitCat(converter, patterns);
  populateContraction(converter, patterns, options);
  populateConvNorm(converter, patterns, options);
  populateReduction(converter, patterns, options);
  populateIndexing(converter, patterns, options);
  populateControlFlow(converter, patterns);
  populateStructural(converter, patterns);
}

/// What is wrong with a type; empty if nothing is.
static std::string checkType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "";
  Type element = tensor.getElementType();
  if (!element.isIndex() && !isSupportedDtype(element))
    return "expected a dtype with a lowering (f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i1, ui8 to ui64, i8 to i64) but "
           "got " +
           mlir::debugString(element);
  if (isTooLarge(tensor))
    return ("expected a tensor of at most " + kMaxTensorBytesText + " but got " + mlir::debugString(tensor)).str();
  return "";
}

/// Reports every op that cannot run, so that all are seen at once; where there is none,
/// the types that no op has as an operand or a result.
static LogicalResult checkGraph(mlir::ModuleOp module) {
  bool valid = true;
  auto reject = [&](Operation *op, const Twine &reason) {
    op->emitOpError() << reason;
    valid = false;
  };
  module.walk([&](Operation *op) {
    if (!isa_and_present<FxGraphDialect>(op->getDialect()))
      return;
    if (auto call = dyn_cast<UnknownCallOpInterface>(op))
      return reject(
          op, "expected an op of the dialect but got \"" + call.getTarget() +
                  "\", which only PyTorch can run: call the graph through Module.to_fx or torch.compile's backend "
                  "fxgraph, or write it with ops that docs/Status.md lists");
    if (failed(prepareControlFlow(op))) {
      valid = false;
      return;
    }
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (std::string problem = checkType(type); !problem.empty())
        return reject(op, problem);
  });
  if (!valid)
    return failure();
  for (auto function : module.getOps<mlir::func::FuncOp>())
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
      if (std::string problem = checkType(type); !problem.empty())
        return function.emitError() << problem << " in the type of '" << function.getName() << "'";
  return success();
}

/// The final value of each argument that is written becomes a result.
static LogicalResult returnMutatedArguments(mlir::func::FuncOp function) {
  llvm::MapVector<unsigned, Value> written;
  SmallVector<CopyUnderscoreOp> copies;
  auto result = function.walk([&](CopyUnderscoreOp copy) {
    if (copy->getParentOp() != function || !function.getBody().hasOneBlock()) {
      copy.emitOpError("expected to stand in the function's only block");
      return mlir::WalkResult::interrupt();
    }
    written[cast<mlir::BlockArgument>(copy.getDst()).getArgNumber()] = copy.getSrc();
    copies.push_back(copy);
    return mlir::WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (written.empty())
    return success();
  auto sorted = llvm::to_vector(written);
  llvm::sort(sorted, llvm::less_first());
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> values;
  SmallVector<int64_t> arguments;
  OpBuilder b(terminator);
  for (auto &[argument, value] : sorted) {
    arguments.push_back(argument);
    values.push_back(value);
  }
  terminator->insertOperands(terminator->getNumOperands(), values);
  // The results that were there keep their attributes.
  SmallVector<unsigned> positions(values.size(), function.getNumResults());
  SmallVector<DictionaryAttr> attributes(values.size(), b.getDictionaryAttr({}));
  if (failed(function.insertResults(positions, ValueRange(values).getTypes(), attributes)))
    return function.emitError() << "expected results to be added for the arguments that are written";
  function->setAttr(kMutatedArgumentsAttr, b.getDenseI64ArrayAttr(arguments));
  for (CopyUnderscoreOp copy : copies)
    copy.erase();
  return success();
}

/// Divisions of sizes: one by zero fails the run, one by -1 is a negation. Both are
/// undefined for the processor.
static void guardDivisions(mlir::func::FuncOp function) {
  using namespace mlir::arith;
  SmallVector<Operation *> divisions;
  function.walk([&](Operation *op) {
    if (isa<DivSIOp, FloorDivSIOp, CeilDivSIOp, RemSIOp>(op) && op->getResult(0).getType().isIntOrIndex())
      divisions.push_back(op);
  });
  for (Operation *op : divisions) {
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    std::optional<int64_t> known = mlir::getConstantIntValue(divisor);
    if (known && *known != 0 && *known != -1)
      continue;
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto number = [&](int64_t value) -> Value {
      return mlir::arith::ConstantOp::create(b, loc, b.getIntegerAttr(divisor.getType(), value));
    };
    Value isNotZero = CmpIOp::create(b, loc, CmpIPredicate::ne, divisor, number(0));
    mlir::cf::AssertOp::create(b, loc, isNotZero,
                               ("'" + op->getName().getStringRef() + "' op divides an integer by zero").str());
    Value isMinusOne = CmpIOp::create(b, loc, CmpIPredicate::eq, divisor, number(-1));
    op->setOperand(1, mlir::arith::SelectOp::create(b, loc, isMinusOne, number(1), divisor));
    if (isa<RemSIOp>(op)) // Anything mod 1 is 0, as it is mod -1.
      continue;
    b.setInsertionPointAfter(op);
    Value quotient = op->getResult(0), negated = SubIOp::create(b, loc, number(0), dividend);
    Value result = mlir::arith::SelectOp::create(b, loc, isMinusOne, negated, quotient);
    quotient.replaceAllUsesExcept(result, result.getDefiningOp());
  }
}

/// Writes down dtypes and extents as the runtime knows them: afterwards bool and uint8
/// are both i8, and symbols are gone.
static void recordSignature(mlir::func::FuncOp function) {
  OpBuilder b(function.getContext());
  DenseMap<StringAttr, int64_t> symbols;
  auto record = [&](TypeRange types, StringRef dtypesName, StringRef extentsName) {
    SmallVector<int64_t> dtypes;
    SmallVector<Attribute> extents;
    for (Type type : types) {
      if (type.isIndex()) {
        dtypes.push_back(FX_I64);
        extents.push_back(b.getDenseI64ArrayAttr({}));
        continue;
      }
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !isSupportedDtype(tensor.getElementType()))
        return;
      dtypes.push_back(getRuntimeDtype(tensor.getElementType()));
      SmallVector<int64_t> dims;
      for (const Dim &dim : getDims(tensor)) {
        if (dim.isSymbol()) // -2, -3, …: FxTensorInfo.sizes
          dims.push_back(-2 - symbols.try_emplace(dim.getSymbol(), symbols.size()).first->second);
        else
          dims.push_back(dim.isStatic() ? dim.getExtent() : -1);
      }
      extents.push_back(b.getDenseI64ArrayAttr(dims));
    }
    function->setAttr(dtypesName, b.getDenseI64ArrayAttr(dtypes));
    function->setAttr(extentsName, b.getArrayAttr(extents));
  };
  record(function.getArgumentTypes(), kArgumentDtypesAttr, kArgumentExtentsAttr);
  record(function.getResultTypes(), kResultDtypesAttr, kResultExtentsAttr);
}

LogicalResult fxgraph::convertToLinalg(mlir::ModuleOp module, const LinalgOptions &options) {
  MLIRContext *context = module.getContext();
  mlir::TypeConverter converter;
  populateFxGraphToLinalgTypeConversions(converter);
  mlir::RewritePatternSet patterns(context);
  populateFxGraphToLinalgPatterns(converter, patterns, options);
  mlir::populateFunctionOpInterfaceTypeConversionPattern<mlir::func::FuncOp>(patterns, converter);
  mlir::populateReturnOpTypeConversionPattern(patterns, converter);
  mlir::populateCallOpTypeConversionPattern(patterns, converter);

  mlir::ConversionTarget target(*context);
  target.addIllegalDialect<FxGraphDialect>();
  addControlFlowLegality(target, converter);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) -> std::optional<bool> {
    if (auto function = dyn_cast<mlir::func::FuncOp>(op))
      return converter.isSignatureLegal(function.getFunctionType()) && converter.isLegal(&function.getBody());
    if (isa<mlir::func::ReturnOp, mlir::func::CallOp>(op))
      return converter.isLegal(op);
    return true;
  });
  return mlir::applyPartialConversion(module, target, std::move(patterns));
}

namespace {
struct FxGraphToLinalgPass : public impl::FxGraphToLinalgPassBase<FxGraphToLinalgPass> {
  using Base::Base;

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (failed(checkGraph(module)))
      return signalPassFailure();
    for (auto function : module.getOps<mlir::func::FuncOp>()) {
      if (failed(returnMutatedArguments(function)))
        return signalPassFailure();
      recordSignature(function);
      guardDivisions(function);
    }
    LinalgOptions options;
    options.parallelForms = parallelForms;
    if (failed(convertToLinalg(module, options)))
      return signalPassFailure();
    expandControlFlow(module);
  }
};
} // namespace
