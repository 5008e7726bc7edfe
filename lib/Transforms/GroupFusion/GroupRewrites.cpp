// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints and rewrites of Group.pdll. Users' rules call them too: what they take
// for granted is checked.

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "fxgraph/Transforms/Utils/CheckedCreate.h"

using namespace fxgraph;

/// Ends the session with an error at the group.
static LogicalResult fail(mlir::PatternRewriter &rewriter, const Twine &text) {
  RewriteSession &session = RewriteSession::of(rewriter);
  session.fail();
  return mlir::emitError(rewriter.getInsertionPoint()->getLoc())
         << "rule '" << session.getCurrentKind().pattern << "': " << text;
}

static LogicalResult isEmpty(mlir::PatternRewriter &, ValueRange values) { return success(values.empty()); }

static FailureOr<Operation *> makeMember(mlir::PatternRewriter &rewriter, Operation *op, ValueRange operands) {
  auto group = dyn_cast<GroupOp>(op);
  if (!group)
    return fail(rewriter, "expected a group as the first argument of Member");
  mlir::OperationName name(group.getMember(), rewriter.getContext());
  mlir::NamedAttrList attributes(group.getCommon());
  // All that is given is the first of the op's operands.
  if (auto sizes = mlir::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(attributes.get("operandSegmentSizes"))) {
    SmallVector<int32_t> segments(sizes.size(), 0);
    if (!segments.empty())
      segments.front() = operands.size();
    attributes.set("operandSegmentSizes", rewriter.getDenseI32ArrayAttr(segments));
  }
  std::string error;
  FailureOr<Operation *> made =
      createChecked(rewriter, group.getLoc(), name, operands, attributes.getAttrs(), std::nullopt, error);
  if (failed(made))
    return fail(rewriter, "cannot make " + name.getStringRef() + " of the group: " + error);
  return made;
}

static FailureOr<Attribute> getMemberAttribute(mlir::PatternRewriter &rewriter, Operation *op, Attribute name) {
  auto group = dyn_cast<GroupOp>(op);
  auto text = dyn_cast<StringAttr>(name);
  Attribute attribute = group && text ? group.getCommon().get(text) : Attribute();
  if (!attribute)
    return fail(rewriter, "expected a group and the name of an attribute that its members have");
  return attribute;
}

static FailureOr<Value> getFirst(mlir::PatternRewriter &rewriter, ValueRange values) {
  if (values.empty())
    return fail(rewriter, "expected values as the argument of First but got none");
  return values.front();
}

static FailureOr<Attribute> getExtents(mlir::PatternRewriter &rewriter, ValueRange values, Attribute dimension) {
  auto number = dyn_cast<IntegerAttr>(dimension);
  SmallVector<int64_t> extents;
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    int64_t dim = type && number ? wrapDim(number.getInt(), type.getRank()) : -1;
    if (dim < 0 || dim >= type.getRank() || type.isDynamicDim(dim))
      return fail(rewriter, "expected known extents along a dimension of the values of Extents");
    extents.push_back(type.getDimSize(dim));
  }
  return Attribute(rewriter.getDenseI64ArrayAttr(extents));
}

static FailureOr<Attribute> getLastDim(mlir::PatternRewriter &rewriter, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0)
    return fail(rewriter, "expected a value of rank >= 1 as the argument of LastDim");
  return Attribute(rewriter.getI64IntegerAttr(type.getRank() - 1));
}

void fxgraph::registerGroupRewrites(mlir::PDLPatternModule &pdl) {
  pdl.registerConstraintFunction("IsEmpty", isEmpty);
  pdl.registerRewriteFunction("Member", makeMember);
  pdl.registerRewriteFunction("MemberAttr", getMemberAttribute);
  pdl.registerRewriteFunction("First", getFirst);
  pdl.registerRewriteFunction("Extents", getExtents);
  pdl.registerRewriteFunction("LastDim", getLastDim);
}
