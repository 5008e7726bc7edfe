# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions on which Inductor tests its pre-grad passes, rebuilt from the pass
specification's descriptions of their shapes (sections 4, 5, 6 and 8)."""
import torch
import torch.nn as nn
import torch.nn.functional as F

FUNCTIONS = []


def function(*shapes):
    def add(body):
        FUNCTIONS.append((body.__name__, body, shapes))
        return body
    return add


# split_normalization, consecutive splits: [2, 32] ------------------------------

S = (2, 32)


@function(S)
def split_by_size(x):
    return [s + 1 for s in torch.split(x, 2, 1)]


@function(S)
def split_by_size_dim0(x):
    return [s + 1 for s in torch.split(x, 2)]


@function(S)
def split_negative_dim(x):
    return [s + 1 for s in torch.split(x, 2, dim=-1)]


@function(S)
def split_method_list(x):
    return [s + 1 for s in x.split([16, 16], dim=-1)]


@function(S)
def split_uneven(x):
    return [s + 1 for s in torch.split(x, 3, 1)]


@function(S)
def multi_split(x):
    return [torch.split(s, 2, 1) for s in torch.split(x, 2, 1)]


@function(S)
def multi_split_2(x):
    return [torch.split(s, 1, 1) for s in torch.split(x, 2, 1)]


@function(S)
def multi_split_2_negative_dim(x):
    return [torch.split(s, 1, 1) for s in torch.split(x, 2, -1)]


@function(S)
def multi_split_with_sizes(x):
    return [torch.split(s, 8, 1) for s in torch.split(x, [16, 16], 1)]


@function(S)
def unequal_multi_split(x):
    first = torch.split(x, [10, 10, 12], dim=1)
    outs = [torch.split(first[0], [4, 6], dim=1), torch.split(first[1], [6, 4], dim=1), torch.split(first[2], [2, 10], dim=1)]
    return [s + 1 for out in outs for s in out]


@function(S)
def split_of_split_other_dim(x):
    return [torch.split(s, 1, 0) for s in torch.split(x, 16, 1)]


@function(S)
def some_users_not_splits(x):
    first = torch.split(x, 16, 1)
    return [*torch.split(first[0], 4, 1), first[1] * 2, *torch.split(first[1], 8, 1)]


@function(S)
def split_with_cat(x):
    first = torch.split(x, [4, 4, 24], dim=1)
    second = torch.split(first[2], [4, 4, 16], dim=1)
    return torch.cat([first[0], first[1], *second], dim=1)


@function(S)
def split_piece_twice(x):
    first = torch.split(x, [4, 4, 24], dim=1)
    second = torch.split(first[2], [4, 4, 16], dim=1)
    return torch.cat([second[0], second[0], first[0], *second], dim=1)


@function(S)
def split_gap(x):
    first = torch.split(x, [4, 4, 24], dim=1)
    second = torch.split(first[2], [4, 4, 16], dim=1)
    return torch.cat([first[0], second[0], second[2]], dim=1)


@function(S)
def split_out_of_order(x):
    first = torch.split(x, [4, 4, 4, 20], dim=1)
    second = torch.split(first[3], [4, 4, 12], dim=1)
    return torch.cat([second[0], *first[:3], *second], dim=1)


# split_squeeze: [2, 32] -------------------------------------------------------


@function(S)
def split_squeeze_stack(x):
    return torch.stack([s.squeeze(1) for s in torch.split(x, 1, dim=1)])


@function(S)
def split_squeeze_stack_function(x):
    return torch.stack([torch.squeeze(s, 1) for s in torch.split(x, 1, dim=1)])


@function(S)
def split_squeeze_no_dim(x):
    return torch.stack([s.squeeze() for s in torch.split(x, 1, dim=1)])


@function(S)
def split_squeeze_size_2(x):
    return torch.stack([s.squeeze(1) for s in torch.split(x, 2, dim=1)])


@function(S)
def split_squeeze_other_dim(x):
    return torch.stack([s.squeeze(0) for s in torch.split(x, 1, dim=0)], dim=1)


@function(S)
def split_squeeze_other_users(x):
    pieces = torch.split(x, 1, dim=1)
    return torch.stack([s.squeeze(1) for s in pieces]), pieces[0] + 1


@function(S)
def squeeze_used_twice(x):
    squeezed = [s.squeeze(1) for s in torch.split(x, 1, dim=1)]
    return torch.stack(squeezed), torch.cat(squeezed, dim=0), squeezed[3] * 2


# split_cat_merge: [2, 32, 32, 16] ---------------------------------------------

Q = (2, 32, 32, 16)


def split4(x, dim=1):
    return list(torch.split(x, 4, dim=dim))


@function(Q)
def simple_split_cat(x):
    return torch.cat(split4(x), dim=1)


@function(Q)
def split_cat_negative_dim(x):
    return torch.cat(split4(x), dim=-2)


@function(Q)
def simple_split_stack(x):
    return torch.stack(split4(x), dim=1)


@function(Q)
def split_stack_other_dim(x):
    return torch.stack(split4(x), dim=3)


@function(Q)
def split_cat_other_dim(x):
    return torch.cat(split4(x), dim=2)


@function(Q, (2, 4, 32, 16), (2, 5, 32, 16))
def split_cat_with_others(x, y, z):
    return torch.cat([y, *split4(x), z], dim=1)


@function(Q, (2, 4, 32, 16), (2, 4, 32, 16))
def split_stack_with_others(x, y, z):
    return torch.stack([y, *split4(x), z], dim=1)


@function(Q, (2, 4, 32, 16), (2, 4, 32, 16))
def split_stack_with_others_other_dim(x, y, z):
    return torch.stack([y, *split4(x), z], dim=2)


@function(Q, (2, 4, 32, 16), (2, 4, 32, 16), (2, 4, 32, 16))
def shuffled(x, a, b, c):
    p = split4(x)
    return torch.cat([a, p[1], p[2], p[3], b, p[5], p[6], p[7], c], dim=1)


@function(Q, (2, 4, 32, 16), (2, 4, 32, 16), (2, 4, 32, 16))
def shuffled_stack(x, a, b, c):
    p = split4(x)
    return torch.stack([a, p[1], p[2], p[3], b, p[5], p[6], p[7], c], dim=1)


@function(Q, (2, 4, 32, 16), (2, 4, 32, 16), (2, 4, 32, 16))
def shuffled_several_outputs(x, a, b, c):
    p = split4(x)
    return torch.cat([a, p[1], p[2], p[3]], dim=1), torch.stack([b, p[5], p[6], p[7], c], dim=1), p[0] * 2


@function(Q)
def uneven_several_outputs(x):
    p = torch.split(x, [2, 4, 4, 4, 4, 4, 8, 2], dim=1)
    return torch.cat(p[1:4], dim=1), torch.cat(p[4:6], dim=1), p[0], p[6]


@function(Q)
def permuted(x):
    p = split4(x)
    return torch.cat([p[1], p[0], *p[2:]], dim=1)


@function(Q)
def every_other(x):
    return torch.cat(split4(x)[::2], dim=1)


# unbind_stack: [2, 32, 32, 16] ------------------------------------------------


@function(Q)
def unbind_stack(x):
    return torch.stack(torch.unbind(x, 1), 1)


@function(Q)
def unbind_stack_other_dim(x):
    return torch.stack(torch.unbind(x, dim=1), dim=0)


@function(Q)
def unbind_cat(x):
    return torch.cat(torch.unbind(x, dim=1), dim=1)


@function(Q, (2, 32, 16), (2, 32, 16))
def unbind_stack_with_others(x, y, z):
    return torch.stack([y, *torch.unbind(x, dim=1), z], dim=1)


@function(Q, (2, 32, 16), (2, 32, 16))
def unbind_cat_with_others(x, y, z):
    return torch.cat([y, *torch.unbind(x, dim=1), z], dim=1)


@function(Q)
def unbind_two_users(x):
    items = torch.unbind(x, dim=1)
    return torch.cat(items, dim=1), torch.stack(items, dim=2)


@function(Q)
def unbind_other_users(x):
    items = torch.unbind(x, dim=1)
    return torch.stack(items, dim=1), items[0] * 2


# The passes over runs: [500, 500] ------------------------------------------------

B = (50, 50)


@function((1000, 20), B)
def getitem_cat(x, y):
    p = torch.split(x, [200, 50, 50, 20, 680], dim=0)
    return torch.cat([p[0], p[1]], dim=0), torch.cat([p[2], p[3]], dim=0), p[4] + 1


@function(B)
def cat_of_all_and_some(x):
    p = torch.split(x, 5, dim=0)
    return torch.cat(p, dim=0), torch.cat(p[2:5], dim=0), p[3] * 2


@function(B, B, (50, 50))
def runs_to_slices(o, x, y):
    p, q = torch.split(x, 5, dim=0), torch.split(y, 5, dim=0)
    return torch.cat([o, *p, *q[4:], *q[:4]], dim=0)


@function((10, 50, 50), (12, 50, 50), (50, 50))
def runs_of_unbind_cat(y, z, o):
    a, b = torch.unbind(y, dim=0), torch.unbind(z, dim=0)
    return torch.cat([*a, o, *b[:10], o], dim=1)


@function((50, 60), (50, 5))
def runs_of_split_stack(x, o):
    p = torch.split(x, 5, dim=1)
    return torch.stack([o, *p, o], dim=1)


@function((50, 60), (50, 5))
def runs_of_split_stack_other_dim(x, o):
    p = torch.split(x, 5, dim=1)
    return torch.stack([o, *p, o], dim=2)


@function((50, 12, 6), (50, 6))
def runs_of_unbind_stack(x, o):
    p = torch.unbind(x, dim=1)
    return torch.stack([o, *p[:10], o], dim=1)


@function((500, 12), (20, 25))
def reshape_out_of_split_stack(x, o):
    p = [s.reshape(20, 25) for s in torch.split(x, 1, dim=1)]
    return torch.stack([o, o, *p, o], dim=0)


# Others ---------------------------------------------------------------------------


@function((8, 4), (8, 4))
def cat_view_tanh(a, b):
    return torch.tanh(torch.cat([a, b], dim=1).view(4, 16))


@function((8, 4), (8, 4))
def cat_relu(a, b):
    return torch.relu(torch.cat([a, b], dim=0))


@function((2, 6, 8), (8, 8), (8,))
def linear_permute(x, w, b):
    return F.linear(x, w, b).permute(0, 2, 1)


@function((2, 8, 6), (8, 8), (8,))
def permute_linear(x, w, b):
    return F.linear(x.permute(0, 2, 1), w, b)


@function((2, 8, 6), (2, 8, 6))
def permute_bmm(a, b):
    return torch.bmm(a.permute(0, 2, 1), b)


@function((2, 3, 4), (2, 3, 4, 5), (2, 3, 5))
def einsum_add(x, w, y):
    return torch.einsum("abc,abcd->abd", x, w) + y


@function((4, 50))
def unary_groups(x):
    p = torch.split(x, 10, dim=1)
    return torch.cat([torch.tanh(s) for s in p], dim=1), torch.stack([torch.sigmoid(s) for s in p]), [torch.relu(s) for s in p]


class Module(nn.Module):
    def __init__(self, make, count, body):
        super().__init__()
        self.parts = nn.ModuleList(make() for _ in range(count))
        self.body = body

    def forward(self, x):
        return self.body(self.parts, x)


def modules():
    """Groups of linears and layer norms."""
    pieces = lambda x, n: torch.split(x, x.shape[1] // n, dim=1)
    yield "linears_of_pieces", Module(lambda: nn.Linear(10, 10), 5, lambda ms, x: torch.cat([m(p) for m, p in zip(ms, pieces(x, 5))], dim=1)), (4, 50)
    yield "linears_without_bias", Module(lambda: nn.Linear(10, 7, bias=False), 6, lambda ms, x: torch.cat([m(p) for m, p in zip(ms, pieces(x, 6))], dim=1)), (4, 60)
    yield "linears_too_few", Module(lambda: nn.Linear(10, 10), 4, lambda ms, x: torch.cat([m(p) for m, p in zip(ms, pieces(x, 4))], dim=1)), (4, 40)
    yield "linears_of_one_input", Module(lambda: nn.Linear(10, 4), 6, lambda ms, x: torch.cat([m(x) for m in ms], dim=1)), (4, 10)
    yield "linears_in_a_chain", Module(lambda: nn.Linear(10, 10), 6, lambda ms, x: ms[5](ms[4](ms[3](ms[2](ms[1](ms[0](x))))))), (4, 10)
    yield "norms_of_pieces", Module(lambda: nn.LayerNorm(10), 5, lambda ms, x: torch.cat([m(p) for m, p in zip(ms, pieces(x, 5))], dim=1)), (4, 50)
    yield "norms_without_affine", Module(lambda: nn.LayerNorm(10, elementwise_affine=False), 5,
                                         lambda ms, x: torch.cat([m(p) for m, p in zip(ms, pieces(x, 5))], dim=1)), (4, 50)
    yield "tanh_of_linears", Module(lambda: nn.Linear(10, 10), 5, lambda ms, x: torch.cat([torch.tanh(m(p)) for m, p in zip(ms, pieces(x, 5))], dim=1)), (4, 50)


def flat(value):
    return [item for part in value for item in flat(part)] if isinstance(value, (list, tuple)) else [value]


class Wrap(nn.Module):
    """A flat tuple of results, as a backend returns it."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, *inputs):
        return tuple(flat(self.body(*inputs)))


def all_functions():
    """(name, module, inputs)."""
    for name, body, shapes in FUNCTIONS:
        generator = torch.Generator().manual_seed(0)
        yield name, Wrap(body), [torch.randn(shape, generator=generator) for shape in shapes]
    for name, module, shape in modules():
        torch.manual_seed(0)
        yield name, Wrap(module.eval()), [torch.randn(shape)]
