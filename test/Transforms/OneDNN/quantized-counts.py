# Quantized linears and convolutions with what stands behind them, as a quantizer leaves them: the
# counts of Inductor's own patterns (freezing) beside ours, and results. A product is counted once, and so is
# the chain behind it.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import itertools

import torch
import torch.nn as nn
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.compile_fx import compile_fx
from torch.ao.quantization.fx import _decomposed  # noqa: F401: defines the ops
from torch.export import default_decompositions, export

import fxgraph

ops = torch.ops.quantized_decomposed
PASSES = ("fxgraph-onednn-quantized-views,fxgraph-onednn-dequant-promotion,fxgraph-onednn-quantized-products,fxgraph-onednn-fuse-binary,fxgraph-onednn-fuse-unary,"
          "fxgraph-onednn-quantized-results")
NAMES = [f"{name}_matcher_count" for name in ("dequant_promotion", "qlinear_weight_prepack", "qconv_weight_prepack", "qlinear_unary", "qlinear_binary", "qconv_unary",
                                              "qconv2d_binary", "qmaxpool2d", "qcat", "qreshape")]


def quantize(x, scale=0.05, zero=120):
    return ops.quantize_per_tensor.default(x, scale, zero, 0, 255, torch.uint8)


def dequantize(q, scale=0.05, zero=120):
    return ops.dequantize_per_tensor.default(q, scale, zero, 0, 255, torch.uint8)


class Layer(nn.Module):
    """A linear, or a convolution, of a weight that is dequantized."""

    def __init__(self, shape, bias=True):
        super().__init__()
        self.register_buffer("codes", torch.randint(-128, 128, shape, dtype=torch.int8))
        self.register_buffer("scales", torch.rand(shape[0]) / 50 + 0.01)
        self.register_buffer("zeros", torch.zeros(shape[0], dtype=torch.int64))
        self.register_buffer("bias", torch.randn(shape[0]) if bias else None)

    def forward(self, x):
        weight = ops.dequantize_per_channel.default(self.codes, self.scales, self.zeros, 0, -128, 127, torch.int8)
        if weight.dim() == 2:
            return nn.functional.linear(x, weight, self.bias)
        return nn.functional.conv2d(x, weight, self.bias, padding=1)


class Model(nn.Module):
    def __init__(self, layers, function):
        super().__init__()
        self.layers, self.function = nn.ModuleList(layers), function

    def forward(self, x):
        return self.function(dequantize(quantize(x)), *self.layers)


def freeze(graph, inputs):
    """Inductor as far as its freezing passes, in which all of the patterns are: what they leave runs as it is."""
    return compile_fx(graph, inputs, inner_compile=lambda frozen, *_, **__: lambda values: frozen(*values))


def check(name, model, x, wanted):
    model.eval()
    torch._dynamo.reset()
    counters.clear()
    with torch.no_grad(), config.patch(freezing=True, fx_graph_cache=False):
        torch.compile(model, backend=freeze)(x)
    inductor = {key: counters["inductor"][key] for key in NAMES if counters["inductor"][key]}
    graph = fxgraph.from_exported(export(model, (x,)).run_decompositions(default_decompositions()))
    ours = {key: count for key, count in graph.run_passes(f"builtin.module(func.func({PASSES}))").counters.items() if key in NAMES}
    assert ours == wanted, f"{name}: expected {wanted} but got {ours}"
    assert inductor == wanted, f"{name}: Inductor has {inductor} where ours are {ours}"
    for actual, expected in zip(graph.run([x]), [model(x)], strict=True):
        if expected.dtype.is_floating_point:
            torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4, msg=lambda text: f"{name}: {text}")
        else:
            assert (actual.int() - expected.int()).abs().max() <= 1, name


torch.manual_seed(0)
LINEAR, CONV = (torch.randn(4, 8), (6, 8), (8, 6)), (torch.randn(1, 4, 6, 6), (6, 4, 3, 3), (4, 6, 3, 3))
for kind, (x, first, second), packed, unary in (("linear", LINEAR, "qlinear_weight_prepack", "qlinear_unary"), ("convolution", CONV, "qconv_weight_prepack", "qconv_unary")):
    P, U = f"{packed}_matcher_count", f"{unary}_matcher_count"
    for bias in (True, False):
        check(f"{kind} {bias}", Model([Layer(first, bias)], lambda v, layer: layer(v)), x, {P: 1})
    check(f"{kind} quantized", Model([Layer(first)], lambda v, layer: quantize(layer(v))), x, {P: 1, U: 1})
    check(f"{kind} relu", Model([Layer(first)], lambda v, layer: torch.relu(layer(v))), x, {P: 1, U: 1})
    check(f"{kind} relu quantized", Model([Layer(first)], lambda v, layer: quantize(torch.relu(layer(v)))), x, {P: 1, U: 1})
    check(f"{kind} twice", Model([Layer(first), Layer(second)], lambda v, a, b: b(dequantize(quantize(torch.relu(a(v)))))), x, {P: 2, U: 1})
    check(f"{kind} shared", Model([Layer(first), Layer(first)], lambda v, a, b: torch.cat([a(v), b(v)])), x, {P: 2, "dequant_promotion_matcher_count": 1})



class Half(nn.Module):
    """A linear whose weight is rounded to f16, as a quantizer of weights alone leaves it."""

    def __init__(self, bias, relu):
        super().__init__()
        self.layer, self.relu = nn.Linear(8, 6, bias), relu

    def forward(self, x):
        cast = ops.convert_element_type.no_fuse
        y = nn.functional.linear(x, cast(cast(self.layer.weight, torch.float16), torch.float32), self.layer.bias)
        return torch.relu(y) if self.relu else y


NAMES += ["mkldnn_unary_fusion_matcher_count", "mkldnn_reshape_linear_reshape_matcher_count", "mkldnn_linear_weight_pack_matcher_count"]
PASSES = f"fxgraph-jointgraph-pointless-convert,{PASSES.replace('quantized-products,', 'quantized-products,fxgraph-onednn-pack-weights,')}"
for bias, relu, shape in itertools.product((True, False), (True, False), ((4, 8), (2, 3, 8))):
    check(f"half {bias} {relu} {shape}", Half(bias, relu), torch.randn(shape), {"qlinear_weight_prepack_matcher_count": 1})

# What only moves, is joined or pooled. (Inductor counts these as it lowers, which is not done here.)
LOWERED = [f"{name}_matcher_count" for name in ("qmaxpool2d", "qcat", "qreshape")]


class Moved(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return quantize(self.function(dequantize(quantize(x)), dequantize(quantize(x + 1))))


def check_moved(name, function, x, wanted):
    model = Moved(function).eval()
    graph = fxgraph.from_exported(export(model, (x,)).run_decompositions(default_decompositions()))
    ours = {key: count for key, count in graph.run_passes(f"builtin.module(func.func({PASSES}))").counters.items() if key in LOWERED}
    assert ours == wanted, f"{name}: expected {wanted} but got {ours}"
    assert torch.equal(graph.run([x])[0], model(x)), name


images = torch.randn(1, 4, 6, 6) * 2
check_moved("max-pool", lambda a, b: nn.functional.max_pool2d(a, 3, 2, 1), images, {"qmaxpool2d_matcher_count": 1})
check_moved("cat", lambda a, b: torch.cat([a, b], dim=1), images, {"qcat_matcher_count": 1})
check_moved("reshape", lambda a, b: a.reshape(4, 36), images, {"qreshape_matcher_count": 1})
print("as Inductor counts")
