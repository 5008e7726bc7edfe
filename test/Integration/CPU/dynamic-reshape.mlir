// Several unknown extents in one reshape.
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --unknown-dim=4 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// CHECK-COUNT-3: equal
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
