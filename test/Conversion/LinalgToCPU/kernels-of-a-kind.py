# Small nests that differ in extents and steps only: sixteen have kernels of their own, the
# rest share one that takes these numbers. Nests that differ in more, and large ones, do not.
# RUN: %python %s
import os
import re
import subprocess

BIN = os.environ["FXGRAPH_BIN_DIR"]


def graph(calls):
    """A function of one result a call; a call is (op, operand shape, its attributes, result shape)."""
    types = [[f"tensor<{''.join(f'{n}x' for n in shape)}f32>" for shape in (given, made)] for _, given, _, made in calls]
    lines = [f"  %{i} = fxgraph.{op} %x{i} {attributes} : ({given}) -> {made}" if attributes else f"  %{i} = fxgraph.{op} %x{i} : {given}"
             for i, ((op, _, attributes, _), (given, made)) in enumerate(zip(calls, types))]
    arguments = ", ".join(f"%x{i}: {given}" for i, (given, _) in enumerate(types))
    made = ", ".join(made for _, made in types)
    return "\n".join([f"func.func @main({arguments}) -> ({made}) {{", *lines,
                      f"  return {', '.join(f'%{i}' for i in range(len(calls)))} : {made}", "}"]) + "\n"


def run(tool, text, *flags):
    return subprocess.run([os.path.join(BIN, tool), "-", *flags], input=text, capture_output=True, text=True, check=True).stdout


def check(kernels, calls):
    text = graph(calls)
    lowered = run("fx-opt", text, "--fxgraph-to-llvm")
    found = len(set(re.findall(r"llvm\.func internal @(fxk_\d+)\(", lowered)))
    assert found == kernels, (found, kernels, text)
    run("fx-run", text, "--target=cpu", "--compare-target=ref", "--inputs", "seed:1", "--rtol", "1e-5", "--atol", "1e-5")


def relu(n):
    return "relu", (n,), "", (n,)


def amax(*shape):
    return "amax", shape, f"dims [{len(shape) - 2}] keepdim false", (*shape[:-2], shape[-1])


check(16, [relu(n) for n in range(2, 18)])
check(17, [relu(n) for n in range(2, 19)])
check(17, [relu(n) for n in range(2, 60)])
check(1, [relu(7) for _ in range(40)])  # one shape: one kernel
check(32, [("relu", (n,), "", (n,)) for n in range(2, 18)] + [("neg", (n,), "", (n,)) for n in range(2, 18)])  # another body
check(20, [relu(65536 + n) for n in range(20)])  # enough work for a kernel each
# Filling and reducing, of two and three extents; extents of 1 and 0 are kinds of their own.
check(17 + 1, [amax(n, 2) for n in range(2, 40)])
check(17 + 17, [amax(n, m) for n, m in zip(range(2, 40), range(5, 90, 2))])
check(17 + 17, [amax(n, n + 1, n + 2) for n in range(2, 30)])
check(17 + 1, [relu(n) for n in range(2, 40)] + [("relu", (1,), "", (1,)), ("relu", (), "", ())])
# Views: steps that differ.
check(17, [("slice", (2 * n, 5), f"dim 0 from 1 to {2 * n} step 2", (n, 5)) for n in range(2, 40)])
