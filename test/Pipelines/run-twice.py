# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %python %s
"""No two passes of a pipeline undo each other, on random graphs and on the models.

- mode=best ends by itself, before its bound on rounds (else it says so in a warning), and
  a second run changes nothing.
- The other pipelines come to rest: run again and again they change nothing any more after a
  few times (which pieces meet depends on the order of their passes), and never come back to
  a graph that they have left.

mode=best is run by fx-opt, which says its warnings; all else in this process.

    run-twice.py [FIRST LAST]   seeds
"""
import glob
import os
import subprocess
import sys

import fxgraph
from fxgraph.runtime import find_tool
from fxgraph.testing.passes import keep_stdout

MODELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Models")
MIXES = ("all", "split-cat", "linear", "pointwise")
BEST = ["fxgraph-pre-grad{mode=best}", "fxgraph-pre-grad{mode=best min-fuse-set-size=2 numerics=reassociate}"]
OTHERS = ["fxgraph-pre-grad", "fxgraph-pre-grad{min-fuse-set-size=2 numerics=reassociate}", "fxgraph-pre-dispatch",
          "fxgraph-pre-dispatch{min-fuse-set-size=2 add=fuse_split_getitem_squeeze_cat,use_triton_dot_compress,use_matmul_lce_replace_normal_LCE}"]
RUNS = 6


def fx_opt(text, pipeline):
    """(the graph after the pipeline, what was said)"""
    done = subprocess.run([find_tool("fx-opt"), "-", f"--pass-pipeline=builtin.module({pipeline})"], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{pipeline}: {done.stderr}\n{text}")
    return done.stdout, done.stderr


def run(text, pipeline):
    """The graph after the pipeline."""
    module = fxgraph.Module(text)
    try:
        # Locations say what became of what, not what the graph is.
        module.run_passes(",".join(filter(None, (pipeline, "strip-debuginfo"))))
    except fxgraph.ToolError as error:
        sys.exit(f"{pipeline}: {error}\n{text}")
    return module.asm


def graphs(first, last):
    """(name, text)"""
    for seed in range(first, last):
        mix = MIXES[seed % len(MIXES)]
        yield f"fx-gen --seed {seed} --ops 24 --mix {mix}", subprocess.run(
            [find_tool("fx-gen"), "--seed", str(seed), "--ops", "24", "--mix", mix], capture_output=True, text=True, check=True).stdout
    for path in sorted(glob.glob(os.path.join(MODELS, "*.mlir"))):
        with open(path) as file:
            yield os.path.basename(path), file.read()


def main():
    keep_stdout()
    first, last = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (0, 24)
    wrong, changed, longest = [], 0, 0
    for name, text in graphs(first, last):
        text = run(text, "")
        for pipeline in BEST:
            once, said = fx_opt(text, pipeline)
            once = run(once, "")
            changed += once != text
            if "still changed the graph" in said:
                wrong.append(f"{pipeline} on {name}: {said}")
            if run(once, pipeline) != once:
                wrong.append(f"{pipeline} on {name}: a second run changes the graph")
        for pipeline in OTHERS:
            seen = [text]
            while len(seen) <= RUNS:
                after = run(seen[-1], pipeline)
                if after == seen[-1]:
                    break
                if after in seen:
                    wrong.append(f"{pipeline} on {name}: run {len(seen)} gives a graph of before")
                    break
                seen.append(after)
            else:
                wrong.append(f"{pipeline} on {name}: still changing after {RUNS} runs")
            changed += len(seen) > 1
            longest = max(longest, len(seen) - 1)
    print(f"{changed} times a graph was changed, at most {longest} runs until nothing was: {len(wrong)} wrong")
    print("\n".join(wrong))
    return bool(wrong) or not changed


if __name__ == "__main__":
    sys.exit(main())
