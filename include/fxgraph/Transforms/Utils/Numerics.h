// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `numerics` option of passes: which classes of rewrites a user allows.

#ifndef FXGRAPH_TRANSFORMS_UTILS_NUMERICS_H
#define FXGRAPH_TRANSFORMS_UTILS_NUMERICS_H

#include "fxgraph/Support/Report.h"
#include <optional>

namespace fxgraph {

/// The widest class allowed: `exact`, `reassociate` or `relaxed`; nullopt for
/// another text.
inline std::optional<NumericClass> parseNumerics(StringRef text) {
  if (text == "exact")
    return NumericClass::Exact;
  if (text == "reassociate")
    return NumericClass::Reassociates;
  if (text == "relaxed")
    return NumericClass::ChangesPrecision;
  return std::nullopt;
}

/// The same with an error at `loc`.
inline FailureOr<NumericClass> parseNumerics(Location loc, StringRef text) {
  if (std::optional<NumericClass> widest = parseNumerics(text))
    return *widest;
  return mlir::emitError(loc) << "expected numerics to be exact, reassociate or relaxed but got " << text;
}

/// The classes are ordered: each allows the ones before it.
inline bool allows(NumericClass widest, NumericClass rewrite) {
  return static_cast<int>(rewrite) <= static_cast<int>(widest);
}

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_NUMERICS_H
