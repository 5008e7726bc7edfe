# Random chains of views before a quantization, every lift checked against the interpreter
# bit for bit, NaN and infinities included; a second run changes nothing.
# RUN: %python %s %t
import os
import random
import subprocess
import sys


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def view(rng, x, shape):
    """(op, result's shape): a random view of a tensor."""
    rank = len(shape)
    kind = rng.randrange(14)
    d = rng.randrange(rank) if rank else 0
    if kind == 0 and rank:
        dims = rng.sample(range(rank), rank)
        return f"permute {x} dims {[i - rank * rng.randrange(2) for i in dims]}", [shape[i] for i in dims]
    if kind == 1 and rank:
        e = rng.randrange(rank)
        new = list(shape)
        new[d], new[e] = new[e], new[d]
        return f"transpose {x} dims {d}, {e - rank}", new
    if kind == 2:
        d = rng.randrange(rank + 1)
        return f"unsqueeze {x} dim {d}", shape[:d] + [1] + shape[d:]
    if kind == 3 and 1 in shape:
        d = shape.index(1)
        return f"squeeze {x} dims [{d}]", shape[:d] + shape[d + 1:]
    if kind == 4 and rank > 1:
        d = min(d, rank - 2)
        return f"flatten {x} dims {d} to {d + 1}", shape[:d] + [shape[d] * shape[d + 1]] + shape[d + 2:]
    if kind == 5 and rank and shape[d] == 4:
        return f"unflatten {x} dim {d} sizes [2, 2]", shape[:d] + [2, 2] + shape[d + 1:]
    if kind == 6 and rank:
        return f"flip {x} dims [{d}]", shape
    if kind == 7 and rank:
        return f"roll {x} by [{rng.randrange(-3, 4)}] dims [{d}]", shape
    if kind == 8 and 1 in shape:
        new = list(shape)
        new[shape.index(1)] = rng.randrange(3)
        return ("expand", x, new), new
    if kind == 9 and rank:
        times = [rng.choice((1, 1, 2)) for _ in shape]
        return f"repeat {x} by {times}", [n * t for n, t in zip(shape, times)]
    if kind == 10 and rank:
        stop = max(0, shape[d] - rng.randrange(2))
        return f"slice {x} dim {d} from 0 to {stop}", shape[:d] + [stop] + shape[d + 1:]
    if kind == 11 and rank:
        pads = [rng.randrange(2), 0]
        return f"constant_pad_nd {x} by {pads}", shape[:-1] + [shape[-1] + pads[0]]
    if kind == 12 and rank > 1:
        return f"tril {x}", shape
    new = shape[::-1]
    return (rng.choice(("reshape", "view")), x, new), new


def function(rng, index):
    shape = [rng.choice((0, 1, 1, 2, 3, 4)) for _ in range(rng.randrange(4))]
    lines, x = [f"%s = fxgraph.relu %x : {tensor(shape)}"], "%s"
    first, returned, types = list(shape), [], []
    for i in range(rng.randrange(1, 6)):
        op, new = view(rng, x, shape)
        if isinstance(op, tuple):
            lines.append(f"%v{i} = fxgraph.{op[0]} {op[1]} shape {op[2]} : {tensor(shape)} -> {tensor(new)}")
        else:
            lines.append(f"%v{i} = fxgraph.{op} : ({tensor(shape)}) -> {tensor(new)}")
        if rng.random() < 0.06:
            returned.append(f"%v{i}")
            types.append(tensor(new))
        x, shape = f"%v{i}", new
    low, high, element = rng.choice(((-128, 127, "i8"), (0, 255, "ui8"), (-7, 7, "i8"), (-1000, 1000, "i16")))
    lines.append(f"%q = fxgraph.quantize_per_tensor {x} scale {rng.choice((0.05, 0.5, -0.1))} zero_point {rng.randrange(-3, 4)} "
                 f"range [{low}, {high}] : ({tensor(shape)}) -> {tensor(shape, element)}")
    returned.append("%q")
    types.append(tensor(shape, element))
    return (f"func.func @f{index}(%x: {tensor(first)}) -> ({', '.join(types)}) {{\n  " + "\n  ".join(lines) +
            f"\n  return {', '.join(returned)} : {', '.join(types)}\n}}\n")


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    path = lambda name: os.path.join(directory, name)
    rng = random.Random(5)
    with open(path("before.mlir"), "w") as file:
        file.write("\n".join(function(rng, i) for i in range(400)))
    flag = "--pass-pipeline=builtin.module(func.func(fxgraph-quantization-lift-up))"
    environment = {**os.environ, "FXGRAPH_VERIFY_REWRITES": "1"}
    for source, result in (("before", "once"), ("once", "twice")):
        subprocess.run(["fx-opt", path(source + ".mlir"), flag, f"--fxgraph-report={path(result + '.json')}", "-o", path(result + ".mlir")],
                       check=True, env=environment)
    once, twice = (open(path(name + ".mlir")).read() for name in ("once", "twice"))
    assert once == twice, "expected a second run to change nothing"
    lifted = sum("fxgraph.relu" in before and "quantize_per_tensor" in after
                 for before, after in zip(once.splitlines(), once.splitlines()[1:]))
    print(f"{lifted} lifted")
    assert lifted > 150, f"expected more lifts but got {lifted}"


main()
