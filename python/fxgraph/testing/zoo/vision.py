# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vision models: those of `transformers`, tiny, and architectures written out."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from . import entry
from .language import Block, D


def images(batch=2, size=32, channels=3):
    return torch.randn(batch, channels, size, size)


COMMON = dict(hidden_size=D, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=32, patch_size=8, num_channels=3)
STAGES = dict(depths=[1, 1], hidden_sizes=[16, 32], num_channels=3)
TRANSFORMERS = {
    "vit": ("ViTConfig", COMMON, "ViTForImageClassification"),
    "deit": ("DeiTConfig", COMMON, None),
    "beit": ("BeitConfig", dict(COMMON, use_relative_position_bias=True), None),
    "dinov2": ("Dinov2Config", COMMON, None),
    "vit_msn": ("ViTMSNConfig", COMMON, None),
    "data2vec_vision": ("Data2VecVisionConfig", COMMON, None),
    "yolos": ("YolosConfig", dict(COMMON, image_size=[32, 32], num_detection_tokens=4), None),
    "ijepa": ("IJepaConfig", COMMON, None),
    "swin": ("SwinConfig", dict(image_size=32, patch_size=4, embed_dim=16, depths=[2, 1], num_heads=[2, 4], window_size=4), None),
    "swinv2": ("Swinv2Config", dict(image_size=32, patch_size=4, embed_dim=16, depths=[2, 1], num_heads=[2, 4], window_size=4), None),
    "convnext": ("ConvNextConfig", dict(num_channels=3, depths=[1, 1], hidden_sizes=[16, 32], num_stages=2), None),
    "convnextv2": ("ConvNextV2Config", dict(num_channels=3, depths=[1, 1], hidden_sizes=[16, 32], num_stages=2), None),
    "resnet_hf": ("ResNetConfig", dict(STAGES, embedding_size=16, layer_type="bottleneck"), None),
    "regnet": ("RegNetConfig", dict(STAGES, embedding_size=16, groups_width=8), None),
    "mobilenet_v1_hf": ("MobileNetV1Config", dict(depth_multiplier=0.25, min_depth=8, image_size=32), None),
    "mobilenet_v2_hf": ("MobileNetV2Config", dict(depth_multiplier=0.25, min_depth=8, image_size=32), None),
    "segformer": ("SegformerConfig", dict(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[16, 32], patch_sizes=[7, 3],
                                          strides=[4, 2], num_attention_heads=[2, 4], mlp_ratios=[2, 2]), None),
    "poolformer": ("PoolFormerConfig", dict(depths=[1, 1], hidden_sizes=[16, 32], num_encoder_blocks=2, patch_sizes=[7, 3], strides=[4, 2],
                                            padding=[2, 1], mlp_ratio=2.0), None),
    "levit": ("LevitConfig", dict(image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 2, 2], depths=[1, 1, 1],
                                  key_dim=[8, 8, 8], mlp_ratio=[2, 2, 2], attention_ratio=[2, 2, 2]), None),
    "cvt": ("CvtConfig", dict(patch_sizes=[7, 3, 3], patch_stride=[4, 2, 2], embed_dim=[16, 24, 32], num_heads=[1, 2, 4], depth=[1, 2, 3]),
            None),
    "focalnet": ("FocalNetConfig", dict(image_size=32, patch_size=4, embed_dim=16, depths=[1, 1], focal_levels=[2, 2], focal_windows=[3, 3],
                                        hidden_sizes=[16, 32]), None),
    "pvt_v2": ("PvtV2Config", dict(image_size=32, num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[16, 32],
                                   patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[2, 4], mlp_ratios=[2, 2]), None),
    "mobilevit": ("MobileViTConfig", dict(image_size=32, hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 16, 16, 24, 32, 32, 48],
                                          num_attention_heads=2), None),
    "efficientnet_hf": ("EfficientNetConfig", dict(image_size=32, width_coefficient=0.25, depth_coefficient=0.2, hidden_dim=320), None),
    "bit": ("BitConfig", dict(STAGES, embedding_size=16, num_groups=4), None),
    "dpt": ("DPTConfig", dict(COMMON, num_hidden_layers=4, backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 8, 8, 8],
                              fusion_hidden_size=8, head_in_index=-1, is_hybrid=False), "DPTForDepthEstimation"),
    "glpn": ("GLPNConfig", dict(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[16, 32], patch_sizes=[7, 3],
                                strides=[4, 2], num_attention_heads=[2, 4], mlp_ratios=[2, 2]), None),
    "siglip_vision": ("SiglipVisionConfig", COMMON, None),
    "clip_vision": ("CLIPVisionConfig", dict(COMMON, projection_dim=16), "CLIPVisionModelWithProjection"),
}


def transformer(config, settings, cls=None):
    def make():
        import transformers
        made = getattr(transformers, config)(**settings)
        size = getattr(made, "image_size", 32)
        size = min(size, 64) if isinstance(size, int) else 32
        model = getattr(transformers, cls or config.replace("Config", "Model"))(made).eval()
        return model, *(((), dict(pixel_values=images(size=size), return_dict=False)) for _ in range(2))
    return make


for _name, (_config, _settings, _class) in TRANSFORMERS.items():
    entry("vision", _name)(transformer(_config, _settings, _class))


# -- written out -----------------------------------------------------------------------


def conv(inputs, outputs, kernel=3, stride=1, groups=1, activation=nn.ReLU):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


def head(channels, classes=10):
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


class Residual(nn.Module):
    def __init__(self, body, shortcut=None, activation=None):
        super().__init__()
        self.body, self.shortcut, self.activation = body, shortcut or nn.Identity(), activation or nn.Identity()

    def forward(self, x):
        return self.activation(self.shortcut(x) + self.body(x))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, gate=nn.Sigmoid):
        super().__init__()
        self.gates = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, channels // 4, 1), nn.ReLU(),
                                   nn.Conv2d(channels // 4, channels, 1), gate())

    def forward(self, x):
        return x * self.gates(x)


def inverted(inputs, outputs, expand=3, stride=1, activation=nn.ReLU6, excite=False):
    hidden = inputs * expand
    body = [conv(inputs, hidden, 1, activation=activation), conv(hidden, hidden, 3, stride, hidden, activation)]
    body += [SqueezeExcite(hidden, nn.Hardsigmoid)] if excite else []
    body = nn.Sequential(*body, conv(hidden, outputs, 1, activation=None))
    return Residual(body) if stride == 1 and inputs == outputs else body


@entry("vision")
def alexnet():
    model = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2), nn.Conv2d(16, 24, 5, padding=2),
                          nn.ReLU(inplace=True),
                          nn.AdaptiveAvgPool2d((3, 3)), nn.Flatten(), nn.Dropout(), nn.Linear(216, 32), nn.ReLU(inplace=True), nn.Linear(32,
                              10))
    return model.eval(), (images(),), (images(3),)


@entry("vision")
def vgg():
    layers = []
    for inputs, outputs in ((3, 8), (8, 16), (16, 24)):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(384, 10)).eval(), (images(),)


@entry("vision")
def resnet18():
    def block(i, o, s):
        shortcut = conv(i, o, 1, s, activation=None) if s > 1 or i != o else None
        return Residual(nn.Sequential(conv(i, o, 3, s), conv(o, o, activation=None)), shortcut, nn.ReLU(inplace=True))
    return nn.Sequential(conv(3, 8, 7, 2), nn.MaxPool2d(3, 2, 1), block(8, 8, 1), block(8, 16, 2), block(16, 16, 1),
                         head(16)).eval(), (images(),), (images(size=40),)


@entry("vision")
def resnext():
    def block(i, o):
        return Residual(nn.Sequential(conv(i, o, 1), conv(o, o, groups=4), conv(o, o, 1, activation=None)), conv(i, o, 1, activation=None),
                        nn.ReLU())
    return nn.Sequential(conv(3, 8), block(8, 16), block(16, 16), head(16)).eval(), (images(),)


class Dense(nn.Module):
    def __init__(self, channels, growth=6, layers=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(channels + i * growth), nn.ReLU(),
                                                  nn.Conv2d(channels + i * growth, growth, 3, padding=1)) for i in range(layers))

    def forward(self, x):
        parts = [x]
        for layer in self.layers:
            parts.append(layer(torch.cat(parts, 1)))
        return torch.cat(parts, 1)


@entry("vision")
def densenet():
    return nn.Sequential(conv(3, 8), Dense(8), conv(26, 12, 1), nn.AvgPool2d(2), Dense(12), head(30)).eval(), (images(),)


class Inception(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.branches = nn.ModuleList([conv(channels, 6, 1), nn.Sequential(conv(channels, 4, 1), conv(4, 6)),
                                       nn.Sequential(conv(channels, 4, 1), conv(4, 6, 5)),
                                       nn.Sequential(nn.MaxPool2d(3, 1, 1), conv(channels, 6, 1))])

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


@entry("vision")
def googlenet():
    return nn.Sequential(conv(3, 8), Inception(8), nn.MaxPool2d(2), Inception(24), head(24)).eval(), (images(),)


class Fire(nn.Module):
    def __init__(self, i, s, e):
        super().__init__()
        self.squeeze, self.one, self.three = nn.Conv2d(i, s, 1), nn.Conv2d(s, e, 1), nn.Conv2d(s, e, 3, padding=1)

    def forward(self, x):
        x = self.squeeze(x).relu_()
        return torch.cat([self.one(x).relu_(), self.three(x).relu_()], 1)


@entry("vision")
def squeezenet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(8, 4, 8), Fire(16, 4, 8),
                         head(16)).eval(), (images(),)


@entry("vision")
def mobilenet_v2():
    return nn.Sequential(conv(3, 8, 3, 2, activation=nn.ReLU6), inverted(8, 8), inverted(8, 12, stride=2), inverted(12, 12),
                         head(12)).eval(), (images(),)


@entry("vision")
def mobilenet_v3():
    return nn.Sequential(conv(3, 8, 3, 2, activation=nn.Hardswish), inverted(8, 8, activation=nn.Hardswish, excite=True),
                         inverted(8, 12, stride=2, activation=nn.ReLU, excite=True), head(12)).eval(), (images(),)


@entry("vision")
def efficientnet():
    def block(i, o, s=1):
        hidden = i * 4
        return nn.Sequential(conv(i, hidden, 1, activation=nn.SiLU), conv(hidden, hidden, 5, s, hidden, nn.SiLU), SqueezeExcite(hidden),
                             conv(hidden, o, 1, activation=None))
    return nn.Sequential(conv(3, 8, 3, 2, activation=nn.SiLU), Residual(block(8, 8)), block(8, 12, 2), Residual(block(12, 12)),
                         head(12)).eval(), (images(),)


class Shuffle(nn.Module):
    """Half of the channels pass; then the halves are shuffled."""

    def __init__(self, channels):
        super().__init__()
        half = channels // 2
        self.body = nn.Sequential(conv(half, half, 1), conv(half, half, groups=half, activation=None), conv(half, half, 1))

    def forward(self, x):
        a, b = x.chunk(2, 1)
        return F.channel_shuffle(torch.cat([a, self.body(b)], 1), 2)


@entry("vision")
def shufflenet():
    return nn.Sequential(conv(3, 8, 3, 2), Shuffle(8), Shuffle(8), head(8)).eval(), (images(),)


class Ghost(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.primary, self.cheap = conv(i, o // 2, 1), conv(o // 2, o // 2, groups=o // 2)

    def forward(self, x):
        y = self.primary(x)
        return torch.cat([y, self.cheap(y)], 1)


@entry("vision")
def ghostnet():
    return nn.Sequential(conv(3, 8, 3, 2), Ghost(8, 16), Ghost(16, 16), head(16)).eval(), (images(),)


class RepVGGBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.three, self.one, self.same = conv(channels, channels, activation=None), conv(channels, channels, 1,
            activation=None), nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(self.three(x) + self.one(x) + self.same(x))


@entry("vision")
def repvgg():
    return nn.Sequential(conv(3, 8), RepVGGBlock(8), RepVGGBlock(8), head(8)).eval(), (images(),)


class NFBlock(nn.Module):
    """Standardised weights instead of norms of activations."""

    def __init__(self, channels):
        super().__init__()
        self.weight, self.gain = nn.Parameter(torch.randn(channels, channels, 3, 3)), nn.Parameter(torch.ones(channels, 1, 1, 1))

    def forward(self, x):
        var, mean = torch.var_mean(self.weight, dim=(1, 2, 3), keepdim=True, unbiased=False)
        weight = (self.weight - mean) * torch.rsqrt(var * self.weight[0].numel() + 1e-4) * self.gain
        return x + 0.2 * F.conv2d(F.gelu(x) * 1.7, weight, padding=1)


@entry("vision")
def nfnet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), NFBlock(8), NFBlock(8), head(8)).eval(), (images(),)


class ConvNeXtBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.spatial, self.norm = nn.Conv2d(channels, channels, 7, padding=3, groups=channels), nn.LayerNorm(channels)
        self.up, self.down, self.scale = nn.Linear(channels, 3 * channels), nn.Linear(3 * channels,
            channels), nn.Parameter(torch.full((channels,), 0.1))

    def forward(self, x):
        y = self.norm(self.spatial(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


@entry("vision")
def convnext_block():
    return nn.Sequential(nn.Conv2d(3, 8, 4, 4), ConvNeXtBlock(8), ConvNeXtBlock(8), head(8)).eval(), (images(),)


@entry("vision")
def convmixer():
    layers = [nn.Sequential(Residual(nn.Sequential(nn.Conv2d(8, 8, 5, groups=8, padding="same"), nn.GELU(), nn.BatchNorm2d(8))),
                            nn.Conv2d(8, 8, 1), nn.GELU(), nn.BatchNorm2d(8)) for _ in range(2)]
    return nn.Sequential(nn.Conv2d(3, 8, 4, 4), nn.GELU(), nn.BatchNorm2d(8), *layers, head(8)).eval(), (images(),)


class MixerBlock(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.tokens = nn.Sequential(nn.Linear(tokens, 24), nn.GELU(), nn.Linear(24, tokens))
        self.channels = nn.Sequential(nn.Linear(width, 40), nn.GELU(), nn.Linear(40, width))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).mT).mT
        return x + self.channels(self.norm2(x))


class Patches(nn.Module):
    def __init__(self, width=D, patch=8):
        super().__init__()
        self.embed = nn.Conv2d(3, width, patch, patch)

    def forward(self, x):
        return self.embed(x).flatten(2).transpose(1, 2)


@entry("vision")
def mlp_mixer():
    return nn.Sequential(Patches(), MixerBlock(16, D), MixerBlock(16, D), nn.LayerNorm(D)).eval(), (images(),)


class GatedMLP(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.norm, self.gate_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down, self.space = nn.Linear(width, 2 * width), nn.Linear(width, width), nn.Conv1d(tokens, tokens, 1)

    def forward(self, x):
        u, v = F.gelu(self.up(self.norm(x))).chunk(2, -1)
        return x + self.down(u * self.space(self.gate_norm(v)))


@entry("vision")
def gmlp():
    return nn.Sequential(Patches(), GatedMLP(16, D), GatedMLP(16, D)).eval(), (images(),)


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.blocks, self.head = Patches(), nn.Sequential(Block(), Block()), nn.Linear(D, 10)
        self.cls, self.position = nn.Parameter(torch.randn(1, 1, D)), nn.Parameter(torch.randn(1, 17, D))

    def forward(self, x):
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), self.patches(x)], 1) + self.position
        return self.head(self.blocks(x)[:, 0])


@entry("vision")
def vision_transformer():
    return Vit().eval(), (images(),), (images(3),), (images(4),)


class WindowBlock(nn.Module):
    """Attention inside windows that are shifted."""

    def __init__(self, width=16, window=4, shift=2):
        super().__init__()
        self.block, self.window, self.shift = Block(width, 2), window, shift

    def forward(self, x):
        b, h, w, c = x.shape
        x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        x = x.view(b, h // self.window, self.window, w // self.window, self.window, c).permute(0, 1, 3, 2, 4, 5).reshape(-1,
            self.window ** 2, c)
        x = self.block(x).view(b, h // self.window, w // self.window, self.window, self.window, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h,
            w, c)
        return torch.roll(x, (self.shift, self.shift), (1, 2))


@entry("vision")
def swin_windows():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.first, self.second = nn.Conv2d(3, 16, 4, 4), WindowBlock(shift=0), WindowBlock()

        def forward(self, x):
            return self.second(self.first(self.embed(x).permute(0, 2, 3, 1)))
    return Model().eval(), (images(),)


class CoordAttention(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.mix, self.h, self.w = nn.Conv2d(channels, 4, 1), nn.Conv2d(4, channels, 1), nn.Conv2d(4, channels, 1)

    def forward(self, x):
        rows, columns = x.mean(3, keepdim=True), x.mean(2, keepdim=True).transpose(2, 3)
        y = F.hardswish(self.mix(torch.cat([rows, columns], 2)))
        a, b = y.split([x.shape[2], x.shape[3]], 2)
        return x * self.h(a).sigmoid() * self.w(b.transpose(2, 3)).sigmoid()


@entry("vision")
def coord_attention():
    return nn.Sequential(conv(3, 8), CoordAttention(), head(8)).eval(), (images(),)


class UNet(nn.Module):
    def __init__(self, up):
        super().__init__()
        self.down1, self.down2, self.middle = conv(3, 8), conv(8, 12), conv(12, 16)
        self.up2 = nn.ConvTranspose2d(16, 12, 2, 2) if up == "transposed" else nn.Sequential(nn.Upsample(scale_factor=2, mode=up),
            nn.Conv2d(16, 12, 1))
        self.up1 = nn.ConvTranspose2d(12, 8, 2, 2)
        self.out2, self.out1, self.last = conv(24, 12), conv(16, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.middle(F.max_pool2d(b, 2))
        b = self.out2(torch.cat([self.up2(c), b], 1))
        return self.last(self.out1(torch.cat([self.up1(b), a], 1))).softmax(1)


@entry("vision")
def unet():
    return UNet("transposed").eval(), (images(),)


@entry("vision")
def unet_nearest():
    return UNet("nearest").eval(), (images(size=16),)


class Pyramid(nn.Module):
    """A feature pyramid with heads for boxes and classes."""

    def __init__(self):
        super().__init__()
        self.c1, self.c2, self.c3 = conv(3, 8, 3, 2), conv(8, 12, 3, 2), conv(12, 16, 3, 2)
        self.lateral = nn.ModuleList(nn.Conv2d(c, 8, 1) for c in (8, 12, 16))
        self.boxes, self.classes = nn.Conv2d(8, 4, 3, padding=1), nn.Conv2d(8, 5, 3, padding=1)

    def forward(self, x):
        a = self.c1(x)
        b = self.c2(a)
        levels = [lateral(c) for lateral, c in zip(self.lateral, (a, b, self.c3(b)))]
        for i in (1, 0):
            levels[i] = levels[i] + F.interpolate(levels[i + 1], scale_factor=2, mode="nearest")
        flat = [torch.cat([self.boxes(l).exp(), self.classes(l).sigmoid()], 1).flatten(2) for l in levels]
        out = torch.cat(flat, 2).transpose(1, 2)
        scores, labels = out[..., 4:].max(-1)
        return out[..., :4], scores, labels


@entry("vision")
def feature_pyramid():
    return Pyramid().eval(), (images(),)


class YoloHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 8, 3, 2, activation=nn.SiLU), conv(8, 12, 3, 2, activation=nn.SiLU))
        self.out = nn.Conv2d(12, 2 * 7, 1)
        self.register_buffer("anchors", torch.tensor([[1.0, 2.0], [3.0, 1.5]]))

    def forward(self, x):
        y = self.out(self.body(x))
        b, _, h, w = y.shape
        y = y.view(b, 2, 7, h, w).permute(0, 1, 3, 4, 2).contiguous()
        rows, columns = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack((columns, rows), 2).view(1, 1, h, w, 2).float()
        y = y.sigmoid()
        centre = (y[..., :2] * 2 - 0.5 + grid) * 4
        extent = (y[..., 2:4] * 2) ** 2 * self.anchors.view(1, 2, 1, 1, 2)
        return torch.cat([centre, extent, y[..., 4:]], -1).view(b, -1, 7)


@entry("vision")
def yolo():
    return YoloHead().eval(), (images(),)


@entry("vision")
def detr_queries():
    class Detr(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches, self.queries = Patches(), nn.Embedding(5, D)
            self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, 4, 48, batch_first=True, dropout=0.0), 1)
            self.classes, self.boxes = nn.Linear(D, 4), nn.Sequential(nn.Linear(D, D), nn.ReLU(), nn.Linear(D, 4))

        def forward(self, x):
            memory = self.patches(x)
            y = self.decoder(self.queries.weight.unsqueeze(0).repeat(x.shape[0], 1, 1), memory)
            return self.classes(y), self.boxes(y).sigmoid()
    return Detr().eval(), (images(),)


@entry("vision")
def super_resolution():
    model = nn.Sequential(nn.Conv2d(3, 8, 5, padding=2), nn.Tanh(), nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2), nn.PReLU())
    return model.eval(), (images(size=12),)


@entry("vision")
def style_transfer():
    model = nn.Sequential(nn.ReflectionPad2d(2), nn.Conv2d(3, 8, 5), nn.InstanceNorm2d(8, affine=True), nn.ReLU(),
                          Residual(nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(8, 8, 3), nn.InstanceNorm2d(8,
                              affine=True))), nn.Conv2d(8, 3, 1), nn.Sigmoid())
    return model.eval(), (images(size=16),)


@entry("vision")
def dcgan_generator():
    model = nn.Sequential(nn.ConvTranspose2d(12, 16, 4), nn.BatchNorm2d(16), nn.ReLU(True), nn.ConvTranspose2d(16, 8, 4, 2, 1),
                          nn.BatchNorm2d(8), nn.ReLU(True),
                          nn.ConvTranspose2d(8, 3, 4, 2, 1), nn.Tanh())
    return model.eval(), (torch.randn(2, 12, 1, 1),)


class Autoencoder(nn.Module):
    """A variational one: the noise is PyTorch's."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(3, 8, 4, 4), nn.ReLU(), nn.Flatten(), nn.Linear(512, 16))
        self.decode = nn.Sequential(nn.Linear(8, 512), nn.ReLU(), nn.Unflatten(1, (8, 8, 8)), nn.ConvTranspose2d(8, 3, 4, 4), nn.Sigmoid())

    def forward(self, x):
        mean, log_var = self.encode(x).chunk(2, 1)
        sample = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        return self.decode(sample), -0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).sum(1).mean()


@entry("vision")
def variational_autoencoder():
    return Autoencoder().eval(), (images(),)


class DiffusionBlock(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, channels), nn.GroupNorm(4, channels)
        self.conv1, self.conv2, self.time = nn.Conv2d(channels, channels, 3, padding=1), nn.Conv2d(channels, channels, 3,
            padding=1), nn.Linear(D, channels)

    def forward(self, x, embedding):
        y = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(embedding))[:, :, None, None]
        return x + self.conv2(F.silu(self.norm2(y)))


class Diffusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.blocks, self.last = nn.Conv2d(3, 8, 3, padding=1), nn.ModuleList(DiffusionBlock() for _ in range(2)), nn.Conv2d(8,
            3, 3, padding=1)
        self.embed = nn.Sequential(nn.Linear(D, D), nn.SiLU(), nn.Linear(D, D))

    def forward(self, x, step):
        frequency = torch.exp(-4.0 * torch.arange(D // 2, device=x.device) / (D // 2))
        angle = step[:, None].float() * frequency
        embedding = self.embed(torch.cat([angle.sin(), angle.cos()], -1))
        y = self.first(x)
        for block in self.blocks:
            y = block(y, embedding)
        return self.last(y)


@entry("vision")
def diffusion_unet():
    return Diffusion().eval(), (images(size=16), torch.tensor([3, 40])), (images(size=16), torch.tensor([7, 1]))


class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.angles = nn.Sequential(nn.Conv2d(3, 4, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 6))

    def forward(self, x):
        theta = self.angles(x).view(-1, 2, 3) * 0.1 + torch.eye(2, 3)
        return F.grid_sample(x, F.affine_grid(theta, x.shape, align_corners=False), align_corners=False).mean((2, 3))


@entry("vision")
def spatial_transformer():
    return SpatialTransformer().eval(), (images(size=16),)


@entry("vision")
def video_3d():
    model = nn.Sequential(nn.Conv3d(3, 6, 3, padding=1), nn.BatchNorm3d(6), nn.ReLU(), nn.MaxPool3d((1, 2, 2)),
                          nn.Conv3d(6, 8, (3, 1, 1), padding=(1, 0, 0)), nn.AdaptiveAvgPool3d(1), nn.Flatten())
    return model.eval(), (torch.randn(2, 3, 4, 8, 8),)


@entry("vision")
def channels_last_cnn():
    model = nn.Sequential(conv(3, 8), nn.AvgPool2d(2), conv(8, 8)).eval().to(memory_format=torch.channels_last)
    return model, (images().to(memory_format=torch.channels_last),)


@entry("vision")
def training_mode_cnn():
    return nn.Sequential(conv(3, 8), conv(8, 8, 3, 2), head(8)).train(), (images(),), (images(),)


@entry("vision")
def half_precision_cnn():
    return nn.Sequential(conv(3, 8), conv(8, 8, 3, 2), head(8)).eval().bfloat16(), (images().bfloat16(),)


class Capsules(nn.Module):
    """Routing by agreement between two layers of capsules."""

    def __init__(self):
        super().__init__()
        self.primary, self.weight = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 64, 5, 6, 4) * 0.1)

    def squash(self, x):
        norm = x.norm(dim=-1, keepdim=True)
        return norm / (1 + norm ** 2) * x

    def forward(self, x):
        u = self.squash(self.primary(x).view(x.shape[0], 64, 4))
        votes = (self.weight @ u[:, :, None, :, None]).squeeze(-1)
        logits = torch.zeros(x.shape[0], 64, 5, 1)
        for _ in range(3):
            out = self.squash((logits.softmax(2) * votes).sum(1, keepdim=True))
            logits = logits + (votes * out).sum(-1, keepdim=True)
        return out.squeeze(1).norm(dim=-1)


@entry("vision")
def capsules():
    return Capsules().eval(), (images(),)
