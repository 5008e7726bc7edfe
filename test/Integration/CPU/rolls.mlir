// Rotations are two pieces where extents are known: forwards, backwards, further than the extent, by nothing, of several dims, of the
// flattened tensor, of nothing; with extents known when run, and where the unit is a launch, an element finds its place.
// RUN: fx-run %s --entry=* --inputs=seed:1 --dim=s0=5 --target=cpu --compare-target=ref --rtol=0 --atol=0
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s
// CHECK-LABEL: func.func @forwards
// CHECK: tensor.extract_slice %{{.*}}[5, 0] [2, 9] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [5, 9] [1, 1]
// CHECK: tensor.concat dim(0)
// CHECK-LABEL: func.func @by_nothing
// CHECK-NOT: tensor.concat
// CHECK-LABEL: func.func @backwards
// CHECK-LABEL: func.func @known_when_run
// CHECK: tensor.extract %
// RUN: fx-opt %s --fxgraph-to-linalg=parallel-forms | FileCheck %s --check-prefix=LAUNCH --implicit-check-not=tensor.concat
// LAUNCH-LABEL: func.func @forwards
// LAUNCH: tensor.extract %

func.func @forwards(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %0 = fxgraph.roll %x by [2] dims [0] : (tensor<7x9xf32>) -> tensor<7x9xf32>
  return %0 : tensor<7x9xf32>
}
func.func @by_nothing(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %0 = fxgraph.roll %x by [14] dims [0] : (tensor<7x9xf32>) -> tensor<7x9xf32>
  return %0 : tensor<7x9xf32>
}
func.func @backwards(%x: tensor<7x9xbf16>) -> tensor<7x9xbf16> {
  %0 = fxgraph.roll %x by [-25] dims [1] : (tensor<7x9xbf16>) -> tensor<7x9xbf16>
  return %0 : tensor<7x9xbf16>
}
func.func @several(%x: tensor<3x7x9xi64>) -> tensor<3x7x9xi64> {
  %0 = fxgraph.roll %x by [1, -2, 3, 5] dims [0, -1, 1, 1] : (tensor<3x7x9xi64>) -> tensor<3x7x9xi64>
  return %0 : tensor<3x7x9xi64>
}
func.func @flattened(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %0 = fxgraph.roll %x by [10] dims [] : (tensor<7x9xf32>) -> tensor<7x9xf32>
  return %0 : tensor<7x9xf32>
}
func.func @nothing(%x: tensor<0x9xf32>) -> tensor<0x9xf32> {
  %0 = fxgraph.roll %x by [1] dims [1] : (tensor<0x9xf32>) -> tensor<0x9xf32>
  return %0 : tensor<0x9xf32>
}
func.func @known_when_run(%x: tensor<?x9xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x9xf32, #fxgraph.meta<dims = [s0]>> {
  %0 = fxgraph.roll %x by [2] dims [0] : (tensor<?x9xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x9xf32, #fxgraph.meta<dims = [s0]>>
  return %0 : tensor<?x9xf32, #fxgraph.meta<dims = [s0]>>
}
