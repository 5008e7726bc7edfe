# Nests that differ in extents and steps only: sixteen have kernels of their own, the rest
# share one that takes these numbers. Nests that differ in more do not.
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


check(16, [relu(n) for n in range(10, 26)])
check(17, [relu(n) for n in range(10, 27)])
check(17, [relu(n) for n in range(10, 70)])
check(1, [relu(70) for _ in range(40)])  # one shape: one kernel
check(32, [("relu", (n,), "", (n,)) for n in range(10, 26)] + [("neg", (n,), "", (n,)) for n in range(10, 26)])  # another body
check(17, [relu(65536 + n) for n in range(20)])  # divided among threads
check(16 + 2, [relu(n) for n in range(10, 40)] + [relu(65536 + n) for n in range(20)])  # one that threads divide, one that they do not
# Filling and reducing, of two and three extents; small extents are kinds of their own.
check(17 + 1, [amax(n, 2) for n in range(10, 40)])
check(17 + 17, [amax(n, m) for n, m in zip(range(10, 40), range(15, 90, 2))])
check(17 + 17, [amax(n, n + 1, n + 2) for n in range(10, 40)])
check(17 + 1, [relu(n) for n in range(10, 40)] + [("relu", (1,), "", (1,)), ("relu", (), "", ())])
check(6, [relu(n) for n in range(2, 8)])
# Views: steps that differ.
check(17, [("slice", (2 * n, 50), f"dim 0 from 1 to {2 * n} step 2", (n, 50)) for n in range(10, 40)])
