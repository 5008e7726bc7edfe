# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives: captured graphs import and export whole; on the interpreter's grid they give what two processes of gloo give, and compiled
for a GPU, which is emulated, what the grid gives; buckets are Inductor's."""

import os
import pickle
import re
import subprocess
import sys
import threading

import pytest
import torch

import fxgraph

dist = pytest.importorskip("torch.distributed")
if not dist.is_available() or not dist.is_gloo_available():
    pytest.skip("needs torch.distributed with gloo", allow_module_level=True)

import torch.distributed._functional_collectives as fc  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

c10d = torch.ops._c10d_functional
GROUP = "0"


def wait(value):
    return c10d.wait_tensor(value)


def tensor_parallel(x, w, u):
    """Rows are gathered, columns of the weights are each rank's, the sums are scattered."""
    hidden = torch.relu(fc.all_gather_single(x, 0, GROUP) @ w)
    return fc.reduce_scatter_single(hidden @ u, "sum", 0, GROUP)


def scaled(x, w, u):
    """8-bit floats: rows are gathered as bytes, with one scale of all; sums of what has scales of rows and columns are scattered."""
    dtype, half = torch.float8_e4m3fn, torch.full((), 0.5)
    weight = w.to(dtype).t()
    whole = fc.all_gather_single(x.to(dtype).view(torch.uint8), 0, GROUP).view(dtype)
    hidden = torch._scaled_mm(whole, weight, half, half, out_dtype=torch.float32)
    rows, columns = u.abs().amax(1, keepdim=True), w.abs().amax(1).view(1, -1)
    part = torch._scaled_mm(u.to(dtype), weight, rows, columns, out_dtype=torch.float32)
    return hidden, fc.reduce_scatter_single(part, "sum", 0, GROUP)


def along_columns(x, w):
    return fc.all_gather_single(x, 1, GROUP) @ w, fc.reduce_scatter_single(x, "avg", 1, GROUP)


def data_parallel(a, b, c):
    gradients = [g / 2 for g in (a, b, c)]
    return tuple(wait(c10d.all_reduce(g, "sum", GROUP)) for g in gradients)


def sharded(a, b, c):
    weights = [wait(c10d.all_gather_into_tensor(p, 2, GROUP)) for p in (a, b, c)]
    loss = sum(torch.sin(w).sum() for w in weights)
    return loss, *(wait(c10d.reduce_scatter_tensor(w * loss, "avg", 2, GROUP)) for w in weights)


def training_step(x, *shards):
    """Fully sharded: weights in another precision are gathered, their gradients scattered; one gather is of what was computed."""
    weights = [wait(c10d.all_gather_into_tensor(shard.double(), 2, GROUP)).requires_grad_() for shard in shards]
    hidden = x.double()
    for weight in weights:
        hidden = torch.tanh(hidden @ weight)
    gradients = torch.autograd.grad(hidden.sum(), weights)
    everywhere = wait(c10d.all_gather_into_tensor(hidden.detach() + x.double(), 2, GROUP))
    return everywhere, *(wait(c10d.reduce_scatter_tensor(g.float(), "avg", 2, GROUP)) for g in gradients)


def coalesced(a, b):
    first, second = fc.all_reduce_coalesced([a, b], "max", GROUP)
    return first - second.sum(), wait(c10d.all_reduce(b, "min", GROUP))


def exchanged(a, b):
    parts = fc.all_to_all_single(a, None, None, GROUP)
    gathered = fc.all_gather_into_tensor_coalesced([a, b], GROUP)
    scattered = fc.reduce_scatter_tensor_coalesced([a, parts * 2], "sum", [0, 0], GROUP)
    return parts, fc.broadcast(b, 1, GROUP), *gathered, *scattered


def sums(*tensors):
    return tuple(wait(c10d.all_reduce(t, op, GROUP)) for t in tensors for op in ("sum", "product")) + tuple(
        wait(c10d.all_reduce(t, "avg", GROUP)) for t in tensors if t.dtype.is_floating_point)


def extremes(*tensors):
    return tuple(wait(c10d.all_reduce(t, op, GROUP)) for t in tensors for op in ("min", "max"))


FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool)


def numbers_of_all_dtypes(rank, nan):
    inf = float("inf")
    values = [1.5, -2.25, 0.0, nan if rank else 3.0, 7.0 if rank else nan, -inf if rank else inf, 6e4, 0.1 + rank]
    numbers = [3, 77, 0, 100, 255 - rank, 1, 0 if rank else 9, 2]
    return [torch.tensor(values, dtype=torch.float64).to(d) for d in FLOATS] + [torch.tensor(numbers).to(d) for d in INTEGERS]


def with_nan(rank):
    return numbers_of_all_dtypes(rank, float("nan"))


def without_nan(rank):
    """In gloo NaN is the least or greatest number or is not by where in the tensor it is: there is no value to compare with."""
    return numbers_of_all_dtypes(rank, -5.0)


def random_inputs(*shapes):
    def make(rank):
        generator = torch.Generator().manual_seed(17 + rank)
        return [torch.randn(shape, generator=generator) for shape in shapes]
    return make


PROGRAMS = {
    "tensor_parallel": (tensor_parallel, random_inputs((4, 6), (6, 8), (8, 6))),
    "along_columns": (along_columns, random_inputs((4, 6), (12, 3))),
    "scaled": (scaled, random_inputs((8, 16), (32, 16), (16, 16))),
    "data_parallel": (data_parallel, random_inputs((3, 4), (5,), ())),
    "sharded": (sharded, random_inputs((3, 4), (5,), (2, 1, 3))),
    "training_step": (training_step, random_inputs((4, 8), (4, 8), (4, 8), (4, 8))),
    "coalesced": (coalesced, random_inputs((3, 4), (5,))),
    "exchanged": (exchanged, random_inputs((4, 3), (5,))),
    "sums": (sums, with_nan),
    "extremes": (extremes, without_nan),
}


def run_process(rank, folder):
    """One of two processes of gloo: what each program gives there."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    results = {}
    for name, (function, make) in PROGRAMS.items():
        value = function(*make(rank))
        results[name] = [wait(item) for item in (value if isinstance(value, (tuple, list)) else [value])]
    with open(os.path.join(folder, f"rank{rank}.pickle"), "wb") as stream:
        pickle.dump(results, stream)
    dist.barrier()
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def gloo(tmp_path_factory):
    """Each rank's results of all programs, from two processes of gloo."""
    folder = tmp_path_factory.mktemp("gloo")
    processes = [subprocess.Popen([sys.executable, "-W", "ignore", os.path.abspath(__file__), str(rank), str(folder)],
                                  env={**os.environ, "OMP_NUM_THREADS": "1"}) for rank in range(2)]
    try:
        for process in processes:
            assert process.wait(timeout=300) == 0
    finally:
        for process in processes:
            process.kill()
    results = []
    for rank in range(2):
        with open(folder / f"rank{rank}.pickle", "rb") as stream:
            results.append(pickle.load(stream))
    return results


@pytest.fixture(scope="module")
def captured():
    """The programs' graphs, captured with a process group of which there is but one process."""
    from torch.testing._internal.distributed.fake_pg import FakeStore
    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    try:
        yield {name: make_fx(function, tracing_mode="fake")(*make(0)) for name, (function, make) in PROGRAMS.items()}
    finally:
        dist.destroy_process_group()


def module_of(captured, name):
    return fxgraph.from_fx(captured[name], PROGRAMS[name][1](0))


def assert_equal(actual, expected, exact):
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected):
        tolerance = {"rtol": 0, "atol": 0} if exact else {"rtol": 1e-5, "atol": 1e-5}
        torch.testing.assert_close(one, other, equal_nan=True, **tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
def test_grid_is_gloo(name, captured, gloo):
    module = module_of(captured, name)
    assert "fxgraph.opaque" not in module.op_counts()
    ranks = module.run_on_grid([PROGRAMS[name][1](rank) for rank in range(2)])
    for rank in range(2):
        # Sums over one process' own numbers round elsewhere; those over the group are the same bits.
        assert_equal(ranks[rank], gloo[rank][name], exact=name in ("data_parallel", "sums", "extremes", "exchanged"))


# Several numbers go into one on a rank as well, in an order of the kernels' own.
SUMS_ON_A_RANK = ("tensor_parallel", "along_columns", "sharded", "training_step", "coalesced")


# 8-bit floats are not compiled for GPUs.
ON_GPU = [name for name in PROGRAMS if name != "scaled"]


@pytest.mark.parametrize("name", ON_GPU)
def test_gpu_grid_is_the_interpreters(name, captured):
    module = module_of(captured, name)
    inputs = [PROGRAMS[name][1](rank) for rank in range(2)]
    for expected, actual in zip(module.run_on_grid(inputs), module.run_on_grid(inputs, target="gpu-emulator")):
        assert_equal(actual, expected, exact=name not in SUMS_ON_A_RANK)


def run_threads(executables, inputs, group_of):
    """Each rank's results, of threads with an executable and a process group each."""
    results, errors = [None] * len(inputs), [None] * len(inputs)

    def run(rank):
        try:
            executables[rank].set_process_group(GROUP, group_of(rank))
            results[rank] = executables[rank](*inputs[rank])
        except Exception as error:  # The thread's result.
            errors[rank] = error
    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        if error is not None:
            raise error
    return results


@pytest.mark.parametrize("name", ["data_parallel", "tensor_parallel", "training_step"])
def test_executables_of_threads(name, captured):
    module = module_of(captured, name)
    inputs = [PROGRAMS[name][1](rank) for rank in range(2)]
    executables = [module.compile("gpu-emulator") for _ in inputs]
    assert executables[0].process_groups == {GROUP: None if name == "data_parallel" else 2}
    identity = fxgraph.ProcessGroup.unique_id()
    ranks = run_threads(executables, inputs, lambda rank: fxgraph.ProcessGroup(identity, rank, 2))
    for expected, actual in zip(module.run_on_grid(inputs), ranks):
        assert_equal(actual, expected, exact=name == "data_parallel")
    # They keep their groups.
    again = run_threads(executables, inputs, lambda rank, identity=fxgraph.ProcessGroup.unique_id(): fxgraph.ProcessGroup(identity, rank, 2))
    for expected, actual in zip(ranks, again):
        assert_equal(actual, expected, exact=True)


def test_groups_stay_when_extents_vary():
    module = fxgraph.Module("""
        func.func @main(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>> {
          %0 = fxgraph.all_reduce %x op "max" group "0" : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
          %1 = fxgraph.wait_tensor %0 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
          return %1 : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
        }""")
    executables = [module.compile("gpu-emulator") for _ in range(2)]
    with pytest.raises(fxgraph.ToolError, match="expected a group of '0' but got 'tp'"):
        executables[0].set_process_group("tp", fxgraph.ProcessGroup(fxgraph.ProcessGroup.unique_id(), 0, 1))
    with pytest.raises(fxgraph.ToolError, match="expected a communicator for group '0' but none was set"):
        executables[0](torch.zeros(3))
    identity = fxgraph.ProcessGroup.unique_id()
    groups = [None, None]

    def join(rank):
        groups[rank] = fxgraph.ProcessGroup(identity, rank, 2)
        return groups[rank]
    for size in (3, 5, 3):
        inputs = [[torch.arange(size) * (-1.0) ** rank] for rank in range(2)]
        ranks = run_threads(executables, inputs, (lambda rank: groups[rank]) if groups[0] else join)
        for result, in ranks:
            torch.testing.assert_close(result, torch.arange(size).float(), rtol=0, atol=0)


def test_three_processes_and_a_mean(captured):
    """The group's size is no part of an all_reduce."""
    module = module_of(captured, "sums")
    inputs = [without_nan(rank) for rank in range(3)]
    for expected, actual in zip(module.run_on_grid(inputs), module.run_on_grid(inputs, target="gpu-emulator")):
        assert_equal(actual, expected, exact=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_exported_graph_starts_the_same_collectives(name, captured):
    def collectives(graph):
        return [(node.target, [a for a in node.args if isinstance(a, (int, str))]) for node in graph.nodes if "c10d" in str(node.target)]
    assert collectives(module_of(captured, name).to_fx().graph) == collectives(captured[name].graph)


@pytest.mark.parametrize("name, passes", [
    ("data_parallel", "fxgraph-distributed-bucket-all-reduce"),
    ("data_parallel", "fxgraph-distributed-fuse-ddp"),
    ("data_parallel", "fxgraph-distributed-fuse-ddp{passes=fuse_ddp_with_coalesced_op,schedule_comm_wait}"),
    ("sharded", "fxgraph-distributed-bucket-all-gather{mode=fsdp}"),
    ("sharded", "fxgraph-distributed-bucket-all-gather,fxgraph-distributed-bucket-reduce-scatter"),
    ("tensor_parallel", "fxgraph-distributed-micro-pipeline-tp"),
    ("along_columns", "fxgraph-distributed-micro-pipeline-tp"),
    ("scaled", "fxgraph-noop-remove{inference=true},fxgraph-distributed-micro-pipeline-tp"),
    ("sharded", "fxgraph-distributed-overlap-scheduling"),
    ("sharded", "fxgraph-distributed-overlap-scheduling{collective-bucketing=true}"),
    ("training_step", "fxgraph-distributed-bucket-reduce-scatter{mode=fsdp},fxgraph-distributed-bucket-all-gather{mode=fsdp},"
                      "fxgraph-distributed-overlap-scheduling")])
def test_passes_on_captured_graphs(name, passes, captured, gloo):
    module = module_of(captured, name)
    before = sum(count for op, count in module.op_counts().items() if re.search("all_|reduce_scatter", op))
    module.run_passes(passes, verify=True)
    after = sum(count for op, count in module.op_counts().items() if re.search("all_|reduce_scatter", op))
    if "bucket" in passes or "ddp" in passes:
        assert after < before
    for target in ("ref", "gpu-emulator") if name in ON_GPU else ("ref",):
        ranks = module.run_on_grid([PROGRAMS[name][1](rank) for rank in range(2)], target=target)
        for rank in range(2):
            assert_equal(ranks[rank], gloo[rank][name], exact=False)


def test_tensor_parallel_products_are_fused(captured):
    module = module_of(captured, "tensor_parallel")
    module.run_passes("fxgraph-distributed-micro-pipeline-tp")
    counts = module.op_counts()
    assert counts["fxgraph.fused_all_gather_matmul"] == counts["fxgraph.fused_matmul_reduce_scatter"] == 1
    assert "fxgraph.mm" not in counts and "fxgraph.wait_tensor" not in counts


def test_scaled_products_are_fused(captured):
    module = module_of(captured, "scaled")
    module.run_passes("fxgraph-noop-remove{inference=true},fxgraph-distributed-micro-pipeline-tp")
    counts = module.op_counts()
    assert counts["fxgraph.fused_all_gather_scaled_matmul"] == counts["fxgraph.fused_scaled_matmul_reduce_scatter"] == 1
    assert "fxgraph.scaled_mm" not in counts and "fxgraph.wait_tensor" not in counts


def on_cuda(tensors):
    """Fake tensors of the same geometry on a GPU, which need not be there."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        return [torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="cuda") for x in tensors]


def test_fused_products_export(captured):
    """On GPUs the ops that Inductor's pass makes; on CPUs, for which PyTorch has none, the collective and the products."""
    module = module_of(captured, "tensor_parallel")
    before = [node.target for node in module.to_fx().graph.nodes if "c10d" in str(node.target)]
    module.run_passes("fxgraph-distributed-micro-pipeline-tp")
    assert [node.target for node in module.to_fx().graph.nodes if "c10d" in str(node.target)] == before
    cuda = on_cuda(PROGRAMS["tensor_parallel"][1](0))
    on_gpu = fxgraph.from_fx(make_fx(tensor_parallel, tracing_mode="fake")(*cuda), cuda)
    on_gpu.run_passes("fxgraph-distributed-micro-pipeline-tp")
    nodes = [node for node in on_gpu.to_fx().graph.nodes if "symm_mem" in str(node.target)]
    gather, scatter = torch.ops.symm_mem.fused_all_gather_matmul.default, torch.ops.symm_mem.fused_matmul_reduce_scatter.default
    assert [node.target for node in nodes] == [gather, scatter]
    assert nodes[0].args[2:] == (0, GROUP) and nodes[0].kwargs == {"return_A": False} and nodes[1].args[2:] == ("sum", 0, GROUP)


def test_fused_scaled_products_export(captured):
    module = module_of(captured, "scaled")
    module.run_passes("fxgraph-noop-remove{inference=true},fxgraph-distributed-micro-pipeline-tp")
    names = [str(node.target) for node in module.to_fx().graph.nodes]
    assert names.count("aten._scaled_mm.default") == 2 and names.count("_c10d_functional.all_gather_into_tensor.default") == 1
    cuda = on_cuda(PROGRAMS["scaled"][1](0))

    def on_gpu(x, w, u):
        half = torch.full((), 0.5, device="cuda")
        dtype = torch.float8_e4m3fn
        whole = fc.all_gather_single(x.to(dtype), 0, GROUP)
        part = torch._scaled_mm(u.to(dtype), w.to(dtype).t(), u.abs().amax(1, keepdim=True), w.abs().amax(1).view(1, -1), out_dtype=torch.bfloat16)
        return torch._scaled_mm(whole, w.to(dtype).t(), half, half, out_dtype=torch.bfloat16), fc.reduce_scatter_single(part, "sum", 0, GROUP)
    module = fxgraph.from_fx(make_fx(on_gpu, tracing_mode="fake")(*cuda), cuda)
    module.run_passes("fxgraph-noop-remove{inference=true},fxgraph-distributed-micro-pipeline-tp")
    nodes = [node for node in module.to_fx().graph.nodes if "symm_mem" in str(node.target)]
    assert [node.target for node in nodes] == [torch.ops.symm_mem.fused_all_gather_scaled_matmul.default,
                                               torch.ops.symm_mem.fused_scaled_matmul_reduce_scatter.default]
    assert nodes[0].args[4:] == (0, GROUP, [None], [None], [torch.bfloat16], [False])
    assert nodes[1].args[4:9] == ("sum", 0, 0, GROUP, [16, 32])


def test_fused_products_along_other_dimensions(captured):
    """Gathered and scattered along dimension 1 of three: the shapes, and the collectives along dimension 0 that PyTorch has."""
    x, w = torch.randn(2, 4, 4), torch.randn(4, 6)
    for text, shapes in ((f"""func.func @main(%x: tensor<2x4x4xf32>, %w: tensor<4x6xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x6xf32>) {{
      %0:2 = fxgraph.fused_all_gather_matmul %x x(%w) dim 1 group "{GROUP}" of 2 : (tensor<2x4x4xf32>, tensor<4x6xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x6xf32>)
      return %0#0, %0#1 : tensor<2x8x4xf32>, tensor<2x8x6xf32>
    }}""", [(2, 8, 4), (2, 8, 6)]), (f"""func.func @main(%x: tensor<2x4x4xf32>, %w: tensor<4x6xf32>) -> tensor<2x2x6xf32> {{
      %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim -2 group "{GROUP}" of 2 : (tensor<2x4x4xf32>, tensor<4x6xf32>) -> tensor<2x2x6xf32>
      return %0 : tensor<2x2x6xf32>
    }}""", [(2, 2, 6)])):
        assert [tuple(value.shape) for value in fxgraph.Module(text).to_fx()(x, w)] == shapes


@pytest.mark.parametrize("cap", [2000.0, 1e-4, 2e-5])
@pytest.mark.parametrize("name, kind", [("data_parallel", "all_reduce"), ("sharded", "all_gather"), ("sharded", "reduce_scatter")])
def test_buckets_are_inductors(name, kind, cap, captured):
    # Inductor asks for the cap of the first bucket alone, whatever the others' are.
    from torch._inductor.fx_passes import bucketing
    find = getattr(bucketing, f"bucket_{kind}_by_mb")
    expected = sum(len(bucket) - 1 for bucket in find(captured[name], lambda number: cap))
    module = module_of(captured, name)
    pattern = re.compile(f"fxgraph.{kind}")

    def count():
        return sum(n for op, n in module.op_counts().items() if pattern.match(op))
    before = count()
    flag = f"fxgraph-distributed-bucket-{kind.replace('_', '-')}"
    module.run_passes(f"{flag}{{bucket-cap-mb={cap}}}")
    assert before - count() == expected


def test_sharded_buckets_are_inductors(captured):
    from torch._inductor.fx_passes import bucketing
    graph = captured["training_step"]
    ours = module_of(captured, "training_step")
    ours.run_passes("fxgraph-distributed-bucket-reduce-scatter{mode=fsdp},fxgraph-distributed-bucket-all-gather{mode=fsdp}", verify=True)
    for kind, op in (("all_gather", "all_gather_into_tensor"), ("reduce_scatter", "reduce_scatter_tensor")):
        is_sharded = getattr(bucketing, f"is_fsdp_{kind}")
        buckets = getattr(bucketing, f"bucket_{kind}_by_mb")(graph, lambda number: 2000.0, lambda node: is_sharded(node.args[0]))
        assert [len(bucket) for bucket in buckets] == [3]
        before = sum(op in str(node.target) for node in graph.graph.nodes)
        assert ours.op_counts()[f"fxgraph.{op}"] == before - 2


@pytest.mark.parametrize("step, left", [
    ("fuse_ddp_with_concat_op", "fxgraph.all_reduce"), ("fuse_ddp_with_coalesced_op", "fxgraph.all_reduce_coalesced")])
def test_gradient_buckets_are_inductors(step, left, captured):
    from torch._dynamo.utils import counters
    from torch._inductor.fx_passes import ddp_fusion
    from torch._subclasses import FakeTensorMode
    from torch._inductor.virtualized import V
    inputs = PROGRAMS["data_parallel"][1](0)
    with FakeTensorMode() as mode, V.set_fake_mode(mode):
        theirs = make_fx(data_parallel)(*[mode.from_tensor(tensor) for tensor in inputs])
        for node in theirs.graph.nodes:
            # What Inductor's own tracing writes there.
            if isinstance(node.meta.get("val"), torch.Tensor):
                node.meta["tensor_meta"] = torch.fx.passes.shape_prop._extract_tensor_metadata(node.meta["val"])
        counters.clear()
        ddp_fusion.fuse_ddp_communication(theirs.graph, [step], 25)
    module = module_of(captured, "data_parallel")
    report = module.run_passes(f"fxgraph-distributed-fuse-ddp{{passes={step}}}", verify=True)
    assert report.counters["ddp_buckets"] == counters["inductor"]["ddp_buckets"] == 1
    assert module.op_counts()[left] == sum(str(node.target).split(".")[1] == left.split(".")[1] for node in theirs.graph.nodes
                                           if "c10d" in str(node.target)) == 1


@pytest.mark.parametrize("name, gathers, scatters", [("tensor_parallel", 1, 1), ("along_columns", 1, 1), ("sharded", 3, 3)])
def test_tensor_parallel_patterns_are_inductors(name, gathers, scatters, captured):
    from torch._inductor.fx_passes import micro_pipeline_tp
    assert len(micro_pipeline_tp.find_all_gather_patterns(captured[name].graph)) == gathers
    assert len(micro_pipeline_tp.find_reduce_scatter_patterns(captured[name].graph)) == scatters
    # Each of them is either fused or refused with a reason.
    report = module_of(captured, name).run_passes("fxgraph-distributed-micro-pipeline-tp")
    seen = [remark["pattern"] for remark in report.remarks]
    assert seen.count("fuse-all-gather-matmul") == gathers and seen.count("fuse-matmul-reduce-scatter") == scatters


def test_groups_are_sets_of_ranks(captured):
    module = module_of(captured, "data_parallel")
    inputs = [PROGRAMS["data_parallel"][1](rank) for rank in range(4)]
    for target in ("ref", "gpu-emulator"):
        ranks = module.run_on_grid(inputs, groups={GROUP: [[0, 2], [3, 1]]}, target=target)
        for a, b in ((0, 2), (1, 3)):
            for number, tensors in enumerate(zip(inputs[a], inputs[b])):
                torch.testing.assert_close(ranks[a][number], sum(tensors) / 2, rtol=0, atol=1e-6)
                torch.testing.assert_close(ranks[b][number], ranks[a][number], rtol=0, atol=0)


def test_errors(captured):
    module = module_of(captured, "sharded")
    inputs = PROGRAMS["sharded"][1](0)
    with pytest.raises(fxgraph.ToolError, match=r"rank 0: 'fxgraph.all_gather_into_tensor' op expected 2 ranks in .* but the grid has 3"):
        module.run_on_grid([inputs] * 3)
    with pytest.raises(fxgraph.ToolError, match=r"expected ranks between 0 and 1 in the group '0' but got '2'"):
        module.run_on_grid([inputs] * 2, groups={GROUP: [0, 2]})
    with pytest.raises(fxgraph.FxGraphError, match=r"rank 1: expected 3 inputs \(.*\) but got 2"):
        module.run_on_grid([inputs, inputs[:2]])
    with pytest.raises(fxgraph.FxGraphError, match="expected a list of each rank's inputs but got"):
        module.run_on_grid([])
    with pytest.raises(fxgraph.ToolError, match=r"expected a grid of processes \(ranks=N\) for the 2 processes of group '0'"):
        module.run(inputs)
    with pytest.raises(fxgraph.ToolError, match="expected a group of 1 process, as a compiled graph runs in one, but got 2"):
        module.compile("cpu")


def test_errors_of_process_groups(captured):
    module = module_of(captured, "sharded")
    inputs = PROGRAMS["sharded"][1](0)
    executable = module.compile("gpu-emulator")
    with pytest.raises(fxgraph.ToolError, match="expected a communicator for group '0' but none was set"):
        executable(*inputs)
    alone = fxgraph.ProcessGroup(fxgraph.ProcessGroup.unique_id(), 0, 1)
    assert (alone.rank, alone.size) == (0, 1)
    with pytest.raises(fxgraph.ToolError, match="expected a communicator of 2 processes for group '0' but got one of 1"):
        executable.set_process_group(GROUP, alone)
    with pytest.raises(fxgraph.ToolError, match="expected a group of '0' but got 'tp'"):
        executable.set_process_group("tp", alone)
    with pytest.raises(fxgraph.ToolError, match="expected a rank from 0 to size - 1 but got rank 2 of size 2"):
        fxgraph.ProcessGroup(fxgraph.ProcessGroup.unique_id(), 2, 2)
    with pytest.raises(fxgraph.ToolError, match="expected an id of 128 bytes but got 3"):
        fxgraph.ProcessGroup(b"abc", 0, 2)
    with pytest.raises(fxgraph.ToolError, match="expected a communicator but got null"):
        fxgraph.ProcessGroup.wrap(0)
    with pytest.raises(fxgraph.FxGraphError, match="expected a process group of torch.distributed named tp"):
        fxgraph.ProcessGroup.from_torch("tp")
    with pytest.raises(fxgraph.ToolError, match="rank 0: .*expected a communicator of 2 processes for group '0' but got one of 3"):
        module.run_on_grid([inputs] * 3, target="gpu-emulator")
    with pytest.raises(fxgraph.ToolError, match="expected a rank of group '0' but rank 0 is in no set of it"):
        module.run_on_grid([inputs] * 3, groups={GROUP: [1, 2]}, target="gpu-emulator")
    cpu = fxgraph.from_fx(torch.fx.symbolic_trace(lambda x: x + 1), [inputs[0]]).compile("cpu")
    assert cpu.process_groups == {}
    with pytest.raises(fxgraph.ToolError, match="expected a graph on a GPU with collectives of group '0' but this one has no process groups"):
        cpu.set_process_group(GROUP, alone)


def run_with_torchs_group():
    """A process alone, with a group of gloo: its name finds it, and a communicator is made for it."""
    with pytest.raises(fxgraph.FxGraphError, match="expected torch.distributed to be initialised"):
        fxgraph.ProcessGroup.from_torch()
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    module = fxgraph.from_fx(make_fx(data_parallel, tracing_mode="fake")(*PROGRAMS["data_parallel"][1](0)), PROGRAMS["data_parallel"][1](0))
    executable = module.compile("gpu-emulator")
    executable.set_process_group(dist.group.WORLD.group_name)
    inputs = PROGRAMS["data_parallel"][1](0)
    assert_equal(executable(*inputs), [tensor / 2 for tensor in inputs], exact=True)
    executable.set_process_group(dist.group.WORLD.group_name, dist.group.WORLD)
    assert_equal(executable(*inputs), [tensor / 2 for tensor in inputs], exact=True)
    dist.destroy_process_group()


def test_groups_of_torch():
    subprocess.run([sys.executable, "-W", "ignore", os.path.abspath(__file__), "torch"], check=True, timeout=300)


if __name__ == "__main__" and sys.argv[1] == "torch":
    run_with_torchs_group()
elif __name__ == "__main__":
    run_process(int(sys.argv[1]), sys.argv[2])
