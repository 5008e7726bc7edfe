# Inductor's counters for the batch fusions: Inductor's own passes and ours run on the
# same captured graphs with the same option dictionary. The graphs are those of Inductor's
# unit tests (test_group_batch_fusion; the numbers are what it expects there) and small
# steps away from them. Results must be PyTorch's.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
#
# Where ours differ:
# - normalization_pass: PyTorch counts every unbind and stack, also canonical ones; here
#   changes count. What it turns into keyword arguments is canonical here from the start.
# - A batched op is not batched once more, which PyTorch does with two batched clamps of
#   equal bounds (it would undo max_fuse_set_size, and a second run would go on).
# - batch_dropout of dropouts that draw needs allow-rng-reorder.
# - cat_linear is newer than the installed PyTorch: the numbers of its test, for ours alone.
#   Its weights that cannot be concatenated (tensor subclasses) do not come up: here a
#   weight is a tensor.
import torch
import torch.nn as nn
import torch.nn.functional as F

import fxgraph
from fxgraph.testing.inductor import both_graphs, run_pre_grad

torch.manual_seed(0)
# Inductor's search, which goes five steps up.
OURS = dict(permute_fusion=False, freezing=False, max_fuse_search_depth=5)


def ours(graph, options, settings):
    report = graph.run_passes(fxgraph.pre_grad_pipeline(options, **OURS, **settings))
    return {**report.counters, **{name.replace("fxgraph.", "ops: "): count for name, count in graph.op_counts().items()}}


CASES = []
# Inductor ends with an exception, or has no such pass.
FAILS, UNKNOWN = {}, {}


def case(options, expected, differs=None, random=False, **settings):
    """A module's class and inputs; the counters that Inductor and we give, or (`differs`) what ours are."""

    def add(function):
        CASES.append((function.__name__, function, options, expected, {**expected, **(differs or {})}, random, settings))
        return function

    return add


class Function(nn.Module):
    """A function of (module, x)."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def many(make, count):
    return nn.ModuleList(make(i) for i in range(count))


def parameters(shape, count):
    return nn.ParameterList(nn.Parameter(torch.randn(shape)) for _ in range(count))


LINEAR = {"normalization_pass": {}, "batch_linear": {}, "unbind_stack_pass": {}}


@case(LINEAR, {"batch_linear": 1})
def linear_of_pieces():
    return Function(lambda m, x: torch.cat([l(p) for l, p in zip(m.linears, torch.split(x, 10, dim=1))], dim=1),
                    linears=many(lambda i: nn.Linear(10, 10), 5)), [torch.randn(4, 50)]


@case(LINEAR, {"batch_linear": 1})
def linear_of_pieces_without_bias():
    return Function(lambda m, x: torch.cat([l(p) for l, p in zip(m.linears, torch.split(x, 10, dim=1))], dim=1),
                    linears=many(lambda i: nn.Linear(10, 7, bias=False), 6)), [torch.randn(4, 60)]


@case(LINEAR, {"batch_linear": 0})
def linear_too_few():
    return Function(lambda m, x: torch.cat([l(p) for l, p in zip(m.linears, torch.split(x, 10, dim=1))], dim=1),
                    linears=many(lambda i: nn.Linear(10, 10), 4)), [torch.randn(4, 40)]


@case({"normalization_pass": {}, "batch_linear": {"min_fuse_set_size": 2}}, {"batch_linear": 2})
def linear_of_two_splits():
    """The key holds the split: two groups of two and three."""
    def forward(m, x, y):
        pieces = list(torch.split(x, 10, dim=1)) + list(torch.split(y, 10, dim=1))
        return torch.cat([l(p) for l, p in zip(m.linears, pieces)], dim=1)
    return Function(forward, linears=many(lambda i: nn.Linear(10, 10), 5)), [torch.randn(4, 20), torch.randn(4, 30)]


@case({"normalization_pass": {}, "batch_linear": {"min_fuse_set_size": 2}}, {"batch_linear": 0})
def linear_rank_3():
    return Function(lambda m, x: torch.cat([l(x) for l in m.linears], dim=2), linears=many(lambda i: nn.Linear(10, 10), 5)), [torch.randn(2, 4, 10)]


@case({"normalization_pass": {}, "batch_linear": {"min_fuse_set_size": 2, "fuse_nodes_with_same_users": True}}, {"batch_linear": 2})
def linear_users_in_the_key():
    def forward(m, x):
        y = [l(p) for l, p in zip(m.linears, torch.split(x, 10, dim=1))]
        return torch.cat([torch.relu(y[0]), torch.relu(y[1]), torch.tanh(y[2]), torch.tanh(y[3]), torch.sin(y[4])], dim=1)
    return Function(forward, linears=many(lambda i: nn.Linear(10, 10), 5)), [torch.randn(4, 50)]


@case({"normalization_pass": {}, "batch_linear": {"min_fuse_set_size": 2, "max_fuse_set_size": 3}}, {"batch_linear": 2})
def linear_large_sets_are_cut():
    return Function(lambda m, x: torch.cat([l(p) for l, p in zip(m.linears, torch.split(x, 10, dim=1))], dim=1),
                    linears=many(lambda i: nn.Linear(10, 10), 6)), [torch.randn(4, 60)]


LHS = {"normalization_pass": {}, "batch_linear_lhs": {}}


def two_layers(bias):
    def forward(m, x):
        x = torch.cat([l(x) for l in m.first], dim=1)
        return torch.cat([l(x) for l in m.second], dim=1)
    width = sum(10 - i % 5 for i in range(10))
    return Function(forward, first=many(lambda i: nn.Linear(10, 10 - i % 5, bias=bias), 10),
                    second=many(lambda i: nn.Linear(width, 10 - i % 5, bias=bias), 10)), [torch.randn(20, 10)]


@case(LHS, {"batch_linear_lhs": 2})
def lhs():
    return two_layers(True)


@case(LHS, {"batch_linear_lhs": 2})
def lhs_without_bias():
    return two_layers(False)


@case({"normalization_pass": {}, "batch_linear_lhs": {"min_fuse_set_size": 2}}, {"batch_linear_lhs": 1})
def lhs_functional():
    """Three linears on one input, and one on another."""
    def forward(m, x, y):
        w = m.weights
        return torch.cat([F.linear(x, w[0]), F.linear(x, w[1]), F.linear(x, w[2]), F.linear(y, w[3])], dim=1)
    return Function(forward, weights=parameters((6, 8), 4)), [torch.randn(3, 8), torch.randn(3, 8)]


@case({"batch_linear_lhs": {}}, {"batch_linear_lhs": 2}, is_predispatch=True)
def lhs_before_dispatch():
    return two_layers(True)


CAT = {"normalization_pass": {}, "cat_linear": {"floor_bytes": 0}}
STAYS = {"cat_linear": 0, "ops: cat": 1, "ops: linear": 1, "ops: add": 0}


def joined(widths, outputs, dim=-1, used_twice=False):
    """A linear on what is joined: parts of these widths (or, along dim 0, heights)."""
    def forward(m, *parts):
        x = torch.cat(parts, dim=dim)
        y = F.linear(x, m.w[0], m.b[0])
        return y + x.sum() if used_twice else y
    columns = sum(widths) if dim else 16
    return Function(forward, w=parameters((outputs, columns), 1), b=parameters(outputs, 1)), [torch.randn(*((4, n) if dim else (n, 16))) for n in widths]


@case(CAT, UNKNOWN, differs={"cat_linear": 1, "ops: cat": 0, "ops: linear": 2, "ops: add": 1})
def cat_linear_two_parts():
    return joined([16, 24], 32)


@case(CAT, UNKNOWN, differs={"cat_linear": 1, "ops: cat": 0, "ops: linear": 3, "ops: add": 2})
def cat_linear_three_parts():
    return joined([16, 24, 8], 32)


@case(CAT, UNKNOWN, differs=STAYS)
def cat_linear_other_dim():
    return joined([2, 3], 32, dim=0)


@case(CAT, UNKNOWN, differs=STAYS)
def cat_linear_four_parts():
    return joined([8, 8, 8, 8], 32)


@case(CAT, UNKNOWN, differs=STAYS)
def cat_linear_wide_output():
    return joined([16, 24], 128)


@case(CAT, UNKNOWN, differs=STAYS)
def cat_linear_narrow_part():
    return joined([16, 4], 32)


@case(CAT, UNKNOWN, differs={**STAYS, "ops: add": 1})
def cat_linear_cat_used_twice():
    return joined([16, 24], 32, used_twice=True)


@case({"normalization_pass": {}, "cat_linear": {}}, UNKNOWN, differs=STAYS)
def cat_linear_small_cat():
    """Below the real floor, 512 MiB."""
    return joined([16, 24], 32)


NORM = {"normalization_pass": {}, "batch_layernorm": {}}


def norms(weight, bias):
    def forward(m, x):
        pieces = torch.split(x, 10, dim=2)
        pieces = [F.layer_norm(p, (10,), m.w0[i] if weight else None, m.b0[i] if bias else None) for i, p in enumerate(pieces)]
        pieces = torch.split(torch.cat(pieces, dim=2), 10, dim=2)
        return torch.cat([F.layer_norm(p, (5, 10), m.w1[i] if weight else None, m.b1[i] if bias else None) for i, p in enumerate(pieces)], dim=2)
    return Function(forward, w0=parameters(10, 5), b0=parameters(10, 5), w1=parameters((5, 10), 5), b1=parameters((5, 10), 5)), [torch.randn(2, 5, 50)]


for weight in (True, False):
    for bias in (True, False):
        make = lambda weight=weight, bias=bias: norms(weight, bias)
        make.__name__ = f"layernorm weight={weight} bias={bias}"
        case(NORM, {"batch_layernorm": 2})(make)


@case({"normalization_pass": {}, "batch_layernorm": {"min_fuse_set_size": 2}}, {"batch_layernorm": 2})
def layernorm_eps_in_the_key():
    def forward(m, x):
        p = torch.split(x, 10, dim=1)
        return torch.cat([F.layer_norm(p[i], (10,), eps=eps) for i, eps in enumerate((1e-5, 1e-3, 1e-5, 1e-3, 1e-2))], dim=1)
    return Function(forward), [torch.randn(4, 50)]


@case({"normalization_pass": {}, "batch_layernorm": {"min_fuse_set_size": 2}}, {"batch_layernorm": 0}, differs={"batch_layernorm": 1})
def layernorm_default_eps():
    """Absent and 1e-5 are two keys for PyTorch, and one number."""
    def forward(m, x):
        p = torch.split(x, 10, dim=1)
        return torch.cat([F.layer_norm(p[0], (10,)), F.layer_norm(p[1], (10,), None, None, 1e-5)], dim=1)
    return Function(forward), [torch.randn(4, 20)]


@case({"normalization_pass": {}, "batch_layernorm": {"min_fuse_set_size": 2, "fuse_nodes_with_same_users": True}}, {"batch_layernorm": 1})
def layernorm_users_in_the_key():
    def forward(m, x):
        y = [F.layer_norm(p, (10,)) for p in torch.split(x, 10, dim=1)]
        return torch.cat([torch.relu(y[0]), torch.relu(y[1]), torch.tanh(y[2]), torch.sin(y[3])], dim=1)
    return Function(forward), [torch.randn(4, 40)]


POINTWISE = {"normalization_pass": {}, "batch_relu": {}, "batch_sigmoid": {}, "batch_tanh": {}}


@case(POINTWISE, {"batch_relu": 1, "batch_sigmoid": 1, "batch_tanh": 0})
def pointwise():
    """Twenty sigmoids over two splits are one group."""
    def forward(m, x):
        one, two = torch.split(x, 500, dim=1)
        one = [F.relu(p) for p in torch.split(one, 50, dim=1)]
        one, two = [torch.sigmoid(p) for p in one], [torch.sigmoid(p) for p in torch.split(two, 50, dim=1)]
        return torch.cat([torch.cat(one, dim=1), torch.cat(two, dim=1)], dim=1)
    return Function(forward), [torch.randn(5, 1000)]


@case({"normalization_pass": {}, "batch_tanh": {"min_fuse_set_size": 2, "fuse_nodes_with_same_parent": True}}, {"batch_tanh": 2})
def tanh_parents_in_the_key():
    """Pieces of two splits are of one kind; relus another; each argument is its own."""
    def forward(m, x, y, z):
        p, q = torch.split(x, 5, dim=1), torch.unbind(y, dim=1)
        r = [torch.relu(z), torch.relu(z + 1)]
        return torch.cat([torch.tanh(v) for v in (*p, *q, *r, z, m.w)], dim=1)
    return Function(forward, w=nn.Parameter(torch.randn(4, 5))), [torch.randn(4, 10), torch.randn(4, 2, 5), torch.randn(4, 5)]


@case({"normalization_pass": {}, "batch_tanh": {"min_fuse_set_size": 2}}, {"batch_tanh": 1})
def tanh_all_parents():
    return tanh_parents_in_the_key()


@case({"normalization_pass": {}, "batch_relu": {"min_fuse_set_size": 2, "max_fuse_search_depth": 2}}, {"batch_relu": 0})
def relu_too_deep():
    """The common user stands three steps below."""
    def forward(m, x):
        p, q = torch.split(x, 10, dim=1)
        return torch.exp(torch.sin(F.relu(p))) + torch.exp(torch.sin(F.relu(q)))
    return Function(forward), [torch.randn(4, 20)]


@case({"normalization_pass": {}, "batch_relu": {"min_fuse_set_size": 2, "max_fuse_search_depth": 3}}, {"batch_relu": 1})
def relu_just_deep_enough():
    return relu_too_deep()


MATH = {"normalization_pass": {}, "batch_detach": {}, "batch_nan_to_num": {}, "batch_clamp": {}}


@case(MATH, {"normalization_pass": 1, "batch_clamp": 1, "batch_detach": 1, "batch_nan_to_num": 1}, differs={"normalization_pass": 0})
def math_ops():
    def forward(m, x):
        pieces = [p.clamp(min=-1000.1, max=1000.1) for p in [x] * 20]
        pieces = [torch.nan_to_num(p, nan=0.25) for p in pieces]
        pieces = [p.detach() for p in pieces]
        return torch.stack(pieces, dim=0)
    return Function(forward), [torch.tensor([float("nan"), float("inf"), -float("inf"), 3.14])]


@case({**MATH, "unbind_stack_pass": {}, "unbind_stack_to_slices_pass": {}},
      {"normalization_pass": 3, "batch_clamp": 1, "batch_detach": 1, "batch_nan_to_num": 1, "unbind_stack_to_slices_pass": 0, "unbind_stack_pass": 3},
      differs={"normalization_pass": 0})
def math_ops_between_stacks():
    """The stacks of each group cancel. (The unit test, whose stacks take other operands as
    well, counts 2 and 2; with its keys the other way round the installed PyTorch fails here.)"""
    def forward(m, x):
        clamped = [p.clamp(min=-1000.1, max=1000.1) for p in [x] * 20]
        numbers = [torch.nan_to_num(p, nan=0.25) for p in clamped]
        return torch.stack(clamped) + torch.stack(numbers) + torch.stack([p.detach() for p in numbers])
    return Function(forward), [torch.tensor([float("nan"), float("inf"), -float("inf"), 3.14])]


@case({"normalization_pass": {}, "batch_clamp": {"min_fuse_set_size": 2}}, {"batch_clamp": 3}, differs={"batch_clamp": 2})
def clamp_users_and_bounds_in_the_key():
    def forward(m, x):
        p = torch.unbind(x, dim=0)
        y = [torch.clamp(v, -1, 1) for v in p[:4]] + [torch.clamp(v, -1, 2) for v in p[4:]]
        return torch.stack([torch.relu(v) for v in y[:2]] + [torch.tanh(v) for v in y[2:4]] + [torch.relu(v) for v in y[4:]])
    return Function(forward), [torch.randn(5, 3)]


@case({"normalization_pass": {}, "batch_clamp": {"min_fuse_set_size": 2}}, FAILS, differs={"batch_clamp": 0})
def clamp_to_tensors():
    """Bounds that are tensors are other ops here."""
    def forward(m, x):
        p, q = torch.unbind(x)
        return torch.clamp(p, m.low) + torch.clamp(q, m.low)
    return Function(forward, low=nn.Parameter(torch.rand(3), requires_grad=False)), [torch.randn(2, 3)]


TWO = {"min_fuse_set_size": 2}
ALL = {"normalization_pass": {}, **{name: TWO for name in ("batch_linear", "batch_relu", "batch_nan_to_num", "batch_clamp", "batch_detach",
                                                           "batch_dropout", "batch_layernorm", "batch_tanh")}}


@case(ALL, {"batch_nan_to_num": 1}, differs={"batch_nan_to_num": 2})
def positional_parameters():
    """PyTorch's key and its batched op lack them: one group of four, and NaN becomes 0."""
    def forward(m, x):
        p = torch.unbind(x, dim=0)
        return torch.stack([torch.nan_to_num(p[i], value) for i, value in enumerate((0.5, 0.5, 1.5, 1.5))])
    return Function(forward), [torch.full((4, 3), float("nan"))]


@case(ALL, {"batch_tanh": 1, "batch_relu": 1}, differs={"batch_tanh": 2, "batch_relu": 2})
def dtypes():
    """PyTorch's key lacks them: the stack of f32 and f64 would be one."""
    def forward(m, x, y):
        p = [torch.tanh(v) for v in (*torch.unbind(x), *torch.unbind(y))]
        return torch.cat([F.relu(v).double() for v in p[:2]] + [F.relu(v) * 2 for v in p[2:]])
    return Function(forward), [torch.randn(2, 3), torch.randn(2, 3, dtype=torch.float64)]


@case(ALL, {"batch_relu": 1})
def written_in_place():
    """PyTorch batches across the write, with one value of y for both; here each moment's."""
    def forward(m, x):
        y = x * 2
        a = F.relu(y)
        y.add_(1)
        b = F.relu(y)
        y.mul_(b)
        return a + b + y
    return Function(forward), [torch.randn(4, 3)]


@case(ALL, {"batch_relu": 1, "batch_linear": 0})
def relu_in_place():
    def forward(m, x):
        y = [F.relu(p + 1, inplace=True) for p in torch.unbind(x)]
        return torch.stack(y)
    return Function(forward), [torch.randn(3, 4)]


@case(ALL, {"batch_linear": 0}, differs={"batch_linear": 1})
def linear_written():
    """Autograd forbids writes to pieces of an unbind; here the write makes a new value."""
    def forward(m, x):
        y = [l(x) for l in m.linears]
        return y[0].add_(1) + y[1].relu_()
    return Function(forward, linears=many(lambda i: nn.Linear(4, 4), 2)), [torch.randn(3, 4)]


@case(ALL, {"batch_dropout": 1})
def dropout_in_place():
    def forward(m, x):
        return torch.stack([F.dropout(p + 1, 0.25, training=False, inplace=True) for p in torch.unbind(x)])
    return Function(forward), [torch.randn(3, 4)]


DROPOUT = {"normalization_pass": {}, "batch_dropout": {}}


def dropouts(training):
    def forward(m, x):
        return torch.cat([F.dropout(p, 0.25, training=training) for p in torch.split(x, 10, dim=1)], dim=1)
    return Function(forward), [torch.randn(4, 50)]


@case(DROPOUT, {"normalization_pass": 1, "batch_dropout": 1})
def dropout_in_evaluation():
    return dropouts(False)


@case(DROPOUT, {"batch_dropout": 1}, differs={"batch_dropout": 0}, random=True)
def dropout_that_draws():
    return dropouts(True)


wrong = []
for name, build, options, expected, expected_ours, random, settings in CASES:
    module, inputs = build()
    with torch.no_grad():
        result = module(*inputs)
    theirs, (for_inductor, (graph, values)) = {}, both_graphs(module, inputs)
    if expected is not UNKNOWN:
        try:
            _, theirs = run_pre_grad(*for_inductor, options, **settings)
            if expected is FAILS:
                wrong.append(f"{name}: expected Inductor to fail")
        except TypeError:
            if expected is not FAILS:
                raise
    got = ours(graph, options, settings)
    for who, found, wanted in (("Inductor", theirs, expected), ("ours", got, expected_ours)):
        found = {key: found.get(key, 0) for key in wanted}
        if found != wanted:
            wrong.append(f"{name}: expected {wanted} of {who} but got {found}")
    if not random:
        torch.testing.assert_close(torch.as_tensor(graph.run(values, target="ref")[0]), result, rtol=1e-5, atol=1e-5, equal_nan=True,
                                   msg=lambda text: f"{name}: {text}")
print(f"{len(CASES)} graphs")
if wrong:
    raise SystemExit("\n".join(wrong))
