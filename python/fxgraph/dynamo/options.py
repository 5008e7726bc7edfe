# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `options` of torch.compile(…, backend="fxgraph")."""

import dataclasses
import typing

from ..errors import FxGraphError

TARGETS = ("cpu", "gpu", "ref")


@dataclasses.dataclass(frozen=True)
class Options:
    """target    where compiled ops run; None: on the device of the inputs
    pipeline  the passes before the compilation; the empty text for none
    verify    every rewrite is checked on the reference interpreter while it is made
    strict    an op that would run in PyTorch is an error
    """

    target: typing.Optional[str] = None
    # Attention is looked for first: a permuted key that is part of its product hides it.
    pipeline: str = "fxgraph-attention-fuse,fxgraph-pre-grad"
    verify: bool = False
    strict: bool = False

    @classmethod
    def of(cls, options, mode=None):
        """The options that torch.compile was given."""
        if mode is not None:
            raise FxGraphError(f"expected no mode for the backend fxgraph, which has options alone, but got mode={mode!r}")
        if not isinstance(options or {}, dict):
            raise FxGraphError(f"expected a dictionary of options but got {options!r}")
        fields = {field.name: field for field in dataclasses.fields(cls)}
        for name, value in (options or {}).items():
            if name not in fields:
                raise FxGraphError(f"expected options among {', '.join(fields)} but got {name!r}")
            if name == "target":
                if value is not None and value not in TARGETS:
                    raise FxGraphError(f"expected the option target to be {', '.join(TARGETS)} or None but got {value!r}")
            elif type(value) is not fields[name].type:
                kind = "a text" if fields[name].type is str else "True or False"
                raise FxGraphError(f"expected the option {name} to be {kind} but got {value!r}")
        return cls(**(options or {}))
