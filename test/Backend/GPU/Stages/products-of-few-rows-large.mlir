// Large products with few rows: a kernel reads the large operand once for each of them.
// RUN: fx-opt %s --fxgraph-print-fusion-plan -o /dev/null | FileCheck %s

// Eight rows read their operand often: the library has read a large one before.
// CHECK-LABEL: plan of @large{{$}}
// CHECK: library
func.func @large(%x: tensor<8x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
  %0 = fxgraph.linear %x, %w : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  return %0 : tensor<8x4096xf16>
}

// CHECK-LABEL: plan of @large_of_one_row{{$}}
// CHECK-NOT: library
func.func @large_of_one_row(%x: tensor<1x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<1x4096xf16> {
  %0 = fxgraph.linear %x, %w : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf16>
  %1 = fxgraph.sigmoid %0 : tensor<1x4096xf16>
  return %1 : tensor<1x4096xf16>
}

// Many alike that wait for each other cannot share a launch, as those of @many do.
// CHECK-LABEL: plan of @chain{{$}}
// CHECK-NOT: library
func.func @chain(%x: tensor<1x2048xf16>, %w0: tensor<2048x2048xf16>, %w1: tensor<2048x2048xf16>, %w2: tensor<2048x2048xf16>, %w3: tensor<2048x2048xf16>) -> tensor<1x2048xf16> {
  %0 = fxgraph.linear %x, %w0 : (tensor<1x2048xf16>, tensor<2048x2048xf16>) -> tensor<1x2048xf16>
  %1 = fxgraph.linear %0, %w1 : (tensor<1x2048xf16>, tensor<2048x2048xf16>) -> tensor<1x2048xf16>
  %2 = fxgraph.linear %1, %w2 : (tensor<1x2048xf16>, tensor<2048x2048xf16>) -> tensor<1x2048xf16>
  %3 = fxgraph.linear %2, %w3 : (tensor<1x2048xf16>, tensor<2048x2048xf16>) -> tensor<1x2048xf16>
  return %3 : tensor<1x2048xf16>
}
