# Inductor's counters for norms behind convolutions, on the graphs of its own unit test
# (test_efficient_conv_bn_eval: 1 and 3), captured from PyTorch; and the results.
#
# The second model calls one convolution twice and one norm twice: the norm of the first
# pair, that of the second call of the convolution, and the first call of the norm count.
# The second call of the norm, which a norm feeds, is left to the next run there; here it
# follows in the same run unless norm-chains=false.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import functools
import itertools

import torch
import torch.nn as nn

import fxgraph
from fxgraph.testing.passes import nested

torch.manual_seed(0)


class Single(nn.Module):
    def __init__(self, conv, norm, bias):
        super().__init__()
        self.conv, self.norm = conv(bias), norm(8)

    def forward(self, x):
        return self.norm(self.conv(x))


class Several(nn.Module):
    def __init__(self, conv, norm, bias):
        super().__init__()
        self.conv1, self.conv2, self.conv3 = (conv(bias) for _ in range(3))
        self.norm1, self.norm2, self.norm3 = (norm(8) for _ in range(3))

    def forward(self, x):
        x = self.norm1(self.conv1(x))
        x = self.norm2(self.conv2(self.conv2(x)))
        return self.norm3(self.norm3(self.conv3(x)))


PAIRS = [
    (lambda bias: nn.Conv1d(8, 8, 3, padding=1, bias=bias), nn.BatchNorm1d, (2, 8, 6)),
    (lambda bias: nn.Conv2d(8, 8, 3, padding=1, bias=bias), nn.BatchNorm2d, (2, 8, 5, 6)),
    (lambda bias: nn.Conv3d(8, 8, 3, padding=1, bias=bias), nn.BatchNorm3d, (2, 8, 3, 4, 5)),
    (lambda bias: nn.Linear(8, 8, bias=bias), nn.BatchNorm1d, (5, 8)),
    (lambda bias: nn.ConvTranspose1d(8, 8, 3, padding=1, bias=bias), nn.BatchNorm1d, (2, 8, 6)),
    (lambda bias: nn.ConvTranspose2d(8, 8, 3, padding=1, bias=bias), nn.BatchNorm2d, (2, 8, 5, 6)),
    (lambda bias: nn.ConvTranspose3d(8, 8, 3, padding=1, bias=bias), nn.BatchNorm3d, (2, 8, 3, 4, 5)),
]

PASSES = {"fxgraph-convbn-efficient-eval": "efficient_conv_bn_eval", "fxgraph-convbn-fold": "fuse_conv_bn"}


@functools.cache
def captured(module, x, level):
    return fxgraph.capture(module, x, level=level)


def check(name, module, x, passes, expected, level="torch"):
    """Runs the pass; the counters must be the expected ones, the results PyTorch's."""
    graph = captured(module, x, level).clone()
    counters = graph.run_passes(passes).counters
    assert counters == expected, f"{name}: expected {expected} but got {counters}"
    with torch.no_grad():
        torch.testing.assert_close(torch.as_tensor(graph.run([x], target="ref")[0]), module(x), rtol=1e-5, atol=2e-4,
                                   msg=lambda text: f"{name}: {text}")


def prepare(module):
    """In evaluation mode, with statistics and weights that are all different."""
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.running_mean.normal_()
            part.running_var.uniform_(0.5, 2)
            nn.init.normal_(part.weight)
            nn.init.normal_(part.bias)
    return module.eval()


for (conv, norm, shape), (model, count), bias in itertools.product(PAIRS, ((Single, 1), (Several, 3)), (True, False)):
    module = prepare(model(conv, norm, bias))
    name = f"{type(conv(bias)).__name__} {model.__name__} bias={bias}"
    x = torch.randn(shape)
    for passes, counter in PASSES.items():
        check(name, module, x, nested(passes + "{norm-chains=false}"), {counter: count})
    if bias:
        check(name + ", chains", module, x, passes, {counter: count + (count == 3)})
        # The native form of the norm, as decompositions of the captured program leave it.
        check(name + ", native", module, x, nested(passes + "{norm-chains=false}"), {counter: count}, level="aten")

# PyTorch rewrites these two, and wrongly: the norm of a linear on [n, l, c] is over l,
# and the scale does not fit the weight of a grouped transposed convolution.
check("linear [n, l, c]", prepare(nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8))), torch.randn(2, 8, 8), "fxgraph-convbn-efficient-eval", {})
check("grouped transposed", prepare(nn.Sequential(nn.ConvTranspose1d(8, 8, 3, groups=2), nn.BatchNorm1d(8))), torch.randn(2, 8, 5),
      "fxgraph-convbn-efficient-eval", {})
# The fold moves the groups to a dimension of their own.
check("grouped transposed, frozen", prepare(nn.Sequential(nn.ConvTranspose1d(8, 8, 3, groups=2), nn.BatchNorm1d(8))), torch.randn(2, 8, 5),
      "fxgraph-convbn-fold", {"fuse_conv_bn": 1})


class Functional(nn.Module):
    """functional batch_norm on a convolution: all that may be absent is."""

    def __init__(self, training):
        super().__init__()
        self.conv, self.training_mode = nn.Conv2d(4, 8, 3, groups=4, bias=False), training
        self.register_buffer("mean", torch.randn(8))
        self.register_buffer("var", torch.rand(8) + 0.5)

    def forward(self, x):
        if self.training_mode:
            return nn.functional.batch_norm(self.conv(x), None, None, training=True)
        return nn.functional.batch_norm(self.conv(x), self.mean, self.var)


x = torch.randn(2, 4, 5, 5)
for training in (False, True):
    module = Functional(training)
    for passes, counter in PASSES.items():
        check(f"functional, training={training}", module, x, passes, {} if training else {counter: 1})
