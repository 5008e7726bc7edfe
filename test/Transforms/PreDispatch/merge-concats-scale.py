# 100,000 nested cats become one: without recursion, and in less time than it takes to parse them. Both times are from
# one run, so that whatever else the machine does slows both. The pass takes a tenth of the parser; 5 * 10^9 steps of
# a quadratic one, at a nanosecond each, would take five times as long as the parser.
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
    command = ["fx-opt", name, "--fxgraph-predispatch-merge-concats"]
    done = subprocess.run([*command, "--mlir-timing", "--mlir-timing-display=list"], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stderr.splitlines() if line.strip()]
    merging = next(float(words[0]) for words in lines if "MergeConcats" in words[-1])
    parsing = next(float(words[0]) for words in lines if words[-1] == "Parser")
    assert done.stdout.count("fxgraph.cat") == 1, done.stdout[:1000]
    body = done.stdout.split("fxgraph.cat ")[1].split(" dim")[0]
    assert body.count(",") == depth, body.count(",")
    # In the end the first argument stands where half of the others are before it.
    assert body.split(", ").index("%arg0") == depth // 2
    print(f"{depth} nested: {merging:.4f} s, parser {parsing:.4f} s")
    assert merging < parsing, "more than linear in the depth"


run(100000)
