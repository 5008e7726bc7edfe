# Inductor's remove_identity has no counterpart: a call of an identity module is no op
# after import, whichever way the graph was captured.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import torch
import torch.fx
import torch.nn as nn
from torch._inductor.fx_passes.pre_grad import remove_identity

import fxgraph

model = nn.Sequential(nn.Linear(4, 3), nn.Identity(), nn.ReLU(), nn.Identity(1, unused=2)).eval()
x = torch.randn(2, 4)
traced = torch.fx.symbolic_trace(model)
names = lambda graph: [node.target for node in graph.graph.nodes if node.op == "call_module"]
assert names(traced) == ["0", "1", "2", "3"]
assert names(remove_identity(torch.fx.symbolic_trace(model))) == ["0", "2"]
with torch.no_grad():
    graphs = {
        "symbolic_trace": fxgraph.from_fx(traced, [x]),
        "Dynamo": fxgraph.capture(model, x, level="torch"),
        "export": fxgraph.from_exported(torch.export.export(model, (x,))),
        "only identities": fxgraph.capture(nn.Sequential(nn.Identity(), nn.Identity()), x, level="torch"),
    }
    for name, graph in graphs.items():
        ops = {op: count for op, count in graph.op_counts().items() if op.startswith("fxgraph.")}
        expected = {} if name == "only identities" else {"fxgraph.linear": 1, "fxgraph.relu": 1}
        assert ops == expected, f"{name}: expected {expected} but got {ops}"
        torch.testing.assert_close(torch.as_tensor(graph.run([x], target="ref")[0]), x if name == "only identities" else model(x))
