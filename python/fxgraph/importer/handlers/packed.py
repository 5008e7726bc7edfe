# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of a CPU library with what follows them: other names for the activations, and the convolution's attributes. Scaled products."""

import torch

from .. import table
from ..graph import NOT_DONE, Call, Unsupported, by_op, special
from .decompose import lower_traced
from .pointwise import wanted_type

# The library's name to the op's. Not among them are relu, hardsigmoid and hardtanh, which give a number for NaN there.
ACTIVATIONS = {None: "none", "none": "none", "sigmoid": "sigmoid", "tanh": "tanh", "swish": "silu", "hardswish": "hardswish",
               "leaky_relu": "leaky_relu", "gelu": "gelu"}
BINARIES = ("add", "sub", "mul")


@special("mkldnn._linear_pointwise.default", "mkldnn._linear_pointwise.binary")
def linear(importer, call):
    given = arguments(call)
    bound = {"input": given["X"], "weight": given["W"], "bias": given["B"], **post_ops(given)}
    return lower(importer, call, "linear_pointwise", bound)


@special("mkldnn._convolution_pointwise.default", "mkldnn._convolution_pointwise.binary", "mkldnn._convolution_transpose_pointwise.default")
def convolution(importer, call):
    given = arguments(call)
    n = given["W"].fake.dim() - 2
    bound = {name: list(given[name]) * (n if len(given[name]) == 1 else 1) for name in ("stride", "padding", "dilation")}
    transposed = "output_padding" in given
    bound["output_padding"] = list(given["output_padding"]) if transposed else [0] * n
    if transposed and call.fake.shape[1] != given["W"].fake.shape[1] * given["groups"]:
        raise Unsupported("its meta function takes the channels of the input for those of the result")
    bound.update(input=given["X"], weight=given["W"], bias=given["B"], groups=given["groups"], transposed=transposed, **post_ops(given))
    return lower(importer, call, "convolution_pointwise", bound)


# The layouts of 4-bit weights, by the CPU that packs them.
INT4_LAYOUTS = {"AVX512": "avx512", "AVX2": "avx2", "DEFAULT": "scalar", "NO AVX": "scalar"}


def int4_layout():
    """How this CPU packs weights of 4 bits."""
    capability = torch.backends.cpu.get_cpu_capability()
    if capability not in INT4_LAYOUTS:
        raise Unsupported(f"how a CPU with {capability} packs weights of 4 bits is not known")
    return INT4_LAYOUTS[capability]


@special("aten._weight_int4pack_mm_for_cpu.default")
def weight_int4(importer, call):
    given = arguments(call)
    bound = {"input": given["self"], "weight": given["mat2"], "scales_and_zeros": given["qScaleAndZeros"], "group_size": given["qGroupSize"],
             "layout": int4_layout()}
    return lower(importer, call, "weight_int4pack_mm", bound)


# Rows and columns of a block that has one scale.
SCALED_BLOCK = 128
# What the op's products are rounded to.
SCALED_RESULTS = (torch.float16, torch.bfloat16, torch.float32)


def check_blocks(call):
    """Refuses what PyTorch has no product for, and extents that are not known, by which the blocks would not be either."""
    (m, k), (_, n) = (call.bound[name].fake.shape for name in ("input", "mat2"))
    rows, columns = (call.bound[name].fake.shape for name in ("scale_a", "scale_b"))
    if not all(isinstance(extent, int) for extent in (m, k, n, *rows, *columns)):
        raise Unsupported("scales of blocks of matrices of unknown extents are not modelled")
    blocks = [-(-extent // SCALED_BLOCK) for extent in (m, k, n)]
    if k == 0 or len(rows) != 2 or len(columns) != 2 or rows[0] not in (m, blocks[0]) or columns[1] not in (n, blocks[2]) or not (
            rows[1] == columns[0] == blocks[1]):
        raise Unsupported(f"expected scales of {blocks[1]} blocks of terms but got {list(rows)} and {list(columns)}")


def spread(scale, dim, extent):
    """One scale for each row (or column): its own, or that of the 128 it is among."""
    if scale.shape[dim] == extent:
        return scale
    return scale.unsqueeze(dim + 1).expand([*scale.shape[:dim + 1], SCALED_BLOCK, *scale.shape[dim + 1:]]).flatten(dim, dim + 1).narrow(dim, 0, extent)


def multiply_scaled_blocks(self, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    """Of a GPU: the sum of each block of terms times its scales (and not of scaled terms, as zero times infinity is no zero)."""
    (m, k), n = self.shape, mat2.shape[1]
    rows, columns = spread(scale_a, 0, m), spread(scale_b, 1, n)
    total = None
    for i in range(rows.shape[1]):
        start, length = i * SCALED_BLOCK, min(SCALED_BLOCK, k - i * SCALED_BLOCK)
        product = self.narrow(1, start, length).float() @ mat2.narrow(0, start, length).float()
        product = product * rows.narrow(1, i, 1) * columns.narrow(0, i, 1)
        total = product if total is None else total + product
    return (total if bias is None else total + bias.float()).to(out_dtype)


@by_op("scaled_mm")
def scaled_mm(importer, call):
    """Scales of blocks of 128 are of products of these. A result of 8 bits is one of 32, which the CPU divides by the result's scale, and rounds;
    of a wider one it does not read that scale."""
    scales = [call.bound[name].fake for name in ("scale_a", "scale_b")]
    shapes = [(call.fake.shape[0], 1), (1, call.fake.shape[1])]
    if any(scale.dtype != torch.float32 for scale in scales):
        raise Unsupported("scales of 8 bits, whose blocks are swizzled, are not modelled")
    in_blocks = not all(scale.numel() == 1 for scale in scales) and [tuple(scale.shape) for scale in scales] != shapes
    narrow = call.fake.dtype not in SCALED_RESULTS
    if call.fake.device.type != "cpu" and (narrow or call.bound.get("_scale_result") is not None):
        raise Unsupported("a GPU's scaled product of 8 bits, which saturates and is multiplied by its scale, is not modelled")
    if in_blocks:
        check_blocks(call)
        return lower_traced(importer, call, multiply_scaled_blocks)
    call.take("_result_dtype")
    scale_result = call.take("_scale_result")
    if not narrow:
        return NOT_DONE
    wanted = wanted_type(importer, call)
    wide, bias = wanted.with_dtype("f32"), call.bound.get("bias")
    operands = [importer.value(call.bound[name]) for name in ("input", "mat2", "scale_a", "scale_b")]
    value, = importer.emit("scaled_mm", [*operands, None if bias is None else importer.value(bias)], [wide], use_fast_accum=call.bound.get("use_fast_accum"))
    if scale_result is not None:
        value, = importer.emit("div", [value, importer.value(scale_result)], [wide])
    return importer.fresh(importer.cast(value, wanted.dtype), call.fake)


# torch.nn.functional.ScalingType.
TENSORWISE, ROWWISE, BLOCKS_OF_16, BLOCKS_OF_32, ROW_BLOCKS, SQUARE_BLOCKS = range(6)


def multiply_scaled(self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias=None, out_dtype=None, contraction_dim=(),
                    use_fast_accum=False):
    """By recipes, as the product that tells them from the scales' shapes. Scales of blocks are transposed to it: those of rows of B, which are
    its columns, and those of squares, whose blocks of terms come first and are padded to a multiple of 4."""
    (rows,), (columns,), steps = scale_a, scale_b, -(-self.shape[1] // SCALED_BLOCK)
    recipes = recipe_a[0], recipe_b[0]
    if recipes == (ROWWISE, ROWWISE):
        columns = columns.reshape(1, -1)
    if recipes in ((TENSORWISE, TENSORWISE), (ROWWISE, ROWWISE)):
        return torch._scaled_mm(self, mat2, rows, columns, bias, None, out_dtype, use_fast_accum)
    rows = rows if recipes[0] == ROW_BLOCKS else rows.narrow(0, 0, steps).t()
    columns = columns.t() if recipes[1] == ROW_BLOCKS else columns.narrow(0, 0, steps)
    return multiply_scaled_blocks(self, mat2, rows, columns, bias, None, out_dtype, use_fast_accum)


@special("aten._scaled_mm_v2.default", "torch._scaled_mm_v2")
def scaled_mm_v2(importer, call):
    given = arguments(call)
    recipes = list(given["recipe_a"]), list(given["recipe_b"])
    if any(recipe and recipe[0] in (BLOCKS_OF_16, BLOCKS_OF_32) for recipe in recipes):
        raise Unsupported("scales of 8 bits of blocks of 16 or 32 terms, which are swizzled, are not modelled")
    if any(given["swizzle_a"]) or any(given["swizzle_b"]) or any(given.get("contraction_dim") or ()):
        raise Unsupported("a scaled product with swizzled scales, or along dimensions of its own, is not modelled")
    pairs = [(TENSORWISE, TENSORWISE), (ROWWISE, ROWWISE), (ROW_BLOCKS, ROW_BLOCKS), (ROW_BLOCKS, SQUARE_BLOCKS), (SQUARE_BLOCKS, ROW_BLOCKS)]
    if any(len(recipe) != 1 for recipe in recipes) or (recipes[0][0], recipes[1][0]) not in pairs:
        raise Unsupported(f"a scaled product by the recipes {recipes[0]} and {recipes[1]} is not modelled")
    if recipes[0][0] >= ROW_BLOCKS:
        if call.fake.dtype not in SCALED_RESULTS:
            raise Unsupported("a GPU's scaled product of 8 bits, which saturates, is not modelled")
        if not all(isinstance(extent, int) for name in ("self", "mat2") for extent in given[name].fake.shape) or 0 in given["self"].fake.shape:
            raise Unsupported("scales of blocks of matrices of unknown extents are not modelled")
    return lower_traced(importer, call, multiply_scaled)


def arguments(call):
    """By name, with the schema's defaults."""
    names = [argument.name for argument in call.target._schema.arguments]
    return {**dict(zip(names, call.args)), **call.kwargs}


def post_ops(given):
    """`attr` is the binary op where there is another tensor, and the activation else."""
    other = given.get("other")
    activation, scalars, algorithm, binary = given.get("attr"), given.get("scalars"), given.get("algorithm"), "none"
    if other is not None:
        binary = given.get("binary_attr", given.get("attr"))
        activation, scalars, algorithm = given.get("unary_attr"), given.get("unary_scalars"), given.get("unary_algorithm")
        if binary not in BINARIES or given.get("alpha") not in (None, 1.0):
            raise Unsupported(f"the library's {binary} is not modelled")
    if activation not in ACTIVATIONS:
        raise Unsupported(f"the library's {activation} is not modelled: it gives a number for NaN, or is no activation of the op's")
    return {"other": other, "binary": binary, "attr": ACTIVATIONS[activation], "scalars": [float(x) for x in scalars or []],
            "algorithm": algorithm or "none"}


def lower(importer, call, name, bound):
    inner = Call(call.node, call.key, call.target, call.args, call.kwargs, call.fake)
    inner.op, inner.bound, inner.given = table.load_table()[name], bound, set(bound)
    return importer.lower_op(inner)
