// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs through every pass: see Check.h for what is checked.
//
//   fx-fuzz --seeds 0:100000 --jobs 2 --out failures
//   fx-fuzz --seeds 17:18 --passes fxgraph-splitcat-cancel
//   fx-fuzz --replay failures/fxgraph-splitcat-cancel-values.mlir --passes fxgraph-splitcat-cancel
//
// Workers are processes: one that crashes or hangs is reported with its seed and
// pass, and another one goes on behind it. Each kind of failure of a pass is
// reduced once and written as a file; all are counted.

#include "Check.h"
#include "Reduce.h"
#include "TestPasses.h"
#include "fxgraph/Gen/Gen.h"
#include "fxgraph/InitAll.h"
#include "fxgraph/Reference/RewriteVerifier.h"
#include "fxgraph/Support/PassText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fxgraph;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"fx-fuzz options"};
  cl::opt<std::string> seeds{"seeds", cl::desc("Seeds, from A up to but without B"), cl::value_desc("A:B"),
                             cl::init("0:1000"), cl::cat(category)};
  cl::opt<unsigned> jobs{"jobs", cl::desc("Worker processes"), cl::init(1), cl::cat(category)};
  cl::opt<std::string> passes{
      "passes",
      cl::desc("Passes and pipelines, separated by ';' (default: every pass of this project on func.func, "
               "also with options that make it fire more often, and the pipelines)"),
      cl::cat(category)};
  cl::list<std::string> exclude{"exclude", cl::desc("Leave out passes whose text holds one of these"),
                                cl::CommaSeparated, cl::cat(category)};
  cl::opt<unsigned> ops{"ops", cl::desc("Most ops of a graph, about"), cl::init(20), cl::cat(category)};
  cl::opt<std::string> out{"out", cl::desc("Folder for failing graphs"), cl::init("fx-fuzz-failures"),
                           cl::cat(category)};
  cl::opt<std::string> replay{"replay", cl::desc("Check this graph instead of random ones"), cl::value_desc("file"),
                              cl::cat(category)};
  cl::opt<unsigned> minutes{"minutes", cl::desc("Stop after so many minutes (0: never)"), cl::init(0),
                            cl::cat(category)};
  cl::opt<unsigned> hangSeconds{"hang-seconds", cl::desc("A graph and pass that takes longer hangs"), cl::init(60),
                                cl::cat(category)};
  cl::opt<bool> reduce{"reduce", cl::desc("Reduce failing graphs"), cl::init(true), cl::cat(category)};
  cl::opt<bool> list{"list", cl::desc("Print the passes and stop"), cl::cat(category)};
  cl::opt<bool> table{"table", cl::desc("Print how often each pass changed a graph"), cl::init(true),
                      cl::cat(category)};
};

constexpr size_t kMaxPipelines = 256, kMaxJobs = 64;

/// What the workers tell, in memory that all processes share.
struct WorkerState {
  std::atomic<uint64_t> seed, pipeline;
  std::atomic<int64_t> startedAt; ///< milliseconds; 0: between two checks
};
struct SharedState {
  WorkerState workers[kMaxJobs];
  std::atomic<uint64_t> graphs, runnable;
  std::atomic<uint64_t> runs[kMaxPipelines], changed[kMaxPipelines], compared[kMaxPipelines];
};

struct FailureRecord {
  uint64_t seed;
  size_t pipeline;
  Failure failure;
};
} // namespace

[[noreturn]] static void fail(const Twine &message) {
  llvm::outs().flush();
  llvm::errs() << "fx-fuzz: error: " << message << "\n";
  exit(1);
}

static int64_t getMilliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static mlir::DialectRegistry &getRegistry() {
  static mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    all.insert<mlir::func::FuncDialect, mlir::arith::ArithDialect>();
    return all;
  }();
  return registry;
}

static std::unique_ptr<MLIRContext> makeContext() {
  auto context = std::make_unique<MLIRContext>(getRegistry(), MLIRContext::Threading::DISABLED);
  VerifyRewritesOptions::get(context.get()).enabled = true;
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  return context;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Names of all registered passes. MLIR has no list of them but its help text, which
/// goes to the standard output.
static std::vector<std::string> getRegisteredPasses() {
  llvm::outs().flush();
  char path[] = "/tmp/fx-fuzz-XXXXXX";
  int file = mkstemp(path), saved = dup(STDOUT_FILENO);
  if (file < 0 || saved < 0)
    fail("cannot make the temporary file " + Twine(path) + ": " + strerror(errno));
  dup2(file, STDOUT_FILENO);
  mlir::printRegisteredPasses();
  llvm::outs().flush();
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(file);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  unlink(path);
  std::vector<std::string> names;
  if (!buffer)
    return names;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    line = line.ltrim();
    if (!line.consume_front("--fxgraph-"))
      continue;
    // The description follows, after blanks unless the name is too long for them.
    names.push_back("fxgraph-" + line.split("-   ").first.split('=').first.rtrim().str());
  }
  llvm::sort(names);
  return names;
}

namespace {
/// No word on the standard error while it lives.
class Silence {
public:
  Silence() : saved(dup(STDERR_FILENO)) {
    llvm::errs().flush();
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    close(null);
  }
  ~Silence() {
    llvm::errs().flush();
    dup2(saved, STDERR_FILENO);
    close(saved);
  }

private:
  int saved;
};
} // namespace

/// Text as one pass on func.func, or as a pipeline; nullopt, with the reason, if it is
/// neither.
static std::optional<PipelineText> classify(const std::string &text, std::string &error) {
  mlir::OpPassManager any;
  {
    // MLIR prints what is wrong with the options of a pipeline.
    Silence silence;
    if (failed(parsePassText(text, any, error)))
      return std::nullopt;
  }
  std::optional<StringRef> anchor = any.size() == 1 ? any.begin()->getOpName() : std::nullopt;
  bool isAdaptor = any.size() == 1 && any.begin()->getArgument().empty();
  if (any.size() == 1 && !isAdaptor) {
    if (!anchor || *anchor != "func.func") {
      error = "it runs on " + (anchor ? anchor->str() : "any op");
      return std::nullopt;
    }
    return PipelineText{text, true};
  }
  return PipelineText{text, false};
}

/// Passes that leave the dialect, change nothing, only run others, or draw other numbers.
static bool takesNoPart(StringRef name) {
  static const StringRef prefixes[] = {"fxgraph-to-",
                                       "fxgraph-cpu-",
                                       "fxgraph-gpu-",
                                       "fxgraph-assign-layouts",
                                       "fxgraph-form-kernels",
                                       "fxgraph-test-",
                                       "fxgraph-print-",
                                       "fxgraph-write-report",
                                       "fxgraph-on-devices",
                                       "fxgraph-numeric-check",
                                       "fxgraph-fixpoint",
                                       "fxgraph-apply-patterns",
                                       "fxgraph-jointgraph-replace-random",
                                       "fxgraph-jointgraph-fuse-seed-creation"};
  return llvm::any_of(prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

static std::vector<PipelineText> choosePipelines(const Options &options) {
  std::vector<PipelineText> chosen;
  auto add = [&](const std::string &text, bool mustParse) {
    for (const std::string &word : options.exclude)
      if (StringRef(text).contains(word))
        return;
    std::string error;
    std::optional<PipelineText> pipeline = classify(text, error);
    if (pipeline)
      chosen.push_back(*pipeline);
    else if (mustParse)
      fail("expected a pass on func.func or a pipeline in --passes but got '" + text + "': " + error);
  };
  if (!options.passes.empty()) {
    SmallVector<StringRef> texts;
    StringRef(options.passes).split(texts, ';', -1, /*KeepEmpty=*/false);
    for (StringRef text : texts)
      add(text.trim().str(), /*mustParse=*/true);
    return chosen;
  }
  // Options under which passes fire on small graphs.
  static const StringRef eager[] = {"min-fuse-set-size=2",
                                    "allow-other-users=true",
                                    "threshold-to-cat=2",
                                    "keep-users=true",
                                    "allow-multi-use=true",
                                    "trim-ends=true",
                                    "floor-bytes=0 min-piece-width=1",
                                    "min-elements=2",
                                    "enable-linear-binary-folding=true",
                                    "default-device=cuda"};
  for (const std::string &name : getRegisteredPasses()) {
    if (takesNoPart(name))
      continue;
    add(name, false);
    for (StringRef option : eager)
      add(name + "{" + option.str() + "}", false);
  }
  for (StringRef pipeline : {"fxgraph-pre-grad", "fxgraph-pre-dispatch", "fxgraph-post-grad"})
    for (StringRef option : {"{numerics=exact min-fuse-set-size=2}", "{numerics=relaxed min-fuse-set-size=2}",
                             "{mode=best}", "{numerics=exact}", "{numerics=relaxed}"})
      add((pipeline + option).str(), false);
  for (StringRef pipeline : {"fxgraph-joint-graph", "fxgraph-freezing"})
    for (StringRef option : {"{mode=best}", "{numerics=exact}", "{numerics=relaxed}"})
      add((pipeline + option).str(), false);
  // What runs for GPUs alone, and what oneDNN packs.
  for (StringRef text : {"fxgraph-post-grad{mode=best default-device=cuda}", "fxgraph-joint-graph{default-device=cuda}",
                         "fxgraph-freezing{pack-weights=true}", "fxgraph-freezing{pack-weights=true mode=best}"})
    add(text.str(), false);
  return chosen;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

static GenOptions getGenOptions(uint64_t seed, const Options &options) {
  GenOptions gen;
  gen.seed = seed;
  static const GraphMix mixes[] = {GraphMix::All,  GraphMix::SplitCat, GraphMix::Aten, GraphMix::Linear,
                                   GraphMix::All,  GraphMix::Aten,     GraphMix::Rare, GraphMix::Pointwise,
                                   GraphMix::Aten, GraphMix::SplitCat};
  gen.mix = mixes[seed % std::size(mixes)];
  unsigned least = std::min(4u, options.ops.getValue());
  gen.numOps = least + seed / std::size(mixes) % (options.ops - least + 1);
  return gen;
}

/// Crashes end the process without a word: the parent tells.
static void behaveAsChild(bool quiet) {
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
    signal(number, SIG_DFL);
  if (!quiet)
    return;
  int null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  close(null);
}

static void writeAll(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(written);
  }
}

static std::string toLine(const FailureRecord &record) {
  std::string message = record.failure.message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::replace(message.begin(), message.end(), '\t', ' ');
  // Short enough for a write to a pipe to be one piece.
  return std::to_string(record.seed) + "\t" + std::to_string(record.pipeline) + "\t" + record.failure.kind + "\t" +
         message.substr(0, 1500) + "\n";
}

/// Checks all seeds of this worker, from `seed`; the first one only from `pipeline` on.
[[noreturn]] static void runWorker(unsigned worker, uint64_t seed, size_t firstPipeline, uint64_t end,
                                   const std::vector<PipelineText> &pipelines, const Options &options,
                                   SharedState &shared, int pipe) {
  behaveAsChild(/*quiet=*/true);
  WorkerState &state = shared.workers[worker];
  constexpr unsigned kGraphsPerContext = 400;
  while (seed < end) {
    // Attributes and types are never freed: a new context now and then.
    std::unique_ptr<MLIRContext> context = makeContext();
    Checker checker(context.get());
    std::string error;
    for (const PipelineText &pipeline : pipelines)
      if (failed(checker.addPipeline(pipeline, error)))
        _exit(2);
    for (unsigned i = 0; i < kGraphsPerContext && seed < end; ++i, seed += options.jobs, firstPipeline = 0) {
      state.seed = seed;
      state.pipeline = kMaxPipelines;
      state.startedAt = getMilliseconds();
      mlir::OwningOpRef<mlir::ModuleOp> module = generateRandomGraph(context.get(), getGenOptions(seed, options));
      GraphUnderTest graph(*module, seed);
      for (size_t number = firstPipeline; number < pipelines.size(); ++number) {
        state.pipeline = number;
        state.startedAt = getMilliseconds();
        CheckOutcome outcome = checker.check(graph, number);
        ++shared.runs[number];
        shared.changed[number] += outcome.changed;
        shared.compared[number] += outcome.compared;
        if (outcome.failure)
          writeAll(pipe, toLine({seed, number, *outcome.failure}));
      }
      if (firstPipeline == 0) {
        ++shared.graphs;
        shared.runnable += !graph.getTrials().empty();
      }
    }
    state.startedAt = 0;
  }
  _exit(0);
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// Checks graphs in order in another process, until all are checked or one ends the process:
/// adds what became of each to `failures`. The kind is "" for no failure, "crash", "hang", or
/// what the checker says.
static void checkUntilCrash(ArrayRef<mlir::ModuleOp> graphs, uint64_t seed, Checker &checker, unsigned hangSeconds,
                            bool quiet, std::vector<Failure> &failures) {
  int ends[2];
  if (pipe(ends) != 0)
    fail("cannot make a pipe: " + Twine(strerror(errno)));
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0)
    fail("cannot make a process: " + Twine(strerror(errno)));
  if (child == 0) {
    behaveAsChild(quiet);
    close(ends[0]);
    for (mlir::ModuleOp module : graphs) {
      alarm(hangSeconds);
      GraphUnderTest graph(module, seed);
      Failure failure = checker.check(graph, 0).failure.value_or(Failure());
      writeAll(ends[1], failure.kind + "\t" + failure.message + '\0');
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, count);
  close(ends[0]);
  SmallVector<StringRef> records;
  StringRef(text).split(records, '\0', -1, /*KeepEmpty=*/false);
  for (StringRef record : records) {
    auto [kind, message] = record.split('\t');
    failures.push_back({kind.str(), message.str()});
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (records.size() == graphs.size())
    return;
  if (WIFSIGNALED(status))
    failures.push_back(WTERMSIG(status) == SIGALRM
                           ? Failure{"hang", "no end after the time limit"}
                           : Failure{"crash", std::string("signal ") + strsignal(WTERMSIG(status))});
  else
    failures.push_back({"crash", "exit status " + std::to_string(WEXITSTATUS(status))});
}

/// What becomes of each graph; none of them ends this process.
static std::vector<Failure> checkInChildren(ArrayRef<mlir::ModuleOp> graphs, uint64_t seed, Checker &checker,
                                            unsigned hangSeconds, bool quiet) {
  std::vector<Failure> failures;
  while (failures.size() < graphs.size())
    checkUntilCrash(graphs.drop_front(failures.size()), seed, checker, hangSeconds, quiet, failures);
  return failures;
}

static Failure checkInChild(mlir::ModuleOp module, uint64_t seed, Checker &checker, unsigned hangSeconds, bool quiet) {
  return checkInChildren(module, seed, checker, hangSeconds, quiet).front();
}

/// A file name for a failure.
static std::string getFileName(StringRef pipeline, StringRef kind, unsigned number) {
  std::string name = (pipeline + "-" + kind).str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '-')
      c = '_';
  return name + (number ? "-" + std::to_string(number) : "") + ".mlir";
}

/// Writes the failing graph, reduced if asked, in a process of its own.
static void writeFailure(const FailureRecord &record, const PipelineText &pipeline, const std::string &path,
                         const Options &options) {
  llvm::outs().flush();
  pid_t child = fork();
  if (child != 0) {
    int status;
    waitpid(child, &status, 0);
    return;
  }
  std::unique_ptr<MLIRContext> context = makeContext();
  Checker checker(context.get());
  std::string error;
  if (failed(checker.addPipeline(pipeline, error)))
    _exit(2);
  mlir::OwningOpRef<mlir::ModuleOp> module = generateRandomGraph(context.get(), getGenOptions(record.seed, options));
  Failure failure = record.failure;
  if (options.reduce && record.failure.kind != "hang") {
    module = reduceGraph(*module, [&](mlir::ModuleOp candidate) {
      return checkInChild(candidate, record.seed, checker, options.hangSeconds, /*quiet=*/true).kind ==
             record.failure.kind;
    });
    Failure now = checkInChild(*module, record.seed, checker, options.hangSeconds, /*quiet=*/true);
    if (now.kind == failure.kind)
      failure = now;
  }
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code) {
    llvm::errs() << "fx-fuzz: error: cannot write " << path << ": " << code.message() << "\n";
    _exit(1);
  }
  std::replace(failure.message.begin(), failure.message.end(), '\n', ' ');
  os << "// " << failure.kind << " of '" << pipeline.text << "', seed " << record.seed << "\n// " << failure.message
     << "\n// fx-fuzz --replay " << path << " --seeds " << record.seed << ":" << record.seed + 1 << " --passes '"
     << pipeline.text << "'\n";
  module->print(os);
  os.close();
  _exit(0);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

/// Failures with the same key are taken for the same bug.
static std::string getKey(const FailureRecord &record, const std::vector<PipelineText> &pipelines) {
  std::string key = pipelines[record.pipeline].text + "\t" + record.failure.kind + "\t";
  bool inNumber = false;
  for (char c : StringRef(record.failure.message).take_front(160)) {
    bool digit = llvm::isDigit(c) || (inNumber && (c == '.' || c == 'x'));
    if (!digit)
      key += c;
    else if (!inNumber)
      key += '#';
    inNumber = digit;
  }
  // Values in messages differ from graph to graph.
  size_t end = key.find(" elements differ");
  return end == std::string::npos ? key : key.substr(0, end);
}

namespace {
class Parent {
public:
  Parent(const Options &options, std::vector<PipelineText> pipelines, uint64_t begin, uint64_t end)
      : options(options), pipelines(std::move(pipelines)), begin(begin), end(end) {}
  /// The number of failures.
  uint64_t run();

private:
  void start(unsigned worker, uint64_t seed, size_t pipeline);
  void readFailures(int timeout);
  void collect(const FailureRecord &record);
  void reapWorkers();
  void printTable();

  const Options &options;
  std::vector<PipelineText> pipelines;
  uint64_t begin, end;
  SharedState *shared = nullptr;
  int ends[2];
  std::string pending;
  struct Worker {
    pid_t process = 0;
    bool killed = false;
  };
  std::vector<Worker> workers;
  std::map<std::string, std::pair<uint64_t, std::string>> byKey; ///< count, file
  uint64_t numFailures = 0;
};
} // namespace

void Parent::start(unsigned worker, uint64_t seed, size_t pipeline) {
  WorkerState &state = shared->workers[worker];
  state.startedAt = 0;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    runWorker(worker, seed, pipeline, end, pipelines, options, *shared, ends[1]);
  }
  workers[worker] = {child, false};
}

void Parent::collect(const FailureRecord &record) {
  ++numFailures;
  std::string key = getKey(record, pipelines);
  auto [it, isNew] = byKey.try_emplace(key, 0, "");
  ++it->second.first;
  if (!isNew)
    return;
  const PipelineText &pipeline = pipelines[record.pipeline];
  std::string path;
  for (unsigned number = 0; path.empty() || llvm::sys::fs::exists(path); ++number)
    path = options.out + "/" + getFileName(pipeline.text, record.failure.kind, number);
  writeFailure(record, pipeline, path, options);
  it->second.second = path;
  llvm::outs() << "FAILED " << record.failure.kind << " of " << pipeline.text << ", seed " << record.seed << ": "
               << record.failure.message << "\n  fx-fuzz --replay " << path << " --seeds " << record.seed << ":"
               << record.seed + 1 << " --passes '" << pipeline.text << "'\n";
  llvm::outs().flush();
}

void Parent::readFailures(int timeout) {
  pollfd entry{ends[0], POLLIN, 0};
  while (poll(&entry, 1, timeout) > 0) {
    timeout = 0;
    char buffer[8192];
    ssize_t count = read(ends[0], buffer, sizeof(buffer));
    if (count <= 0)
      return;
    pending.append(buffer, count);
    for (size_t at; (at = pending.find('\n')) != std::string::npos; pending.erase(0, at + 1)) {
      SmallVector<StringRef> fields;
      StringRef(pending).take_front(at).split(fields, '\t', 3);
      FailureRecord record;
      if (fields.size() != 4 || fields[0].getAsInteger(10, record.seed) || fields[1].getAsInteger(10, record.pipeline))
        continue;
      record.failure = {fields[2].str(), fields[3].str()};
      collect(record);
    }
  }
}

/// Starts workers again that crashed or hang, behind what they failed on.
void Parent::reapWorkers() {
  for (unsigned i = 0; i < workers.size(); ++i) {
    Worker &worker = workers[i];
    if (worker.process == 0)
      continue;
    WorkerState &state = shared->workers[i];
    int64_t startedAt = state.startedAt;
    if (startedAt != 0 && !worker.killed && getMilliseconds() - startedAt > 1000 * int64_t(options.hangSeconds)) {
      kill(worker.process, SIGKILL);
      worker.killed = true;
    }
    int status = 0;
    if (waitpid(worker.process, &status, WNOHANG) != worker.process)
      continue;
    if (!WIFSIGNALED(status)) {
      if (WEXITSTATUS(status) != 0) {
        llvm::errs() << "fx-fuzz: error: worker " << i << " ended with status " << WEXITSTATUS(status) << "\n";
        ++numFailures;
      }
      worker.process = 0;
      continue;
    }
    Failure failure = worker.killed ? Failure{"hang", "no end after the time limit"}
                                    : Failure{"crash", std::string("signal ") + strsignal(WTERMSIG(status))};
    uint64_t seed = state.seed;
    size_t pipeline = state.pipeline;
    if (pipeline < pipelines.size()) {
      ++shared->runs[pipeline];
      collect({seed, pipeline, failure});
      start(i, seed, pipeline + 1);
      continue;
    }
    llvm::outs() << "FAILED " << failure.kind << " while making graph " << seed << ": " << failure.message << "\n";
    ++numFailures;
    start(i, seed + options.jobs, 0);
  }
}

void Parent::printTable() {
  llvm::outs() << "\n" << llvm::format("%10s%10s%10s  pass\n", "runs", "changed", "compared");
  for (size_t i = 0; i < pipelines.size(); ++i)
    llvm::outs() << llvm::format("%10llu%10llu%10llu  ", (unsigned long long)shared->runs[i],
                                 (unsigned long long)shared->changed[i], (unsigned long long)shared->compared[i])
                 << pipelines[i].text << "\n";
}

uint64_t Parent::run() {
  void *memory = mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || pipe(ends) != 0)
    fail("cannot share memory with the workers: " + Twine(strerror(errno)));
  shared = new (memory) SharedState();
  if (std::error_code code = llvm::sys::fs::create_directories(options.out))
    fail("cannot make the folder " + Twine(options.out) + ": " + code.message());
  int64_t startedAt = getMilliseconds();
  workers.resize(options.jobs);
  for (unsigned i = 0; i < options.jobs; ++i)
    start(i, begin + i, 0);
  auto isAlive = [](const Worker &worker) { return worker.process != 0; };
  while (llvm::any_of(workers, isAlive)) {
    readFailures(100);
    reapWorkers();
    if (options.minutes && getMilliseconds() - startedAt > 60000 * int64_t(options.minutes)) {
      for (Worker &worker : workers)
        if (worker.process) {
          kill(worker.process, SIGKILL);
          waitpid(worker.process, nullptr, 0);
          worker.process = 0;
        }
    }
  }
  readFailures(0);
  if (options.table)
    printTable();
  uint64_t runs = 0;
  for (size_t i = 0; i < pipelines.size(); ++i)
    runs += shared->runs[i];
  llvm::outs() << "\n"
               << shared->graphs << " graphs (" << shared->runnable << " with values), " << pipelines.size()
               << " pipelines, " << runs << " runs, " << llvm::format("%.1f", (getMilliseconds() - startedAt) / 1000.0)
               << " s: " << numFailures << " failures of " << byKey.size() << " kinds\n";
  for (const auto &[key, entry] : byKey)
    llvm::outs() << "  " << entry.first << " x " << key << "  " << entry.second << "\n";
  return numFailures;
}

/// A module of a function and of all that it calls; the function is first.
static mlir::OwningOpRef<mlir::ModuleOp> extract(mlir::ModuleOp file, mlir::func::FuncOp function) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(file.getLoc());
  (*module)->setDiscardableAttrs(file->getDiscardableAttrDictionary());
  llvm::SetVector<Operation *> needed;
  needed.insert(function);
  for (size_t i = 0; i < needed.size(); ++i) {
    needed[i]->walk([&](mlir::func::CallOp call) {
      if (Operation *callee = file.lookupSymbol(call.getCallee()))
        needed.insert(callee);
    });
    module->push_back(needed[i]->clone());
  }
  return module;
}

/// One file through all pipelines, each function by itself.
static uint64_t replayFile(const Options &options, const std::vector<PipelineText> &pipelines, uint64_t seed) {
  uint64_t failures = 0, graphs = 0;
  for (const PipelineText &pipeline : pipelines) {
    std::unique_ptr<MLIRContext> context = makeContext();
    if (!llvm::sys::fs::exists(options.replay))
      fail(Twine(options.replay) + ": No such file");
    // The parser says what is wrong, and where.
    mlir::OwningOpRef<mlir::ModuleOp> file = mlir::parseSourceFile<mlir::ModuleOp>(options.replay, context.get());
    if (!file)
      exit(1);
    Checker checker(context.get());
    std::string error;
    if (failed(checker.addPipeline(pipeline, error)))
      fail(error);
    std::vector<mlir::func::FuncOp> functions;
    for (auto function : file->getOps<mlir::func::FuncOp>()) {
      if (function.isExternal())
        continue;
      for (Type type : function.getArgumentTypes())
        if (!type.isIndex() && !isa<RankedTensorType>(type)) {
          function.emitError("expected tensors and sizes as arguments but got ") << type;
          exit(1);
        }
      functions.push_back(function);
    }
    std::vector<mlir::OwningOpRef<mlir::ModuleOp>> owned;
    std::vector<mlir::ModuleOp> modules;
    for (mlir::func::FuncOp function : functions) {
      owned.push_back(extract(*file, function));
      modules.push_back(*owned.back());
    }
    for (auto [function, failure] :
         llvm::zip_equal(functions, checkInChildren(modules, seed, checker, options.hangSeconds, /*quiet=*/false))) {
      if (failure.kind.empty())
        continue;
      ++failures;
      llvm::outs() << "FAILED " << failure.kind << " of " << pipeline.text << " on @" << function.getName() << ": "
                   << failure.message << "\n";
    }
    graphs = functions.size();
    if (graphs == 0)
      fail(Twine(options.replay) + ": expected a function with a body but there is none");
  }
  llvm::outs() << pipelines.size() << " pipelines, " << graphs << " graphs: " << failures << " failures\n";
  return failures;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "random graphs through every fxgraph pass\n");
  registerAllPasses();
  registerTestPasses();

  std::vector<PipelineText> pipelines = choosePipelines(options);
  if (options.list) {
    for (const PipelineText &pipeline : pipelines)
      llvm::outs() << pipeline.text << "\n";
    return 0;
  }
  auto [first, last] = StringRef(options.seeds).split(':');
  uint64_t begin, end;
  if (first.getAsInteger(10, begin) || last.getAsInteger(10, end) || begin >= end)
    fail("expected --seeds=A:B with A < B but got '" + Twine(options.seeds) + "'");
  if (pipelines.empty() || pipelines.size() > kMaxPipelines)
    fail("expected 1 to " + Twine(kMaxPipelines) + " passes but got " + Twine(pipelines.size()));
  if (options.jobs < 1 || options.jobs > kMaxJobs)
    fail("expected --jobs between 1 and " + Twine(kMaxJobs) + " but got " + Twine(options.jobs));
  if (options.ops < 1)
    fail("expected --ops >= 1 but got 0");
  if (options.hangSeconds < 1)
    fail("expected --hang-seconds >= 1 but got 0");
  if (!options.replay.empty())
    return replayFile(options, pipelines, begin) ? 1 : 0;
  return Parent(options, std::move(pipelines), begin, end).run() ? 1 : 0;
}
