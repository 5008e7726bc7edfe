// Products of 16 bits with up to 8 rows, or columns, that add up along rows of both operands: a kernel has computed them once it
// has read the large operand, a warp for each result. Their few rows are in memory, the large operand is computed as it is
// read. Each has a twin that is the library's.
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=gpu-emulator --compare-target=ref --rtol=4e-3 --atol=2e-2
// RUN: fx-opt %s --fxgraph-print-fusion-plan -o /dev/null | FileCheck %s
// RUN: fx-opt %s --fxgraph-print-fusion-plan=libraries=always -o /dev/null | FileCheck %s --check-prefix=ALWAYS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=one_row chip=sm_90a processors=132" | FileCheck %s --check-prefix=VECTORS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd chip=sm_90a processors=132" | FileCheck %s --check-prefix=ELEMENTS

// ALWAYS-COUNT-16: library
// ALWAYS-NOT: library

// CHECK-LABEL: plan of @one_row{{$}}
// CHECK-NOT: library
// VECTORS: kind = "rows", lanes = 8 : i64, threads = 32
func.func @one_row(%x: tensor<1x1024xf16>, %w: tensor<37x1024xf16>, %b: tensor<37xf16>) -> tensor<1x37xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<1x1024xf16>, tensor<37x1024xf16>, tensor<37xf16>) -> tensor<1x37xf16>
  return %0 : tensor<1x37xf16>
}

// CHECK-LABEL: plan of @nine_rows{{$}}
// CHECK: library
func.func @nine_rows(%x: tensor<9x1024xf16>, %w: tensor<37x1024xf16>, %b: tensor<37xf16>) -> tensor<9x37xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<9x1024xf16>, tensor<37x1024xf16>, tensor<37xf16>) -> tensor<9x37xf16>
  return %0 : tensor<9x37xf16>
}

// Rows of 3 dimensions, of an odd length: a term at a time.
// CHECK-LABEL: plan of @odd{{$}}
// CHECK-NOT: library
// ELEMENTS: kind = "rows", lanes = 1 : i64, threads = 32
func.func @odd(%x: tensor<2x3x517xbf16>, %w: tensor<11x517xbf16>) -> tensor<2x3x11xbf16> {
  %0 = fxgraph.linear %x, %w : (tensor<2x3x517xbf16>, tensor<11x517xbf16>) -> tensor<2x3x11xbf16>
  %1 = fxgraph.sigmoid %0 : tensor<2x3x11xbf16>
  return %1 : tensor<2x3x11xbf16>
}

// CHECK-LABEL: plan of @short_rows{{$}}
// CHECK: library
func.func @short_rows(%x: tensor<2x3x511xbf16>, %w: tensor<11x511xbf16>) -> tensor<2x3x11xbf16> {
  %0 = fxgraph.linear %x, %w : (tensor<2x3x511xbf16>, tensor<11x511xbf16>) -> tensor<2x3x11xbf16>
  %1 = fxgraph.sigmoid %0 : tensor<2x3x11xbf16>
  return %1 : tensor<2x3x11xbf16>
}

// CHECK-LABEL: plan of @two_columns{{$}}
// CHECK-NOT: library
func.func @two_columns(%x: tensor<29x512xf16>, %w: tensor<2x512xf16>) -> tensor<29x2xf16> {
  %0 = fxgraph.linear %x, %w : (tensor<29x512xf16>, tensor<2x512xf16>) -> tensor<29x2xf16>
  return %0 : tensor<29x2xf16>
}

// Sums along columns of an operand.
// CHECK-LABEL: plan of @along_columns{{$}}
// CHECK: library
func.func @along_columns(%x: tensor<1x1024xf16>, %w: tensor<1024x37xf16>) -> tensor<1x37xf16> {
  %0 = fxgraph.mm %x, %w : (tensor<1x1024xf16>, tensor<1024x37xf16>) -> tensor<1x37xf16>
  %1 = fxgraph.sigmoid %0 : tensor<1x37xf16>
  return %1 : tensor<1x37xf16>
}

// CHECK-LABEL: plan of @of_floats{{$}}
// CHECK: library
func.func @of_floats(%x: tensor<1x1024xf32>, %w: tensor<37x1024xf32>) -> tensor<1x37xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<1x1024xf32>, tensor<37x1024xf32>) -> tensor<1x37xf32>
  %1 = fxgraph.sigmoid %0 : tensor<1x37xf32>
  return %1 : tensor<1x37xf32>
}

// A gated layer behind a norm: the norm, both products with what joins them, and the last product with the sum behind it.
// CHECK-LABEL: plan of @gated{{$}}
// CHECK-NOT: library
// CHECK: kernel {{.*}}layer_norm} -> [[NORM:%[0-9]+]]
// CHECK-NEXT: kernel {{.*}}mul} -> %{{.*}} reads {{.*}}[[NORM]]{{ *$}}
// CHECK-NEXT: kernel {{.*}}add} -> %{{[0-9]+}} reads
// CHECK-NOT: kernel
func.func @gated(%x: tensor<1x1x512xf16>, %gate: tensor<528x512xf16>, %up: tensor<528x512xf16>, %down: tensor<512x528xf16>) -> tensor<1x1x512xf16> {
  %n = fxgraph.layer_norm %x over [512] eps 1.000000e-05 : (tensor<1x1x512xf16>) -> tensor<1x1x512xf16>
  %0 = fxgraph.linear %n, %gate : (tensor<1x1x512xf16>, tensor<528x512xf16>) -> tensor<1x1x528xf16>
  %1 = fxgraph.linear %n, %up : (tensor<1x1x512xf16>, tensor<528x512xf16>) -> tensor<1x1x528xf16>
  %2 = fxgraph.sigmoid %0 : tensor<1x1x528xf16>
  %t = fxgraph.tanh %1 : tensor<1x1x528xf16>
  %3 = fxgraph.mul %2, %t : (tensor<1x1x528xf16>, tensor<1x1x528xf16>) -> tensor<1x1x528xf16>
  %4 = fxgraph.linear %3, %down : (tensor<1x1x528xf16>, tensor<512x528xf16>) -> tensor<1x1x512xf16>
  %5 = fxgraph.add %x, %4 : (tensor<1x1x512xf16>, tensor<1x1x512xf16>) -> tensor<1x1x512xf16>
  return %5 : tensor<1x1x512xf16>
}

// Weights of 8 bits are read as such.
// CHECK-LABEL: plan of @quantized{{$}}
// CHECK-NOT: library
// CHECK: kernel
// CHECK-NOT: kernel
func.func @quantized(%x: tensor<2x512xf16>, %w: tensor<24x512xi8>, %s: tensor<24x1xf16>) -> tensor<2x24xf16> {
  %0 = fxgraph.convert_element_type %w : (tensor<24x512xi8>) -> tensor<24x512xf16>
  %1 = fxgraph.mul %0, %s : (tensor<24x512xf16>, tensor<24x1xf16>) -> tensor<24x512xf16>
  %2 = fxgraph.linear %x, %1 : (tensor<2x512xf16>, tensor<24x512xf16>) -> tensor<2x24xf16>
  return %2 : tensor<2x24xf16>
}

// What is a sum itself would be added up again for each row.
// CHECK-LABEL: plan of @normed_weight{{$}}
// CHECK: library
func.func @normed_weight(%x: tensor<2x512xf16>, %w: tensor<24x512xf16>) -> tensor<2x24xf16> {
  %0 = fxgraph.softmax %w dim 1 : (tensor<24x512xf16>) -> tensor<24x512xf16>
  %1 = fxgraph.linear %x, %0 : (tensor<2x512xf16>, tensor<24x512xf16>) -> tensor<2x24xf16>
  return %1 : tensor<2x24xf16>
}

// Many alike share a launch of tensor cores.
// CHECK-LABEL: plan of @many{{$}}
// CHECK-COUNT-4: library
func.func @many(%x: tensor<1x512xf16>, %w0: tensor<16x512xf16>, %w1: tensor<16x512xf16>, %w2: tensor<16x512xf16>, %w3: tensor<16x512xf16>) -> tensor<4x16xf16> {
  %0 = fxgraph.linear %x, %w0 : (tensor<1x512xf16>, tensor<16x512xf16>) -> tensor<1x16xf16>
  %1 = fxgraph.linear %x, %w1 : (tensor<1x512xf16>, tensor<16x512xf16>) -> tensor<1x16xf16>
  %2 = fxgraph.linear %x, %w2 : (tensor<1x512xf16>, tensor<16x512xf16>) -> tensor<1x16xf16>
  %3 = fxgraph.linear %x, %w3 : (tensor<1x512xf16>, tensor<16x512xf16>) -> tensor<1x16xf16>
  %4 = fxgraph.cat %0, %1, %2, %3 dim 0 : (tensor<1x16xf16>, tensor<1x16xf16>, tensor<1x16xf16>, tensor<1x16xf16>) -> tensor<4x16xf16>
  return %4 : tensor<4x16xf16>
}
