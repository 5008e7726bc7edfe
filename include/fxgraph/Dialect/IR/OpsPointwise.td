// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: unary, binary with broadcasting, selection, casts.

#ifndef FXGRAPH_OPS_POINTWISE_TD
#define FXGRAPH_OPS_POINTWISE_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

/// `result[i] = f(input[i])`, same type.
class FxGraph_UnaryOp<string mnemonic, Type operand = FxGraph_Tensor, list<Trait> traits = []>
    : FxGraph_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultType,
        DeclareOpInterfaceMethods<PointwiseOpInterface>,
        DeclareOpInterfaceMethods<UnaryPointwiseOpInterface>], traits)> {
  let arguments = (ins operand:$input);
  let results = (outs operand:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let torchOverloads = [
    "aten." # mnemonic # ".default(input)", "torch." # mnemonic # "(input)",
    "Tensor." # mnemonic # "(input)", "torch.nn.functional." # mnemonic # "(input)"];
}

/// A function of the reals: the importer casts integers to the default float.
class FxGraph_FloatUnaryOp<string mnemonic> : FxGraph_UnaryOp<mnemonic, FxGraph_FloatTensor> {
  let promotion = PromoteIntToFloat;
}

def FxGraph_TanhOp : FxGraph_FloatUnaryOp<"tanh"> { let summary = "hyperbolic tangent"; }
def FxGraph_SigmoidOp : FxGraph_FloatUnaryOp<"sigmoid"> {
  let summary = "logistic function, 1 / (1 + exp(-x))";
  let torchOverloads = ["aten.sigmoid.default(input)", "torch.sigmoid(input)", "Tensor.sigmoid(input)",
    "torch.nn.functional.sigmoid(input)", "torch.special.expit(input)"];
  let torchAliases = ["special_expit"];
}
def FxGraph_SiluOp : FxGraph_FloatUnaryOp<"silu"> {
  let summary = "x * sigmoid(x)";
  let torchOverloads = ["aten.silu.default(input)", "torch.nn.functional.silu(input, inplace: _inplace = False)"];
}
def FxGraph_ExpOp : FxGraph_FloatUnaryOp<"exp"> { let summary = "exponential"; }
def FxGraph_Exp2Op : FxGraph_FloatUnaryOp<"exp2"> { let summary = "two to the power of x"; let torchAliases = ["special_exp2"]; }
def FxGraph_Expm1Op : FxGraph_FloatUnaryOp<"expm1"> { let summary = "exp(x) - 1, precise near 0"; let torchAliases = ["special_expm1"]; }
def FxGraph_LogOp : FxGraph_FloatUnaryOp<"log"> { let summary = "natural logarithm"; }
def FxGraph_Log1pOp : FxGraph_FloatUnaryOp<"log1p"> { let summary = "log(1 + x), precise near 0"; let torchAliases = ["special_log1p"]; }
def FxGraph_Log2Op : FxGraph_FloatUnaryOp<"log2"> { let summary = "logarithm to base 2"; }
def FxGraph_Log10Op : FxGraph_FloatUnaryOp<"log10"> { let summary = "logarithm to base 10"; }
def FxGraph_SqrtOp : FxGraph_FloatUnaryOp<"sqrt"> { let summary = "square root"; }
def FxGraph_RsqrtOp : FxGraph_FloatUnaryOp<"rsqrt"> { let summary = "1 / sqrt(x)"; }
def FxGraph_ReciprocalOp : FxGraph_FloatUnaryOp<"reciprocal"> { let summary = "1 / x"; }
def FxGraph_SinOp : FxGraph_FloatUnaryOp<"sin"> { let summary = "sine"; }
def FxGraph_CosOp : FxGraph_FloatUnaryOp<"cos"> { let summary = "cosine"; }
def FxGraph_TanOp : FxGraph_FloatUnaryOp<"tan"> { let summary = "tangent"; }
def FxGraph_AsinOp : FxGraph_FloatUnaryOp<"asin"> { let summary = "inverse sine"; let torchAliases = ["arcsin"]; }
def FxGraph_AcosOp : FxGraph_FloatUnaryOp<"acos"> { let summary = "inverse cosine"; let torchAliases = ["arccos"]; }
def FxGraph_AtanOp : FxGraph_FloatUnaryOp<"atan"> { let summary = "inverse tangent"; let torchAliases = ["arctan"]; }
def FxGraph_AsinhOp : FxGraph_FloatUnaryOp<"asinh"> { let summary = "inverse hyperbolic sine"; let torchAliases = ["arcsinh"]; }
def FxGraph_AcoshOp : FxGraph_FloatUnaryOp<"acosh"> { let summary = "inverse hyperbolic cosine"; let torchAliases = ["arccosh"]; }
def FxGraph_AtanhOp : FxGraph_FloatUnaryOp<"atanh"> { let summary = "inverse hyperbolic tangent"; let torchAliases = ["arctanh"]; }
def FxGraph_SinhOp : FxGraph_FloatUnaryOp<"sinh"> { let summary = "hyperbolic sine"; }
def FxGraph_CoshOp : FxGraph_FloatUnaryOp<"cosh"> { let summary = "hyperbolic cosine"; }
def FxGraph_ErfOp : FxGraph_FloatUnaryOp<"erf"> { let summary = "error function"; let torchAliases = ["special_erf"]; }
def FxGraph_ErfcOp : FxGraph_FloatUnaryOp<"erfc"> { let summary = "1 - erf(x), precise for large x"; let torchAliases = ["special_erfc"]; }
def FxGraph_AngleOp : FxGraph_FloatUnaryOp<"angle"> { let summary = "the argument of a real: pi where it is negative, 0 elsewhere; NaN of NaN"; }
def FxGraph_LogSigmoidOp : FxGraph_FloatUnaryOp<"log_sigmoid"> {
  let summary = "log(sigmoid(x)), without overflow";
  let torchOverloads = ["aten.log_sigmoid.default(input)", "torch.nn.functional.logsigmoid(input)"];
}
def FxGraph_GeluOp : FxGraph_FloatUnaryOp<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `approximate = "none"`: x/2 * (1 + erf(x / sqrt 2)); `"tanh"`:
    x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
  }];
  let arguments = (ins FxGraph_FloatTensor:$input,
    ConfinedAttr<DefaultValuedStrAttr<StrAttr, "none">, [AttrConstraint<
      CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"none\" || ::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"tanh\"">,
      "\"none\" or \"tanh\"">]>:$approximate);
  let assemblyFormat = "$input (`approximate` $approximate^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.gelu.default(input, *, approximate='none')",
    "torch.nn.functional.gelu(input, *, approximate='none')", "torch._C._nn.gelu(input, *, approximate='none')"];
}
def FxGraph_SoftplusOp : FxGraph_FloatUnaryOp<"softplus"> {
  let summary = "log(1 + exp(beta x)) / beta; x itself where beta x > threshold";
  let arguments = (ins FxGraph_FloatTensor:$input,
    DefaultValuedAttr<F64Attr, "1.0">:$beta, DefaultValuedAttr<F64Attr, "20.0">:$threshold);
  let assemblyFormat = "$input (`beta` $beta^)? (`threshold` $threshold^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.softplus.default(input, beta=1.0, threshold=20.0)",
    "torch.nn.functional.softplus(input, beta=1.0, threshold=20.0)", "torch._C._nn.softplus(input, beta=1.0, threshold=20.0)"];
}
def FxGraph_EluOp : FxGraph_FloatUnaryOp<"elu"> {
  let summary = "scale * x where x > 0, else scale * alpha * (exp(input_scale * x) - 1)";
  let arguments = (ins FxGraph_FloatTensor:$input, DefaultValuedAttr<F64Attr, "1.0">:$alpha,
    DefaultValuedAttr<F64Attr, "1.0">:$scale, DefaultValuedAttr<F64Attr, "1.0">:$input_scale);
  let assemblyFormat = "$input (`alpha` $alpha^)? (`scale` $scale^)? (`input_scale` $input_scale^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.elu.default(input, alpha=1.0, scale=1.0, input_scale=1.0)",
    "torch.nn.functional.elu(input, alpha=1.0, inplace: _inplace = False)"];
}
def FxGraph_LeakyReluOp : FxGraph_FloatUnaryOp<"leaky_relu"> {
  let summary = "x where x > 0, else negative_slope * x";
  let arguments = (ins FxGraph_FloatTensor:$input, DefaultValuedAttr<F64Attr, "0.01">:$negative_slope);
  let assemblyFormat = "$input `slope` $negative_slope attr-dict `:` type($result)";
  let torchOverloads = ["aten.leaky_relu.default(input, negative_slope=0.01)",
    "torch.nn.functional.leaky_relu(input, negative_slope=0.01, inplace: _inplace = False)"];
}
def FxGraph_HardsigmoidOp : FxGraph_FloatUnaryOp<"hardsigmoid"> {
  let summary = "min(max(x + 3, 0), 6) / 6";
  let torchOverloads = ["aten.hardsigmoid.default(input)", "torch.nn.functional.hardsigmoid(input, inplace: _inplace = False)"];
}
def FxGraph_HardswishOp : FxGraph_FloatUnaryOp<"hardswish"> {
  let summary = "x * min(max(x + 3, 0), 6) / 6";
  let torchOverloads = ["aten.hardswish.default(input)", "torch.nn.functional.hardswish(input, inplace: _inplace = False)"];
}
def FxGraph_MishOp : FxGraph_FloatUnaryOp<"mish"> {
  let summary = "x * tanh(softplus(x))";
  let torchOverloads = ["aten.mish.default(input)", "torch.nn.functional.mish(input, inplace: _inplace = False)"];
}

def FxGraph_ReluOp : FxGraph_UnaryOp<"relu", FxGraph_Tensor, [FxGraph_FewInstructions]> {
  let summary = "max(x, 0); NaN stays NaN";
  let torchOverloads = ["aten.relu.default(input)", "torch.relu(input)", "Tensor.relu(input)",
    "torch.nn.functional.relu(input, inplace: _inplace = False)"];
}
def FxGraph_NegOp : FxGraph_UnaryOp<"neg", FxGraph_Tensor, [FxGraph_FewInstructions]> {
  let summary = "-x; wraps for integers";
  let torchOverloads = ["aten.neg.default(input)", "torch.neg(input)", "torch.negative(input)", "Tensor.neg(input)", "operator.neg(input)"];
  let torchAliases = ["negative"];
}
def FxGraph_AbsOp : FxGraph_UnaryOp<"abs", FxGraph_Tensor, [FxGraph_FewInstructions]> {
  let summary = "absolute value";
  let torchOverloads = ["aten.abs.default(input)", "torch.abs(input)", "Tensor.abs(input)", "operator.abs(input)", "builtins.abs(input)"];
  let torchAliases = ["absolute"];
}
def FxGraph_SignOp : FxGraph_UnaryOp<"sign", FxGraph_Tensor, [FxGraph_Jumps]> { let summary = "-1, 0 or 1; 0 for NaN"; }
def FxGraph_CeilOp : FxGraph_UnaryOp<"ceil", FxGraph_Tensor, [FxGraph_Jumps]> { let summary = "smallest integer >= x"; }
def FxGraph_FloorOp : FxGraph_UnaryOp<"floor", FxGraph_Tensor, [FxGraph_Jumps]> { let summary = "largest integer <= x"; }
def FxGraph_RoundOp : FxGraph_UnaryOp<"round", FxGraph_Tensor, [FxGraph_Jumps]> { let summary = "nearest integer, halves to even"; let torchAliases = ["special_round"]; }
def FxGraph_TruncOp : FxGraph_UnaryOp<"trunc", FxGraph_Tensor, [FxGraph_Jumps]> { let summary = "integer part"; let torchAliases = ["fix"]; }
def FxGraph_BitwiseNotOp : FxGraph_UnaryOp<"bitwise_not", FxGraph_IntOrBoolTensor, [FxGraph_FewInstructions]> {
  let summary = "complement of the bits; logical not of bools";
  let torchOverloads = ["aten.bitwise_not.default(input)", "torch.bitwise_not(input)", "Tensor.bitwise_not(input)", "operator.invert(input)"];
}
def FxGraph_ClampOp : FxGraph_UnaryOp<"clamp", FxGraph_Tensor, [FxGraph_FewInstructions]> {
  let summary = "min(max(x, min), max); NaN stays NaN";
  let description = "Either bound may be absent. `max` wins where `min > max`.";
  let arguments = (ins FxGraph_Tensor:$input, OptionalAttr<F64Attr>:$min, OptionalAttr<F64Attr>:$max);
  let assemblyFormat = "$input (`min` $min^)? (`max` $max^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.clamp.default(input, min=None, max=None)", "torch.clamp(input, min=None, max=None)",
    "torch.clip(input, min=None, max=None)", "Tensor.clamp(input, min=None, max=None)", "Tensor.clip(input, min=None, max=None)",
    "aten.clip.default(input, min=None, max=None)", "aten.clamp.Tensor(input, min=None, max=None)", "aten.clip.Tensor(input, min=None, max=None)",
    "aten.clamp_min.Tensor(input, min)", "aten.clamp_max.Tensor(input, max)",
    "aten.clamp_min.default(input, min)", "Tensor.clamp_min(input, min)", "torch.clamp_min(input, min)",
    "aten.clamp_max.default(input, max)", "Tensor.clamp_max(input, max)", "torch.clamp_max(input, max)",
    "aten.hardtanh.default(input, min=-1.0, max=1.0)",
    "torch.nn.functional.hardtanh(input, min_val: min = -1.0, max_val: max = 1.0, inplace: _inplace = False)"];
  let torchAliases = ["clip"];
}
def FxGraph_NanToNumOp : FxGraph_UnaryOp<"nan_to_num"> {
  let summary = "replaces NaN and infinities";
  let description = "Absent `posinf`/`neginf` mean the largest and lowest finite value of the dtype.";
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<F64Attr, "0.0">:$nan,
    OptionalAttr<F64Attr>:$posinf, OptionalAttr<F64Attr>:$neginf);
  let assemblyFormat = "$input (`nan` $nan^)? (`posinf` $posinf^)? (`neginf` $neginf^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.nan_to_num.default(input, nan=None, posinf=None, neginf=None)",
    "torch.nan_to_num(input, nan=None, posinf=None, neginf=None)", "Tensor.nan_to_num(input, nan=None, posinf=None, neginf=None)"];
}
def FxGraph_ReluNanToNumOp : FxGraph_UnaryOp<"relu_nan_to_num", FxGraph_FloatTensor> {
  let summary = "relu with a number in the place of NaN and of positive infinity";
  let description = [{
    `nan` for NaN, `posinf` for +inf (absent: the largest finite value of the dtype), 0
    below 0, and otherwise the element itself. The two numbers are not clamped.
  }];
  let arguments = (ins FxGraph_FloatTensor:$input, DefaultValuedAttr<F64Attr, "0.0">:$nan, OptionalAttr<F64Attr>:$posinf);
  let assemblyFormat = "$input (`nan` $nan^)? (`posinf` $posinf^)? attr-dict `:` type($result)";
  let torchOverloads = [];
}
def FxGraph_DetachOp : FxGraph_UnaryOp<"detach", FxGraph_Tensor, [FxGraph_KernelForm<"Identity">]> {
  let summary = "the same value, outside of autodiff";
  let torchOverloads = ["aten.detach.default(input)", "Tensor.detach(input)", "aten.detach_.default(input)", "torch.detach(input)"];
  let inverse = InverseIdentity;
  let hasFolder = 0;
}

/// Result is a bool tensor of the input's shape.
class FxGraph_PredicateOp<string mnemonic>
    : FxGraph_InferredOp<mnemonic, [Pure, FxGraph_FewInstructions, DeclareOpInterfaceMethods<PointwiseOpInterface>,
        DeclareOpInterfaceMethods<UnaryPointwiseOpInterface>]> {
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten." # mnemonic # ".default(input)", "torch." # mnemonic # "(input)", "Tensor." # mnemonic # "(input)"];
}
def FxGraph_IsnanOp : FxGraph_PredicateOp<"isnan"> { let summary = "true for NaN"; }
def FxGraph_IsinfOp : FxGraph_PredicateOp<"isinf"> { let summary = "true for either infinity"; }
def FxGraph_IsfiniteOp : FxGraph_PredicateOp<"isfinite"> { let summary = "true for neither NaN nor infinity"; }
def FxGraph_SignbitOp : FxGraph_PredicateOp<"signbit"> { let summary = "true for a set sign bit: negative numbers, -0 and NaNs with one"; }
def FxGraph_LogicalNotOp : FxGraph_PredicateOp<"logical_not"> { let summary = "true for zero"; }

def FxGraph_ConvertElementTypeOp : FxGraph_Op<"convert_element_type", [Pure, FxGraph_FewInstructions,
    DeclareOpInterfaceMethods<PointwiseOpInterface>]> {
  let constraints = [
    "convert_element_type_c1: the result has the shape, symbols and device of the input"];
  let summary = "cast to another dtype";
  let description = [{
    Rounds to nearest even between floats, truncates towards zero from float to
    integer, wraps between integers; to bool: x != 0. The result type says the dtype.
  }];
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["prims.convert_element_type.default(input, _result_dtype)", "aten.to.dtype(input, _result_dtype, _nb=False, _copy=False, _mf=None)",
    "Tensor.to(input, _result_dtype=None)", "Tensor.float(input, memory_format: _mf = None)", "Tensor.double(input, memory_format: _mf = None)", "Tensor.half(input, memory_format: _mf = None)", "Tensor.bfloat16(input, memory_format: _mf = None)",
    "Tensor.int(input, memory_format: _mf = None)", "Tensor.long(input, memory_format: _mf = None)", "Tensor.bool(input, memory_format: _mf = None)", "aten.type_as.default(input, _other)", "Tensor.type_as(input, _other)",
    "aten._to_copy.default(input, *, dtype: _result_dtype = None, layout: _layout = None, device: _device = None, pin_memory: _pm = None, non_blocking: _nb = False, memory_format: _mf = None)"];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def FxGraph_QuantizedTensor : RankedTensorOf<[UI8, I8, I16, I32], [], "ui8, i8, i16 or i32 tensor">;
/// Affine quantization with one scale and zero point; the result type says the dtype.
class FxGraph_QuantizationOp<string mnemonic, Type input, Type result> : FxGraph_Op<mnemonic, [Pure,
    DeclareOpInterfaceMethods<PointwiseOpInterface>, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let classConstraints = [
    "quantization_c1: the result has the shape, symbols and device of the input",
    "quantization_c2: quant_min and quant_max lie in the range of the quantized dtype"];
  let arguments = (ins input:$input, F64Attr:$scale, I64Attr:$zero_point, I64Attr:$quant_min, I64Attr:$quant_max);
  let results = (outs result:$result);
  let assemblyFormat = [{
    $input `scale` $scale `zero_point` $zero_point `range` `[` $quant_min `,` $quant_max `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def FxGraph_QuantizePerTensorOp : FxGraph_QuantizationOp<"quantize_per_tensor", FxGraph_QuantizableTensor, FxGraph_QuantizedTensor> {
  let constraints = [
    "quantize_c1: scale is not 0"];
  let summary = "clamp(round(input * (1 / scale)) + zero_point, quant_min, quant_max)";
  let description = [{
    Computed in f32, halves round to even; the result type says the quantized dtype. NaN
    gives what the cast of NaN to that dtype gives.
  }];
  let torchOverloads = ["quantized_decomposed.quantize_per_tensor.default(input, scale, zero_point, quant_min, quant_max, dtype: _result_dtype)"];
}
def FxGraph_DequantizePerTensorOp : FxGraph_QuantizationOp<"dequantize_per_tensor", FxGraph_QuantizedTensor, FxGraph_FloatTensor> {
  let summary = "(input - zero_point) * scale";
  let description = [{
    Computed in the dtype of the result. `quant_min` and `quant_max` say how the input was
    made; they do not enter the computation.
  }];
  let torchOverloads = [
    "quantized_decomposed.dequantize_per_tensor.default(input, scale, zero_point, quant_min, quant_max, dtype: _input_dtype, *, out_dtype: _result_dtype = None)"];
}
def FxGraph_DequantizePerChannelOp : FxGraph_Op<"dequantize_per_channel", [Pure, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "quantization_c1: the result has the shape, symbols and device of the input",
    "quantization_c2: quant_min and quant_max lie in the range of the quantized dtype",
    "dequantize_per_channel_c1: axis is a dimension of the input",
    "dequantize_per_channel_c2: there is one scale, and one zero point if any, for each index along axis"];
  let summary = "(input - zero_points) * scales, of which each index along axis has its own";
  let description = [{
    The difference is taken in the integers that both promote to, the product in the dtype of the
    scales; without zero points they are 0. `quant_min` and `quant_max` as of `dequantize_per_tensor`.
  }];
  let arguments = (ins FxGraph_QuantizedTensor:$input, FxGraph_FloatTensor:$scales, Optional<FxGraph_IndexTensor>:$zero_points, I64Attr:$axis,
    I64Attr:$quant_min, I64Attr:$quant_max);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `scales` $scales (`zero_points` $zero_points^)? `axis` $axis `range` `[` $quant_min `,` $quant_max `]` attr-dict `:`
    functional-type(operands, results)
  }];
  let torchOverloads = [
    "quantized_decomposed.dequantize_per_channel.default(input, scales, zero_points, axis, quant_min, quant_max, dtype: _input_dtype, *, out_dtype: _result_dtype = None)"];
  let hasVerifier = 1;
}
def FxGraph_CvtE8m0RceilOp : FxGraph_InferredOp<"cvt_e8m0_rceil", [Pure, DeclareOpInterfaceMethods<PointwiseOpInterface>,
    DeclareOpInterfaceMethods<UnaryPointwiseOpInterface>, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "the exponent of the next power of two, biased by 127, in 8 bits";
  let description = [{
    Of the magnitude of the f32 number, read from its bits: the biased exponent, one more where
    the mantissa is not 0, at most 254 (infinities and NaN). Subnormal numbers give 1.
  }];
  let arguments = (ins FxGraph_QuantizableTensor:$input);
  let results = (outs FxGraph_ByteTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["prims.inductor_cvt_e8m0_rceil.default(input)"];
}
def FxGraph_DropoutOp : FxGraph_Op<"dropout", [DeclareOpInterfaceMethods<KernelFormOpInterface>, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "zeroes elements with probability p and scales the rest by 1/(1-p)";
  let description = [{
    The identity unless `training` (and then it draws random numbers, so that
    it is neither merged nor dropped).
  }];
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<F64Attr, "0.5">:$p, DefaultValuedAttr<BoolAttr, "true">:$training);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `p` $p (`training` $training^)? attr-dict `:` type($result)";
  let torchOverloads = ["aten.dropout.default(input, p, training: training = True)",
    "torch.nn.functional.dropout(input, p=0.5, training=True, inplace: _inplace = False)", "torch.dropout(input, p, train: training)"];
  let inverse = InverseIdentity;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

/// `result[i] = f(input[i], other[i])` with broadcasting. Element types agree, but
/// a wrapped number (rank 0, f64 or i64) goes with any type of its category.
class FxGraph_BinaryOp<string mnemonic, string kind = "default", list<Trait> traits = []>
    : FxGraph_InferredOp<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<PointwiseOpInterface>], traits)> {
  let classConstraints = [
    "broadcast_c1: the shapes of the operands broadcast",
    "broadcast_c2: the operands have one element type, but for wrapped numbers",
    "broadcast_c3: the operands are on one device, but for a rank-0 operand on the module's"];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$other);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $other attr-dict `:` functional-type(operands, results)";
  let promotion = Promotion<kind>;
  let torchOverloads = [
    "aten." # mnemonic # ".Tensor(input, other)", "aten." # mnemonic # ".Scalar(input, other)",
    "aten." # mnemonic # ".default(input, other)",
    "torch." # mnemonic # "(input, other)", "Tensor." # mnemonic # "(input, other)"];
}

def FxGraph_AddOp : FxGraph_BinaryOp<"add", "default", [FxGraph_FewInstructions]> {
  let summary = "input + alpha * other";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$other, DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let assemblyFormat = "$input `,` $other (`alpha` $alpha^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.add.Tensor(input, other, *, alpha=1)", "aten.add.Scalar(input, other, alpha=1)", "torch.add(input, other, *, alpha=1)",
    "Tensor.add(input, other, *, alpha=1)", "operator.add(input, other)", "operator.iadd(input, other)"];
}
def FxGraph_SubOp : FxGraph_BinaryOp<"sub", "default", [FxGraph_FewInstructions]> {
  let summary = "input - alpha * other";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$other, DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let assemblyFormat = "$input `,` $other (`alpha` $alpha^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.sub.Tensor(input, other, *, alpha=1)", "aten.sub.Scalar(input, other, alpha=1)", "torch.sub(input, other, *, alpha=1)",
    "Tensor.sub(input, other, *, alpha=1)", "operator.sub(input, other)", "operator.isub(input, other)", "torch.subtract(input, other, *, alpha=1)",
    "aten.rsub.Scalar(other, input, alpha=1)", "aten.rsub.Tensor(other, input, *, alpha=1)", "torch.rsub(other, input, *, alpha=1)"];
  let torchAliases = ["subtract"];
}
def FxGraph_MulOp : FxGraph_BinaryOp<"mul", "default", [FxGraph_FewInstructions]> {
  let summary = "input * other";
  let torchOverloads = ["aten.mul.Tensor(input, other)", "aten.mul.Scalar(input, other)", "torch.mul(input, other)", "Tensor.mul(input, other)",
    "operator.mul(input, other)", "operator.imul(input, other)", "torch.multiply(input, other)"];
  let torchAliases = ["multiply"];
}
def FxGraph_DivOp : FxGraph_BinaryOp<"div"> {
  let constraints = [
    "div_c1: rounding_mode is absent, \"trunc\" or \"floor\"",
    "div_c2: the result is floating-point unless rounding_mode is given"];
  let summary = "input / other, optionally rounded";
  let description = [{
    `rounding_mode`: absent: true division (the importer casts integers to
    float); `"trunc"`: towards zero; `"floor"`: downwards. Integer division by
    zero is an error when run.
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$other, OptionalAttr<StrAttr>:$rounding_mode);
  let assemblyFormat = "$input `,` $other (`rounding_mode` $rounding_mode^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.div.Tensor(input, other)", "aten.div.Scalar(input, other)", "aten.div.Tensor_mode(input, other, *, rounding_mode=None)", "aten.div.Scalar_mode(input, other, *, rounding_mode=None)",
    "torch.div(input, other, *, rounding_mode=None)", "Tensor.div(input, other, *, rounding_mode=None)", "operator.truediv(input, other)",
    "operator.itruediv(input, other)", "torch.true_divide(input, other)", "torch.divide(input, other, *, rounding_mode=None)",
    "aten.floor_divide.default(input, other)", "operator.floordiv(input, other)", "torch.floor_divide(input, other)"];
  let hasVerifier = 1;
  let torchAliases = ["divide", "true_divide"];
  let failure = FailsOnIntegers;
}
def FxGraph_PowOp : FxGraph_BinaryOp<"pow"> {
  let summary = "input to the power of other";
  let description = [{
    Integers wrap. Of a negative exponent their power is 0, but for the bases 1 and -1
    (PyTorch refuses it of a number, and takes it of a tensor).
  }];
  let torchOverloads = ["aten.pow.Tensor_Tensor(input, other)", "aten.pow.Tensor_Scalar(input, other)", "aten.pow.Scalar(input, other)",
    "torch.pow(input, exponent: other)", "Tensor.pow(input, exponent: other)", "operator.pow(input, other)"];
}
def FxGraph_MaximumOp : FxGraph_BinaryOp<"maximum", "default", [FxGraph_FewInstructions]> {
  let summary = "the larger one; NaN if either is";
  let torchOverloads = ["aten.maximum.default(input, other)", "torch.maximum(input, other)", "Tensor.maximum(input, other)", "aten.max.other(input, other)", "torch.max(input, other)", "Tensor.max(input, other)"];
}
def FxGraph_MinimumOp : FxGraph_BinaryOp<"minimum", "default", [FxGraph_FewInstructions]> {
  let summary = "the smaller one; NaN if either is";
  let torchOverloads = ["aten.minimum.default(input, other)", "torch.minimum(input, other)", "Tensor.minimum(input, other)", "aten.min.other(input, other)", "torch.min(input, other)", "Tensor.min(input, other)"];
}
def FxGraph_FmaxOp : FxGraph_BinaryOp<"fmax"> { let summary = "the larger one; the other one if one is NaN"; }
def FxGraph_FminOp : FxGraph_BinaryOp<"fmin"> { let summary = "the smaller one; the other one if one is NaN"; }
def FxGraph_RemainderOp : FxGraph_BinaryOp<"remainder", "default", [FxGraph_Jumps]> {
  let summary = "input - floor(input / other) * other: the divisor's sign";
  let torchOverloads = ["aten.remainder.Tensor(input, other)", "aten.remainder.Scalar(input, other)", "aten.remainder.Scalar_Tensor(input, other)", "torch.remainder(input, other)",
    "Tensor.remainder(input, other)", "operator.mod(input, other)"];
  let failure = FailsOnIntegers;
}
def FxGraph_FmodOp : FxGraph_BinaryOp<"fmod", "default", [FxGraph_Jumps]> { let summary = "input - trunc(input / other) * other: the dividend's sign"; let failure = FailsOnIntegers; }
def FxGraph_CopysignOp : FxGraph_BinaryOp<"copysign", "int_to_float"> {
  let summary = "input with the sign of other";
  let torchOverloads = ["aten.copysign.Tensor(input, other)", "aten.copysign.Scalar(input, other)", "torch.copysign(input, other)", "Tensor.copysign(input, other)"];
}
def FxGraph_Atan2Op : FxGraph_BinaryOp<"atan2", "int_to_float"> { let summary = "angle of the point (other, input)"; let torchAliases = ["arctan2"]; }
def FxGraph_NextafterOp : FxGraph_BinaryOp<"nextafter", "default", [FxGraph_Jumps]> {
  let summary = "the number of the dtype that follows input on the way to other";
  let description = "`other` itself where the two are equal; NaN if either is.";
  let arguments = (ins FxGraph_FloatTensor:$input, FxGraph_FloatTensor:$other);
  let results = (outs FxGraph_FloatTensor:$result);
  let torchOverloads = ["aten.nextafter.default(input, other)", "torch.nextafter(input, other)", "Tensor.nextafter(input, other)"];
}
def FxGraph_GcdOp : FxGraph_BinaryOp<"gcd"> {
  let summary = "greatest common divisor, not negative; 0 of 0 and 0";
  let description = "The lowest number of a signed dtype has no absolute value there: it wraps to itself.";
  let arguments = (ins FxGraph_IndexTensor:$input, FxGraph_IndexTensor:$other);
  let results = (outs FxGraph_IndexTensor:$result);
  let torchOverloads = ["aten.gcd.default(input, other)", "torch.gcd(input, other)", "Tensor.gcd(input, other)"];
}

/// Comparison: result i1.
class FxGraph_CompareOp<string mnemonic> : FxGraph_BinaryOp<mnemonic, "compare", [FxGraph_FewInstructions]> {
  let results = (outs FxGraph_BoolTensor:$result);
  let torchOverloads = ["aten." # mnemonic # ".Tensor(input, other)", "aten." # mnemonic # ".Scalar(input, other)",
    "torch." # mnemonic # "(input, other)", "Tensor." # mnemonic # "(input, other)", "operator." # mnemonic # "(input, other)"];
}
def FxGraph_EqOp : FxGraph_CompareOp<"eq"> { let summary = "input == other"; }
def FxGraph_NeOp : FxGraph_CompareOp<"ne"> { let summary = "input != other"; let torchAliases = ["not_equal"]; }
def FxGraph_LtOp : FxGraph_CompareOp<"lt"> { let summary = "input < other"; let torchAliases = ["less"]; }
def FxGraph_LeOp : FxGraph_CompareOp<"le"> { let summary = "input <= other"; let torchAliases = ["less_equal"]; }
def FxGraph_GtOp : FxGraph_CompareOp<"gt"> { let summary = "input > other"; let torchAliases = ["greater"]; }
def FxGraph_GeOp : FxGraph_CompareOp<"ge"> { let summary = "input >= other"; let torchAliases = ["greater_equal"]; }
def FxGraph_LogicalAndOp : FxGraph_CompareOp<"logical_and"> {
  let summary = "both non-zero";
  let torchOverloads = ["aten.logical_and.default(input, other)", "torch.logical_and(input, other)", "Tensor.logical_and(input, other)"];
}
def FxGraph_LogicalOrOp : FxGraph_CompareOp<"logical_or"> {
  let summary = "either non-zero";
  let torchOverloads = ["aten.logical_or.default(input, other)", "torch.logical_or(input, other)", "Tensor.logical_or(input, other)"];
}
def FxGraph_LogicalXorOp : FxGraph_CompareOp<"logical_xor"> {
  let summary = "exactly one non-zero";
  let torchOverloads = ["aten.logical_xor.default(input, other)", "torch.logical_xor(input, other)", "Tensor.logical_xor(input, other)"];
}

/// Bitwise on integers and bools.
class FxGraph_BitwiseOp<string suffix> : FxGraph_BinaryOp<"bitwise_" # suffix, "default", [FxGraph_FewInstructions]> {
  let arguments = (ins FxGraph_IntOrBoolTensor:$input, FxGraph_IntOrBoolTensor:$other);
  let results = (outs FxGraph_IntOrBoolTensor:$result);
  let torchOverloads = ["aten.bitwise_" # suffix # ".Tensor(input, other)", "aten.bitwise_" # suffix # ".Scalar(input, other)", "aten.bitwise_" # suffix # ".Scalar_Tensor(input, other)",
    "aten.__" # suffix # "__.Tensor(input, other)", "aten.__" # suffix # "__.Scalar(input, other)",
    "torch.bitwise_" # suffix # "(input, other)", "Tensor.bitwise_" # suffix # "(input, other)", "operator." # suffix # "_(input, other)"];
  let torchAliases = ["__" # suffix # "__"];
}
def FxGraph_BitwiseAndOp : FxGraph_BitwiseOp<"and"> { let summary = "and of the bits"; }
def FxGraph_BitwiseOrOp : FxGraph_BitwiseOp<"or"> { let summary = "or of the bits"; }
def FxGraph_BitwiseXorOp : FxGraph_BitwiseOp<"xor"> {
  let summary = "exclusive or of the bits";
  let torchOverloads = ["aten.bitwise_xor.Tensor(input, other)", "aten.bitwise_xor.Scalar(input, other)", "aten.bitwise_xor.Scalar_Tensor(input, other)",
    "aten.__xor__.Tensor(input, other)", "aten.__xor__.Scalar(input, other)", "torch.bitwise_xor(input, other)", "Tensor.bitwise_xor(input, other)",
    "operator.xor(input, other)"];
}

/// Of integers; a distance below 0, or of all bits or more, shifts all of them out.
class FxGraph_ShiftOp<string side> : FxGraph_BinaryOp<"bitwise_" # side # "_shift"> {
  let arguments = (ins FxGraph_IndexTensor:$input, FxGraph_IndexTensor:$other);
  let results = (outs FxGraph_IndexTensor:$result);
  string operation = !if(!eq(side, "left"), "lshift", "rshift");
  let torchOverloads = ["aten.bitwise_" # side # "_shift.Tensor(input, other)", "aten.bitwise_" # side # "_shift.Tensor_Scalar(input, other)",
    "aten.bitwise_" # side # "_shift.Scalar_Tensor(input, other)", "aten.__" # operation # "__.Tensor(input, other)",
    "aten.__" # operation # "__.Scalar(input, other)", "torch.bitwise_" # side # "_shift(input, other)",
    "Tensor.bitwise_" # side # "_shift(input, other)", "operator." # operation # "(input, other)"];
  let torchAliases = ["__" # operation # "__"];
}
def FxGraph_BitwiseLeftShiftOp : FxGraph_ShiftOp<"left"> { let summary = "input * 2^other, without the bits that leave the type"; }
def FxGraph_BitwiseRightShiftOp : FxGraph_ShiftOp<"right"> { let summary = "floor(input / 2^other): the sign stays"; }

def FxGraph_WhereOp : FxGraph_InferredOp<"where", [Pure, FxGraph_FewInstructions, DeclareOpInterfaceMethods<PointwiseOpInterface>]> {
  let constraints = [
    "broadcast_c1: the shapes of the operands broadcast",
    "broadcast_c2: input and other have one element type, but for wrapped numbers",
    "broadcast_c3: the operands are on one device, but for a rank-0 operand on the module's"];
  let summary = "input where the condition holds, else other";
  let arguments = (ins FxGraph_BoolTensor:$condition, FxGraph_Tensor:$input, FxGraph_Tensor:$other);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$condition `,` $input `,` $other attr-dict `:` functional-type(operands, results)";
  let promotion = PromoteDefault;
  let torchOverloads = ["aten.where.self(condition, input, other)", "aten.where.ScalarOther(condition, input, other)", "aten.where.ScalarSelf(condition, input, other)",
    "aten.where.Scalar(condition, input, other)", "torch.where(condition, input, other)", "Tensor.where(input, condition, other)",
    "aten.masked_fill.Scalar(other, condition, input)", "aten.masked_fill.Tensor(other, condition, input)",
    "Tensor.masked_fill(other, mask: condition, value: input)", "torch.masked_fill(other, mask: condition, value: input)"];
}
def FxGraph_FmaOp : FxGraph_InferredOp<"fma", [Pure, FxGraph_FewInstructions, DeclareOpInterfaceMethods<PointwiseOpInterface>]> {
  let constraints = [
    "broadcast_c1: the shapes of the operands broadcast",
    "broadcast_c2: the operands have one element type, but for wrapped numbers",
    "broadcast_c3: the operands are on one device, but for a rank-0 operand on the module's"];
  let summary = "input * other + addend, rounded once";
  let description = [{
    Floats of 16 bits are computed in f32, which is rounded once to their dtype. Integers
    wrap; of bools it is (input and other) or addend. PyTorch's eager form of `prims.fma`
    rounds the product as well.

    ```mlir
    %r = fxgraph.fma %x, %y, %z : (tensor<2x3xf32>, tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$other, FxGraph_Tensor:$addend);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $other `,` $addend attr-dict `:` functional-type(operands, results)";
  let promotion = PromoteDefault;
  let torchOverloads = ["prims.fma.default(a: input, b: other, c: addend)"];
}

#endif // FXGRAPH_OPS_POINTWISE_TD
