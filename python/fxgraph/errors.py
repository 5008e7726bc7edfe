# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the package."""


class FxGraphError(Exception):
    """Anything that goes wrong because of what the caller passed in."""


class ImportFailure(FxGraphError):
    """A model that cannot be imported."""


def utf8(text, what, error=FxGraphError):
    """The bytes of a text; an error where it holds halves of surrogate pairs, which have none."""
    try:
        return text.encode()
    except UnicodeEncodeError as found:
        around = text[max(found.start - 20, 0):found.end + 20]
        raise error(f"expected {what} of Unicode characters but got {ascii(text[found.start])} in {ascii(around)}") from None


class UnknownOpsError(ImportFailure):
    """Raised by a strict import: lists every op that the dialect does not model."""

    def __init__(self, unknown):
        self.unknown = list(unknown)
        lines = "\n".join(f"  {u}" for u in self.unknown)
        super().__init__(f"{len(self.unknown)} ops are not modelled:\n{lines}")


class ToolError(FxGraphError):
    """A tool is missing or failed; the message holds its diagnostics."""
