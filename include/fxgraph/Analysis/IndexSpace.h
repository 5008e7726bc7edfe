// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic of one loop nest with static extents. An index is a linear
// form over atoms; an atom is a loop dimension, a quotient, a remainder or a
// clamped value of a linear form, or a value that is known at run time alone
// (a loaded index). Every atom has a range, and the simplifier uses it: going
// through a reshape and back gives the dimension again, so that most address
// computations of fused views end as plain strided accesses.
//
// Cost: each operation is linear in the number of terms of its operands; atoms
// are interned, so that equal indices are equal objects.

#ifndef FXGRAPH_ANALYSIS_INDEXSPACE_H
#define FXGRAPH_ANALYSIS_INDEXSPACE_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <optional>
#include <string>

namespace fxgraph {

/// constant + sum of coefficient * atom; atoms ascending, no zero coefficients.
struct IndexExpr {
  int64_t constant = 0;
  SmallVector<std::pair<unsigned, int64_t>, 2> terms;

  IndexExpr() = default;
  /*implicit*/ IndexExpr(int64_t value) : constant(value) {}

  bool isConstant() const { return terms.empty(); }
  int64_t getCoefficient(unsigned atom) const;
  bool operator==(const IndexExpr &other) const { return constant == other.constant && terms == other.terms; }
  bool operator!=(const IndexExpr &other) const { return !(*this == other); }
  bool operator<(const IndexExpr &other) const {
    return constant != other.constant
               ? constant < other.constant
               : std::lexicographical_compare(terms.begin(), terms.end(), other.terms.begin(), other.terms.end());
  }
};

using Index = SmallVector<IndexExpr, 4>;

/// lo <= expr <= hi, or with `negated` its opposite.
struct RangeTest {
  IndexExpr expr;
  int64_t lo, hi;
  bool operator==(const RangeTest &other) const { return expr == other.expr && lo == other.lo && hi == other.hi; }
};

class IndexSpace {
public:
  enum class AtomKind { Dim, FloorDiv, Mod, Clamp, Symbol };
  struct Atom {
    AtomKind kind;
    unsigned number = 0; ///< of the dimension, or the owner's number of the symbol
    IndexExpr inner{};   ///< of FloorDiv, Mod and Clamp
    int64_t a = 0;       ///< divisor; lower bound of Clamp; least value of Symbol that is no error
    int64_t b = 0;       ///< upper bound of Clamp; extent that a Symbol is an index in
    int64_t lo = 0, hi = 0;
    llvm::SmallBitVector dims{}; ///< dimensions that it depends on
    bool symbolic = false;       ///< depends on a symbol
  };

  /// A new dimension 0 … size-1 and the index that runs over it.
  IndexExpr addDim(int64_t size);
  /// A value that the loop body computes at an index over `dims`: an index in [lowest,
  /// extent), where negative ones count from the end. Whoever evaluates it checks that,
  /// and keeps it in [0, extent) in any case.
  IndexExpr addSymbol(unsigned number, int64_t lowest, int64_t extent, const llvm::SmallBitVector &dims);

  unsigned getNumDims() const { return sizes.size(); }
  int64_t getSize(unsigned dim) const { return sizes[dim]; }
  ArrayRef<int64_t> getSizes() const { return sizes; }
  unsigned getAtomOfDim(unsigned dim) const { return dimAtoms[dim]; }
  IndexExpr getDim(unsigned dim) const;
  const Atom &getAtom(unsigned id) const { return atoms[id]; }
  unsigned getNumAtoms() const { return atoms.size(); }

  IndexExpr add(const IndexExpr &lhs, const IndexExpr &rhs) { return addScaled(lhs, rhs, 1); }
  IndexExpr scale(const IndexExpr &expr, int64_t factor);
  /// lhs + factor * rhs.
  IndexExpr addScaled(const IndexExpr &lhs, const IndexExpr &rhs, int64_t factor);
  /// Rounds towards minus infinity; divisor > 0.
  IndexExpr floorDiv(const IndexExpr &expr, int64_t divisor);
  /// In [0, divisor); divisor > 0.
  IndexExpr mod(const IndexExpr &expr, int64_t divisor);
  IndexExpr clamp(const IndexExpr &expr, int64_t lo, int64_t hi);

  /// Smallest and largest value that interval arithmetic proves.
  std::pair<int64_t, int64_t> getRange(const IndexExpr &expr) const;
  /// Dimensions that the index depends on.
  llvm::SmallBitVector getDims(const IndexExpr &expr) const;
  llvm::SmallBitVector getDims(ArrayRef<IndexExpr> index) const;
  bool isSymbolic(const IndexExpr &expr) const;
  /// Calls `visit` with the number of each symbol that occurs in the expression, at any depth.
  void visitSymbols(const IndexExpr &expr, function_ref<void(unsigned number)> visit) const;
  /// The dimension's coefficient in the sum: 0 where it occurs inside of quotients alone.
  int64_t getStride(const IndexExpr &expr, unsigned dim) const { return expr.getCoefficient(dimAtoms[dim]); }
  /// How far apart neighbours along the dimension are where no clamp binds; nullopt: it occurs inside of a quotient or remainder.
  std::optional<int64_t> getUsualStride(const IndexExpr &expr, unsigned dim) const;
  struct DimStride {
    unsigned dim;
    int64_t stride;
  };
  /// Of the dimensions that the index is a sum of, without its constant; nullopt if it is something else, or goes back along one.
  std::optional<SmallVector<DimStride>> getStrides(const IndexExpr &expr) const;
  /// The dimension if the index is exactly one, else -1.
  int getSingleDim(const IndexExpr &expr) const;
  /// True if the dimension occurs inside of a quotient, remainder or clamp.
  bool occursInside(const IndexExpr &expr, unsigned dim) const;

  /// Row-major position of an index in a tensor of these extents.
  IndexExpr linearize(ArrayRef<IndexExpr> index, ArrayRef<int64_t> shape);
  /// Sum of index[i] * strides[i].
  IndexExpr dot(ArrayRef<IndexExpr> index, ArrayRef<int64_t> strides);
  /// Index of row-major position `position` in a tensor of these extents.
  Index delinearize(const IndexExpr &position, ArrayRef<int64_t> shape);
  /// Index into `from` of the element that stands at `index` of `to`, for two
  /// shapes of equally many elements. Works group by group, so that only
  /// dimensions that really merge or split are divided.
  Index reshape(ArrayRef<IndexExpr> index, ArrayRef<int64_t> to, ArrayRef<int64_t> from);

  /// Text such as `4*d0 + (d1 floordiv 3) + 7`, for remarks and tests.
  std::string str(const IndexExpr &expr) const;

  /// The same expression after every dimension d was replaced by
  /// `replacements[d]`, an expression of `target`. Symbols keep their numbers.
  class Rewriter {
  public:
    Rewriter(const IndexSpace &source, IndexSpace &target, ArrayRef<IndexExpr> replacements);
    IndexExpr rewrite(const IndexExpr &expr) const;

  private:
    IndexSpace &target;
    SmallVector<IndexExpr> atomValues;
  };

private:
  unsigned intern(Atom atom);
  IndexExpr makeTerm(unsigned atom) const;
  void mergeQuotients(IndexExpr &expr);

  SmallVector<int64_t> sizes;
  SmallVector<unsigned> dimAtoms;
  std::vector<Atom> atoms;
  std::map<std::string, unsigned> interned;
};

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_INDEXSPACE_H
