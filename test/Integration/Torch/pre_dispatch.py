# Models of the shape that the pre-dispatch list is for, captured from PyTorch: each rewrite fires, and the results
# are those of eager mode, on the interpreter and the CPU.
# REQUIRES: torch
# RUN: %torch_python %s | FileCheck %s
# CHECK: 16 models, 0 wrong
import fxgraph
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
OPTIONAL = "use_triton_dot_compress,use_triton_lce_replace_{},fuse_split_getitem_squeeze_cat"


class Towers(nn.Module):
    """Chunks that are flattened and laid side by side."""

    def forward(self, x):
        return torch.cat([c.reshape(-1, 10) for c in torch.chunk(x, 3, dim=0)], dim=1) * 2


class Heads(nn.Module):
    """Heads as a new dimension: stack, or unsqueeze and concat."""

    def __init__(self, stack):
        super().__init__()
        self.stack = stack

    def forward(self, x):
        heads = [c.view(x.shape[0], -1) for c in x.split(2, dim=1)]
        y = torch.stack(heads, dim=0) if self.stack else torch.concat([h.unsqueeze(0) for h in heads], dim=0)
        return torch.relu(y)


class Rows(nn.Module):
    """Slices of extent 1, squeezed: all of them, and some."""

    def forward(self, x):
        rows = [c.squeeze(1) for c in torch.chunk(x, x.shape[1], dim=1)]
        some = [p.squeeze(1) for p in torch.split(x, [1] * x.shape[1], dim=1)]
        return torch.cat(rows, dim=1).sin(), torch.cat([x[:, 0], *some[1:4]], dim=-1).cos()


class Stable(nn.Module):
    def forward(self, x):
        return torch.nan_to_num(F.relu(x / x), posinf=7.0), F.relu(torch.nan_to_num(1 / x, nan=2.0))


class Cats(nn.Module):
    def forward(self, x, y):
        inner = torch.cat([torch.cat([x, y], 1), torch.cat([y, x], -1), x], dim=1)
        return inner.exp(), torch.cat([x, y], 1).log1p() + torch.concat((x, y), dim=1)


class Partial(nn.Module):
    """A sum of linears on the pieces of one tensor."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(k, 6, bias=k != 3) for k in (2, 3, 5))

    def forward(self, x):
        a, b, c = [l(p) for l, p in zip(self.parts, torch.split(x, [2, 3, 5], dim=-1))]
        return torch.tanh(a + (c + b))


class Dot(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(6, 4))

    def forward(self, x):
        return (x @ (x.transpose(1, 2) @ self.w)).flatten(1)


class Compress(nn.Module):
    """Compression of embeddings: of one tensor, or of several that are joined."""

    def __init__(self, joined):
        super().__init__()
        self.linear, self.joined = nn.Linear(6, 3), joined

    def forward(self, x):
        x = torch.cat([x[:, :2], x[:, 2:].tanh()], dim=1) if self.joined else x.tanh()
        return self.linear(x.permute(0, 2, 1)).permute(0, -1, 1)


class Stacks(nn.Module):
    """Values that no split has made, stacked."""

    def forward(self, x):
        return torch.stack([x.sin(), x.cos()], dim=-1) * 2


class Shapes(nn.Module):
    """A reshape of a reshape, and one there and back around an elementwise op."""

    def forward(self, x):
        return x.reshape(-1).reshape(4, -1).exp(), (x * 2).reshape(-1).tanh().reshape(x.shape)


class Pieces(nn.Module):
    """One piece of a split alone; a split that is joined again."""

    def forward(self, x):
        p, q = x.split(2, dim=1), (x * 2).split([1, 5], dim=1)
        return p[1].sin(), torch.cat(q, dim=1).cos()


class Parallel(nn.Module):
    """Linears of one input of rank 3."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(5, 5), nn.Linear(5, 5), nn.Linear(5, 3)

    def forward(self, x):
        return self.query(x).sin(), self.key(x).cos(), self.value(x)


class Compressions(nn.Module):
    """Several compressions of one tensor."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(6, n) for n in (3, 2))

    def forward(self, x):
        x = x.tanh()
        return tuple(part(x.permute(0, 2, 1)).permute(0, 2, 1).sin() for part in self.parts)


CASES = [
    (Towers(), [torch.randn(6, 5, 4)], ["fuse_chunk_reshape_concat_pass"]),
    (Heads(True), [torch.randn(3, 6, 4)], ["fuse_chunk_reshape_concat_pass"]),
    (Heads(False), [torch.randn(3, 6, 4)], ["fuse_chunk_reshape_unsqueeze_concat_pass"]),
    (Rows(), [torch.randn(3, 5, 4)], ["fuse_chunk_squeeze_cat_pass", "fuse_split_getitem_squeeze_cat"]),
    (Stable(), [torch.tensor([[0.0, -0.0, 1.0, -2.0, float("inf"), float("nan")]])], ["relu_nan_to_num"]),
    (Cats(), [torch.rand(2, 3), torch.rand(2, 3)], ["merge_concats_pass"]),
    (Partial(), [torch.randn(4, 10)], ["fuse_split_linear_add_pass"]),
    (Dot(), [torch.randn(2, 6, 5)], ["use_triton_dot_compress"]),
    (Compress(False), [torch.randn(2, 6, 5)], ["use_triton_lce_replace_simple_LCE"]),
    (Compress(True), [torch.randn(2, 6, 5)], ["use_triton_lce_replace_normal_LCE"]),
    (Stacks(), [torch.randn(3, 4)], ["stack_to_unsqueeze_pass"]),
    (Shapes(), [torch.randn(6, 4)], ["remove_reshape_pass"]),
    (Pieces(), [torch.randn(3, 6)], ["remove_split_ops_pass"]),
    (Parallel(), [torch.randn(2, 4, 5)], ["fuse_parallel_linear_pass"]),
    (Compress(True), [torch.randn(2, 6, 5)], ["use_matmul_lce_replace_normal_LCE"]),
    (Compressions(), [torch.randn(2, 6, 5)], ["use_matmul_fuse_lce_replace_first_LCE"]),
]


def main():
    wrong = 0
    for model, inputs, counters in CASES:
        expected = model(*inputs)
        expected = expected if isinstance(expected, tuple) else (expected,)
        graph = fxgraph.capture(model, *inputs, level="torch")
        # The simple form is any x, the normal one an x that is joined.
        optional = OPTIONAL.format("normal_LCE" if getattr(model, "joined", False) else "simple_LCE")
        if counters[0].startswith("use_matmul"):
            optional = counters[0]
        report = graph.run_passes(f"fxgraph-pre-dispatch{{add={optional}}}")
        missing = [c for c in counters if not report.counters.get(c)]
        if missing:
            wrong += 1
            print(f"{type(model).__name__}: {missing} did not fire: {dict(report.counters)}\n{graph.asm}")
        for target in ("ref", "cpu"):
            results = graph.run(inputs, target=target)
            for result, want in zip(results, expected, strict=True):
                try:
                    torch.testing.assert_close(torch.as_tensor(result), want, rtol=1e-5, atol=1e-5, equal_nan=True)
                except AssertionError as error:
                    wrong += 1
                    print(f"{type(model).__name__} on {target}: {error}\n{graph.asm}")
    print(f"{len(CASES)} models, {wrong} wrong")


main()
