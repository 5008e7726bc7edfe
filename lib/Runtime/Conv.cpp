#include "Graph.h"
using namespace fxgraph::runtime;
std::unique_ptr<CompiledStep>
fxgraph::runtime::compileConv(const LibraryContext &, const ConvStep &,
                              uint64_t &) {
  throw Error(FXRT_UNSUPPORTED, "this runtime has no convolutions yet");
}
