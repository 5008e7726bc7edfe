// An attention block: no kernel but the attention's own.
// RUN: fx-run %s --entry=packed --inputs=seed:9 --target=gpu-emulator --target-option=libraries=always --compare-target=ref --rtol=2e-2 --atol=1e-1
// RUN: fx-translate %s --entry=packed --to=plan --option=libraries=always | FileCheck %s --check-prefix=PACKED

// Queries, keys and values are slices of one product, the result is written in the
// order that the output projection reads: no copies.
// PACKED: "op": "matmul"
// PACKED: scaled_dot_product_attention
// PACKED: "op": "matmul"
// PACKED-NOT: "op":

func.func @packed(%x: tensor<2x20x64xbf16>, %w: tensor<192x64xbf16>, %b: tensor<192xbf16>, %o: tensor<64x64xbf16>) -> tensor<2x20x64xbf16> {
  %c = fxgraph.constant dense<0.0625> : tensor<f64>
  %s = fxgraph.mul %x, %c : (tensor<2x20x64xbf16>, tensor<f64>) -> tensor<2x20x64xbf16>
  %0 = fxgraph.linear %s, %w, %b : (tensor<2x20x64xbf16>, tensor<192x64xbf16>, tensor<192xbf16>) -> tensor<2x20x192xbf16>
  %1 = fxgraph.view %0 shape [2, 20, 3, 2, 32] : tensor<2x20x192xbf16> -> tensor<2x20x3x2x32xbf16>
  %2 = fxgraph.permute %1 dims [2, 0, 3, 1, 4] : (tensor<2x20x3x2x32xbf16>) -> tensor<3x2x2x20x32xbf16>
  %3:3 = fxgraph.unbind %2 dim 0 : (tensor<3x2x2x20x32xbf16>) -> (tensor<2x2x20x32xbf16>, tensor<2x2x20x32xbf16>, tensor<2x2x20x32xbf16>)
  %4 = fxgraph.scaled_dot_product_attention %3#0, %3#1, %3#2 : (tensor<2x2x20x32xbf16>, tensor<2x2x20x32xbf16>, tensor<2x2x20x32xbf16>) -> tensor<2x2x20x32xbf16>
  %5 = fxgraph.transpose %4 dims 1, 2 : (tensor<2x2x20x32xbf16>) -> tensor<2x20x2x32xbf16>
  %6 = fxgraph.reshape %5 shape [2, 20, 64] : tensor<2x20x2x32xbf16> -> tensor<2x20x64xbf16>
  %7 = fxgraph.linear %6, %o : (tensor<2x20x64xbf16>, tensor<64x64xbf16>) -> tensor<2x20x64xbf16>
  return %7 : tensor<2x20x64xbf16>
}
