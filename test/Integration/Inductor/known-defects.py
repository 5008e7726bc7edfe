# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: torch
# RUN: %torch_python %s | FileCheck %s
# CHECK: {{^}}21 defects, {{[1-9][0-9]*}} graphs: Inductor wrong on {{[1-9][0-9]*}}, ours on 0
"""The known defects of Inductor's graph passes, each on the smallest graphs that show it:
Inductor's own pass and all of ours on the same function.

What Inductor does is observed and asserted, so that a PyTorch that has repaired a defect
fails this test, and the text here can follow. Ours: every pass alone and every pipeline, on the function captured at the torch level and,
normalised, at the ATen level, gives what eager gives; and the pass of the same purpose fires
as often as stated.

    known-defects.py [NUMBER...]

The defects, with the case that shows each:

 1  unbind_cat_to_view exchanges the two dimensions instead of moving one.
 2  unbind_stack_to_slices is right only for equal dimensions that are not the last.
 3  split_stack_to_cats exchanges the dimensions instead of moving one.
 4  move_reshape_out_of_split_stack does not check the layout.
 5  move_view_after_cat_aten does not either, nor that all pieces are of one split.
 6  The scan that split_cat_to_slices shares with its four kin loses, repeats and reorders
    operands.
 7  split_cat_aten does so where pieces of two splits alternate.
 8  split_cat_to_slices does not compare the dimension of the cat with that of the split.
 9  unbind_stack_aten looks neither at the dimension of the unsqueeze nor at the extent.
10  normalization_aten makes all sections equal: the last, shorter one is lost.
11  merge_getitem_cat does not know sections of extent 0.
12  alpha and beta: batch_aten_sub drops alpha; the patterns of decompose_addmm, addmm and
    mm_plus_mm do not look at keyword arguments.
13  The batch fusions of math ops drop positional parameters. (An op without users, on which
    older versions fail, is no candidate any more.)
14  Keys of batch fusions hold shapes, but neither dtypes nor what is written in between.
15  split_cat_pass counts as unbind_stack_pass, and overwrites the removed sections.
16  use_triton_lce_replace_normal_LCE does what the simple form does; what removes
    remove_noop_pass at the end is called remove_noop.
17  check_permute sees separate numbers only.
18  Binary folding tests the weight twice and the bias never: it folds into a bias that
    is no constant. (gelu_addmm with alpha and beta exchanged: never released.)
19  remove_noop_ops looks for a returned view in the tuple around the list of results:
    the view becomes the argument itself.
20  efficient_conv_bn_eval on a linear of rank 3 and on grouped transposed convolutions.
21  cat_slice_cat matches, and counts, where it then builds the same graph again.
"""
import collections
import logging
import subprocess
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.fx_passes import freezing_patterns, group_batch_fusion, post_grad
from torch._inductor.fx_passes import pre_grad as pre_grad_module
from torch._inductor.fx_passes.binary_folding import binary_folding_init
from torch._inductor.fx_passes.split_cat import POST_GRAD_PATTERNS
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.passes.shape_prop import ShapeProp

import fxgraph
from fxgraph.runtime import find_tool
from fxgraph.testing.functions import run_module
from fxgraph.testing.inductor import dynamo_graph, run_pre_grad
from fxgraph.testing.passes import keep_stdout, list_pipelines

logging.disable(logging.CRITICAL)
aten = torch.ops.aten
NORMALIZE, NORMALIZE_ATEN = {"normalization_pass": {}}, {"normalization_aten_pass": {}}
RUNS, TWO = {"threshold_to_cat": 2}, {"min_fuse_set_size": 2}


def numbers(*shape, start=0):
    """All elements differ."""
    return torch.arange(start, start + torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)


# Inductor's side -------------------------------------------------------------------
# Each runner gives (results, graph) of a function after Inductor's pass; exceptions are its own.


def pre_grad(options=None, **settings):
    """pre_grad_passes on the torch-level graph, as Dynamo captures it."""
    def run(function, inputs):
        graph, arguments = dynamo_graph(function, inputs)
        try:
            run_pre_grad(graph, arguments, options or {}, **settings)
        except SyntaxError:
            pass  # of the printed text; the graph itself is whole
        with torch.no_grad():
            # The interpreter takes callees that have no printed form.
            return torch.fx.Interpreter(graph).run(*arguments), graph
    return run


def post_grad_graph(function, inputs):
    """The ATen graph of a function, with the metadata that these passes read; a GraphModule is taken as it is."""
    graph = function if isinstance(function, torch.fx.GraphModule) else make_fx(function, tracing_mode="fake")(*inputs)
    FakeTensorProp(graph, FakeTensorMode(allow_non_fake_inputs=True)).propagate(*inputs)
    return graph


def after_grad(apply, **settings):
    """`apply`, on the ATen graph."""
    def run(function, inputs):
        graph = post_grad_graph(function, inputs)
        post_grad.lazy_init()
        post_grad.view_to_reshape(graph)
        counters.clear()
        with config.patch(**settings):
            apply(graph)
        graph.graph.lint()
        graph.recompile()
        try:
            return graph(*inputs), graph
        except AttributeError:
            # What a lowering pattern leaves runs on Inductor's own values only.
            return None, graph
    return run


def post_grad_keys(options):
    return after_grad(lambda graph: [POST_GRAD_PATTERNS[key].apply(graph.graph) for key in options], post_grad_fusion_options=options)


def post_grad_batches(options):
    return after_grad(lambda graph: group_batch_fusion.group_batch_fusion_passes(graph.graph, pre_grad=False), post_grad_fusion_options=options)


def sweep(number, **settings):
    return after_grad(lambda graph: post_grad.pass_patterns[number].apply(graph.graph), **settings)


def permute_fusion(function, inputs):
    graph = torch.fx.symbolic_trace(function)
    ShapeProp(graph).propagate(*inputs)
    counters.clear()
    graph = pre_grad_module.linear_permute_fusion(graph)
    counters["inductor"]["linear_transpose"] = sum(node.target is pre_grad_module.linear_transpose for node in graph.graph.nodes)
    return graph(*inputs), graph


def binary_folding(function, inputs):
    graph = post_grad_graph(torch.fx.symbolic_trace(function), inputs)
    binary_folding_init()
    counters.clear()
    freezing_patterns.binary_folding_pass.apply(graph.graph)
    graph.recompile()
    return graph(*inputs), graph


def pre_dispatch(calls, **lists):
    """The pre-dispatch list, whose passes are stubs: which of the functions `calls` it calls, how often."""
    def run(function, inputs):
        graph = post_grad_graph(function, inputs)
        kept = {name: getattr(pre_grad_module, name) for name in calls}
        counters.clear()
        try:
            for name in calls:
                def count(*_, name=name):
                    counters["inductor"][name] += 1
                count.__name__ = name
                setattr(pre_grad_module, name, count)
            pre_grad_module._run_pre_dispatch_passes(graph, list(inputs), **lists)
        finally:
            for name, original in kept.items():
                setattr(pre_grad_module, name, original)
        return graph(*inputs), graph
    return run


# Cases --------------------------------------------------------------------------------

CASES = []


def case(number, inputs, theirs, verdict, counts=None, ours=None, check=None):
    """`verdict`: what Inductor's graph is, "wrong", "raises" or "right". `counts`: some of its
    counters. `ours`: {pass: its counters}. `check(ours at the torch level, Inductor's graph)`: more."""
    def add(function):
        CASES.append((number, getattr(function, "__name__", type(function).__name__), function, inputs, theirs, verdict, counts or {}, ours or {}, check))
        return function
    return add


def keyed(number, inputs, key, verdict, options, count, pass_name, ours, **more):
    """A pre-grad pass with a key of its own, and our pass of the same name."""
    return case(number, inputs, pre_grad({**NORMALIZE, key: options}), verdict, {} if verdict == "raises" else {key: count},
                {pass_name: {key: ours} if ours else {}}, **more)


SLICES, VIEW, CATS, UNBINDS, RESHAPES = (f"fxgraph-splitcat-{name}{{threshold-to-cat=2}}" for name in (
    "split-cat-to-slices", "unbind-cat-to-view", "split-stack-to-cats", "unbind-stack-to-slices", "move-reshape-out-of-split-stack"))


@keyed(1, [numbers(2, 3, 4, 5)], "unbind_cat_to_view_pass", "wrong", RUNS, 1, VIEW, 1)
def unbind_0_cat_2(x):
    return torch.cat(torch.unbind(x, 0), dim=2)


@keyed(1, [numbers(2, 3, 4, 5)], "unbind_cat_to_view_pass", "wrong", RUNS, 1, VIEW, 1)
def unbind_3_cat_1(x):
    return torch.cat(torch.unbind(x, 3), dim=1)


@keyed(2, [numbers(2, 3, 4)], "unbind_stack_to_slices_pass", "wrong", RUNS, 1, UNBINDS, 1)
def unbind_0_stack_1(x):
    return torch.stack(torch.unbind(x, 0), dim=1)


@keyed(2, [numbers(2, 3, 4)], "unbind_stack_to_slices_pass", "raises", RUNS, 1, UNBINDS, 1)
def unbind_2_stack_2(x):
    return torch.stack(torch.unbind(x, 2), dim=2)


@keyed(3, [numbers(4, 3, 5)], "split_stack_to_cats_pass", "wrong", RUNS, 1, CATS, 1)
def split_0_stack_2(x):
    return torch.stack(torch.split(x, 2, 0), dim=2)


def reshaped(extents, dim, size, shape, stack_dim, verdict, ours):
    def function(x):
        return torch.stack([p.reshape(shape) for p in torch.split(x, size, dim)], dim=stack_dim)
    function.__name__ = f"{list(extents)} split {dim} by {size}, reshape {list(shape)}, stack {stack_dim}"
    keyed(4, [numbers(*extents)], "move_reshape_out_of_split_stack_pass", verdict, RUNS, 1, RESHAPES, ours)(function)


reshaped((12, 10), 1, 2, (8, 3), 0, "raises", 1)
reshaped((10, 6), 0, 2, (4, 3), 1, "raises", 1)
reshaped((12, 5), 1, 1, (4, 3), 1, "wrong", 1)
reshaped((3, 4, 5), 2, 1, (3, 4), 0, "raises", 1)

MOVE = post_grad_keys({**NORMALIZE_ATEN, "move_view_after_cat_aten_pass": {}})
MOVE_OURS = "fxgraph-splitcat-move-view-after-cat-aten"


@case(5, [numbers(4, 6)], MOVE, "raises", ours={MOVE_OURS: {"move_view_after_cat_aten_pass": 1}})
def sections_of_two(x):
    return torch.cat([p.reshape(4, 3) for p in torch.split(x, 2, dim=0)], dim=1)


@case(5, [numbers(3, 2, 4)], MOVE, "wrong", {"move_view_after_cat_aten_pass": 1}, {MOVE_OURS: {"move_view_after_cat_aten_pass": 1}})
def split_2_cat_0(x):
    return torch.cat([p.reshape(3, 2) for p in torch.split(x, 1, dim=2)], dim=0)


@case(5, [numbers(2, 3, 4), numbers(2, 3, 4, start=100)], MOVE, "wrong", {"move_view_after_cat_aten_pass": 1}, {MOVE_OURS: {}})
def pieces_of_two_splits(x, y):
    p, q = torch.split(x, 1, dim=0), torch.split(y, 1, dim=0)
    return torch.cat([p[0].reshape(3, 4), q[1].reshape(3, 4)], dim=1) + p[1].sum()


@keyed(6, [numbers(4, 3), numbers(2, 1, 3, start=100)], "split_cat_to_slices_pass", "wrong", {}, 1, "fxgraph-splitcat-split-cat-to-slices", 1)
def other_producer_at_the_end(x, y):
    return torch.cat([*torch.split(x, 1, 0), torch.unbind(y, 0)[0]], dim=0)


@keyed(6, [numbers(4, 3), numbers(2, 1, 3, start=100), numbers(1, 3, start=200)], "split_cat_to_slices_pass", "wrong", {}, 1,
       "fxgraph-splitcat-split-cat-to-slices", 1)
def other_producer_in_the_middle(x, y, z):
    return torch.cat([*torch.split(x, 1, 0), torch.unbind(y, 0)[0], z], dim=0)


@keyed(6, [numbers(4, 3)], "split_cat_to_slices_pass", "wrong", {}, 1, "fxgraph-splitcat-split-cat-to-slices", 1)
def last_operand_repeated(x):
    p = torch.split(x, 1, 0)
    return torch.cat([*p, p[3]], dim=0)


@case(7, [numbers(2, 20), numbers(2, 5, start=100)], post_grad_keys({**NORMALIZE_ATEN, "split_cat_aten_pass": {"threshold_to_cat": 5}}), "wrong",
      {"split_cat_aten_pass": 1}, {"fxgraph-splitcat-split-cat-aten{threshold-to-cat=5}": {"split_cat_aten_pass": 1}})
def alternating_splits(x, y):
    p, q = torch.split(x, 1, dim=1), torch.split(y, 1, dim=1)
    return torch.cat([*p[0:5], *q, *p[10:15]], dim=1)


@keyed(8, [numbers(4, 3)], "split_cat_to_slices_pass", "wrong", {}, 1, SLICES, 0)
def split_0_cat_1(x):
    return torch.cat(torch.split(x, 1, 0), dim=1)


def selected(count, unsqueeze_dim):
    """As Inductor's own post-grad batch fusions leave their results: callees without an overload."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    rows = [graph.call_function(aten.select, (x, 0, i)) for i in range(count)]
    items = [graph.call_function(aten.unsqueeze, (row, unsqueeze_dim)) for row in rows]
    graph.output((graph.call_function(aten.cat, (items,), {"dim": 0}),))
    return torch.fx.GraphModule(nn.Module(), graph)


def unbind_stack_aten(count, unsqueeze_dim):
    run = post_grad_keys({"unbind_stack_aten_pass": {}})
    return lambda function, inputs: run(selected(count, unsqueeze_dim), inputs)


@case(9, [numbers(2, 3)], unbind_stack_aten(2, 1), "wrong", {"unbind_stack_aten_pass": 1}, {"fxgraph-splitcat-unbind-stack-aten": {}})
def unsqueezed_behind(x):
    return torch.cat([torch.unsqueeze(torch.select(x, 0, i), 1) for i in range(2)], dim=0)


@case(9, [numbers(5, 3)], unbind_stack_aten(2, 0), "wrong", {"unbind_stack_aten_pass": 1}, {"fxgraph-splitcat-unbind-stack-aten": {}})
def two_rows_of_five(x):
    return torch.cat([torch.unsqueeze(torch.select(x, 0, i), 0) for i in range(2)], dim=0)


def sections_are_uneven(graph, _):
    graph.run_passes("fxgraph-normalize")
    assert "sizes [4, 4, 2] dim 0" in graph.asm, graph.asm


@case(10, [numbers(10)], post_grad_keys(NORMALIZE_ATEN), "raises", ours={"fxgraph-normalize": {"normalization_pass": 1}}, check=sections_are_uneven)
def last_section_is_shorter(x):
    a, b, c = torch.split(x, 4, 0)
    return torch.cat([c, b, a])


@keyed(11, [numbers(6, 3)], "merge_getitem_cat_pass", "raises", {}, 1, "fxgraph-splitcat-merge-getitem-cat", 1)
def empty_section_first(x):
    p = torch.split(x, [0, 2, 2, 2], 0)
    return torch.cat([p[1], p[2]], 0) + 1, p[3] + 1, p[0] + 1


@keyed(11, [numbers(6, 3)], "merge_getitem_cat_pass", "raises", {}, 1, "fxgraph-splitcat-merge-getitem-cat", 1)
def empty_section_between(x):
    p = torch.split(x, [2, 0, 2, 2], 0)
    return torch.cat([p[2], p[3]], 0) + 1, p[0] + 1, p[1] + 1


@case(12, [numbers(5, 2), numbers(5, 2, start=100)], post_grad_batches({"batch_aten_sub": TWO}), "wrong", {"batch_aten_sub": 1},
      {"fxgraph-group-batch-aten-sub{min-fuse-set-size=2}": {"batch_aten_sub": 1}})
def sub_with_alpha(x, y):
    return torch.cat([torch.sub(a, b, alpha=2) for a, b in zip(torch.unbind(x), torch.unbind(y))])


@case(12, [numbers(3), numbers(1, 2, start=1), numbers(2, 3)], post_grad_keys({"decompose_mm_pass": {}}), "wrong", {"decompose_addmm": 1},
      {"fxgraph-matmul-decompose-mm": {}})
def addmm_with_alpha_and_beta(bias, x, w):
    return torch.addmm(bias, x, w, beta=0.5, alpha=3)


@case(12, [numbers(2, 3), numbers(3, 2), numbers(2, start=1)], sweep(2), "wrong", {"pattern_matcher_count": 1})
def product_plus_alpha_times(x, w, bias):
    return torch.add(torch.mm(x, w), bias, alpha=2)


def alpha_is_lost(_, graph):
    found = [node for node in graph.graph.nodes if getattr(node.target, "__name__", "").endswith("mm_plus_mm")]
    assert len(found) == 1 and set(found[0].kwargs) == {"mat1", "mat2", "mat3", "mat4"}, graph.code


# Its result is made by a lowering pattern, which has no place for alpha.
@case(12, [numbers(2, 3), numbers(3, 2)], sweep(1, max_autotune=True), None, {"pattern_matcher_count": 1}, check=alpha_is_lost)
def product_plus_alpha_times_product(x, w):
    return torch.add(torch.mm(x, w), torch.mm(w.t(), x.t()), alpha=2)


@keyed(13, [torch.full((2, 3), float("nan"))], "batch_nan_to_num", "wrong", TWO, 1, "fxgraph-group-batch-nan-to-num{min-fuse-set-size=2}", 1)
def positional_parameter(x):
    return torch.stack([torch.nan_to_num(p, 0.5) for p in torch.unbind(x)])


@keyed(14, [numbers(2, 3), numbers(2, 3).double()], "batch_tanh", "wrong", TWO, 1, "fxgraph-group-batch-tanh{min-fuse-set-size=2}", 0)
def two_dtypes(x, y):
    return torch.tanh(x) + 1, torch.tanh(y) + 1


@keyed(14, [numbers(2, 3)], "batch_relu", "wrong", TWO, 1, "fxgraph-group-batch-relu{min-fuse-set-size=2}", 1)
def written_between(x):
    y = x * 2
    a = F.relu(y)
    y.add_(-5)
    return a - F.relu(y)


@case(15, [numbers(2, 32, 3), numbers(2, 16, 3)], pre_grad({**NORMALIZE, "split_cat_pass": {}}), "right",
      {"split_cat_pass": 0, "unbind_stack_pass": 2, "scmerge_split_removed": 2, "scmerge_split_sections_removed": 7},
      {"fxgraph-normalize, fxgraph-splitcat-split-cat": {"split_cat_pass": 2, "scmerge_split_removed": 2, "scmerge_cat_removed": 2, "scmerge_split_sections_removed": 10}})
def two_splits(x, y):
    return torch.stack(torch.split(x, 4, 1), 1), torch.stack(torch.split(y, 4, 1), 1)


LCE = ["use_triton_lce_replace_simple_LCE_helper", "use_triton_lce_replace_normal_LCE_helper"]


@case(16, [numbers(2, 2, 3), numbers(2, 2, 3), numbers(5, 4)], pre_dispatch(LCE, add_passes="use_triton_lce_replace_normal_LCE"), "right",
      {LCE[0]: 1, LCE[1]: 0},
      {"fxgraph-pre-dispatch{add=use_triton_lce_replace_normal_LCE}": {"use_triton_lce_replace_normal_LCE": 1}})
def normal_compression(x, y, w):
    return F.linear(torch.cat([x, y], dim=1).permute(0, 2, 1), w).permute(0, 2, 1)


def no_noop_removed(graph, _):
    """Removed by its own name, it runs no more but for the last time, which has another name."""
    before = graph.asm
    counted = graph.clone().run_passes("fxgraph-pre-dispatch{remove=remove_noop_pass}").counters
    assert counted == {"remove_noop_pass": 1}, counted
    graph.run_passes("fxgraph-pre-dispatch{remove=remove_noop_pass,remove_noop}")
    assert "permute" in before and "permute" in graph.asm, graph.asm


@case(16, [numbers(2, 3)], pre_dispatch(["remove_noop_pass"], remove_passes="remove_noop_pass"), "right", {"remove_noop_pass": 1}, check=no_noop_removed)
def identity_permute(x):
    return x.permute(0, 1) + 1


def spelled(name, permute, count):
    def function(x, w, b):
        return permute(F.linear(x, w, b))
    function.__name__ = name
    case(17, [numbers(2, 4, 3), numbers(2, 3), numbers(2)], permute_fusion, "right", {"linear_transpose": count},
         {"fxgraph-linear-permute-fuse": {"linear_permute_fusion": 1}})(function)


spelled("dims_as_numbers", lambda y: y.permute(0, 2, 1), 1)
spelled("dims_in_a_list", lambda y: y.permute([0, 2, 1]), 0)
spelled("dims_by_keyword", lambda y: y.permute(dims=(0, 2, 1)), 0)
torch.manual_seed(0)


class ScaledConvolution(nn.Module):
    """A convolution times a parameter; its bias is an input."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(numbers(2, 2, 3), requires_grad=False)
        self.scale = nn.Parameter(numbers(2, 1, start=2), requires_grad=False)

    def forward(self, x, bias):
        return aten.mul.Tensor(aten.convolution.default(x, self.weight, bias, [1], [0], [1], False, [0], 1), self.scale)


def bias_is_not_folded(graph, inductors):
    # The multiplication has gone into a bias that is there only when the graph runs.
    assert sum(node.target is aten.mul.Tensor and any(n.name == "bias" for n in node.all_input_nodes) for node in inductors.graph.nodes) == 1
    graph.freeze()
    assert graph.asm.count("fxgraph.mul") == 1 and "frozen" not in graph.asm, graph.asm


case(18, [numbers(1, 2, 6), numbers(2)], binary_folding, "right", {"binary_folding_conv": 1}, {"fxgraph-freezing-binary-folding": {}}, check=bias_is_not_folded)(ScaledConvolution())


class NormedConvolution(nn.Module):
    """Our fold of the same kind: a norm behind a convolution whose bias is an input."""

    def __init__(self, convolution, bias_is_input=False):
        super().__init__()
        self.conv, self.bias_is_input = convolution, bias_is_input
        self.norm = nn.BatchNorm1d(8)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.5, 2)
        self.eval()

    def forward(self, x, bias=None):
        return self.norm(F.conv1d(x, self.conv.weight, bias) if self.bias_is_input else self.conv(x))


BOTH = {"fxgraph-convbn-fold": {}, "fxgraph-convbn-efficient-eval": {"efficient_conv_bn_eval": 1}}
case(18, [torch.randn(2, 3, 6), torch.randn(8)], pre_grad(), "right", ours=BOTH)(NormedConvolution(nn.Conv1d(3, 8, 3), bias_is_input=True))


def view_is_no_argument(graph, inductors):
    assert inductors.graph.output_node().args[0][0].op == "placeholder", inductors.code
    x = numbers(2, 3)
    for pipeline in ("fxgraph-noop-remove", "fxgraph-noop-cse", "fxgraph-pre-grad{mode=best}", "fxgraph-pre-dispatch", "fxgraph-decompose"):
        ours = graph.clone()
        ours.run_passes(pipeline)
        view, _ = ours.to_fx()(x)
        assert view is not x and view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), f"{pipeline}: {ours.asm}"


@case(19, [numbers(2, 3)], after_grad(lambda graph: post_grad.remove_noop_ops(graph.graph)), "right", check=view_is_no_argument)
def returned_view(x):
    return x[:2], x + 1


EFFICIENT = pre_grad(efficient_conv_bn_eval_fx_passes=True)
NEITHER = {"fxgraph-convbn-efficient-eval": {}}
case(20, [torch.randn(2, 8, 8)], EFFICIENT, "wrong", {"efficient_conv_bn_eval": 1}, NEITHER)(NormedConvolution(nn.Linear(8, 8)))
case(20, [torch.randn(2, 8, 5)], EFFICIENT, "raises", ours=NEITHER)(NormedConvolution(nn.ConvTranspose1d(8, 8, 3, groups=2)))


def nothing_changes(graph, _):
    graph.run_passes("builtin.module()")
    before = graph.asm
    report = graph.run_passes("fxgraph-splitcat-cat-slice-cat")
    assert graph.asm == before and not report.counters, f"{report.counters}: {graph.asm}"
    report = graph.run_passes("fxgraph-pre-grad{mode=best}")
    assert graph.asm == before and not report.counters, f"{report.counters}: {graph.asm}"


@case(21, [numbers(2, 3), numbers(2, 4, start=100)], sweep(1), None, {"pattern_matcher_count": 1}, check=nothing_changes)
def slice_beyond_the_first(x, y):
    joined = torch.cat([x, y], 1)
    return torch.cat([joined, joined[:, :5]], 1)


# Both sides ---------------------------------------------------------------------------


def flat(value):
    return [item for part in value for item in flat(part)] if isinstance(value, (list, tuple)) else [value]


def difference(actual, expected):
    """Why results differ, or None; NaN equals NaN. Where all is whole numbers, exactly."""
    if len(actual) != len(expected):
        return f"{len(actual)} results for {len(expected)}"
    for i, (a, e) in enumerate(zip(actual, expected)):
        a = torch.as_tensor(a)
        if a.dtype != e.dtype or a.shape != e.shape:
            return f"result {i}: {a.dtype}{list(a.shape)} for {e.dtype}{list(e.shape)}"
        if not torch.allclose(a, e, rtol=1e-5, atol=1e-4, equal_nan=True):
            return f"result {i}: {a} for {e}"
    return None


def copies(tensors):
    return [x.clone() for x in tensors]


def inductors_verdict(theirs, function, inputs, expected):
    try:
        results, graph = theirs(function, copies(inputs))
    except Exception:  # noqa: BLE001: Inductor's own
        return "raises", None
    if results is None:
        return None, graph
    return "wrong" if difference(flat(results), expected) else "right", graph


def our_differences(graph, inputs, expected, pipelines):
    """Lines about pipelines that give other results; equal texts run once."""
    wrong, names = [], {}
    for name, pipeline in {"(as captured)": "builtin.module()", **pipelines}.items():
        changed = graph.clone()
        changed.run_passes(pipeline)
        names.setdefault(changed.asm, name)
    generic = subprocess.run([find_tool("fx-opt"), "-", "--split-input-file", "--mlir-print-op-generic"], input="\n// -----\n".join(names),
                             capture_output=True, text=True, check=True).stdout
    changed = graph.clone()
    for name, changed.asm in zip(names.values(), generic.split("// -----"), strict=True):
        text = difference(run_module(changed, copies(inputs))[0], expected)
        wrong += [f"{name}: {text}"] if text else []
    # The interpreter has the last word on two of them.
    best = graph.clone()
    best.run_passes(pipelines["fxgraph-pre-grad{mode=best}"])
    best.freeze()
    for name, changed in (("as captured", graph), ("best, frozen", best)):
        text = difference(changed.run(copies(inputs), target="ref"), expected)
        wrong += [f"{name}, interpreted: {text}"] if text else []
    return wrong


def main():
    warnings.simplefilter("ignore")
    keep_stdout()
    pipelines = list_pipelines()
    failures, wrong, verdicts = [], 0, collections.Counter()
    chosen = [case for case in CASES if not sys.argv[1:] or str(case[0]) in sys.argv[1:]]
    for number, name, function, inputs, theirs, verdict, counts, ours, check in chosen:
        label = f"{number:2} {name}"
        with torch.no_grad():
            expected = flat(function(*copies(inputs)))
        found, inductors_graph = inductors_verdict(theirs, function, inputs, expected)
        if found != verdict:
            failures.append(f"{label}: expected Inductor to be {verdict} but it is {found}")
        found_counts = {key: counters["inductor"].get(key, 0) for key in counts}
        if found_counts != counts:
            failures.append(f"{label}: expected {counts} of Inductor but got {found_counts}")
        verdicts[found] += 1
        texts = []
        for level in ("torch", "aten"):
            graph = fxgraph.capture(function, *copies(inputs), level=level)
            # As it is captured there, after normalisation here.
            some = {name: pipeline for name, pipeline in pipelines.items() if name.startswith("fxgraph-pre-") or name.startswith("normalize") == (level == "aten")}
            texts += [f"{level}, {text}" for text in our_differences(graph, inputs, expected, some)]
            if level == "torch":
                for passes, wanted in ours.items():
                    # The counters of the last one.
                    changed = graph.clone()
                    for part in passes.split(", "):
                        got = changed.run_passes(part).counters
                    if got != wanted:
                        failures.append(f"{label}: expected {wanted} of {passes} but got {got}")
                if check:
                    try:
                        check(graph, inductors_graph)
                    except AssertionError as error:
                        failures.append(f"{label}: {check.__name__}: {error}")
        wrong += bool(texts)
        failures += [f"{label}: {text}" for text in texts]
        print(f"{label}: Inductor {found or 'matches'}, ours {'wrong' if texts else 'right'}")
    print(f"{len({case[0] for case in chosen})} defects, {len(chosen)} graphs: Inductor wrong on {verdicts['wrong'] + verdicts['raises']}, ours on {wrong}")
    for line in failures:
        print("  " + line)
    return bool(failures)


if __name__ == "__main__":
    raise SystemExit(main())
