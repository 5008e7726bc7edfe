// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Translate/JoinPTX.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace fxgraph;

static bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

/// The name that a line outside of functions defines for this text alone, or nothing: the first word of
/// `.func (.param …) name(` or `.global .align 4 .b8 name[24] = …` that is neither a directive nor a number.
static StringRef getPrivateName(StringRef line) {
  if (llvm::none_of(ArrayRef<StringRef>{".global ", ".const ", ".shared ", ".func "},
                    [&](StringRef directive) { return line.starts_with(directive); }))
    return {};
  if (line.starts_with(".func") && line.contains(')'))
    line = line.drop_front(line.find(')'));
  while (!line.empty()) {
    StringRef word = line.take_while([](char c) { return isNameCharacter(c) || c == '.'; });
    if (!word.empty() && word.front() != '.' && !llvm::isDigit(word.front()))
      return word;
    line = line.drop_front(std::min(line.size(), word.size() + 1));
  }
  return {};
}

std::string fxgraph::gpu::joinPTX(ArrayRef<std::string> parts) {
  std::string result = parts.front();
  for (auto [number, part] : llvm::enumerate(parts.drop_front())) {
    StringRef text = StringRef(part).split(".address_size 64\n").second;
    llvm::StringMap<std::string> names;
    for (StringRef line : llvm::split(text, '\n'))
      if (StringRef name = getPrivateName(line); !name.empty())
        names[name] = (name + "_part" + Twine(number + 1)).str();
    for (StringRef line : llvm::split(text, '\n')) {
      if (line.starts_with(".extern ") && StringRef(result).contains(line))
        continue;
      while (!names.empty() && !line.empty()) {
        StringRef other = line.take_until(isNameCharacter);
        StringRef word = line.drop_front(other.size()).take_while(isNameCharacter);
        line = line.drop_front(other.size() + word.size());
        auto renamed = names.find(word);
        result += other;
        result += renamed == names.end() ? word : StringRef(renamed->second);
      }
      result += line;
      result += '\n';
    }
  }
  return result;
}
