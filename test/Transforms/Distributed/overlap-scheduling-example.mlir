// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling))' | FileCheck %s

// CHECK-LABEL: func.func @next_weight
// CHECK-SAME: (%[[X:.+]]: tensor<64x64xbf16>, %[[W:.+]]: tensor<64x64xbf16>, %[[S:.+]]: tensor<32x64xbf16>)
// CHECK-NEXT: %[[START:.+]] = fxgraph.all_gather_into_tensor %[[S]] group "0" of 2
// CHECK-NEXT: %[[H:.+]] = fxgraph.mm %[[X]], %[[W]]
// CHECK-NEXT: %[[NEXT:.+]] = fxgraph.wait_tensor %[[START]]
// CHECK-NEXT: %[[Y:.+]] = fxgraph.mm %[[H]], %[[NEXT]]
// CHECK-NEXT: return %[[Y]]
func.func @next_weight(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>, %s: tensor<32x64xbf16>) -> tensor<64x64xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = fxgraph.all_gather_into_tensor %s group "0" of 2 : (tensor<32x64xbf16>) -> tensor<64x64xbf16>
  %2 = fxgraph.wait_tensor %1 : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %3 = fxgraph.mm %0, %2 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %3 : tensor<64x64xbf16>
}
