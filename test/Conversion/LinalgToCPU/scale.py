# Compiling for the CPU stays linear: as graphs double, ops of the lowered IR do, and no
# function becomes longer. What that costs is the benchmarks' matter
# (benchmarks/cpu_compile_scale.py).
# RUN: %python %s
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "benchmarks"))
from cpu_compile_scale import GRAPHS, write_graph  # noqa: E402

BIN = os.environ["FXGRAPH_BIN_DIR"]
PLACED = ["--fxgraph-to-linalg", "--fxgraph-cpu-fuse", "--fxgraph-cpu-entry", "--fxgraph-cpu-place"]
FUNCTION = re.compile(r"^  llvm\.func (?:internal |private )*@(\w+)\(.*\{$")


def lower(path, *flags):
    return subprocess.run([os.path.join(BIN, "fx-opt"), path, *flags], capture_output=True, text=True, check=True).stdout


def lengths(text):
    """Lines of each function of LLVM dialect."""
    result, name = {}, None
    for line in text.splitlines():
        found = FUNCTION.match(line)
        if found:
            name, result[found[1]] = found[1], 0
        elif name and line == "  }":
            name = None
        elif name:
            result[name] += 1
    return result


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "graph.mlirbc")
    for graph in GRAPHS.split(","):
        total, longest = [], []
        for ops in (1200, 2400, 4800):
            write_graph(BIN, graph, ops, path)
            if ops == 1200:
                placed = lower(path, *PLACED)
                assert "tensor.insert_slice" not in placed and "tensor.concat" not in placed, graph
            functions = lengths(lower(path, "--fxgraph-to-llvm"))
            assert "fxgraph_entry" in functions, graph
            total.append(sum(functions.values()))
            longest.append(max(functions.values()))
        print(f"{graph}: {total} lines, {longest} in the longest function")
        assert total[2] <= 2.1 * total[1] + 64, (graph, total)
        assert longest[2] <= 1.2 * longest[1] + 64, (graph, longest)
