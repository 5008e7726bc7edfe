# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives on GPUs, one process for each, through NCCL: values against the interpreter's grid of processes, and times of a data-parallel
and a sharded training step before and after bucketing, beside eager PyTorch. Needs PyTorch with CUDA; prints a table.

    gpu_collectives.py [--ranks N] [--layers 24] [--width 512] [--batch 256] [--calls 30]
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

# Multicast over NVLink reserves a resource of the whole machine.
os.environ.setdefault("NCCL_NVLS_ENABLE", "0")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

import fxgraph  # noqa: E402

c10d = torch.ops._c10d_functional


def wait(value):
    return c10d.wait_tensor(value)


# ---------------------------------------------------------------------------------------------------------------------
# Values
# ---------------------------------------------------------------------------------------------------------------------

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int32, torch.int64, torch.int8, torch.uint8, torch.bool)


def numbers(rank):
    """Sums, products and halves of them are exact in all types."""
    floats = [1.5 + rank, -2.25, 0.0, 3.0 * (-1) ** rank, 7.0, float("inf"), 0.5, -8.0]
    integers = [3, 77 - rank, 0, 100, 255 - rank, 1, 9 * (rank == 0), 2]
    return [torch.tensor(floats, dtype=torch.float64).to(d) for d in FLOATS] + [torch.tensor(integers).to(d) for d in INTEGERS]


def reductions(world, group):
    def run(*tensors):
        return tuple(wait(c10d.all_reduce(t, op, group)) for t in tensors for op in ("sum", "product", "min", "max")) + tuple(
            wait(c10d.all_reduce(t, "avg", group)) for t in tensors if t.dtype.is_floating_point) + tuple(
            wait(c10d.reduce_scatter_tensor(torch.cat([t] * world), "sum", world, group)) for t in tensors)
    return run


def gathers(world, group):
    def run(*tensors):
        coalesced = c10d.all_reduce_coalesced([tensors[0], tensors[0][:3] * 2], "max", group)
        return (*(wait(c10d.all_gather_into_tensor(t, world, group)) for t in tensors), *(wait(c) for c in coalesced),
                wait(c10d.all_gather_into_tensor(tensors[0][:0], world, group)))
    return run


def tensor_parallel(world, group):
    def run(x, w, u):
        hidden = torch.relu(wait(c10d.all_gather_into_tensor(x, world, group)) @ w)
        return wait(c10d.reduce_scatter_tensor(hidden @ u, "sum", world, group))
    return run


def random_tensors(*shapes):
    def make(rank):
        generator = torch.Generator().manual_seed(17 + rank)
        return [torch.randn(shape, generator=generator) for shape in shapes]
    return make


def overlapping(world, group):
    """Memory is given up and taken again beside collectives that still read and write theirs."""
    def run(x, y, w):
        first = c10d.all_reduce(torch.relu(x), "sum", group)
        small = torch.sin(y) @ w
        second = c10d.all_gather_into_tensor(-y, world, group)
        total = torch.cumsum(torch.tanh(small), 0)
        return torch.neg(wait(first)), wait(second) * 2, total
    return run


# name: (function of world and group, inputs of a rank, passes, relative tolerance)
VALUES = {
    "reductions": (reductions, numbers, "", 0),
    "gathers": (gathers, numbers, "", 0),
    "tensor parallel": (tensor_parallel, random_tensors((64, 96), (96, 128), (128, 96)), "", 1e-5),
    "micro-pipelined": (tensor_parallel, random_tensors((64, 96), (96, 128), (128, 96)), "fxgraph-distributed-micro-pipeline-tp", 1e-5),
    "overlapping": (overlapping, random_tensors((1 << 20,), (512, 512), (512, 512)), "", 1e-4),
}


def capture(function, inputs):
    return fxgraph.from_fx(make_fx(function, tracing_mode="fake")(*inputs), inputs)


def compile_with_groups(module, group, communicator):
    executable = module.compile("gpu")
    if group in executable.process_groups:
        executable.set_process_group(group, communicator)
    return executable


def check_values(rank, world, group, communicator):
    """The largest difference from the interpreter's grid over the largest value, for each program; what is exact must be equal."""
    results = {}
    for name, (make, inputs_of, passes, tolerance) in VALUES.items():
        every = [inputs_of(r) for r in range(world)]
        module = capture(make(world, group), every[rank])
        if passes:
            module.run_passes(passes)
        executable = compile_with_groups(module, group, communicator)
        expected = module.run_on_grid(every)[rank]
        worst = 0.0
        for _ in range(3):
            actual = executable(*[t.cuda() for t in every[rank]])
            for want, got in zip(expected, actual, strict=True):
                torch.testing.assert_close(got.cpu(), want, rtol=tolerance, atol=tolerance * 10, equal_nan=True)
                if want.numel() and want.dtype.is_floating_point:
                    largest = want.double().abs().nan_to_num(0, posinf=0).max().item()
                    worst = max(worst, (got.cpu().double() - want.double()).abs().nan_to_num(0).max().item() / max(largest, 1e-30))
        results[name] = worst
    return results


def check_plan(rank, world, communicator):
    """A launch plan by hand: collectives of any number of processes, one too, where a compiler makes copies."""
    def reference(kind):
        return {"kind": kind, "index": 0}
    elements = 1000

    def run(kind, given, gotten, extra):
        plan = {"fxgraph-plan": 1, "name": kind, "chip": "any", "workspace_bytes": 0,
                "inputs": [{"name": "x", "dtype": "bf16", "shape": [given], "bytes": 2 * given}],
                "outputs": [{"name": "y", "dtype": "bf16", "shape": [gotten], "bytes": 2 * gotten}],
                "steps": [{"op": "collective", "kind": kind, "group": "g", "group_size": world, **extra, "tensors": [
                    {"dtype": "bf16", "elements": elements, "input": reference("input"), "output": reference("output")}]},
                    {"op": "wait", "steps": [0]}]}
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plan.json"), "w") as stream:
                json.dump(plan, stream)
            executable = fxgraph.load_executable(folder)
        executable.set_process_group("g", communicator)
        x = torch.arange(given, dtype=torch.bfloat16, device="cuda") % 64 + rank
        return x, executable(x)[0]
    x, y = run("all_gather", elements, world * elements, {})
    assert torch.equal(y, torch.cat([x - rank + r for r in range(world)]))
    x, y = run("reduce_scatter", world * elements, elements, {"reduce_op": "sum"})
    own = (x - rank)[rank * elements:(rank + 1) * elements].double()
    assert torch.equal(y, (own * world + sum(range(world))).to(torch.bfloat16))


# ---------------------------------------------------------------------------------------------------------------------
# Times
# ---------------------------------------------------------------------------------------------------------------------

def data_parallel_step(world, group):
    """The gradients of a tower; the sum of each starts as soon as it is there, as DDP's hooks do it."""
    def run(x, *parameters):
        leaves = [p.detach().requires_grad_() for p in parameters]
        for leaf in leaves:
            leaf.register_hook(lambda gradient: c10d.all_reduce(gradient / world, "sum", group))
        hidden = x
        for weight, bias in zip(leaves[::2], leaves[1::2]):
            hidden = torch.relu(torch.addmm(bias, hidden, weight))
        return tuple(wait(gradient) for gradient in torch.autograd.grad(hidden.sum(), leaves))
    return run


def sharded_step(world, group):
    """Weights are gathered for the forward pass, their gradients scattered."""
    def run(x, *shards):
        weights = [wait(c10d.all_gather_into_tensor(shard, world, group)).requires_grad_() for shard in shards]
        hidden = x
        for weight in weights:
            hidden = torch.relu(hidden @ weight)
        gradients = torch.autograd.grad(hidden.sum(), weights)
        return tuple(wait(c10d.reduce_scatter_tensor(g, "avg", world, group)) for g in gradients)
    return run


BUCKETS = "fxgraph-distributed-bucket-reduce-scatter{mode=fsdp},fxgraph-distributed-bucket-all-gather{mode=fsdp}"


def workloads(options, world):
    width, layers = options.width, options.layers

    def tower(rank):
        generator = torch.Generator().manual_seed(5)
        parameters = []
        for _ in range(layers):
            parameters += [torch.randn(width, width, generator=generator) / width ** 0.5, torch.randn(width, generator=generator) / 10]
        return [torch.randn(options.batch, width, generator=torch.Generator().manual_seed(rank)), *parameters]

    def shards(rank):
        x, *parameters = tower(rank)
        rows = width // world
        return [x, *(w[rank * rows:(rank + 1) * rows].contiguous() for w in parameters[::2])]
    return {
        "DDP": (data_parallel_step, tower, {
            "as captured": "", "25 MB buckets": "fxgraph-distributed-bucket-all-reduce{bucket-cap-mb=25}",
            "5 MB buckets": "fxgraph-distributed-bucket-all-reduce{bucket-cap-mb=5}",
            "coalesced": "fxgraph-distributed-fuse-ddp{passes=fuse_ddp_with_coalesced_op bucket-size-mb=5}"}),
        "FSDP": (sharded_step, shards, {
            "as captured": "", "overlapped": "fxgraph-distributed-overlap-scheduling", "one bucket": BUCKETS,
            "5 MB buckets": BUCKETS.replace("mode=fsdp", "mode=fsdp bucket-cap-mb=5"),
            "5 MB buckets, overlapped": BUCKETS.replace("mode=fsdp", "mode=fsdp bucket-cap-mb=5") + ",fxgraph-distributed-overlap-scheduling"}),
    }


def microseconds(function, calls):
    """The slowest process' median, with all of them starting each call at about one time."""
    for _ in range(5):
        function()
    dist.barrier()
    torch.cuda.synchronize()
    pairs = []
    for _ in range(calls):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        function()
        end.record()
        pairs.append((start, end))
    torch.cuda.synchronize()
    median = torch.tensor(statistics.median(start.elapsed_time(end) for start, end in pairs) * 1e3)
    dist.all_reduce(median, op=dist.ReduceOp.MAX)
    return median.item()


def replayed(function):
    """One call as a CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    dist.barrier()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        function()
    return graph.replay


def measure(options, rank, world, groups, communicator):
    group, eager_group = groups
    rows = []
    for name, (make, inputs_of, variants) in workloads(options, world).items():
        host = inputs_of(rank)
        inputs = [t.cuda() for t in host]
        eager = make(world, eager_group)
        expected = eager(*inputs)
        rows.append((name, "eager PyTorch", "", microseconds(lambda: eager(*inputs), options.calls), None))
        for variant, passes in variants.items():
            module = capture(make(world, group), host)
            if passes:
                module.run_passes(passes)
            collectives = sum(n for op, n in module.op_counts().items() if "all_" in op or "reduce_scatter" in op)
            executable = compile_with_groups(module, group, communicator)
            for want, got in zip(expected, executable(*inputs), strict=True):
                torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
            calls = microseconds(lambda: executable(*inputs), options.calls)
            rows.append((name, variant, collectives, calls, microseconds(replayed(lambda: executable(*inputs)), options.calls)))
    return rows


def run_rank(rank, world, folder, options):
    torch.cuda.set_device(rank)
    torch.backends.cuda.matmul.allow_tf32 = False
    # What the host exchanges goes over gloo; PyTorch's own collectives on GPUs through a group of NCCL.
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
    eager_group = dist.new_group(backend="nccl")
    group = dist.group.WORLD.group_name
    torch.zeros(1, device="cuda")
    communicator = fxgraph.ProcessGroup.from_torch()
    assert (communicator.rank, communicator.size) == (rank, world)
    check_plan(rank, world, communicator)
    differences = check_values(rank, world, group, communicator)
    if rank == 0:
        version = ".".join(map(str, torch.cuda.nccl.version()))
        print(f"{world} x {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, NCCL {version}", flush=True)
        for name, worst in differences.items():
            print(f"values: {name:20} largest difference from the interpreter {worst:.2e}", flush=True)
    rows = measure(options, rank, world, (group, eager_group.group_name), communicator)
    if rank == 0:
        print(f"\n{options.layers} layers of {options.width}, batch {options.batch}; median of {options.calls}, microseconds")
        print(f"{'':6} {'':28} {'collectives':>11} {'calls':>9} {'CUDA graph':>11}")
        for name, variant, collectives, calls, graph in rows:
            print(f"{name:6} {variant:28} {collectives:>11} {calls:9.1f} {'' if graph is None else f'{graph:11.1f}'}")
    torch.cuda.synchronize()
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=torch.cuda.device_count())
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--calls", type=int, default=30)
    options = parser.parse_args()
    if not 1 <= options.ranks <= torch.cuda.device_count():
        sys.exit(f"gpu_collectives: expected 1 to {torch.cuda.device_count()} ranks, one for each GPU, but got {options.ranks}")
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(run_rank, args=(options.ranks, folder, options), nprocs=options.ranks)


if __name__ == "__main__":
    main()
