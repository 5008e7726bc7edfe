// Compiled for a GPU, a grid of processes gives the interpreter's values, to the bit where only numbers of a group are
// reduced. The processes are threads, and their collectives run when they are waited for: what reads too early, or writes
// over what one still reads, gives other values.
// RUN: fx-run %s --entry=* --ranks=2 --inputs=seed:3 --target=gpu-emulator --compare-target=ref
// RUN: fx-run %s --entry=all_ops_f32 --ranks=3 --inputs=seed:4 --target=gpu-emulator --compare-target=ref

// Ranks of a mesh: one name for the groups of its rows, one for those of its columns; the order of a group is its own.
// RUN: fx-run %s --entry=mesh --ranks=4 '--group=tp:1,0;2,3' '--group=dp:0,2;1,3' --inputs=seed:5 --target=gpu-emulator --compare-target=ref
func.func @mesh(%x: tensor<6xi64>) -> tensor<12xi64> {
  %0 = fxgraph.all_reduce %x op "sum" group "dp" : (tensor<6xi64>) -> tensor<6xi64>
  %1 = fxgraph.wait_tensor %0 : (tensor<6xi64>) -> tensor<6xi64>
  %2 = fxgraph.all_gather_into_tensor %1 group "tp" of 2 : (tensor<6xi64>) -> tensor<12xi64>
  %3 = fxgraph.wait_tensor %2 : (tensor<12xi64>) -> tensor<12xi64>
  return %3 : tensor<12xi64>
}

func.func @all_ops_f32(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<5xf32>) -> tensor<5xf32>
  %1 = fxgraph.all_reduce %x op "avg" group "0" : (tensor<5xf32>) -> tensor<5xf32>
  %2 = fxgraph.all_reduce %x op "product" group "0" : (tensor<5xf32>) -> tensor<5xf32>
  %3 = fxgraph.all_reduce %x op "min" group "0" : (tensor<5xf32>) -> tensor<5xf32>
  %4 = fxgraph.all_reduce %x op "max" group "0" : (tensor<5xf32>) -> tensor<5xf32>
  return %0, %1, %2, %3, %4 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @all_ops_f16(%x: tensor<5xf16>) -> (tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>) {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<5xf16>) -> tensor<5xf16>
  %1 = fxgraph.all_reduce %x op "avg" group "0" : (tensor<5xf16>) -> tensor<5xf16>
  %2 = fxgraph.all_reduce %x op "product" group "0" : (tensor<5xf16>) -> tensor<5xf16>
  %3 = fxgraph.all_reduce %x op "min" group "0" : (tensor<5xf16>) -> tensor<5xf16>
  return %0, %1, %2, %3 : tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>
}

func.func @bf16_f64(%x: tensor<6xbf16>, %y: tensor<2x3xf64>) -> (tensor<3xbf16>, tensor<1x3xf64>, tensor<4x3xf64>) {
  %0 = fxgraph.reduce_scatter_tensor %x op "avg" group "0" of 2 : (tensor<6xbf16>) -> tensor<3xbf16>
  %1 = fxgraph.reduce_scatter_tensor %y op "product" group "0" of 2 : (tensor<2x3xf64>) -> tensor<1x3xf64>
  %2 = fxgraph.all_gather_into_tensor %y group "0" of 2 : (tensor<2x3xf64>) -> tensor<4x3xf64>
  return %0, %1, %2 : tensor<3xbf16>, tensor<1x3xf64>, tensor<4x3xf64>
}

func.func @integers(%i: tensor<4xi32>, %l: tensor<4xi64>, %b: tensor<4xi8>, %u: tensor<4xui8>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<2xi64>, tensor<4xi64>, tensor<4xi8>, tensor<4xui8>) {
  %0 = fxgraph.all_reduce %i op "sum" group "0" : (tensor<4xi32>) -> tensor<4xi32>
  %1 = fxgraph.all_reduce %i op "product" group "0" : (tensor<4xi32>) -> tensor<4xi32>
  %2 = fxgraph.reduce_scatter_tensor %l op "max" group "0" of 2 : (tensor<4xi64>) -> tensor<2xi64>
  %3 = fxgraph.all_reduce %l op "min" group "0" : (tensor<4xi64>) -> tensor<4xi64>
  %4 = fxgraph.all_reduce %b op "min" group "0" : (tensor<4xi8>) -> tensor<4xi8>
  %5 = fxgraph.all_reduce %u op "max" group "0" : (tensor<4xui8>) -> tensor<4xui8>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi32>, tensor<4xi32>, tensor<2xi64>, tensor<4xi64>, tensor<4xi8>, tensor<4xui8>
}

func.func @bools(%x: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>, tensor<4xi1>, tensor<8xi1>, tensor<16xi1>) {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<8xi1>) -> tensor<8xi1>
  %1 = fxgraph.all_reduce %x op "product" group "0" : (tensor<8xi1>) -> tensor<8xi1>
  %2 = fxgraph.reduce_scatter_tensor %x op "min" group "0" of 2 : (tensor<8xi1>) -> tensor<4xi1>
  %3 = fxgraph.all_reduce %x op "max" group "0" : (tensor<8xi1>) -> tensor<8xi1>
  %4 = fxgraph.all_gather_into_tensor %x group "0" of 2 : (tensor<8xi1>) -> tensor<16xi1>
  return %0, %1, %2, %3, %4 : tensor<8xi1>, tensor<8xi1>, tensor<4xi1>, tensor<8xi1>, tensor<16xi1>
}

// What only travels may be of any type.
func.func @gather_i16(%x: tensor<3xi16>) -> tensor<6xi16> {
  %0 = fxgraph.all_gather_into_tensor %x group "0" of 2 : (tensor<3xi16>) -> tensor<6xi16>
  return %0 : tensor<6xi16>
}

func.func @zero_sizes(%x: tensor<0x3xf32>, %y: tensor<2x0xf32>, %z: tensor<2xf32>)
    -> (tensor<0x3xf32>, tensor<4x0xf32>, tensor<1x0xf32>, tensor<0x3xf32>, tensor<2xf32>) {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %1 = fxgraph.all_gather_into_tensor %y group "0" of 2 : (tensor<2x0xf32>) -> tensor<4x0xf32>
  %2 = fxgraph.reduce_scatter_tensor %y op "avg" group "0" of 2 : (tensor<2x0xf32>) -> tensor<1x0xf32>
  %3:2 = fxgraph.all_reduce_coalesced (%x, %z) op "sum" group "0" : (tensor<0x3xf32>, tensor<2xf32>) -> (tensor<0x3xf32>, tensor<2xf32>)
  return %0, %1, %2, %3#0, %3#1 : tensor<0x3xf32>, tensor<4x0xf32>, tensor<1x0xf32>, tensor<0x3xf32>, tensor<2xf32>
}

// Memory: operands die and others are born between starts and waits.
func.func @in_flight(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = fxgraph.relu %x : tensor<64xf32>
  %1 = fxgraph.all_reduce %0 op "sum" group "0" : (tensor<64xf32>) -> tensor<64xf32>
  %2 = fxgraph.neg %y : tensor<64xf32>
  %3:2 = fxgraph.sort %2 dim 0 : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xi64>)
  %4 = fxgraph.all_reduce %2 op "max" group "0" : (tensor<64xf32>) -> tensor<64xf32>
  %5 = fxgraph.abs %3#0 : tensor<64xf32>
  %6 = fxgraph.cumsum %5 dim 0 : (tensor<64xf32>) -> tensor<64xf32>
  %7 = fxgraph.wait_tensor %1 : (tensor<64xf32>) -> tensor<64xf32>
  %8 = fxgraph.neg %7 : tensor<64xf32>
  %9 = fxgraph.wait_tensor %4 : (tensor<64xf32>) -> tensor<64xf32>
  return %8, %9, %5 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// An operand that is a view, a result that is read through one, and one that two collectives take.
func.func @views(%x: tensor<4x6xf32>) -> (tensor<6x8xf32>, tensor<3x4xf32>, tensor<4x6xf32>) {
  %t = fxgraph.transpose %x dims 0, 1 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %0 = fxgraph.all_gather_into_tensor %t group "0" of 2 : (tensor<6x4xf32>) -> tensor<12x4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<12x4xf32>) -> tensor<12x4xf32>
  %2:2 = fxgraph.split %1 size 6 dim 0 : (tensor<12x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>)
  %3 = fxgraph.cat %2#0, %2#1 dim 1 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %4 = fxgraph.reduce_scatter_tensor %t op "sum" group "0" of 2 : (tensor<6x4xf32>) -> tensor<3x4xf32>
  %5 = fxgraph.wait_tensor %4 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = fxgraph.all_reduce %x op "min" group "0" : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %7 = fxgraph.wait_tensor %6 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3, %5, %7 : tensor<6x8xf32>, tensor<3x4xf32>, tensor<4x6xf32>
}

// Arguments that the graph writes with what it has communicated of them.
func.func @written(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4xf32>) -> tensor<4xf32>
  fxgraph.copy_ %1 into %x : tensor<4xf32>, tensor<4xf32>
  %2 = fxgraph.all_reduce %y op "sum" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  fxgraph.copy_ %x into %y : tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<4xf32>
}

// The others: of any type, several in one call, parts that are empty.
func.func @moves(%x: tensor<4x3xbf16>, %i: tensor<4xi16>, %b: tensor<2xi1>) -> (tensor<4x3xbf16>, tensor<4xi16>, tensor<4xi16>, tensor<8x3xbf16>, tensor<4xi1>, tensor<2x3xbf16>) {
  %0 = fxgraph.all_to_all_single %x give [2, 2] take [2, 2] group "0" : (tensor<4x3xbf16>) -> tensor<4x3xbf16>
  %1 = fxgraph.wait_tensor %0 : (tensor<4x3xbf16>) -> tensor<4x3xbf16>
  %2 = fxgraph.broadcast %i from 1 group "0" : (tensor<4xi16>) -> tensor<4xi16>
  %3 = fxgraph.broadcast %i from 0 group "0" : (tensor<4xi16>) -> tensor<4xi16>
  %4:2 = fxgraph.all_gather_into_tensor_coalesced (%x, %b) group "0" of 2 : (tensor<4x3xbf16>, tensor<2xi1>) -> (tensor<8x3xbf16>, tensor<4xi1>)
  %5:2 = fxgraph.reduce_scatter_tensor_coalesced (%1, %x) op "max" group "0" of 2 : (tensor<4x3xbf16>, tensor<4x3xbf16>) -> (tensor<2x3xbf16>, tensor<2x3xbf16>)
  return %1, %2, %3, %4#0, %4#1, %5#0 : tensor<4x3xbf16>, tensor<4xi16>, tensor<4xi16>, tensor<8x3xbf16>, tensor<4xi1>, tensor<2x3xbf16>
}

func.func @empty_exchange(%x: tensor<0x3xf32>, %y: tensor<4x0xf32>) -> (tensor<0x3xf32>, tensor<4x0xf32>) {
  %0 = fxgraph.all_to_all_single %x give [0, 0] take [0, 0] group "0" : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %1 = fxgraph.all_to_all_single %y give [2, 2] take [2, 2] group "0" : (tensor<4x0xf32>) -> tensor<4x0xf32>
  return %0, %1 : tensor<0x3xf32>, tensor<4x0xf32>
}

// Extents that the call tells: the same graph for each.
// RUN: fx-run %s --entry=any_size --ranks=2 --dim=s0=5 --inputs=seed:6 --target=gpu-emulator --compare-target=ref
func.func @any_size(%x: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.wait_tensor %0 : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %1 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}
