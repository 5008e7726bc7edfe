#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: cuda, torch
# RUN: %python %s --runtime %lib_dir/libFxGraphRuntime.so
"""Runs the GPU runtime on a real GPU and compares it with PyTorch.

    python3 test/Integration/GPU/runtime_smoke.py [--runtime libFxGraphRuntime.so]

Needs PyTorch with CUDA and the runtime's shared library (beside this script, in
build/lib, or named). Without a GPU it says so and exits with 0. Hand-written
PTX kernels, cuBLASLt products and cuDNN convolutions run on PyTorch's current
stream and inside a CUDA graph; every output is poisoned first, and compared
with a float64 reference beside PyTorch's own error.
"""

import argparse
import ctypes
import glob
import json
import math
import os
import sys
import traceback

# One element per thread; parameters as the compiler writes them: one pointer per
# tensor.
PTX = r"""
.version 8.0
.target sm_90
.address_size 64

.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<4>;
  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b]; ld.param.u64 %d2, [c];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p0, %r4, %r0;
  @%p0 bra done;
  mul.wide.u32 %d3, %r4, 4;
  add.u64 %d4, %d0, %d3; add.u64 %d5, %d1, %d3; add.u64 %d6, %d2, %d3;
  ld.global.f32 %f0, [%d4]; ld.global.f32 %f1, [%d5];
  add.rn.f32 %f2, %f0, %f1;
  st.global.f32 [%d6], %f2;
done:
  ret;
}

.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 factor, .param .f64 shift, .param .u64 n)
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<4>; .reg .f64 %g<4>;
  ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; ld.param.f32 %f0, [factor];
  ld.param.f64 %g0, [shift]; ld.param.u64 %d2, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d3, %r4;
  setp.ge.u64 %p0, %d3, %d2;
  @%p0 bra done;
  shl.b64 %d4, %d3, 2;
  add.u64 %d5, %d0, %d4; add.u64 %d6, %d1, %d4;
  ld.global.f32 %f1, [%d5];
  mul.rn.f32 %f2, %f1, %f0;
  cvt.rn.f32.f64 %f3, %g0;
  add.rn.f32 %f2, %f2, %f3;
  st.global.f32 [%d6], %f2;
done:
  ret;
}

// out[0] = t0[0] + t1[0] + t2[0] from a table of pointers by value.
.visible .entry table(.param .align 8 .b8 t[24], .param .u64 out)
{
  .reg .b64 %d<6>; .reg .f32 %f<6>;
  ld.param.u64 %d0, [t]; ld.param.u64 %d1, [t+8]; ld.param.u64 %d2, [t+16];
  ld.param.u64 %d3, [out];
  ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d2];
  add.rn.f32 %f3, %f0, %f1; add.rn.f32 %f4, %f3, %f2;
  st.global.f32 [%d3], %f4;
  ret;
}

// Every block writes its rank in the cluster.
.visible .entry ranks(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %cluster_ctarank;
  mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;
  st.global.u32 [%d2], %r1;
  ret;
}

// Thread t passes t through the last word of 100000 bytes of shared memory.
.extern .shared .align 16 .b8 dynamic[];
.visible .entry shared(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %tid.x; mov.u32 %r1, dynamic;
  shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, 99872; add.u32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r0;
  bar.sync 0;
  xor.b32 %r4, %r2, 124; add.u32 %r5, %r1, 99872; add.u32 %r5, %r5, %r4;
  ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;
  st.global.u32 [%d2], %r6;
  ret;
}

// Loads the 8 x 16 box at row 8, column 16 of an f32 matrix through the second
// of two tensor maps; 128 threads write it out.
.visible .entry tma(.param .align 64 .b8 maps[256], .param .u64 out)
{
  .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %d<8>;
  .shared .align 128 .b8 tile[512];
  .shared .align 8 .b8 barrier[8];
  ld.param.u64 %d0, [out];
  mov.b64 %d1, maps; cvta.param.u64 %d1, %d1; add.u64 %d1, %d1, 128;
  mov.u32 %r0, %tid.x; mov.u32 %r1, tile; mov.u32 %r2, barrier;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra initialized;
  mbarrier.init.shared::cta.b64 [%r2], 1;
  fence.mbarrier_init.release.cluster;
initialized:
  bar.sync 0;
  @%p0 bra waiting;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d2, [%r2], 512;
  mov.u32 %r3, 16; mov.u32 %r4, 8;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d1, {%r3, %r4}], [%r2];
waiting:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
  @!%p1 bra waiting;
  shl.b32 %r5, %r0, 2; add.u32 %r6, %r1, %r5;
  ld.shared.u32 %r7, [%r6];
  mul.wide.u32 %d3, %r0, 4; add.u64 %d4, %d0, %d3;
  st.global.u32 [%d4], %r7;
  ret;
}
"""

OK, INVALID_ARGUMENT, INVALID_PLAN, UNSUPPORTED, NO_DRIVER = range(5)
NOT_FOUND = 8
torch = None  # imported after the arguments are read


class DeviceInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * 256), ("chip", ctypes.c_char * 16), ("ordinal", ctypes.c_int32),
        ("multiprocessors", ctypes.c_int32), ("shared_bytes", ctypes.c_int32), ("driver", ctypes.c_int32),
        ("memory_bytes", ctypes.c_uint64), ("l2_bytes", ctypes.c_uint64),
    ]


class Timing(ctypes.Structure):
    _fields_ = [("median", ctypes.c_double), ("min", ctypes.c_double), ("max", ctypes.c_double),
                ("mean", ctypes.c_double), ("repeats", ctypes.c_int32)]


class RuntimeFailure(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Runtime:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.fxrtLastError.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status != OK:
            raise RuntimeFailure(status, self.lib.fxrtLastError().decode())

    def device_info(self):
        info = DeviceInfo()
        self.call("fxrtGetDeviceInfo", -1, ctypes.byref(info))
        return info


def pointers(tensors):
    return (ctypes.c_void_p * len(tensors))(*[t.data_ptr() for t in tensors])


class Graph:
    """A loaded graph; calls allocate outputs and workspace with torch."""

    def __init__(self, runtime, plan, image=None, constants=b""):
        self.runtime = runtime
        self.handle = ctypes.c_void_p()
        text = json.dumps(plan).encode()
        image = image.encode() if image else None
        runtime.call("fxrtLoad", text, ctypes.c_size_t(len(text)), image, ctypes.c_size_t(len(image or b"")),
                     constants, ctypes.c_size_t(len(constants)), ctypes.byref(self.handle))
        size = ctypes.c_size_t()
        runtime.call("fxrtGetWorkspaceBytes", self.handle, ctypes.byref(size))
        self.workspace_bytes = size.value
        self.workspace = torch.empty(max(size.value, 1), dtype=torch.uint8, device="cuda")

    def arguments(self, inputs, outputs):
        return (self.handle, pointers(inputs), ctypes.c_size_t(len(inputs)), pointers(outputs),
                ctypes.c_size_t(len(outputs)), ctypes.c_void_p(self.workspace.data_ptr()),
                ctypes.c_size_t(self.workspace_bytes))

    def run(self, inputs, outputs):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.runtime.call("fxrtRun", *self.arguments(inputs, outputs), stream)

    def time(self, inputs, outputs, repeats=50, flags=0):
        timing = Timing()
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.runtime.call("fxrtTime", *self.arguments(inputs, outputs), stream, 10, repeats, flags,
                          ctypes.byref(timing), None)
        return timing

    def close(self):
        if self.handle:
            self.runtime.call("fxrtDestroy", self.handle)
            self.handle = None


DTYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int32": "i32"}


def spec(name, tensor, **more):
    """An input or output as the plan describes it (dense, whatever the layout)."""
    dtype = DTYPES[str(tensor.dtype).split(".")[-1]]
    return {"name": name, "dtype": dtype, "shape": list(tensor.shape), "strides": list(tensor.stride()),
            "bytes": tensor.numel() * tensor.element_size(), **more}


def ref(kind, index=0, offset=0):
    return {"kind": kind, "offset": offset, **({} if kind == "workspace" else {"index": index})}


def make_plan(inputs, outputs, steps, **more):
    plan = {"fxgraph-plan": 1, "name": "smoke", "chip": "sm_90",
            "inputs": [spec(f"in{i}", t) for i, t in enumerate(inputs)],
            "outputs": [spec(f"out{i}", t) for i, t in enumerate(outputs)],
            "workspace_bytes": 0, "steps": steps}
    plan.update(more)
    return plan


def kernel(name, args, grid, block, **more):
    return {"op": "kernel", "name": name, "grid": [grid, 1, 1], "block": [block, 1, 1], "args": args, **more}


def poisoned(*shape, dtype):
    return torch.full(shape, math.nan, dtype=dtype, device="cuda") if dtype.is_floating_point else torch.full(
        shape, -77, dtype=dtype, device="cuda")


def check_close(what, got, reference, eager, slack=0.0):
    """`got` may be at most twice (plus two roundings and `slack`) as far from float64 as PyTorch is."""
    assert torch.isfinite(got).all(), f"{what}: the output holds values that nobody wrote"
    scale = reference.abs().max().item() + 1e-30
    error = (got.double() - reference).abs().max().item() / scale
    theirs = (eager.double() - reference).abs().max().item() / scale
    rounding = torch.finfo(got.dtype).eps
    assert error <= 2 * theirs + 2 * rounding + slack, f"{what}: error {error:.3e}, PyTorch {theirs:.3e}"
    return f"error {error:.1e} (PyTorch {theirs:.1e})"


# --- The checks: each returns a note for its line, or raises. ---------------------


def check_device(runtime):
    info = runtime.device_info()
    major, minor = torch.cuda.get_device_capability()
    assert info.chip.decode() == f"sm_{major}{minor}"
    assert info.name.decode() == torch.cuda.get_device_name()
    assert info.ordinal == torch.cuda.current_device()
    return f"{info.name.decode()}, {info.chip.decode()}, driver {info.driver}"


def chain_plan(x, y, n):
    """y = 2 (x + w) + 0.25 over the workspace; w is a constant."""
    return make_plan([x], [y], [
        kernel("add", [ref("input"), ref("constant"), ref("workspace", 0, 256), {"kind": "i32", "value": n}],
               (n + 255) // 256, 256),
        kernel("scale", [ref("workspace", 0, 256), ref("output"), {"kind": "f32", "value": 2.0},
                         {"kind": "f64", "value": 0.25}, {"kind": "i64", "value": n}], (n + 255) // 256, 256),
        kernel("scale", [ref("workspace"), ref("output"), {"kind": "f32", "value": 9.0},
                         {"kind": "f64", "value": 9.0}, {"kind": "i64", "value": 0}], 0, 256),
    ], workspace_bytes=256 + 4 * n, constants=[{"name": "w", "offset": 0, "bytes": 4 * n}])


def make_chain(runtime, n=1000):
    x = torch.randn(n, device="cuda")
    y = poisoned(n, dtype=torch.float32)
    w = torch.randn(n)
    graph = Graph(runtime, chain_plan(x, y, n), PTX, w.numpy().tobytes())
    return graph, x, y, w.cuda()


def check_kernels(runtime):
    graph, x, y, w = make_chain(runtime)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x.copy_(torch.randn_like(x))  # ordered before the run only by the stream
        graph.run([x], [y])
        result = y.clone()
    torch.cuda.current_stream().wait_stream(side)
    assert torch.equal(result, 2 * (x + w) + 0.25)
    y.fill_(math.nan)
    graph.run([x], [y])
    assert torch.equal(y, 2 * (x + w) + 0.25), "on the default stream"
    graph.close()
    return "bit-equal on a side stream and on the default stream"


def check_host_run(runtime):
    graph, x, y, w = make_chain(runtime)
    host_x, host_y = x.cpu(), torch.full((1000,), math.nan)
    runtime.call("fxrtRunHost", graph.handle, pointers([host_x]), ctypes.c_size_t(1), pointers([host_y]),
                 ctypes.c_size_t(1))
    assert torch.equal(host_y, (2 * (x + w) + 0.25).cpu())
    graph.close()


def check_copy_fill(runtime):
    x = torch.arange(16, dtype=torch.int32, device="cuda")
    y = poisoned(16, dtype=torch.int32)
    graph = Graph(runtime, make_plan([x], [y], [
        {"op": "fill", "to": ref("output"), "bytes": 64, "word": -2},
        {"op": "fill", "to": ref("output", 0, 8), "bytes": 4, "byte": 1},
        {"op": "copy", "from": ref("input", 0, 4), "to": ref("output", 0, 32), "bytes": 32}]))
    graph.run([x], [y])
    assert y.tolist() == [-2, -2, 0x01010101] + [-2] * 5 + list(range(1, 9)), y.tolist()
    graph.close()


def check_pointer_table(runtime):
    a, b, c = (torch.randn(8, device="cuda") for _ in range(3))
    y = poisoned(1, dtype=torch.float32)
    graph = Graph(runtime, make_plan([a, b, c], [y], [
        kernel("table", [{"kind": "pointers", "buffers": [ref("input", 0), ref("input", 1, 4), ref("input", 2)]},
                         ref("output")], 1, 1)]), PTX)
    graph.run([a, b, c], [y])
    assert torch.equal(y[0], a[0] + b[1] + c[0])
    graph.close()


def check_cluster_and_programmatic(runtime):
    y = poisoned(8, dtype=torch.int32)
    for more, expected in (({"cluster": [4, 1, 1]}, [0, 1, 2, 3] * 2), ({"programmatic": True}, [0] * 8),
                           ({"cluster": [2, 1, 1], "programmatic": True}, [0, 1] * 4)):
        graph = Graph(runtime, make_plan([], [y], [kernel("ranks", [ref("output")], 8, 1, **more)] * 2), PTX)
        y.fill_(-77)
        graph.run([], [y])
        assert y.tolist() == expected, (more, y.tolist())
        graph.close()


def check_large_shared(runtime):
    y = poisoned(32, dtype=torch.int32)
    graph = Graph(runtime, make_plan([], [y], [kernel("shared", [ref("output")], 1, 32, shared_bytes=100000)]), PTX)
    graph.run([], [y])
    assert y.tolist() == [31 - i for i in range(32)], y.tolist()
    graph.close()


def check_tensor_map(runtime):
    x = torch.randn(32, 64, device="cuda")
    other = torch.zeros(32, 64, device="cuda")
    y = poisoned(8, 16, dtype=torch.float32)
    maps = {"kind": "tensor_map", "buffers": [ref("input", 1), ref("input", 0)], "dtype": "f32", "dims": [64, 32],
            "strides_bytes": [256], "box": [16, 8], "l2_promotion": "128b"}
    graph = Graph(runtime, make_plan([x, other], [y], [kernel("tma", [maps, ref("output")], 1, 128)]), PTX)
    graph.run([x, other], [y])
    assert torch.equal(y, x[8:16, 16:32])
    graph.close()


def check_errors(runtime):
    x = torch.randn(4, device="cuda")

    def expect(status, part, *arguments):
        try:
            Graph(runtime, *arguments)
        except RuntimeFailure as failure:
            assert failure.status == status and part in str(failure), (failure.status, str(failure))
        else:
            raise AssertionError(f"expected: {part}")

    expect(NOT_FOUND, "has no kernel 'absent'", make_plan([x], [], [kernel("absent", [ref("input")], 1, 1)]), PTX)
    expect(INVALID_PLAN, "the plan passes 2 arguments but the kernel takes more",
           make_plan([x], [], [kernel("add", [ref("input")] * 2, 1, 1)]), PTX)
    expect(INVALID_PLAN, "but the kernel takes 4",
           make_plan([x], [], [kernel("add", [ref("input")] * 3 + [{"kind": "i32", "value": 1}] * 2, 1, 1)]), PTX)
    expect(INVALID_PLAN, "argument 3 has 8 bytes but the kernel's parameter has 4",
           make_plan([x], [], [kernel("add", [ref("input")] * 4, 1, 1)]), PTX)
    broken = PTX.replace("add.rn.f32 %f2, %f0, %f1;", "add.rn.f32 %f2, %f0;")
    expect(5, "the driver's log", make_plan([x], [], [kernel("add", [ref("input")] * 4, 1, 1)]), broken)
    expect(UNSUPPORTED, "was compiled for sm_75a", make_plan([x], [], [kernel("ranks", [ref("input")], 1, 1)],
                                                           chip="sm_75a"), PTX)


def matmul_case(runtime, dtype, m, n, k, batch=0, trans_a=False, trans_b=False, epilogue="none", dtype_out=None,
                bias_per_batch=False, allow_tf32=False):
    dtype_out = dtype_out or dtype
    lead = (batch,) if batch else ()
    a = torch.randn(*lead, *((k, m) if trans_a else (m, k)), device="cuda").to(dtype)
    b = torch.randn(*lead, *((n, k) if trans_b else (k, n)), device="cuda").to(dtype)
    bias = torch.randn(*(lead if bias_per_batch else ()), n, device="cuda").to(dtype_out)
    y = poisoned(*lead, m, n, dtype=dtype_out)
    step = {"op": "matmul", "m": m, "n": n, "k": k, "batch": batch or 1, "dtype": spec("", a)["dtype"],
            "dtype_out": spec("", y)["dtype"], "trans_a": trans_a, "trans_b": trans_b, "epilogue": epilogue,
            "a": ref("input", 0), "b": ref("input", 1), "d": ref("output")}
    if "bias" in epilogue:
        step["bias"] = ref("input", 2)
        if bias_per_batch:
            step["stride_bias"] = n
    graph = Graph(runtime, make_plan([a, b, bias], [y], [step], library_workspace_bytes=32 << 20,
                                     allow_tf32=allow_tf32))
    graph.run([a, b, bias], [y])

    def compute(a, b, bias):
        value = torch.matmul(a.mT if trans_a else a, b.mT if trans_b else b)
        if "bias" in epilogue:
            value = value + (bias.unsqueeze(-2) if bias_per_batch else bias)
        if epilogue.startswith("relu"):
            value = torch.relu(value)
        if epilogue.startswith("gelu"):
            value = torch.nn.functional.gelu(value, approximate="tanh")
        return value

    reference = compute(a.double(), b.double(), bias.double())
    eager = compute(a.to(dtype_out), b.to(dtype_out), bias)
    name = f"{spec('', a)['dtype']}->{spec('', y)['dtype']} m={m} n={n} k={k} batch={batch} {epilogue}"
    # Tensor cores add up in f32 without rounding to nearest; the f64 reference is itself rounded.
    slack = {torch.float64: 1e-14, torch.float32: 1e-7 if dtype == dtype_out else 4e-6}.get(dtype_out, 0)
    note = check_close(name, y, reference, eager, slack)
    graph.close()
    return note


def check_matmul_f32(runtime):
    for trans_a in (False, True):
        for trans_b in (False, True):
            note = matmul_case(runtime, torch.float32, 37, 53, 129, trans_a=trans_a, trans_b=trans_b)
    matmul_case(runtime, torch.float64, 33, 17, 65, trans_b=True)
    return note


def check_matmul_16bit(runtime):
    for dtype in (torch.bfloat16, torch.float16):
        matmul_case(runtime, dtype, 128, 256, 512, trans_b=True)
        matmul_case(runtime, dtype, 3, 5, 7)  # odd sizes: 2-byte aligned rows
        note = matmul_case(runtime, dtype, 64, 64, 64, dtype_out=torch.float32)
    return note


def check_matmul_epilogues(runtime):
    for epilogue in ("bias", "relu", "relu_bias", "gelu_tanh", "gelu_tanh_bias"):
        note = matmul_case(runtime, torch.bfloat16, 256, 512, 128, trans_b=True, epilogue=epilogue)
        matmul_case(runtime, torch.float32, 65, 31, 40, epilogue=epilogue)
    return note


def check_matmul_batched(runtime):
    matmul_case(runtime, torch.bfloat16, 64, 64, 64, batch=8, trans_b=True)
    note = matmul_case(runtime, torch.float32, 10, 12, 14, batch=3)
    matmul_case(runtime, torch.bfloat16, 128, 64, 64, batch=16, trans_b=True, epilogue="bias")
    return note


def check_matmul_bias_per_batch(runtime):
    return matmul_case(runtime, torch.bfloat16, 128, 64, 64, batch=16, trans_b=True, epilogue="bias",
                       bias_per_batch=True)


def check_matmul_tf32(runtime):
    """Full f32 must be far more precise than TF32 (10 bits)."""
    full = matmul_case(runtime, torch.float32, 512, 512, 512)
    a, b = (torch.randn(512, 512, device="cuda") for _ in range(2))
    y = poisoned(512, 512, dtype=torch.float32)
    step = {"op": "matmul", "m": 512, "n": 512, "k": 512, "dtype": "f32", "a": ref("input", 0),
            "b": ref("input", 1), "d": ref("output")}
    reference = a.double() @ b.double()
    errors = []
    for allow in (False, True):
        graph = Graph(runtime, make_plan([a, b], [y], [step], library_workspace_bytes=32 << 20, allow_tf32=allow))
        graph.run([a, b], [y])
        errors.append(((y.double() - reference).abs().max() / reference.abs().max()).item())
        graph.close()
    assert errors[0] < 1e-5 < errors[1] < 1e-2, errors
    return f"{full}; f32 {errors[0]:.1e}, TF32 {errors[1]:.1e}"


def check_matmul_nan_through_relu(runtime):
    """PyTorch's relu keeps NaN. Says whether the library's epilogue does."""
    a = torch.full((64, 64), math.nan, device="cuda", dtype=torch.bfloat16)
    b = torch.ones(64, 64, device="cuda", dtype=torch.bfloat16)
    y = torch.zeros(64, 64, device="cuda", dtype=torch.bfloat16)
    graph = Graph(runtime, make_plan([a, b], [y], [
        {"op": "matmul", "m": 64, "n": 64, "k": 64, "dtype": "bf16", "epilogue": "relu", "a": ref("input", 0),
         "b": ref("input", 1), "d": ref("output")}], library_workspace_bytes=32 << 20))
    graph.run([a, b], [y])
    graph.close()
    kept = torch.isnan(y).all().item()
    return "NaN is kept" if kept else "INFORMATION: the library's relu turns NaN into " + str(y[0, 0].item())


def check_matmul_alpha_beta(runtime):
    a, b, c = (torch.randn(48, 48, device="cuda") for _ in range(3))
    y = poisoned(48, 48, dtype=torch.float32)
    graph = Graph(runtime, make_plan([a, b, c], [y], [
        {"op": "matmul", "m": 48, "n": 48, "k": 48, "dtype": "f32", "alpha": 0.5, "beta": -2.0, "a": ref("input", 0),
         "b": ref("input", 1), "c": ref("input", 2), "d": ref("output")}], library_workspace_bytes=32 << 20))
    graph.run([a, b, c], [y])
    graph.close()
    return check_close("alpha beta c", y, 0.5 * (a.double() @ b.double()) - 2 * c.double(),
                       torch.addmm(c, a, b, alpha=0.5, beta=-2.0))


def conv_case(runtime, dtype, input_shape, filter_shape, stride, padding, dilation, groups=1, bias=False, relu=False,
              layout="nchw"):
    spatial = len(stride)
    x = torch.randn(*input_shape, device="cuda").to(dtype)
    w = torch.randn(*filter_shape, device="cuda").to(dtype)
    b = torch.randn(filter_shape[0], device="cuda").to(dtype)
    conv = (torch.nn.functional.conv1d, torch.nn.functional.conv2d, torch.nn.functional.conv3d)[spatial - 1]

    def compute(x, w, b):
        value = conv(x, w, b if bias else None, stride, padding, dilation, groups)
        return torch.relu(value) if relu else value

    eager = compute(x, w, b)
    reference = compute(x.double().cpu(), w.double().cpu(), b.double().cpu()).cuda()
    y = torch.full_like(eager, math.nan, memory_format=torch.contiguous_format)
    if layout == "nhwc":
        order = (0,) + tuple(range(2, spatial + 2)) + (1,)
        back = (0, spatial + 1) + tuple(range(1, spatial + 1))
        x, w, y = (t.permute(order).contiguous().permute(back) for t in (x, w, y))
    step = {"op": "conv", "dtype": spec("", x)["dtype"], "layout": layout, "input_shape": list(input_shape),
            "filter_shape": list(filter_shape), "stride": list(stride), "padding": list(padding),
            "dilation": list(dilation), "groups": groups, "activation": "relu" if relu else "none",
            "input": ref("input", 0), "filter": ref("input", 1), "output": ref("output")}
    if bias:
        step["bias"] = ref("input", 2)
    graph = Graph(runtime, make_plan([x, w, b], [y], [step]))
    graph.run([x, w, b], [y])
    # One of the two may use Winograd's algorithm, which loses a digit.
    slack = {torch.float64: 1e-14, torch.float32: 1e-5}.get(dtype, torch.finfo(dtype).eps)
    note = check_close(f"{spec('', x)['dtype']} {input_shape} {filter_shape} {layout}", y, reference, eager, slack)
    graph.close()
    return note


def check_conv2d(runtime):
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for layout in ("nchw", "nhwc"):
            note = conv_case(runtime, dtype, (4, 32, 28, 28), (64, 32, 3, 3), (1, 1), (1, 1), (1, 1), layout=layout)
    conv_case(runtime, torch.float32, (2, 3, 17, 19), (5, 3, 3, 2), (2, 1), (1, 0), (1, 2))
    conv_case(runtime, torch.bfloat16, (1, 3, 33, 31), (16, 3, 7, 7), (2, 2), (3, 3), (1, 1))
    return note


def check_conv1d_and_3d(runtime):
    conv_case(runtime, torch.float32, (2, 8, 50), (12, 8, 5), (2,), (2,), (1,))
    conv_case(runtime, torch.bfloat16, (2, 8, 50), (16, 8, 5), (1,), (2,), (1,), layout="nhwc")
    return conv_case(runtime, torch.float32, (1, 4, 8, 9, 10), (6, 4, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1))


def check_conv_groups(runtime):
    conv_case(runtime, torch.float32, (2, 8, 14, 14), (16, 4, 3, 3), (1, 1), (1, 1), (1, 1), groups=2)
    return conv_case(runtime, torch.float16, (2, 32, 14, 14), (32, 1, 3, 3), (1, 1), (1, 1), (1, 1), groups=32)


def check_conv_f64(runtime):
    return conv_case(runtime, torch.float64, (2, 3, 8, 8), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), bias=True)


def check_conv_bias_relu(runtime):
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for layout in ("nchw", "nhwc"):
            for bias, relu in ((True, False), (False, True), (True, True)):
                note = conv_case(runtime, dtype, (2, 16, 15, 13), (24, 16, 3, 3), (1, 1), (1, 1), (1, 1), bias=bias,
                                 relu=relu, layout=layout)
    return note


def check_torch_capture(runtime):
    """fxrtRun inside torch.cuda.graph: kernels, a product and a convolution."""
    n = 64
    x, w = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
    img, filt = torch.randn(1, 4, 8, 8, device="cuda"), torch.randn(4, 4, 3, 3, device="cuda")
    bias = torch.randn(4, device="cuda")
    y, z = poisoned(n, n, dtype=torch.float32), poisoned(1, 4, 6, 6, dtype=torch.float32)
    count = n * n
    plan = make_plan([x, w, img, filt, bias], [y, z], [
        {"op": "matmul", "m": n, "n": n, "k": n, "dtype": "f32", "a": ref("input", 0), "b": ref("input", 1),
         "d": ref("workspace")},
        kernel("scale", [ref("workspace"), ref("output"), {"kind": "f32", "value": 2.0}, {"kind": "f64", "value": 0},
                         {"kind": "i64", "value": count}], count // 256, 256),
        {"op": "conv", "dtype": "f32", "input_shape": [1, 4, 8, 8], "filter_shape": [4, 4, 3, 3], "bias":
         ref("input", 4), "activation": "relu", "input": ref("input", 2), "filter": ref("input", 3),
         "output": ref("output", 1)}], workspace_bytes=4 * count, library_workspace_bytes=32 << 20)
    graph = Graph(runtime, plan, PTX)
    inputs, outputs = [x, w, img, filt, bias], [y, z]
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        graph.run(inputs, outputs)
    for _ in range(2):
        for tensor in (x, w, img):
            tensor.copy_(torch.randn_like(tensor))
        y.fill_(math.nan)
        z.fill_(math.nan)
        captured.replay()
        torch.cuda.synchronize()
        check_close("product", y, 2 * (x.double() @ w.double()), 2 * (x @ w))
        check_close("convolution", z,
                    torch.relu(torch.nn.functional.conv2d(img.double().cpu(), filt.double().cpu(),
                                                          bias.double().cpu())).cuda(),
                    torch.relu(torch.nn.functional.conv2d(img, filt, bias)), slack=1e-5)
    del captured
    graph.close()


def check_own_capture(runtime):
    graph, x, y, w = make_chain(runtime)
    capture = ctypes.c_void_p()
    runtime.call("fxrtCapture", *graph.arguments([x], [y]), ctypes.byref(capture))
    torch.cuda.synchronize()
    assert torch.isnan(y).all(), "the capture must not execute"
    x.copy_(torch.randn_like(x))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    runtime.call("fxrtReplay", capture, stream)
    assert torch.equal(y, 2 * (x + w) + 0.25)
    runtime.call("fxrtDestroyCapture", capture)
    graph.close()


def check_timing(runtime):
    """Notes host and device cost per launch; no threshold but sanity."""
    import time
    x, y = torch.randn(256, device="cuda"), poisoned(256, dtype=torch.float32)
    args = [ref("input"), ref("output"), {"kind": "f32", "value": 2.0}, {"kind": "f64", "value": 0},
            {"kind": "i64", "value": 256}]
    graph = Graph(runtime, make_plan([x], [y], [kernel("scale", args, 1, 256)] * 100), PTX)
    for _ in range(20):
        graph.run([x], [y])
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(50):
        graph.run([x], [y])
    host = (time.perf_counter() - start) / 50 / 100 * 1e6
    torch.cuda.synchronize()
    launches, replay = (graph.time([x], [y], flags=flags).median * 10 for flags in (0, 2))
    flushed = graph.time([x], [y], flags=3)
    assert 0 < flushed.min <= flushed.median <= flushed.max
    assert 0 < launches < 1000 and 0 < replay < 1000
    graph.close()
    return f"per kernel: host {host:.2f} us, launches {launches:.2f} us, CUDA graph {replay:.2f} us"


def check_matmul_speed(runtime):
    n = 4096
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    y = poisoned(n, n, dtype=torch.bfloat16)
    graph = Graph(runtime, make_plan([a, b], [y], [
        {"op": "matmul", "m": n, "n": n, "k": n, "dtype": "bf16", "trans_b": True, "a": ref("input", 0),
         "b": ref("input", 1), "d": ref("output")}], library_workspace_bytes=32 << 20))
    ours = graph.time([a, b], [y]).median
    start, end = torch.cuda.Event(True), torch.cuda.Event(True)
    for _ in range(10):
        torch.matmul(a, b.mT)
    start.record()
    for _ in range(50):
        torch.matmul(a, b.mT)
    end.record()
    torch.cuda.synchronize()
    theirs = start.elapsed_time(end) / 50
    graph.close()
    flops = 2 * n ** 3 / 1e9
    return f"4096^3 bf16: {ours:.3f} ms ({flops / ours:.0f} TFLOP/s), torch {theirs:.3f} ms"


CHECKS = [check_device, check_kernels, check_host_run, check_copy_fill, check_pointer_table,
          check_cluster_and_programmatic, check_large_shared, check_tensor_map, check_errors, check_matmul_f32,
          check_matmul_16bit, check_matmul_epilogues, check_matmul_batched, check_matmul_bias_per_batch,
          check_matmul_tf32, check_matmul_nan_through_relu, check_matmul_alpha_beta, check_conv2d,
          check_conv1d_and_3d, check_conv_groups, check_conv_f64, check_conv_bias_relu, check_torch_capture,
          check_own_capture, check_timing, check_matmul_speed]


def find_runtime():
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (here, os.path.join(here, "../../../build/lib"), os.getcwd()):
        path = os.path.join(folder, "libFxGraphRuntime.so")
        if os.path.exists(path):
            return path
    return "libFxGraphRuntime.so"


def point_to_libraries():
    """PyTorch has loaded both libraries, normally; else look among its packages."""
    packages = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "nvidia")
    for variable, names in (("FXGRAPH_CUBLASLT", ("libcublasLt.so.13", "libcublasLt.so.12")),
                            ("FXGRAPH_CUDNN", ("libcudnn.so.9",))):
        if os.environ.get(variable):
            continue
        for name in names:
            try:
                ctypes.CDLL(name)
                break
            except OSError:
                found = glob.glob(os.path.join(packages, "**", name), recursive=True)
                if found:
                    os.environ[variable] = found[0]
                    break


def main():
    global torch
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runtime", default=None, help="path of libFxGraphRuntime.so")
    parser.add_argument("--print-ptx", action="store_true", help="print the test kernels and stop")
    parser.add_argument("--only", default="", help="run the checks whose names contain this")
    options = parser.parse_args()
    if options.print_ptx:
        print(PTX)
        return 0
    try:
        import torch as module
    except ImportError:
        print("SKIP: PyTorch is not installed")
        return 0
    torch = module
    if not torch.cuda.is_available():
        print("SKIP: no GPU")
        return 0
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    torch.manual_seed(0)
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    point_to_libraries()
    runtime = Runtime(options.runtime or find_runtime())
    failures = 0
    for check in CHECKS:
        name = check.__name__[len("check_"):]
        if options.only not in name:
            continue
        try:
            note = check(runtime)
            torch.cuda.synchronize()
            print(f"ok    {name}" + (f": {note}" if note else ""), flush=True)
        except Exception as error:  # every check is reported, the first failure does not hide the rest
            failures += 1
            print(f"FAIL  {name}: {type(error).__name__}: {error}", flush=True)
            if not isinstance(error, (AssertionError, RuntimeFailure)):
                traceback.print_exc()
    print(f"{failures} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
