// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-concat-linear-int4))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %S/concat-linear-int4-example.mlir --pass-pipeline='builtin.module(func.func(fxgraph-onednn-concat-linear-int4{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: Remark="the products are not on the CPU"

// REMARK-DAG: remark: [Missed] onednn-concat-linear-int4 | Category:fxgraph-onednn-concat-linear-int4 | Remark="the input has other users"
// CHECK-LABEL: func.func @users
// CHECK-NOT: fxgraph.cat
func.func @users(%x: tensor<4x32xf32>, %v: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x32xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  %2 = fxgraph.relu %x : tensor<4x32xf32>
  return %0, %1, %2 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x32xf32>
}

// REMARK-DAG: Remark="the groups or the layouts of the weights differ"
// CHECK-LABEL: func.func @layouts
// CHECK-NOT: fxgraph.cat
func.func @layouts(%x: tensor<4x32xf32>, %v: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx2" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}

// REMARK-DAG: Remark="two products have one weight"
// CHECK-LABEL: func.func @same
// CHECK-NOT: fxgraph.cat
func.func @same(%x: tensor<4x32xf32>, %v: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %v, %s group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}

// REMARK-DAG: Remark="a weight may change between runs"
// CHECK-LABEL: func.func @inputs
// CHECK-NOT: fxgraph.cat
func.func @inputs(%x: tensor<4x32xf32>, %v: tensor<64x16xui8>, %r: tensor<1x64x2xf32>, %w: tensor<64x16xui8>, %s: tensor<1x64x2xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}

// Two that do not fill their last block of 64 rows: one of them would not end there.
// REMARK-DAG: Remark="a weight does not fill its last block of rows"
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: fxgraph.cat
func.func @blocks(%x: tensor<4x32xf32>, %v: tensor<32x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x32x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<32x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x32x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<32x16xui8>, tensor<1x32x2xf32>) -> tensor<4x32xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx512" : (tensor<4x32xf32>, tensor<32x16xui8>, tensor<1x32x2xf32>) -> tensor<4x32xf32>
  return %0, %1 : tensor<4x32xf32>, tensor<4x32xf32>
}

// One product alone.
// CHECK-LABEL: func.func @one
// CHECK-NOT: fxgraph.cat
func.func @one(%x: tensor<4x32xf32>, %v: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}) -> tensor<4x64xf32> {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// REMARK-DAG: Remark="a weight is made behind the first product"
// CHECK-LABEL: func.func @later
// CHECK: fxgraph.weight_int4pack_mm
// CHECK: fxgraph.weight_int4pack_mm
func.func @later(%x: tensor<4x32xf32>, %v: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x64x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  %c = fxgraph.clone %w : tensor<64x16xui8>
  %1 = fxgraph.weight_int4pack_mm %x, %c, %s group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x2xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}

// REMARK-DAG: Remark="the extents of the scales are not known"
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: fxgraph.cat
func.func @unknown(%x: tensor<4x32xf32>, %v: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x64x?xf32> {fxgraph.kind = "parameter"}, %w: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x64x?xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x?xf32>) -> tensor<4x64xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx512" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<1x64x?xf32>) -> tensor<4x64xf32>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
}
