// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-concat-linear-int4))' | FileCheck %s

// CHECK-LABEL: func.func @two
// CHECK-DAG: %[[W:.+]] = fxgraph.cat %arg1, %arg3 dim 0
// CHECK-DAG: %[[S:.+]] = fxgraph.cat %arg2, %arg4 dim 1
// CHECK: %[[Y:.+]] = fxgraph.weight_int4pack_mm %arg0, %[[W]], %[[S]] group 32 layout "avx512"
// CHECK-NEXT: %{{.+}}:2 = fxgraph.split_with_sizes %[[Y]] sizes [64, 48] dim 1
func.func @two(%x: tensor<4x32xf32>, %v: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<48x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x48x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x64xf32>, tensor<4x48xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx512" : (tensor<4x32xf32>, tensor<48x16xui8>, tensor<1x48x2xf32>) -> tensor<4x48xf32>
  %2 = fxgraph.relu %0 : tensor<4x64xf32>
  %3 = fxgraph.relu %1 : tensor<4x48xf32>
  return %2, %3 : tensor<4x64xf32>, tensor<4x48xf32>
}
