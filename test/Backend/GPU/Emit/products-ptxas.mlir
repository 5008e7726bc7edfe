// NVIDIA's assembler takes the kernels of products on warpgroup instructions, in every layout and schedule, without a word:
// warnings would be spilled registers, waits put between the products (C75..), or register counts that are ignored.
// REQUIRES: ptxas
// RUN: split-file %s %t
// RUN: fx-translate %t/layouts.mlir --entry=nn --to=cubin --option=libraries=none --option=product-config=tile-n=256 -o %t/nn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=nn --to=cubin --option=libraries=none --option=product-config=tile-n=192 -o %t/nn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=nn --to=cubin --option=libraries=none --option=product-config=tile-n=64 -o %t/nn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=nn --to=cubin --option=libraries=none --option=product-config=tile-n=128,schedule=pingpong -o %t/nn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=nn --to=cubin --option=libraries=none --option=product-config=tile-n=128,schedule=pingpong,cluster=2 -o %t/nn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=nn --to=cubin --option=libraries=none --option=product-config=tile-n=256,cluster=2 -o %t/nn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=nt --to=cubin --option=libraries=none --option=product-config=tile-n=256,cluster=2 -o %t/nt.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=nt --to=cubin --option=libraries=none --option=product-config=tile-n=128,schedule=pingpong -o %t/nt.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=tn --to=cubin --option=libraries=none --option=product-config=tile-n=256 -o %t/tn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=tn --to=cubin --option=libraries=none --option=product-config=tile-n=64,schedule=pingpong -o %t/tn.cubin 2>&1 | count 0
// RUN: fx-translate %t/layouts.mlir --entry=tt --to=cubin --option=libraries=none --option=product-config=tile-n=128,cluster=2 -o %t/tt.cubin 2>&1 | count 0
// A residual of odd rows beside 128 sums leaves some registers short.
// RUN: fx-translate %t/more.mlir --entry=ragged --to=cubin -o %t/ragged.cubin 2>&1 | FileCheck %s --check-prefix=RAGGED
// RAGGED: ptxas: {{[0-9]+}} bytes stack frame, {{[12]?[0-9]?[0-9]}} bytes spill stores
// RAGGED-NOT: ptxas:
// RUN: fx-translate %t/more.mlir --entry=fused --to=cubin -o %t/fused.cubin 2>&1 | count 0
// RUN: fx-translate %t/more.mlir --entry=turned --to=cubin -o %t/turned.cubin 2>&1 | count 0

//--- layouts.mlir
func.func @nn(%x: tensor<512x256xbf16>, %w: tensor<256x512xbf16>) -> tensor<512x512xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<512x256xbf16>, tensor<256x512xbf16>) -> tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}
func.func @nt(%x: tensor<520x264xf16>, %w: tensor<136x264xf16>) -> tensor<520x136xf16> {
  %0 = fxgraph.permute %w dims [1, 0] : (tensor<136x264xf16>) -> tensor<264x136xf16>
  %1 = fxgraph.mm %x, %0 : (tensor<520x264xf16>, tensor<264x136xf16>) -> tensor<520x136xf16>
  return %1 : tensor<520x136xf16>
}
func.func @tn(%x: tensor<264x520xf16>, %w: tensor<264x136xf16>) -> tensor<520x136xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<264x520xf16>) -> tensor<520x264xf16>
  %1 = fxgraph.mm %0, %w : (tensor<520x264xf16>, tensor<264x136xf16>) -> tensor<520x136xf16>
  return %1 : tensor<520x136xf16>
}
func.func @tt(%x: tensor<264x520xbf16>, %w: tensor<136x264xbf16>) -> tensor<520x136xbf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<264x520xbf16>) -> tensor<520x264xbf16>
  %1 = fxgraph.permute %w dims [1, 0] : (tensor<136x264xbf16>) -> tensor<264x136xbf16>
  %2 = fxgraph.mm %0, %1 : (tensor<520x264xbf16>, tensor<264x136xbf16>) -> tensor<520x136xbf16>
  return %2 : tensor<520x136xbf16>
}

//--- more.mlir
func.func @ragged(%x: tensor<2999x1501xbf16>, %w: tensor<1501x4099xbf16>, %b: tensor<4099xbf16>, %r: tensor<2999x4099xbf16>) -> tensor<2999x4099xbf16> {
  %0 = fxgraph.addmm %b, %x, %w : (tensor<4099xbf16>, tensor<2999x1501xbf16>, tensor<1501x4099xbf16>) -> tensor<2999x4099xbf16>
  %1 = fxgraph.silu %0 : tensor<2999x4099xbf16>
  %2 = fxgraph.add %1, %r : (tensor<2999x4099xbf16>, tensor<2999x4099xbf16>) -> tensor<2999x4099xbf16>
  return %2 : tensor<2999x4099xbf16>
}
func.func @turned(%x: tensor<16x512x256xbf16>, %w: tensor<1024x256xbf16>, %b: tensor<1024xbf16>) -> tensor<16x1024x512xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<16x512x256xbf16>, tensor<1024x256xbf16>, tensor<1024xbf16>) -> tensor<16x512x1024xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<16x512x1024xbf16>) -> tensor<16x1024x512xbf16>
  %2 = fxgraph.gelu %1 {approximate = "tanh"} : tensor<16x1024x512xbf16>
  return %2 : tensor<16x1024x512xbf16>
}
func.func @fused(%x: tensor<4096x512xbf16>, %w: tensor<4096x512xbf16>, %b: tensor<4096xbf16>, %r: tensor<4096x4096xf32>) -> tensor<4096x4096xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<4096x512xbf16>, tensor<4096x512xbf16>, tensor<4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = fxgraph.gelu %0 {approximate = "tanh"} : tensor<4096x4096xbf16>
  %2 = fxgraph.convert_element_type %r : (tensor<4096x4096xf32>) -> tensor<4096x4096xbf16>
  %3 = fxgraph.mul %1, %2 : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %3 : tensor<4096x4096xbf16>
}
