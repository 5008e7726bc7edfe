// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fused kernel between memory and memory: a loop nest whose body computes one
// element after the other. Addresses are affine in the loops; what computes is arith,
// math, and pointwise ops of the dialect on single elements.

#ifndef FXGRAPH_NEST_OPS_TD
#define FXGRAPH_NEST_OPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "fxgraph/Dialect/IR/FxGraphBase.td"

def FxGraph_LoopNestOp : Op<FxGraph_Dialect, "loop_nest", [IsolatedFromAbove, SingleBlock, NoTerminator, AffineScope,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a fused kernel: scalar operations over a loop nest, between memory and memory";
  let description = [{
    The body runs at each point of the loops, whose `extents` are static; its arguments are
    the loops' indices, then the memory that it reads and writes, each the elements from
    the first one that it may touch. Loops in `reduced` are those that `nest.reduce` and
    `nest.scan` run over. Values of f16 and bf16 are held in f32. `computes` names the ops of
    the graph that it stands for.

    `lowering_config` says how it is spread over blocks, threads and registers (`--fxgraph-configure-kernels`).

    With `instances` above 1 it is as many kernels that do not depend on each other and
    differ in their memory alone: the operands are those of the first, then those of the
    second …

    ```mlir
    fxgraph.loop_nest ["mul", "sum"] (%a, %b) over [16, 32] reducing [1] {
    ^bb0(%i: index, %j: index, %x: memref<512xf16>, %y: memref<16xf32>):
      %0 = fxgraph.nest.load %x[%i * 32 + %j] : memref<512xf16> to f32
      %1 = arith.mulf %0, %0 : f32
      %2 = fxgraph.nest.reduce "sum" %1 : (f32) -> f32
      fxgraph.nest.store %2, %y[%i] : f32 to memref<16xf32>
    } : memref<512xf16>, memref<16xf32>
    ```
  }];
  let arguments = (ins StrArrayAttr:$computes, DenseI64ArrayAttr:$extents, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$reduced,
    Variadic<AnyMemRef>:$memory, DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$instances,
    UnitAttr:$empty_reduction, UnitAttr:$prefers_columns, OptionalAttr<DictionaryAttr>:$lowering_config);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $computes `(` $memory `)` `over` $extents (`reducing` $reduced^)? (`instances` $instances^)? $body attr-dict
    (`:` type($memory)^)?
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getRank() { return getExtents().size(); }
    /// Operands of one instance.
    unsigned getNumArrays() { return getMemory().size() / getInstances(); }
    mlir::ValueRange getMemoryOf(unsigned instance) {
      return getMemory().slice(instance * getNumArrays(), getNumArrays());
    }
    mlir::BlockArgument getArray(unsigned number) { return getBody().getArgument(getRank() + number); }
  }];
}

class FxGraph_NestOp<string mnemonic, list<Trait> traits = []>
    : Op<FxGraph_Dialect, "nest." # mnemonic, traits # [HasParent<"LoopNestOp">]>;

def FxGraph_NestLoadOp : FxGraph_NestOp<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "an element of memory, in the type in which it is computed with";
  let arguments = (ins AnyMemRef:$memory, Variadic<Index>:$indices, AffineMapAttr:$map);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$memory `` custom<Place>($indices, $map) attr-dict `:` type($memory) `to` type($value)";
  let hasVerifier = 1;
}

def FxGraph_NestStoreOp : FxGraph_NestOp<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "rounds a value to the type of the memory and writes it";
  let arguments = (ins AnyType:$value, AnyMemRef:$memory, Variadic<Index>:$indices, AffineMapAttr:$map);
  let assemblyFormat = "$value `,` $memory `` custom<Place>($indices, $map) attr-dict `:` type($value) `to` type($memory)";
  let hasVerifier = 1;
}

def FxGraph_NestPositionOp : FxGraph_NestOp<"position", [Pure]> {
  let summary = "an affine function of the loops as a number";
  let arguments = (ins Variadic<Index>:$indices, AffineMapAttr:$map);
  let results = (outs AnyInteger:$value);
  let assemblyFormat = "custom<Place>($indices, $map) attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def FxGraph_NestIndexOp : FxGraph_NestOp<"index", [Pure]> {
  let summary = "a number as an index";
  let description = [{
    The number must be in [`lowest`, `extent`), where negative ones count from the end; others are an error that the
    host sees, and 0 takes their place.
  }];
  let arguments = (ins AnyInteger:$value, I64Attr:$lowest, ConfinedAttr<I64Attr, [IntPositive]>:$extent);
  let results = (outs Index:$index);
  let assemblyFormat = "$value `from` $lowest `below` $extent attr-dict `:` type($value)";
}

def FxGraph_NestClampOp : FxGraph_NestOp<"clamp", [Pure]> {
  let summary = "an affine function of the loops, kept between two numbers";
  let arguments = (ins Variadic<Index>:$indices, AffineMapAttr:$map, I64Attr:$lowest, I64Attr:$highest);
  let results = (outs Index:$index);
  let assemblyFormat = "custom<Place>($indices, $map) `from` $lowest `to` $highest attr-dict";
  let hasVerifier = 1;
}

def FxGraph_NestElementOp : FxGraph_NestOp<"element", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "a pointwise op of the dialect on elements";
  let description = [{
    The body is the op and the numbers of the graph that it takes; its types say for which dtypes the op means what
    it means. Floats are computed in the types of the operands and of the result, unrounded.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs AnyType:$value);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $operands `)` $body attr-dict `:` functional-type($operands, $value)";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The op that it applies.
    mlir::Operation *getApplied();
  }];
}

def FxGraph_NestCastOp : FxGraph_NestOp<"cast", [Pure]> {
  let summary = "a conversion with PyTorch's rules";
  let arguments = (ins AnyType:$source);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($value)";
}

def FxGraph_NestRoundOp : FxGraph_NestOp<"round", [Pure, SameOperandsAndResultType]> {
  let summary = "the nearest number of a narrower type";
  let arguments = (ins AnyFloat:$source, TypeAttr:$narrow);
  let results = (outs AnyFloat:$value);
  let assemblyFormat = "$source `to` $narrow attr-dict `:` type($value)";
}

def FxGraph_NestSelectOp : FxGraph_NestOp<"select", [Pure]> {
  let summary = "one value where affine functions of the loops are in ranges, else the other";
  let arguments = (ins Variadic<Index>:$indices, AffineMapAttr:$map, DenseI64ArrayAttr:$lowest, DenseI64ArrayAttr:$highest,
    AnyType:$yes, AnyType:$no);
  let results = (outs AnyType:$value);
  let assemblyFormat = [{
    custom<Place>($indices, $map) `from` $lowest `to` $highest `?` $yes `:` $no attr-dict `:`
    custom<OneType>(type($yes), type($no), type($value))
  }];
  let hasVerifier = 1;
}

class FxGraph_NestAccumulatingOp<string mnemonic> : FxGraph_NestOp<mnemonic, [Pure]> {
  let arguments = (ins StrAttr:$kind, Variadic<AnyType>:$operands);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$kind $operands attr-dict `:` functional-type($operands, $value)";
  let hasVerifier = 1;
}

def FxGraph_NestReduceOp : FxGraph_NestAccumulatingOp<"reduce"> {
  let summary = "all values along the reduced loops as one";
  let description = [{
    `kind` is sum, prod, max, min (NaN if one is), or, and, argmax or argmin; the last two take the values and their
    positions.
  }];
}

def FxGraph_NestScanOp : FxGraph_NestAccumulatingOp<"scan"> {
  let summary = "all values along the reduced loops up to this point as one";
  let description = [{ `kind` is sum or prod. }];
}

#endif // FXGRAPH_NEST_OPS_TD
