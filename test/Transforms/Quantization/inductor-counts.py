# Inductor's own quant_lift_up and ours on the same exported graphs: counters, types and
# results.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 (registers the ops)
import torch.nn as nn
from torch._dynamo.utils import counters
from torch._inductor.fx_passes.quantization import quant_lift_up

import fxgraph

torch.manual_seed(0)
ops = torch.ops.quantized_decomposed


def quantize(x, scale=0.05, zero=3):
    return ops.quantize_per_tensor(x, scale, zero, -128, 127, torch.int8)


def dequantize(x, scale=0.05, zero=3):
    return ops.dequantize_per_tensor(x, scale, zero, -128, 127, torch.int8)


class Attention(nn.Module):
    """Queries and keys quantized behind their views, as PyTorch's quantizer leaves them."""

    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        heads = [layer(x).view(2, 3, 2, 4).permute(0, 2, 1, 3) for layer in (self.query, self.key)]
        heads[1] = heads[1].transpose(-1, -2)
        return torch.matmul(*(dequantize(quantize(h)) for h in heads))


def as_module(function):
    """torch.export takes modules only."""
    module = nn.Module()
    module.forward = function
    return module


x = torch.randn(2, 3, 8)
CASES = [
    ("attention", 2, None, Attention(), (x,)),
    ("reshape", 1, None, as_module(lambda x: quantize(torch.relu(x).permute(1, 0, 2).reshape(3, 16))), (x,)),
    # Its checks of the arguments are users there.
    ("argument", 0, 1, as_module(lambda x: quantize(x.permute(1, 0, 2))), (x,)),
    ("view used", 0, None, as_module(lambda x: (lambda v: (quantize(v), v * 2))(torch.relu(x).permute(1, 0, 2))), (x,)),
    ("source used", 0, None, as_module(lambda x: (lambda y: (quantize(y.permute(1, 0, 2)), y * 2))(torch.relu(x))), (x,)),
    ("no view", 0, None, as_module(lambda x: quantize(torch.relu(x))), (x,)),
    # Views that PyTorch's list lacks.
    ("unsqueeze", 0, 1, as_module(lambda x: quantize(torch.relu(x).unsqueeze(0))), (x,)),
    ("slice", 0, None, as_module(lambda x: quantize(torch.relu(x)[:, 1:])), (x,)),
    ("per channel", 0, None, as_module(lambda x, s, z: ops.quantize_per_channel(torch.relu(x).permute(2, 1, 0), s, z, 0, -128, 127, torch.int8)),
     (x, torch.rand(8) + 0.1, torch.zeros(8, dtype=torch.int64))),
]
for name, count, ours, module, inputs in CASES:
    with torch.no_grad():
        expected = module(*inputs)
        program = torch.export.export(module, inputs)
    counters.clear()
    quant_lift_up(program.module())
    theirs = counters["inductor"]["quant_lift_up_count"]
    assert theirs == count, f"{name}: expected {count} of Inductor but got {theirs}"
    graph = fxgraph.from_exported(program)
    found = graph.run_passes("fxgraph-quantization-lift-up").counters.get("quant_lift_up_count", 0)
    assert found == (count if ours is None else ours), f"{name}: expected {count if ours is None else ours} but got {found}"
    if name == "per channel":
        continue  # an unknown op cannot be run
    for got, wanted in zip(graph.run(list(inputs), target="ref"), expected if isinstance(expected, tuple) else (expected,), strict=True):
        # Halves may round to either side; whole steps may not differ.
        tolerance = dict(rtol=1e-4, atol=1e-4) if wanted.dtype == torch.float32 else dict(rtol=0, atol=0)
        torch.testing.assert_close(torch.as_tensor(got), wanted, **tolerance, msg=lambda text: f"{name}: {text}")
