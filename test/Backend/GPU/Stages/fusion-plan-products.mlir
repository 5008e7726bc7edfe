// Which products are steps of their own where no library may be used; each with a twin that is computed where it is used.
// RUN: fx-opt %s --fxgraph-print-fusion-plan=libraries=none -o /dev/null | FileCheck %s
// RUN: fx-opt %s --fxgraph-print-fusion-plan="libraries=none tensor-cores=false" -o /dev/null | FileCheck %s --check-prefix=LOOPS

// LOOPS-NOT: library

// CHECK-LABEL: plan of @half
// CHECK-NEXT: library fxgraph.mm
func.func @half(%x: tensor<16x16xf16>, %w: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %0 = fxgraph.mm %x, %w : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  return %0 : tensor<16x16xf16>
}

// CHECK-LABEL: plan of @single
// CHECK-NEXT: kernel
func.func @single(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// Less than a fragment of the tensor cores in a row, a column or a sum.
// CHECK-LABEL: plan of @few_rows
// CHECK-NEXT: kernel
func.func @few_rows(%x: tensor<15x16xf16>, %w: tensor<16x16xf16>) -> tensor<15x16xf16> {
  %0 = fxgraph.mm %x, %w : (tensor<15x16xf16>, tensor<16x16xf16>) -> tensor<15x16xf16>
  return %0 : tensor<15x16xf16>
}
// CHECK-LABEL: plan of @few_columns
// CHECK-NEXT: kernel
func.func @few_columns(%x: tensor<16x16xf16>, %w: tensor<16x15xf16>) -> tensor<16x15xf16> {
  %0 = fxgraph.mm %x, %w : (tensor<16x16xf16>, tensor<16x15xf16>) -> tensor<16x15xf16>
  return %0 : tensor<16x15xf16>
}
// CHECK-LABEL: plan of @few_terms
// CHECK-NEXT: kernel
func.func @few_terms(%x: tensor<16x15xf16>, %w: tensor<15x16xf16>) -> tensor<16x16xf16> {
  %0 = fxgraph.mm %x, %w : (tensor<16x15xf16>, tensor<15x16xf16>) -> tensor<16x16xf16>
  return %0 : tensor<16x16xf16>
}
