# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How calls are timed on a GPU: CUDA events, a cold L2 cache, medians; what PyTorch is timed as."""
import math
import time


def new_flush():
    """Memory that flushes the L2 cache when it is written: some times larger than that of any card."""
    import torch
    return torch.empty(256 << 20, dtype=torch.uint8, device="cuda")


def times_ms(function, flush, repeats):
    """Times of single calls, ascending, from events, each with a cold L2 cache."""
    import torch
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(repeats)]
    for first, last in events:
        flush.zero_()
        first.record()
        function()
        last.record()
    torch.cuda.synchronize()
    return sorted(first.elapsed_time(last) for first, last in events)


def median_ms(function, flush, budget_ms=150.0, warmup=3):
    """Median time of one call with a cold L2 cache, of as many calls as the budget allows."""
    import torch
    for _ in range(warmup):
        function()
    torch.cuda.synchronize()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    function()
    end.record()
    torch.cuda.synchronize()
    once = max(start.elapsed_time(end), 1e-3)
    repeats = int(min(200, max(10, budget_ms / once))) if once < 50 else 3
    return times_ms(function, flush, repeats)[repeats // 2]


def medians_in_turns(graphs, flush, rounds, repeats=1):
    """{name: milliseconds} of CUDA graphs that take turns, there and back: the median of the rounds' medians.

    The card works for a tenth of a second first: after a compilation its clock is low.
    """
    import torch
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        flush.zero_()
        torch.cuda.synchronize()
    samples = {name: [] for name in graphs}
    for turn in range(rounds):
        for name, graph in list(graphs.items())[:: 1 if turn % 2 else -1]:
            samples[name].append(times_ms(graph.replay, flush, repeats)[repeats // 2])
    return {name: sorted(values)[rounds // 2] for name, values in samples.items()}


def capture(function):
    """A CUDA graph of the call and what the call returned, whose memory each replay writes."""
    import torch
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            function()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function()
    return graph, result


def graph_of(function):
    return capture(function)[0]


def summarize(ratios):
    """Text about ratios of times."""
    ratios = sorted(ratios)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{len(ratios):4} cases, geometric mean {mean:.3f}, tenth percentile {ratios[len(ratios) // 10]:.3f}, worst {ratios[0]:.3f}"


OPTIMUS = {
    "batch_linear": {}, "batch_layernorm": {}, "batch_tanh": {}, "batch_relu": {}, "normalization_pass": {}, "remove_split_with_size_one_pass": {},
    "merge_getitem_cat_pass": {}, "merge_stack_tahn_unbind_pass": {}, "merge_splits_pass": {}, "mutate_cat_pass": {}, "split_cat_pass": {},
    "unbind_stack_pass": {},
}


def time_pytorch(mode, module, inputs, flush, budget_ms=150.0):
    import torch
    import torch._dynamo
    torch._dynamo.reset()
    with torch.no_grad():
        if mode == "eager":
            return median_ms(lambda: module(*inputs), flush, budget_ms)
        if mode == "eager_graph":
            graph = graph_of(lambda: module(*inputs))
            return median_ms(graph.replay, flush, budget_ms)
        if mode == "compile":
            compiled = torch.compile(module)
        elif mode == "compile_graph":
            compiled = torch.compile(module)
            graph = graph_of(lambda: compiled(*inputs))
            return median_ms(graph.replay, flush, budget_ms)
        elif mode == "graphs":
            compiled = torch.compile(module, mode="reduce-overhead")
        else:
            compiled = torch.compile(module, options={"triton.cudagraphs": True, "pre_grad_fusion_options": OPTIMUS})
        for _ in range(3):
            compiled(*inputs)
        return median_ms(lambda: compiled(*inputs), flush, budget_ms)
