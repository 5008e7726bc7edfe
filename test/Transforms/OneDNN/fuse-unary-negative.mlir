// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-unary))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-unary{numerics=relaxed}))' | FileCheck %s --check-prefix=RELAXED
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-unary{numerics=fast}))' 2>&1 | FileCheck %s --check-prefix=NUMERICS

// NUMERICS: expected numerics to be exact, reassociate or relaxed but got fast

!x = tensor<4x4xf32>
!h = tensor<4x4xbf16>

// REMARK-DAG: remark: [Missed] onednn-unary | Category:fxgraph-onednn-fuse-unary | Remark="the product has an activation already"
// CHECK-LABEL: func.func @twice
// CHECK: fxgraph.linear_pointwise %arg0, %arg1 activation "relu"
// CHECK-NEXT: fxgraph.tanh
func.func @twice(%x: !x, %w: !x) -> !x {
  %0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.relu %0 : !x
  %2 = fxgraph.tanh %1 : !x
  return %2 : !x
}

// The product, and a step of a spelling, is used elsewhere.
// REMARK-DAG: Remark="the product has other users"
// REMARK-DAG: Remark="a step of the activation has other users"
// CHECK-LABEL: func.func @users
// CHECK-NOT: activation
func.func @users(%x: !x, %w: !x) -> (!x, !x, !x, !x, !x, !x) {
  %0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.relu %0 : !x
  %2 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %3 = fxgraph.sigmoid %2 : !x
  %4 = fxgraph.mul %2, %3 : (!x, !x) -> !x
  %5 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %6 = fxgraph.sigmoid %5 : !x
  %7 = fxgraph.mul %5, %6 : (!x, !x) -> !x
  return %0, %1, %3, %4, %5, %7 : !x, !x, !x, !x, !x, !x
}

// A bound alone, bounds that cross, one that is no number.
// REMARK-DAG: Remark="the clamp has not two bounds in order"
// CHECK-LABEL: func.func @clamps
// CHECK-NOT: activation
func.func @clamps(%x: !x, %w: !x) -> (!x, !x, !x) {
  %0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.clamp %0 min 0.0 : !x
  %2 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %3 = fxgraph.clamp %2 min 1.0 max -1.0 : !x
  %4 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %5 = fxgraph.clamp %4 min 0x7FF8000000000000 max 1.0 : !x
  return %1, %3, %5 : !x, !x, !x
}

// Other numbers, other operands, a factor, a quotient that rounds, a gate of another product.
// CHECK-LABEL: func.func @near
// CHECK-NOT: activation
func.func @near(%x: !x, %w: !x, %y: !x, %t: tensor<1xf64>) -> (!x, !x, !x, !x, !x, !x, !x) {
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %three = fxgraph.constant dense<3.0> : tensor<f64>
  %six = fxgraph.constant dense<6.0> : tensor<f64>
  %p0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %0 = fxgraph.neg %p0 : !x
  %1 = fxgraph.exp %0 : !x
  %2 = fxgraph.add %1, %two : (!x, tensor<f64>) -> !x
  %3 = fxgraph.div %p0, %2 : (!x, !x) -> !x
  %p1 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %4 = fxgraph.neg %p1 : !x
  %5 = fxgraph.exp %4 : !x
  %6 = fxgraph.add %5, %one alpha 3.0 : (!x, tensor<f64>) -> !x
  %7 = fxgraph.div %p1, %6 : (!x, !x) -> !x
  %p2 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %8 = fxgraph.neg %p2 : !x
  %9 = fxgraph.exp %8 : !x
  %10 = fxgraph.add %9, %one : (!x, tensor<f64>) -> !x
  %11 = fxgraph.div %p2, %10 rounding_mode "floor" : (!x, !x) -> !x
  %p3 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %12 = fxgraph.sigmoid %y : !x
  %13 = fxgraph.mul %p3, %12 : (!x, !x) -> !x
  %p4 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %14 = fxgraph.add %p4, %three : (!x, tensor<f64>) -> !x
  %15 = fxgraph.clamp %14 min 0.0 max 5.0 : !x
  %16 = fxgraph.div %15, %six : (!x, tensor<f64>) -> !x
  %p5 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %17 = fxgraph.gt %p5, %one : (!x, tensor<f64>) -> tensor<4x4xi1>
  %18 = fxgraph.mul %p5, %two : (!x, tensor<f64>) -> !x
  %19 = fxgraph.where %17, %p5, %18 : (tensor<4x4xi1>, !x, !x) -> !x
  %p6 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %zero = fxgraph.constant dense<0.0> : tensor<f64>
  %20 = fxgraph.gt %p6, %zero : (!x, tensor<f64>) -> tensor<4x4xi1>
  %21 = fxgraph.mul %p6, %y : (!x, !x) -> !x
  %22 = fxgraph.where %20, %p6, %21 : (tensor<4x4xi1>, !x, !x) -> !x
  return %3, %7, %11, %13, %16, %19, %22 : !x, !x, !x, !x, !x, !x, !x
}

// Spelled in 16 bits it rounds at each step.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: activation
// RELAXED-LABEL: func.func @narrow
// RELAXED: activation "silu"
func.func @narrow(%x: !h, %w: !h) -> !h {
  %0 = fxgraph.linear_pointwise %x, %w : (!h, !h) -> !h
  %1 = fxgraph.sigmoid %0 : !h
  %2 = fxgraph.mul %0, %1 : (!h, !h) -> !h
  return %2 : !h
}

// Not narrowed again, or to another dtype; the wide activation is used elsewhere.
// REMARK-DAG: Remark="the result has not the product's type"
// REMARK-DAG: Remark="the product or its activation has other users"
// CHECK-LABEL: func.func @widened
// CHECK-NOT: activation
func.func @widened(%x: !h, %w: !h) -> (!x, tensor<4x4xf16>, !x, !h) {
  %0 = fxgraph.linear_pointwise %x, %w : (!h, !h) -> !h
  %1 = fxgraph.convert_element_type %0 : (!h) -> !x
  %2 = fxgraph.tanh %1 : !x
  %3 = fxgraph.linear_pointwise %x, %w : (!h, !h) -> !h
  %4 = fxgraph.convert_element_type %3 : (!h) -> !x
  %5 = fxgraph.tanh %4 : !x
  %6 = fxgraph.convert_element_type %5 : (!x) -> tensor<4x4xf16>
  %7 = fxgraph.linear_pointwise %x, %w : (!h, !h) -> !h
  %8 = fxgraph.convert_element_type %7 : (!h) -> !x
  %9 = fxgraph.tanh %8 : !x
  %10 = fxgraph.convert_element_type %9 : (!x) -> !h
  return %2, %6, %9, %10 : !x, tensor<4x4xf16>, !x, !h
}
