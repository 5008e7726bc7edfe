// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/IndexSpace.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace fxgraph;

static int64_t floorDivide(int64_t value, int64_t divisor) {
  int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

static int64_t floorModulo(int64_t value, int64_t divisor) { return value - floorDivide(value, divisor) * divisor; }

int64_t IndexExpr::getCoefficient(unsigned atom) const {
  for (const auto &[id, coefficient] : terms)
    if (id == atom)
      return coefficient;
  return 0;
}

IndexExpr IndexSpace::makeTerm(unsigned atom) const {
  IndexExpr expr;
  expr.terms.push_back({atom, 1});
  return expr;
}

unsigned IndexSpace::intern(Atom atom) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << static_cast<int>(atom.kind) << ':' << atom.number << ':' << atom.a << ':' << atom.b << ':'
     << atom.inner.constant;
  for (const auto &[id, coefficient] : atom.inner.terms)
    os << ',' << id << '*' << coefficient;
  auto [it, inserted] = interned.try_emplace(key, atoms.size());
  if (!inserted)
    return it->second;
  for (const auto &[id, coefficient] : atom.inner.terms) {
    const llvm::SmallBitVector &used = atoms[id].dims;
    if (atom.dims.size() < used.size())
      atom.dims.resize(used.size());
    atom.dims |= used;
    atom.symbolic |= atoms[id].symbolic;
  }
  atoms.push_back(std::move(atom));
  return it->second;
}

IndexExpr IndexSpace::addDim(int64_t size) {
  Atom atom{AtomKind::Dim};
  atom.number = sizes.size();
  atom.hi = std::max<int64_t>(size - 1, 0);
  atom.dims.resize(atom.number + 1);
  atom.dims.set(atom.number);
  unsigned dim = sizes.size();
  sizes.push_back(size);
  dimAtoms.push_back(intern(std::move(atom)));
  return getDim(dim);
}

IndexExpr IndexSpace::getDim(unsigned dim) const {
  // A dimension of one element has one index.
  return sizes[dim] <= 1 ? IndexExpr(0) : makeTerm(dimAtoms[dim]);
}

IndexExpr IndexSpace::addSymbol(unsigned number, int64_t lowest, int64_t extent, const llvm::SmallBitVector &dims) {
  Atom atom{AtomKind::Symbol};
  atom.dims = dims;
  atom.number = number;
  atom.a = lowest;
  atom.b = extent;
  atom.hi = extent - 1;
  atom.symbolic = true;
  return makeTerm(intern(std::move(atom)));
}

IndexExpr IndexSpace::scale(const IndexExpr &expr, int64_t factor) {
  IndexExpr result;
  if (factor == 0)
    return result;
  result.constant = expr.constant * factor;
  for (const auto &[id, coefficient] : expr.terms)
    result.terms.push_back({id, coefficient * factor});
  return result;
}

IndexExpr IndexSpace::addScaled(const IndexExpr &lhs, const IndexExpr &rhs, int64_t factor) {
  IndexExpr result(lhs.constant + factor * rhs.constant);
  auto left = lhs.terms.begin(), right = rhs.terms.begin();
  while (left != lhs.terms.end() || right != rhs.terms.end()) {
    if (right == rhs.terms.end() || (left != lhs.terms.end() && left->first < right->first)) {
      result.terms.push_back(*left++);
      continue;
    }
    int64_t coefficient = factor * right->second;
    unsigned id = right->first;
    if (left != lhs.terms.end() && left->first == id)
      coefficient += (left++)->second;
    ++right;
    if (coefficient != 0)
      result.terms.push_back({id, coefficient});
  }
  mergeQuotients(result);
  return result;
}

// k * (x mod c) + k * c * (x floordiv c) is k * x: the trace of a reshape that
// was undone.
void IndexSpace::mergeQuotients(IndexExpr &expr) {
  auto isModulo = [&](const std::pair<unsigned, int64_t> &term) { return atoms[term.first].kind == AtomKind::Mod; };
  // Cannot go on for long: each turn puts smaller atoms in the place of two.
  for (size_t i = 0; i < expr.terms.size(); ++i) {
    if (!isModulo(expr.terms[i]))
      continue;
    auto [modulo, factor] = expr.terms[i];
    IndexExpr inner = atoms[modulo].inner;
    int64_t divisor = atoms[modulo].a;
    // What the quotient would be here: of a quotient it is one by the product.
    IndexExpr quotient = floorDiv(inner, divisor);
    if (quotient.constant != 0 || quotient.terms.size() != 1 || quotient.terms[0].second != 1 ||
        expr.getCoefficient(quotient.terms[0].first) != factor * divisor)
      continue;
    IndexExpr rest(expr.constant);
    for (const auto &term : expr.terms)
      if (term.first != modulo && term.first != quotient.terms[0].first)
        rest.terms.push_back(term);
    expr = addScaled(rest, inner, factor);
    return; // The sum has been merged.
  }
}

std::pair<int64_t, int64_t> IndexSpace::getRange(const IndexExpr &expr) const {
  int64_t lo = expr.constant, hi = expr.constant;
  for (const auto &[id, coefficient] : expr.terms) {
    const Atom &atom = atoms[id];
    lo += coefficient * (coefficient > 0 ? atom.lo : atom.hi);
    hi += coefficient * (coefficient > 0 ? atom.hi : atom.lo);
  }
  return {lo, hi};
}

IndexExpr IndexSpace::floorDiv(const IndexExpr &expr, int64_t divisor) {
  if (divisor == 1)
    return expr;
  // Split off what the divisor divides.
  IndexExpr quotient(floorDivide(expr.constant, divisor)), rest(floorModulo(expr.constant, divisor));
  for (const auto &[id, coefficient] : expr.terms) {
    if (coefficient % divisor == 0)
      quotient.terms.push_back({id, coefficient / divisor});
    else
      rest.terms.push_back({id, coefficient});
  }
  auto [lo, hi] = getRange(rest);
  int64_t lowest = floorDivide(lo, divisor);
  if (lowest == floorDivide(hi, divisor)) {
    quotient.constant += lowest;
    return quotient;
  }
  int64_t common = divisor;
  for (const auto &[id, coefficient] : rest.terms)
    common = std::gcd(common, coefficient);
  if (common > 1) {
    for (auto &[id, coefficient] : rest.terms)
      coefficient /= common;
    rest.constant = floorDivide(rest.constant, common);
    divisor /= common;
    if (divisor == 1)
      return add(quotient, rest);
  }
  if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].second == 1) {
    const Atom &atom = atoms[rest.terms[0].first];
    if (atom.kind == AtomKind::FloorDiv) {
      IndexExpr inner = atom.inner;
      return add(quotient, floorDiv(inner, atom.a * divisor));
    }
    // (x mod a) floordiv d = (x floordiv d) mod (a / d) where d divides a.
    if (atom.kind == AtomKind::Mod && atom.a % divisor == 0) {
      IndexExpr inner = atom.inner;
      int64_t modulus = atom.a / divisor;
      return add(quotient, mod(floorDiv(inner, divisor), modulus));
    }
  }
  Atom atom{AtomKind::FloorDiv};
  atom.inner = rest;
  atom.a = divisor;
  std::tie(lo, hi) = getRange(rest);
  atom.lo = floorDivide(lo, divisor);
  atom.hi = floorDivide(hi, divisor);
  return add(quotient, makeTerm(intern(std::move(atom))));
}

IndexExpr IndexSpace::mod(const IndexExpr &expr, int64_t divisor) {
  if (divisor == 1)
    return IndexExpr(0);
  IndexExpr rest(floorModulo(expr.constant, divisor));
  for (const auto &[id, coefficient] : expr.terms)
    if (coefficient % divisor != 0)
      rest.terms.push_back({id, coefficient});
  auto [lo, hi] = getRange(rest);
  int64_t lowest = floorDivide(lo, divisor);
  if (lowest == floorDivide(hi, divisor)) {
    rest.constant -= lowest * divisor;
    return rest;
  }
  int64_t common = divisor;
  for (const auto &[id, coefficient] : rest.terms)
    common = std::gcd(common, coefficient);
  if (common > 1) {
    int64_t remainder = floorModulo(rest.constant, common);
    for (auto &[id, coefficient] : rest.terms)
      coefficient /= common;
    rest.constant = floorDivide(rest.constant, common);
    return add(scale(mod(rest, divisor / common), common), IndexExpr(remainder));
  }
  if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].second == 1) {
    const Atom &atom = atoms[rest.terms[0].first];
    if (atom.kind == AtomKind::Mod && atom.a % divisor == 0) {
      IndexExpr inner = atom.inner;
      return mod(inner, divisor);
    }
  }
  Atom atom{AtomKind::Mod};
  atom.inner = rest;
  atom.a = divisor;
  atom.lo = 0;
  atom.hi = divisor - 1;
  return makeTerm(intern(std::move(atom)));
}

IndexExpr IndexSpace::clamp(const IndexExpr &expr, int64_t lo, int64_t hi) {
  auto [low, high] = getRange(expr);
  if (low >= lo && high <= hi)
    return expr;
  if (high <= lo)
    return IndexExpr(lo);
  if (low >= hi)
    return IndexExpr(hi);
  Atom atom{AtomKind::Clamp};
  atom.inner = expr;
  atom.a = lo;
  atom.b = hi;
  atom.lo = std::max(low, lo);
  atom.hi = std::min(high, hi);
  return makeTerm(intern(std::move(atom)));
}

llvm::SmallBitVector IndexSpace::getDims(const IndexExpr &expr) const {
  llvm::SmallBitVector dims(sizes.size());
  for (const auto &[id, coefficient] : expr.terms)
    dims |= atoms[id].dims;
  dims.resize(sizes.size());
  return dims;
}

llvm::SmallBitVector IndexSpace::getDims(ArrayRef<IndexExpr> index) const {
  llvm::SmallBitVector dims(sizes.size());
  for (const IndexExpr &expr : index)
    dims |= getDims(expr);
  return dims;
}

bool IndexSpace::isSymbolic(const IndexExpr &expr) const {
  return llvm::any_of(expr.terms, [&](const auto &term) { return atoms[term.first].symbolic; });
}

void IndexSpace::visitSymbols(const IndexExpr &expr, function_ref<void(unsigned)> visit) const {
  SmallVector<const IndexExpr *> pending = {&expr};
  while (!pending.empty()) {
    const IndexExpr *next = pending.pop_back_val();
    for (const auto &[id, coefficient] : next->terms) {
      const Atom &atom = atoms[id];
      if (atom.kind == AtomKind::Symbol)
        visit(atom.number);
      else if (atom.symbolic)
        pending.push_back(&atom.inner);
    }
  }
}

std::optional<int64_t> IndexSpace::getUsualStride(const IndexExpr &expr, unsigned dim) const {
  int64_t stride = getStride(expr, dim);
  for (const auto &[id, coefficient] : expr.terms) {
    const Atom &atom = atoms[id];
    if (atom.kind == AtomKind::Dim || dim >= atom.dims.size() || !atom.dims.test(dim))
      continue;
    std::optional<int64_t> inside =
        atom.kind == AtomKind::Clamp ? getUsualStride(atom.inner, dim) : std::optional<int64_t>();
    if (!inside)
      return std::nullopt;
    stride += coefficient * *inside;
  }
  return stride;
}

std::optional<SmallVector<IndexSpace::DimStride>> IndexSpace::getStrides(const IndexExpr &expr) const {
  SmallVector<DimStride> strides;
  for (const auto &[id, coefficient] : expr.terms) {
    const Atom &atom = atoms[id];
    if (atom.kind != AtomKind::Dim || coefficient < 0)
      return std::nullopt;
    strides.push_back({atom.number, coefficient});
  }
  return strides;
}

int IndexSpace::getSingleDim(const IndexExpr &expr) const {
  if (expr.constant != 0 || expr.terms.size() != 1 || expr.terms[0].second != 1)
    return -1;
  const Atom &atom = atoms[expr.terms[0].first];
  return atom.kind == AtomKind::Dim ? static_cast<int>(atom.number) : -1;
}

bool IndexSpace::occursInside(const IndexExpr &expr, unsigned dim) const {
  return llvm::any_of(expr.terms, [&](const auto &term) {
    const Atom &atom = atoms[term.first];
    return atom.kind != AtomKind::Dim && dim < atom.dims.size() && atom.dims.test(dim);
  });
}

IndexExpr IndexSpace::linearize(ArrayRef<IndexExpr> index, ArrayRef<int64_t> shape) {
  IndexExpr position;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    position = addScaled(position, index[i], stride);
    stride *= shape[i];
  }
  return position;
}

IndexExpr IndexSpace::dot(ArrayRef<IndexExpr> index, ArrayRef<int64_t> strides) {
  IndexExpr sum;
  for (const auto &[expr, stride] : llvm::zip_equal(index, strides))
    sum = addScaled(sum, expr, stride);
  return sum;
}

Index IndexSpace::delinearize(const IndexExpr &position, ArrayRef<int64_t> shape) {
  Index index(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] <= 1)
      continue;
    IndexExpr quotient = floorDiv(position, stride);
    // No remainder where what is in front has one element in all.
    bool outermost = llvm::all_of(shape.take_front(i), [](int64_t size) { return size <= 1; });
    index[i] = outermost ? quotient : mod(quotient, shape[i]);
    stride *= shape[i];
  }
  return index;
}

Index IndexSpace::reshape(ArrayRef<IndexExpr> index, ArrayRef<int64_t> to, ArrayRef<int64_t> from) {
  Index result(from.size());
  size_t i = 0, j = 0;
  while (i < to.size() || j < from.size()) {
    // The smallest next group of dimensions with equally many elements.
    size_t firstTo = i, firstFrom = j;
    int64_t left = i < to.size() ? to[i++] : 1, right = j < from.size() ? from[j++] : 1;
    while (left != right) {
      if (left < right && i < to.size())
        left *= to[i++];
      else if (j < from.size())
        right *= from[j++];
      else
        break; // Zero elements somewhere: nothing is ever read.
    }
    ArrayRef<IndexExpr> group = index.slice(firstTo, i - firstTo);
    IndexExpr position = linearize(group, to.slice(firstTo, i - firstTo));
    Index pieces = delinearize(position, from.slice(firstFrom, j - firstFrom));
    std::copy(pieces.begin(), pieces.end(), result.begin() + firstFrom);
  }
  return result;
}

std::string IndexSpace::str(const IndexExpr &expr) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool first = true;
  for (const auto &[id, coefficient] : expr.terms) {
    if (!first)
      os << " + ";
    first = false;
    if (coefficient != 1)
      os << coefficient << '*';
    const Atom &atom = atoms[id];
    switch (atom.kind) {
    case AtomKind::Dim:
      os << 'd' << atom.number;
      break;
    case AtomKind::Symbol:
      os << 's' << atom.number;
      break;
    case AtomKind::FloorDiv:
      os << '(' << str(atom.inner) << " floordiv " << atom.a << ')';
      break;
    case AtomKind::Mod:
      os << '(' << str(atom.inner) << " mod " << atom.a << ')';
      break;
    case AtomKind::Clamp:
      os << "clamp(" << str(atom.inner) << ", " << atom.a << ", " << atom.b << ')';
      break;
    }
  }
  if (first || expr.constant != 0)
    os << (first ? "" : " + ") << expr.constant;
  return text;
}

// Atoms come after the atoms that they are made of, so that one pass in order
// rewrites all of them.
IndexSpace::Rewriter::Rewriter(const IndexSpace &source, IndexSpace &target, ArrayRef<IndexExpr> replacements)
    : target(target) {
  for (const Atom &atom : source.atoms) {
    switch (atom.kind) {
    case AtomKind::Dim:
      atomValues.push_back(replacements[atom.number]);
      break;
    case AtomKind::Symbol: {
      llvm::SmallBitVector dims(target.getNumDims());
      for (unsigned dim : atom.dims.set_bits())
        dims |= target.getDims(replacements[dim]);
      atomValues.push_back(target.addSymbol(atom.number, atom.a, atom.b, dims));
      break;
    }
    case AtomKind::FloorDiv:
      atomValues.push_back(target.floorDiv(rewrite(atom.inner), atom.a));
      break;
    case AtomKind::Mod:
      atomValues.push_back(target.mod(rewrite(atom.inner), atom.a));
      break;
    case AtomKind::Clamp:
      atomValues.push_back(target.clamp(rewrite(atom.inner), atom.a, atom.b));
      break;
    }
  }
}

IndexExpr IndexSpace::Rewriter::rewrite(const IndexExpr &expr) const {
  IndexExpr result(expr.constant);
  for (const auto &[id, coefficient] : expr.terms)
    result = target.addScaled(result, atomValues[id], coefficient);
  return result;
}
