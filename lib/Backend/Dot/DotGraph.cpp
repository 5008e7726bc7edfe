// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as a picture: GraphViz text. Nodes are numbered in program order, so the
// output is the same for the same graph. Linear.

#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Support/StagedFile.h"
#include "fxgraph/Backend/Dot.h"
#include "fxgraph/Backend/Translation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fxgraph;

namespace {
class DotPrinter {
public:
  explicit DotPrinter(llvm::raw_ostream &os) : os(os) {}

  void print(mlir::func::FuncOp function) {
    os << "digraph " << quote(function.getSymName()) << " {\n  node [shape=box, fontname=\"monospace\"];\n";
    for (mlir::BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), FxGraphDialect::kNameAttr);
      std::string text = name ? name.getValue().str() : "arg" + std::to_string(argument.getArgNumber());
      define(argument, node(text + "\\n" + typeText(argument.getType()), "ellipse"), 0);
    }
    function.getBody().front().walk<mlir::WalkOrder::PreOrder>([&](Operation *op) { print(op); });
    os << "}\n";
  }

private:
  void print(Operation *op) {
    bool isReturn = op->hasTrait<mlir::OpTrait::IsTerminator>();
    std::string label = isReturn ? "output" : op->getName().stripDialect().str();
    if (auto opaque = dyn_cast<OpaqueOp>(op))
      label += " " + opaque.getTarget().str();
    for (NamedAttribute attribute : op->getAttrDictionary())
      if (attribute.getName() != "operandSegmentSizes" && !isa<ElementsAttr>(attribute.getValue()))
        label += "\\n" + attribute.getName().str() + " = " + text(attribute.getValue());
    if (op->getNumResults() == 1)
      label += "\\n" + typeText(op->getResult(0).getType());
    unsigned id = node(label, isReturn ? "ellipse" : isa<OpaqueOp>(op) ? "octagon" : "box");
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      auto it = values.find(operand);
      if (it == values.end())
        continue;
      auto [from, result] = it->second;
      os << llvm::formatv("  n{0} -> n{1}", from, id);
      // Which result, where there are several.
      auto producer = operand.getDefiningOp();
      if (producer && producer->getNumResults() > 1)
        os << llvm::formatv(" [label=\"#{0}\"]", result);
      os << ";\n";
    }
    for (mlir::OpResult result : op->getResults())
      define(result, id, result.getResultNumber());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (mlir::BlockArgument argument : block.getArguments())
          define(argument, id, argument.getArgNumber());
  }

  void define(Value value, unsigned id, unsigned result) { values[value] = {id, result}; }
  unsigned node(StringRef label, StringRef shape) {
    os << "  n" << next << " [label=" << quote(label);
    if (shape != "box")
      os << ", shape=" << shape;
    os << "];\n";
    return next++;
  }
  static std::string text(Attribute attribute) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    attribute.print(stream, /*elideType=*/true);
    return result.size() > 60 ? result.substr(0, 57) + "..." : result;
  }
  static std::string typeText(Type type) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    stream << type;
    return result;
  }
  /// A DOT string; `\n` in the label stays a line break.
  static std::string quote(StringRef label) {
    std::string result = "\"";
    for (char c : label) {
      if (c == '"')
        result += '\\';
      result += c;
    }
    return result + "\"";
  }

  llvm::raw_ostream &os;
  llvm::DenseMap<Value, std::pair<unsigned, unsigned>> values;
  unsigned next = 0;
};
} // namespace

LogicalResult fxgraph::writeDot(mlir::ModuleOp module, StringRef entry, raw_ostream &os) {
  FailureOr<mlir::func::FuncOp> function = lookupEntry(module, entry);
  if (failed(function))
    return failure();
  DotPrinter(os).print(*function);
  return success();
}

void fxgraph::registerDotTranslation() {
  registerTranslation({"dot", "GraphViz text: a node an op, an edge a use", nullptr,
                       [](mlir::ModuleOp module, StringRef entry, StringRef output,
                          const TranslationSettings &settings) -> LogicalResult {
                         if (!settings.empty())
                           return mlir::emitError(module.getLoc())
                                  << "expected no setting but got '" << settings.front().first << "'";
                         std::string text;
                         llvm::raw_string_ostream os(text);
                         if (failed(writeDot(module, entry, os)))
                           return failure();
                         return writeFile(module.getLoc(), output, text);
                       }});
}
