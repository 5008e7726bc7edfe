// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output forms of a graph: what `fx-translate --to=NAME` offers. A target's
// library has one function that registers its forms; fx-translate calls it
// before it parses the command line.

#ifndef FXGRAPH_BACKEND_TRANSLATION_H
#define FXGRAPH_BACKEND_TRANSLATION_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fxgraph {

/// Further `key=value` settings of the command line (`--chip=…`, `--option=…`).
using TranslationSettings = std::vector<std::pair<std::string, std::string>>;

struct Translation {
  std::string name;        ///< of --to
  std::string description; ///< for --help and error messages
  /// Dialects that it needs in the context.
  void (*registerDialects)(mlir::DialectRegistry &registry) = nullptr;
  /// Writes the form of the function `entry` to `output`, a file ("-": standard
  /// output) or a folder, as its description says. Errors are diagnostics; nothing
  /// is written then.
  std::function<LogicalResult(mlir::ModuleOp module, StringRef entry, StringRef output,
                              const TranslationSettings &settings)>
      write;
};

void registerTranslation(Translation translation);
/// All registered forms, by name.
ArrayRef<Translation> getTranslations();

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_TRANSLATION_H
