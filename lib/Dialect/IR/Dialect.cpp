// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect object, its attributes and the checks on argument attributes.

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/GroupOp.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "fxgraph/Dialect/IR/MemoryOrder.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "Bytecode.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fxgraph;

#include "fxgraph/Dialect/IR/FxGraphDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fxgraph/Dialect/IR/FxGraphAttrs.cpp.inc"

#include "fxgraph/Dialect/IR/FxGraphInterfaces.cpp.inc"

namespace {
/// Graphs may be inlined into one another: no op depends on its function.
struct FxGraphInlinerInterface : public mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, mlir::IRMapping &) const final { return true; }
};
} // namespace

void FxGraphDialect::initialize() {
  registerAttributes();
  registerPointwiseOps();
  registerViewOps();
  registerSplitCatOps();
  registerContractionOps();
  registerConvNormOps();
  registerReductionOps();
  registerIndexingOps();
  registerStructuralOps();
  registerControlFlowOps();
  registerCollectiveOps();
  registerPackedOps();
  registerGroupOp(*this);
  registerHostOps(*this);
  addInterfaces<FxGraphInlinerInterface>();
  addBytecodeInterface(this);
}

void FxGraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fxgraph/Dialect/IR/FxGraphAttrs.cpp.inc"
      >();
}

Operation *FxGraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    if (elements.getType() == type)
      return ConstantOp::create(builder, loc, elements);
  if (auto number = dyn_cast<IntegerAttr>(value); number && type.isIndex())
    return mlir::arith::ConstantOp::create(builder, loc, number);
  return nullptr;
}

LogicalResult FxGraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kLevelAttr) {
    auto level = dyn_cast<StringAttr>(attribute.getValue());
    if (!level || (level != "torch" && level != "aten"))
      return op->emitError() << "expected " << kLevelAttr << " to be \"torch\" or \"aten\" but got "
                             << attribute.getValue();
  }
  return success();
}

LogicalResult FxGraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                       NamedAttribute attribute) {
  if (attribute.getName() == kKindAttr) {
    auto kind = dyn_cast<StringAttr>(attribute.getValue());
    if (!kind || !llvm::is_contained({"input", "parameter", "buffer", "constant"}, kind.getValue()))
      return op->emitError() << "argument " << argument << ": expected " << kKindAttr
                             << " to be \"input\", \"parameter\", \"buffer\" or \"constant\" but got "
                             << attribute.getValue();
  } else if (attribute.getName() == kNameAttr && !isa<StringAttr>(attribute.getValue())) {
    return op->emitError() << "argument " << argument << ": expected " << kNameAttr << " to be a string but got "
                           << attribute.getValue();
  } else if (attribute.getName() == kMemoryOrderAttr) {
    auto order = dyn_cast<mlir::DenseI64ArrayAttr>(attribute.getValue());
    auto function = dyn_cast<mlir::FunctionOpInterface>(op);
    auto type = function ? dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]) : RankedTensorType();
    if (!order || !type || !mlir::isPermutationVector(order.asArrayRef()) || order.size() != type.getRank())
      return op->emitError() << "argument " << argument << ": expected " << kMemoryOrderAttr
                             << " to be a permutation of the dimensions of a tensor but got " << attribute.getValue();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// #fxgraph.meta
//===----------------------------------------------------------------------===//

Attribute MetaAttr::parse(mlir::AsmParser &parser, Type) {
  SmallVector<StringAttr> dims;
  StringAttr device;
  auto parseDim = [&]() -> mlir::ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back(StringAttr());
      return success();
    }
    std::string symbol;
    if (parser.parseKeywordOrString(&symbol))
      return failure();
    dims.push_back(StringAttr::get(parser.getContext(), symbol));
    return success();
  };
  auto parseField = [&]() -> mlir::ParseResult {
    StringRef field;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return failure();
    if (field == "dims")
      return parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, parseDim);
    if (field == "device") {
      std::string name;
      if (parser.parseString(&name))
        return failure();
      device = StringAttr::get(parser.getContext(), name);
      return success();
    }
    return parser.emitError(loc) << "expected `dims` or `device` but got `" << field << "`";
  };
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater, parseField))
    return {};
  if (dims.empty() && !device) {
    parser.emitError(loc) << "expected `dims` or `device` in #fxgraph.meta";
    return {};
  }
  return MetaAttr::get(parser.getContext(), dims, device);
}

void MetaAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<";
  if (!getDims().empty()) {
    printer << "dims = [";
    llvm::interleaveComma(getDims(), printer, [&](StringAttr symbol) {
      if (symbol)
        printer.printKeywordOrString(symbol.getValue());
      else
        printer << "?";
    });
    printer << "]" << (getDevice() ? ", " : "");
  }
  if (getDevice())
    printer << "device = " << getDevice();
  printer << ">";
}

LogicalResult MetaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  size_t dynamic = llvm::count_if(shape, ShapedType::isDynamic);
  if (!getDims().empty() && getDims().size() != dynamic)
    return emitError() << "expected one entry of dims for each of the " << dynamic << " dynamic extents but got "
                       << getDims().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Questions to ops
//===----------------------------------------------------------------------===//

bool fxgraph::isRowMajorView(Operation *op) {
  auto view = dyn_cast_if_present<ViewLikeOpInterface>(op);
  return view && view.keepsRowMajorOrder();
}

static bool drawsItself(Operation *op) {
  auto interface = dyn_cast<mlir::MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const auto &effect) { return effect.getResource() == RandomState::get(); });
}

bool fxgraph::drawsRandomNumbers(Operation *op) {
  auto visit = [](Operation *nested) {
    return drawsItself(nested) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return op->walk(visit).wasInterrupted();
}
