// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments for a graph, drawn from a seed: floats are standard normal, integers
// small and not negative, and what the graph does with an argument is respected
// (an index stays in range, a variance is positive).

#ifndef FXGRAPH_REFERENCE_RANDOMINPUTS_H
#define FXGRAPH_REFERENCE_RANDOMINPUTS_H

#include "fxgraph/Reference/Random.h"
#include "fxgraph/Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace fxgraph {

/// Run-time extents of the dynamic dimensions of a graph's arguments.
class ExtentChoice {
public:
  virtual ~ExtentChoice();
  /// Extent of a symbol; the same for every use.
  virtual int64_t ofSymbol(StringRef symbol) = 0;
  /// Extent of a `?` in dimension `dim` of an argument.
  virtual int64_t ofUnknown(unsigned argument, int64_t dim) = 0;
};

/// The same extent for every `?`, and one each for symbols unless they are named.
class FixedExtents : public ExtentChoice {
public:
  explicit FixedExtents(int64_t unknown) : unknown(unknown) {}
  std::map<std::string, int64_t> symbols;
  int64_t ofSymbol(StringRef symbol) override {
    auto it = symbols.find(symbol.str());
    return it == symbols.end() ? unknown : it->second;
  }
  int64_t ofUnknown(unsigned, int64_t) override { return unknown; }

private:
  int64_t unknown;
};

/// What the users of a value ask of its elements.
struct ValueHints {
  /// Exclusive bound of indices, if the value is used as one.
  std::optional<int64_t> indexBound;
  /// Used as a variance.
  bool positive = false;
};
/// Looks through casts and views; at most a few hundred users.
ValueHints getValueHints(Value value);

/// Extents of an argument under a choice.
SmallVector<int64_t> chooseShape(RankedTensorType type, unsigned argument, ExtentChoice &extents);

/// A tensor of random elements. `special` makes every eighth float ±0 or a power
/// of two, `nonFinite` makes one NaN and one infinite (no more: in a product of
/// matrices they spread over whole rows).
Tensor makeRandomTensor(Type elementType, ArrayRef<int64_t> shape, RandomSource &random, const ValueHints &hints,
                        bool special = false, bool nonFinite = false);

/// The argument of this number, for this seed: it does not depend on the other
/// arguments. Null if its type is not supported.
Tensor makeRandomArgument(mlir::BlockArgument argument, uint64_t seed, ExtentChoice &extents);

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_RANDOMINPUTS_H
