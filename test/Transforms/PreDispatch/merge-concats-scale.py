# 100,000 nested cats become one, without recursion on the depth. How long that takes is measured by
# benchmarks/pass_scale.py.
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s %t
import subprocess
import sys


def run(depth):
    name = f"{sys.argv[1]}.{depth}.mlir"
    with open(name, "w") as file:
        file.write(f"func.func @nested(%v0: tensor<1xf32>, %x: tensor<1xf32>) -> tensor<{depth + 1}xf32> {{\n")
        for i in range(1, depth + 1):
            # The chain goes down on either side.
            pair = f"%v{i - 1}, %x" if i % 2 else f"%x, %v{i - 1}"
            types = f"tensor<{i}xf32>, tensor<1xf32>" if i % 2 else f"tensor<1xf32>, tensor<{i}xf32>"
            file.write(f"  %v{i} = fxgraph.cat {pair} dim 0 : ({types}) -> tensor<{i + 1}xf32>\n")
        file.write(f"  return %v{depth} : tensor<{depth + 1}xf32>\n}}\n")
    done = subprocess.run(["fx-opt", name, "--fxgraph-predispatch-merge-concats"], capture_output=True, text=True, check=True)
    assert done.stdout.count("fxgraph.cat") == 1, done.stdout[:1000]
    body = done.stdout.split("fxgraph.cat ")[1].split(" dim")[0]
    assert body.count(",") == depth, body.count(",")
    # In the end the first argument stands where half of the others are before it.
    assert body.split(", ").index("%arg0") == depth // 2


run(100000)
