# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recommendation models: many small linears, splits and joins of embeddings."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from . import entry

FIELDS, ROWS, WIDTH, DENSE = 6, 20, 8, 5


def mlp(*widths, norm=False):
    layers = []
    for i, o in zip(widths, widths[1:]):
        layers += [nn.Linear(i, o)] + ([nn.BatchNorm1d(o)] if norm else []) + [nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def batch(size=4):
    return torch.randint(ROWS, (size, FIELDS)), torch.randn(size, DENSE)


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(ROWS, WIDTH) for _ in range(FIELDS))
        self.linear = nn.ModuleList(nn.Embedding(ROWS, 1) for _ in range(FIELDS))

    def embed(self, fields):
        return torch.stack([table(fields[:, i]) for i, table in enumerate(self.tables)], 1)

    def first_order(self, fields):
        return torch.cat([table(fields[:, i]) for i, table in enumerate(self.linear)], 1).sum(1, keepdim=True)


def model(cls):
    entry("recommendation", cls.__name__.lower())(lambda: (cls().eval(), batch(), batch(7)))
    return cls


@model
class DLRM(Base):
    def __init__(self):
        super().__init__()
        self.bottom, self.top = mlp(DENSE, 16, WIDTH), mlp(WIDTH + 21, 16, 1)

    def forward(self, fields, dense):
        x = self.bottom(dense)
        t = torch.cat([x.unsqueeze(1), self.embed(fields)], 1)
        z = torch.bmm(t, t.transpose(1, 2))
        i, j = torch.tril_indices(FIELDS + 1, FIELDS + 1, -1)
        return self.top(torch.cat([x, z[:, i, j]], 1)).sigmoid()


@model
class DeepFM(Base):
    def __init__(self):
        super().__init__()
        self.deep = mlp(FIELDS * WIDTH + DENSE, 32, 1)

    def forward(self, fields, dense):
        e = self.embed(fields)
        interaction = 0.5 * (e.sum(1).pow(2) - e.pow(2).sum(1)).sum(1, keepdim=True)
        return (self.first_order(fields) + interaction + self.deep(torch.cat([e.flatten(1), dense], 1))).sigmoid()


@model
class WideAndDeep(Base):
    def __init__(self):
        super().__init__()
        self.deep = mlp(FIELDS * WIDTH + DENSE, 32, 16, 1, norm=True)

    def forward(self, fields, dense):
        return self.first_order(fields) + self.deep(torch.cat([self.embed(fields).flatten(1), dense], 1))


@model
class DCNv2(Base):
    """Cross layers of low rank."""

    def __init__(self):
        super().__init__()
        width = FIELDS * WIDTH + DENSE
        self.down = nn.ModuleList(nn.Linear(width, 6, bias=False) for _ in range(3))
        self.up = nn.ModuleList(nn.Linear(6, width) for _ in range(3))
        self.head = nn.Linear(width, 1)

    def forward(self, fields, dense):
        first = x = torch.cat([self.embed(fields).flatten(1), dense], 1)
        for down, up in zip(self.down, self.up):
            x = torch.addcmul(x, first, up(down(x)))
        return self.head(x)


@model
class XDeepFM(Base):
    """Compressed interactions of the fields."""

    def __init__(self):
        super().__init__()
        self.compress = nn.ModuleList([nn.Conv1d(FIELDS * FIELDS, 8, 1), nn.Conv1d(FIELDS * 8, 8, 1)])
        self.head = nn.Linear(16, 1)

    def forward(self, fields, dense):
        x0 = x = self.embed(fields)
        pooled = []
        for layer in self.compress:
            z = torch.einsum("bhd,bmd->bhmd", x, x0).flatten(1, 2)
            x = F.relu(layer(z))
            pooled.append(x.sum(-1))
        return self.head(torch.cat(pooled, 1))


@model
class AutoInt(Base):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.r = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.head = nn.Linear(FIELDS * WIDTH, 1)

    def forward(self, fields, dense):
        e = self.embed(fields)
        q, k, v = (torch.stack(p(e).split(WIDTH // 2, -1)) for p in (self.q, self.k, self.v))
        a = torch.einsum("hbik,hbjk->hbij", q, k).softmax(-1)
        y = torch.cat(torch.unbind(torch.matmul(a, v)), -1) + self.r(e)
        return self.head(F.relu(y).flatten(1))


@model
class TwoTower(Base):
    def __init__(self):
        super().__init__()
        self.user, self.item = mlp(3 * WIDTH + DENSE, 16, 8), mlp(3 * WIDTH, 16, 8)

    def forward(self, fields, dense):
        e = self.embed(fields)
        user = F.normalize(self.user(torch.cat([e[:, :3].flatten(1), dense], 1)), dim=-1)
        item = F.normalize(self.item(e[:, 3:].flatten(1)), dim=-1)
        return (user @ item.t() / 0.1).log_softmax(-1), F.cosine_similarity(user, item)


@model
class MMoE(Base):
    """Experts that tasks share through gates."""

    def __init__(self):
        super().__init__()
        width = FIELDS * WIDTH + DENSE
        self.experts = nn.ModuleList(mlp(width, 16, 8) for _ in range(4))
        self.gates, self.towers = nn.ModuleList(nn.Linear(width, 4) for _ in range(2)), nn.ModuleList(mlp(8, 8, 1) for _ in range(2))

    def forward(self, fields, dense):
        x = torch.cat([self.embed(fields).flatten(1), dense], 1)
        experts = torch.stack([expert(x) for expert in self.experts], 1)
        return [tower((gate(x).softmax(-1).unsqueeze(-1) * experts).sum(1)).sigmoid() for gate, tower in zip(self.gates, self.towers)]


@model
class PLE(Base):
    """Experts of a task and shared ones, extracted twice."""

    def __init__(self):
        super().__init__()
        width = FIELDS * WIDTH + DENSE
        self.experts = nn.ModuleList(nn.ModuleList(nn.Linear(i, 12) for _ in range(6)) for i in (width, 12))
        self.gates = nn.ModuleList(nn.ModuleList(nn.Linear(i, 4) for _ in range(2)) for i in (width, 12))

    def forward(self, fields, dense):
        x = torch.cat([self.embed(fields).flatten(1), dense], 1)
        tasks = [x, x]
        for experts, gates in zip(self.experts, self.gates):
            shared = [F.relu(e(tasks[0] + tasks[1])) for e in experts[4:]]
            tasks = [torch.einsum("be,bed->bd", gates[t](tasks[t]).softmax(1),
                                  torch.stack([F.relu(e(tasks[t])) for e in experts[2 * t:2 * t + 2]] + shared, 1)) for t in (0, 1)]
        return tuple(tasks)


@model
class MaskNet(Base):
    def __init__(self):
        super().__init__()
        self.norm, self.masks = nn.LayerNorm(FIELDS * WIDTH), nn.ModuleList(mlp(FIELDS * WIDTH, 12, FIELDS * WIDTH) for _ in range(3))
        self.hidden, self.head = nn.ModuleList(nn.Linear(FIELDS * WIDTH, 8) for _ in range(3)), nn.Linear(24, 1)

    def forward(self, fields, dense):
        e = self.embed(fields).flatten(1)
        blocks = [F.relu(F.layer_norm(hidden(self.norm(e) * mask(e)), (8,))) for mask, hidden in zip(self.masks, self.hidden)]
        return self.head(torch.cat(blocks, 1))


class InterestNetwork(nn.Module):
    """What a user clicked before, weighted by the candidate (DIN), or its states (SASRec-like)."""

    def __init__(self):
        super().__init__()
        self.items, self.score, self.head = nn.Embedding(ROWS, WIDTH, padding_idx=0), mlp(4 * WIDTH, 12, 1), mlp(2 * WIDTH, 12, 1)

    def forward(self, history, candidate):
        h, c = self.items(history), self.items(candidate).unsqueeze(1)
        c = c.expand_as(h)
        weight = self.score(torch.cat([h, c, h - c, h * c], -1)).squeeze(-1)
        weight = weight.masked_fill(history == 0, float("-inf")).softmax(-1)
        interest = (weight.unsqueeze(1) @ h).squeeze(1)
        return self.head(torch.cat([interest, c[:, 0]], -1)).squeeze(-1).sigmoid()


@entry("recommendation")
def deep_interest_network():
    history = torch.randint(0, ROWS, (4, 7))
    history[:, 0] = 1
    return InterestNetwork().eval(), (history, torch.randint(1, ROWS, (4,)))


@entry("recommendation")
def pooled_bags():
    class Pooled(nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = nn.ModuleList(nn.EmbeddingBag(ROWS, WIDTH, mode=mode) for mode in ("sum", "mean", "max"))
            self.over = mlp(3 * WIDTH, 16, 4)

        def forward(self, words):
            return self.over(torch.cat([bag(words) for bag in self.bags], 1))
    return Pooled().eval(), (torch.randint(ROWS, (4, 5)),)


class ManyTowers(nn.Module):
    """One linear, norm and activation for each slice of the features."""

    def __init__(self, n=8):
        super().__init__()
        self.linears, self.norms = nn.ModuleList(nn.Linear(6, 6) for _ in range(n)), nn.ModuleList(nn.LayerNorm(6) for _ in range(n))
        self.n = n

    def forward(self, x):
        parts = torch.split(x, 6, dim=1)
        out = [torch.tanh(norm(linear(part))) for part, linear, norm in zip(parts, self.linears, self.norms)]
        return torch.cat(out, 1), torch.stack([o.sigmoid() for o in out]).sum(0)


@entry("recommendation")
def many_towers():
    return ManyTowers().eval(), (torch.randn(4, 48),), (torch.randn(9, 48),)


@entry("recommendation")
def hashed_features():
    """Integer arithmetic: hashing, buckets, counts."""
    class Hashed(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(ROWS, WIDTH)
            self.register_buffer("bounds", torch.tensor([-1.0, 0.0, 1.0]))

        def forward(self, ids, values):
            hashed = (ids * 31 + (ids >> 2) ^ 5) % ROWS
            bucket = torch.bucketize(values, self.bounds)
            return self.table(hashed).mean(1), F.one_hot(bucket, 4).sum(1), torch.clamp(ids, 2, 9).float().log1p()
    return Hashed().eval(), (torch.randint(100, (3, 5)), torch.randn(3, 5))


@entry("recommendation")
def matrix_factorisation():
    class Factors(nn.Module):
        def __init__(self):
            super().__init__()
            self.user, self.item, self.bias = nn.Embedding(ROWS, WIDTH), nn.Embedding(ROWS, WIDTH), nn.Embedding(ROWS, 1)

        def forward(self, user, item, rating):
            score = (self.user(user) * self.item(item)).sum(-1) + self.bias(item).squeeze(-1)
            return score, F.mse_loss(score, rating), F.binary_cross_entropy_with_logits(score, (rating > 0).float())
    return Factors().eval(), (torch.randint(ROWS, (6,)), torch.randint(ROWS, (6,)), torch.randn(6))
