# Towers (split, then linear, layer norm and tanh a piece, then cat) end as one
# batched linear, one norm and one tanh, without split and cat in between, however
# many they are.
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s
import collections
import re
import subprocess

D = 8


def towers(n):
    x = f"tensor<4x{D}xf32>"
    vec = f"tensor<{D}xf32>"
    args = [f"%x: tensor<4x{n * D}xf32>"]
    body = [f"%p:{n} = fxgraph.split %x size {D} dim 1 : (tensor<4x{n * D}xf32>) -> ({', '.join([x] * n)})"]
    for i in range(n):
        args += [f"%w{i}: tensor<{D}x{D}xf32>", f"%b{i}: {vec}", f"%g{i}: {vec}"]
        body += [
            f"%y{i} = fxgraph.linear %p#{i}, %w{i}, %b{i} : ({x}, tensor<{D}x{D}xf32>, {vec}) -> {x}",
            f"%l{i} = fxgraph.layer_norm %y{i} weight %g{i} bias %b{i} over [{D}] eps 1.0e-05 : ({x}, {vec}, {vec}) -> {x}",
            f"%t{i} = fxgraph.tanh %l{i} : {x}",
        ]
    pieces = ", ".join(f"%t{i}" for i in range(n))
    body += [f"%r = fxgraph.cat {pieces} dim 1 : ({', '.join([x] * n)}) -> tensor<4x{n * D}xf32>", f"return %r : tensor<4x{n * D}xf32>"]
    return f"func.func @towers({', '.join(args)}) -> tensor<4x{n * D}xf32> {{\n" + "\n".join(body) + "\n}\n"


for n in (16, 256, 1024):
    run = subprocess.run(["fx-opt", "--fxgraph-pre-grad=max-fuse-set-size=2048"], input=towers(n), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    ops = collections.Counter(re.findall(r"fxgraph\.(\w+)", run.stdout))
    assert (ops["baddbmm"], ops["layer_norm"], ops["tanh"]) == (1, 1, 1), ops
    assert ops["linear"] == 0 and ops["unbind"] == 0, ops
    assert ops["split"] + ops["split_with_sizes"] <= 1 and ops["cat"] <= 1, ops
