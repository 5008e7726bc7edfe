// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. MLIR takes for granted that a PDL module names registered functions
// and is undone by one that does not; here every name is looked up first.

#include "RuleFile.h"
#include "RuleCompiler.h"
#include "fxgraph/Transforms/Utils/CheckedPatterns.h"
#include "llvm/Support/Path.h"

using namespace fxgraph;
namespace pdl = mlir::pdl;

/// The name that is most like this one, if one is; of several one that begins or ends like it.
template <typename Names>
static StringRef findSimilar(StringRef name, const Names &names) {
  StringRef best;
  auto getCommon = [&](StringRef other) {
    size_t length = std::min(name.size(), other.size()), front = 0, back = 0;
    while (front < length && name[front] == other[front])
      ++front;
    while (back < length && name[name.size() - back - 1] == other[other.size() - back - 1])
      ++back;
    return std::max(front, back);
  };
  unsigned distance = std::max<size_t>(2, name.size() / 4) + 1;
  for (StringRef candidate : names) {
    unsigned d = name.edit_distance(candidate, /*AllowReplacements=*/true, distance + 1);
    if (d < distance || (d == distance && !best.empty() && getCommon(candidate) > getCommon(best))) {
      distance = d;
      best = candidate;
    }
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

/// Whether there is an op of this name.
static LogicalResult checkName(Location loc, StringRef name, MLIRContext *context) {
  if (mlir::RegisteredOperationName::lookup(name, context))
    return success();
  SmallVector<StringRef> names;
  for (mlir::RegisteredOperationName other : context->getRegisteredOperationsByDialect("fxgraph"))
    names.push_back(other.getStringRef());
  return emitUnknown(loc, "the name of an op", name, names);
}

static LogicalResult checkOperation(pdl::OperationOp op) {
  std::optional<StringRef> name = op.getOpName();
  if (!name)
    return success();
  if (failed(checkName(op.getLoc(), *name, op.getContext())))
    return failure();
  auto registered = mlir::RegisteredOperationName::lookup(*name, op.getContext());
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

pdl::OperationOp fxgraph::getRoot(pdl::PatternOp pattern) {
  pdl::RewriteOp rewrite = pattern.getRewriter();
  if (Value root = rewrite.getRoot())
    return root.getDefiningOp<pdl::OperationOp>();
  // A rule that names none starts from the op that no other one uses.
  for (auto operation : pattern.getBodyRegion().getOps<pdl::OperationOp>())
    if (llvm::none_of(operation->getUsers(), llvm::IsaPred<pdl::ResultOp, pdl::ResultsOp>))
      return operation;
  return nullptr;
}

/// The statements about the rule itself, which are no conditions.
static constexpr StringRef kStatements[] = {"Reassociates",  "ChangesPrecision", "DropsEffects",    "GroupSize",
                                            "SharedOperand", "VaryingExtents",   "VaryingAttribute"};

static bool declares(pdl::PatternOp pattern, StringRef statement) {
  return llvm::any_of(pattern.getBodyRegion().getOps<pdl::ApplyNativeConstraintOp>(),
                      [&](pdl::ApplyNativeConstraintOp constraint) { return constraint.getName() == statement; });
}

/// The constant that the rule gives as an argument; an error if it gives none of the kind.
template <typename Attr>
static FailureOr<Attr> getConstant(pdl::ApplyNativeConstraintOp statement, unsigned argument, StringRef expected) {
  auto attribute = statement.getArgs()[argument].getDefiningOp<pdl::AttributeOp>();
  auto value = attribute ? mlir::dyn_cast_or_null<Attr>(attribute.getValueAttr()) : Attr();
  if (!value)
    return mlir::emitError(statement.getLoc())
           << "expected " << expected << " as argument #" << argument << " of " << statement.getName();
  return value;
}

/// Reads one statement into the declaration; others are none of its business.
static LogicalResult readStatement(pdl::ApplyNativeConstraintOp statement, GroupDeclaration &group) {
  StringRef name = statement.getName();
  auto getNumber = [&](unsigned argument) -> FailureOr<unsigned> {
    FailureOr<IntegerAttr> number = getConstant<IntegerAttr>(statement, argument, "a number");
    if (failed(number))
      return failure();
    return static_cast<unsigned>(number->getInt());
  };
  if (name == "GroupSize") {
    FailureOr<unsigned> least = getNumber(1), most = getNumber(2);
    if (failed(least) || failed(most))
      return failure();
    if (*least < 2 || *most < *least)
      return mlir::emitError(statement.getLoc())
             << "expected a group of 2 or more members and a limit that is no less but got " << *least << " and "
             << *most;
    std::tie(group.least, group.most) = std::pair(*least, *most);
  } else if (name == "SharedOperand" || name == "VaryingExtents") {
    FailureOr<unsigned> operand = getNumber(1);
    if (failed(operand))
      return failure();
    (name == "SharedOperand" ? group.sharedOperands : group.varyingOperands).push_back(*operand);
  } else if (name == "VaryingAttribute") {
    FailureOr<StringAttr> attribute = getConstant<StringAttr>(statement, 1, "a name");
    if (failed(attribute))
      return failure();
    group.varyingAttributes.push_back(attribute->str());
  }
  return success();
}

/// The declaration of a rule that starts from a group.
static FailureOr<GroupDeclaration> readGroup(pdl::PatternOp pattern, pdl::OperationOp root) {
  GroupDeclaration group;
  for (auto [name, value] : llvm::zip_equal(root.getAttributeValueNames(), root.getAttributeValues()))
    if (cast<StringAttr>(name) == "member")
      if (auto attribute = value.getDefiningOp<pdl::AttributeOp>())
        if (auto member = mlir::dyn_cast_or_null<StringAttr>(attribute.getValueAttr()))
          group.member = member.str();
  if (group.member.empty())
    return mlir::emitError(root.getLoc())
           << "expected a group of named members, {member = attr<\"\\\"fxgraph.…\\\"\">}";
  if (failed(checkName(root.getLoc(), group.member, pattern.getContext())))
    return failure();
  for (auto statement : pattern.getBodyRegion().getOps<pdl::ApplyNativeConstraintOp>())
    if (failed(readStatement(statement, group)))
      return failure();
  return group;
}

FailureOr<std::shared_ptr<const RuleFile>> RuleFile::load(MLIRContext *context, const RuleFileOptions &options) {
  auto file = std::make_shared<RuleFile>();
  file->module = compileRules(context, options);
  if (!file->module || failed(check(*file->module)))
    return failure();
  std::string unnamed = options.name.empty() ? llvm::sys::path::stem(options.file).str() : options.name;
  unsigned numUnnamed = 0;
  for (pdl::PatternOp pattern : file->module->getOps<pdl::PatternOp>()) {
    Rule rule{"", options.counter, options.assumed, pattern, std::nullopt};
    if (StringAttr symbol = pattern.getSymNameAttr())
      rule.name = symbol.str();
    else if (++numUnnamed == 1)
      rule.name = unnamed;
    else
      rule.name = unnamed + "-" + std::to_string(numUnnamed);
    if (rule.counter.empty())
      rule.counter = rule.name;
    if (declares(pattern, "ChangesPrecision"))
      rule.numerics = NumericClass::ChangesPrecision;
    else if (declares(pattern, "Reassociates"))
      rule.numerics = NumericClass::Reassociates;
    pdl::OperationOp root = getRoot(pattern);
    if (root && root.getOpName() == "fxgraph.group") {
      FailureOr<GroupDeclaration> group = readGroup(pattern, root);
      if (failed(group))
        return failure();
      rule.group = std::move(*group);
    }
    file->rules.push_back(std::move(rule));
  }
  if (file->rules.empty()) {
    mlir::emitError(mlir::FileLineColLoc::get(context, options.file, 1, 1))
        << "expected a pattern but the file has none";
    return failure();
  }
  return std::shared_ptr<const RuleFile>(std::move(file));
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
  checkCreations(pattern, Trust::User);
  checkReplacements(pattern, dropsEffects);
  return module;
}
