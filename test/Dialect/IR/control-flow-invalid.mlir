// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of the ops with regions, and of calls on copies.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @cond_c1_rank(%p: tensor<1xi1>, %x: tensor<3xf32>) {
  // expected-error @+1 {{expected a predicate of rank 0 but got 'tensor<1xi1>'}}
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<1xi1>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cond_c2_takes(%p: tensor<i1>, %x: tensor<3xf32>) {
  // expected-error @+1 {{expected the then region to take (tensor<3xf32>) but got (tensor<2xf32>)}}
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<2xf32>):
    %b = fxgraph.full 0.0 : tensor<3xf32>
    fxgraph.yield %b : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cond_c2_yields(%p: tensor<i1>, %x: tensor<3xf32>) {
  // expected-error @+1 {{expected the else region to yield (tensor<3xf32>) but got ()}}
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cond_c2_isolated(%p: tensor<i1>, %x: tensor<3xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = fxgraph.cond %p () then {
    // expected-error @+1 {{using value defined outside the region}}
    fxgraph.yield %x : tensor<3xf32>
  } else {
    fxgraph.yield %x : tensor<3xf32>
  } : (tensor<i1>) -> tensor<3xf32>
  return
}

// -----

func.func @while_loop_c1_takes(%i: tensor<i64>, %w: tensor<f32>) {
  // expected-error @+1 {{expected the condition to take (tensor<i64>, tensor<f32>) but got (tensor<i64>)}}
  %0 = fxgraph.while_loop (%i) additional (%w) cond {
  ^bb0(%j: tensor<i64>):
    %n = fxgraph.constant dense<4> : tensor<i64>
    %1 = fxgraph.lt %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    fxgraph.yield %j : tensor<i64>
  } : (tensor<i64>, tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @while_loop_c1_yields(%i: tensor<i64>, %w: tensor<f32>) {
  // expected-error @+1 {{expected the condition to yield (tensor<i1>) but got (tensor<i64>)}}
  %0 = fxgraph.while_loop (%i) additional (%w) cond {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    fxgraph.yield %j : tensor<i64>
  } do {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    fxgraph.yield %j : tensor<i64>
  } : (tensor<i64>, tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @while_loop_c2_takes(%i: tensor<i64>, %w: tensor<f32>) {
  // expected-error @+1 {{expected the body to take (tensor<i64>, tensor<f32>) but got (tensor<f32>, tensor<i64>)}}
  %0 = fxgraph.while_loop (%i) additional (%w) cond {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    %n = fxgraph.constant dense<4> : tensor<i64>
    %1 = fxgraph.lt %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%b: tensor<f32>, %j: tensor<i64>):
    fxgraph.yield %j : tensor<i64>
  } : (tensor<i64>, tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @while_loop_c2_yields(%i: tensor<i64>, %w: tensor<f32>) {
  // expected-error @+1 {{expected the body to yield (tensor<i64>) but got (tensor<f32>)}}
  %0 = fxgraph.while_loop (%i) additional (%w) cond {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    %n = fxgraph.constant dense<4> : tensor<i64>
    %1 = fxgraph.lt %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    fxgraph.yield %b : tensor<f32>
  } : (tensor<i64>, tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @while_loop_c3_type(%i: tensor<i64>, %w: tensor<f32>) {
  // expected-error @+1 {{expected results of the types of the carried operands}}
  %0 = fxgraph.while_loop (%i) additional (%w) cond {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    %n = fxgraph.constant dense<4> : tensor<i64>
    %1 = fxgraph.lt %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %b: tensor<f32>):
    fxgraph.yield %j : tensor<i64>
  } : (tensor<i64>, tensor<f32>) -> tensor<i32>
  return
}

// -----

func.func @map_c1_none(%xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected at least one mapped tensor but got none}}
  %0 = fxgraph.map () additional (%w) {
  ^bb0(%b: tensor<3xf32>):
    fxgraph.yield %b : tensor<3xf32>
  } : (tensor<3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @map_c1_rank(%xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected a mapped tensor of rank >= 1 but got rank 0}}
  %0 = fxgraph.map (%s) additional (%w) {
  ^bb0(%x: tensor<3xf32>, %b: tensor<3xf32>):
    fxgraph.yield %x : tensor<3xf32>
  } : (tensor<f32>, tensor<3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @map_c1_extents(%xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected the leading extent of a mapped tensor to be 5 but got 4}}
  %0 = fxgraph.map (%xs, %zs) additional (%w) {
  ^bb0(%x: tensor<3xf32>, %b: tensor<3xf32>):
    fxgraph.yield %x : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @map_c2_takes(%xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected the body to take (tensor<3xf32>, tensor<3xf32>) but got (tensor<5x3xf32>, tensor<3xf32>)}}
  %0 = fxgraph.map (%xs) additional (%w) {
  ^bb0(%x: tensor<5x3xf32>, %b: tensor<3xf32>):
    fxgraph.yield %b : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @map_c3_extent(%xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected the leading extent of a stacked result to be 5 but got 3}}
  %0 = fxgraph.map (%xs) additional (%w) {
  ^bb0(%x: tensor<3xf32>, %b: tensor<3xf32>):
    fxgraph.yield %x : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @map_c3_rank(%xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected a stacked result of rank >= 1 but got rank 0}}
  %0 = fxgraph.map (%xs) additional (%w) {
  ^bb0(%x: tensor<3xf32>, %b: tensor<3xf32>):
    fxgraph.yield %x : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @map_c3_slice(%xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{expected the body to yield (tensor<2xf32>) but got (tensor<3xf32>)}}
  %0 = fxgraph.map (%xs) additional (%w) {
  ^bb0(%x: tensor<3xf32>, %b: tensor<3xf32>):
    fxgraph.yield %x : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @scan_c1_none(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected at least one scanned tensor but got none}}
  %0:2 = fxgraph.scan (%init) over () {
  ^bb0(%c: tensor<3xf32>):
    fxgraph.yield %c, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return
}

// -----

func.func @scan_c1_rank(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a scanned tensor of rank >= 1 but got rank 0}}
  %0:2 = fxgraph.scan (%init) over (%s) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    fxgraph.yield %c, %x : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return
}

// -----

func.func @scan_c1_extents(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected the leading extent of a scanned tensor to be 5 but got 4}}
  %0:2 = fxgraph.scan (%init) over (%xs, %zs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    fxgraph.yield %c, %x : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>, tensor<4x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return
}

// -----

func.func @scan_c2_takes(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected the body to take (tensor<3xf32>, tensor<3xf32>) but got (tensor<3xf32>, tensor<5x3xf32>)}}
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<5x3xf32>):
    fxgraph.yield %c, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return
}

// -----

func.func @scan_c3_carried(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected the body to yield (tensor<3xf32>, tensor<3xf32>) but got (tensor<3xf32>)}}
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    fxgraph.yield %c : tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return
}

// -----

func.func @scan_c4_few(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected a result for each of 1 carried values but got 0}}
  fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    fxgraph.yield 
  } : (tensor<3xf32>, tensor<5x3xf32>) -> ()
  return
}

// -----

func.func @scan_c4_type(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected first results of the types of the carried operands}}
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    fxgraph.yield %c, %x : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<2xf32>, tensor<5x3xf32>)
  return
}

// -----

func.func @scan_c4_stacked(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: tensor<4x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected the leading extent of a stacked result to be 5 but got 4}}
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    fxgraph.yield %c, %x : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>)
  return
}

// -----

func.func @opaque_c1_auto_functionalized(%out: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected the number of one of 2 operands in args but got "%2"}}
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %n) mutated [0] args {args = ["%0", "%2"]} : (tensor<3xf32>, index) -> tensor<3xf32>
  return
}

// -----

func.func @auto_functionalized_c1_range(%out: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected ascending numbers of 2 operands in mutated but got 2}}
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %n) mutated [2] args {args = ["%0", "%1"]} : (tensor<3xf32>, index) -> tensor<3xf32>
  return
}

// -----

func.func @auto_functionalized_c1_order(%out: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected ascending numbers of 2 operands in mutated but got 0}}
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %n) mutated [0, 0] args {args = ["%0", "%1"]} : (tensor<3xf32>, index) -> tensor<3xf32>
  return
}

// -----

func.func @auto_functionalized_c1_tensor(%out: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected mutated operands to be tensors but got 'index'}}
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %n) mutated [1] args {args = ["%0", "%1"]} : (tensor<3xf32>, index) -> tensor<3xf32>
  return
}

// -----

func.func @auto_functionalized_c2_few(%out: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected a result for each of 1 mutated operands but got 0}}
  fxgraph.auto_functionalized "mylib.fill.default" (%out, %n) mutated [0] args {args = ["%0", "%1"]} : (tensor<3xf32>, index) -> ()
  return
}

// -----

func.func @auto_functionalized_c2_type(%out: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected the result for operand 0 to have its type, 'tensor<3xf32>', but got 'tensor<2xf32>'}}
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %n) mutated [0] args {args = ["%0", "%1"]} : (tensor<3xf32>, index) -> tensor<2xf32>
  return
}

// -----

func.func @auto_functionalized_c3_only(%out: tensor<3xf32>, %n: index) {
  // expected-error @+1 {{expected only_clone to hold mutated operands but got 1}}
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %n) mutated [0] only_clone [1] args {args = ["%0", "%1"]} : (tensor<3xf32>, index) -> tensor<3xf32>
  return
}

// -----

func.func @copy_c2_region(%p: tensor<i1>, %x: tensor<3xf32>) {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    %1 = fxgraph.neg %a : tensor<3xf32>
    // expected-error @+1 {{expected dst to be an argument of the function}}
    fxgraph.copy_ %1 into %a : tensor<3xf32>, tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @invoke_quant_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected the body to take}}
  %0 = fxgraph.invoke_quant(%x) {
  ^bb0(%a: tensor<4xf32>):
    fxgraph.yield %a : tensor<4xf32>
  } : (tensor<3xf32>) -> tensor<4xf32>
  return
}
