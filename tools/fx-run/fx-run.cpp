// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a graph on a target:
//
//   fx-run model.mlir --inputs=weights.safetensors --inputs=x.npz -o out.npz
//   fx-run model.mlir --inputs=seed:0 --compare=expected.npz --rtol=1e-5 --atol=1e-6
//   fx-run model.mlir --inputs=seed:0 --target=gpu --compare-target=ref
//   fx-run model.mlir --inputs=seed:0 --target=cpu --bench=20
//   fx-run model.mlir --inputs=seed:0 --ranks=4 --group='tp:0,1;2,3' -o out.npz
//
// Tensors are named by the argument's `fxgraph.name`, else `argN`; results are
// `out0`, `out1`, …; an argument that the graph writes comes out under its own
// name. With several entries (`--entry=*`) names are `<function>/<name>`. A grid of
// processes (`--ranks`) reads `rank<k>/<name>`, else `<name>` for every rank, and gives
// `rank<k>/out0`, …; seeded inputs differ from rank to rank.
//
// Exit status: 0 if everything ran (and compared equal), 1 otherwise; then no
// output file is written or changed, except with --keep-going, which writes what
// the entries that ran have produced.

#include "fxgraph/Backend/CPU.h"
#include "fxgraph/Backend/Executable.h"
#include "fxgraph/Backend/GPU/Targets.h"
#include "fxgraph/Backend/Signature.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/InitAllTargets.h"
#include "fxgraph/Reference/Compare.h"
#include "fxgraph/Reference/Grid.h"
#include "fxgraph/Reference/IO.h"
#include "fxgraph/Reference/Interpreter.h"
#include "fxgraph/Reference/RandomInputs.h"
#include "fxgraph/Support/ToolDiagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <cmath>

using namespace fxgraph;

namespace cl = llvm::cl;

/// Most runs of --bench: their times are kept.
static constexpr int64_t kMaxBenchRuns = 1000000;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

namespace {
enum class Accumulate { F64, F32 };

struct Options {
  cl::OptionCategory category{"fx-run"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.mlir | model.mlirbc | ->"), cl::init("-"),
                             cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("Where to run: ref, cpu, gpu or gpu-emulator"), cl::init("ref"),
                              cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("Function to run; * for all public ones"), cl::init("main"),
                             cl::cat(category)};
  cl::list<std::string> inputs{"inputs",
                               cl::desc("File of tensors (.npz, .npy, .safetensors), or seed:N for what no file gives"),
                               cl::value_desc("file | seed:N"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("Extent of a symbolic dimension of seeded inputs"),
                             cl::value_desc("symbol=extent"), cl::CommaSeparated, cl::cat(category)};
  cl::opt<int64_t> unknownDim{"unknown-dim", cl::desc("Extent of every other dynamic dimension of seeded inputs"),
                              cl::init(3), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Write results to this .npz or .safetensors file"), cl::value_desc("file"),
                              cl::cat(category)};
  cl::opt<bool> print{"print", cl::desc("Print results as text"), cl::cat(category)};
  cl::opt<std::string> compare{"compare", cl::desc("Compare results with the tensors in this file"),
                               cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> compareTarget{
      "compare-target", cl::desc("Run on this target as well and compare with its results"), cl::cat(category)};
  cl::opt<double> rtol{"rtol", cl::desc("Relative tolerance of comparisons"), cl::init(0.0), cl::cat(category)};
  cl::opt<double> atol{"atol", cl::desc("Absolute tolerance of comparisons"), cl::init(0.0), cl::cat(category)};
  cl::opt<Accumulate> accumulate{
      "accumulate", cl::desc("Precision of sums in the interpreter"),
      cl::values(clEnumValN(Accumulate::F64, "f64", "double (default)"), clEnumValN(Accumulate::F32, "f32", "float")),
      cl::init(Accumulate::F64), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of random ops"), cl::init(0), cl::cat(category)};
  cl::list<std::string> targetOptions{"target-option", cl::desc("Setting of --target (not of --compare-target)"),
                                      cl::value_desc("key=value"), cl::cat(category)};
  cl::opt<std::string> ranks{"ranks", cl::desc("Run as a grid of this many processes (targets ref, gpu-emulator)"),
                             cl::value_desc("N"), cl::cat(category)};
  cl::list<std::string> groups{"group", cl::desc("Ranks of a process group, sets apart by ';' (default: all ranks)"),
                               cl::value_desc("name:rank,…;…"), cl::cat(category)};
  cl::opt<int64_t> bench{"bench", cl::desc("Time this many runs"), cl::init(0), cl::cat(category)};
  cl::opt<bool> keepGoing{"keep-going", cl::desc("Run the other entries after one failed"), cl::cat(category)};
};
} // namespace

static LogicalResult reportError(const Twine &message) {
  // What was printed so far comes first, also where both go to one file.
  llvm::outs().flush();
  llvm::errs() << "fx-run: error: " << message << "\n";
  return failure();
}
static LogicalResult reportError(llvm::Error error) { return reportError(llvm::toString(std::move(error))); }

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// Everything that --inputs names.
struct InputSources {
  std::vector<std::unique_ptr<TensorFile>> files;
  std::optional<uint64_t> seed;
};
} // namespace

static FailureOr<InputSources> openInputs(const Options &options, MLIRContext *context) {
  InputSources sources;
  for (const std::string &text : options.inputs) {
    StringRef value = text;
    if (value.consume_front("seed:")) {
      uint64_t seed;
      if (value.getAsInteger(10, seed))
        return reportError("expected --inputs=seed:<number> but got 'seed:" + value + "'");
      sources.seed = seed;
      continue;
    }
    llvm::Expected<std::unique_ptr<TensorFile>> file = TensorFile::open(value, context);
    if (!file)
      return reportError(file.takeError());
    sources.files.push_back(std::move(*file));
  }
  return sources;
}

static FailureOr<FixedExtents> parseDims(const Options &options) {
  FixedExtents extents(options.unknownDim);
  if (options.unknownDim < 0)
    return reportError("expected --unknown-dim >= 0 but got " + Twine(options.unknownDim));
  for (const std::string &text : options.dims) {
    auto [symbol, number] = StringRef(text).split('=');
    int64_t extent;
    if (symbol.empty() || number.getAsInteger(10, extent) || extent < 0)
      return reportError("expected --dim=<symbol>=<extent> but got '" + text + "'");
    if (!extents.symbols.try_emplace(symbol.str(), extent).second)
      return reportError("expected each symbol once in --dim but got '" + symbol + "' twice");
  }
  return extents;
}

/// Symbols without a use are misspelt ones.
static LogicalResult checkDims(const FixedExtents &extents, ArrayRef<mlir::func::FuncOp> functions) {
  llvm::SetVector<StringRef> known;
  for (mlir::func::FuncOp function : functions)
    for (Type type : function.getArgumentTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        for (const Dim &dim : getDims(tensor))
          if (dim.isSymbol())
            known.insert(dim.getSymbol().getValue());
  for (const auto &[symbol, extent] : extents.symbols) {
    if (known.contains(symbol))
      continue;
    std::string wanted = known.empty() ? "no --dim, as no argument has a symbolic extent,"
                                       : "--dim of one of the arguments' symbols (" + llvm::join(known, ", ") + ")";
    return reportError("expected " + Twine(wanted) + " but got '" + symbol + "'");
  }
  return success();
}

/// Numbers that no comparison or loop can use.
static LogicalResult checkNumbers(const Options &options) {
  for (const cl::opt<double> *tolerance : {&options.rtol, &options.atol})
    if (!std::isfinite(*tolerance) || *tolerance < 0)
      return reportError("expected a finite --" + tolerance->ArgStr + " >= 0 but got " +
                         formatNumber(tolerance->getValue()));
  if (options.bench.getNumOccurrences() && (options.bench < 1 || options.bench > kMaxBenchRuns))
    return reportError("expected --bench between 1 and " + Twine(kMaxBenchRuns) + " but got " + Twine(options.bench));
  return success();
}

/// What names of a rank's tensors begin with.
static std::string getRankPrefix(std::optional<int64_t> rank) {
  return rank ? "rank" + std::to_string(*rank) + "/" : "";
}

/// The first names of a file, for messages.
static std::string listNames(ArrayRef<std::string> names) {
  constexpr size_t kMost = 8;
  if (names.empty())
    return "no tensor";
  std::string text;
  for (const std::string &name : names.take_front(kMost))
    text += (text.empty() ? "'" : ", '") + name + "'";
  return names.size() > kMost ? text + ", …" : text;
}

/// All arguments of a function, for one rank of a grid where `rank` is one. Everything
/// that is missing is reported at once.
static FailureOr<SmallVector<Tensor>> gatherInputs(mlir::func::FuncOp function, const InputSources &sources,
                                                   ExtentChoice &extents, StringRef prefix,
                                                   std::optional<int64_t> rank) {
  SmallVector<Tensor> tensors;
  std::string missing;
  for (mlir::BlockArgument argument : function.getArguments()) {
    std::string plainName = getArgumentName(function, argument.getArgNumber());
    std::string name = prefix.str() + getRankPrefix(rank) + plainName;
    auto find = [&] {
      return llvm::find_if(sources.files, [&](const auto &candidate) { return candidate->contains(name); });
    };
    auto file = find();
    if (file == sources.files.end() && rank) {
      // What all ranks have alike.
      name = prefix.str() + plainName;
      file = find();
    }
    if (file != sources.files.end()) {
      llvm::Expected<Tensor> tensor = (*file)->load(name);
      if (!tensor)
        return reportError(tensor.takeError());
      // An index argument is stored as i64.
      if (argument.getType().isIndex() && tensor->getRank() == 0 && tensor->getElementType().isInteger(64))
        tensors.push_back(tensor->convert(argument.getType()));
      else
        tensors.push_back(std::move(*tensor));
      continue;
    }
    if (sources.seed) {
      if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
        int64_t elements = countElements(chooseShape(type, argument.getArgNumber(), extents));
        if (elements > InterpreterOptions().maxElements)
          return reportError("'" + name + "': expected at most " + Twine(InterpreterOptions().maxElements) +
                             " elements but the type " + formatType(type) + " gives " + Twine(elements));
      }
      tensors.push_back(makeRandomArgument(argument, *sources.seed + rank.value_or(0), extents));
      if (tensors.back().isNull())
        return reportError("'" + name + "': expected a tensor of bool, integers or floats, or an index, but got type " +
                           formatType(argument.getType()));
      continue;
    }
    missing += (missing.empty() ? "" : ", ") + ("'" + name + "' (" + formatType(argument.getType()) + ")");
  }
  if (!missing.empty()) {
    std::string present;
    for (const auto &file : sources.files)
      present += "; " + file->getPath() + " has " + listNames(file->getNames());
    return reportError("no input for " + Twine(missing) + present + "; give a file that has it, or --inputs=seed:N");
  }
  if (failed(checkArguments(function, tensors)))
    return failure();
  return tensors;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Results and written arguments under their names; those of a grid rank by rank.
static std::vector<NamedTensor> nameResults(mlir::func::FuncOp function, ArrayRef<Tensor> outputs,
                                            ArrayRef<MutatedArgument> mutated, StringRef prefix, bool isGrid) {
  std::vector<NamedTensor> named;
  llvm::StringSet<> taken;
  auto getPrefix = [&](size_t number, size_t numPerRank) {
    return prefix.str() + getRankPrefix(isGrid ? std::optional<int64_t>(number / numPerRank) : std::nullopt);
  };
  for (auto [i, tensor] : llvm::enumerate(outputs)) {
    size_t numResults = function.getNumResults();
    std::string name = getPrefix(i, numResults) + "out" + std::to_string(i % numResults);
    taken.insert(name);
    named.emplace_back(name, tensor);
  }
  for (const MutatedArgument &entry : mutated) {
    // An argument may be called out0: its number is unambiguous.
    size_t numArguments = function.getNumArguments();
    unsigned argument = entry.argument % numArguments;
    std::string rankPrefix = getPrefix(entry.argument, numArguments);
    std::string name = rankPrefix + getArgumentName(function, argument);
    if (!taken.insert(name).second)
      name = rankPrefix + "arg" + std::to_string(argument);
    named.emplace_back(name, entry.value);
  }
  return named;
}

/// Nested lists of the elements.
static void printElements(raw_ostream &os, const Tensor &tensor, size_t dim, int64_t offset) {
  if (dim == tensor.getShape().size()) {
    if (tensor.isFloat())
      os << formatNumber(tensor.floats()[offset]);
    else
      os << tensor.ints()[offset];
    return;
  }
  int64_t stride = tensor.getStrides()[dim];
  os << "[";
  for (int64_t i = 0; i < tensor.getDim(dim); ++i) {
    os << (i ? ", " : "");
    printElements(os, tensor, dim + 1, offset + i * stride);
  }
  os << "]";
}

static void printTensors(ArrayRef<NamedTensor> tensors) {
  for (const auto &[name, tensor] : tensors) {
    llvm::outs() << name << ": " << tensor.describe() << " ";
    printElements(llvm::outs(), tensor, 0, 0);
    llvm::outs() << "\n";
  }
}

/// One line a tensor; failure if one differs.
static LogicalResult compareOne(StringRef name, const Tensor &actual, const Tensor &expected,
                                const Tolerance &tolerance) {
  Comparison comparison = compareTensors(actual, expected, tolerance);
  if (!comparison.isEqual())
    return reportError(name + ": " + describeMismatch(comparison, actual, expected));
  llvm::outs() << name << ": equal, max abs " << formatRough(comparison.maxAbsolute) << ", max rel "
               << formatRough(comparison.maxRelative) << "\n";
  return success();
}

static LogicalResult compareWithFile(ArrayRef<NamedTensor> results, TensorFile &file, const Tolerance &tolerance) {
  LogicalResult status = success();
  for (const auto &[name, tensor] : results) {
    if (!file.contains(name)) {
      status = reportError(file.getPath() + ": no tensor '" + name + "' to compare with");
      continue;
    }
    llvm::Expected<Tensor> expected = file.load(name);
    if (!expected)
      return reportError(expected.takeError());
    if (failed(compareOne(name, tensor, *expected, tolerance)))
      status = failure();
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
struct Session {
  const Options &options;
  mlir::ModuleOp module;
  InputSources inputs;
  FixedExtents extents;
  ExecutableOptions executableOptions;
  /// Of a grid of processes.
  std::optional<int64_t> numRanks;
  std::vector<std::pair<std::string, std::string>> gridSettings;
  Tolerance tolerance;
  std::unique_ptr<TensorFile> expected;
  std::vector<NamedTensor> results;
};
} // namespace

static LogicalResult runEntry(Session &session, mlir::func::FuncOp function, StringRef prefix) {
  const Options &options = session.options;
  SmallVector<Tensor> inputs;
  for (int64_t rank = 0; rank < session.numRanks.value_or(1); ++rank) {
    FailureOr<SmallVector<Tensor>> ofRank =
        gatherInputs(function, session.inputs, session.extents, prefix,
                     session.numRanks ? std::optional<int64_t>(rank) : std::nullopt);
    if (failed(ofRank))
      return failure();
    llvm::append_range(inputs, *ofRank);
  }
  auto runOn = [&](StringRef target, const ExecutableOptions &executableOptions, int64_t benchRuns,
                   std::vector<NamedTensor> &results) -> LogicalResult {
    FailureOr<std::unique_ptr<Executable>> executable =
        compileGraph(target, session.module, function.getName(), executableOptions);
    if (failed(executable))
      return failure();
    SmallVector<Tensor> outputs;
    SmallVector<MutatedArgument> mutated;
    if (failed(runOnTensors(**executable, function, inputs, outputs, mutated)))
      return failure();
    results = nameResults(function, outputs, mutated, prefix, session.numRanks.has_value());
    if (benchRuns == 0)
      return success();
    FailureOr<BenchResult> timing = benchOnTensors(**executable, function, inputs, benchRuns);
    if (failed(timing))
      return failure();
    llvm::outs() << llvm::formatv("{0}{1}: {2} runs, median {3:f3} ms, min {4:f3} ms\n", prefix, target,
                                  timing->seconds.size(), 1e3 * timing->getMedian(), 1e3 * timing->getMin());
    return success();
  };

  std::vector<NamedTensor> results;
  if (failed(runOn(options.target, session.executableOptions, options.bench, results)))
    return failure();
  LogicalResult status = success();
  if (session.expected && failed(compareWithFile(results, *session.expected, session.tolerance)))
    status = failure();
  if (!options.compareTarget.empty()) {
    std::vector<NamedTensor> others;
    ExecutableOptions plain = session.executableOptions;
    plain.settings = session.gridSettings;
    if (failed(runOn(options.compareTarget, plain, 0, others)))
      return failure();
    if (results.size() != others.size())
      return reportError("expected " + Twine(others.size()) + " results as on " + options.compareTarget + " but got " +
                         Twine(results.size()));
    for (auto [result, other] : llvm::zip_equal(results, others))
      if (failed(compareOne(result.first, result.second, other.second, session.tolerance)))
        status = failure();
  }
  if (failed(status))
    return failure();
  if (options.print)
    printTensors(results);
  if (!options.output.empty())
    llvm::append_range(session.results, results);
  return success();
}

/// Hands --ranks and --group to the target.
static LogicalResult readGrid(Session &session) {
  const Options &options = session.options;
  if (options.ranks.getNumOccurrences() == 0)
    return options.groups.empty()
               ? success()
               : reportError("expected --ranks beside --group but got --group=" + options.groups.front() + " alone");
  GridOptions grid;
  std::string error;
  if (failed(grid.parseRanks(options.ranks, error)))
    return reportError("--ranks: " + Twine(error));
  for (StringRef target : {StringRef(options.target), StringRef(options.compareTarget)})
    if (!target.empty() && target != "ref" && target != "gpu-emulator")
      return reportError("expected --ranks with the targets ref and gpu-emulator but got " + target);
  session.numRanks = grid.numRanks;
  session.gridSettings.emplace_back("ranks", options.ranks);
  for (const std::string &group : options.groups)
    session.gridSettings.emplace_back("group", group);
  llvm::append_range(session.executableOptions.settings, session.gridSettings);
  return success();
}

/// The functions that --entry names.
static FailureOr<SmallVector<mlir::func::FuncOp>> findEntries(const Options &options, mlir::ModuleOp module) {
  SmallVector<mlir::func::FuncOp> functions;
  if (options.entry != "*") {
    auto function = module.lookupSymbol<mlir::func::FuncOp>(options.entry);
    if (!function)
      return reportError("expected a function '" + options.entry + "' but " + options.input + " has none of this name");
    if (function.isExternal())
      return LogicalResult(function.emitError()
                           << "expected a function with a body but '" << options.entry << "' is a declaration");
    functions.push_back(function);
    return functions;
  }
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  if (functions.empty())
    return reportError("expected a public function with a body but " + options.input + " has none");
  return functions;
}

static LogicalResult runTool(const Options &options, MLIRContext &context) {
  if (failed(checkNumbers(options)))
    return failure();
  if (!options.output.empty())
    if (llvm::Error error = checkOutputPath(options.output))
      return reportError(std::move(error));
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(options.input, &message);
  if (!file)
    return reportError(message);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  ToolDiagnosticHandler handler("fx-run", *sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return failure();

  FailureOr<InputSources> inputs = openInputs(options, &context);
  if (failed(inputs))
    return failure();
  FailureOr<SmallVector<mlir::func::FuncOp>> functions = findEntries(options, *module);
  if (failed(functions))
    return failure();
  FailureOr<FixedExtents> extents = parseDims(options);
  if (failed(extents) || failed(checkDims(*extents, *functions)))
    return failure();
  Session session{options, *module, std::move(*inputs), *extents, {}, {}, {}, {}, nullptr, {}};
  session.executableOptions.accumulateF32 = options.accumulate == Accumulate::F32;
  session.executableOptions.seed = options.seed;
  for (const std::string &text : options.targetOptions) {
    auto [key, value] = StringRef(text).split('=');
    if (key.empty() || value.empty())
      return reportError("expected --target-option=<key>=<value> but got '" + text + "'");
    session.executableOptions.settings.emplace_back(key.str(), value.str());
  }
  if (failed(readGrid(session)))
    return failure();
  session.tolerance.rtol = options.rtol;
  session.tolerance.atol = options.atol;
  if (!options.compare.empty()) {
    llvm::Expected<std::unique_ptr<TensorFile>> expected = TensorFile::open(options.compare, &context);
    if (!expected)
      return reportError(expected.takeError());
    session.expected = std::move(*expected);
  }

  LogicalResult status = success();
  for (mlir::func::FuncOp function : *functions) {
    std::string prefix = options.entry == "*" ? (function.getName() + "/").str() : "";
    if (succeeded(runEntry(session, function, prefix)))
      continue;
    status = failure();
    if (!options.keepGoing)
      break;
  }
  if (failed(status) && !options.keepGoing)
    return failure();
  if (!options.output.empty())
    if (llvm::Error error = writeTensorFile(options.output, session.results))
      return reportError(std::move(error));
  return status;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  registerAllTargets();
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "runs an fxgraph model\n");

  mlir::DialectRegistry registry;
  registry.insert<FxGraphDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // The op is named and located; its text may hold megabytes of constants.
  context.printOpOnDiagnostic(false);
  return failed(runTool(options, context)) ? 1 : 0;
}
