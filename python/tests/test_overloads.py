# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every overload in the op table, imported and compared with eager."""

import json
import os
import subprocess
import sys

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  registers quantized_decomposed
from cases import CASES, COLLECTIVES, NO_OVERLOADS
from conftest import assert_all_run, assert_all_verify

import fxgraph
from fxgraph.exporter import callables
from fxgraph.exporter.handlers import HANDLERS
from fxgraph.importer import graph, table
from fxgraph.testing import diff
from fxgraph.testing.batch import Batch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXTS, BATCH = [], Batch()
RANDOM = {"rand", "randn", "exponential", "bernoulli", "randint", "randperm", "inductor_seed", "inductor_seeds", "inductor_random", "inductor_randint"}
# The exporter's walk itself makes these: a literal, a write at the end, the call that the op names.
# Those with regions and the calls on copies are exported by exporter/control_flow.py; products fused with a collective and
# those of quantized tensors are several calls (test_collectives.py, test_packed.py).
WITHOUT_CALL = {"constant", "copy_", "opaque", "cond", "while_loop", "map", "scan", "yield", "auto_functionalized", "b2b_gemm", "invoke_quant",
                "fused_all_gather_matmul", "fused_matmul_reduce_scatter", "fused_all_gather_scaled_matmul", "fused_scaled_matmul_reduce_scatter"}


def resolve(key):
    """The callable of a key (a str for a method), or None if PyTorch has none."""
    parts = key.split(".")
    if parts[0] == "Tensor":
        return parts[1] if callable(getattr(torch.Tensor, parts[1], None)) else None
    if parts[0] in ("aten", "prims", "quantized_decomposed", "_c10d_functional"):
        owner, parts = torch.ops, parts
    elif parts[0] == "torch":
        owner, parts = torch, parts[1:]
    else:
        owner, parts = __import__(parts[0]), parts[1:]
    try:
        for part in parts:
            owner = getattr(owner, part)
    except AttributeError:
        return None
    if isinstance(owner, torch._ops.OpOverload) and "Tensor" not in str(owner._schema) and not owner._schema.returns[0].type.isSubtypeOf(torch._C.TensorType.get()):
        return None  # TorchScript's function on Python numbers
    return owner


def arguments(signature, case):
    """(args, kwargs) for a signature from a case; None if it does not take the case."""
    targets = {p.target for p in signature.params}
    if any(not name.startswith("_") and name not in targets and case[name] is not None for name in case):
        return None
    args, kwargs, skipped = [], {}, False
    for param in signature.params:
        if param.target not in case:
            if param.target == "_cudnn":
                args.append(False)
                continue
            if param.default is table.MISSING:
                return None
            skipped = True
            continue
        value = case[param.target]
        if param.variadic:
            args += list(value)
            skipped = True
        elif param.keyword_only or skipped:
            kwargs[param.name] = value
        else:
            args.append(value)
    return args, kwargs


def needs_tensor(key):
    """Methods and in-place operators: not on a number."""
    return key.startswith("Tensor.") or key.rpartition(".")[2] in graph.INPLACE_OPERATORS


def calls(op_name):
    for signature in table.load_table()[op_name].signatures:
        target = resolve(signature.key)
        if target is None:
            continue
        for case in CASES[op_name]:
            call = arguments(signature, case)
            if call is None or needs_tensor(signature.key) and not isinstance(call[0][0] if call[0] else None, torch.Tensor):
                continue
            try:
                diff.eager(target, *call)
            except Exception:
                continue  # not one of this overload's forms
            yield signature, target, call


def test_cases_cover_the_table():
    missing = set(table.load_table()) - set(CASES) - NO_OVERLOADS - COLLECTIVES
    assert not missing
    assert not NO_OVERLOADS & {n for n, op in table.load_table().items() if op.signatures}


@pytest.mark.parametrize("op_name", sorted(CASES))
def test_overloads(op_name):
    wrong, seen = [], set()
    for signature, target, (args, kwargs) in calls(op_name):
        seen.add(signature.key)
        try:
            module, tensors = diff.import_call(target, args, kwargs)
        except Exception as error:
            wrong.append(f"{signature.text} {kwargs}: {type(error).__name__} {error}")
            continue
        TEXTS.append(module.asm)
        if module.unknown_ops:
            wrong.append(f"{signature.text}: opaque, {module.unknown_ops[0].reason}")
            continue
        if op_name in RANDOM:
            assert f"fxgraph.{op_name}" in module.op_counts()
            continue
        loose = any(t.dtype in (torch.bfloat16, torch.float16) for t in tensors)
        tolerance = (2e-2, 2e-2) if loose else (None, None)
        want, after = diff.eager(target, args, kwargs)
        BATCH.add(f"{signature.text} {kwargs}", module, dict(zip(module.inputs, tensors)), want,
                  {n: after[id(t)] for n, t in zip(module.inputs, tensors)}, *tolerance)
        problem = diff.check_module(module, tensors, target, args, kwargs, *tolerance)
        if problem:
            wrong.append(f"{signature.text}: {problem}\n{args} {kwargs}\n{module.asm}")
    assert not wrong, "\n".join(wrong[:5])
    expected = {s.key for s in table.load_table()[op_name].signatures if resolve(s.key) is not None}
    assert expected <= seen, f"no case for {sorted(expected - seen)}"


def test_all_verify():
    assert_all_verify(TEXTS)


def test_all_run():
    assert_all_run(BATCH)


def test_table_is_up_to_date():
    import shutil
    if not shutil.which("llvm-tblgen-22") and not shutil.which("llvm-tblgen"):
        pytest.skip("needs llvm-tblgen")
    done = subprocess.run([sys.executable, os.path.join(ROOT, "utils", "gen-op-table.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_stale_table_is_noticed(tmp_path):
    import shutil
    if not shutil.which("llvm-tblgen-22") and not shutil.which("llvm-tblgen"):
        pytest.skip("needs llvm-tblgen")
    with open(table.TABLE_PATH) as stream:
        content = json.load(stream)
    content.pop("add")
    stale = tmp_path / "table.json"
    stale.write_text(json.dumps(content))
    done = subprocess.run([sys.executable, os.path.join(ROOT, "utils", "gen-op-table.py"), "--check", "-o", str(stale)], capture_output=True, text=True)
    assert done.returncode == 1 and "stale" in done.stderr


def test_ops_are_called_back():
    """Some overload of torch.ops takes all that an op may have, or a handler says how to call it."""
    infos = table.load_table()
    assert set(HANDLERS) <= set(infos)
    for name, info in infos.items():
        if name in HANDLERS or name in WITHOUT_CALL:
            continue
        needed = {spec["name"] for spec in info.operands if (spec["type"], spec["arity"]) != ("index", "variadic")}
        needed |= {spec["name"] for spec in info.attrs}
        assert any(needed <= overload.takes for overload in callables.overloads(name)), name


def test_import_does_not_need_torch():
    code = "import sys, fxgraph, fxgraph.cli, fxgraph.runtime; assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], cwd=os.path.join(ROOT, "python"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_keys_resolve():
    """Of each op some overload is there; the rest is spelled by a class for a family of ops."""
    for name, op in table.load_table().items():
        keys = [s.key for s in op.signatures]
        assert not keys or any(resolve(k) is not None for k in keys), name
        for key in keys:
            family = key.startswith("torch.nn.functional.") or key.startswith("aten.") and key.endswith((".Tensor", ".Scalar", ".default"))
            assert resolve(key) is not None or family or key in ("Tensor.T", "Tensor.mT"), key


def test_the_gelu_of_a_gpu_goes_by_tanh():
    """_addmm_activation on fake tensors of a GPU, and on those of a CPU, whose gelu is exact."""
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx
    for device, approximate in (("cuda", "tanh"), ("cpu", "none")):
        with FakeTensorMode():
            inputs = [torch.empty(*shape, device=device) for shape in ((3,), (2, 4), (4, 3))]
            graph = make_fx(lambda *tensors: torch._addmm_activation(*tensors, use_gelu=True), tracing_mode="fake")(*inputs)
        assert f'approximate = "{approximate}"' in fxgraph.from_fx(graph, inputs).asm
