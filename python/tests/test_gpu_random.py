# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers on a GPU, in the emulator: Philox4x32-10 by seed and place, as lib/Backend/GPU/Prepare/RandomDraws.h says."""

import re

import numpy as np
import pytest
import torch

import fxgraph

WORD = 0xFFFFFFFF


def philox(seed, count):
    """Four words for each place, as unsigned numbers of 64 bits."""
    place = np.arange(count, dtype=np.uint64)
    c = [place & WORD, place >> 32, np.zeros_like(place), np.zeros_like(place)]
    low, high = seed & WORD, seed >> 32
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(low), b & np.uint64(WORD), (a >> np.uint64(32)) ^ c[3] ^ np.uint64(high), a & np.uint64(WORD)]
        low, high = (low + 0x9E3779B9) & WORD, (high + 0xBB67AE85) & WORD
    return c


def seeds(seed, count):
    """Of the first draws of a graph: SplitMix64."""
    found, mask = [], 2**64 - 1
    for k in range(1, count + 1):
        z = (seed + k * 0x9E3779B97F4A7C15) & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        found.append((z ^ z >> 31) >> 1)
    return found


def uniform(word):
    """Triton's uint_to_uniform_float."""
    return np.where(word >= 2**31, WORD - word, word).astype(np.int64).astype(np.float32) * np.float32(4.6566127342e-10)


def normal(words):
    """Triton's randn."""
    radius, angle = np.maximum(np.float32(1e-7), uniform(words[0])), uniform(words[1])
    return np.sqrt(np.float32(-2) * np.log(radius)) * np.cos(np.float32(6.283185307179586) * angle)


def integers(words, low, high):
    """Inductor's randint64."""
    return ((words[0] | words[1] << np.uint64(32)) % np.uint64(high - low)).astype(np.int64) + low


def run(body, results, *inputs, seed=0, arguments=""):
    names = ", ".join(f"%{i}" for i in range(results.count("tensor")))
    text = f"func.func @main({arguments}) -> ({results}) {{\n{body}\n  return {names} : {results}\n}}"
    return fxgraph.Module(text).compile("gpu-emulator", seed=seed)(*inputs)


def test_philox_is_the_published_one():
    """Known answers of Random123's kat_vectors: a counter of zeros and key 0."""
    assert [int(word[0]) for word in philox(0, 1)] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_draws(seed):
    first, second, third, fourth, fifth = (philox(s, 35) for s in seeds(seed, 5))
    got = run("""  %0 = fxgraph.rand : tensor<5x7xf32>
  %1 = fxgraph.randn : tensor<5x7xf32>
  %2 = fxgraph.randint from -3 to 1000003 : tensor<35xi64>
  %3 = fxgraph.bernoulli p 0.3 : tensor<5x7xi1>
  %4 = fxgraph.exponential rate 2.0 : tensor<35xf32>""", "tensor<5x7xf32>, tensor<5x7xf32>, tensor<35xi64>, tensor<5x7xi1>, tensor<35xf32>", seed=seed)
    np.testing.assert_array_equal(got[0].numpy().ravel(), uniform(first[0]))
    np.testing.assert_allclose(got[1].numpy().ravel(), normal(second), rtol=2e-6, atol=1e-6)
    np.testing.assert_array_equal(got[2].numpy(), integers(third, -3, 1000003))
    np.testing.assert_array_equal(got[3].numpy().ravel(), uniform(fourth[0]) < 0.3)
    np.testing.assert_allclose(got[4].numpy(), -np.log1p(-uniform(fifth[0]).astype(np.float64)) / 2, rtol=1e-5)


def test_by_seed():
    """What names its seed is what Inductor's kernels draw of it."""
    body = """  %0 = fxgraph.inductor_random "rand" seed %s : tensor<i64>, tensor<300xf32>
  %1 = fxgraph.inductor_random "randn" seed %s : tensor<i64>, tensor<300xf32>
  %2 = fxgraph.inductor_randint from 5 to 9 seed %s : tensor<i64>, tensor<300xi64>"""
    for seed in (0, 12345, 2**62 + 11, -7):
        got = run(body, "tensor<300xf32>, tensor<300xf32>, tensor<300xi64>", torch.tensor(seed), arguments="%s: tensor<i64>")
        words = philox(seed % 2**64, 300)
        np.testing.assert_array_equal(got[0].numpy(), uniform(words[0]))
        np.testing.assert_allclose(got[1].numpy(), normal(words), rtol=2e-6, atol=1e-6)
        np.testing.assert_array_equal(got[2].numpy(), integers(words, 5, 9))


def test_seeds():
    got = run("  %0 = fxgraph.inductor_seeds : tensor<3xi64>\n  %1 = fxgraph.inductor_seed : tensor<i64>", "tensor<3xi64>, tensor<i64>", seed=9)
    assert got[0].tolist() + [got[1].item()] == seeds(9, 4)


@pytest.mark.parametrize("low, high", [(0, 1), (-2**63, 2**63 - 1), (0, 2**63 - 1), (-5, 2**62), (-2**62, 2**62)])
def test_wide_ranges(low, high):
    (got,) = run(f"  %0 = fxgraph.randint from {low} to {high} : tensor<500xi64>", "tensor<500xi64>", seed=3)
    words = philox(seeds(3, 1)[0], 500)
    wanted = [((int(a) | int(b) << 32) % (high - low)) + low for a, b in zip(words[0], words[1])]
    assert got.tolist() == wanted


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_distributions(dtype):
    n = 60000
    u, z, e = (x.double() for x in run(f"""  %0 = fxgraph.rand : tensor<{n}x{dtype}>
  %1 = fxgraph.randn : tensor<{n}x{dtype}>
  %2 = fxgraph.exponential : tensor<{n}x{dtype}>""", f"tensor<{n}x{dtype}>, tensor<{n}x{dtype}>, tensor<{n}x{dtype}>", seed=5))
    assert 0 <= u.min() and u.max() < 1 and e.min() > 0 and torch.isfinite(z).all()
    # Five standard errors.
    for x, mean, std in ((u, 0.5, 12**-0.5), (z, 0, 1), (e, 1, 1)):
        assert abs(x.mean() - mean) < 5 * std / n**0.5 + 2e-3
        assert abs(x.std() - std) < 0.02
    assert abs(torch.corrcoef(torch.stack([u, z, e])) - torch.eye(3)).max() < 0.03


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("p", [0.25, 1.0])
def test_dropout(dtype, p):
    """Each element is dropped or scaled; what is dropped of infinity is NaN, as in eager."""
    torch.manual_seed(0)
    x = torch.randn(3000, dtype=getattr(torch, dtype))
    x[0] = float("inf")
    got = fxgraph.capture(lambda x: torch.nn.functional.dropout(x, p), x).compile("gpu-emulator", seed=4)(x)
    got = got[0] if isinstance(got, (tuple, list)) else got
    kept = torch.tensor(uniform(philox(seeds(4, 1)[0], 3000)[0]) < 1 - p)
    noise = kept.to(x.dtype).div_(1 - p) if p < 1 else torch.zeros_like(x)
    torch.testing.assert_close(got, x * noise, equal_nan=True, rtol=0, atol=0)


def test_permutation():
    first, second = run("  %0 = fxgraph.randperm : tensor<1000xi64>\n  %1 = fxgraph.randperm : tensor<1000xi64>", "tensor<1000xi64>, tensor<1000xi64>")
    assert first.sort().values.tolist() == second.sort().values.tolist() == list(range(1000))
    assert (first == second).sum() < 20


def test_runs_and_draws():
    """The same numbers in every run, others in every draw and for every seed; none of none."""
    module = fxgraph.Module("""func.func @main() -> (tensor<64xf32>, tensor<64xf32>, tensor<0x3xf32>) {
  %0 = fxgraph.rand : tensor<64xf32>
  %1 = fxgraph.rand : tensor<64xf32>
  %2 = fxgraph.rand : tensor<0x3xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<0x3xf32>
}""")
    compiled = module.compile("gpu-emulator", seed=1)
    a, b = compiled(), compiled()
    assert all(torch.equal(x, y) for x, y in zip(a, b)) and a[2].shape == (0, 3)
    assert not torch.equal(a[0], a[1])
    assert not torch.equal(a[0], module.compile("gpu-emulator", seed=2)()[0])


def test_fuses():
    """A draw is a part of the kernel that uses it."""
    module = fxgraph.capture(lambda x: torch.nn.functional.dropout(torch.relu(x), 0.5) + 1, torch.randn(64, 64))
    module.run_passes("builtin.module(fxgraph-to-gpu)")
    assert len(re.findall(r'\bgpu\.launch_func\b', module.asm)) == 1
