# A launch of products takes as many as its tables of pointers have room for: 937 with a bias, in 30000 bytes. That of
# more is no longer one (CUDA allows 32764 bytes of parameters), and each computes what it did.
# RUN: mkdir -p %t
# RUN: %python %s 940 > %t/940.mlir
# RUN: %python %s 930 > %t/930.mlir
# RUN: fx-opt %t/940.mlir --fxgraph-to-gpu | FileCheck %s --check-prefix=SPLIT
# RUN: fx-opt %t/930.mlir --fxgraph-to-gpu | FileCheck %s --check-prefix=WHOLE
# RUN: fx-run %t/940.mlir --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-3 --atol=1e-3
# SPLIT-DAG: gpu.func @{{.*}}_addmm_relu_x937(
# SPLIT-DAG: gpu.func @{{.*}}_addmm_relu_x3(
# SPLIT-NOT: gpu.func
# WHOLE: gpu.func @{{.*}}_addmm_relu_x930(
# WHOLE-NOT: gpu.func
"""many-products.py N: a graph of N equal linears with a bias and an epilogue, of weights that lie apart."""
import sys

n = int(sys.argv[1])
x, w, b = "tensor<8x8xf16>", "tensor<8x8xf16>", "tensor<8xf16>"
arguments = ", ".join(f"%w{i}: {w}, %b{i}: {b}" for i in range(n))
print(f"func.func @main(%x: {x}, {arguments}) -> tensor<{8 * n}x8xf16> {{")
for i in range(n):
    print(f"  %l{i} = fxgraph.linear %x, %w{i}, %b{i} : ({x}, {w}, {b}) -> {x}")
    print(f"  %r{i} = fxgraph.relu %l{i} : {x}")
print(f"  %c = fxgraph.cat {', '.join(f'%r{i}' for i in range(n))} dim 0 : ({', '.join([x] * n)}) -> tensor<{8 * n}x8xf16>")
print(f"  return %c : tensor<{8 * n}x8xf16>\n}}")
