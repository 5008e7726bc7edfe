// Few queries and many keys: blocks share the keys of a tile, and a second kernel joins what they leave.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-translate %s --entry=decode --to=plan | FileCheck %s
// RUN: fx-translate %s --entry=short --to=plan | FileCheck %s --check-prefix=ONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=decode processors=2" | FileCheck %s --check-prefix=ONE

// CHECK: "grid": [
// CHECK-NEXT: 32,
// CHECK: "name": "k0_scaled_dot_product_attention"
// CHECK: "grid": [
// CHECK-NEXT: 4,
// CHECK: "name": "k0_scaled_dot_product_attention_join"

// The twins: not worth a second kernel; a device that is full without.
// ONE-NOT: _join

func.func @decode(%q: tensor<2x2x1x64xbf16>, %k: tensor<2x2x1100x64xbf16>, %v: tensor<2x2x1100x64xbf16>) -> tensor<2x2x1x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<2x2x1x64xbf16>, tensor<2x2x1100x64xbf16>, tensor<2x2x1100x64xbf16>) -> tensor<2x2x1x64xbf16>
  return %0 : tensor<2x2x1x64xbf16>
}

func.func @decode_masked(%q: tensor<1x2x1x32xbf16>, %k: tensor<1x2x1031x32xbf16>, %v: tensor<1x2x1031x32xbf16>, %m: tensor<1x1x1x1031xi1>) -> tensor<1x2x1x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x1x32xbf16>, tensor<1x2x1031x32xbf16>, tensor<1x2x1031x32xbf16>, tensor<1x1x1x1031xi1>) -> tensor<1x2x1x32xbf16>
  return %0 : tensor<1x2x1x32xbf16>
}

func.func @grouped_decode(%q: tensor<1x2x4x1x64xf16>, %k: tensor<1x2x1x700x64xf16>, %v: tensor<1x2x1x700x64xf16>, %m: tensor<1x2x4x1x700xf16>) -> tensor<1x2x4x1x64xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x4x1x64xf16>, tensor<1x2x1x700x64xf16>, tensor<1x2x1x700x64xf16>, tensor<1x2x4x1x700xf16>) -> tensor<1x2x4x1x64xf16>
  return %0 : tensor<1x2x4x1x64xf16>
}

func.func @causal_decode(%q: tensor<1x1x20x32xf16>, %k: tensor<1x1x1100x32xf16>, %v: tensor<1x1x1100x32xf16>) -> tensor<1x1x20x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x1x20x32xf16>, tensor<1x1x1100x32xf16>, tensor<1x1x1100x32xf16>) -> tensor<1x1x20x32xf16>
  return %0 : tensor<1x1x20x32xf16>
}

func.func @wide_values(%q: tensor<1x1x3x24xf16>, %k: tensor<1x1x520x24xf16>, %v: tensor<1x1x520x200xf16>) -> tensor<1x1x3x200xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x3x24xf16>, tensor<1x1x520x24xf16>, tensor<1x1x520x200xf16>) -> tensor<1x1x3x200xf16>
  return %0 : tensor<1x1x3x200xf16>
}

func.func @one_row(%q: tensor<1x1x2x16xf16>, %k: tensor<1x1x600x16xf16>, %v: tensor<1x1x600x16xf16>, %m: tensor<2x600xi1>) -> tensor<1x1x2x16xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x2x16xf16>, tensor<1x1x600x16xf16>, tensor<1x1x600x16xf16>, tensor<2x600xi1>) -> tensor<1x1x2x16xf16>
  return %0 : tensor<1x1x2x16xf16>
}

// What the splits start at has no parity of its own; later splits see nothing of these.
func.func @odd_start(%q: tensor<1x2x4x64xf16>, %k: tensor<1x2x700x64xf16>, %v: tensor<1x2x700x64xf16>, %m: tensor<4x700xf16>) -> tensor<1x2x4x64xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x4x64xf16>, tensor<1x2x700x64xf16>, tensor<1x2x700x64xf16>, tensor<4x700xf16>) -> tensor<1x2x4x64xf16>
  return %0 : tensor<1x2x4x64xf16>
}

func.func @short(%q: tensor<2x2x1x64xbf16>, %k: tensor<2x2x250x64xbf16>, %v: tensor<2x2x250x64xbf16>) -> tensor<2x2x1x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<2x2x1x64xbf16>, tensor<2x2x250x64xbf16>, tensor<2x2x250x64xbf16>) -> tensor<2x2x1x64xbf16>
  return %0 : tensor<2x2x1x64xbf16>
}
