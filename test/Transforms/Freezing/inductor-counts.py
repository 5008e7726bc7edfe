# Binary ops behind convolutions and linears, and products of one input, on graphs captured
# from PyTorch: the cases of Inductor's unit test (test_binary_folding) with what it expects
# there, and results. A float number is folded in the installed version (its test, which
# expects that no number is, takes an integer).
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import itertools
import operator

import torch
import torch.nn as nn

import fxgraph

torch.manual_seed(0)


class Behind(nn.Module):
    """A layer and a binary op on its result."""

    def __init__(self, layer, op, other):
        super().__init__()
        self.layer, self.op = layer, op
        if isinstance(other, torch.Tensor):
            self.register_buffer("other", other)
        else:
            self.other = other

    def forward(self, x):
        return self.op(self.layer(x), self.other)


# Inductor divides weights by what may be 0; here it takes a promise.
FOLDING = "fxgraph-freezing-binary-folding{assume-nonzero-divisors=true}"


def check(name, module, x, wanted, passes=FOLDING, tolerance=1e-4, level="aten"):
    module.eval().requires_grad_(False)
    graph = fxgraph.capture(module, x, level=level)
    counters = graph.run_passes(f"builtin.module(func.func({passes}))").counters
    assert counters == wanted, f"{name}: expected {wanted} but got {counters}"
    expected = module(x)
    for actual, value in zip(graph.run([x], target="ref"), expected if isinstance(expected, tuple) else (expected,), strict=True):
        torch.testing.assert_close(torch.as_tensor(actual), value, rtol=tolerance, atol=tolerance, msg=lambda text: f"{name}: {text}")
    return graph


OPS = (operator.add, operator.sub, operator.mul, operator.truediv)
FOLDED = {"binary_folding": 1, "binary_folding_conv": 1}


def away_from_zero(*shape):
    return torch.rand(shape) + 0.5


# test_conv_binary_folding
for bias, conv, op in itertools.product((True, False), (nn.Conv1d, nn.Conv2d, nn.Conv3d), OPS):
    if conv is not nn.Conv2d and (op in OPS[1::2] or bias):
        continue
    name = f"{conv.__name__} {op.__name__} bias={bias}"
    spatial = 1 if conv is nn.Conv1d else 2 if conv is nn.Conv2d else 3
    x = torch.randn(1, 3, *[8] * spatial)

    def layer():
        return conv(3, 32, 3, stride=2, bias=bias)

    ones = [1] * spatial
    check(name, Behind(layer(), op, away_from_zero(1)), x, FOLDED)
    check(name + " no promise", Behind(layer(), op, away_from_zero(1)), x, {} if op is operator.truediv else FOLDED, "fxgraph-freezing-binary-folding")
    check(name + " channels", Behind(layer(), op, away_from_zero(32, *ones)), x, FOLDED)
    check(name + " batch", Behind(layer(), op, away_from_zero(1, 32, *ones)), x, FOLDED)
    check(name + " number", Behind(layer(), op, 2.5), x, FOLDED)
    check(name + " integer", Behind(layer(), op, 2), x, {})
    # Inductor leaves integers alone. Here they are cast where the graph is captured, and that is a constant, too.
    check(name + " integers", Behind(layer(), op, torch.tensor([2])), x, FOLDED)
    check(name + " ones", Behind(layer(), op, away_from_zero(1, 1)), x, FOLDED)
    # The values of one place for all channels, or of other dimensions (Inductor: [32, 1, 32]).
    check(name + " places", Behind(layer(), op, away_from_zero(*[1] * (spatial + 1), 3)), x, {})

# Inductor lets [1, O] of rank 2 pass, whatever it broadcasts along.
check("rank 2", Behind(nn.Conv2d(3, 3, 3), operator.mul, away_from_zero(1, 3)), torch.randn(1, 3, 5, 5), {})
check("transposed", Behind(nn.ConvTranspose2d(3, 4, 3), operator.mul, away_from_zero(4, 1, 1)), torch.randn(1, 3, 5, 5), FOLDED)
chain = nn.Sequential(Behind(Behind(nn.Conv2d(3, 4, 3), operator.mul, away_from_zero(4, 1, 1)), operator.add, away_from_zero(1, 4, 1, 1)))
check("two in a row", chain, torch.randn(1, 3, 5, 5), {name: 2 for name in FOLDED})

# test_linear_binary_folding
LINEAR = "fxgraph-decompose,fxgraph-freezing-binary-folding{enable-linear-binary-folding=true assume-nonzero-divisors=true}"
for bias, op, rows, passes in itertools.product((True, False), OPS, ((4,), (2, 3)), (LINEAR, LINEAR.removeprefix("fxgraph-decompose,"))):
    if passes != LINEAR and op in OPS[1::2]:
        continue
    name = f"linear {op.__name__} bias={bias} {rows} {passes}"
    x = torch.randn(*rows, 3)
    shapes = [(32,), (1, 32), (1,), (1, 1)] + ([(1, 1, 32), (1, 1, 1)] if len(rows) == 2 else [])
    for shape in shapes:
        check(f"{name} {shape}", Behind(nn.Linear(3, 32, bias=bias), op, away_from_zero(*shape)), x, {"binary_folding": 1}, passes)
    check(name + " number", Behind(nn.Linear(3, 32, bias=bias), op, 2.5), x, {"binary_folding": 1}, passes)
    check(name + " rows", Behind(nn.Linear(3, 32, bias=bias), op, away_from_zero(rows[-1], 1)), x, {}, passes)
    check(name + " off", Behind(nn.Linear(3, 32, bias=bias), op, away_from_zero(32)), x, {})


# Mixed dtypes: folded where the result is narrowed again. (torch.export puts an assertion on
# the 32-bit result, which the post-grad passes drop.)
class Mixed(nn.Module):
    def __init__(self, narrows):
        super().__init__()
        self.conv, self.narrows = nn.Conv2d(3, 4, 3, dtype=torch.bfloat16), narrows
        self.register_buffer("other", away_from_zero(4, 1, 1))

    def forward(self, x):
        y = self.conv(x) * self.other
        return y.to(torch.bfloat16) if self.narrows else y


for narrows in (True, False):
    check(f"mixed {narrows}", Mixed(narrows), torch.randn(1, 3, 5, 5, dtype=torch.bfloat16), FOLDED if narrows else {}, tolerance=2e-2, level="torch")


# Products of one input: two, three, with biases.
class Heads(nn.Module):
    def __init__(self, count, bias):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(8, 4 + i, bias=bias) for i in range(count))

    def forward(self, x):
        return tuple(torch.relu(head(x)) for head in self.heads)


for count, bias in itertools.product((1, 2, 3, 5), (True, False)):
    for name, options, products in (("CPU", "", count), ("GPU", "{default-device=cuda}", 1), ("CPU, on", "{enable-concat-linear=true}", 1)):
        graph = check(f"{count} heads, bias={bias}, {name}", Heads(count, bias), torch.randn(6, 8), {}, "fxgraph-decompose,fxgraph-freezing-matmul-concat" + options)
        found = graph.asm.count("fxgraph.addmm " if bias else "fxgraph.mm ")
        assert found == products, f"{count} heads, bias={bias}, {name}: expected {products} products but got {found}"
