// Blocks of a cluster that share a tile: parts of K that differ by a block, odd extents, both orders of both operands, batches, addends
// and what goes through a tensor map, with two, four and eight blocks and with as many as are chosen.
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=2e-2 --target-option=product-config=split=2,tile-n=128
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=2e-2 --target-option=product-config=split=4,tile-n=64,stages=2
// RUN: fx-run %s --entry=long --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=2e-2 --target-option=product-config=split=8,tile-n=192
// RUN: fx-run %s --entry=long --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=2e-2
// RUN: fx-opt %s --fxgraph-to-gpu="entry=long libraries=none" | FileCheck %s
// CHECK: split=

func.func @long(%x: tensor<33x5000xbf16>, %y: tensor<5000x40xbf16>, %row: tensor<40xbf16>) -> tensor<33x40xbf16> {
  %0 = fxgraph.mm %x, %y : (tensor<33x5000xbf16>, tensor<5000x40xbf16>) -> tensor<33x40xbf16>
  %1 = fxgraph.clamp %0 min -1.0 max 1.0 : tensor<33x40xbf16>
  %2 = fxgraph.add %1, %row : (tensor<33x40xbf16>, tensor<40xbf16>) -> tensor<33x40xbf16>
  return %2 : tensor<33x40xbf16>
}

func.func @odd(%x: tensor<130x301xf16>, %y: tensor<67x301xf16>, %z: tensor<130x67xf16>) -> tensor<130x67xf16> {
  %0 = fxgraph.transpose %y dims 0, 1 : (tensor<67x301xf16>) -> tensor<301x67xf16>
  %1 = fxgraph.mm %x, %0 : (tensor<130x301xf16>, tensor<301x67xf16>) -> tensor<130x67xf16>
  %2 = fxgraph.clamp %1 min -1.0 max 1.0 : tensor<130x67xf16>
  %3 = fxgraph.add %2, %z : (tensor<130x67xf16>, tensor<130x67xf16>) -> tensor<130x67xf16>
  return %3 : tensor<130x67xf16>
}

func.func @left(%x: tensor<264x72xf16>, %y: tensor<264x136xf16>) -> tensor<72x136xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<264x72xf16>) -> tensor<72x264xf16>
  %1 = fxgraph.mm %0, %y : (tensor<72x264xf16>, tensor<264x136xf16>) -> tensor<72x136xf16>
  %2 = fxgraph.clamp %1 min -1.0 max 1.0 : tensor<72x136xf16>
  return %2 : tensor<72x136xf16>
}

func.func @batch(%x: tensor<3x40x320xbf16>, %y: tensor<3x320x72xbf16>) -> tensor<3x40x72xbf16> {
  %0 = fxgraph.bmm %x, %y : (tensor<3x40x320xbf16>, tensor<3x320x72xbf16>) -> tensor<3x40x72xbf16>
  %1 = fxgraph.clamp %0 min -1.0 max 1.0 : tensor<3x40x72xbf16>
  return %1 : tensor<3x40x72xbf16>
}
