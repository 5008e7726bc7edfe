# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry points of the importer: exported programs, FX modules, models."""

import contextlib
import copy
import io
import itertools
import logging
import os
import re
import sys
import textwrap
import traceback
import warnings

import torch
import torch.fx

from . import dtypes, graph, guards, ir, symbols
from .handlers import complex
from .. import strides
from ..errors import FxGraphError, ImportFailure, UnknownOpsError
from .handlers.python import WITHOUT_META
from .replay import TRACING, Replay, shape_env, signature, storage_of
from .tracker import Storage, Tensor


def _replay_of(gm, examples=()):
    """A replay in which the symbolic sizes of the graph's metas, and of the examples, have their meaning."""
    return Replay(shape_env([[graph.meta_of(node) for node in gm.graph.nodes], list(examples)]))


def brief(error):
    """The first line of a message that may run over pages, and Dynamo's explanation of it; the cause keeps the rest.

    A line of one word (the key of a KeyError, the operator of a DataDependentOutputException) comes behind the error's name.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    if len(lines[0].split()) == 1:
        return f"{type(error).__name__}: {lines[0]}"
    if lines[0].startswith("Constraints violated"):
        # Which sizes, and what to write instead, is said in the lines behind.
        reasons = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
        fixes = itertools.takewhile(lambda line: " = " in line, lines[lines.index("Suggested fixes:") + 1:] if "Suggested fixes:" in lines else ())
        return lines[0].partition("!")[0] + ": " + "".join(reasons[:1]).rstrip(".") + "".join(f"; PyTorch suggests {fix}" for fix in [", ".join(fixes)] if fix)
    explanations = [line for line in lines[1:] if line.startswith("Explanation: ")]
    return ": ".join([lines[0], *(line.removeprefix("Explanation: ").rstrip(".") for line in explanations[:1])])


def root_of(error):
    """The first error in the chain that led to this one, without those that only steer the control flow."""
    while True:
        before = error.__cause__ or error.__context__
        if not isinstance(before, (AttributeError, RuntimeError, TypeError, ValueError)):
            return error
        error = before


def with_root(error):
    """The first lines of the error, not all of what it may print of a graph, and of its root."""
    text, root = textwrap.shorten(brief(error), 300, placeholder=" …"), textwrap.shorten(brief(root_of(error)), 300, placeholder=" …")
    return text if root in text else f"{text}: {root}"


def explain(error):
    """What a capture met, and the user's source line."""
    text, root = with_root(error), root_of(error)
    # Dynamo writes the place into its message; else it is the last frame outside of PyTorch.
    places = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    places = places or [(frame.filename, frame.lineno) for frame in traceback.extract_tb(root.__traceback__)]
    others = [os.path.dirname(module.__file__) for module in (os, torch, sys.modules["fxgraph"])]
    places = [(file, line) for file, line in places if not file.startswith((*others, "<"))]
    return text + (f" (at {places[-1][0]}:{places[-1][1]})" if places else "")


class _HeldRecords(logging.Filter):
    """Keeps the records of loggers back."""

    def __init__(self):
        super().__init__()
        self.records = []

    def filter(self, record):
        self.records.append(record)
        return False


@contextlib.contextmanager
def one_error():
    """What PyTorch logs or prints in the block comes at its end, but not if it raises: then the error is all that is said.

    Gives the list of the log's records. One thread at a time is in such a block.
    """
    held, printed = _HeldRecords(), io.StringIO()
    with TRACING:
        loggers = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict) if name.split(".")[0] == "torch"]
        handlers = [handler for logger in loggers for handler in logger.handlers]
        for handler in handlers:
            handler.addFilter(held)
        try:
            with contextlib.redirect_stderr(printed):
                yield held.records
        finally:
            for handler in handlers:
                handler.removeFilter(held)
        sys.stderr.write(printed.getvalue())
        for record in held.records:
            logging.getLogger(record.name).handle(record)


class _Arguments:
    """Adds graph arguments, one for each distinct tensor."""

    def __init__(self, importer):
        self.importer = importer
        self.by_tensor = {}
        self.names = []

    def add(self, fake, kind, name, tensor=None, shared=True):
        """The Tensor of a placeholder or attribute; tied weights are one argument."""
        importer = self.importer
        if tensor is not None and shared:
            known = self.by_tensor.get(id(tensor))
            if known is not None:
                return known
        # An input may be called like a buffer (position_ids): the one that comes later gets a number.
        taken = {argument.name for argument in importer.graph.arguments}
        name = next(free for free in itertools.chain([name], map(f"{name}_{{}}".format, itertools.count(1))) if free not in taken)
        loc = ir.location(name=name) if importer.locations != "none" else "loc(unknown)"
        fake, pair, held = importer.replay.adopt(fake), None, tensor
        if kind == "input" and complex.fits_pair(fake):
            pair = complex.real_fake(importer, fake)
        elif kind != "input" and held is not None and complex.holds_pair(held):
            pair, held = complex.real_fake(importer, fake), torch.view_as_real(held.detach())
        whole = fake if pair is None else pair
        value = importer.graph.add_argument(importer.type_of(whole), kind, name, loc, strides.memory_order(whole))
        storage = Storage(value, whole, argument=value)
        importer.storages.append(storage)
        self.names.append(importer.graph.arguments[-1])
        result = Tensor(storage, (), whole)
        result = importer.register(result if pair is None else complex.as_complex(importer, result, fake))
        importer.arguments.append((result, name, (signature(fake), storage_of(fake))))
        importer.symbols.add_source(fake, value)
        if tensor is not None:
            if shared:
                self.by_tensor[id(tensor)] = result
            if kind != "input":
                importer.weights[name] = held
            if kind == "constant" and dtypes.fits_in_constant(held):
                importer.candidates[value] = held
        return result


    def add_sizes(self, sizes):
        """Sizes that are inputs: an index argument where no tensor's extent tells them."""
        importer = self.importer
        known = {expr for expr, _, _ in importer.symbols.sources}
        for name, size in sizes:
            expr = symbols.expression(size)
            if symbols.as_int(size) is None and expr not in known:
                known.add(expr)
                importer.symbols.define(size, importer.graph.add_argument(ir.INDEX, "input", name, "loc(unknown)"))


def _finish(importer, strict):
    if importer.unknown and strict:
        raise UnknownOpsError(importer.unknown)
    if importer.unknown:
        lines = "\n".join(f"  {u}" for u in importer.unknown)
        warnings.warn(f"fxgraph: {len(importer.unknown)} ops stay opaque:\n{lines}", stacklevel=3)
    return _imported(importer)


def _imported(importer):
    """The Module that an import has built."""
    from ..module import Module
    module = Module(ir.module_text([importer.graph]), weights=importer.weights, unknown_ops=importer.unknown,
                    inputs=[a.name for a in importer.graph.arguments if a.kind == "input"],
                    outputs=importer.outputs)
    module.subgraphs = importer.subgraphs
    module.verify()
    return module


def from_exported(ep, strict=False, locations="file", regions=False):
    """Imports a torch.export.ExportedProgram (ATen level).

    Arguments follow the program's signature: parameters, buffers, constants,
    inputs; tied weights are one argument. Writes that the signature lists
    (buffers_to_mutate, user_inputs_to_mutate) and in-place ops on arguments
    both become `fxgraph.copy_`. `regions` is as for `capture`.
    """
    return _import_exported(ep, strict, locations, regions)[0]


def _import_exported(ep, strict, locations, regions):
    """The module, and whether a result has another shape than torch.export traced (_watch_results)."""
    if not isinstance(ep, torch.export.ExportedProgram):
        raise ImportFailure(f"expected a torch.export.ExportedProgram but got {type(ep).__name__}")
    gm, signature = ep.graph_module, ep.graph_signature
    from torch.export.graph_signature import InputKind, OutputKind
    if any(spec.kind is InputKind.TOKEN for spec in signature.input_specs):
        ep = _without_tokens(ep)
        gm, signature = ep.graph_module, ep.graph_signature
    importer = graph.Importer("aten", _replay_of(gm), locations, strict, regions=regions)
    importer.guarded = False
    arguments = _Arguments(importer)
    specs = {s.arg.name: s for s in signature.input_specs}
    sizes = []
    by_target = {}
    for node in gm.graph.nodes:
        if node.op != "placeholder":
            continue
        spec, fake = specs[node.name], graph.meta_of(node)
        if not isinstance(fake, torch.Tensor):
            importer.env[node] = fake if fake is not None else getattr(spec.arg, "value", None)
            if isinstance(fake, torch.SymInt):
                sizes.append((node.name, fake))
            continue
        kind, tensor, name = "input", None, node.name
        if spec.kind is InputKind.PARAMETER:
            kind, tensor, name = "parameter", ep.state_dict[spec.target], spec.target
        elif spec.kind is InputKind.BUFFER:
            tensor = ep.state_dict.get(spec.target) if spec.persistent else None
            tensor = ep.constants.get(spec.target) if tensor is None else tensor
            kind, name = "buffer", spec.target
        elif spec.kind is InputKind.CONSTANT_TENSOR:
            kind, tensor, name = "constant", ep.constants.get(spec.target), spec.target
            if isinstance(tensor, torch.Tensor) and not dtypes.has_data(tensor):
                raise ImportFailure(f"expected elements of the constant {name} but got {type(tensor).__name__}: torch.export takes a value that the model "
                                    "computes (under torch.func.grad, for one) for a constant; capture it at torch level")
        if kind != "input" and tensor is None:
            raise ImportFailure(f"expected a value for {kind} {name} in the exported program")
        importer.env[node] = arguments.add(fake, kind, name, tensor)
        by_target[spec.target or node.name] = importer.env[node]
        by_target.setdefault(node.name, importer.env[node])
    arguments.add_sizes(sizes)
    # The symbols of a program that was saved have lost their guards.
    guards.check_sizes(importer, saved=getattr(ep, "_guards_code", ()), inputs=lambda: guards.forward_arguments(ep))
    mutated = {}
    results = []
    for position, spec in enumerate(signature.output_specs):
        if spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION) or spec.kind.name == "PARAMETER_MUTATION":
            mutated[position] = by_target[spec.target]
        else:
            results.append(position)
    _patch_finish(importer, mutated, results)
    _watch_results(importer, gm)
    importer.run(gm)
    module = _finish(importer, strict)
    _set_structure(module, ep.call_spec.out_spec)
    return module, importer.misled


def _without_tokens(ep):
    """A program's copy without the tokens by which run_decompositions orders what has effects beside its tensors: here the order of the ops does."""
    from torch.export._remove_effect_tokens_pass import _remove_effect_tokens
    from torch.export.graph_signature import ExportGraphSignature

    def copied(gm):
        copy_ = torch.fx.GraphModule(gm, copy.deepcopy(gm.graph))
        copy_.meta.update(gm.meta)
        for name, child in gm.named_children():
            if isinstance(child, torch.fx.GraphModule):
                setattr(copy_, name, copied(child))
        return copy_

    gm, signature, ep = copied(ep.graph_module), ep.graph_signature, copy.copy(ep)
    ep._graph_module, ep._graph_signature = gm, ExportGraphSignature(list(signature.input_specs), list(signature.output_specs))
    return _remove_effect_tokens(ep)


def _set_structure(module, spec):
    """The pytree of the outputs, if it has a place for each of them."""
    if spec is not None and spec.num_leaves == len(module.outputs):
        module.out_spec = spec


def _output_structure(gm):
    """The pytree that a GraphModule returns."""
    import torch.utils._pytree as pytree
    if isinstance(gm.graph._codegen, torch.fx.graph._PyTreeCodeGen):
        return gm.graph._codegen.pytree_info.out_spec
    output = next(node for node in reversed(gm.graph.nodes) if node.op == "output")

    def plain(value):
        """Without the immutable lists and dictionaries of torch.fx."""
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(item) for item in value]
        return tuple(map(plain, value)) if type(value) is tuple else value

    return pytree.tree_structure(plain(output.args[0]))


def _watch_results(importer, gm):
    """Tells whether torch.export went on with a tensor's second name as with a tensor of its own: `importer.misled`.

    Its graph then has a result's old shape, which changed under the other name (`y = F.dropout(x, 0.0); y.t_()`, then `x`), or no `contiguous`, since the
    name seemed dense.
    """
    finish = importer.finish
    importer.misled = False
    nodes = next(node for node in reversed(gm.graph.nodes) if node.op == "output").args[0]

    def with_check(outputs):
        outputs = list(outputs)
        for node, value in zip(nodes, outputs):
            traced = graph.meta_of(node) if isinstance(node, torch.fx.Node) else None
            if isinstance(traced, torch.Tensor) and isinstance(value, Tensor):
                # None stands for an extent that varies.
                importer.misled |= [symbols.as_int(n) for n in traced.shape] != [symbols.as_int(n) for n in value.fake.shape]
        importer.misled |= any(_is_second_name(importer, node) for node in gm.graph.nodes)
        finish(outputs)

    importer.finish = with_check


def _is_second_name(importer, node):
    """True of a call that gives its operand, though its schema does not say so, and whose result lies elsewhere in the trace."""
    if not isinstance(node.target, torch._ops.OpOverload) or any(item.alias_info is not None for item in node.target._schema.returns):
        return False
    traced, value = graph.meta_of(node), importer.env.get(node)
    if not isinstance(traced, torch.Tensor) or not isinstance(value, Tensor):
        return False
    operands = [importer.env.get(source) for source in node.all_input_nodes]
    if not any(isinstance(operand, Tensor) and operand.storage is value.storage for operand in operands):
        return False

    def lies_as(tensor):
        """None stands for what varies, and for the stride of a dimension of one element."""
        extents = [symbols.as_int(n) for n in tensor.shape]
        strides = tensor.stride() if tensor.layout is torch.strided and 0 not in extents else [1] * len(extents)
        return [None if n in (None, 1) else symbols.as_int(stride) for n, stride in zip(extents, strides)]

    return lies_as(traced) != lies_as(value.fake)


def _results_of(function, model, args, kwargs):
    """The leaves of what a call gives; weights and buffers are afterwards what they were before."""
    import torch.utils._pytree as pytree
    state = [(tensor, tensor.clone()) for tensor in (*model.parameters(), *model.buffers())] if isinstance(model, torch.nn.Module) else []
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)  # a GPU's generator stays the user's
        results = pytree.tree_leaves(function(*pytree.tree_map_only(torch.Tensor, _apart, args), **pytree.tree_map_only(torch.Tensor, _apart, kwargs)))
        results = [item.detach().clone() if isinstance(item, torch.Tensor) and item.layout is not torch.strided else
                   _apart(item.detach()) if isinstance(item, torch.Tensor) else item for item in results]
        for tensor, before in state:  # what was written there is no capture's to do
            if not torch.equal(tensor, before):
                tensor.copy_(before)
    return results


def _check_strides(module, model, args, kwargs):
    """The results lie in memory as the model's do: a misled trace leaves out what the model does because of a new shape, the `contiguous` of
    what has become a transposed matrix, say."""
    want, got = (_results_of(function, model, args, kwargs) for function in (model, module.to_fx()))
    strides = [[item.stride() if isinstance(item, torch.Tensor) and item.layout is torch.strided else None for item in items] for items in (want, got)]
    for number, (models, mine) in enumerate(zip(*strides)):
        if mine != models:
            raise ImportFailure(f"expected a trace whose result {number} has strides {models} but got {mine}: torch.export does not see that a tensor has a second name "
                                '(of F.dropout, say), which lies where it lies and changes its shape in place; capture the model at level "torch"')


def _check_sizes_in_trace(module, model, args, kwargs):
    """The results are the model's: Dynamo goes on with the old sizes of a tensor whose shape changes in place (`e = b.expand(2, -1); e.t_()`, then
    `e.size(0)`), which have become numbers in its graph."""
    want, got = (_results_of(function, model, args, kwargs) for function in (model, module.to_fx()))

    def is_same(mine, models):
        if not isinstance(models, torch.Tensor) or models.layout is not torch.strided:
            return isinstance(mine, torch.Tensor) or mine == models
        if mine.shape != models.shape or models.is_quantized:
            return mine.shape == models.shape
        mine, models = (item.double() if item.is_floating_point() else item for item in (mine, models))  # 8-bit floats have no allclose
        return torch.allclose(mine.to(models.dtype), models, rtol=1e-3, atol=1e-3, equal_nan=True)

    again = None
    for number, (models, mine) in enumerate(zip(want, got)):
        if is_same(mine, models):
            continue
        again = _results_of(model, model, args, kwargs) if again is None else again
        if is_same(again[number], models):  # else it is memory that nobody writes, say
            raise ImportFailure(f"expected a trace whose result {number} is the model's but got another: Dynamo does not see that the sizes of a tensor change in place "
                                "(t_, unsqueeze_, …); write the model with t, unsqueeze, … instead")


def _patch_finish(importer, mutated, results):
    """Outputs that the signature calls mutations are writes, not results."""
    if not mutated:
        return
    finish = importer.finish

    def with_mutations(outputs):
        outputs = list(outputs)
        # All are read before the first is written: one may be a view of what another replaces.
        pairs = [(destination, outputs[position]) for position, destination in mutated.items() if isinstance(outputs[position], Tensor)]
        pairs = [tuple(map(complex.pair_of, pair)) if all(map(complex.is_pair, pair)) else pair for pair in pairs]
        writes = [(destination, source.read()) for destination, source in pairs]
        writes = [(destination, value) for destination, value in writes if value is not destination.read()]
        # So are the results: what the program returns of an argument that it replaces is what was there before.
        before = {}
        for destination, _ in writes:
            storage = destination.storage
            before.setdefault(storage, Storage(storage.base, storage.fake))
        returned = [outputs[i] for i in results]
        returned = [Tensor(before[item.storage], item.chain, item.fake) if isinstance(item, Tensor) and item.storage in before else item for item in returned]
        for destination, value in writes:
            destination.write(value)
        finish(returned)

    importer.finish = with_mutations


def _named_tensors(*modules):
    """{id(tensor): (kind, name)} of the modules' parameters, buffers and tensor attributes."""
    names = {}
    for module in modules:
        if module is None:
            continue
        for name, tensor in module.named_parameters(remove_duplicate=False):
            names.setdefault(id(tensor), ("parameter", name))
        for name, tensor in module.named_buffers(remove_duplicate=False):
            names.setdefault(id(tensor), ("buffer", name))
        for path, sub in module.named_modules():
            for attribute, value in vars(sub).items():
                if isinstance(value, torch.Tensor):
                    names.setdefault(id(value), ("constant", f"{path}.{attribute}" if path else attribute))
    return names


class _InlineTracer(torch.fx.Tracer):
    """Traces through every submodule that can be traced."""

    def __init__(self):
        super().__init__()
        self.opaque = {}

    def call_module(self, module, forward, args, kwargs):
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.momentum is not None:
            # Its own forward asks for the rank, which a trace does not know.
            training = module.training or module.running_mean is None and module.running_var is None
            if module.training and module.track_running_stats and module.num_batches_tracked is not None:
                self.create_proxy("call_method", "add_", (module.num_batches_tracked, 1), {})
            use_running = not module.training or module.track_running_stats
            return torch.nn.functional.batch_norm(
                *args, module.running_mean if use_running else None, module.running_var if use_running else None,
                module.weight, module.bias, training, module.momentum, module.eps, **kwargs)
        return super().call_module(module, forward, args, kwargs)

    def is_leaf_module(self, module, qualified_name):
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.momentum is not None:
            return False
        known = self.opaque.get(id(module))
        if known is None:
            try:
                probe = _InlineTracer()
                probe.opaque = self.opaque
                probe.trace(module)
                known = False
            except Exception:  # whatever keeps this module from being traced
                known = True
            self.opaque[id(module)] = known
        return known


def _inline_modules(gm):
    """The same graph with call_module replaced by the modules' own calls."""
    if not any(n.op == "call_module" for n in gm.graph.nodes):
        return gm
    traced = _InlineTracer().trace(gm)
    return torch.fx.GraphModule(gm, traced)


def from_fx(gm, example_inputs=(), strict=False, locations="file", root=None, input_names=None, regions=False, guarded=True):
    """Imports a torch-level fx.GraphModule, as Dynamo hands it to a backend.

    Also takes graphs of torch.fx.symbolic_trace. Where nodes carry no metas,
    they are found by running the graph on fakes of `example_inputs`. `root` is
    the model that the graph's weights belong to, for their names; `input_names`
    are names for the placeholders that are not weights; `regions` is as for `capture`.
    `guarded`: the caller checks the conditions on sizes under which the graph was
    traced, as Dynamo does; else a graph that hangs on them is refused (pieces.py).
    """
    if not isinstance(gm, torch.fx.GraphModule):
        raise ImportFailure(f"expected a torch.fx.GraphModule but got {type(gm).__name__}")
    structure = _output_structure(gm)
    gm = _inline_modules(gm)
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    example_inputs = list(example_inputs)
    if example_inputs:
        # The rest are the parameters' defaults.
        example_inputs += [node.args[0] for node in placeholders[len(example_inputs):] if node.args]
    if example_inputs and len(example_inputs) != len(placeholders):
        raise ImportFailure(f"expected {len(placeholders)} example inputs but got {len(example_inputs)}")
    importer = graph.Importer("torch", _replay_of(gm, example_inputs), locations, strict, regions=regions)
    importer.guarded = guarded
    importer.must_run = _metas_missing(gm, bool(example_inputs))
    if importer.must_run and len(example_inputs) != len(placeholders):
        raise ImportFailure(f"expected {len(placeholders)} example inputs but got {len(example_inputs)}")
    arguments = _Arguments(importer)
    names = _named_tensors(root, gm)
    sizes = []
    for i, node in enumerate(placeholders):
        fake = graph.meta_of(node)
        example = example_inputs[i] if i < len(example_inputs) else None
        grap = node.meta.get("grapharg")
        real = getattr(grap, "example", None) if grap is not None else None
        if not isinstance(fake, torch.Tensor):
            if isinstance(example, torch.Tensor):
                fake = example
            else:
                importer.env[node] = fake if fake is not None else example
                if isinstance(fake, torch.SymInt):
                    sizes.append((str(node.target), fake))
                continue
        kind, name = "input", str(node.target)
        weight = None
        for candidate in (real, example):
            if isinstance(candidate, torch.Tensor) and id(candidate) in names:
                (kind, name), weight = names[id(candidate)], candidate
                break
            if isinstance(candidate, torch.nn.Parameter) and not isinstance(candidate, torch._subclasses.FakeTensor):
                kind, name, weight = "parameter", _source_name(node), candidate
                break
        if kind == "input" and input_names is not None:
            name = input_names[i]
        elif kind == "input" and name.startswith("L_") and name.endswith("_"):
            name = name[2:-1]
        importer.env[node] = arguments.add(fake, kind, name, weight)
    arguments.add_sizes(sizes)
    for node in gm.graph.nodes:
        if node.op != "get_attr":
            continue
        value = gm
        for part in str(node.target).split("."):
            value = getattr(value, part)
        if not isinstance(value, torch.Tensor):
            importer.env[node] = value
            continue
        kind, name = names.get(id(value), ("constant", str(node.target)))
        meta = graph.meta_of(node)
        fake = meta if isinstance(meta, torch.Tensor) and all(isinstance(s, int) for s in meta.shape) else value
        importer.env[node] = arguments.add(fake, kind, name, value)
    for target in dict.fromkeys(node.target for node in gm.graph.nodes if node.op == "call_module"):
        called = gm.get_submodule(target)
        importer.module_tensors[target] = {
            name: arguments.add(value, *names[id(value)], value)
            for name, value in [*called.named_parameters(remove_duplicate=False), *called.named_buffers(remove_duplicate=False)]}
    if not guarded:
        guards.check_sizes(importer, gm)
    importer.run(gm)
    module = _finish(importer, strict)
    _set_structure(module, structure)
    by_storage = {s: a.name for s, a in zip(importer.storages, arguments.names)}
    module.placeholders = [by_storage.get(importer.env[n].storage) if isinstance(importer.env[n], Tensor) else None for n in placeholders]
    return module


def _metas_missing(gm, examples):
    """True if the metas must be found: there are none, or some lack and examples are given."""
    calls = [n for n in gm.graph.nodes if n.op.startswith("call_") and n.users]
    lacking = [n for n in calls if "example_value" not in n.meta and "val" not in n.meta
               and not (n.op == "call_function" and graph.callable_key(n.target) in WITHOUT_META)]
    return bool(lacking) and (examples or len(lacking) == len(calls))


def _source_name(node):
    """A readable name of a Dynamo placeholder."""
    name = str(node.target)
    return name[2:].rstrip("_") if name.startswith("L_") else name


def capture(model, *args, level="torch", dynamic_shapes=None, strict=False, locations="file", regions=False, **kwargs):
    """Captures a model, or a function of tensors, on example arguments and imports it.

    level="torch": the graph that Dynamo hands to a backend (pre-grad ops).
    level="aten": torch.export. Neither runs the model's writes on its weights.
    `dynamic_shapes` is as for torch.export. With `regions` every cond, map and scan
    is an op with regions, also where its graphs could stand in the graph itself.
    """
    if level not in ("torch", "aten"):
        raise ImportFailure(f'expected level "torch" or "aten" but got {level!r}')
    if isinstance(model, torch.jit.ScriptModule):
        raise ImportFailure("expected a module of Python code but got one of torch.jit")
    if isinstance(model, torch.nn.Module):
        for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
            if torch.nn.parameter.is_lazy(tensor):
                raise ImportFailure(f"expected a model with initialised weights but {name} is lazy; run the model once")
    with one_error():
        try:
            function = model if isinstance(model, torch.nn.Module) else _python_function(model)
            if dynamic_shapes is not None:
                _check_examples_vary(function, args, kwargs, dynamic_shapes)
            if level == "aten":
                program = model if isinstance(model, torch.nn.Module) else _module_of(model, function)
                args, kwargs = _distinct(args, kwargs)
                ep = torch.export.export(program, args, kwargs, dynamic_shapes=dynamic_shapes)
            else:
                gm, names = _dynamo_graph(function, args, kwargs, dynamic_shapes)
        except FxGraphError:
            raise
        except Exception as error:
            raise ImportFailure(f"the model cannot be captured at {level} level: {explain(error)}") from error
    if level == "aten":
        module, misled = _import_exported(ep, strict, locations, regions)
        if misled:
            _check_strides(module, program, args, kwargs)
    else:
        module = from_fx(gm, strict=strict, locations=locations, root=model if isinstance(model, torch.nn.Module) else None,
                         input_names=names, regions=regions, guarded=False)
        if any(graph.reshaped_operands(node) for node in gm.graph.nodes):
            _check_sizes_in_trace(module, function, args, kwargs)
    return module


def _python_function(function):
    """A builtin (torch.relu) or another callable as a Python function: tracing asks for its code and parameters."""
    import inspect
    if hasattr(getattr(function, "__func__", function), "__code__") or not callable(function):
        return function

    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    with contextlib.suppress(ValueError):  # a builtin has none
        wrapper.__signature__ = inspect.signature(function)
    return wrapper


def _module_of(original, function):
    """A callable (and the same as a Python function) as the module that torch.export asks for.

    Modules that it closes over, or that it is a method of, become submodules, so that
    their parameters and buffers keep their kinds and names.
    """
    import functools
    import inspect
    module = torch.nn.Module()
    plain = original
    while isinstance(plain, functools.partial):
        plain = plain.func
    owned = {"self": getattr(plain, "__self__", None)}
    plain = getattr(plain, "__func__", plain)
    if inspect.isfunction(plain):
        variables = inspect.getclosurevars(plain)
        owned |= {**variables.globals, **variables.nonlocals}
    for name, value in owned.items():
        if isinstance(value, torch.nn.Module) and not hasattr(module, name):
            module.add_module(name, value)
    module.forward = function
    return module


def _distinct(args, kwargs):
    """The arguments with copies for tensors that are there before, which torch.export makes one input, and for views: it traces them with the
    sizes of their bases."""
    import torch.utils._pytree as pytree
    seen = set()

    def distinct(value):
        if not isinstance(value, torch.Tensor) or id(value) not in seen and not value._is_view():
            seen.add(id(value))
            return value
        return _apart(value)

    return pytree.tree_map(distinct, (args, kwargs))


def _apart(tensor):
    """A copy that lies in memory as the tensor does, and is nobody's view: what calls give by strides, and which of them copy, hangs on that."""
    if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or tensor.is_conj() or tensor.is_neg():
        return tensor.detach().clone().requires_grad_(tensor.requires_grad)
    offset, reach = tensor.storage_offset(), sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) + 1 if tensor.numel() else 0
    with torch.no_grad():
        memory = tensor.new_empty(offset + reach)
        memory[offset:] = tensor.as_strided((reach,), (1,))
        copy = tensor.new_empty(0).set_(memory.untyped_storage(), offset, tensor.shape, tensor.stride())
    return copy.requires_grad_(tensor.requires_grad)


def _dynamo_graph(model, args, kwargs, dynamic_shapes):
    """(GraphModule, names of the inputs) of Dynamo's whole-graph capture with flat inputs and outputs."""
    import torch._dynamo
    import torch.utils._pytree as pytree
    from torch._dynamo import eval_frame, external_utils
    flat, spec = pytree.tree_flatten((args, kwargs))
    clones = [_apart(x) if isinstance(x, torch.Tensor) and not isinstance(x, torch.nn.Parameter) else x for x in flat]
    args, kwargs = pytree.tree_unflatten(clones, spec)
    options = {}
    if dynamic_shapes is not None:
        options["dynamic_shapes"] = dynamic_shapes
    # Export clears the code of the model's own forward; layers of torch.nn (nn.Sequential) run in a wrapper whose code
    # they share, and the ninth of them would be over Dynamo's limit for one code.
    eval_frame.remove_from_cache(external_utils.wrap_inline(model).__code__)
    with warnings.catch_warnings(), _attributes_kept(model), torch._dynamo.config.patch(allow_rnn=True), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore")
        # These libraries choose their algorithm by the batch: a symbolic one would be bounded to what the example's has.
        for library in (torch.backends.mkldnn, torch.backends.nnpack):
            stack.enter_context(library.flags(enabled=False))
        stack.enter_context(_weights_read_outside_functorch())
        exported = torch._dynamo.export(model, aten_graph=False, assume_static_by_default=True, **options)(*args, **kwargs)
    return exported.graph_module, _input_names(model, args, kwargs)


def _check_examples_vary(model, args, kwargs, dynamic_shapes):
    """Traces take extents of 0 and 1 for numbers, those too that are asked to vary (Dim.DYNAMIC), and Dynamo's do not say so."""
    import torch.utils._pytree as pytree
    from torch._dynamo.exc import UserError
    from torch.export import dynamic_shapes as export

    def check(path, value, spec):
        dims = spec.items() if isinstance(spec, dict) else enumerate(spec or ()) if isinstance(value, torch.Tensor) else ()
        for dim, hint in dims:
            if getattr(hint, "type", None) is torch.export.Dim.DYNAMIC.type and value.shape[dim] < 2:
                raise ImportFailure(f"expected an example of at least 2 in dim {dim} of {pytree.keystr(path)}, which is to vary, but got {value.shape[dim]}")

    with contextlib.suppress(UserError):  # dynamic_shapes of another structure, of which PyTorch says more
        given = export._combine_args(model, args, kwargs)
        if isinstance(dynamic_shapes, (tuple, list)) and len(dynamic_shapes) == len(given):
            dynamic_shapes = dict(zip(given, dynamic_shapes))
        export._tree_map_with_path(check, given, dynamic_shapes, tree_name="inputs")


@contextlib.contextmanager
def _weights_read_outside_functorch():
    """Dynamo's export copies each weight where it meets it, under vmap or grad (functional_call) too: the copy is of none of their values."""
    from torch._dynamo.variables import builder
    from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
    copy = builder._clone_input

    def outside(value, fake_mode):
        with temporarily_clear_interpreter_stack():
            return copy(value, fake_mode)

    builder._clone_input = outside
    try:
        yield
    finally:
        builder._clone_input = copy


@contextlib.contextmanager
def _attributes_kept(model):
    """Puts back the attributes that tracing assigns (self.count += 1 binds a fake)."""
    modules = list(model.modules()) if isinstance(model, torch.nn.Module) else []
    saved = [(m, dict(m._parameters), dict(m._buffers), dict(m._modules), dict(m.__dict__)) for m in modules]
    try:
        yield
    finally:
        for module, parameters, buffers, children, attributes in saved:
            for now, before in ((module._parameters, parameters), (module._buffers, buffers), (module._modules, children)):
                now.clear()
                now.update(before)
            module.__dict__.clear()
            module.__dict__.update(attributes)


def _input_names(model, args, kwargs):
    """Names of the flat inputs from the callable's parameters: x, pair_0, pair_1."""
    import inspect
    import torch.utils._pytree as pytree
    function = model.forward if isinstance(model, torch.nn.Module) else model
    bound = inspect.signature(function).bind(*args, **kwargs)
    parameters = bound.signature.parameters
    names = []
    for key, value in bound.arguments.items():
        if parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
            entries = list(value.items())
        else:
            entries = [(key, value)]
        for name, entry in entries:
            leaves = pytree.tree_flatten_with_path(entry)[0]
            for path, _ in leaves:
                parts = [str(getattr(p, "idx", getattr(p, "key", getattr(p, "name", "")))) for p in path]
                names.append("_".join([name, *parts]))
    return names


def load_exported(path):
    """torch.export.load with one error instead of warnings and an error that refers to them."""
    with one_error() as records:
        try:
            return torch.export.load(path)
        except Exception as error:
            # What PyTorch met first: then it tries the formats of older versions.
            first = next((record.exc_info[1] for record in records if record.exc_info), error)
            reason = with_root(first).split(". ")[0]
            raise ImportFailure(f"{path} is not an exported program that PyTorch {torch.__version__} reads: {reason}") from error


def load(path, **options):
    """Loads .mlir or .mlirbc (as a Module) or .pt2 (imported)."""
    from ..module import Module, require_file
    path = require_file(path)
    if path.endswith(".pt2"):
        return from_exported(load_exported(path), **options)
    return Module.load(path)

