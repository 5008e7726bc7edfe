# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models: those of `transformers`, tiny, and a few written out."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from . import entry

V, D = 96, 32  # vocabulary, width


def ids(batch=2, length=9, vocabulary=V):
    return torch.randint(3, vocabulary - 1, (batch, length))


def mask_of(tokens):
    """The last tokens of the second sequence are padding."""
    mask = torch.ones_like(tokens)
    mask[-1, -3:] = 0
    return mask


# Spellings of the same sizes in the configurations.
COMMON = dict(vocab_size=V, hidden_size=D, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=40,
              pad_token_id=0, bos_token_id=1, eos_token_id=2)
GPT = dict(vocab_size=V, n_positions=40, n_embd=D, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)
SEQ2SEQ = dict(vocab_size=V, d_model=D, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
               encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=40, pad_token_id=0, bos_token_id=1, eos_token_id=2,
               decoder_start_token_id=2)
T5 = dict(vocab_size=V, d_model=D, d_kv=8, d_ff=48, num_layers=2, num_heads=4, pad_token_id=0, eos_token_id=2, decoder_start_token_id=0)
GROUPED = dict(COMMON, num_key_value_heads=2)


def transformer(kind, config, settings, cls=None, attention=None):
    """A class of `transformers` with a configuration, in evaluation."""
    def make():
        import transformers
        made = getattr(transformers, config)(**settings)
        if attention:
            made._attn_implementation = attention
        model = getattr(transformers, cls or config.replace("Config", "Model"))(made).eval()
        return model, *calls_of[kind]()
    return make


def masked():
    tokens, other = ids(), ids()
    return ((), dict(input_ids=tokens, attention_mask=mask_of(tokens), return_dict=False)), \
           ((), dict(input_ids=other, attention_mask=mask_of(other), return_dict=False))


def causal():
    tokens = ids()
    return ((), dict(input_ids=tokens, attention_mask=mask_of(tokens), use_cache=False, return_dict=False)), \
           ((), dict(input_ids=ids(), attention_mask=mask_of(tokens), use_cache=False, return_dict=False))


def pairs():
    return ((), dict(input_ids=ids(), decoder_input_ids=ids(2, 6), use_cache=False, return_dict=False)),


calls_of = {"masked": masked, "causal": causal, "pairs": pairs}

ENCODERS = {
    "bert": ("BertConfig", COMMON, "BertForSequenceClassification"),
    "bert_mlm": ("BertConfig", COMMON, "BertForMaskedLM"),
    "roberta": ("RobertaConfig", COMMON, "RobertaForTokenClassification"),
    "xlm_roberta": ("XLMRobertaConfig", COMMON, None),
    "albert": ("AlbertConfig", dict(COMMON, embedding_size=16), None),
    "electra": ("ElectraConfig", dict(COMMON, embedding_size=16), "ElectraForPreTraining"),
    "distilbert": ("DistilBertConfig", dict(vocab_size=V, dim=D, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=40),
                   "DistilBertForQuestionAnswering"),
    "mpnet": ("MPNetConfig", COMMON, None),
    "deberta": ("DebertaConfig", dict(COMMON, relative_attention=True, pos_att_type=["p2c", "c2p"]), None),
    "deberta_v2": ("DebertaV2Config", dict(COMMON, relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=8,
                                           norm_rel_ebd="layer_norm"), None),
    "ernie": ("ErnieConfig", COMMON, None),
    "roformer": ("RoFormerConfig", COMMON, None),
    "mobilebert": ("MobileBertConfig", dict(COMMON, embedding_size=16, intra_bottleneck_size=16, true_hidden_size=16), None),
    "squeezebert": ("SqueezeBertConfig", dict(COMMON, embedding_size=D, q_groups=2, k_groups=2, v_groups=2, post_attention_groups=1,
                                              intermediate_groups=2, output_groups=2), None),
    "convbert": ("ConvBertConfig", dict(COMMON, embedding_size=16, conv_kernel_size=3, head_ratio=2), None),
    "nystromformer": ("NystromformerConfig", dict(COMMON, num_landmarks=3, segment_means_seq_len=9, conv_kernel_size=3), None),
    "layoutlm": ("LayoutLMConfig", COMMON, None),
    "esm": ("EsmConfig", dict(COMMON, mask_token_id=4, position_embedding_type="rotary"), None),
    "megatron_bert": ("MegatronBertConfig", COMMON, None),
    "ibert": ("IBertConfig", COMMON, None),
    "modernbert": ("ModernBertConfig", dict(COMMON, cls_token_id=1, sep_token_id=2, reference_compile=False), None),
    "splinter": ("SplinterConfig", COMMON, None),
    "data2vec_text": ("Data2VecTextConfig", COMMON, None),
}
DECODERS = {
    "gpt2": ("GPT2Config", GPT, "GPT2LMHeadModel"),
    "gpt_neo": ("GPTNeoConfig", dict(vocab_size=V, hidden_size=D, num_layers=2, num_heads=4, max_position_embeddings=40, window_size=4,
                                     attention_types=[[["global", "local"], 1]], bos_token_id=1, eos_token_id=2), None),
    "gpt_neox": ("GPTNeoXConfig", COMMON, None),
    "gptj": ("GPTJConfig", dict(GPT, rotary_dim=4), None),
    "codegen": ("CodeGenConfig", dict(GPT, rotary_dim=4), None),
    "gpt_bigcode": ("GPTBigCodeConfig", GPT, None),
    "opt": ("OPTConfig", dict(COMMON, ffn_dim=48, word_embed_proj_dim=16), "OPTForCausalLM"),
    "bloom": ("BloomConfig", dict(vocab_size=V, hidden_size=D, n_layer=2, n_head=4), None),
    "mpt": ("MptConfig", dict(vocab_size=V, d_model=D, n_layers=2, n_heads=4, max_seq_len=40), None),
    "falcon": ("FalconConfig", dict(COMMON, alibi=False), None),
    "llama": ("LlamaConfig", GROUPED, "LlamaForCausalLM"),
    "mistral": ("MistralConfig", dict(GROUPED, sliding_window=4), None),
    "mixtral": ("MixtralConfig", dict(GROUPED, num_local_experts=3), None),
    "qwen2": ("Qwen2Config", GROUPED, "Qwen2ForCausalLM"),
    "qwen3": ("Qwen3Config", dict(GROUPED, head_dim=8), None),
    "gemma": ("GemmaConfig", dict(GROUPED, head_dim=8), None),
    "gemma2": ("Gemma2Config", dict(GROUPED, head_dim=8, sliding_window=4, query_pre_attn_scalar=8), None),
    "gemma3": ("Gemma3TextConfig", dict(GROUPED, head_dim=8, sliding_window=4, query_pre_attn_scalar=8), "Gemma3TextModel"),
    "phi": ("PhiConfig", COMMON, None),
    "phi3": ("Phi3Config", GROUPED, None),
    "stablelm": ("StableLmConfig", GROUPED, None),
    "starcoder2": ("Starcoder2Config", GROUPED, None),
    "olmo": ("OlmoConfig", GROUPED, None),
    "olmo2": ("Olmo2Config", GROUPED, None),
    "cohere": ("CohereConfig", GROUPED, None),
    "granite": ("GraniteConfig", GROUPED, None),
    "persimmon": ("PersimmonConfig", COMMON, None),
    "glm": ("GlmConfig", dict(GROUPED, head_dim=8), None),
    "nemotron": ("NemotronConfig", GROUPED, None),
    "biogpt": ("BioGptConfig", COMMON, None),
    "xglm": ("XGLMConfig", dict(vocab_size=V, d_model=D, num_layers=2, attention_heads=4, ffn_dim=48, max_position_embeddings=40), None),
    "mamba": ("MambaConfig", dict(vocab_size=V, hidden_size=D, num_hidden_layers=1, state_size=4, conv_kernel=3), None),
    "qwen2_moe": ("Qwen2MoeConfig", dict(GROUPED, num_experts=3, num_experts_per_tok=2, moe_intermediate_size=16,
                                         shared_expert_intermediate_size=16), None),
}
ENCODER_DECODERS = {
    "t5": ("T5Config", T5, "T5ForConditionalGeneration"),
    "mt5": ("MT5Config", T5, None),
    "bart": ("BartConfig", SEQ2SEQ, "BartForConditionalGeneration"),
    "mbart": ("MBartConfig", SEQ2SEQ, None),
    "pegasus": ("PegasusConfig", SEQ2SEQ, None),
    "marian": ("MarianConfig", dict(SEQ2SEQ, share_encoder_decoder_embeddings=True), None),
    "blenderbot": ("BlenderbotConfig", SEQ2SEQ, None),
    "m2m100": ("M2M100Config", SEQ2SEQ, None),
    "plbart": ("PLBartConfig", SEQ2SEQ, None),
}
for _kind, _table in (("masked", ENCODERS), ("causal", DECODERS), ("pairs", ENCODER_DECODERS)):
    for _name, (_config, _settings, _class) in _table.items():
        entry("language", _name)(transformer(_kind, _config, _settings, _class))
entry("language", "gpt2_eager_attention")(transformer("causal", "GPT2Config", GPT, "GPT2Model", attention="eager"))
entry("language", "llama_eager_attention")(transformer("causal", "LlamaConfig", GROUPED, None, attention="eager"))
entry("language", "fnet")(lambda: (_fnet(), ((), dict(input_ids=ids(), return_dict=False))))


def _fnet():
    import transformers
    return transformers.FNetModel(transformers.FNetConfig(vocab_size=V, hidden_size=D, num_hidden_layers=2, intermediate_size=48,
                                                          max_position_embeddings=40, use_tpu_fourier_optimizations=False)).eval()


# -- written out -----------------------------------------------------------------------


class Block(nn.Module):
    """Attention and a feed-forward layer, normalised before."""

    def __init__(self, width=D, heads=4):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def attend(self, x, mask=None):
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
        return self.out(F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(2))

    def forward(self, x, mask=None):
        x = x + self.attend(self.norm1(x), mask)
        return x + self.feed(self.norm2(x))


class CachedDecoder(nn.Module):
    """One token a call; keys and values of the tokens before are buffers that it writes."""

    def __init__(self, length=8):
        super().__init__()
        self.embed, self.norm = nn.Embedding(V, D), nn.RMSNorm(D)
        self.qkv, self.out, self.head = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D), nn.Linear(D, V)
        self.register_buffer("keys", torch.zeros(2, 4, length, D // 4))
        self.register_buffer("values", torch.zeros(2, 4, length, D // 4))

    def forward(self, token, position):
        x = self.embed(token)
        q, k, v = (p.view(2, 4, 1, -1) for p in self.qkv(self.norm(x)).chunk(3, -1))
        self.keys.index_copy_(2, position, k)
        self.values[:, :, position] = v
        mask = (torch.arange(self.keys.shape[2], device=token.device) <= position)[None]
        return self.head(x + self.out(F.scaled_dot_product_attention(q, self.keys, self.values, mask).flatten(1)[:, None]))


@entry("language")
def cached_decoder():
    return CachedDecoder().eval(), *((torch.randint(V, (2, 1)), torch.tensor([step])) for step in range(3))


class Rotary(Block):
    def attend(self, x, mask=None):
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
        half = q.shape[-1] // 2
        angle = torch.arange(x.shape[1], device=x.device)[:, None] * 100.0 ** (-torch.arange(half, device=x.device) / half)
        cos, sin = angle.cos().to(q.dtype), angle.sin().to(q.dtype)

        def turn(t):
            a, b = t[..., :half], t[..., half:]
            return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

        return self.out(F.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True).transpose(1, 2).flatten(2))


@entry("language")
def rotary_decoder():
    model = nn.Sequential(nn.Embedding(V, D), Rotary(), Rotary(), nn.LayerNorm(D), nn.Linear(D, V)).eval()
    return model, (ids(),), (ids(3, 5),), (ids(1, 12),)


class Experts(nn.Module):
    """The best two of the experts for each token, computed densely."""

    def __init__(self, experts=4):
        super().__init__()
        self.gate = nn.Linear(D, experts, bias=False)
        self.up, self.down = nn.Parameter(torch.randn(experts, D, 48) * 0.1), nn.Parameter(torch.randn(experts, 48, D) * 0.1)

    def forward(self, x):
        score, chosen = self.gate(x).softmax(-1).topk(2, dim=-1)
        weight = torch.zeros(*x.shape[:-1], self.gate.out_features, dtype=x.dtype).scatter(-1, chosen, score / score.sum(-1, keepdim=True))
        hidden = F.silu(torch.einsum("bld,edf->blef", x, self.up))
        return torch.einsum("blef,efd,ble->bld", hidden, self.down, weight)


@entry("language")
def dense_experts():
    return nn.Sequential(nn.Embedding(V, D), Experts(), nn.LayerNorm(D), Experts()).eval(), (ids(),)


class Biased(Block):
    """A learnt bias for each distance, in buckets."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(8, 4)

    def forward(self, x):
        at = torch.arange(x.shape[1], device=x.device)
        distance = (at[None] - at[:, None]).clamp(-3, 4) + 3
        return super().forward(x, self.bias(distance).permute(2, 0, 1))


@entry("language")
def relative_bias_encoder():
    return nn.Sequential(nn.Embedding(V, D), Biased(), Biased()).eval(), (ids(),), (ids(2, 5),)


@entry("language")
def torch_encoder():
    layer = nn.TransformerEncoderLayer(D, 4, 48, batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval(), (torch.randn(2, 7, D),)


@entry("language")
def torch_decoder():
    model = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, 4, 48, batch_first=True), 2).eval()
    return model, (torch.randn(2, 5, D), torch.randn(2, 7, D))


@entry("language")
def bag_of_words():
    class Bag(nn.Module):
        def __init__(self):
            super().__init__()
            self.bag, self.head = nn.EmbeddingBag(V, D, mode="mean"), nn.Linear(D, 5)

        def forward(self, words, starts):
            return self.head(self.bag(words, starts)).log_softmax(-1)
    return Bag().eval(), (torch.randint(V, (20,)), torch.tensor([0, 4, 9]))


@entry("language")
def bfloat16_decoder():
    model = nn.Sequential(nn.Embedding(V, D), Rotary(), nn.LayerNorm(D), nn.Linear(D, V)).eval().bfloat16()
    return model, (ids(),)


@entry("language", precision=torch.bfloat16)
def autocast_encoder():
    class Cast(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Embedding(V, D), Block(), Block())

        def forward(self, tokens):
            with torch.autocast("cpu", torch.bfloat16):
                return self.layers(tokens)
    return Cast().eval(), (ids(),)
