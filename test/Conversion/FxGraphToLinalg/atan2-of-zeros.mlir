// Angles of zeros, also where they are constants: upstream folds math.atan2 of two zeros to NaN.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-6 --atol=1e-6
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-6 --atol=1e-6
func.func @constants() -> (tensor<4xf32>, tensor<4xf64>, tensor<4xbf16>, tensor<4xf32>) {
  %y = fxgraph.constant dense<[0.0, -0.0, 0.0, -0.0]> : tensor<4xf32>
  %x = fxgraph.constant dense<[0.0, 0.0, -0.0, -0.0]> : tensor<4xf32>
  %0 = fxgraph.atan2 %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %f = fxgraph.full 0.0 : tensor<4xf64>
  %1 = fxgraph.atan2 %f, %f : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %g = fxgraph.full -0.0 : tensor<4xbf16>
  %2 = fxgraph.atan2 %g, %g : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %h = fxgraph.full 0.0 : tensor<4xf32>
  %3 = fxgraph.atan2 %h, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf64>, tensor<4xbf16>, tensor<4xf32>
}
// The twin: other numbers, and what is a zero only when it runs.
func.func @values(%x: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %zero = fxgraph.full -0.0 : tensor<7xf32>
  %0 = fxgraph.mul %x, %zero : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %1 = fxgraph.atan2 %0, %0 : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %2 = fxgraph.atan2 %x, %zero : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  return %1, %2 : tensor<7xf32>, tensor<7xf32>
}
