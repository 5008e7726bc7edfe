// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A choice between f(a) and f(b) by where the element lies is f of a choice between a
// and b: what the pieces of a concatenation have in common is computed once.

#include "Kernel/KernelIR.h"
#include "Kernel/KernelSchedule.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {
class SelectSinker {
public:
  explicit SelectSinker(KernelIR &ir) : ir(ir), uses(ir) {}
  void run();

private:
  unsigned push(Prim prim, unsigned useCount) {
    prims.push_back(std::move(prim));
    counts.push_back(useCount);
    return prims.size() - 1;
  }
  /// The same function of one operand that differs; its position, or nullopt.
  std::optional<unsigned> getDifference(unsigned yes, unsigned no) const;
  unsigned choose(const Prim &select, unsigned yes, unsigned no, unsigned useCount);

  KernelIR &ir;
  KernelUses uses;
  std::vector<Prim> prims;
  SmallVector<unsigned> counts;
};
} // namespace

std::optional<unsigned> SelectSinker::getDifference(unsigned yes, unsigned no) const {
  const Prim &lhs = prims[yes], &rhs = prims[no];
  bool isFunction = lhs.kind == Prim::Kind::Pointwise || lhs.kind == Prim::Kind::Arithmetic ||
                    lhs.kind == Prim::Kind::Cast || lhs.kind == Prim::Kind::Round;
  if (!isFunction || counts[yes] != 1 || counts[no] != 1 || !isSameFunction(ir.space, lhs, rhs))
    return std::nullopt;
  std::optional<unsigned> difference;
  for (unsigned i = 0; i < lhs.operands.size(); ++i) {
    if (lhs.operands[i] == rhs.operands[i])
      continue;
    const Prim &a = prims[lhs.operands[i]], &c = prims[rhs.operands[i]];
    if (difference || a.type != c.type || a.isUnsigned != c.isUnsigned)
      return std::nullopt;
    difference = i;
  }
  return difference;
}

unsigned SelectSinker::choose(const Prim &select, unsigned yes, unsigned no, unsigned useCount) {
  if (std::optional<unsigned> difference = getDifference(yes, no)) {
    Prim function = prims[yes];
    function.operands[*difference] =
        choose(select, prims[yes].operands[*difference], prims[no].operands[*difference], 1);
    return push(std::move(function), useCount);
  }
  Prim choice = select;
  choice.operands = {yes, no};
  choice.type = prims[yes].type;
  choice.isUnsigned = prims[yes].isUnsigned;
  return push(std::move(choice), useCount);
}

void SelectSinker::run() {
  SmallVector<unsigned> numbers; // of the old ones among the new ones
  for (const auto &[i, prim] : llvm::enumerate(ir.prims)) {
    Prim next = prim;
    for (unsigned &operand : next.operands)
      operand = numbers[operand];
    bool isPlace = prim.kind == Prim::Kind::Select && !prim.tests.empty();
    numbers.push_back(isPlace ? choose(next, next.operands[0], next.operands[1], uses.counts[i])
                              : push(std::move(next), uses.counts[i]));
  }
  ir.prims = std::move(prims);
  for (KernelStore &store : ir.stores)
    store.prim = numbers[store.prim];
  for (auto &entry : ir.symbols)
    entry.second = numbers[entry.second];
}

void fxgraph::gpu::sinkSelects(KernelIR &kernel) { SelectSinker(kernel).run(); }
