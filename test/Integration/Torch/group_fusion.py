# The batch fusions against PyTorch: the same counters as Inductor's own passes on
# the modules that its tests use, and the results of eager mode.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import fxgraph
import torch
import torch.nn as nn
import torch.nn.functional as F
from fxgraph.testing.inductor import dynamo_graph, run_pre_grad

torch.manual_seed(0)


class Linears(nn.Module):
    """Linears on the pieces of one split."""

    def __init__(self, bias):
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(10, 10, bias) for _ in range(5))

    def forward(self, x):
        return torch.cat([torch.sin(l(p)) for l, p in zip(self.linears, torch.split(x, 10, dim=1))], dim=1)


class LinearsOnOneInput(nn.Module):
    """Two layers of linears of different sizes."""

    def __init__(self, bias, z=10):
        super().__init__()
        self.first = nn.ModuleList(nn.Linear(z, z - i % 5, bias) for i in range(10))
        self.second = nn.ModuleList(nn.Linear(z * 10 - sum(i % 5 for i in range(10)), z - i % 5, bias) for i in range(10))

    def forward(self, x):
        x = torch.cat([torch.sin(l(x)) for l in self.first], dim=1)
        return torch.cat([torch.sin(l(x)) for l in self.second], dim=1)


class Norms(nn.Module):
    def __init__(self, weight, bias):
        super().__init__()
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        self.has_weight, self.has_bias = weight, bias
        for shape in 5 * [(5, 10)] + 5 * [(10,)]:
            self.weights.append(nn.Parameter(torch.randn(shape)))
            self.biases.append(nn.Parameter(torch.randn(shape)))

    def forward(self, x):
        pieces = [F.dropout(p, 0.1, training=False) for p in torch.unbind(x, dim=1)]
        results = [
            F.layer_norm(p, (5, 10) if i < 5 else (10,), self.weights[i] if self.has_weight else None,
                         self.biases[i] if self.has_bias else None) for i, p in enumerate(pieces)
        ]
        return torch.stack(results, dim=1)


class Pointwise(nn.Module):
    def forward(self, x):
        inputs = [p.to(x.device) for p in torch.split(x, 500, dim=1)]
        relus = [F.relu(p) for split in inputs for p in torch.split(split, 50, dim=1)]
        sigmoids = [torch.sigmoid(r) for r in relus]
        return torch.cat([torch.tanh(s) for s in sigmoids], dim=1)


class Math(nn.Module):
    def forward(self, x):
        pieces = [p.contiguous() for p in torch.split(x, 2, dim=1)]
        clamped = torch.stack([torch.clamp(p, min=-1000.1, max=1000.2) for p in pieces], dim=0)
        numbers = torch.stack([torch.nan_to_num(p, nan=1.25) for p in torch.unbind(clamped * 2, dim=0)], dim=0)
        return numbers + 1


class Towers(nn.Module):
    """More than a group may hold."""

    def __init__(self, n):
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(8, 8)) for _ in range(n))

    def forward(self, x):
        return torch.cat([torch.tanh(F.linear(p, w)) for p, w in zip(torch.split(x, 8, dim=1), self.weights)], dim=1)


def check(module, inputs, *passes):
    module.eval()
    graph, arguments = dynamo_graph(module, inputs)
    with torch.no_grad():
        expected = module(*inputs)

    mine = []
    # Over the whole block, and with Inductor's search.
    for depth in (0, 5):
        ours = fxgraph.from_fx(graph, arguments)
        names = ",".join(f"fxgraph-group-{p.replace('_', '-')}{{max-fuse-search-depth={depth}}}" for p in passes)
        report = ours.run_passes(f"fxgraph-normalize,{names}")
        got = ours.run(inputs, target="ref")[0]
        torch.testing.assert_close(torch.as_tensor(got), expected, equal_nan=True)
        mine.append({p: report.counters.get(p, 0) for p in passes})

    _, counters = run_pre_grad(graph, arguments, {"normalization_pass": {}, **{p: {} for p in passes}})
    theirs = {p: counters.get(p, 0) for p in passes}
    print(type(module).__name__, *mine, theirs)
    assert all(theirs.values()), theirs
    assert mine == [theirs, theirs], f"{type(module).__name__}: {mine} but Inductor has {theirs}"


for bias in (True, False):
    check(Linears(bias), [torch.randn(7, 50)], "batch_linear")
    check(LinearsOnOneInput(bias), [torch.randn(6, 10)], "batch_linear_lhs")
for weight in (True, False):
    for bias in (True, False):
        check(Norms(weight, bias), [torch.randn(3, 10, 5, 10)], "batch_layernorm")
check(Pointwise(), [torch.randn(5, 1000)], "batch_relu", "batch_sigmoid", "batch_tanh")
x = torch.randn(3, 20)
x[0, :4] = torch.tensor([float("nan"), float("inf"), -float("inf"), 3.14])
check(Math(), [x], "batch_clamp", "batch_nan_to_num")
check(Towers(310), [torch.randn(2, 310 * 8)], "batch_linear", "batch_tanh")
