# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random workloads of benchmarks/cpu_sweep.py: drawn again from seed and number, right on the CPU, and judged."""
import os
import sys

import pytest
import torch

BENCHMARKS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "benchmarks")
sys.path.insert(0, BENCHMARKS)

import cpu_draws  # noqa: E402
import cpu_sweep  # noqa: E402


def sweep(monkeypatch, *flags):
    monkeypatch.setattr(sys, "argv", ["cpu_sweep.py", "--elements", "3000", *flags])
    threads = torch.get_num_threads()
    try:
        return cpu_sweep.main()
    finally:
        torch.set_num_threads(threads)


def test_values(monkeypatch, capsys):
    assert sweep(monkeypatch, "--seed", "3", "--count", "60", "--values") == 0
    assert "60 workloads, 0 wrong, 0 failed" in capsys.readouterr().out


def test_times(monkeypatch, capsys):
    assert sweep(monkeypatch, "--seed", "5", "--count", "3", "--kinds", "reduce", "--budget", "0.01") == 0
    assert "the worst:" in capsys.readouterr().out


def test_a_number_is_drawn_again(monkeypatch, capsys):
    first, again = cpu_draws.draw_workload("7", 12), cpu_draws.draw_workload("7", 12)
    assert (first.kind, first.text) == (again.kind, again.text)
    assert all(torch.equal(a, b) for a, b in zip(first.inputs, again.inputs, strict=True))
    assert first.text != cpu_draws.draw_workload("8", 12).text
    number = next(n for n in range(100) if cpu_draws.kind_of("7", n) == "norm")
    sweep(monkeypatch, "--seed", "7", "--only", str(number), "--values")
    assert cpu_draws.draw_workload("7", number, 3000).text[:160] in capsys.readouterr().out


def test_every_kind_can_be_drawn():
    drawn = {cpu_draws.kind_of("1", number) for number in range(300)}
    assert drawn == set(cpu_draws.KINDS)


def test_a_wrong_value_is_one(monkeypatch, capsys):
    monkeypatch.setattr(cpu_sweep, "TOLERANCE", dict.fromkeys(cpu_sweep.TOLERANCE, -3.0))
    assert sweep(monkeypatch, "--seed", "3", "--count", "2", "--kinds", "norm", "--values") == 1
    assert "2 workloads, 2 wrong, 0 failed" in capsys.readouterr().out


def test_an_unknown_kind(monkeypatch, capsys):
    with pytest.raises(SystemExit):
        sweep(monkeypatch, "--kinds", "reduce,nothing")
    assert "expected kinds among unary" in capsys.readouterr().err
