"""A graph with a hundred no-ops."""
print("func.func @main(%x0: tensor<4xf32>) -> tensor<4xf32> {")
for i in range(100):
    print(f"  %y{i} = fxgraph.tanh %x{i} : tensor<4xf32>")
    print(f"  %x{i + 1} = fxgraph.permute %y{i} dims [0] : (tensor<4xf32>) -> tensor<4xf32>")
print("  return %x100 : tensor<4xf32>\n}")
