// What is computed of a cat alone is computed of its pieces, in the cat's memory.
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-6
// RUN: fx-opt %s --fxgraph-to-gpu=entry=chain | FileCheck %s --check-prefix=ONE

// A chain, with a number, of pieces one of which is empty; one launch.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-6: fxgraph.exp
// CHECK-NOT: fxgraph.exp
// CHECK: fxgraph.cat
// CHECK-NEXT: return
// ONE-COUNT-1: gpu.func @
// ONE-NOT: gpu.func @
func.func @chain(%a: tensor<2x6xf32>, %b: tensor<3x6xf32>, %c: tensor<1x6xf32>, %d: tensor<4x6xf32>, %e: tensor<0x6xf32>) -> tensor<12x6xf32> {
  %half = fxgraph.full 5.000000e-01 : tensor<f32>
  %0 = fxgraph.cat %a, %b, %c, %d, %e, %a dim 0 : (tensor<2x6xf32>, tensor<3x6xf32>, tensor<1x6xf32>, tensor<4x6xf32>, tensor<0x6xf32>, tensor<2x6xf32>) -> tensor<12x6xf32>
  %1 = fxgraph.mul %0, %half : (tensor<12x6xf32>, tensor<f32>) -> tensor<12x6xf32>
  %2 = fxgraph.exp %1 : tensor<12x6xf32>
  return %2 : tensor<12x6xf32>
}

// A stack, squared, to another type.
// CHECK-LABEL: func.func @stacked
// CHECK-COUNT-5: fxgraph.mul
// CHECK-COUNT-5: fxgraph.convert_element_type
// CHECK: fxgraph.stack {{.*}} -> tensor<4x5x6xf16>
func.func @stacked(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> tensor<4x5x6xf16> {
  %0 = fxgraph.stack %a, %b, %a, %b, %b dim 1 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x5x6xf32>
  %1 = fxgraph.mul %0, %0 : (tensor<4x5x6xf32>, tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
  %2 = fxgraph.convert_element_type %1 : (tensor<4x5x6xf32>) -> tensor<4x5x6xf16>
  return %2 : tensor<4x5x6xf16>
}

// Not so: the whole is a result, too; another tensor goes in; few enough pieces to choose from; the result is larger.
// CHECK-LABEL: func.func @whole
// CHECK-COUNT-1: fxgraph.exp
// CHECK-NOT: fxgraph.exp
func.func @whole(%a: tensor<2x6xf32>, %b: tensor<3x6xf32>) -> (tensor<11x6xf32>, tensor<11x6xf32>) {
  %0 = fxgraph.cat %a, %b, %a, %a, %a dim 0 : (tensor<2x6xf32>, tensor<3x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<11x6xf32>
  %1 = fxgraph.exp %0 : tensor<11x6xf32>
  return %0, %1 : tensor<11x6xf32>, tensor<11x6xf32>
}
// CHECK-LABEL: func.func @another
// CHECK-COUNT-1: fxgraph.add
// CHECK-NOT: fxgraph.add
func.func @another(%a: tensor<2x6xf32>, %b: tensor<3x6xf32>, %row: tensor<6xf32>) -> tensor<11x6xf32> {
  %0 = fxgraph.cat %a, %b, %a, %a, %a dim 0 : (tensor<2x6xf32>, tensor<3x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<11x6xf32>
  %1 = fxgraph.add %0, %row : (tensor<11x6xf32>, tensor<6xf32>) -> tensor<11x6xf32>
  return %1 : tensor<11x6xf32>
}
// CHECK-LABEL: func.func @choices
// CHECK-COUNT-1: fxgraph.exp
// CHECK-NOT: fxgraph.exp
func.func @choices(%a: tensor<2x6xf32>, %b: tensor<3x6xf32>) -> tensor<9x6xf32> {
  %0 = fxgraph.cat %a, %b, %a, %a dim 0 : (tensor<2x6xf32>, tensor<3x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<9x6xf32>
  %1 = fxgraph.exp %0 : tensor<9x6xf32>
  return %1 : tensor<9x6xf32>
}

// Few pieces, too, of which some lie in memory across what others lie along: each has a kernel that reads it well. Not where all
// lie alike, nor where there is little of it.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: fxgraph.exp
// CHECK: fxgraph.stack
// CHECK-NEXT: return
func.func @apart(%a: tensor<1030x1021xf16>, %b: tensor<1021x1030xf16>) -> tensor<1021x2x1030xf16> {
  %0 = fxgraph.transpose %a dims 0, 1 : (tensor<1030x1021xf16>) -> tensor<1021x1030xf16>
  %1 = fxgraph.stack %0, %b dim 1 : (tensor<1021x1030xf16>, tensor<1021x1030xf16>) -> tensor<1021x2x1030xf16>
  %2 = fxgraph.exp %1 : tensor<1021x2x1030xf16>
  return %2 : tensor<1021x2x1030xf16>
}
// CHECK-LABEL: func.func @alike
// CHECK-COUNT-1: fxgraph.exp
// CHECK-NOT: fxgraph.exp
func.func @alike(%a: tensor<1030x1021xf16>, %b: tensor<1030x1021xf16>) -> tensor<1021x2x1030xf16> {
  %0 = fxgraph.transpose %a dims 0, 1 : (tensor<1030x1021xf16>) -> tensor<1021x1030xf16>
  %1 = fxgraph.transpose %b dims 0, 1 : (tensor<1030x1021xf16>) -> tensor<1021x1030xf16>
  %2 = fxgraph.stack %0, %1 dim 1 : (tensor<1021x1030xf16>, tensor<1021x1030xf16>) -> tensor<1021x2x1030xf16>
  %3 = fxgraph.exp %2 : tensor<1021x2x1030xf16>
  return %3 : tensor<1021x2x1030xf16>
}
// CHECK-LABEL: func.func @little
// CHECK-COUNT-1: fxgraph.abs
// CHECK-NOT: fxgraph.abs
func.func @little(%a: tensor<103x102xf16>, %b: tensor<102x103xf16>) -> tensor<102x2x103xf16> {
  %0 = fxgraph.transpose %a dims 0, 1 : (tensor<103x102xf16>) -> tensor<102x103xf16>
  %1 = fxgraph.stack %0, %b dim 1 : (tensor<102x103xf16>, tensor<102x103xf16>) -> tensor<102x2x103xf16>
  %2 = fxgraph.abs %1 : tensor<102x2x103xf16>
  return %2 : tensor<102x2x103xf16>
}

// So do rows that blocks put together. Not those of sums.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-3: fxgraph.abs
// CHECK: fxgraph.cat
// CHECK-NEXT: return
func.func @rows(%a: tensor<90000x8xf16>, %b: tensor<90000x3xf16>, %c: tensor<90000x4xf16>) -> tensor<90000x15xf16> {
  %0 = fxgraph.cat %a, %b, %c dim 1 : (tensor<90000x8xf16>, tensor<90000x3xf16>, tensor<90000x4xf16>) -> tensor<90000x15xf16>
  %1 = fxgraph.abs %0 : tensor<90000x15xf16>
  return %1 : tensor<90000x15xf16>
}
// CHECK-LABEL: func.func @rows_of_sums
// CHECK-COUNT-1: fxgraph.abs
// CHECK-NOT: fxgraph.abs
func.func @rows_of_sums(%a: tensor<90000x8xf16>, %b: tensor<90000x3x2xf16>, %c: tensor<90000x4xf16>) -> tensor<90000x15xf16> {
  %0 = fxgraph.sum %b dims [2] : (tensor<90000x3x2xf16>) -> tensor<90000x3xf16>
  %1 = fxgraph.cat %a, %0, %c dim 1 : (tensor<90000x8xf16>, tensor<90000x3xf16>, tensor<90000x4xf16>) -> tensor<90000x15xf16>
  %2 = fxgraph.abs %1 : tensor<90000x15xf16>
  return %2 : tensor<90000x15xf16>
}

// Single elements of narrow rows that lie across what the others lie along get memory of their own first.
// CHECK-LABEL: func.func @elements
// CHECK: fxgraph.permute {{.*}} {fxgraph.copied_into_cats, fxgraph.in_memory}
// CHECK: fxgraph.neg {{.*}} {fxgraph.copied_into_cats, fxgraph.in_memory}
func.func @elements(%a: tensor<350x1024xf32>, %b: tensor<1024x350xf32>) -> tensor<350x1024x3xf32> {
  %0 = fxgraph.permute %b dims [1, 0] : (tensor<1024x350xf32>) -> tensor<350x1024xf32>
  %1 = fxgraph.permute %b dims [1, 0] : (tensor<1024x350xf32>) -> tensor<350x1024xf32>
  %2 = fxgraph.neg %1 : tensor<350x1024xf32>
  %3 = fxgraph.stack %a, %0, %2 dim 2 : (tensor<350x1024xf32>, tensor<350x1024xf32>, tensor<350x1024xf32>) -> tensor<350x1024x3xf32>
  return %3 : tensor<350x1024x3xf32>
}
// Not pairs; nor rows of another order that lie along; nor what is in the front.
// CHECK-LABEL: func.func @no_elements
// CHECK-NOT: copied_into_cats
func.func @no_elements(%a: tensor<350x1024x2xf32>, %b: tensor<1024x350x2xf32>, %c: tensor<350x1024xf32>, %d: tensor<5x1024x70xf32>) -> (tensor<350x1024x4xf32>, tensor<2x350x1024xf32>, tensor<5x70x1024x3xf32>) {
  %0 = fxgraph.permute %b dims [1, 0, 2] : (tensor<1024x350x2xf32>) -> tensor<350x1024x2xf32>
  %1 = fxgraph.cat %a, %0 dim 2 : (tensor<350x1024x2xf32>, tensor<350x1024x2xf32>) -> tensor<350x1024x4xf32>
  %2 = fxgraph.stack %c, %c dim 0 : (tensor<350x1024xf32>, tensor<350x1024xf32>) -> tensor<2x350x1024xf32>
  %3 = fxgraph.view %c shape [5, 70, 1024] : tensor<350x1024xf32> -> tensor<5x70x1024xf32>
  %4 = fxgraph.stack %3, %3, %3 dim 3 : (tensor<5x70x1024xf32>, tensor<5x70x1024xf32>, tensor<5x70x1024xf32>) -> tensor<5x70x1024x3xf32>
  return %1, %2, %4 : tensor<350x1024x4xf32>, tensor<2x350x1024xf32>, tensor<5x70x1024x3xf32>
}
