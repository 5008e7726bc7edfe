// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Backend/Translation.h"

using namespace fxgraph;

static std::vector<Translation> &registered() {
  static std::vector<Translation> translations;
  return translations;
}

void fxgraph::registerTranslation(Translation translation) {
  llvm::erase_if(registered(), [&](const Translation &other) { return other.name == translation.name; });
  registered().push_back(std::move(translation));
  llvm::sort(registered(), [](const Translation &a, const Translation &b) { return a.name < b.name; });
}

ArrayRef<Translation> fxgraph::getTranslations() { return registered(); }
