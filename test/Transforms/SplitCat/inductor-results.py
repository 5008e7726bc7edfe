# Inductor's own passes over runs of pieces beside ours, on the same captured graphs with
# the same option dictionary: lists of operands over all pairs of dimensions. Our results
# are always those of PyTorch. Where Inductor's are too, its counter is ours; how many are
# wrong, or end with an exception, is printed.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import collections
import itertools
import logging

import torch

import fxgraph
from fxgraph.testing.inductor import both_graphs, run_pre_grad

logging.disable(logging.CRITICAL)
N = 3  # pieces; a run of 2 is long enough


def lists(p, q, a):
    """Operand lists over the pieces p of one split, q of another, and a copy a."""
    yield "all", p
    yield "all, others", [a] + p + [a]
    yield "two splits", [a] + p + q
    yield "a run", [a] + p[1:] + [a]
    yield "no run", [p[1], a, p[0], a]


def shape(rank, dim, extent):
    return [extent if i == dim else 2 + i for i in range(rank)]


def cases():
    # A third dimension shows what an exchange of two does wrong.
    for key, cut, op, steps in [
        ("split_cat_to_slices_pass", "split", "cat", 0), ("split_stack_to_cats_pass", "split", "stack", 1),
        ("unbind_cat_to_view_pass", "unbind", "cat", -1), ("unbind_stack_to_slices_pass", "unbind", "stack", 0)]:
        for d, c in itertools.product(range(3), range(3 + steps)):
            for number in range(5):
                def function(x, y, d=d, c=c, number=number, cut=cut, op=op):
                    pieces = lambda v: list(torch.split(v, [2] * N, dim=d) if cut == "split" else torch.unbind(v, dim=d))
                    p, q = pieces(x), pieces(y)
                    _, values = list(lists(p, q, p[0].clone()))[number]
                    return getattr(torch, op)(values, dim=c)

                name = list(lists([None] * N, [], None))[number][0]
                # One dimension pair suffices for most lists.
                if number != 1 and (d, c) not in ((0, 0), (1, 1), (0, 1)):
                    continue
                yield key, f"{cut} {d}, {op} {c}: {name}", function, shape(3, d, N * 2 if cut == "split" else N)
    for d, target, c, extents in [(1, (10, 2), 0, (20, N)), (1, (4, 3), 1, (12, N)), (0, (4, 3), 1, (2 * N, 6)), (1, (8, 3), 0, (12, 2 * N)), (1, (2, 6), 1, (12, N))]:
        def function(x, y, d=d, target=target, c=c):
            r = [p.reshape(target) for p in torch.split(x, [x.shape[d] // N] * N, dim=d)]
            return torch.stack([r[0].clone()] + r, dim=c)

        yield "move_reshape_out_of_split_stack_pass", f"split {d}, reshape {target}, stack {c}", function, list(extents)


def inductors(graph, arguments, options):
    """Its result, or None, and its counters."""
    try:
        graph, counters = run_pre_grad(graph, arguments, options)
        return graph(*arguments)[0], counters
    except Exception:  # noqa: BLE001: Inductor's own
        return None, {}


def main():
    tally, failures = collections.Counter(), 0
    for key, name, function, extents in cases():
        inputs = [torch.arange(float(torch.Size(extents).numel())).reshape(extents) + i / 2 for i in range(2)]
        expected = function(*inputs)
        options = {"normalization_pass": {}, key: {"threshold_to_cat": 2}}
        theirs, (graph, values) = both_graphs(function, inputs)
        ours = graph.run_passes(fxgraph.pre_grad_pipeline(options, permute_fusion=False, freezing=False)).counters.get(key, 0)
        if not torch.equal(torch.as_tensor(graph.run(values)[0]), expected):
            failures += 1
            print(f"{key}, {name}: wrong")
        result, found = inductors(*theirs, options)
        theirs = found.get(key, 0)
        if result is None or result.shape != expected.shape or not torch.equal(result, expected):
            tally[key, "raises" if result is None else "wrong"] += 1
            print(f"{key}, {name}: Inductor {'raises an exception' if result is None else 'is wrong'}")
            continue
        tally[key, "right"] += 1
        if theirs != ours:
            failures += 1
            print(f"{key}, {name}: expected a count of {theirs} but got {ours}")
    for (key, verdict), count in sorted(tally.items()):
        print(f"{key}: Inductor {verdict} in {count} cases")
    unlike = {key for key, _ in tally if not tally[key, "right"]}
    if unlike:
        print(f"expected counters to compare but Inductor is right nowhere: {', '.join(sorted(unlike))}")
    return bool(failures or unlike)


raise SystemExit(main())
