// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. MLIR takes for granted that a PDL module names registered functions
// and is undone by one that does not; here every name is looked up first.

#include "RuleFile.h"
#include "RuleCompiler.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "llvm/Support/Path.h"

using namespace fxgraph;
namespace pdl = mlir::pdl;

/// The name that is most like this one, if one is.
template <typename Names>
static StringRef findSimilar(StringRef name, const Names &names) {
  StringRef best;
  unsigned distance = std::max<size_t>(2, name.size() / 4) + 1;
  for (StringRef candidate : names)
    if (unsigned d = name.edit_distance(candidate, /*AllowReplacements=*/true, distance); d < distance) {
      distance = d;
      best = candidate;
    }
  return best;
}

template <typename Names>
static LogicalResult emitUnknown(Location loc, StringRef what, StringRef name, const Names &names) {
  InFlightDiagnostic diag = mlir::emitError(loc) << "expected " << what << " but got '" << name << "'";
  if (StringRef similar = findSimilar(name, names); !similar.empty())
    diag << "; is it '" << similar << "'?";
  return diag;
}

static LogicalResult checkOperation(pdl::OperationOp op) {
  std::optional<StringRef> name = op.getOpName();
  if (!name)
    return success();
  MLIRContext *context = op.getContext();
  std::optional<mlir::RegisteredOperationName> registered = mlir::RegisteredOperationName::lookup(*name, context);
  if (!registered) {
    SmallVector<StringRef> names;
    for (mlir::RegisteredOperationName other : context->getRegisteredOperationsByDialect("fxgraph"))
      names.push_back(other.getStringRef());
    return emitUnknown(op.getLoc(), "the name of an op", *name, names);
  }
  SmallVector<StringRef> attributes;
  for (StringAttr attribute : registered->getAttributeNames())
    attributes.push_back(attribute.getValue());
  for (Attribute attribute : op.getAttributeValueNames()) {
    StringRef given = cast<StringAttr>(attribute).getValue();
    if (!given.contains('.') && !llvm::is_contained(attributes, given))
      return emitUnknown(op.getLoc(), ("an attribute of " + *name).str(), given, attributes);
  }
  return success();
}

/// Whether a constraint or rewrite of this name takes what the rule gives it.
static LogicalResult checkFunction(Operation *op, StringRef name, bool isConstraint) {
  const llvm::StringMap<LibraryFunction> &functions = getLibraryFunctions();
  auto it = functions.find(name);
  StringRef what = isConstraint ? "a constraint of fxgraph/Rules.pdll" : "a rewrite of fxgraph/Rules.pdll";
  if (it == functions.end())
    return emitUnknown(op->getLoc(), what, name, functions.keys());
  auto check = [&](StringRef kind, ArrayRef<std::string> expected, TypeRange got) -> LogicalResult {
    SmallVector<std::string> types;
    for (Type type : got) {
      llvm::raw_string_ostream os(types.emplace_back());
      os << type;
    }
    SmallVector<std::string> wanted;
    for (const std::string &type : expected)
      wanted.push_back("!pdl." + type);
    if (types == wanted)
      return success();
    return mlir::emitError(op->getLoc()) << "expected " << kind << " of " << name << " to be ("
                                         << llvm::join(wanted, ", ") << ") but got (" << llvm::join(types, ", ") << ")";
  };
  if (failed(check("the arguments", it->second.parameters, op->getOperandTypes())))
    return failure();
  return check("the results", it->second.results, op->getResultTypes());
}

static LogicalResult check(mlir::ModuleOp module) {
  mlir::WalkResult result = module.walk([](Operation *op) -> mlir::WalkResult {
    if (auto operation = dyn_cast<pdl::OperationOp>(op))
      return checkOperation(operation);
    if (auto constraint = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
      return checkFunction(op, constraint.getName(), /*isConstraint=*/true);
    if (auto rewrite = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
      return checkFunction(op, rewrite.getName(), /*isConstraint=*/false);
    if (auto rewrite = dyn_cast<pdl::RewriteOp>(op); rewrite && rewrite.getName())
      return mlir::emitError(op->getLoc()) << "expected a rewrite with a body but got '" << *rewrite.getName() << "'";
    return success();
  });
  return failure(result.wasInterrupted());
}

/// The statements about the rule itself, which are no conditions.
static constexpr StringRef kStatements[] = {"Reassociates", "ChangesPrecision", "DropsEffects"};

static bool declares(pdl::PatternOp pattern, StringRef statement) {
  return llvm::any_of(pattern.getBodyRegion().getOps<pdl::ApplyNativeConstraintOp>(),
                      [&](pdl::ApplyNativeConstraintOp constraint) { return constraint.getName() == statement; });
}

FailureOr<std::shared_ptr<const RuleFile>> RuleFile::load(MLIRContext *context, const RuleFileOptions &options) {
  auto file = std::make_shared<RuleFile>();
  file->module = compileRules(context, options);
  if (!file->module || failed(check(*file->module)))
    return failure();
  std::string unnamed = options.name.empty() ? llvm::sys::path::stem(options.file).str() : options.name;
  unsigned numUnnamed = 0;
  for (pdl::PatternOp pattern : file->module->getOps<pdl::PatternOp>()) {
    Rule rule{"", options.assumed, pattern};
    if (StringAttr symbol = pattern.getSymNameAttr())
      rule.name = symbol.str();
    else if (++numUnnamed == 1)
      rule.name = unnamed;
    else
      rule.name = unnamed + "-" + std::to_string(numUnnamed);
    if (declares(pattern, "ChangesPrecision"))
      rule.numerics = NumericClass::ChangesPrecision;
    else if (declares(pattern, "Reassociates"))
      rule.numerics = NumericClass::Reassociates;
    file->rules.push_back(std::move(rule));
  }
  if (file->rules.empty()) {
    mlir::emitError(mlir::FileLineColLoc::get(context, options.file, 1, 1))
        << "expected a pattern but the file has none";
    return failure();
  }
  return std::shared_ptr<const RuleFile>(std::move(file));
}

//===----------------------------------------------------------------------===//
// The checked form
//===----------------------------------------------------------------------===//

/// What a native rewrite gets besides values: a dictionary.
static Value makeConstant(OpBuilder &builder, Location loc, ArrayRef<NamedAttribute> entries) {
  return pdl::AttributeOp::create(builder, loc, builder.getType<pdl::AttributeType>(), /*valueType=*/Value(),
                                  builder.getDictionaryAttr(entries));
}

static void makeChecked(pdl::OperationOp op) {
  OpBuilder builder(op);
  // What it replaces says what its results are, where the rule does not.
  Value replaced;
  if (op.getTypeValues().empty())
    for (Operation *user : op->getUsers())
      if (auto replace = dyn_cast<pdl::ReplaceOp>(user); replace && replace.getReplOperation() == op.getOp())
        replaced = replace.getOpValue();
  auto count = [&](size_t size) { return builder.getI64IntegerAttr(size); };
  SmallVector<Value> arguments{makeConstant(builder, op.getLoc(),
                                            {builder.getNamedAttr("name", builder.getStringAttr(*op.getOpName())),
                                             builder.getNamedAttr("attributes", op.getAttributeValueNamesAttr()),
                                             builder.getNamedAttr("operands", count(op.getOperandValues().size())),
                                             builder.getNamedAttr("types", count(op.getTypeValues().size())),
                                             builder.getNamedAttr("loc", op.getLoc())})};
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

mlir::OwningOpRef<mlir::ModuleOp> RuleFile::makeChecked(const Rule &rule) {
  pdl::PatternOp given = rule.pattern;
  mlir::ModuleOp module = mlir::ModuleOp::create(given.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto pattern = cast<pdl::PatternOp>(builder.clone(*given.getOperation()));
  bool dropsEffects = declares(pattern, "DropsEffects");
  for (auto constraint : llvm::make_early_inc_range(pattern.getBodyRegion().getOps<pdl::ApplyNativeConstraintOp>()))
    if (llvm::is_contained(kStatements, constraint.getName()))
      constraint.erase();
  pdl::RewriteOp rewrite = pattern.getRewriter();
  for (Operation &op : llvm::make_early_inc_range(rewrite.getBodyRegion().getOps()))
    if (auto operation = dyn_cast<pdl::OperationOp>(op))
      ::makeChecked(operation);
    else if (auto replace = dyn_cast<pdl::ReplaceOp>(op))
      ::makeChecked(replace, dropsEffects);
    else if (auto erase = dyn_cast<pdl::EraseOp>(op))
      ::makeChecked(erase, dropsEffects);
  return module;
}
