// Masks of attention, in its kernel: added or bool, of any shape that broadcasts.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-opt %s --fxgraph-to-gpu=entry=every_score | FileCheck %s
// RUN: fx-translate %s --entry=sliced --to=plan | FileCheck %s --check-prefix=SLICED

// Eight neighbouring numbers in one load; the difference from the maximum before log2 e: the
// lowest bf16 times log2 e is infinite.
// CHECK: gpu.func @k0_scaled_dot_product_attention
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: math.fma
// CHECK: %[[DIFFERENCE:.*]] = arith.subf
// CHECK: arith.mulf %[[DIFFERENCE]]

// A mask may be any view; rows of queries that start at odd elements are copied first.
// SLICED: "name": "k0_slice"
// SLICED: "name": "k1_scaled_dot_product_attention"
// SLICED-NOT: "name": "k2

func.func @every_score(%q: tensor<2x2x33x32xbf16>, %k: tensor<2x2x40x32xbf16>, %v: tensor<2x2x40x32xbf16>, %m: tensor<2x2x33x40xbf16>) -> tensor<2x2x33x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x33x32xbf16>, tensor<2x2x40x32xbf16>, tensor<2x2x40x32xbf16>, tensor<2x2x33x40xbf16>) -> tensor<2x2x33x32xbf16>
  return %0 : tensor<2x2x33x32xbf16>
}

func.func @keys_only(%q: tensor<2x2x33x32xf16>, %k: tensor<2x2x40x32xf16>, %v: tensor<2x2x40x32xf16>, %m: tensor<2x1x1x40xf16>) -> tensor<2x2x33x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x33x32xf16>, tensor<2x2x40x32xf16>, tensor<2x2x40x32xf16>, tensor<2x1x1x40xf16>) -> tensor<2x2x33x32xf16>
  return %0 : tensor<2x2x33x32xf16>
}

func.func @rows_and_keys(%q: tensor<1x2x70x64xbf16>, %k: tensor<1x2x130x64xbf16>, %v: tensor<1x2x130x64xbf16>, %m: tensor<70x130xbf16>) -> tensor<1x2x70x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x70x64xbf16>, tensor<1x2x130x64xbf16>, tensor<1x2x130x64xbf16>, tensor<70x130xbf16>) -> tensor<1x2x70x64xbf16>
  return %0 : tensor<1x2x70x64xbf16>
}

func.func @rows_only(%q: tensor<1x2x33x32xbf16>, %k: tensor<1x2x40x32xbf16>, %v: tensor<1x2x40x32xbf16>, %m: tensor<33x1xbf16>) -> tensor<1x2x33x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x33x32xbf16>, tensor<1x2x40x32xbf16>, tensor<1x2x40x32xbf16>, tensor<33x1xbf16>) -> tensor<1x2x33x32xbf16>
  return %0 : tensor<1x2x33x32xbf16>
}

func.func @one_number(%q: tensor<1x2x33x32xbf16>, %k: tensor<1x2x40x32xbf16>, %v: tensor<1x2x40x32xbf16>, %m: tensor<1xbf16>) -> tensor<1x2x33x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x33x32xbf16>, tensor<1x2x40x32xbf16>, tensor<1x2x40x32xbf16>, tensor<1xbf16>) -> tensor<1x2x33x32xbf16>
  return %0 : tensor<1x2x33x32xbf16>
}

func.func @odd_keys(%q: tensor<1x2x35x32xf16>, %k: tensor<1x2x67x32xf16>, %v: tensor<1x2x67x32xf16>, %m: tensor<2x35x67xf16>) -> tensor<1x2x35x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x35x32xf16>, tensor<1x2x67x32xf16>, tensor<1x2x67x32xf16>, tensor<2x35x67xf16>) -> tensor<1x2x35x32xf16>
  return %0 : tensor<1x2x35x32xf16>
}

func.func @wide_numbers(%q: tensor<1x2x20x32xf16>, %k: tensor<1x2x67x32xf16>, %v: tensor<1x2x67x32xf16>, %m: tensor<1x2x20x67xf32>) -> tensor<1x2x20x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x20x32xf16>, tensor<1x2x67x32xf16>, tensor<1x2x67x32xf16>, tensor<1x2x20x67xf32>) -> tensor<1x2x20x32xf16>
  return %0 : tensor<1x2x20x32xf16>
}

func.func @wide_pairs(%q: tensor<1x1x20x32xbf16>, %k: tensor<1x1x64x32xbf16>, %v: tensor<1x1x64x32xbf16>, %m: tensor<20x64xf32>) -> tensor<1x1x20x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x20x32xbf16>, tensor<1x1x64x32xbf16>, tensor<1x1x64x32xbf16>, tensor<20x64xf32>) -> tensor<1x1x20x32xbf16>
  return %0 : tensor<1x1x20x32xbf16>
}

func.func @bools(%q: tensor<2x2x33x32xbf16>, %k: tensor<2x2x70x32xbf16>, %v: tensor<2x2x70x32xbf16>, %m: tensor<2x1x33x70xi1>) -> tensor<2x2x33x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x33x32xbf16>, tensor<2x2x70x32xbf16>, tensor<2x2x70x32xbf16>, tensor<2x1x33x70xi1>) -> tensor<2x2x33x32xbf16>
  return %0 : tensor<2x2x33x32xbf16>
}

func.func @bools_of_keys(%q: tensor<2x2x40x64xf16>, %k: tensor<2x2x71x64xf16>, %v: tensor<2x2x71x64xf16>, %m: tensor<2x1x1x71xi1>) -> tensor<2x2x40x64xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x40x64xf16>, tensor<2x2x71x64xf16>, tensor<2x2x71x64xf16>, tensor<2x1x1x71xi1>) -> tensor<2x2x40x64xf16>
  return %0 : tensor<2x2x40x64xf16>
}

// Rows that the mask hides throughout are zeros; rows of the lowest numbers are means of the values.
func.func @hidden_rows(%q: tensor<1x1x3x16xbf16>, %k: tensor<1x1x8x16xbf16>, %v: tensor<1x1x8x16xbf16>) -> tensor<1x1x3x16xbf16> {
  %m = fxgraph.constant dense<[[0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80],
                               [0xFF7F, 0xFF7F, 0xFF7F, 0xFF7F, 0xFF7F, 0xFF7F, 0xFF7F, 0xFF7F],
                               [0xFF80, 0.0, 0xFF7F, 0.0, 1.0, 0xFF80, -2.0, 3.0]]> : tensor<3x8xbf16>
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x3x16xbf16>, tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>, tensor<3x8xbf16>) -> tensor<1x1x3x16xbf16>
  return %0 : tensor<1x1x3x16xbf16>
}

func.func @hidden_rows_bool(%q: tensor<1x1x3x16xf16>, %k: tensor<1x1x5x16xf16>, %v: tensor<1x1x5x16xf16>) -> tensor<1x1x3x16xf16> {
  %m = fxgraph.constant dense<[[false, false, false, false, false], [true, true, true, true, true], [false, true, false, false, true]]> : tensor<3x5xi1>
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x3x16xf16>, tensor<1x1x5x16xf16>, tensor<1x1x5x16xf16>, tensor<3x5xi1>) -> tensor<1x1x3x16xf16>
  return %0 : tensor<1x1x3x16xf16>
}

// NaN and infinities: of a query its row, of a mask the row that it is added to.
func.func @not_numbers(%k: tensor<1x1x4x8xf16>, %v: tensor<1x1x4x8xf16>) -> tensor<1x1x4x8xf16> {
  %q = fxgraph.constant dense<[[[[0x7E00, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                                 [0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]]> : tensor<1x1x4x8xf16>
  %m = fxgraph.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 0x7E00, 0.0, 0.0], [0.0, 0x7C00, 0.0, 0.0], [0.0, 0xFC00, 1.0, -1.0]]> : tensor<4x4xf16>
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x4x8xf16>, tensor<1x1x4x8xf16>, tensor<1x1x4x8xf16>, tensor<4x4xf16>) -> tensor<1x1x4x8xf16>
  return %0 : tensor<1x1x4x8xf16>
}

// Hidden keys on a whole block, seen ones in the next.
func.func @hidden_block(%q: tensor<1x1x40x16xbf16>, %k: tensor<1x1x130x16xbf16>, %v: tensor<1x1x130x16xbf16>) -> tensor<1x1x40x16xbf16> {
  %a = fxgraph.full 1.0 : tensor<40x130xi1>
  %m = fxgraph.triu %a diagonal 90 : (tensor<40x130xi1>) -> tensor<40x130xi1>
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x40x16xbf16>, tensor<1x1x130x16xbf16>, tensor<1x1x130x16xbf16>, tensor<40x130xi1>) -> tensor<1x1x40x16xbf16>
  return %0 : tensor<1x1x40x16xbf16>
}

func.func @sliced(%x: tensor<1x2x20x33xbf16>, %k: tensor<1x2x24x32xbf16>, %v: tensor<1x2x24x32xbf16>, %w: tensor<1x1x20x51xbf16>) -> tensor<1x2x20x32xbf16> {
  %q = fxgraph.slice %x dim 3 from 1 to 33 step 1 : (tensor<1x2x20x33xbf16>) -> tensor<1x2x20x32xbf16>
  %s = fxgraph.slice %w dim 3 from 1 to 49 step 2 : (tensor<1x1x20x51xbf16>) -> tensor<1x1x20x24xbf16>
  %m = fxgraph.expand %s shape [1, 2, 20, 24] : tensor<1x1x20x24xbf16> -> tensor<1x2x20x24xbf16>
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x20x32xbf16>, tensor<1x2x24x32xbf16>, tensor<1x2x24x32xbf16>, tensor<1x2x20x24xbf16>) -> tensor<1x2x20x32xbf16>
  return %0 : tensor<1x2x20x32xbf16>
}
