# The group fusions are near-linear: twice the ops cost at most about twice the time.
# Processor time of the whole pipeline less that of reading and printing alone.
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s
import os
import resource
import subprocess
import sys
import tempfile

PASSES = ",".join(
    "fxgraph-" + name
    for name in ("linear-permute-fuse", "convbn-fold", "group-batch-linear", "group-batch-linear-lhs", "group-batch-layernorm",
                 "group-batch-tanh", "group-batch-relu", "group-batch-sigmoid"))


def linears(n):
    """Independent linears on one input, a tanh each, every 64th after a chain."""
    x, w = "tensor<4x8xf32>", "tensor<8x8xf32>"
    body = []
    for i in range(n):
        operand = f"%t{i - 64}" if i % 64 == 0 and i else "%x"
        body.append(f"%y{i} = fxgraph.linear {operand}, %w : ({x}, {w}) -> {x}\n%t{i} = fxgraph.tanh %y{i} : {x}")
    return f"func.func @f(%x: {x}, %w: {w}) -> {x} {{\n" + "\n".join(body) + f"\nreturn %t{n - 1} : {x}\n}}\n"


def seconds(path, passes):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = ["fx-opt", path, "--verify-each=0", "-o", os.devnull]
    if passes:
        command.append(f"--pass-pipeline=builtin.module(func.func({passes}))")
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def cost(n):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(linears(n))
        file.flush()
        return min(seconds(file.name, PASSES) for _ in range(2)) - min(seconds(file.name, "") for _ in range(2))


small, large = cost(20000), cost(80000)
print(f"{small * 1e6 / 40000:.2f} and {large * 1e6 / 160000:.2f} microseconds an op")
# Four times the ops; a quadratic pass would take sixteen times as long.
if large > 8 * max(small, 0.05):
    sys.exit(f"expected near-linear cost but got {small:.3f} s and {large:.3f} s")
