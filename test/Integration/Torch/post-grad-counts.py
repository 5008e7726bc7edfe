# Inductor's counters for what runs behind autodiff: Inductor's own passes and ours on the
# same exported graphs, decomposed by Inductor's table, with the same options. The graphs
# are those of Inductor's unit tests (test_group_batch_fusion, test_split_cat_fx_aten_passes,
# test_pattern_matcher; the numbers are what it expects there) and small steps away from
# them. Results must be PyTorch's.
# REQUIRES: torch
# RUN: %torch_python %s
#
# Where ours differ:
# - normalization_aten_pass: PyTorch counts every cat, also canonical ones, and every
#   positional dim; here changes count.
# - split_cat_aten_pass: PyTorch counts every cat that it looks at; here changes count.
import sys
import warnings

import torch
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.fx_passes import group_batch_fusion, post_grad
from torch._inductor.fx_passes.split_cat import POST_GRAD_PATTERNS

import fxgraph

aten = torch.ops.aten
torch.manual_seed(0)
# The flag of each key of post_grad_fusion_options.
FLAGS = {
    "batch_linear_post_grad": "fxgraph-group-batch-linear-post-grad",
    "group_linear": "fxgraph-group-group-linear",
    **{f"batch_aten_{op}": f"fxgraph-group-batch-aten-{op}" for op in ("tanh", "sigmoid", "relu", "add", "sub", "mul", "div")},
    "normalization_aten_pass": "fxgraph-normalize{counter=normalization_aten_pass}",
    "split_cat_aten_pass": "fxgraph-splitcat-split-cat-aten",
    "select_cat_aten_pass": "fxgraph-splitcat-select-cat-aten",
    "unbind_stack_aten_pass": "fxgraph-splitcat-unbind-stack-aten",
    "move_view_after_cat_aten_pass": "fxgraph-splitcat-move-view-after-cat-aten",
}
CASES = []


def case(options, expected, inputs, ours=None, theirs=None):
    """`expected`: the counters of both; `ours` and `theirs`: where one differs."""
    def add(function):
        CASES.append((function, options, {**expected, **(theirs or {})}, {**expected, **(ours or {})}, inputs))
        return function
    return add


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def inductors(program, options):
    graph = program.graph_module
    post_grad.view_to_reshape(graph)
    counters.clear()
    with config.patch(pre_grad_fusion_options={}, post_grad_fusion_options=options):
        group_batch_fusion.group_batch_fusion_passes(graph.graph, pre_grad=False)
        for key in options:
            if key in POST_GRAD_PATTERNS:
                POST_GRAD_PATTERNS[key].apply(graph.graph)
    return dict(counters["inductor"])


def ours(program, options, inputs, expected):
    graph = fxgraph.from_exported(program)
    passes = []
    for key, settings in options.items():
        name, _, fixed = FLAGS[key].rstrip("}").partition("{")
        # Inductor's search goes five steps up.
        depth = {"max_fuse_search_depth": 5} if key.startswith(("batch", "group")) else {}
        text = [fixed] if fixed else []
        text += [f"{option.replace('_', '-')}={str(value).lower()}" for option, value in {**depth, **settings}.items()
                 if option != "require_fbgemm"]
        passes.append(f"{name}{{{' '.join(text)}}}")
    report = graph.run_passes(f"builtin.module(func.func({','.join(passes)}))")
    for target in ("ref", "cpu"):
        for a, e in zip(graph.run([x.clone() for x in inputs], target=target), expected, strict=True):
            torch.testing.assert_close(torch.as_tensor(a), e, equal_nan=True)
    return report.counters


def program_of(function, inputs):
    return torch.export.export(Function(function), tuple(inputs)).run_decompositions(select_decomp_table())


# Batches ------------------------------------------------------------------------------

LINEAR = {"batch_linear_post_grad": {}}


def layers(x, weights, biases):
    """Three layers of ten linears; the second and third take some inputs of the first."""
    linear = [lambda v, i=i: torch.nn.functional.linear(v, weights[i], None if biases is None else biases[i]) for i in range(30)]
    x1 = [x + 0.1 * i for i in range(10)]
    x3 = [linear[i](x1[i]) - 0.1 * i for i in range(10)]
    x4 = x1[:3] + x3[3:]
    x6 = [linear[10 + i](x4[i]) + 0.1 * (10 - i) for i in range(10)]
    x7 = x1[:4] + x3[6:8] + x6[:4]
    return torch.cat([linear[20 + i](x7[i]) for i in range(10)], dim=1)


@case(LINEAR, {"batch_linear_post_grad": 2}, [torch.randn(10, 10), torch.randn(30, 10, 10), torch.randn(30, 10)])
def linears_with_bias(x, weights, biases):
    return layers(x, weights, biases)


@case(LINEAR, {"batch_linear_post_grad": 2}, [torch.randn(10, 10), torch.randn(30, 10, 10)])
def linears_without_bias(x, weights):
    return layers(x, weights, None)


@case({"batch_linear_post_grad": {"min_fuse_set_size": 2}}, {"batch_linear_post_grad": 0}, [torch.randn(3), torch.randn(2, 3), torch.randn(3, 3)])
def scaled_sums(b, x, w):
    return torch.cat([torch.addmm(b, x, w, beta=0.5), torch.addmm(b, x, w, beta=0.5)])


# test_group_linear_fusion; the installed PyTorch has no fbgemm, without which it does nothing.
@case({"group_linear": {"require_fbgemm": True}}, {"group_linear": 2},
      [torch.randn(10, 10), torch.randn(30, 10, 10), torch.randn(30, 10)], theirs={"group_linear": 0})
def grouped_linears_with_bias(x, weights, biases):
    return layers(x, weights, biases)


@case({"group_linear": {"require_fbgemm": True}}, {"group_linear": 2},
      [torch.randn(10, 10), torch.randn(30, 10, 10)], theirs={"group_linear": 0})
def grouped_linears_without_bias(x, weights):
    return layers(x, weights, None)


# test_group_linear_fusion_different_shapes.
@case({"group_linear": {"require_fbgemm": True}}, {"group_linear": 1, "batch_fusion": 0},
      [torch.randn(4, 24), torch.randn(6, 6, 8), torch.randn(6, 8, 8), torch.randn(6, 10, 8)], theirs={"group_linear": 0})
def linears_of_three_shapes(x, w6, w8, w10):
    pieces = torch.split(x, [6, 8, 10], dim=1)
    return torch.sigmoid(torch.cat([torch.mm(torch.sin(p) * (i + 1), w[i]) for i in range(2) for p, w in zip(pieces, (w6, w8, w10))]))


def pointwise(x, *ops):
    p, q = torch.split(x, 500, dim=1)
    p, q = torch.split(p, 50, dim=1), torch.split(q, 50, dim=1)
    for op in ops:
        p, q = [op(v) for v in p], [op(v) for v in q]
    return p, q


@case({"batch_aten_relu": {}, "batch_aten_sigmoid": {}, "batch_aten_tanh": {}, "unbind_stack_aten_pass": {}},
      {"batch_aten_tanh": 1, "batch_aten_relu": 1, "batch_aten_sigmoid": 1, "unbind_stack_aten_pass": 2}, [torch.randn(50, 1000)])
def unary(x):
    p, q = pointwise(x, torch.tanh, torch.sigmoid, torch.relu)
    return torch.cat([torch.add(a, b) for a, b in zip(p, q)], dim=1)


BINARY = {"batch_aten_add": {}, "batch_aten_mul": {}, "batch_aten_sub": {}, "batch_aten_div": {}}


@case(BINARY, dict.fromkeys(BINARY, 1), [torch.randn(50, 1000)])
def binary(x):
    p, q = pointwise(x, torch.sigmoid, torch.relu)
    add = [torch.add(a, b) for a, b in zip(p, q)]
    mul = [torch.mul(a, a) for a in add]
    sub = [torch.sub(a, a) for a in mul]
    return torch.cat([torch.div(a, a) for a in sub], dim=1)


# Inductor drops alpha; its values are not compared here.
@case({"batch_aten_sub": {"min_fuse_set_size": 2}}, {"batch_aten_sub": 1}, [torch.randn(4, 3), torch.randn(4, 3)])
def differences_with_alpha(x, y):
    return torch.cat([torch.sub(a, b, alpha=3) for a, b in zip(torch.unbind(x), torch.unbind(y))])


@case({"batch_aten_mul": {"min_fuse_set_size": 2}}, {"batch_aten_mul": 0}, [torch.randn(4, 3), torch.randn(1)])
def products_that_broadcast(x, y):
    return torch.cat([a * y for a in torch.unbind(x)])


GATES = {
    "batch_linear_post_grad": {"shape_broadcast_batch_linear": True, "fuse_nodes_with_same_users": True},
    "batch_aten_mul": {"fuse_nodes_with_same_parent": False},
    "batch_aten_sigmoid": {"fuse_nodes_with_same_parent": True},
    "batch_aten_add": {"fuse_nodes_with_same_parent": True},
    "normalization_aten_pass": {},
    "unbind_stack_aten_pass": {},
}


@case(GATES, {"batch_linear_post_grad": 2, "batch_aten_sigmoid": 1, "batch_aten_mul": 1, "batch_aten_add": 2,
              "unbind_stack_aten_pass": 5, "normalization_aten_pass": 1},
      [torch.randn(10, 10), torch.randn(10), torch.randn(10, 10), torch.randn(10), *torch.randn(20, 10, 10)])
def gates(w, b, v, c, *xs):
    linear = torch.nn.functional.linear
    return torch.cat([linear(x, w, b) * torch.sigmoid(linear(x, v, c)) for x in xs], dim=-1)


# Splits and cats ------------------------------------------------------------------------

NORMALIZE, RUNS = {"normalization_aten_pass": {}}, {"normalization_aten_pass": {}, "split_cat_aten_pass": {"threshold_to_cat": 5}}


@case(NORMALIZE, {"normalization_aten_pass": 1}, [torch.randn(40, 300)])
def split_of_one(x):
    return aten.split.Tensor(x, 300, 1)


@case(NORMALIZE, {"normalization_aten_pass": 1}, [torch.randn(40, 300)])
def split_of_more(x):
    return aten.split.Tensor(x, 320, 1)


@case(RUNS, {"split_cat_aten_pass": 1}, [torch.randn(16, 128), torch.randn(16, 128), torch.randn(16, 32)],
      theirs={"normalization_aten_pass": 5}, ours={"normalization_aten_pass": 1})
def whole(x, y, z):
    p = aten.split.Tensor(aten.cat.default([x, y], 1), 32, 1)
    return aten.cat.default([aten.cat.default(list(p), 1), aten.cat.default([p[0], z], 1)], 1)


@case(RUNS, {"split_cat_aten_pass": 0}, [torch.randn(16, 128), torch.randn(16, 128), torch.randn(16, 32)],
      theirs={"normalization_aten_pass": 4}, ours={"normalization_aten_pass": 1})
def singular(x, y, z):
    p = aten.split.Tensor(aten.cat.default([x, y], 1), 32, 1)
    return aten.cat.default([aten.cat.default([p[0]], 1), aten.cat.default([p[0], z], 1)], 1)


@case(RUNS, {"split_cat_aten_pass": 1}, [torch.randn(16, 96 * 21), torch.randn(16, 96 * 4), torch.randn(16, 96), torch.randn(16, 96)],
      theirs={"normalization_aten_pass": 3}, ours={"normalization_aten_pass": 0})
def partial(x1, x2, y, z):
    p, q = aten.split_with_sizes.default(x1, [96] * 21, 1), aten.split_with_sizes.default(x2, [96] * 4, 1)
    return aten.cat.default([z, *p[:6], *p[15:18], y, *p[10:15], y, *q, z], 1)


@case({**NORMALIZE, "select_cat_aten_pass": {}}, {"select_cat_aten_pass": 1}, [torch.randn(16, 6, 8), torch.randn(16, 6, 8)],
      theirs={"normalization_aten_pass": 4}, ours={"normalization_aten_pass": 0})
def selects(x, y):
    s, t = [aten.select.int(x, 1, i) for i in range(6)], [aten.select.int(y, 1, i) for i in range(5)]
    return aten.cat.default(s, 1), aten.cat.default(s[:5], 1), aten.cat.default(s[:5:2], 1), aten.cat.default(t, 1)


@case({**NORMALIZE, "move_view_after_cat_aten_pass": {}}, {"move_view_after_cat_aten_pass": 1}, [torch.randn(7, 8, 96)],
      theirs={"normalization_aten_pass": 4}, ours={"normalization_aten_pass": 0})
def views(x):
    v = [aten.view.default(p, [8, 96]) for p in aten.split_with_sizes.default(x, [1] * 7)]
    clone = aten.clone.default(v[0])
    return aten.cat.default([clone, aten.cat.default([clone, aten.cat.default(v, 1)], 1)], 1)


# The pattern matcher's, whose matches have no counter of their own ------------------------


def unmatched(function, inputs, flag, left):
    """`left`: how many ops of some kinds `flag` leaves of the function."""
    graph = fxgraph.capture(function, *inputs, level="aten")
    report = graph.run_passes(flag)
    expected = function(*inputs)
    for a, e in zip(graph.run([x.clone() for x in inputs], target="ref"), expected, strict=True):
        torch.testing.assert_close(torch.as_tensor(a), e, rtol=1e-6, atol=1e-6)
    counts = graph.op_counts()
    counts["fxgraph.reuses"] = report.counters.get("partial_reduction_reuse", 0)
    found = {name: counts.get(f"fxgraph.{name}", 0) for name in left}
    return [] if found == left else [f"{flag}: expected {left} but got {found}"]


X, Y = torch.randn(2, 32), torch.randn(2, 16)
SPLITS = [torch.randn(2, 32)]
PATTERNS = [
    # test_splitwithsizes_cat: all pieces in order; not all; across; another order.
    (lambda a: [aten.cat([*aten.split_with_sizes(a, [8, 24], 1)], 1) ** 2], SPLITS,
     "fxgraph-splitcat-cancel", {"cat": 0, "split_with_sizes": 0}),
    (lambda a: [aten.cat([*aten.split_with_sizes(a, [8, 8, 16], 1)[:2]], 1) ** 2], SPLITS,
     "fxgraph-splitcat-cancel", {"cat": 1, "split_with_sizes": 1}),
    (lambda a: [aten.cat([*aten.split_with_sizes(a, [16, 16], 1)], 0) ** 2], SPLITS,
     "fxgraph-splitcat-cancel", {"cat": 1, "split_with_sizes": 1}),
    (lambda a: [aten.cat([*aten.split_with_sizes(a, [8, 8, 16], 1)][::-1], 1) ** 2], SPLITS,
     "fxgraph-splitcat-cancel", {"cat": 1, "split_with_sizes": 1}),
    # test_cat_splitwithsizes: at the seams; the cat is used; across; elsewhere; other seams.
    (lambda a, b: [p ** 2 for p in aten.split_with_sizes(aten.cat([a, b], 1), [32, 16], 1)], [X, Y],
     "fxgraph-splitcat-cancel", {"cat": 0, "split_with_sizes": 0}),
    (lambda a, b: [(c := aten.cat([a, b], 1)) + 1, *(p ** 2 for p in aten.split_with_sizes(c, [32, 16], 1))], [X, Y],
     "fxgraph-splitcat-cancel", {"cat": 1, "split_with_sizes": 1}),
    (lambda a, b: [p ** 2 for p in aten.split_with_sizes(aten.cat([a, b], 1), [1, 1], 0)], [X, Y],
     "fxgraph-splitcat-cancel", {"cat": 1, "split_with_sizes": 1}),
    (lambda a, b: [p ** 2 for p in aten.split_with_sizes(aten.cat([a, b], 1), [16, 32], 1)], [X, Y],
     "fxgraph-splitcat-cancel", {"cat": 1, "split_with_sizes": 1}),
    (lambda a, b: [p ** 2 for p in aten.split_with_sizes(aten.cat([a, b], 1), [16, 16, 16], 1)], [X, Y],
     "fxgraph-splitcat-cancel", {"cat": 1, "split_with_sizes": 1}),
    # test_cat_slice_cat: the slice is in the first operand; it is not, twice (which Inductor counts).
    (lambda a, b: [aten.cat([c := aten.cat([a, b], 1), aten.slice(c, 1, 0, 19)], 1)], [X, Y],
     "fxgraph-splitcat-cat-slice-cat", {"cat": 1, "slice": 1}),
    (lambda a, b: [aten.cat([c := aten.cat([b, a], 1), aten.slice(c, 1, 0, 19)], 1)], [X, Y],
     "fxgraph-splitcat-cat-slice-cat", {"cat": 2, "slice": 1}),
    (lambda a, b: [aten.cat([c := aten.cat([a, b], 1), aten.slice(c, 1, 0, -1)], 1)], [X, Y],
     "fxgraph-splitcat-cat-slice-cat", {"cat": 2, "slice": 1}),
    # test_pointless_cumsum: six functions, one match each. Two convert first, which Inductor folds before.
    (lambda: [torch.cumsum(torch.full([1, 128], 1, dtype=torch.float32).to(torch.int64), 1) * 2], [],
     "fxgraph-postgrad-pointless-cumsum", {"cumsum": 0}),
    (lambda: [torch.cumsum(torch.full([55, 10], 1, dtype=torch.float32), 1)], [], "fxgraph-postgrad-pointless-cumsum", {"cumsum": 0}),
    (lambda: [torch.cumsum(torch.full([5, 4, 3], 2, dtype=torch.int64), 0)], [], "fxgraph-postgrad-pointless-cumsum", {"cumsum": 0}),
    (lambda: [torch.cumsum(torch.full([100], 0.5, dtype=torch.float32), 0)], [], "fxgraph-postgrad-pointless-cumsum", {"cumsum": 0}),
    (lambda: [torch.cumsum(torch.full([2, 4], 1).to(torch.bool), 1)], [], "fxgraph-postgrad-pointless-cumsum", {"cumsum": 0}),
    (lambda: [torch.cumsum(torch.full([10, 10], True, dtype=torch.int32), 1)], [], "fxgraph-postgrad-pointless-cumsum", {"cumsum": 0}),
    # Sums that round: exactly PyTorch's are left alone.
    (lambda: [torch.cumsum(torch.full([100], 0.1, dtype=torch.float32), 0)], [],
     "fxgraph-postgrad-pointless-cumsum{numerics=exact}", {"cumsum": 1}),
    # test_successful_partial_reuse, with three shapes; below 4096 elements nothing is gained.
    (lambda x: [x.amax(1), x.max()], [torch.randn(64, 64)], "fxgraph-postgrad-reuse-partial", {"amax": 2, "reuses": 1}),
    (lambda x: [x.max(), x.amax([0, 2])], [torch.randn(16, 16, 16)], "fxgraph-postgrad-reuse-partial", {"amax": 2, "reuses": 1}),
    (lambda x: [x.amin(0, keepdim=True), x.min()], [torch.randn(8, 1024)], "fxgraph-postgrad-reuse-partial", {"amin": 2, "reuses": 1}),
    (lambda x: [x.amax(1), x.max()], [torch.randn(64, 63)], "fxgraph-postgrad-reuse-partial", {"amax": 2, "reuses": 0}),
    (lambda x: [x.amax(1), x.min()], [torch.randn(64, 64)], "fxgraph-postgrad-reuse-partial", {"amax": 1, "amin": 1, "reuses": 0}),
    # test_remove_pointless_clones.
    (lambda a: [torch.mm(a, a.t()).clone()], SPLITS, "fxgraph-noop-remove", {"clone": 0}),
    (lambda a: [a.clone()], SPLITS, "fxgraph-noop-remove", {"clone": 1}),
    (lambda a: [(c := torch.mm(a, a.t())).clone(), c], SPLITS, "fxgraph-noop-remove", {"clone": 1}),
    # A target of a loss as one-hot; Inductor takes every index to be in range.
    (lambda i: [torch.full([4, 5], 0.0).scatter(1, i, -1.0)], [torch.tensor([[1], [4], [0], [1]])],
     "fxgraph-postgrad-scatter-upon-const-tensor{assume-in-range=true}", {"scatter": 0, "where": 1}),
    (lambda i: [torch.full([4, 5], 0.0).scatter(1, i, -1.0)], [torch.tensor([[1], [4], [0], [1]])],
     "fxgraph-postgrad-scatter-upon-const-tensor", {"scatter": 1}),
    (lambda x: [(e := (x - (m := x.amax(1, keepdim=True))).exp()) / e.sum(1, keepdim=True), m], [torch.randn(4, 8).double()],
     "fxgraph-postgrad-prepare-softmax{default-device=cuda}",
     {"amax": 0, "sum": 0, "prepare_softmax_online": 1}),
]


def main():
    warnings.simplefilter("ignore")
    failures = []
    for function, options, theirs_expected, ours_expected, inputs in CASES:
        expected = function(*inputs)
        expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
        sides = (("Inductor", inductors(program_of(function, inputs), options), theirs_expected),
                 ("ours", ours(program_of(function, inputs), options, inputs, expected), ours_expected))
        for side, found, wanted in sides:
            found = {key: found.get(key, 0) for key in wanted}
            if found != wanted:
                failures.append(f"{function.__name__}: expected {wanted} of {side} but got {found}")
    for pattern in PATTERNS:
        failures += unmatched(*pattern)
    for line in failures:
        print(line)
    return bool(failures)


sys.exit(main())
