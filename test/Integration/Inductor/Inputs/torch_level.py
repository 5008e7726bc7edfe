# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of the dialect as torch-level FX graphs: the calls that users write and that
Inductor's pre-grad passes look for (torch.split and getitem, not aten.split).

Nodes carry `example_value`, as Dynamo leaves it.
"""
import operator

import torch
import torch.fx
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

from fxgraph.exporter import callables
from fxgraph.importer.dtypes import MLIR_TO_TORCH

INT64_MAX = 2**63 - 1
UNARY = {name: getattr(torch, name) for name in
         """tanh sigmoid exp exp2 expm1 log log1p log2 log10 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh erf neg abs sign ceil
            floor round trunc bitwise_not isnan isinf isfinite logical_not""".split()}
UNARY.update(relu=torch.relu, silu=F.silu, log_sigmoid=F.logsigmoid, hardsigmoid=F.hardsigmoid, hardswish=F.hardswish, mish=F.mish)
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "pow": torch.pow, "maximum": torch.maximum, "minimum": torch.minimum, "eq": torch.eq,
          "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge, "logical_and": torch.logical_and,
          "bitwise_and": torch.bitwise_and, "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor}
REDUCTIONS = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax, "amin": torch.amin, "any": torch.any, "all": torch.all, "logsumexp": torch.logsumexp,
              "prod": torch.prod}


def number(value):
    return callables.number(value)


def _reduction(name, attrs, x, dtype):
    dims, keepdim = attrs.get("dims"), attrs.get("keepdim", False)
    if name in ("any", "all") and dims is not None and len(dims) == 0:
        dims = None
    if dims is None or len(dims) == 0:
        rank = x.meta["example_value"].dim()
        dims = list(range(rank))
    if name == "prod":
        raise NotImplementedError("prod over several dims")
    if name == "var":
        return torch.var, (x,), {"dim": list(dims), "correction": number(attrs.get("correction", 1.0)), "keepdim": keepdim}
    if name in ("any", "all") and len(dims) == 0:
        return getattr(torch, name), (x,), {}
    return REDUCTIONS[name], (x,), {"dim": list(dims), "keepdim": keepdim}


def call_of(op, operands, types):
    """(function or method name, args, kwargs) of an op; operands are nodes or numbers."""
    name, attrs = op.name.removeprefix("fxgraph."), {k: v for k, v in op.attrs.items() if k != "operandSegmentSizes"}
    x = operands[0] if operands else None
    if name in UNARY:
        return UNARY[name], (x,), {}
    if name in ("add", "sub", "mul", "div", "pow") and not isinstance(x, torch.fx.Node):
        # Python numbers on the left go through operators.
        if attrs.get("alpha", 1.0) != 1 or "rounding_mode" in attrs:
            raise NotImplementedError(f"{name} of a number with attributes")
        return getattr(operator, "truediv" if name == "div" else name), tuple(operands), {}
    if name in ("maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge") and not all(isinstance(o, torch.fx.Node) for o in operands):
        raise NotImplementedError(f"{name} of a number")
    if name in BINARY:
        kwargs = {} if attrs.get("alpha", 1.0) == 1 else {"alpha": number(attrs["alpha"])}
        return BINARY[name], tuple(operands), kwargs
    if name == "div":
        return torch.div, tuple(operands), {} if "rounding_mode" not in attrs else {"rounding_mode": attrs["rounding_mode"]}
    if name in REDUCTIONS or name == "var":
        return _reduction(name, attrs, x, types[0])
    match name:
        case "where":
            return torch.where, tuple(operands), {}
        case "clamp":
            return torch.clamp, (x,), {k: number(attrs[k]) for k in ("min", "max") if attrs.get(k) is not None}
        case "nan_to_num":
            return torch.nan_to_num, (x,), {k: attrs[k] for k in ("nan", "posinf", "neginf") if attrs.get(k) is not None}
        case "gelu":
            return F.gelu, (x,), {"approximate": attrs.get("approximate", "none")}
        case "elu":
            return F.elu, (x,), {}
        case "softplus":
            return F.softplus, (x,), {}
        case "dropout":
            return F.dropout, (x,), {"p": attrs.get("p", 0.5), "training": attrs.get("training", True)}
        case "detach" | "contiguous" | "clone":
            return name, (x,), {}
        case "convert_element_type":
            # Always a tensor of its own; `to` alone returns its operand where it can.
            return "to", (x, MLIR_TO_TORCH[types[0].dtype]), {"copy": True}
        case "reshape" | "view":
            return name, (x, *spread(attrs["shape"])), {}
        case "expand":
            return "expand", (x, *spread(attrs["shape"])), {}
        case "repeat":
            return "repeat", (x, *spread(attrs["repeats"])), {}
        case "permute":
            return "permute", (x, *spread(attrs["dims"])), {}
        case "transpose":
            return torch.transpose, (x, attrs["dim0"], attrs["dim1"]), {}
        case "squeeze":
            dims = attrs.get("dims")
            if dims is None:
                return torch.squeeze, (x,), {}
            return torch.squeeze, (x, dims[0] if len(dims) == 1 else tuple(dims)), {}
        case "unsqueeze":
            return torch.unsqueeze, (x, attrs["dim"]), {}
        case "flatten":
            return torch.flatten, (x, attrs.get("start_dim", 0), attrs.get("end_dim", -1)), {}
        case "unflatten":
            return torch.unflatten, (x, attrs["dim"], tuple(attrs["sizes"])), {}
        case "slice":
            rank = x.meta["example_value"].dim()
            dim = attrs.get("dim", 0) % rank
            start, end, step = attrs.get("start", 0), attrs.get("end", INT64_MAX), attrs.get("step", 1)
            index = slice(start or None, None if end == INT64_MAX else end, None if step == 1 else step)
            return operator.getitem, (x, (slice(None),) * dim + (index,)), {}
        case "select":
            return torch.select, (x, attrs["dim"], attrs["index"]), {}
        case "constant_pad_nd":
            return F.pad, (x, list(attrs["pad"])), {"value": number(attrs.get("value", 0.0))}
        case "slice_scatter":
            return torch.slice_scatter, (x, operands[1], attrs.get("dim", 0), attrs.get("start", 0), attrs.get("end", INT64_MAX), attrs.get("step", 1)), {}
        case "split":
            return torch.split, (x, attrs["split_size"], attrs.get("dim", 0)), {}
        case "split_with_sizes":
            return torch.split, (x, list(attrs["split_sizes"])), {"dim": attrs.get("dim", 0)}
        case "chunk":
            return torch.chunk, (x, attrs["chunks"]), {"dim": attrs.get("dim", 0)}
        case "unbind":
            return torch.unbind, (x,), {"dim": attrs.get("dim", 0)}
        case "cat" | "stack":
            return getattr(torch, name), (list(operands),), {"dim": attrs.get("dim", 0)}
        case "linear":
            return F.linear, tuple(operands), {}
        case "matmul" | "mm" | "bmm":
            return getattr(torch, name), tuple(operands), {}
        case "addmm":
            return torch.addmm, tuple(operands), {k: number(attrs[k]) for k in ("beta", "alpha") if attrs.get(k, 1.0) != 1}
        case "einsum":
            return torch.functional.einsum, (attrs["equation"], *operands), {}
        case "layer_norm":
            weight, bias = segments(op, operands)[1:]
            return F.layer_norm, (x, tuple(attrs["normalized_shape"])), {"weight": weight, "bias": bias, "eps": attrs.get("eps", 1e-5)}
        case "batch_norm":
            x, mean, var, weight, bias = segments(op, operands)
            return F.batch_norm, (x, mean, var, weight, bias, attrs.get("training", False), attrs.get("momentum", 0.1), attrs.get("eps", 1e-5)), {}
        case "conv1d" | "conv2d" | "conv3d":
            bias = operands[2] if len(operands) > 2 else None
            return getattr(F, name), (x, operands[1], bias, tuple(attrs["stride"]), tuple(attrs["padding"]), tuple(attrs["dilation"]), attrs.get("groups", 1)), {}
        case "softmax" | "log_softmax":
            return getattr(F, name), (x,), {"dim": attrs["dim"]}
        case "cumsum":
            return torch.cumsum, (x,), {"dim": attrs["dim"]}
        case "argmax":
            return torch.argmax, (x,), {"dim": attrs.get("dim"), "keepdim": attrs.get("keepdim", False)}
        case "embedding":
            return F.embedding, (operands[1], operands[0]), {}
        case "index_select":
            return torch.index_select, (x, attrs["dim"], operands[1]), {}
        case "scaled_dot_product_attention":
            return F.scaled_dot_product_attention, tuple(operands), {}
    raise NotImplementedError(name)


def spread(numbers):
    """As separate arguments, as most users write them; an empty list stays one."""
    return numbers or ([],)


def segments(op, operands):
    result, rest = [], list(operands)
    for size in op.attrs["operandSegmentSizes"]:
        result.append(rest.pop(0) if size else None)
    return result


def build(function):
    """(GraphModule, its inputs' shapes and dtypes) of a parsed function. NotImplementedError
    names an op that has no torch-level spelling here."""
    graph, values, literals = torch.fx.Graph(), {}, {}
    mode = FakeTensorMode()
    inputs = []

    def evaluate(node, target, args, kwargs):
        real = torch.fx.node.map_arg(args, lambda n: n.meta["example_value"]), torch.fx.node.map_arg(kwargs, lambda n: n.meta["example_value"])
        with mode, torch.no_grad():
            node.meta["example_value"] = target(*real[0], **real[1]) if callable(target) else getattr(real[0][0], target)(*real[0][1:], **real[1])
        return node

    def record(target, args, kwargs):
        make = graph.call_function if callable(target) else graph.call_method
        return evaluate(make(target, tuple(args), dict(kwargs)), target, args, kwargs)

    for i, (value, type_, _) in enumerate(function.arguments):
        node = graph.placeholder(f"a{i}")
        dtype = MLIR_TO_TORCH[type_.dtype]
        inputs.append((tuple(type_.shape), dtype))
        with mode:
            node.meta["example_value"] = torch.empty(type_.shape, dtype=dtype)
        values[value] = node
    for op in function.ops:
        if op.name in ("func.return", "return"):
            graph.output(tuple(values[o] for o in op.operands))
            break
        if op.name == "fxgraph.constant":
            literal = callables.scalar_of(op.attrs["value"])
            if literal is None:
                raise NotImplementedError("constant")
            literals[op.results[0]] = literal
            continue
        operands = [literals[o] if o in literals else values[o] for o in op.operands]
        if operands and all(not isinstance(o, torch.fx.Node) for o in operands):
            raise NotImplementedError("numbers alone")
        if op.name == "fxgraph.copy_":
            record("copy_", operands, {})
            continue
        node = record(*call_of(op, operands, op.types))
        example = node.meta["example_value"]
        if isinstance(example, (tuple, list)):
            for i, result in enumerate(op.results):
                # Dynamo makes the items of a tuple that are used.
                values[result] = node, i
            used = {o for other in function.ops for o in other.operands}
            for i, result in enumerate(op.results):
                if result in used:
                    values[result] = record(operator.getitem, (node, i), {})
        else:
            values[op.results[0]] = node
    graph.lint()
    return torch.fx.GraphModule(torch.nn.Module(), graph), inputs
