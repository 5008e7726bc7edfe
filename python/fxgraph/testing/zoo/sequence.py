# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of audio, time series, graphs, points, control; and functions with writes and aliases."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from . import entry
from .language import D, Block


def _audio(config, settings, cls=None, **inputs):
    def make():
        import transformers
        model = getattr(transformers, cls or config.replace("Config", "Model"))(getattr(transformers, config)(**settings)).eval()
        return model, ((), {name: value() for name, value in inputs.items()} | {"return_dict": False})
    return make


WAV = dict(hidden_size=D, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48, conv_dim=[16, 16], conv_kernel=[10, 3],
           conv_stride=[5, 2],
           num_feat_extract_layers=2, num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4, vocab_size=20)
entry("audio", "wav2vec2")(_audio("Wav2Vec2Config", WAV, input_values=lambda: torch.randn(2, 400)))
entry("audio", "hubert")(_audio("HubertConfig", WAV, input_values=lambda: torch.randn(2, 400)))
entry("audio", "wavlm")(_audio("WavLMConfig", WAV, input_values=lambda: torch.randn(2, 400)))
entry("audio", "whisper")(_audio("WhisperConfig", dict(
    vocab_size=60, d_model=D, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
    encoder_ffn_dim=48, decoder_ffn_dim=48, num_mel_bins=8, max_source_positions=10, max_target_positions=12, pad_token_id=0,
    bos_token_id=1, eos_token_id=2, decoder_start_token_id=1),
    input_features=lambda: torch.randn(2, 8, 20), decoder_input_ids=lambda: torch.randint(3, 60, (2, 4)), use_cache=lambda: False))
entry("audio", "audio_spectrogram")(_audio("ASTConfig", dict(
    hidden_size=D, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48, patch_size=4, frequency_stride=4, time_stride=4,
    max_length=16, num_mel_bins=12),
    input_values=lambda: torch.randn(2, 16, 12)))
entry("series", "patch_tst")(_audio("PatchTSTConfig", dict(
    num_input_channels=3, context_length=16, patch_length=4, patch_stride=4, d_model=16, num_hidden_layers=1,
    num_attention_heads=2, ffn_dim=24),
    past_values=lambda: torch.randn(2, 16, 3)))
entry("series", "patch_ts_mixer")(_audio("PatchTSMixerConfig", dict(
    context_length=16, patch_length=4, patch_stride=4, num_input_channels=3, d_model=16, num_layers=1),
                                         past_values=lambda: torch.randn(2, 16, 3)))


@entry("multimodal")
def clip():
    import transformers
    common = dict(hidden_size=D, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48)
    config = transformers.CLIPConfig(text_config=dict(common, vocab_size=60, max_position_embeddings=12, eos_token_id=2),
                                     vision_config=dict(common, image_size=16, patch_size=8), projection_dim=16)
    return transformers.CLIPModel(config).eval(), ((), dict(input_ids=torch.randint(3, 60, (2, 6)), pixel_values=torch.randn(2, 3, 16, 16),
                                                            return_dict=False))


@entry("multimodal")
def vilt():
    import transformers
    config = transformers.ViltConfig(vocab_size=60, hidden_size=D, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48,
                                     image_size=16, patch_size=8, max_position_embeddings=12)
    return transformers.ViltModel(config).eval(), ((), dict(input_ids=torch.randint(3, 60, (1, 6)), pixel_values=torch.randn(1, 3, 16, 16),
                                                            return_dict=False))


# -- series and audio ---------------------------------------------------------------------


class Temporal(nn.Module):
    """Dilated causal convolutions."""

    def __init__(self, channels=8, dilation=1):
        super().__init__()
        self.pad, self.conv = 2 * dilation, nn.utils.parametrizations.weight_norm(nn.Conv1d(channels, 2 * channels, 3, dilation=dilation))
        self.mix = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        a, b = self.conv(F.pad(x, (self.pad, 0))).chunk(2, 1)
        return x + self.mix(a.tanh() * b.sigmoid())


@entry("series")
def wavenet():
    return nn.Sequential(nn.Conv1d(2, 8, 1), Temporal(), Temporal(dilation=2), nn.Conv1d(8, 3, 1)).eval(), (torch.randn(2, 2, 20),)


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.gru, self.out = nn.LSTMCell(4, 8), nn.GRUCell(8, 8), nn.Linear(8, 2)

    def forward(self, x):
        h = c = g = x.new_zeros(x.shape[0], 8)
        outs = []
        for step in x.unbind(1):
            h, c = self.cell(step, (h, c))
            g = self.gru(h, g)
            outs.append(self.out(g))
        return torch.stack(outs, 1)


@entry("series")
def recurrent_cells():
    return Cells().eval(), (torch.randn(2, 5, 4),)


@entry("series")
def lstm():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.out = nn.LSTM(4, 6, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(12, 3)

        def forward(self, x):
            y, (h, c) = self.lstm(x.sin() * 2)
            return self.out(y).log_softmax(-1), h, c * 2 + 1
    return Tagger().eval(), (torch.randn(2, 5, 4),)


class Decomposition(nn.Module):
    """Trend and season by a moving average, a linear for each (DLinear)."""

    def __init__(self):
        super().__init__()
        self.trend, self.season = nn.Linear(16, 4), nn.Linear(16, 4)

    def forward(self, x):
        mean, std = x.mean(1, keepdim=True), (x.var(1, keepdim=True, unbiased=False) + 1e-5).sqrt()
        x = ((x - mean) / std).transpose(1, 2)
        trend = F.avg_pool1d(torch.cat([x[..., :1].repeat(1, 1, 2), x, x[..., -1:].repeat(1, 1, 2)], -1), 5, 1)
        return (self.trend(trend) + self.season(x - trend)).transpose(1, 2) * std + mean


@entry("series")
def dlinear():
    return Decomposition().eval(), (torch.randn(2, 16, 3),), (torch.randn(5, 16, 3),)


class NBeats(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 16)) for _ in range(3))

    def forward(self, x):
        forecast = 0
        for block in self.blocks:
            backcast, piece = block(x).split([12, 4], -1)
            x, forecast = x - backcast, forecast + piece
        return forecast


@entry("series")
def nbeats():
    return NBeats().eval(), (torch.randn(3, 12),)


class StateSpace(nn.Module):
    """A selective scan, step by step."""

    def __init__(self, width=8, state=4):
        super().__init__()
        self.a, self.d = nn.Parameter(torch.log(torch.arange(1.0, state + 1).repeat(width, 1))), nn.Parameter(torch.ones(width))
        self.parameters_of, self.dt = nn.Linear(width, 2 * state + 2), nn.Linear(2, width)
        self.state = state

    def forward(self, x):
        dt, b, c = self.parameters_of(x).split([2, self.state, self.state], -1)
        dt = F.softplus(self.dt(dt))
        h, out = x.new_zeros(x.shape[0], x.shape[2], self.state), []
        for t in range(x.shape[1]):
            h = torch.exp(dt[:, t, :, None] * -self.a.exp()) * h + dt[:, t, :, None] * b[:, t, None] * x[:, t, :, None]
            out.append((h * c[:, t, None]).sum(-1))
        return torch.stack(out, 1) + self.d * x


@entry("series")
def selective_scan():
    return StateSpace().eval(), (torch.randn(2, 6, 8),)


class LinearAttention(nn.Module):
    """Kernel features and cumulative sums instead of a softmax."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, 4, -1)).unbind(2)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("blhd,blhe->blhde", k, v).cumsum(1)
        return torch.einsum("blhd,blhde->blhe", q, kv) / (q * k.cumsum(1)).sum(-1, keepdim=True)


@entry("series")
def linear_attention():
    return LinearAttention().eval(), (torch.randn(2, 6, D),)


@entry("audio")
def spectrogram_classifier():
    """A Fourier transform, which PyTorch runs, before a convolution."""
    class Spectrogram(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("window", torch.hann_window(16))
            self.net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(16, 3))

        def forward(self, x):
            frames = (x * 0.5).unfold(1, 16, 8) * self.window
            power = torch.fft.rfft(frames).abs().pow(2)
            return self.net((power + 1e-6).log().unsqueeze(1))
    return Spectrogram().eval(), (torch.randn(2, 80),)


class Conformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.norm = Block(), nn.LayerNorm(D)
        self.up, self.depth, self.down = nn.Conv1d(D, 2 * D, 1), nn.Conv1d(D, D, 5, padding=2, groups=D), nn.Conv1d(D, D, 1)
        self.batch = nn.BatchNorm1d(D)

    def forward(self, x):
        x = self.block(x)
        y = F.glu(self.up(self.norm(x).transpose(1, 2)), 1)
        return x + self.down(F.silu(self.batch(self.depth(y)))).transpose(1, 2)


@entry("audio")
def conformer():
    return nn.Sequential(nn.Linear(12, D), Conformer(), Conformer()).eval(), (torch.randn(2, 9, 12),)


# -- graphs, points, control, others ------------------------------------------------------------


class GraphConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(5, 8), nn.Linear(8, 3)

    def forward(self, x, edges):
        source, target = edges
        ones = torch.ones(edges.shape[1])
        degree = torch.zeros(x.shape[0]).scatter_add(0, target, ones).clamp(min=1)
        for layer in (self.first, self.second):
            x = layer(x)
            x = torch.zeros_like(x).index_add(0, target, x[source] / degree[target, None]).relu() + x
        return x


@entry("graph")
def graph_convolution():
    return GraphConvolution().eval(), (torch.randn(7, 5), torch.randint(7, (2, 15)))


class GraphAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project, self.left, self.right = nn.Linear(5, 8, bias=False), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x, adjacency):
        h = self.project(x)
        score = F.leaky_relu(self.left(h) + self.right(h).t(), 0.2)
        return F.elu(score.masked_fill(~adjacency, -1e9).softmax(-1) @ h)


@entry("graph")
def graph_attention():
    return GraphAttention().eval(), (torch.randn(6, 5), torch.rand(6, 6) > 0.4)


@entry("graph")
def graph_isomorphism():
    class Gin(nn.Module):
        def __init__(self):
            super().__init__()
            self.eps, self.net = nn.Parameter(torch.zeros(1)), nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 5))

        def forward(self, x, adjacency):
            for _ in range(2):
                x = self.net((1 + self.eps) * x + adjacency @ x)
            return x.sum(0), x.amax(0), x.std(0)
    return Gin().eval(), (torch.randn(6, 5), (torch.rand(6, 6) > 0.5).float())


@entry("points")
def pointnet():
    class PointNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.local = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 16, 1))
            self.turn, self.head = nn.Linear(16, 9), nn.Linear(16, 4)

        def forward(self, points):
            feature = self.local(points.mT).amax(-1)
            turned = torch.baddbmm(points, points, self.turn(feature).view(-1, 3, 3))
            return self.head(self.local(turned.mT).max(-1).values)
    return PointNet().eval(), (torch.randn(2, 10, 3),)


@entry("points")
def edge_convolution():
    class Edges(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2))

        def forward(self, points):
            distance = (points.unsqueeze(2) - points.unsqueeze(1)).square().sum(-1)
            near = distance.topk(3, dim=-1, largest=False).indices
            neighbours = torch.gather(points.unsqueeze(1).expand(-1, points.shape[1], -1, -1), 2, near.unsqueeze(-1).expand(-1, -1, -1, 3))
            centre = points.unsqueeze(2).expand_as(neighbours)
            return self.net(torch.cat([centre, neighbours - centre], -1)).amax(2)
    return Edges().eval(), (torch.randn(2, 8, 3),)


class Field(nn.Module):
    """A radiance field: features of positions, densities summed along rays."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3 + 24, 16), nn.Softplus(), nn.Linear(16, 4))

    def forward(self, origins, directions):
        depth = torch.linspace(0.5, 2.0, 6)
        points = origins[:, None] + directions[:, None] * depth[:, None]
        scaled = points[..., None] * 2.0 ** torch.arange(4)
        out = self.net(torch.cat([points, scaled.sin().flatten(-2), scaled.cos().flatten(-2)], -1))
        alpha = 1 - torch.exp(-F.relu(out[..., 3]) * 0.3)
        through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], -1), -1)[:, :-1]
        return (out[..., :3].sigmoid() * (alpha * through)[..., None]).sum(1)


@entry("points")
def radiance_field():
    return Field().eval(), (torch.randn(5, 3), F.normalize(torch.randn(5, 3), dim=-1))


@entry("control")
def actor_critic():
    class ActorCritic(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.actor, self.critic = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.Linear(16, 4), nn.Linear(16, 1)
            self.log_std = nn.Parameter(torch.zeros(4))

        def forward(self, x, action):
            h = self.body(x)
            mean, std = self.actor(h), self.log_std.exp()
            log_probability = (-((action - mean) ** 2) / (2 * std ** 2) - std.log() - 0.919).sum(-1)
            return mean.tanh(), log_probability, self.critic(h).squeeze(-1)
    return ActorCritic().eval(), (torch.randn(3, 6), torch.randn(3, 4))


@entry("control")
def dueling_network():
    class Dueling(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.value, self.advantage = nn.Linear(6, 16), nn.Linear(16, 1), nn.Linear(16, 4)

        def forward(self, x):
            h = F.relu(self.body(x))
            a = self.advantage(h)
            q = self.value(h) + a - a.mean(-1, keepdim=True)
            return q, q.argmax(-1), q.gather(-1, q.argmax(-1, keepdim=True))
    return Dueling().eval(), (torch.randn(3, 6),)


class Kalman(nn.Module):
    """Predict and update; a solve that PyTorch runs."""

    def forward(self, x, p, z):
        a = torch.eye(3) + torch.diag(torch.full((2,), 0.1), 1)
        x, p = a @ x, a @ p @ a.mT + 0.01 * torch.eye(3)
        s = p[:2, :2] + 0.1 * torch.eye(2)
        gain = torch.linalg.solve(s, p[:2]).mT
        return x + gain @ (z - x[:2]), p - gain @ p[:2]


@entry("control")
def kalman_filter():
    return Kalman(), (torch.randn(3), torch.eye(3), torch.randn(2)), (torch.randn(3), torch.eye(3) * 2, torch.randn(2))


# -- losses, writes, aliases -----------------------------------------------------------------


@entry("loss")
def contrastive_losses():
    def losses(a, b):
        a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
        logits = a @ b.mT / 0.07
        labels = torch.arange(a.shape[0])
        both = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.mT, labels)) / 2
        divergence = F.kl_div(logits.log_softmax(-1), logits.mT.softmax(-1), reduction="batchmean")
        return both, F.triplet_margin_loss(a, b, b.roll(1, 0)), divergence
    return losses, (torch.randn(4, 8), torch.randn(4, 8))


@entry("loss")
def detection_losses():
    def losses(boxes, targets, logits, labels):
        top, bottom = torch.maximum(boxes[:, :2], targets[:, :2]), torch.minimum(boxes[:, 2:], targets[:, 2:])
        inter = (bottom - top).clamp(min=0).prod(-1)
        area = [(b[:, 2:] - b[:, :2]).prod(-1) for b in (boxes, targets)]
        iou = inter / (area[0] + area[1] - inter)
        probability = logits.sigmoid()
        ce = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        weight = torch.where(labels > 0.5, 1 - probability, probability) ** 2
        return iou, (ce * weight).mean(), F.smooth_l1_loss(boxes, targets), F.huber_loss(boxes, targets)
    low = torch.rand(5, 2)
    return losses, (torch.cat([low, low + 1], 1), torch.cat([low + 0.1, low + 0.9], 1), torch.randn(5, 3), torch.randint(2, (5, 3)).float())


@entry("writes")
def moving_average():
    class Average(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(4))
            self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

        def forward(self, x):
            self.steps += 1
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
            return (x - self.mean / (1 - 0.9 ** self.steps)).relu()
    return Average().eval(), *((torch.randn(3, 4),) for _ in range(3))


@entry("writes")
def adam_step():
    def step(parameter, gradient, first, second, count):
        count.add_(1)
        first.lerp_(gradient, 0.1)
        second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        scale = (1 - 0.999 ** count).sqrt() / (1 - 0.9 ** count)
        parameter.sub_(0.01 * scale * first / (second.sqrt() + 1e-8))
    return step, tuple(torch.randn(4, 3).abs() for _ in range(4)) + (torch.tensor(3.0),)


@entry("writes")
def sliced_writes():
    def write(x, y):
        x[:, 1:3] = y
        x[0].mul_(2)
        x.t()[2].add_(y.sum())
        x[x > 1] = 0.5
        y.relu_()
        return x, x[1:], y.t(), x.sum(0)
    return write, (torch.randn(3, 4), torch.randn(3, 2))


@entry("writes")
def codebook():
    """A vector quantiser that counts how often it used which code."""
    class Codebook(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("codes", torch.randn(6, 4))
            self.register_buffer("used", torch.zeros(6))

        def forward(self, x):
            distance = x.square().sum(-1, keepdim=True) - 2 * x @ self.codes.mT + self.codes.square().sum(-1)
            index = distance.argmin(-1)
            self.used.index_add_(0, index, torch.ones_like(index, dtype=torch.float))
            return self.codes[index], index, (x - self.codes[index]).square().mean()
    return Codebook().eval(), (torch.randn(5, 4),), (torch.randn(5, 4),)


@entry("writes")
def dropout_in_training():
    model = nn.Sequential(nn.Linear(6, 12), nn.Dropout(0.3), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 2))
    return model.train(), (torch.randn(5, 6),), (torch.randn(5, 6),)


@entry("loss")
def integer_image():
    """Quantised arithmetic on bytes."""
    def quantise(x):
        scale = x.abs().amax() / 127
        q = torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)
        acc = torch.matmul(q.to(torch.int32), q.to(torch.int32).mT)
        return q, acc.float() * scale ** 2, (x * 255).clamp(0, 255).to(torch.uint8) // 16
    return quantise, (torch.randn(3, 5),)
