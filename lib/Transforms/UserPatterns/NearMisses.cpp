// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Linear in the rule.

#include "NearMisses.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <deque>
#include <variant>

using namespace fxgraph;
namespace pdl = mlir::pdl;

namespace {
using Binding = std::variant<Attribute, Operation *, Type, SmallVector<Type>, Value, SmallVector<Value>>;

class Matcher {
public:
  Matcher(const Rule &rule, const llvm::StringMap<mlir::PDLConstraintFunction> &constraints)
      : rule(rule), constraints(constraints) {}

  std::string explain(Operation *op);

private:
  /// Each returns why not, or an empty text. `where` says what of the root is looked at.
  std::string match(pdl::OperationOp pattern, Operation *op, const std::string &where);
  std::string matchOperands(pdl::OperationOp pattern, Operation *op, const std::string &where);
  std::string matchResultTypes(pdl::OperationOp pattern, Operation *op, const std::string &where);
  std::string matchValue(Value pattern, Value value, const std::string &where);
  std::string matchValues(Value pattern, ValueRange values, const std::string &where);
  std::string matchType(Value pattern, Type type, const std::string &where);
  std::string matchAttribute(Value pattern, Attribute attribute, const std::string &where);
  std::string apply(pdl::ApplyNativeConstraintOp constraint, Operation *root);

  /// Binds, or says that the rule wants the same thing at both places.
  template <typename T>
  std::string bind(Value pattern, T value, const std::string &where) {
    auto [it, isNew] = bindings.try_emplace(pattern, Binding(value));
    if (isNew || it->second == Binding(value))
      return "";
    return where + ": expected what stands at another place of the rule too";
  }

  const Rule &rule;
  const llvm::StringMap<mlir::PDLConstraintFunction> &constraints;
  DenseMap<Value, Binding> bindings;
};
} // namespace

template <typename T>
static std::string print(const T &entity) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << entity;
  return text;
}

/// The op's own name, without the dialect's.
static StringRef describe(Operation *op) { return op ? op->getName().getStringRef() : StringRef("an argument"); }

std::string Matcher::match(pdl::OperationOp pattern, Operation *op, const std::string &where) {
  if (std::optional<StringRef> name = pattern.getOpName(); name && *name != op->getName().getStringRef())
    return llvm::formatv("{0}: expected {1} but got {2}", where, *name, describe(op));
  if (std::string reason = bind<Operation *>(pattern.getOp(), op, where); !reason.empty())
    return reason;
  for (auto [name, value] : llvm::zip_equal(pattern.getAttributeValueNames(), pattern.getAttributeValues())) {
    StringRef attribute = cast<StringAttr>(name).getValue();
    std::string reason =
        matchAttribute(value, op->getAttr(attribute), llvm::formatv("{0}, attribute {1}", where, attribute));
    if (!reason.empty())
      return reason;
  }
  if (std::string reason = matchOperands(pattern, op, where); !reason.empty())
    return reason;
  return matchResultTypes(pattern, op, where);
}

static bool isRange(Value pattern) { return isa<pdl::RangeType>(pattern.getType()); }

std::string Matcher::matchOperands(pdl::OperationOp pattern, Operation *op, const std::string &where) {
  ValueRange patterns = pattern.getOperandValues();
  size_t numSingle = llvm::count_if(patterns, [](Value value) { return !isRange(value); });
  bool isExact = numSingle == patterns.size();
  if (isExact ? op->getNumOperands() != numSingle : op->getNumOperands() < numSingle)
    return llvm::formatv("{0}: expected {1}{2} operands but got {3}", where, isExact ? "" : "at least ", numSingle,
                         op->getNumOperands());
  auto sizes = op->getAttrOfType<mlir::DenseI32ArrayAttr>("operandSegmentSizes");
  unsigned begin = 0;
  for (auto [i, operand] : llvm::enumerate(patterns)) {
    unsigned size = 1;
    if (patterns.size() == 1 && isRange(operand))
      size = op->getNumOperands();
    else if (sizes && !isExact)
      size = i < static_cast<size_t>(sizes.size()) ? sizes[i] : 0;
    else if (isRange(operand)) // all that are left, as in PDL's own matcher
      size = op->getNumOperands() - begin;
    ValueRange values = op->getOperands().slice(begin, size);
    begin += size;
    if (isRange(operand)) {
      std::string reason = matchValues(operand, values, llvm::formatv("{0}, operands from #{1}", where, i));
      if (!reason.empty())
        return reason;
      continue;
    }
    std::string place = llvm::formatv("{0}, operand #{1}", where, i);
    if (values.size() != 1)
      return llvm::formatv("{0}: expected one value but got {1}", place, values.size());
    if (std::string reason = matchValue(operand, values.front(), place); !reason.empty())
      return reason;
  }
  return "";
}

std::string Matcher::matchResultTypes(pdl::OperationOp pattern, Operation *op, const std::string &where) {
  ValueRange patterns = pattern.getTypeValues();
  if (patterns.size() == 1 && isRange(patterns.front())) {
    SmallVector<Type> types(op->getResultTypes());
    if (auto constant = patterns.front().getDefiningOp<pdl::TypesOp>(); constant && constant.getConstantTypesAttr()) {
      auto wanted = constant.getConstantTypesAttr().getAsValueRange<TypeAttr>();
      if (!llvm::equal(wanted, types))
        return llvm::formatv("{0}: expected results of other types", where);
    }
    return bind(patterns.front(), types, where);
  }
  if (llvm::any_of(patterns, isRange)) // groups of results: no op of the dialect has them
    return "";
  if (patterns.size() != op->getNumResults())
    return llvm::formatv("{0}: expected {1} results but got {2}", where, patterns.size(), op->getNumResults());
  for (auto [i, type] : llvm::enumerate(patterns)) {
    std::string reason = matchType(type, op->getResult(i).getType(), llvm::formatv("{0}, result #{1}", where, i));
    if (!reason.empty())
      return reason;
  }
  return "";
}

std::string Matcher::matchType(Value pattern, Type type, const std::string &where) {
  if (auto constant = pattern.getDefiningOp<pdl::TypeOp>(); constant && constant.getConstantType())
    if (*constant.getConstantType() != type)
      return llvm::formatv("{0}: expected type {1} but got {2}", where, print(*constant.getConstantType()),
                           print(type));
  if (std::string reason = bind(pattern, type, where); !reason.empty())
    return llvm::formatv("{0}: expected type {1} but got {2}", where, print(std::get<Type>(bindings[pattern])),
                         print(type));
  return "";
}

std::string Matcher::matchAttribute(Value pattern, Attribute attribute, const std::string &where) {
  if (!attribute)
    return where + ": the op does not have it";
  auto wanted = pattern.getDefiningOp<pdl::AttributeOp>();
  if (wanted && wanted.getValueAttr() && wanted.getValueAttr() != attribute)
    return llvm::formatv("{0}: expected {1} but got {2}", where, print(wanted.getValueAttr()), print(attribute));
  if (std::string reason = bind(pattern, attribute, where); !reason.empty())
    return llvm::formatv("{0}: expected {1} but got {2}", where, print(std::get<Attribute>(bindings[pattern])),
                         print(attribute));
  return "";
}

std::string Matcher::matchValue(Value pattern, Value value, const std::string &where) {
  if (std::string reason = bind(pattern, value, where); !reason.empty())
    return reason;
  if (auto operand = pattern.getDefiningOp<pdl::OperandOp>())
    return operand.getValueType() ? matchType(operand.getValueType(), value.getType(), where) : "";
  auto result = pattern.getDefiningOp<pdl::ResultOp>();
  if (!result)
    return "";
  auto producerPattern = result.getParent().getDefiningOp<pdl::OperationOp>();
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return llvm::formatv("{0}: expected {1} but got an argument", where,
                         producerPattern.getOpName().value_or("the result of an op"));
  if (std::string reason = match(producerPattern, producer, where); !reason.empty())
    return reason;
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (number != result.getIndex())
    return llvm::formatv("{0}: expected result #{1} of {2} but got #{3}", where, result.getIndex(), describe(producer),
                         number);
  return "";
}

std::string Matcher::matchValues(Value pattern, ValueRange values, const std::string &where) {
  if (std::string reason = bind(pattern, SmallVector<Value>(values), where); !reason.empty())
    return reason;
  auto results = pattern.getDefiningOp<pdl::ResultsOp>();
  if (!results)
    return "";
  auto producerPattern = results.getParent().getDefiningOp<pdl::OperationOp>();
  Operation *producer = values.empty() ? nullptr : values.front().getDefiningOp();
  if (!producer)
    return llvm::formatv("{0}: expected {1} but got {2}", where,
                         producerPattern.getOpName().value_or("the results of an op"), describe(producer));
  if (std::string reason = match(producerPattern, producer, where); !reason.empty())
    return reason;
  if (!llvm::equal(values, producer->getResults()))
    return llvm::formatv("{0}: expected all {1} results of {2}, in order, but got {3} values", where,
                         producer->getNumResults(), describe(producer), values.size());
  return "";
}

namespace {
/// Hears the reason that a constraint gives.
struct ReasonListener : public mlir::RewriterBase::Listener {
  void notifyMatchFailure(Location loc, function_ref<void(mlir::Diagnostic &)> describe) override {
    mlir::Diagnostic diag(loc, mlir::DiagnosticSeverity::Remark);
    describe(diag);
    reason = diag.str();
  }
  std::string reason;
};

/// A place for what a constraint gives back, which nobody looks at here.
struct ResultList : public mlir::PDLResultList {
  explicit ResultList(unsigned size) : PDLResultList(size) {}
};
} // namespace

/// Where it stands in the file of rules.
static std::string printPlace(Location loc) {
  auto place = loc->findInstanceOf<mlir::FileLineColLoc>();
  if (!place)
    return "of the rule";
  return llvm::formatv("at {0}:{1}:{2}", llvm::sys::path::filename(place.getFilename().getValue()), place.getLine(),
                       place.getColumn());
}

std::string Matcher::apply(pdl::ApplyNativeConstraintOp constraint, Operation *root) {
  // What was not bound is the result of a native function, or of an op that only the
  // constraint mentions.
  std::deque<ValueRange> ranges;
  std::deque<SmallVector<Value>> values;
  std::deque<TypeRange> typeRanges;
  SmallVector<mlir::PDLValue> arguments;
  for (Value argument : constraint.getArgs()) {
    if (auto result = argument.getDefiningOp<pdl::ResultOp>()) {
      auto it = bindings.find(result.getParent());
      Operation *op = it == bindings.end() ? nullptr : std::get<Operation *>(it->second);
      if (!op || op->getNumResults() <= result.getIndex())
        return "";
      arguments.push_back(op->getResult(result.getIndex()));
      continue;
    }
    if (auto results = argument.getDefiningOp<pdl::ResultsOp>()) {
      auto it = bindings.find(results.getParent());
      if (it == bindings.end())
        return "";
      values.emplace_back(std::get<Operation *>(it->second)->getResults());
      arguments.push_back(&ranges.emplace_back(values.back()));
      continue;
    }
    if (auto attribute = argument.getDefiningOp<pdl::AttributeOp>(); attribute && attribute.getValueAttr()) {
      arguments.push_back(attribute.getValueAttr());
      continue;
    }
    auto it = bindings.find(argument);
    if (it == bindings.end())
      return "";
    Binding &binding = it->second;
    if (auto *attribute = std::get_if<Attribute>(&binding))
      arguments.push_back(*attribute);
    else if (auto *op = std::get_if<Operation *>(&binding))
      arguments.push_back(*op);
    else if (auto *type = std::get_if<Type>(&binding))
      arguments.push_back(*type);
    else if (auto *value = std::get_if<Value>(&binding))
      arguments.push_back(*value);
    else if (auto *types = std::get_if<SmallVector<Type>>(&binding))
      arguments.push_back(&typeRanges.emplace_back(*types));
    else
      arguments.push_back(&ranges.emplace_back(std::get<SmallVector<Value>>(binding)));
  }
  ReasonListener listener;
  mlir::PatternRewriter rewriter(root->getContext());
  rewriter.setListener(&listener);
  rewriter.setInsertionPoint(root);
  ResultList results(constraint->getNumResults());
  auto function = constraints.find(constraint.getName());
  if (function == constraints.end())
    return "";
  bool holds = succeeded(function->second(rewriter, results, arguments));
  if (holds != constraint.getIsNegated())
    return "";
  return llvm::formatv("the constraint {0}{1} {2} refused{3}{4}", constraint.getIsNegated() ? "not " : "",
                       constraint.getName(), printPlace(constraint.getLoc()), listener.reason.empty() ? "" : ": ",
                       listener.reason);
}

std::string Matcher::explain(Operation *op) {
  pdl::PatternOp pattern = rule.pattern;
  if (std::string reason = match(getRoot(pattern), op, "the root"); !reason.empty())
    return reason;
  for (auto constraint : pattern.getBodyRegion().getOps<pdl::ApplyNativeConstraintOp>())
    if (std::string reason = apply(constraint, op); !reason.empty())
      return reason;
  return "";
}

std::string fxgraph::explainMiss(const Rule &rule, Operation *op,
                                 const llvm::StringMap<mlir::PDLConstraintFunction> &constraints) {
  return Matcher(rule, constraints).explain(op);
}
