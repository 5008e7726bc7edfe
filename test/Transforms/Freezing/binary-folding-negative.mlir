// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding{enable-linear-binary-folding=true}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark > %t.after 2>%t
// RUN: fx-opt %s | diff - %t.after
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=LINEAR
// LINEAR: Remark="products are left alone: enable-linear-binary-folding is off"

!x = tensor<2x3x8xf32>
!w = tensor<4x3x3xf32>
!y = tensor<2x4x6xf32>

// Constants and weights, and, which Inductor does not look at, biases must not change.
// REMARK-DAG: remark: [Missed] binary-folding | Category:fxgraph-freezing-binary-folding | Remark="the other operand may change between runs"
// REMARK-DAG: Remark="the weights may change between runs"
func.func @inputs(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w, %b: tensor<4xf32>, %c: tensor<4x1xf32>, %d: tensor<4x1xf32> {fxgraph.kind = "buffer"}) -> (!y, !y, !y) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %1 = fxgraph.mul %0, %c : (!y, tensor<4x1xf32>) -> !y
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %3 = fxgraph.mul %2, %d : (!y, tensor<4x1xf32>) -> !y
  %4 = fxgraph.conv1d %x, %w, %b stride [1] padding [0] dilation [1] : (!x, !w, tensor<4xf32>) -> !y
  %5 = fxgraph.mul %4, %d : (!y, tensor<4x1xf32>) -> !y
  return %1, %3, %5 : !y, !y, !y
}

// REMARK-DAG: Remark="the result of the convolution or product has other users"
// REMARK-DAG: Remark="the weight has other users"
func.func @other_users(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}) -> (!y, !y, !y, !y) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %1 = fxgraph.mul %0, %c : (!y, tensor<4x1xf32>) -> !y
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %3 = fxgraph.mul %2, %c : (!y, tensor<4x1xf32>) -> !y
  %4 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  return %0, %1, %3, %4 : !y, !y, !y, !y
}

// Inductor's add_tensor cases: [32, 1, 32] is not one value for each channel; nor is [1, O] on the last dimension.
// REMARK-DAG: Remark="the constant has not one value for each output"
// REMARK-DAG: Remark="the constant broadcasts the result or gives it another type"
func.func @shapes(%x: tensor<2x3x6xf32>, %w: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %v: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %u: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %c: tensor<1x4xf32> {fxgraph.kind = "buffer"}, %d: tensor<2x1x4xf32> {fxgraph.kind = "buffer"},
    %e: tensor<3x1x1x1xf32> {fxgraph.kind = "buffer"}) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<3x2x4x4xf32>) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<2x3x6xf32>, !w) -> tensor<2x4x4xf32>
  %1 = fxgraph.mul %0, %c : (tensor<2x4x4xf32>, tensor<1x4xf32>) -> tensor<2x4x4xf32>
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (tensor<2x3x6xf32>, !w) -> tensor<2x4x4xf32>
  %3 = fxgraph.add %2, %d : (tensor<2x4x4xf32>, tensor<2x1x4xf32>) -> tensor<2x4x4xf32>
  %4 = fxgraph.conv1d %x, %u stride [1] padding [0] dilation [1] : (tensor<2x3x6xf32>, !w) -> tensor<2x4x4xf32>
  %5 = fxgraph.add %4, %e : (tensor<2x4x4xf32>, tensor<3x1x1x1xf32>) -> tensor<3x2x4x4xf32>
  return %1, %3, %5 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<3x2x4x4xf32>
}

// A reshape that mixes the outputs with the rows.
func.func @mixed_outputs(%x: tensor<4x3xf32>, %w: tensor<3x4xf32> {fxgraph.kind = "parameter"}, %c: tensor<8xf32> {fxgraph.kind = "buffer"}, %v: tensor<3x4xf32> {fxgraph.kind = "parameter"}, %d: tensor<4x1xf32> {fxgraph.kind = "buffer"}) -> (tensor<2x8xf32>, tensor<4x4xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.reshape %0 shape [2, 8] : tensor<4x4xf32> -> tensor<2x8xf32>
  %2 = fxgraph.mul %1, %c : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %3 = fxgraph.mm %x, %v : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  %4 = fxgraph.mul %3, %d : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return %2, %4 : tensor<2x8xf32>, tensor<4x4xf32>
}

// Integer numbers (as in Inductor), integers, quotients that round.
// REMARK-DAG: Remark="expected a constant of floats"
// REMARK-DAG: Remark="expected weights of floats"
// REMARK-DAG: Remark="the quotient rounds"
func.func @kinds(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}, %i: tensor<2x3xi64>, %j: tensor<3x4xi64> {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}) -> (!y, tensor<2x4xi64>, !y) {
  %two = fxgraph.constant dense<2> : tensor<i64>
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %1 = fxgraph.mul %0, %two : (!y, tensor<i64>) -> !y
  %2 = fxgraph.mm %i, %j : (tensor<2x3xi64>, tensor<3x4xi64>) -> tensor<2x4xi64>
  %3 = fxgraph.mul %2, %two : (tensor<2x4xi64>, tensor<i64>) -> tensor<2x4xi64>
  %4 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %5 = fxgraph.div %4, %c rounding_mode "floor" : (!y, tensor<4x1xf32>) -> !y
  return %1, %3, %5 : !y, tensor<2x4xi64>, !y
}

// 0 * infinity and 0 / 0 differ between the two forms.
// REMARK-DAG: Remark="the constant is infinite"
// REMARK-DAG: Remark="the divisor may be 0: assume-nonzero-divisors is off"
func.func @special_numbers(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}) -> (!y, !y) {
  %zero = fxgraph.constant dense<0.0> : tensor<f64>
  %inf = fxgraph.constant dense<0x7FF0000000000000> : tensor<f64>
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %1 = fxgraph.div %0, %zero : (!y, tensor<f64>) -> !y
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %3 = fxgraph.mul %2, %inf : (!y, tensor<f64>) -> !y
  return %1, %3 : !y, !y
}

// REMARK-DAG: Remark="the weight of a grouped transposed convolution has no dimension of all outputs"
// REMARK-DAG: Remark="the addmm scales what it adds: its beta is not 1"
// REMARK-DAG: Remark="expected a weight of rank 2 or more"
func.func @forms(%x: tensor<2x4x8xf32>, %w: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %c: tensor<6x1xf32> {fxgraph.kind = "buffer"}, %b: tensor<4xf32> {fxgraph.kind = "parameter"}, %y: tensor<2x3xf32>, %v: tensor<3x4xf32> {fxgraph.kind = "parameter"},
    %row: tensor<3xf32> {fxgraph.kind = "parameter"}) -> (tensor<2x6x10xf32>, tensor<2x4xf32>, tensor<2xf32>) {
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %0 = fxgraph.convolution %x, %w stride [1] padding [0] dilation [1] transposed true output_padding [0] groups 2 : (tensor<2x4x8xf32>, tensor<4x3x3xf32>) -> tensor<2x6x10xf32>
  %1 = fxgraph.mul %0, %two : (tensor<2x6x10xf32>, tensor<f64>) -> tensor<2x6x10xf32>
  %2 = fxgraph.addmm %b, %y, %v beta 0.5 : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = fxgraph.add %2, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %4 = fxgraph.linear %y, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %5 = fxgraph.mul %4, %two : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  return %1, %3, %5 : tensor<2x6x10xf32>, tensor<2x4xf32>, tensor<2xf32>
}

// A 32-bit result that is used as it is would be rounded.
// REMARK-DAG: Remark="the constant is wider than the weights, and its result is not narrowed again"
func.func @wide_result(%x: tensor<2x3x8xf16>, %w: tensor<4x3x3xf16> {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<2x3x8xf16>, tensor<4x3x3xf16>) -> tensor<2x4x6xf16>
  %1 = fxgraph.convert_element_type %0 : (tensor<2x4x6xf16>) -> !y
  %2 = fxgraph.mul %1, %c : (!y, tensor<4x1xf32>) -> !y
  return %2 : !y
}

// A constant that the graph writes; one that an unknown op may write to.
func.func @written(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}, %d: tensor<4x1xf32> {fxgraph.kind = "buffer"}) -> (!y, !y) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %1 = fxgraph.mul %0, %c : (!y, tensor<4x1xf32>) -> !y
  %n = fxgraph.neg %c : tensor<4x1xf32>
  fxgraph.copy_ %n into %c : tensor<4x1xf32>, tensor<4x1xf32>
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %3 = fxgraph.mul %2, %d : (!y, tensor<4x1xf32>) -> !y
  fxgraph.opaque "custom.add_.default"(%d) : (tensor<4x1xf32>) -> ()
  return %1, %3 : !y, !y
}

// The constant stands on the left, or something stands between.
func.func @near_misses(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}) -> (!y, !y) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %1 = fxgraph.sub %c, %0 : (tensor<4x1xf32>, !y) -> !y
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  %3 = fxgraph.relu %2 : !y
  %4 = fxgraph.mul %3, %c : (!y, tensor<4x1xf32>) -> !y
  return %1, %4 : !y, !y
}
