// Values of emitted kernels, on the CPU, against the reference interpreter.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-6 --atol=1e-6
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-6 --atol=1e-6

func.func @flat_odd(%x: tensor<1037xf32>, %y: tensor<1037xf32>) -> tensor<1037xf32> {
  %0 = fxgraph.mul %x, %y : (tensor<1037xf32>, tensor<1037xf32>) -> tensor<1037xf32>
  %1 = fxgraph.tanh %0 : tensor<1037xf32>
  %2 = fxgraph.add %1, %x alpha 2.0 : (tensor<1037xf32>, tensor<1037xf32>) -> tensor<1037xf32>
  return %2 : tensor<1037xf32>
}

func.func @scalar(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = fxgraph.sub %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @broadcast(%x: tensor<5x1x8xf32>, %y: tensor<7x1xf32>, %z: tensor<8xf32>) -> tensor<5x7x8xf32> {
  %0 = fxgraph.add %x, %y : (tensor<5x1x8xf32>, tensor<7x1xf32>) -> tensor<5x7x8xf32>
  %1 = fxgraph.mul %0, %z : (tensor<5x7x8xf32>, tensor<8xf32>) -> tensor<5x7x8xf32>
  return %1 : tensor<5x7x8xf32>
}

func.func @integers(%x: tensor<33xi64>, %y: tensor<33xi64>) -> (tensor<33xi64>, tensor<33xi1>, tensor<33xi64>) {
  %0 = fxgraph.mul %x, %y : (tensor<33xi64>, tensor<33xi64>) -> tensor<33xi64>
  %1 = fxgraph.lt %x, %y : (tensor<33xi64>, tensor<33xi64>) -> tensor<33xi1>
  %2 = fxgraph.where %1, %x, %0 : (tensor<33xi1>, tensor<33xi64>, tensor<33xi64>) -> tensor<33xi64>
  return %0, %1, %2 : tensor<33xi64>, tensor<33xi1>, tensor<33xi64>
}

func.func @bytes(%x: tensor<40xui8>, %y: tensor<40xui8>) -> (tensor<40xui8>, tensor<40xi1>, tensor<40xf32>) {
  %0 = fxgraph.add %x, %y : (tensor<40xui8>, tensor<40xui8>) -> tensor<40xui8>
  %1 = fxgraph.gt %x, %y : (tensor<40xui8>, tensor<40xui8>) -> tensor<40xi1>
  %2 = fxgraph.convert_element_type %0 : (tensor<40xui8>) -> tensor<40xf32>
  return %0, %1, %2 : tensor<40xui8>, tensor<40xi1>, tensor<40xf32>
}

func.func @bools(%x: tensor<19xi1>, %y: tensor<19xi1>) -> (tensor<19xi1>, tensor<19xi1>) {
  %0 = fxgraph.logical_and %x, %y : (tensor<19xi1>, tensor<19xi1>) -> tensor<19xi1>
  %1 = fxgraph.bitwise_not %x : tensor<19xi1>
  return %0, %1 : tensor<19xi1>, tensor<19xi1>
}

func.func @activations(%x: tensor<4x36xf32>) -> (tensor<4x36xf32>, tensor<4x36xf32>, tensor<4x36xf32>, tensor<4x36xf32>, tensor<4x36xf32>) {
  %0 = fxgraph.gelu %x : tensor<4x36xf32>
  %1 = fxgraph.gelu %x {approximate = "tanh"} : tensor<4x36xf32>
  %2 = fxgraph.silu %x : tensor<4x36xf32>
  %3 = fxgraph.hardswish %x : tensor<4x36xf32>
  %4 = fxgraph.softplus %x : tensor<4x36xf32>
  return %0, %1, %2, %3, %4 : tensor<4x36xf32>, tensor<4x36xf32>, tensor<4x36xf32>, tensor<4x36xf32>, tensor<4x36xf32>
}

func.func @nans(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.0, 3.0]> : tensor<8xf32>
  %0 = fxgraph.relu %c : tensor<8xf32>
  %1 = fxgraph.maximum %c, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = fxgraph.clamp %c {min = -1.0 : f64, max = 1.0 : f64} : tensor<8xf32>
  %3 = fxgraph.isnan %c : (tensor<8xf32>) -> tensor<8xi1>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>
}

func.func @wrapped_numbers(%x: tensor<6x5xf32>, %i: tensor<6x5xi64>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xi64>) {
  %c = fxgraph.constant dense<2.5> : tensor<f64>
  %three = fxgraph.constant dense<3> : tensor<i64>
  %0 = fxgraph.mul %x, %c : (tensor<6x5xf32>, tensor<f64>) -> tensor<6x5xf32>
  %1 = fxgraph.pow %x, %three : (tensor<6x5xf32>, tensor<i64>) -> tensor<6x5xf32>
  %2 = fxgraph.add %i, %three : (tensor<6x5xi64>, tensor<i64>) -> tensor<6x5xi64>
  return %0, %1, %2 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xi64>
}

func.func @returned_arguments(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %0 = fxgraph.neg %x : tensor<5xf32>
  return %x, %0, %0 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = fxgraph.exp %x : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

func.func @division(%x: tensor<21xf32>, %y: tensor<21xf32>) -> (tensor<21xf32>, tensor<21xf32>, tensor<21xf32>) {
  %0 = fxgraph.div %x, %y : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
  %1 = fxgraph.div %x, %y rounding_mode "trunc" : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
  %2 = fxgraph.sigmoid %y : tensor<21xf32>
  return %0, %1, %2 : tensor<21xf32>, tensor<21xf32>, tensor<21xf32>
}
