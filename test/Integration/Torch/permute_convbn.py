# Linear-permute fusion and batch-norm folding against PyTorch eager.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import functools

import fxgraph
import torch
import torch.nn as nn

torch.manual_seed(0)


@functools.cache
def captured(module, inputs):
    return fxgraph.capture(module, *inputs, level="torch")


def check(name, module, inputs, passes, expected_counters, tolerance=2e-4):
    module.eval()
    with torch.no_grad():
        expected = module(*inputs)
    m = captured(module, tuple(inputs)).clone()
    counters = m.run_passes(passes).counters
    assert counters == expected_counters, f"{name}: expected {expected_counters} but got {counters}"
    got = torch.as_tensor(m.run(inputs, target="ref")[0])
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance, msg=lambda text: f"{name}: {text}")
    return m.op_counts()


#===----------------------------------------------------------------------===#
# conv + batch norm
#===----------------------------------------------------------------------===#

CONVS = {
    "conv1d": (lambda bias: nn.Conv1d(4, 6, 3, padding=1, bias=bias), nn.BatchNorm1d, (2, 4, 9)),
    "conv2d": (lambda bias: nn.Conv2d(4, 6, 3, stride=2, groups=2, bias=bias), nn.BatchNorm2d, (2, 4, 9, 8)),
    "conv3d": (lambda bias: nn.Conv3d(4, 6, 2, dilation=2, bias=bias), nn.BatchNorm3d, (2, 4, 5, 4, 6)),
    "depthwise": (lambda bias: nn.Conv2d(6, 6, 3, groups=6, bias=bias), nn.BatchNorm2d, (2, 6, 5, 5)),
    "transposed": (lambda bias: nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1, bias=bias), nn.BatchNorm2d, (2, 4, 5, 5)),
    "transposed, groups": (lambda bias: nn.ConvTranspose1d(4, 6, 3, groups=2, bias=bias), nn.BatchNorm1d, (2, 4, 5)),
    "linear": (lambda bias: nn.Linear(4, 6, bias=bias), nn.BatchNorm1d, (5, 4)),
}
for name, (conv, norm, shape) in CONVS.items():
    for bias in (True, False):
        for affine in (True, False):
            bn = norm(6, affine=affine, eps=1e-3)
            bn.running_mean.normal_()
            bn.running_var.uniform_(0.1, 2)
            if affine:
                nn.init.normal_(bn.weight)
                nn.init.normal_(bn.bias)
            module, x = nn.Sequential(conv(bias), bn), torch.randn(shape)
            ops = check(f"{name} bias={bias} affine={affine}", module, [x], "fxgraph-convbn-fold", {"fuse_conv_bn": 1})
            assert ops.get("fxgraph.batch_norm", 0) == 0, ops
            check(f"efficient-eval {name} bias={bias} affine={affine}", module, [x], "fxgraph-convbn-efficient-eval",
                  {} if name == "transposed, groups" else {"efficient_conv_bn_eval": 1})


class Shared(nn.Module):
    """One convolution under two norms: called twice it folds twice, used twice never."""

    def __init__(self, calls):
        super().__init__()
        self.conv, self.calls = nn.Conv2d(3, 4, 3), calls
        self.norms = nn.ModuleList(nn.BatchNorm2d(4) for _ in range(2))
        for norm in self.norms:
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.1, 2)

    def forward(self, x):
        first = self.conv(x)
        second = self.conv(x) if self.calls == 2 else first
        return self.norms[0](first) + self.norms[1](second)


check("two calls", Shared(2), [torch.randn(1, 3, 6, 6)], "fxgraph-convbn-fold", {"fuse_conv_bn": 2})
check("one call", Shared(1), [torch.randn(1, 3, 6, 6)], "fxgraph-convbn-fold", {})

#===----------------------------------------------------------------------===#
# linear and matmul against permutes
#===----------------------------------------------------------------------===#


class Function(nn.Module):
    def __init__(self, function, bias=True):
        super().__init__()
        self.function, self.linear = function, nn.Linear(6, 5, bias)

    def forward(self, *args):
        return self.function(self.linear, *args)


x, xt = torch.randn(3, 4, 6), torch.randn(3, 6, 4)
linear_permute = [lambda l, x: l(x).permute(0, 2, 1), lambda l, x: l(x).transpose(-1, 1), lambda l, x: l(x[0]).t(), lambda l, x: torch.permute(l(x), (0, 2, 1))]
permute_linear = [lambda l, x: l(x.permute(0, 2, 1)), lambda l, x: l(x.transpose(2, 1)), lambda l, x: l(x[0].permute(1, 0))]
permute_matmul = [lambda l, x: torch.bmm(x.permute(0, 2, 1), x), lambda l, x: torch.matmul(x, x.transpose(1, 2)),
                  lambda l, x: x.mT @ x[0], lambda l, x: torch.bmm(x.permute(0, 2, 1), x.permute(0, 2, 1).mT)]
for bias in (True, False):
    for functions, argument, counter in ((linear_permute, x, "linear_permute_fusion"), (permute_linear, xt, "permute_linear_fusion"),
                                         (permute_matmul, x, "permute_matmul_fusion")):
        for i, function in enumerate(functions):
            check(f"{counter} {i}", Function(function, bias), [argument], "fxgraph-linear-permute-fuse", {counter: 1}, 1e-5)
