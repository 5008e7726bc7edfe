// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-scaled-softmax))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.isfinite

func.func @scale_in_the_row(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.mul %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{the scale differs along a reduced dimension}}
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

func.func @taken_twice(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.mul %x, %y : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // expected-remark@below {{the maximum is taken away more or less than once}}
  %d = fxgraph.sub %s, %m alpha 2.0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

// The maximum of the whole broadcasts as well as that of a row.
func.func @dimension_dropped(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.mul %x, %y : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{the maximum drops the dimensions}}
  %m = fxgraph.amax %s : (tensor<4x8xf32>) -> tensor<f32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

func.func @rounded_quotient(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  // expected-remark@below {{the quotient rounds}}
  %s = fxgraph.div %x, %y rounding_mode "floor" : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

// The maximum is of something else.
func.func @other_maximum(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.mul %x, %y : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %x dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

// -(s - m) is another thing.
func.func @from_the_maximum(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.mul %x, %y : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %m, %s : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

func.func @integers(%x: tensor<4x8xi64>, %y: tensor<4x1xi64>) -> tensor<4x8xi64> {
  %s = fxgraph.mul %x, %y : (tensor<4x8xi64>, tensor<4x1xi64>) -> tensor<4x8xi64>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xi64>) -> tensor<4x1xi64>
  %d = fxgraph.sub %s, %m : (tensor<4x8xi64>, tensor<4x1xi64>) -> tensor<4x8xi64>
  return %d : tensor<4x8xi64>
}

// -----

func.func @unknown_extent(%x: tensor<?x8xf32>, %y: tensor<?x1xf32>) -> tensor<?x8xf32> {
  %s = fxgraph.mul %x, %y : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  return %d : tensor<?x8xf32>
}

// -----

// The product rounds to bf16.
func.func @cast(%x: tensor<4x8xbf16>) -> tensor<4x8xf32> {
  %c = fxgraph.constant dense<3.0> : tensor<f64>
  %h = fxgraph.mul %x, %c : (tensor<4x8xbf16>, tensor<f64>) -> tensor<4x8xbf16>
  %s = fxgraph.convert_element_type %h : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}
