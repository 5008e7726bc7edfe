// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-mutation-reinplace))' --remarks-filter-missed='fxgraph.*' --remark-format=emitRemark

func.func @later_user(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %2 = fxgraph.neg %0 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @returned_too(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  // expected-remark@below {{operand 0 stays: 'func.return' reads its memory later}}
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @argument_without_copy(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<4xf32> {
  // expected-remark@below {{operand 0 stays: it is an argument to which no later copy_ writes}}
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @copy_before(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>, %v4: tensor<4xf32>) -> tensor<4xf32> {
  fxgraph.copy_ %v4 into %x : tensor<4xf32>, tensor<4xf32>
  // expected-remark@below {{operand 0 stays: it is an argument to which no later copy_ writes}}
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @argument_read_before_the_copy(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<4xf32> {
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %1 = fxgraph.neg %x : tensor<4xf32>
  fxgraph.copy_ %0 into %x : tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The copy itself reads the argument, turned round.
func.func @copy_of_a_view(%x: tensor<2x2xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<2x2xf32> {
  // expected-remark@below {{operand 0 stays: 'fxgraph.copy_' reads its memory later}}
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<2x2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = fxgraph.transpose %x dims 0, 1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = fxgraph.neg %0 : tensor<2x2xf32>
  fxgraph.copy_ %1 into %x : tensor<2x2xf32>, tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// -----

// The result of the graph is in memory of its own.
func.func @argument_and_result(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<4xf32> {
  // expected-remark@below {{operand 0 stays: it is an argument, and what is computed there may be returned}}
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  fxgraph.copy_ %0 into %x : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @view_of_an_argument(%x: tensor<2x4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) {
  %0 = fxgraph.select %x dim 0 at 1 : (tensor<2x4xf32>) -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: it may share memory with an argument}}
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %2 = fxgraph.select_scatter %x, %1 dim 0 at 1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  fxgraph.copy_ %2 into %x : tensor<2x4xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @literal(%i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = fxgraph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // expected-remark@below {{operand 0 stays: it may share memory with a literal}}
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @overlapping_slices(%x: tensor<8xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<8xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 4 : (tensor<8xf32>) -> tensor<4xf32>
  %2 = fxgraph.slice %0 dim 0 from 3 to 7 : (tensor<8xf32>) -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %3 = fxgraph.index_put %1[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %4 = fxgraph.neg %2 : tensor<4xf32>
  return %3, %4 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Elements 6 and 7 of eight are elements 3 and 4 of every second one.
func.func @steps_count(%x: tensor<10xf32>, %i: tensor<1xi64>, %v: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = fxgraph.relu %x : tensor<10xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 10 step 2 : (tensor<10xf32>) -> tensor<5xf32>
  %2 = fxgraph.slice %1 dim 0 from 3 to 5 : (tensor<5xf32>) -> tensor<2xf32>
  %3 = fxgraph.slice %0 dim 0 from 6 to 8 : (tensor<10xf32>) -> tensor<2xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %4 = fxgraph.index_put %2[%i] dims [0], %v : (tensor<2xf32>, tensor<1xi64>, tensor<f32>) -> tensor<2xf32>
  %5 = fxgraph.neg %3 : tensor<2xf32>
  return %4, %5 : tensor<2xf32>, tensor<2xf32>
}

// -----

// The last three of how many?
func.func @dynamic_slices(%x: tensor<?xf32>, %i: tensor<1xi64>, %v: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fxgraph.relu %x : tensor<?xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 3 : (tensor<?xf32>) -> tensor<?xf32>
  %2 = fxgraph.slice %0 dim 0 from -3 to 9223372036854775807 : (tensor<?xf32>) -> tensor<?xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %3 = fxgraph.index_put %1[%i] dims [0], %v : (tensor<?xf32>, tensor<1xi64>, tensor<f32>) -> tensor<?xf32>
  %4 = fxgraph.neg %2 : tensor<?xf32>
  return %3, %4 : tensor<?xf32>, tensor<?xf32>
}

// -----

func.func @view_made_later(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %2 = fxgraph.reshape %0 shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %3 = fxgraph.neg %2 : tensor<2x2xf32>
  return %1, %3 : tensor<4xf32>, tensor<2x2xf32>
}

// -----

func.func @same_operand(%x: tensor<4xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  // expected-remark@below {{operand 0 stays: operand 2 shares its memory}}
  %1 = fxgraph.index_put %0[%i] dims [0], %0 : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @elements_in_one_place(%i: tensor<1xi64>, %v: tensor<f32>) -> tensor<4xf32> {
  %0 = fxgraph.full 1.0 : tensor<1xf32>
  %1 = fxgraph.expand %0 shape [4] : tensor<1xf32> -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: its elements may lie in one place}}
  %2 = fxgraph.index_put %1[%i] dims [0], %v : (tensor<4xf32>, tensor<1xi64>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// An unknown op may return its operand.
func.func @unknown_view(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = fxgraph.opaque "mylib.view.default" (%x) args {args = ["%0"]} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: it may share memory with an argument}}
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// By its schema it returns a view.
func.func @unknown_view_by_schema(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<4xf32> {
  %0 = fxgraph.opaque "mylib.view.default" (%x) args {args = ["%0"]} {effects = "operands"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: it may share memory with an argument}}
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A branch may give what it was given.
func.func @branch(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.cond %p (%0) then {
  ^bb0(%a: tensor<4xf32>):
    fxgraph.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %2 = fxgraph.neg %a : tensor<4xf32>
    fxgraph.yield %2 : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.exp' reads its memory later}}
  %3 = fxgraph.index_put %1[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %4 = fxgraph.exp %0 : tensor<4xf32>
  return %3, %4 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @value_of_another_block(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>, %p: i1) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = scf.if %p -> tensor<4xf32> {
    // expected-remark@below {{operand 0 stays: it may share memory with a value of another block}}
    %2 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

// What was computed in place lies where its operand lay.
func.func @read_after_two_steps(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %2 = fxgraph.reshape %1 shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %3 = fxgraph.index_put %1[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %4 = fxgraph.neg %2 : tensor<2x2xf32>
  return %3, %4 : tensor<4xf32>, tensor<2x2xf32>
}

// -----

// The scatter puts back another part.
func.func @scatter_elsewhere(%x: tensor<8xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<8xf32> {
  %0 = fxgraph.relu %x : tensor<8xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 4 : (tensor<8xf32>) -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.slice_scatter' reads its memory later}}
  %2 = fxgraph.index_put %1[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %3 = fxgraph.slice_scatter %0, %2 dim 0 from 4 to 8 : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// Between the inner and the outer scatter somebody reads all of it.
func.func @read_between_scatters(%x: tensor<8xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fxgraph.relu %x : tensor<8xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 4 : (tensor<8xf32>) -> tensor<4xf32>
  // expected-remark@below {{operand 0 stays: 'fxgraph.neg' reads its memory later}}
  %2 = fxgraph.index_put %1[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %3 = fxgraph.neg %0 : tensor<8xf32>
  %4 = fxgraph.slice_scatter %0, %2 dim 0 from 0 to 4 : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @list_of_one_memory(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  // expected-remark@below {{operand 0 stays: operand 1 shares its memory}}
  %1:2 = fxgraph.all_reduce_coalesced (%0, %0) op "sum" group "g" : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The call reads the operand that it writes through another one.
func.func @call_reads_too(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  // expected-remark@below {{operand 0 stays: operand 1 shares its memory}}
  %1 = fxgraph.auto_functionalized "mylib.add_.default" (%0, %0) mutated [0] args {args = ["%0", "%1"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
