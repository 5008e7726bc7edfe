# Inductor's patterns on products and ours, on graphs captured in PyTorch: the cases of its
# unit tests (test_pattern_matcher, test_decompose_mem_bound_mm, test_b2b_gemm) with their numbers, and ours
# where Inductor goes wrong. What it does on a CPU it does here, too; what needs a GPU is
# asked of ours alone, with the device as an option. Results are those of PyTorch.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s
import functools
import random

import torch
from torch._inductor import config
from torch._inductor.fx_passes import post_grad
from torch._inductor.fx_passes.b2b_gemm import b2b_gemm_configs, load_ratio_left, load_ratio_right
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph

torch.manual_seed(0)


@functools.cache
def prepare():
    """Registers Inductor's post-grad patterns."""
    with torch._subclasses.FakeTensorMode():
        post_grad.lazy_init()


def inductors(function, inputs):
    """(sums of products, addmms) that Inductor's patterns make of the function."""
    prepare()
    traced = make_fx(function, tracing_mode="fake")(*inputs)
    traced.graph.eliminate_dead_code()
    before = sum(node.target is torch.ops.aten.addmm.default for node in traced.graph.nodes)
    with config.patch(max_autotune_gemm=True):
        for patterns in post_grad.pass_patterns:
            patterns.apply(traced.graph)
    targets = [node.target for node in traced.graph.nodes]
    return (sum(getattr(target, "__name__", "") == "mm_plus_mm" for target in targets),
            sum(target is torch.ops.aten.addmm.default for target in targets) - before)


def count(graph, op):
    return graph.asm.count(f"fxgraph.{op} ")


def ours(name, function, inputs, passes, tolerance=1e-5, **capture):
    """The captured graph after the passes, whose results must be PyTorch's."""
    graph = fxgraph.capture(function, *inputs, level="aten", **capture)
    report = graph.run_passes(f"builtin.module(func.func({passes}))")
    tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
    expected = function(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for actual, wanted in zip(graph.run(tensors, target="ref"), expected, strict=True):
        torch.testing.assert_close(torch.as_tensor(actual), wanted, rtol=tolerance, atol=tolerance, msg=lambda text: f"{name}: {text}")
    return graph, report


def check(name, found, wanted):
    assert found == wanted, f"{name}: expected {wanted} but got {found}"


# Sums: (name, function, inputs, Inductor's sums of products and addmms, ours where they differ) ---------
def rand(*shape, dtype=torch.float32):
    return torch.randn(shape).to(dtype)


def two_products(a, b, c, d):
    return torch.add(torch.mm(a, b), torch.mm(c, d))


def bias_first_and_last(x, a, b):
    return torch.add(x, torch.mm(a, b)), torch.mm(a, b) + x


def bias_is_an_extent(a, b):
    return torch.add(a.size(0), torch.mm(a, b)), torch.mm(a, b) + a.size(0)


def alpha(x, a, b):
    return torch.add(torch.mm(a, b), x, alpha=3)


def alpha_of_two(a, b):
    return torch.add(torch.mm(a, b), torch.mm(b, a), alpha=2)


def twice(a, b):
    product = torch.mm(a, b)
    return product + product


SUMS = [
    # test_mm_plus_mm
    ("mm_plus_mm", two_products, (rand(16, 16), rand(16, 16), rand(16, 16), rand(16, 16)), (1, 0), None),
    ("mm_plus_mm 1", two_products, (rand(1, 4), rand(4, 2), rand(1, 5), rand(5, 2)), (1, 0), None),
    ("broadcast", two_products, (rand(1, 4), rand(4, 2), rand(4, 1), rand(1, 2)), (0, 1), None),
    # test_addmm
    ("addmm", bias_first_and_last, (rand(16, 16), rand(16, 16), rand(16, 16)), (0, 2), None),
    ("addmm bias", bias_first_and_last, (rand(8), rand(16, 16), rand(16, 8)), (0, 2), None),
    ("addmm one row", bias_first_and_last, (rand(16, 16), rand(1, 16), rand(16, 16)), (0, 0), None),
    ("addmm rank 3", bias_first_and_last, (rand(1, 16, 16), rand(16, 16), rand(16, 16)), (0, 0), None),
    # test_addmm_broadcasting_bias
    ("addmm broadcasts", bias_first_and_last, (rand(1), rand(16, 16), rand(16, 8)), (0, 2), None),
    # test_addmm_dtype_mismatch
    ("addmm dtype", bias_first_and_last, (torch.tensor(2.0, dtype=torch.float64), rand(16, 16), rand(16, 8)), (0, 0), None),
    # Inductor's matcher does not look at alpha, and its sums are wrong.
    ("alpha", alpha, (rand(8), rand(16, 16), rand(16, 8)), (0, 1), (0, 0)),
    ("alpha of two", alpha_of_two, (rand(8, 8), rand(8, 8)), (1, 0), (0, 0)),
    # Inductor counts users, not uses, and computes the product twice.
    ("twice", twice, (rand(8, 8), rand(8, 8)), (1, 0), (0, 0)),
]
for name, function, inputs, theirs, wanted in SUMS:
    check(name, inductors(function, inputs), theirs)
    graph, _ = ours(name, function, inputs, "fxgraph-matmul-mm-plus-mm,fxgraph-matmul-addmm")
    check(name, (count(graph, "mm_plus_mm"), count(graph, "addmm")), theirs if wanted is None else wanted)


def program(rng):
    """Products, sums and activations of four matrices and a row; what nothing uses is a result, and one more."""
    steps = [(rng.choice(("mm", "mm", "mm", "two", "add", "add", "row", "relu")), rng.randrange(4 + i), rng.randrange(4 + i)) for i in range(rng.randint(4, 14))]
    used = {j for kind, i, j in steps if kind in ("mm", "two") or kind == "add" and i != j} | {i for _, i, _ in steps}
    results = sorted({*range(4, 4 + len(steps))} - used | {rng.randrange(4, 4 + len(steps))})

    def function(*inputs):
        values = list(inputs[:4])
        for kind, i, j in steps:
            values.append(torch.mm(values[i], values[j]) if kind == "mm" else
                          torch.mm(values[i], values[j]) + torch.mm(values[j], values[j]) if kind == "two" else
                          torch.add(values[i], values[j]) if kind == "add" and i != j else
                          torch.add(values[i], inputs[4]) if kind == "row" else torch.relu(values[i]))
        return tuple(values[i] for i in results)
    return function


# Random functions: as many of both as Inductor makes.
total = [0, 0]
for seed in range(40):
    function, inputs = program(random.Random(seed)), (*(rand(4, 4) / 4 for _ in range(4)), rand(4))
    theirs = inductors(function, inputs)
    graph, _ = ours(f"random {seed}", function, inputs, "fxgraph-matmul-mm-plus-mm,fxgraph-matmul-addmm", 1e-4)
    check(f"random {seed}", (count(graph, "mm_plus_mm"), count(graph, "addmm")), theirs)
    total = [sum(pair) for pair in zip(total, theirs)]
assert min(total) > 0, f"expected both but got {total}"

# A number, and an extent that is a symbol (test_addmm, test_addmm_symbolic_scalar).
graph, _ = ours("number", lambda a, b: (4 + torch.mm(a, b), torch.mm(a, b) + 4), (rand(16, 16), rand(16, 16)), "fxgraph-matmul-addmm")
check("number", count(graph, "addmm"), 0)
rows = {0: torch.export.Dim("rows", min=2)}
graph, _ = ours("symbolic scalar", bias_is_an_extent, (rand(6, 16), rand(16, 16)), "fxgraph-matmul-addmm", dynamic_shapes=(rows, None))
check("symbolic scalar", count(graph, "addmm"), 0)


# On a GPU ---------------------------------------------------------------------------------
def relu_of(x, a, b):
    return torch.relu(torch.addmm(x, a, b))


def scaled(x, a, b):
    return torch.nn.functional.gelu(torch.addmm(x, a, b, alpha=0.8, beta=0.2))


UNFUSE = "fxgraph-matmul-unfuse-bias-add{default-device=cuda}"
bias = (rand(20), rand(10, 15), rand(15, 20))
for name, function, addmms in (
        # test_unfuse_bias_addmm: alone, with an elementwise user, in a sum that the user takes
        ("addmm alone", torch.addmm, 1), ("elementwise user", relu_of, 0),
        ("sum with an elementwise user", lambda x, a, b: torch.relu(x + torch.mm(a, b)), 0),
        # test_addmm_alpha_beta_with_pointwise
        ("alpha and beta", scaled, 0),
        # All users count, as in the installed version.
        ("reduction too", lambda x, a, b: (lambda y: (torch.relu(y), y.sum(0)))(torch.addmm(x, a, b)), 1)):
    graph, _ = ours(name, function, bias, f"{UNFUSE},fxgraph-matmul-addmm{{default-device=cuda}}")
    check(name, count(graph, "addmm"), addmms)

# test_bmm_to_mm
for name, batch, products in (("one matrix", 1, 1), ("two matrices", 2, 0)):
    graph, _ = ours(name, torch.bmm, (rand(batch, 16, 8), rand(batch, 8, 32)), "fxgraph-matmul-bmm-to-mm{default-device=cuda}")
    check(name, count(graph, "mm"), products)

# test_decompose_mem_bound_mm: (device, op, its operands, whether it is decomposed). The
# gradients' products, which its tests count too, are not in a graph of the forward pass.
DECOMPOSE = [
    ("cuda", "bmm", ((10240, 2, 2), (10240, 2, 2)), 1), ("cuda", "bmm", ((10240, 2, 32), (10240, 32, 32)), 0),
    ("cuda", "bmm", ((2000, 2, 2), (2000, 2, 2)), 0),
    ("cpu", "bmm", ((1, 2, 3), (1, 3, 4)), 1), ("cpu", "bmm", ((2, 2, 3), (2, 3, 4)), 0),
    *[(device, op, ((n,), (m, k), (k, n)) if op == "addmm" else ((m, k), (k, n)), found)
      for op in ("mm", "addmm")
      for device, m, k, n, found in (("cuda", 20480, 5, 2, 1), ("cuda", 20480, 32, 2, 0), ("cuda", 2048, 2, 2, 0),
                                     ("cpu", 1, 64, 16, 1), ("cpu", 2, 64, 16, 0), ("cpu", 1, 64, 2049, 0))]]
for device, op, shapes, found in DECOMPOSE:
    for dtype in (torch.float32, torch.bfloat16):
        name = f"{op} {shapes} {device} {dtype}"
        _, report = ours(name, getattr(torch, op), tuple(rand(*shape, dtype=dtype) for shape in shapes),
                         f"fxgraph-matmul-decompose-mm{{default-device={device}}}", 1e-2 if dtype is torch.bfloat16 else 1e-5)
        check(name, report.counters, {f"decompose_{op}": 1} if found else {})

# Padding: the values stay.
for dtype, inputs in ((torch.float32, (rand(5), rand(7, 3), rand(3, 5))), (torch.bfloat16, (rand(7, 5), rand(7, 3), rand(3, 5)))):
    inputs = tuple(x.to(dtype) for x in inputs)
    graph, _ = ours("pad", torch.addmm, inputs, "fxgraph-matmul-pad-mm{default-device=cuda force-shape-pad=true}", 1e-2 if dtype is torch.bfloat16 else 1e-5)
    check("pad", count(graph, "constant_pad_nd"), 3)

# Two products (test_b2b_gemm): its cases, the gate of sizes on random ones, and the values.
GELUS = {"relu": torch.relu, "gelu": torch.nn.functional.gelu, "identity": lambda x: x, "squared and shifted": lambda x: x * x + 0.5}
B2B = "fxgraph-matmul-b2b-gemm{default-device=cuda}"


def left(f):
    return lambda a, b, c: torch.mm(f(torch.mm(a, b)), c)


def right(f):
    return lambda a, b, c: torch.mm(a, f(torch.mm(b, c)))


def half(*shape):
    return (torch.randn(shape) / 8).to(torch.float16)


TALL, WIDE, SQUARE = (half(256, 32), half(32, 256), half(256, 32)), (half(32, 256), half(256, 32), half(32, 256)), tuple(half(100, 100) for _ in range(3))
for name, function in GELUS.items():
    for side, make, good in (("left", left, TALL), ("right", right, WIDE)):
        for inputs, wanted in ((good, {"b2b_gemm": 1}), (SQUARE, {})):
            case = f"b2b_gemm {side} {name} {tuple(inputs[0].shape)}"
            graph, report = ours(case, make(function), inputs, B2B, 1e-2)
            check(case, report.counters, wanted)
            torch.testing.assert_close(graph.to_fx()(*inputs)[0], make(function)(*inputs), rtol=1e-2, atol=1e-2, msg=lambda text, case=case: f"{case}, exported: {text}")


def bad_pattern(a, b):
    product = torch.mm(a, b)
    return torch.mm(torch.relu(product), product)


_, report = ours("b2b_gemm bad pattern", bad_pattern, (half(128, 16), half(16, 128)), B2B, 1e-2)
check("b2b_gemm bad pattern", report.counters, {})

# Inductor's count of reads, of its twelve tiles (each in the list once), decides alike.
rng = random.Random(3)
accepted = 0
for i in range(150):
    m, n, o, p = ([32, 256] * 2 if i == 0 else [rng.choice((1, 2, 16, 17, 31, 64, 100, 128, 200, 256, 512, 1000)) for _ in range(4)])
    for is_left in (True, False):
        ratios = sorted((load_ratio_left if is_left else load_ratio_right)(m, n, o, p, *(tile[f"BLOCK_SIZE_{x}"] for x in "MNOP")) for tile in b2b_gemm_configs)
        wanted = (ratios[-1] * ratios[-2] * ratios[-3]) ** (1 / 3) > 1
        inner = (m, o) if is_left else (n, p)
        text = f"""func.func @f(%a: tensor<{m}x{n}xf16>, %b: tensor<{n}x{o}xf16>, %c: tensor<{o}x{p}xf16>) -> tensor<{m}x{p}xf16> {{
  %x = fxgraph.mm {'%a, %b' if is_left else '%b, %c'} : ({f'tensor<{m}x{n}xf16>, tensor<{n}x{o}xf16>' if is_left else f'tensor<{n}x{o}xf16>, tensor<{o}x{p}xf16>'}) -> tensor<{inner[0]}x{inner[1]}xf16>
  %r = fxgraph.mm {'%x, %c' if is_left else '%a, %x'} : ({f'tensor<{m}x{o}xf16>, tensor<{o}x{p}xf16>' if is_left else f'tensor<{m}x{n}xf16>, tensor<{n}x{p}xf16>'}) -> tensor<{m}x{p}xf16>
  return %r : tensor<{m}x{p}xf16>
}}"""
        found = bool(fxgraph.Module(text).run_passes(f"builtin.module(func.func({B2B}))").counters)
        check(f"sizes {m} {n} {o} {p} {'left' if is_left else 'right'}", found, wanted)
        accepted += found
assert accepted >= 10, f"expected some sizes that gain but got {accepted}"

# Activations, and products of bytes (neither has a test of Inductor's on a CPU).
ACTIVATE = "fxgraph-matmul-activation-addmm{default-device=cuda}"
for name, function, wanted in (("relu", lambda x, a, b: torch.relu(torch.addmm(x, a, b, alpha=2)), 1), ("gelu", scaled, 0),
                               ("gelu by tanh", lambda x, a, b: torch.nn.functional.gelu(torch.addmm(x, a, b, alpha=2), approximate="tanh"), 1),
                               ("elementwise user", lambda x, a, b: torch.relu(torch.addmm(x, a, b)).sin(), 0)):
    graph, _ = ours(name, function, bias, ACTIVATE)
    check(name, count(graph, "addmm_activation"), wanted)
    torch.testing.assert_close(graph.to_fx()(*bias)[0], function(*bias), rtol=1e-5, atol=1e-5, msg=lambda text, name=name: f"{name}, exported: {text}")


def scaled_bytes(a, b, scale):
    return torch._int_mm(a, b) * scale


inputs = (torch.randint(-128, 128, (17, 8), dtype=torch.int8), torch.randint(-128, 128, (8, 16), dtype=torch.int8), rand(17, 1))
graph, _ = ours("int_mm_mul", scaled_bytes, inputs, "fxgraph-matmul-int-mm-mul{default-device=cuda}")
check("int_mm_mul", count(graph, "int_mm_mul"), 1)
torch.testing.assert_close(graph.to_fx()(*inputs)[0], scaled_bytes(*inputs))
