// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints random graphs from seeds, or regular graphs of any size:
//
//   fx-gen --seed 7 --ops 20                  one graph
//   fx-gen --seed 0 --count 100 --mix linear  a hundred, @g0 … @g99 of one module
//   fx-gen --shape chain --ops 1000000 --bytecode -o chain.mlirbc

#include "fxgraph/Gen/Gen.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace fxgraph;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"fx-gen options"};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of the first graph"), cl::init(0), cl::cat(category)};
  cl::opt<uint64_t> count{"count", cl::desc("Graphs, from this many consecutive seeds"), cl::init(1),
                          cl::cat(category)};
  cl::opt<int64_t> ops{"ops", cl::desc("About so many ops a graph"), cl::init(16), cl::cat(category)};
  cl::opt<GraphMix> mix{"mix", cl::desc("What the graphs are mostly made of"),
                        cl::values(clEnumValN(GraphMix::All, "all", "everything (default)"),
                                   clEnumValN(GraphMix::SplitCat, "split-cat", "split, cat, stack, unbind, views"),
                                   clEnumValN(GraphMix::Linear, "linear", "linears, norms, convolutions, products"),
                                   clEnumValN(GraphMix::Pointwise, "pointwise", "elementwise ops, no-ops, reductions"),
                                   clEnumValN(GraphMix::Rare, "rare", "forms that a single pass looks for"),
                                   clEnumValN(GraphMix::Aten, "aten", "forms behind autodiff")),
                        cl::init(GraphMix::All), cl::cat(category)};
  cl::list<std::string> dtypes{"dtypes",
                               cl::desc("Element types (default: all of f32, bf16, f16, f64, i64, i32, ui8, i1)"),
                               cl::CommaSeparated, cl::cat(category)};
  cl::opt<unsigned> dynamic{"dynamic", cl::desc("Per mille of graphs with symbolic extents (0 to 1000)"), cl::init(150),
                            cl::cat(category)};
  cl::opt<unsigned> writes{"writes", cl::desc("Per mille of graphs that write to arguments (0 to 1000)"), cl::init(120),
                           cl::cat(category)};
  cl::opt<unsigned> opaque{"opaque", cl::desc("Per mille of graphs with unknown ops (0 to 1000)"), cl::init(20),
                           cl::cat(category)};
  cl::opt<bool> dead{"dead", cl::desc("Ops without users may be left"), cl::init(true), cl::cat(category)};
  cl::opt<std::string> shape{
      "shape",
      cl::desc("A regular graph instead: chain, ladder, towers, one-split, linears, nested-cats, "
               "nested-splits, equal-cats, crossed-unbinds, layers"),
      cl::cat(category)};
  cl::opt<bool> bytecode{"bytecode", cl::desc("Write MLIR bytecode"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Output file"), cl::value_desc("file"), cl::init("-"), cl::cat(category)};
};
} // namespace

/// The graphs of all seeds in one module.
static mlir::OwningOpRef<mlir::ModuleOp> generate(MLIRContext *context, const Options &options) {
  if (options.shape.getNumOccurrences())
    return generateShape(context, options.shape, options.ops);
  GenOptions gen;
  gen.numOps = options.ops;
  gen.mix = options.mix;
  gen.dtypes.assign(options.dtypes.begin(), options.dtypes.end());
  gen.dynamicShare = options.dynamic;
  gen.writeShare = options.writes;
  gen.opaqueShare = options.opaque;
  gen.deadOps = options.dead;
  gen.seed = options.seed;
  mlir::OwningOpRef<mlir::ModuleOp> all = generateRandomGraph(context, gen);
  if (options.count == 1)
    return all;
  auto rename = [](mlir::ModuleOp module, uint64_t number) {
    auto function = *module.getOps<mlir::func::FuncOp>().begin();
    function.setName("g" + std::to_string(number));
    return function;
  };
  rename(*all, 0);
  for (uint64_t i = 1; i < options.count; ++i) {
    gen.seed = options.seed + i;
    mlir::OwningOpRef<mlir::ModuleOp> next = generateRandomGraph(context, gen);
    mlir::func::FuncOp function = rename(*next, i);
    function->remove();
    all->getBody()->push_back(function);
  }
  return all;
}

/// What is wrong with the options; empty if nothing is.
static std::string checkOptions(const Options &options) {
  static constexpr StringRef elementTypes[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "ui8", "i1"};
  for (const std::string &name : options.dtypes)
    if (!llvm::is_contained(elementTypes, StringRef(name)))
      return "unknown element type '" + name + "': expected one of " +
             llvm::join(ArrayRef<StringRef>(elementTypes), ", ");
  if (options.ops < 1)
    return "expected --ops >= 1 but got " + std::to_string(options.ops);
  if (options.count < 1)
    return "expected --count >= 1 but got 0";
  if (options.shape.getNumOccurrences() && options.count != 1)
    return "expected --count=1 with --shape, which makes one graph, but got " + std::to_string(options.count);
  for (const cl::opt<unsigned> *share : {&options.dynamic, &options.writes, &options.opaque})
    if (*share > 1000)
      return "expected --" + share->ArgStr.str() + " between 0 and 1000 (per mille) but got " + std::to_string(*share);
  return "";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "prints random or regular fxgraph graphs\n");
  if (std::string problem = checkOptions(options); !problem.empty()) {
    llvm::errs() << "fx-gen: error: " << problem << "\n";
    return 1;
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = generate(&context, options);
  if (!module) {
    llvm::errs() << "fx-gen: error: unknown shape '" << options.shape << "': expected one of ";
    llvm::interleaveComma(getShapeNames(), llvm::errs());
    llvm::errs() << "\n";
    return 1;
  }
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = mlir::openOutputFile(options.output, &error);
  if (!file) {
    llvm::errs() << "fx-gen: error: " << error << "\n";
    return 1;
  }
  if (!options.bytecode)
    module->print(file->os());
  else if (failed(mlir::writeBytecodeToFile(*module, file->os())))
    return 1;
  file->keep();
  return 0;
}
