# Every graph pass of the library alone, on captured models at both levels, and the
# whole pipelines: the interpreter and the CPU give what PyTorch gave in float32
# (the stored results), within 1e-5 + 1e-5 |x|.
#
#   each-pass.py                          all models; prints what fired where, and the largest difference
#   each-pass.py resnet sequence.torch    these models or graphs only
#
# The passes are those that fx-opt lists and that run on a func.func: on the graph as
# it is captured and after normalisation, and with groups and runs of two where a pass has
# such an option. Each different result is run once: equal text, equal results.
# UNSUPPORTED: sanitizer
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s mixer.torch resnet.torch sequence.aten | FileCheck %s
# CHECK: fxgraph-convbn-fold {{.*}}resnet.torch {{.*}}convbn-fold=20
# CHECK: fxgraph-pre-grad {{.*}}mixer.torch {{.*}}linear-permute
# CHECK: {{^[1-9][0-9]*}} passes and pipelines on 3 graphs: {{[1-9][0-9]*}} applications, {{[1-9][0-9]*}} different graphs, 0 wrong
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "python"))
import fxgraph  # noqa: E402
from fxgraph.runtime import find_tool  # noqa: E402
from fxgraph.testing.passes import NORMALIZE, keep_stdout, list_pipelines  # noqa: E402

MODELS = os.path.join(ROOT, "test", "Models")
TARGETS = ("ref", "cpu")
TOLERANCE = ["--rtol=1e-5", "--atol=1e-5"]


class Graph:
    """One captured model: what its transformed forms give, each form run once."""

    def __init__(self, label):
        self.label = label
        self.module = fxgraph.load(os.path.join(MODELS, label + ".mlir"))
        self.tensors = os.path.join(MODELS, label.split(".")[0] + ".safetensors")
        self.results = {}

    def transform(self, name, pipeline):
        """(text, {pattern: applications}); those of a normalisation before the pass do not count."""
        module = self.module.clone()
        report = module.run_passes(pipeline)
        fired = {}
        for event in report.remarks:
            if event["applied"] and not (name.startswith("normalize, ") and event["pass"] == NORMALIZE):
                fired[event["pattern"]] = fired.get(event["pattern"], 0) + 1
        return module.asm, fired

    def measure(self, text, target, folder):
        """(largest absolute difference, None), or (None, what is wrong)."""
        if (text, target) not in self.results:
            path = os.path.join(folder, "graph.mlir")
            with open(path, "w") as stream:
                stream.write(text)
            done = subprocess.run([find_tool("fx-run"), path, f"--target={target}", f"--inputs={self.tensors}",
                                   f"--compare={self.tensors}", *TOLERANCE], capture_output=True, text=True)
            found = [float(n) for n in re.findall(r"^out\d+: equal, max abs (\S+),", done.stdout, re.M)]
            ok = done.returncode == 0 and found
            self.results[text, target] = (max(found), None) if ok else (None, (done.stderr.strip() or "no output compared")[:500])
        return self.results[text, target]


def main():
    keep_stdout()
    labels = sorted(name.removesuffix(".mlir") for name in os.listdir(MODELS) if name.endswith(".mlir"))
    chosen = [label for label in labels if not sys.argv[1:] or label in sys.argv[1:] or label.split(".")[0] in sys.argv[1:]]
    unknown = set(sys.argv[1:]) - {name for label in labels for name in (label, label.split(".")[0])}
    if unknown:
        sys.exit(f"each-pass.py: expected models or graphs among {', '.join(labels)} but got {', '.join(sorted(unknown))}")
    graphs = [Graph(label) for label in chosen]
    pipelines = list_pipelines()
    wrong, busy, applications, worst = [], set(), 0, dict.fromkeys(TARGETS, 0.0)
    print(f"{'pass':<61} {'graph':<15} {'ref':>8} {'cpu':>8}  fired")
    with tempfile.TemporaryDirectory(prefix="fxgraph-") as folder:
        for name, pipeline in {"(as captured)": "builtin.module()", **pipelines}.items():
            for graph in graphs:
                try:
                    text, fired = graph.transform(name, pipeline)
                except fxgraph.ToolError as error:
                    wrong.append(f"{name} on {graph.label}: {error}")
                    continue
                cells = []
                for target in TARGETS:
                    difference, problem = graph.measure(text, target, folder)
                    if problem:
                        wrong.append(f"{name} on {graph.label}, {target}: {problem}")
                    else:
                        worst[target] = max(worst[target], difference)
                    cells.append("WRONG" if problem else f"{difference:.2g}")
                applications += sum(fired.values())
                if fired or "WRONG" in cells or name not in pipelines:
                    counts = ", ".join(f"{key}={count}" for key, count in sorted(fired.items()))
                    print(f"{name:<61} {graph.label:<15} {cells[0]:>8} {cells[1]:>8}  {counts}")
                    busy.add(re.search(r"[\w-]+(?=\W*$|\{)", name)[0])
    idle = [name for name in pipelines if re.fullmatch(r"[\w-]+", name) and name not in busy]
    print("\nnothing to do in any of these graphs: " + " ".join(idle))
    forms = sum(len(graph.results) for graph in graphs) // len(TARGETS)
    print(f"largest absolute difference from PyTorch: interpreter {worst['ref']:.2g}, CPU {worst['cpu']:.2g}")
    print(f"{len(pipelines)} passes and pipelines on {len(graphs)} graphs: {applications} applications, {forms} different graphs, {len(wrong)} wrong")
    for line in wrong:
        print("  " + line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
