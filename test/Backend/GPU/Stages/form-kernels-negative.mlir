// What becomes no kernel stays, and is refused with the reason.
// RUN: fx-opt %s --fxgraph-form-kernels | FileCheck %s
// RUN: not fx-opt %s --fxgraph-to-gpu 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK-NOT: fxgraph.kernel
// REFUSED: error: not supported on gpu: 6 ops
// REFUSED: note: argument has a dynamic extent
// REFUSED: note: fxgraph.rand has no GPU form
// REFUSED: note: fxgraph.sort has a dynamic extent
// REFUSED: note: fxgraph.convert_element_type has element type f8E4M3FNUZ
// REFUSED: note: fxgraph.sort has element type f8E4M3FNUZ
// REFUSED: note: fxgraph.map has no GPU form: a loop that is not written out
func.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xf32>, tensor<4xf8E4M3FNUZ>, tensor<4xf32>) {
  %0 = fxgraph.rand : tensor<4xf32>
  %1, %2 = fxgraph.sort %x dim 0 : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>)
  %3 = fxgraph.convert_element_type %y : (tensor<4xf32>) -> tensor<4xf8E4M3FNUZ>
  %4, %5 = fxgraph.sort %3 dim 0 : (tensor<4xf8E4M3FNUZ>) -> (tensor<4xf8E4M3FNUZ>, tensor<4xi64>)
  %6 = fxgraph.map (%y) {
  ^bb0(%row: tensor<f32>):
    %7 = fxgraph.neg %row : tensor<f32>
    fxgraph.yield %7 : tensor<f32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %4, %6 : tensor<4xf32>, tensor<?xf32>, tensor<4xf8E4M3FNUZ>, tensor<4xf32>
}
