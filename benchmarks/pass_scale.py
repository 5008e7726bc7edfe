# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time per op of a pipeline as graphs grow.

    pass_scale.py --bin build/bin [--graphs chain,towers] [--sizes 10000,100000,1000000] [--level pre-grad|joint-graph|freezing|post-grad]

The graphs are fx-gen's. Those whose levels give way one after the other go through
single passes: the ones that rewrite until nothing changes. Parsing and printing are not counted: the figure is the pass
manager's own time (--mlir-timing), the least of several runs; the last column is its
ratio to that of the smallest graph.
"""
import argparse
import os
import re
import subprocess
import tempfile

# Where a single op has as many operands or results as the graph has ops, or extents grow
# with it, graphs of a million ops say nothing about real ones.
LIMITS = {"one-split": 100_000, "nested-cats": 100_000, "nested-splits": 100_000, "equal-cats": 100_000}
PASSES = {
    "nested-splits": ["fxgraph-splitcat-merge-getitem-cat", "fxgraph-splitcat-split-cat"],
    "equal-cats": ["fxgraph-predispatch-merge-concats"],
    "crossed-unbinds": ["fxgraph-splitcat-stack-unbind-cancel{allow-other-users=true}"],
}
GRAPHS = "chain,towers,ladder,one-split,linears,nested-cats,nested-splits,equal-cats,crossed-unbinds,layers"
PIPELINES = {
    "pre-grad": "builtin.module(fxgraph-pre-grad{max-fuse-set-size=1000000000})",
    "joint-graph": "builtin.module(fxgraph-joint-graph)",
    "freezing": "builtin.module(fxgraph-freezing)",
    "post-grad": "builtin.module(fxgraph-post-grad)",
}


def pass_seconds(fx_opt, path, pipeline=PIPELINES["pre-grad"]):
    """(seconds in passes, {pass: seconds}) of one run."""
    result = subprocess.run(
        [fx_opt, path, f"--pass-pipeline={pipeline}", "--mlir-timing", "--mlir-timing-display=list", "--mlir-disable-threading", "-o", os.devnull,
         "--verify-each=0"],
        capture_output=True, text=True, env={**os.environ, "FXGRAPH_VERIFY_REWRITES": "0"})
    if result.returncode:
        raise SystemExit(f"fx-opt failed on {path}:\n{result.stderr[-2000:]}")
    rows = re.findall(r"^\s*([0-9.]+)\s+\(\s*[0-9.]+%\)\s+(.+?)\s*$", result.stderr, re.M)
    times = {name: float(seconds) for seconds, name in rows}
    # The collection's time is that of the passes inside it; an analysis, (A), is part
    # of the pass that asks for it.
    skip = {"root", "Parser", "Output", "Rest", "Total"}
    passes = {name: seconds for name, seconds in times.items() if name not in skip and not name.startswith(("'", "Pipeline", "(A)"))}
    return sum(passes.values()), passes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--graphs", default=GRAPHS)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--level", choices=PIPELINES, default="pre-grad")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    print(f"{'graph':36s}{'ops':>10s}{'seconds':>10s}{'us/op':>8s}{'ratio':>7s}")
    for name in args.graphs.split(","):
        for alone in PASSES.get(name, [None]) if args.level == "pre-grad" else [None]:
            measure(args, name, alone)


def measure(args, graph, alone):
    """Prints the rows of one graph, through one pass or the pipeline."""
    pipeline = f"builtin.module(func.func({alone}))" if alone else PIPELINES[args.level]
    title = alone.split("{")[0].replace("fxgraph-", "") if alone else graph
    first = None
    for size in map(int, args.sizes.split(",")):
        if size > LIMITS.get(graph, size):
            continue
        with tempfile.NamedTemporaryFile(suffix=".mlirbc") as file:
            subprocess.run([os.path.join(args.bin, "fx-gen"), "--shape", graph, "--ops", str(size), "--bytecode", "-o", file.name], check=True)
            runs = [pass_seconds(os.path.join(args.bin, "fx-opt"), file.name, pipeline) for _ in range(args.runs)]
        seconds = min(total for total, _ in runs)
        each = seconds / size * 1e6
        first = first or each
        print(f"{title:36s}{size:10d}{seconds:10.4f}{each:8.3f}{each / first:7.2f}", flush=True)
        if args.verbose:
            for pass_name, spent in sorted(runs[0][1].items(), key=lambda item: -item[1])[:8]:
                print(f"    {spent:9.4f}  {pass_name}")


if __name__ == "__main__":
    main()
