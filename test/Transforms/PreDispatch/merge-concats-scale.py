# 100,000 nested cats become one: in linear time, without recursion.
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s %t
import subprocess
import sys
import time


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
    command = ["fx-opt", name, "--fxgraph-predispatch-merge-concats"]
    # The least of three: the machine does other things too.
    seconds = []
    for _ in range(3):
        start = time.process_time()
        done = subprocess.run([*command, "--mlir-timing", "--mlir-timing-display=list"], capture_output=True, text=True, check=True)
        line = next(line for line in done.stderr.splitlines() if "MergeConcats" in line)
        seconds.append(float(line.split()[0]))
    assert done.stdout.count("fxgraph.cat") == 1, done.stdout[:1000]
    body = done.stdout.split("fxgraph.cat ")[1].split(" dim")[0]
    assert body.count(",") == depth, body.count(",")
    # In the end the first argument stands where half of the others are before it.
    assert body.split(", ").index("%arg0") == depth // 2
    return min(seconds)


small, large = run(12500), run(100000)
print(f"12,500 nested: {small:.4f} s, 100,000 nested: {large:.4f} s")
assert large < 24 * max(small, 0.002), "more than linear in the depth"
