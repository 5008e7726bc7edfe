// PTX: vector accesses, no local memory, no call of a missing function.
// RUN: fx-opt %s --fxgraph-to-gpu=format=ptx | FileCheck %s

// CHECK: .target sm_90a
// CHECK-NOT: .extern .func
// CHECK-NOT: .local
// CHECK: .visible .entry k0_add_layer_norm_tanh
// CHECK-COUNT-2: ld.global.nc.v4
// CHECK: shfl.sync.bfly
// CHECK: st.global.v4
func.func @main(%x: tensor<4096x1024xbf16>, %r: tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16> {
  %0 = fxgraph.add %x, %r : (tensor<4096x1024xbf16>, tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16>
  %1 = fxgraph.layer_norm %0 over [1024] eps 1.0e-05 : (tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16>
  %2 = fxgraph.tanh %1 : tensor<4096x1024xbf16>
  return %2 : tensor<4096x1024xbf16>
}
