# Layers with activations and other tensors behind them, captured from PyTorch in eval mode, as
# Inductor's unit test (test_mkldnn_pattern_matcher) has them: the counts of its matchers, and
# results. In f32 Inductor packs a linear for another library, which takes no activation:
# the counts of linears are those of its test in bf16.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import itertools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.export import default_decompositions, export

import fxgraph

torch.manual_seed(0)
PASSES = "fxgraph-onednn-pack-weights,fxgraph-onednn-fuse-binary,fxgraph-onednn-fuse-unary"
LINEAR, CONV = "mkldnn_linear_weight_pack_matcher_count", "mkldnn_conv_weight_pack_matcher_count"
UNARY, BINARY = "mkldnn_unary_fusion_matcher_count", "mkldnn_conv_binary_unary_fusion_matcher_count"


def check(name, module, args, wanted, passes=PASSES, ops=None, tolerance=1e-4):
    """Decomposed as behind autodiff; `ops` are those of the dialect that are left."""
    module.eval().requires_grad_(False)
    graph = fxgraph.from_exported(export(module, tuple(args)).run_decompositions(default_decompositions()))
    counters = graph.run_passes(f"builtin.module(func.func({passes}))").counters
    assert counters == wanted, f"{name}: expected {wanted} but got {counters}"
    if ops is not None:
        left = {op.removeprefix("fxgraph."): n for op, n in graph.op_counts().items() if op.startswith("fxgraph.") and op != "fxgraph.constant"}
        assert left == ops, f"{name}: expected {ops} but got {left}"
    expected = module(*args)
    for actual, value in zip(graph.run(list(args), target="ref"), expected if isinstance(expected, tuple) else (expected,), strict=True):
        torch.testing.assert_close(torch.as_tensor(actual), value, rtol=tolerance, atol=tolerance, msg=lambda text: f"{name}: {text}")


ACTIVATIONS = {
    "relu": F.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "silu": F.silu, "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1), "hardtanh": F.hardtanh, "clamp": lambda x: x.clamp(-0.5, 3), "relu6": F.relu6,
    "gelu": F.gelu, "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"), "silu spelled": lambda x: x * torch.sigmoid(x),
    "silu turned": lambda x: torch.sigmoid(x) * x, "silu quotient": lambda x: x / (torch.exp(-x) + 1), "hardswish spelled": lambda x: x * F.relu6(x + 3) / 6,
    "hardsigmoid spelled": lambda x: (x + 3).clamp_min(0).clamp_max(6) / 6, "leaky_relu spelled": lambda x: torch.where(x > 0, x, x * 0.1),
    "hardtanh spelled": lambda x: x.clamp_min(-1).clamp_max(1), "gelu spelled": lambda x: x * 0.5 * (torch.erf(x * 0.7071067811865476) + 1),
    "gelu by tanh spelled": lambda x: x * 0.5 * (torch.tanh((x + x * x * x * 0.044715) * 0.7978845608028654) + 1)}


class Behind(nn.Module):
    """Layers of their own on one input, and what stands behind each."""

    def __init__(self, make, functions):
        super().__init__()
        self.layers, self.functions = nn.ModuleList(make() for _ in functions), functions

    def forward(self, x, *others):
        return tuple(function(layer(x), *others) for layer, function in zip(self.layers, self.functions))


class Used(nn.Module):
    def forward(self, x):
        return x, F.relu(x)


LAYERS = {"linear": (nn.Linear, (8, 5), {}, (4, 8), (4, 5), LINEAR), "conv2d": (nn.Conv2d, (3, 4, 3), {"padding": 1}, (2, 3, 6, 6), (2, 4, 6, 6), CONV),
          "conv3d": (nn.Conv3d, (3, 4, 3), {"padding": 1}, (2, 3, 4, 4, 4), (2, 4, 4, 4, 4), CONV),
          "transposed": (nn.ConvTranspose2d, (3, 4, 3), {"padding": 1}, (2, 3, 6, 6), (2, 4, 6, 6), CONV)}
BINARIES = {"add": torch.add, "turned add": lambda x, y: y + x, "sub": torch.sub, "mul": torch.mul, "turned mul": lambda x, y: y * x}
# As in the test of Inductor: alpha; the same value twice; a difference the other way round. And rows and numbers.
LEFT_ALONE = [lambda x, y: torch.add(x, y, alpha=2), lambda x, y: x + x, lambda x, y: y - x, lambda x, y: x + y[:1], lambda x, y: x + 2]
for (name, (layer, sizes, options, shape, result, packed)), bias in itertools.product(LAYERS.items(), (True, False)):
    name, op = f"{name} bias={bias}", "linear_pointwise" if layer is nn.Linear else "convolution_pointwise"

    def make():
        return layer(*sizes, bias=bias, **options)

    args, n, m = [torch.randn(shape), torch.randn(result)], len(ACTIVATIONS), len(BINARIES)
    check(name, Behind(make, list(ACTIVATIONS.values())), args[:1], {packed: n, UNARY: n}, ops={op: n})
    check(name, Behind(make, list(BINARIES.values())), args, {packed: m, BINARY: m}, ops={op: m})
    behind = [lambda x, y, function=function: F.relu(function(x, y)) for function in BINARIES.values()]
    check(name, Behind(make, behind), args, {packed: m, BINARY: m, UNARY: m}, ops={op: m})
    check(name, Behind(make, LEFT_ALONE), args, {packed: len(LEFT_ALONE)})
    check(name, nn.Sequential(make(), Used()), args[:1], {packed: 1})


# 16 bits: autocast's casts are there or not, activations are widened where they are decomposed.
def narrow(dtype):
    return lambda: nn.Linear(8, 5, dtype=dtype)


OPS = [ACTIVATIONS[name] for name in ("relu", "silu", "hardswish", "gelu")]
check("bf16", Behind(narrow(torch.bfloat16), OPS), [torch.randn(4, 8, dtype=torch.bfloat16)], {LINEAR: 4, UNARY: 4}, ops={"linear_pointwise": 4}, tolerance=2e-2)
check("f64", Behind(narrow(torch.float64), OPS), [torch.randn(4, 8, dtype=torch.float64)], {})


# test_woq_int8: a weight of bytes that is scaled behind the product.
class WeightOnly(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("weight", torch.randint(-128, 128, (5, 8), dtype=torch.int8))
        self.register_buffer("scale", torch.rand(5, dtype=dtype) * 0.01)

    def forward(self, x):
        return F.linear(x, self.weight.to(x.dtype)) * self.scale


for dtype, shape in itertools.product((torch.bfloat16, torch.float32), ((4, 8), (2, 3, 8))):
    check(f"int8 {dtype} {shape}", WeightOnly(dtype), [torch.randn(shape, dtype=dtype)], {"woq_matcher_count": 1}, "fxgraph-onednn-weight-only-int8",
          tolerance=3e-2 if dtype == torch.bfloat16 else 1e-4)


# test_grouped_linear (of the CPU templates): all products of one input.
class Heads(nn.Module):
    def __init__(self, outputs, bias):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(8, n, bias=bias) for n in outputs)

    def forward(self, x):
        return tuple(head(x) for head in self.heads)


for outputs, bias in itertools.product(([5], [5, 5], [5, 5, 5], [5, 4]), (True, False)):
    count = len(outputs) if len(set(outputs)) == 1 and len(outputs) > 1 else 0
    check(f"heads {outputs} bias={bias}", Heads(outputs, bias), [torch.randn(4, 8)], {LINEAR: len(outputs)},
                  "fxgraph-onednn-pack-weights,fxgraph-onednn-grouped-gemm",
                  ops={"grouped_mm": 1, "permute": count} if count else {"linear_pointwise": len(outputs)})
