# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of PyTorch's CPU library: imported, run and exported again, with the library's value."""

import os
import subprocess
import sys

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph
import fxgraph.importer.handlers.packed

pytestmark = pytest.mark.skipif(not torch._C._has_mkldnn, reason="needs PyTorch with its CPU library")

NUMBERS = {"leaky_relu": [0.1], "hardtanh": [-0.5, 0.5]}
MODELLED = ["none", "sigmoid", "tanh", "swish", "hardswish", "leaky_relu", "gelu"]
NAN_IS_A_NUMBER = ["relu", "hardsigmoid", "hardtanh"]


def check(function, args, op, calls):
    """`calls` are those of the exported graph that belong to the library."""
    expected = function(*args)
    module = fxgraph.from_fx(make_fx(function)(*args), args)
    assert {name: count for name, count in module.op_counts().items() if name.startswith("fxgraph.")} == {f"fxgraph.{op}": 1}
    torch.testing.assert_close(module.run(args), [expected])
    exported = module.to_fx()
    torch.testing.assert_close(list(exported(*args)), [expected])
    assert [str(node.target) for node in exported.graph.nodes if "mkldnn" in str(node.target)] == calls


@pytest.mark.parametrize("attr", MODELLED)
@pytest.mark.parametrize("bias", [True, False])
def test_linear(attr, bias):
    torch.manual_seed(1)
    args = [torch.randn(2, 4, 8), torch.randn(3, 8), torch.randn(3)]

    def function(x, w, b):
        return torch.ops.mkldnn._linear_pointwise(x, w, b, attr, NUMBERS.get(attr, []), "tanh" if attr == "gelu" else "")
    if bias:
        check(function, args, "linear_pointwise", ["mkldnn._linear_pointwise.default"])
    else:
        check(lambda x, w: function(x, w, None), args[:2], "linear_pointwise", ["mkldnn._linear_pointwise.default"])


@pytest.mark.parametrize("binary", ["add", "sub", "mul"])
def test_linear_with_another(binary):
    torch.manual_seed(2)
    args = [torch.randn(4, 8), torch.randn(4, 3), torch.randn(3, 8), torch.randn(3)]
    check(lambda x, y, w, b: torch.ops.mkldnn._linear_pointwise.binary(x, y, w, b, binary), args, "linear_pointwise",
          ["mkldnn._linear_pointwise.binary"])


@pytest.mark.parametrize("attr", MODELLED)
def test_convolution(attr):
    torch.manual_seed(3)
    args = [torch.randn(2, 4, 9, 8), torch.randn(6, 2, 3, 3), torch.randn(6)]
    check(lambda x, w, b: torch.ops.mkldnn._convolution_pointwise(x, w, b, [1, 0], [2, 1], [1, 2], 2, attr, NUMBERS.get(attr, []),
                                                                  "none" if attr == "gelu" else ""),
          args, "convolution_pointwise", ["mkldnn._convolution_pointwise.default"])


@pytest.mark.parametrize("binary", ["add", "sub", "mul"])
def test_convolution_with_another(binary):
    torch.manual_seed(4)
    args = [torch.randn(1, 3, 8, 8), torch.randn(1, 4, 8, 8), torch.randn(4, 3, 3, 3)]
    check(lambda x, y, w: torch.ops.mkldnn._convolution_pointwise.binary(x, y, w, None, [1, 1], [1, 1], [1, 1], 1, binary, 1.0, None, [], None),
          args, "convolution_pointwise", ["mkldnn._convolution_pointwise.binary"])


def test_transposed_convolution():
    torch.manual_seed(5)
    args = [torch.randn(1, 4, 8, 8), torch.randn(4, 4, 3, 3)]

    def function(x, w):
        return torch.ops.mkldnn._convolution_transpose_pointwise(x, w, None, [1, 1], [1, 1], [2, 2], [1, 1], 1, "tanh", [], "")
    check(function, args, "convolution_pointwise", [])
    # PyTorch's meta function takes the channels of the input for those of the result.
    args[1] = torch.randn(4, 3, 3, 3)
    assert "fxgraph.convolution_pointwise" not in fxgraph.from_fx(make_fx(function)(*args), args).op_counts()


@pytest.mark.parametrize("attr", NAN_IS_A_NUMBER)
def test_not_where_nan_becomes_a_number(attr):
    """The library's value is another one than the op's."""
    args = [torch.full((2, 2), torch.nan), torch.ones(2, 2)]

    def function(x, w):
        return torch.ops.mkldnn._linear_pointwise(x, w, None, attr, NUMBERS.get(attr, []), "")
    assert not function(*args).isnan().any()
    assert "fxgraph.opaque" in fxgraph.from_fx(make_fx(function)(*args), args).op_counts()


@pytest.mark.parametrize("dtype, attr, calls", [
    (torch.float32, "relu", ["mkldnn._linear_pointwise.default"]), (torch.float32, "hardtanh", ["mkldnn._linear_pointwise.default"]),
    (torch.float32, "hardsigmoid", ["mkldnn._linear_pointwise.default"]), (torch.float64, "silu", [])])
def test_exported_values_are_the_ops(tmp_path, dtype, attr, calls):
    """relu of NaN is NaN, and f64, which the library lacks, is ATen's."""
    element = {torch.float32: "f32", torch.float64: "f64"}[dtype]
    scalars = " scalars [-0.5, 0.5]" if attr == "hardtanh" else ""
    path = tmp_path / "graph.mlir"
    path.write_text(f"""func.func @main(%x: tensor<2x3x{element}>, %w: tensor<4x3x{element}>) -> tensor<2x4x{element}> {{
      %0 = fxgraph.linear_pointwise %x, %w activation "{attr}"{scalars} : (tensor<2x3x{element}>, tensor<4x3x{element}>) -> tensor<2x4x{element}>
      return %0 : tensor<2x4x{element}>
    }}""")
    module = fxgraph.load(str(path))
    args = [torch.tensor([[1.0, torch.nan, 2.0], [-3.0, 0.5, 0.25]], dtype=dtype), torch.ones(4, 3, dtype=dtype)]
    exported = module.to_fx()
    torch.testing.assert_close(list(exported(*args)), module.run(args), equal_nan=True)
    assert [str(node.target) for node in exported.graph.nodes if "mkldnn" in str(node.target)] == calls


@pytest.mark.parametrize("attr", ["none", "relu"])
def test_weight_that_is_widened(tmp_path, attr):
    """Of f16 beside an f32 input: infinity stays, which the library's own product clamps."""
    path = tmp_path / "graph.mlir"
    path.write_text(f"""func.func @main(%x: tensor<2x3xf32>, %w: tensor<4x3xf16>, %b: tensor<4xf32>) -> tensor<2x4xf32> {{
      %0 = fxgraph.linear_pointwise %x, %w bias %b activation "{attr}" : (tensor<2x3xf32>, tensor<4x3xf16>, tensor<4xf32>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }}""")
    module = fxgraph.load(str(path))
    torch.manual_seed(6)
    args = [torch.randn(2, 3), torch.randn(4, 3).half(), torch.randn(4)]
    args[1][0, 0] = torch.inf
    expected = torch.nn.functional.linear(args[0], args[1].float(), args[2])
    expected = torch.relu(expected) if attr == "relu" else expected
    torch.testing.assert_close(list(module.run(args)), [expected])
    torch.testing.assert_close(list(module.to_fx()(*args)), [expected])


def test_cast_that_is_not_fused():
    """Two casts, and one that has nothing to cast copies."""
    cast = quantized_ops().convert_element_type.no_fuse
    args = [torch.randn(2, 3) * 1e5]
    module = fxgraph.from_fx(make_fx(lambda x: (cast(cast(x, torch.float16), torch.float32), cast(x, torch.float32)))(*args), args)
    assert module.op_counts()["fxgraph.convert_element_type"] == 2 and module.op_counts()["fxgraph.clone"] == 1
    for actual, expected in zip(module.run(args), (args[0].half().float(), args[0]), strict=True):
        assert torch.equal(torch.as_tensor(actual), expected)


@pytest.mark.parametrize("blocks", [((False, True), (True, True)), ((False, True), (True, False)), ((True, True), (True, False))])
@pytest.mark.parametrize("shape", [(160, 272, 144), (16, 64, 32), (256, 128, 128)])
def test_scales_of_blocks(blocks, shape):
    """1 x 128 and 128 x 128, of a GPU: the sum of each block times its scales, where the last block may be a part."""
    from torch._subclasses import FakeTensorMode
    m, k, n = shape
    shapes = [tuple(-(-extent // 128) if cut else extent for extent, cut in zip(extents, cuts)) for extents, cuts in zip(((m, k), (k, n)), blocks)]

    def function(x, w, a, b, c):
        return torch._scaled_mm(x, w.t(), a, b, bias=c, out_dtype=torch.bfloat16)
    with FakeTensorMode():
        fakes = [torch.empty((m, k), dtype=torch.float8_e4m3fn, device="cuda"), torch.empty((n, k), dtype=torch.float8_e4m3fn, device="cuda"),
                 *(torch.empty(size, device="cuda") for size in shapes), torch.empty(n, dtype=torch.bfloat16, device="cuda")]
        graph = make_fx(function)(*fakes)
    module = fxgraph.from_fx(graph, fakes)
    # A block of as many columns as the matrix has is a row.
    assert not module.unknown_ops and ("fxgraph.scaled_mm" in module.op_counts()) == (shapes == [(m, 1), (1, n)])
    torch.manual_seed(7)
    x, w = torch.randn(m, k).to(torch.float8_e4m3fn), torch.randn(n, k).to(torch.float8_e4m3fn)
    a, b, c = torch.rand(shapes[0]) + 0.5, torch.rand(shapes[1]) + 0.5, torch.randn(n).bfloat16()
    a[0, 0], x[0, 0] = torch.inf, 0.0
    expected = torch.zeros(m, n)
    for i, block in enumerate(range(0, k, 128)):
        rows = a[:, i].repeat_interleave(128 if blocks[0][0] else 1)[:m]
        columns = b[i].repeat_interleave(128 if blocks[1][1] else 1)[:n]
        expected += (x[:, block:block + 128].float() @ w.t()[block:block + 128].float()) * rows[:, None] * columns
    expected = (expected + c.float()).bfloat16()
    for target in ("ref", "cpu"):
        torch.testing.assert_close(torch.as_tensor(module.run([x, w, a, b, c], target=target)[0]), expected, rtol=1e-2, atol=2e-2, equal_nan=True)


def test_scales_of_8_bits_stay_opaque():
    """Their blocks are swizzled."""
    from torch._subclasses import FakeTensorMode
    with FakeTensorMode():
        fakes = [torch.empty((128, 128), dtype=torch.float8_e4m3fn, device="cuda"), torch.empty((128, 128), dtype=torch.float8_e4m3fn, device="cuda"),
                 *(torch.empty(128 * 4, dtype=torch.float8_e8m0fnu, device="cuda") for _ in range(2))]
        graph = make_fx(lambda x, w, a, b: torch._scaled_mm(x, w.t(), a, b, out_dtype=torch.bfloat16))(*fakes)
    assert "fxgraph.scaled_mm" not in fxgraph.from_fx(graph, fakes).op_counts()


# Recipes of torch.nn.functional.scaled_mm, with the scales that they want.
RECIPES = {
    "tensorwise": lambda m, k, n: ("TensorWise", torch.tensor([0.5]), "TensorWise", torch.tensor([[2.0]])),
    "rowwise": lambda m, k, n: ("RowWise", torch.rand(m, 1), "RowWise", torch.rand(1, n)),
    "rows and rows": lambda m, k, n: ("BlockWise1x128", torch.rand(k // 128, m).t(), "BlockWise1x128", torch.rand(k // 128, n).t()),
    "rows and squares": lambda m, k, n: ("BlockWise1x128", torch.rand(k // 128, m).t(), "BlockWise128x128", torch.rand(n // 128, 4).t()),
    "squares and rows": lambda m, k, n: ("BlockWise128x128", torch.rand(m // 128, 4).t(), "BlockWise1x128", torch.rand(k // 128, n).t()),
}


def blocks_of(scale, recipe, extent, steps):
    """[steps, extent], the scales of each block of terms."""
    if recipe == "BlockWise1x128":
        return scale.t()
    return scale[:steps].repeat_interleave(128, 1)[:, :extent]


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("bias", (False, True))
def test_scaled_products_by_recipes(name, bias):
    """Those of the CPU against eager; of a GPU's, the trace, against the sum of its blocks as the documentation has them."""
    from torch._subclasses import FakeTensorMode
    from torch.nn.functional import ScalingType, scaled_mm
    torch.manual_seed(3)
    m, k, n = 256, 384, 128
    recipe_a, a, recipe_b, b = RECIPES[name](m, k, n)

    def function(x, w, a, b, c):
        return scaled_mm(x, w.t(), a, getattr(ScalingType, recipe_a), b, getattr(ScalingType, recipe_b), bias=c if bias else None, output_dtype=torch.bfloat16)
    inputs = [torch.randn(m, k).to(torch.float8_e4m3fn), torch.randn(n, k).to(torch.float8_e4m3fn), a, b, torch.randn(n).bfloat16()]
    x, w = inputs[0].float(), inputs[1].float().t()
    if "Block" not in recipe_a:
        graph, examples, expected = make_fx(function)(*inputs), inputs, function(*inputs)
    else:
        with FakeTensorMode():
            examples = [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="cuda") for t in inputs]
            graph = make_fx(function)(*examples)
        rows, columns = blocks_of(a, recipe_a, m, k // 128), blocks_of(b, recipe_b, n, k // 128)
        expected = sum((x[:, i * 128:][:, :128] @ w[i * 128:][:128]) * rows[i][:, None] * columns[i] for i in range(k // 128))
        expected = (expected + inputs[4].float() if bias else expected).bfloat16()
    module = fxgraph.from_fx(graph, examples)
    assert not module.unknown_ops and ("fxgraph.scaled_mm" in module.op_counts()) == ("Block" not in recipe_a)
    for target in ("ref", "cpu"):
        torch.testing.assert_close(torch.as_tensor(module.run(inputs, target=target)[0]), expected, rtol=1e-2, atol=2e-2)


@pytest.mark.parametrize("recipe, dtype, block", [("BlockWise1x32", torch.float8_e8m0fnu, 32), ("BlockWise1x16", torch.float8_e4m3fn, 16)])
def test_recipes_that_stay_opaque(recipe, dtype, block):
    from torch._subclasses import FakeTensorMode
    from torch.nn.functional import ScalingType, SwizzleType, scaled_mm
    swizzle, of = SwizzleType.SWIZZLE_32_4_4, getattr(ScalingType, recipe)
    with FakeTensorMode():
        fakes = [torch.empty((128, 128), dtype=torch.float8_e4m3fn, device="cuda"), torch.empty((128, 128), dtype=torch.float8_e4m3fn, device="cuda"),
                 *(torch.empty(128 * 128 // block, dtype=dtype, device="cuda") for _ in range(2))]
        graph = make_fx(lambda x, w, a, b: scaled_mm(x, w.t(), a, of, b, of, swizzle, swizzle))(*fakes)
    module = fxgraph.from_fx(graph, fakes)
    assert [op.reason for op in module.unknown_ops] == ["scales of 8 bits of blocks of 16 or 32 terms, which are swizzled, are not modelled"]
    assert 'effects = "none"' in module.asm


def make_quantized(seed=0, shape=(4, 8), outputs=6, kernel=()):
    """An input of uint8, an int8 weight with its scales and zero points, and a bias."""
    torch.manual_seed(seed)
    codes = torch.randint(0, 256, shape, dtype=torch.uint8)
    channels = shape[1] if kernel else shape[-1]
    return [codes, torch.randint(-128, 128, (outputs, channels, *kernel), dtype=torch.int8), torch.rand(outputs) / 50 + 0.01,
            torch.randint(-3, 4, (outputs,)), torch.randn(outputs)]


def quantized_ops():
    from torch.ao.quantization.fx import _decomposed  # noqa: F401: defines the ops
    return torch.ops.quantized_decomposed


def quantized_linear(q, w, s, z, b, y):
    """A linear of integers with a sum, an activation and a quantization behind it, as a quantizer leaves it."""
    ops = quantized_ops()
    x = ops.dequantize_per_tensor.default(q, 0.05, 120, 0, 255, torch.uint8)
    weight = ops.dequantize_per_channel.default(w, s, z, 0, -128, 127, torch.int8)
    other = ops.dequantize_per_tensor.default(y, 0.1, -3, -128, 127, torch.int8)
    value = torch.relu(torch.ops.aten.addmm(b, x, weight.t()) + other)
    return ops.quantize_per_tensor.default(value, 0.2, 7, 0, 255, torch.uint8)


QUANTIZED = ("fxgraph-onednn-quantized-products,fxgraph-onednn-fuse-binary,fxgraph-onednn-fuse-unary,fxgraph-onednn-quantized-results")


def test_quantized_linear():
    args = [*make_quantized(), torch.randint(-128, 128, (4, 6), dtype=torch.int8)]
    module = fxgraph.from_fx(make_fx(quantized_linear)(*args), args)
    assert not module.unknown_ops
    report = module.run_passes(QUANTIZED)
    assert report.counters == {"qlinear_weight_prepack_matcher_count": 1, "qlinear_binary_matcher_count": 1}
    assert {name: n for name, n in module.op_counts().items() if name.startswith("fxgraph.")} == {"fxgraph.qlinear_pointwise": 1}
    expected = quantized_linear(*args)
    for target in ("ref", "cpu"):
        actual, = module.run(args, target=target)
        # A sum in another order may end on the other side of a half.
        assert actual.dtype == torch.uint8 and (actual.int() - expected.int()).abs().max() <= 1
    actual, = module.to_fx()(*args)
    assert torch.equal(actual, expected)


def test_quantized_convolution():
    args = make_quantized(1, (2, 4, 7, 6), 6, (3, 3))

    def function(q, w, s, z, b):
        ops = quantized_ops()
        x = ops.dequantize_per_tensor.default(q, 0.05, 120, 0, 255, torch.uint8)
        weight = ops.dequantize_per_channel.default(w[:, :2], s, z, 0, -128, 127, torch.int8)
        return torch.ops.aten.convolution(x, weight, b, [2, 1], [1, 0], [1, 2], False, [0, 0], 2).clamp(-1, 6)

    module = fxgraph.from_fx(make_fx(function)(*args), args)
    report = module.run_passes(QUANTIZED)
    assert report.counters == {"qconv_weight_prepack_matcher_count": 1, "qconv_unary_matcher_count": 1}
    assert module.op_counts()["fxgraph.qconv_pointwise"] == 1 and "fxgraph.convolution" not in module.op_counts()
    for values in (module.run(args), module.run(args, target="cpu"), module.to_fx()(*args)):
        torch.testing.assert_close(list(values), [function(*args)], rtol=1e-5, atol=1e-4)


def test_library_product_is_the_op():
    """The op's value is that of the library, which sums integers."""
    q, w, s, _, b = make_quantized(2)
    # A processor without VNNI adds two products in 16 bits, saturated: those of weights of 7 bits fit.
    w = w // 2
    z = torch.zeros(6, dtype=torch.int64)
    packed = torch.ops.onednn.qlinear_prepack(w, [4, 8])
    for name, scale, zero, dtype in (("none", 1.0, 0, torch.float32), ("relu", 0.2, 7, torch.uint8)):
        expected = torch.ops.onednn.qlinear_pointwise(q, 0.05, 120, packed, s, z, b, scale, zero, dtype, name, [], "")
        type_ = {torch.float32: "f32", torch.uint8: "ui8"}[dtype]
        attributes = "" if dtype == torch.float32 else " {output_scale = 0.2, output_zero_point = 7 : i64}"
        activation = "" if name == "none" else f' activation "{name}"'
        module = fxgraph.Module(f"""func.func @main(%q: tensor<4x8xui8>, %w: tensor<6x8xi8>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<4x6x{type_}> {{
          %0 = fxgraph.qlinear_pointwise %q scale 0.05 zero_point 120, %w scales %s bias %b{activation}{attributes} : (tensor<4x8xui8>, tensor<6x8xi8>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6x{type_}>
          return %0 : tensor<4x6x{type_}>
        }}""")
        actual, = module.run([q, w, s, b])
        if dtype == torch.uint8:
            assert (actual.int() - expected.int()).abs().max() <= 1
        else:
            torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)


INT4 = """
import sys, torch
torch.manual_seed(3)
tensors = {}
for n in (16, 32, 48, 64, 80, 112, 128, 192):
    w = torch.randint(0, 16, (n, 64), dtype=torch.int32)
    sz = torch.rand(2, n, 2)
    x = torch.randn(5, 64)
    packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(w, 1)
    tensors[n] = (x, w, sz, packed, torch.ops.aten._weight_int4pack_mm_for_cpu(x, packed, 32, sz))
torch.save((torch.backends.cpu.get_cpu_capability(), tensors), sys.argv[1])
"""


@pytest.mark.parametrize("capability", ["avx512", "avx2", "default"])
def test_int4_layouts(capability, tmp_path):
    """Each layout means what the kernels of its CPU read: the value, from the packed and from the plain weight."""
    # A CPU has what is in front of its own capability: kernels of another one end in SIGILL.
    capabilities, own = ["default", "avx2", "avx512"], torch.backends.cpu.get_cpu_capability().lower()
    if own not in capabilities or capabilities.index(capability) > capabilities.index(own):
        pytest.skip(f"this CPU has no {capability}")
    path = tmp_path / "tensors.pt"
    subprocess.run([sys.executable, "-c", INT4, str(path)], env={**os.environ, "ATEN_CPU_CAPABILITY": capability}, check=True)
    found, tensors = torch.load(path)
    layout = {"avx512": "avx512", "avx2": "avx2", "default": "scalar"}[capability]
    assert found.lower() == capability
    for n, (x, w, sz, packed, expected) in tensors.items():
        module = fxgraph.Module(f"""func.func @main(%x: tensor<5x64xf32>, %w: tensor<{n}x32xui8>, %s: tensor<2x{n}x2xf32>) -> tensor<5x{n}xf32> {{
          %0 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "{layout}" : (tensor<5x64xf32>, tensor<{n}x32xui8>, tensor<2x{n}x2xf32>) -> tensor<5x{n}xf32>
          return %0 : tensor<5x{n}xf32>
        }}""")
        numbers = (w.float() - 8).view(n, 2, 32) * sz[:, :, 0].t()[:, :, None] + sz[:, :, 1].t()[:, :, None]
        for target in ("ref", "cpu"):
            actual, = module.run([x, packed, sz], target=target)
            torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-3)
            torch.testing.assert_close(actual, x @ numbers.view(n, 64).t(), rtol=1e-4, atol=1e-3)


def test_int4_products_are_joined():
    """Packed weights joined are the joined weights packed: value and bytes."""
    torch.manual_seed(4)
    weights = [torch.randint(0, 16, (n, 64), dtype=torch.int32) for n in (64, 48, 128)]
    packed = [torch.ops.aten._convert_weight_to_int4pack_for_cpu(w, 1) for w in weights]
    scales = [torch.rand(2, w.shape[0], 2) for w in weights]
    x = torch.randn(5, 64)

    class Products(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for i, (w, s) in enumerate(zip(packed, scales)):
                self.register_buffer(f"w{i}", w)
                self.register_buffer(f"s{i}", s)

        def forward(self, x):
            return tuple(torch.ops.aten._weight_int4pack_mm_for_cpu(x, getattr(self, f"w{i}"), 32, getattr(self, f"s{i}")) for i in range(3))

    model = Products()
    module = fxgraph.capture(model, x, level="aten")
    assert not module.unknown_ops and module.op_counts()["fxgraph.weight_int4pack_mm"] == 3
    report = module.run_passes("fxgraph-post-grad{enable-concat-linear=true}")
    assert module.op_counts()["fxgraph.weight_int4pack_mm"] == 1 and report.rewrites >= 1
    for values in (module.run([x]), module.run([x], target="cpu"), module.to_fx()(x)):
        torch.testing.assert_close(list(values), list(model(x)), rtol=1e-4, atol=1e-3)
    order = [0, 2, 1]  # the one with a short last block goes last
    assert torch.equal(torch.cat([packed[i] for i in order]), torch.ops.aten._convert_weight_to_int4pack_for_cpu(torch.cat([weights[i] for i in order]), 1))
    other = {"avx512": "avx2"}.get(fxgraph.importer.handlers.packed.int4_layout(), "avx512")
    with pytest.raises(fxgraph.FxGraphError, match=f"expected weights of 4 bits packed for this CPU .* but got {other}"):
        fxgraph.Module(f"""func.func @main(%x: tensor<5x64xf32>, %w: tensor<64x32xui8>, %s: tensor<2x64x2xf32>) -> tensor<5x64xf32> {{
          %0 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "{other}" : (tensor<5x64xf32>, tensor<64x32xui8>, tensor<2x64x2xf32>) -> tensor<5x64xf32>
          return %0 : tensor<5x64xf32>
        }}""").to_fx()


SCALES = {"one": (torch.tensor(0.75), torch.tensor([[1.5]])), "rows": (torch.rand(16, 1) + 0.5, torch.rand(1, 16) + 0.5)}


@pytest.mark.parametrize("dtype", (torch.float8_e4m3fn, torch.float8_e5m2), ids=str)
@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("scale_result", (None, 0.25, 3.0))
@pytest.mark.parametrize("bias", (False, True))
def test_scaled_products_of_8_bits(dtype, scales, scale_result, bias):
    """Divided by the result's scale and rounded: float8_e4m3fn ends at its largest number, float8_e5m2 at infinity."""
    def function(x, w, a, b, s, c):
        return torch._scaled_mm(x, w.t(), a, b, bias=c if bias else None, scale_result=None if scale_result is None else s, out_dtype=dtype)

    torch.manual_seed(0)
    x, w = (torch.randn(16, 32) * 3).to(torch.float8_e4m3fn), (torch.randn(16, 32) * 3).to(torch.float8_e4m3fn)
    x[1], x[2] = 448.0, float("nan")
    inputs = x, w, *SCALES[scales], torch.tensor(1.0 if scale_result is None else scale_result), torch.randn(16)
    module = fxgraph.from_fx(make_fx(function)(*inputs), inputs)
    assert not module.unknown_ops and module.op_counts()["fxgraph.scaled_mm"] == 1
    expected = function(*inputs)
    for actual in (module.run(list(inputs))[0], module.to_fx()(*inputs)[0]):
        assert actual.dtype == dtype
        torch.testing.assert_close(actual.float(), expected.float(), rtol=0, atol=0, equal_nan=True)


def test_scale_of_a_wider_result_is_not_read():
    x, w, half = torch.randn(16, 32).to(torch.float8_e4m3fn), torch.randn(16, 32).to(torch.float8_e4m3fn), torch.tensor(0.5)

    def function(x, w, s):
        return torch._scaled_mm(x, w.t(), s, s, scale_result=s, out_dtype=torch.float32)

    module = fxgraph.from_fx(make_fx(function)(x, w, half), (x, w, half))
    assert module.op_counts()["fxgraph.scaled_mm"] == 1 and "fxgraph.div" not in module.op_counts()
    torch.testing.assert_close(module.run([x, w, half])[0], function(x, w, half))


@pytest.mark.parametrize("columns, reason", [(2, None), (3, "expected scales of 2 blocks of terms but got [128, 3] and [2, 1]")])
def test_scales_of_blocks_that_stay(columns, reason):
    """PyTorch's CPU has no such product: only the trace of one is there."""
    x, w = (torch.empty(128, 256, dtype=torch.float8_e4m3fn, device="meta") for _ in range(2))
    rows, blocks = torch.empty(128, columns, device="meta"), torch.empty(2, 1, device="meta")
    graph = torch.fx.Graph()
    nodes = [graph.placeholder(name) for name in "xwab"]
    transposed = graph.call_function(torch.ops.aten.t.default, (nodes[1],))
    product = graph.call_function(torch.ops.aten._scaled_mm.default, (nodes[0], transposed, *nodes[2:]), {"out_dtype": torch.bfloat16})
    for node, value in zip((*nodes, transposed, product), (x, w, rows, blocks, w.t(), torch.empty(128, 128, dtype=torch.bfloat16, device="meta"))):
        node.meta["val"] = value
    graph.output((product,))
    module = fxgraph.from_fx(torch.fx.GraphModule({}, graph))
    assert [op.reason for op in module.unknown_ops] == ([] if reason is None else [reason])


def test_smooth_quant():
    """As torchao writes it: integers times integers, then scales of rows and columns."""
    class SmoothQuant(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", torch.randint(-128, 128, (64, 48), dtype=torch.int8))
            self.register_buffer("scale", torch.rand(48))
            self.register_buffer("bias", torch.rand(48))

        def forward(self, x, rows):
            return torch._int_mm(x, self.weight).to(torch.float32) * rows * self.scale + self.bias

    model, inputs = SmoothQuant(), (torch.randint(-128, 128, (32, 64), dtype=torch.int8), torch.rand(32, 1))
    module = fxgraph.capture(model, *inputs, level="aten")
    # The check of the product's dtype, which is what export makes of `to`, is another reader.
    assert not module.clone().run_passes("fxgraph-onednn-quantized-products").counters
    report = module.run_passes("fxgraph-postgrad-remove-asserts,fxgraph-onednn-quantized-products")
    assert report.counters.get("qlinear_weight_prepack_matcher_count") == 1
    got = module.run(list(inputs))
    torch.testing.assert_close(got[0] if isinstance(got, list) else got, model(*inputs), rtol=1e-5, atol=1e-3)
