// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random graph in the making: the values so far, and what may come next. Each
// structure is a member function that adds some ops; where an op is not legal for
// the operands that came up, the structure simply ends early.

#ifndef FXGRAPH_LIB_GEN_RANDOMGRAPH_H
#define FXGRAPH_LIB_GEN_RANDOMGRAPH_H

#include "GraphBuilder.h"
#include "fxgraph/Gen/Gen.h"

namespace fxgraph {

class RandomGraph {
public:
  RandomGraph(MLIRContext *context, const GenOptions &options);
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  using Structure = void (RandomGraph::*)();
  struct Entry {
    Structure structure;
    int weight;
  };
  ArrayRef<Entry> getTable() const;

  //===--- Types and values (RandomGraph.cpp) ----------------------------===//
  void chooseElementTypes();
  Type elementType();
  Type floatType();
  int64_t extent();
  /// Extents of a new argument; symbols now and then.
  RankedTensorType argumentType(int64_t rank, Type element);
  /// A new argument of at least this rank.
  Value newArgument(int64_t minRank, int64_t maxRank, bool isFloat = false);
  Value parameter(ArrayRef<int64_t> shape, Type element);
  /// A recent value that fits, or a new argument.
  Value pick(int64_t minRank, int64_t maxRank = 6, bool isFloat = false);
  Value pickOfType(Type type);
  Value add(Value value);
  void addAll(ArrayRef<Value> results);
  bool isFloat(Value value) { return isa<FloatType>(GraphBuilder::elementOf(value)); }
  /// Values of one type, from one op or as arguments of their own.
  SmallVector<Value> pickGroup(RankedTensorType type, int64_t count);

  //===--- Single ops (Ops.cpp) -----------------------------------------===//
  Value applyUnary(StringRef mnemonic, Value value);
  StringRef unaryName(Value value);
  void unary();
  void binary();
  void compare();
  void cast();
  void view();
  void reduction();
  void softmax();
  void noOp();
  void indexing();
  void draw();
  void write();
  void unknownOp();

  //===--- Splits and cats (SplitCat.cpp) -----------------------------------===//
  /// Cuts `value` somehow; `dim` is where.
  SmallVector<Value> cut(Value value, int64_t &dim);
  SmallVector<Value> cutEvenly(Value value, int64_t dim, int64_t count);
  /// Some of the pieces, mostly all of them in order.
  SmallVector<Value> arrange(ArrayRef<Value> pieces);
  Value join(ArrayRef<Value> operands, int64_t dim, bool stack);
  void joinSomehow(ArrayRef<Value> pieces, int64_t dim);
  void splitCat();
  void splitOfSplit();
  void nestedCats();
  void splitSqueezeStack();
  void chunkReshapeCat();
  void unbindStack();
  void stackPointwiseUnbind();
  void piecewise();
  void catPointwise();
  void catSplit();

  //===--- Products and norms (Products.cpp) ---------------------------------===//
  Value linear(Value input, int64_t outputs, int biasKind);
  Value layerNorm(Value input, int affineKind);
  void towers();
  void parallelLinears();
  void groupOfLinears();
  void permuteLinearPermute();
  void permuteMatmul();
  void splitLinearAdd();
  void linearOfCat();
  void products();
  void einsum();
  void convBN();
  void norms();
  void groupOfUnaries();
  void attention();
  void gumbel();
  void mathPairs();

  //===--- Forms for single passes (Rare.cpp) --------------------------------===//
  void einsumAdd();
  void quantized();
  void compressions();
  void equalUnaries();
  void gumbelDraw();

  //===--- Forms behind autodiff (Aten.cpp) ----------------------------------===//
  Value full(ArrayRef<int64_t> shape, Type element, double value);
  void uniformOperand();
  void foldArithmetic();
  void productsOfOneInput();
  void pairs();
  void permutedRows();
  void markedPlaces();
  void uniformSums();
  void partsOfSoftmax();
  void assertion();
  void writtenSlice();
  void loop();

  GenOptions options;
  GraphBuilder b;
  SmallVector<Type> elementTypes;
  bool dynamic = false, writes = false, unknowns = false;
  SmallVector<Value> values;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_GEN_RANDOMGRAPH_H
