// Padding is the lowest number of the dtype, also for windows that hold nothing else.
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --compare-target=ref --rtol=0 --atol=0
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=cpu --compare-target=ref --rtol=0 --atol=0
// RUN: fx-run %s --entry=empty_windows --print | FileCheck %s

func.func @padded(%x: tensor<1x2x4x5xui8>, %y: tensor<2x3x3xi8>, %z: tensor<1x4x4xi64>) -> (tensor<1x2x4x5xui8>, tensor<2x2x2xi8>, tensor<1x2x2xi64>) {
  %0 = fxgraph.max_pool2d %x kernel [3, 3] stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<1x2x4x5xui8>) -> tensor<1x2x4x5xui8>
  %1 = fxgraph.max_pool2d %y kernel [2, 2] stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<2x3x3xi8>) -> tensor<2x2x2xi8>
  %2 = fxgraph.max_pool2d %z kernel [2, 2] stride [3, 3] padding [1, 1] dilation [2, 2] : (tensor<1x4x4xi64>) -> tensor<1x2x2xi64>
  return %0, %1, %2 : tensor<1x2x4x5xui8>, tensor<2x2x2xi8>, tensor<1x2x2xi64>
}

// CHECK: [0]
// CHECK: [-128]
// CHECK: [-2147483648]
// CHECK: [-inf]
func.func @empty_windows() -> (tensor<1x1x1xui8>, tensor<1x1x1xi8>, tensor<1x1x1xi32>, tensor<1x1x1xf32>) {
  %u = fxgraph.constant dense<7> : tensor<1x2x2xui8>
  %b = fxgraph.constant dense<7> : tensor<1x2x2xi8>
  %i = fxgraph.constant dense<7> : tensor<1x2x2xi32>
  %f = fxgraph.constant dense<7.0> : tensor<1x2x2xf32>
  %0 = fxgraph.max_pool2d %u kernel [2, 2] stride [1, 1] padding [1, 1] dilation [3, 3] : (tensor<1x2x2xui8>) -> tensor<1x1x1xui8>
  %1 = fxgraph.max_pool2d %b kernel [2, 2] stride [1, 1] padding [1, 1] dilation [3, 3] : (tensor<1x2x2xi8>) -> tensor<1x1x1xi8>
  %2 = fxgraph.max_pool2d %i kernel [2, 2] stride [1, 1] padding [1, 1] dilation [3, 3] : (tensor<1x2x2xi32>) -> tensor<1x1x1xi32>
  %3 = fxgraph.max_pool2d %f kernel [2, 2] stride [1, 1] padding [1, 1] dilation [3, 3] : (tensor<1x2x2xf32>) -> tensor<1x1x1xf32>
  return %0, %1, %2, %3 : tensor<1x1x1xui8>, tensor<1x1x1xi8>, tensor<1x1x1xi32>, tensor<1x1x1xf32>
}
