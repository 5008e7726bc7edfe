# Einsum and sampling on graphs captured from PyTorch: Inductor's own counter (for the
# einsum) and ours, and PyTorch's results.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import torch

import fxgraph
from fxgraph.testing.inductor import both_graphs, run_pre_grad

torch.manual_seed(0)


x, w, b = torch.randn(2, 3, 4), torch.randn(2, 3, 4, 5), torch.randn(5)
square = torch.randn(3, 3, 3, 3)
EINSUMS = [
    ("method", 1, None, lambda x, w, b: torch.einsum("abc,abcd->abd", x, w).add(b), (x, w, b)),
    ("operator", 1, None, lambda x, w, b: b + torch.einsum("abc, abcd -> abd", x, w), (x, w, b)),
    ("letters", 1, None, lambda x, w, b: torch.einsum("xyk,xykz->xyz", x, w) + b, (x, w, b)),
    ("no add", 0, None, lambda x, w, b: torch.einsum("abc,abcd->abd", x, w) * b, (x, w, b)),
    ("other equation", 0, None, lambda x, w, b: torch.einsum("abc,abcd->adb", x, w).transpose(1, 2) + b, (x, w, b)),
    # The letter test of PyTorch takes the diagonal for a product.
    ("diagonal", 1, 0, lambda w, b: torch.einsum("aba,abad->abd", w[0], w) + b, (square, square[0, 0, 0])),
]
for name, count, ours, function, inputs in EINSUMS:
    for_inductor, (graph, values) = both_graphs(function, inputs)
    _, counters = run_pre_grad(*for_inductor, {"einsum_to_pointwise_pass": {}})
    theirs = counters.get("einsum_to_pointwise_pass", 0)
    assert theirs == count, f"{name}: expected {count} of Inductor but got {theirs}"
    found = graph.run_passes("fxgraph-algebra-einsum-to-pointwise").counters.get("einsum_to_pointwise_pass", 0)
    assert found == (count if ours is None else ours), f"{name}: expected {count if ours is None else ours} but got {found}"
    torch.testing.assert_close(torch.as_tensor(graph.run(values, target="ref")[0]), function(*inputs), rtol=1e-5, atol=1e-5)


def sample(dim=-1, rate=1.0, keepdim=True):
    def function(logits):
        probabilities = torch.softmax(logits, dim=dim)
        draw = torch.empty_like(probabilities).exponential_(rate)
        return torch.argmax(probabilities / draw, dim=-1, keepdim=keepdim)
    return function


logits = torch.randn(64, 11)
logits[3, 5] = -float("inf")
for name, count, function in (("last", 1, sample()), ("positive", 1, sample(dim=1)), ("other dim", 0, sample(dim=0)),
                              ("rate", 0, sample(rate=2.0)), ("dropped", 0, sample(keepdim=False))):
    before = fxgraph.capture(function, logits, level="torch")
    graph = before.clone()
    found = graph.run_passes("fxgraph-algebra-gumbel-max").counters.get("apply_gumbel_max_trick_pass", 0)
    assert found == count, f"{name}: expected {count} but got {found}"
    # The same seed, the same draw, the same index.
    first, second = (torch.as_tensor(m.run([logits], target="ref")[0]) for m in (before, graph))
    assert torch.equal(first, second), f"{name}: expected equal samples but got {first} and {second}"
    assert first.unique().numel() > 3, f"{name}: expected samples but got {first}"
