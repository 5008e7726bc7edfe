# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as PyTorch captures it becomes one op: Inductor's own patterns, models of transformers, masks that hide whole rows."""

import functools
import inspect
import random
import types

import pytest
import torch
import torch.nn.functional as F
from torch._inductor.fx_passes import fuse_attention
from torch._inductor.pattern_matcher import fwd_only

import fxgraph

PRODUCTS = ("matmul", "bmm", "baddbmm", "softmax", "exp")


def op_counts(graph):
    return {name.removeprefix("fxgraph."): count for name, count in graph.op_counts().items()}


def fuse(graph, count=1, **options):
    """The graph with attention fused: `count` times, and nothing of it left."""
    graph = graph.clone()
    text = ",".join(f"{name.replace('_', '-')}={str(value).lower()}" for name, value in options.items())
    found = graph.run_passes("fxgraph-attention-fuse" + (f"{{{text}}}" if text else "")).counters.get("fuse_attention", 0)
    ops = op_counts(graph)
    assert found == ops.get("scaled_dot_product_attention", 0) == count, f"expected {count} but got {found}:\n{graph.asm}"
    return graph


def agree(graph, inputs, expected, target="ref", rtol=None, atol=None):
    results = graph.run(list(inputs), target=target)
    expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    half = any(x.dtype in (torch.float16, torch.bfloat16) for x in inputs if x.is_floating_point())
    for got, want in zip(results, expected, strict=True):
        torch.testing.assert_close(torch.as_tensor(got), want, rtol=rtol or (2e-2 if half else 1e-4), atol=atol or (5e-3 if half else 1e-5), equal_nan=True)


# ---------------------------------------------------------------------------
# Inductor's patterns
# ---------------------------------------------------------------------------

@functools.cache
def inductor_patterns():
    """{name: (function of tensors, example tensors)} of the inference forms: fp32 and half, batch of two and of one."""
    found = {}
    for key, given in fuse_attention._get_sfdp_patterns(torch.device("cpu")):
        if key.endswith("_inference"):
            found[key.removeprefix("_sfdp_").removesuffix("_inference")] = given
    return found


def pattern(name):
    given = inductor_patterns()[name]
    search = getattr(fuse_attention, "_sfdp_" + "_".join(name.split("_")[:2]))
    # Dynamo does not trace code that lies in Inductor's files.
    scope = dict(search.__globals__, __name__=__name__)
    if "_sfdp_pattern_4" in search.__code__.co_names:
        inner = fuse_attention._sfdp_pattern_4
        globals()["_sfdp_pattern_4"] = types.FunctionType(inner.__code__.replace(co_filename=__file__), scope, inner.__name__)
        scope["_sfdp_pattern_4"] = globals()["_sfdp_pattern_4"]
    search = types.FunctionType(search.__code__.replace(co_filename=__file__), scope, search.__name__)
    fixed = dict(given["scalar_workaround"])
    if "dropout_p" in inspect.signature(search).parameters:
        fixed["dropout_p"] = 0.0
    names = [p for p in inspect.signature(search).parameters if p not in fixed]
    torch.manual_seed(0)
    tensors = []
    for parameter, example in zip(names, given["example_inputs"]):
        if parameter in ("inv_scale", "scale_factor", "inv_scale_factor"):
            fixed[parameter] = 2.0  # of these a number is looked for
        elif example.dtype is torch.bool:
            # Each row sees something.
            tensors.append((parameter, torch.rand(example.shape) < 0.6))
            tensors[-1][1][..., 0] = True
        elif example.shape == (1024, 128, 128):
            tensors.append((parameter, torch.randn(3, 8, 16, dtype=example.dtype)))
        elif parameter == "attn_mask" and example.dim() == 2:
            tensors.append((parameter, torch.tensor([[1, 1, 0, 1], [1, 0, 0, 1]], dtype=example.dtype)))
        else:
            tensors.append((parameter, torch.randn_like(example.detach())))
    names = [parameter for parameter, _ in tensors]

    def function(*values):
        return search(**dict(zip(names, values)), **fixed)

    return function, [tensor for _, tensor in tensors]


def capture(function, inputs, level):
    if level == "inductor":  # as the joint graph is traced, with its decompositions
        return fxgraph.from_fx(fwd_only(function, inputs), inputs)
    if level == "decomposed":
        class Module(torch.nn.Module):
            def forward(self, *values):
                return function(*values)
        return fxgraph.from_exported(torch.export.export(Module(), tuple(inputs)).run_decompositions())
    return fxgraph.capture(function, *inputs, level=level)


def test_all_patterns_are_here():
    numbers = {int(name.split("_")[1]) for name in inductor_patterns()}
    assert numbers == set(range(1, 31)), numbers


@pytest.mark.parametrize("level", ["torch", "aten", "decomposed", "inductor"])
@pytest.mark.parametrize("name", sorted(inductor_patterns()))
def test_inductor_pattern(name, level):
    function, inputs = pattern(name)
    graph = fuse(capture(function, inputs, level))
    left = {op: n for op, n in op_counts(graph).items() if op in PRODUCTS}
    assert not left, f"{left}\n{graph.asm}"
    # The functions cast to f16 whatever comes in.
    loose = {"rtol": 2e-2, "atol": 5e-3} if name.split("_")[1] in ("7", "8", "9", "10") else {}
    agree(graph, inputs, function(*inputs), **loose)
    if level == "torch" and not name.endswith("bs1"):
        agree(graph, inputs, function(*inputs), target="cpu", **loose)


def test_training_form_stays():
    """The backward pass uses the weights: nothing would be saved by an op that keeps them to itself."""
    def function(q, k, v):
        q = q.detach().requires_grad_()
        out = fuse_attention._sfdp_pattern_1(q, k, v, 2.0)
        return out, *torch.autograd.grad(out.sum(), [q])

    from torch.fx.experimental.proxy_tensor import make_fx
    inputs = [torch.randn(2, 4, 8, 16) for _ in range(3)]
    joint = fxgraph.from_fx(make_fx(function)(*inputs), inputs)
    graph = fuse(joint, 0)
    agree(graph, inputs, [x.detach() for x in function(*inputs)])


# ---------------------------------------------------------------------------
# Masks
# ---------------------------------------------------------------------------

def masked(kind):
    def function(q, k, v, mask):
        scores = q @ k.transpose(-1, -2) / 4
        low = torch.finfo(q.dtype).min
        if kind == "added":
            scores = scores + mask
        elif kind == "where":
            scores = torch.where(mask, scores, low)
        elif kind == "where-inf":
            scores = torch.where(mask, scores, -float("inf"))
        elif kind == "masked_fill":
            scores = scores.masked_fill(~mask, -1e4)
        elif kind == "where-added":
            causal = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
            scores = torch.where(causal, scores, low) + mask
        elif kind == "added-where":
            causal = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
            scores = torch.where(causal, scores + mask, -float("inf"))
        return scores.softmax(-1) @ v
    return function


@pytest.mark.parametrize("level", ["torch", "inductor"])
@pytest.mark.parametrize("shape", [(2, 1, 1, 6), (2, 1, 6, 6), (6, 6)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", ["added", "added-min", "where", "where-inf", "masked_fill", "where-added", "added-where"])
def test_hidden_rows(kind, dtype, shape, level):
    """Eager's value, also in rows of which the mask leaves nothing: NaN or the mean of the values."""
    torch.manual_seed(1)
    q, k, v = (torch.randn(2, 3, 6, 16, dtype=dtype) for _ in range(3))
    mask = torch.rand(shape) < 0.7
    mask[..., 0, :] = False
    if kind == "added-min":
        kind, fill = "added", torch.finfo(dtype).min
    else:
        fill = -float("inf")
    if "added" in kind:
        mask = torch.zeros(shape, dtype=dtype).masked_fill(~mask, fill)
    function = masked(kind)
    inputs = [q, k, v, mask]
    graph = fuse(capture(function, inputs, level))
    expected = function(*inputs)
    if kind != "masked_fill":
        assert fill != -float("inf") or "where" == kind or expected.isnan().any()
    agree(graph, inputs, expected)
    # A promise that there are no such rows saves what keeps them.
    bare = fuse(capture(function, inputs, level), keep_hidden_rows=False)
    assert sum(bare.op_counts().values()) <= sum(graph.op_counts().values())


def test_causal_mask_keeps_no_rows():
    """Each row of a lower triangle has something to see: nothing is added."""
    def function(q, k, v):
        causal = torch.ones(6, 6, dtype=torch.bool).tril()
        return torch.where(causal, q @ k.mT, -float("inf")).softmax(-1) @ v
    inputs = [torch.randn(2, 3, 6, 16) for _ in range(3)]
    graph = fuse(fxgraph.capture(function, *inputs, level="torch"))
    assert "any" not in op_counts(graph)
    agree(graph, inputs, function(*inputs))


# ---------------------------------------------------------------------------
# Spellings
# ---------------------------------------------------------------------------

def heads(x, n=4):
    return x.view(x.shape[0], x.shape[1], n, -1).transpose(1, 2)


def grouped(q, k, v):
    many = lambda x: x[:, :, None].expand(2, 2, 2, 5, 16).reshape(2, 4, 5, 16)  # noqa: E731
    return F.softmax(q @ many(k).transpose(2, 3) * 0.25, dim=-1, dtype=torch.float32).to(q.dtype) @ many(v)


SPELLINGS = {
    # key permuted in one step; scale on the key; softmax over a dimension counted from 0
    "key in one step": (lambda q, k, v: (q @ (k * 0.5).permute(0, 1, 3, 2)).softmax(3) @ v, [(2, 3, 5, 16)] * 3),
    "two scales": (lambda q, k, v: ((q * 0.5) @ k.mT / 3).softmax(-1) @ v, [(2, 3, 5, 16)] * 3),
    "heads last": (lambda q, k, v: (heads(q) @ k.view(2, 5, 4, 8).permute(0, 2, 3, 1) * 0.3).softmax(-1) @ heads(v), [(2, 5, 32)] * 3),
    "no transpose": (lambda q, k, v: (q @ k).softmax(-1) @ v, [(2, 3, 5, 16), (2, 3, 16, 7), (2, 3, 7, 8)]),
    "3-D": (lambda q, k, v: torch.bmm(torch.bmm(q, k.mT).softmax(-1), v), [(4, 5, 16)] * 3),
    "one key head": (lambda q, k, v: ((q @ k.mT) / 4).softmax(-1) @ v, [(2, 3, 5, 16), (2, 1, 5, 16), (2, 1, 5, 16)]),
    "2-D": (lambda q, k, v: torch.matmul(torch.matmul(q, k.T).softmax(-1), v), [(5, 16)] * 3),
    "grouped heads": (grouped, [(2, 4, 5, 16), (2, 2, 5, 16), (2, 2, 5, 16)]),
    "written out": (lambda q, k, v: (lambda e: (e / e.sum(-1, keepdim=True)) @ v)(
        (lambda s: (s - s.amax(-1, keepdim=True)).exp())(q @ k.mT)), [(2, 3, 5, 16)] * 3),
    "bias": (lambda q, k, v, b: torch.baddbmm(b, q, k.mT, alpha=0.25).softmax(-1).bmm(v), [(4, 5, 16)] * 3 + [(4, 1, 5)]),
    "merged for the product": (lambda q, k, v, m: torch.bmm(
        (torch.bmm(q, k.mT).view(2, 3, 5, 5) + m).view(6, 5, 5).softmax(-1), v), [(6, 5, 16)] * 3 + [(2, 1, 1, 5)]),
    "two masks": (lambda q, k, v, a, b: ((q @ k.mT) * 0.25 + a + b).softmax(-1) @ v, [(2, 3, 5, 16)] * 3 + [(3, 5, 5), (2, 1, 1, 5)]),
    "wide scores": (lambda q, k, v: (q.float() @ k.float().mT / 4).softmax(-1).to(v.dtype) @ v, [(2, 3, 5, 16)] * 3),
}


@pytest.mark.parametrize("level", ["torch", "aten", "decomposed", "inductor"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("name", SPELLINGS)
def test_spelling(name, dtype, level):
    function, shapes = SPELLINGS[name]
    # Products of two matrices alone, mm, are no attention of Inductor's or ours.
    count = 0 if name == "2-D" and level in ("decomposed", "inductor") else 1
    torch.manual_seed(2)
    inputs = [torch.randn(shape, dtype=dtype) for shape in shapes]
    agree(fuse(capture(function, inputs, level), count), inputs, function(*inputs))


# ---------------------------------------------------------------------------
# Models
# ---------------------------------------------------------------------------

def model(name):
    """(a small model of transformers of two layers, its inputs): random configurations, eager attention."""
    transformers = pytest.importorskip("transformers")
    common = {"attn_implementation": "eager"}
    ids = torch.tensor([[5, 6, 7, 8, 9, 0], [4, 3, 2, 9, 8, 7]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]])
    text = {"input_ids": ids, "attention_mask": mask}
    if name == "gpt2":
        return transformers.GPT2Model(transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=50, n_positions=16, use_cache=False, **common)), text
    if name == "bert":
        return transformers.BertModel(transformers.BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, vocab_size=50, **common)), text
    if name == "distilbert":
        return transformers.DistilBertModel(transformers.DistilBertConfig(dim=32, n_layers=2, n_heads=4, hidden_dim=48, vocab_size=50, **common)), text
    if name == "llama":
        return transformers.LlamaModel(transformers.LlamaConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=48, vocab_size=50, use_cache=False, **common)), text
    if name == "t5":
        return transformers.T5EncoderModel(transformers.T5Config(d_model=32, num_layers=2, num_heads=4, d_kv=8, d_ff=48, vocab_size=50, **common)), text
    if name == "vit":
        return transformers.ViTModel(transformers.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=16, patch_size=8, **common)), {"pixel_values": torch.randn(2, 3, 16, 16)}
    if name == "opt":
        return transformers.OPTModel(transformers.OPTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, vocab_size=50, word_embed_proj_dim=32, use_cache=False, **common)), text
    if name == "bloom":
        return transformers.BloomModel(transformers.BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=50, use_cache=False, **common)), text
    if name == "gptj":
        return transformers.GPTJModel(transformers.GPTJConfig(n_embd=32, n_layer=2, n_head=4, rotary_dim=4, vocab_size=50, n_positions=16, use_cache=False, **common)), text
    raise ValueError(name)


@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("name", ["gpt2", "bert", "distilbert", "llama", "t5", "vit", "opt", "bloom", "gptj"])
def test_model(name, decomposed):
    torch.manual_seed(3)
    net, inputs = model(name)
    net = net.eval()
    with torch.no_grad():
        expected = net(**inputs, return_dict=False)[0]
        program = torch.export.export(net, (), {**inputs, "return_dict": False}, strict=False)
        if decomposed:
            program = program.run_decompositions()
    graph = fxgraph.from_exported(program)
    fused = fuse(graph, 2)
    values = [torch.as_tensor(x) for x in fused.run(list(inputs.values()), target="ref")]
    torch.testing.assert_close(values[0], expected, rtol=2e-4, atol=2e-5)


def random_model(kind, rng):
    """(a model of transformers with a configuration drawn by chance, its inputs, how many attentions it has)."""
    transformers = pytest.importorskip("transformers")
    heads, width, layers, hidden = rng.choice([1, 2, 4]), rng.choice([4, 8, 10]), rng.choice([1, 2, 3]), rng.choice([8, 20, 48])
    groups = rng.choice([n for n in (1, 2, 4) if heads % n == 0])
    batch, length = rng.choice([1, 2, 3]), rng.choice([1, 4, 7])
    common = {"attn_implementation": rng.choice(["eager", "sdpa"])}
    inputs = {"input_ids": torch.randint(1, 50, (batch, length))}
    if rng.random() < 0.7:
        mask = torch.ones(batch, length, dtype=torch.long)
        mask[0, length // 2 + 1:] = 0
        inputs["attention_mask"] = mask.flip(1) if rng.random() < 0.3 else mask

    def make(name, **settings):
        return getattr(transformers, name + "Model")(getattr(transformers, name + "Config")(**settings)).eval()

    if kind == "bert":
        model = make("Bert", hidden_size=heads * width, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=hidden, vocab_size=50,
                     hidden_act=rng.choice(["gelu", "relu"]), **common)
    elif kind == "gpt2":
        model = make("GPT2", n_embd=heads * width, n_layer=layers, n_head=heads, vocab_size=50, n_positions=16, use_cache=False,
                     scale_attn_by_inverse_layer_idx=rng.random() < 0.4, reorder_and_upcast_attn=rng.random() < 0.3, scale_attn_weights=rng.random() < 0.8, **common)
    elif kind == "llama":
        model = make("Llama", hidden_size=heads * width, num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=groups, intermediate_size=hidden,
                     vocab_size=50, use_cache=False, attention_bias=rng.random() < 0.5, **common)
    elif kind == "t5":
        model = make("T5", d_model=heads * width, num_layers=layers, num_heads=heads, d_kv=rng.choice([4, 8]), d_ff=hidden, vocab_size=50, use_cache=False,
                     feed_forward_proj=rng.choice(["relu", "gated-gelu"]))
        inputs["decoder_input_ids"] = torch.randint(1, 50, (batch, rng.choice([1, 3, 5])))
        return model, inputs, 3 * layers  # of the encoder, of the decoder, and of one to the other
    else:
        model = make("ViT", hidden_size=heads * width, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=hidden, image_size=16,
                     patch_size=rng.choice([4, 8]), qkv_bias=rng.random() < 0.5, **common)
        inputs = {"pixel_values": torch.randn(batch, 3, 16, 16)}
    return model, inputs, layers


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama", "t5", "vit"])
@pytest.mark.parametrize("seed", range(2))
def test_random_configuration(kind, seed):
    torch.manual_seed(seed)
    net, inputs, attentions = random_model(kind, random.Random(f"{kind} {seed}"))
    with torch.no_grad():
        expected = net(**inputs, return_dict=False)[0]
        graph = fxgraph.from_exported(torch.export.export(net, (), {**inputs, "return_dict": False}, strict=False))
    graph.run_passes("fxgraph-joint-graph{mode=best}")
    assert op_counts(graph).get("scaled_dot_product_attention", 0) == attentions
    torch.testing.assert_close(torch.as_tensor(graph.run(list(inputs.values()), target="ref")[0]), expected, rtol=2e-4, atol=2e-5)


class OneRowOfMask(torch.nn.Module):
    """Positions of a cache up to the last that is filled: a mask of one dim, which PyTorch's products take and its fused kernels do not."""

    def forward(self, q, k, i):
        scores = (q @ k.mT).masked_fill(torch.arange(k.shape[2]) > i, float("-inf"))
        return scores.softmax(-1) @ k


@pytest.mark.parametrize("mask", ["bool", "added", "one number", "two dims"])
def test_masks_of_few_dims_on_the_way_back(mask):
    q, k = torch.randn(1, 2, 1, 4), torch.randn(1, 2, 8, 4)
    if mask == "bool":
        model, inputs = OneRowOfMask(), (q, k, torch.tensor([3]))
    else:
        model = torch.nn.Module()
        model.forward = lambda q, k, m: ((q @ k.mT) * 0.5 + m).softmax(-1) @ k
        inputs = (q, k, {"added": torch.randn(8), "one number": torch.randn(1), "two dims": torch.randn(1, 8)}[mask])
    module = fxgraph.from_exported(torch.export.export(model, inputs).run_decompositions())
    want = model(*inputs)
    module.run_passes("fxgraph-joint-graph")
    assert op_counts(module).get("scaled_dot_product_attention") == 1
    torch.testing.assert_close(module.to_fx()(*inputs)[0], want, rtol=1e-4, atol=1e-5)
    for target in ("ref", "cpu", "gpu-emulator"):
        agree(module, inputs, want, target)
