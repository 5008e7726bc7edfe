// Unknown ops that are functions of their operands are computed once, and not for nobody.

// RUN: fx-opt %s --fxgraph-noop-cse | FileCheck %s
// RUN: fx-opt %s --fxgraph-noop-cse -o %t.once
// RUN: fx-opt %t.once --fxgraph-noop-cse | diff - %t.once

// CHECK-LABEL: func @fresh
// CHECK-NEXT: %[[F:.*]] = fxgraph.opaque "mylib.f.default"
// CHECK-NEXT: fxgraph.sub %[[F]], %[[F]]
// CHECK-NEXT: return
func.func @fresh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.opaque "mylib.f.default"(%x) args {args = ["%0", 2]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.opaque "mylib.f.default"(%x) args {args = ["%0", 2]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.sub %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A view, and one that nobody uses.
// CHECK-LABEL: func @views
// CHECK-NEXT: %[[F:.*]] = fxgraph.opaque "aten.unfold.default"
// CHECK-NEXT: fxgraph.sub %[[F]], %[[F]]
// CHECK-NEXT: return
func.func @views(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = fxgraph.opaque "aten.unfold.default"(%x) args {args = ["%0", 0, 2, 2]} {effects = "operands"} : (tensor<4xf32>) -> tensor<2x2xf32>
  %1 = fxgraph.opaque "aten.unfold.default"(%x) args {args = ["%0", 0, 2, 2]} {effects = "operands"} : (tensor<4xf32>) -> tensor<2x2xf32>
  %dead = fxgraph.opaque "aten.unfold.default"(%x) args {args = ["%0", 0, 3, 1]} {effects = "operands"} : (tensor<4xf32>) -> tensor<2x3xf32>
  %2 = fxgraph.sub %0, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// Of two results one is a copy, as of two sums.
// CHECK-LABEL: func @results
// CHECK-NEXT: %[[F:.*]] = fxgraph.opaque
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[F]]
// CHECK-NEXT: return
func.func @results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.opaque "mylib.f.default"(%x) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.opaque "mylib.f.default"(%x) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Other arguments, another callable, one that writes, one of which nothing is known, a kernel of the user's.
// CHECK-LABEL: func @others
// CHECK-COUNT-8: fxgraph.opaque
// CHECK-NOT: fxgraph.opaque
func.func @others(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.opaque "mylib.f.default"(%x) args {args = ["%0", 2]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.opaque "mylib.f.default"(%x) args {args = ["%0", 3]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.opaque "mylib.g_.default"(%x) args {args = ["%0"], writes = array<i64: 0>} {effects = "operands"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = fxgraph.opaque "mylib.g_.default"(%x) args {args = ["%0"], writes = array<i64: 0>} {effects = "operands"} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = fxgraph.opaque "mylib.draw.default"(%x) args {args = ["%0"]} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = fxgraph.opaque "mylib.draw.default"(%x) args {args = ["%0"]} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = fxgraph.opaque "higher_order.triton_kernel_wrapper_functional"(%x) args {kwargs = {kwargs = {x = "%0"}}} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = fxgraph.opaque "higher_order.triton_kernel_wrapper_functional"(%x) args {kwargs = {kwargs = {x = "%0"}}} : (tensor<4xf32>) -> tensor<4xf32>
  %8 = fxgraph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
