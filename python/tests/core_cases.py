# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of the ATen ops that PyTorch tags `core`.

SAMPLES has arguments of the overloads that are no op of the dialect: they become several.
Of an op of the dialect the samples are those of cases.py.
"""

import functools
import math

import torch
from cases import CASES, b, bf, d, f, i, special
from test_overloads import arguments, resolve

from fxgraph.importer import graph, table
from fxgraph.testing import diff

aten = torch.ops.aten
# What stays with PyTorch, and why: without samples.
OPAQUE = {
    "aten.nonzero.default": "the elements' values decide the shape of the result",
}
# Any values are right: the shapes and dtypes are compared.
UNINITIALIZED = {"aten.empty.memory_format", "aten.empty_strided.default"}


def call(*args, **kwargs):
    return args, kwargs


def _group_norm_backward(dtype=torch.float32, affine=True):
    x, weight, bias = f(2, 6, 3, 4, dtype=dtype), f(6, dtype=dtype), f(6, dtype=dtype)
    _, mean, rstd = aten.native_group_norm.default(x, weight, bias, 2, 6, 12, 3, 1e-5)
    return call(f(2, 6, 3, 4, dtype=dtype), x, mean, rstd, weight if affine else None, 2, 6, 12, 3, [True, affine, affine])


def _layer_norm_backward(dtype=torch.float32, affine=True, shape=(4,)):
    x, weight, bias = f(2, 3, 4, dtype=dtype), f(*shape, dtype=dtype), f(*shape, dtype=dtype)
    _, mean, rstd = aten.native_layer_norm.default(x, shape, weight, bias, 1e-5)
    return call(f(2, 3, 4, dtype=dtype), x, list(shape), mean, rstd, weight if affine else None, bias if affine else None, [True, affine, affine])


def _max_pool2d_backward(*options, shape=(2, 3, 7, 6), dtype=torch.float32):
    kernel, stride, padding, dilation, ceil = options
    x = f(*shape, dtype=dtype)
    values, indices = aten.max_pool2d_with_indices.default(x, *options)
    return call(torch.randn_like(values), x, kernel, stride, padding, dilation, ceil, indices)


def _avg_pool2d_backward(*options):
    x = f(2, 3, 7, 6)
    return call(f(*aten.avg_pool2d.default(x, *options).shape), x, *options)


def _convolution_backward(x, weight, *options, mask=(True, True, True)):
    grad = torch.randn_like(aten.convolution.default(x, weight, None, *options))
    outputs = weight.shape[1] * options[-1] if options[3] else weight.shape[0]
    return call(grad, x, weight, [outputs], *options, list(mask))


_pads1, _pads2, _pads3 = ([1, 2], [0, 1], [0, 0]), ([1, 2, 2, 1], [0, 1, 0, 0], [2, 0, 1, 1]), ([1, 1, 2, 0, 1, 1], [0, 1, 0, 0, 1, 0])
_rows, _offsets = torch.tensor([1, 6, 0, 2, 2, 5]), {False: torch.tensor([0, 2, 2, 4]), True: torch.tensor([0, 2, 2, 6])}

# What an op writes is an argument of the graph, or the tensor that it made itself: PyTorch's programs do not resize the former.
THROUGH = {
    "aten.resize_.default": [(lambda x: aten.resize_.default(x.clone(), [3, 2]) * 2, call(f(2, 3))), (lambda x: aten.resize_.default(x.clone(), [2, 2]), call(f(2, 3))),
                             (lambda x: aten.resize_.default(x.clone(), [0]), call(f(2, 3))), (lambda x: aten.resize_.default(torch.empty(0), [3, 2]).copy_(x), call(f(2)))],
}
SAMPLES = {
    "aten._adaptive_avg_pool2d_backward.default": [call(f(2, 3, *size), f(2, 3, 5, 7)) for size in ([1, 1], [2, 3], [5, 7], [6, 4])],
    "aten._adaptive_avg_pool3d.default": [call(f(2, 3, 4, 5, 6), [2, 3, 1]), call(f(3, 4, 5, 6, dtype=bf), [1, 1, 1]), call(f(1, 2, 3, 3, 3), [5, 2, 3])],
    "aten._cdist_forward.default": [call(f(4, 3), f(5, 3), p, None) for p in (0.0, 1.0, 2.0, 3.0, math.inf)] + [call(f(2, 4, 3), f(2, 5, 3), 2.0, 1), call(f(2, 0), f(3, 0), 2.0, None)],
    "aten._embedding_bag.default": [call(f(7, 3), _rows, _offsets[last], False, mode, False, None, last, padding) for mode in (0, 1, 2) for last in (False, True) for padding in (-1, 2)]
    + [call(f(7, 3), _rows, _offsets[False], False, 0, False, f(6))],
    "aten._local_scalar_dense.default": [call(f()), call(i(1)), call(b(1, 1))],
    "aten._native_batch_norm_legit.default": [call(f(4, 3, 5), f(3), f(3), f(3), f(3).abs(), training, 0.1, 1e-5) for training in (True, False)]
    + [call(f(4, 3, 2, 2), None, None, f(3), f(3).abs(), True, 0.3, 1e-3)],
    "aten._native_batch_norm_legit.no_stats": [call(f(4, 3, 5), f(3), f(3), True, 0.1, 1e-5), call(f(4, 3), None, None, True, 0.1, 1e-5)],
    "aten._native_batch_norm_legit_no_training.default": [call(f(4, 3, 5), f(3), f(3), f(3), f(3).abs(), 0.1, 1e-5), call(f(4, 3), None, None, f(3), f(3).abs(), 0.1, 1e-3)],
    "aten._pdist_forward.default": [call(f(4, 3), p) for p in (0.0, 1.0, 2.0, 3.0, math.inf)] + [call(f(1, 3), 2.0)],
    "aten.adaptive_avg_pool1d.default": [call(f(2, 3, 7), [3]), call(f(3, 6), [1]), call(f(2, 3, 4, dtype=bf), [4])],
    "aten.alias.default": [call(f(2, 3)), call(i(0))],
    "aten.as_strided.default": [call(f(2, 6), [3, 2], [2, 1]), call(f(12), [2, 2, 2], [4, 1, 3], 1), call(f(4), [3, 2], [1, 1]), call(f(4), [2], [0], 3), call(f(4), [0, 2], [1, 1])],
    "aten.atan2.out": [call(f(2, 3), f(3), out=f(2, 3)), call(f(3, dtype=d), f(3, dtype=d), out=f(3, dtype=d)), call(f(3), i(3), out=f(3))],
    "aten.avg_pool1d.default": [call(f(2, 3, 7), [3]), call(f(3, 8), [2], [3], [1], True, False), call(f(2, 3, 8, dtype=bf), [2], [2])],
    "aten.avg_pool2d_backward.default": [_avg_pool2d_backward([2, 3], [2, 1], [1, 1], False, True, None), _avg_pool2d_backward([2, 2], [2, 2], [0, 0], True, False, None),
                                         _avg_pool2d_backward([3, 3], [1, 2], [1, 0], False, True, 4)],
    "aten.avg_pool3d.default": [call(f(2, 3, 4, 5, 6), [2, 2, 2]), call(f(3, 4, 5, 6), [2, 3, 1], [1, 2, 2], [1, 1, 0], True, False), call(f(1, 2, 4, 4, 4), [2], [2], [1], False, True, 5)],
    "aten.col2im.default": [call(f(2, 12, 20), [5, 6], [2, 2], [1, 1], [0, 0], [1, 1]), call(f(12, 9), [6, 6], [2, 2], [1, 1], [0, 0], [2, 2]),
                            call(f(1, 4, 9), [5, 5], [2, 2], [1, 1], [1, 1], [2, 2])],
    "aten.convolution_backward.default": [
        _convolution_backward(f(2, 4, 7, 6), f(6, 2, 3, 2), [2, 1], [1, 0], [1, 1], False, [0, 0], 2),
        _convolution_backward(f(2, 3, 8), f(5, 3, 3), [2], [1], [2], False, [0], 1, mask=(True, True, False)),
        _convolution_backward(f(2, 4, 5, 5), f(4, 3, 3, 3), [2, 2], [1, 1], [1, 1], True, [1, 0], 1),
        _convolution_backward(f(1, 2, 4, 4, 4), f(3, 2, 2, 2, 2), [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1, mask=(False, True, False))],
    "aten.copy.default": [call(f(2, 3), f(3)), call(f(2, 3), i(2, 3)), call(i(2, 3), f(2, 1)), call(b(4), f(4))],
    "aten.diagonal.default": [call(f(3, 4)), call(f(3, 4), 1), call(f(2, 3, 4), -1, 0, 2), call(f(3, 4), 9), call(f(3, 3, 3), 0, -1, -2)],
    "aten._fft_c2r.default": [call(torch.complex(f(3, n // 2 + 1), f(3, n // 2 + 1)), [1], norm, n) for norm, n in ((0, 8), (1, 9), (2, 6), (0, 1))]
    + [call(torch.complex(f(4, 6, 3), f(4, 6, 3)), [0, 2], 2, 4), call(torch.complex(f(3, 37, dtype=d), f(3, 37, dtype=d)), [1], 0, 72)],
    "aten._fft_r2c.default": [call(f(3, 8), [1], norm, half) for norm in (0, 1, 2) for half in (False, True)]
    + [call(f(4, 5, 6), [0, 2], 0, True), call(f(7, 3), [0], 0, True), call(f(2, 200, dtype=d), [1], 0, False), call(f(1), [0], 0, True)],
    "aten.embedding_dense_backward.default": [call(f(2, 3, 4), i(2, 3, low=0, high=5), 5, -1, False), call(f(6, 4), i(6, low=0, high=3), 3, 1, False),
                                              call(f(6, 4), i(6, low=0, high=3), 3, -1, True), call(f(2, 3, 4, dtype=bf), i(2, 3, low=0, high=5), 5, 0, False)],
    "aten.empty.memory_format": [call([2, 3]), call([0], dtype=torch.int64), call([], dtype=d)],
    "aten.empty_strided.default": [call([2, 3], [1, 2]), call([2, 3], [3, 1], dtype=torch.int64)],
    "aten.fill.Scalar": [call(f(2, 3), 2.5), call(i(3), 7), call(b(2), True), call(f(2, dtype=bf), math.inf)],
    "aten.grid_sampler_2d.default": [call(f(2, 3, 5, 6), f(2, 4, 3, 2, low=-1.3, high=1.3), mode, padding, align) for mode in (0, 1, 2) for padding in (0, 1, 2)
                                     for align in (False, True)],
    "aten.masked_scatter.default": [call(f(3, 4), b(3, 4), f(12)), call(f(3, 4), b(4), f(12)), call(i(2, 3), b(2, 1), i(6))],
    "aten.max_pool2d_with_indices.default": [call(f(2, 3, 7, 6), *options) for options in (([3, 3], [2, 2], [1, 1]), ([2, 3], [], [0, 0], [1, 1], True), ([2], [1], [1], [2]))]
    + [call(f(2, 7, 6, dtype=bf), [2, 2]), call(i(1, 2, 6, 6), [3, 2], [2, 1], [1, 0])],
    "aten.max_pool2d_with_indices_backward.default": [_max_pool2d_backward([3, 3], [2, 2], [1, 1], [1, 1], False), _max_pool2d_backward([2, 3], [1, 1], [0, 0], [1, 2], True),
                                                      _max_pool2d_backward([2, 2], [2, 2], [0, 0], [1, 1], False, shape=(3, 7, 6))],
    "aten.max_pool3d_with_indices.default": [call(f(2, 3, 4, 7, 6), [2, 3, 2]), call(f(3, 4, 5, 6), [2], [1], [1], [1], True), call(f(1, 2, 5, 5, 5), [2, 2, 2], [1, 1, 1], [0, 0, 0], [2, 1, 2])],
    "aten.native_dropout.default": [call(f(2, 3), 0.3, True), call(f(20), 0.5, None), call(f(4), 1.0, True), call(f(4), 0.0, True), call(f(2, 3), 0.5, False), call(special(), 0.5, True),
                                    call(f(2, 3, dtype=d), 0.1, True), call(f(7, dtype=bf), 0.25, True), call(i(2, 3), 0.5, False)],
    "aten.native_group_norm.default": [call(f(2, 6, 3, 4), f(6), f(6), 2, 6, 12, 3, 1e-5), call(f(2, 6), None, None, 2, 6, 1, 2, 1e-3), call(f(1, 4, 5, dtype=bf), f(4, dtype=bf), None, 1, 4, 5, 2, 1e-5)],
    "aten.native_group_norm_backward.default": [_group_norm_backward(), _group_norm_backward(affine=False), _group_norm_backward(d)],
    "aten.native_layer_norm.default": [call(f(2, 3, 4), [4], f(4), f(4), 1e-5), call(f(2, 3, 4), [3, 4], None, None, 1e-3), call(f(2, 4, dtype=bf), [4], f(4, dtype=bf), None, 1e-5)],
    "aten.native_layer_norm_backward.default": [_layer_norm_backward(), _layer_norm_backward(affine=False), _layer_norm_backward(d, shape=(3, 4))],
    "aten.randperm.default": [call(n) for n in (0, 1, 2, 50)] + [call(9, dtype=dtype) for dtype in (torch.int32, torch.float32, torch.uint8)],
    "aten.reflection_pad1d.default": [call(f(2, 3, 5), pad) for pad in _pads1] + [call(f(3, 5, dtype=bf), [2, 1])],
    "aten.reflection_pad2d.default": [call(f(2, 3, 5, 4), pad) for pad in _pads2] + [call(f(3, 5, 4, dtype=d), [2, 1, 0, 3])],
    "aten.reflection_pad3d.default": [call(f(2, 2, 3, 4, 5), pad) for pad in _pads3] + [call(f(2, 3, 4, 5), [1, 2, 0, 1, 1, 1])],
    "aten.replication_pad2d.default": [call(f(2, 3, 5, 4), pad) for pad in _pads2] + [call(f(3, 5, 4), [7, 1, 0, 3])],
    "aten.replication_pad3d.default": [call(f(2, 2, 3, 4, 5), pad) for pad in _pads3] + [call(f(2, 3, 4, 5), [6, 2, 0, 1, 5, 1])],
    "aten.resize_.default": [call(f(2, 3), [2, 3])],
    "aten.scatter.value": [call(f(3, 4), 0, i(2, 4, low=0, high=3), 2.5), call(i(3, 4), 1, i(3, 2, low=0, high=4), 7), call(f(3), -1, torch.tensor([0, 2]), 1)],
    "aten.sym_is_contiguous.default": [call(f(2, 3)), call(f(3, 2).t())],
    "aten.sym_numel.default": [call(f(2, 3)), call(f())],
    "aten.sym_storage_offset.default": [call(f(2, 3))],
    "aten.sym_stride.int": [call(f(2, 3), 0), call(f(2, 3), -1)],
    "aten.upsample_bilinear2d.vec": [call(f(2, 3, 4, 5), [7, 6], align, None) for align in (False, True)] + [call(f(1, 2, 4, 5), None, False, [2.0, 1.5])],
    "aten.upsample_nearest2d.vec": [call(f(2, 3, 4, 5), [7, 6], None), call(f(1, 2, 4, 5), None, [2.0, 1.5]), call(f(2, 3, 4, 5), [2, 3], None)],
}


@functools.lru_cache(maxsize=None)
def core_overloads():
    """{key: overload} of all ops that PyTorch tags `core`."""
    found = {}
    for name in {schema.name.removeprefix("aten::") for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")}:
        packet = getattr(aten, name, None)
        for overload in packet.overloads() if packet is not None else ():
            overload = getattr(packet, overload)
            if torch.Tag.core in overload.tags:
                found[graph.callable_key(overload)] = overload
    return found


def samples(key):
    """[(callable, (args, kwargs), level), …] of a core overload."""
    found = list(SAMPLES.get(key, ()))
    for op in table.load_table().values():
        for signature in op.signatures:
            if signature.key == key:
                found += [call for case in CASES[op.name] if (call := arguments(signature, case)) is not None and takes(resolve(key), call)]
    return [(core_overloads()[key], call, "torch") for call in found] + [(*case, "aten") for case in THROUGH.get(key, ())]


def takes(target, call):
    try:
        diff.eager(target, *call)
        return True
    except Exception:
        return False  # not one of this overload's forms


def imported(key):
    """[(module, tensors, callable, arguments)] of all samples of an overload, and why the first that stays opaque does (or None)."""
    modules = []
    for target, (args, kwargs), level in samples(key):
        module, tensors = diff.import_call(target, args, kwargs, level)
        if module.unknown_ops:
            return modules, module.unknown_ops[0].reason
        modules.append((module, tensors, target, (args, kwargs)))
    return modules, None if modules else OPAQUE.get(key, "no sample")
