# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of graphs against eager's."""
import torch

# How far results may be from eager's, of their root mean square: sums in another order.
LIMITS = {torch.float64: 1e-11, torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 6e-2}


def difference(actual, expected):
    """Why two results differ, or None. NaN equals NaN."""
    if len(actual) != len(expected):
        return f"{len(actual)} results for {len(expected)}"
    for i, (a, e) in enumerate(zip(actual, expected)):
        if a.shape != e.shape or a.dtype != e.dtype:
            return f"result {i}: {a.dtype}{list(a.shape)} for {e.dtype}{list(e.shape)}"
    return None


def distances(actual, expected):
    """The largest difference of each result, infinite where one side alone is not finite."""
    found = []
    for a, e in zip(actual, expected):
        a, e = a.double(), e.double()
        same = (a == e) | (a.isnan() & e.isnan())
        gap = (a - e).abs().masked_fill(same, 0).nan_to_num(nan=float("inf"))
        found.append(float(gap.max()) if gap.numel() else 0.0)
    return found


def is_finite(x):
    return not x.dtype.is_floating_point or bool(x.isfinite().all())


class Judge:
    """Compares with eager; where a graph amplifies rounding, by how much is measured."""

    def __init__(self, run, inputs, limit=0.0, rerun=None):
        """`limit`: how far floats may be off at least, where the graph rounds to less than its results show.

        `rerun` is called with inputs and a function, and gives the results if each op gives what the function makes of its own.
        """
        self.run, self.inputs, self.limit, self.rerun = run, inputs, limit, rerun
        self.expected = run(inputs)
        self.sensitivity = self.op_sensitivity = self.plain = None

    def verdict(self, actual):
        text = self.compare(actual, self.expected)
        if text is None or all(is_finite(x) for x in [*actual, *self.expected]):
            return text
        # PyTorch's convolution pads with zeros, of which NaN and Inf make NaN; those of oneDNN leave out the padding, some of them.
        if self.plain is None:
            with torch.backends.mkldnn.flags(enabled=False):
                self.plain = self.run(self.inputs)
        return text if self.compare(actual, self.plain) else None

    def compare(self, actual, expected):
        text = difference(actual, expected)
        if text:
            return text
        gaps = distances(actual, expected)
        for i, (gap, e) in enumerate(zip(gaps, expected)):
            finite = e.double()[e.double().isfinite()] if e.numel() else e.double()
            scale = float(finite.square().mean().sqrt()) if finite.numel() else 0.0
            limit = (max(LIMITS.get(e.dtype, 0.0), self.limit) if e.dtype.is_floating_point else 0.0) * (scale + 1e-6)
            if gap <= limit or gap <= 64 * self.measure()[i] or gap <= 4 * self.measure_ops()[i]:
                continue
            return f"result {i}: differs by {gap:.3g}, of {scale:.3g}"
        return None

    def same(self, actual):
        """Why results are not the same to the last bit, or None. Zeros of either sign and NaNs are one value each."""
        text = difference(actual, self.expected)
        if text:
            return text
        for i, gap in enumerate(distances(actual, self.expected)):
            if gap:
                return f"result {i}: differs by {gap:.3g}"
        return None

    def measure(self):
        if self.sensitivity is None:
            self.sensitivity = [0.0] * len(self.expected)
            for seed in range(6):
                generator = torch.Generator().manual_seed(seed)
                inputs = [self.shake(x, generator) if isinstance(x, torch.Tensor) and x.dtype.is_floating_point else x for x in self.inputs]
                self.sensitivity = [max(pair) for pair in zip(self.sensitivity, distances(self.run(inputs), self.expected))]
        return self.sensitivity

    def measure_ops(self):
        """What becomes of a step in the result of each op. Steps of the inputs do not show what the next op cancels where one is saturated: 1 + erf(-3.9)
        is 0 in PyTorch, whose erf is -1 around there, and 6e-8 in exact arithmetic."""
        if self.op_sensitivity is None:
            self.op_sensitivity = [0.0] * len(self.expected)
            for seed in range(6 if self.rerun else 0):
                generator = torch.Generator().manual_seed(seed)

                def step(x, generator=generator):
                    # Zeros stay: what is divided by them, or compared with them, is no rounding.
                    return (x * (1 + torch.finfo(x.dtype).eps * torch.randint(-1, 2, x.shape, generator=generator))).to(x.dtype)
                self.op_sensitivity = [max(pair) for pair in zip(self.op_sensitivity, distances(self.rerun(self.inputs, step), self.expected))]
        return self.op_sensitivity

    @staticmethod
    def shake(x, generator):
        """Each element up to one step away."""
        step = torch.finfo(x.dtype).eps
        moved = x * (1 + step * torch.randint(-1, 2, x.shape, generator=generator))
        return (moved + step / 4 * torch.randn(x.shape, generator=generator)).to(x.dtype)


def aliases(outputs, inputs, numbers=None):
    """(output, what it shares storage with) pairs; `numbers` are the inputs', if these are some of them."""
    owners = {x.untyped_storage().data_ptr(): f"input {i}" for i, x in zip(numbers or range(len(inputs)), inputs) if x.numel()}
    found = set()
    for i, x in enumerate(outputs):
        if not x.numel():
            continue
        key = x.untyped_storage().data_ptr()
        if key in owners:
            found.add((i, owners[key]))
        else:
            owners[key] = f"result {i}"
    return found


def make_inputs(shapes, seed):
    generator = torch.Generator().manual_seed(seed)
    made = []
    for shape, dtype in shapes:
        if dtype.is_floating_point:
            made.append(torch.randn(shape, generator=generator).to(dtype))
        elif dtype is torch.bool:
            made.append(torch.rand(shape, generator=generator) < 0.5)
        else:
            # Valid as an index of anything.
            made.append(torch.zeros(shape, dtype=dtype))
    return made
