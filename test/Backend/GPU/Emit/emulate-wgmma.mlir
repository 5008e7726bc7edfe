// Products on (emulated) warpgroup instructions and tensor maps, in every layout: tiles cut by the edges, more blocks of K than
// stages, several tiles for each block and for each warpgroup in turn, epilogues, batches, copies of ragged operands.
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=256,blocks=1
// RUN: fx-run %s --entry=nn --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=128,blocks=2,raster=2
// RUN: fx-run %s --entry=nn --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=64,stages=2,blocks=3
// RUN: fx-run %s --entry=tn --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=128,schedule=pingpong,blocks=1
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=64,schedule=pingpong,blocks=2,stages=3
// RUN: fx-run %s --entry=nn --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=192,blocks=2
// Without a configuration of the test's, and with more multiprocessors than tiles.
// RUN: fx-run %s --entry=cat --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=2e-2 --atol=2e-2
// RUN: fx-run %s --entry=special --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=1e-6
// RUN: fx-run %s --entry=gelu --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-3 --atol=1.2e-7
// They are what the launch plan has, and nothing else is.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=cat libraries=none" | FileCheck %s
// The emulator has no clusters.
// RUN: not fx-run %s --entry=nn --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --target-option=product-config=cluster=2,tile-n=256 2>&1 | FileCheck %s --check-prefix=CLUSTER

// CHECK-COUNT-2: gpu.func @{{.*}}mm{{.*}}fxgraph.config
// CHECK-NOT: library_call
// CLUSTER: is not emulated on the CPU

func.func @nn(%x: tensor<200x328xbf16>, %w: tensor<328x152xbf16>) -> tensor<200x152xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<200x328xbf16>, tensor<328x152xbf16>) -> tensor<200x152xbf16>
  return %0 : tensor<200x152xbf16>
}
func.func @nt(%x: tensor<200x328xf16>, %w: tensor<152x328xf16>, %b: tensor<152xf16>) -> tensor<200x152xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<200x328xf16>, tensor<152x328xf16>, tensor<152xf16>) -> tensor<200x152xf16>
  return %0 : tensor<200x152xf16>
}
func.func @tn(%x: tensor<328x200xbf16>, %w: tensor<328x152xbf16>) -> tensor<200x152xbf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<328x200xbf16>) -> tensor<200x328xbf16>
  %1 = fxgraph.mm %0, %w : (tensor<200x328xbf16>, tensor<328x152xbf16>) -> tensor<200x152xbf16>
  return %1 : tensor<200x152xbf16>
}
func.func @tt(%x: tensor<328x200xf16>, %w: tensor<152x328xf16>) -> tensor<200x152xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<328x200xf16>) -> tensor<200x328xf16>
  %1 = fxgraph.permute %w dims [1, 0] : (tensor<152x328xf16>) -> tensor<328x152xf16>
  %2 = fxgraph.mm %0, %1 : (tensor<200x328xf16>, tensor<328x152xf16>) -> tensor<200x152xf16>
  return %2 : tensor<200x152xf16>
}
// Rows of odd length that begin anywhere, and a result of such rows.
func.func @slices(%x: tensor<132x70xbf16>, %w: tensor<70x150xbf16>) -> tensor<131x149xbf16> {
  %0 = fxgraph.slice %x dim 0 from 1 to 132 : (tensor<132x70xbf16>) -> tensor<131x70xbf16>
  %1 = fxgraph.slice %0 dim 1 from 3 to 70 : (tensor<131x70xbf16>) -> tensor<131x67xbf16>
  %2 = fxgraph.slice %w dim 0 from 3 to 70 : (tensor<70x150xbf16>) -> tensor<67x150xbf16>
  %3 = fxgraph.slice %2 dim 1 from 1 to 150 : (tensor<67x150xbf16>) -> tensor<67x149xbf16>
  %4 = fxgraph.mm %1, %3 : (tensor<131x67xbf16>, tensor<67x149xbf16>) -> tensor<131x149xbf16>
  return %4 : tensor<131x149xbf16>
}
// Two results side by side, the second at an odd column, with a function behind it.
func.func @cat(%x: tensor<131x72xbf16>, %w: tensor<72x149xbf16>, %v: tensor<40x72xbf16>) -> tensor<131x189xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<131x72xbf16>, tensor<72x149xbf16>) -> tensor<131x149xbf16>
  %1 = fxgraph.permute %v dims [1, 0] : (tensor<40x72xbf16>) -> tensor<72x40xbf16>
  %2 = fxgraph.mm %x, %1 : (tensor<131x72xbf16>, tensor<72x40xbf16>) -> tensor<131x40xbf16>
  %3 = fxgraph.silu %2 : tensor<131x40xbf16>
  %4 = fxgraph.cat %0, %3 dim 1 : (tensor<131x149xbf16>, tensor<131x40xbf16>) -> tensor<131x189xbf16>
  return %4 : tensor<131x189xbf16>
}
func.func @gated(%x: tensor<131x67xbf16>, %w: tensor<149x67xbf16>, %v: tensor<149x67xbf16>, %b: tensor<149xbf16>, %c: tensor<149xbf16>) -> tensor<131x149xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<131x67xbf16>, tensor<149x67xbf16>, tensor<149xbf16>) -> tensor<131x149xbf16>
  %1 = fxgraph.linear %x, %v, %c : (tensor<131x67xbf16>, tensor<149x67xbf16>, tensor<149xbf16>) -> tensor<131x149xbf16>
  %2 = fxgraph.gelu %0 {approximate = "tanh"} : tensor<131x149xbf16>
  %3 = fxgraph.mul %2, %1 : (tensor<131x149xbf16>, tensor<131x149xbf16>) -> tensor<131x149xbf16>
  return %3 : tensor<131x149xbf16>
}
func.func @gated_even(%x: tensor<131x67xbf16>, %w: tensor<152x67xbf16>, %v: tensor<152x67xbf16>, %b: tensor<152xbf16>, %c: tensor<152xbf16>) -> tensor<131x152xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<131x67xbf16>, tensor<152x67xbf16>, tensor<152xbf16>) -> tensor<131x152xbf16>
  %1 = fxgraph.linear %x, %v, %c : (tensor<131x67xbf16>, tensor<152x67xbf16>, tensor<152xbf16>) -> tensor<131x152xbf16>
  %2 = fxgraph.gelu %0 {approximate = "tanh"} : tensor<131x152xbf16>
  %3 = fxgraph.mul %2, %1 : (tensor<131x152xbf16>, tensor<131x152xbf16>) -> tensor<131x152xbf16>
  return %3 : tensor<131x152xbf16>
}
func.func @scaled(%r: tensor<131x149xf16>, %x: tensor<131x67xf16>, %w: tensor<67x149xf16>) -> tensor<131x149xf16> {
  %0 = fxgraph.addmm %r, %x, %w beta 0.5 alpha 2.0 : (tensor<131x149xf16>, tensor<131x67xf16>, tensor<67x149xf16>) -> tensor<131x149xf16>
  return %0 : tensor<131x149xf16>
}
// A batch that shares one matrix, and rows of odd length in a batch.
func.func @batch(%x: tensor<3x70x72xbf16>, %w: tensor<72x88xbf16>) -> tensor<3x70x88xbf16> {
  %0 = fxgraph.expand %w shape [3, 72, 88] : tensor<72x88xbf16> -> tensor<3x72x88xbf16>
  %1 = fxgraph.bmm %x, %0 : (tensor<3x70x72xbf16>, tensor<3x72x88xbf16>) -> tensor<3x70x88xbf16>
  return %1 : tensor<3x70x88xbf16>
}
func.func @batch_ragged(%b: tensor<3x1x45xbf16>, %x: tensor<3x70x67xbf16>, %w: tensor<3x67x45xbf16>) -> tensor<3x70x45xbf16> {
  %0 = fxgraph.baddbmm %b, %x, %w : (tensor<3x1x45xbf16>, tensor<3x70x67xbf16>, tensor<3x67x45xbf16>) -> tensor<3x70x45xbf16>
  return %0 : tensor<3x70x45xbf16>
}
// One block of K, less than a tile.
func.func @least(%x: tensor<16x16xbf16>, %w: tensor<16x16xbf16>) -> tensor<16x16xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}

// NaN, infinities, both zeros, the ends of the range and what lies between them, through the epilogue's approximations.
func.func @special(%w: tensor<16x32xbf16>, %v: tensor<16x32xbf16>, %u: tensor<16x32xbf16>, %t: tensor<16x32xbf16>) -> (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>) {
  %b = fxgraph.constant dense<[0x7FC0, 0x7F80, 0xFF80, 0x0000, 0x8000, 0x42C8, 0xC2C8, 0x7F7F, 0xFF7F, 0x0080, 0x8080, 0x3F80, 0xBF80, 0x4080, 0xC080, 0xC100]> : tensor<16xbf16>
  %z = fxgraph.constant dense<0.0> : tensor<16x32xbf16>
  %0 = fxgraph.linear %z, %w, %b : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %1 = fxgraph.gelu %0 {approximate = "tanh"} : tensor<16x16xbf16>
  %2 = fxgraph.linear %z, %v, %b : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %3 = fxgraph.silu %2 : tensor<16x16xbf16>
  %4 = fxgraph.linear %z, %u, %b : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %5 = fxgraph.sigmoid %4 : tensor<16x16xbf16>
  %6 = fxgraph.linear %z, %t, %b : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %7 = fxgraph.gelu %6 : tensor<16x16xbf16>
  return %1, %3, %5, %7 : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>
}
// gelu of f16 within the last bit: numbers of both signs up to where it is 0 or the identity, and the smallest.
func.func @gelu(%w: tensor<32x16xf16>) -> tensor<16x32xf16> {
  %b = fxgraph.constant dense<[0.0, -0.0, 6.0e-8, -6.0e-8, 6.0e-5, -6.0e-5, 0.01, -0.01, 0.1, -0.1, 0.3, -0.3, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0, 1.5, -1.5, 2.0, -2.0, 2.5, -2.5, 3.0, -3.0, 3.5, -3.5, 4.5, -4.5, 60000.0, -60000.0]> : tensor<32xf16>
  %z = fxgraph.constant dense<0.0> : tensor<16x16xf16>
  %0 = fxgraph.linear %z, %w, %b : (tensor<16x16xf16>, tensor<32x16xf16>, tensor<32xf16>) -> tensor<16x32xf16>
  %1 = fxgraph.gelu %0 : tensor<16x32xf16>
  return %1 : tensor<16x32xf16>
}

// A product that is a part of a larger result as well is in memory, whatever function follows it.
func.func @part(%x: tensor<24x16xbf16>, %y: tensor<24x16xbf16>, %w: tensor<16x32xbf16>) -> (tensor<48x32xbf16>, tensor<24x32xbf16>) {
  %0 = fxgraph.mm %x, %w : (tensor<24x16xbf16>, tensor<16x32xbf16>) -> tensor<24x32xbf16>
  %1 = fxgraph.mm %y, %w : (tensor<24x16xbf16>, tensor<16x32xbf16>) -> tensor<24x32xbf16>
  %2 = fxgraph.cat %0, %1 dim 0 : (tensor<24x32xbf16>, tensor<24x32xbf16>) -> tensor<48x32xbf16>
  %3 = fxgraph.relu %0 : tensor<24x32xbf16>
  return %2, %3 : tensor<48x32xbf16>, tensor<24x32xbf16>
}
