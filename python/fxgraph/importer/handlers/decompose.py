# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of PyTorch without an op of their own, as the ops that they are made of.

The call is traced on its metas with PyTorch's core decompositions, those listed here
and our own (importer/decompositions.py), and the resulting ATen graph is imported in
its place under the call's name. A call of which a part has no form stays whole.
"""

import contextlib
import operator
import warnings

import torch
from torch._dispatch.python import enable_python_dispatcher

from ...errors import ImportFailure
from .. import draws, factorizations, gradients, resampling, table  # noqa: F401, of all but the last: their entries of the table
from ..decompositions import TABLE as OWN
from ..graph import SPECIAL, Call, Undecomposable, Unsupported, callable_key, flatten, special
from ..replay import TRACING, GuardError, signature
from ..tracker import Tensor

# Names as functions of torch / torch.nn.functional / Tensor and as ATen ops. Listed one by one since PyTorch's definition of
# an op beyond the core ones need not be what its kernel computes: these have been compared with eager. What ODS lists is an
# op's, even if it is here.
DECOMPOSED = """
square addcmul addcdiv relu6 lerp glu softsign tanhshrink threshold hardshrink softshrink celu selu prelu logit
mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy cross_entropy_loss nll_loss nll_loss_nd binary_cross_entropy
binary_cross_entropy_with_logits kl_div diff outer inner addmv normalize cosine_similarity softmin
rot90 fliplr flipud float_power xlogy hypot frac logaddexp positive deg2rad rad2deg sinc
ravel square_ dist isclose nansum nanmean
instance_norm pixel_shuffle pixel_unshuffle channel_shuffle tensor_split
take_along_dim repeat_interleave one_hot linspace aminmax column_stack block_diag
erfc trapezoid adjoint logical_xor_
upsample_nearest2d upsample_bilinear2d interpolate isneginf isposinf sgn heaviside
_weight_norm _weight_norm_interface broadcast_tensors meshgrid diag_embed tile unsqueeze_copy
margin_ranking_loss soft_margin_loss poisson_nll_loss hinge_embedding_loss cosine_embedding_loss multilabel_soft_margin_loss
triplet_margin_loss lp_pool1d lp_pool2d multi_head_attention_forward
lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell
""".split()
# Loops over a sequence, which become one copy of their body a step: at most so many.
RECURRENT = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})
MAX_STEPS = 512
_TABLE = _DEFINITIONS = None
OWN_NAMES = frozenset(overload._schema.name.removeprefix("aten::") for overload in OWN)
# Beside the op table's, kept whole while tracing: handlers take them in every form.
_HANDLED = frozenset({"native_group_norm", "index_add", "index_copy", "unsafe_split"})
# Not kept though it is in the op table: the dialect has one mode, and the dispatcher makes an op of each.
TAKEN_APART = frozenset({"pad"})


def definitions():
    """{overload: what PyTorch, or decompositions.py, defines it by}: the core decompositions and those listed here."""
    global _DEFINITIONS
    if _DEFINITIONS is None:
        from torch._decomp import core_aten_decompositions, get_decompositions
        decomposed = dict(core_aten_decompositions())
        aten = torch.ops.aten
        extra = [getattr(aten, n) for n in DECOMPOSED if hasattr(aten, n)]
        extra += [aten.upsample_nearest1d, aten.upsample_nearest3d, aten.upsample_linear1d, aten.upsample_trilinear3d, aten.upsample_bicubic2d,
                  aten.grid_sampler_2d, aten._unsafe_index, aten._unsafe_masked_index, aten.prelu, aten._prelu_kernel, aten.native_group_norm,
                  aten._native_batch_norm_legit_functional, aten.log_sigmoid_forward]
        decomposed.update(get_decompositions([e for e in extra if e is not None]))
        decomposed.update(OWN)
        _DEFINITIONS = decomposed
    return _DEFINITIONS


def decompositions():
    """The definitions without those of ops that the dialect has."""
    global _TABLE
    if _TABLE is None:
        names = {key.split(".")[1] for key in table.signatures_by_key() if key.startswith("aten.")}
        keep = {f"aten.{name}" for name in names | _HANDLED} - {f"aten.{name}" for name in TAKEN_APART}
        # Of an op's packet an overload of another meaning may be ours (round.decimals), and what is ours may have a handler.
        ours = {op: SPECIAL.get(callable_key(op)) is lower for op in OWN}
        _TABLE = {op: fn for op, fn in definitions().items() if ours.get(op, str(getattr(op, "overloadpacket", op)) not in keep)}
    return _TABLE


def trace(importer, call, target, table=None):
    """The ATen graph of `target` on a call's arguments, and the tensors among them in order. `table` is of what is taken apart."""
    from torch.fx.experimental.proxy_tensor import make_fx
    tensors = []
    for item in flatten([call.args, call.kwargs]):
        if isinstance(item, Tensor) and not any(item is t for t in tensors):
            tensors.append(item)
    if target is None:
        raise Unsupported("the callable is not known")

    def function(*metas):
        def put(value):
            if isinstance(value, Tensor):
                return next(m for t, m in zip(tensors, metas) if t is value)
            if isinstance(value, (list, tuple)):
                return [put(v) for v in value]
            if isinstance(value, dict):
                return {k: put(v) for k, v in value.items()}
            return value
        result = target(*put(list(call.args)), **put(call.kwargs))
        return tuple(result) if isinstance(result, tuple) else result  # The class of a named tuple would be a call.

    # Of composite ops C++'s own definitions may ask for sizes as numbers where Python's do not.
    for dispatcher in (contextlib.nullcontext, enable_python_dispatcher):
        try:
            with TRACING, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Setting the flags of mkldnn warns of Intel's GPUs.
                # With mkldnn PyTorch's definition of an LSTM is one op of that library.
                with torch.no_grad(), importer.fake_mode, torch.backends.mkldnn.flags(enabled=False), dispatcher():
                    module = make_fx(function, decomposition_table=decompositions() if table is None else table)(*[t.fake for t in tensors])
                    module.graph.eliminate_dead_code()
            return module, tensors
        except GuardError:
            continue
        except Exception as error:
            reason = isinstance(error, NotImplementedError) and str(error).partition("\n")[0]
            raise Unsupported(reason or f"its decomposition cannot be traced: {type(error).__name__}") from None
    raise Unsupported("its decomposition would make a symbolic size a number")


def is_pytorch(call):
    """A function of PyTorch itself, which may be what its parts are; those of others stay whole."""
    return call.target is not None and call.key.startswith(("aten.", "torch.", "Tensor.")) and not call.key.startswith("torch.ops.")


def lower(importer, call):
    """A call that is nothing but what it is defined by."""
    try:
        return lower_listed(importer, call)
    except Unsupported as error:
        raise Undecomposable(str(error)) from None


def lower_listed(importer, call):
    if call.fake is None:
        raise Unsupported("the result's type is not known")
    if "linspace" in call.key and isinstance(call.fake, torch.Tensor) and not call.fake.dtype.is_floating_point:
        raise Unsupported("linspace of integers rounds in its own way")
    if ("interpolate" in call.key or "upsample" in call.key) and isinstance(call.fake, torch.Tensor) and not call.fake.dtype.is_floating_point:
        if "nearest" not in call.key and call.kwargs.get("mode", (*call.args, *["nearest"] * 4)[3]) not in ("nearest", "nearest-exact"):
            raise Unsupported("interpolation of integers rounds in its own way")
        importer.check_accepted(call)  # PyTorch has kernels for bytes alone
    if call.key.split(".")[1] in RECURRENT:
        check_steps(call)
    return lower_traced(importer, call, call.target)


def lower_by_definition(importer, call):
    """A call that its handler has no form for, by PyTorch's definition of it; nothing that draws or writes."""
    target = call.target
    if call.fake is None or not is_pytorch(call):
        raise Unsupported("it has no definition by other ops")
    if isinstance(target, torch._ops.OpOverload):
        # Ours say themselves of what they draw nothing.
        if target not in definitions() or not is_pure(target) and (target not in OWN or target._schema.is_mutable):
            raise Unsupported("it has no definition by other ops")
        target = definitions()[target]
    result = lower_traced(importer, call, target, is_pure)
    for made, fake in zip(flatten(result), flatten(call.fake), strict=True):
        # A definition need not keep to the results that only a gradient needs.
        if isinstance(fake, torch.Tensor) and (not isinstance(made, Tensor) or signature(made.fake)[0] != signature(fake)[0]
                                               or made.fake.dtype != fake.dtype):
            raise Unsupported("its definition has another result")
    return result


def is_pure(target):
    """True for an ATen op that neither draws nor writes, and for what is no ATen op."""
    return not isinstance(target, torch._ops.OpOverload) or \
        not target._schema.is_mutable and torch.Tag.nondeterministic_seeded not in target.tags


def check_steps(call):
    """Raises Unsupported for sequences of unknown or great length."""
    from .. import symbols
    sequence, *rest = (a for a in call.args if isinstance(a, (Tensor, list, tuple)))
    batch_first, weights = call.args[-1] is True, max((a for a in rest if isinstance(a, (list, tuple))), key=len)
    steps = symbols.as_int(sequence.fake.shape[1 if batch_first else 0])
    if steps is None or steps * len(weights) > 4 * MAX_STEPS:
        raise Unsupported("a recurrence over many steps, or an unknown number of them, is not unrolled")


def lower_traced(importer, call, target, takes=lambda part: True):
    """Imports what `target` is in ATen ops, all of which `takes` accepts, in the place of a call."""
    from .higher_order import inline
    module, tensors = trace(importer, call, target)
    parts = {node.target for node in module.graph.nodes if node.op == "call_function" and node.target is not operator.getitem}
    if call.target in parts or not all(map(takes, parts)):
        raise Unsupported("the dialect has no op for it")
    before = len(importer.unknown)
    try:
        result = inline(importer, module, tensors)
    except ImportFailure as error:
        # A part that can not even stay whole (its size is no arithmetic of integers): the call can.
        raise Unsupported(f"its decomposition cannot be imported: {error}") from None
    if len(importer.unknown) > before:
        # A part that is not known: keep the whole call instead.
        reason = "the dialect has no op for it"
        if len(parts) > 1:
            reason = f"its decomposition has {importer.unknown[before].target}, which the dialect has no op for"
        del importer.unknown[before:]
        raise Unsupported(reason)
    if isinstance(call.fake, torch.Tensor) and isinstance(result, (list, tuple)):
        result = result[0]
    return result


@special("aten.native_dropout.default", "torch.native_dropout")
def native_dropout(importer, call):
    """PyTorch's fakes return the operand where the kernel copies it, and drop nothing where `train` is None."""
    call.fake = importer.fake_call(lambda x: (torch.empty_like(x), torch.empty_like(x, dtype=torch.bool)), [call.args[0]], {})
    return lower_traced(importer, call, OWN[torch.ops.aten.native_dropout.default])


@special("aten.rrelu.default", "torch.rrelu", "torch.nn.functional.rrelu")
def rrelu(importer, call):
    """Outside of training nothing is drawn, though PyTorch's parts of it are a draw."""
    given = dict(zip(("input", "lower", "upper", "training"), call.args[:4])) | call.kwargs
    if given.get("training") or given.get("inplace") or any(call.args[4:]):  # the fifth is in place, or a generator
        raise Unsupported("in training it draws as many numbers as elements are negative")
    x = given.get("input", given.get("self"))
    slope = (given.get("lower", 1 / 8) + given.get("upper", 1 / 3)) / 2
    return lower_traced(importer, Call(call.node, call.key, None, [x], {}, call.fake), lambda x: torch.ops.aten.leaky_relu(x, slope))


def lower_module(importer, call):
    """A module whose code symbolic tracing cannot follow, in ATen ops on its weights."""
    from .higher_order import inline
    module, tensors = trace(importer, call, call.target)
    return inline(importer, module, tensors)


def _register():
    for name in (*DECOMPOSED, *OWN_NAMES):
        keys = [f"torch.{name}", f"Tensor.{name}", f"torch.nn.functional.{name}", f"torch._C._nn.{name}", f"torch.functional.{name}",
                f"torch.special.{name}"]
        packet = getattr(torch.ops.aten, name, None)
        if packet is not None:
            keys += [f"aten.{name}.{overload}" for overload in packet.overloads() if not overload.endswith("out")]
        for key in keys:
            if key not in SPECIAL and key not in table.signatures_by_key():
                special(key)(lower)


_register()
