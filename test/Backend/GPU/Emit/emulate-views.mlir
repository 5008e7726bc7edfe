// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --compare-target=ref --rtol=2e-6 --atol=1e-6

func.func @transpose_add(%x: tensor<6x10xf32>, %y: tensor<10x6xf32>) -> tensor<10x6xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<6x10xf32>) -> tensor<10x6xf32>
  %1 = fxgraph.add %0, %y : (tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<10x6xf32>
  return %1 : tensor<10x6xf32>
}

func.func @self_transpose(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %e = fxgraph.exp %x : tensor<9x9xf32>
  %0 = fxgraph.transpose %e dims 0, 1 : (tensor<9x9xf32>) -> tensor<9x9xf32>
  %1 = fxgraph.add %0, %e : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  return %1 : tensor<9x9xf32>
}

func.func @heads(%x: tensor<2x7x24xf32>) -> (tensor<2x3x7x8xf32>, tensor<2x7x24xf32>) {
  %0 = fxgraph.view %x shape [2, 7, 3, 8] : tensor<2x7x24xf32> -> tensor<2x7x3x8xf32>
  %1 = fxgraph.permute %0 dims [0, 2, 1, 3] : (tensor<2x7x3x8xf32>) -> tensor<2x3x7x8xf32>
  %2 = fxgraph.relu %1 : tensor<2x3x7x8xf32>
  %3 = fxgraph.permute %2 dims [0, 2, 1, 3] : (tensor<2x3x7x8xf32>) -> tensor<2x7x3x8xf32>
  %4 = fxgraph.reshape %3 shape [2, 7, 24] : tensor<2x7x3x8xf32> -> tensor<2x7x24xf32>
  return %2, %4 : tensor<2x3x7x8xf32>, tensor<2x7x24xf32>
}

func.func @slices(%x: tensor<12x10xf32>) -> (tensor<4x10xf32>, tensor<12xf32>, tensor<12x3xf32>) {
  %0 = fxgraph.slice %x dim 0 from 1 to 12 step 3 : (tensor<12x10xf32>) -> tensor<4x10xf32>
  %1 = fxgraph.select %x dim 1 at -2 : (tensor<12x10xf32>) -> tensor<12xf32>
  %2 = fxgraph.neg %1 : tensor<12xf32>
  %3 = fxgraph.slice %x dim 1 from -3 to 100 : (tensor<12x10xf32>) -> tensor<12x3xf32>
  return %0, %2, %3 : tensor<4x10xf32>, tensor<12xf32>, tensor<12x3xf32>
}

func.func @moves(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x12xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.flip %x dims [1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.roll %x by [2] dims [1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.repeat %x by [2, 2] : (tensor<4x6xf32>) -> tensor<8x12xf32>
  %3 = fxgraph.roll %x by [5] dims [] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x12xf32>, tensor<4x6xf32>
}

func.func @pads(%x: tensor<3x5xf32>) -> (tensor<6x6xf32>, tensor<3x3xf32>) {
  %0 = fxgraph.constant_pad_nd %x by [0, 1, 1, 2] value 7.0 : (tensor<3x5xf32>) -> tensor<6x6xf32>
  %1 = fxgraph.exp %0 : tensor<6x6xf32>
  %2 = fxgraph.constant_pad_nd %x by [-1, -1] : (tensor<3x5xf32>) -> tensor<3x3xf32>
  return %1, %2 : tensor<6x6xf32>, tensor<3x3xf32>
}

func.func @triangles(%x: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = fxgraph.triu %x diagonal 1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = fxgraph.tril %x diagonal -1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0, %1 : tensor<5x7xf32>, tensor<5x7xf32>
}

func.func @cats(%x: tensor<4x8xf32>, %y: tensor<4x16xf32>) -> (tensor<4x32xf32>, tensor<4x24xf32>) {
  %0 = fxgraph.relu %x : tensor<4x8xf32>
  %1 = fxgraph.tanh %y : tensor<4x16xf32>
  %2 = fxgraph.cat %0, %1, %x dim 1 : (tensor<4x8xf32>, tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x32xf32>
  %3 = fxgraph.cat %x, %y dim -1 : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
  %4 = fxgraph.exp %3 : tensor<4x24xf32>
  return %2, %4 : tensor<4x32xf32>, tensor<4x24xf32>
}

func.func @repeated_cat_operand(%x: tensor<3x4xf32>) -> tensor<9x4xf32> {
  %0 = fxgraph.neg %x : tensor<3x4xf32>
  %1 = fxgraph.cat %0, %0, %0 dim 0 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}

func.func @nested_cats(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x12xf32>, tensor<2x6xf32>) {
  %0 = fxgraph.exp %x : tensor<2x3xf32>
  %1 = fxgraph.cat %0, %y dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %2 = fxgraph.cat %1, %1 dim 1 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x12xf32>
  %3 = fxgraph.tanh %1 : tensor<2x6xf32>
  return %2, %3 : tensor<2x12xf32>, tensor<2x6xf32>
}

func.func @stacks(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x2x4xf32>, tensor<3x4x2xf32>) {
  %0 = fxgraph.neg %x : tensor<3x4xf32>
  %1 = fxgraph.stack %0, %y dim 1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x2x4xf32>
  %2 = fxgraph.stack %0, %y dim -1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4x2xf32>
  return %1, %2 : tensor<3x2x4xf32>, tensor<3x4x2xf32>
}

func.func @split_cat(%x: tensor<5x12xf32>) -> tensor<5x12xf32> {
  %p:3 = fxgraph.split %x size 4 dim 1 : (tensor<5x12xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
  %0 = fxgraph.tanh %p#1 : tensor<5x4xf32>
  %1 = fxgraph.relu %p#0 : tensor<5x4xf32>
  %2 = fxgraph.cat %0, %p#2, %1 dim 1 : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x12xf32>
  return %2 : tensor<5x12xf32>
}

func.func @unbind_stack(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %p:3 = fxgraph.unbind %x dim 0 : (tensor<3x5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
  %0 = fxgraph.stack %p#2, %p#0, %p#1 dim 0 : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<3x5x4xf32>
  return %0 : tensor<3x5x4xf32>
}

func.func @scatters(%x: tensor<6x8xf32>, %y: tensor<6x3xf32>, %z: tensor<8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %0 = fxgraph.slice_scatter %x, %y dim 1 from 1 to 7 step 2 : (tensor<6x8xf32>, tensor<6x3xf32>) -> tensor<6x8xf32>
  %1 = fxgraph.select_scatter %x, %z dim 0 at 2 : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  return %0, %1 : tensor<6x8xf32>, tensor<6x8xf32>
}

func.func @reshape_of_result(%x: tensor<6x8xf32>) -> (tensor<48xf32>, tensor<6x8xf32>) {
  %0 = fxgraph.exp %x : tensor<6x8xf32>
  %1 = fxgraph.reshape %0 shape [48] : tensor<6x8xf32> -> tensor<48xf32>
  return %1, %0 : tensor<48xf32>, tensor<6x8xf32>
}

func.func @expand(%x: tensor<3x1xf32>, %y: tensor<3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x4xf32>) {
  %0 = fxgraph.expand %x shape [2, 3, 4] : tensor<3x1xf32> -> tensor<2x3x4xf32>
  %1 = fxgraph.expand %x shape [3, 4] : tensor<3x1xf32> -> tensor<3x4xf32>
  %2 = fxgraph.mul %1, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %2 : tensor<2x3x4xf32>, tensor<3x4xf32>
}

func.func @gathers(%table: tensor<9x6xf32>, %x: tensor<4x5xf32>) -> (tensor<2x3x6xf32>, tensor<9x3xf32>, tensor<4x5xf32>, tensor<2x6xf32>) {
  %ids = fxgraph.constant dense<[[0, 8, 3], [5, 5, 1]]> : tensor<2x3xi64>
  %cols = fxgraph.constant dense<[5, 0, 2]> : tensor<3xi64>
  %rows = fxgraph.constant dense<[[3, 2, 1, 0, 3], [0, 0, 1, 1, 2], [2, 2, 2, 2, 2], [1, 3, 1, 3, 1]]> : tensor<4x5xi64>
  %neg = fxgraph.constant dense<[-1, 2]> : tensor<2xi64>
  %0 = fxgraph.embedding %table, %ids : (tensor<9x6xf32>, tensor<2x3xi64>) -> tensor<2x3x6xf32>
  %1 = fxgraph.index_select %table, %cols dim 1 : (tensor<9x6xf32>, tensor<3xi64>) -> tensor<9x3xf32>
  %2 = fxgraph.gather %x, %rows dim 0 : (tensor<4x5xf32>, tensor<4x5xi64>) -> tensor<4x5xf32>
  %3 = fxgraph.index %table [ %neg ] dims [0] : (tensor<9x6xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  %4 = fxgraph.exp %0 : tensor<2x3x6xf32>
  return %4, %1, %2, %3 : tensor<2x3x6xf32>, tensor<9x3xf32>, tensor<4x5xf32>, tensor<2x6xf32>
}

func.func @write_arguments(%state: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.add %state, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  fxgraph.copy_ %0 into %state : tensor<4xf32>, tensor<4xf32>
  %1 = fxgraph.mul %state, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @swap_arguments(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  fxgraph.copy_ %b into %a : tensor<4xf32>, tensor<4xf32>
  fxgraph.copy_ %a into %b : tensor<4xf32>, tensor<4xf32>
  return %a : tensor<4xf32>
}

// Read across: a warp covers a tile of 32 bytes on both sides where the extents allow it
// (the first three), a row elsewhere.
func.func @across(%x: tensor<3x64x48xf32>) -> tensor<3x48x64xf32> {
  %0 = fxgraph.exp %x : tensor<3x64x48xf32>
  %1 = fxgraph.transpose %0 dims 1, 2 : (tensor<3x64x48xf32>) -> tensor<3x48x64xf32>
  return %1 : tensor<3x48x64xf32>
}

func.func @across_batches(%x: tensor<32x5x16xbf16>, %y: tensor<16x5x32xbf16>) -> tensor<16x5x32xbf16> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<32x5x16xbf16>) -> tensor<16x5x32xbf16>
  %1 = fxgraph.add %0, %y : (tensor<16x5x32xbf16>, tensor<16x5x32xbf16>) -> tensor<16x5x32xbf16>
  return %1 : tensor<16x5x32xbf16>
}

func.func @across_bytes(%x: tensor<40x64xi8>) -> tensor<64x40xi8> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<40x64xi8>) -> tensor<64x40xi8>
  return %0 : tensor<64x40xi8>
}

func.func @across_odd(%x: tensor<3x37x50xf32>) -> tensor<3x50x37xf32> {
  %0 = fxgraph.transpose %x dims 1, 2 : (tensor<3x37x50xf32>) -> tensor<3x50x37xf32>
  return %0 : tensor<3x50x37xf32>
}

// All rows are a result, of which a kernel reads the first ones.
func.func @first_rows(%x: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<5x4xf32>) {
  %0 = fxgraph.tanh %x : tensor<9x4xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 5 : (tensor<9x4xf32>) -> tensor<5x4xf32>
  %2 = fxgraph.exp %1 : tensor<5x4xf32>
  return %0, %2 : tensor<9x4xf32>, tensor<5x4xf32>
}

func.func @first_rows_summed(%x: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<5xf32>) {
  %0 = fxgraph.tanh %x : tensor<9x4xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 5 : (tensor<9x4xf32>) -> tensor<5x4xf32>
  %2 = fxgraph.sum %1 dims [1] : (tensor<5x4xf32>) -> tensor<5xf32>
  return %0, %2 : tensor<9x4xf32>, tensor<5xf32>
}
