// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-grouped-gemm))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-grouped-gemm))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-grouped-gemm{numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// EXACT-NOT: grouped_mm

!x = tensor<4x4xf32>
!h = tensor<4x4xbf16>

// Three, users between them; one feeds the next group.
// CHECK-LABEL: func.func @three
// CHECK: %[[A:.+]]:3 = fxgraph.grouped_mm(%arg0, %arg0, %arg0) x(%{{.+}}, %{{.+}}, %{{.+}}) :
// CHECK: fxgraph.relu %[[A]]#0
// CHECK: %[[B:.+]]:2 = fxgraph.grouped_mm(%[[A]]#1, %[[A]]#1)
// CHECK: return %{{.+}}, %[[B]]#0, %[[B]]#1, %[[A]]#2
func.func @three(%x: !x, %u: !x, %v: !x, %w: !x) -> (!x, !x, !x, !x) {
  %0 = fxgraph.linear_pointwise %x, %u : (!x, !x) -> !x
  %1 = fxgraph.relu %0 : !x
  %2 = fxgraph.linear_pointwise %x, %v : (!x, !x) -> !x
  %3 = fxgraph.linear_pointwise %2, %u : (!x, !x) -> !x
  %4 = fxgraph.linear_pointwise %2, %v : (!x, !x) -> !x
  %5 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  return %1, %3, %4, %5 : !x, !x, !x, !x
}

// 16 bits; a symbol; no rows.
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-3: fxgraph.grouped_mm
func.func @kinds(%h: !h, %hv: !h, %hw: !h, %s: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %e: tensor<0x4xf32>, %v: !x, %w: !x)
    -> (!h, !h, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x4xf32>, tensor<0x4xf32>) {
  %0 = fxgraph.linear_pointwise %h, %hv : (!h, !h) -> !h
  %1 = fxgraph.linear_pointwise %h, %hw : (!h, !h) -> !h
  %2 = fxgraph.linear_pointwise %s, %v : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, !x) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %3 = fxgraph.linear_pointwise %s, %w : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, !x) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %4 = fxgraph.linear_pointwise %e, %v : (tensor<0x4xf32>, !x) -> tensor<0x4xf32>
  %5 = fxgraph.linear_pointwise %e, %w : (tensor<0x4xf32>, !x) -> tensor<0x4xf32>
  return %0, %1, %2, %3, %4, %5 : !h, !h, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x4xf32>, tensor<0x4xf32>
}
