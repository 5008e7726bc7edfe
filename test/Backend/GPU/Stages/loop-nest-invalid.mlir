// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @arguments(%x: memref<4xf32>) {
  // expected-error@+1 {{expected the body to take 1 indices and 1 memrefs but it takes 1 values}}
  fxgraph.loop_nest ["k"](%x) over [4] {
  ^bb0(%i: index):
  } : memref<4xf32>
  return
}

// -----

func.func @instances(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  // expected-error@+1 {{expected as many operands for each of the 2 instances but got 3 operands}}
  fxgraph.loop_nest ["k"](%x, %y, %z) over [4] instances 2 {
  ^bb0(%i: index, %m: memref<4xf32>):
  } : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @memory(%x: memref<2x2xf32>) {
  // expected-error@+1 {{expected operand 0 and what the body takes for it to be elements of one type but got 'memref<2x2xf32>' and 'memref<4xf32>'}}
  fxgraph.loop_nest ["k"](%x) over [4] {
  ^bb0(%i: index, %m: memref<4xf32>):
  } : memref<2x2xf32>
  return
}

// -----

func.func @reduced(%x: memref<4xf32>) {
  // expected-error@+1 {{expected reduced loops from 0 to 0 but got 1}}
  fxgraph.loop_nest ["k"](%x) over [4] reducing [1] {
  ^bb0(%i: index, %m: memref<4xf32>):
  } : memref<4xf32>
  return
}

// -----

func.func @kind(%x: memref<4xf32>) {
  fxgraph.loop_nest ["k"](%x) over [4] reducing [0] {
  ^bb0(%i: index, %m: memref<4xf32>):
    %0 = fxgraph.nest.load %m[%i] : memref<4xf32> to f32
    // expected-error@+1 {{expected kind to be sum, prod, max, min, or, and, argmax or argmin but got 'mean'}}
    %1 = fxgraph.nest.reduce "mean" %0 : (f32) -> f32
  } : memref<4xf32>
  return
}

// -----

func.func @scan(%x: memref<4xf32>) {
  fxgraph.loop_nest ["k"](%x) over [4] reducing [0] {
  ^bb0(%i: index, %m: memref<4xf32>):
    %0 = fxgraph.nest.load %m[%i] : memref<4xf32> to f32
    // expected-error@+1 {{expected kind to be sum or prod but got 'max'}}
    %1 = fxgraph.nest.scan "max" %0 : (f32) -> f32
  } : memref<4xf32>
  return
}

// -----

func.func @element(%x: memref<4xf32>) {
  fxgraph.loop_nest ["k"](%x) over [4] {
  ^bb0(%i: index, %m: memref<4xf32>):
    %0 = fxgraph.nest.load %m[%i] : memref<4xf32> to f32
    // expected-error@+1 {{expected the body to be a pointwise op}}
    %1 = fxgraph.nest.element(%0) {
    ^bb0(%e: tensor<f32>):
      fxgraph.yield %e : tensor<f32>
    } : (f32) -> f32
  } : memref<4xf32>
  return
}

// -----

func.func @range(%x: memref<4xf32>) {
  fxgraph.loop_nest ["k"](%x) over [4] {
  ^bb0(%i: index, %m: memref<4xf32>):
    // expected-error@+1 {{expected a range but got 3 to 2}}
    %k = fxgraph.nest.clamp [%i] from 3 to 2
  } : memref<4xf32>
  return
}

// -----

func.func @extents(%a: memref<4x8xf16>, %b: memref<7x2xf16>, %d: memref<4x2xf16>) {
  // expected-error@+1 {{expected extents of a product but got}}
  fxgraph.matrix_product ["mm"] %a, %b to %d {} : memref<4x8xf16>, memref<7x2xf16> to memref<4x2xf16>
  return
}

// -----

func.func @kernel_results(%x: memref<4xf32>) {
  // expected-error@+1 {{expected no results of a kernel between memory and memory}}
  %0 = fxgraph.kernel "k" (%x) {
  ^bb0(%m: memref<4xf32>):
    %1 = tensor.empty() : tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (memref<4xf32>) -> tensor<4xf32>
  return
}
