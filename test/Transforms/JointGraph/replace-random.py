# Random numbers by seeds, from PyTorch and back: as many seeds as draws, one creation of all, the right distributions in the
# interpreter, on the CPU and in PyTorch.
# REQUIRES: torch
# RUN: %torch_python %s
import torch

import fxgraph

PASSES = "fxgraph-jointgraph-replace-random,fxgraph-jointgraph-fuse-seed-creation"


def draws(x):
    return torch.rand(1000), torch.randn(1000, dtype=torch.float64) + x, torch.randint(-3, 4, (1000,)), torch.rand_like(x)


def ops(graph):
    return {name.removeprefix("fxgraph."): count for name, count in graph.op_counts().items()}


def judge(results, where):
    uniform, normal, integers, like = (torch.as_tensor(x).double() for x in results)
    for numbers in (uniform, like):
        assert 0 <= numbers.min() and numbers.max() < 1 and abs(numbers.mean() - 0.5) < 0.05, where
    assert abs(normal.mean()) < 0.15 and abs(normal.std() - 1) < 0.15, where
    assert set(integers.tolist()) == {-3, -2, -1, 0, 1, 2, 3}, where
    assert not torch.equal(uniform, like), where


x = torch.zeros(1000)
for level in ("torch", "aten"):
    graph = fxgraph.capture(draws, x, level=level)
    graph.run_passes(PASSES)
    count = ops(graph)
    assert count["inductor_seeds"] == 1 and count["inductor_lookup_seed"] == 4, count
    assert count["inductor_random"] == 3 and count["inductor_randint"] == 1 and "inductor_seed" not in count, count
    for target in ("ref", "cpu"):
        judge(graph.run([x], target=target), f"{level}, {target}")
    # The prims, in PyTorch and imported again.
    exported = graph.to_fx()
    judge(exported(x), f"{level}, exported")
    again = ops(fxgraph.from_fx(exported, [x]))
    assert all(again.get(name) == count[name] for name in count if name.startswith("inductor")), (count, again)
