# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `make bench` runs: time per op of the pipelines and of compiling for the CPU as graphs
grow, and the same graphs through Inductor's pre-grad and post-grad passes and ours in one process. Six minutes of processor
time; `--full` (`make bench FULL=1`) also measures graphs of 1,000,000 ops and 1,024 towers, and takes longer.
Exits with 1 where the time per op of compiling for the CPU is not linear.

    bench.py --bin build/bin [--full] [--towers 16,64,256] [--sizes 10000,100000] [--cpu-sizes 100,1000,10000,100000]
"""
import argparse
import os
import subprocess
import sys
import time

import pass_scale

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

# Inductor's option dictionaries for the fusions that both sides have.
PRE_GRAD = ["normalization_pass", "remove_split_with_size_one_pass", "merge_splits_pass", "mutate_cat_pass", "split_cat_pass",
           "unbind_stack_pass", "merge_getitem_cat_pass", "batch_linear", "batch_linear_lhs", "batch_layernorm", "batch_tanh",
            "batch_relu", "batch_sigmoid"]
POST_GRAD = ["batch_linear_post_grad", "batch_aten_tanh", "batch_aten_add", "normalization_aten_pass", "unbind_stack_aten_pass", "split_cat_aten_pass",
             "select_cat_aten_pass", "move_view_after_cat_aten_pass"]


def make_towers(n, d=8):
    """n towers of split, linear, layer norm and tanh, joined."""
    import torch
    import torch.nn.functional as F

    class Towers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            make = lambda *shape: torch.nn.ParameterList(torch.nn.Parameter(torch.randn(*shape)) for _ in range(n))
            self.w, self.b, self.g = make(d, d), make(d), make(d)

        def forward(self, x):
            parts = torch.split(x, d, dim=1)
            ys = [F.linear(p, w, b) for p, w, b in zip(parts, self.w, self.b)]
            ys = [F.layer_norm(y, (d,), g, b) for y, g, b in zip(ys, self.g, self.b)]
            return torch.cat([torch.tanh(y) for y in ys], dim=1)

    return Towers(), [torch.randn(4, n * d)]


def compare_with_inductor(level, towers):
    """Rows of (towers, nodes, Inductor's seconds and nodes left, our seconds and ops left) of "pre" or "post"."""
    import fxgraph
    from fxgraph.testing.inductor import dynamo_graph, inference_graph, run_aten_passes, run_pre_grad

    for n in towers:
        graph, arguments = (dynamo_graph if level == "pre" else inference_graph)(*make_towers(n))
        nodes = len(graph.graph.nodes)
        module = fxgraph.from_fx(graph, arguments)
        if level == "pre":
            pipeline = "fxgraph-pre-grad{max-fuse-set-size=100000}"
        else:
            pipeline = "fxgraph-post-grad{fusions=%s max-fuse-set-size=100000}" % ",".join(POST_GRAD)
        report = module.run_passes(pipeline)
        ours, left = sum(report.seconds.values()), sum(c for op, c in module.op_counts().items() if op.startswith("fxgraph."))
        start = time.perf_counter()
        if level == "pre":
            result, _ = run_pre_grad(graph, arguments, {name: {} for name in PRE_GRAD})
        else:
            result, _ = run_aten_passes(graph, "post", {name: {} for name in POST_GRAD})
        theirs = time.perf_counter() - start
        yield n, nodes, theirs, len(result.graph.nodes), ours, left


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(HERE), "build", "bin"))
    parser.add_argument("--full", action="store_true", help="the largest graphs, too")
    parser.add_argument("--towers", help="numbers of towers that go through Inductor's passes and ours")
    parser.add_argument("--graphs", default=pass_scale.GRAPHS)
    parser.add_argument("--sizes", help="ops of the graphs for the pre-grad pipeline")
    parser.add_argument("--cpu-sizes", default="100,1000,10000,100000")
    args = parser.parse_args()
    towers = args.towers or ("16,64,256,1024" if args.full else "16,64,256")
    sizes = args.sizes or ("10000,100000,1000000" if args.full else "10000,100000")
    os.environ["FXGRAPH_BIN_DIR"] = args.bin
    begin = time.monotonic()
    print("Pre-grad pipeline, time per op:", flush=True)
    subprocess.run([sys.executable, os.path.join(HERE, "pass_scale.py"), "--bin", args.bin, "--graphs", args.graphs, "--sizes", sizes], check=True)
    print("\nCompiling for the CPU, time per op:", flush=True)
    scale = subprocess.run([sys.executable, os.path.join(HERE, "cpu_compile_scale.py"), "--bin", args.bin, "--sizes", args.cpu_sizes])
    for level in ("pre", "post"):
        print(f"\nInductor's {level}-grad passes (Python) and ours on the same captured graph:")
        print(f"{'towers':>7s}{'nodes':>7s}{'Inductor s':>12s}{'left':>7s}{'ours s':>10s}{'left':>6s}{'ratio':>8s}")
        for n, nodes, theirs, nodes_left, ours, ops_left in compare_with_inductor(level, [int(n) for n in towers.split(",")]):
            print(f"{n:7d}{nodes:7d}{theirs:12.3f}{nodes_left:7d}{ours:10.5f}{ops_left:6d}{theirs / ours:8.0f}", flush=True)
    print(f"\n{time.monotonic() - begin:.0f} s")
    sys.exit(scale.returncode)


if __name__ == "__main__":
    main()
