# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small seeded models, one for each kind of graph that the passes are for.

Each entry of MODELS is a function that returns (module in eval mode, args).
Weights and inputs come from a seed, so that captures are reproducible.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Towers(nn.Module):
    """A recommendation model: n slices of one input through one small tower each.

    split -> n x (linear -> layer norm -> tanh) -> cat; the tower outputs are
    also stacked, their pairwise dot products go into an MLP with the cat.
    """

    def __init__(self, n=32, width=16, out=8):
        super().__init__()
        self.n, self.width, self.out = n, width, out
        self.linears = nn.ModuleList(nn.Linear(width, out) for _ in range(n))
        self.norms = nn.ModuleList(nn.LayerNorm(out) for _ in range(n))
        pairs = n * (n - 1) // 2
        rows, columns = torch.tril_indices(n, n, offset=-1)
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)
        self.top = nn.Sequential(nn.Linear(n * out + pairs, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, features):
        parts = torch.split(features, self.width, dim=1)
        towers = [torch.tanh(norm(linear(part))) for linear, norm, part in zip(self.linears, self.norms, parts)]
        dense = torch.cat(towers, dim=1)
        stacked = torch.stack(towers, dim=1)
        again = torch.stack(torch.unbind(stacked, dim=1), dim=1)
        products = torch.bmm(again, again.transpose(1, 2))
        interactions = products[:, self.rows, self.columns]
        return torch.sigmoid(self.top(torch.cat([dense, interactions], dim=1)))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(width, dim=2)
        q, k, v = (t.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).contiguous().view(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Decoder(nn.Module):
    """A GPT-2-style decoder with tied embedding and head."""

    def __init__(self, vocabulary=96, length=16, width=32, heads=4, layers=2):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.layers = nn.ModuleList(DecoderLayer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.tokens(ids) + self.positions(positions)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.down = None
        if stride != 1 or inputs != outputs:
            self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        shortcut = x if self.down is None else self.down(x)
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += shortcut
        return F.relu(y)


class ResNet(nn.Module):
    """ResNet-18's graph (four stages of two basic blocks) with few channels."""

    def __init__(self, channels=4, classes=10):
        super().__init__()
        widths = [channels * m for m in (1, 2, 3, 4)]
        self.conv = nn.Conv2d(3, channels, 7, 2, 3, bias=False)
        self.bn = nn.BatchNorm2d(channels)
        blocks, inputs = [], channels
        for i, width in enumerate(widths):
            blocks += [BasicBlock(inputs, width, 1 if i == 0 else 2), BasicBlock(width, width, 1)]
            inputs = width
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(inputs, classes)

    def forward(self, image):
        x = F.max_pool2d(F.relu(self.bn(self.conv(image))), 3, 2, 1)
        x = F.adaptive_avg_pool2d(self.blocks(x), 1)
        return self.fc(torch.flatten(x, 1))


class MixerBlock(nn.Module):
    """An MLP-Mixer block: linears over tokens (permute around them), then over channels."""

    def __init__(self, tokens=12, channels=16, hidden=24):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.token1, self.token2 = nn.Linear(tokens, hidden), nn.Linear(hidden, tokens)
        self.channel1, self.channel2 = nn.Linear(channels, hidden), nn.Linear(hidden, channels)

    def forward(self, x):
        y = self.norm1(x).permute(0, 2, 1)
        y = self.token2(F.gelu(self.token1(y)))
        x = x + y.permute(0, 2, 1)
        return x + self.channel2(F.gelu(self.channel1(self.norm2(x))))


class Mixer(nn.Module):
    def __init__(self, blocks=2, tokens=12, channels=16, classes=5):
        super().__init__()
        self.blocks = nn.Sequential(*[MixerBlock(tokens, channels) for _ in range(blocks)])
        self.norm, self.head = nn.LayerNorm(channels), nn.Linear(channels, classes)

    def forward(self, x):
        return self.head(self.norm(self.blocks(x)).mean(dim=1))


class Sequence(nn.Module):
    """A gated recurrence unrolled over time: unbind, a cell for each step, stack."""

    def __init__(self, width=12, hidden=10):
        super().__init__()
        self.inputs, self.state = nn.Linear(width, 2 * hidden), nn.Linear(hidden, 2 * hidden, bias=False)
        self.out = nn.Linear(hidden, 4)
        self.hidden = hidden

    def forward(self, x):
        state = x.new_zeros(x.shape[0], self.hidden)
        states = []
        for step in torch.unbind(x, dim=1):
            gate, candidate = torch.chunk(self.inputs(step) + self.state(state), 2, dim=-1)
            gate = torch.sigmoid(gate)
            state = gate * state + (1 - gate) * torch.tanh(candidate)
            states.append(state)
        return self.out(torch.stack(states, dim=1)), state


def _gpt2():
    """transformers' GPT-2 with a random tiny configuration."""
    import transformers
    config = transformers.GPT2Config(
        vocab_size=96, n_positions=16, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        use_cache=False, attn_implementation="sdpa")

    class Wrapper(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.GPT2LMHeadModel(config)
            # An explicit 4-D mask: the library's own is built under vmap.
            self.register_buffer("mask", torch.ones(9, 9, dtype=torch.bool).tril()[None, None])

        def forward(self, ids):
            return self.model(ids, attention_mask=self.mask, use_cache=False, return_dict=False)[0]

    return Wrapper()


def _randomize_statistics(model):
    """Running statistics that are not the identity."""
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            with torch.no_grad():
                module.running_mean.normal_(0, 0.1)
                module.running_var.uniform_(0.5, 1.5)
                module.weight.uniform_(0.5, 1.5)
                module.bias.normal_(0, 0.1)
    return model


def _build(factory, make_args, seed):
    def build(**options):
        state = torch.random.get_rng_state()
        try:
            torch.manual_seed(seed)
            model = _randomize_statistics(factory(**options)).eval()
            return model, make_args(model)
        finally:
            torch.random.set_rng_state(state)
    return build


MODELS = {
    "towers": _build(Towers, lambda m: (torch.randn(6, m.n * m.width),), 1),
    "decoder": _build(Decoder, lambda m: (torch.randint(0, 96, (2, 9)),), 2),
    "gpt2": _build(_gpt2, lambda m: (torch.randint(0, 96, (2, 9)),), 3),
    "resnet": _build(ResNet, lambda m: (torch.randn(2, 3, 32, 32),), 4),
    "mixer": _build(Mixer, lambda m: (torch.randn(3, 12, 16),), 5),
    "sequence": _build(Sequence, lambda m: (torch.randn(3, 7, 12),), 6),
}


def capture_model(name, levels=("torch", "aten"), dtype=None, **options):
    """({level: fxgraph.Module}, {name: tensor} of weights, inputs and expected outputs).

    With a `dtype` (torch.bfloat16) weights and inputs are rounded to it, and the
    expected outputs are those of float32 arithmetic on the rounded numbers.
    """
    import copy
    import fxgraph
    from fxgraph.importer.graph import flatten
    model, args = MODELS[name](**options)
    exact, exact_args = model, args
    if dtype is not None:
        model = model.to(dtype)
        args = tuple(a.to(dtype) if a.dtype.is_floating_point else a for a in args)
        exact = copy.deepcopy(model).float()
        exact_args = tuple(a.float() if a.dtype.is_floating_point else a for a in args)
    modules, tensors = {}, {}
    for level in levels:
        module = modules[level] = fxgraph.capture(model, *args, level=level, locations="name")
        tensors.update(module.weights)
        tensors.update(zip(module.inputs, args))
    with torch.no_grad():
        results = [t for t in flatten(exact(*exact_args)) if isinstance(t, torch.Tensor)]
    tensors.update({f"out{i}": t for i, t in enumerate(results)})
    return modules, dict(sorted(tensors.items()))
