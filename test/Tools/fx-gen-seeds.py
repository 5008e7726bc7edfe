# Graphs of neighbouring seeds have nothing to do with each other: no long run of the same
# ops in both.
# RUN: fx-gen --seed 1000 --count 60 --ops 40 -o %t.mlir
# RUN: %python %s %t.mlir
import re
import sys
from difflib import SequenceMatcher

graphs = [re.findall(r"= (fxgraph\.\w+)", text) for text in open(sys.argv[1]).read().split("func.func @g")[1:]]
assert len(graphs) == 60, f"expected 60 graphs but got {len(graphs)}"
for number, (ops, others) in enumerate(zip(graphs, graphs[1:])):
    run = SequenceMatcher(None, ops, others, autojunk=False).find_longest_match()
    assert run.size < 15, f"graphs {number} and {number + 1} share {run.size} ops in a row: {ops[run.a:run.a + run.size]}"
