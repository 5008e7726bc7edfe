// Several unknown extents in one reshape.
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --unknown-dim=4 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// CHECK-COUNT-7: equal
// CHECK-NOT: differ

// The heads of an attention, batch and length unknown.
func.func @split_heads(%x: tensor<?x?x6xf32>) -> tensor<?x?x2x3xf32> {
  %a = fxgraph.sym_size %x dim 0 : tensor<?x?x6xf32>
  %b = fxgraph.sym_size %x dim 1 : tensor<?x?x6xf32>
  %0 = "fxgraph.view"(%x, %a, %b) <{shape = array<i64: -9223372036854775808, -9223372036854775808, 2, 3>}> : (tensor<?x?x6xf32>, index, index) -> tensor<?x?x2x3xf32>
  return %0 : tensor<?x?x2x3xf32>
}

func.func @then_used(%x: tensor<?x?x6xf32>) -> tensor<?x?x2x3xf32> {
  %a = fxgraph.sym_size %x dim 0 : tensor<?x?x6xf32>
  %b = fxgraph.sym_size %x dim 1 : tensor<?x?x6xf32>
  %e = fxgraph.exp %x : tensor<?x?x6xf32>
  %0 = "fxgraph.reshape"(%e, %a, %b) <{shape = array<i64: -9223372036854775808, -9223372036854775808, 2, 3>}> : (tensor<?x?x6xf32>, index, index) -> tensor<?x?x2x3xf32>
  %1 = fxgraph.relu %0 : tensor<?x?x2x3xf32>
  return %1 : tensor<?x?x2x3xf32>
}

// Extents that the type calls by symbols and the shape knows.
func.func @known_extent(%x: tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x2x?xf32, #fxgraph.meta<dims = [s0, e0]>> {
  %0 = fxgraph.view %x shape [-1, 2, 3] : tensor<?x6xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?x2x?xf32, #fxgraph.meta<dims = [s0, e0]>>
  return %0 : tensor<?x2x?xf32, #fxgraph.meta<dims = [s0, e0]>>
}

// Of no elements, whatever the other extents are.
func.func @nothing_merged(%x: tensor<?x0xf32>) -> tensor<0xf32> {
  %0 = fxgraph.reshape %x shape [0] : tensor<?x0xf32> -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

func.func @nothing_split(%x: tensor<?x0x2xf32>) -> tensor<0x3xf32> {
  %0 = fxgraph.view %x shape [0, 3] : tensor<?x0x2xf32> -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}

func.func @nothing_flat(%x: tensor<?x0x?xi64>) -> tensor<?xi64> {
  %0 = fxgraph.flatten %x dims 0 to 2 : (tensor<?x0x?xi64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

func.func @nothing_unknown(%x: tensor<?x0xf32>, %n: index) -> tensor<0x?xf32> {
  %0 = "fxgraph.reshape"(%x, %n) <{shape = array<i64: 0, -9223372036854775808>}> : (tensor<?x0xf32>, index) -> tensor<0x?xf32>
  return %0 : tensor<0x?xf32>
}
