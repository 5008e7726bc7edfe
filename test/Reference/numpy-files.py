# RUN: %python %s
"""NumPy and safetensors read what fx-run writes, and the other way round."""
import os
import subprocess
import tempfile

import numpy as np
from safetensors.numpy import load_file, save_file

TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "ui8": np.uint8, "i1": np.bool_}
MODEL = "".join(f"func.func @{t}(%x: tensor<2x3x{t}> {{fxgraph.name = \"x\"}}) -> tensor<2x3x{t}> {{ return %x : tensor<2x3x{t}> }}\n"
                for t in [*TYPES, "bf16"])


def run(*args):
    return subprocess.run(["fx-run", *args], check=True, text=True, stdout=subprocess.PIPE).stdout


def check_same(results, arrays):
    """The graphs give their inputs, bit for bit."""
    for key, array in arrays.items():
        got = results[key.replace("/x", "/out0")]
        assert got.dtype == array.dtype and got.shape == array.shape, (key, got.dtype, got.shape)
        np.testing.assert_array_equal(got, array)
        if got.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(got), np.signbit(array))


with tempfile.TemporaryDirectory() as folder:
    model, inputs, outputs = (os.path.join(folder, n) for n in ("model.mlir", "in.npz", "out.npz"))
    with open(model, "w") as file:
        file.write(MODEL)
    values = np.array([[0, 1, 2], [3, 100, 1]])
    arrays = {f"{t}/x": values.astype(dtype) for t, dtype in TYPES.items()}
    arrays["f32/x"] = np.asfortranarray(np.array([[0.1, -0.0, np.nan], [np.inf, 1e-40, 3]], dtype=np.float32))
    bits = np.array([[0x3F80, 0x8000, 0x7FC0], [0x7F80, 0x4000, 0xBF80]], dtype=np.uint16)  # 1, -0, nan, inf, 2, -1
    arrays["bf16/x.bf16"] = bits
    for save in (np.savez, np.savez_compressed):
        save(inputs, **arrays)
        run(model, "--entry=*", f"--inputs={inputs}", "-o", outputs)
        with np.load(outputs) as result:
            assert set(result) == {k.replace("/x", "/out0") for k in arrays}, sorted(result)
            check_same(result, arrays)
    # One array, named after the file.
    np.save(os.path.join(folder, "x.npy"), values.astype(np.int32))
    text = run(model, "--entry=i32", f"--inputs={os.path.join(folder, 'x.npy')}", "--print")
    assert text == "out0: tensor<2x3xi32> [[0, 1, 2], [3, 100, 1]]\n", text
    # A damaged archive is an error: one bit of the data of f32/x, which is not compressed.
    np.savez(inputs, **arrays)
    with open(inputs, "rb") as file:
        data = bytearray(file.read())
    at = data.find(np.float32(0.1).tobytes())
    data[at] ^= 1
    with open(inputs, "wb") as file:
        file.write(data)
    done = subprocess.run(["fx-run", model, "--entry=*", f"--inputs={inputs}", "-o", outputs + "2.npz"], text=True, stderr=subprocess.PIPE)
    assert done.returncode == 1 and "f32/x: the archive is damaged" in done.stderr, done.stderr
    assert not os.path.exists(outputs + "2.npz")
    tensors = {k: np.ascontiguousarray(v) for k, v in arrays.items() if "bf16" not in k}
    path = os.path.join(folder, "in.safetensors")
    save_file(tensors, path)
    out = os.path.join(folder, "out.safetensors")
    # bf16 is no type of NumPy.
    others = os.path.join(folder, "without-bf16.mlir")
    with open(others, "w") as file:
        file.write("".join(line for line in MODEL.splitlines(True) if "bf16" not in line))
    run(others, "--entry=*", f"--inputs={path}", "-o", out)
    check_same(load_file(out), tensors)
