// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @argument_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected the body to take 1 values but got 0}}
  %0 = fxgraph.kernel "k" (%x) {
    %1 = tensor.empty() : tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @argument_type(%x: tensor<4xi1>) -> tensor<4xi1> {
  // expected-error@+1 {{expected value 0 of those that the body should take to be how 'tensor<4xi1>' is stored but got 'tensor<4xi16>'}}
  %0 = fxgraph.kernel "k" (%x) {
  ^bb0(%a: tensor<4xi16>):
    %1 = tensor.empty() : tensor<4xi8>
    fxgraph.yield %1 : tensor<4xi8>
  } : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @result_extent(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected value 0 of those that the body should yield to be how 'tensor<4xf32>' is stored but got 'tensor<3xf32>'}}
  %0 = fxgraph.kernel "k" (%x) {
  ^bb0(%a: tensor<4xf32>):
    %1 = tensor.empty() : tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @result_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected the body to yield 1 values but got 2}}
  %0 = fxgraph.kernel "k" (%x) {
  ^bb0(%a: tensor<4xf32>):
    fxgraph.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = fxgraph.kernel "k" (%x) {
  ^bb0(%a: tensor<4xf32>):
    // expected-error@+1 {{using value defined outside the region}}
    fxgraph.yield %x : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @end(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected the body to end with fxgraph.yield but got llvm.unreachable}}
  %0 = "fxgraph.kernel"(%x) <{name = "k"}> ({
  ^bb0(%a: tensor<4xf32>):
    "llvm.unreachable"() : () -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
