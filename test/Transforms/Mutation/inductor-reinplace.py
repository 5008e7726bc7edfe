# Writes captured from PyTorch and made functional: which of them Inductor computes in place, and which we mark.
# REQUIRES: torch
# RUN: %torch_python %s
import torch
from torch._inductor.fx_passes.reinplace import reinplace_inplaceable_ops_core
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph

torch.manual_seed(0)
I, V = torch.tensor([1, 3]), torch.randn(2)
REINPLACE = "builtin.module(func.func(fxgraph-mutation-reinplace))"


@torch.library.custom_op("fxgraph_test::both_into", mutates_args=("x", "y"))
def both_into(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(1)
    y.mul_(2)


def fresh(x, i, v):
    y = x * 2
    y[i] = v
    return y + 1


def read_later(x, i, v):
    y = x * 2
    z = y.index_put((i,), v)
    return z + y


def argument(x, i, v):
    x[i] = v
    return x.sum()


def argument_read_before(x, i, v):
    y = x.sin()
    x[i] = v
    return y


def argument_read_later(x, i, v):
    y = x.index_put((i,), v)
    z = x.sin()
    x.copy_(y)
    return z


def argument_not_written(x, i, v):
    return x.index_put((i,), v) + 1


def twice(x, i, v):
    y = x * 2
    y[i] = v
    y[i - 1] = v
    return y


def argument_twice(x, i, v):
    x[i] = v
    x[i - 1] = v


def view_read_later(x, i, v):
    y = x * 2
    w = y.view(2, 2)
    z = y.index_put((i,), v)
    return z, w + 1


def size_read_later(x, i, v):
    y = x * 2
    z = y.index_put((i,), v)
    return z, y.shape[0] + 1


def other_part(x, i, v):
    y = torch.cat([x, x])
    a, b = y[:4], y[4:]
    return a.index_put((i,), v), b.sin()


def overlapping_part(x, i, v):
    y = torch.cat([x, x])
    a, b = y[:4], y[3:]
    return a.index_put((i,), v), b.sin()


def values_alias(x, i, v):
    """Inductor computes it in place, though the op reads what it writes."""
    y = x * 2
    return y.index_put((i.repeat(2),), y)


def expanded(x, i, v):
    """Inductor computes it in place: all four elements would be written."""
    y = x.sum().expand(4)
    return y.index_put((i,), v)


def index_puts(module):
    """(index_puts that are marked, all of them)."""
    lines = [line for line in module.asm.splitlines() if "fxgraph.index_put" in line]
    return sum("fxgraph.inplace" in line for line in lines), len(lines)


# (function, in place of Inductor, marked by us, of)
CASES = [(fresh, 1, 1, 1), (read_later, 0, 0, 1), (argument, 1, 1, 1), (argument_read_before, 1, 1, 1), (argument_read_later, 0, 0, 1),
         (argument_not_written, 0, 0, 1), (twice, 2, 2, 2), (argument_twice, 2, 2, 2), (view_read_later, 0, 0, 1), (size_read_later, 1, 1, 1),
         (other_part, 1, 1, 1), (overlapping_part, 0, 0, 1), (values_alias, 1, 0, 1), (expanded, 1, 0, 1)]
for function, theirs, ours, count in CASES:
    def traced():
        return make_fx(torch.func.functionalize(function), tracing_mode="fake")(torch.randn(4), I, V)

    graph = traced()
    reinplace_inplaceable_ops_core(graph.graph)
    found = sum(node.target is torch.ops.aten.index_put_.default for node in graph.graph.nodes)
    assert found == theirs, f"{function.__name__}: expected {theirs} of Inductor but got {found}"
    module = fxgraph.from_fx(traced())
    report = module.run_passes(REINPLACE, verify=True)
    assert index_puts(module) == (ours, count), f"{function.__name__}: expected {ours} of {count} but got {index_puts(module)}\n{module.asm}"
    # A mark changes no value.
    x = torch.randn(4)
    argument, wanted = x.clone(), x.clone()
    want = function(wanted, I, V)
    got = [torch.as_tensor(value) for value in module.run([argument, I, V], target="ref") if value is not None]
    for value, expected in zip(got, want if isinstance(want, tuple) else [] if want is None else [want], strict=True):
        torch.testing.assert_close(value, torch.as_tensor(expected))
    torch.testing.assert_close(argument, wanted)


# Calls on copies: the operands that still need one.


def both_fresh(x):
    y, z = x * 2, x * 3
    torch.ops.fxgraph_test.both_into(y, z)
    return y + z


def one_read_later(x):
    y, z = x * 2, x * 3
    w = z.clone()
    torch.ops.fxgraph_test.both_into(y, w)
    return y + w + z


def first_is_input(x):
    y, z = x.clone(), x * 3
    torch.ops.fxgraph_test.both_into(y, z)
    return y + z


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


for function, copied in [(both_fresh, 0), (one_read_later, 0), (first_is_input, 0)]:
    program = torch.export.export(Model(function), (torch.randn(4),)).run_decompositions()
    module = fxgraph.from_exported(program)
    graph = program.graph_module
    reinplace_inplaceable_ops_core(graph.graph)
    node, = (node for node in graph.graph.nodes if "auto_functionalized" in str(node.target))
    bases = node.meta.get("only_clone_these_tensors")
    assert len(bases) == copied, f"{function.__name__}: expected {copied} of Inductor but got {bases}"
    module.run_passes(REINPLACE, verify=True)
    call, = (line for line in module.asm.splitlines() if "auto_functionalized" in line and "only_clone" in line)
    assert "only_clone []" in call, f"{function.__name__}: {call}"
    module.run_passes("builtin.module(func.func(fxgraph-mutation-decompose-auto-functionalized))")
    x = torch.randn(4)
    torch.testing.assert_close(module.to_fx()(x)[0], function(x))
