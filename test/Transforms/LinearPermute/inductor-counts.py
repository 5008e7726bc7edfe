# Inductor's own linear-permute fusions and ours on the same functions: how many linears
# and products each fuses. Those of its unit test (test_fx_fusion: 1 each), and the
# spellings that it does not see: its check reads the permutation from separate
# arguments, or from a keyword `permutation`, which no function has.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import torch
import torch.fx
import torch.nn as nn
from torch._inductor.fx_passes.pre_grad import (linear_permute_fusion, linear_transpose, permute_linear_fusion, permute_matmul_fusion,
                                                transpose_linear, transpose_matmul)
from torch.fx.passes.shape_prop import ShapeProp

import fxgraph

torch.manual_seed(0)
FUSIONS = {"linear_permute_fusion": (linear_permute_fusion, linear_transpose), "permute_linear_fusion": (permute_linear_fusion, transpose_linear),
           "permute_matmul_fusion": (permute_matmul_fusion, transpose_matmul)}


class Function(nn.Module):
    def __init__(self, function, bias=True):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.randn(5, 6))
        self.bias = nn.Parameter(torch.randn(5)) if bias else None

    def linear(self, x):
        return nn.functional.linear(x, self.weight, self.bias)

    def forward(self, x):
        return self.function(self.linear, x)


class TwoInputs(Function):
    def forward(self, x, y):
        return self.function(self.linear, x, y)


def inductors(module, inputs):
    traced = torch.fx.symbolic_trace(module)
    counts = {}
    for name, (fusion, fused) in FUSIONS.items():
        ShapeProp(traced).propagate(*inputs)
        traced = fusion(traced) or traced
        counts[name] = sum(node.op == "call_function" and node.target is fused for node in traced.graph.nodes)
    return {name: count for name, count in counts.items() if count}


x, xt = torch.randn(3, 4, 6), torch.randn(3, 6, 4)
LP, PL, PM = "linear_permute_fusion", "permute_linear_fusion", "permute_matmul_fusion"
# (function, inputs, the fusion, how many Inductor makes, how many we make)
CASES = [
    # The unit test.
    (lambda f, x: f(x).permute(0, 2, 1), (x,), LP, 1, 1),
    (lambda f, x: f(x.permute(0, 2, 1)), (xt,), PL, 1, 1),
    (lambda f, x, y: torch.bmm(x.permute(0, 2, 1), y.permute(0, 2, 1)), (xt, torch.randn(3, 5, 6)), PM, 1, 1),
    # Negative dimensions; other permutations.
    (lambda f, x: f(x).permute(0, -1, -2), (x,), LP, 1, 1),
    (lambda f, x: f(x).permute(2, 0, 1), (x,), LP, 0, 0),
    (lambda f, x: f(x).permute(0, 1, 2), (x,), LP, 0, 0),
    (lambda f, x: f(x.permute(2, 1, 0)), (torch.randn(6, 4, 3),), PL, 0, 0),
    # Spellings that Inductor does not see.
    (lambda f, x: f(x).permute([0, 2, 1]), (x,), LP, 0, 1),
    (lambda f, x: f(x).permute(dims=(0, 2, 1)), (x,), LP, 0, 1),
    (lambda f, x: torch.permute(f(x), (0, 2, 1)), (x,), LP, 0, 1),
    (lambda f, x: torch.permute(f(x), dims=[0, 2, 1]), (x,), LP, 0, 1),
    (lambda f, x: f(x).transpose(1, 2), (x,), LP, 0, 1),
    (lambda f, x: torch.transpose(f(x), dim0=-1, dim1=1), (x,), LP, 0, 1),
    (lambda f, x: f(x).swapaxes(2, 1), (x,), LP, 0, 1),
    (lambda f, x: f(x).mT, (x,), LP, 0, 1),
    (lambda f, x: f(x).movedim(1, 2), (x,), LP, 0, 1),
    (lambda f, x: f(x.permute([0, 2, 1])), (xt,), PL, 0, 1),
    (lambda f, x: f(torch.permute(x, dims=(0, 2, 1))), (xt,), PL, 0, 1),
    (lambda f, x: torch.matmul(x, torch.transpose(x, 1, 2)), (x,), PM, 0, 1),
    (lambda f, x: torch.bmm(x.permute([0, 2, 1]), x), (x,), PM, 0, 1),
    # Rank 2.
    (lambda f, x: f(x).permute(1, 0), (x[0],), LP, 0, 1),
    (lambda f, x: f(x).t(), (x[0],), LP, 0, 1),
    (lambda f, x: f(x.T), (xt[0],), PL, 0, 1),
    # The linear has another user: Inductor computes it twice.
    (lambda f, x: (lambda y: y.permute(0, 2, 1) @ y)(f(x)), (x,), LP, 1, 0),
]
for i, (function, inputs, fusion, theirs, wanted) in enumerate(CASES):
    for bias in (True, False):
        name = f"case {i} bias={bias}"
        module = (Function if len(inputs) == 1 else TwoInputs)(function, bias)
        found = inductors(module, inputs).get(fusion, 0)
        assert found == theirs, f"{name}: expected {theirs} of Inductor but got {found}"
        graph = fxgraph.capture(module, *inputs, level="torch")
        counters = graph.run_passes("fxgraph-linear-permute-fuse").counters
        assert counters.get(fusion, 0) == wanted, f"{name}: expected {wanted} but got {counters}"
        with torch.no_grad():
            torch.testing.assert_close(torch.as_tensor(graph.run(list(inputs), target="ref")[0]), module(*inputs), rtol=1e-5, atol=1e-5,
                                       msg=lambda text: f"{name}: {text}")
