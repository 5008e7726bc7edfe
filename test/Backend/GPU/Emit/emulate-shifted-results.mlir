// Long runs of results that begin anywhere lie in shared memory as far behind vectors as they do in memory; what is in front of the first
// vector and behind the last one is written one by one.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=nest-config=kind=boxes,box=64x64 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=nest-config=kind=boxes,box=16x72,block=96 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd nest-config=kind=boxes,box=64x64" | FileCheck %s --check-prefixes=SHIFTED,OPERAND
// RUN: fx-opt %s --fxgraph-to-gpu="entry=displaced nest-config=kind=boxes,box=64x64" | FileCheck %s --check-prefixes=SHIFTED,APART
// RUN: fx-opt %s --fxgraph-to-gpu="entry=two_widths nest-config=kind=boxes,box=64x64" | FileCheck %s --check-prefix=SHIFTED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=apart nest-config=kind=boxes,box=64x64" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd nest-config=kind=boxes,box=64x58" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd" | FileCheck %s --check-prefix=NONE
// SHIFTED: lanes = {{[48]}} : i64, {{.*}}shifted_results
// NONE: kind = "boxes"
// NONE-NOT: shifted_results

// OPERAND: vector.load {{.*}} {alignment = {{8|16}} : i64} : memref<{{.*}}xf16{{.*}}>, vector<[[LANES:[48]]]xf16>
// OPERAND: memref.load {{.*}} : memref<68985xf16
// OPERAND: gpu.barrier
// OPERAND: vector.store {{.*}} {alignment = {{8|16}} : i64}
// OPERAND: memref.store
func.func @odd(%x: tensor<5x189x73xf16>, %y: tensor<5x73x189xf16>, %z: tensor<189xf16>) -> tensor<5x73x189xf16> {
  %0 = fxgraph.transpose %x dims 1, 2 : (tensor<5x189x73xf16>) -> tensor<5x73x189xf16>
  %c = fxgraph.contiguous %0 : tensor<5x73x189xf16>
  %1 = fxgraph.add %c, %y : (tensor<5x73x189xf16>, tensor<5x73x189xf16>) -> tensor<5x73x189xf16>
  %2 = fxgraph.mul %1, %z : (tensor<5x73x189xf16>, tensor<189xf16>) -> tensor<5x73x189xf16>
  return %2 : tensor<5x73x189xf16>
}

// What begins elsewhere than results is read element by element.
// APART-NOT: vector.load {{.*}} : memref<185{{[0-9]+}}xbf16
// APART: gpu.barrier
func.func @displaced(%x: tensor<203x91xbf16>, %y: tensor<91x204xbf16>) -> tensor<91x203xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<203x91xbf16>) -> tensor<91x203xbf16>
  %c = fxgraph.contiguous %0 : tensor<91x203xbf16>
  %1 = fxgraph.slice %y dim 1 from 0 to 203 step 1 : (tensor<91x204xbf16>) -> tensor<91x203xbf16>
  %2 = fxgraph.sub %c, %1 : (tensor<91x203xbf16>, tensor<91x203xbf16>) -> tensor<91x203xbf16>
  return %2 : tensor<91x203xbf16>
}

// Vectors are as long as the widest result allows.
func.func @two_widths(%x: tensor<203x91xf16>) -> (tensor<91x203xf16>, tensor<91x203xf32>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<203x91xf16>) -> tensor<91x203xf16>
  %1 = fxgraph.contiguous %0 : tensor<91x203xf16>
  %2 = fxgraph.convert_element_type %1 : (tensor<91x203xf16>) -> tensor<91x203xf32>
  return %1, %2 : tensor<91x203xf16>, tensor<91x203xf32>
}

// Rows that are whole vectors need no shift.
func.func @apart(%x: tensor<208x91xf16>) -> tensor<91x208xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<208x91xf16>) -> tensor<91x208xf16>
  %1 = fxgraph.contiguous %0 : tensor<91x208xf16>
  return %1 : tensor<91x208xf16>
}
