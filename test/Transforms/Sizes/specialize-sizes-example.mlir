// RUN: fx-opt %s --fxgraph-specialize-sizes=sizes=n=6 | FileCheck %s

// All but the last row, flat, with as many zeros behind it as there are rows.
func.func @rows(%x: tensor<?x8xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?x8xf32, #fxgraph.meta<dims = [n]>>
  %enough = arith.cmpi sge, %n, %c4 : index
  fxgraph.assert_scalar %enough, "expected x.shape[0] >= 4"
  %m = arith.subi %n, %c1 : index
  %p = fxgraph.narrow %x dim 0 from %c0 length %m : tensor<?x8xf32, #fxgraph.meta<dims = [n]>> -> tensor<?x8xf32>
  %r = fxgraph.reshape %p shape [-1] : tensor<?x8xf32> -> tensor<?xf32>
  %z = fxgraph.full 0.0 sizes %n : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  %c = fxgraph.cat %r, %z dim 0 : (tensor<?xf32>, tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<6x8xf32>) -> tensor<46xf32>
// CHECK-NEXT: %[[P:.*]] = fxgraph.slice %[[X]] dim 0 from 0 to 5 : (tensor<6x8xf32>) -> tensor<5x8xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[P]] shape [-1] : tensor<5x8xf32> -> tensor<40xf32>
// CHECK-NEXT: %[[Z:.*]] = fxgraph.full 0.000000e+00 : tensor<6xf32>
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[R]], %[[Z]] dim 0
// CHECK-NEXT: return %[[C]] : tensor<46xf32>
