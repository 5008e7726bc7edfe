# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random workloads of benchmarks/gpu_sweep.py: drawn again from seed and number, right on the emulator, and judged."""
import os
import sys

import pytest
import torch

BENCHMARKS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "benchmarks")
sys.path.insert(0, BENCHMARKS)

import gpu_draws  # noqa: E402
import gpu_sweep  # noqa: E402


def sweep(monkeypatch, *flags):
    monkeypatch.setattr(sys, "argv", ["gpu_sweep.py", "--target", "gpu-emulator", "--elements", "3000", *flags])
    return gpu_sweep.main()


def test_values(monkeypatch, capsys):
    assert sweep(monkeypatch, "--seed", "3", "--count", "30", "--kinds", "pointwise,permute,reduce,softmax,norm,scan,interleave") == 0
    assert "30 workloads, 0 wrong, 0 failed" in capsys.readouterr().out


def test_a_number_is_drawn_again(monkeypatch, capsys):
    first, again = gpu_draws.draw_workload("7", 12), gpu_draws.draw_workload("7", 12)
    assert (first.kind, first.text, first.shapes) == (again.kind, again.text, again.shapes)
    assert all(torch.equal(a, b) for a, b in zip(first.inputs("cpu"), again.inputs("cpu")))
    assert first.text != gpu_draws.draw_workload("8", 12).text
    number = next(n for n in range(100) if gpu_draws.kind_of("7", n) == "norm")
    sweep(monkeypatch, "--seed", "7", "--only", str(number))
    assert gpu_draws.draw_workload("7", number, 3000).text in capsys.readouterr().out


def test_every_kind_can_be_drawn():
    drawn = {gpu_draws.kind_of("1", number) for number in range(200)}
    assert drawn == set(gpu_draws.KINDS)


def test_processes(monkeypatch, capsys):
    assert sweep(monkeypatch, "--seed", "3", "--count", "6", "--kinds", "pointwise,reduce", "--jobs", "2") == 0
    lines = capsys.readouterr().out
    assert "6 workloads, 0 wrong, 0 failed" in lines
    sweep(monkeypatch, "--seed", "3", "--count", "6", "--kinds", "pointwise,reduce")
    drawn = [line for line in capsys.readouterr().out.splitlines() if line.startswith("#")]
    assert sorted(drawn) == sorted(line for line in lines.splitlines() if line.startswith("#"))


def dies_of_one(pipe, arguments):
    """What processes run in the next test."""
    prepare = gpu_sweep.prepare
    gpu_sweep.prepare = lambda number, arguments: os._exit(7) if number == arguments.only[1] else prepare(number, arguments)
    gpu_sweep.serve(pipe, arguments)


def test_a_process_that_dies(monkeypatch, capsys):
    numbers = [str(n) for n in range(200) if gpu_draws.kind_of("3", n) == "pointwise"][:4]
    monkeypatch.setattr(gpu_sweep, "serve", dies_of_one)
    assert sweep(monkeypatch, "--seed", "3", "--only", *numbers, "--jobs", "2") == 1
    lines = capsys.readouterr().out
    assert "4 workloads, 0 wrong, 1 failed" in lines
    assert f"#{numbers[1]} pointwise: the process died, exit status 7" in lines


def test_wrong_values_are_said(monkeypatch, capsys):
    monkeypatch.setattr(gpu_sweep, "TOLERANCE", dict.fromkeys(gpu_sweep.TOLERANCE, -3.0))
    assert sweep(monkeypatch, "--seed", "3", "--count", "2", "--kinds", "pointwise") == 1
    assert "2 wrong" in capsys.readouterr().out


def test_unknown_kind(monkeypatch, capsys):
    with pytest.raises(SystemExit):
        sweep(monkeypatch, "--kinds", "pointwise,nothing")
    assert "expected kinds among" in capsys.readouterr().err


@pytest.mark.parametrize("chip", ["sm_90a", "sm_80"])
def test_kernels_of_full_extents(monkeypatch, capsys, chip):
    """Without a GPU and without memory for them: what is refused at some extents is found."""
    flags = ("--target", "kernels", "--chip", chip, "--elements", str(1 << 25))
    assert sweep(monkeypatch, "--seed", "7001", "--only", *map(str, [1442, *range(12)]), *flags) == 0
    assert "13 workloads, 0 wrong, 0 failed" in capsys.readouterr().out
    assert sweep(monkeypatch, "--seed", "7001", "--only", "1442", "--target", "kernels", "--chip", "sm_20") == 1
    assert "1 failed" in capsys.readouterr().out
