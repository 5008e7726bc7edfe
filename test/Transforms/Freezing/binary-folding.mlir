// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding{enable-linear-binary-folding=true}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding{enable-linear-binary-folding=true}))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding))' | FileCheck %s --check-prefix=CONVS
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding{numerics=reassociate}))' | FileCheck %s --check-prefix=EXACT
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding{numerics=fast}))' 2>&1 | FileCheck %s --check-prefix=NUMERICS

// NUMERICS: error: expected numerics to be exact, reassociate or relaxed but got fast
// EXACT-LABEL: func.func @chain
// EXACT: fxgraph.conv1d %arg0, %arg1, %arg2
// EXACT-NEXT: fxgraph.add
// EXACT-NEXT: fxgraph.mul
// EXACT-NEXT: fxgraph.sub
// EXACT-NEXT: fxgraph.div

// Four ops in a row, one of them on a number.
// CHECK-LABEL: func.func @chain
// CHECK: %[[R:.+]] = fxgraph.conv1d %arg0
// CHECK-NEXT: return %[[R]]
func.func @chain(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %b: tensor<4xf32> {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}, %d: tensor<1xf32> {fxgraph.kind = "constant"}) -> tensor<2x4x6xf32> {
  %two = fxgraph.constant dense<2.5> : tensor<f64>
  %y = fxgraph.conv1d %x, %w, %b stride [1] padding [0] dilation [1] : (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %0 = fxgraph.add %y, %c : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.mul %0, %two : (tensor<2x4x6xf32>, tensor<f64>) -> tensor<2x4x6xf32>
  %2 = fxgraph.sub %1, %d : (tensor<2x4x6xf32>, tensor<1xf32>) -> tensor<2x4x6xf32>
  %3 = fxgraph.div %2, %two : (tensor<2x4x6xf32>, tensor<f64>) -> tensor<2x4x6xf32>
  return %3 : tensor<2x4x6xf32>
}

// Factors of sums; without a bias the constant fills it.
// CHECK-LABEL: func.func @factors
// CHECK-DAG: fxgraph.add %arg2, %{{.+}} alpha 2.000000e+00
// CHECK-DAG: fxgraph.add %arg2, %{{.+}} alpha -2.000000e+00
// CHECK-DAG: fxgraph.expand
// CHECK-DAG: %[[Y:.+]] = fxgraph.conv1d %arg0, %arg1
// CHECK-DAG: %[[Z:.+]] = fxgraph.conv1d %arg0, %arg5
// CHECK-DAG: %[[T:.+]] = fxgraph.conv1d %arg0, %arg6
// CHECK: return %[[Y]], %[[Z]], %[[T]]
func.func @factors(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %b: tensor<4xf32> {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}, %d: tensor<1x1x1xf32> {fxgraph.kind = "constant"},
    %v: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %u: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}) -> (tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %y = fxgraph.conv1d %x, %w, %b stride [1] padding [0] dilation [1] : (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %0 = fxgraph.add %y, %c alpha 2.0 : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %z = fxgraph.conv1d %x, %v, %b stride [1] padding [0] dilation [1] : (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.sub %z, %c alpha 2.0 : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %t = fxgraph.conv1d %x, %u stride [1] padding [0] dilation [1] : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  %2 = fxgraph.sub %t, %d alpha 3.0 : (tensor<2x4x6xf32>, tensor<1x1x1xf32>) -> tensor<2x4x6xf32>
  return %0, %1, %2 : tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>
}

// Without a batch; grouped; transposed, whose outputs are the weight's second dimension; a sum behind a grouped transposed one.
// CHECK-LABEL: func.func @forms
// CHECK-NOT: fxgraph.mul %{{[0-9]+}}, %arg{{[0-9]+}}
// CHECK: return
func.func @forms(%x: tensor<3x8xf32>, %w: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "buffer"}, %g: tensor<2x4x8xf32>, %v: tensor<4x1x3xf32> {fxgraph.kind = "parameter"},
    %t: tensor<4x6x3xf32> {fxgraph.kind = "parameter"}, %d: tensor<1x6x1xf32> {fxgraph.kind = "buffer"}, %s: tensor<4x3x3xf32> {fxgraph.kind = "parameter"})
    -> (tensor<4x6xf32>, tensor<2x4x6xf32>, tensor<2x6x10xf32>, tensor<2x6x10xf32>) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<3x8xf32>, tensor<4x3x3xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.mul %0, %c : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.conv1d %g, %v stride [1] padding [0] dilation [1] groups 4 : (tensor<2x4x8xf32>, tensor<4x1x3xf32>) -> tensor<2x4x6xf32>
  %3 = fxgraph.mul %2, %c : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %4 = fxgraph.convolution %g, %t stride [1] padding [0] dilation [1] transposed true output_padding [0] : (tensor<2x4x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x10xf32>
  %5 = fxgraph.mul %4, %d : (tensor<2x6x10xf32>, tensor<1x6x1xf32>) -> tensor<2x6x10xf32>
  %6 = fxgraph.convolution %g, %s stride [1] padding [0] dilation [1] transposed true output_padding [0] groups 2 : (tensor<2x4x8xf32>, tensor<4x3x3xf32>) -> tensor<2x6x10xf32>
  %7 = fxgraph.add %6, %d : (tensor<2x6x10xf32>, tensor<1x6x1xf32>) -> tensor<2x6x10xf32>
  return %1, %3, %5, %7 : tensor<4x6xf32>, tensor<2x4x6xf32>, tensor<2x6x10xf32>, tensor<2x6x10xf32>
}

// Products: a sum makes an mm an addmm; behind a reshape; a linear; scaled addmms.
// CHECK-LABEL: func.func @products
// CHECK: fxgraph.addmm %{{.+}}, %arg0, %arg1 : (tensor<4xf32>
// CHECK: %[[P:.+]] = fxgraph.mm %arg0
// CHECK: fxgraph.reshape %[[P]]
// CHECK: fxgraph.linear
// CHECK: %[[A:.+]] = fxgraph.addmm {{.*}} beta 2.000000e+00 alpha 3.000000e+00
// CHECK-NEXT: return {{.*}}%[[A]]
// CONVS-LABEL: func.func @products
// CONVS: fxgraph.mm %arg0, %arg1
// CONVS: fxgraph.mm
// CONVS: fxgraph.linear
func.func @products(%x: tensor<6x3xf32>, %w: tensor<3x4xf32> {fxgraph.kind = "parameter"}, %c: tensor<1x4xf32> {fxgraph.kind = "buffer"}, %v: tensor<3x4xf32> {fxgraph.kind = "parameter"}, %d: tensor<1x1x4xf32> {fxgraph.kind = "buffer"},
    %l: tensor<4x3xf32> {fxgraph.kind = "parameter"}, %b: tensor<4xf32> {fxgraph.kind = "parameter"}, %a: tensor<3x4xf32> {fxgraph.kind = "parameter"})
    -> (tensor<6x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<6x3xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %1 = fxgraph.add %0, %c : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  %2 = fxgraph.mm %x, %v : (tensor<6x3xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %3 = fxgraph.reshape %2 shape [2, 3, 4] : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %4 = fxgraph.mul %3, %d : (tensor<2x3x4xf32>, tensor<1x1x4xf32>) -> tensor<2x3x4xf32>
  %5 = fxgraph.linear %x, %l, %b : (tensor<6x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<6x4xf32>
  %6 = fxgraph.mul %5, %c : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  %7 = fxgraph.addmm %b, %x, %a beta 2.0 alpha 3.0 : (tensor<4xf32>, tensor<6x3xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %8 = fxgraph.mul %7, %c : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  return %1, %4, %6, %8 : tensor<6x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
}

// 16-bit weights, folded in 32 bits; a 32-bit constant whose result is narrowed again.
// CHECK-LABEL: func.func @half
// CHECK: fxgraph.mul {{.*}}tensor<4x3x3xf32>
// CHECK: fxgraph.conv1d {{.*}} -> tensor<2x4x6xbf16>
// CHECK: fxgraph.mul {{.*}}tensor<4x3x3xf32>
// CHECK: %[[Y:.+]] = fxgraph.conv1d {{.*}} -> tensor<2x4x6xbf16>
// CHECK-NEXT: return %{{.+}}, %[[Y]]
func.func @half(%x: tensor<2x3x8xbf16>, %w: tensor<4x3x3xbf16> {fxgraph.kind = "parameter"}, %c: tensor<4x1xbf16> {fxgraph.kind = "buffer"}, %v: tensor<4x3x3xbf16> {fxgraph.kind = "parameter"}, %d: tensor<4x1xf32> {fxgraph.kind = "buffer"})
    -> (tensor<2x4x6xbf16>, tensor<2x4x6xbf16>) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<2x3x8xbf16>, tensor<4x3x3xbf16>) -> tensor<2x4x6xbf16>
  %1 = fxgraph.mul %0, %c : (tensor<2x4x6xbf16>, tensor<4x1xbf16>) -> tensor<2x4x6xbf16>
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (tensor<2x3x8xbf16>, tensor<4x3x3xbf16>) -> tensor<2x4x6xbf16>
  %3 = fxgraph.convert_element_type %2 : (tensor<2x4x6xbf16>) -> tensor<2x4x6xf32>
  %4 = fxgraph.mul %3, %d : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %5 = fxgraph.add %4, %d : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %6 = fxgraph.convert_element_type %5 : (tensor<2x4x6xf32>) -> tensor<2x4x6xbf16>
  return %1, %6 : tensor<2x4x6xbf16>, tensor<2x4x6xbf16>
}

// No rows, and a symbol.
// CHECK-LABEL: func.func @empty_and_symbol
// CHECK-DAG: %[[X:.+]] = fxgraph.addmm %{{.+}}, %arg0, %arg1
// CHECK-DAG: %[[Y:.+]] = fxgraph.addmm %{{.+}}, %arg3, %arg4
// CHECK: return %[[X]], %[[Y]]
func.func @empty_and_symbol(%x: tensor<0x3xf32>, %w: tensor<3x4xf32> {fxgraph.kind = "parameter"}, %c: tensor<4xf32> {fxgraph.kind = "buffer"}, %y: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, %v: tensor<3x4xf32> {fxgraph.kind = "parameter"})
    -> (tensor<0x4xf32>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  %0 = fxgraph.mm %x, %w : (tensor<0x3xf32>, tensor<3x4xf32>) -> tensor<0x4xf32>
  %1 = fxgraph.add %0, %c : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
  %2 = fxgraph.mm %y, %v : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<3x4xf32>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %3 = fxgraph.add %2, %c : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4xf32>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %1, %3 : tensor<0x4xf32>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}

// Divisors that are known; of weights it takes a promise.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding{assume-nonzero-divisors=true}))' | FileCheck %s --check-prefix=PROMISE
// CHECK-LABEL: func.func @divisors
// CHECK: %[[A:.+]] = fxgraph.conv1d
// CHECK: %[[B:.+]] = fxgraph.conv1d
// CHECK: %[[Q:.+]] = fxgraph.div %[[B]], %arg3
// CHECK: return %[[A]], %[[Q]]
// PROMISE-LABEL: func.func @divisors
// PROMISE: %[[A:.+]] = fxgraph.conv1d
// PROMISE: %[[B:.+]] = fxgraph.conv1d
// PROMISE: return %[[A]], %[[B]]
func.func @divisors(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %v: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}, %c: tensor<4x1xf32> {fxgraph.kind = "parameter"}) -> (tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %half = fxgraph.full 0.5 : tensor<4x1xf32>
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.div %0, %half : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  %2 = fxgraph.conv1d %x, %v stride [1] padding [0] dilation [1] : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  %3 = fxgraph.div %2, %c : (tensor<2x4x6xf32>, tensor<4x1xf32>) -> tensor<2x4x6xf32>
  return %1, %3 : tensor<2x4x6xf32>, tensor<2x4x6xf32>
}
