// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Translate/KeepCarries.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace fxgraph;

std::string fxgraph::gpu::keepCarries(llvm::StringRef ptx) {
  std::string result;
  result.reserve(ptx.size());
  // Registers that were last set to the upper half of a product, and to that as 64 bits.
  llvm::StringSet<> halves, widened;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    auto [name, operands] = line.trim().split('\t');
    llvm::SmallVector<llvm::StringRef, 4> registers;
    operands.trim().rtrim(';').split(registers, ',');
    for (llvm::StringRef &text : registers)
      text = text.trim();
    name = name.trim();
    if (name.starts_with(".entry") || name.starts_with(".visible") || name.starts_with(".func")) {
      halves.clear();
      widened.clear();
    }
    bool isHalf = name == "mul.hi.u32" || name == "mul.hi.s32";
    bool isWidened = name == "cvt.u64.u32" && registers.size() == 2 && halves.contains(registers[1]);
    if (name == "sub.s64" && registers.size() == 3 && widened.contains(registers[1])) {
      llvm::StringRef to = registers[0], minuend = registers[1], subtrahend = registers[2];
      result += ("\t{.reg .b64 %minuend;\n\tnot.b64 \t%minuend, " + minuend + ";\n\tadd.s64 \t%minuend, %minuend, " +
                 subtrahend + ";\n\tnot.b64 \t" + to + ", %minuend;}\n")
                    .str();
    } else {
      result += line;
      result += '\n';
    }
    if (registers.empty() || !registers[0].starts_with("%"))
      continue;
    halves.erase(registers[0]);
    widened.erase(registers[0]);
    if (isHalf)
      halves.insert(registers[0]);
    if (isWidened)
      widened.insert(registers[0]);
  }
  return result;
}
