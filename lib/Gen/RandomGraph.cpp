// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: choice of structures, of types and of operands.

#include "RandomGraph.h"
#include "mlir/AsmParser/AsmParser.h"
#include <limits>

using namespace fxgraph;

static constexpr int64_t kMaxElements = 700;

RandomGraph::RandomGraph(MLIRContext *context, const GenOptions &options)
    : options(options), b(context, options.seed) {}

mlir::OwningOpRef<mlir::ModuleOp> fxgraph::generateRandomGraph(MLIRContext *context, const GenOptions &options) {
  return RandomGraph(context, options).run();
}

ArrayRef<RandomGraph::Entry> RandomGraph::getTable() const {
  using G = RandomGraph;
  static const Entry all[] = {{&G::splitCat, 22},
                              {&G::splitOfSplit, 8},
                              {&G::nestedCats, 8},
                              {&G::splitSqueezeStack, 6},
                              {&G::chunkReshapeCat, 6},
                              {&G::unbindStack, 8},
                              {&G::catSplit, 6},
                              {&G::stackPointwiseUnbind, 5},
                              {&G::piecewise, 8},
                              {&G::catPointwise, 6},
                              {&G::towers, 9},
                              {&G::parallelLinears, 6},
                              {&G::groupOfLinears, 6},
                              {&G::groupOfUnaries, 7},
                              {&G::norms, 4},
                              {&G::permuteLinearPermute, 6},
                              {&G::permuteMatmul, 6},
                              {&G::splitLinearAdd, 4},
                              {&G::linearOfCat, 3},
                              {&G::products, 6},
                              {&G::einsum, 4},
                              {&G::convBN, 6},
                              {&G::attention, 2},
                              {&G::gumbel, 2},
                              {&G::mathPairs, 5},
                              {&G::unary, 12},
                              {&G::binary, 12},
                              {&G::compare, 3},
                              {&G::cast, 5},
                              {&G::view, 16},
                              {&G::reduction, 5},
                              {&G::softmax, 4},
                              {&G::noOp, 14},
                              {&G::indexing, 2},
                              {&G::draw, 1}};
  static const Entry splitCat[] = {{&G::splitCat, 30},
                                   {&G::splitOfSplit, 12},
                                   {&G::nestedCats, 12},
                                   {&G::splitSqueezeStack, 10},
                                   {&G::chunkReshapeCat, 9},
                                   {&G::unbindStack, 12},
                                   {&G::catSplit, 10},
                                   {&G::stackPointwiseUnbind, 6},
                                   {&G::piecewise, 10},
                                   {&G::catPointwise, 8},
                                   {&G::view, 10},
                                   {&G::unary, 5},
                                   {&G::noOp, 5}};
  static const Entry linear[] = {{&G::towers, 16},
                                 {&G::parallelLinears, 12},
                                 {&G::groupOfLinears, 12},
                                 {&G::permuteLinearPermute, 10},
                                 {&G::permuteMatmul, 8},
                                 {&G::splitLinearAdd, 8},
                                 {&G::linearOfCat, 8},
                                 {&G::products, 10},
                                 {&G::einsum, 5},
                                 {&G::convBN, 10},
                                 {&G::norms, 10},
                                 {&G::attention, 4},
                                 {&G::splitCat, 6},
                                 {&G::unary, 6},
                                 {&G::view, 6},
                                 {&G::gumbel, 3}};
  static const Entry pointwise[] = {
      {&G::unary, 25},    {&G::binary, 25}, {&G::compare, 5},        {&G::cast, 10},        {&G::noOp, 20},
      {&G::mathPairs, 8}, {&G::view, 12},   {&G::groupOfUnaries, 8}, {&G::catPointwise, 8}, {&G::reduction, 8},
      {&G::softmax, 6},   {&G::gumbel, 3},  {&G::splitCat, 4}};
  static const Entry rare[] = {{&G::einsumAdd, 12},    {&G::quantized, 14}, {&G::compressions, 14},
                               {&G::equalUnaries, 14}, {&G::gumbelDraw, 8}, {&G::linearOfCat, 12},
                               {&G::piecewise, 6},     {&G::unary, 6},      {&G::binary, 6},
                               {&G::view, 8},          {&G::splitCat, 4},   {&G::chunkReshapeCat, 4}};
  static const Entry aten[] = {{&G::uniformOperand, 14}, {&G::foldArithmetic, 16}, {&G::productsOfOneInput, 8},
                               {&G::pairs, 10},          {&G::permutedRows, 2},    {&G::markedPlaces, 6},
                               {&G::uniformSums, 4},     {&G::partsOfSoftmax, 8},  {&G::assertion, 3},
                               {&G::writtenSlice, 8},    {&G::loop, 4},            {&G::attention, 6},
                               {&G::products, 10},       {&G::groupOfUnaries, 6},  {&G::cast, 6},
                               {&G::view, 12},           {&G::noOp, 8},            {&G::unary, 8},
                               {&G::binary, 8},          {&G::reduction, 4},       {&G::splitCat, 6},
                               {&G::unbindStack, 4},     {&G::catSplit, 4}};
  switch (options.mix) {
  case GraphMix::Aten:
    return aten;
  case GraphMix::Rare:
    return rare;
  case GraphMix::SplitCat:
    return splitCat;
  case GraphMix::Linear:
    return linear;
  case GraphMix::Pointwise:
    return pointwise;
  case GraphMix::All:
    return all;
  }
  llvm_unreachable("unknown mix");
}

mlir::OwningOpRef<mlir::ModuleOp> RandomGraph::run() {
  dynamic = b.chance(options.dynamicShare);
  writes = b.chance(options.writeShare);
  unknowns = b.chance(options.opaqueShare);
  chooseElementTypes();
  for (int64_t i = b.between(1, 3); i > 0; --i)
    newArgument(1, 4);

  ArrayRef<Entry> table = getTable();
  int total = 0;
  for (const Entry &entry : table)
    total += entry.weight;
  // Structures that come to nothing must not keep the loop going.
  for (unsigned attempts = 0; b.getNumOps() < options.numOps && attempts < 4 * options.numOps + 8; ++attempts) {
    if (writes && b.chance(120))
      write();
    if (unknowns && b.chance(120))
      unknownOp();
    int64_t ticket = b.below(total);
    for (const Entry &entry : table) {
      ticket -= entry.weight;
      if (ticket >= 0)
        continue;
      (this->*entry.structure)();
      break;
    }
  }
  if (writes && b.chance(500))
    write();

  // What is returned: everything that nobody uses, or a few recent values; now and
  // then an argument, or something twice.
  SmallVector<Value> results;
  bool all = b.chance(500) || !options.deadOps;
  size_t maxResults = options.deadOps ? 12 : std::numeric_limits<size_t>::max();
  if (all) {
    for (Operation &op : llvm::reverse(*b.getBody()))
      for (Value result : llvm::reverse(op.getResults()))
        if (result.use_empty() && (options.deadOps || op.use_empty()) && results.size() < maxResults &&
            isa<RankedTensorType>(result.getType()))
          results.push_back(result);
    std::reverse(results.begin(), results.end());
  }
  if (!all || results.empty())
    for (int64_t i = b.between(1, 5); i > 0; --i)
      results.push_back(values[values.size() - 1 - b.below(std::min<int64_t>(values.size(), 10))]);
  if (b.chance(80))
    results.push_back(b.choose(b.getArguments()));
  if (b.chance(80))
    results.push_back(b.choose(results));
  return b.finish(results);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void RandomGraph::chooseElementTypes() {
  if (!options.dtypes.empty()) {
    for (const std::string &name : options.dtypes) {
      Type type =
          name == "ui8" ? Type(b.builder.getIntegerType(8, /*isSigned=*/false)) : mlir::parseType(name, b.getContext());
      if (!type)
        llvm::report_fatal_error(llvm::Twine("fx-gen: unknown element type '") + name + "'");
      elementTypes.push_back(type);
    }
  } else {
    mlir::Builder &types = b.builder;
    elementTypes = {types.getF32Type(),
                    types.getBF16Type(),
                    types.getF16Type(),
                    types.getF64Type(),
                    types.getI64Type(),
                    types.getI32Type(),
                    types.getIntegerType(8, false),
                    types.getI1Type()};
  }
  // The first is the graph's main type.
  if (options.dtypes.empty() && b.chance(550))
    return;
  std::swap(elementTypes[0], elementTypes[b.below(elementTypes.size())]);
}

Type RandomGraph::elementType() { return b.chance(80) ? b.choose(elementTypes) : elementTypes[0]; }

Type RandomGraph::floatType() {
  Type type = elementType();
  if (isa<FloatType>(type))
    return type;
  for (Type candidate : elementTypes)
    if (isa<FloatType>(candidate))
      return candidate;
  return b.builder.getF32Type();
}

int64_t RandomGraph::extent() {
  static const int64_t extents[] = {1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 8, 9, 10, 12};
  return b.chance(25) ? 0 : b.choose(extents);
}

RankedTensorType RandomGraph::argumentType(int64_t rank, Type element) {
  Dims dims;
  int64_t elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    if (dynamic && b.chance(300)) {
      static const char *const names[] = {"s0", "s0", "s1", "s2"};
      dims.push_back(b.chance(200) ? Dim::unknown() : Dim::symbol(b.builder.getStringAttr(b.choose(names))));
      continue;
    }
    int64_t next = extent();
    while (elements * next > kMaxElements)
      next = b.between(1, 3);
    elements *= std::max<int64_t>(next, 1);
    dims.push_back(next);
  }
  return makeTensorType(dims, element);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value RandomGraph::add(Value value) {
  if (value)
    values.push_back(value);
  return value;
}

void RandomGraph::addAll(ArrayRef<Value> results) { llvm::append_range(values, results); }

Value RandomGraph::newArgument(int64_t minRank, int64_t maxRank, bool isFloat) {
  Type element = isFloat ? floatType() : elementType();
  int64_t rank = b.between(minRank, std::max(minRank, std::min<int64_t>(maxRank, 4)));
  return add(b.addArgument(argumentType(rank, element)));
}

Value RandomGraph::parameter(ArrayRef<int64_t> shape, Type element) {
  return b.addArgument(b.tensorType(shape, element), "parameter");
}

Value RandomGraph::pick(int64_t minRank, int64_t maxRank, bool wantsFloat) {
  auto fits = [&](Value value) {
    RankedTensorType type = b.typeOf(value);
    if (type.getRank() < minRank || type.getRank() > maxRank || (wantsFloat && !isa<FloatType>(type.getElementType())))
      return false;
    return !type.hasStaticShape() || type.getNumElements() <= kMaxElements;
  };
  for (int tries = 0; tries < 8 && !values.empty(); ++tries) {
    int64_t window = std::min<int64_t>(values.size(), b.chance(800) ? 12 : 40);
    Value value = values[values.size() - 1 - b.below(window)];
    if (fits(value))
      return value;
  }
  for (int tries = 0; tries < 3; ++tries) {
    Value value = b.choose(b.getArguments());
    if (fits(value))
      return value;
  }
  return newArgument(minRank, maxRank, wantsFloat);
}

Value RandomGraph::pickOfType(Type type) {
  int64_t window = std::min<int64_t>(values.size(), 30);
  int64_t start = b.below(window);
  for (int64_t i = 0; i < window; ++i)
    if (Value value = values[values.size() - 1 - (start + i) % window]; value.getType() == type)
      return value;
  return {};
}

SmallVector<Value> RandomGraph::pickGroup(RankedTensorType type, int64_t count) {
  SmallVector<Value> group;
  bool fresh = b.chance(500);
  for (int64_t i = 0; i < count; ++i) {
    Value value = fresh && b.chance(900) ? Value() : pickOfType(type);
    group.push_back(value ? value : add(b.addArgument(type)));
  }
  return group;
}
