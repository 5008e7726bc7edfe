# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of many kinds with random weights, to compile and compare with eager mode.

`ZOO` has an Entry by name. The models of `transformers` are its own classes with tiny
configurations; the rest is written out here, in the style of the architectures that the
names say.
"""

import dataclasses
import typing

import torch

ZOO = {}


@dataclasses.dataclass(frozen=True)
class Entry:
    """A model: what kind it is of, and how it and calls of it are made.

    make(seed) gives (module or function, [(args, kwargs) of each call]). `precision` is the dtype
    that the model rounds to inside, where its results do not tell.
    """

    name: str
    kind: str
    make: typing.Callable
    precision: typing.Optional[torch.dtype] = None


def entry(kind, name=None, precision=None):
    """Registers a function that makes a model and its calls, with PyTorch's generator seeded."""
    def wrap(function):
        key = name or function.__name__

        def make(seed=0):
            state = torch.random.get_rng_state()
            try:
                torch.manual_seed(seed)
                model, *calls = function()
                if isinstance(model, torch.nn.Module):
                    _settle(model)
                return model, [call if isinstance(call[-1], dict) else (call, {}) for call in calls]
            finally:
                torch.random.set_rng_state(state)

        if key in ZOO:
            raise ValueError(f"expected one model named {key}")
        ZOO[key] = Entry(key, kind, make, precision)
        return function
    return wrap


def _settle(model):
    """Statistics of batch norms that are not the identity."""
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)


from . import language, recommendation, sequence, vision  # noqa: E402,F401  (fill the registry)
