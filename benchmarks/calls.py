# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call from Python costs beside torch's own allocation of its result, passes and
compilations in this process beside those of the tools.

    calls.py --bin build/bin [--ops 10000] [--repeat 5]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))


def best(function, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def per_call(function, calls, repeat):
    """Microseconds of one call, the best of some rounds."""
    def many():
        for _ in range(calls):
            function()
    return best(many, repeat) / calls * 1e6


def call_overhead(repeat):
    """(label, microseconds of a call, of allocating its results) on the CPU."""
    import fxgraph
    import torch
    a, b = torch.randn(4), torch.randn(4)
    add = fxgraph.capture(lambda a, b: a + b, a, b).compile("cpu")
    many = [torch.randn(4) for _ in range(100)]
    total = fxgraph.capture(lambda *xs: xs[0] + xs[99], *many).compile("cpu")
    shape, options = (4,), {"dtype": torch.float32, "device": "cpu"}
    for label, call in (("add of 4 floats", lambda: add(a, b)), ("100 arguments", lambda: total(*many))):
        yield label, per_call(call, 20000, repeat), per_call(lambda: torch.empty(shape, **options), 20000, repeat)


def chain(ops):
    lines = ["  %0 = fxgraph.relu %x : tensor<4xf32>"]
    lines += [f"  %{i} = fxgraph.{('tanh', 'relu', 'neg')[i % 3]} %{i - 1} : tensor<4xf32>" for i in range(1, ops)]
    return "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" + "\n".join(lines) + f"\n  return %{ops - 1} : tensor<4xf32>\n}}\n"


def passes(bin_dir, ops, repeat):
    """Seconds of fxgraph-pre-grad on a chain: in this process, on a module that passes have changed, and in fx-opt without parsing and printing."""
    import fxgraph
    text = chain(ops)
    modules = [fxgraph.Module(text) for _ in range(repeat)]
    for module in modules:
        module.verify()
    remaining = iter(modules)
    ours = best(lambda: next(remaining).run_passes("fxgraph-pre-grad", verify=False), repeat)
    modules = [fxgraph.Module(text) for _ in range(repeat)]
    for module in modules:
        module.run_passes("canonicalize")
    changed = iter(modules)
    again = best(lambda: next(changed).run_passes("fxgraph-pre-grad", verify=False), repeat)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as stream:
        stream.write(text)
        stream.flush()
        tool = []
        for _ in range(repeat):
            said = subprocess.run([os.path.join(bin_dir, "fx-opt"), stream.name, "--fxgraph-pre-grad", "-o", os.devnull, "--mlir-timing",
                                   "--mlir-timing-display=list"], capture_output=True, text=True, check=True,
                                  env={**os.environ, "FXGRAPH_VERIFY_REWRITES": "0"}).stderr
            seconds = {m[2]: float(m[1]) for m in re.finditer(r"^\s*([0-9.]+) \(\s*[0-9.]+%\)\s+(\S.*?)\s*$", said, re.M)}
            tool.append(seconds["Total"] - seconds.get("Parser", 0) - seconds.get("Output", 0))
    return ours, again, min(tool)


def first_compiles(bin_dir, repeat):
    """(model, seconds of parsing and compiling for the CPU here, of fx-run without its start)."""
    import fxgraph
    folder = os.path.join(os.path.dirname(HERE), "test", "Models")
    tool = os.path.join(bin_dir, "fx-run")
    start = best(lambda: subprocess.run([tool, "--version"], stdout=subprocess.DEVNULL, check=True), repeat)
    for name in sorted(file for file in os.listdir(folder) if file.endswith(".mlir")):
        path = os.path.join(folder, name)
        data = re.sub(r"\.(aten|torch)\.mlir$", ".safetensors", path)
        ours = best(lambda: fxgraph.load(path).compile("cpu"), repeat)
        theirs = best(lambda: subprocess.run([tool, path, "--target=cpu", f"--inputs={data}"], check=True, stdout=subprocess.DEVNULL), repeat) - start
        yield name, ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(HERE), "build", "bin"))
    parser.add_argument("--ops", type=int, default=10000)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    print("calls on the CPU        us     torch.empty   beyond it")
    for label, call, allocation in call_overhead(arguments.repeat):
        print(f"{label:20} {call:7.2f} {allocation:12.2f} {call - allocation:12.2f}")
    ours, again, tool = passes(arguments.bin, arguments.ops, arguments.repeat)
    print(f"\nfxgraph-pre-grad on {arguments.ops} ops: {ours * 1e3:.1f} ms here, {tool * 1e3:.1f} ms in fx-opt without parse and print: {ours / tool:.2f}; "
          f"where passes ran before, {again * 1e3:.1f} ms: {again / tool:.2f}")
    print("\nfirst compile for the CPU        ms here   fx-run without its start")
    for name, ours, theirs in first_compiles(arguments.bin, arguments.repeat):
        print(f"{name:28} {ours * 1e3:10.1f} {theirs * 1e3:10.1f}")


if __name__ == "__main__":
    main()
