# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports a functional graph of ATen ops, as AOTAutograd hands it to a compiler.

Unlike an exported program it has no signature: every placeholder is an input, and the
`val` metas hold the fake tensors and symbolic sizes that the graph was traced with.
"""

import torch

from . import graph
from .capture import _Arguments, _imported, _replay_of
from ..errors import ImportFailure


class NodeFailure(ImportFailure):
    """An import that failed at a node of the graph."""

    def __init__(self, node, reason):
        super().__init__(reason)
        self.node = node


def from_aten(gm, locations="file"):
    """The Module of a functional ATen graph whose nodes have `val` metas.

    Ops that the dialect has no form for are in `unknown_ops`, by the names of their nodes.
    `placeholders` says which argument each placeholder became: None for a size that the
    graph reads from a tensor, and for what is not needed. NodeFailure names the node that
    cannot be imported.
    """
    importer = graph.Importer("aten", _replay_of(gm), locations)
    arguments = _Arguments(importer)
    placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
    sizes = []
    for node in placeholders:
        fake = graph.meta_of(node)
        if isinstance(fake, torch.Tensor):
            importer.env[node] = arguments.add(fake, "input", node.name)
            continue
        importer.env[node] = fake
        if isinstance(fake, torch.SymInt):
            sizes.append((node.name, fake))
    arguments.add_sizes(sizes)
    for node in gm.graph.nodes:
        if node.op == "get_attr":
            value = importer.leaf(gm, node)
            importer.env[node] = value
            if isinstance(value, torch.Tensor):
                importer.env[node] = arguments.add(value, "constant", node.target, value)
    try:
        importer.run(gm)
    except Exception as error:
        # Whatever goes wrong at one node is said of that node: the caller may do without it.
        if importer.node is None:
            raise
        reason = str(error) if isinstance(error, ImportFailure) else f"{type(error).__name__}: {error}"
        raise NodeFailure(importer.node.name, f"the importer fails on it: {reason}") from error
    module = _imported(importer)
    taken = set(module.inputs)
    module.placeholders = [node.name if node.name in taken else None for node in placeholders]
    return module
