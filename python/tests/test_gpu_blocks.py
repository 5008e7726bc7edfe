# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The blocks of benchmarks/gpu_blocks.py, small ones, on the emulator: all of them compile, and none is wrong."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "benchmarks"), os.path.join(HERE, "..", "..", "test", "Integration", "GPU")]
import blocks  # noqa: E402
import gpu_blocks  # noqa: E402
import torch  # noqa: E402


def judge(monkeypatch, *flags):
    monkeypatch.setattr(sys, "argv", ["gpu_blocks.py", "--target", "gpu-emulator", "--small", *flags])
    return gpu_blocks.main()


def test_blocks(monkeypatch, capsys):
    assert judge(monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(blocks.blocks(small=True))) + 1


def test_wrong_values_are_found(monkeypatch, capsys):
    """What the module computes changes between the capture and the reference."""
    class Unsteady(torch.nn.Module):
        def forward(self, x):
            return x * (2.0 if torch.compiler.is_exporting() else 3.0)

    monkeypatch.setattr(gpu_blocks, "blocks", lambda small: [blocks.Block("unsteady", torch.float32, Unsteady, lambda device: [torch.ones(3)])])
    assert judge(monkeypatch) == 1
    assert "WRONG" in capsys.readouterr().out
