// One linalg.generic an op: constants in the body, 16-bit floats through f32, bool as i8.
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s
// RUN: %mlir-opt --load-pass-plugin=%plugin --load-dialect-plugin=%plugin %s --pass-pipeline='builtin.module(fxgraph-to-linalg)' | FileCheck %s

// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @relu
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: %[[C:.*]] = arith.cmpf olt, %[[IN:.*]], %{{.*}} : f32
// CHECK: arith.select %[[C]], %{{.*}}, %[[IN]] : f32
func.func @relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.relu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The number stays in the body and is not rounded to bf16.
// CHECK-LABEL: func.func @wrapped_number
// CHECK: linalg.generic
// CHECK: ^bb0(%[[IN:.*]]: bf16, %{{.*}}: bf16):
// CHECK: %[[X:.*]] = arith.extf %[[IN]] : bf16 to f32
// CHECK: %[[N:.*]] = arith.constant 1.000000e-01 : f32
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[N]] : f32
// CHECK: arith.truncf %[[S]] : f32 to bf16
func.func @wrapped_number(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %n = fxgraph.constant dense<0.1> : tensor<f64>
  %0 = fxgraph.add %x, %n : (tensor<4xbf16>, tensor<f64>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[$ROW]], #[[$COLUMN]], #{{.*}}]
// CHECK: arith.maximumf
func.func @broadcast(%x: tensor<3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.maximum %x, %y : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @bools
// CHECK-SAME: (%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>)
// CHECK-SAME: fxgraph.argument_dtypes = array<i64: 9, 10>
// CHECK: arith.cmpi ult, {{.*}} : i8
// CHECK: arith.extui {{.*}} : i1 to i8
// CHECK: arith.cmpi ne, {{.*}} : i8
// CHECK: arith.xori {{.*}} : i1
func.func @bools(%x: tensor<4xui8>, %b: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %c = fxgraph.constant dense<7> : tensor<i64>
  %0 = fxgraph.lt %x, %c : (tensor<4xui8>, tensor<i64>) -> tensor<4xi1>
  %1 = fxgraph.bitwise_not %b : tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// A divisor that may be zero is checked in front; a constant is not.
// CHECK-LABEL: func.func @divide
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: cf.assert %{{.*}}, "'fxgraph.div' op expected a non-zero integer divisor but got 0"
// CHECK: arith.divsi
// CHECK-NOT: cf.assert
// CHECK: return
func.func @divide(%x: tensor<4xi64>, %y: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %c = fxgraph.constant dense<3> : tensor<i64>
  %0 = fxgraph.div %x, %y rounding_mode "trunc" : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %1 = fxgraph.div %x, %c rounding_mode "floor" : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  return %0, %1 : tensor<4xi64>, tensor<4xi64>
}

// Equal symbols need no check when run; different ones do.
// CHECK-LABEL: func.func @dynamic
// CHECK: cf.assert %{{.*}}, "'fxgraph.mul' op expected equal extents in a broadcast"
// CHECK: tensor.empty(%{{.*}}) : tensor<?x4xf32>
func.func @dynamic(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = fxgraph.mul %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
