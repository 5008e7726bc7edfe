# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same computation in the ways that one may write it, and near ones that are another: scaled softmax, numbers as tensors, ops that
change nothing, arithmetic and activations behind products whose weights are constants. `register(add)` gives them to aten_functions.add."""
import torch
import torch.nn.functional as F

SCALED = {
    "mul": lambda x: x * 0.3, "left": lambda x: 0.3 * x, "div": lambda x: x / 3, "negative": lambda x: x * -2.0, "zero": lambda x: x * 0.0,
    "large": lambda x: x * 1e30, "row": lambda x: x * x[:, :1], "column": lambda x: x * x[:1], "divided_row": lambda x: x / x[:, :1],
}
NORMALIZED = {
    "softmax": lambda x: x.softmax(-1), "softmax_0": lambda x: x.softmax(0), "log_softmax": lambda x: x.log_softmax(-1),
    "written": lambda x: (x - x.amax(-1, keepdim=True)).exp() / (x - x.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True),
    "maximum": lambda x: x - x.amax((0, 1), keepdim=True), "minimum": lambda x: x - x.amin(-1, keepdim=True), "logsumexp": lambda x: x.logsumexp(-1),
}
UNIFORM = {
    "full_mul": lambda x: torch.full((4, 5), 2.0) * torch.full((5,), 3.0) + x, "ones_mul": lambda x: torch.ones_like(x) * x,
    "zeros_add": lambda x: torch.zeros_like(x) + x, "zeros_sub": lambda x: torch.zeros_like(x) - x, "sub_zeros": lambda x: x - torch.zeros(5),
    "pow_ones": lambda x: x ** torch.ones(()), "pow_0": lambda x: x ** 0, "div_ones": lambda x: x / torch.ones(5), "ones_div": lambda x: torch.ones(4, 1) / x,
    "mul_zeros": lambda x: x * torch.zeros_like(x), "view": lambda x: torch.full((20,), 2.0).view(4, 5) * x, "cumsum": lambda x: torch.full((4, 5), 2.0).cumsum(1) + x,
    "sum": lambda x: torch.full((4, 5), 2.0).sum(1, keepdim=True) + x, "where": lambda x: torch.where(torch.ones_like(x, dtype=torch.bool), x, x * 2),
    "where_not": lambda x: torch.where(torch.zeros(5, dtype=torch.bool), x, x * 2), "alpha": lambda x: torch.add(x, torch.zeros_like(x), alpha=3),
    "cat": lambda x: torch.cat([torch.ones(4, 5), torch.ones(4, 5)]) * 2, "triangle": lambda x: torch.ones(5, 5).triu() * x[:1],
    "stack": lambda x: torch.stack([torch.zeros(5)] * 4) + x, "no_ramp": lambda x: torch.full((7,), 0.1).cumsum(0),
    "ramp_bf16": lambda x: torch.full((3, 5), 1, dtype=torch.int8).cumsum(1, dtype=torch.bfloat16),
}
UNCHANGED = {
    "repeat": lambda x: x.repeat(1, 1) * 2, "pad": lambda x: F.pad(x, (0, 0, 0, 0)) + 1, "cat": lambda x: torch.cat([x]) + 1, "slice": lambda x: x[:, :][0:4] * 2,
    "slice_scatter": lambda x: torch.slice_scatter(x, x * 2, 0, 0, 4), "roll": lambda x: x.roll(0, 0) * 2, "view_dtype": lambda x: x.view(torch.int32).view(torch.float32) * 2,
    "rows": lambda x: x[torch.arange(4)] + 1, "rows_back": lambda x: x[torch.arange(3, -1, -1)] + 1, "gather": lambda x: x.gather(1, torch.arange(5).expand(4, 5)),
    "permutes": lambda x: x.view(2, 2, 5).permute(-1, 0, 1).permute(-2, -1, -3) + 1, "unsqueezes": lambda x: x.unsqueeze(0).squeeze(0).unsqueeze(-1).squeeze(-1) * 2,
    "expand": lambda x: x.expand(-1, -1) + x.expand_as(x), "copy": lambda x: torch.empty_like(x).copy_(x) * 2, "dropout": lambda x: F.dropout(x, 0.0) * 2,
}
ARITHMETIC = {
    "add": lambda c, k: c + k, "right_add": lambda c, k: k + c, "sub": lambda c, k: c - k, "right_sub": lambda c, k: k - c, "mul": lambda c, k: c * k,
    "div": lambda c, k: c / k, "right_div": lambda c, k: k / c, "several": lambda c, k: (c * k - k) / k,
}
ACTIVATIONS = {
    "hardswish": F.hardswish, "hardswish_written": lambda c: c * F.relu6(c + 3) / 6, "hardswish_clamped": lambda c: c * (c + 3).clamp(0, 6) / 6,
    "hardsigmoid": F.hardsigmoid, "hardsigmoid_written": lambda c: F.relu6(c + 3) / 6, "silu": F.silu, "silu_written": lambda c: c * c.sigmoid(),
    "gelu": F.gelu, "gelu_written": lambda c: c * 0.5 * (1 + torch.erf(c * 0.7071067811865476)), "gelu_tanh": lambda c: F.gelu(c, approximate="tanh"),
    "gelu_tanh_written": lambda c: 0.5 * c * (1 + torch.tanh(0.7978845608028654 * (c + 0.044715 * c * c * c))), "leaky_relu": lambda c: F.leaky_relu(c, 0.1),
    "leaky_relu_written": lambda c: torch.where(c > 0, c, c * 0.1), "hardtanh": F.hardtanh, "clamp": lambda c: c.clamp(-0.5, 0.7), "tanh": torch.tanh, "exp": torch.exp,
}
CONVOLUTION = [(2, 3, 6, 6), (4, 3, 3, 3), (4,)]
TRANSPOSED = [(2, 3, 4, 4), (3, 4, 2, 2), (4,)]
LINEAR = [(5, 3), (4, 3), (4,)]


def register(add):
    for scale, scaled in SCALED.items():
        for name, normalized in NORMALIZED.items():
            add(f"{name}_of_{scale}", lambda x, f=scaled, g=normalized: g(f(x)), [(4, 5)])
    for kind, bodies in (("uniform", UNIFORM), ("unchanged", UNCHANGED)):
        for name, body in bodies.items():
            add(f"{kind}_{name}", lambda x, f=body: (f(x), x * 3), [(4, 5)])
    for name, body in ARITHMETIC.items():
        for shape in ((4, 1, 1), (1, 4, 1, 1), (), (1,), (4,), (1, 1, 1, 4)):
            add(f"{name}_behind_convolution_{'x'.join(map(str, shape))}", lambda x, w, b, k, f=body: f(F.conv2d(x, w, b), k), [*CONVOLUTION, shape], (1, 2, 3))
        add(f"{name}_behind_grouped_convolution", lambda x, w, k, f=body: f(F.conv2d(x, w, groups=2), k), [(2, 4, 6, 6), (4, 2, 3, 3), (4, 1, 1)], (1, 2))
        add(f"{name}_behind_transposed_convolution", lambda x, w, b, k, f=body: f(F.conv_transpose2d(x, w, b), k), [*TRANSPOSED, (1, 4, 1, 1)], (1, 2, 3))
        add(f"{name}_behind_linear", lambda x, w, b, k, f=body: f(F.linear(x, w, b), k), [*LINEAR, (4,)], (1, 2, 3))
        add(f"{name}_behind_linear_of_batches", lambda x, w, k, f=body: f(F.linear(x, w), k), [(2, 5, 3), (4, 3), (1, 4)], (1, 2))
    for name, body in ACTIVATIONS.items():
        add(f"{name}_of_convolution", lambda x, w, b, f=body: f(F.conv2d(x, w, b)), CONVOLUTION, (1, 2))
        add(f"{name}_of_transposed_convolution", lambda x, w, b, f=body: f(F.conv_transpose2d(x, w, b)), TRANSPOSED, (1, 2))
        add(f"{name}_of_linear", lambda x, w, b, f=body: f(F.linear(x, w, b)), LINEAR, (1, 2))
        add(f"{name}_of_sum_with_linear", lambda x, w, b, y, f=body: f(y + F.linear(x, w, b)), [*LINEAR, (5, 4)], (1, 2))
        add(f"{name}_of_sum_with_convolution", lambda x, w, b, y, f=body: f(F.conv2d(x, w, b) + y), [*CONVOLUTION, (2, 4, 4, 4)], (1, 2))
