# Inductor's counters on the functions of its own unit tests (test_split_cat_fx_passes and
# test_fx_fusion; the numbers are what those tests expect), rebuilt from descriptions:
# Inductor's own passes and ours run on the same captured graphs with the same option
# dictionary, and our results are PyTorch's.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
#
# Where ours differ, for the better:
# - PyTorch counts every unbind and stack in normalization_pass, also when nothing changes;
#   here changes count.
# - Where two splits go into one cat, PyTorch simplifies one of them, here both.
# - split_cat_pass counts the simplified splits as well, not only split → squeeze; PyTorch
#   counts those as unbind_stack_pass. What is removed adds up.
# - merge_stack_tahn_unbind_pass is empty there.
import logging
import warnings

import torch

import fxgraph
from fxgraph.testing.inductor import both_graphs, dynamo_graph, run_pre_grad

logging.disable(logging.CRITICAL)
ONE = "remove_split_with_size_one_pass"
ALL = ["normalization_pass", ONE, "merge_getitem_cat_pass", "merge_splits_pass", "mutate_cat_pass", "split_cat_pass", "unbind_stack_pass"]
CASES = []


def case(name, shapes, keys, expected, function, ours=None, inductors=None, dynamic=None):
    """`expected`: the test's numbers; `ours`, `inductors`: those that differ with the installed PyTorch, or here."""
    CASES.append((name, function, shapes, keys, {**expected, **(inductors or {})}, {**expected, **(ours or {})}, dynamic))


def split(x, size, dim=0):
    return list(torch.split(x, size, dim))


def unbind(x, dim=0):
    return list(torch.unbind(x, dim))


def flat(lists):
    return [x for xs in lists for x in xs]


def relus(pieces):
    return [torch.relu(p) for p in pieces]


# -- test_split_normalization -------------------------------------------------


def normalization(name, count, function, **more):
    case(f"normalization_{name}", [(2, 32)], ["normalization_pass"], {"normalization_pass": count}, function, **more)


normalization("arg_only", 1, lambda x: relus(torch.split(x, 2, 1)))
normalization("arg_only_dim0", 1, lambda x: relus(torch.split(x, 2)))
normalization("kwarg1", 1, lambda x: relus(torch.split(x, 2, dim=1)))
normalization("kwarg2", 1, lambda x: relus(torch.split(x, split_size_or_sections=2, dim=1)))
normalization("kwarg3", 1, lambda x: relus(torch.split(tensor=x, split_size_or_sections=2, dim=-1)))
normalization("list_replace", 0, lambda x: relus(torch.split(x, [16, 16], dim=1)))
normalization("multi_split", 17, lambda x: [torch.split(s, 2, 1)[0] + 1 for s in torch.split(x, 2, 1)])
normalization("unequal_split", 1, lambda x: relus(torch.split(x, 3, 1)))
normalization("arg_only_cm", 1, lambda x: relus(x.split(2, 1)))
normalization("kwarg1_cm", 1, lambda x: relus(x.split(2, dim=1)))
normalization("kwarg2_cm", 1, lambda x: relus(x.split(split_size=2, dim=1)))
normalization("multi_split_cm", 17, lambda x: [s.split(2, 1)[0] + 1 for s in x.split(2, 1)])
normalization("unequal_split_cm", 1, lambda x: relus(x.split(3, 1)))
normalization("cm_with_list", 1, lambda x: relus(x.split([16, 16], dim=-1)))
normalization("reshape_with_dynamic_shape", 0, lambda x: torch.relu(x).reshape(-1, x.shape[0], x.shape[1]), dynamic=True)

# -- test_consecutive_split_merge ---------------------------------------------


def consecutive(name, count, function, keys=ALL):
    case(f"consecutive_{name}", [(2, 32)], keys, {"merge_splits_pass": count}, function)


# The inner splits have one section: remove_split_with_size_one_pass takes them first.
consecutive("multi_split", 0, lambda x: flat(torch.split(s, 2, 1) for s in torch.split(x, 2, 1)))
consecutive("multi_split_2", 16, lambda x: flat(torch.split(s, 1, 1) for s in torch.split(x, 2, 1)))
consecutive("multi_split_2_neg_dim", 16, lambda x: flat(torch.split(s, 1, -1) for s in torch.split(x, 2, 1)))
consecutive("multi_split_with_sizes", 2, lambda x: flat(torch.split(s, 2, 1) for s in torch.split(x, [16, 16], 1)))
consecutive("multi_split_kwarg1", 0, lambda x: flat(torch.split(s, 2, dim=1) for s in torch.split(x, 2, dim=1)))
consecutive("multi_split_kwarg2", 0, lambda x: flat(torch.split(s, split_size_or_sections=2, dim=1) for s in torch.split(x, split_size_or_sections=2, dim=1)))
consecutive("unequal_multi_split", 3, lambda x: (lambda s: flat(torch.split(p, 3, 1) for p in s[:3]) + [s[3]])(torch.split(x, 10, 1)))
consecutive("unequal_multi_split_neg_index", 3, lambda x: (lambda s: flat(torch.split(s[i], 3, 1) for i in (-4, -3, -2)) + [s[-1]])(torch.split(x, 10, 1)))
consecutive("diff_dims", 0, lambda x: flat(torch.split(s, 1, 0) for s in torch.split(x, 2, 1)))
consecutive("some_users_not_splits", 2, lambda x: (lambda s: [*split(s[0], 2, 1), torch.tanh(s[1]), *split(s[2], 2, 1), s[3]])(torch.split(x, 8, 1)))
PIECES = [4, 4, 24]
consecutive("split_with_cat", 1, lambda x: (lambda s: torch.cat([s[0], s[1], *split(s[2], [4] * 6, 1)], 1))(torch.split(x, PIECES, -1)))
consecutive("duplicate_getitems", 1, lambda x: (lambda s: (lambda q: torch.cat([s[0], s[1], *q, q[0], q[0]], 1))(torch.split(s[2], [4] * 6, 1)))(torch.split(x, PIECES, -1)))
consecutive("duplicate_getitems_neg_index", 1,
            lambda x: (lambda s: (lambda q: torch.cat([s[0], s[1], *q[:5], q[-1], q[5]], 1))(torch.split(s[-1], [4] * 6, 1)))(torch.split(x, PIECES, -1)))
consecutive("split_getitem_gap", 1, lambda x: (lambda s: torch.cat([s[0], *split(s[2], [4] * 6, 1)], 1))(torch.split(x, PIECES, -1)))
consecutive("split_getitem_out_of_order", 1, lambda x: (lambda s: torch.cat([*split(s[2], [4] * 6, 1), s[1], s[0]], 1))(torch.split(x, PIECES, -1)))
consecutive("split_partial_getitem_cat", 1, lambda x: (lambda s: torch.cat([s[0], *split(s[2], [4] * 6, 1)[:3]], 1))(torch.split(x, PIECES, -1)))
# test_config_flag_is_respected: no key, no pass.
case("config_flag", [(2, 32)], [], {"merge_splits_pass": 0, "normalization_pass": 0}, lambda x: flat(torch.split(s, 2, 1) for s in torch.split(x, [16, 16], 1)))

# -- test_split_cat_merge -----------------------------------------------------

Q = (2, 32, 32, 16)
MERGED = ("scmerge_split_added", "scmerge_split_removed", "scmerge_cat_added", "scmerge_cat_removed", "scmerge_split_sections_removed")


def merge(name, *numbers, function, arguments=1, **more):
    case(f"merge_{name}", [Q] * arguments, ALL, dict(zip(MERGED, numbers)), function, **more)


def ones(*shape):
    return torch.ones(*(shape or (2, 4, 32, 16)))


def shuffled(p):
    return [ones(), p[1], p[2], p[3], ones(), p[5], p[6], p[7], ones()]


def several(p, last):
    return torch.cat([ones(), p[1], p[2], p[3], ones()], 2), torch.stack([ones(), p[4], p[5], ones()], 1), last(p[6])


# Taken by merge_getitem_cat before.
merge("simple_split_cat", 0, 0, 0, 0, 0, function=lambda x: torch.cat(torch.split(x, 4, dim=1), dim=1))
merge("simple_split_cat_argspec1", 0, 0, 0, 0, 0, function=lambda x: torch.cat(torch.split(x, 4, dim=1), 1))
merge("simple_split_cat_argspec2", 0, 0, 0, 0, 0, function=lambda x: torch.cat(tensors=torch.split(x, 4, dim=1), dim=1))
merge("simple_split_cat_argspec3", 0, 1, 0, 1, 7, function=lambda x: torch.cat(torch.split(x, 4, dim=1), -2))
merge("simple_split_cat_argspec4", 0, 1, 0, 1, 7, function=lambda x: torch.cat(tensors=torch.split(x, 4, dim=1), dim=-2))
merge("simple_split_stack", 0, 1, 0, 1, 7, function=lambda x: torch.stack(torch.split(x, 4, dim=1), dim=1))
merge("simple_split_stack_argspec1", 0, 1, 0, 1, 7, function=lambda x: torch.stack(torch.split(x, 4, dim=1), 1))
merge("simple_split_stack_argspec2", 0, 1, 0, 1, 7, function=lambda x: torch.stack(tensors=torch.split(x, 4, dim=1), dim=1))
merge("split_cat_addn_args", 0, 1, 1, 1, 7, function=lambda x: torch.cat([ones(), *split(x, 4, 1), ones()], 1))
merge("split_stack_addn_args", 0, 1, 1, 1, 7, function=lambda x: torch.stack([ones(), *split(x, 4, 1), ones(), ones()], 1))
merge("split_cat_addn_args_dim2", 0, 1, 1, 1, 7, function=lambda x: torch.cat([ones(2, 32, 4, 16), *split(x, 4, 2), ones(2, 32, 4, 16)], 2))
merge("split_cat_dim_mismatch", 0, 1, 1, 1, 7, function=lambda x: torch.cat([ones(), *split(x, 4, 1), ones()], 2))
merge("split_stack_dim_mismatch", 0, 1, 1, 1, 7, function=lambda x: torch.stack([ones(), *split(x, 4, 1), ones()], 2))
merge("split_cat_dim_mismatch2", 0, 1, 1, 1, 7, function=lambda x: torch.cat([ones(2, 32, 4, 16), *split(x, 4, 2), ones(2, 32, 4, 16)], 0))
merge("split_stack_dim_mismatch2", 0, 1, 1, 1, 7, function=lambda x: torch.stack([ones(2, 32, 4, 16), *split(x, 4, 2), ones(2, 32, 4, 16)], 0))
merge("split_cat_dim_mismatch3", 0, 1, 1, 1, 7, function=lambda x: torch.cat([ones(2, 32, 4, 16), *split(x, 4, 2), ones(2, 32, 4, 16)], 3))
merge("split_stack_dim_mismatch3", 0, 1, 1, 1, 7, function=lambda x: torch.stack([ones(2, 32, 4, 16), *split(x, 4, 2), ones(2, 32, 4, 16)], 3))
merge("input_shuffling", 1, 1, 1, 1, 4, function=lambda x: torch.cat(shuffled(split(x, 4, 1)), 1))
merge("input_shuffling_stack", 1, 1, 1, 1, 4, function=lambda x: torch.stack(shuffled(split(x, 4, 1)), 1))
merge("input_shuffling_dim_mismatch", 1, 1, 1, 1, 4, function=lambda x: torch.cat(shuffled(split(x, 4, 1)), 2))
merge("input_shuffling_dim_mismatch_stack", 1, 1, 1, 1, 4, function=lambda x: torch.stack(shuffled(split(x, 4, 1)), 2))
merge("input_shuffling_multiple_output", 1, 1, 2, 2, 3, function=lambda x: several(split(x, 4, 1), torch.relu))
merge("input_shuffling_direct_output", 1, 1, 2, 2, 3, function=lambda x: several(split(x, 4, 1), lambda p: p))
merge("unequal_split_multiple_output", 1, 1, 2, 2, 3, function=lambda x: several(split(x, [2, 4, 4, 4, 4, 4, 8, 2], 1), torch.relu))
merge("multi_split_cat", 1, 1, 2, 2, 3, arguments=2, ours=dict(zip(MERGED, (2, 2, 2, 4, 6))), function=lambda x, y: (lambda p, q: (
    torch.cat([ones(), p[1], p[2], p[3], ones(), q[1], q[2], q[3], ones()], 2), torch.stack([ones(), p[4], p[5], ones(), q[4], q[5], ones()], 1),
    torch.relu(p[6]), torch.relu(q[6])))(split(x, 4, 1), split(y, 4, 1)))


# test_split_cat_merge_mutation: a piece is written. Here the write makes a value of its
# own; the cat stays, and the split loses the sections that nobody takes any more.
def mutation(x):
    p = split(x, 4, 1)
    p[0].copy_(p[1])
    return torch.cat(p, 2)


case("merge_mutation", [Q], ALL, {"scmerge_split_removed": 0, "scmerge_cat_removed": 0}, mutation, ours={"scmerge_split_removed": 1})

# -- test_split_squeeze -------------------------------------------------------


def squeeze(name, count, function, **more):
    case(f"squeeze_{name}", [(2, 32)], ALL, {"split_cat_pass": count}, function, **more)


squeeze("stack", 1, lambda x: torch.stack([torch.squeeze(s, 1) for s in torch.split(x, 1, 1)]))
squeeze("stack_callmethod", 1, lambda x: torch.stack([s.squeeze(1) for s in torch.split(x, 1, 1)]))
squeeze("stack_kwarg1", 1, lambda x: torch.stack([torch.squeeze(s, dim=1) for s in torch.split(x, 1, 1)]))
squeeze("stack_kwarg1_callmethod", 1, lambda x: torch.stack([s.squeeze(dim=1) for s in torch.split(x, 1, 1)]))
squeeze("none_dim", 0, lambda x: torch.stack([torch.squeeze(s) for s in torch.split(x, 1, 1)]))
squeeze("multi_users", 1, lambda x: (lambda s: (torch.stack(s), torch.relu(s[0]), torch.tanh(s[1])))([torch.squeeze(p, 1) for p in torch.split(x, 1, 1)]))
squeeze("size_not_1", 0, lambda x: torch.stack([torch.squeeze(s, 1) for s in torch.split(x, 2, 1)]))
squeeze("dim_mismatch", 0, lambda x: torch.stack([torch.squeeze(s, 0) for s in torch.split(x, 1, 1)]))
squeeze("other_users", 0, lambda x: (lambda p: (torch.stack([torch.squeeze(s, 1) for s in p]), torch.relu(p[0])))(split(x, 1, 1)))
squeeze("other_users_2", 0, lambda x: (lambda p: (torch.stack([torch.squeeze(s, 1) for s in p[1:]]), torch.relu(p[0])))(split(x, 1, 1)))
squeeze("in_order", 1, lambda x: torch.stack([torch.sin(torch.squeeze(p, 0)) for p in torch.split(x, 1, 0)]))

# -- test_unbind_stack --------------------------------------------------------


def stacked(name, removed, cats_added, cats_removed, sections, normalized, function, ours):
    """`normalized`: how often the test expects normalization_pass, `ours`: what changes here."""
    case(f"unbind_{name}", [Q], ALL,
         {**dict(zip(MERGED, (0, removed, cats_added, cats_removed, sections))), "unbind_stack_pass": removed, "normalization_pass": normalized}, function,
         ours={"normalization_pass": ours})


def slab():
    return torch.ones(2, 32, 16)


def squeezed(pieces):
    return [torch.squeeze(p, 1) for p in pieces]


stacked("stack", 1, 0, 1, 31, 2, lambda x: torch.stack(torch.unbind(x, dim=1), dim=1), 0)
stacked("stack_argspec1", 1, 0, 1, 31, 2, lambda x: torch.stack(torch.unbind(x, 1), 1), 0)
stacked("stack_argspec2", 1, 0, 1, 31, 2, lambda x: torch.stack(tensors=torch.unbind(x, dim=1), dim=1), 0)
stacked("dim_mismatch", 1, 0, 1, 31, 2, lambda x: torch.stack(torch.unbind(x, dim=1), dim=0), 0)
stacked("split_squeeze_stack", 1, 0, 1, 31, 2, lambda x: torch.stack(squeezed(torch.split(x, 1, dim=1)), dim=1), 1)
stacked("split_squeeze_stack_callmethod", 1, 0, 1, 31, 2, lambda x: torch.stack([s.squeeze(1) for s in torch.split(x, 1, dim=1)], dim=1), 1)
stacked("other_users", 0, 0, 0, 0, 2, lambda x: (lambda p: (torch.stack(squeezed(p), 1), torch.relu(p[0])))(split(x, 1, 1)), 1)
stacked("other_users_2", 0, 0, 0, 0, 2, lambda x: (lambda p: (torch.stack(squeezed(p[1:]), 1), torch.relu(p[0])))(split(x, 1, 1)), 1)
stacked("cat_addn_args", 1, 1, 1, 31, 1, lambda x: torch.cat([slab(), *torch.unbind(x, 1), slab()], dim=1), 0)
stacked("stack_addn_args", 1, 1, 1, 31, 2, lambda x: torch.stack([slab(), *torch.unbind(x, 1), slab(), slab()], dim=1), 0)
stacked("cat_addn_args_dim2", 1, 1, 1, 31, 1, lambda x: torch.cat([slab(), *torch.unbind(x, 2), slab()], dim=2), 0)
stacked("cat_dim_mismatch", 1, 1, 1, 31, 1, lambda x: torch.cat([slab(), *torch.unbind(x, 1), slab()], dim=2), 0)
stacked("stack_dim_mismatch", 1, 1, 1, 31, 2, lambda x: torch.stack([slab(), *torch.unbind(x, 1), slab()], dim=2), 0)
stacked("cat_multi_users", 1, 2, 2, 31, 2,
        lambda x: (lambda u: (torch.cat([slab(), *u, slab()], dim=1), torch.stack([slab(), *u, slab(), slab()], dim=1)))(torch.unbind(x, 1)), 0)
stacked("cat_multi_users_diff_dims", 1, 2, 2, 31, 2,
        lambda x: (lambda u: (torch.cat([slab(), *u, slab()], dim=1), torch.stack([slab(), *u, slab()], dim=2)))(torch.unbind(x, 1)), 0)

# -- test_split_cat_new_patterns ----------------------------------------------

NEW = ["split_cat_to_slices_pass", "unbind_cat_to_view_pass", "split_stack_to_cats_pass", "unbind_stack_to_slices_pass", "move_reshape_out_of_split_stack_pass"]
SEVEN = ["merge_getitem_cat_pass", "mutate_cat_pass", *NEW]


def new_pattern(shapes, keys, inductors=None, **fired):
    """All seven counters of the test."""
    def add(function):
        case(function.__name__, shapes, keys, {counter: fired.get(counter, 0) for counter in SEVEN}, function, inductors=inductors)
        return function
    return add


@new_pattern([(4, 500)], ["normalization_pass", "merge_getitem_cat_pass"], merge_getitem_cat_pass=2)
def split_cat_split(x):
    p = torch.split(x, [200, 50, 50, 20, 20, 20, 20, 20, 20, 50, 30], dim=1)
    a, b = torch.cat(p[0:2], dim=1), torch.cat(p[9:11], dim=1)
    return torch.cat([*torch.split(a, [50, 120, 80], dim=1), *torch.split(b, [10, 20, 50], dim=1), *p[2:9]], dim=1)


@new_pattern([(4, 500)], ["normalization_pass", "merge_getitem_cat_pass"], merge_getitem_cat_pass=2)
def split_cat_split_kwarg(x):
    p = torch.split(x, split_size_or_sections=[200, 50, 50, 20, 20, 20, 20, 20, 20, 50, 30], dim=1)
    a, b = torch.cat(tensors=p[0:2], dim=1), torch.cat(tensors=p[9:11], dim=1)
    return torch.cat([*torch.split(a, [50, 120, 80], dim=1), *torch.split(b, [10, 20, 50], dim=1), *p[2:9]], dim=1)


SECTIONS = [50, 50, 200, 20, 20, 20, 20, 20, 40, 10, 50]


@new_pattern([(500, 4)], ["normalization_pass", "mutate_cat_pass"], mutate_cat_pass=2)
def remove_cat_node_with_all_getitems(x):
    p = torch.split(x, SECTIONS, dim=0)
    everything, a, b = torch.cat(p), torch.cat(p[0:2]), torch.cat([p[0], p[10]])
    return torch.cat([torch.cat([*torch.split(a, [20, 30, 50]), *torch.split(b, [10, 60, 30]), *p[2:9]]), everything])


@new_pattern([(500, 4)], ["normalization_pass", "mutate_cat_pass"], mutate_cat_pass=1)
def mutate_cat_node_with_some_getitems(x):
    p = torch.split(x, SECTIONS, dim=0)
    turned, a, b = torch.cat([*p[6:11], *p[2:6]]), torch.cat(p[0:2]), torch.cat([p[0], p[10]])
    return torch.cat([torch.cat([*torch.split(a, [20, 30, 50]), *torch.split(b, [10, 60, 30]), p[2]]), turned])


def copies(xs):
    return [x.clone() for x in xs]


@new_pattern([(500, 4)], ["normalization_pass", NEW[0]], split_cat_to_slices_pass=1)
def split_cat_to_slices(x):
    p, q, r = torch.split(x, 50), torch.split(x.clone(), 50), torch.split(x.clone(), 100)
    return torch.cat([*copies(p[:1]), *p, *q[4:], *q[:4], *r])


@new_pattern([(50, 50)], ["normalization_pass", NEW[1]], unbind_cat_to_view_pass=1)
def unbind_cat_to_view(x):
    u, v = (torch.unbind(x.view(10, 5, 50), dim=0) for _ in range(2))
    a, b, c = copies(u[7:])
    return torch.cat([*u[:7], a, *v, b, c], dim=1)


@new_pattern([(50, 50)], ["normalization_pass", NEW[2]], split_stack_to_cats_pass=1)
def split_stack_to_cats_same_dim(x):
    u = torch.unbind(x.view(10, 5, 50), dim=0)
    p = [piece for y in u[:6] for piece in torch.split(y, [25, 25], dim=1)]
    a, b, c = copies(p[:3])
    return torch.stack([*p[:6], a, b, *p[6:], c], dim=1)


@new_pattern([(50, 50)], ["normalization_pass", NEW[2]], split_stack_to_cats_pass=1)
def split_stack_to_cats_different_dim(x):
    p, q = torch.split(x, 10, dim=1), torch.split(x.clone(), 10, dim=1)
    return torch.stack([*copies(p[:3]), *p, *q], dim=2)


@new_pattern([(50, 50)], ["normalization_pass", NEW[3]], unbind_stack_to_slices_pass=1)
def unbind_stack_to_slices(x):
    u = torch.unbind(x.view(5, 10, 50), dim=1)
    return torch.stack([*copies(u[:3]), *u], dim=1)


@new_pattern([(50, 50)], ["normalization_pass", NEW[4]], move_reshape_out_of_split_stack_pass=1)
def move_reshape_out_of_split_stack(x):
    r = [p.reshape(100, 5) for p in torch.split(x.view(500, 5), 1, dim=1)]
    a = copies(r[:4])
    return torch.stack([*a[:3], *r, *a[3:]])


# None of them moves a counter where it changes nothing. Inductor's scan loses pieces that
# come backwards, and counts.
@new_pattern([(4, 4), (4, 4)], ["normalization_pass", *NEW], inductors={"unbind_cat_to_view_pass": 1})
def nothing_to_take(x, y):
    p, u = split(x, 1), unbind(y)
    r = [piece.reshape(4) for piece in p]
    return torch.cat(p[:3]), torch.cat(u[::-1]), torch.stack(p[1:], 1), torch.stack([*u[:3], *r[1:]], 1), torch.stack(r[::-1])


# -- test_sink_cat_after_pointwise (test_fx_fusion): it counts ops, "2 tanh" ----------


def sink(name, function):
    case(f"sink_cat_{name}", [(8, 8), (8, 8)], [], {"ops: tanh": 2, "ops: cat": 1}, lambda x, y: torch.tanh(function(x, y)))


sink("kwarg", lambda x, y: torch.cat([x, y], dim=-1).view(128).view(128))
sink("arg", lambda x, y: torch.cat([x, y], 1).view(128).view(128))
sink("arg2", lambda x, y: torch.cat([x, y]).view(128).view(128))
sink("kwarg2", lambda x, y: torch.cat(tensors=[x, y], dim=0))
sink("kwarg3", lambda x, y: torch.cat([x, y], dim=0).view(128))


# -- merge_stack_tahn_unbind_pass, which is empty in Inductor and has no test ---------------


def batched(x):
    u = torch.unbind(torch.tanh(torch.stack(split(x, 2, 1), 0)), 0)
    return torch.stack(u, 0), torch.cat(u, 1), torch.stack(u[::-1], 0)


case("merge_stack_tanh_unbind", [(8, 8)], ["merge_stack_tahn_unbind_pass"], {"merge_stack_tahn_unbind_pass": 0}, batched, ours={"merge_stack_tahn_unbind_pass": 3})


# Running ----------------------------------------------------------------------------


def inductors(graph, arguments, options):
    """Its counters."""
    graph, counters = run_pre_grad(graph, arguments, options)
    for node in graph.graph.nodes:
        if node.op.startswith("call_"):
            key = f"ops: {getattr(node.target, '__name__', node.target)}"
            counters[key] = counters.get(key, 0) + 1
    return counters


def ours(graph, inputs, options):
    """Our counters and results."""
    found = graph.run_passes(fxgraph.pre_grad_pipeline(options, permute_fusion=False, freezing=False)).counters
    return {**found, **{key.replace("fxgraph.", "ops: "): count for key, count in graph.op_counts().items()}}, graph.run(inputs, target="ref")


def graphs(function, inputs, dynamic):
    """Inductor's side and ours. Sizes are arguments of their own in a graph of Dynamo's, and read from tensors in ours."""
    if not dynamic:
        return both_graphs(function, inputs)
    shapes = tuple({i: torch.export.Dim.AUTO for i in range(x.dim())} for x in inputs)
    graph = fxgraph.capture(function, *inputs, level="aten", dynamic_shapes=shapes)
    return dynamo_graph(function, [x.clone() for x in inputs], dynamic), (graph, [x.clone() for x in inputs])


def main():
    warnings.simplefilter("ignore")
    failures = []
    for name, function, shapes, keys, theirs, wanted, dynamic in CASES:
        generator = torch.Generator().manual_seed(0)
        inputs = [torch.randn(shape, generator=generator) for shape in shapes]
        options = {key: {} for key in keys}
        results = function(*[x.clone() for x in inputs])
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        for_inductor, for_us = graphs(function, inputs, dynamic)
        found, values = ours(*for_us, options)
        for who, numbers, expected in (("Inductor", inductors(*for_inductor, options), theirs), ("ours", found, wanted)):
            got = {key: numbers.get(key, 0) for key in expected}
            if got != expected:
                failures.append(f"{name}: expected {expected} of {who} but got {got}")
        # tanh and sin may differ in the last digit.
        if len(values) != len(results) or not all(torch.allclose(torch.as_tensor(v), r, rtol=1e-6, atol=1e-6) for v, r in zip(values, results)):
            failures.append(f"{name}: expected PyTorch's results")
    print(f"{len(CASES)} functions")
    if failures or len(CASES) < 90:
        raise SystemExit("\n".join(failures))


main()
