# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines as text, from settings as TorchInductor has them."""

import os

from .errors import FxGraphError

# What holds a whole dictionary in Inductor's config, and becomes options of its own here.
_NUMERIC_CHECK = {"pre_grad": "numeric-check", "precision": "precision", "num_iterations": "num-iterations"}
_RENAMED = {
    "efficient_conv_bn_eval_fx_passes": "efficient-conv-bn-eval",
    "add_pre_grad_passes": "add-passes",
    "remove_pre_grad_passes": "remove-passes",
}


_BRACKETS = {")": "(", "}": "{", "]": "["}


def quote_option(text):
    """Any text (a path, say) as the value of an option in the text of a pipeline.

    >>> "fxgraph-pre-grad{report=" + quote_option("a}, b.json") + "}"
    'fxgraph-pre-grad{report={"a\\\\7D, b.json"}}'
    """
    text = os.fspath(text)
    if all(c.isascii() and c.isalnum() or c in "_-+./:@%~^=" for c in text):
        return text
    open_, nested = [], True
    for c in text:
        if c in _BRACKETS.values():
            open_.append(c)
        elif c in _BRACKETS:
            nested = nested and bool(open_) and open_.pop() == _BRACKETS[c]
    if nested and not open_ and text == text.strip() and not any(c in "\"'" or c < " " for c in text):
        return "{" + text + "}"
    return '{"' + "".join(f"\\{ord(c):02X}" if c < " " or c in "\\\"'(){}[]" else c for c in text) + '"}'


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _plain(name, value):
    """The value of an option of one fusion: those are numbers, flags and names."""
    value = _text(value)
    if any(c in value for c in " {}=\"'"):
        raise FxGraphError(f"expected a value without blanks, braces, quotes and '=' for {name} but got '{value}'")
    return value


def pre_grad_pipeline(pre_grad_fusion_options=None, fx_passes_numeric_check=None, **settings):
    """The text of `fxgraph-pre-grad` with Inductor's option dictionaries.

    >>> pre_grad_pipeline({"batch_linear": {"min_fuse_set_size": 2}, "split_cat_pass": {}}, permute_fusion=False)
    'fxgraph-pre-grad{fusions=batch_linear{min-fuse-set-size=2},split_cat_pass permute-fusion=false}'

    `settings` are the pipeline's other options under Inductor's names or ours
    (`permute_fusion`, `freezing`, `is_predispatch`, `mode`, `numerics`, `max_fuse_set_size`, …).
    Names are checked when the pipeline runs. None stands for "not set". An empty
    dictionary runs none of the fusions, as in Inductor; without one all run.
    """
    options = _fusions("pre_grad_fusion_options", pre_grad_fusion_options)
    if fx_passes_numeric_check is not None and not hasattr(fx_passes_numeric_check, "items"):
        raise FxGraphError(f"expected a dictionary for fx_passes_numeric_check but got {fx_passes_numeric_check!r}")
    for name, value in (fx_passes_numeric_check or {}).items():
        if name == "requires_optimizer":
            continue
        if name not in _NUMERIC_CHECK:
            raise FxGraphError(f"expected one of {', '.join(_NUMERIC_CHECK)}, requires_optimizer in "
                               f"fx_passes_numeric_check but got '{name}'")
        options.append(f"{_NUMERIC_CHECK[name]}={quote_option(_text(value))}")
    return _pipeline("fxgraph-pre-grad", options, settings)


def post_grad_pipeline(post_grad_fusion_options=None, **settings):
    """The text of `fxgraph-post-grad` with Inductor's option dictionary.

    >>> post_grad_pipeline({"batch_linear_post_grad": {"min_fuse_set_size": 2}, "split_cat_aten_pass": {}}, is_inference=False)
    'fxgraph-post-grad{fusions=batch_linear_post_grad{min-fuse-set-size=2},split_cat_aten_pass is-inference=false}'

    `settings` as of `pre_grad_pipeline`: `reorder_for_locality`, `b2b_gemm_pass`, `_micro_pipeline_tp`, `bucket_all_gathers_fx`, …
    """
    return _pipeline("fxgraph-post-grad", _fusions("post_grad_fusion_options", post_grad_fusion_options), settings)


def _fusions(name, dictionary):
    """The option `fusions` of one of Inductor's dictionaries, in a list; none for None."""
    if dictionary is None:
        return []
    if not hasattr(dictionary, "items"):
        raise FxGraphError(f"expected a dictionary for {name} but got {dictionary!r}")
    fusions = []
    for name, entry in dictionary.items():
        if entry is not None and not hasattr(entry, "items"):
            raise FxGraphError(f"expected a dictionary of options for {name} but got {entry!r}")
        inside = " ".join(f"{key.replace('_', '-')}={_plain(key, value)}" for key, value in (entry or {}).items())
        fusions.append(f"{name}{{{inside}}}" if inside else name)
    return ["fusions=" + (",".join(fusions) or "none")]


def _pipeline(pipeline, options, settings):
    """The text of a pipeline with its options and the settings that are not None."""
    options = list(options)
    for name, value in settings.items():
        if value is not None:
            name = _RENAMED.get(name, name).lstrip("_").replace("_", "-")
            options.append(f"{name}={quote_option(_text(value))}")
    return pipeline + (f"{{{' '.join(options)}}}" if options else "")
