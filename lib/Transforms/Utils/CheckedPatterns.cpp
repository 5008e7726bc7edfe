// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "fxgraph/Transforms/Utils/CheckedPatterns.h"
#include "fxgraph/Transforms/Utils/CheckedCreate.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;
using mlir::PDLValue;
namespace pdl = mlir::pdl;

/// Ends the session with an error at the op that the rule started from.
static LogicalResult fail(mlir::PatternRewriter &rewriter, DictionaryAttr options, const Twine &text) {
  RewriteSession &session = RewriteSession::of(rewriter);
  session.fail();
  InFlightDiagnostic diag = mlir::emitError(rewriter.getInsertionPoint()->getLoc())
                            << "rule '" << session.getCurrentKind().pattern << "': " << text;
  diag.attachNote(Location(cast<mlir::LocationAttr>(options.get("loc")))) << "in this part of the rule";
  return diag;
}

static void append(SmallVectorImpl<Value> &values, const PDLValue &value) {
  if (!value) // a result that the op does not have
    return;
  if (value.isa<Value>())
    values.push_back(value.cast<Value>());
  else if (value.isa<ValueRange>())
    llvm::append_range(values, value.cast<ValueRange>());
  else if (value.isa<Operation *>())
    llvm::append_range(values, value.cast<Operation *>()->getResults());
}

static std::string print(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "(";
  llvm::interleaveComma(types, os);
  os << ")";
  return text;
}

/// (description, operands…, attributes…, types…, replaced op or none) -> op
static LogicalResult create(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results,
                            ArrayRef<PDLValue> arguments) {
  auto description = cast<DictionaryAttr>(arguments.front().cast<Attribute>());
  arguments = arguments.drop_front();
  auto take = [&](size_t count) {
    ArrayRef<PDLValue> taken = arguments.take_front(count);
    arguments = arguments.drop_front(count);
    return taken;
  };
  mlir::OperationName name(cast<StringAttr>(description.get("name")).getValue(), rewriter.getContext());

  SmallVector<Value> operands;
  SmallVector<int32_t> segments;
  for (const PDLValue &operand : take(description.getAs<IntegerAttr>("operands").getInt())) {
    size_t before = operands.size();
    append(operands, operand);
    segments.push_back(operands.size() - before);
  }
  SmallVector<NamedAttribute> attributes;
  auto names = description.getAs<ArrayAttr>("attributes");
  for (auto [attributeName, value] : llvm::zip_equal(names, take(names.size())))
    attributes.emplace_back(cast<StringAttr>(attributeName), value.cast<Attribute>());
  if (name.hasTrait<mlir::OpTrait::AttrSizedOperandSegments>())
    attributes.emplace_back(rewriter.getStringAttr("operandSegmentSizes"), rewriter.getDenseI32ArrayAttr(segments));

  std::optional<SmallVector<Type>> types;
  ArrayRef<PDLValue> given = take(description.getAs<IntegerAttr>("types").getInt());
  if (!given.empty()) {
    types.emplace();
    for (const PDLValue &type : given)
      if (type.isa<Type>())
        types->push_back(type.cast<Type>());
      else
        llvm::append_range(*types, type.cast<TypeRange>());
  } else if (!arguments.empty()) {
    types.emplace(arguments.front().cast<Operation *>()->getResultTypes());
  }

  if (description.getAs<BoolAttr>("trusted").getValue()) {
    results.push_back(createTrusted(rewriter, rewriter.getInsertionPoint()->getLoc(), name, operands, attributes,
                                    types ? std::optional<TypeRange>(*types) : std::nullopt));
    return success();
  }
  std::string error;
  FailureOr<Operation *> op = createChecked(rewriter, rewriter.getInsertionPoint()->getLoc(), name, operands,
                                            attributes, types ? std::optional<TypeRange>(*types) : std::nullopt, error);
  if (failed(op))
    return fail(rewriter, description,
                "cannot make " + name.getStringRef() + " of " + print(TypeRange(operands)) + ": " + error);
  results.push_back(*op);
  return success();
}

/// Whether the rule may take the op away.
static LogicalResult checkRemovable(mlir::PatternRewriter &rewriter, DictionaryAttr options, Operation *op) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>())
    return fail(rewriter, options, "expected an op that may go but got " + op->getName().getStringRef());
  if (!mlir::isMemoryEffectFree(op) && !options.getAs<BoolAttr>("dropsEffects").getValue())
    return fail(rewriter, options,
                op->getName().getStringRef() + " has effects; a rule that answers for them says DropsEffects(op)");
  return success();
}

/// Whether the value is there wherever `op` gives one to somebody.
static bool reachesUsers(Value value, Operation *op) {
  Operation *producer = value.getDefiningOp();
  if (!producer || producer->getBlock() != op->getBlock())
    return true;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    return !inBlock || producer->isBeforeInBlock(inBlock);
  });
}

/// (options, op, values or the op that they are results of)
static LogicalResult replace(mlir::PatternRewriter &rewriter, mlir::PDLResultList &, ArrayRef<PDLValue> arguments) {
  auto options = cast<DictionaryAttr>(arguments[0].cast<Attribute>());
  Operation *op = arguments[1].cast<Operation *>();
  SmallVector<Value> values;
  for (const PDLValue &value : arguments.drop_front(2))
    append(values, value);
  if (failed(checkRemovable(rewriter, options, op)))
    return failure();
  if (TypeRange(ValueRange(values)) != TypeRange(op->getResultTypes()))
    return fail(rewriter, options,
                "expected values of types " + print(op->getResultTypes()) + " in the place of " +
                    op->getName().getStringRef() + " but got " + print(TypeRange(ValueRange(values))));
  if (llvm::is_contained(values, op->getNumResults() ? Value(op->getResult(0)) : Value()))
    return fail(rewriter, options, "expected other values than those of the op itself");
  for (Value value : values)
    if (!reachesUsers(value, op))
      return fail(rewriter, options,
                  "the new value comes after a user of " + op->getName().getStringRef() +
                      "; replace the last op of what is matched, or see to it that the others have no other user");
  rewriter.replaceOp(op, values);
  return success();
}

/// (options, op)
static LogicalResult erase(mlir::PatternRewriter &rewriter, mlir::PDLResultList &, ArrayRef<PDLValue> arguments) {
  auto options = cast<DictionaryAttr>(arguments[0].cast<Attribute>());
  Operation *op = arguments[1].cast<Operation *>();
  if (failed(checkRemovable(rewriter, options, op)))
    return failure();
  if (!op->use_empty())
    return fail(rewriter, options, op->getName().getStringRef() + " is erased but has users");
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// The checked form
//===----------------------------------------------------------------------===//

/// What a native rewrite gets besides values: a dictionary.
static Value makeConstant(OpBuilder &builder, Location loc, ArrayRef<NamedAttribute> entries) {
  return pdl::AttributeOp::create(builder, loc, builder.getType<pdl::AttributeType>(), /*valueType=*/Value(),
                                  builder.getDictionaryAttr(entries));
}

static void makeChecked(pdl::OperationOp op, Trust trust) {
  OpBuilder builder(op);
  // What it replaces says what its results are, where the rule does not.
  Value replaced;
  if (op.getTypeValues().empty())
    for (Operation *user : op->getUsers())
      if (auto replace = dyn_cast<pdl::ReplaceOp>(user); replace && replace.getReplOperation() == op.getOp())
        replaced = replace.getOpValue();
  auto count = [&](size_t size) { return builder.getI64IntegerAttr(size); };
  SmallVector<Value> arguments{makeConstant(
      builder, op.getLoc(),
      {builder.getNamedAttr("name", builder.getStringAttr(*op.getOpName())),
       builder.getNamedAttr("attributes", op.getAttributeValueNamesAttr()),
       builder.getNamedAttr("operands", count(op.getOperandValues().size())),
       builder.getNamedAttr("types", count(op.getTypeValues().size())), builder.getNamedAttr("loc", op.getLoc()),
       builder.getNamedAttr("trusted", builder.getBoolAttr(trust == Trust::Own))})};
  llvm::append_range(arguments, op.getOperandValues());
  llvm::append_range(arguments, op.getAttributeValues());
  llvm::append_range(arguments, op.getTypeValues());
  if (replaced)
    arguments.push_back(replaced);
  auto created = pdl::ApplyNativeRewriteOp::create(builder, op.getLoc(), TypeRange(op.getOp().getType()),
                                                   "fxgraph.create", arguments);
  op.getOp().replaceAllUsesWith(created.getResult(0));
  op.erase();
}

static void makeChecked(pdl::ReplaceOp op, bool dropsEffects) {
  OpBuilder builder(op);
  SmallVector<Value> arguments{makeConstant(builder, op.getLoc(),
                                            {builder.getNamedAttr("loc", op.getLoc()),
                                             builder.getNamedAttr("dropsEffects", builder.getBoolAttr(dropsEffects))}),
                               op.getOpValue()};
  if (Value replacement = op.getReplOperation())
    arguments.push_back(replacement);
  llvm::append_range(arguments, op.getReplValues());
  pdl::ApplyNativeRewriteOp::create(builder, op.getLoc(), TypeRange(), "fxgraph.replace", arguments);
  op.erase();
}

static void makeChecked(pdl::EraseOp op, bool dropsEffects) {
  OpBuilder builder(op);
  Value options = makeConstant(builder, op.getLoc(),
                               {builder.getNamedAttr("loc", op.getLoc()),
                                builder.getNamedAttr("dropsEffects", builder.getBoolAttr(dropsEffects))});
  pdl::ApplyNativeRewriteOp::create(builder, op.getLoc(), TypeRange(), "fxgraph.erase",
                                    ValueRange({options, op.getOpValue()}));
  op.erase();
}

void fxgraph::checkCreations(pdl::PatternOp pattern, Trust trust) {
  for (auto op : llvm::make_early_inc_range(pattern.getRewriter().getBodyRegion().getOps<pdl::OperationOp>()))
    makeChecked(op, trust);
}

void fxgraph::checkReplacements(pdl::PatternOp pattern, bool dropsEffects) {
  for (Operation &op : llvm::make_early_inc_range(pattern.getRewriter().getBodyRegion().getOps()))
    if (auto replace = dyn_cast<pdl::ReplaceOp>(op))
      makeChecked(replace, dropsEffects);
    else if (auto erase = dyn_cast<pdl::EraseOp>(op))
      makeChecked(erase, dropsEffects);
}

void fxgraph::registerCheckedRewrites(mlir::PDLPatternModule &module) {
  module.registerRewriteFunction("fxgraph.create", mlir::PDLRewriteFunction(create));
  module.registerRewriteFunction("fxgraph.replace", mlir::PDLRewriteFunction(replace));
  module.registerRewriteFunction("fxgraph.erase", mlir::PDLRewriteFunction(erase));
}
