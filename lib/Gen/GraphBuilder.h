// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function under construction: ops are asked for by name and made only if
// type inference and the verifier accept them, so that whoever draws attributes
// at random need not repeat the rules of each op.

#ifndef FXGRAPH_LIB_GEN_GRAPHBUILDER_H
#define FXGRAPH_LIB_GEN_GRAPHBUILDER_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Reference/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fxgraph {

class GraphBuilder {
public:
  GraphBuilder(MLIRContext *context, uint64_t seed);

  //===--------------------------------------------------------------------===//
  // Draws
  //===--------------------------------------------------------------------===//

  /// In [0, bound).
  int64_t below(int64_t bound) { return random.below(bound); }
  /// In [low, high].
  int64_t between(int64_t low, int64_t high) { return low + random.below(high - low + 1); }
  bool chance(int64_t permille) { return random.below(1000) < permille; }
  template <typename List>
  auto choose(const List &list) {
    return *(std::begin(list) + random.below(std::end(list) - std::begin(list)));
  }
  template <typename T>
  T choose(std::initializer_list<T> list) {
    return *(list.begin() + random.below(list.size()));
  }
  template <typename T>
  void shuffle(SmallVectorImpl<T> &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[random.below(i)]);
  }
  /// A dimension as a user may spell it: sometimes from the end.
  int64_t spellDim(int64_t dim, int64_t rank) { return chance(300) ? dim - rank : dim; }

  //===--------------------------------------------------------------------===//
  // Construction
  //===--------------------------------------------------------------------===//

  /// Results of a new op, empty if these operands and attributes are not legal.
  SmallVector<Value> emit(StringRef mnemonic, ValueRange operands, ArrayRef<mlir::NamedAttribute> attributes = {},
                          TypeRange resultTypes = {});
  /// The same for an op with one result; null if it is not legal or an operand is.
  Value emitOne(StringRef mnemonic, ValueRange operands, ArrayRef<mlir::NamedAttribute> attributes = {},
                TypeRange resultTypes = {});
  Value addArgument(RankedTensorType type, StringRef kind = "input");
  /// A rank-0 constant of f64 or i64: a Python number.
  Value addNumber(double value, bool isInteger);
  /// Ends the function, with these results.
  mlir::OwningOpRef<mlir::ModuleOp> finish(ValueRange results);

  mlir::NamedAttribute attr(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute attr(StringRef name, ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute attrF64(StringRef name, double value) {
    return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
  }
  mlir::NamedAttribute attrBool(StringRef name, bool value) {
    return builder.getNamedAttr(name, builder.getBoolAttr(value));
  }
  mlir::NamedAttribute attrText(StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  }
  mlir::NamedAttribute segments(ArrayRef<int32_t> sizes) {
    return builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
  }

  RankedTensorType tensorType(ArrayRef<int64_t> shape, Type elementType) {
    return RankedTensorType::get(shape, elementType);
  }
  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
  static Type elementOf(Value value) { return typeOf(value).getElementType(); }
  static int64_t rankOf(Value value) { return typeOf(value).getRank(); }
  static int64_t extentOf(Value value, int64_t dim) { return typeOf(value).getDimSize(dim); }

  MLIRContext *getContext() { return builder.getContext(); }
  ArrayRef<Value> getArguments() const { return arguments; }
  int64_t getNumOps() const { return numOps; }
  Block *getBody() { return body; }

  OpBuilder builder;

private:
  RandomSource random;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  Block *body;
  SmallVector<Value> arguments;
  SmallVector<StringRef> kinds;
  int64_t numOps = 0;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_GEN_GRAPHBUILDER_H
