// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of PDLL is in no library of LLVM's distributions, so that the tool
// mlir-pdll is run. The library of constraints lies in this binary and is written where
// the tool finds it.

#include "RuleCompiler.h"
#include "fxgraph/Support/OptionFile.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace fxgraph;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

static constexpr StringRef kRules =
#include "Rules.pdll.inc"
    ;
static constexpr StringRef kGroup =
#include "Group.pdll.inc"
    ;
static constexpr StringRef kConstraints =
#include "Constraints.pdll.inc"
    ;

/// What `#include` finds.
static constexpr std::pair<StringRef, StringRef> kLibrary[] = {
    {"fxgraph/Rules.pdll", kRules},
    {"fxgraph/Transforms/GroupFusion/Group.pdll", kGroup},
    {"fxgraph/Transforms/Utils/Constraints.pdll", kConstraints},
};

/// How the types of PDLL's parameters are called in PDL.
static std::string getPdlType(StringRef type) {
  bool isRange = type.consume_back("Range");
  std::string name = type == "Op" ? "operation" : type == "Attr" ? "attribute" : type.lower();
  return isRange ? "range<" + name + ">" : name;
}

const llvm::StringMap<LibraryFunction> &fxgraph::getLibraryFunctions() {
  static const llvm::StringMap<LibraryFunction> functions = [] {
    llvm::StringMap<LibraryFunction> found;
    llvm::Regex declaration("^(Constraint|Rewrite) ([A-Za-z0-9]+)\\(([^)]*)\\)( -> ([A-Za-z]+))?;");
    for (auto [name, text] : kLibrary) {
      SmallVector<StringRef> lines, matches;
      text.split(lines, '\n');
      for (StringRef line : lines) {
        if (!declaration.match(line, &matches))
          continue;
        LibraryFunction &function = found[matches[2]];
        SmallVector<StringRef> parameters;
        matches[3].split(parameters, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
        for (StringRef parameter : parameters)
          function.parameters.push_back(getPdlType(parameter.split(':').second.trim()));
        if (!matches[5].empty())
          function.results.push_back(getPdlType(matches[5]));
      }
    }
    return found;
  }();
  return functions;
}

/// The folder of the file that holds this address.
static std::string getFolderOf(const void *address) {
  Dl_info info;
  llvm::SmallString<256> file;
  if (!dladdr(address, &info) || !info.dli_fname || fs::real_path(info.dli_fname, file))
    return "";
  return path::parent_path(file).str();
}

/// Where mlir-pdll is: as named; else beside this library, beside MLIR's, on PATH.
static std::string findCompiler(StringRef named) {
  if (!named.empty())
    return named.str();
  if (std::optional<std::string> variable = llvm::sys::Process::GetEnv("FXGRAPH_PDLL"); variable && !variable->empty())
    return *variable;
  SmallVector<std::string> folders{getFolderOf(reinterpret_cast<const void *>(&getLibraryFunctions)),
                                   getFolderOf(reinterpret_cast<const void *>(&mlir::verify))};
  for (StringRef folder : folders)
    for (StringRef beside : {"", "../bin"}) {
      llvm::SmallString<256> program(folder);
      path::append(program, beside, "mlir-pdll");
      if (!folder.empty() && fs::can_execute(program))
        return program.str().str();
    }
  for (StringRef name : {"mlir-pdll", "mlir-pdll-22"})
    if (llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(name))
      return *program;
  return "";
}

/// What PDL says of a rule, in words of the rule; empty if it says that already.
static StringRef explain(StringRef text) {
  if (text.contains("expected a bindable user") || text.contains("connected component"))
    return "nothing connects this op with the one that the rule replaces or erases";
  return "";
}

/// Emits what the compiler has printed, "file:line:column: error: text" (its parser) or
/// "loc("file":line:column): error: text" (MLIR's verifier), each followed by lines of the file, which whoever shows
/// the diagnostics adds by himself. False if there was no error among it.
static bool emitCompilerOutput(MLIRContext *context, StringRef output, StringRef folder) {
  llvm::Regex located("^(.*):([0-9]+):([0-9]+): (error|note|warning): (.*)$");
  llvm::Regex verified("^loc\\(\"(.*)\":([0-9]+):([0-9]+)\\): (error|note|warning): (.*)$");
  bool hasError = false;
  std::optional<InFlightDiagnostic> open;
  SmallVector<StringRef> lines, matches;
  output.split(lines, '\n');
  for (StringRef line : lines) {
    if (!verified.match(line, &matches) && !located.match(line, &matches))
      continue;
    unsigned lineNumber = 0, column = 0;
    matches[2].getAsInteger(10, lineNumber);
    matches[3].getAsInteger(10, column);
    StringRef file = matches[1];
    // Files of the library have their names there.
    if (file.consume_front(folder))
      file.consume_front("/");
    Location loc = mlir::FileLineColLoc::get(context, file, lineNumber, column);
    if (matches[4] == "error") {
      hasError = true;
      StringRef meaning = explain(matches[5]);
      open.emplace(mlir::emitError(loc) << (meaning.empty() ? matches[5] : meaning));
    } else if (matches[4] == "note" && open) {
      open->attachNote(loc) << matches[5];
    }
  }
  return hasError;
}

/// Runs the compiler; the text of a PDL module.
static FailureOr<std::string> runCompiler(MLIRContext *context, const RuleFileOptions &options, Location loc) {
  std::string compiler = findCompiler(options.compiler);
  if (compiler.empty() || !fs::can_execute(compiler)) {
    InFlightDiagnostic diag = mlir::emitError(loc);
    if (compiler.empty())
      diag << "cannot compile rules: expected LLVM's tool mlir-pdll beside the library or on PATH but found none";
    else
      diag << "cannot compile rules: expected a program but got '" << compiler << "'";
    diag << " (the option pdll or the environment's FXGRAPH_PDLL names it; PDL modules need no compiler)";
    return failure();
  }
  llvm::SmallString<128> folder;
  if (std::error_code code = fs::createUniqueDirectory("fxgraph-rules", folder)) {
    mlir::emitError(loc) << "cannot compile rules: no temporary folder: " << code.message();
    return failure();
  }
  auto cleanup = llvm::make_scope_exit([&] { fs::remove_directories(folder); });
  for (auto [name, text] : kLibrary) {
    llvm::SmallString<256> file(folder);
    path::append(file, name);
    std::error_code code = fs::create_directories(path::parent_path(file));
    if (!code) {
      llvm::raw_fd_ostream os(file, code);
      os << text;
    }
    if (code) {
      mlir::emitError(loc) << "cannot compile rules: cannot write '" << file.str() << "': " << code.message();
      return failure();
    }
  }
  llvm::SmallString<256> output(folder), errors(folder);
  path::append(output, "rules.mlir");
  path::append(errors, "errors");
  std::string own = path::parent_path(options.file).str();
  SmallVector<StringRef> arguments{compiler, "-x=mlir", "-I",
                                   folder,   "-I",      own.empty() ? StringRef(".") : StringRef(own)};
  for (const std::string &include : options.include)
    arguments.append({"-I", include});
  arguments.append({options.file, "-o", output});
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(errors), StringRef(errors)};
  std::string problem;
  constexpr unsigned kSeconds = 60;
  int status = llvm::sys::ExecuteAndWait(compiler, arguments, /*Env=*/std::nullopt, redirects, kSeconds,
                                         /*MemoryLimit=*/0, &problem);
  auto said = llvm::MemoryBuffer::getFile(errors);
  if (status != 0) {
    if (!said || !emitCompilerOutput(context, (*said)->getBuffer(), folder))
      mlir::emitError(loc) << "cannot compile rules: '" << compiler << "' failed"
                           << (problem.empty() ? "" : ": " + problem)
                           << (said ? ": " + (*said)->getBuffer().trim() : Twine()).str();
    return failure();
  }
  auto text = llvm::MemoryBuffer::getFile(output);
  if (!text) {
    mlir::emitError(loc) << "cannot compile rules: '" << compiler << "' has written nothing";
    return failure();
  }
  return (*text)->getBuffer().str();
}

mlir::OwningOpRef<mlir::ModuleOp> fxgraph::compileRules(MLIRContext *context, const RuleFileOptions &options) {
  Location loc = mlir::FileLineColLoc::get(context, options.file, 1, 1);
  auto buffer = readOptionFile(options.file);
  if (!buffer) {
    mlir::emitError(mlir::UnknownLoc::get(context))
        << "cannot read the file of rules '" << options.file << "': " << buffer.getError().message();
    return nullptr;
  }
  mlir::ParserConfig config(context);
  StringRef extension = path::extension(options.file);
  if (extension == ".mlir" || extension == ".pdl" || extension == ".mlirbc") {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    return mlir::parseSourceFile<mlir::ModuleOp>(sources, config);
  }
  FailureOr<std::string> text = runCompiler(context, options, loc);
  if (failed(text))
    return nullptr;
  return mlir::parseSourceString<mlir::ModuleOp>(*text, config, options.file);
}
