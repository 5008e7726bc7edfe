// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and creation, copies, writes, effects, unknown ops.

#ifndef FXGRAPH_OPS_STRUCTURAL_TD
#define FXGRAPH_OPS_STRUCTURAL_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"
include "mlir/IR/OpAsmInterface.td"

def FxGraph_ConstantOp : FxGraph_Op<"constant", [FxGraph_KernelForm<"Leaf">, ConstantLike, Pure, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a literal tensor";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def FxGraph_FullOp : FxGraph_Op<"full", [Pure, FxGraph_KernelForm<"Leaf">]> {
  let constraints = [
    "created_c1: one operand of sizes for each dynamic extent of the result"];
  let summary = "one value everywhere";
  let description = [{
    The result type gives shape and dtype; its dynamic extents are the `sizes`, in
    order. `value` is converted to the dtype; integers beyond 2^53 need `constant`.
  }];
  let arguments = (ins Variadic<Index>:$sizes, F64Attr:$value);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$value (`sizes` $sizes^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.full.default(_size, value, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "torch.full(size: _size, fill_value: value, *, dtype: _result_dtype = None, device: _dev = None)",
    "aten.zeros.default(_size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "aten.ones.default(_size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "torch.zeros(*_size, dtype: _result_dtype = None, device: _dev = None)", "torch.ones(*_size, dtype: _result_dtype = None, device: _dev = None)",
    "aten.full_like.default(_input, value, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None, memory_format: _m = None)",
    "aten.zeros_like.default(_input, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None, memory_format: _m = None)",
    "aten.ones_like.default(_input, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None, memory_format: _m = None)",
    "torch.full_like(input: _input, fill_value: value, *, dtype: _result_dtype = None, device: _dev = None)", "torch.zeros_like(input: _input, *, dtype: _result_dtype = None, device: _dev = None)",
    "torch.ones_like(input: _input, *, dtype: _result_dtype = None, device: _dev = None)",
    "aten.new_zeros.default(_input, _size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "aten.new_ones.default(_input, _size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "Tensor.new_zeros(_input, *_size, dtype: _result_dtype = None, device: _dev = None)", "Tensor.new_ones(_input, *_size, dtype: _result_dtype = None, device: _dev = None)",
    "aten.scalar_tensor.default(value, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)"];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::RankedTensorType":$type, "double":$value)>];
}

def FxGraph_ArangeOp : FxGraph_Op<"arange", [Pure, FxGraph_KernelForm<"Leaf">]> {
  let constraints = [
    "arange_c1: the result has rank 1",
    "arange_c2: step is not 0",
    "created_c1: a size operand if the extent of the result is dynamic, and only then"];
  let summary = "start + i * step";
  let description = [{
    The result type gives the extent (the `size` operand if it is dynamic) and the dtype.
  }];
  let arguments = (ins Optional<Index>:$size, DefaultValuedAttr<F64Attr, "0.0">:$start, DefaultValuedAttr<F64Attr, "1.0">:$step);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "(`size` $size^)? `from` $start (`step` $step^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.arange.default(_end, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "aten.arange.start(start, _end, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "aten.arange.start_step(start, _end, step=1, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "torch.arange(*_args, dtype: _result_dtype = None, device: _dev = None)"];
  let hasVerifier = 1;
}

/// Draws from a distribution; never merged, dropped or reordered.
class FxGraph_RandomOp<string mnemonic> : FxGraph_Op<mnemonic, [MemoryEffects<[MemRead<FxGraph_RandomState>, MemWrite<FxGraph_RandomState>]>]> {
  let classConstraints = [
    "created_c1: one operand of sizes for each dynamic extent of the result"];
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = "(`sizes` $sizes^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def FxGraph_RandOp : FxGraph_RandomOp<"rand"> {
  let summary = "uniform on [0, 1)";
  let torchOverloads = ["aten.rand.default(_size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)", "torch.rand(*_size, dtype: _result_dtype = None, device: _dev = None)",
    "aten.rand_like.default(_input, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None, memory_format: _m = None)", "torch.rand_like(input: _input, *, dtype: _result_dtype = None, device: _dev = None)"];
}
def FxGraph_RandnOp : FxGraph_RandomOp<"randn"> {
  let summary = "standard normal";
  let torchOverloads = ["aten.randn.default(_size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)", "torch.randn(*_size, dtype: _result_dtype = None, device: _dev = None)",
    "aten.randn_like.default(_input, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None, memory_format: _m = None)", "torch.randn_like(input: _input, *, dtype: _result_dtype = None, device: _dev = None)"];
}

def FxGraph_ExponentialOp : FxGraph_RandomOp<"exponential"> {
  let constraints = [
    "exponential_c1: rate > 0"];
  let summary = "exponential with the given rate; never 0";
  let arguments = (ins Variadic<Index>:$sizes, DefaultValuedAttr<F64Attr, "1.0">:$rate);
  let assemblyFormat = "(`rate` $rate^)? (`sizes` $sizes^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.exponential.default(_input, lambd: rate = 1.0, *, generator: _generator = None)"];
}
def FxGraph_BernoulliOp : FxGraph_RandomOp<"bernoulli"> {
  let constraints = [
    "bernoulli_c1: p is in [0, 1]"];
  let summary = "true with probability p";
  let arguments = (ins Variadic<Index>:$sizes, F64Attr:$p);
  let results = (outs FxGraph_BoolTensor:$result);
  let assemblyFormat = "`p` $p (`sizes` $sizes^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.bernoulli.p(_input, p, *, generator: _generator = None)", "torch.bernoulli(input: _input, p, *, generator: _generator = None)"];
}

def FxGraph_DrawnInteger : RankedTensorOf<[I64], [], "i64 tensor">;
def FxGraph_RandintOp : FxGraph_RandomOp<"randint"> {
  let constraints = [
    "randint_c1: low < high"];
  let summary = "uniform on the integers low, …, high - 1";
  let arguments = (ins Variadic<Index>:$sizes, DefaultValuedAttr<I64Attr, "0">:$low, I64Attr:$high);
  let results = (outs FxGraph_DrawnInteger:$result);
  let assemblyFormat = "(`from` $low^)? `to` $high (`sizes` $sizes^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.randint.default(high, _size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "aten.randint.low(low, high, _size, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "aten.randint_like.default(_input, high, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None, memory_format: _m = None)",
    "aten.randint_like.low_dtype(_input, low, high, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None, memory_format: _m = None)",
    "torch.randint(high, size: _size, *, generator: _generator = None, dtype: _result_dtype = None, device: _dev = None)",
    "torch.randint(low, high, size: _size, *, generator: _generator = None, dtype: _result_dtype = None, device: _dev = None)",
    "torch.randint_like(input: _input, high, *, dtype: _result_dtype = None, device: _dev = None)",
    "torch.randint_like(input: _input, low, high, *, dtype: _result_dtype = None, device: _dev = None)"];
}

def FxGraph_RandpermOp : FxGraph_RandomOp<"randperm"> {
  let constraints = [
    "randperm_c1: the result has rank 1"];
  let summary = "the integers 0, …, n - 1 in random order";
  let results = (outs FxGraph_DrawnInteger:$result);
  let torchOverloads = ["aten.randperm.default(_n, *, dtype: _result_dtype = None, layout: _l = None, device: _dev = None, pin_memory: _p = None)",
    "torch.randperm(_n, *, generator: _generator = None, dtype: _result_dtype = None, device: _dev = None)"];
}

//===----------------------------------------------------------------------===//
// Random numbers by seed (torch/_inductor/inductor_prims.py)
//===----------------------------------------------------------------------===//

/// Effects of what draws.
class FxGraph_SeededOp<string mnemonic> : FxGraph_Op<mnemonic, [MemoryEffects<[MemRead<FxGraph_RandomState>, MemWrite<FxGraph_RandomState>]>]>;
def FxGraph_InductorSeedOp : FxGraph_SeededOp<"inductor_seed"> {
  let constraints = ["inductor_seed_c1: the result is an i64 scalar"];
  let summary = "a fresh seed, drawn from the device's generator";
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let torchOverloads = ["prims.inductor_seed.default(_device)"];
  let hasVerifier = 1;
}
def FxGraph_InductorSeedsOp : FxGraph_SeededOp<"inductor_seeds"> {
  let constraints = ["inductor_seeds_c1: the result is an i64 vector of known extent"];
  let summary = "fresh seeds, drawn from the device's generator at once";
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let torchOverloads = ["prims.inductor_seeds.default(_count, _device)"];
  let hasVerifier = 1;
}
def FxGraph_InductorLookupSeedOp : FxGraph_Op<"inductor_lookup_seed", [Pure]> {
  let constraints = ["inductor_lookup_seed_c1: the seeds are an i64 vector, the index is one of theirs, and the result is an i64 scalar"];
  let summary = "one of several seeds";
  let arguments = (ins FxGraph_Tensor:$seeds, I64Attr:$index);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$seeds `at` $index attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["prims.inductor_lookup_seed.default(seeds, index)"];
  let hasVerifier = 1;
}
def FxGraph_InductorRandomOp : FxGraph_SeededOp<"inductor_random"> {
  let constraints = [
    "created_c1: one operand of sizes for each dynamic extent of the result",
    "inductor_random_c1: the seed is an i64 scalar",
    "inductor_random_c2: mode is rand or randn"];
  let summary = "uniform on [0, 1), or standard normal, from a seed";
  let description = [{
    The stream that a seed stands for is the back end's own. Where PyTorch runs the op
    itself it draws from the device's generator and takes no notice of the seed; so do
    the interpreter and the CPU.
  }];
  let arguments = (ins FxGraph_Tensor:$seed, Variadic<Index>:$sizes, StrAttr:$mode);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = "$mode `seed` $seed (`sizes` $sizes^)? attr-dict `:` type($seed) `,` type($result)";
  let torchOverloads = ["prims.inductor_random.default(_size, seed, mode, *, align_dtype: _align_dtype = None)"];
  let hasVerifier = 1;
}
def FxGraph_InductorRandintOp : FxGraph_SeededOp<"inductor_randint"> {
  let constraints = [
    "created_c1: one operand of sizes for each dynamic extent of the result",
    "inductor_random_c1: the seed is an i64 scalar",
    "inductor_randint_c1: low < high"];
  let summary = "integers in [low, high), from a seed";
  let arguments = (ins FxGraph_Tensor:$seed, Variadic<Index>:$sizes, I64Attr:$low, I64Attr:$high);
  let results = (outs FxGraph_IndexTensor:$result);
  let assemblyFormat = "`from` $low `to` $high `seed` $seed (`sizes` $sizes^)? attr-dict `:` type($seed) `,` type($result)";
  let torchOverloads = ["prims.inductor_randint.default(low, high, _size, seed)"];
  let hasVerifier = 1;
}

def FxGraph_DevicePutOp : FxGraph_Op<"device_put", [Pure]> {
  let constraints = ["device_put_c1: input and result have one shape and dtype"];
  let summary = "the same value on another device";
  let description = "The device is that of the result type. On the device where it is the value may be the input itself.";
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<BoolAttr, "false">:$non_blocking);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input (`non_blocking` $non_blocking^)? attr-dict `:` type($input) `to` type($result)";
  let torchOverloads = ["prims.device_put.default(input, device: _device, non_blocking=False)"];
  let hasVerifier = 1;
}
def FxGraph_CloneOp : FxGraph_Op<"clone", [Pure, FxGraph_KernelForm<"Identity">, SameOperandsAndResultType]> {
  let summary = "the same value in fresh storage";
  let description = [{
    A pure identity of values; it is there so that a result of the graph shares
    storage with no argument and no other result, and may only be removed where
    that stays true.
  }];
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let torchOverloads = ["aten.clone.default(input, *, memory_format: _m = None)", "torch.clone(input, *, memory_format: _m = None)", "Tensor.clone(input, *, memory_format: _m = None)",
    "aten.lift_fresh_copy.default(input)"];
}
def FxGraph_ContiguousOp : FxGraph_Op<"contiguous", [Pure, FxGraph_KernelForm<"Identity">, SameOperandsAndResultType]> {
  let summary = "the same value in row-major storage, copied if need be";
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let torchOverloads = ["aten.contiguous.default(input, *, memory_format: _m = None)", "Tensor.contiguous(input, memory_format: _m = None)"];
  let inverse = InverseIdentity;
}
def FxGraph_CopyUnderscoreOp : FxGraph_Op<"copy_", [FxGraph_KernelForm<"Write">, MemoryEffects<[MemRead, MemWrite]>]> {
  let constraints = [
    "copy_c1: src and dst have one type",
    "copy_c2: dst is an argument of the function"];
  let summary = "writes src into an argument of the graph";
  let description = [{
    `dst` is a function argument; the write happens at the position of the op, the
    value `%dst` itself stays the old one (values are immutable). Same shape and dtype.
  }];
  let arguments = (ins FxGraph_Tensor:$dst, FxGraph_Tensor:$src);
  let assemblyFormat = "$src `into` $dst attr-dict `:` type($src) `,` type($dst)";
  let hasVerifier = 1;
}
def FxGraph_SymSizeOp : FxGraph_Op<"sym_size", [Pure]> {
  let constraints = [
    "sym_size_c1: dim is a dimension of the input; a scalar has none"];
  let summary = "extent of one dimension";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` type($input)";
  let torchOverloads = ["aten.sym_size.int(input, dim)", "Tensor.size(input, dim=None)"];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def FxGraph_AssertTensorMetadataOp : FxGraph_Op<"assert_tensor_metadata", [FxGraph_KernelForm<"Ignored">, MemoryEffects<[MemRead<FxGraph_HostState>, MemWrite<FxGraph_HostState>]>]> {
  let summary = "checks that the tensor has the expected type";
  let arguments = (ins FxGraph_Tensor:$input, TypeAttr:$expected);
  let assemblyFormat = "$input `is` $expected attr-dict `:` type($input)";
}
def FxGraph_AssertScalarOp : FxGraph_Op<"assert_scalar", [MemoryEffects<[MemRead<FxGraph_HostState>, MemWrite<FxGraph_HostState>]>]> {
  let summary = "checks a condition on sizes when the graph runs";
  let description = [{
    ATen's `_assert_scalar`. A trace holds one of the ways that a model may go: what it
    assumed of sizes that vary (a branch that it took, the number of turns of a loop, the
    bounds of a dimension) is checked before the graph's result can be believed. The
    message says what was expected. A condition that is known to hold is no op.

    ```mlir
    %n = fxgraph.sym_size %x dim 0 : tensor<?x3xf32>
    %more = arith.cmpi sgt, %n, %c3 : index
    fxgraph.assert_scalar %more, "expected x.shape[0] > 3"
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}
def FxGraph_OpaqueOp : FxGraph_Op<"opaque", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, UnknownCallOpInterface]> {
  let constraints = [
    "opaque_c1: each \"%i\" in args is the number of an operand",
    "opaque_c2: writes in args, if there, holds numbers of operands",
    "opaque_c3: effects is absent, \"none\" or \"operands\"",
    "opaque_c4: an op with effects \"none\" has no writes"];
  let summary = "a PyTorch op that the dialect does not model";
  let description = [{
    Carries the callable's name and all arguments, so that nothing is lost:
    `args` is the argument tree with `"%i"` in the place of operand i (a string that begins
    with % has a second one), and `writes` the operands that it writes. Running a graph
    that holds one is an error that names it.

    `effects` is what PyTorch's schema of the callable says beyond that:

    | `effects` | the op | so that passes |
    |---|---|---|
    | absent (no schema, random numbers, collectives, …) | may read and write anything | do not move, merge or drop it |
    | `"operands"` | writes what is in `writes`; a result may share storage with an operand | do so where `writes` is empty |
    | `"none"` | computes results in fresh storage from its operands | do so, and know that it neither keeps nor changes them |

    ```mlir
    %r = fxgraph.opaque "mylib.norm.default"(%x) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$target, Variadic<AnyType>:$operands_, DefaultValuedAttr<DictionaryAttr, "{}">:$args,
                       OptionalAttr<StrAttr>:$effects);
  // Files of version 1 have no effects (Bytecode.cpp).
  let useCustomPropertiesEncoding = 1;
  let extraClassDeclaration = [{
    /// Whether it may write to the storage of the operand.
    bool mayWrite(OpOperand &operand);
    /// Whether a result may be, or share storage with, an operand.
    bool mayReturnOperands() { return getEffects() != "none"; }
  }];
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = "$target `(` $operands_ `)` (`args` $args^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // FXGRAPH_OPS_STRUCTURAL_TD
