// Many tiles for each block, one soon after the other: a tile's results leave shared memory before the next one's lie there, also where
// a tile has an odd number of the blocks that are staged in turn. (The emulator copies them as late as the kernel allows.)
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=2e-2 --target-option=product-config=tile-n=64,blocks=1
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=2e-2 --target-option=product-config=tile-n=192,blocks=2
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-2 --atol=2e-2 --target-option=product-config=tile-n=128,blocks=2,schedule=pingpong

func.func @short_sums(%x: tensor<5x200x40xbf16>, %y: tensor<5x40x152xbf16>) -> tensor<5x200x152xbf16> {
  %0 = fxgraph.bmm %x, %y : (tensor<5x200x40xbf16>, tensor<5x40x152xbf16>) -> tensor<5x200x152xbf16>
  %1 = fxgraph.clamp %0 min -1.0 max 1.0 : tensor<5x200x152xbf16>
  return %1 : tensor<5x200x152xbf16>
}

func.func @no_epilogue(%x: tensor<300x24xf16>, %y: tensor<24x392xf16>) -> tensor<300x392xf16> {
  %0 = fxgraph.mm %x, %y : (tensor<300x24xf16>, tensor<24x392xf16>) -> tensor<300x392xf16>
  return %0 : tensor<300x392xf16>
}
