// Numbers beside 16-bit floats. PyTorch's kernels round them to the tensor's dtype, on a CPU and with CUDA, but for add, sub,
// mul and div: 0.1 as a float16 is equal to the number 0.1.
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --compare-target=ref --rtol=1e-3 --atol=1e-4
// RUN: fx-run %s --entry=equal_f16 --target=gpu-emulator --print | FileCheck %s
// CHECK: out0: tensor<4xi1> [1, 0, 1, 0]
// CHECK: out1: tensor<4xf16> [0, 0,
// CHECK: out2: tensor<4xi1> [1, 0, 1, 0]
func.func @equal_f16() -> (tensor<4xi1>, tensor<4xf16>, tensor<4xi1>) {
  %x = fxgraph.constant dense<[0.1, 0.2, 0.1, -0.1]> : tensor<4xf16>
  %n = fxgraph.constant dense<0.1> : tensor<f64>
  %0 = fxgraph.eq %x, %n : (tensor<4xf16>, tensor<f64>) -> tensor<4xi1>
  %1 = fxgraph.remainder %x, %n : (tensor<4xf16>, tensor<f64>) -> tensor<4xf16>
  %2 = fxgraph.eq %n, %x : (tensor<f64>, tensor<4xf16>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xf16>, tensor<4xi1>
}

// The twin: these keep all digits of the number. x - 0.1 is no zero.
// RUN: fx-run %s --entry=kept --target=gpu-emulator --print | FileCheck %s --check-prefix=KEPT
// KEPT: out0: tensor<2xf16> [-2.44379044e-05,
func.func @kept() -> (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) {
  %x = fxgraph.constant dense<[0.1, 0.2]> : tensor<2xf16>
  %n = fxgraph.constant dense<0.1> : tensor<f64>
  %0 = fxgraph.sub %x, %n : (tensor<2xf16>, tensor<f64>) -> tensor<2xf16>
  %1 = fxgraph.add %x, %n : (tensor<2xf16>, tensor<f64>) -> tensor<2xf16>
  %2 = fxgraph.mul %x, %n : (tensor<2xf16>, tensor<f64>) -> tensor<2xf16>
  %3 = fxgraph.div %x, %n : (tensor<2xf16>, tensor<f64>) -> tensor<2xf16>
  return %0, %1, %2, %3 : tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>
}

// Exponents stay numbers of which formulas know.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=square | FileCheck %s --check-prefix=SQUARE
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s --check-prefix=LINALG
// SQUARE: gpu.func
// SQUARE-NOT: math.powf
// LINALG: func.func @square
// LINALG-NOT: math.powf
// LINALG: func.func @ops
func.func @square(%x: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  %n = fxgraph.constant dense<2.0> : tensor<f64>
  %0 = fxgraph.pow %x, %n : (tensor<8x64xbf16>, tensor<f64>) -> tensor<8x64xbf16>
  return %0 : tensor<8x64xbf16>
}

func.func @ops() -> (
    tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>) {
  %f16 = fxgraph.constant dense<[[0.1, 0.2, 0.3, -0.1], [1.5, 0.7, -0.7, 0.0]]> : tensor<2x4xf16>
  %bf16 = fxgraph.constant dense<[[0.1, 0.2, 0.3, -0.1], [1.5, 0.7, -0.7, 0.0]]> : tensor<2x4xbf16>
  %n = fxgraph.constant dense<0.1> : tensor<f64>
  %eq_f16 = fxgraph.eq %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xi1>
  %ne_f16 = fxgraph.ne %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xi1>
  %lt_f16 = fxgraph.lt %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xi1>
  %le_f16 = fxgraph.le %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xi1>
  %gt_f16 = fxgraph.gt %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xi1>
  %ge_f16 = fxgraph.ge %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xi1>
  %remainder_f16 = fxgraph.remainder %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xf16>
  %fmod_f16 = fxgraph.fmod %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xf16>
  %maximum_f16 = fxgraph.maximum %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xf16>
  %minimum_f16 = fxgraph.minimum %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xf16>
  %pow_f16 = fxgraph.pow %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xf16>
  %atan2_f16 = fxgraph.atan2 %f16, %n : (tensor<2x4xf16>, tensor<f64>) -> tensor<2x4xf16>
  %eq_bf16 = fxgraph.eq %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xi1>
  %ne_bf16 = fxgraph.ne %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xi1>
  %lt_bf16 = fxgraph.lt %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xi1>
  %le_bf16 = fxgraph.le %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xi1>
  %gt_bf16 = fxgraph.gt %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xi1>
  %ge_bf16 = fxgraph.ge %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xi1>
  %remainder_bf16 = fxgraph.remainder %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xbf16>
  %fmod_bf16 = fxgraph.fmod %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xbf16>
  %maximum_bf16 = fxgraph.maximum %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xbf16>
  %minimum_bf16 = fxgraph.minimum %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xbf16>
  %pow_bf16 = fxgraph.pow %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xbf16>
  %atan2_bf16 = fxgraph.atan2 %bf16, %n : (tensor<2x4xbf16>, tensor<f64>) -> tensor<2x4xbf16>
  return %eq_f16, %ne_f16, %lt_f16, %le_f16, %gt_f16, %ge_f16, %remainder_f16, %fmod_f16, %maximum_f16, %minimum_f16, %pow_f16, %atan2_f16, %eq_bf16, %ne_bf16, %lt_bf16, %le_bf16, %gt_bf16, %ge_bf16, %remainder_bf16, %fmod_bf16, %maximum_bf16, %minimum_bf16, %pow_bf16, %atan2_bf16 :
    tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>
}
