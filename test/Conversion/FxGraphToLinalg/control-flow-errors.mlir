// RUN: fx-opt %s --fxgraph-to-linalg --split-input-file --verify-diagnostics

func.func @unknown_extent(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected the extents of results to be static or those of operands but got 'tensor<?xf32>'}}
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    %1 = fxgraph.slice %a dim 0 from 0 to 2 : (tensor<3xf32>) -> tensor<2xf32>
    fxgraph.yield %1 : tensor<2xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @size(%p: tensor<i1>, %n: index) -> index {
  // expected-error @+1 {{expected results that are tensors but got 'index'}}
  %0 = fxgraph.cond %p (%n) then {
  ^bb0(%a: index):
    fxgraph.yield %a : index
  } else {
  ^bb0(%a: index):
    fxgraph.yield %a : index
  } : (tensor<i1>, index) -> index
  return %0 : index
}

// -----

func.func @unknown_op(%xs: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = fxgraph.map (%xs) {
  ^bb0(%x: tensor<2xf32>):
    // expected-error @+1 {{expected an op of the dialect but got "mylib.f.default", which only PyTorch can run: call the graph through Module.to_fx}}
    %1 = fxgraph.opaque "mylib.f.default" (%x) args {args = ["%0"]} : (tensor<2xf32>) -> tensor<2xf32>
    fxgraph.yield %1 : tensor<2xf32>
  } : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @call_on_a_copy(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected an op of the dialect but got "mylib.f_.default", which only PyTorch can run: call the graph through Module.to_fx}}
  %0 = fxgraph.auto_functionalized "mylib.f_.default" (%x) mutated [0] args {args = ["%0"]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
