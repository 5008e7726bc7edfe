# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of PyTorch's CPU library: imported, run and exported again, with the library's value."""

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph

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
