# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time per op of compiling for the CPU as graphs grow.

    cpu_compile_scale.py --bin build/bin [--graphs chain,cat,towers] [--sizes 100,1000,10000,100000]

The figure is the processor time of `fx-translate --to=object`: reading bytecode, the
pipeline to LLVM, LLVM, writing the object; the least of several runs. A process that
starts and compiles one op is subtracted. The last column is the figure's ratio to that of
the size before. Exits with 1 where the ratio of the largest two sizes is above --limit.
"""
import argparse
import os
import subprocess
import sys
import tempfile


def concat(pieces, dim=1):
    types = ", ".join("tensor<4x8xf32>" for _ in pieces)
    return f"  %c = fxgraph.cat {', '.join(pieces)} dim {dim} : ({types}) -> tensor<4x{8 * len(pieces)}xf32>"


def wide_cat(ops):
    """One cat of as many arguments as there are ops to make."""
    pieces = [f"%a{i}" for i in range(ops)]
    arguments = ", ".join(f"{piece}: tensor<4x8xf32>" for piece in pieces)
    return f"func.func @main({arguments}) -> tensor<4x{8 * ops}xf32> {{\n{concat(pieces)}\n  return %c : tensor<4x{8 * ops}xf32>\n}}\n"


def split_relu_cat(ops):
    """Slices of one tensor, a relu each, and one cat."""
    count = max(ops // 2, 2)
    whole, piece = f"tensor<4x{8 * count}xf32>", "tensor<4x8xf32>"
    lines = [f"func.func @main(%x: {whole}) -> {whole} {{",
             f"  %s:{count} = fxgraph.split %x size 8 dim 1 : ({whole}) -> ({', '.join([piece] * count)})"]
    lines += [f"  %r{i} = fxgraph.relu %s#{i} : {piece}" for i in range(count)]
    return "\n".join(lines + [concat([f"%r{i}" for i in range(count)]), f"  return %c : {whole}", "}"]) + "\n"


def repeated_cat(ops):
    """split, relu, cat, one after the other."""
    whole, piece = "tensor<4x16xf32>", "tensor<4x8xf32>"
    lines, last = [f"func.func @main(%x: {whole}) -> {whole} {{"], "%x"
    for i in range(max(ops // 3, 1)):
        lines += [f"  %s{i}:2 = fxgraph.split {last} size 8 dim 1 : ({whole}) -> ({piece}, {piece})",
                  f"  %r{i} = fxgraph.relu %s{i}#0 : {piece}",
                  f"  %c{i} = fxgraph.cat %s{i}#1, %r{i} dim 1 : ({piece}, {piece}) -> {whole}"]
        last = f"%c{i}"
    return "\n".join(lines + [f"  return {last} : {whole}", "}"]) + "\n"


OWN = {"cat": wide_cat, "split-relu-cat": split_relu_cat, "repeated-cat": repeated_cat}
GRAPHS = "chain,cat,split-relu-cat,repeated-cat,towers,equal-cats"


def write_graph(bin_dir, graph, ops, path):
    if graph not in OWN:  # fx-gen's
        subprocess.run([os.path.join(bin_dir, "fx-gen"), "--shape", graph, "--ops", str(ops), "--bytecode", "-o", path], check=True)
        return
    subprocess.run([os.path.join(bin_dir, "fx-opt"), "-", "--emit-bytecode", "-o", path], input=OWN[graph](ops), text=True, check=True)


def compile_seconds(bin_dir, path):
    """Processor time of one compilation."""
    with tempfile.NamedTemporaryFile(suffix=".o") as output:
        process = subprocess.Popen([os.path.join(bin_dir, "fx-translate"), path, "--to=object", "-o", output.name])
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"fx-translate failed on {path}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--graphs", default=GRAPHS)
    parser.add_argument("--sizes", default="100,1000,10000,100000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=1.5, help="largest ratio of the time per op of the largest two sizes")
    args = parser.parse_args()
    sizes, worst = [int(size) for size in args.sizes.split(",")], 0.0
    print(f"{'graph':16s}{'ops':>8s}{'seconds':>10s}{'us/op':>9s}{'ratio':>7s}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.mlirbc")

        def measure(graph, size):
            write_graph(args.bin, graph, size, path)
            return min(compile_seconds(args.bin, path) for _ in range(args.runs if size < 50_000 else 1))

        floor = measure("chain", 1)
        for graph in args.graphs.split(","):
            each = None
            for size in sizes:
                seconds = measure(graph, size) - floor
                before, each = each, seconds / size * 1e6
                ratio = each / before if before else 1.0
                print(f"{graph:16s}{size:8d}{seconds:10.3f}{each:9.1f}{ratio:7.2f}", flush=True)
            worst = max(worst, ratio)
    if worst > args.limit:
        print(f"expected a ratio of at most {args.limit} but got {worst:.2f}")
        sys.exit(1)


if __name__ == "__main__":
    main()
